/* blocked_view.h - blocked filters inside the caller's own loop.
 *
 * Where one call per key is all a caller can do, a call through the handle
 * costs more than the probe itself. A view is the address of the lines, their
 * number and the pattern's parameters: its functions are inline, allocate
 * nothing and touch the very same bits as the handle. Compile with AVX2 or
 * AVX-512 (NEON is always there on aarch64) to get the SIMD code; without,
 * the plain definition below is used, with the same answers.
 *
 * This file is also the definition of the layout. A line is 64 bytes, 8 lanes
 * of 64 bits, little-endian. For a digest h:
 *
 *      line     = high half of h * lines
 *      P        = h * 0x9E3779B97F4A7C15                    (mod 2^64)
 *      r        = P >> 61: lanes r, r+1, .. r+k-1 (mod 8) are used
 *      bit of lane j = (P >> 7j) & 63
 *
 * The product is cut into eight fields of seven bits: six say which bit, and
 * the seventh, overwritten from a table of eight words, says "this lane is
 * not used": a shift by 64 or more, which gives 0. So every k costs the same,
 * no step depends on the data, and every instruction set gives the same bits.
 *
 * With two lines a key the lines are two halves; the second is asked with
 * another mix of the digest. A pattern never depends on the number of lines,
 * so neighbouring lines can be folded into one.                             */
#ifndef TAMIS_BLOCKED_VIEW_H
#define TAMIS_BLOCKED_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <tamis/export.h>
#include <tamis/filter.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define TAMIS_BLOCKED_X86 1
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TAMIS_BLOCKED_NEON 1
#include <arm_neon.h>
#endif

#if defined(__GNUC__)
#define TAMIS_INLINE static inline __attribute__((always_inline, unused))
#else
#define TAMIS_INLINE static inline
#endif

TAMIS_BEGIN

/** Borrows a filter's lines: valid until the filter is folded, merged across
 *  sizes or freed. Copy it freely.                                          */
typedef struct tamis_blocked_view {
    uint8_t *lines;         /* of 64 bytes each */
    uint64_t line_count;    /* lines that one probe chooses from: all, or one half */
    uint64_t unselect[8];   /* per rotation: bit 6 of the 7-bit fields of unused lanes */
    uint32_t lines_per_key; /* 1 or 2 */
} tamis_blocked_view;

/** Makes a view of `f`. Errors: TAMIS_E_UNSUPPORTED when `f` is not blocked, is
 *  scaling, verifies its chunks lazily, or is TAMIS_CONCURRENT and writable: the
 *  view's plain reads and writes would race with adds through the handle.   */
TAMIS_API tamis_status tamis_blocked_view_of(const tamis_filter *f, tamis_blocked_view *view);

/* ---- the definition ----------------------------------------------------- */

#define TAMIS_BLOCKED_PATTERN UINT64_C(0x9E3779B97F4A7C15)
#define TAMIS_BLOCKED_SECOND UINT64_C(0xD6E8FEB86659FD93)
#define TAMIS_BLOCKED_BITS UINT64_C(0x007EFDFBF7EFDFBF) /* low six bits of each field */

/* The fields of the pattern, unused lanes marked. */
TAMIS_INLINE uint64_t tamis_blocked_word(const tamis_blocked_view *v, uint64_t digest)
{
    uint64_t product = digest * TAMIS_BLOCKED_PATTERN;
    return (product & TAMIS_BLOCKED_BITS) | v->unselect[product >> 61];
}

/* The digest with which the second half is asked. */
TAMIS_INLINE uint64_t tamis_blocked_second(uint64_t digest)
{
    return (digest ^ (digest >> 32)) * TAMIS_BLOCKED_SECOND;
}

TAMIS_INLINE uint64_t tamis_blocked_line_number(const tamis_blocked_view *v, uint64_t digest)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    return (uint64_t)(((wide)digest * v->line_count) >> 64);
#else
    uint64_t a = digest >> 32, b = digest & 0xffffffffu;
    uint64_t c = v->line_count >> 32, d = v->line_count & 0xffffffffu;
    uint64_t middle = a * d + (b * d >> 32);
    return a * c + (middle >> 32) + ((b * c + (middle & 0xffffffffu)) >> 32);
#endif
}

TAMIS_INLINE uint8_t *tamis_blocked_line(const tamis_blocked_view *v, uint64_t digest)
{
    return v->lines + 64 * tamis_blocked_line_number(v, digest);
}

TAMIS_INLINE uint8_t *tamis_blocked_second_line(const tamis_blocked_view *v, uint64_t second)
{
    return v->lines + 64 * (v->line_count + tamis_blocked_line_number(v, second));
}

/* The bit of lane `lane`, or 0 when the lane is not used. */
TAMIS_INLINE uint64_t tamis_blocked_lane_bit(uint64_t word, unsigned lane)
{
    uint64_t field = (word >> (7 * lane)) & 127;
    return (uint64_t)(field < 64) << (field & 63);
}

TAMIS_INLINE uint64_t tamis_blocked_little(uint64_t x)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(x);
#else
    return x;
#endif
}

/* ---- one line: plain C -------------------------------------------------- */

/* True when every bit of the pattern is set. */
TAMIS_INLINE bool tamis_blocked_test_scalar(const uint8_t *line, uint64_t word)
{
    uint64_t missing = 0;
    for (unsigned lane = 0; lane < 8; lane++) {
        uint64_t bits;
        memcpy(&bits, line + 8 * lane, 8);
        missing |= tamis_blocked_lane_bit(word, lane) & ~tamis_blocked_little(bits);
    }
    return missing == 0;
}

/* Sets the bits of the pattern; true when one of them was clear. */
TAMIS_INLINE bool tamis_blocked_set_scalar(uint8_t *line, uint64_t word)
{
    uint64_t missing = 0;
    for (unsigned lane = 0; lane < 8; lane++) {
        uint64_t bits, bit = tamis_blocked_little(tamis_blocked_lane_bit(word, lane));
        memcpy(&bits, line + 8 * lane, 8);
        missing |= bit & ~bits;
        bits |= bit;
        memcpy(line + 8 * lane, &bits, 8);
    }
    return missing != 0;
}

/* ---- one line: SIMD ----------------------------------------------------- */

#if defined(TAMIS_BLOCKED_X86)

#define TAMIS_TARGET_AVX2 __attribute__((target("avx2")))
#define TAMIS_TARGET_AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2")))

/* Lanes 0-3 for `first` 0, lanes 4-7 for `first` 28. */
TAMIS_TARGET_AVX2 TAMIS_INLINE __m256i tamis_blocked_mask_avx2(uint64_t word, long long first)
{
    const __m256i shifts = _mm256_setr_epi64x(first, first + 7, first + 14, first + 21);
    __m256i field = _mm256_srlv_epi64(_mm256_set1_epi64x((long long)word), shifts);
    field = _mm256_and_si256(field, _mm256_set1_epi64x(127));
    return _mm256_sllv_epi64(_mm256_set1_epi64x(1), field);
}

TAMIS_TARGET_AVX2 TAMIS_INLINE bool tamis_blocked_test_avx2(const uint8_t *line, uint64_t word)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)line);
    __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(line + 32));
    low = _mm256_andnot_si256(low, tamis_blocked_mask_avx2(word, 0));
    high = _mm256_andnot_si256(high, tamis_blocked_mask_avx2(word, 28));
    __m256i missing = _mm256_or_si256(low, high);
    return _mm256_testz_si256(missing, missing) != 0;
}

TAMIS_TARGET_AVX2 TAMIS_INLINE bool tamis_blocked_set_avx2(uint8_t *line, uint64_t word)
{
    __m256i *at = (__m256i *)(void *)line;
    __m256i low = _mm256_loadu_si256(at), high = _mm256_loadu_si256(at + 1);
    __m256i low_mask = tamis_blocked_mask_avx2(word, 0);
    __m256i high_mask = tamis_blocked_mask_avx2(word, 28);
    _mm256_storeu_si256(at, _mm256_or_si256(low, low_mask));
    _mm256_storeu_si256(at + 1, _mm256_or_si256(high, high_mask));
    __m256i missing =
        _mm256_or_si256(_mm256_andnot_si256(low, low_mask), _mm256_andnot_si256(high, high_mask));
    return _mm256_testz_si256(missing, missing) == 0;
}

TAMIS_TARGET_AVX512 TAMIS_INLINE __m512i tamis_blocked_mask_avx512(uint64_t word)
{
    const __m512i shifts = _mm512_setr_epi64(0, 7, 14, 21, 28, 35, 42, 49);
    __m512i field = _mm512_srlv_epi64(_mm512_set1_epi64((long long)word), shifts);
    field = _mm512_and_si512(field, _mm512_set1_epi64(127));
    return _mm512_sllv_epi64(_mm512_set1_epi64(1), field);
}

TAMIS_TARGET_AVX512 TAMIS_INLINE bool tamis_blocked_test_avx512(const uint8_t *line, uint64_t word)
{
    __m512i missing =
        _mm512_andnot_si512(_mm512_loadu_si512(line), tamis_blocked_mask_avx512(word));
    return _mm512_test_epi64_mask(missing, missing) == 0;
}

TAMIS_TARGET_AVX512 TAMIS_INLINE bool tamis_blocked_set_avx512(uint8_t *line, uint64_t word)
{
    __m512i bits = _mm512_loadu_si512(line), mask = tamis_blocked_mask_avx512(word);
    _mm512_storeu_si512(line, _mm512_or_si512(bits, mask));
    __m512i missing = _mm512_andnot_si512(bits, mask);
    return _mm512_test_epi64_mask(missing, missing) != 0;
}

#elif defined(TAMIS_BLOCKED_NEON)

/* Lanes 2 * pair and 2 * pair + 1. A left shift by 64 or more gives 0. */
TAMIS_INLINE uint64x2_t tamis_blocked_mask_neon(uint64_t word, int pair)
{
    const int64_t shifts[2] = {-14 * pair, -14 * pair - 7};
    uint64x2_t field = vshlq_u64(vdupq_n_u64(word), vld1q_s64(shifts));
    field = vandq_u64(field, vdupq_n_u64(127));
    return vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(field));
}

TAMIS_INLINE uint64x2_t tamis_blocked_pair_neon(const uint8_t *line, int pair)
{
    return vreinterpretq_u64_u8(vld1q_u8(line + 16 * pair));
}

TAMIS_INLINE bool tamis_blocked_test_neon(const uint8_t *line, uint64_t word)
{
    uint64x2_t missing = vdupq_n_u64(0);
    for (int pair = 0; pair < 4; pair++)
        missing = vorrq_u64(missing, vbicq_u64(tamis_blocked_mask_neon(word, pair),
                                               tamis_blocked_pair_neon(line, pair)));
    return vmaxvq_u32(vreinterpretq_u32_u64(missing)) == 0;
}

TAMIS_INLINE bool tamis_blocked_set_neon(uint8_t *line, uint64_t word)
{
    uint64x2_t missing = vdupq_n_u64(0);
    for (int pair = 0; pair < 4; pair++) {
        uint64x2_t mask = tamis_blocked_mask_neon(word, pair);
        uint64x2_t bits = tamis_blocked_pair_neon(line, pair);
        missing = vorrq_u64(missing, vbicq_u64(mask, bits));
        vst1q_u8(line + 16 * pair, vreinterpretq_u8_u64(vorrq_u64(bits, mask)));
    }
    return vmaxvq_u32(vreinterpretq_u32_u64(missing)) != 0;
}

#endif

/* ---- what callers use --------------------------------------------------- */

TAMIS_INLINE bool tamis_blocked_test(const uint8_t *line, uint64_t word)
{
#if defined(TAMIS_BLOCKED_X86) && defined(__AVX512F__) && defined(__AVX512DQ__) && \
    defined(__AVX512BW__) && defined(__AVX512VL__)
    return tamis_blocked_test_avx512(line, word);
#elif defined(TAMIS_BLOCKED_X86) && defined(__AVX2__)
    return tamis_blocked_test_avx2(line, word);
#elif defined(TAMIS_BLOCKED_NEON)
    return tamis_blocked_test_neon(line, word);
#else
    return tamis_blocked_test_scalar(line, word);
#endif
}

TAMIS_INLINE bool tamis_blocked_set(uint8_t *line, uint64_t word)
{
#if defined(TAMIS_BLOCKED_X86) && defined(__AVX512F__) && defined(__AVX512DQ__) && \
    defined(__AVX512BW__) && defined(__AVX512VL__)
    return tamis_blocked_set_avx512(line, word);
#elif defined(TAMIS_BLOCKED_X86) && defined(__AVX2__)
    return tamis_blocked_set_avx2(line, word);
#elif defined(TAMIS_BLOCKED_NEON)
    return tamis_blocked_set_neon(line, word);
#else
    return tamis_blocked_set_scalar(line, word);
#endif
}

/** False: certainly never added. `digest` comes from tamis_hash of a filter
 *  with the same hash, seed and secret. Cost: one cache line (or two) and
 *  about a dozen instructions, the same for hit and miss.                   */
TAMIS_INLINE bool tamis_blocked_view_may_contain(const tamis_blocked_view *v, uint64_t digest)
{
    bool first = tamis_blocked_test(tamis_blocked_line(v, digest), tamis_blocked_word(v, digest));
    if (v->lines_per_key == 1) return first;
    uint64_t second = tamis_blocked_second(digest);
    return first &
           tamis_blocked_test(tamis_blocked_second_line(v, second), tamis_blocked_word(v, second));
}

/** Adds a digest; true when it was certainly not there before. The filter
 *  must be writable, and does not count the key.                            */
TAMIS_INLINE bool tamis_blocked_view_add(const tamis_blocked_view *v, uint64_t digest)
{
    bool first = tamis_blocked_set(tamis_blocked_line(v, digest), tamis_blocked_word(v, digest));
    if (v->lines_per_key == 1) return first;
    uint64_t second = tamis_blocked_second(digest);
    return first |
           tamis_blocked_set(tamis_blocked_second_line(v, second), tamis_blocked_word(v, second));
}

TAMIS_END

#endif
