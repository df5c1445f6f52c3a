/* hash_xxh3_eights.c - XXH3-64 of keys that are exactly 8 bytes long.
 *
 * For this length XXH3 is a dozen operations on one 64-bit word, without
 * branches, so several keys are hashed side by side. The steps are those of the
 * published algorithm ("4 to 8 bytes of input", xxHash specification, XXH3):
 *
 *     x = the key read little-endian, its halves swapped, xor flip(seed)
 *     x ^= rotl(x, 49) ^ rotl(x, 24)
 *     x *= M,  x ^= (x >> 35) + 8,  x *= M,  digest = x ^ (x >> 28)
 *
 * The unit test holds every level against the xxHash library. Measured on an
 * Ice Lake server in ns per key, in cache: scalar 1.6, AVX2 0.9, AVX-512 0.4.
 * Other lengths are the business of hash_xxh3.c.                              */
#include "base/bits.h"
#include "base/cpu.h"
#include "base/endian.h"
#include "hash/hash_builtin.h"

#include <assert.h>

#define EIGHTS_MULTIPLIER UINT64_C(0x9fb21c651e98df25)

/* Bytes 8..15 xor bytes 16..23 of XXH3's default secret, little-endian. */
#define EIGHTS_SECRET UINT64_C(0xc73ab174c5ecd5a2)

/* What the seed does to the key is the same for all keys. */
static uint64_t eights_flip(uint64_t seed)
{
    return EIGHTS_SECRET - (seed ^ (uint64_t)__builtin_bswap32((uint32_t)seed) << 32);
}

static inline uint64_t eights_one(uint64_t key, uint64_t flip)
{
    uint64_t x = tms_rotl64(key, 32) ^ flip;
    x ^= tms_rotl64(x, 49) ^ tms_rotl64(x, 24);
    x *= EIGHTS_MULTIPLIER;
    x ^= (x >> 35) + 8;
    x *= EIGHTS_MULTIPLIER;
    return x ^ x >> 28;
}

/* The definition. Also finishes what the wide loops leave: keys from..n-1. */
static void eights_scalar(uint64_t flip, const uint8_t *rows, size_t from, size_t n,
                          uint64_t *digests)
{
    for (size_t i = from; i < n; i++) digests[i] = eights_one(tms_load64(rows + 8 * i), flip);
}

#if defined(__x86_64__)
#include <immintrin.h>

/* AVX2 has no 64-bit product: the low half is put together from three 32-bit
 * ones, lo*lo + ((hi*lo + lo*hi) << 32). */
__attribute__((target("avx2"))) static inline __m256i eights_times_avx2(__m256i x)
{
    const __m256i low = _mm256_set1_epi64x((long long)(EIGHTS_MULTIPLIER & 0xffffffff));
    const __m256i high = _mm256_set1_epi64x((long long)(EIGHTS_MULTIPLIER >> 32));
    const __m256i cross = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(x, 32), low),
                                           _mm256_mul_epu32(x, high));
    return _mm256_add_epi64(_mm256_mul_epu32(x, low), _mm256_slli_epi64(cross, 32));
}

__attribute__((target("avx2"))) static inline __m256i eights_four(__m256i key, __m256i flip)
{
    const __m256i x = _mm256_xor_si256(_mm256_shuffle_epi32(key, 0xb1), flip);
    const __m256i r49 = _mm256_or_si256(_mm256_slli_epi64(x, 49), _mm256_srli_epi64(x, 15));
    const __m256i r24 = _mm256_or_si256(_mm256_slli_epi64(x, 24), _mm256_srli_epi64(x, 40));
    __m256i y = _mm256_xor_si256(x, _mm256_xor_si256(r49, r24));
    y = eights_times_avx2(y);
    y = _mm256_xor_si256(y, _mm256_add_epi64(_mm256_srli_epi64(y, 35), _mm256_set1_epi64x(8)));
    y = eights_times_avx2(y);
    return _mm256_xor_si256(y, _mm256_srli_epi64(y, 28));
}

__attribute__((target("avx2"))) static void eights_avx2(uint64_t flip, const uint8_t *rows,
                                                        size_t n, uint64_t *digests)
{
    const __m256i wide = _mm256_set1_epi64x((long long)flip);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const __m256i key = _mm256_loadu_si256((const __m256i *)(const void *)(rows + 8 * i));
        _mm256_storeu_si256((__m256i *)(void *)(digests + i), eights_four(key, wide));
    }
    eights_scalar(flip, rows, i, n, digests);
}

__attribute__((target("avx512f,avx512dq"))) static inline __m512i eights_eight(__m512i key,
                                                                               __m512i flip)
{
    const __m512i multiplier = _mm512_set1_epi64((long long)EIGHTS_MULTIPLIER);
    __m512i x = _mm512_xor_si512(_mm512_rol_epi64(key, 32), flip);
    x = _mm512_xor_si512(x, _mm512_xor_si512(_mm512_rol_epi64(x, 49), _mm512_rol_epi64(x, 24)));
    x = _mm512_mullo_epi64(x, multiplier);
    x = _mm512_xor_si512(x, _mm512_add_epi64(_mm512_srli_epi64(x, 35), _mm512_set1_epi64(8)));
    x = _mm512_mullo_epi64(x, multiplier);
    return _mm512_xor_si512(x, _mm512_srli_epi64(x, 28));
}

__attribute__((target("avx512f,avx512dq"))) static void
eights_avx512(uint64_t flip, const uint8_t *rows, size_t n, uint64_t *digests)
{
    const __m512i wide = _mm512_set1_epi64((long long)flip);
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        _mm512_storeu_si512(digests + i, eights_eight(_mm512_loadu_si512(rows + 8 * i), wide));
    eights_scalar(flip, rows, i, n, digests);
}
#endif

bool tms_xxh3_level_runs(unsigned level)
{
    switch (level) {
    case TMS_XXH3_SCALAR: return true;
    case TMS_XXH3_AVX2: return tms_cpu_has_avx2();
    case TMS_XXH3_AVX512: return tms_cpu_has_avx512();
    default: return false;
    }
}

void tms_xxh3_eights_at(unsigned level, uint64_t seed, const void *rows, size_t n,
                        uint64_t *digests)
{
    assert(tms_xxh3_level_runs(level));
    const uint64_t flip = eights_flip(seed);
#if defined(__x86_64__)
    if (level == TMS_XXH3_AVX512) {
        eights_avx512(flip, rows, n, digests);
        return;
    }
    if (level == TMS_XXH3_AVX2) {
        eights_avx2(flip, rows, n, digests);
        return;
    }
#endif
    (void)level;
    eights_scalar(flip, rows, 0, n, digests);
}

void tms_xxh3_eights(uint64_t seed, const void *rows, size_t n, uint64_t *digests)
{
    unsigned level = TMS_XXH3_LEVELS - 1;
    while (!tms_xxh3_level_runs(level)) level--;
    tms_xxh3_eights_at(level, seed, rows, n, digests);
}

uint64_t tms_xxh3_u64(uint64_t seed, uint64_t key)
{
    return eights_one(key, eights_flip(seed));
}

/* On a little-endian machine the integers are the bytes to hash already. */
void tms_xxh3_u64s(uint64_t seed, const uint64_t *keys, size_t n, uint64_t *digests)
{
    if (!TMS_BIG_ENDIAN) {
        tms_xxh3_eights(seed, keys, n, digests);
        return;
    }
    const uint64_t flip = eights_flip(seed);
    for (size_t i = 0; i < n; i++) digests[i] = eights_one(keys[i], flip);
}

#undef EIGHTS_MULTIPLIER
#undef EIGHTS_SECRET
