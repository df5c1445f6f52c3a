/* bloom_info.c - BF.CARD, BF.INFO and BF.DEBUG.                             */
#include <stdio.h>

#include "arguments.h"
#include "commands.h"
#include "open_key.h"
#include "reply.h"

COMMAND(bf_card)
{
    if (argc != 2) return server.WrongArity(ctx);
    open_key k;
    tamis_redisbloom_facts facts = {0};
    key_state state = key_open(ctx, argv[1], KEY_READ, &bloom_family, &k);
    if (state != KEY_FOUND && state != KEY_MISSING) return key_refuse(&k, state);
    if (state == KEY_FOUND) tamis_redisbloom_facts_of(k.value->filter, &facts);
    key_close(&k);
    return server.ReplyWithLongLong(ctx, (long long)facts.items);
}

enum { INFO_CAPACITY, INFO_SIZE, INFO_FILTERS, INFO_ITEMS, INFO_EXPANSION, INFO_FIELDS };

static const struct {
    const char *word; /* after the key */
    const char *name; /* in the reply */
} info_fields[INFO_FIELDS] = {
    [INFO_CAPACITY] = {"CAPACITY", "Capacity"},
    [INFO_SIZE] = {"SIZE", "Size"},
    [INFO_FILTERS] = {"FILTERS", "Number of filters"},
    [INFO_ITEMS] = {"ITEMS", "Number of items inserted"},
    [INFO_EXPANSION] = {"EXPANSION", "Expansion rate"},
};

static void reply_info_value(RedisModuleCtx *ctx, int field, const tamis_redisbloom_facts *facts)
{
    const uint64_t values[INFO_FIELDS] = {facts->capacity, facts->size, facts->filters,
                                          facts->items, facts->expansion};
    if (field == INFO_EXPANSION && !facts->scales)
        server.ReplyWithNull(ctx);
    else
        server.ReplyWithLongLong(ctx, (long long)values[field]);
}

static void reply_info(RedisModuleCtx *ctx, const tamis_redisbloom_facts *facts)
{
    reply_map(ctx, INFO_FIELDS);
    for (int i = 0; i < INFO_FIELDS; i++) {
        server.ReplyWithSimpleString(ctx, info_fields[i].name);
        reply_info_value(ctx, i, facts);
    }
}

static void reply_info_field(RedisModuleCtx *ctx, int field, const tamis_redisbloom_facts *facts)
{
    if (reply_is_resp3(ctx)) {
        reply_map(ctx, 1);
        server.ReplyWithSimpleString(ctx, info_fields[field].name);
    } else {
        server.ReplyWithArray(ctx, 1);
    }
    reply_info_value(ctx, field, facts);
}

COMMAND(bf_info)
{
    if (argc < 2 || argc > 3) return server.WrongArity(ctx);
    open_key k;
    tamis_redisbloom_facts facts;
    key_state state = key_open(ctx, argv[1], KEY_READ, &bloom_family, &k);
    if (state != KEY_FOUND) return key_refuse(&k, state);
    tamis_redisbloom_facts_of(k.value->filter, &facts);
    key_close(&k);
    if (argc == 2) {
        reply_info(ctx, &facts);
        return API_OK;
    }
    int field = 0;
    while (field < INFO_FIELDS && !argument_find(argv, argc, 2, info_fields[field].word)) field++;
    if (field == INFO_FIELDS) return server.ReplyWithError(ctx, "Invalid information value");
    reply_info_field(ctx, field, &facts);
    return API_OK;
}

static void reply_layer(RedisModuleCtx *ctx, const tamis_redisbloom_layer *layer)
{
    char text[192];
    snprintf(text, sizeof text,
             "bytes:%llu bits:%llu hashes:%u hashwidth:%u capacity:%llu size:%llu ratio:%g",
             (unsigned long long)layer->bytes, (unsigned long long)layer->bits, layer->hashes,
             layer->hash_width, (unsigned long long)layer->capacity,
             (unsigned long long)layer->items, layer->error);
    reply_text(ctx, text);
}

COMMAND(bf_debug)
{
    if (argc != 2) return server.WrongArity(ctx);
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ, &bloom_family, &k);
    if (state != KEY_FOUND) return key_refuse(&k, state);
    tamis_redisbloom_facts facts;
    tamis_redisbloom_facts_of(k.value->filter, &facts);
    char text[32];
    snprintf(text, sizeof text, "size:%llu", (unsigned long long)facts.items);
    server.ReplyWithArray(ctx, (long)facts.filters + 1);
    reply_text(ctx, text);
    for (uint32_t i = 0; i < facts.filters; i++) {
        tamis_redisbloom_layer layer = {0};
        tamis_redisbloom_layer_of(k.value->filter, i, &layer);
        reply_layer(ctx, &layer);
    }
    key_close(&k);
    return API_OK;
}
