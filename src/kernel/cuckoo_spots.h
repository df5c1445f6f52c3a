/* cuckoo_spots.h - where the keys of a run may lie, worked out before the first of
 * them is looked at, and their lines fetched meanwhile.                     */
#ifndef TMS_KERNEL_CUCKOO_SPOTS_H
#define TMS_KERNEL_CUCKOO_SPOTS_H

#include "base/memory.h"
#include "kernel/cuckoo_kernel.h"
#include "kernel/tuning.h"

/* By field, each in a word, as vectors write them. */
typedef struct cuckoo_spots {
    uint64_t chunk[TMS_RUN], bucket[TMS_RUN], other[TMS_RUN], fingerprint[TMS_RUN];
} cuckoo_spots;

#define CUCKOO_SPOTS_INLINE static inline __attribute__((always_inline))

CUCKOO_SPOTS_INLINE tms_cuckoo_spot cuckoo_spot_number(const cuckoo_spots *spots, size_t i)
{
    return (tms_cuckoo_spot){.chunk = spots->chunk[i],
                             .bucket = (uint32_t)spots->bucket[i],
                             .other = (uint32_t)spots->other[i],
                             .fingerprint = (uint32_t)spots->fingerprint[i]};
}

CUCKOO_SPOTS_INLINE void cuckoo_find_spot(const tms_cuckoo_table *t, uint64_t digest,
                                          cuckoo_spots *spots, size_t i)
{
    const tms_cuckoo_spot s = tms_cuckoo_spot_of(t, digest);
    spots->chunk[i] = s.chunk;
    spots->bucket[i] = s.bucket;
    spots->other[i] = s.other;
    spots->fingerprint[i] = s.fingerprint;
}

CUCKOO_SPOTS_INLINE void cuckoo_find_spots(const tms_cuckoo_table *t, const uint64_t *digests,
                                           size_t count, cuckoo_spots *spots)
{
    for (size_t i = 0; i < count; i++) cuckoo_find_spot(t, digests[i], spots, i);
}

/* Both ends of a bucket's window are asked for: one in ten lies across two lines, and
 * the second would otherwise come too late (a third of the time of a query). */
CUCKOO_SPOTS_INLINE void cuckoo_fetch_window(const tms_cuckoo_table *t, const uint8_t *at)
{
    TMS_FETCH(at);
    TMS_FETCH(at + (t->bucket_bits > 64 ? 15 : 7));
}

CUCKOO_SPOTS_INLINE void cuckoo_fetch_digest(const tms_cuckoo_table *t, uint64_t digest)
{
    const tms_cuckoo_spot s = tms_cuckoo_spot_of(t, digest);
    cuckoo_fetch_window(t, tms_cuckoo_address(t, s.chunk, s.bucket));
    cuckoo_fetch_window(t, tms_cuckoo_address(t, s.chunk, s.other));
}

CUCKOO_SPOTS_INLINE void cuckoo_fetch_spots(const tms_cuckoo_table *t, const cuckoo_spots *spots,
                                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const tms_cuckoo_spot s = cuckoo_spot_number(spots, i);
        cuckoo_fetch_window(t, tms_cuckoo_address(t, s.chunk, s.bucket));
        cuckoo_fetch_window(t, tms_cuckoo_address(t, s.chunk, s.other));
    }
}

/* Into the first level, from a chunk that is in the second: a run's lines are a third
 * of it. */
CUCKOO_SPOTS_INLINE void cuckoo_fetch_near(const tms_cuckoo_table *t, const cuckoo_spots *spots,
                                           size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const tms_cuckoo_spot s = cuckoo_spot_number(spots, i);
        TMS_FETCH_NEAR(tms_cuckoo_address(t, s.chunk, s.bucket));
        TMS_FETCH_NEAR(tms_cuckoo_address(t, s.chunk, s.other));
    }
}

/* Of the chunk of a digest, the share that is to come while keys [from, from + some)
 * of `all` are added. Nothing if they are so few that most lines would come in vain. */
CUCKOO_SPOTS_INLINE void cuckoo_fetch_share(const tms_cuckoo_table *t, uint64_t digest, size_t from,
                                            size_t some, size_t all)
{
    const uint8_t *chunk = tms_cuckoo_chunk(t, tms_mulhi(digest, t->chunks));
    const uint64_t lines = t->chunk_bytes / TMS_LINE;
    if (all < lines) return;
    const uint64_t first = lines * from / all, last = lines * (from + some) / all;
    for (uint64_t i = first; i < last; i++) TMS_FETCH(chunk + i * TMS_LINE);
}

/* 1 or 0, of which the compiler knows nothing: what is computed from it has no branch. */
CUCKOO_SPOTS_INLINE unsigned cuckoo_hidden(bool truth)
{
    unsigned value = truth;
    __asm__("" : "+r"(value));
    return value;
}

#undef CUCKOO_SPOTS_INLINE

#endif
