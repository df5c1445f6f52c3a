/* murmur64a.h - MurmurHash64A where it is to be inlined: in loops over short
 * keys the call would cost as much as the hash.                             */
#ifndef TMS_HASH_MURMUR64A_H
#define TMS_HASH_MURMUR64A_H

#include "hash/hash_builtin.h"

/* Austin Appleby's algorithm, public domain. */
static inline uint64_t tms_murmur64a_inline(const void *key, size_t len, uint64_t seed)
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

#endif
