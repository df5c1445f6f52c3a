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

/* Hash `a` under `seed`, and `b` under `a`. Short keys are read and mixed once:
 * only what depends on the seed is done twice. */
static inline void tms_murmur64a_pair(const void *key, size_t len, uint64_t seed, uint64_t *a,
                                      uint64_t *b)
{
    enum { WORDS = 4 };
    const uint64_t m = UINT64_C(0xc6a4a7935bd1e995);
    const uint8_t *p = key;
    uint64_t words[WORDS], h = seed;
    const size_t count = len / 8, left = len % 8;
    if (count > WORDS) {
        *a = tms_murmur64a_inline(key, len, seed);
        *b = tms_murmur64a_inline(key, len, *a);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t k = tms_load64(p + 8 * i) * m;
        words[i] = (k ^ k >> 47) * m;
    }
    const uint64_t tail = left ? tms_load_tail(p + 8 * count, left) : 0;
    for (unsigned turn = 0; turn < 2; turn++) {
        h ^= len * m;
        for (size_t i = 0; i < count; i++) h = (h ^ words[i]) * m;
        if (left) h = (h ^ tail) * m;
        h = (h ^ h >> 47) * m;
        h ^= h >> 47;
        if (turn == 0) *a = h;
    }
    *b = h;
}

#endif
