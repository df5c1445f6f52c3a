/* dleft_math.h - rate, size and capacity of a d-left table.
 *
 * `rows` buckets in each of d = 4 subtables, w cells a bucket, remainders of r
 * bits: a key's fingerprint is one of N = rows 2^r, and an absent key passes
 * when a key that is there has its fingerprint. Keys fit while the mean load of
 * a bucket stays below w by a little more than one, whatever the size: docs/math.md,
 * section 7. A cell takes r + 2 bits of the 256 of a bucket.                */
#ifndef TMS_MATH_DLEFT_MATH_H
#define TMS_MATH_DLEFT_MATH_H

#include <stdbool.h>
#include <stdint.h>

enum { TMS_DLEFT_BITS_LEAST = 4, TMS_DLEFT_BITS_MOST = 40 };

#define TMS_DLEFT_ROWS_MAX (UINT64_C(1) << 48)

/* Expected rate after `keys` distinct adds: 1 - (1 - 1/N)^keys, and for the four in
 * 2^r keys whose remainder stands for two (next to 0, and to all ones) twice that. */
double tms_dleft_rate(uint64_t rows, uint32_t remainder_bits, double keys);

/* The most keys that are planned into a table: it takes them all but with a
 * chance of less than 10^-6. */
double tms_dleft_room(uint64_t rows, uint32_t remainder_bits);

/* The widest remainder with which so many keys find room, which has the lowest
 * rate; 0 when there is none. */
uint32_t tms_dleft_widest(uint64_t rows, double keys);

/* The fewest rows with room for the keys and a rate of at most 1.03 fpr, or fpr
 * with `never_exceed`; less where that is 3 % above what 1.05 fpr needs. False,
 * with the outputs untouched, when there are none. */
bool tms_dleft_size(double keys, double fpr, bool never_exceed, uint64_t *rows,
                    uint32_t *remainder_bits);

/* The most keys that tms_dleft_size would put into so many rows. */
double tms_dleft_capacity(uint64_t rows, double fpr, bool never_exceed, uint32_t *remainder_bits);

#endif
