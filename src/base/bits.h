/* bits.h - the few bit operations every room needs.                         */
#ifndef TMS_BASE_BITS_H
#define TMS_BASE_BITS_H

#include <stdint.h>

__extension__ typedef unsigned __int128 tms_u128;

/* The high half of a * b: maps a uniform 64-bit `a` to 0..b-1 without a
 * division, and keeps order, which is what makes folding exact. */
static inline uint64_t tms_mulhi(uint64_t a, uint64_t b)
{
    return (uint64_t)(((tms_u128)a * b) >> 64);
}

static inline uint64_t tms_rotl64(uint64_t x, unsigned r)
{
    return (x << (r & 63)) | (x >> (-r & 63));
}

static inline unsigned tms_popcount64(uint64_t x)
{
    return (unsigned)__builtin_popcountll(x);
}

/* A bijection of 64 bits after which every output bit depends on every input
 * bit (the finaliser of MurmurHash3). */
static inline uint64_t tms_mix64(uint64_t x)
{
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    x ^= x >> 33;
    return x;
}

/* The largest power of two that divides x; 0 for 0. */
static inline uint64_t tms_low_bit(uint64_t x)
{
    return x & (~x + 1);
}

#endif
