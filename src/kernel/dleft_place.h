/* dleft_place.h - the inline parts of the d-left kernels: from a digest to its
 * buckets, and cells in a bucket.                                           */
#ifndef TMS_KERNEL_DLEFT_PLACE_H
#define TMS_KERNEL_DLEFT_PLACE_H

#include <limits.h>

#include "base/bits.h"
#include "base/endian.h"
#include "kernel/dleft_kernel.h"
#include "kernel/tuning.h"

/* How far subtable i turns the buckets for a remainder; the first not at all. */
static inline uint64_t dleft_turn(uint64_t mixed, unsigned table, uint64_t buckets)
{
    static const uint64_t odd[TMS_DLEFT_TABLES] = {0, UINT64_C(0x9E3779B97F4A7C15),
                                                   UINT64_C(0xBF58476D1CE4E5B9),
                                                   UINT64_C(0x94D049BB133111EB)};
    return tms_mulhi(mixed * odd[table], buckets);
}

#define DLEFT_ALWAYS static inline __attribute__((always_inline))

DLEFT_ALWAYS tms_dleft_place dleft_find(const tms_dleft_table *t, uint64_t digest)
{
    const uint64_t buckets = t->bucket_count, first = tms_mulhi(digest, buckets);
    tms_dleft_place place;
    place.remainder = digest * UINT64_C(0x9E3779B97F4A7C15) >> (64 - t->remainder_bits);
    place.remainder -= place.remainder == t->remainder_mask; /* that is a lost cell's, */
    place.remainder += place.remainder == 0;                 /* and this a free one's */
    uint64_t mixed = (place.remainder + 1) * UINT64_C(0xD6E8FEB86659FD93);
    mixed ^= mixed >> 32;
    for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++) {
        uint64_t bucket = first + dleft_turn(mixed, i, buckets);
        if (bucket >= buckets) bucket -= buckets;
        place.bucket[i] = t->buckets + (i * buckets + bucket) * TMS_DLEFT_BUCKET;
    }
    return place;
}

/* Always inline: a compiler that calls a function which only fetches sees no
 * effect of it, and leaves the call out. */
DLEFT_ALWAYS void dleft_fetch(const tms_dleft_table *t, uint64_t digest)
{
    const tms_dleft_place place = dleft_find(t, digest);
    for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++) TMS_FETCH(place.bucket[i]);
}

static inline uint64_t dleft_cell(const tms_dleft_table *t, const uint8_t *bucket, unsigned cell)
{
    return tms_load64(bucket + t->byte[cell]) >> t->shift[cell] & t->cell_mask;
}

static inline void dleft_put(const tms_dleft_table *t, uint8_t *bucket, unsigned cell,
                             uint64_t value)
{
    uint8_t *at = bucket + t->byte[cell];
    uint64_t word = tms_load64(at) & ~(t->cell_mask << t->shift[cell]);
    tms_store64(at, word | value << t->shift[cell]);
}

/* A cell of ones, in a bucket that was lost. */
static inline bool dleft_is_lost(const tms_dleft_table *t, uint64_t cell)
{
    return cell == t->cell_mask;
}

static inline bool dleft_bucket_is_lost(const uint8_t *bucket)
{
    return tms_load64(bucket) == UINT64_MAX; /* no remainder is all ones */
}

static inline bool dleft_any_lost(const tms_dleft_place *p)
{
    bool lost = false;
    for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++) lost |= dleft_bucket_is_lost(p->bucket[i]);
    return lost;
}

/* The cells of a bucket, a bit each: those in use, and of them those with the
 * remainder that was looked for, or lost. */
typedef struct dleft_seen {
    uint64_t used, same;
} dleft_seen;

#endif
