/* counting.c - the counting Bloom filter (Fan, Cao, Almeida and Broder, 2000):
 * a counter in the place of every bit, so that keys can be removed.
 *
 * Four bits a counter serve almost always: at the planned load a counter passes
 * 15 with a chance of 10^-15 (docs/math.md), and one that does is sticky. The
 * counters of a key are spread like the bits of a classic filter, or lie in one
 * or two cache lines like those of a blocked one (counting_kernel.h); sizes are
 * judged in counting_plan.c, sets are in counting_sets.c.                   */
#include "kinds/counting.h"

#include "base/bits.h"
#include "base/memory.h"
#include "kernel/tuning.h"
#include "kinds/counting_parts.h"
#include "kinds/lined.h"

/* A body in the cache wants nothing fetched. */
static tms_run counting_run(const counting_filter *c, const tms_run *run)
{
    if (c->fetch) return *run;
    return (tms_run){.now = run->now, .count = run->count};
}

/* ---- spread ------------------------------------------------------------- */

static bool counting_spread_may_contain(const tamis_filter *f, uint64_t digest)
{
    const counting_filter *c = counting_of(f);
    return c->spread->places.may_contain(&c->table, digest);
}

static tamis_status counting_spread_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    const counting_filter *c = counting_of(f);
    *was_new = c->spread->places.add(&c->table, digest);
    return TAMIS_OK;
}

static size_t counting_spread_may_contain_many(const tamis_filter *f, const tms_run *run,
                                               bool *answers)
{
    const counting_filter *c = counting_of(f);
    const tms_run fitted = counting_run(c, run);
    return c->spread->places.may_contain_many(&c->table, &fitted, answers);
}

static tamis_status counting_spread_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                             size_t *added)
{
    const counting_filter *c = counting_of(f);
    const tms_run fitted = counting_run(c, run);
    c->spread->places.add_many(&c->table, &fitted, was_new);
    *added = run->count;
    return TAMIS_OK;
}

static tamis_status counting_spread_remove(tamis_filter *f, uint64_t digest)
{
    const counting_filter *c = counting_of(f);
    return c->spread->remove(&c->table, digest) ? TAMIS_OK : TAMIS_E_ABSENT;
}

static uint64_t counting_spread_count(const tamis_filter *f, uint64_t digest)
{
    const counting_filter *c = counting_of(f);
    return c->spread->count(&c->table, digest);
}

static uint64_t counting_byte(const tamis_filter *f, uint64_t counter)
{
    return counting_width(&f->shape) == 4 ? counter / 2 : counter;
}

static void counting_spread_fetch_all(const void *filter, uint64_t digest)
{
    const counting_filter *c = counting_of(filter);
    tms_classic_walk walk = tms_classic_start(digest);
    for (uint32_t i = 0; c->fetch && i < c->table.hashes; i++) {
        uint64_t counter = tms_classic_next(&walk, c->table.bits);
        TMS_FETCH(c->table.bytes + counting_byte(filter, counter));
    }
}

static const tms_ops counting_spread_ops = {.may_contain = counting_spread_may_contain,
                                            .add = counting_spread_add,
                                            .may_contain_many = counting_spread_may_contain_many,
                                            .add_many = counting_spread_add_many,
                                            .fetch_all = counting_spread_fetch_all,
                                            .remove = counting_spread_remove,
                                            .count = counting_spread_count};

/* ---- lined -------------------------------------------------------------- */

static bool counting_lined_may_contain(const tamis_filter *f, uint64_t digest)
{
    const counting_filter *c = counting_of(f);
    return c->lined->places.may_contain(&c->view, digest);
}

static tamis_status counting_lined_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    const counting_filter *c = counting_of(f);
    *was_new = c->lined->places.add(&c->view, digest);
    return TAMIS_OK;
}

static size_t counting_lined_may_contain_many(const tamis_filter *f, const tms_run *run,
                                              bool *answers)
{
    const counting_filter *c = counting_of(f);
    const tms_run fitted = counting_run(c, run);
    return c->lined->places.may_contain_many(&c->view, &fitted, answers);
}

static tamis_status counting_lined_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                            size_t *added)
{
    const counting_filter *c = counting_of(f);
    const tms_run fitted = counting_run(c, run);
    if (was_new)
        c->lined->places.add_new_many(&c->view, &fitted, was_new);
    else
        c->lined->places.add_many(&c->view, &fitted);
    *added = run->count;
    return TAMIS_OK;
}

static tamis_status counting_lined_remove(tamis_filter *f, uint64_t digest)
{
    const counting_filter *c = counting_of(f);
    return c->lined->remove(&c->view, digest) ? TAMIS_OK : TAMIS_E_ABSENT;
}

static uint64_t counting_lined_count(const tamis_filter *f, uint64_t digest)
{
    const counting_filter *c = counting_of(f);
    return c->lined->count(&c->view, digest);
}

/* Always inline: a call of a function that only fetches may be left out. */
static inline __attribute__((always_inline)) void counting_lined_bring(const void *filter,
                                                                       uint64_t digest)
{
    const tamis_blocked_view *v = &counting_of(filter)->view;
    TMS_FETCH(tamis_blocked_line(v, digest));
    if (v->lines_per_key == 2)
        TMS_FETCH(tamis_blocked_second_line(v, tamis_blocked_second(digest)));
}

static void counting_lined_fetch(const void *filter, uint64_t digest)
{
    counting_lined_bring(filter, digest);
}

static void counting_lined_fetch_all(const void *filter, uint64_t digest)
{
    if (counting_of(filter)->fetch) counting_lined_bring(filter, digest);
}

#define COUNTING_LINED_OPS                                                                    \
    .may_contain = counting_lined_may_contain, .add = counting_lined_add,                     \
    .may_contain_many = counting_lined_may_contain_many, .add_many = counting_lined_add_many, \
    .fetch_all = counting_lined_fetch_all, .remove = counting_lined_remove,                   \
    .count = counting_lined_count

static const tms_ops counting_lined_near = {COUNTING_LINED_OPS};
static const tms_ops counting_lined_far = {COUNTING_LINED_OPS, .fetch = counting_lined_fetch};

#undef COUNTING_LINED_OPS

/* ---- both --------------------------------------------------------------- */

static void counting_attach_lined(counting_filter *c)
{
    tamis_filter *f = &c->base;
    const uint64_t *p = f->shape.params;
    c->view = tms_lined_view(f->body, p[COUNTING_COUNTERS] / counting_line(&f->shape),
                             (uint32_t)p[COUNTING_HASHES], (uint32_t)p[COUNTING_PER_KEY]);
    c->lined = tms_lined_kernel_for(counting_width(&f->shape), tms_filter_is_shared(f));
    f->ops = f->shape.body_bytes >= TMS_FETCH_WHILE_HASHING_FROM ? &counting_lined_far
                                                                 : &counting_lined_near;
}

static void counting_attach(tamis_filter *f)
{
    counting_filter *c = (counting_filter *)(void *)f;
    const uint64_t *p = f->shape.params;
    c->fetch = f->shape.body_bytes >= TMS_NO_FETCH_BELOW;
    if (counting_is_lined(&f->shape)) {
        counting_attach_lined(c);
        return;
    }
    c->table = (tms_classic_table){
        .bytes = f->body, .bits = p[COUNTING_COUNTERS], .hashes = (uint32_t)p[COUNTING_HASHES]};
    c->spread = tms_spread_kernel_for(counting_width(&f->shape), tms_filter_is_shared(f));
    f->ops = &counting_spread_ops;
}

/* A lost line is a line of counters at their most. */
static bool counting_lined_around(const tamis_filter *f, uint64_t digest,
                                  bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const counting_filter *c = counting_of(f);
    tamis_blocked_view one = c->view; /* each table as a filter of one line a key */
    one.lines_per_key = 1;
    bool answer =
        lost(ctx, tamis_blocked_line(&one, digest)) || c->lined->places.may_contain(&one, digest);
    if (c->view.lines_per_key == 1) return answer;
    uint64_t second = tamis_blocked_second(digest);
    one.lines += one.line_count * TMS_LINE;
    bool other =
        lost(ctx, tamis_blocked_line(&one, second)) || c->lined->places.may_contain(&one, second);
    return answer && other;
}

static bool counting_spread_around(const tamis_filter *f, uint64_t digest,
                                   bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const tms_classic_table *t = &counting_of(f)->table;
    tms_classic_walk walk = tms_classic_start(digest);
    bool answer = true;
    for (uint32_t i = 0; i < t->hashes; i++) {
        uint64_t counter = tms_classic_next(&walk, t->bits);
        const uint8_t *byte = t->bytes + counting_byte(f, counter);
        unsigned mask = counting_width(&f->shape) == 8 ? 255 : 15u << (counter & 1) * 4;
        answer &= lost(ctx, byte) || (*byte & mask) != 0;
    }
    return answer;
}

static bool counting_may_contain_around(const tamis_filter *f, uint64_t digest,
                                        bool (*lost)(void *, const uint8_t *), void *ctx)
{
    return counting_is_lined(&f->shape) ? counting_lined_around(f, digest, lost, ctx)
                                        : counting_spread_around(f, digest, lost, ctx);
}

/* Slices end at whole lines, so that no two share a byte. */
static void counting_add_slice(tamis_filter *f, const uint64_t *digests, size_t count,
                               unsigned slice, unsigned slices)
{
    const counting_filter *c = counting_of(f);
    if (counting_is_lined(&f->shape)) {
        const tms_lined_slice mine = {&c->view, &c->lined->places, c->fetch, slice, slices};
        tms_lined_add_slice(&mine, digests, count);
        return;
    }
    uint64_t lines = f->shape.body_bytes / TMS_LINE, each = counting_line(&f->shape);
    uint64_t first = (uint64_t)((tms_u128)lines * slice / slices);
    uint64_t last = (uint64_t)((tms_u128)lines * (slice + 1) / slices);
    c->spread->places.add_between(&c->table, digests, count, first * each, last * each);
}

const tms_kind tms_counting_kind = {
    .id = TAMIS_KIND_COUNTING,
    .name = "counting",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_INTERSECT | TAMIS_CAN_FOLD |
                 TAMIS_CAN_CONCURRENT | TAMIS_CAN_PARALLEL | TAMIS_CAN_DIGESTS | TAMIS_CAN_BORROW |
                 TAMIS_CAN_REMOVE | TAMIS_CAN_COUNT,
    .damage_rule = TMS_DAMAGE_READS_AS_ONES,
    .handle_bytes = sizeof(counting_filter),
    .plan = tms_counting_plan,
    .check = tms_counting_check,
    .repeat = tms_counting_repeat,
    .describe = tms_counting_describe,
    .rate = tms_counting_rate,
    .attach = counting_attach,
    .measure = tms_counting_measure,
    .may_contain_around = counting_may_contain_around,
    .add_slice = counting_add_slice,
    .fits = tms_counting_fits,
    .fold_size = tms_counting_fold_size,
    .fold_shape = tms_counting_fold_shape,
    .fold = tms_counting_fold,
    .unite = tms_counting_unite,
    .overlap = tms_counting_overlap,
    .convert_shape = tms_counting_convert_shape,
    .convert = tms_counting_convert,
};
