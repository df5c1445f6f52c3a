/* blocked_neon.c - the blocked loops for NEON.                                     */
#include "kernel/blocked_kernel.h"
#include "kernel/tuning.h"

#if defined(TAMIS_BLOCKED_NEON)

#define BLOCKED_SET neon
#define BLOCKED_TARGET
#include "kernel/blocked_loops.inc"

const tms_blocked_kernel tms_blocked_neon = BLOCKED_TABLE("neon");

#include "kernel/blocked_loops_end.inc"

#endif
