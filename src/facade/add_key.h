/* add_key.h - adding one key with everything a filter's behaviour asks for. */
#ifndef TMS_FACADE_ADD_KEY_H
#define TMS_FACADE_ADD_KEY_H

#include "kinds/kind.h"

/* A kind that grows or forgets counts the keys itself, in its parts. */
static inline bool tms_counts_itself(const tamis_filter *f)
{
    return (f->kind->abilities & (TAMIS_CAN_GROW | TAMIS_CAN_FORGET)) != 0;
}

/* Filters that can remove hold every occurrence of a key, known or not: one that
 * was left out because others answered for it would go when they are removed.
 * Where a removed key stays removed, no occurrence is taken away by itself. */
static inline bool tms_holds_occurrences(const tamis_filter *f)
{
    const uint32_t removing = TAMIS_CAN_REMOVE | TAMIS_STAYS_REMOVED;
    return (tms_filter_abilities(f) & removing) == TAMIS_CAN_REMOVE;
}

/* Read-only and strict filters are respected, the key is counted. */
tamis_status tms_add_digest(tamis_filter *f, uint64_t digest, bool *was_new);
tamis_status tms_add_key(tamis_filter *f, const void *key, size_t size, bool *was_new);

#endif
