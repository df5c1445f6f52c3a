/* classic_math.h - rate, size and capacity of a classic Bloom filter.
 *
 * m bits, k positions per key, each uniform and independent of all others (the
 * native scheme comes that close; a foreign scheme with fewer patterns is worse
 * on small filters). Formulas, sources and checks: docs/math.md, section 2.
 * Pure functions of numbers; what a filter really holds is estimate.h's.      */
#ifndef TMS_MATH_CLASSIC_MATH_H
#define TMS_MATH_CLASSIC_MATH_H

#include <stdbool.h>
#include <stdint.h>

#define TMS_CLASSIC_HASHES_MAX 64

/* Sizes past 2^60 bits are refused: no address space holds them, and sums of a
 * few such sizes still fit 64 bits. */
#define TMS_CLASSIC_BITS_MAX (UINT64_C(1) << 59) /* 2^56 bytes, the most of any body */

/* Expected false-positive rate after `keys` distinct adds, E[(X/m)^k] with X the
 * number of ones: exact while there are few keys or few bits, a second-order
 * expansion beyond, which differs from the exact value by less than 1e-8. So the
 * relative accuracy is 1e-8 down to the smallest double. A fraction of a key is
 * interpolated. 0 keys give 0; no bits or no hashes give 1. More than 64 hashes
 * always take the expansion. Cost: 0.1 us; when exact 3 us for 7 hashes, 0.3 ms
 * for 50. */
double tms_classic_rate(uint64_t bits, uint32_t hashes, double keys);

/* The k in 1..64 with the lowest tms_classic_rate; of equal ones the smallest
 * that a walk from (m / n) ln 2 meets. 1 for 0 keys. */
uint32_t tms_classic_best_hashes(uint64_t bits, double keys);

/* The planned size for `keys` at the target `fpr`: the textbook
 * n ln(1/p) / ln(2)^2 with the best integer k; more where its true rate passes
 * 1.03 p (small filters, unlucky k); less where that is 3 % above what 1.05 p
 * needs (targets above 0.2). With `never_exceed` the smallest size whose true
 * rate is at most p to nine digits. `*bits` is a multiple of `multiple` (0 means 4).
 * False, with the outputs untouched, when keys or fpr make no sense or the size
 * passes TMS_CLASSIC_BITS_MAX. */
bool tms_classic_size(double keys, double fpr, bool never_exceed, uint64_t multiple, uint64_t *bits,
                      uint32_t *hashes);

/* The most keys that tms_classic_size would put into `bits` (a whole number; 0
 * when not even one fits), and the k for that many. */
double tms_classic_capacity(uint64_t bits, double fpr, bool never_exceed, uint32_t *hashes);

/* 1 - (1 + x) e^-x, without cancellation for small x: x throws per bin leave
 * m e^-x bins empty with variance m e^-x times this. */
double tms_occupancy_spread(double load);

#endif
