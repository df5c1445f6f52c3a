/* counting_spread.c - counters anywhere in the body: the four tables.       */
#include <string.h>

#include "kernel/classic_survivors.h"
#include "kernel/counting_cell.h"
#include "kernel/counting_kernel.h"

#define CLASSIC_SET spread_4_plain
#define COUNTING_MODE plain
#define COUNTING_BITS 4
#include "kernel/counting_spread.inc"

#define CLASSIC_SET spread_8_plain
#define COUNTING_MODE plain
#define COUNTING_BITS 8
#include "kernel/counting_spread.inc"

#define CLASSIC_SET spread_4_shared
#define COUNTING_MODE shared
#define COUNTING_BITS 4
#include "kernel/counting_spread.inc"

#define CLASSIC_SET spread_8_shared
#define COUNTING_MODE shared
#define COUNTING_BITS 8
#include "kernel/counting_spread.inc"

const tms_spread_kernel *tms_spread_kernel_for(uint32_t counter_bits, bool shared)
{
    if (counter_bits == 4)
        return shared ? &counting_table_spread_4_shared : &counting_table_spread_4_plain;
    return shared ? &counting_table_spread_8_shared : &counting_table_spread_8_plain;
}
