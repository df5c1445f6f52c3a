/* blocked_scalar.c - the blocked loops in plain C: the definition of the bits.                                     */
#include "kernel/blocked_kernel.h"
#include "kernel/tuning.h"

#define BLOCKED_SET scalar
#define BLOCKED_TARGET
#include "kernel/blocked_loops.inc"

const tms_blocked_kernel tms_blocked_scalar = BLOCKED_TABLE("scalar");

#include "kernel/blocked_loops_end.inc"
