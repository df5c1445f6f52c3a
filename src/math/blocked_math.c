/* blocked_math.c - inclusion and exclusion over the lanes of a query.
 *
 * Fix a query with the window S of k lanes and one bit in each. By symmetry S
 * may be lanes 0..k-1; a key of the same line has one of 8 windows, and meets
 * the query only in the lanes the two windows share. Two routes give the chance
 * that every bit of the query is set: a short alternating sum, and where that
 * cancels a sum over the number of keys in the line, of positive terms only.  */
#include "math/blocked_math.h"

#include "math/promise.h"
#include "math/search.h"

#include <math.h>
#include <string.h>

#define BLOCKED_MATH_LANES 8
#define BLOCKED_MATH_SUBSETS (1U << TMS_BLOCKED_HASHES_MAX)

/* The alternating sum is right to 3e-15 in absolute terms (256 rounded terms of
 * at most 1; measured against 120 digits), so above this rate to 3e-7 relative. */
static const double blocked_math_cancels_below = 1e-8;

/* The sum over loads stops when all that is left is this small a part. */
static const double blocked_math_tail = 1e-12;

/* How far the plan lets the true rate pass the target; the bar is 1.05. */
static const double blocked_math_margin = 1.02;

/* A fraction of a key matters, and is interpolated, below this many. */
static const double blocked_math_whole_above = 0x1p20;

/* The lanes of S that a key with this rotation also uses, as a bit set. */
static uint32_t blocked_math_shared(uint32_t hashes, uint32_t rotation)
{
    const uint32_t window = (1U << hashes) - 1;
    const uint32_t turned = (window << rotation) | (window >> (BLOCKED_MATH_LANES - rotation));

    return turned & window;
}

/* ---- the alternating sum ---- */

/* What the sum over the subsets T of the query's lanes needs. */
typedef struct blocked_math_lanes {
    uint32_t shared[BLOCKED_MATH_LANES];
    uint8_t size[BLOCKED_MATH_SUBSETS];   /* of a subset */
    double touch[BLOCKED_MATH_LANES + 1]; /* chance to set one of n given bits, a lane each */
} blocked_math_lanes;

static void blocked_math_lanes_init(blocked_math_lanes *lanes, double lane, uint32_t hashes)
{
    double miss = 1.0;

    for (uint32_t r = 0; r < BLOCKED_MATH_LANES; r++)
        lanes->shared[r] = blocked_math_shared(hashes, r);
    lanes->size[0] = 0;
    for (uint32_t t = 1; t < BLOCKED_MATH_SUBSETS; t++)
        lanes->size[t] = (uint8_t)(lanes->size[t / 2] + t % 2);
    for (uint32_t n = 0; n <= BLOCKED_MATH_LANES; n++, miss *= 1.0 - 1.0 / lane)
        lanes->touch[n] = 1.0 - miss;
}

/* sum over T of (-1)^|T| (1 - touch(T)/B)^n, where touch(T) is the chance that
 * one key of this line sets a bit of T: (1/8) sum over rotations of
 * 1 - (1 - 1/lane)^|T and shared|. The terms enter as power - 1: the ones add up to
 * nothing, and what remains is small when the load is. */
static double blocked_math_rate_alternating(double lane, double lines, uint32_t hashes, double keys)
{
    blocked_math_lanes lanes;
    double rate = 0.0;

    blocked_math_lanes_init(&lanes, lane, hashes);
    for (uint32_t subset = 1; subset < 1U << hashes; subset++) {
        double touch = 0.0;
        for (uint32_t r = 0; r < BLOCKED_MATH_LANES; r++)
            touch += lanes.touch[lanes.size[subset & lanes.shared[r]]];
        const double term = expm1(keys * log1p(-touch / (BLOCKED_MATH_LANES * lines)));
        rate += lanes.size[subset] % 2 == 0 ? term : -term;
    }
    return rate;
}

/* ---- the sum over loads ---- */

/* passes[U] after j keys in the line: the chance that all bits of the subset U of
 * the query are set. Each further key, of each rotation, sets each bit it shares
 * with the query with probability 1/lane: */
static void blocked_math_add_key(double passes[BLOCKED_MATH_SUBSETS], double lane_places,
                                 uint32_t hashes)
{
    const uint32_t subsets = 1U << hashes;
    const double hit = 1.0 / lane_places;
    const uint32_t rotations = hashes < BLOCKED_MATH_LANES ? BLOCKED_MATH_LANES : 1; /* 8 alike */
    double sum[BLOCKED_MATH_SUBSETS] = {0};

    for (uint32_t r = 0; r < rotations; r++) {
        const uint32_t shared = blocked_math_shared(hashes, r);
        double turn[BLOCKED_MATH_SUBSETS];
        memcpy(turn, passes, subsets * sizeof turn[0]);
        for (uint32_t lane = 1; lane < subsets; lane <<= 1) {
            if ((shared & lane) == 0) continue;
            for (uint32_t high = lane; high < subsets; high += 2 * lane)
                for (uint32_t u = high; u < high + lane; u++)
                    turn[u] += hit * (turn[u - lane] - turn[u]);
        }
        for (uint32_t u = 0; u < subsets; u++) sum[u] += turn[u] / rotations;
    }
    memcpy(passes, sum, subsets * sizeof sum[0]);
}

/* sum over j of P(j keys in the query's line) passes(j), with j binomial. Only
 * called where the rate is tiny, so the mean load is low (below 8 keys) and
 * a few dozen terms hold everything. */
static double blocked_math_rate_by_load(double lane, double lines, uint32_t hashes, double keys)
{
    double passes[BLOCKED_MATH_SUBSETS] = {1.0};
    const uint32_t all = (1U << hashes) - 1;
    double weight = lines > 1.0 ? exp(keys * log1p(-1.0 / lines)) : 0.0;
    double rate = 0.0;

    for (double j = 0.0; j < keys; j += 1.0) {
        const double ratio = lines > 1.0 ? (keys - j) / ((j + 1.0) * (lines - 1.0)) : 0.0;
        weight *= ratio;
        blocked_math_add_key(passes, lane, hashes);
        rate += weight * passes[all];
        if (ratio < 0.5 && lines > 1.0 && 2.0 * ratio * weight <= blocked_math_tail * rate) break;
    }
    return lines > 1.0 ? rate : passes[all]; /* one line has every key */
}

/* ---- rate and k ---- */

static double blocked_math_rate_whole(double lane, double lines, uint32_t hashes, double keys)
{
    const double rate = blocked_math_rate_alternating(lane, lines, hashes, keys);

    if (rate >= blocked_math_cancels_below) return fmin(rate, 1.0);
    return blocked_math_rate_by_load(lane, lines, hashes, keys);
}

static double blocked_math_rate_half(double lane, double lines, uint32_t hashes, double keys)
{
    const double whole = floor(keys);
    const double part = keys - whole;
    double rate;

    if (keys >= blocked_math_whole_above) return blocked_math_rate_whole(lane, lines, hashes, keys);
    rate = whole > 0.0 ? blocked_math_rate_whole(lane, lines, hashes, whole) : 0.0;
    if (part > 0.0)
        rate += part * (blocked_math_rate_whole(lane, lines, hashes, whole + 1.0) - rate);
    return rate;
}

double tms_lined_rate(tms_lined layout, uint64_t lines, uint32_t hashes, double keys)
{
    const uint32_t lines_per_key = layout.lines_per_key;
    double half;
    double rate = 1.0;

    if (hashes < 1 || hashes > TMS_BLOCKED_HASHES_MAX) return 1.0;
    if (lines_per_key == 0 || lines < lines_per_key) return 1.0;
    if (!(keys > 0.0)) return 0.0;
    half =
        blocked_math_rate_half(layout.lane_places, (double)(lines / lines_per_key), hashes, keys);
    for (uint32_t i = 0; i < lines_per_key; i++) rate *= half;
    return rate;
}

typedef struct blocked_math_load {
    tms_lined layout;
    uint64_t lines;
    double keys;
} blocked_math_load;

static double blocked_math_rate_of(const void *question, uint32_t hashes)
{
    const blocked_math_load *load = question;

    return tms_lined_rate(load->layout, load->lines, hashes, load->keys);
}

/* Places of a line. */
static double blocked_math_line(tms_lined layout)
{
    return (double)(BLOCKED_MATH_LANES * layout.lane_places);
}

/* The best k and its rate, searched from the k that would half fill a line. */
static uint32_t blocked_math_best(tms_lined layout, uint64_t lines, double keys, double *lowest)
{
    const blocked_math_load load = {layout, lines, keys};
    const double slogan =
        0.6931 * blocked_math_line(layout) * (double)lines / (keys * layout.lines_per_key);

    return tms_search_valley(blocked_math_rate_of, &load, slogan, TMS_BLOCKED_HASHES_MAX, lowest);
}

uint32_t tms_lined_best_hashes(tms_lined layout, uint64_t lines, double keys)
{
    double rate;

    if (lines == 0 || layout.lines_per_key == 0 || !(keys > 0.0)) return 1;
    return blocked_math_best(layout, lines, keys, &rate);
}

double tms_lined_rate_of_line(uint32_t lane_places, const uint8_t lane_ones[8], uint32_t hashes)
{
    double sum = 0.0;

    for (uint32_t r = 0; r < BLOCKED_MATH_LANES; r++) {
        double product = 1.0;
        for (uint32_t i = 0; i < hashes; i++)
            product *= lane_ones[(r + i) % BLOCKED_MATH_LANES] / (double)lane_places;
        sum += product;
    }
    return sum / BLOCKED_MATH_LANES;
}

/* ---- size and capacity: one question, asked of B and of n ---- */

typedef struct blocked_math_question {
    double keys;
    double fpr;
    uint64_t lines;
    tms_lined layout;
    bool never_exceed;
} blocked_math_question;

static double blocked_math_lowest_rate(const blocked_math_question *ask, uint64_t lines,
                                       double keys)
{
    double rate = 1.0;

    if (lines >= ask->layout.lines_per_key) blocked_math_best(ask->layout, lines, keys, &rate);
    return rate;
}

/* The rule of tms_blocked_size: enough for the margin, or 3 % more than the
 * least that meets the bar. */
static bool blocked_math_fits(const blocked_math_question *ask, uint64_t lines, double keys)
{
    const double bar = tms_promise_limit(ask->fpr, tms_promise_rate_bar);
    const double rate = blocked_math_lowest_rate(ask, lines, keys);

    if (ask->never_exceed) return rate <= ask->fpr * tms_promise_never;
    if (rate > bar) return false;
    if (rate <= tms_promise_limit(ask->fpr, blocked_math_margin)) return true;
    lines = (uint64_t)((double)lines / tms_promise_space_bar);
    return blocked_math_lowest_rate(ask, lines - lines % ask->layout.lines_per_key, keys) <= bar;
}

static bool blocked_math_fits_units(const void *question, uint64_t units)
{
    const blocked_math_question *ask = question;

    return blocked_math_fits(ask, units * ask->layout.lines_per_key, ask->keys);
}

static bool blocked_math_fits_keys(const void *question, uint64_t keys)
{
    const blocked_math_question *ask = question;

    return blocked_math_fits(ask, ask->lines, (double)keys);
}

/* Lines per key that a classic filter would take, and a little more: the search
 * starts there. */
static double blocked_math_guess(tms_lined layout, double fpr)
{
    return 1.05 * -log(fpr) / 0.48045 / blocked_math_line(layout);
}

bool tms_lined_size(tms_lined layout, double keys, double fpr, bool never_exceed, uint64_t *lines,
                    uint32_t *hashes)
{
    const blocked_math_question ask = {
        .keys = fmax(keys, 1.0), .fpr = fpr, .layout = layout, .never_exceed = never_exceed};
    const uint32_t lines_per_key = layout.lines_per_key;
    double guess;
    uint64_t limit;
    uint64_t units;

    if (!tms_promise_sensible(keys, fpr) || lines_per_key == 0) return false;
    limit = TMS_BLOCKED_LINES_MAX / lines_per_key;
    guess = fmin(ask.keys * blocked_math_guess(layout, fpr) / lines_per_key, (double)limit);
    if (!tms_search_smallest(blocked_math_fits_units, &ask, (uint64_t)guess, limit, &units))
        return false;
    *lines = units * lines_per_key;
    *hashes = tms_lined_best_hashes(layout, *lines, ask.keys);
    return true;
}

double tms_lined_capacity(tms_lined layout, uint64_t lines, double fpr, bool never_exceed,
                          uint32_t *hashes)
{
    const blocked_math_question ask = {
        .fpr = fpr, .lines = lines, .layout = layout, .never_exceed = never_exceed};
    double guess;
    double keys;

    *hashes = 1;
    if (lines > TMS_BLOCKED_LINES_MAX || layout.lines_per_key == 0) return 0.0;
    if (!tms_promise_sensible(1.0, fpr)) return 0.0;
    guess = fmin((double)lines / blocked_math_guess(layout, fpr), 0x1p61);
    keys = (double)tms_search_largest(blocked_math_fits_keys, &ask, (uint64_t)guess,
                                      UINT64_C(1) << 62);
    *hashes = tms_lined_best_hashes(layout, lines, fmax(keys, 1.0));
    return keys;
}

#undef BLOCKED_MATH_LANES
#undef BLOCKED_MATH_SUBSETS
