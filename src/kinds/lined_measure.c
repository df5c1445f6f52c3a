/* lined_measure.c - what the places of lined filters say.
 *
 * Lines fill unevenly, so the rate now and the number of keys are summed over
 * the lines: the rate of the mean fill would be too low (docs/math.md).      */
#include <math.h>

#include "base/memory.h"
#include "kinds/lined.h"
#include "math/blocked_math.h"
#include "math/estimate.h"

typedef struct lined_sums {
    uint64_t ones, full_lines, used_lines;
    double keys, variance, squares, rate;
    double whole; /* keys, rounded in each line */
} lined_sums;

static void lined_measure_line(const tms_lined_body *b, const uint8_t *line,
                               const tms_line_estimator *estimator, lined_sums *sums)
{
    uint8_t lane_ones[8];
    unsigned ones = 0;
    b->lane_ones(line, lane_ones);
    for (unsigned lane = 0; lane < 8; lane++) ones += lane_ones[lane];
    sums->ones += ones;
    sums->rate += ones ? tms_lined_rate_of_line(b->lane_places, lane_ones, b->hashes) : 0;
    sums->keys += estimator->keys[ones];
    sums->squares += estimator->keys[ones] * estimator->keys[ones];
    sums->variance += estimator->variance[ones];
    sums->whole += rint(estimator->keys[ones]);
    sums->used_lines += ones > 0;
    sums->full_lines += ones == 8 * b->lane_places;
}

static lined_sums lined_measure_table(const tms_lined_body *b, unsigned half,
                                      const tms_line_estimator *estimator)
{
    lined_sums sums = {0};
    const uint8_t *line = b->view->lines + half * b->view->line_count * TMS_LINE;
    for (uint64_t i = 0; i < b->view->line_count; i++)
        lined_measure_line(b, line + i * TMS_LINE, estimator, &sums);
    return sums;
}

/* How likely a fair hash spreads the keys over the lines at least as unevenly:
 * the loads are nearly Poisson, so the sum of squares is chi-squared. The part
 * of the spread that comes from estimating the load is taken off. In a nearly
 * empty filter keys that share a line are counted instead: there a few ones
 * tell exactly how many keys a line has. */
static double lined_crowding(const lined_sums *sums, uint64_t lines)
{
    double mean = sums->keys / (double)lines;
    if (lines < 16) return 1;
    if (mean < 1)
        return tms_coincidence_p(sums->whole, (double)lines,
                                 sums->whole - (double)sums->used_lines);
    double spread = sums->squares - sums->keys * mean - sums->variance;
    return tms_dispersion_p(spread / mean, (double)lines - 1);
}

void tms_lined_measure(const tms_lined_body *b, tms_measure *out)
{
    const uint64_t lines = b->view->line_count;
    tms_line_estimator estimator;
    tms_line_estimator_init(&estimator, b->lane_places, b->hashes);
    lined_sums sums = lined_measure_table(b, 0, &estimator);
    *out = (tms_measure){.ones = sums.ones};
    out->rate = sums.rate / (double)lines;
    out->crowding = lined_crowding(&sums, lines);
    if (b->view->lines_per_key == 2) { /* two estimates of one set: their mean */
        lined_sums second = lined_measure_table(b, 1, &estimator);
        out->ones += second.ones;
        out->rate *= second.rate / (double)lines;
        sums.keys = (sums.keys + second.keys) / 2;
        sums.variance = (sums.variance + second.variance) / 4;
        sums.full_lines += second.full_lines;
    }
    tms_estimate estimate =
        tms_estimate_close(sums.keys, sums.variance,
                           tms_lines_saturated(sums.full_lines, lines * b->view->lines_per_key));
    out->keys = estimate.keys;
    out->keys_low = estimate.low;
    out->keys_high = estimate.high;
}
