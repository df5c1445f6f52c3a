/* counting_lined_avx2.c - counters of one cache line by AVX2, for one writer.
 *
 * As in blocked_view.h a lane that is not used has a shift of 64 or more, so
 * its `one` is 0: it is never missing, and nothing is added to it.          */
#include "kernel/counting_kernel.h"
#include "kernel/tuning.h"

#if defined(TAMIS_BLOCKED_X86)

/* Four lanes, and the key's counter in each. */
typedef struct counting_half {
    __m256i lanes;
    __m256i one;   /* the counter's lowest bit */
    __m256i here;  /* the counter, the rest 0 */
    __m256i stuck; /* all ones where the counter is at its most, or not used */
} counting_half;

TAMIS_TARGET_AVX2 TAMIS_INLINE counting_half counting_half_of(const uint8_t *at, uint64_t word,
                                                              long long first, int bits)
{
    const __m256i shifts = _mm256_setr_epi64x(first, first + 7, first + 14, first + 21);
    __m256i field = _mm256_srlv_epi64(_mm256_set1_epi64x((long long)word), shifts);
    field = _mm256_and_si256(field, _mm256_set1_epi64x(128 - bits)); /* to where it begins */
    counting_half half;
    half.lanes = _mm256_loadu_si256((const __m256i *)(const void *)at);
    half.one = _mm256_sllv_epi64(_mm256_set1_epi64x(1), field);
    __m256i most = _mm256_sub_epi64(_mm256_slli_epi64(half.one, bits), half.one);
    half.here = _mm256_and_si256(half.lanes, most);
    half.stuck = _mm256_cmpeq_epi64(half.here, most);
    return half;
}

/* Not 0 where a counter that is used is 0. */
TAMIS_TARGET_AVX2 TAMIS_INLINE __m256i counting_half_missing(counting_half half)
{
    return _mm256_and_si256(_mm256_cmpeq_epi64(half.here, _mm256_setzero_si256()), half.one);
}

TAMIS_TARGET_AVX2 TAMIS_INLINE void counting_half_move(uint8_t *at, counting_half half, bool up)
{
    __m256i step = _mm256_andnot_si256(half.stuck, half.one);
    __m256i moved = up ? _mm256_add_epi64(half.lanes, step) : _mm256_sub_epi64(half.lanes, step);
    _mm256_storeu_si256((__m256i *)(void *)at, moved);
}

TAMIS_TARGET_AVX2 TAMIS_INLINE bool counting_test(const uint8_t *line, uint64_t word, int bits)
{
    __m256i missing =
        _mm256_or_si256(counting_half_missing(counting_half_of(line, word, 0, bits)),
                        counting_half_missing(counting_half_of(line + 32, word, 28, bits)));
    return _mm256_testz_si256(missing, missing) != 0;
}

/* Counts all counters of the pattern up or down; true when one of them was 0. */
TAMIS_TARGET_AVX2 TAMIS_INLINE bool counting_move(uint8_t *line, uint64_t word, int bits, bool up)
{
    counting_half low = counting_half_of(line, word, 0, bits);
    counting_half high = counting_half_of(line + 32, word, 28, bits);
    __m256i missing = _mm256_or_si256(counting_half_missing(low), counting_half_missing(high));
    counting_half_move(line, low, up);
    counting_half_move(line + 32, high, up);
    return _mm256_testz_si256(missing, missing) == 0;
}

/* The lanes of a line are distinct: what passes the test can be taken whole. */
TAMIS_TARGET_AVX2 TAMIS_INLINE bool counting_remove(const tamis_blocked_view *v, uint64_t digest,
                                                    int bits)
{
    uint8_t *line = tamis_blocked_line(v, digest);
    uint64_t word = tamis_blocked_word(v, digest);
    if (!counting_test(line, word, bits)) return false;
    if (v->lines_per_key == 2) {
        uint64_t second = tamis_blocked_second(digest);
        uint8_t *second_line = tamis_blocked_second_line(v, second);
        uint64_t second_word = tamis_blocked_word(v, second);
        if (!counting_test(second_line, second_word, bits)) return false;
        counting_move(second_line, second_word, bits, false);
    }
    counting_move(line, word, bits, false);
    return true;
}

#define COUNTING_STAMP(bits)                                                                  \
    TAMIS_TARGET_AVX2 TAMIS_INLINE bool tamis_blocked_test_##bits##_avx2(const uint8_t *line, \
                                                                         uint64_t word)       \
    {                                                                                         \
        return counting_test(line, word, bits);                                               \
    }                                                                                         \
    TAMIS_TARGET_AVX2 TAMIS_INLINE bool tamis_blocked_set_##bits##_avx2(uint8_t *line,        \
                                                                        uint64_t word)        \
    {                                                                                         \
        return counting_move(line, word, bits, true);                                         \
    }                                                                                         \
    TAMIS_TARGET_AVX2 static bool counting_remove_##bits(const tamis_blocked_view *v,         \
                                                         uint64_t digest)                     \
    {                                                                                         \
        return counting_remove(v, digest, bits);                                              \
    }                                                                                         \
    static uint32_t counting_count_##bits(const tamis_blocked_view *v, uint64_t digest)       \
    {                                                                                         \
        return tms_lined_kernel_number(bits, 0)->count(v, digest);                            \
    }

COUNTING_STAMP(4)
COUNTING_STAMP(8)

#define BLOCKED_SET 4_avx2
#define BLOCKED_TARGET TAMIS_TARGET_AVX2
#include "kernel/blocked_loops.inc"

const tms_lined_kernel tms_lined_4_avx2 = {
    .places = BLOCKED_TABLE("counters avx2"),
    .remove = counting_remove_4,
    .count = counting_count_4,
};

#include "kernel/blocked_loops_end.inc"

#define BLOCKED_SET 8_avx2
#define BLOCKED_TARGET TAMIS_TARGET_AVX2
#include "kernel/blocked_loops.inc"

const tms_lined_kernel tms_lined_8_avx2 = {
    .places = BLOCKED_TABLE("counters avx2"),
    .remove = counting_remove_8,
    .count = counting_count_8,
};

#include "kernel/blocked_loops_end.inc"

#undef COUNTING_STAMP

#endif
