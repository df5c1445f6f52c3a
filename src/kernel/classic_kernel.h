/* classic_kernel.h - k bits anywhere in an array of any size: the native
 * scheme of classic filters.
 *
 * From the digest h come k values of 64 bits, and bit i is the high half of
 * (value i) * bits. The values are an arithmetic progression with a step of
 * its own for every key, each term then scrambled:
 *
 *      a = h,  b = (h rotated by 32) * 0x9E3779B97F4A7C15 | 1
 *      value = (a ^ a >> 32) * 0xD6E8FEB86659FD93;  a = a + b
 *
 * Without the scrambling this is double hashing, whose positions in a small
 * array are an arithmetic progression again: too few patterns, and at 10 keys
 * and a rate of 10^-6 a real rate 700 times higher. With it the rate is that
 * of independent positions from one key upwards (docs/math.md). The values do
 * not depend on the number of bits, so neighbouring bits can be folded.     */
#ifndef TMS_KERNEL_CLASSIC_KERNEL_H
#define TMS_KERNEL_CLASSIC_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "kernel/run.h"

/* Bit i is byte i / 8, mask 1 << i % 8. Counting filters have counters in the
 * places of the bits (counting_kernel.h). */
typedef struct tms_classic_table {
    uint8_t *bytes;
    uint64_t bits;
    uint32_t hashes;
} tms_classic_table;

typedef struct tms_classic_walk {
    uint64_t a, b;
} tms_classic_walk;

static inline tms_classic_walk tms_classic_start(uint64_t digest)
{
    uint64_t step = tms_rotl64(digest, 32) * UINT64_C(0x9E3779B97F4A7C15);
    return (tms_classic_walk){.a = digest, .b = step | 1};
}

static inline uint64_t tms_classic_next(tms_classic_walk *walk, uint64_t bits)
{
    uint64_t value = (walk->a ^ (walk->a >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
    walk->a += walk->b;
    return tms_mulhi(value, bits);
}

/* One table for one writer, one for any number of threads. */
typedef struct tms_classic_kernel {
    const char *name;
    bool (*may_contain)(const tms_classic_table *, uint64_t digest);
    bool (*add)(const tms_classic_table *, uint64_t digest); /* true: was new */
    size_t (*may_contain_many)(const tms_classic_table *, const tms_run *, bool *answers);
    void (*add_many)(const tms_classic_table *, const tms_run *, bool *was_new);
    /* Sets those places of a batch that lie in [first, last). */
    void (*add_between)(const tms_classic_table *, const uint64_t *digests, size_t count,
                        uint64_t first, uint64_t last);
} tms_classic_kernel;

extern const tms_classic_kernel tms_classic_plain, tms_classic_shared;

#endif
