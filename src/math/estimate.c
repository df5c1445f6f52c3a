/* estimate.c - linear counting, on the whole table and line by line.          */
#include "math/estimate.h"

#include "math/blocked_math.h"
#include "math/classic_math.h"

#include <math.h>

/* Standard deviations on either side of a 95 % interval. */
static const double estimate_z = 1.959963984540054;

/* Half a bit, in keys, where a key sets eight: ones are whole numbers, and with
 * a handful of keys a single collision must stay inside the interval. */
static const double estimate_half_bit = 1.0 / 16;

/* ---- the classic table ---- */

/* Ones expected after `load` throws per bit, `sides` standard deviations off. */
static double estimate_ones(double bits, double load, double sides)
{
    const double deviation = sqrt(bits * exp(-load) * tms_occupancy_spread(load));

    return bits * -expm1(-load) + sides * deviation;
}

/* The load between `low` and `high` at which `ones` lie exactly `sides` standard
 * deviations from what is expected. Halving to the last bit of a double. */
static double estimate_load(double bits, double ones, double sides, double low, double high)
{
    for (int i = 0; i < 200; i++) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) break;
        if (estimate_ones(bits, middle, sides) < ones)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

/* Throws that fill `ones` of `bits`, without bias to second order. The plain
 * -m ln(Z/m) is too high by psi/2 zeros, which is what is added to Z here; the
 * same correction subtracted from the result would go astray near saturation. */
static double estimate_throws(double bits, double ones)
{
    const double load = -log1p(-ones / bits);

    return log1p(-(ones - 0.5 * tms_occupancy_spread(load)) / bits) / log1p(-1.0 / bits);
}

tms_estimate tms_classic_estimate(uint64_t bits, uint32_t hashes, uint64_t ones)
{
    const double m = (double)bits;
    const double k = hashes == 0 ? 1.0 : (double)hashes;
    const double x = ones < bits ? (double)ones : m;
    const double zeros = m - x;
    const double keys_per_load = -1.0 / log1p(-1.0 / m) / k;
    const double full_load = log(m + 1.0) + 40.0; /* here not one zero is expected */
    tms_estimate e = {0.0, 0.0, 0.0, false};

    if (bits == 0 || ones == 0) return e;
    /* Score limits: the loads under which x is just not surprising. Half a bit
     * more on each side since x is a whole number. A key sets at most k bits. */
    const double middle = zeros > 0.0 ? -log1p(-x / m) : log(m + 1.0);
    e.low = keys_per_load * estimate_load(m, x - 0.5, estimate_z, 0.0, middle);
    e.low = fmax(e.low, ceil(x / k));
    e.saturated = zeros < 1.0 || (zeros < 10.0 && zeros * 1000.0 < m);
    if (e.saturated) {
        e.keys = e.low;
        e.high = INFINITY;
        return e;
    }
    e.keys = estimate_throws(m, x) / k;
    e.low = fmin(e.low, e.keys);
    e.high = keys_per_load * estimate_load(m, x + 0.5, -estimate_z, middle, full_load);
    e.high = fmax(e.high, e.keys);
    return e;
}

/* ---- lines ---- */

/* The variance of the ones in a line of j keys, j not necessarily whole, as the
 * sum over all pairs of bits of P(both zero) - P(zero)^2. A pair in one lane is
 * hit by a key with probability 2k/places; in two lanes by less, since a key whose
 * window covers both (`both` of 8 rotations) can hit both at once. */
static double estimate_line_variance(double lane, uint32_t hashes, double keys)
{
    const double bits = 8.0 * lane;
    const double hit = hashes / bits;
    const double zero = pow(1.0 - hit, keys);
    double variance = bits * zero * (1.0 - zero);

    variance += bits * (lane - 1.0) * (pow(1.0 - 2.0 * hit, keys) - zero * zero);
    for (uint32_t apart = 1; apart < 8; apart++) {
        const uint32_t one_way = hashes > apart ? hashes - apart : 0;
        const uint32_t other_way = hashes > 8 - apart ? hashes - (8 - apart) : 0;
        const double both = (one_way + other_way) / 8.0;
        const double pair = 1.0 - 2.0 * hit + both / (lane * lane);
        variance += bits * lane * (pow(pair, keys) - zero * zero);
    }
    return fmax(variance, 0.0);
}

/* j = ln(Z/m) / ln(1 - k/m) for a line of m places, with Z raised by var / 2Z, as for the table. A
 * full line counts as half a zero. */
void tms_line_estimator_init(tms_line_estimator *e, uint32_t lane_places, uint32_t hashes)
{
    const double lane = lane_places, bits = 8.0 * lane;
    const double scale = -1.0 / log1p(-(double)hashes / bits);

    for (uint32_t ones = 0; ones <= 8 * lane_places; ones++) {
        const double zeros = fmax(bits - ones, 0.5);
        const double plain = scale * log(bits / zeros);
        const double spread = estimate_line_variance(lane, hashes, plain) / zeros;
        const double raised = zeros + (ones < bits ? 0.5 * spread : 0.0);
        e->keys[ones] = scale * log(bits / raised);
        e->variance[ones] = scale * scale * spread * zeros / (raised * raised);
    }
}

bool tms_lines_saturated(uint64_t full_lines, uint64_t lines)
{
    return full_lines > lines / 100;
}

tms_estimate tms_estimate_close(double sum_keys, double sum_variance, bool saturated)
{
    const double edge = sum_keys > 0.0 ? estimate_half_bit : 0.0; /* empty is certain */
    const double reach = estimate_z * sqrt(fmax(sum_variance, 0.0)) + edge;
    tms_estimate e = {.keys = sum_keys,
                      .low = fmax(sum_keys - reach, 0.0),
                      .high = sum_keys + reach,
                      .saturated = saturated};

    if (saturated) {
        e.keys = e.low;
        e.high = INFINITY;
    }
    return e;
}

/* ---- probabilities for the diagnosis ---- */

double tms_collision_rate(double keys, uint32_t width_bits)
{
    if (!(keys > 0.0)) return 0.0;
    return -expm1(-ldexp(keys, -(int)(width_bits < 2000 ? width_bits : 2000)));
}

double tms_rate_with_collisions(double rate, double keys, uint32_t width_bits)
{
    return rate + (1 - rate) * tms_collision_rate(keys, width_bits); /* exact also for tiny rates */
}

/* Key i finds at most i places taken: the collisions are no more than a sum of
 * independent trials with this mean. */
double tms_coincidence_p(double keys, double places, double collisions)
{
    const double mean = keys * (keys - 1.0) / (2.0 * places);
    if (!(mean > 0.0) || !(collisions > mean)) return 1.0;
    return exp(collisions - mean - collisions * log(collisions / mean));
}

double tms_dispersion_p(double chi2, double dof)
{
    if (!(dof > 0.0)) return 1.0;
    const double spread = 2.0 / (9.0 * dof);
    const double z = (cbrt(fmax(chi2, 0.0) / dof) - (1.0 - spread)) / sqrt(spread);

    return 0.5 * erfc(z / sqrt(2.0));
}
