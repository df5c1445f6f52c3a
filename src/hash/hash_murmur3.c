/* hash_murmur3.c - MurmurHash3 in the two forms that other systems use:
 * x86_32 (one 32-bit word a round) and x64_128 (two 64-bit words a round).
 *
 * Austin Appleby's algorithm, public domain. Words are little-endian on every
 * machine and tail bytes unsigned; systems that differ there (Spark,
 * Cassandra) have another hash, which is not this one.                        */
#include "base/bits.h"
#include "base/endian.h"
#include "hash/hash_builtin.h"
#include "hash/hash_raw.h"

/* ---- x86_32 ------------------------------------------------------------------ */

static inline uint32_t murmur3_rotl32(uint32_t x, unsigned r)
{
    return x << r | x >> (32 - r);
}

static inline uint32_t murmur3_scramble32(uint32_t k)
{
    return murmur3_rotl32(k * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
}

static inline uint32_t murmur3_finish32(uint32_t h)
{
    h ^= h >> 16;
    h *= UINT32_C(0x85ebca6b);
    h ^= h >> 13;
    h *= UINT32_C(0xc2b2ae35);
    return h ^ h >> 16;
}

uint32_t tms_murmur3_x86_32(const void *key, size_t len, uint32_t seed)
{
    const uint8_t *p = key;
    uint32_t h = seed;
    size_t left = len;
    for (; left >= 4; left -= 4, p += 4)
        h = murmur3_rotl32(h ^ murmur3_scramble32(tms_load32(p)), 13) * 5 + UINT32_C(0xe6546b64);
    h ^= murmur3_scramble32((uint32_t)tms_load_tail(p, left)); /* of no tail: 0 */
    return murmur3_finish32(h ^ (uint32_t)len);
}

/* ---- x64_128 ----------------------------------------------------------------- */

#define MURMUR3_C1 UINT64_C(0x87c37b91114253d5)
#define MURMUR3_C2 UINT64_C(0x4cf5ad432745937f)

static inline uint64_t murmur3_scramble_first(uint64_t k)
{
    return tms_rotl64(k * MURMUR3_C1, 31) * MURMUR3_C2;
}

static inline uint64_t murmur3_scramble_second(uint64_t k)
{
    return tms_rotl64(k * MURMUR3_C2, 33) * MURMUR3_C1;
}

#undef MURMUR3_C1
#undef MURMUR3_C2

static inline void murmur3_cross(uint64_t *h1, uint64_t *h2)
{
    *h1 += *h2;
    *h2 += *h1;
}

void tms_murmur3_x64_128(const void *key, size_t len, uint64_t seed, uint64_t out[2])
{
    const uint8_t *p = key;
    uint64_t h1 = seed, h2 = seed;
    size_t left = len;
    for (; left >= 16; left -= 16, p += 16) {
        h1 ^= murmur3_scramble_first(tms_load64(p));
        h1 = (tms_rotl64(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= murmur3_scramble_second(tms_load64(p + 8));
        h2 = (tms_rotl64(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    if (left > 8) h2 ^= murmur3_scramble_second(tms_load_tail(p + 8, left - 8));
    h1 ^= murmur3_scramble_first(left >= 8 ? tms_load64(p) : tms_load_tail(p, left));
    h1 ^= len;
    h2 ^= len;
    murmur3_cross(&h1, &h2);
    h1 = tms_mix64(h1);
    h2 = tms_mix64(h2);
    murmur3_cross(&h1, &h2);
    out[0] = h1;
    out[1] = h2;
}

/* ---- digests ----------------------------------------------------------------- */

static uint64_t murmur3_digest_32(const tms_hasher *hasher, const void *key, size_t len)
{
    return tms_mix64(tms_murmur3_x86_32(key, len, (uint32_t)hasher->seed));
}

static uint64_t murmur3_digest_128(const tms_hasher *hasher, const void *key, size_t len)
{
    uint64_t h[2];
    tms_murmur3_x64_128(key, len, hasher->seed, h);
    return h[0];
}

const tms_hash_builtin tms_hash_murmur3_32 = {
    .id = TAMIS_HASH_MURMUR3_32, .name = "murmur3-32", .width = 32, .digest = murmur3_digest_32};

const tms_hash_builtin tms_hash_murmur3_128 = {
    .id = TAMIS_HASH_MURMUR3_128, .name = "murmur3-128", .width = 64, .digest = murmur3_digest_128};
