/* classic.c - the classic Bloom filter: k bits anywhere in m.
 *
 * The smallest of the filters that can be added to one key at a time, for any
 * rate; a query reads up to k cache lines. m is any multiple of 4 (no power of
 * two is needed), so every filter folds by 2 and 4.                         */
#include "kinds/classic.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/endian.h"
#include "base/fail.h"
#include "kernel/tuning.h"
#include "kinds/body.h"
#include "kinds/sizing.h"
#include "kinds/spread.h"
#include "math/classic_math.h"

static const classic_filter *classic_of(const tamis_filter *f)
{
    return (const classic_filter *)(const void *)f;
}

/* ---- parameters --------------------------------------------------------- */

static uint64_t classic_usual_fold(const tms_sizer *s, uint64_t bits)
{
    (void)s;
    (void)bits;
    return 4; /* costs at most 3 bits */
}

static double classic_sizer_rate(const tms_sizer *s, uint64_t bits, uint32_t hashes, double keys)
{
    (void)s;
    return tms_classic_rate(bits, hashes, keys);
}

static uint32_t classic_sizer_hashes(const tms_sizer *s, uint64_t bits, double keys)
{
    (void)s;
    return tms_classic_best_hashes(bits, keys);
}

static bool classic_sizer_size(const tms_sizer *s, double keys, double fpr, bool never,
                               uint64_t *bits, uint32_t *hashes)
{
    (void)s;
    return tms_classic_size(keys, fpr, never, 4, bits, hashes);
}

static double classic_sizer_capacity(const tms_sizer *s, uint64_t bits, double fpr, bool never,
                                     uint32_t *hashes)
{
    (void)s;
    return tms_classic_capacity(bits, fpr, never, hashes);
}

static const tms_sizer classic_sizer = {
    .unit = "bits",
    .unit_bits = 1,
    .most_hashes = TMS_CLASSIC_HASHES_MAX,
    .most_units = TMS_CLASSIC_BITS_MAX,
    .usual_fold = classic_usual_fold,
    .rate = classic_sizer_rate,
    .best_hashes = classic_sizer_hashes,
    .size = classic_sizer_size,
    .capacity = classic_sizer_capacity,
};

static uint64_t classic_body_bytes(uint64_t bits)
{
    return tms_div_up(bits, 8 * TMS_LINE) * TMS_LINE;
}

static tamis_status classic_plan(const tamis_spec *spec, tms_shape *shape)
{
    tms_size size;
    TMS_TRY(tms_size_for(&classic_sizer, spec, &size));
    *shape = (tms_shape){.kind = TAMIS_KIND_CLASSIC,
                         .flags = spec->flags,
                         .capacity = size.capacity,
                         .fpr = size.fpr,
                         .body_bytes = classic_body_bytes(size.units),
                         .param_count = CLASSIC_PARAMS,
                         .params = {size.units, size.hashes}};
    return TAMIS_OK;
}

static tamis_status classic_check(tms_shape *shape)
{
    const uint64_t *p = shape->params;
    if (shape->param_count != CLASSIC_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a classic filter has %d parameters, not %u",
                        CLASSIC_PARAMS, shape->param_count);
    if (p[CLASSIC_BITS] < 1 || p[CLASSIC_BITS] > TMS_CLASSIC_BITS_MAX)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " bits are outside 1 to 2^59", p[CLASSIC_BITS]);
    if (p[CLASSIC_HASHES] < 1 || p[CLASSIC_HASHES] > TMS_CLASSIC_HASHES_MAX)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " hashes are outside 1 to %d",
                        p[CLASSIC_HASHES], TMS_CLASSIC_HASHES_MAX);
    shape->body_bytes = classic_body_bytes(p[CLASSIC_BITS]);
    return TAMIS_OK;
}

static void classic_describe(const tms_shape *shape, tamis_sizing *out)
{
    out->bits = shape->params[CLASSIC_BITS];
    out->hashes = (uint32_t)shape->params[CLASSIC_HASHES];
    out->reads = out->hashes;
    out->fold = tms_low_bit(out->bits);
}

static double classic_rate(const tms_shape *shape, double keys)
{
    return tms_classic_rate(shape->params[CLASSIC_BITS], (uint32_t)shape->params[CLASSIC_HASHES],
                            keys);
}

/* ---- asking and adding -------------------------------------------------- */

static bool classic_op_may_contain(const tamis_filter *f, uint64_t digest)
{
    const classic_filter *c = classic_of(f);
    return c->kernel->may_contain(&c->table, digest);
}

static tamis_status classic_op_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    const classic_filter *c = classic_of(f);
    *was_new = c->kernel->add(&c->table, digest);
    return TAMIS_OK;
}

/* A body in the cache wants nothing fetched. */
static tms_run classic_run(const classic_filter *c, const tms_run *run)
{
    tms_run fitted = *run;
    if (!c->fetch) fitted.ahead_count = 0;
    return fitted;
}

static size_t classic_op_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    const classic_filter *c = classic_of(f);
    const tms_run fitted = classic_run(c, run);
    return c->kernel->may_contain_many(&c->table, &fitted, answers);
}

static tamis_status classic_op_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                        size_t *added)
{
    const classic_filter *c = classic_of(f);
    const tms_run fitted = classic_run(c, run);
    c->kernel->add_many(&c->table, &fitted, was_new);
    *added = run->count;
    return TAMIS_OK;
}

static const tms_ops classic_ops = {.may_contain = classic_op_may_contain,
                                    .add = classic_op_add,
                                    .may_contain_many = classic_op_may_contain_many,
                                    .add_many = classic_op_add_many};

static void classic_attach(tamis_filter *f)
{
    classic_filter *c = (classic_filter *)(void *)f;
    c->table = tms_classic_table_of(f);
    c->kernel = tms_filter_is_shared(f) ? &tms_classic_shared : &tms_classic_plain;
    c->fetch = f->shape.body_bytes >= TMS_NO_FETCH_BELOW;
    f->ops = &classic_ops;
}

static bool classic_may_contain_around(const tamis_filter *f, uint64_t digest,
                                       bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const tms_classic_table *t = &classic_of(f)->table;
    tms_classic_walk walk = tms_classic_start(digest);
    bool answer = true;
    for (uint32_t i = 0; i < t->hashes; i++) {
        uint64_t bit = tms_classic_next(&walk, t->bits);
        const uint8_t *byte = t->bytes + (bit >> 3);
        answer &= lost(ctx, byte) || (*byte >> (bit & 7) & 1);
    }
    return answer;
}

/* Every slice works out all places of all keys, which is most of the work unless
 * setting a bit waits for memory: in a body that the caches hold, two threads
 * took 2.4 to 2.7 times as long as one (bench_filters, 10^6 keys). */
#define CLASSIC_SLICE_FROM ((uint64_t)32 << 20)

/* Slices end at whole lines, so that no two share a byte. */
static void classic_add_slice(tamis_filter *f, const uint64_t *digests, size_t count,
                              unsigned slice, unsigned slices)
{
    const classic_filter *c = classic_of(f);
    uint64_t lines = f->shape.body_bytes / TMS_LINE;
    uint64_t first = (uint64_t)((tms_u128)lines * slice / slices);
    uint64_t last = (uint64_t)((tms_u128)lines * (slice + 1) / slices);
    tms_classic_plain.add_between(&c->table, digests, count, first * 8 * TMS_LINE,
                                  last * 8 * TMS_LINE);
}

/* ---- what the bits say -------------------------------------------------- */

/* Bits past the end do not count. */
static uint64_t classic_ones(const uint8_t *bytes, uint64_t first, uint64_t bits)
{
    const uint8_t *at = bytes + first / 8;
    uint64_t ones = 0, whole = bits / 64;
    for (uint64_t i = 0; i < whole; i++) ones += tms_popcount64(tms_body_word(at + 8 * i));
    if (bits % 64) {
        uint64_t last = tms_le64(tms_body_word(at + 8 * whole));
        ones += tms_popcount64(last & ((UINT64_C(1) << bits % 64) - 1));
    }
    return ones;
}

static void classic_measure(const tamis_filter *f, tms_measure *out)
{
    const tms_classic_table *t = &classic_of(f)->table;
    const tms_spread_body body = {t->bytes, t->bits, t->hashes, classic_ones};
    tms_spread_measure(&body, out);
    out->bits = t->bits;
}

/* ---- sets --------------------------------------------------------------- */

static tamis_status classic_fits(const tms_shape *a, const tms_shape *b)
{
    if (a->params[CLASSIC_HASHES] != b->params[CLASSIC_HASHES])
        return tms_fail(TAMIS_E_MISMATCH,
                        "the filters set %" PRIu64 " and %" PRIu64
                        " bits a key; build both with the same hashes",
                        a->params[CLASSIC_HASHES], b->params[CLASSIC_HASHES]);
    return TAMIS_OK;
}

static uint64_t classic_fold_size(const tms_shape *shape)
{
    return shape->params[CLASSIC_BITS];
}

static void classic_fold_shape(const tms_shape *shape, uint64_t factor, tms_shape *out)
{
    *out = *shape;
    out->params[CLASSIC_BITS] /= factor;
    out->body_bytes = classic_body_bytes(out->params[CLASSIC_BITS]);
}

/* Every set bit moves to its place divided by the factor. */
static void classic_fold(const tamis_filter *f, uint64_t factor, uint8_t *out)
{
    for (uint64_t i = 0; i < f->shape.body_bytes; i += 8) {
        uint64_t word = tms_load64(f->body + i);
        for (; word; word &= word - 1) {
            uint64_t bit = (i * 8 + (uint64_t)__builtin_ctzll(word)) / factor;
            out[bit >> 3] |= (uint8_t)(1u << (bit & 7));
        }
    }
}

const tms_kind tms_classic_kind = {
    .id = TAMIS_KIND_CLASSIC,
    .name = "classic",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_INTERSECT | TAMIS_CAN_FOLD |
                 TAMIS_CAN_CONCURRENT | TAMIS_CAN_PARALLEL | TAMIS_CAN_DIGESTS | TAMIS_CAN_BORROW,
    .damage_rule = TMS_DAMAGE_READS_AS_ONES,
    .handle_bytes = sizeof(classic_filter),
    .plan = classic_plan,
    .check = classic_check,
    .describe = classic_describe,
    .rate = classic_rate,
    .attach = classic_attach,
    .measure = classic_measure,
    .may_contain_around = classic_may_contain_around,
    .add_slice = classic_add_slice,
    .slice_from = CLASSIC_SLICE_FROM,
    .fits = classic_fits,
    .fold_size = classic_fold_size,
    .fold_shape = classic_fold_shape,
    .fold = classic_fold,
    .unite = tms_body_unite,
    .overlap = tms_body_overlap,
};
