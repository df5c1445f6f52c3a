/* sharded.c - S independent filters of any kind, each with the keys of one
 * stretch of digests.
 *
 * The shard of a digest h is the high half of h * S. Inside the shard a kind
 * whose places ascend with the digest (attach_shard) takes the place from the
 * low half of h * S and its pattern from h: then the shards, one after another,
 * are bit for bit the one filter that has all keys, and dividing it is cutting
 * it up. Other kinds are given another mix of h, since within a shard the high
 * bits of h are all the same.
 *
 * A filter may have some shards only: it says "no" to keys of the others, and
 * refuses to take them. Single writer or concurrent as its parts; a parallel
 * build gives every thread shards of its own.
 *
 * Sizes are in sharded_plan.c, batches in sharded_runs.c.                   */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "compose/parts.h"
#include "compose/sharded_parts.h"

tms_shards tms_sharded_range(const tamis_filter *f)
{
    return sharded_of(f)->range;
}

bool tms_sharded_is_sliced(const tamis_filter *f)
{
    return sharded_of(f)->sliced;
}

/* ---- one key ------------------------------------------------------------ */

static tamis_status sharded_fail_foreign(const sharded_filter *s, uint64_t digest)
{
    return tms_fail(
        TAMIS_E_MISMATCH, "the key belongs to shard %u of %u, and this filter has %u from %u on",
        tms_shard_of(digest, s->range.shards), s->range.shards, s->range.count, s->range.first);
}

bool tms_sharded_may_contain(const tamis_filter *f, uint64_t digest)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t index = sharded_index(s, digest);
    if (index >= s->range.count) return false;
    const tamis_filter *shard = s->shards[index];
    return shard->ops->may_contain(shard, sharded_digest(s, digest));
}

tamis_status tms_sharded_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t index = sharded_index(s, digest);
    if (index >= s->range.count) return sharded_fail_foreign(s, digest);
    tamis_filter *shard = s->shards[index];
    TMS_TRY(shard->ops->add(shard, sharded_digest(s, digest), was_new));
    if (!(shard->kind->abilities & TAMIS_CAN_GROW)) tms_filter_count(shard, 1);
    return TAMIS_OK;
}

static tamis_status sharded_remove(tamis_filter *f, uint64_t digest)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t index = sharded_index(s, digest);
    if (index >= s->range.count) return TAMIS_E_ABSENT;
    tamis_filter *shard = s->shards[index];
    TMS_TRY(shard->ops->remove(shard, sharded_digest(s, digest)));
    if (!(shard->kind->abilities & TAMIS_CAN_GROW)) tms_filter_count(shard, UINT64_MAX);
    return TAMIS_OK;
}

static uint64_t sharded_count(const tamis_filter *f, uint64_t digest)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t index = sharded_index(s, digest);
    if (index >= s->range.count) return 0;
    const tamis_filter *shard = s->shards[index];
    uint64_t given = sharded_digest(s, digest);
    return shard->ops->count ? shard->ops->count(shard, given)
                             : shard->ops->may_contain(shard, given);
}

static const tms_ops sharded_ops = {.may_contain = tms_sharded_may_contain,
                                    .add = tms_sharded_add,
                                    .may_contain_many = tms_sharded_may_contain_many,
                                    .add_many = tms_sharded_add_many};

static const tms_ops sharded_removing = {.may_contain = tms_sharded_may_contain,
                                         .add = tms_sharded_add,
                                         .may_contain_many = tms_sharded_may_contain_many,
                                         .add_many = tms_sharded_add_many,
                                         .remove = sharded_remove,
                                         .count = sharded_count};

/* ---- what the shards say ------------------------------------------------ */

static bool sharded_may_contain_around(const tamis_filter *f, uint64_t digest,
                                       bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t index = sharded_index(s, digest);
    if (index >= s->range.count) return false;
    const tamis_filter *shard = s->shards[index];
    return shard->kind->may_contain_around(shard, sharded_digest(s, digest), lost, ctx);
}

static void sharded_describe(const tms_shape *shape, tamis_sizing *out)
{
    (void)shape;
    out->fold = 1;
}

/* A key is looked up in one shard; errors of the counts are independent. */
static void sharded_measure(const tamis_filter *f, tms_measure *out)
{
    const sharded_filter *s = sharded_of(f);
    double below = 0, above = 0, shards = s->range.count;
    *out = (tms_measure){.crowding = 1};
    for (uint32_t i = 0; i < s->range.count; i++) {
        tms_measure one = {0};
        s->shards[i]->kind->measure(s->shards[i], &one);
        out->bits += one.bits;
        out->ones += one.ones;
        out->counters += one.counters;
        out->sticky += one.sticky;
        out->keys += one.keys;
        below += (one.keys - one.keys_low) * (one.keys - one.keys_low);
        above += (one.keys_high - one.keys) * (one.keys_high - one.keys);
        out->rate += one.rate / shards;
        out->missed += one.missed / shards;
        out->crowding = fmin(out->crowding, one.crowding * shards); /* the worst of so many */
    }
    out->keys_low = out->keys - sqrt(below);
    out->keys_high = out->keys + sqrt(above);
}

/* ---- life --------------------------------------------------------------- */

static void sharded_attach(tamis_filter *f)
{
    f->ops = &sharded_ops;
}

/* All shards are stretches of one filter, or none is. */
static bool sharded_slice(sharded_filter *s)
{
    const tms_kind *inner = s->shards[0]->kind;
    bool sliced = inner->attach_shard != NULL;
    for (uint32_t i = 0; sliced && i < s->range.count; i++)
        sliced = inner->attach_shard(s->shards[i], s->range.shards, s->range.first + i);
    for (uint32_t i = 0; inner->attach_shard && !sliced && i < s->range.count; i++)
        inner->attach(s->shards[i]);
    return sliced;
}

static tamis_status sharded_adopt(tamis_filter *f, tamis_filter **children, uint32_t count)
{
    sharded_filter *s = sharded_of(f);
    const tms_shards range = {.shards = (uint32_t)f->shape.params[SHARDED_SHARDS],
                              .first = (uint32_t)f->shape.params[SHARDED_FIRST],
                              .count = count};
    if (count < 1 || count > range.shards - range.first)
        return tms_fail(TAMIS_E_CORRUPT, "%u shards from %u on are not among %u", count,
                        range.first, range.shards);
    TMS_TRY(tms_parts_take(f, children, count));
    memcpy(s->shards, children, count * sizeof *children);
    s->range = range;
    s->sliced = sharded_slice(s);
    uint32_t can = tms_filter_abilities(children[0]);
    f->in_order = !(can & TAMIS_CAN_PARALLEL) || count < range.shards;
    s->sorted = !f->in_order && count <= SHARDED_SORTED_MOST;
    f->ops = can & TAMIS_CAN_REMOVE ? &sharded_removing : &sharded_ops;
    return TAMIS_OK;
}

static uint32_t sharded_child_count(const tamis_filter *f)
{
    return sharded_of(f)->range.count;
}

static tamis_filter *sharded_child(const tamis_filter *f, uint32_t index)
{
    return sharded_of(f)->shards[index];
}

static void sharded_reset(tamis_filter *f)
{
    for (uint32_t i = 0; i < sharded_of(f)->range.count; i++)
        tms_filter_empty(sharded_of(f)->shards[i]);
}

static void sharded_release(tamis_filter *f)
{
    for (uint32_t i = 0; i < sharded_of(f)->range.count; i++)
        tms_filter_drop(sharded_of(f)->shards[i]);
}

const tms_kind tms_sharded_kind = {
    .id = TAMIS_KIND_SHARDED,
    .name = "sharded",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_INTERSECT | TAMIS_CAN_CONCURRENT |
                 TAMIS_CAN_PARALLEL | TAMIS_CAN_DIGESTS,
    .damage_rule = TMS_DAMAGE_READS_AS_ONES,
    .handle_bytes = sizeof(sharded_filter),
    .plan = tms_sharded_plan,
    .check = tms_sharded_check,
    .describe = sharded_describe,
    .attach = sharded_attach,
    .measure = sharded_measure,
    .may_contain_around = sharded_may_contain_around,
    .add_slice = tms_sharded_add_slice,
    .composing = &tms_sharded_composing,
    .adopt = sharded_adopt,
    .child_count = sharded_child_count,
    .child = sharded_child,
    .reset = sharded_reset,
    .release = sharded_release,
};
