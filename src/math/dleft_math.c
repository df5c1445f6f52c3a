/* dleft_math.c - see dleft_math.h.                                          */
#include "math/dleft_math.h"

#include <math.h>

#include "math/promise.h"
#include "math/search.h"

/* The mean load that is planned is this much below the cells of a bucket. The
 * fluid limit of d-left hashing overflows with a chance of 10^-6 at 0.99 (2^10
 * buckets) to 1.24 (2^40) below, the same for every number of cells. */
static const double dleft_math_slack = 1.25;

static const double dleft_math_margin = 1.03;

double tms_dleft_rate(uint64_t rows, uint32_t remainder_bits, double keys)
{
    const double fingerprints = ldexp((double)rows, (int)remainder_bits);

    const double doubled = ldexp(4.0, -(int)remainder_bits); /* keys at 1 and at all ones less 1 */

    if (!(keys > 0.0)) return 0.0;
    if (!(fingerprints > 2.0)) return 1.0;
    return (1.0 - doubled) * -expm1(keys * log1p(-1.0 / fingerprints)) +
           doubled * -expm1(keys * log1p(-2.0 / fingerprints));
}

double tms_dleft_room(uint64_t rows, uint32_t remainder_bits)
{
    const double cells = floor(256.0 / (remainder_bits + 2));

    return floor(4.0 * (double)rows * (cells - dleft_math_slack));
}

uint32_t tms_dleft_widest(uint64_t rows, double keys)
{
    for (uint32_t r = TMS_DLEFT_BITS_MOST; r >= TMS_DLEFT_BITS_LEAST; r--)
        if (tms_dleft_room(rows, r) >= keys) return r;
    return 0;
}

typedef struct dleft_math_question {
    double keys, fpr;
    uint64_t rows;
    bool never_exceed;
} dleft_math_question;

/* Room for the keys, and enough for the margin or 3 % more than the least that
 * meets the bar. */
static bool dleft_math_fits_bits(const dleft_math_question *ask, uint64_t rows, uint32_t r,
                                 double keys)
{
    const double bar = tms_promise_limit(ask->fpr, tms_promise_rate_bar);
    const double rate = tms_dleft_rate(rows, r, keys);

    if (tms_dleft_room(rows, r) < keys) return false;
    if (ask->never_exceed) return rate <= ask->fpr * tms_promise_never;
    if (rate > bar) return false;
    if (rate <= tms_promise_limit(ask->fpr, dleft_math_margin)) return true;
    return tms_dleft_rate((uint64_t)((double)rows / tms_promise_space_bar), r, keys) <= bar;
}

/* The widest remainder that fits, 0 when none does. */
static uint32_t dleft_math_fits(const dleft_math_question *ask, uint64_t rows, double keys)
{
    for (uint32_t r = TMS_DLEFT_BITS_MOST; r >= TMS_DLEFT_BITS_LEAST; r--)
        if (dleft_math_fits_bits(ask, rows, r, keys)) return r;
    return 0;
}

static bool dleft_math_fits_rows(const void *question, uint64_t rows)
{
    const dleft_math_question *ask = question;

    return dleft_math_fits(ask, rows, ask->keys) != 0;
}

static bool dleft_math_fits_keys(const void *question, uint64_t keys)
{
    const dleft_math_question *ask = question;

    return dleft_math_fits(ask, ask->rows, (double)keys) != 0;
}

bool tms_dleft_size(double keys, double fpr, bool never_exceed, uint64_t *rows,
                    uint32_t *remainder_bits)
{
    const dleft_math_question ask = {
        .keys = fmax(keys, 1.0), .fpr = fpr, .never_exceed = never_exceed};
    uint64_t found;

    if (!tms_promise_sensible(keys, fpr)) return false;
    if (!tms_search_smallest(dleft_math_fits_rows, &ask, (uint64_t)(ask.keys / 60.0) + 1,
                             TMS_DLEFT_ROWS_MAX, &found))
        return false;
    *rows = found;
    *remainder_bits = dleft_math_fits(&ask, found, ask.keys);
    return true;
}

double tms_dleft_capacity(uint64_t rows, double fpr, bool never_exceed, uint32_t *remainder_bits)
{
    const dleft_math_question ask = {.fpr = fpr, .rows = rows, .never_exceed = never_exceed};
    uint64_t keys;

    *remainder_bits = TMS_DLEFT_BITS_LEAST;
    if (rows < 1 || rows > TMS_DLEFT_ROWS_MAX || !tms_promise_sensible(1.0, fpr)) return 0.0;
    keys = tms_search_largest(dleft_math_fits_keys, &ask, 60 * rows, UINT64_C(1) << 56);
    if (keys > 0) *remainder_bits = dleft_math_fits(&ask, rows, (double)keys);
    return (double)keys;
}
