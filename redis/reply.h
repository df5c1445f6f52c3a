/* reply.h - replies that look right in both protocols.
 *
 * RESP3 has booleans and maps; RESP2, and servers before 7.0, get integers and
 * flat arrays in their place, which is what their clients expect.           */
#ifndef TAMIS_REDIS_REPLY_H
#define TAMIS_REDIS_REPLY_H

#include <stdbool.h>
#include <string.h>

#include "module_api.h"

static inline int reply_bool(RedisModuleCtx *ctx, bool yes)
{
    if (server.ReplyWithBool) return server.ReplyWithBool(ctx, yes);
    return server.ReplyWithLongLong(ctx, yes);
}

/* Opens a map of `count` pairs. */
static inline int reply_map(RedisModuleCtx *ctx, long count)
{
    if (server.ReplyWithMap) return server.ReplyWithMap(ctx, count);
    return server.ReplyWithArray(ctx, 2 * count);
}

static inline int reply_ok(RedisModuleCtx *ctx)
{
    return server.ReplyWithSimpleString(ctx, "OK");
}

static inline int reply_text(RedisModuleCtx *ctx, const char *text)
{
    return server.ReplyWithStringBuffer(ctx, text, strlen(text));
}

/* A pair of a map: a name and an integer. */
static inline void reply_field(RedisModuleCtx *ctx, const char *name, uint64_t value)
{
    server.ReplyWithSimpleString(ctx, name);
    server.ReplyWithLongLong(ctx, (long long)value);
}

static inline bool reply_is_resp3(RedisModuleCtx *ctx)
{
    return server.ReplyWithMap && (server.GetContextFlags(ctx) & CONTEXT_RESP3);
}

#endif
