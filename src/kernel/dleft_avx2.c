/* dleft_avx2.c - d-left by AVX2: eight cells at a time, each brought to a lane
 * of 32 bits by a shuffle and a shift.                                      */
#include "kernel/dleft_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "kernel/dleft_place.h"

#define DLEFT_AVX2 __attribute__((target("avx2,popcnt")))

/* The cells of a group, a lane each, with bits of the next above them. A half is read from where its first cell
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
    return _mm256_srlv_epi32(_mm256_shuffle_epi8(bytes, order), shift);
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
    const __m256i whole = _mm256_set1_epi32((int)t->cell_mask);
    dleft_seen seen = {0, 0};
    for (unsigned g = 0; 8 * g < t->cells; g++) {
        __m256i cells = _mm256_and_si256(dleft_group(t, bucket, g), whole);
        __m256i used = _mm256_cmpgt_epi32(cells, free);
        __m256i remainders = _mm256_and_si256(cells, free);
        __m256i same = _mm256_or_si256(_mm256_cmpeq_epi32(remainders, wanted),
                                       _mm256_cmpeq_epi32(remainders, free)); /* lost */
        seen.used |= (uint64_t)dleft_lanes(used) << 8 * g;
        seen.same |= (uint64_t)dleft_lanes(_mm256_and_si256(used, same)) << 8 * g;
    }
    return seen;
}

/* A cell that is free has the remainder 0, which no key has. */
DLEFT_AVX2 static inline bool dleft_has_avx2(const tms_dleft_table *t, const tms_dleft_place *p)
{
    const __m256i remainder = _mm256_set1_epi32((int)t->remainder_mask);
    const __m256i wanted = _mm256_set1_epi32((int)p->remainder);
    __m256i same = _mm256_setzero_si256();
    for (unsigned g = 0; 8 * g < t->cells; g++)
        for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++) {
            __m256i cells = _mm256_and_si256(dleft_group(t, p->bucket[i], g), remainder);
            same = _mm256_or_si256(same, _mm256_cmpeq_epi32(cells, wanted));
        }
    return _mm256_testz_si256(same, same) == 0;
}

DLEFT_AVX2 static inline bool dleft_survey_avx2(const tms_dleft_table *t, const tms_dleft_place *p,
                                                uint64_t *used)
{
    const __m256i remainder = _mm256_set1_epi32((int)t->remainder_mask);
    const __m256i whole = _mm256_set1_epi32((int)t->cell_mask);
    const __m256i wanted = _mm256_set1_epi32((int)p->remainder);
    __m256i same = _mm256_setzero_si256();
    for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++) used[i] = 0;
    for (unsigned g = 0; 8 * g < t->cells; g++)
        for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++) {
            __m256i cells = _mm256_and_si256(dleft_group(t, p->bucket[i], g), whole);
            __m256i remainders = _mm256_and_si256(cells, remainder);
            same = _mm256_or_si256(same, _mm256_cmpeq_epi32(remainders, wanted));
            used[i] |= (uint64_t)dleft_lanes(_mm256_cmpgt_epi32(cells, remainder)) << 8 * g;
        }
    return _mm256_testz_si256(same, same) == 0;
}

#define DLEFT_SET avx2
#define DLEFT_TARGET DLEFT_AVX2
#include "kernel/dleft_loops.inc"

const tms_dleft_kernel tms_dleft_avx2 = DLEFT_TABLE("avx2");

#include "kernel/dleft_loops_end.inc"

#undef DLEFT_AVX2

#endif
