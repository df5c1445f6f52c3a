/* classic_survivors.h - what the batches of classic_loops.inc keep of a key
 * between two probes.                                                       */
#ifndef TMS_KERNEL_CLASSIC_SURVIVORS_H
#define TMS_KERNEL_CLASSIC_SURVIVORS_H

#include "kernel/classic_kernel.h"
#include "kernel/tuning.h"

/* A key that has passed every probe so far, and the place of its next one. */
typedef struct classic_survivor {
    tms_classic_walk walk;
    uint64_t place;
    size_t key;
} classic_survivor;

static inline size_t classic_survivors(const tms_classic_table *t, const uint64_t *digests,
                                       size_t count, classic_survivor *alive)
{
    for (size_t i = 0; i < count; i++) {
        alive[i].walk = tms_classic_start(digests[i]);
        alive[i].place = tms_classic_next(&alive[i].walk, t->bits);
        alive[i].key = i;
    }
    return count;
}

/* Places worked out before the first is written: 8 KiB of stack, and more
 * lines than the memory can have on their way. */
enum { CLASSIC_PLACES = 1024 };

#endif
