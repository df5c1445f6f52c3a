/* classic_kernel.c - the native scheme's loops, for one writer and for many.
 *
 * A classic query reads up to k lines, and an absent key two on average. A
 * batch therefore goes round by round: one probe of every key still alive,
 * then the next probe of the survivors, so that an absent key costs two line
 * fetches instead of k, all of them in flight together.                     */
#include "kernel/classic_kernel.h"

#include <string.h>

#include "kernel/tuning.h"

/* A key that has passed every probe so far, and the bit of its next one. */
typedef struct classic_survivor {
    tms_classic_walk walk;
    uint64_t bit;
    size_t key;
} classic_survivor;

static size_t classic_survivors(const tms_classic_table *t, const uint64_t *digests, size_t count,
                                classic_survivor *alive)
{
    for (size_t i = 0; i < count; i++) {
        alive[i].walk = tms_classic_start(digests[i]);
        alive[i].bit = tms_classic_next(&alive[i].walk, t->bits);
        alive[i].key = i;
    }
    return count;
}

static inline void classic_fetch_first(const tms_classic_table *t, uint64_t digest)
{
    tms_classic_walk walk = tms_classic_start(digest);
    TMS_FETCH_TO_READ(t->bytes + (tms_classic_next(&walk, t->bits) >> 3));
}

static inline void classic_fetch_all(const tms_classic_table *t, uint64_t digest)
{
    tms_classic_walk walk = tms_classic_start(digest);
    for (uint32_t i = 0; i < t->hashes; i++)
        TMS_FETCH_TO_WRITE(t->bytes + (tms_classic_next(&walk, t->bits) >> 3));
}

static inline uint8_t classic_or_plain(uint8_t *byte, uint8_t mask)
{
    uint8_t before = *byte;
    *byte = before | mask;
    return before;
}

/* Tests before it writes, so that set bits cost the other threads nothing. */
static inline uint8_t classic_or_shared(uint8_t *byte, uint8_t mask)
{
    uint8_t before = __atomic_load_n(byte, __ATOMIC_RELAXED);
    if (before & mask) return before;
    return __atomic_fetch_or(byte, mask, __ATOMIC_RELAXED);
}

#define CLASSIC_SET plain
#define CLASSIC_READ(byte) (*(byte))
#define CLASSIC_OR(byte, mask) classic_or_plain((byte), (mask))
#include "kernel/classic_loops.inc"

const tms_classic_kernel tms_classic_plain = CLASSIC_TABLE("plain");

#include "kernel/classic_loops_end.inc"

/* Relaxed atomics, for the reasons given in blocked_shared.c. */
#define CLASSIC_SET shared
#define CLASSIC_READ(byte) __atomic_load_n((byte), __ATOMIC_RELAXED)
#define CLASSIC_OR(byte, mask) classic_or_shared((byte), (mask))
#include "kernel/classic_loops.inc"

const tms_classic_kernel tms_classic_shared = CLASSIC_TABLE("shared");

#include "kernel/classic_loops_end.inc"

static inline void classic_put_between(const tms_classic_table *t, uint64_t bit, uint64_t first,
                                       uint64_t last)
{
    if (bit >= first && bit < last) t->bytes[bit >> 3] |= (uint8_t)(1u << (bit & 7));
}

static inline void classic_fetch_between(const tms_classic_table *t, uint64_t digest,
                                         uint64_t first, uint64_t last)
{
    tms_classic_walk walk = tms_classic_start(digest);
    for (uint32_t i = 0; i < t->hashes; i++) {
        uint64_t bit = tms_classic_next(&walk, t->bits);
        if (bit >= first && bit < last) TMS_FETCH_TO_WRITE(t->bytes + (bit >> 3));
    }
}

void tms_classic_add_between(const tms_classic_table *table, const uint64_t *digests, size_t count,
                             uint64_t first, uint64_t last)
{
    const tms_classic_table t = *table;
    for (size_t i = 0; i < count; i++) {
        if (i + TMS_RUN < count) classic_fetch_between(&t, digests[i + TMS_RUN], first, last);
        tms_classic_walk walk = tms_classic_start(digests[i]);
        for (uint32_t k = 0; k < t.hashes; k++)
            classic_put_between(&t, tms_classic_next(&walk, t.bits), first, last);
    }
}
