/* dleft_avx2.c - d-left by AVX2: eight cells at a time, each brought to a lane
 * of 32 bits by a shuffle and a shift.                                      */
#include "kernel/dleft_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "kernel/dleft_place.h"

#define DLEFT_AVX2 __attribute__((target("avx2,popcnt")))

/* The cells of a group, a lane each. A half is read from where its first cell
 * begins, or from the last 16 bytes of the bucket. */
DLEFT_AVX2 static inline __m256i dleft_group(const tms_dleft_table *t, const uint8_t *bucket,
                                             unsigned g)
{
    const __m128i *low = (const __m128i *)(const void *)(bucket + t->groups[g].from[0]);
    const __m128i *high = (const __m128i *)(const void *)(bucket + t->groups[g].from[1]);
    __m256i bytes = _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low)),
                                            _mm_loadu_si128(high), 1);
    const __m256i order = _mm256_loadu_si256((const __m256i *)(const void *)t->groups[g].shuffle);
    const __m256i shift = _mm256_loadu_si256((const __m256i *)(const void *)t->groups[g].shift);
    __m256i cells = _mm256_srlv_epi32(_mm256_shuffle_epi8(bytes, order), shift);
    return _mm256_and_si256(cells, _mm256_set1_epi32((int)t->cell_mask));
}

DLEFT_AVX2 static inline unsigned dleft_lanes(__m256i mask)
{
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(mask));
}

DLEFT_AVX2 static inline dleft_seen dleft_look_avx2(const tms_dleft_table *t, const uint8_t *bucket,
                                                    uint64_t remainder)
{
    const __m256i free =
        _mm256_set1_epi32((int)t->remainder_mask); /* a free cell is at most this */
    const __m256i wanted = _mm256_set1_epi32((int)remainder);
    dleft_seen seen = {0, 0};
    for (unsigned g = 0; 8 * g < t->cells; g++) {
        __m256i cells = dleft_group(t, bucket, g);
        __m256i used = _mm256_cmpgt_epi32(cells, free);
        __m256i remainders = _mm256_and_si256(cells, free);
        __m256i same = _mm256_or_si256(_mm256_cmpeq_epi32(remainders, wanted),
                                       _mm256_cmpeq_epi32(remainders, free)); /* lost */
        seen.used |= (uint64_t)dleft_lanes(used) << 8 * g;
        seen.same |= (uint64_t)dleft_lanes(_mm256_and_si256(used, same)) << 8 * g;
    }
    return seen;
}

#define DLEFT_SET avx2
#define DLEFT_TARGET DLEFT_AVX2
#include "kernel/dleft_loops.inc"

const tms_dleft_kernel tms_dleft_avx2 = DLEFT_TABLE("avx2");

#include "kernel/dleft_loops_end.inc"

#undef DLEFT_AVX2

#endif
