/* stream.c - see stream.h.                                                  */
#include "format/stream.h"

#include <assert.h>
#include <string.h>

#include "base/endian.h"
#include "base/fail.h"
#include "base/memory.h"
#include "format/chunks.h"
#include "format/transport.h"

enum { STREAM_PIECE = 1 << 20 }; /* most bytes given to a sink at once */

static void stream_memcpy(void *dst, const void *src, size_t size)
{
    memcpy(dst, src, size);
}

/* ---- the body area as one run of bytes ---------------------------------- */

/* A place in the area: `offset` bytes into the body of `node`. */
typedef struct stream_place {
    uint32_t node;
    uint64_t offset;
} stream_place;

/* The next stretch of at most `most` bytes that lies in one body. */
static size_t stream_stretch(const tms_envelope *e, stream_place *at, size_t most)
{
    while (at->offset == e->nodes[at->node].shape.body_bytes) {
        at->node++;
        at->offset = 0;
    }
    const uint64_t left = e->nodes[at->node].shape.body_bytes - at->offset;
    return left < most ? (size_t)left : most;
}

/* Copies the next `size` bytes of the area out of the bodies. */
static void stream_gather(const tms_envelope *e, const uint8_t *const *bodies, stream_place *at,
                          uint8_t *dst, size_t size, tms_copy copy)
{
    while (size > 0) {
        const size_t stretch = stream_stretch(e, at, size);
        copy(dst, bodies[at->node] + at->offset, stretch);
        at->offset += stretch;
        dst += stretch;
        size -= stretch;
    }
}

/* Copies the next `size` bytes of the area into the bodies. */
static void stream_scatter(const tms_envelope *e, uint8_t *const *bodies, stream_place *at,
                           const uint8_t *src, size_t size)
{
    while (size > 0) {
        const size_t stretch = stream_stretch(e, at, size);
        memcpy(bodies[at->node] + at->offset, src, stretch);
        at->offset += stretch;
        src += stretch;
        size -= stretch;
    }
}

/* ---- working memory of both directions ---------------------------------- */

typedef struct stream_desk {
    uint8_t *chunk;   /* chunk_bytes: the chunk at hand */
    uint8_t *trailer; /* trailer_bytes: the sums as they are made */
} stream_desk;

static void stream_desk_free(const tms_envelope *e, const tamis_alloc *alloc, stream_desk *desk)
{
    tms_free(alloc, desk->chunk, (size_t)e->chunk_bytes);
    tms_free_body(alloc, desk->trailer, e->trailer_bytes);
}

/* The trailer is body memory, which is not touched before it is used: a
 * header may claim a size that its input never reaches. */
static tamis_status stream_desk_make(const tms_envelope *e, const tamis_alloc *alloc,
                                     stream_desk *desk)
{
    desk->chunk = tms_alloc(alloc, (size_t)e->chunk_bytes);
    desk->trailer = tms_alloc_body(alloc, e->trailer_bytes);
    if (desk->chunk && desk->trailer) return TAMIS_OK;
    stream_desk_free(e, alloc, desk);
    return tms_fail_memory("a chunk and its checksums", e->chunk_bytes + e->trailer_bytes);
}

static void stream_desk_sum(const tms_envelope *e, const stream_desk *desk, uint64_t index)
{
    tms_store64(desk->trailer + 8 * index,
                tms_chunk_sum(desk->chunk, tms_chunk_size(e, index), e->header_sum, index));
}

/* ---- writing ------------------------------------------------------------ */

static tamis_status stream_write_header(tms_envelope *e, const tamis_alloc *alloc, tamis_sink sink,
                                        void *ctx)
{
    const size_t size = (size_t)e->header_bytes;
    uint8_t *header = tms_alloc(alloc, size);
    if (!header) return tms_fail_memory("a header", size);
    tms_envelope_write(e, header);
    const tamis_status status = sink(ctx, header, size);
    tms_free(alloc, header, size);
    return status;
}

static tamis_status stream_write_bodies(const tms_envelope *e, const uint8_t *const *bodies,
                                        tms_copy copy, const stream_desk *desk, tamis_sink sink,
                                        void *ctx)
{
    stream_place at = {0, 0};
    for (uint64_t i = 0; i < e->chunk_count; i++) {
        const size_t size = tms_chunk_size(e, i);
        stream_gather(e, bodies, &at, desk->chunk, size, copy);
        stream_desk_sum(e, desk, i);
        TMS_TRY(sink(ctx, desk->chunk, size));
    }
    return TAMIS_OK;
}

static tamis_status stream_write_trailer(const tms_envelope *e, const stream_desk *desk,
                                         tamis_sink sink, void *ctx)
{
    tms_store64(desk->trailer + 8 * e->chunk_count, tms_trailer_sum(e, desk->trailer));
    for (uint64_t at = 0; at < e->trailer_bytes; at += STREAM_PIECE) {
        const uint64_t left = e->trailer_bytes - at;
        TMS_TRY(sink(ctx, desk->trailer + at, left < STREAM_PIECE ? (size_t)left : STREAM_PIECE));
    }
    return TAMIS_OK;
}

tamis_status tms_stream_write(tms_envelope *e, const uint8_t *const *bodies, tms_copy copy,
                              const tamis_alloc *alloc, tamis_sink sink, void *ctx)
{
    TMS_TRY(tms_envelope_layout(e));
    TMS_TRY(stream_write_header(e, alloc, sink, ctx));
    stream_desk desk;
    TMS_TRY(stream_desk_make(e, alloc, &desk));
    tamis_status status =
        stream_write_bodies(e, bodies, copy ? copy : stream_memcpy, &desk, sink, ctx);
    if (status == TAMIS_OK) status = stream_write_trailer(e, &desk, sink, ctx);
    stream_desk_free(e, alloc, &desk);
    return status;
}

tamis_status tms_room_sink(void *room, const void *bytes, size_t size)
{
    tms_room *r = room;
    if (size > r->size)
        return tms_fail(TAMIS_E_SPEC, "the buffer is too small: %zu bytes left, %zu more to write",
                        r->size, size);
    memcpy(r->bytes, bytes, size);
    r->bytes += size;
    r->size -= size;
    return TAMIS_OK;
}

/* ---- reading: the bytes ------------------------------------------------- */

struct tms_reader {
    tamis_alloc alloc;
    tamis_source source;
    void *ctx;
    uint8_t ahead[TMS_RECOGNISE_BYTES]; /* read in order to recognise the transport */
    size_t ahead_at, ahead_size;
    tamis_transport transport;
    tms_unpacker *unpacker; /* NULL: plain */
};

/* The caller's source, guarded: it cannot have given more than it was asked. */
static tamis_status reader_ask(tms_reader *r, void *bytes, size_t room, size_t *size)
{
    *size = 0;
    TMS_TRY(r->source(r->ctx, bytes, room, size));
    if (*size > room)
        return tms_fail(TAMIS_E_IO, "the source says that it gave %zu bytes where %zu were asked",
                        *size, room);
    return TAMIS_OK;
}

/* A tamis_source of the raw input: what was read ahead, then the rest. */
static tamis_status reader_raw(void *reader, void *bytes, size_t room, size_t *size)
{
    tms_reader *r = reader;
    const size_t held = r->ahead_size - r->ahead_at;
    if (held == 0) return reader_ask(r, bytes, room, size);
    *size = held < room ? held : room;
    memcpy(bytes, r->ahead + r->ahead_at, *size);
    r->ahead_at += *size;
    return TAMIS_OK;
}

static tamis_status reader_some(tms_reader *r, void *bytes, size_t room, size_t *size)
{
    if (r->unpacker) return tms_unpacker_source(r->unpacker, bytes, room, size);
    return reader_raw(r, bytes, room, size);
}

/* Reads until `want` bytes are there or the input ends; also on failure *got
 * counts what came. */
static tamis_status reader_fill(tms_reader *r, uint8_t *bytes, size_t want, size_t *got)
{
    *got = 0;
    while (*got < want) {
        size_t size = 0;
        const tamis_status status = reader_some(r, bytes + *got, want - *got, &size);
        if (status == TAMIS_OK && size == 0) return TAMIS_OK;
        *got += size;
        TMS_TRY(status);
    }
    return TAMIS_OK;
}

/* ---- reading: open, header, end ----------------------------------------- */

static tamis_status reader_recognise(tms_reader *r)
{
    size_t got;
    TMS_TRY(reader_fill(r, r->ahead, sizeof r->ahead, &got));
    r->ahead_size = got;
    r->transport = tms_transport_recognise(r->ahead, got);
    if (r->transport == TAMIS_PLAIN) return TAMIS_OK;
    return tms_unpacker_open(r->transport, &r->alloc, reader_raw, r, &r->unpacker);
}

tamis_status tms_reader_open(tamis_source source, void *ctx, const tamis_alloc *alloc,
                             tms_reader **out)
{
    *out = NULL;
    tms_reader *r = tms_alloc(alloc, sizeof *r);
    if (!r) return tms_fail_memory("a reader", sizeof *r);
    if (alloc) r->alloc = *alloc;
    r->source = source;
    r->ctx = ctx;
    const tamis_status status = reader_recognise(r);
    if (status == TAMIS_OK)
        *out = r;
    else
        tms_reader_close(r);
    return status;
}

tamis_transport tms_reader_transport(const tms_reader *r)
{
    return r->transport;
}

/* The whole header, of which `first` has been read and judged. */
static tamis_status reader_header_rest(tms_reader *r, const uint8_t *first, size_t size,
                                       tms_envelope *out)
{
    uint8_t *header = tms_alloc(&r->alloc, size);
    if (!header) return tms_fail_memory("a header", size);
    memcpy(header, first, TMS_HEADER_FIRST);
    size_t got;
    tamis_status status = reader_fill(r, header + TMS_HEADER_FIRST, size - TMS_HEADER_FIRST, &got);
    if (status == TAMIS_OK)
        status = tms_envelope_read(header, TMS_HEADER_FIRST + got, &r->alloc, out);
    tms_free(&r->alloc, header, size);
    return status;
}

tamis_status tms_reader_header(tms_reader *r, tms_envelope *out)
{
    memset(out, 0, sizeof *out);
    uint8_t first[TMS_HEADER_FIRST];
    size_t got;
    TMS_TRY(reader_fill(r, first, sizeof first, &got));
    uint64_t header_bytes = 0;
    TMS_TRY(tms_envelope_peek(first, got, &header_bytes));
    return reader_header_rest(r, first, (size_t)header_bytes, out);
}

/* The contents may not go on, and a frame must be closed by its own rules:
 * only then has its own checksum been compared. */
static tamis_status reader_contents_end(tms_reader *r)
{
    if (!r->unpacker) return TAMIS_OK;
    uint8_t byte;
    size_t got;
    TMS_TRY(reader_fill(r, &byte, 1, &got));
    if (got > 0)
        return tms_fail(TAMIS_E_CORRUPT, "the compressed contents go on where the filter ends");
    return TAMIS_OK;
}

tamis_status tms_reader_end(tms_reader *r)
{
    TMS_TRY(reader_contents_end(r));
    if (r->unpacker) return tms_unpacker_end(r->unpacker);
    uint8_t byte;
    size_t got;
    TMS_TRY(reader_fill(r, &byte, 1, &got));
    if (got > 0) return tms_fail(TAMIS_E_CORRUPT, "something follows the filter");
    return TAMIS_OK;
}

void tms_reader_close(tms_reader *r)
{
    if (!r) return;
    tms_unpacker_close(r->unpacker);
    const tamis_alloc alloc = r->alloc;
    tms_free(&alloc, r, sizeof *r);
}

/* ---- reading: bodies ---------------------------------------------------- */

/* One call of tms_reader_bodies. */
typedef struct reader_task {
    tms_reader *reader;
    const tms_envelope *e;
    bool salvage;
    tms_damaged damaged;
    void *damaged_ctx;
    stream_desk desk;
    bool ended; /* salvaging, and the input has no more */
} reader_task;

static tamis_status reader_damage(const reader_task *t, uint64_t index)
{
    if (!t->damaged) return tms_chunk_fail(t->e, index);
    t->damaged(t->damaged_ctx, index * t->e->chunk_bytes, tms_chunk_size(t->e, index));
    return TAMIS_OK;
}

/* Reads `want` bytes that lie at `offset` of the encoding. When salvaging,
 * fewer bytes, or bytes that cannot be decompressed, mean that the input has
 * ended; otherwise they are an error. */
static tamis_status reader_take(reader_task *t, uint8_t *bytes, size_t want, uint64_t offset,
                                size_t *got)
{
    const tamis_status status = reader_fill(t->reader, bytes, want, got);
    const bool broken = status == TAMIS_E_TRUNCATED || status == TAMIS_E_CORRUPT;
    if (t->salvage && (status == TAMIS_OK || (broken && t->reader->unpacker))) {
        t->ended = *got < want;
        return TAMIS_OK;
    }
    TMS_TRY(status);
    if (*got < want)
        return tms_fail(TAMIS_E_TRUNCATED,
                        "the input ends after %llu bytes, but its header announces %llu",
                        (unsigned long long)(offset + *got), (unsigned long long)t->e->file_bytes);
    return TAMIS_OK;
}

static tamis_status reader_chunks(reader_task *t, uint8_t *const *bodies)
{
    const tms_envelope *e = t->e;
    stream_place at = {0, 0};
    for (uint64_t i = 0; i < e->chunk_count && !t->ended; i++) {
        const uint64_t offset = e->header_bytes + i * e->chunk_bytes;
        size_t got;
        TMS_TRY(reader_take(t, t->desk.chunk, tms_chunk_size(e, i), offset, &got));
        stream_scatter(e, bodies, &at, t->desk.chunk, got);
        stream_desk_sum(e, &t->desk, i);
    }
    return TAMIS_OK;
}

/* Compares the entries [first, first + count) as they came with those on the
 * desk, and lets the desk keep what came. */
static tamis_status reader_compare(reader_task *t, const uint8_t *entries, uint64_t first,
                                   size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint8_t *own = t->desk.trailer + 8 * (first + i);
        if (memcmp(own, entries + 8 * i, 8) != 0) TMS_TRY(reader_damage(t, first + i));
        memcpy(own, entries + 8 * i, 8);
    }
    return TAMIS_OK;
}

/* Reads the table piece by piece, through the chunk's buffer, and compares;
 * `*verified` is the number of entries that were there. */
static tamis_status reader_table(reader_task *t, uint64_t *verified)
{
    const tms_envelope *e = t->e;
    const uint64_t offset = e->header_bytes + e->body_bytes;
    *verified = 0;
    while (*verified < e->chunk_count && !t->ended) {
        const uint64_t left = 8 * (e->chunk_count - *verified);
        const size_t want = left < e->chunk_bytes ? (size_t)left : (size_t)e->chunk_bytes;
        size_t got;
        TMS_TRY(reader_take(t, t->desk.chunk, want, offset + 8 * *verified, &got));
        TMS_TRY(reader_compare(t, t->desk.chunk, *verified, got / 8));
        *verified += got / 8;
    }
    return TAMIS_OK;
}

/* The sum of the table tells whether a journal belongs to the filter: without
 * it nothing can be trusted, since appended keys may be missing. */
static tamis_status reader_table_sum(reader_task *t)
{
    const tms_envelope *e = t->e;
    uint8_t sum[8];
    size_t got;
    TMS_TRY(reader_take(t, sum, sizeof sum, e->file_bytes - sizeof sum, &got));
    if (!t->ended && tms_load64(sum) != tms_trailer_sum(e, t->desk.trailer))
        return tms_trailer_fail(e);
    return t->salvage ? TAMIS_OK : reader_contents_end(t->reader);
}

static tamis_status reader_verify(reader_task *t, uint8_t *const *bodies)
{
    uint64_t verified = 0;
    TMS_TRY(reader_chunks(t, bodies));
    TMS_TRY(reader_table(t, &verified));
    if (!t->ended) TMS_TRY(reader_table_sum(t));
    if (t->ended && t->e->body_bytes) t->damaged(t->damaged_ctx, 0, t->e->body_bytes);
    return TAMIS_OK;
}

tamis_status tms_reader_bodies(tms_reader *r, const tms_envelope *e, uint8_t *const *bodies,
                               bool salvage, tms_damaged damaged, void *damaged_ctx)
{
    assert(!salvage || damaged);
    reader_task task = {
        .reader = r, .e = e, .salvage = salvage, .damaged = damaged, .damaged_ctx = damaged_ctx};
    TMS_TRY(stream_desk_make(e, &r->alloc, &task.desk));
    const tamis_status status = reader_verify(&task, bodies);
    stream_desk_free(e, &r->alloc, &task.desk);
    return status;
}

tamis_status tms_bytes_source(void *from, void *bytes, size_t room, size_t *size)
{
    tms_bytes *b = from;
    *size = b->size < room ? b->size : room;
    if (*size == 0) return TAMIS_OK;
    memcpy(bytes, b->bytes, *size);
    b->bytes += *size;
    b->size -= *size;
    return TAMIS_OK;
}
