/* counting_lined.c - counters of one cache line: the tables in plain C, and
 * which table this processor gets.                                          */
#include "base/cpu.h"
#include "kernel/counting_cell.h"
#include "kernel/counting_kernel.h"
#include "kernel/tuning.h"

/* Where in its line the counter of a lane lies. */
typedef struct counting_place {
    bool used;
    uint8_t byte, shift;
} counting_place;

static inline counting_place counting_place_of(uint64_t word, unsigned lane, unsigned bits)
{
    unsigned field = (unsigned)(word >> (7 * lane)) & 127, begin = field & 63 & ~(bits - 1);
    return (counting_place){
        .used = field < 64, .byte = (uint8_t)(8 * lane + begin / 8), .shift = (uint8_t)(begin & 7)};
}

#define BLOCKED_SET 4_plain
#define COUNTING_MODE plain
#define COUNTING_BITS 4
#include "kernel/counting_lined.inc"

#define BLOCKED_SET 8_plain
#define COUNTING_MODE plain
#define COUNTING_BITS 8
#include "kernel/counting_lined.inc"

#define BLOCKED_SET 4_shared
#define COUNTING_MODE shared
#define COUNTING_BITS 4
#include "kernel/counting_lined.inc"

#define BLOCKED_SET 8_shared
#define COUNTING_MODE shared
#define COUNTING_BITS 8
#include "kernel/counting_lined.inc"

const tms_lined_kernel *tms_lined_kernel_number(uint32_t counter_bits, unsigned index)
{
    const tms_lined_kernel *usable[2] = {counter_bits == 4 ? &counting_table_4_plain
                                                           : &counting_table_8_plain};
    unsigned count = 1;
#if defined(TAMIS_BLOCKED_X86)
    if (tms_cpu_has_avx2())
        usable[count++] = counter_bits == 4 ? &tms_lined_4_avx2 : &tms_lined_8_avx2;
#endif
    return index < count ? usable[index] : NULL;
}

const tms_lined_kernel *tms_lined_kernel_for(uint32_t counter_bits, bool shared)
{
    const tms_lined_kernel *fast = tms_lined_kernel_number(counter_bits, 1);
    if (!shared) return fast ? fast : tms_lined_kernel_number(counter_bits, 0);
    return counter_bits == 4 ? &counting_table_4_shared : &counting_table_8_shared;
}
