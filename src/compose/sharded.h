/* sharded.h - independent filters, one a shard of the digests.              */
#ifndef TMS_COMPOSE_SHARDED_H
#define TMS_COMPOSE_SHARDED_H

#include "base/bits.h"
#include "kinds/kind.h"

enum { TMS_SHARDS_MOST = 1024 };

extern const tms_kind tms_sharded_kind;

/* Which shards a filter of this kind is divided into, and which of them it has. */
typedef struct tms_shards {
    uint32_t shards; /* of the whole */
    uint32_t first;  /* here */
    uint32_t count;  /* here */
} tms_shards;

tms_shards tms_sharded_range(const tamis_filter *f);

/* Whether its shards, one after another, are one filter of their kind. */
bool tms_sharded_is_sliced(const tamis_filter *f);

/* The shape of a filter that has the shards of `range`, like `part` each. */
void tms_sharded_shape(const tms_shape *part, tms_shards range, uint64_t capacity, tms_shape *out);

/* A key of this digest belongs to shard: */
static inline uint32_t tms_shard_of(uint64_t digest, uint32_t shards)
{
    return (uint32_t)tms_mulhi(digest, shards);
}

#endif
