/* dleft.c - the d-left counting filter (Bonomi, Mitzenmacher, Panigrahy, Singh
 * and Varghese, 2006): counted remainders in buckets that fill evenly.
 *
 * Less than half the space of a counting filter at 1 % and below. The layout is
 * in kernel/dleft_kernel.h, sizes are judged in dleft_plan.c.               */
#include "kinds/dleft.h"

#include "base/bits.h"
#include "base/fail.h"
#include "kernel/tuning.h"
#include "kinds/body.h"
#include "kinds/dleft_parts.h"
#include "math/estimate.h"

/* ---- working ------------------------------------------------------------ */

static tamis_status dleft_full(const tamis_filter *f)
{
    return tms_fail(TAMIS_E_FULL,
                    "all four buckets of the key are full: the table was planned for %llu keys, "
                    "and a key added again and again takes a cell for every three times; the key "
                    "was not added, build a larger filter",
                    (unsigned long long)f->shape.capacity);
}

static bool dleft_op_may_contain(const tamis_filter *f, uint64_t digest)
{
    const dleft_filter *d = dleft_of(f);
    return d->kernel->may_contain(&d->table, digest);
}

static tamis_status dleft_op_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    const dleft_filter *d = dleft_of(f);
    return d->kernel->add(&d->table, digest, was_new) == TAMIS_OK ? TAMIS_OK : dleft_full(f);
}

/* A body in the cache wants nothing fetched. */
static tms_run dleft_run(const dleft_filter *d, const tms_run *run)
{
    if (d->fetch) return *run;
    return (tms_run){.now = run->now, .count = run->count};
}

static size_t dleft_op_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    const dleft_filter *d = dleft_of(f);
    const tms_run fitted = dleft_run(d, run);
    return d->kernel->may_contain_many(&d->table, &fitted, answers);
}

static tamis_status dleft_op_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                      size_t *added)
{
    const dleft_filter *d = dleft_of(f);
    const tms_run fitted = dleft_run(d, run);
    *added = d->kernel->add_many(&d->table, &fitted, was_new);
    return *added == run->count ? TAMIS_OK : dleft_full(f);
}

static tamis_status dleft_op_remove(tamis_filter *f, uint64_t digest)
{
    const dleft_filter *d = dleft_of(f);
    return d->kernel->remove(&d->table, digest);
}

static uint64_t dleft_op_count(const tamis_filter *f, uint64_t digest)
{
    const dleft_filter *d = dleft_of(f);
    return d->kernel->count(&d->table, digest);
}

static void dleft_op_fetch(const void *filter, uint64_t digest)
{
    tms_dleft_fetch(&dleft_of(filter)->table, digest);
}

static void dleft_op_fetch_all(const void *filter, uint64_t digest)
{
    if (dleft_of(filter)->fetch) dleft_op_fetch(filter, digest);
}

#define DLEFT_OPS                                                                 \
    .may_contain = dleft_op_may_contain, .add = dleft_op_add,                     \
    .may_contain_many = dleft_op_may_contain_many, .add_many = dleft_op_add_many, \
    .fetch_all = dleft_op_fetch_all, .remove = dleft_op_remove, .count = dleft_op_count

static const tms_ops dleft_near = {DLEFT_OPS};
static const tms_ops dleft_far = {DLEFT_OPS, .fetch = dleft_op_fetch};

#undef DLEFT_OPS

static void dleft_attach(tamis_filter *f)
{
    dleft_filter *d = (dleft_filter *)(void *)f;
    const uint32_t bits = (uint32_t)f->shape.params[DLEFT_REMAINDER];
    tms_dleft_table_init(&d->table, f->body, f->shape.params[DLEFT_BUCKETS], bits);
    d->kernel = tms_dleft_kernel_for(bits);
    d->fetch = f->shape.body_bytes >= TMS_NO_FETCH_BELOW;
    f->ops = f->shape.body_bytes >= TMS_FETCH_WHILE_HASHING_FROM ? &dleft_far : &dleft_near;
}

static bool dleft_is_given_up(const tms_dleft_table *t, const uint8_t *bucket)
{
    return tms_dleft_cell(t, bucket, 0) == t->cell_mask;
}

static bool dleft_has(const tms_dleft_table *t, const uint8_t *bucket, uint64_t remainder)
{
    for (unsigned j = 0; j < t->cells; j++) {
        uint64_t cell = tms_dleft_cell(t, bucket, j);
        if (cell > t->remainder_mask && (cell & t->remainder_mask) == remainder) return true;
    }
    return dleft_is_given_up(t, bucket);
}

static bool dleft_may_contain_around(const tamis_filter *f, uint64_t digest,
                                     bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const tms_dleft_table *t = &dleft_of(f)->table;
    const tms_dleft_place place = tms_dleft_find(t, digest);
    bool answer = false;
    for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++)
        answer |= lost(ctx, place.bucket[i]) || dleft_has(t, place.bucket[i], place.remainder);
    return answer;
}

/* ---- what the cells say ------------------------------------------------- */

/* Whether an earlier cell of the bucket has the same remainder: only a key that
 * was added more than three times has a second cell. */
static bool dleft_is_second(const tms_dleft_table *t, const uint8_t *bucket, unsigned cell)
{
    uint64_t remainder = tms_dleft_cell(t, bucket, cell) & t->remainder_mask;
    for (unsigned j = 0; j < cell; j++) {
        uint64_t other = tms_dleft_cell(t, bucket, j);
        if (other > t->remainder_mask && (other & t->remainder_mask) == remainder) return true;
    }
    return false;
}

/* What the cells of some buckets hold: different fingerprints, and how many of
 * all N pass for them. Two remainders stand for two each (dleft_kernel.h). */
typedef struct dleft_sums {
    uint64_t distinct, passing;
} dleft_sums;

static void dleft_measure_bucket(const tms_dleft_table *t, const uint8_t *bucket, dleft_sums *sums)
{
    bool repeats = false; /* some key has filled a cell, and may have a second */
    for (unsigned j = 0; j < t->cells; j++)
        repeats |= tms_dleft_cell(t, bucket, j) >> t->remainder_bits == TMS_DLEFT_MOST;
    for (unsigned j = 0; j < t->cells; j++) {
        uint64_t cell = tms_dleft_cell(t, bucket, j), remainder = cell & t->remainder_mask;
        if (cell <= t->remainder_mask || (repeats && dleft_is_second(t, bucket, j))) continue;
        sums->distinct++;
        sums->passing += remainder == 1 || remainder == t->remainder_mask - 1 ? 2 : 1;
    }
}

/* One subtable; `passes` falls by the share of its buckets that are lost, to
 * which every query says "maybe". */
static void dleft_measure_table(const tms_dleft_table *t, unsigned table, dleft_sums *sums,
                                double *passes)
{
    const uint8_t *bucket = t->buckets + table * t->bucket_count * TMS_DLEFT_BUCKET;
    uint64_t lost = 0;
    for (uint64_t i = 0; i < t->bucket_count; i++, bucket += TMS_DLEFT_BUCKET) {
        if (dleft_is_given_up(t, bucket))
            lost++;
        else
            dleft_measure_bucket(t, bucket, sums);
    }
    *passes *= 1 - (double)lost / (double)t->bucket_count;
}

/* Keys are throws, fingerprints are bins: the estimate of a classic filter with
 * one bit a key. */
static void dleft_measure(const tamis_filter *f, tms_measure *out)
{
    const tms_dleft_table *t = &dleft_of(f)->table;
    const uint64_t fingerprints = t->bucket_count << t->remainder_bits;
    dleft_sums sums = {0};
    double passes = 1;
    for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++) dleft_measure_table(t, i, &sums, &passes);
    *out = (tms_measure){.bits = f->shape.body_bytes * 8, .crowding = 1};
    out->ones = sums.distinct * (t->remainder_bits + TMS_DLEFT_COUNTER);
    out->rate = 1 - passes + passes * (double)sums.passing / (double)fingerprints;
    tms_estimate estimate = tms_classic_estimate(fingerprints, 1, sums.distinct);
    out->keys = estimate.keys;
    out->keys_low = estimate.low;
    out->keys_high = estimate.high;
}

const tms_kind tms_dleft_kind = {
    .id = TAMIS_KIND_DLEFT,
    .name = "dleft",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS | TAMIS_CAN_BORROW | TAMIS_CAN_REMOVE |
                 TAMIS_CAN_COUNT | TAMIS_IS_BOUNDED,
    .damage_rule = TMS_DAMAGE_READS_AS_ONES,
    .handle_bytes = sizeof(dleft_filter),
    .plan = tms_dleft_plan,
    .check = tms_dleft_check,
    .describe = tms_dleft_describe,
    .rate = tms_dleft_rate_of,
    .attach = dleft_attach,
    .measure = dleft_measure,
    .may_contain_around = dleft_may_contain_around,
};
