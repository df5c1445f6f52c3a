/* portable_parts.h - a 32-bit bitmap as a list of chunks, for portable.c, which
 * judges it, and portable_write.c, which writes it anew.
 *
 * A chunk's form follows from two facts: its bit among the run flags, and its
 * cardinality. Sizes and constants are those of the Roaring format.         */
#ifndef TMS_KINDS_PORTABLE_PARTS_H
#define TMS_KINDS_PORTABLE_PARTS_H

#include "base/endian.h"
#include "kinds/portable.h"

enum {
    PORTABLE_COOKIE = 12347,       /* with run flags; the high half is the number of chunks - 1 */
    PORTABLE_COOKIE_PLAIN = 12346, /* without; the number of chunks follows in 32 bits */
    PORTABLE_CHUNKS_MOST = 65536,
    PORTABLE_ARRAY_MOST = 4096, /* values; above, bits take less */
    PORTABLE_OFFSETS_FROM = 4,  /* chunks: with run flags, fewer have no offsets */
    PORTABLE_BITS_BYTES = 8192,
    PORTABLE_WORDS = PORTABLE_BITS_BYTES / 8
};

typedef enum portable_form { PORTABLE_ARRAY, PORTABLE_BITS, PORTABLE_RUNS } portable_form;

typedef struct portable_head {
    uint32_t chunks;
    const uint8_t *flags;   /* a bit a chunk, least first; NULL: no runs */
    const uint8_t *keys;    /* per chunk: high half of its values, cardinality - 1 */
    const uint8_t *offsets; /* per chunk, from the beginning; NULL: none */
    uint64_t bytes;         /* of everything before the first chunk's data */
} portable_head;

typedef struct portable_chunk {
    uint16_t key;
    uint32_t cardinality; /* 1 to 65536 */
    portable_form form;
    uint32_t runs;       /* of a run chunk */
    const uint8_t *data; /* behind the number of runs */
} portable_chunk;

/* The head of a bitmap of at most `size` bytes; TAMIS_E_TRUNCATED, TAMIS_E_CORRUPT. */
tamis_status tms_portable_read_head(const uint8_t *bitmap, uint64_t size, portable_head *head);

static inline uint64_t portable_head_bytes(uint32_t chunks, bool has_runs)
{
    if (!has_runs) return 8 + 8 * (uint64_t)chunks;
    return 4 + (chunks + 7) / 8 + (chunks < PORTABLE_OFFSETS_FROM ? 4 : 8) * (uint64_t)chunks;
}

/* Bytes of a chunk's data, the number of runs included. */
static inline uint32_t portable_form_bytes(portable_form form, uint32_t cardinality, uint32_t runs)
{
    if (form == PORTABLE_RUNS) return 2 + 4 * runs;
    return form == PORTABLE_BITS ? PORTABLE_BITS_BYTES : 2 * cardinality;
}

static inline portable_form portable_plain_form(uint32_t cardinality)
{
    return cardinality <= PORTABLE_ARRAY_MOST ? PORTABLE_ARRAY : PORTABLE_BITS;
}

/* Chunk `index`, whose data lies at `data`; `runs` is not read yet. */
static inline portable_chunk portable_chunk_at(const portable_head *head, uint32_t index,
                                               const uint8_t *data)
{
    portable_chunk chunk = {.key = tms_load16(head->keys + 4 * (size_t)index),
                            .cardinality = tms_load16(head->keys + 4 * (size_t)index + 2) + 1u,
                            .data = data};
    bool runs = head->flags && head->flags[index / 8] >> index % 8 & 1;
    chunk.form = runs ? PORTABLE_RUNS : portable_plain_form(chunk.cardinality);
    return chunk;
}

/* The number of runs, which stands before them. */
static inline void portable_chunk_read_runs(portable_chunk *chunk)
{
    if (chunk->form != PORTABLE_RUNS) return;
    chunk->runs = tms_load16(chunk->data);
    chunk->data += 2;
}

#endif
