/* family.c - what the server asks of a data type: saving, loading, rewriting,
 * copying, measuring, moving.                                               */
#include "family.h"

#include <stdbool.h>
#include <string.h>

#include "memory.h"
#include "pages.h"
#include "settings.h"
#include "value.h"

family bloom_family = {"MBbloom--", TAMIS_KIND_REDISBLOOM, "BF.LOADCHUNK", NULL};
family cuckoo_family = {"MBbloomCF", TAMIS_KIND_REDISBLOOM_CUCKOO, "CF.LOADCHUNK", NULL};

/* ---- saving and loading -------------------------------------------------- */

static tamis_status put_unsigned(void *io, uint64_t number)
{
    server.SaveUnsigned(io, number);
    return TAMIS_OK;
}

static tamis_status put_double(void *io, double number)
{
    server.SaveDouble(io, number);
    return TAMIS_OK;
}

static tamis_status put_bytes(void *io, const void *bytes, size_t size)
{
    server.SaveStringBuffer(io, bytes, size);
    return TAMIS_OK;
}

static void type_save(RedisModuleIO *io, void *data)
{
    key_value *v = data;
    tamis_redisbloom_writer writer = {io, put_unsigned, put_double, put_bytes};
    value_settle(v); /* in the child of a save as well: it works on its own copy */
    if (v->filter)
        (void)tamis_redisbloom_save(v->filter, &writer);
    else
        (void)tamis_redisbloom_quarantine_save(v->kept, &writer);
}

static tamis_status get_unsigned(void *io, uint64_t *number)
{
    *number = server.LoadUnsigned(io);
    return server.IsIOError(io) ? TAMIS_E_IO : TAMIS_OK;
}

static tamis_status get_double(void *io, double *number)
{
    *number = server.LoadDouble(io);
    return server.IsIOError(io) ? TAMIS_E_IO : TAMIS_OK;
}

static tamis_status get_bytes(void *io, void **bytes, size_t *size)
{
    *bytes = server.LoadStringBuffer(io, size);
    if (server.IsIOError(io) || !*bytes) return TAMIS_E_IO;
    pages_watch(*bytes, *size);
    return TAMIS_OK;
}

/* RESTORE must be refused; what lies in a file or comes from a primary is kept. */
static bool loads_a_data_set(RedisModuleIO *io)
{
    int flags = server.GetContextFlags(server.GetContextFromIO(io));
    return flags & (CONTEXT_LOADING | CONTEXT_ASYNC_LOADING);
}

static void log_quarantine(RedisModuleIO *io)
{
    size_t size = 0;
    const RedisModuleString *key = server.GetKeyNameFromIO(io);
    const char *name = key ? server.StringPtrLen(key, &size) : "";
    server.LogIOError(io, "warning",
                      "the filter of key '%.*s' is quarantined, and kept as it was saved: %s",
                      size > 128 ? 128 : (int)size, name, tamis_explain());
}

static void *type_load(family *f, RedisModuleIO *io, int encver)
{
    tamis_redisbloom_reader reader = {io, get_unsigned, get_double, get_bytes};
    tamis_redisbloom_old_cuckoo old = {(uint16_t)settings.cf_bucket_size,
                                       (uint16_t)settings.cf_max_iterations,
                                       (uint16_t)settings.cf_expansion_factor};
    bool keep = loads_a_data_set(io);
    tamis_filter *filter = NULL;
    tamis_redisbloom_quarantine *kept = NULL;
    memory_on_behalf_of(NULL, 0);
    tamis_status status = tamis_redisbloom_load(f->kind, encver, &reader, &old, &memory_host,
                                                &filter, keep ? &kept : NULL);
    if (status == TAMIS_OK) return value_make(f, filter, NULL);
    if (kept) {
        log_quarantine(io);
        return value_make(f, NULL, kept);
    }
    server.LogIOError(io, "warning", "a filter could not be loaded: %s", tamis_explain());
    return NULL;
}

static void *bloom_load(RedisModuleIO *io, int encver)
{
    return type_load(&bloom_family, io, encver);
}

static void *cuckoo_load(RedisModuleIO *io, int encver)
{
    return type_load(&cuckoo_family, io, encver);
}

/* ---- the append-only file ------------------------------------------------ */

/* A payload in the making, for RESTORE. */
typedef struct payload {
    char *bytes;
    size_t size, room;
} payload;

static tamis_status payload_add(void *ctx, const void *bytes, size_t size)
{
    payload *p = ctx;
    if (size > p->room - p->size) {
        p->room = 2 * (p->size + size);
        p->bytes = server.Realloc(p->bytes, p->room);
    }
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
    return TAMIS_OK;
}

/* RDB version 9: RESTORE of Redis 6.2 takes it, and so does everything after. */
enum { PAYLOAD_VERSION = 9 };

static void rewrite_as_restore(RedisModuleIO *aof, RedisModuleString *key, const key_value *v)
{
    payload p = {NULL, 0, 0};
    tamis_status status =
        tamis_redisbloom_quarantine_dump(v->kept, PAYLOAD_VERSION, payload_add, &p);
    if (status == TAMIS_OK) server.EmitAOF(aof, "RESTORE", "slb", key, 0LL, p.bytes, p.size);
    server.Free(p.bytes);
}

static void rewrite_as_chunks(RedisModuleIO *aof, RedisModuleString *key, const key_value *v)
{
    size_t size = tamis_redisbloom_header_size(v->filter);
    char *header = server.Alloc(size);
    tamis_redisbloom_header(v->filter, header);
    server.EmitAOF(aof, v->family->loadchunk, "slb", key, 1LL, header, size);
    server.Free(header);
    tamis_redisbloom_chunk chunk;
    for (int64_t at = 1;; at = chunk.next) {
        tamis_redisbloom_chunk_at(v->filter, at, &chunk);
        if (chunk.next == 0) return;
        server.EmitAOF(aof, v->family->loadchunk, "slb", key, (long long)chunk.next,
                       (const char *)chunk.bytes, chunk.size);
    }
}

static void type_rewrite(RedisModuleIO *aof, RedisModuleString *key, void *data)
{
    key_value *v = data;
    value_settle(v);
    if (v->filter)
        rewrite_as_chunks(aof, key, v);
    else
        rewrite_as_restore(aof, key, v);
}

/* ---- the rest ------------------------------------------------------------ */

/* What it really takes; Size of BF.INFO is what it takes in the peer. */
static size_t type_memory(const void *data)
{
    const key_value *v = data;
    uint64_t inside = v->filter ? tamis_redisbloom_memory(v->filter)
                                : tamis_redisbloom_quarantine_memory(v->kept);
    return sizeof *v + (size_t)inside;
}

static tamis_status digest_unsigned(void *digest, uint64_t number)
{
    server.DigestAddLongLong(digest, (long long)number);
    return TAMIS_OK;
}

static tamis_status digest_double(void *digest, double number)
{
    server.DigestAddStringBuffer(digest, (const char *)&number, sizeof number);
    return TAMIS_OK;
}

static tamis_status digest_bytes(void *digest, const void *bytes, size_t size)
{
    server.DigestAddStringBuffer(digest, bytes, size);
    return TAMIS_OK;
}

static void type_digest(RedisModuleDigest *digest, void *data)
{
    key_value *v = data;
    tamis_redisbloom_writer writer = {digest, digest_unsigned, digest_double, digest_bytes};
    value_settle(v);
    if (v->filter)
        digest_unsigned(digest, tamis_redisbloom_digest(v->filter));
    else
        (void)tamis_redisbloom_quarantine_save(v->kept, &writer);
    server.DigestEndSequence(digest);
}

/* The server frees in another thread from 64 on: 64 pages of 4 KiB. */
static size_t type_free_effort(RedisModuleString *key, const void *data)
{
    const key_value *v = data;
    (void)key;
    return (size_t)(v->bytes / 4096) + v->layers;
}

static void *type_copy(RedisModuleString *from, RedisModuleString *to, const void *data)
{
    key_value *v = (key_value *)data; /* the copy is of the settled filter */
    (void)from;
    (void)to;
    tamis_filter *copy = NULL;
    tamis_redisbloom_quarantine *kept = NULL;
    value_settle(v);
    memory_on_behalf_of_copy();
    tamis_status status = v->filter ? tamis_clone(v->filter, &copy)
                                    : tamis_redisbloom_quarantine_clone(v->kept, &kept);
    memory_on_behalf_of(NULL, 0);
    return status == TAMIS_OK ? value_make(v->family, copy, kept) : NULL;
}

static void *type_move(void *ctx, void *memory, size_t size)
{
    (void)size;
    return server.DefragAlloc(ctx, memory);
}

/* The cursor is the array to offer next; a large filter is moved in turns. */
static int type_defrag(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **data)
{
    (void)key;
    unsigned long at = 0;
    if (server.DefragCursorGet(ctx, &at) != API_OK) at = 0;
    if (at == 0) {
        void *moved = server.DefragAlloc(ctx, *data);
        if (moved) *data = moved;
    }
    key_value *v = *data;
    if (!v->filter) return 0;
    while (tamis_redisbloom_defrag(v->filter, (uint32_t)at, type_move, ctx)) {
        at++;
        if (server.DefragShouldStop(ctx) && server.DefragCursorSet(ctx, at) == API_OK) return 1;
    }
    return 0;
}

static int family_create(RedisModuleCtx *ctx, family *f, void *(*load)(RedisModuleIO *, int))
{
    RedisModuleTypeMethods methods = {
        .version = TYPE_METHODS_VERSION,
        .rdb_load = load,
        .rdb_save = type_save,
        .aof_rewrite = type_rewrite,
        .mem_usage = type_memory,
        .digest = type_digest,
        .free = value_free,
        .free_effort = type_free_effort,
        .copy = type_copy,
        .defrag = type_defrag,
    };
    f->type = server.CreateDataType(ctx, f->type_name, TAMIS_REDISBLOOM_ENCVER, &methods);
    return f->type ? API_OK : API_ERR;
}

int family_register(RedisModuleCtx *ctx)
{
    if (family_create(ctx, &bloom_family, bloom_load) != API_OK) return API_ERR;
    return family_create(ctx, &cuckoo_family, cuckoo_load);
}
