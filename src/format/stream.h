/* stream.h - an encoding through a pipe: written and read in one pass, in
 * pieces, with little memory (docs/format.md, sections 3 to 6).
 *
 * Writing copies each chunk into a buffer of its own before it is summed and
 * given away, so the checksum fits what was written also while other threads
 * change the body. Reading is in steps: open, header, then the caller judges
 * the shapes and allocates the bodies, then bodies. Compression is recognised
 * when reading; for writing put a packer (transport.h) in front of the sink. */
#ifndef TMS_FORMAT_STREAM_H
#define TMS_FORMAT_STREAM_H

#include <tamis/file.h>

#include "format/envelope.h"

/* ---- writing ------------------------------------------------------------ */

/* How to copy from a body that others may be changing. */
typedef void (*tms_copy)(void *dst, const void *src, size_t size);

/* Lays the envelope out and gives header, bodies and trailer to `sink`, in
 * pieces of at most 1 MiB. `bodies` has one entry a node, NULL where its
 * body_bytes is 0; `copy` may be NULL for memcpy. Both pointers of a copy are
 * multiples of 64 bytes away from the start of their body and buffer, and the
 * size is a multiple of 64. Memory: one chunk and the trailer. */
tamis_status tms_stream_write(tms_envelope *e, const uint8_t *const *bodies, tms_copy copy,
                              const tamis_alloc *alloc, tamis_sink sink, void *ctx);

/* A tamis_sink into memory; TAMIS_E_SPEC when there is no room left. */
typedef struct tms_room {
    uint8_t *bytes;
    size_t size; /* left, from `bytes` on */
} tms_room;
tamis_status tms_room_sink(void *room, const void *bytes, size_t size);

/* ---- reading ------------------------------------------------------------ */

typedef struct tms_reader tms_reader;

/* Begins to read and recognises the transport. A plain encoding is read to
 * its last byte and not beyond; a compressed one is read ahead. */
tamis_status tms_reader_open(tamis_source source, void *ctx, const tamis_alloc *alloc,
                             tms_reader **out);

/* What the input came in. */
tamis_transport tms_reader_transport(const tms_reader *r);

/* Reads and validates the header. Free `*out` with tms_envelope_free and the
 * same allocator. On failure it is all zero. */
tamis_status tms_reader_header(tms_reader *r, tms_envelope *out);

/* Is told of each damaged chunk, in order: its place in the body area. By then
 * all bodies are filled, so what it writes there stays. */
typedef void (*tms_damaged)(void *ctx, uint64_t offset, uint64_t size);

/* Fills the bodies, one a node, NULL where its body_bytes is 0, and verifies
 * them. Without `damaged` the first damage is TAMIS_E_CORRUPT, with a sentence
 * that names the chunk. With it every damaged chunk is reported, its bytes are
 * as they came, and the call goes on. With `salvage`, which needs `damaged`,
 * an input that ends early or cannot be decompressed any further is no error
 * either: the whole body is reported, in one piece, whatever was before. Failures of the
 * source itself always fail. */
tamis_status tms_reader_bodies(tms_reader *r, const tms_envelope *e, uint8_t *const *bodies,
                               bool salvage, tms_damaged damaged, void *damaged_ctx);

/* For inputs of known length: TAMIS_E_CORRUPT if anything follows. */
tamis_status tms_reader_end(tms_reader *r);

/* Frees the reader at any stage; NULL does nothing. The source stays open. */
void tms_reader_close(tms_reader *r);

/* A tamis_source from memory. */
typedef struct tms_bytes {
    const uint8_t *bytes;
    size_t size; /* left, from `bytes` on */
} tms_bytes;
tamis_status tms_bytes_source(void *from, void *bytes, size_t room, size_t *size);

#endif
