/* bloom_commands.c - BF.RESERVE, ADD, MADD and INSERT.                      */
#include <stdio.h>

#include "commands.h"
#include "insert.h"
#include "memory.h"
#include "reply.h"
#include "settings.h"

#define BLOOM_FULL "ERR non scaling filter is full"
#define BLOOM_NO_LAYER "ERR problem inserting into filter"
#define BLOOM_NO_MEMORY "ERR Insufficient memory to create filter"
#define BLOOM_NOT_CREATED "ERR could not create filter"

/* ---- making -------------------------------------------------------------- */

static tamis_redisbloom_bloom bloom_defaults(void)
{
    return (tamis_redisbloom_bloom){
        .error_rate = settings.bf_error_rate,
        .capacity = (uint64_t)settings.bf_initial_size,
        .expansion = (uint32_t)settings.bf_expansion_factor,
        .nonscaling = settings.bf_expansion_factor == 0,
    };
}

static double bloom_rate_within_bounds(RedisModuleCtx *ctx, double rate)
{
    if (rate <= ERROR_RATE_MOST) return rate;
    server.Log(ctx, "warning", "error rate %f is lowered to %f", rate, ERROR_RATE_MOST);
    return ERROR_RATE_MOST;
}

/* NULL: made and in its key. Otherwise the words of the refusal. */
static const char *bloom_make(open_key *k, const tamis_redisbloom_bloom *spec)
{
    tamis_filter *filter;
    tamis_status status = tamis_redisbloom_create_bloom(spec, &memory_host, &filter);
    if (status == TAMIS_E_NOMEM || status == TAMIS_E_LIMIT) return BLOOM_NO_MEMORY;
    if (status != TAMIS_OK) return BLOOM_NOT_CREATED;
    key_fill(k, &bloom_family, filter);
    key_changed(k, "bf.reserve", 0);
    return NULL;
}

/* The words after the capacity. NULL: understood, `spec` has them. */
static const char *reserve_options(RedisModuleString **argv, int argc, tamis_redisbloom_bloom *spec)
{
    long long expansion;
    bool nonscaling = argument_find(argv, argc, 4, "NONSCALING");
    int at = argument_find(argv, argc, 4, "EXPANSION");
    if (at) {
        if (at + 1 == argc) return "ERR no expansion";
        if (server.StringToLongLong(argv[at + 1], &expansion) != API_OK) return "ERR bad expansion";
        if (expansion < 0 || expansion > EXPANSION_MOST)
            return "ERR expansion must be in the range [0, 32768]";
        if (nonscaling && expansion) return "Nonscaling filters cannot expand";
        spec->expansion = (uint32_t)expansion;
        spec->nonscaling = expansion == 0;
    }
    if (nonscaling) spec->nonscaling = true;
    return NULL;
}

static const char *reserve_arguments(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                                     tamis_redisbloom_bloom *spec)
{
    long long capacity;
    if (!argument_rate(argv[2], &spec->error_rate)) return "ERR bad error rate";
    if (spec->error_rate <= 0 || spec->error_rate >= 1)
        return "ERR error rate must be in the range (0.000000, 1.000000)";
    spec->error_rate = bloom_rate_within_bounds(ctx, spec->error_rate);
    if (server.StringToLongLong(argv[3], &capacity) != API_OK) return "ERR bad capacity";
    if (capacity < 1 || capacity > CAPACITY_MOST)
        return "ERR capacity must be in the range [1, 1073741824]";
    spec->capacity = (uint64_t)capacity;
    return reserve_options(argv, argc, spec);
}

COMMAND(bf_reserve)
{
    if (argc < 4 || argc > 7) return server.WrongArity(ctx);
    tamis_redisbloom_bloom spec = bloom_defaults();
    const char *refusal = reserve_arguments(ctx, argv, argc, &spec);
    if (refusal) return server.ReplyWithError(ctx, refusal);
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ | KEY_WRITE, &bloom_family, &k);
    if (state != KEY_MISSING) return key_refuse(&k, state);
    refusal = bloom_make(&k, &spec);
    key_close(&k);
    if (refusal) return server.ReplyWithError(ctx, refusal);
    server.ReplicateVerbatim(ctx);
    return reply_ok(ctx);
}

/* ---- adding -------------------------------------------------------------- */

static int reply_added(RedisModuleCtx *ctx, int8_t result)
{
    if (result == TAMIS_REDISBLOOM_FULL) return server.ReplyWithError(ctx, BLOOM_FULL);
    if (result == TAMIS_REDISBLOOM_NO_MEMORY) return server.ReplyWithError(ctx, BLOOM_NO_LAYER);
    return reply_bool(ctx, result == TAMIS_REDISBLOOM_ADDED);
}

/* The array ends with the first item that found the filter full. */
static void reply_all_added(RedisModuleCtx *ctx, const insertion *in)
{
    size_t tried = 0;
    while (tried < in->count && in->results[tried] != TAMIS_REDISBLOOM_FULL) tried++;
    if (tried < in->count) tried++;
    server.ReplyWithArray(ctx, (long)tried);
    for (size_t i = 0; i < tried; i++) reply_added(ctx, in->results[i]);
}

static void replicate_with_parameters(const open_key *k, const insertion *in,
                                      const tamis_redisbloom_bloom *made)
{
    char rate[32];
    snprintf(rate, sizeof rate, "%.17g", made->error_rate);
    RedisModuleString **added = insert_added(in);
    long long capacity = (long long)made->capacity, expansion = (long long)made->expansion;
    if (made->nonscaling)
        server.Replicate(k->ctx, "BF.INSERT", "sccclclccv", k->name, "ERROR", rate, "CAPACITY",
                         capacity, "EXPANSION", expansion, "NONSCALING", "ITEMS", added, in->added);
    else
        server.Replicate(k->ctx, "BF.INSERT", "sccclclcv", k->name, "ERROR", rate, "CAPACITY",
                         capacity, "EXPANSION", expansion, "ITEMS", added, in->added);
    server.Free(added);
}

static void replicate_added(const open_key *k, const insertion *in)
{
    if (!in->refused) {
        server.ReplicateVerbatim(k->ctx);
        return;
    }
    RedisModuleString **added = insert_added(in);
    server.Replicate(k->ctx, "BF.MADD", "sv", k->name, added, in->added);
    server.Free(added);
}

/* What ADD, MADD and INSERT have in common. `spec` is for a key that is missing;
 * NULL: it must be there. */
static int bloom_add(RedisModuleCtx *ctx, RedisModuleString *name, RedisModuleString **items,
                     size_t count, const tamis_redisbloom_bloom *spec, bool many)
{
    open_key k;
    key_state state = key_open(ctx, name, KEY_READ | KEY_WRITE, &bloom_family, &k);
    bool create = state == KEY_MISSING && spec;
    if (state != KEY_FOUND && !create) return key_refuse(&k, state);
    const char *refusal = create ? bloom_make(&k, spec) : NULL;
    if (refusal) {
        key_close(&k);
        return server.ReplyWithError(ctx, refusal);
    }
    insertion in;
    insert_begin(&in, &k, items, count, true);
    if (in.added) key_changed(&k, "bf.add", (int64_t)in.added);
    if (create)
        replicate_with_parameters(&k, &in, spec);
    else if (in.added)
        replicate_added(&k, &in);
    if (many)
        reply_all_added(ctx, &in);
    else
        reply_added(ctx, in.results[0]);
    insert_end(&in);
    key_close(&k);
    return API_OK;
}

COMMAND(bf_add)
{
    if (argc != 3) return server.WrongArity(ctx);
    tamis_redisbloom_bloom spec = bloom_defaults();
    return bloom_add(ctx, argv[1], argv + 2, 1, &spec, false);
}

COMMAND(bf_madd)
{
    if (argc < 3) return server.WrongArity(ctx);
    tamis_redisbloom_bloom spec = bloom_defaults();
    return bloom_add(ctx, argv[1], argv + 2, (size_t)argc - 2, &spec, true);
}

/* ---- BF.INSERT ----------------------------------------------------------- */

typedef struct insert_words {
    tamis_redisbloom_bloom spec;
    bool nocreate;
    int items; /* place of the first item; 0: there is none */
    const char *refusal;
} insert_words;

/* An option with a value, which stands at argv[at]. */
static void insert_value(RedisModuleCtx *ctx, insert_words *w, char word, RedisModuleString *value)
{
    long long number = 0;
    double rate;
    if (word == 'c') {
        if (!argument_integer(value, 1, CAPACITY_MOST, &number)) w->refusal = "Bad capacity";
        w->spec.capacity = (uint64_t)number;
    } else if (word == 'x') {
        if (!argument_integer(value, 0, EXPANSION_MOST, &number)) w->refusal = "Bad expansion";
        w->spec.expansion = (uint32_t)number;
    } else {
        if (!argument_rate(value, &rate) || rate <= 0 || rate >= 1) {
            w->refusal = "Bad error rate";
            return;
        }
        w->spec.error_rate = bloom_rate_within_bounds(ctx, rate);
    }
}

/* Words are told apart by their letters, as the peer does: i(tems), c(apacity),
 * er(ror), e(xpansion), noc(reate), n(onscaling). 0: none of them. */
static char insert_word(const RedisModuleString *argument)
{
    char first = argument_letter(argument, 0);
    if (first == 'e') return argument_letter(argument, 1) == 'r' ? 'r' : 'x';
    if (first == 'n') return argument_letter(argument, 2) == 'c' ? 'n' : 's';
    return first == 'i' || first == 'c' ? first : 0;
}

/* False: the number of words is wrong. */
static bool insert_parse(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, insert_words *w)
{
    bool nonscaling = false;
    for (int at = 2; at < argc && !w->refusal; at++) {
        char word = insert_word(argv[at]);
        if (word == 'i') {
            w->items = at + 1;
            break;
        }
        if (word == 'n')
            w->nocreate = true;
        else if (word == 's')
            nonscaling = true;
        else if (!word)
            w->refusal = "Unknown argument received";
        else if (++at == argc)
            return false;
        else
            insert_value(ctx, w, word, argv[at]);
    }
    w->spec.nonscaling = nonscaling || w->spec.expansion == 0;
    return w->refusal || (w->items && w->items < argc);
}

COMMAND(bf_insert)
{
    if (argc < 4) return server.WrongArity(ctx);
    insert_words w = {.spec = bloom_defaults()};
    if (!insert_parse(ctx, argv, argc, &w)) return server.WrongArity(ctx);
    if (w.refusal) return server.ReplyWithError(ctx, w.refusal);
    return bloom_add(ctx, argv[1], argv + w.items, (size_t)(argc - w.items),
                     w.nocreate ? NULL : &w.spec, true);
}
