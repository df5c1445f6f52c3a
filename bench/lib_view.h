/* lib_view.h - loops over the inline view of blocked filters, compiled once
 * for each instruction set, as a caller's own code would be.                */
#ifndef TAMIS_BENCH_LIB_VIEW_H
#define TAMIS_BENCH_LIB_VIEW_H

#include "measure/subject.h"

/* Those that this processor can run; NULL past the last. */
const view_loops *view_loops_number(unsigned index);

extern const view_loops view_loops_plain, view_loops_avx2, view_loops_avx512;

#endif
