/* cuckoo.c - the cuckoo filter: a short fingerprint of every key, in one of two
 * buckets (Fan, Andersen, Kaminsky and Mitzenmacher, 2014).
 *
 * Smaller than a Bloom filter below a rate of about 0.3 %, two lines a query, and
 * keys can be removed again (docs/kinds/cuckoo.md). Every add takes a place, also
 * of a key that is there already, so that adds and removes balance; a key finds
 * room for twice as many copies as a bucket has places. A table that is full says
 * so and stays as it was. Sizes are judged in cuckoo_plan.c, the loops are in
 * kernel/cuckoo_kernel.c.                                                   */
#include "kinds/cuckoo.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "base/fail.h"
#include "kernel/tuning.h"
#include "kinds/cuckoo_parts.h"

/* ---- asking, adding, removing ------------------------------------------- */

static bool cuckoo_op_may_contain(const tamis_filter *f, uint64_t digest)
{
    const cuckoo_filter *c = cuckoo_of(f);
    return c->kernel->may_contain(&c->table, digest);
}

static size_t cuckoo_op_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    const cuckoo_filter *c = cuckoo_of(f);
    return c->kernel->may_contain_many(&c->table, run, answers);
}

static tamis_status cuckoo_refuse(cuckoo_filter *c, tms_cuckoo_outcome outcome)
{
    atomic_fetch_add_explicit(&c->refused, 1, memory_order_relaxed);
    if (outcome == TMS_CUCKOO_TWINS)
        return tms_fail(TAMIS_E_FULL,
                        "the key, or its like, is there %u times, which is all that two buckets "
                        "of %u hold; a counting filter counts further",
                        2 * c->table.places, c->table.places);
    return tms_fail(TAMIS_E_FULL,
                    "no place was found after %d moves: the filter was planned for %" PRIu64
                    " keys; build a larger one, nothing was lost",
                    TMS_CUCKOO_MOVES, c->base.shape.capacity);
}

static tamis_status cuckoo_op_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    cuckoo_filter *c = cuckoo_of(f);
    tms_cuckoo_outcome outcome = c->kernel->add(&c->table, digest);
    if (outcome >= TMS_CUCKOO_TWINS) return cuckoo_refuse(c, outcome);
    *was_new = outcome == TMS_CUCKOO_NEW;
    return TAMIS_OK;
}

static tamis_status cuckoo_op_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                       size_t *added)
{
    cuckoo_filter *c = cuckoo_of(f);
    tms_cuckoo_outcome last;
    *added = c->kernel->add_many(&c->table, run, was_new, &last);
    return *added == run->count ? TAMIS_OK : cuckoo_refuse(c, last);
}

static tamis_status cuckoo_op_remove(tamis_filter *f, uint64_t digest)
{
    const cuckoo_filter *c = cuckoo_of(f);
    return c->kernel->remove(&c->table, digest) ? TAMIS_OK : TAMIS_E_ABSENT;
}

static uint64_t cuckoo_op_count(const tamis_filter *f, uint64_t digest)
{
    const cuckoo_filter *c = cuckoo_of(f);
    return c->kernel->count(&c->table, digest);
}

static void cuckoo_op_fetch(const void *filter, uint64_t digest)
{
    tms_cuckoo_fetch(&cuckoo_of(filter)->table, digest);
}

static const tms_ops cuckoo_near = {.may_contain = cuckoo_op_may_contain,
                                    .add = cuckoo_op_add,
                                    .may_contain_many = cuckoo_op_may_contain_many,
                                    .add_many = cuckoo_op_add_many,
                                    .remove = cuckoo_op_remove,
                                    .count = cuckoo_op_count};

static const tms_ops cuckoo_far = {.may_contain = cuckoo_op_may_contain,
                                   .add = cuckoo_op_add,
                                   .may_contain_many = cuckoo_op_may_contain_many,
                                   .add_many = cuckoo_op_add_many,
                                   .fetch = cuckoo_op_fetch,
                                   .remove = cuckoo_op_remove,
                                   .count = cuckoo_op_count};

static void cuckoo_attach(tamis_filter *f)
{
    cuckoo_filter *c = cuckoo_of(f);
    const uint64_t *p = f->shape.params;
    const bool shared = tms_filter_is_shared(f);
    const bool dense = p[CUCKOO_LAYOUT] == CUCKOO_SEMISORTED;
    const bool far = f->shape.body_bytes >= TMS_FETCH_WHILE_HASHING_FROM;
    c->table = (tms_cuckoo_table){.bytes = f->body,
                                  .chunks = p[CUCKOO_CHUNKS],
                                  .buckets = (uint32_t)p[CUCKOO_BUCKETS],
                                  .bits = (uint32_t)p[CUCKOO_BITS],
                                  .places = (uint32_t)p[CUCKOO_PLACES],
                                  .far = far,
                                  .locks = shared ? c->locks : NULL};
    tms_cuckoo_table_prepare(&c->table, dense);
    c->kernel = tms_cuckoo_kernel_for(&c->table, dense, shared);
    f->ops = far ? &cuckoo_far : &cuckoo_near;
}

/* ---- the body as a whole ------------------------------------------------ */

/* A query reads two buckets, each of which may begin in one lost stretch and end
 * in another. Where one is lost, the answer is "maybe". */
static bool cuckoo_may_contain_around(const tamis_filter *f, uint64_t digest,
                                      bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const cuckoo_filter *c = cuckoo_of(f);
    const tms_cuckoo_table *t = &c->table;
    const tms_cuckoo_spot s = tms_cuckoo_spot_of(t, digest);
    const uint32_t pair[2] = {s.bucket, s.other};
    bool answer = c->kernel->may_contain(t, digest);
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *first = tms_cuckoo_address(t, s.chunk, pair[i]);
        const uint8_t *last = tms_cuckoo_address(t, s.chunk, pair[i] + 1) - 1;
        answer |= lost(ctx, first);
        if (last > first) answer |= lost(ctx, last);
    }
    return answer;
}

/* Writers wait, readers do not, while a copy is made: a key that moves meanwhile
 * would be in neither half. */
static void cuckoo_hold(const tamis_filter *f, bool held)
{
    const cuckoo_filter *c = cuckoo_of(f);
    if (!c->table.locks) return;
    if (held)
        tms_cuckoo_hold(c->table.locks);
    else
        tms_cuckoo_release(c->table.locks);
}

static uint64_t cuckoo_part_count(const tamis_filter *f)
{
    return f->shape.params[CUCKOO_CHUNKS];
}

static size_t cuckoo_add_part(tamis_filter *f, const uint64_t *digests, size_t count,
                              uint64_t coming)
{
    const cuckoo_filter *c = cuckoo_of(f);
    return c->kernel->add_part(&c->table, digests, count, coming);
}

/* A small table is asked what it answers; of a large one the expectation is as good,
 * and costs no second look at every place. */
static double cuckoo_rate_now(const cuckoo_filter *c, uint64_t taken)
{
    const tms_cuckoo_table *t = &c->table;
    if (t->chunks > 1) return tms_cuckoo_expected_rate(&c->base.shape, (double)taken);
    return (double)c->kernel->answers(t, 0) / ((double)t->buckets * (double)t->fingerprints);
}

/* Every key has a place of its own, so nothing needs to be estimated: `keys` is
 * what was added, copies included, less what was removed. */
static void cuckoo_measure(const tamis_filter *f, tms_measure *out)
{
    const cuckoo_filter *c = cuckoo_of(f);
    const tms_cuckoo_table *t = &c->table;
    uint64_t taken = 0, buckets = t->chunks * t->buckets, most = 0;
    for (uint64_t i = 0; i < t->chunks; i++) {
        uint32_t here = c->kernel->taken(t, i);
        taken += here;
        if (here > most) most = here;
    }
    *out = (tms_measure){.bits = buckets * t->bucket_bits,
                         .ones = taken * t->bucket_bits / t->places,
                         .keys = (double)taken,
                         .keys_low = (double)taken,
                         .keys_high = (double)taken,
                         .rate = cuckoo_rate_now(c, taken),
                         .crowding = 1,
                         .fullest = (double)most / ((double)t->buckets * t->places),
                         .refused = atomic_load_explicit(&c->refused, memory_order_relaxed)};
}

const tms_kind tms_cuckoo_kind = {
    .id = TAMIS_KIND_CUCKOO,
    .name = "cuckoo",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_CONCURRENT | TAMIS_CAN_PARALLEL | TAMIS_CAN_DIGESTS |
                 TAMIS_CAN_BORROW | TAMIS_CAN_REMOVE | TAMIS_CAN_COUNT | TAMIS_IS_BOUNDED,
    .damage_rule = TMS_DAMAGE_ANSWERS_MAYBE,
    .handle_bytes = sizeof(cuckoo_filter),
    .plan = tms_cuckoo_plan,
    .check = tms_cuckoo_check,
    .describe = tms_cuckoo_describe,
    .rate = tms_cuckoo_expected_rate,
    .attach = cuckoo_attach,
    .measure = cuckoo_measure,
    .may_contain_around = cuckoo_may_contain_around,
    .part_count = cuckoo_part_count,
    .add_part = cuckoo_add_part,
    .hold = cuckoo_hold,
};
