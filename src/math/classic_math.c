/* classic_math.c - the occupancy problem behind the classic filter.
 *
 * t = k n throws into m bins leave X bins hit; a query passes when its k throws
 * all land in hit bins, so the rate is E[(X/m)^k]. Two routes lead there, one
 * exact and one asymptotic; above them sit the choice of k, of m and of n.   */
#include "math/classic_math.h"

#include "math/promise.h"
#include "math/search.h"

#include <math.h>
#include <string.h>

#define CLASSIC_MATH_STATES (TMS_CLASSIC_HASHES_MAX + 1)

/* Below this many keys, or bits per hash, the rate is computed exactly. At the
 * border the two routes differ by less than 1e-8 (k = 64) and 1e-9 (k = 7);
 * tests/unit/test_math.c compares them there. */
static const double classic_math_exact_below = 1024.0;

/* How far the plan lets the true rate pass the target. The bar is 1.05: this
 * leaves room for the scheme's own small deviations. */
static const double classic_math_margin = 1.03;

static const double classic_math_ln2 = 0.693147180559945309417232;

/* ---- the exact rate ---- */

/* The chain behind the exact rate. State u: of the bins a query asks for, u have
 * not been hit yet. One throw hits one of them with probability u / m. Then
 *
 *     reach[u] after t throws = P(u given bins are all hit by t throws)
 *
 * and the rate is the mean of reach over the number of distinct bins among a
 * query's k throws. Every number is a sum of products of non-negative numbers,
 * so nothing cancels, however small the rate. t steps are taken by squaring the
 * lower triangular step matrix log2(t) times: k^3 / 6 products each. */
typedef struct classic_math_chain {
    double bits;
    uint32_t hashes;
    double step[CLASSIC_MATH_STATES][CLASSIC_MATH_STATES]; /* [from][to], to <= from */
    double reach[CLASSIC_MATH_STATES];
} classic_math_chain;

static void classic_math_chain_init(classic_math_chain *c, double bits, uint32_t hashes)
{
    memset(c, 0, sizeof *c);
    c->bits = bits;
    c->hashes = hashes;
    c->reach[0] = 1.0;
    for (uint32_t u = 0; u <= hashes; u++) {
        const double hit = fmin((double)u / bits, 1.0);
        c->step[u][u] = 1.0 - hit;
        if (u > 0) c->step[u][u - 1] = hit;
    }
}

/* reach = step * reach, from the last state down so that it works in place. */
static void classic_math_chain_advance(classic_math_chain *c)
{
    for (uint32_t u = c->hashes; u > 0; u--) {
        double sum = 0.0;
        for (uint32_t v = 0; v <= u; v++) sum += c->step[u][v] * c->reach[v];
        c->reach[u] = sum;
    }
}

/* step = step * step. Row u of the product needs rows up to u of the old
 * matrix, so rows are replaced from the last one up. */
static void classic_math_chain_square(classic_math_chain *c)
{
    for (uint32_t u = c->hashes; u > 0; u--) {
        double row[CLASSIC_MATH_STATES] = {0};
        for (uint32_t v = 0; v <= u; v++) {
            const double weight = c->step[u][v];
            for (uint32_t w = 0; w <= v; w++) row[w] += weight * c->step[v][w];
        }
        memcpy(c->step[u], row, (u + 1) * sizeof row[0]);
    }
}

/* Moves `reach` by t throws; a fraction of a throw is a lazy step. */
static void classic_math_chain_throw(classic_math_chain *c, double throws)
{
    uint64_t whole = (uint64_t)throws;
    const double part = throws - (double)whole;

    for (; whole > 0; whole >>= 1) {
        if (whole & 1) classic_math_chain_advance(c);
        if (whole > 1) classic_math_chain_square(c);
    }
    for (uint32_t u = c->hashes; part > 0.0 && u > 0; u--) {
        const double hit = part * fmin((double)u / c->bits, 1.0);
        c->reach[u] += hit * (c->reach[u - 1] - c->reach[u]);
    }
}

/* The mean of reach over d, the number of distinct bins among k throws. */
static double classic_math_chain_rate(const classic_math_chain *c)
{
    const double bits = c->bits;
    double distinct[CLASSIC_MATH_STATES] = {1.0};
    double rate = 0.0;

    for (uint32_t thrown = 0; thrown < c->hashes; thrown++) {
        for (uint32_t d = thrown + 1; d > 0; d--) {
            const double fresh = fmax((bits - (double)(d - 1)) / bits, 0.0);
            distinct[d] = distinct[d] * ((double)d / bits) + distinct[d - 1] * fresh;
        }
        distinct[0] = 0.0;
    }
    for (uint32_t d = 0; d <= c->hashes; d++) rate += distinct[d] * c->reach[d];
    return fmin(rate, 1.0);
}

static double classic_math_rate_exact(double bits, uint32_t hashes, double throws)
{
    classic_math_chain chain;

    classic_math_chain_init(&chain, bits, hashes);
    classic_math_chain_throw(&chain, throws);
    return classic_math_chain_rate(&chain);
}

/* ---- the expansion for large filters ---- */

double tms_occupancy_spread(double load)
{
    const double x = load;

    if (x > 0.01) return 1.0 - (1.0 + x) * exp(-x);
    return x * x * (0.5 - x * (1.0 / 3 - x * (1.0 / 8 - x * (1.0 / 30 - x / 144))));
}

/* The logarithm of E[X^k] to second order in 1/m, from the mean, variance and
 * third cumulant of X:
 *
 *   k ln f + C(k,2) v + C(k,3) s - k(k-1)(2k-3)/4 v^2
 *
 * with f = 1 - q, q = (1 - 1/m)^t, L = -ln q, psi = 1 - (1 + L) e^-L and
 *   v = var / mean^2         = q (psi + q L (L - 1) / 2m) / (m f^2)
 *   s = 3rd cumulant / mean^3 = q (psi - 2 psi^2 - q^2 L^2) / (m^2 f^3).
 * What is left out is of the order k^4 / m^3 and k^4 / (t^2 m). */
static double classic_math_rate_expanded(double bits, double hashes, double throws)
{
    const double load = -throws * log1p(-1.0 / bits);
    const double q = exp(-load);
    const double fill = -expm1(-load);
    const double psi = tms_occupancy_spread(load);
    const double v = q * (psi + q * load * (load - 1.0) / (2.0 * bits)) / (bits * fill * fill);
    const double s =
        q * (psi - 2.0 * psi * psi - q * q * load * load) / (bits * bits * fill * fill * fill);
    const double k = hashes;
    const double log_fill = q < 0.5 ? log1p(-q) : log(fill);
    const double correction = k * (k - 1.0) / 2.0 * v + k * (k - 1.0) * (k - 2.0) / 6.0 * s -
                              k * (k - 1.0) * (2.0 * k - 3.0) / 4.0 * v * v;

    return fmin(exp(k * log_fill + correction), 1.0);
}

/* ---- rate and k ---- */

double tms_classic_rate(uint64_t bits, uint32_t hashes, double keys)
{
    const double m = (double)bits;
    const double k = (double)hashes;

    if (bits == 0 || hashes == 0) return 1.0;
    if (!(keys > 0.0)) return 0.0;
    if (bits == 1 || keys * k > 800.0 * m) return 1.0; /* not a zero is left */
    if (hashes <= TMS_CLASSIC_HASHES_MAX &&
        (keys < classic_math_exact_below || m < k * classic_math_exact_below))
        return classic_math_rate_exact(m, hashes, k * keys);
    return classic_math_rate_expanded(m, k, k * keys);
}

typedef struct classic_math_load {
    uint64_t bits;
    double keys;
} classic_math_load;

static double classic_math_rate_of(const void *question, uint32_t hashes)
{
    const classic_math_load *load = question;

    return tms_classic_rate(load->bits, hashes, load->keys);
}

/* The best k and its rate, searched from the textbook's (m / n) ln 2. */
static uint32_t classic_math_best(uint64_t bits, double keys, double *lowest)
{
    const classic_math_load load = {bits, keys};
    const double slogan = classic_math_ln2 * (double)bits / keys;

    return tms_search_valley(classic_math_rate_of, &load, slogan, TMS_CLASSIC_HASHES_MAX, lowest);
}

uint32_t tms_classic_best_hashes(uint64_t bits, double keys)
{
    double rate;

    if (bits == 0 || !(keys > 0.0)) return 1;
    return classic_math_best(bits, keys, &rate);
}

/* ---- size and capacity: one question, asked of m and of n ---- */

typedef struct classic_math_question {
    double keys;
    double fpr;
    uint64_t bits;
    uint64_t multiple;
    bool never_exceed;
} classic_math_question;

static double classic_math_textbook_bits(double keys, double fpr)
{
    return ceil(keys * -log(fpr) / (classic_math_ln2 * classic_math_ln2));
}

static double classic_math_lowest_rate(uint64_t bits, double keys)
{
    double rate = 1.0;

    if (bits > 0) classic_math_best(bits, keys, &rate);
    return rate;
}

/* The rule of tms_classic_size: enough for the textbook and for the margin, or
 * 3 % more than the least that meets the bar. */
static bool classic_math_fits(const classic_math_question *ask, uint64_t bits, double keys)
{
    const double bar = tms_promise_limit(ask->fpr, tms_promise_rate_bar);
    const double rate = classic_math_lowest_rate(bits, keys);

    if (ask->never_exceed) return rate <= ask->fpr * tms_promise_never;
    if (rate > bar) return false;
    if (rate <= tms_promise_limit(ask->fpr, classic_math_margin) &&
        classic_math_textbook_bits(keys, ask->fpr) <= (double)bits)
        return true;
    return classic_math_lowest_rate((uint64_t)((double)bits / tms_promise_space_bar), keys) <= bar;
}

static bool classic_math_fits_units(const void *question, uint64_t units)
{
    const classic_math_question *ask = question;

    return classic_math_fits(ask, units * ask->multiple, ask->keys);
}

static bool classic_math_fits_keys(const void *question, uint64_t keys)
{
    const classic_math_question *ask = question;

    return classic_math_fits(ask, ask->bits, (double)keys);
}

bool tms_classic_size(double keys, double fpr, bool never_exceed, uint64_t multiple, uint64_t *bits,
                      uint32_t *hashes)
{
    const classic_math_question ask = {.keys = fmax(keys, 1.0),
                                       .fpr = fpr,
                                       .multiple = multiple == 0 ? 4 : multiple,
                                       .never_exceed = never_exceed};
    const uint64_t limit = TMS_CLASSIC_BITS_MAX / ask.multiple;
    double guess;
    uint64_t units;

    if (!tms_promise_sensible(keys, fpr) || limit == 0) return false;
    guess = ceil(classic_math_textbook_bits(ask.keys, fpr) / (double)ask.multiple);
    if (guess > (double)limit) return false;
    if (!tms_search_smallest(classic_math_fits_units, &ask, (uint64_t)guess, limit, &units))
        return false;
    *bits = units * ask.multiple;
    *hashes = tms_classic_best_hashes(*bits, ask.keys);
    return true;
}

double tms_classic_capacity(uint64_t bits, double fpr, bool never_exceed, uint32_t *hashes)
{
    const classic_math_question ask = {.fpr = fpr, .bits = bits, .never_exceed = never_exceed};
    double guess;
    double keys;

    *hashes = 1;
    if (bits > TMS_CLASSIC_BITS_MAX || !tms_promise_sensible(1.0, fpr)) return 0.0;
    guess = fmin((double)bits / classic_math_textbook_bits(1e6, fpr) * 1e6, 0x1p61);
    keys = (double)tms_search_largest(classic_math_fits_keys, &ask, (uint64_t)guess,
                                      UINT64_C(1) << 62);
    *hashes = tms_classic_best_hashes(bits, fmax(keys, 1.0));
    return keys;
}

#undef CLASSIC_MATH_STATES
