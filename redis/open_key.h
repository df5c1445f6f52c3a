/* open_key.h - from a key's name to its filter, and what follows a change.  */
#ifndef TAMIS_REDIS_OPEN_KEY_H
#define TAMIS_REDIS_OPEN_KEY_H

#include "value.h"

typedef enum key_state {
    KEY_FOUND,
    KEY_MISSING,
    KEY_OTHER_TYPE,
    KEY_QUARANTINED,
    KEY_MOVED /* to another node of the cluster, maybe, while the command waited */
} key_state;

/* A key that is open. Close it on every way out. */
typedef struct open_key {
    RedisModuleCtx *ctx;
    RedisModuleString *name;
    RedisModuleKey *key; /* may be NULL when reading: there is no such key */
    key_value *value;    /* set when found or quarantined */
    uint64_t grants;     /* of memory, when it was opened */
} open_key;

/** Opens `name` for KEY_READ, or for KEY_READ | KEY_WRITE. A filter opened for
 *  writing is settled, and memory is asked for on this command's behalf.    */
key_state key_open(RedisModuleCtx *ctx, RedisModuleString *name, int mode, family *f,
                   open_key *out);
void key_close(open_key *k);

/** Replies with the server's or the peer's words for a state other than
 *  KEY_FOUND, and closes the key.                                           */
int key_refuse(open_key *k, key_state state);

/** Puts a new filter into an empty key.                                     */
void key_fill(open_key *k, family *f, tamis_filter *filter);

/** What follows a change: WATCH and client caches are told, a keyspace event
 *  is sent, the metrics follow. `items` is by how many the filter has more. */
void key_changed(open_key *k, const char *event, int64_t items);

#endif
