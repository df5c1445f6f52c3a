/* blocked_avx512.c - the blocked loops for AVX-512.                                     */
#include "kernel/blocked_kernel.h"
#include "kernel/tuning.h"

#if defined(TAMIS_BLOCKED_X86)

#define BLOCKED_SET avx512
#define BLOCKED_TARGET TAMIS_TARGET_AVX512
#include "kernel/blocked_loops.inc"

const tms_blocked_kernel tms_blocked_avx512 = BLOCKED_TABLE("avx512");

#include "kernel/blocked_loops_end.inc"

#endif
