/* portable.h - the portable bytes of Roaring bitmaps: judged, and written in
 * the one form that a set has.
 *
 * A set of 64-bit integers is the number of high words that occur, as 64 bits,
 * and for each of them, ascending, the high word (32 bits) and the set of its
 * low words as a 32-bit bitmap. A 32-bit bitmap is a list of chunks of 2^16
 * values: sorted values, bits, or runs, whichever was taken (docs/format.md,
 * section 9). Everything is little-endian.
 *
 * The Roaring library trusts what it reads and writes a set in forms that
 * depend on how it came about. So bytes go through `check` before it sees them,
 * and what it writes goes through `write`, which chooses the smallest form of
 * every chunk: equal sets are equal bytes.                                  */
#ifndef TMS_KINDS_PORTABLE_H
#define TMS_KINDS_PORTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/status.h>

/* ---- judging untrusted bytes -------------------------------------------- */

typedef struct tms_portable_extent {
    uint64_t bytes;  /* that the bitmap takes from the beginning */
    uint64_t values; /* that it holds */
} tms_portable_extent;

/* Judges the 64-bit bitmap at the beginning of `size` bytes: TAMIS_E_TRUNCATED
 * when it ends early, TAMIS_E_CORRUPT for everything that is not a set in
 * ascending order. Cost: one pass. Allocates nothing. */
tamis_status tms_portable_check(const uint8_t *bytes, uint64_t size, tms_portable_extent *out);

/* ---- walking judged bytes ----------------------------------------------- */

typedef struct tms_portable_walk {
    const uint8_t *at;
    uint64_t left; /* high words to come */
    uint32_t high;
    const uint8_t *bitmap; /* 32-bit, of this high word */
    size_t bitmap_bytes;
} tms_portable_walk;

tms_portable_walk tms_portable_begin(const uint8_t *bytes);

/* The next high word; false at the end. */
bool tms_portable_next(tms_portable_walk *walk);

/* ---- the one form ------------------------------------------------------- */

enum { TMS_PORTABLE_HEAD = 8, TMS_PORTABLE_HIGH = 4 }; /* bytes of the count and of a high word */

/* Bytes of a judged 32-bit bitmap in its smallest form. */
size_t tms_portable_measure(const uint8_t *bitmap);

/* Writes that form to `out`; returns its bytes, which are tms_portable_measure. */
size_t tms_portable_write(const uint8_t *bitmap, uint8_t *out);

#endif
