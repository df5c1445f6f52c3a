/* estimate.h - how many keys a filter holds, judged by its bits alone.
 *
 * Count ones, and ask how many keys leave that many. The answers are corrected
 * for bias to second order and carry an interval: the chance that it covers the
 * true number of distinct keys is 95 %. Beside them, the small probabilities the
 * diagnosis needs. Formulas, sources and checks: docs/math.md, section 4.
 * Counting the bits is the kinds' work.                                      */
#ifndef TMS_MATH_ESTIMATE_H
#define TMS_MATH_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/* Saturated: too few zeros are left to bound the number from above. Then `keys`
 * and `low` are the same lower limit and `high` is INFINITY. */
typedef struct tms_estimate {
    double keys;
    double low;
    double high;
    bool saturated;
} tms_estimate;

/* Of a classic filter with this many ones among its bits, each key having thrown
 * `hashes` times. Saturated when no zero is left, or fewer than ten and fewer
 * than one in a thousand bits. */
tms_estimate tms_classic_estimate(uint64_t bits, uint32_t hashes, uint64_t ones);

/* Of a blocked filter, line by line: the keys in a line with x ones are about
 * keys[x], with this variance. To use it add keys[x] and variance[x] over all
 * lines and close; with two lines per key every key is seen in both halves, so
 * pass sum / 2 and variance / 4. keys[512] is finite (what a full line holds at
 * least), so that a few full lines do little harm; see tms_lines_saturated. */
typedef struct tms_line_estimator {
    double keys[513];
    double variance[513];
} tms_line_estimator;

/* For lines of 8 lanes of `lane_places`, at most 64. */
void tms_line_estimator_init(tms_line_estimator *e, uint32_t lane_places, uint32_t hashes);

/* Whether so many lines are full that the sum is a lower limit only: more than
 * one in a hundred, so in a small filter any. */
bool tms_lines_saturated(uint64_t full_lines, uint64_t lines);

/* The estimate and its interval from the sums over all lines. */
tms_estimate tms_estimate_close(double sum_keys, double sum_variance, bool saturated);

/* The chance that an absent key has the digest of one of `keys` others, under a
 * digest of this many bits: no filter has a rate below it. */
double tms_collision_rate(double keys, uint32_t width_bits);

/* A rate together with such collisions. */
double tms_rate_with_collisions(double rate, double keys, uint32_t width_bits);

/* The chance that a chi-square variable with `dof` degrees of freedom is at
 * least `chi2` (Wilson and Hilferty's cube root; within 1 % at the 1 % point for
 * dof >= 10, within 7 % at 1e-6 for dof >= 100, on the cautious side). 1 when dof
 * is not positive. */
double tms_dispersion_p(double chi2, double dof);

/* The chance that of so many keys, thrown fairly into `places`, at least
 * `collisions` find their place taken (Chernoff's bound: never too small). Sees
 * more than the chi-square below one key a place, where that is no chi-square. */
double tms_coincidence_p(double keys, double places, double collisions);

#endif
