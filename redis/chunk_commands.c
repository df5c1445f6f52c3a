/* chunk_commands.c - SCANDUMP and LOADCHUNK of both families.
 *
 * A filter in pieces: a header, which has the number 1, and then its arrays, each
 * piece numbered by the place after its last byte.                          */
#include "arguments.h"
#include "commands.h"
#include "compaction.h"
#include "memory.h"
#include "open_key.h"
#include "reply.h"
#include "settings.h"

/* ---- giving -------------------------------------------------------------- */

static void reply_header(RedisModuleCtx *ctx, const tamis_filter *filter)
{
    size_t size = tamis_redisbloom_header_size(filter);
    char *header = server.Alloc(size);
    tamis_redisbloom_header(filter, header);
    server.ReplyWithArray(ctx, 2);
    server.ReplyWithLongLong(ctx, 1);
    server.ReplyWithStringBuffer(ctx, header, size);
    server.Free(header);
}

/* False: `iter` is past the end. */
static bool reply_chunk(RedisModuleCtx *ctx, const tamis_filter *filter, long long iter)
{
    tamis_redisbloom_chunk chunk = {0};
    if (iter >= 1) tamis_redisbloom_chunk_at(filter, iter, &chunk);
    if (chunk.next == 0) return false;
    server.ReplyWithArray(ctx, 2);
    server.ReplyWithLongLong(ctx, (long long)chunk.next);
    server.ReplyWithStringBuffer(ctx, chunk.bytes, chunk.size);
    return true;
}

COMMAND(bf_scandump)
{
    if (argc != 3) return server.WrongArity(ctx);
    long long iter;
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ, &bloom_family, &k);
    if (state != KEY_FOUND) return key_refuse(&k, state);
    if (server.StringToLongLong(argv[2], &iter) != API_OK) {
        server.ReplyWithError(ctx, "Second argument must be numeric");
    } else if (iter == 0) {
        reply_header(ctx, k.value->filter);
    } else if (!reply_chunk(ctx, k.value->filter, iter)) {
        server.ReplyWithArray(ctx, 2);
        server.ReplyWithLongLong(ctx, 0);
        reply_text(ctx, "");
    }
    key_close(&k);
    return API_OK;
}

COMMAND(cf_scandump)
{
    if (argc != 3) return server.WrongArity(ctx);
    if (compaction_wait(ctx, argv, argc, cf_scandump)) return API_OK;
    long long iter;
    if (!argument_integer(argv[2], 0, INT64_MAX, &iter))
        return server.ReplyWithError(ctx, "Invalid position");
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ, &cuckoo_family, &k);
    if (state != KEY_FOUND) return key_refuse(&k, state);
    tamis_redisbloom_facts facts;
    value_settle(k.value);
    tamis_redisbloom_facts_of(k.value->filter, &facts);
    if (facts.items && iter == 0) {
        reply_header(ctx, k.value->filter);
    } else if (!facts.items || !reply_chunk(ctx, k.value->filter, iter)) {
        server.ReplyWithArray(ctx, 2);
        server.ReplyWithLongLong(ctx, 0);
        server.ReplyWithNull(ctx);
    }
    key_close(&k);
    return API_OK;
}

/* ---- taking -------------------------------------------------------------- */

/* A cuckoo header names sub-filters by a number: 38 bytes may ask for 65535 of
 * them, which take milliseconds to make and to ask. 1024 are more than any use
 * has, and a server whose filters may grow beyond takes those as well. */
static uint32_t header_filters_most(const family *f)
{
    const long long usual = 1024, most = settings.cf_max_expansions;
    if (f != &cuckoo_family || !memory_is_judged()) return 0;
    return (uint32_t)(most > usual ? most : usual);
}

/* Makes the filter of a header. Judged by the library before it asks for memory. */
static tamis_status load_header(open_key *k, family *f, const RedisModuleString *data)
{
    tamis_filter *filter;
    tamis_span bytes = argument_span(data);
    memory_host.max_filters = header_filters_most(f);
    tamis_status status =
        tamis_redisbloom_from_header(f->kind, bytes.data, bytes.size, &memory_host, &filter);
    memory_host.max_filters = 0;
    if (status != TAMIS_OK) return status;
    key_fill(k, f, filter);
    return TAMIS_OK;
}

static tamis_status load_chunk(open_key *k, long long iter, const RedisModuleString *data)
{
    tamis_span bytes = argument_span(data);
    return tamis_redisbloom_put_chunk(k->value->filter, iter, bytes.data, bytes.size);
}

static bool is_memory(tamis_status status)
{
    return status == TAMIS_E_NOMEM || status == TAMIS_E_LIMIT;
}

static int reply_loaded(open_key *k, const char *event, const char *refusal)
{
    if (!refusal) {
        key_changed(k, event, 0);
        server.ReplicateVerbatim(k->ctx);
    }
    key_close(k);
    return refusal ? server.ReplyWithError(k->ctx, refusal) : reply_ok(k->ctx);
}

COMMAND(bf_loadchunk)
{
    if (argc != 4) return server.WrongArity(ctx);
    long long iter;
    if (server.StringToLongLong(argv[2], &iter) != API_OK)
        return server.ReplyWithError(ctx, "ERR Second argument must be numeric");
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ | KEY_WRITE, &bloom_family, &k);
    bool create = state == KEY_MISSING && iter == 1;
    if (state != KEY_FOUND && !create) return key_refuse(&k, state);
    tamis_status status =
        create ? load_header(&k, &bloom_family, argv[3]) : load_chunk(&k, iter, argv[3]);
    const char *refusal = NULL;
    if (status != TAMIS_OK && create)
        refusal = is_memory(status) ? "ERR Insufficient memory to create filter"
                                    : "ERR received bad data";
    else if (status == TAMIS_E_MISMATCH)
        refusal = "ERR invalid chunk - Too big for current filter";
    else if (status != TAMIS_OK)
        refusal = "ERR invalid offset - no link found";
    return reply_loaded(&k, "bf.loadchunk", refusal);
}

enum { CUCKOO_HEADER = 38 };

COMMAND(cf_loadchunk)
{
    if (argc != 4) return server.WrongArity(ctx);
    if (compaction_wait(ctx, argv, argc, cf_loadchunk)) return API_OK;
    long long iter;
    if (!argument_integer(argv[2], 1, INT64_MAX, &iter))
        return server.ReplyWithError(ctx, "Invalid position");
    open_key k;
    key_state state = key_open(ctx, argv[1], KEY_READ | KEY_WRITE, &cuckoo_family, &k);
    bool create = iter == 1;
    if (state != (create ? KEY_MISSING : KEY_FOUND)) return key_refuse(&k, state);
    const char *refusal = NULL;
    if (create && argument_span(argv[3]).size != CUCKOO_HEADER)
        refusal = "Invalid header";
    else if (create && load_header(&k, &cuckoo_family, argv[3]) != TAMIS_OK)
        refusal = "Couldn't create filter!";
    else if (!create && load_chunk(&k, iter, argv[3]) != TAMIS_OK)
        refusal = "Couldn't load chunk!";
    return reply_loaded(&k, "cf.loadchunk", refusal);
}
