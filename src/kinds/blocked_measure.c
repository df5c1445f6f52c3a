/* blocked_measure.c - what the bits of a blocked filter say.
 *
 * Lines fill unevenly, so the rate now and the number of keys are summed over
 * the lines: the rate of the mean fill would be too low (docs/math.md).      */
#include <math.h>

#include "base/bits.h"
#include "base/memory.h"
#include "kinds/blocked_parts.h"
#include "kinds/body.h"
#include "math/blocked_math.h"
#include "math/estimate.h"

typedef struct blocked_sums {
    uint64_t ones, full_lines, used_lines;
    double keys, variance, squares, rate;
    double whole; /* keys, rounded in each line */
} blocked_sums;

static void blocked_measure_line(const uint8_t *line, uint32_t hashes,
                                 const tms_line_estimator *estimator, blocked_sums *sums)
{
    uint8_t lane_ones[8];
    unsigned ones = 0;
    for (unsigned lane = 0; lane < 8; lane++) {
        lane_ones[lane] = (uint8_t)tms_popcount64(tms_body_word(line + 8 * lane));
        ones += lane_ones[lane];
    }
    sums->ones += ones;
    sums->rate += ones ? tms_blocked_rate_of_line(lane_ones, hashes) : 0;
    sums->keys += estimator->keys[ones];
    sums->squares += estimator->keys[ones] * estimator->keys[ones];
    sums->variance += estimator->variance[ones];
    sums->whole += rint(estimator->keys[ones]);
    sums->used_lines += ones > 0;
    sums->full_lines += ones == BLOCKED_LINE_BITS;
}

static blocked_sums blocked_measure_table(const tamis_blocked_view *v, unsigned half,
                                          uint32_t hashes, const tms_line_estimator *estimator)
{
    blocked_sums sums = {0};
    const uint8_t *line = v->lines + half * v->line_count * TMS_LINE;
    for (uint64_t i = 0; i < v->line_count; i++)
        blocked_measure_line(line + i * TMS_LINE, hashes, estimator, &sums);
    return sums;
}

/* How likely a fair hash spreads the keys over the lines at least as unevenly:
 * the loads are nearly Poisson, so the sum of squares is chi-squared. The part
 * of the spread that comes from estimating the load is taken off. In a nearly
 * empty filter keys that share a line are counted instead: there a few ones
 * tell exactly how many keys a line has. */
static double blocked_crowding(const blocked_sums *sums, uint64_t lines)
{
    double mean = sums->keys / (double)lines;
    if (lines < 16) return 1;
    if (mean < 1)
        return tms_coincidence_p(sums->whole, (double)lines,
                                 sums->whole - (double)sums->used_lines);
    double spread = sums->squares - sums->keys * mean - sums->variance;
    return tms_dispersion_p(spread / mean, (double)lines - 1);
}

void tms_blocked_measure(const tamis_filter *f, tms_measure *out)
{
    const tamis_blocked_view *v = &blocked_of(f)->view;
    uint32_t hashes = (uint32_t)f->shape.params[BLOCKED_HASHES];
    tms_line_estimator estimator;
    tms_line_estimator_init(&estimator, hashes);
    blocked_sums sums = blocked_measure_table(v, 0, hashes, &estimator);
    *out = (tms_measure){.bits = f->shape.body_bytes * 8, .ones = sums.ones};
    out->rate = sums.rate / (double)v->line_count;
    out->crowding = blocked_crowding(&sums, v->line_count);
    if (v->lines_per_key == 2) { /* two estimates of one set: their mean */
        blocked_sums second = blocked_measure_table(v, 1, hashes, &estimator);
        out->ones += second.ones;
        out->rate *= second.rate / (double)v->line_count;
        sums.keys = (sums.keys + second.keys) / 2;
        sums.variance = (sums.variance + second.variance) / 4;
        sums.full_lines += second.full_lines;
    }
    tms_estimate estimate =
        tms_estimate_close(sums.keys, sums.variance,
                           tms_lines_saturated(sums.full_lines, f->shape.params[BLOCKED_LINES]));
    out->keys = estimate.keys;
    out->keys_low = estimate.low;
    out->keys_high = estimate.high;
}
