/* counter.c - which stripe a thread uses: handed out in turn.               */
#include "base/counter.h"

unsigned tms_counter_stripe(void)
{
    static _Atomic unsigned counter_next;
    static _Thread_local unsigned counter_mine;
    if (counter_mine == 0)
        counter_mine = 1 + atomic_fetch_add_explicit(&counter_next, 1, memory_order_relaxed) %
                               TMS_COUNTER_STRIPES;
    return counter_mine - 1;
}
