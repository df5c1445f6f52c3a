/* envelope.h - the header of the native file: what a filter is, without its
 * bits (docs/format.md, sections 2 and 3).
 *
 * An envelope describes a tree of filters in pre-order. It is filled by a
 * caller and laid out, or read from untrusted bytes and judged; both ways end
 * in the same derived sizes and pass the same checks, so that what is written
 * can be read. It knows no kind: the meaning of kinds and parameters is for
 * the storeys above to judge. Checksums of the body are in chunks.h.        */
#ifndef TMS_FORMAT_ENVELOPE_H
#define TMS_FORMAT_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/alloc.h>
#include <tamis/status.h>

#include "format/shape.h"

enum {
    TMS_HEADER_FIRST = 64,    /* bytes needed to learn the header's size */
    TMS_HEADER_LEAST = 256,   /* one node, no metadata */
    TMS_HEADER_MOST = 589952, /* all nodes, all metadata */
    TMS_NODES_MOST = 4096,
    TMS_DEPTH_MOST = 8,        /* levels of the tree, the root being one of them */
    TMS_METADATA_MOST = 65536, /* bytes */
    TMS_HASH_NAME_BYTES = 48,  /* with at least one 0 at the end */
    TMS_CHUNK_LEAST = 1 << 12, /* bytes; writers begin at 1 << 16 */
    TMS_CHUNK_FIRST = 1 << 16,
    TMS_CHUNK_MOST = 1 << 20,
    TMS_CHUNKS_WANTED = 1 << 16 /* more chunks than that make them larger */
};

#define TMS_BODY_MOST (UINT64_C(1) << 56) /* bytes of all bodies together */

typedef struct tms_node {
    tms_shape shape;
    uint32_t children;
    bool count_is_estimate;
    uint64_t added;
    uint64_t body_offset; /* in the body area; derived */
} tms_node;

typedef struct tms_envelope {
    uint32_t hash;
    char hash_name[TMS_HASH_NAME_BYTES];
    uint64_t seed, fingerprint;
    uint32_t node_count;
    tms_node *nodes;
    const uint8_t *metadata; /* NULL when there is none */
    uint32_t metadata_bytes;

    /* Derived by layout or read. A caller's chunk_bytes other than 0 stays: a
     * power of two from TMS_CHUNK_LEAST to TMS_CHUNK_MOST. */
    uint64_t chunk_bytes;
    uint64_t header_bytes, body_bytes, chunk_count, trailer_bytes, file_bytes;
    uint64_t header_sum;    /* by write or read */
    uint64_t journal_bytes; /* by tms_journal_find; 0: no journal counts */
} tms_envelope;

/* Checks nodes and metadata as the caller filled them in and computes the
 * derived fields, except header_sum. The hash need not be known yet. TAMIS_E_LIMIT
 * with a sentence when the format has no room for it. */
tamis_status tms_envelope_layout(tms_envelope *e);

/* Writes the header_bytes bytes of a laid-out envelope and sets header_sum.
 * Hash and name must be set: a name of 1 to 47 printable characters, no space. */
void tms_envelope_write(tms_envelope *e, uint8_t *header);

/* Judges magic, version and header size from the first bytes of an encoding:
 * TMS_HEADER_FIRST of them, or all when there are fewer, which is an error. */
tamis_status tms_envelope_peek(const uint8_t *first, size_t size, uint64_t *header_bytes);

/* Reads a header from `size` untrusted bytes, which may go on after it.
 * Everything is validated but the kinds and the hash. On success `*out` owns
 * its nodes and metadata; on failure it is all zero. */
tamis_status tms_envelope_read(const uint8_t *bytes, size_t size, const tamis_alloc *alloc,
                               tms_envelope *out);

/* Frees what tms_envelope_read allocated, and clears the envelope. */
void tms_envelope_free(const tamis_alloc *alloc, tms_envelope *e);

/* Compares the true length of a plain encoding with the announced one:
 * TAMIS_E_TRUNCATED when shorter, TAMIS_E_CORRUPT when longer. */
tamis_status tms_envelope_fits(const tms_envelope *e, uint64_t file_bytes);

/* Writes the checksum into the last 8 bytes of a complete header and returns
 * it. For tests and fuzzers, which change headers behind the checksum's back. */
uint64_t tms_envelope_seal(uint8_t *header, size_t header_bytes);

#endif
