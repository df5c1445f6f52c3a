/* transport.c - see transport.h: the plumbing that all codecs share.        */
#include "format/transport.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

enum { TRANSPORT_BUFFER = 1 << 16 };

static const uint8_t transport_zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};
static const uint8_t transport_gzip_magic[2] = {0x1f, 0x8b};

tamis_transport tms_transport_recognise(const uint8_t *first, size_t size)
{
    if (size >= sizeof transport_zstd_magic &&
        memcmp(first, transport_zstd_magic, sizeof transport_zstd_magic) == 0)
        return TAMIS_ZSTD;
    if (size >= sizeof transport_gzip_magic &&
        memcmp(first, transport_gzip_magic, sizeof transport_gzip_magic) == 0)
        return TAMIS_GZIP;
    return TAMIS_PLAIN;
}

const char *tms_transport_name(tamis_transport transport)
{
    switch (transport) {
    case TAMIS_PLAIN: return "plain";
    case TAMIS_ZSTD: return "zstd";
    case TAMIS_GZIP: return "gzip";
    }
    return "unknown";
}

static const tms_codec *transport_codec(uint32_t transport)
{
    switch (transport) {
    case TAMIS_ZSTD: return tms_codec_zstd();
    case TAMIS_GZIP: return tms_codec_gzip();
    default: return NULL;
    }
}

tamis_status tms_transport_check(uint32_t transport)
{
    if (transport > TAMIS_GZIP)
        return tms_fail(TAMIS_E_SPEC, "transport %u does not exist; 0 plain, 1 zstd, 2 gzip do",
                        (unsigned)transport);
    if (transport != TAMIS_PLAIN && !transport_codec(transport))
        return tms_fail(TAMIS_E_UNAVAILABLE,
                        "this library was built without %s; use a plain file, or build it with "
                        "that library present",
                        tms_transport_name((tamis_transport)transport));
    return TAMIS_OK;
}

/* ---- memory with its size in front -------------------------------------- */

/* A whole line, so that what follows keeps its alignment. */
enum { TRANSPORT_PREFIX = TMS_LINE };

void *tms_sized_alloc(const tamis_alloc *alloc, size_t size)
{
    if (size > SIZE_MAX - TRANSPORT_PREFIX) return NULL;
    const size_t whole = size + TRANSPORT_PREFIX;
    uint8_t *memory = tms_alloc(alloc, whole);
    if (!memory) return NULL;
    memcpy(memory, &whole, sizeof whole);
    return memory + TRANSPORT_PREFIX;
}

void tms_sized_free(const tamis_alloc *alloc, void *memory)
{
    if (!memory) return;
    uint8_t *start = (uint8_t *)memory - TRANSPORT_PREFIX;
    size_t whole;
    memcpy(&whole, start, sizeof whole);
    tms_free(alloc, start, whole);
}

/* ---- compressing -------------------------------------------------------- */

struct tms_packer {
    tamis_alloc alloc;
    const tms_codec *codec; /* NULL: plain */
    void *state;
    tamis_sink sink;
    void *ctx;
    uint8_t buffer[TRANSPORT_BUFFER];
};

static tamis_status transport_check_level(uint32_t transport, int32_t level)
{
    const tms_codec *codec = transport_codec(transport);
    if (codec && (level < 0 || level > codec->level_most))
        return tms_fail(TAMIS_E_SPEC, "%s has no level %d; 0 (the default) to %d are possible",
                        tms_transport_name((tamis_transport)transport), (int)level,
                        (int)codec->level_most);
    return TAMIS_OK;
}

tamis_status tms_packer_open(uint32_t transport, int32_t level, const tamis_alloc *alloc,
                             tamis_sink sink, void *ctx, tms_packer **out)
{
    *out = NULL;
    TMS_TRY(tms_transport_check(transport));
    TMS_TRY(transport_check_level(transport, level));
    tms_packer *p = tms_alloc(alloc, sizeof *p);
    if (!p) return tms_fail_memory("a compressor", sizeof *p);
    if (alloc) p->alloc = *alloc;
    p->sink = sink;
    p->ctx = ctx;
    p->codec = transport_codec(transport);
    /* The codec keeps the allocator, so it gets the copy that lives as long. */
    const tamis_status status =
        p->codec ? p->codec->pack_begin(&p->alloc, level, &p->state) : TAMIS_OK;
    if (status != TAMIS_OK) {
        tms_free(alloc, p, sizeof *p);
        return status;
    }
    *out = p;
    return TAMIS_OK;
}

/* Compresses `in` until it is used up or, to finish, until all is out. */
static tamis_status packer_push(tms_packer *p, const void *bytes, size_t size, bool finish)
{
    tms_flow flow = {.in = bytes, .in_size = size};
    bool done = false;
    while (finish ? !done : flow.in_size > 0) {
        flow.out = p->buffer;
        flow.out_size = sizeof p->buffer;
        TMS_TRY(p->codec->pack(p->state, &flow, finish, &done));
        const size_t filled = sizeof p->buffer - flow.out_size;
        if (filled > 0) TMS_TRY(p->sink(p->ctx, p->buffer, filled));
    }
    return TAMIS_OK;
}

tamis_status tms_packer_sink(void *packer, const void *bytes, size_t size)
{
    tms_packer *p = packer;
    if (!p->codec) return p->sink(p->ctx, bytes, size);
    return packer_push(p, bytes, size, false);
}

tamis_status tms_packer_finish(tms_packer *p)
{
    return p->codec ? packer_push(p, NULL, 0, true) : TAMIS_OK;
}

void tms_packer_close(tms_packer *p)
{
    if (!p) return;
    if (p->codec) p->codec->pack_end(&p->alloc, p->state);
    const tamis_alloc alloc = p->alloc;
    tms_free(&alloc, p, sizeof *p);
}

/* ---- decompressing ------------------------------------------------------ */

struct tms_unpacker {
    tamis_alloc alloc;
    const tms_codec *codec;
    void *state;
    tamis_source source;
    void *ctx;
    tms_flow flow;       /* its `in` lies in the buffer */
    bool done;           /* the frame is complete */
    tamis_status failed; /* a broken frame stays broken */
    uint8_t buffer[TRANSPORT_BUFFER];
};

tamis_status tms_unpacker_open(uint32_t transport, const tamis_alloc *alloc, tamis_source source,
                               void *ctx, tms_unpacker **out)
{
    *out = NULL;
    TMS_TRY(tms_transport_check(transport));
    tms_unpacker *u = tms_alloc(alloc, sizeof *u);
    if (!u) return tms_fail_memory("a decompressor", sizeof *u);
    if (alloc) u->alloc = *alloc;
    u->source = source;
    u->ctx = ctx;
    u->codec = transport_codec(transport);
    const tamis_status status = u->codec->unpack_begin(&u->alloc, &u->state);
    if (status != TAMIS_OK) {
        tms_free(alloc, u, sizeof *u);
        return status;
    }
    *out = u;
    return TAMIS_OK;
}

/* Fetches input when there is none; leaves none at the end of the source. */
static tamis_status unpacker_refill(tms_unpacker *u)
{
    if (u->flow.in_size > 0) return TAMIS_OK;
    size_t size = 0;
    TMS_TRY(u->source(u->ctx, u->buffer, sizeof u->buffer, &size));
    u->flow.in = u->buffer;
    u->flow.in_size = size;
    return TAMIS_OK;
}

/* One step. Without new input a codec may still hold output back, so only a
 * step that got nothing and gave nothing is the end of a broken frame. */
static tamis_status unpacker_step(tms_unpacker *u)
{
    TMS_TRY(unpacker_refill(u));
    const size_t in = u->flow.in_size, out = u->flow.out_size;
    TMS_TRY(u->codec->unpack(u->state, &u->flow, &u->done));
    if (!u->done && in == 0 && u->flow.out_size == out)
        return tms_fail(TAMIS_E_TRUNCATED, "the input ends inside the compressed data");
    return TAMIS_OK;
}

tamis_status tms_unpacker_source(void *unpacker, void *bytes, size_t room, size_t *size)
{
    tms_unpacker *u = unpacker;
    u->flow.out = bytes;
    u->flow.out_size = room;
    while (u->failed == TAMIS_OK && !u->done && u->flow.out_size == room)
        u->failed = unpacker_step(u);
    *size = room - u->flow.out_size;
    return u->failed;
}

tamis_status tms_unpacker_end(tms_unpacker *u)
{
    TMS_TRY(unpacker_refill(u));
    if (u->flow.in_size > 0)
        return tms_fail(TAMIS_E_CORRUPT,
                        "something follows the compressed filter; a file holds one frame");
    return TAMIS_OK;
}

void tms_unpacker_close(tms_unpacker *u)
{
    if (!u) return;
    u->codec->unpack_end(&u->alloc, u->state);
    const tamis_alloc alloc = u->alloc;
    tms_free(&alloc, u, sizeof *u);
}
