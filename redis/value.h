/* value.h - what a key holds: a filter, or what is kept in its place.
 *
 * When a saved value could be read and yet makes no sound filter, it is
 * quarantined: kept as it is, so that the rest of the data loads, answered with
 * an error, saved again unchanged, gone when the key is deleted.            */
#ifndef TAMIS_REDIS_VALUE_H
#define TAMIS_REDIS_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <tamis/redisbloom.h>

#include "family.h"

typedef struct key_value {
    family *family;
    tamis_filter *filter;              /* NULL: quarantined */
    tamis_redisbloom_quarantine *kept; /* NULL: sound */
    uint64_t items, bytes;             /* as last counted into the metrics */
    uint32_t layers;
} key_value;

/** What INFO tells about all values there are.                              */
typedef struct metrics {
    uint64_t objects, items, bytes, layers, quarantined;
} metrics;

metrics value_metrics(void);

/** Wraps a filter or a quarantined value, which it owns, and counts it.     */
key_value *value_make(family *f, tamis_filter *filter, tamis_redisbloom_quarantine *kept);

/** Frees the value; what is large in it goes to another thread (memory.h).  */
void value_free(void *v);

/** Brings the metrics up to date: items by `change`, all of them when `grown`. */
void value_recount(key_value *v, int64_t change, bool grown);

/** Finishes a compaction that is pending: needed by whatever must see, or
 *  change, the bytes as the peer has them.                                  */
void value_settle(key_value *v);

#endif
