/* hash_murmur2.c - MurmurHash64A, the 64-bit member of the MurmurHash2 family.
 *
 * Austin Appleby's algorithm, public domain. Redis modules and many C programs
 * use it. The 32-bit members are not here.                                    */
#include "base/endian.h"
#include "hash/hash_builtin.h"
#include "hash/hash_raw.h"

uint64_t tms_murmur64a(const void *key, size_t len, uint64_t seed)
{
    const uint64_t m = UINT64_C(0xc6a4a7935bd1e995);
    const uint8_t *p = key;
    uint64_t h = seed ^ (len * m);
    size_t left = len;
    for (; left >= 8; left -= 8, p += 8) {
        uint64_t k = tms_load64(p) * m;
        k ^= k >> 47;
        h = (h ^ k * m) * m;
    }
    if (left) h = (h ^ tms_load_tail(p, left)) * m;
    h = (h ^ h >> 47) * m;
    return h ^ h >> 47;
}

static uint64_t murmur64a_digest(const tms_hasher *hasher, const void *key, size_t len)
{
    return tms_murmur64a(key, len, hasher->seed);
}

const tms_hash_builtin tms_hash_murmur64a = {
    .id = TAMIS_HASH_MURMUR64A, .name = "murmur64a", .width = 64, .digest = murmur64a_digest};
