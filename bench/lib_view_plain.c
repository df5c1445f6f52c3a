/* lib_view_plain.c - the view as the compiler's default flags give it, and the
 * choice of what runs here.                                                 */
#include "lib_view.h"

#include "base/cpu.h"

#define VIEW_LOOPS view_loops_plain
#if defined(TAMIS_BLOCKED_NEON)
#define VIEW_NAME "neon view"
#else
#define VIEW_NAME "plain view"
#endif
#include "lib_view.inc"

const view_loops *view_loops_number(unsigned index)
{
    const view_loops *usable[3] = {&view_loops_plain};
    unsigned count = 1;
#if defined(__x86_64__)
    if (tms_cpu_has_avx2()) usable[count++] = &view_loops_avx2;
    if (tms_cpu_has_avx512()) usable[count++] = &view_loops_avx512;
#endif
    return index < count ? usable[index] : NULL;
}
