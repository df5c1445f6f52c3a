/* cuckoo_math.h - rate of a cuckoo filter, and the chance that it takes its keys.
 *
 * Pure functions of numbers; formulas, simulations and their limits are in
 * docs/math.md, section 8.                                                  */
#ifndef TMS_MATH_CUCKOO_MATH_H
#define TMS_MATH_CUCKOO_MATH_H

#include <stdint.h>

/* A table: chunks of equal size, each with an even number of buckets. */
typedef struct tms_cuckoo_size {
    uint64_t chunks, buckets; /* a chunk */
    uint32_t places;          /* of a bucket: 2 or 4 */
    uint32_t bits;            /* of a fingerprint */
} tms_cuckoo_size;

/* Expected false-positive rate with `keys` in it. A key matches an absent one when
 * fingerprint and pair of buckets agree, whatever was moved: so this is exact,
 * 1 - (1 - 2 / (buckets (2^bits - 1)))^keys. */
double tms_cuckoo_rate(const tms_cuckoo_size *size, double keys);

/* An upper estimate of the chance that one of `keys` random keys finds no place:
 * because too many share few buckets, or because a chunk gets more than it can
 * arrange. 1 when there are fewer places than keys. Cost: microseconds; up to
 * 0.2 ms for tables of up to 64 buckets. */
double tms_cuckoo_refusal(const tms_cuckoo_size *size, double keys);

/* The largest share of places that is ever planned: 0.95, or 0.84 for twos. */
double tms_cuckoo_planned_load(uint32_t places);

#endif
