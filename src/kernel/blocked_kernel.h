/* blocked_kernel.h - the probe loops of blocked filters, one table an
 * instruction set.
 *
 * The line operations are the inline functions of <tamis/blocked_view.h>; the
 * loops around them stand once, in blocked_loops.inc, and are stamped per
 * instruction set. Scalar is the definition: all tables give equal bits.    */
#ifndef TMS_KERNEL_BLOCKED_KERNEL_H
#define TMS_KERNEL_BLOCKED_KERNEL_H

#include <stdbool.h>
#include <tamis/blocked_view.h>

#include "kernel/run.h"

/* The view that lies so many bytes behind an address. */
static inline const tamis_blocked_view *tms_blocked_view_in(const void *holder, size_t offset)
{
    return (const tamis_blocked_view *)(const void *)((const uint8_t *)holder + offset);
}

typedef struct tms_blocked_kernel {
    const char *name;
    bool (*may_contain)(const tamis_blocked_view *, uint64_t digest);
    /* Whether one of several filters of one line a key may contain it, the last
     * being asked first; the view of each is `offset` behind its holder. */
    bool (*may_contain_any)(const void *const *holders, size_t offset, uint32_t count,
                            uint64_t digest);
    bool (*add)(const tamis_blocked_view *, uint64_t digest); /* true: was new */
    size_t (*may_contain_many)(const tamis_blocked_view *, const tms_run *, bool *answers);
    void (*add_many)(const tamis_blocked_view *, const tms_run *);
    void (*add_new_many)(const tamis_blocked_view *, const tms_run *, bool *was_new);
} tms_blocked_kernel;

/* The fastest table this processor can run; chosen once. */
const tms_blocked_kernel *tms_blocked_kernel_best(void);

/* The table for concurrent filters: atomic words, no locks. */
const tms_blocked_kernel *tms_blocked_kernel_shared(void);

/* Every table this processor can run, scalar first, for tests and benchmarks:
 * NULL past the last. */
const tms_blocked_kernel *tms_blocked_kernel_number(unsigned index);

extern const tms_blocked_kernel tms_blocked_scalar, tms_blocked_avx2, tms_blocked_avx512,
    tms_blocked_neon, tms_blocked_shared, tms_blocked_shared_avx2;

#endif
