/* cuckoo_math.c - see cuckoo_math.h.                                        */
#include "math/cuckoo_math.h"

#include <math.h>

static double cuckoo_fingerprints(const tms_cuckoo_size *s)
{
    return exp2((double)s->bits) - 1;
}

static double cuckoo_buckets(const tms_cuckoo_size *s)
{
    return (double)s->chunks * (double)s->buckets;
}

double tms_cuckoo_rate(const tms_cuckoo_size *s, double keys)
{
    double one = 2 / (cuckoo_buckets(s) * cuckoo_fingerprints(s));
    return -expm1(keys * log1p(-one));
}

double tms_cuckoo_planned_load(uint32_t places)
{
    return places == 2 ? 0.84 : 0.95;
}

/* ---- tails -------------------------------------------------------------- */

/* log n! by Stirling's series, good to 10 digits; lgamma() writes a variable that all
 * threads share. */
static double cuckoo_log_factorial(double n)
{
    double x = n + 1, below = 0;
    for (; x < 9; x++) below += log(x);
    double series = 1 / (12 * x) - 1 / (360 * x * x * x) + 1 / (1260 * x * x * x * x * x);
    return (x - 0.5) * log(x) - x + 0.91893853320467274 + series - below;
}

/* log C(n, k) */
static double cuckoo_log_choose(double n, double k)
{
    return cuckoo_log_factorial(n) - cuckoo_log_factorial(k) - cuckoo_log_factorial(n - k);
}

/* P(at least `least` of `keys` fall where one does with chance p), an upper bound:
 * the first term, and the others as a geometric series. */
static double cuckoo_tail(double keys, double p, double least)
{
    if (least > keys) return 0;
    if (p >= 1 || keys * p >= least) return 1;
    double log_first = cuckoo_log_choose(keys, least) + least * log(p) + (keys - least) * log1p(-p);
    double ratio = (keys - least) / (least + 1) * p / (1 - p);
    return fmin(1, exp(log_first) / (1 - ratio));
}

static double cuckoo_normal_tail(double z)
{
    return 0.5 * erfc(z / sqrt(2));
}

/* ---- keys that share few buckets ---------------------------------------- */

/* A key is an edge between an even and an odd bucket, and a set of a even and c
 * odd ones is crowded when more than places (a + c) edges lie inside. The sum
 * over all sets up to `most` on a side bounds the chance that there is one
 * (edges uniform over all pairs). */
static double cuckoo_crowded_sets(double side, double keys, uint32_t places, uint32_t most)
{
    double sum = 0;
    for (uint32_t a = 1; a <= most && a <= side; a++)
        for (uint32_t c = 1; c <= most && c <= side; c++) {
            double least = places * (a + c) + 1.0;
            if (least > keys) break;
            double sets = cuckoo_log_choose(side, a) + cuckoo_log_choose(side, c);
            sum += exp(sets) * cuckoo_tail(keys, a * c / (side * side), least);
            if (sum >= 1) return 1;
        }
    return sum;
}

/* Few fingerprints make few different pairs, each the likelier. Larger sets than
 * a pair add less than a third to that (simulated for 4 to 7 bits). */
static double cuckoo_crowded_pairs(double side, double partners, double keys, uint32_t places)
{
    double pairs = side * partners;
    return fmin(1, 1.3 * pairs * cuckoo_tail(keys, 1 / pairs, 2.0 * places + 1));
}

static double cuckoo_crowded(const tms_cuckoo_size *s, double keys)
{
    double side = (double)s->buckets / 2;
    double partners = -side * expm1(cuckoo_fingerprints(s) * log1p(-1 / fmax(side, 1.0001)));
    uint32_t most = side <= 32 ? 32 : side <= 2048 ? 4 : 2;
    double sets = cuckoo_crowded_sets(side, keys, s->places, most);
    return fmax(sets, cuckoo_crowded_pairs(side, partners, keys, s->places));
}

/* ---- chunks that get too much ------------------------------------------- */

/* Where chunks stop taking keys, simulated with TMS_CUCKOO_MOVES moves for 16 to
 * 10^5 buckets and 4 to 32 bits: a mean load, less with few fingerprints, and a
 * scatter that shrinks with the size and grows with few fingerprints. */
typedef struct cuckoo_limit {
    double load, scatter;
} cuckoo_limit;

static cuckoo_limit cuckoo_chunk_limit(const tms_cuckoo_size *s)
{
    double few = 63 / cuckoo_fingerprints(s), places = (double)s->buckets * s->places;
    if (s->places == 2)
        return (cuckoo_limit){.load = 0.888 - 0.036 * pow(few, 1.6),
                              .scatter = hypot(0.5 / sqrt(places), 0.0127 * pow(few, 1.4))};
    return (cuckoo_limit){.load = 0.976 - 0.0095 * pow(few, 1.5),
                          .scatter = hypot(0.35 / sqrt(places), 0.003 * few)};
}

/* The keys of a chunk scatter too (binomially, unless there is only one). */
static double cuckoo_overfull(const tms_cuckoo_size *s, double keys)
{
    double chunks = (double)s->chunks, places = (double)s->buckets * s->places;
    double load = keys / (chunks * places);
    cuckoo_limit limit = cuckoo_chunk_limit(s);
    double scatter = hypot(limit.scatter, sqrt(load * (1 - 1 / chunks) / places));
    return cuckoo_normal_tail((limit.load - load) / scatter);
}

double tms_cuckoo_refusal(const tms_cuckoo_size *s, double keys)
{
    double chunks = (double)s->chunks;
    if (keys > cuckoo_buckets(s) * s->places) return 1;
    if (keys <= 2.0 * s->places) return 0; /* the two buckets of any key take that many */
    return fmin(1, chunks * (cuckoo_crowded(s, keys / chunks) + cuckoo_overfull(s, keys)));
}
