/* transport.h - the same bytes inside a zstd frame or a gzip member
 * (docs/format.md, section 6).
 *
 * A packer is a sink that compresses into another sink, an unpacker a source
 * that decompresses from another source. Both hold a fixed amount of memory,
 * all of it from the caller's allocator, that of the compression libraries
 * included. What the bytes mean is stream.h's business; one file a codec
 * knows the libraries.                                                      */
#ifndef TMS_FORMAT_TRANSPORT_H
#define TMS_FORMAT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/alloc.h>
#include <tamis/file.h>
#include <tamis/status.h>

enum { TMS_RECOGNISE_BYTES = 8 };

/* The transport of an encoding by its first bytes; TMS_RECOGNISE_BYTES of them
 * are enough. TAMIS_PLAIN when they are of no other, so also for garbage. */
tamis_transport tms_transport_recognise(const uint8_t *first, size_t size);

/* "plain", "zstd" or "gzip". */
const char *tms_transport_name(tamis_transport transport);

/* TAMIS_OK if this library can use the transport; TAMIS_E_UNAVAILABLE, or
 * TAMIS_E_SPEC for a number that is none. */
tamis_status tms_transport_check(uint32_t transport);

/* ---- compressing -------------------------------------------------------- */

typedef struct tms_packer tms_packer;

/* A packer into `sink`; TAMIS_PLAIN hands everything through. Level 0 is the
 * default (1 for zstd, 6 for gzip), otherwise 1 to 19 (zstd) or 1 to 9 (gzip).
 * Memory: 1.1 MB with the default level, up to 3.5 MB with the highest. */
tamis_status tms_packer_open(uint32_t transport, int32_t level, const tamis_alloc *alloc,
                             tamis_sink sink, void *ctx, tms_packer **out);

/* A tamis_sink. */
tamis_status tms_packer_sink(void *packer, const void *bytes, size_t size);

/* Writes what is held back and the end of the frame. Once, before close. */
tamis_status tms_packer_finish(tms_packer *packer);

/* Frees the packer at any stage; NULL does nothing. */
void tms_packer_close(tms_packer *packer);

/* ---- decompressing ------------------------------------------------------ */

typedef struct tms_unpacker tms_unpacker;

/* An unpacker of TAMIS_ZSTD or TAMIS_GZIP. Memory: at most 9 MB, which the
 * frame's own window decides; 0.1 MB for gzip. */
tamis_status tms_unpacker_open(uint32_t transport, const tamis_alloc *alloc, tamis_source source,
                               void *ctx, tms_unpacker **out);

/* A tamis_source. 0 bytes means that the frame has ended well; an end of the
 * input before that is TAMIS_E_TRUNCATED. On failure `*size` counts the bytes
 * that came before the fault. */
tamis_status tms_unpacker_source(void *unpacker, void *bytes, size_t room, size_t *size);

/* After the end of the frame: TAMIS_E_CORRUPT if anything follows it. */
tamis_status tms_unpacker_end(tms_unpacker *unpacker);

/* Frees the unpacker at any stage; NULL does nothing. */
void tms_unpacker_close(tms_unpacker *unpacker);

/* ---- for the codecs (transport_zstd.c, transport_gzip.c) ---------------- */

/* Bytes on their way: a codec takes from `in`, puts to `out`, and moves the
 * pointers and sizes on. */
typedef struct tms_flow {
    const uint8_t *in;
    size_t in_size;
    uint8_t *out;
    size_t out_size;
} tms_flow;

typedef struct tms_codec {
    int32_t level_most;
    tamis_status (*pack_begin)(const tamis_alloc *, int32_t level, void **state);
    /* Makes what progress it can. `*done` only with `finish`: all is out. */
    tamis_status (*pack)(void *state, tms_flow *, bool finish, bool *done);
    void (*pack_end)(const tamis_alloc *, void *state);
    tamis_status (*unpack_begin)(const tamis_alloc *, void **state);
    /* Makes what progress it can. `*done`: the frame is complete. */
    tamis_status (*unpack)(void *state, tms_flow *, bool *done);
    void (*unpack_end)(const tamis_alloc *, void *state);
} tms_codec;

/* NULL when the library was built without it. */
const tms_codec *tms_codec_zstd(void);
const tms_codec *tms_codec_gzip(void);

/* Memory for libraries that do not say the size when they give it back. */
void *tms_sized_alloc(const tamis_alloc *alloc, size_t size);
void tms_sized_free(const tamis_alloc *alloc, void *memory);

#endif
