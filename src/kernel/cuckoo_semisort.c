/* cuckoo_semisort.c - see cuckoo_semisort.h.                                */
#include "kernel/cuckoo_semisort.h"

#include <pthread.h>

static uint16_t semisort_nibbles[1 << TMS_SEMISORT_BITS];
static pthread_once_t semisort_made = PTHREAD_ONCE_INIT;

uint32_t tms_semisort_number(const uint32_t nibbles[4])
{
    uint32_t a = nibbles[0], b = nibbles[1] + 1, c = nibbles[2] + 2, d = nibbles[3] + 3;
    return a + b * (b - 1) / 2 + c * (c - 1) * (c - 2) / 6 + d * (d - 1) * (d - 2) * (d - 3) / 24;
}

static void semisort_make(void)
{
    uint32_t n[4];
    for (n[3] = 0; n[3] < 16; n[3]++)
        for (n[2] = 0; n[2] <= n[3]; n[2]++)
            for (n[1] = 0; n[1] <= n[2]; n[1]++)
                for (n[0] = 0; n[0] <= n[1]; n[0]++)
                    semisort_nibbles[tms_semisort_number(n)] =
                        (uint16_t)(n[0] | n[1] << 4 | n[2] << 8 | n[3] << 12);
}

const uint16_t *tms_semisort_nibbles(void)
{
    pthread_once(&semisort_made, semisort_make);
    return semisort_nibbles;
}
