/* cuckoo_commands.c - CF.RESERVE, ADD, ADDNX, INSERT, INSERTNX, DEL, COMPACT. */
#include "commands.h"
#include "compaction.h"
#include "insert.h"
#include "memory.h"
#include "reply.h"
#include "settings.h"

/* ---- making -------------------------------------------------------------- */

static tamis_redisbloom_cuckoo cuckoo_defaults(void)
{
    return (tamis_redisbloom_cuckoo){
        .capacity = (uint64_t)settings.cf_initial_size,
        .bucket_size = (uint16_t)settings.cf_bucket_size,
        .max_iterations = (uint16_t)settings.cf_max_iterations,
        .expansion = (uint16_t)settings.cf_expansion_factor,
    };
}

/* NULL: made and in its key. Otherwise the words of the refusal. */
static const char *cuckoo_make(open_key *k, const tamis_redisbloom_cuckoo *spec)
{
    tamis_filter *filter;
    tamis_status status = tamis_redisbloom_create_cuckoo(spec, &memory_host, &filter);
    if (status == TAMIS_E_NOMEM || status == TAMIS_E_LIMIT)
        return "ERR Insufficient memory to create filter";
    if (status != TAMIS_OK) return "ERR Could not create filter";
    key_fill(k, &cuckoo_family, filter);
    key_changed(k, "cf.reserve", 0);
    return NULL;
}

/* Finds `word` and reads the number after it. NULL: it is not there, or it is and
 * `*number` has it; otherwise one of the two refusals. */
static const char *reserve_option(RedisModuleString **argv, int argc, const char *const words[3],
                                  long long least, long long most, uint16_t *number)
{
    long long given;
    int at = argument_find(argv, argc, 3, words[0]);
    if (!at) return NULL;
    if (at + 1 == argc || server.StringToLongLong(argv[at + 1], &given) != API_OK) return words[1];
    if (given < least || given > most) return words[2];
    *number = (uint16_t)given;
    return NULL;
}

static const char *reserve_arguments(RedisModuleString **argv, int argc,
                                     tamis_redisbloom_cuckoo *spec)
{
    static const char *const iterations[] = {
        "MAXITERATIONS", "Couldn't parse MAXITERATIONS",
        "MAXITERATIONS: value must be in the range [1, 65535]"};
    static const char *const bucket[] = {"BUCKETSIZE", "Couldn't parse BUCKETSIZE",
                                         "BUCKETSIZE: value must be in the range [1, 255]"};
    static const char *const expansion[] = {"EXPANSION", "Couldn't parse EXPANSION",
                                            "EXPANSION: value must be in the range [0, 32768]"};
    long long capacity;
    if (server.StringToLongLong(argv[2], &capacity) != API_OK) return "Bad capacity";
    const char *refusal = reserve_option(argv, argc, iterations, 1, 65535, &spec->max_iterations);
    if (!refusal) refusal = reserve_option(argv, argc, bucket, 1, 255, &spec->bucket_size);
    if (!refusal)
        refusal = reserve_option(argv, argc, expansion, 0, EXPANSION_MOST, &spec->expansion);
    if (refusal) return refusal;
    if (capacity < 2 * spec->bucket_size || capacity > CAPACITY_MOST)
        return "Capacity must be in the range [2 * BUCKETSIZE, 1073741824]";
    spec->capacity = (uint64_t)capacity;
    return NULL;
}

COMMAND(cf_reserve)
{
    if (argc < 3 || argc % 2 == 0) return server.WrongArity(ctx);
    tamis_redisbloom_cuckoo spec = cuckoo_defaults();
    const char *refusal = reserve_arguments(argv, argc, &spec);
    if (refusal) return server.ReplyWithError(ctx, refusal);
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ | KEY_WRITE, &cuckoo_family, &k);
    if (state != KEY_MISSING) return key_refuse(&k, state);
    refusal = cuckoo_make(&k, &spec);
    key_close(&k);
    if (refusal) return server.ReplyWithError(ctx, refusal);
    server.ReplicateVerbatim(ctx);
    return reply_ok(ctx);
}

/* ---- adding -------------------------------------------------------------- */

typedef struct adding {
    RedisModuleString **items;
    size_t count;
    const tamis_redisbloom_cuckoo *spec; /* for a missing key; NULL: it must be there */
    bool only_absent;
    bool many;
} adding;

static int reply_added(RedisModuleCtx *ctx, int8_t result)
{
    if (result == TAMIS_REDISBLOOM_FULL) return server.ReplyWithError(ctx, "Filter is full");
    if (result == TAMIS_REDISBLOOM_NO_MEMORY)
        return server.ReplyWithError(ctx, "ERR Insufficient memory");
    return reply_bool(ctx, result == TAMIS_REDISBLOOM_ADDED);
}

/* INSERT is boolean in RESP3, INSERTNX has three answers in both protocols. */
static void reply_all_added(RedisModuleCtx *ctx, const insertion *in, bool only_absent)
{
    bool boolean = !only_absent && reply_is_resp3(ctx);
    server.ReplyWithArray(ctx, (long)in->count);
    for (size_t i = 0; i < in->count; i++) {
        int8_t result = in->results[i];
        if (boolean)
            reply_bool(ctx, result == TAMIS_REDISBLOOM_ADDED);
        else
            server.ReplyWithLongLong(ctx, result < 0 ? -1 : result);
    }
}

static void replicate_making(const open_key *k, const tamis_redisbloom_cuckoo *made)
{
    server.Replicate(k->ctx, "CF.RESERVE", "slclclcl", k->name, (long long)made->capacity,
                     "BUCKETSIZE", (long long)made->bucket_size, "MAXITERATIONS",
                     (long long)made->max_iterations, "EXPANSION", (long long)made->expansion);
}

static void replicate_added(const open_key *k, const insertion *in)
{
    if (!in->refused) {
        server.ReplicateVerbatim(k->ctx);
        return;
    }
    RedisModuleString **added = insert_added(in);
    server.Replicate(k->ctx, "CF.INSERT", "scv", k->name, "ITEMS", added, in->added);
    server.Free(added);
}

/* The peer looks at the number of sub-filters before it looks for a free slot. A
 * replica takes what its primary took. */
static bool cuckoo_may_not_grow(const open_key *k)
{
    return (long long)k->value->layers >= settings.cf_max_expansions &&
           !(server.GetContextFlags(k->ctx) & (CONTEXT_REPLICATED | CONTEXT_LOADING));
}

static void cuckoo_insert(open_key *k, const adding *a, bool created)
{
    insertion in;
    insert_begin(&in, k, a->items, a->count, a->only_absent);
    if (in.added) key_changed(k, "cf.add", (int64_t)in.added);
    if (created) replicate_making(k, a->spec);
    if (in.added) replicate_added(k, &in);
    if (a->many)
        reply_all_added(k->ctx, &in, a->only_absent);
    else
        reply_added(k->ctx, in.results[0]);
    insert_end(&in);
}

static int cuckoo_add(RedisModuleCtx *ctx, RedisModuleString *name, const adding *a)
{
    open_key k;
    key_state state = key_open(ctx, name, KEY_READ | KEY_WRITE, &cuckoo_family, &k);
    bool create = state == KEY_MISSING && a->spec;
    if (state != KEY_FOUND && !create) return key_refuse(&k, state);
    const char *refusal = create ? cuckoo_make(&k, a->spec) : NULL;
    if (!refusal && !create && cuckoo_may_not_grow(&k)) refusal = "Maximum expansions reached";
    if (refusal)
        server.ReplyWithError(ctx, refusal);
    else
        cuckoo_insert(&k, a, create);
    key_close(&k);
    return API_OK;
}

static int cuckoo_add_one(RedisModuleCtx *ctx, RedisModuleString **argv, int argc, bool only_absent)
{
    if (argc != 3) return server.WrongArity(ctx);
    if (compaction_wait(ctx, argv, argc, only_absent ? cf_addnx : cf_add)) return API_OK;
    tamis_redisbloom_cuckoo spec = cuckoo_defaults();
    adding a = {argv + 2, 1, &spec, only_absent, false};
    return cuckoo_add(ctx, argv[1], &a);
}

COMMAND(cf_add)
{
    return cuckoo_add_one(ctx, argv, argc, false);
}

COMMAND(cf_addnx)
{
    return cuckoo_add_one(ctx, argv, argc, true);
}

/* Words are told apart by their first letter, as the peer does. NULL: understood,
 * and *items is the place of the first one, 0 when there is none. */
static const char *insert_words(RedisModuleString **argv, int argc, tamis_redisbloom_cuckoo *spec,
                                bool *nocreate, int *items)
{
    long long capacity;
    *items = 0;
    for (int at = 2; at < argc; at++) {
        char word = argument_letter(argv[at], 0);
        if (word == 'i') {
            *items = at + 1 < argc ? at + 1 : 0;
            return NULL;
        }
        if (word == 'n') {
            *nocreate = true;
            continue;
        }
        if (word != 'c') return "Unknown argument received";
        if (++at == argc) return NULL;
        if (server.StringToLongLong(argv[at], &capacity) != API_OK) return "Bad capacity";
        if (capacity < 2 * spec->bucket_size || capacity > CAPACITY_MOST)
            return "Capacity must be in the range [cf-bucket-size * 2, 1073741824]";
        spec->capacity = (uint64_t)capacity;
    }
    return NULL;
}

static int cuckoo_add_many(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                           bool only_absent)
{
    if (argc < 4) return server.WrongArity(ctx);
    if (compaction_wait(ctx, argv, argc, only_absent ? cf_insertnx : cf_insert)) return API_OK;
    tamis_redisbloom_cuckoo spec = cuckoo_defaults();
    bool nocreate = false;
    int items;
    const char *refusal = insert_words(argv, argc, &spec, &nocreate, &items);
    if (refusal) return server.ReplyWithError(ctx, refusal);
    if (!items) return server.WrongArity(ctx);
    adding a = {argv + items, (size_t)(argc - items), nocreate ? NULL : &spec, only_absent, true};
    return cuckoo_add(ctx, argv[1], &a);
}

COMMAND(cf_insert)
{
    return cuckoo_add_many(ctx, argv, argc, false);
}

COMMAND(cf_insertnx)
{
    return cuckoo_add_many(ctx, argv, argc, true);
}

/* ---- taking away --------------------------------------------------------- */

COMMAND(cf_del)
{
    if (argc != 3) return server.WrongArity(ctx);
    if (compaction_wait(ctx, argv, argc, cf_del)) return API_OK;
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ | KEY_WRITE, &cuckoo_family, &k);
    if (state == KEY_QUARANTINED || state == KEY_MOVED) return key_refuse(&k, state);
    if (state != KEY_FOUND) {
        key_close(&k);
        return server.ReplyWithError(ctx, "Not found");
    }
    tamis_span item = argument_span(argv[2]);
    bool gone = tamis_remove(k.value->filter, item.data, item.size) == TAMIS_OK;
    if (gone) {
        key_changed(&k, "cf.del", -1);
        server.ReplicateVerbatim(ctx);
        compaction_continue(&k);
    }
    key_close(&k);
    return reply_bool(ctx, gone);
}

/* Marked as reading by the peer, so the server does not keep it from a replica
 * that takes no writes: that is up to us. */
static bool is_write_to_replica(RedisModuleCtx *ctx)
{
    int flags = server.GetContextFlags(ctx);
    return (flags & CONTEXT_READONLY) && !(flags & (CONTEXT_REPLICATED | CONTEXT_LOADING));
}

COMMAND(cf_compact)
{
    if (argc != 2) return server.WrongArity(ctx);
    if (is_write_to_replica(ctx))
        return server.ReplyWithError(ctx, "READONLY You can't write against a read only replica.");
    if (compaction_wait(ctx, argv, argc, cf_compact)) return API_OK;
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ | KEY_WRITE, &cuckoo_family, &k);
    if (state == KEY_QUARANTINED || state == KEY_MOVED) return key_refuse(&k, state);
    if (state != KEY_FOUND) {
        key_close(&k);
        return server.ReplyWithError(ctx, "Cuckoo filter was not found");
    }
    tamis_redisbloom_facts facts;
    tamis_redisbloom_facts_of(k.value->filter, &facts);
    bool can_change = facts.filters > 1 || facts.deletes > 0;
    if (can_change && tamis_redisbloom_compact_begin(k.value->filter) == TAMIS_OK) {
        key_changed(&k, "cf.compact", 0);
        server.ReplicateVerbatim(ctx);
        compaction_continue(&k);
    }
    key_close(&k);
    return reply_ok(ctx);
}
