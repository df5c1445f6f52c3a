/* dleft_avx512.c - d-left by AVX-512 with VBMI: sixteen cells at a time, each
 * brought to a lane of 32 bits by one permutation of the bucket's bytes.    */
#include "kernel/dleft_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include "kernel/dleft_place.h"

#define DLEFT_AVX512 \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx2,popcnt,bmi")))

/* The bucket in the lower half; lanes without a cell take zeros from the upper. */
DLEFT_AVX512 static inline __m512i dleft_bytes(const uint8_t *bucket)
{
    return _mm512_zextsi256_si512(_mm256_loadu_si256((const __m256i *)(const void *)bucket));
}

/* The cells of a group, a lane each, with bits of the next above them. */
DLEFT_AVX512 static inline __m512i dleft_sixteen(const tms_dleft_table *t, __m512i bytes,
                                                 unsigned g)
{
    const __m512i order = _mm512_loadu_si512(t->sixteens[g].bytes);
    const __m512i shift = _mm512_loadu_si512(t->sixteens[g].shift);
    return _mm512_srlv_epi32(_mm512_permutexvar_epi8(order, bytes), shift);
}

DLEFT_AVX512 static inline uint64_t dleft_used_lanes(const tms_dleft_table *t, __m512i cells)
{
    const __m512i counter = _mm512_set1_epi32((int)(t->cell_mask ^ t->remainder_mask));
    return _mm512_test_epi32_mask(cells, counter);
}

DLEFT_AVX512 static inline dleft_seen dleft_look_avx512(const tms_dleft_table *t,
                                                        const uint8_t *bucket, uint64_t remainder)
{
    const __m512i mask = _mm512_set1_epi32((int)t->remainder_mask);
    const __m512i wanted = _mm512_set1_epi32((int)remainder), bytes = dleft_bytes(bucket);
    dleft_seen seen = {0, 0};
    for (unsigned g = 0; 16 * g < t->cells; g++) {
        const __m512i cells = dleft_sixteen(t, bytes, g);
        const __m512i remainders = _mm512_and_si512(cells, mask);
        const uint64_t used = dleft_used_lanes(t, cells);
        const uint64_t same = (uint64_t)_mm512_cmpeq_epi32_mask(remainders, wanted) |
                              _mm512_cmpeq_epi32_mask(remainders, mask); /* lost */
        seen.used |= used << 16 * g;
        seen.same |= (used & same) << 16 * g;
    }
    return seen;
}

/* A cell that is free has the remainder 0, which no key has. */
DLEFT_AVX512 static inline bool dleft_survey_avx512(const tms_dleft_table *t,
                                                    const tms_dleft_place *p, uint64_t *used)
{
    const __m512i mask = _mm512_set1_epi32((int)t->remainder_mask);
    const __m512i wanted = _mm512_set1_epi32((int)p->remainder);
    unsigned same = 0;
    for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++) {
        const __m512i bytes = dleft_bytes(p->bucket[i]);
        used[i] = 0;
        for (unsigned g = 0; 16 * g < t->cells; g++) {
            const __m512i cells = dleft_sixteen(t, bytes, g);
            same |= _mm512_cmpeq_epi32_mask(_mm512_and_si512(cells, mask), wanted);
            used[i] |= dleft_used_lanes(t, cells) << 16 * g;
        }
    }
    return same != 0;
}

DLEFT_AVX512 static inline bool dleft_has_avx512(const tms_dleft_table *t, const tms_dleft_place *p)
{
    const __m512i mask = _mm512_set1_epi32((int)t->remainder_mask);
    const __m512i wanted = _mm512_set1_epi32((int)p->remainder);
    unsigned same = 0;
    for (unsigned i = 0; i < TMS_DLEFT_TABLES; i++) {
        const __m512i bytes = dleft_bytes(p->bucket[i]);
        for (unsigned g = 0; 16 * g < t->cells; g++)
            same |=
                _mm512_cmpeq_epi32_mask(_mm512_and_si512(dleft_sixteen(t, bytes, g), mask), wanted);
    }
    return same != 0;
}

#define DLEFT_SET avx512
#define DLEFT_TARGET DLEFT_AVX512
#include "kernel/dleft_loops.inc"

const tms_dleft_kernel tms_dleft_avx512 = DLEFT_TABLE("avx512");

#include "kernel/dleft_loops_end.inc"

#undef DLEFT_AVX512

#endif
