/* blocked_shared.c - the blocked loops for filters that many threads use at
 * once, without locks.
 *
 * Bits are only ever set, one 64-bit word at a time, by an atomic OR that also
 * tells what was there before. Two threads that race to add one key both OR
 * the same bits, and each bit has exactly one thread that saw it clear: so at
 * least one of them is told "new". Relaxed order is enough: what makes an add
 * visible to another thread is whatever makes its return happen-before the
 * query, and a word once seen by coherence never goes back. The words are
 * tested before they are written, because most of a filled line is already
 * set and an unneeded write would take the line from the other threads.     */
#include "kernel/blocked_kernel.h"
#include "kernel/tuning.h"

typedef uint64_t __attribute__((may_alias)) blocked_shared_word;

static inline bool tamis_blocked_test_shared(const uint8_t *line, uint64_t word)
{
    uint64_t missing = 0;
    for (unsigned lane = 0; lane < 8; lane++) {
        const blocked_shared_word *at =
            (const blocked_shared_word *)(const void *)(line + 8 * lane);
        uint64_t bit = tamis_blocked_little(tamis_blocked_lane_bit(word, lane));
        missing |= bit & ~__atomic_load_n(at, __ATOMIC_RELAXED);
    }
    return missing == 0;
}

static inline bool tamis_blocked_set_shared(uint8_t *line, uint64_t word)
{
    uint64_t fresh = 0;
    for (unsigned lane = 0; lane < 8; lane++) {
        blocked_shared_word *at = (blocked_shared_word *)(void *)(line + 8 * lane);
        uint64_t bit = tamis_blocked_little(tamis_blocked_lane_bit(word, lane));
        if (bit & ~__atomic_load_n(at, __ATOMIC_RELAXED))
            fresh |= bit & ~__atomic_fetch_or(at, bit, __ATOMIC_RELAXED);
    }
    return fresh != 0;
}

#define BLOCKED_SET shared
#define BLOCKED_TARGET
#include "kernel/blocked_loops.inc"

const tms_blocked_kernel tms_blocked_shared = BLOCKED_TABLE("shared");

#include "kernel/blocked_loops_end.inc"
