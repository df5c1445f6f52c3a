/* hash_murmur2.c - the MurmurHash2 family: MurmurHash64A, and the 32-bit member
 * for the formats that need it by name.
 *
 * Austin Appleby's algorithms, public domain. Redis modules and many C programs
 * use them.                                                                   */
#include "base/endian.h"
#include "hash/hash_builtin.h"
#include "hash/hash_raw.h"
#include "hash/murmur64a.h"

uint64_t tms_murmur64a(const void *key, size_t len, uint64_t seed)
{
    return tms_murmur64a_inline(key, len, seed);
}

uint32_t tms_murmur2_32(const void *key, size_t len, uint32_t seed)
{
    const uint32_t m = UINT32_C(0x5bd1e995);
    const uint8_t *p = key;
    uint32_t h = seed ^ (uint32_t)len;
    size_t left = len;
    for (; left >= 4; left -= 4, p += 4) {
        uint32_t k = tms_load32(p) * m;
        k = (k ^ k >> 24) * m;
        h = h * m ^ k;
    }
    if (left) h = (h ^ (uint32_t)tms_load_tail(p, left)) * m;
    h = (h ^ h >> 13) * m;
    return h ^ h >> 15;
}

static uint64_t murmur64a_digest(const tms_hasher *hasher, const void *key, size_t len)
{
    return tms_murmur64a_inline(key, len, hasher->seed);
}

const tms_hash_builtin tms_hash_murmur64a = {
    .id = TAMIS_HASH_MURMUR64A, .name = "murmur64a", .width = 64, .digest = murmur64a_digest};
