/* cuckoo_info.c - CF.INFO and CF.DEBUG.                                     */
#include <stdio.h>

#include "commands.h"
#include "compaction.h"
#include "open_key.h"
#include "reply.h"

/* True: `facts` are those of the settled filter, and the key is closed. False:
 * the client has its error. */
static bool cuckoo_facts(RedisModuleCtx *ctx, RedisModuleString *name,
                         tamis_redisbloom_facts *facts)
{
    open_key k;
    key_state state = key_open(ctx, name, KEY_READ, &cuckoo_family, &k);
    if (state != KEY_FOUND) {
        key_refuse(&k, state);
        return false;
    }
    value_settle(k.value);
    tamis_redisbloom_facts_of(k.value->filter, facts);
    key_close(&k);
    return true;
}

COMMAND(cf_info)
{
    if (argc != 2) return server.WrongArity(ctx);
    if (compaction_wait(ctx, argv, argc, cf_info)) return API_OK;
    tamis_redisbloom_facts facts;
    if (!cuckoo_facts(ctx, argv[1], &facts)) return API_OK;
    reply_map(ctx, 8);
    reply_field(ctx, "Size", facts.size);
    reply_field(ctx, "Number of buckets", facts.buckets);
    reply_field(ctx, "Number of filters", facts.filters);
    reply_field(ctx, "Number of items inserted", facts.items);
    reply_field(ctx, "Number of items deleted", facts.deletes);
    reply_field(ctx, "Bucket size", facts.bucket_size);
    reply_field(ctx, "Expansion rate", facts.expansion);
    reply_field(ctx, "Max iterations", facts.max_iterations);
    return API_OK;
}

COMMAND(cf_debug)
{
    if (argc != 2) return server.WrongArity(ctx);
    if (compaction_wait(ctx, argv, argc, cf_debug)) return API_OK;
    tamis_redisbloom_facts facts;
    if (!cuckoo_facts(ctx, argv[1], &facts)) return API_OK;
    char text[256];
    snprintf(text, sizeof text,
             "bktsize:%u buckets:%llu items:%llu deletes:%llu filters:%u max_iterations:%u "
             "expansion:%u",
             (unsigned)facts.bucket_size, (unsigned long long)facts.buckets,
             (unsigned long long)facts.items, (unsigned long long)facts.deletes, facts.filters,
             (unsigned)facts.max_iterations, facts.expansion);
    return reply_text(ctx, text);
}
