/* counting_kernel.h - counters in the places where other filters have bits.
 *
 * A counter of 4 or 8 bits goes up when a key is added and down when one is
 * removed. One that has reached its most (15, 255) is sticky: it moves neither
 * way any more, because nobody knows how often it was passed. So a counter is
 * never below the number of keys that stand on it, and no key that was added
 * is ever called absent.
 *
 * Two layouts. Spread: counter i in the place of bit i of a classic filter,
 * with the same walk, so that "not 0" for "set" is that very filter. Lined: a
 * line of 64 bytes has 8 lanes of 16 counters of 4 bits, or of 8 counters of 8;
 * the field of a lane (blocked_view.h) names the bit 0..63 at which the counter
 * begins, rounded down to a multiple of its width.
 *
 * The k places of a key in the spread layout may coincide. Such a key counts
 * its place once for each time, up and down alike: so folding and adding up
 * give what adding to the smaller filter gives.                             */
#ifndef TMS_KERNEL_COUNTING_KERNEL_H
#define TMS_KERNEL_COUNTING_KERNEL_H

#include "kernel/blocked_kernel.h"
#include "kernel/classic_kernel.h"

/* `places` sees a counter as a bit: set when it is not 0, counted up when set
 * again. `remove` is false for a key that is certainly absent, and has then
 * changed nothing. `count` is the least counter of the key. */
typedef struct tms_spread_kernel {
    tms_classic_kernel places;
    bool (*remove)(const tms_classic_table *, uint64_t digest);
    uint32_t (*count)(const tms_classic_table *, uint64_t digest);
} tms_spread_kernel;

typedef struct tms_lined_kernel {
    tms_blocked_kernel places;
    bool (*remove)(const tamis_blocked_view *, uint64_t digest);
    uint32_t (*count)(const tamis_blocked_view *, uint64_t digest);
} tms_lined_kernel;

/* For counters of 4 or 8 bits, and one writer or any number of threads. */
const tms_spread_kernel *tms_spread_kernel_for(uint32_t counter_bits, bool shared);
const tms_lined_kernel *tms_lined_kernel_for(uint32_t counter_bits, bool shared);

/* Every table for one writer that this processor can run, plain C first: NULL
 * past the last. */
const tms_lined_kernel *tms_lined_kernel_number(uint32_t counter_bits, unsigned index);

extern const tms_lined_kernel tms_lined_4_avx2, tms_lined_8_avx2;

#endif
