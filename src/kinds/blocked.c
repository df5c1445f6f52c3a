/* blocked.c - the blocked Bloom filter: k bits of one cache line a key.
 *
 * One line per query instead of k, at the price of 3 to 9 % more bits than a
 * classic filter, because lines fill unevenly (docs/kinds/blocked.md). Below a
 * rate of about 2*10^-4 that price grows, and two lines a key are cheaper; they
 * are two tables of half the size, so the rate is that of one table squared.
 * The layout of a line is defined in <tamis/blocked_view.h>; sizes are judged
 * in blocked_plan.c, the bits are read in lined_measure.c.                  */
#include "kinds/blocked.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/fail.h"
#include "kernel/tuning.h"
#include "kinds/blocked_parts.h"
#include "kinds/body.h"
#include "kinds/lined.h"

/* ---- asking and adding -------------------------------------------------- */

static bool blocked_op_may_contain(const tamis_filter *f, uint64_t digest)
{
    const blocked_filter *b = blocked_of(f);
    return b->kernel->may_contain(&b->view, digest);
}

/* Of one line a key only. */
static bool blocked_op_may_contain_any(tamis_filter *const *filters, uint32_t count,
                                       uint64_t digest)
{
    return blocked_of(filters[0])
        ->kernel->may_contain_any((const void *const *)filters, offsetof(blocked_filter, view),
                                  count, digest);
}

static tamis_status blocked_op_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    const blocked_filter *b = blocked_of(f);
    *was_new = b->kernel->add(&b->view, digest);
    return TAMIS_OK;
}

/* A body in the cache wants nothing fetched. */
static tms_run blocked_run(const blocked_filter *b, const tms_run *run)
{
    tms_run fitted = *run;
    if (!b->fetch) fitted.ahead_count = 0;
    return fitted;
}

static size_t blocked_op_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    const blocked_filter *b = blocked_of(f);
    const tms_run fitted = blocked_run(b, run);
    return b->kernel->may_contain_many(&b->view, &fitted, answers);
}

static tamis_status blocked_op_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                        size_t *added)
{
    const blocked_filter *b = blocked_of(f);
    const tms_run fitted = blocked_run(b, run);
    if (was_new)
        b->kernel->add_new_many(&b->view, &fitted, was_new);
    else
        b->kernel->add_many(&b->view, &fitted);
    *added = run->count;
    return TAMIS_OK;
}

static void blocked_op_fetch(const void *filter, uint64_t digest)
{
    const tamis_blocked_view *v = &blocked_of(filter)->view;
    TMS_FETCH(tamis_blocked_line(v, digest));
    if (v->lines_per_key == 2)
        TMS_FETCH(tamis_blocked_second_line(v, tamis_blocked_second(digest)));
}

#define BLOCKED_OPS                                               \
    .may_contain = blocked_op_may_contain, .add = blocked_op_add, \
    .may_contain_many = blocked_op_may_contain_many, .add_many = blocked_op_add_many

static const tms_ops blocked_near = {BLOCKED_OPS, .may_contain_any = blocked_op_may_contain_any};
static const tms_ops blocked_far = {BLOCKED_OPS, .may_contain_any = blocked_op_may_contain_any,
                                    .fetch = blocked_op_fetch};
static const tms_ops blocked_near_two = {BLOCKED_OPS};
static const tms_ops blocked_far_two = {BLOCKED_OPS, .fetch = blocked_op_fetch};

static const tms_ops *blocked_ops(const tms_shape *shape)
{
    bool far = shape->body_bytes >= TMS_FETCH_WHILE_HASHING_FROM;
    if (shape->params[BLOCKED_PER_KEY] == 2) return far ? &blocked_far_two : &blocked_near_two;
    return far ? &blocked_far : &blocked_near;
}

static void blocked_attach(tamis_filter *f)
{
    blocked_filter *b = (blocked_filter *)(void *)f;
    const uint64_t *p = f->shape.params;
    b->shards = 0;
    b->view = tms_lined_view(f->body, p[BLOCKED_LINES], (uint32_t)p[BLOCKED_HASHES],
                             (uint32_t)p[BLOCKED_PER_KEY]);
    b->kernel = tms_filter_is_shared(f) ? tms_blocked_kernel_shared() : tms_blocked_kernel_best();
    b->fetch = f->shape.body_bytes >= TMS_NO_FETCH_BELOW;
    f->ops = blocked_ops(&f->shape);
}

/* ---- one shard of a larger filter --------------------------------------- */

/* The view is that of the whole: only lines of the shard's own keys are there. */
static bool blocked_is_mine(const blocked_filter *b, uint64_t digest)
{
    return tms_mulhi(digest, b->shards) == b->shard;
}

static bool blocked_all_mine(const blocked_filter *b, const tms_run *run)
{
    bool mine = true;
    for (size_t i = 0; i < run->count; i++) mine &= blocked_is_mine(b, run->now[i]);
    return mine;
}

static bool blocked_shard_may_contain(const tamis_filter *f, uint64_t digest)
{
    return blocked_is_mine(blocked_of(f), digest) && blocked_op_may_contain(f, digest);
}

static tamis_status blocked_shard_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    const blocked_filter *b = blocked_of(f);
    if (blocked_is_mine(b, digest)) return blocked_op_add(f, digest, was_new);
    return tms_fail(TAMIS_E_MISMATCH, "the key does not belong to shard %u of %u", b->shard,
                    b->shards);
}

static size_t blocked_shard_may_contain_many(const tamis_filter *f, const tms_run *run,
                                             bool *answers)
{
    size_t hits = 0;
    if (blocked_all_mine(blocked_of(f), run)) return blocked_op_may_contain_many(f, run, answers);
    for (size_t i = 0; i < run->count; i++) {
        answers[i] = blocked_shard_may_contain(f, run->now[i]);
        hits += answers[i];
    }
    return hits;
}

static tamis_status blocked_shard_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                           size_t *added)
{
    bool fresh = false;
    if (blocked_all_mine(blocked_of(f), run)) return blocked_op_add_many(f, run, was_new, added);
    for (*added = 0; *added < run->count; ++*added) {
        TMS_TRY(blocked_shard_add(f, run->now[*added], &fresh));
        if (was_new) was_new[*added] = fresh;
    }
    return TAMIS_OK;
}

static const tms_ops blocked_shard = {.may_contain = blocked_shard_may_contain,
                                      .add = blocked_shard_add,
                                      .may_contain_many = blocked_shard_may_contain_many,
                                      .add_many = blocked_shard_add_many};

/* Line mulhi(h, lines) of the shard's own lines by the low half of h * shards is
 * line mulhi(h, shards * lines) of all: so the kernels need not know. */
static bool blocked_attach_shard(tamis_filter *f, uint32_t shards, uint32_t shard)
{
    blocked_filter *b = (blocked_filter *)(void *)f;
    if (f->shape.params[BLOCKED_PER_KEY] != 1) return false;
    b->view.line_count = f->shape.params[BLOCKED_LINES] * shards;
    b->view.lines = (uint8_t *)((uintptr_t)f->body - shard * f->shape.body_bytes);
    b->shards = shards;
    b->shard = shard;
    f->ops = &blocked_shard;
    return true;
}

bool tms_blocked_lend_view(const tamis_filter *f, tamis_blocked_view *view)
{
    if (f->ops != blocked_ops(&f->shape)) return false; /* a shard, or chunks are watched */
    if (tms_filter_is_shared(f)) return false;          /* its plain reads would race with adds */
    *view = blocked_of(f)->view;
    return true;
}

/* A lost line is a line of ones. */
static bool blocked_may_contain_around(const tamis_filter *f, uint64_t digest,
                                       bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const tamis_blocked_view *v = &blocked_of(f)->view;
    const uint8_t *line = tamis_blocked_line(v, digest);
    bool answer = lost(ctx, line) || tamis_blocked_test_scalar(line, tamis_blocked_word(v, digest));
    if (v->lines_per_key == 1) return answer;
    uint64_t second = tamis_blocked_second(digest);
    line = tamis_blocked_second_line(v, second);
    bool other = lost(ctx, line) || tamis_blocked_test_scalar(line, tamis_blocked_word(v, second));
    return answer && other;
}

static void blocked_add_slice(tamis_filter *f, const uint64_t *digests, size_t count,
                              unsigned slice, unsigned slices)
{
    const blocked_filter *b = blocked_of(f);
    const tms_lined_slice mine = {&b->view, b->kernel, b->fetch, slice, slices};
    tms_lined_add_slice(&mine, digests, count);
}

/* ---- what the bits say -------------------------------------------------- */

static void blocked_lane_ones(const uint8_t *line, uint8_t ones[8])
{
    for (unsigned lane = 0; lane < 8; lane++)
        ones[lane] = (uint8_t)tms_popcount64(tms_body_word(line + 8 * lane));
}

static void blocked_measure(const tamis_filter *f, tms_measure *out)
{
    tamis_blocked_view own = blocked_of(f)->view; /* of a shard it is that of the whole */
    own.lines = f->body;
    own.line_count = f->shape.params[BLOCKED_LINES] / f->shape.params[BLOCKED_PER_KEY];
    const tms_lined_body body = {.view = &own,
                                 .lane_places = 64,
                                 .hashes = (uint32_t)f->shape.params[BLOCKED_HASHES],
                                 .lane_ones = blocked_lane_ones};
    tms_lined_measure(&body, out);
    out->bits = f->shape.body_bytes * 8;
}

/* ---- sets --------------------------------------------------------------- */

static tamis_status blocked_fits(const tms_shape *a, const tms_shape *b)
{
    if (a->params[BLOCKED_HASHES] != b->params[BLOCKED_HASHES] ||
        a->params[BLOCKED_PER_KEY] != b->params[BLOCKED_PER_KEY])
        return tms_fail(TAMIS_E_MISMATCH,
                        "the filters set %" PRIu64 " bits in %" PRIu64 " lines and %" PRIu64
                        " bits in %" PRIu64 " lines a key; build both with the same "
                        "hashes and lines_per_key",
                        a->params[BLOCKED_HASHES], a->params[BLOCKED_PER_KEY],
                        b->params[BLOCKED_HASHES], b->params[BLOCKED_PER_KEY]);
    return TAMIS_OK;
}

static uint64_t blocked_fold_size(const tms_shape *shape)
{
    return shape->params[BLOCKED_LINES] / shape->params[BLOCKED_PER_KEY];
}

static void blocked_fold_shape(const tms_shape *shape, uint64_t factor, tms_shape *out)
{
    *out = *shape;
    out->params[BLOCKED_LINES] /= factor;
    out->body_bytes = out->params[BLOCKED_LINES] * TMS_LINE;
}

/* The halves of a two-line filter have a multiple of `factor` lines each, so
 * no group of neighbours crosses from one to the other. */
static void blocked_fold(const tamis_filter *f, uint64_t factor, uint8_t *out)
{
    uint64_t lines = f->shape.params[BLOCKED_LINES];
    for (uint64_t i = 0; i < lines; i++)
        tms_body_or(out + i / factor * TMS_LINE, f->body + i * TMS_LINE, TMS_LINE);
}

const tms_kind tms_blocked_kind = {
    .id = TAMIS_KIND_BLOCKED,
    .name = "blocked",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_INTERSECT | TAMIS_CAN_FOLD |
                 TAMIS_CAN_CONCURRENT | TAMIS_CAN_PARALLEL | TAMIS_CAN_DIGESTS | TAMIS_CAN_BORROW,
    .damage_rule = TMS_DAMAGE_READS_AS_ONES,
    .handle_bytes = sizeof(blocked_filter),
    .plan = tms_blocked_plan,
    .check = tms_blocked_check,
    .describe = tms_blocked_describe,
    .rate = tms_blocked_expected_rate,
    .attach = blocked_attach,
    .attach_shard = blocked_attach_shard,
    .measure = blocked_measure,
    .may_contain_around = blocked_may_contain_around,
    .add_slice = blocked_add_slice,
    .fits = blocked_fits,
    .fold_size = blocked_fold_size,
    .fold_shape = blocked_fold_shape,
    .fold = blocked_fold,
    .unite = tms_body_unite,
    .overlap = tms_body_overlap,
};
