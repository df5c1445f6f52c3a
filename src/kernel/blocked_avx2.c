/* blocked_avx2.c - the blocked loops for AVX2.                                     */
#include "kernel/blocked_kernel.h"
#include "kernel/tuning.h"

#if defined(TAMIS_BLOCKED_X86)

#define BLOCKED_SET avx2
#define BLOCKED_TARGET TAMIS_TARGET_AVX2
#include "kernel/blocked_loops.inc"

const tms_blocked_kernel tms_blocked_avx2 = BLOCKED_TABLE("avx2");

#include "kernel/blocked_loops_end.inc"

#endif
