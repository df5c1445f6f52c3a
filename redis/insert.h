/* insert.h - adding items to an open filter, and telling replicas about it.
 *
 * Replicas, and the append-only file, hear of a command only when it changed
 * something, and then of exactly that change: a command that was refused in
 * part is sent as the items that were taken, and one that made its filter by
 * itself is sent with the parameters, because the defaults of a replica may be
 * others.                                                                   */
#ifndef TAMIS_REDIS_INSERT_H
#define TAMIS_REDIS_INSERT_H

#include <stdbool.h>

#include "arguments.h"
#include "open_key.h"

enum { INSERT_ON_STACK = 256 };

typedef struct insertion {
    RedisModuleString **items;
    size_t count;
    int8_t *results; /* TAMIS_REDISBLOOM_ADDED and so on, one an item */
    size_t added;
    bool refused; /* some items were */
    int8_t room[INSERT_ON_STACK];
} insertion;

/** Adds items[0..count) to the filter of `k`. End with insert_end.          */
void insert_begin(insertion *in, open_key *k, RedisModuleString **items, size_t count,
                  bool only_absent);
void insert_end(insertion *in);

/** The items that were added, in order; free with server.Free.              */
RedisModuleString **insert_added(const insertion *in);

#endif
