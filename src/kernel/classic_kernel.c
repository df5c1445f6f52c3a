/* classic_kernel.c - the native scheme's loops, for one writer and for many.
 *
 * A classic query reads up to k lines, and an absent key two on average. A
 * batch therefore goes round by round: one probe of every key still alive,
 * then the next probe of the survivors, so that an absent key costs two line
 * fetches instead of k, all of them in flight together.                     */
#include "kernel/classic_kernel.h"

#include <string.h>

#include "kernel/classic_survivors.h"

static inline uint8_t classic_mask(uint64_t bit)
{
    return (uint8_t)(1u << (bit & 7));
}

static inline bool classic_put_plain(uint8_t *byte, uint8_t mask)
{
    uint8_t before = *byte;
    *byte = before | mask;
    return !(before & mask);
}

/* Tests before it writes, so that set bits cost the other threads nothing. */
static inline bool classic_put_shared(uint8_t *byte, uint8_t mask)
{
    if (__atomic_load_n(byte, __ATOMIC_RELAXED) & mask) return false;
    return !(__atomic_fetch_or(byte, mask, __ATOMIC_RELAXED) & mask);
}

#define CLASSIC_SET plain
#define CLASSIC_BYTE(place) ((place) >> 3)
#define CLASSIC_GET(byte, place) ((*(byte)&classic_mask(place)) != 0)
#define CLASSIC_PUT(byte, place) classic_put_plain((byte), classic_mask(place))
#include "kernel/classic_loops.inc"

const tms_classic_kernel tms_classic_plain = CLASSIC_TABLE("plain");

#include "kernel/classic_loops_end.inc"

/* Relaxed atomics, for the reasons given in blocked_shared.c. */
#define CLASSIC_SET shared
#define CLASSIC_BYTE(place) ((place) >> 3)
#define CLASSIC_GET(byte, place) \
    ((__atomic_load_n((byte), __ATOMIC_RELAXED) & classic_mask(place)) != 0)
#define CLASSIC_PUT(byte, place) classic_put_shared((byte), classic_mask(place))
#include "kernel/classic_loops.inc"

const tms_classic_kernel tms_classic_shared = CLASSIC_TABLE("shared");

#include "kernel/classic_loops_end.inc"
