/* lib_view.h - loops over the inline view of blocked filters, compiled once
 * for each instruction set, as a caller's own code would be.                */
#ifndef TAMIS_BENCH_LIB_VIEW_H
#define TAMIS_BENCH_LIB_VIEW_H

#include <tamis/blocked_view.h>

typedef struct view_loops {
    const char *name;
    uint64_t (*ask)(const tamis_blocked_view *, const uint64_t *digests, size_t count);
    uint64_t (*add)(const tamis_blocked_view *, const uint64_t *digests, size_t count);
} view_loops;

/* Those that this processor can run; NULL past the last. */
const view_loops *view_loops_number(unsigned index);

extern const view_loops view_loops_plain, view_loops_avx2, view_loops_avx512;

#endif
