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
    TMS_FETCH(t->bytes + (tms_classic_next(&walk, t->bits) >> 3));
}

/* Places of bits worked out before the first is set: 8 KiB of stack, and more
 * lines than the memory can have on their way. */
enum { CLASSIC_PLACES = 1024 };

/* Writes the places of all keys, key by key, and asks for their lines. */
static void classic_place(const tms_classic_table *t, const uint64_t *digests, size_t count,
                          uint64_t *places)
{
    for (size_t i = 0; i < count; i++) {
        tms_classic_walk walk = tms_classic_start(digests[i]);
        for (uint32_t k = 0; k < t->hashes; k++) {
            *places = tms_classic_next(&walk, t->bits);
            TMS_FETCH(t->bytes + (*places++ >> 3));
        }
    }
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

/* Those places of one key that lie in [first, last), closed up at `places`. */
static size_t classic_place_between(const tms_classic_table *t, uint64_t digest, uint64_t first,
                                    uint64_t last, uint64_t *places)
{
    tms_classic_walk walk = tms_classic_start(digest);
    size_t found = 0;
    for (uint32_t k = 0; k < t->hashes; k++) {
        uint64_t place = tms_classic_next(&walk, t->bits);
        bool mine = (place >= first) & (place < last);
        places[found] = place;
        TMS_FETCH(t->bytes + ((mine ? place : first) >> 3));
        found += mine;
    }
    return found;
}

void tms_classic_add_between(const tms_classic_table *table, const uint64_t *digests, size_t count,
                             uint64_t first, uint64_t last)
{
    const tms_classic_table t = *table;
    uint64_t places[CLASSIC_PLACES];
    for (size_t i = 0; i < count;) {
        size_t found = 0;
        while (i < count && found + t.hashes <= CLASSIC_PLACES)
            found += classic_place_between(&t, digests[i++], first, last, places + found);
        for (size_t k = 0; k < found; k++)
            classic_or_plain(t.bytes + (places[k] >> 3), (uint8_t)(1u << (places[k] & 7)));
    }
}
