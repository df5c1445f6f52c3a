/* dleft_kernel.h - d-left hashing with counted remainders.
 *
 * Four subtables of equally many buckets; a bucket is half a cache line of
 * cells, a cell a remainder of a few bits and a counter of two (0: free).
 * A digest h gives one fingerprint, a bucket b and a remainder r:
 *
 *      b = high half of h * buckets
 *      r = (h * 0x9E3779B97F4A7C15) >> (64 - remainder_bits)
 *
 * and four places, the same remainder in bucket b + turn(i, r) of subtable i,
 * modulo the number of buckets. A turn depends on the remainder alone, so each
 * place is a permutation of the fingerprints: two keys that share a cell in one
 * subtable have the same fingerprint and share it in all. So a cell belongs to
 * one fingerprint, and taking a key away is exact.
 *
 * No remainder is 0 or all ones: those that would be are the next to it. So a
 * free cell, which is all 0, matches none. A bucket of ones, as damage leaves
 * it, is full of cells that every remainder matches and nothing moves: keys
 * that may lie there get "maybe".
 *
 * A key whose fingerprint has a cell counts it up; other keys take a cell of
 * the least loaded of their four buckets, the leftmost of equals. A cell counts
 * to three; further occurrences take a further cell.                        */
#ifndef TMS_KERNEL_DLEFT_KERNEL_H
#define TMS_KERNEL_DLEFT_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/status.h>

#include "kernel/run.h"

enum {
    TMS_DLEFT_TABLES = 4,
    TMS_DLEFT_BUCKET = 32, /* bytes */
    TMS_DLEFT_COUNTER = 2, /* bits */
    TMS_DLEFT_MOST = 3,    /* of one cell */
    TMS_DLEFT_REMAINDER_LEAST = 4,
    TMS_DLEFT_REMAINDER_MOST = 40,
    TMS_DLEFT_CELLS_MOST = 8 * TMS_DLEFT_BUCKET / (TMS_DLEFT_REMAINDER_LEAST + TMS_DLEFT_COUNTER)
};

/* Where cell j of a bucket lies: in the 8 bytes from `byte` on, `shift` bits up.
 * The groups are the same eight by eight and sixteen by sixteen, for vectors
 * (dleft_avx2.c, dleft_avx512.c). */
typedef struct tms_dleft_table {
    uint8_t *buckets;
    uint64_t bucket_count; /* of one subtable */
    uint32_t remainder_bits, cells;
    uint64_t remainder_mask, cell_mask;
    uint8_t byte[TMS_DLEFT_CELLS_MOST], shift[TMS_DLEFT_CELLS_MOST];
    struct {
        uint8_t from[2];     /* where the 16 bytes of each half begin */
        uint8_t shuffle[32]; /* four bytes to each cell's lane */
        uint32_t shift[8];
    } groups[(TMS_DLEFT_CELLS_MOST + 7) / 8];
    struct {
        uint8_t bytes[64]; /* four of the bucket to each cell's lane; past it: zeros */
        uint32_t shift[16];
    } sixteens[(TMS_DLEFT_CELLS_MOST + 15) / 16];
} tms_dleft_table;

/* Cells of a bucket, for remainders of so many bits. */
static inline uint32_t tms_dleft_cells(uint64_t remainder_bits)
{
    return (uint32_t)(8 * TMS_DLEFT_BUCKET / (remainder_bits + TMS_DLEFT_COUNTER));
}

void tms_dleft_table_init(tms_dleft_table *t, uint8_t *body, uint64_t buckets,
                          uint32_t remainder_bits);

/* The fingerprint of a digest, and the four buckets it may lie in. */
typedef struct tms_dleft_place {
    uint64_t remainder;
    uint8_t *bucket[TMS_DLEFT_TABLES];
} tms_dleft_place;

tms_dleft_place tms_dleft_find(const tms_dleft_table *t, uint64_t digest);

/* The cell's remainder and, above it, its counter. */
uint64_t tms_dleft_cell(const tms_dleft_table *t, const uint8_t *bucket, unsigned cell);

typedef struct tms_dleft_kernel {
    const char *name;
    bool (*may_contain)(const tms_dleft_table *, uint64_t digest);
    /* Bare TAMIS_E_FULL when no bucket has a free cell, TAMIS_E_ABSENT when no
     * cell is the key's; nothing has changed then. */
    tamis_status (*add)(const tms_dleft_table *, uint64_t digest, bool *was_new);
    tamis_status (*remove)(const tms_dleft_table *, uint64_t digest);
    uint64_t (*count)(const tms_dleft_table *, uint64_t digest);
    size_t (*may_contain_many)(const tms_dleft_table *, const tms_run *, bool *answers);
    /* Stops at the first key that finds no place; returns how many were added. */
    size_t (*add_many)(const tms_dleft_table *, const tms_run *, bool *was_new);
} tms_dleft_kernel;

/* The fastest table of loops for these remainders; chosen by the processor. */
const tms_dleft_kernel *tms_dleft_kernel_for(uint32_t remainder_bits);

/* Every one that can work them, plain C first: NULL past the last. */
const tms_dleft_kernel *tms_dleft_kernel_number(uint32_t remainder_bits, unsigned index);

void tms_dleft_fetch(const tms_dleft_table *t, uint64_t digest);

extern const tms_dleft_kernel tms_dleft_plain, tms_dleft_avx2, tms_dleft_avx512;

#endif
