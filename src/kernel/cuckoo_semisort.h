/* cuckoo_semisort.h - four fingerprints in the room of four less one bit each.
 *
 * The order of the places in a bucket says nothing, so it can be given up: the
 * four are sorted, and of their highest nibbles, which then ascend, only 3876
 * combinations exist. The number of the combination takes 12 bits where the
 * nibbles took 16 (Fan et al., 2014, section 5.2). Behind it stand the other
 * bits of the four, in the same order.
 *
 *      number = C(n0, 1) + C(n1 + 1, 2) + C(n2 + 2, 3) + C(n3 + 3, 4)         */
#ifndef TMS_KERNEL_CUCKOO_SEMISORT_H
#define TMS_KERNEL_CUCKOO_SEMISORT_H

#include <stdint.h>

enum { TMS_SEMISORT_NUMBERS = 3876, TMS_SEMISORT_BITS = 12 };

/* The number of four ascending nibbles. */
uint32_t tms_semisort_number(const uint32_t nibbles[4]);

/* nibbles[number] has the four nibbles, the first lowest; made once, by any
 * thread. Numbers from 3876 to 4095, which only a forged file has, read as four
 * nibbles of 0. */
const uint16_t *tms_semisort_nibbles(void);

#endif
