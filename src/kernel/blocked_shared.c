/* blocked_shared.c - the blocked loops for filters that many threads use at
 * once, without locks.
 *
 * Bits are only ever set, one 64-bit word at a time, by an atomic OR that also
 * tells what was there before. Two threads that race to add one key both OR
 * the same bits, and each bit has exactly one thread that saw it clear: so at
 * least one of them is told "new". Relaxed order is enough: what makes an add
 * visible to another thread is whatever makes its return happen-before the
 * query, and a word once seen by coherence never goes back. The whole line is
 * tested before anything is written: most of a filled line is already set, an
 * unneeded write would take the line from the other threads, and an atomic OR
 * costs more than all the rest of an add (20 cycles each on Intel).         */
#include "kernel/blocked_kernel.h"
#include "kernel/tuning.h"

typedef uint64_t __attribute__((may_alias)) blocked_shared_word;

static inline blocked_shared_word *blocked_shared_at(const uint8_t *line, unsigned lane)
{
    return (blocked_shared_word *)(uintptr_t)(line + 8 * lane);
}

/* Sets missing[lane] for each lane in `lanes`; what no other thread has set
 * first is not 0. */
static inline uint64_t blocked_shared_or(uint8_t *line, unsigned lanes, const uint64_t missing[8])
{
    uint64_t fresh = 0;
    for (; lanes; lanes &= lanes - 1) {
        unsigned lane = (unsigned)__builtin_ctz(lanes);
        fresh |= missing[lane] &
                 ~__atomic_fetch_or(blocked_shared_at(line, lane), missing[lane], __ATOMIC_RELAXED);
    }
    return fresh;
}

/* ---- plain C ------------------------------------------------------------ */

static inline uint64_t blocked_shared_missing(const uint8_t *line, uint64_t word, unsigned lane)
{
    uint64_t bit = tamis_blocked_little(tamis_blocked_lane_bit(word, lane));
    return bit & ~__atomic_load_n(blocked_shared_at(line, lane), __ATOMIC_RELAXED);
}

static inline bool tamis_blocked_test_shared(const uint8_t *line, uint64_t word)
{
    uint64_t missing = 0;
    for (unsigned lane = 0; lane < 8; lane++) missing |= blocked_shared_missing(line, word, lane);
    return missing == 0;
}

static inline bool tamis_blocked_set_shared(uint8_t *line, uint64_t word)
{
    uint64_t missing[8];
    unsigned lanes = 0;
    for (unsigned lane = 0; lane < 8; lane++) {
        missing[lane] = blocked_shared_missing(line, word, lane);
        lanes |= (unsigned)(missing[lane] != 0) << lane;
    }
    return blocked_shared_or(line, lanes, missing) != 0;
}

#define BLOCKED_SET shared
#define BLOCKED_TARGET
#include "kernel/blocked_loops.inc"

const tms_blocked_kernel tms_blocked_shared = BLOCKED_TABLE("shared");

#include "kernel/blocked_loops_end.inc"

/* ---- AVX2 --------------------------------------------------------------- */

#if defined(TAMIS_BLOCKED_X86)

/* Four lanes, each read whole: the processor splits a load at most between
 * aligned words. An instruction and not an access of C, which would be a race
 * with the atomic words. */
TAMIS_TARGET_AVX2 TAMIS_INLINE __m256i blocked_shared_load(const uint8_t *at)
{
    __m256i bits;
    __asm__ volatile("vmovdqu %1, %0" : "=x"(bits) : "m"(*(const uint8_t(*)[32])at));
    return bits;
}

TAMIS_TARGET_AVX2 TAMIS_INLINE __m256i blocked_shared_missing_avx2(const uint8_t *line,
                                                                   uint64_t word, unsigned first)
{
    return _mm256_andnot_si256(blocked_shared_load(line + 8 * first),
                               tamis_blocked_mask_avx2(word, 7 * (long long)first));
}

TAMIS_TARGET_AVX2 TAMIS_INLINE bool tamis_blocked_test_shared_avx2(const uint8_t *line,
                                                                   uint64_t word)
{
    __m256i missing = _mm256_or_si256(blocked_shared_missing_avx2(line, word, 0),
                                      blocked_shared_missing_avx2(line, word, 4));
    return _mm256_testz_si256(missing, missing) != 0;
}

/* The lanes of four that are not 0, as bits. */
TAMIS_TARGET_AVX2 TAMIS_INLINE unsigned blocked_shared_lanes(__m256i missing)
{
    __m256i none = _mm256_cmpeq_epi64(missing, _mm256_setzero_si256());
    return 15u ^ (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(none));
}

TAMIS_TARGET_AVX2 TAMIS_INLINE bool tamis_blocked_set_shared_avx2(uint8_t *line, uint64_t word)
{
    uint64_t missing[8];
    __m256i low = blocked_shared_missing_avx2(line, word, 0);
    __m256i high = blocked_shared_missing_avx2(line, word, 4);
    _mm256_storeu_si256((__m256i *)(void *)missing, low);
    _mm256_storeu_si256((__m256i *)(void *)(missing + 4), high);
    unsigned lanes = blocked_shared_lanes(low) | blocked_shared_lanes(high) << 4;
    return blocked_shared_or(line, lanes, missing) != 0;
}

#define BLOCKED_SET shared_avx2
#define BLOCKED_TARGET TAMIS_TARGET_AVX2
#include "kernel/blocked_loops.inc"

const tms_blocked_kernel tms_blocked_shared_avx2 = BLOCKED_TABLE("shared avx2");

#include "kernel/blocked_loops_end.inc"

#endif
