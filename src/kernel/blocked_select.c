/* blocked_select.c - which table of loops this processor gets.              */
#include "base/cpu.h"
#include "kernel/blocked_kernel.h"

const tms_blocked_kernel *tms_blocked_kernel_number(unsigned index)
{
    const tms_blocked_kernel *usable[4] = {&tms_blocked_scalar};
    unsigned count = 1;
#if defined(TAMIS_BLOCKED_X86)
    if (tms_cpu_has_avx2()) usable[count++] = &tms_blocked_avx2;
    if (tms_cpu_has_avx512()) usable[count++] = &tms_blocked_avx512;
#elif defined(TAMIS_BLOCKED_NEON)
    usable[count++] = &tms_blocked_neon;
#endif
    return index < count ? usable[index] : NULL;
}

/* The answer is the same for every thread and every call, so a race to ask
 * first is harmless and no state is kept: the processor's features are read
 * from memory that the compiler's runtime filled at start. */
const tms_blocked_kernel *tms_blocked_kernel_best(void)
{
    const tms_blocked_kernel *best = &tms_blocked_scalar, *next;
    for (unsigned i = 1; (next = tms_blocked_kernel_number(i)) != NULL; i++) best = next;
    return best;
}

const tms_blocked_kernel *tms_blocked_kernel_shared(void)
{
#if defined(TAMIS_BLOCKED_X86)
    if (tms_cpu_has_avx2()) return &tms_blocked_shared_avx2;
#endif
    return &tms_blocked_shared;
}
