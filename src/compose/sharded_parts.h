/* sharded_parts.h - what the files of the sharded filter share.
 *
 * params: [0] inner kind  [1] shards of the whole  [2] the first one here   */
#ifndef TMS_COMPOSE_SHARDED_PARTS_H
#define TMS_COMPOSE_SHARDED_PARTS_H

#include "compose/sharded.h"

enum { SHARDED_INNER, SHARDED_SHARDS, SHARDED_FIRST, SHARDED_PARAMS };

/* Runs are sorted by shard up to so many; above, most of a run's shards have
 * one key, and it is worked key by key. */
enum { SHARDED_SORTED_MOST = 64 };

typedef struct sharded_filter {
    tamis_filter base;
    tms_shards range;
    bool sliced; /* the shards are stretches of one filter */
    bool sorted; /* runs may be taken shard by shard: adding never fails */
    tamis_filter *shards[TMS_SHARDS_MOST];
} sharded_filter;

static inline sharded_filter *sharded_of(const tamis_filter *f)
{
    return (sharded_filter *)(uintptr_t)f;
}

/* Where the shard of a digest is here; at or past range.count: elsewhere. */
static inline uint32_t sharded_index(const sharded_filter *s, uint64_t digest)
{
    return tms_shard_of(digest, s->range.shards) - s->range.first;
}

/* What the shard is given. */
static inline uint64_t sharded_digest(const sharded_filter *s, uint64_t digest)
{
    return s->sliced ? digest : (digest ^ (digest >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
}

/* sharded.c: one key. */
bool tms_sharded_may_contain(const tamis_filter *, uint64_t digest);
tamis_status tms_sharded_add(tamis_filter *, uint64_t digest, bool *was_new);

/* sharded_runs.c: many. */
size_t tms_sharded_may_contain_many(const tamis_filter *, const tms_run *, bool *answers);
tamis_status tms_sharded_add_many(tamis_filter *, const tms_run *, bool *was_new, size_t *added);
void tms_sharded_add_slice(tamis_filter *, const uint64_t *digests, size_t count, unsigned slice,
                           unsigned slices);

/* sharded_plan.c */
tamis_status tms_sharded_plan(const tamis_spec *, tms_shape *);
tamis_status tms_sharded_check(tms_shape *);
extern const tms_composing tms_sharded_composing;

#endif
