/* blocked_avx512.c - the blocked loops for AVX-512.
 *
 * Batches to a filter in the cache go in groups: first the words and places of
 * all keys of a group, eight at once and through memory, then their lines. A
 * word so goes to all lanes by a load instead of a shuffle, and two short loops
 * overlap far better than one long one (bench_filters, Ice Lake, 1.25 MB: 2.9
 * ns per key in one loop, 2.1 in groups). Single keys go the common way, and
 * so do filters that lie in memory: there the processor waits for lines, and
 * one loop keeps the fetches at a more even pace (8.5 against 8.9 ns).      */
#include "kernel/blocked_kernel.h"
#include "kernel/tuning.h"

#if defined(TAMIS_BLOCKED_X86)

#define BLOCKED_SET avx512
#define BLOCKED_TARGET TAMIS_TARGET_AVX512
#include "kernel/blocked_loops.inc"

#define BLOCKED_WIDE TAMIS_TARGET_AVX512 static inline __attribute__((always_inline))

enum { BLOCKED_GROUP = 64 };
enum { BLOCKED_NEAR = 1 << 19 }; /* lines that a last-level cache may hold: 32 MiB */

/* What is known of each key before its line is touched; [1]: the second line. */
typedef struct blocked_group {
    _Alignas(64) uint64_t word[2][BLOCKED_GROUP];
    _Alignas(64) uint64_t place[2][BLOCKED_GROUP]; /* offset of the line in bytes */
} blocked_group;

/* The first `count` of eight digests, 0 for the others. */
BLOCKED_WIDE __m512i blocked_wide_load(const uint64_t *digests, size_t count)
{
    if (count >= 8) return _mm512_loadu_si512(digests);
    return _mm512_maskz_loadu_epi64((__mmask8)((1u << count) - 1), digests);
}

/* tamis_blocked_second */
BLOCKED_WIDE __m512i blocked_wide_second(__m512i h)
{
    h = _mm512_xor_si512(h, _mm512_srli_epi64(h, 32));
    return _mm512_mullo_epi64(h, _mm512_set1_epi64((long long)TAMIS_BLOCKED_SECOND));
}

/* tamis_blocked_word */
BLOCKED_WIDE __m512i blocked_wide_word(const tamis_blocked_view *v, __m512i h)
{
    const __m512i bits = _mm512_set1_epi64((long long)TAMIS_BLOCKED_BITS);
    __m512i product = _mm512_mullo_epi64(h, _mm512_set1_epi64((long long)TAMIS_BLOCKED_PATTERN));
    __m512i unselect =
        _mm512_permutexvar_epi64(_mm512_srli_epi64(product, 61), _mm512_loadu_si512(v->unselect));
    return _mm512_or_si512(_mm512_and_si512(product, bits), unselect);
}

/* 64 * tamis_blocked_line_number, for less than 2^32 lines. */
BLOCKED_WIDE __m512i blocked_wide_place(const tamis_blocked_view *v, __m512i h)
{
    const __m512i lines = _mm512_set1_epi64((long long)v->line_count);
    __m512i high = _mm512_mul_epu32(_mm512_srli_epi64(h, 32), lines);
    __m512i low = _mm512_mul_epu32(h, lines);
    __m512i sum = _mm512_add_epi64(high, _mm512_srli_epi64(low, 32));
    return _mm512_slli_epi64(_mm512_srli_epi64(sum, 32), 6);
}

BLOCKED_WIDE void blocked_wide_places(const tamis_blocked_view *v, const uint64_t *digests,
                                      size_t count, blocked_group *g, bool two)
{
    const __m512i half = _mm512_set1_epi64((long long)(64 * v->line_count));
    for (size_t i = 0; i < count; i += 8) {
        __m512i h = blocked_wide_load(digests + i, count - i);
        _mm512_store_si512(g->place[0] + i, blocked_wide_place(v, h));
        if (!two) continue;
        __m512i second = blocked_wide_place(v, blocked_wide_second(h));
        _mm512_store_si512(g->place[1] + i, _mm512_add_epi64(second, half));
    }
}

BLOCKED_WIDE void blocked_wide_words(const tamis_blocked_view *v, const uint64_t *digests,
                                     size_t count, blocked_group *g, bool two)
{
    for (size_t i = 0; i < count; i += 8) {
        __m512i h = blocked_wide_load(digests + i, count - i);
        _mm512_store_si512(g->word[0] + i, blocked_wide_word(v, h));
        if (two) _mm512_store_si512(g->word[1] + i, blocked_wide_word(v, blocked_wide_second(h)));
    }
}

/* The part of a run that a group takes. */
BLOCKED_WIDE tms_run blocked_wide_part(const tms_run *run, size_t at)
{
    tms_run part = {0};
    if (run->count > at) {
        part.now = run->now + at;
        part.count = run->count - at < BLOCKED_GROUP ? run->count - at : BLOCKED_GROUP;
    }
    if (run->ahead_count > at) {
        part.ahead = run->ahead + at;
        part.ahead_count =
            run->ahead_count - at < BLOCKED_GROUP ? run->ahead_count - at : BLOCKED_GROUP;
    }
    return part;
}

/* Everything but the lines, then a wall for the compiler, which would rather
 * keep the words in registers and shuffle. */
BLOCKED_WIDE void blocked_wide_prepare(const tamis_blocked_view *v, const tms_run *part,
                                       blocked_group *now, blocked_group *ahead, bool two)
{
    blocked_wide_words(v, part->now, part->count, now, two);
    blocked_wide_places(v, part->now, part->count, now, two);
    blocked_wide_places(v, part->ahead, part->ahead_count, ahead, two);
    __asm__ volatile("" : : : "memory");
}

BLOCKED_WIDE void blocked_wide_fetch(const uint8_t *lines, const blocked_group *g, size_t i,
                                     bool two)
{
    TMS_FETCH(lines + g->place[0][i]);
    if (two) TMS_FETCH(lines + g->place[1][i]);
}

BLOCKED_WIDE bool blocked_wide_test(const uint8_t *lines, const blocked_group *g, size_t i,
                                    bool two)
{
    bool answer = tamis_blocked_test_avx512(lines + g->place[0][i], g->word[0][i]);
    if (two) answer &= tamis_blocked_test_avx512(lines + g->place[1][i], g->word[1][i]);
    return answer;
}

BLOCKED_WIDE size_t blocked_wide_ask_part(const tamis_blocked_view *v, const tms_run *part,
                                          bool *answers, bool two)
{
    blocked_group now, ahead;
    size_t hits = 0, i = 0;
    size_t both = part->count < part->ahead_count ? part->count : part->ahead_count;
    blocked_wide_prepare(v, part, &now, &ahead, two);
    for (; i < both; i++) {
        blocked_wide_fetch(v->lines, &ahead, i, two);
        bool answer = blocked_wide_test(v->lines, &now, i, two);
        answers[i] = answer;
        hits += answer;
    }
    for (; i < part->count; i++) {
        bool answer = blocked_wide_test(v->lines, &now, i, two);
        answers[i] = answer;
        hits += answer;
    }
    for (; i < part->ahead_count; i++) blocked_wide_fetch(v->lines, &ahead, i, two);
    __asm__ volatile("" : : : "memory");
    return hits;
}

BLOCKED_WIDE size_t blocked_wide_ask(const tamis_blocked_view *view, const tms_run *run,
                                     bool *answers, bool two)
{
    const tamis_blocked_view v = *view;
    const tms_run r = *run;
    size_t most = r.count > r.ahead_count ? r.count : r.ahead_count, hits = 0;
    for (size_t at = 0; at < most; at += BLOCKED_GROUP) {
        const tms_run part = blocked_wide_part(&r, at);
        hits += blocked_wide_ask_part(&v, &part, answers + at, two);
    }
    return hits;
}

TAMIS_TARGET_AVX512 static size_t blocked_wide_may_contain_many(const tamis_blocked_view *v,
                                                                const tms_run *run, bool *answers)
{
    if (v->line_count >= BLOCKED_NEAR) return blocked_may_contain_many_avx512(v, run, answers);
    return v->lines_per_key == 1 ? blocked_wide_ask(v, run, answers, false)
                                 : blocked_wide_ask(v, run, answers, true);
}

BLOCKED_WIDE bool blocked_wide_set(uint8_t *lines, const blocked_group *g, size_t i, bool two)
{
    bool fresh = tamis_blocked_set_avx512(lines + g->place[0][i], g->word[0][i]);
    if (two) fresh |= tamis_blocked_set_avx512(lines + g->place[1][i], g->word[1][i]);
    return fresh;
}

BLOCKED_WIDE void blocked_wide_add_part(const tamis_blocked_view *v, const tms_run *part,
                                        bool *was_new, bool two)
{
    blocked_group now, ahead;
    size_t i = 0;
    size_t both = part->count < part->ahead_count ? part->count : part->ahead_count;
    blocked_wide_prepare(v, part, &now, &ahead, two);
    for (; i < both; i++) {
        blocked_wide_fetch(v->lines, &ahead, i, two);
        bool fresh = blocked_wide_set(v->lines, &now, i, two);
        if (was_new) was_new[i] = fresh;
    }
    for (; i < part->count; i++) {
        bool fresh = blocked_wide_set(v->lines, &now, i, two);
        if (was_new) was_new[i] = fresh;
    }
    for (; i < part->ahead_count; i++) blocked_wide_fetch(v->lines, &ahead, i, two);
    __asm__ volatile("" : : : "memory");
}

BLOCKED_WIDE void blocked_wide_add(const tamis_blocked_view *view, const tms_run *run,
                                   bool *was_new, bool two)
{
    const tamis_blocked_view v = *view;
    const tms_run r = *run;
    size_t most = r.count > r.ahead_count ? r.count : r.ahead_count;
    for (size_t at = 0; at < most; at += BLOCKED_GROUP) {
        const tms_run part = blocked_wide_part(&r, at);
        blocked_wide_add_part(&v, &part, was_new ? was_new + at : NULL, two);
    }
}

TAMIS_TARGET_AVX512 static void blocked_wide_add_many(const tamis_blocked_view *v,
                                                      const tms_run *run)
{
    if (v->line_count >= BLOCKED_NEAR)
        blocked_add_many_avx512(v, run);
    else if (v->lines_per_key == 1)
        blocked_wide_add(v, run, NULL, false);
    else
        blocked_wide_add(v, run, NULL, true);
}

TAMIS_TARGET_AVX512 static void blocked_wide_add_new_many(const tamis_blocked_view *v,
                                                          const tms_run *run, bool *was_new)
{
    if (v->line_count >= BLOCKED_NEAR)
        blocked_add_new_many_avx512(v, run, was_new);
    else if (v->lines_per_key == 1)
        blocked_wide_add(v, run, was_new, false);
    else
        blocked_wide_add(v, run, was_new, true);
}

/* ---- several filters ---------------------------------------------------- */

#define BLOCKED_TARGET_ANY __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,bmi2")))

/* The lanes that are not used, one bit each: the seventh bits of the fields. */
static inline BLOCKED_TARGET_ANY __attribute__((always_inline)) uint64_t
blocked_wide_unused(const tamis_blocked_view *v, uint64_t product)
{
    return _pext_u64(v->unselect[product >> 61], UINT64_C(0x0081020408102040));
}

/* A pattern is the same in all of them but for the lanes that are used, so it is
 * made once: the fewer instructions a key takes, the more lines are on their way
 * at the same time. */
BLOCKED_TARGET_ANY static bool
blocked_wide_may_contain_any(const void *const *holders, size_t offset, uint32_t count, uint64_t h)
{
    const uint64_t product = h * TAMIS_BLOCKED_PATTERN;
    const __m512i bits = tamis_blocked_mask_avx512(product & TAMIS_BLOCKED_BITS);
    for (const void *const *at = holders + count; at-- > holders;) {
        const tamis_blocked_view *v = tms_blocked_view_in(*at, offset);
        const __m512i line = _mm512_loadu_si512(tamis_blocked_line(v, h));
        const uint64_t missing = _mm512_testn_epi64_mask(bits, line);
        if (!(missing & ~blocked_wide_unused(v, product))) return true;
    }
    return false;
}

const tms_blocked_kernel tms_blocked_avx512 = {.name = "avx512",
                                               .may_contain = blocked_may_contain_avx512,
                                               .may_contain_any = blocked_wide_may_contain_any,
                                               .add = blocked_add_avx512,
                                               .may_contain_many = blocked_wide_may_contain_many,
                                               .add_many = blocked_wide_add_many,
                                               .add_new_many = blocked_wide_add_new_many};

#include "kernel/blocked_loops_end.inc"
#undef BLOCKED_WIDE
#undef BLOCKED_TARGET_ANY

#endif
