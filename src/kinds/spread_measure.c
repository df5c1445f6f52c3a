/* spread_measure.c - see spread.h.                                          */
#include "kinds/spread.h"
#include "math/estimate.h"

enum { SPREAD_STRETCHES = 256 };

/* How likely a fair hash fills equal stretches at least as unevenly. A stretch
 * of s places has a fill of variance near s * fill * (1 - fill), and less. Fewer
 * ones than stretches tell nothing. */
static uint64_t spread_ones(const tms_spread_body *b, double *crowding)
{
    uint64_t stretch = b->places / SPREAD_STRETCHES / 64 * 64, ones = 0;
    double seen[SPREAD_STRETCHES], mean = 0, chi2 = 0;
    *crowding = 1;
    if (stretch < 512) return b->ones(b->bytes, 0, b->places);
    for (unsigned i = 0; i < SPREAD_STRETCHES; i++) {
        uint64_t here = b->ones(b->bytes, i * stretch, stretch);
        ones += here;
        seen[i] = (double)here;
        mean += seen[i] / SPREAD_STRETCHES;
    }
    for (unsigned i = 0; i < SPREAD_STRETCHES; i++) chi2 += (seen[i] - mean) * (seen[i] - mean);
    double variance = mean * (1 - mean / (double)stretch);
    if (mean >= 1) *crowding = tms_dispersion_p(chi2 / variance, SPREAD_STRETCHES - 1);
    uint64_t done = stretch * SPREAD_STRETCHES;
    return ones + b->ones(b->bytes, done, b->places - done);
}

static double spread_power(double base, uint32_t exponent)
{
    double power = 1;
    while (exponent--) power *= base;
    return power;
}

void tms_spread_measure(const tms_spread_body *b, tms_measure *out)
{
    *out = (tms_measure){0};
    out->ones = spread_ones(b, &out->crowding);
    out->rate = spread_power((double)out->ones / (double)b->places, b->hashes);
    tms_estimate estimate = tms_classic_estimate(b->places, b->hashes, out->ones);
    out->keys = estimate.keys;
    out->keys_low = estimate.low;
    out->keys_high = estimate.high;
}
