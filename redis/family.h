/* family.h - the two data types, BF and CF, as the server knows them.       */
#ifndef TAMIS_REDIS_FAMILY_H
#define TAMIS_REDIS_FAMILY_H

#include <tamis/redisbloom.h>

#include "module_api.h"

typedef struct family {
    const char *type_name; /* nine characters, in RDB files */
    uint32_t kind;         /* TAMIS_KIND_REDISBLOOM or _CUCKOO */
    const char *loadchunk; /* the command of an append-only file */
    RedisModuleType *type; /* what the server made of it */
} family;

extern family bloom_family;
extern family cuckoo_family;

/** Makes both types known to the server. API_ERR: a name is taken.          */
int family_register(RedisModuleCtx *ctx);

#endif
