/* ask_commands.c - EXISTS, MEXISTS and COUNT.
 *
 * A key that is missing, and one of another type, answers "no": so does the
 * peer. A compaction under way is not waited for, because it never makes a "no"
 * of a "maybe".                                                             */
#include "arguments.h"
#include "commands.h"
#include "open_key.h"
#include "reply.h"

static int ask_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, family *f)
{
    if (argc != 3) return server.WrongArity(ctx);
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ, f, &k);
    if (state == KEY_QUARANTINED) return key_refuse(&k, state);
    tamis_span item = argument_span(argv[2]);
    bool maybe = state == KEY_FOUND && tamis_may_contain(k.value->filter, item.data, item.size);
    key_close(&k);
    return reply_bool(ctx, maybe);
}

static void reply_answers(RedisModuleCtx *ctx, const tamis_filter *filter,
                          RedisModuleString **items, size_t count)
{
    tamis_span spans[ARGUMENT_RUN];
    bool answers[ARGUMENT_RUN];
    for (size_t done = 0; done < count;) {
        size_t run = argument_run(items + done, count - done, spans);
        tamis_keys keys = tamis_keys_spans(spans, run);
        (void)tamis_may_contain_many(filter, &keys, answers);
        for (size_t i = 0; i < run; i++) reply_bool(ctx, answers[i]);
        done += run;
    }
}

static int ask_many(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, family *f)
{
    if (argc < 3) return server.WrongArity(ctx);
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ, f, &k);
    if (state == KEY_QUARANTINED) return key_refuse(&k, state);
    size_t count = (size_t)argc - 2;
    server.ReplyWithArray(ctx, (long)count);
    if (state == KEY_FOUND)
        reply_answers(ctx, k.value->filter, argv + 2, count);
    else
        for (size_t i = 0; i < count; i++) reply_bool(ctx, false);
    key_close(&k);
    return API_OK;
}

COMMAND(bf_exists)
{
    return ask_one(ctx, argv, argc, &bloom_family);
}

COMMAND(bf_mexists)
{
    return ask_many(ctx, argv, argc, &bloom_family);
}

COMMAND(cf_exists)
{
    return ask_one(ctx, argv, argc, &cuckoo_family);
}

COMMAND(cf_mexists)
{
    return ask_many(ctx, argv, argc, &cuckoo_family);
}

COMMAND(cf_count)
{
    if (argc != 3) return server.WrongArity(ctx);
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ, &cuckoo_family, &k);
    if (state == KEY_QUARANTINED) return key_refuse(&k, state);
    tamis_span item = argument_span(argv[2]);
    uint64_t count = 0;
    if (state == KEY_FOUND) count = tamis_estimate_count(k.value->filter, item.data, item.size);
    key_close(&k);
    return server.ReplyWithLongLong(ctx, (long long)count);
}
