/* sharded_plan.c - into how many shards a filter is divided, how large each is,
 * and what kinds they may be of.                                            */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <tamis/hash.h>

#include "base/fail.h"
#include "compose/parts.h"
#include "compose/sharded_parts.h"

/* Scaling filters may become 64 layers, and a file has 4096 nodes. */
enum { SHARDED_COMPOSED_MOST = 32 };

static const uint32_t sharded_usual = 16;

/* ---- parameters --------------------------------------------------------- */

void tms_sharded_shape(const tms_shape *part, tms_shards range, uint64_t capacity, tms_shape *out)
{
    *out = (tms_shape){.kind = TAMIS_KIND_SHARDED,
                       .flags = part->flags,
                       .capacity = capacity,
                       .fpr = part->fpr,
                       .param_count = SHARDED_PARAMS,
                       .params = {part->kind, range.shards, range.first}};
}

/* A shard has as many keys to a digest as the whole, and counts only its own: it
 * would grow past the promised rate without knowing. */
static tamis_status sharded_check_hash(const tamis_spec *spec)
{
    const uint32_t width = spec->hash ? tamis_hash_width(spec->hash) : 64;
    if (width >= 64) return TAMIS_OK;
    return tms_fail(TAMIS_E_SPEC,
                    "shards that grow cannot tell when a hash of %u bits is too narrow for all of "
                    "them; use a 64-bit hash, or shards of a fixed size",
                    width);
}

tamis_status tms_sharded_plan(const tamis_spec *spec, tms_shape *shape)
{
    const uint32_t shards = spec->parts ? spec->parts : sharded_usual;
    const uint32_t most =
        spec->inner >= TAMIS_KIND_SCALABLE ? SHARDED_COMPOSED_MOST : TMS_SHARDS_MOST;
    const tms_shape part = {.kind = spec->inner, .flags = spec->flags, .fpr = spec->fpr};
    TMS_TRY(spec->inner == TAMIS_KIND_SCALABLE ? sharded_check_hash(spec)
                                               : tms_parts_check_fixed("sharded", spec));
    if (shards > most) return tms_fail(TAMIS_E_SPEC, "%u shards are outside 1 to %u", shards, most);
    tms_sharded_shape(&part, (tms_shards){.shards = shards}, spec->capacity, shape);
    return TAMIS_OK;
}

tamis_status tms_sharded_check(tms_shape *shape)
{
    const uint64_t *p = shape->params;
    if (shape->param_count != SHARDED_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a sharded filter has %d parameters, not %u",
                        SHARDED_PARAMS, shape->param_count);
    if (p[SHARDED_SHARDS] < 1 || p[SHARDED_SHARDS] > TMS_SHARDS_MOST ||
        p[SHARDED_FIRST] >= p[SHARDED_SHARDS])
        return tms_fail(TAMIS_E_CORRUPT,
                        "shard %" PRIu64 " of %" PRIu64 " is outside 1 to %d shards",
                        p[SHARDED_FIRST], p[SHARDED_SHARDS], TMS_SHARDS_MOST);
    shape->body_bytes = 0;
    return TAMIS_OK;
}

/* ---- composing ---------------------------------------------------------- */

static uint32_t sharded_abilities(uint32_t inner)
{
    return inner & (TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_INTERSECT | TAMIS_CAN_CONCURRENT |
                    TAMIS_CAN_PARALLEL | TAMIS_CAN_DIGESTS | TAMIS_CAN_GROW | TAMIS_CAN_REMOVE |
                    TAMIS_CAN_COUNT | TAMIS_STAYS_REMOVED);
}

static tamis_status sharded_accepts(const tms_kind *inner)
{
    const uint32_t needs = TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS;
    bool fits = inner->id != TAMIS_KIND_SHARDED && !(needs & ~inner->abilities) &&
                !(inner->abilities & TAMIS_CAN_FORGET);
    if (fits) return TAMIS_OK;
    return tms_fail(TAMIS_E_SPEC,
                    "shards cannot be %s filters: they take digests, forget nothing by themselves "
                    "and are not sharded again",
                    inner->name);
}

static uint32_t sharded_first_count(const tms_shape *shape)
{
    return (uint32_t)shape->params[SHARDED_SHARDS];
}

/* Shards get unequal numbers of keys. Where the whole is one filter cut up, that
 * is no more than lines of it do, and planned for; elsewhere a shard has room
 * for six standard deviations more, so that none of a thousand is too small. */
static void sharded_child_spec(const tms_shape *shape, const tms_kind *inner, uint32_t index,
                               tamis_spec *spec)
{
    double shards = (double)shape->params[SHARDED_SHARDS], keys = (double)spec->capacity / shards;
    (void)index;
    tms_parts_trim(spec);
    spec->memory /= shape->params[SHARDED_SHARDS];
    if (!spec->capacity) return;
    if (!inner->attach_shard && shards > 1) keys += 6 * sqrt(keys);
    spec->capacity = (uint64_t)ceil(keys);
}

static void sharded_settle(tms_shape *shape, const tms_shape *shard)
{
    if (!shape->capacity) shape->capacity = shard->capacity * shape->params[SHARDED_SHARDS];
    shape->fpr = shard->fpr;
}

static double sharded_part_keys(const tms_shape *shape, double keys)
{
    return keys / (double)shape->params[SHARDED_SHARDS];
}

static double sharded_whole_rate(const tms_shape *shape, double shard_rate)
{
    (void)shape;
    return shard_rate;
}

static void sharded_tell(const tms_shape *shape, const tms_kind *inner, char *note, size_t room)
{
    snprintf(note, room, "%" PRIu64 " %s filters; shard = high half of digest * %" PRIu64,
             shape->params[SHARDED_SHARDS], inner->name, shape->params[SHARDED_SHARDS]);
}

const tms_composing tms_sharded_composing = {
    .abilities = sharded_abilities,
    .accepts = sharded_accepts,
    .first_count = sharded_first_count,
    .child_spec = sharded_child_spec,
    .settle = sharded_settle,
    .part_keys = sharded_part_keys,
    .whole_rate = sharded_whole_rate,
    .tell = sharded_tell,
};
