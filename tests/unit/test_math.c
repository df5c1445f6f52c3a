/* test_math.c - the numbers the planner and the diagnosis stand on.
 *
 * Reference values were computed outside the library with 120 to 400 decimal
 * digits from the defining sums (docs/math.md names them). Simulations use fixed
 * seeds, so they either always pass or never; their bounds are at least three
 * standard deviations wide.                                                  */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"
#include "math/blocked_math.h"
#include "math/classic_math.h"
#include "math/estimate.h"
#include "math/search.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static void check(const char *why, bool holds, double got, double want)
{
    if (holds) return;
    fail_msg("%s: got %.12g, want %.12g", why, got, want);
}

static void check_near(const char *why, double got, double want, double relative)
{
    check(why, fabs(got - want) <= relative * fabs(want), got, want);
}

static uint64_t math_random(uint64_t *state)
{
    return tms_mix64(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* ---- classic ---- */

static void classic_rate_meets_reference(void **state)
{
    static const struct {
        const char *why;
        uint64_t bits;
        uint32_t hashes;
        double keys;
        double want;
    } rows[] = {
        {"by hand: half of the time one bit, half of the time two", 2, 2, 1, 0.625},
        {"a few bits", 8, 2, 3, 0.314239978790283203},
        {"one key in one word", 64, 7, 1, 1.50230933761368785e-07},
        {"ten keys near 1 %", 96, 7, 10, 1.08880811715449735e-02},
        {"ten keys near 1e-6", 300, 18, 10, 7.22633225557991218e-07},
        {"most hashes, few bits", 1024, 64, 10, 9.55337167682749146e-22},
        {"last exact size for 7 hashes", 7167, 7, 747, 1.00050154898981124e-02},
        {"last exact number of keys", 10240, 7, 1023, 8.16214645938164937e-03},
        {"first expanded number of keys", 10240, 7, 1024, 8.20078778279196077e-03},
        {"last exact, worst k", 70000, 64, 1023, 1.41904060639494764e-14},
        {"first expanded, worst k", 70000, 64, 1024, 1.47365672188046628e-14},
        {"last exact size, overfull", 65535, 64, 2000, 5.62844082475263320e-05},
        {"first expanded size, overfull", 65536, 64, 2000, 5.62666706451421690e-05},
        {"nearly empty", 1000000, 50, 1024, 8.13280628517773189e-66},
        {"lowest rate a 64-bit digest allows", 10000000, 60, 115000, 7.17724396842776716e-19},
        {"2e8 keys at 1 %", 1917011676, 7, 2e8, 1.00392176905736326e-02},
        {"largest size", UINT64_C(1) << 60, 7, 1024, 3.59077173301223028e-100},
        {"no keys", 1000, 7, 0, 0},
        {"no bits let everything pass", 0, 7, 1, 1},
        {"no hashes let everything pass", 1000, 0, 1, 1},
        {"one bit", 1, 3, 1, 1},
        {"hopelessly full", 1000, 7, 1e11, 1},
        {"endlessly full", 1000, 7, INFINITY, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_near(rows[i].why, tms_classic_rate(rows[i].bits, rows[i].hashes, rows[i].keys),
                   rows[i].want, 1e-8);
}

/* Published tables print (1 - e^(-kn/m))^k to three digits (Fan et al. 2000). */
static void classic_rate_meets_published(void **state)
{
    static const struct {
        const char *why;
        double bits_per_key;
        uint32_t hashes;
        double want;
    } rows[] = {
        {"8 bits, 5 hashes", 8, 5, 0.0217},       {"8 bits, 6 hashes", 8, 6, 0.0216},
        {"10 bits, best k", 10, 7, 0.00819},      {"10 bits, one hash", 10, 1, 0.0952},
        {"16 bits, best k", 16, 11, 0.000459},    {"starved filter", 1, 1, 0.632},
        {"32 bits, 8 hashes", 32, 8, 0.00000573},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_near(rows[i].why,
                   tms_classic_rate((uint64_t)(rows[i].bits_per_key * 1e8), rows[i].hashes, 1e8),
                   rows[i].want, 2.5e-3);
}

static void classic_rate_interpolates_keys(void **state)
{
    (void)state;
    for (double keys = 0.25; keys < 1025.0; keys += 7.375) {
        const double at = tms_classic_rate(9000, 6, keys);
        const double more = tms_classic_rate(9000, 6, keys + 0.125);
        check("a fraction of a key counts", at > 0 && more > at && more < 4 * at, more, at);
    }
}

static void classic_best_hashes_is_best(void **state)
{
    static const double keys[] = {1, 2, 5, 10, 100, 1023, 1024, 1e6, 1e9};
    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++)
        for (double bits_per_key = 0.4; bits_per_key < 60; bits_per_key *= 1.9) {
            const uint64_t bits = (uint64_t)(keys[i] * bits_per_key) + 1;
            const uint32_t best = tms_classic_best_hashes(bits, keys[i]);
            const double rate = tms_classic_rate(bits, best, keys[i]);
            assert_in_range(best, 1, 64);
            for (uint32_t k = 1; k <= 64; k += k < 24 ? 1 : 8)
                check("no k is better", tms_classic_rate(bits, k, keys[i]) >= rate,
                      tms_classic_rate(bits, k, keys[i]), rate);
        }
    assert_int_equal(tms_classic_best_hashes(1000, 0), 1);
    assert_int_equal(tms_classic_best_hashes(0, 10), 1);
    assert_int_equal(tms_classic_best_hashes(1, 1e9), 1);
}

static void classic_size_meets_the_issue(void **state)
{
    static const struct {
        const char *why;
        double keys, fpr;
        bool never_exceed;
        uint64_t multiple, bits;
        uint32_t hashes;
        double rate;
    } rows[] = {
        {"2e8 names at 1 %", 2e8, 0.01, false, 4, 1917011676, 7, 0.010039},
        {"0 means 4", 2e8, 0.01, false, 0, 1917011676, 7, 0.010039},
        {"never above 1 %", 2e8, 0.01, true, 4, 1918590944, 7, 0.01},
        {"foldable by 64", 2e8, 0.01, false, 256, 1917011712, 7, 0.010039},
        {"two thirds more hashes than ln 2 says is no help", 1e8, 0.0001, false, 4, 1917011676, 13,
         0.00010013},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t bits = 0;
        uint32_t hashes = 0;
        assert_true(tms_classic_size(rows[i].keys, rows[i].fpr, rows[i].never_exceed,
                                     rows[i].multiple, &bits, &hashes));
        check(rows[i].why, bits == rows[i].bits, (double)bits, (double)rows[i].bits);
        check(rows[i].why, hashes == rows[i].hashes, hashes, rows[i].hashes);
        check_near(rows[i].why, tms_classic_rate(bits, hashes, rows[i].keys), rows[i].rate, 5e-5);
    }
}

static double classic_lowest(uint64_t bits, double keys)
{
    return bits == 0 ? 1.0 : tms_classic_rate(bits, tms_classic_best_hashes(bits, keys), keys);
}

/* One size against the two bars of design: the rate, and the space. */
static void classic_check_size(double keys, double fpr)
{
    const double bar = fmin(1.05 * fpr, 0.5 + 0.5 * fpr);
    uint64_t bits = 0, strict = 0;
    uint32_t hashes = 0, again = 0;
    char why[80];

    snprintf(why, sizeof why, "%g keys at %g", keys, fpr);
    assert_true(tms_classic_size(keys, fpr, false, 4, &bits, &hashes));
    const double rate = tms_classic_rate(bits, hashes, keys);
    const uint64_t spare = (uint64_t)((double)bits / 1.0301);
    check(why, rate <= bar * (1 + 1e-9), rate, bar);
    check(why, bits % 4 == 0, (double)bits, 0);
    if (spare > 512 + 4)
        check(why, classic_lowest(spare - 512 - 4, keys) > bar, (double)bits, (double)spare);
    check(why, tms_classic_capacity(bits, fpr, false, &again) >= keys, 0, keys);

    assert_true(tms_classic_size(keys, fpr, true, 4, &strict, &hashes));
    check(why, tms_classic_rate(strict, hashes, keys) <= fpr * (1 + 1e-8), rate, fpr);
    check(why, strict >= bits, (double)strict, (double)bits);
    if (strict > 4)
        check(why, classic_lowest(strict - 4, keys) > fpr, classic_lowest(strict - 4, keys), fpr);
    check(why, tms_classic_capacity(strict, fpr, true, &again) >= keys, 0, keys);
}

static void classic_size_keeps_the_promise(void **state)
{
    static const double keys[] = {1, 2, 10, 64, 1000, 1e4, 1e6, 1e11};
    static const double rates[] = {0.999, 0.9, 0.5, 0.3, 0.2, 0.1, 0.01, 1e-4, 1e-6};
    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++)
        for (size_t j = 0; j < COUNT(rates); j++) classic_check_size(keys[i], rates[j]);
    classic_check_size(10, 1e-15);
    classic_check_size(1e11, 1e-15);
}

static void classic_size_refuses_nonsense(void **state)
{
    static const struct {
        const char *why;
        double keys, fpr;
        uint64_t multiple;
        bool ok;
    } rows[] = {
        {"no keys are planned as one", 0, 0.01, 4, true},
        {"fewer than none", -1, 0.01, 4, false},
        {"not a number", NAN, 0.01, 4, false},
        {"endless keys", INFINITY, 0.01, 4, false},
        {"rate 0", 10, 0, 4, false},
        {"rate 1", 10, 1, 4, false},
        {"rate above 1", 10, 2, 4, false},
        {"rate not a number", 10, NAN, 4, false},
        {"past 2^60 bits", 1e18, 0.01, 4, false},
        {"multiple past 2^60 bits", 10, 0.01, UINT64_MAX, false},
        {"2^50 bits", 1.17e14, 0.01, 4, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t bits = 77;
        uint32_t hashes = 77;
        const bool ok =
            tms_classic_size(rows[i].keys, rows[i].fpr, false, rows[i].multiple, &bits, &hashes);
        check(rows[i].why, ok == rows[i].ok, ok, rows[i].ok);
        if (!ok) check(rows[i].why, bits == 77 && hashes == 77, (double)bits, 77);
    }
}

static void classic_capacity_is_the_last_that_fits(void **state)
{
    uint32_t hashes = 0;
    (void)state;
    for (uint64_t bits = 64; bits < UINT64_C(1) << 51; bits *= 23) {
        const double keys = tms_classic_capacity(bits, 0.001, true, &hashes);
        check("fits", tms_classic_rate(bits, hashes, keys) <= 0.001 * (1 + 1e-8), keys, 0);
        check("one more does not", classic_lowest(bits, (keys + 1) * (1 + 1e-8)) > 0.001, keys, 0);
    }
    check("not even one key", tms_classic_capacity(4, 1e-9, false, &hashes) == 0, 0, 0);
    check("no bits", tms_classic_capacity(0, 0.5, false, &hashes) == 0, 0, 0);
    check("no rate", tms_classic_capacity(1000, 0, false, &hashes) == 0, 0, 0);
}

/* The mean of (X/m)^k over many filters is the rate, without a query. */
static void classic_rate_meets_simulation(void **state)
{
    static const struct {
        const char *why;
        uint32_t bits, hashes, keys;
        double within;
    } rows[] = {
        {"ten keys at 1e-6", 292, 19, 10, 0.03}, /* 1 sd 0.008 */
        {"ten keys at 1 %", 96, 7, 10, 0.015},   /* 1 sd 0.004 */
        {"three keys", 24, 5, 3, 0.02},          /* 1 sd 0.006 */
    };
    uint64_t seed = 1;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double sum = 0;
        for (int filter = 0; filter < 20000; filter++) {
            uint8_t bits[300] = {0};
            uint32_t ones = 0;
            for (uint32_t t = 0; t < rows[i].keys * rows[i].hashes; t++) {
                uint8_t *bit = &bits[tms_mulhi(math_random(&seed), rows[i].bits)];
                ones += *bit == 0;
                *bit = 1;
            }
            sum += pow((double)ones / rows[i].bits, rows[i].hashes);
        }
        check_near(rows[i].why, sum / 20000,
                   tms_classic_rate(rows[i].bits, rows[i].hashes, rows[i].keys), rows[i].within);
    }
}

/* ---- blocked ---- */

static void blocked_rate_meets_reference(void **state)
{
    static const struct {
        const char *why;
        uint64_t lines;
        uint32_t hashes, lines_per_key;
        double keys, want;
    } rows[] = {
        {"by hand: one bit of 512", 1, 1, 1, 1, 1.0 / 512},
        {"by hand: 64^-8", 1, 8, 1, 1, 0x1p-48},
        {"by hand: half x same window x 64^-3", 2, 3, 1, 1, 0.5 / 8 / 262144},
        {"ten lines", 10, 5, 1, 30, 1.23237120747843581e-07},
        {"sum over loads, few keys", 10, 7, 1, 10, 3.35180703656307249e-11},
        {"sum over loads, light", 1000, 8, 1, 300, 1.64119830519490558e-13},
        {"sum over loads, heavier", 1000000, 7, 1, 3e6, 5.42519078319552828e-09},
        {"lowest rate a 64-bit digest allows", 1000000, 8, 1, 300, 1.10388575042733533e-18},
        {"two lines", 1000000, 8, 2, 300000, 2.74496238773179311e-24},
        {"8 bits per key", 15625, 5, 1, 1e6, 2.34312046440350516e-02},
        {"10 bits per key", 19532, 6, 1, 1e6, 9.72518862849724129e-03},
        {"12 bits per key", 23438, 7, 1, 1e6, 4.19275049024802563e-03},
        {"16 bits per key", 31250, 8, 1, 1e6, 9.08866089142014010e-04},
        {"5e11 keys", 10000000000, 6, 1, 512e9, 9.72679679073579564e-03},
        {"two lines, many", 10000000000, 8, 2, 1e9, 2.52595987022320326e-27},
        {"overfull", 1000, 1, 1, 200000, 3.23366411953886213e-01},
        {"no keys", 10, 6, 1, 0, 0},
        {"no lines", 0, 6, 1, 1, 1},
        {"too few lines for two", 1, 6, 2, 1, 1},
        {"no hashes", 10, 0, 1, 1, 1},
        {"too many hashes", 10, 9, 1, 1, 1},
        {"hopelessly full", 10, 6, 1, 1e11, 1},
        {"endlessly full", 10, 6, 1, INFINITY, 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_near(
            rows[i].why,
            tms_blocked_rate(rows[i].lines, rows[i].hashes, rows[i].lines_per_key, rows[i].keys),
            rows[i].want, 1e-6);
}

static void blocked_rate_meets_the_issue(void **state)
{
    static const struct {
        const char *why;
        double bits_per_key, bar;
        uint32_t hashes;
    } rows[] = {
        {"8 bits per key", 8, 0.024, 5},
        {"10 bits per key", 10, 0.0098, 6},
        {"12 bits per key", 12, 0.00425, 7},
        {"16 bits per key", 16, 0.00092, 8},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint64_t lines = (uint64_t)(rows[i].bits_per_key * 1e8 / 512);
        const double rate = tms_blocked_rate(lines, rows[i].hashes, 1, 1e8);
        check(rows[i].why, rate <= rows[i].bar, rate, rows[i].bar);
        assert_int_equal(tms_blocked_best_hashes(lines, 1, 1e8), rows[i].hashes);
    }
}

/* Where one way of computing hands over to the other, nothing may jump. */
static void blocked_rate_is_smooth(void **state)
{
    (void)state;
    for (uint32_t k = 4; k <= 8; k++) {
        double before = 0;
        for (double keys = 50000; keys < 900000; keys *= 1.0005) {
            const double rate = tms_blocked_rate(100000, k, 1, keys);
            check("rises", rate > before, rate, before);
            check("does not jump", before == 0 || rate < before * 1.005, rate, before);
            before = rate;
        }
    }
}

static void blocked_best_hashes_is_best(void **state)
{
    (void)state;
    for (uint64_t lines = 2; lines < 100000; lines = lines * 7 + 2)
        for (double load = 0.5; load < 1000; load *= 1.7)
            for (uint32_t per_key = 1; per_key <= 2; per_key++) {
                const double keys = ceil(load * (double)lines);
                const uint32_t best = tms_blocked_best_hashes(lines, per_key, keys);
                const double rate = tms_blocked_rate(lines, best, per_key, keys);
                for (uint32_t k = 1; k <= 8; k++)
                    check("no k is better", tms_blocked_rate(lines, k, per_key, keys) >= rate, k,
                          best);
            }
    assert_int_equal(tms_blocked_best_hashes(10, 1, 0), 1);
    assert_int_equal(tms_blocked_best_hashes(0, 1, 10), 1);
}

static double blocked_lowest(uint64_t lines, uint32_t per_key, double keys)
{
    if (lines < per_key) return 1.0;
    return tms_blocked_rate(lines, tms_blocked_best_hashes(lines, per_key, keys), per_key, keys);
}

static void blocked_check_size(double keys, double fpr, uint32_t per_key)
{
    const double bar = fmin(1.05 * fpr, 0.5 + 0.5 * fpr);
    uint64_t lines = 0, strict = 0;
    uint32_t hashes = 0, again = 0;
    char why[80];

    snprintf(why, sizeof why, "%g keys at %g, %u lines a key", keys, fpr, (unsigned)per_key);
    assert_true(tms_blocked_size(keys, fpr, false, per_key, &lines, &hashes));
    const double rate = tms_blocked_rate(lines, hashes, per_key, keys);
    const uint64_t spare = (uint64_t)((double)lines / 1.0301);
    check(why, rate <= bar * (1 + 1e-9), rate, bar);
    check(why, lines % per_key == 0, (double)lines, 0);
    if (spare > 2 * per_key)
        check(why, blocked_lowest(spare - spare % per_key - per_key, per_key, keys) > bar,
              (double)lines, (double)spare);
    check(why, tms_blocked_capacity(lines, fpr, false, per_key, &again) >= keys * (1 - 1e-8), 0,
          keys);

    assert_true(tms_blocked_size(keys, fpr, true, per_key, &strict, &hashes));
    check(why, tms_blocked_rate(strict, hashes, per_key, keys) <= fpr * (1 + 1e-8), 0, fpr);
    check(why, strict >= lines, (double)strict, (double)lines);
    if (strict > per_key)
        check(why, blocked_lowest(strict - per_key, per_key, keys) > fpr * (1 - 1e-7), 0, fpr);
}

static void blocked_size_keeps_the_promise(void **state)
{
    static const double keys[] = {1, 10, 1000, 1e6, 1e11};
    static const double rates[] = {0.999, 0.9, 0.5, 0.3, 0.1, 0.01, 1e-4, 1e-6};
    uint64_t lines = 77;
    uint32_t hashes = 77;
    (void)state;
    for (size_t i = 0; i < COUNT(keys); i++)
        for (size_t j = 0; j < COUNT(rates); j++)
            for (uint32_t per_key = 1; per_key <= 2; per_key++)
                blocked_check_size(keys[i], rates[j], per_key);
    blocked_check_size(1e11, 1e-15, 2);
    assert_false(tms_blocked_size(1e18, 0.01, false, 1, &lines, &hashes));
    assert_false(tms_blocked_size(10, 0, false, 1, &lines, &hashes));
    assert_false(tms_blocked_size(10, 0.01, false, 0, &lines, &hashes));
    assert_false(tms_blocked_size(NAN, 0.01, false, 1, &lines, &hashes));
    assert_int_equal(lines, 77);
    assert_true(tms_blocked_size(0, 0.01, false, 1, &lines, &hashes));
    assert_int_equal(lines, 1);
    check("no lines", tms_blocked_capacity(0, 0.01, false, 1, &hashes) == 0, 0, 0);
    check("no rate", tms_blocked_capacity(10, 1, false, 1, &hashes) == 0, 0, 0);
}

static void blocked_rate_of_line_is_a_mean_over_windows(void **state)
{
    static const struct {
        const char *why;
        uint8_t ones[8];
        uint32_t hashes;
        double want;
    } rows[] = {
        {"empty", {0}, 6, 0},
        {"full", {64, 64, 64, 64, 64, 64, 64, 64}, 6, 1},
        {"even", {32, 32, 32, 32, 32, 32, 32, 32}, 5, 1.0 / 32},
        {"one lane full: one window of one", {64}, 1, 1.0 / 8},
        {"two neighbours full, across the edge", {64, 0, 0, 0, 0, 0, 0, 64}, 2, 1.0 / 8},
        {"apart: no window", {64, 0, 64}, 2, 0},
        {"all lanes count", {1, 64, 64, 64, 64, 64, 64, 64}, 8, 1.0 / 64},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_near(rows[i].why, tms_blocked_rate_of_line(rows[i].ones, rows[i].hashes),
                   rows[i].want, 1e-12);
}

/* ---- the layout in small, for simulations ---- */

enum { SIM_LINES = 600 };

typedef struct sim_table {
    uint64_t lane[SIM_LINES][8];
    uint32_t lines, hashes;
} sim_table;

static void sim_add(sim_table *t, uint64_t digest)
{
    const uint64_t pattern = digest * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t *line = t->lane[tms_mulhi(digest, t->lines)];

    for (uint32_t i = 0; i < t->hashes; i++) {
        const uint32_t lane = (uint32_t)((pattern >> 61) + i) % 8;
        line[lane] |= UINT64_C(1) << ((pattern >> (7 * lane)) & 63);
    }
}

static void sim_fill(sim_table *t, uint32_t lines, uint32_t hashes, uint32_t keys, uint64_t *seed)
{
    memset(t, 0, sizeof *t);
    t->lines = lines;
    t->hashes = hashes;
    for (uint32_t i = 0; i < keys; i++) sim_add(t, math_random(seed));
}

/* Averages the exact rate of each simulated line, which needs no queries. */
static void blocked_rate_meets_simulation(void **state)
{
    static const struct {
        const char *why;
        uint32_t hashes, keys;
        double within;
    } rows[] = {
        {"8 bits per key", 5, SIM_LINES * 64, 0.005},  /* 1 sd 0.001 */
        {"10 bits per key", 6, SIM_LINES * 51, 0.006}, /* 1 sd 0.0015 */
        {"12 bits per key", 7, SIM_LINES * 43, 0.009}, /* 1 sd 0.002 */
        {"16 bits per key", 8, SIM_LINES * 32, 0.015}, /* 1 sd 0.003 */
        {"three times too many", 6, SIM_LINES * 154, 0.005},
        {"few hashes", 2, SIM_LINES * 100, 0.005},
    };
    static sim_table t;
    uint64_t seed = 7;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double sum = 0;
        for (int filter = 0; filter < 15; filter++) {
            sim_fill(&t, SIM_LINES, rows[i].hashes, rows[i].keys, &seed);
            for (uint32_t line = 0; line < SIM_LINES; line++) {
                uint8_t ones[8];
                for (int j = 0; j < 8; j++) ones[j] = (uint8_t)tms_popcount64(t.lane[line][j]);
                sum += tms_blocked_rate_of_line(ones, rows[i].hashes);
            }
        }
        check_near(rows[i].why, sum / (15 * SIM_LINES),
                   tms_blocked_rate(SIM_LINES, rows[i].hashes, 1, rows[i].keys), rows[i].within);
    }
}

/* ---- estimates ---- */

static void classic_estimate_has_edges(void **state)
{
    static const struct {
        const char *why;
        uint64_t bits, ones;
        uint32_t hashes;
        double least, most; /* bounds on keys */
        bool saturated;
    } rows[] = {
        {"empty", 1000, 0, 7, 0, 0, false},
        {"no bits", 0, 0, 7, 0, 0, false},
        {"one key in a large table", 1000000, 7, 7, 0.9999, 1.0001, false},
        {"half full", 9600, 4800, 7, 949, 952, false},
        {"full", 1000, 1000, 7, 750, 800, true},
        {"more ones than bits reads as full", 1000, 2000, 7, 750, 800, true},
        {"a handful of zeros among many", 1000000, 999995, 7, 1.6e6, 1.8e6, true},
        {"ten zeros still count", 1000000, 999990, 7, 1.6e6, 1.7e6, false},
        {"the smallest table, full", 1, 1, 1, 1, 1, true},
        {"2^60 bits, one key", UINT64_C(1) << 60, 7, 7, 0.9999, 1.0001, false},
        {"2^60 bits, half full", UINT64_C(1) << 60, UINT64_C(1) << 59, 1, 7.99e17, 7.9918e17,
         false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const tms_estimate e = tms_classic_estimate(rows[i].bits, rows[i].hashes, rows[i].ones);
        check(rows[i].why, e.keys >= rows[i].least && e.keys <= rows[i].most, e.keys,
              rows[i].least);
        check(rows[i].why, e.saturated == rows[i].saturated, e.saturated, rows[i].saturated);
        check(rows[i].why, e.low <= e.keys && e.keys <= e.high, e.low, e.high);
        check(rows[i].why, e.saturated == (e.high == INFINITY), e.high, 0);
    }
}

/* Bias and coverage of an estimator over many filters with `keys` keys each. */
typedef struct sim_verdict {
    double sum, covered;
    int filters;
} sim_verdict;

static void sim_judge(sim_verdict *v, tms_estimate e, double keys)
{
    v->sum += e.keys;
    v->covered += e.low <= keys && keys <= e.high;
    v->filters++;
}

static void sim_close(const char *why, const sim_verdict *v, double keys, double bias)
{
    check_near(why, v->sum / v->filters, keys, bias);
    check(why, v->covered >= 0.92 * v->filters, v->covered / v->filters, 0.95);
}

static void classic_estimate_is_unbiased(void **state)
{
    static const struct {
        const char *why;
        uint32_t bits, hashes, keys;
        double bias; /* at least 3 sd of the mean of 4000 filters */
    } rows[] = {
        {"a single key", 64, 4, 1, 0.005},        {"a small filter", 288, 20, 10, 0.003},
        {"at capacity", 960, 7, 95, 0.002},       {"twice over", 960, 7, 190, 0.002},
        {"three times over", 960, 7, 285, 0.002},
    };
    uint64_t seed = 3;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        sim_verdict v = {0};
        for (int filter = 0; filter < 4000; filter++) {
            uint8_t bits[960] = {0};
            uint32_t ones = 0;
            for (uint32_t t = 0; t < rows[i].keys * rows[i].hashes; t++) {
                uint8_t *bit = &bits[tms_mulhi(math_random(&seed), rows[i].bits)];
                ones += *bit == 0;
                *bit = 1;
            }
            sim_judge(&v, tms_classic_estimate(rows[i].bits, rows[i].hashes, ones), rows[i].keys);
        }
        sim_close(rows[i].why, &v, rows[i].keys, rows[i].bias);
    }
}

static tms_estimate sim_estimate(const sim_table *t, const tms_line_estimator *by_ones)
{
    double keys = 0, variance = 0;
    uint64_t full = 0;

    for (uint32_t line = 0; line < t->lines; line++) {
        uint32_t ones = 0;
        for (int j = 0; j < 8; j++) ones += tms_popcount64(t->lane[line][j]);
        keys += by_ones->keys[ones];
        variance += by_ones->variance[ones];
        full += ones == 512;
    }
    return tms_estimate_close(keys, variance, tms_lines_saturated(full, t->lines));
}

static void line_estimate_is_unbiased(void **state)
{
    static const struct {
        const char *why;
        uint32_t lines, hashes, keys;
        int filters;
        double bias; /* at least 3 sd of the mean */
    } rows[] = {
        {"nearly empty", 600, 6, 60, 500, 0.0005},
        {"a tenth", 100, 6, 512, 500, 0.001},
        {"at capacity", 100, 6, 5120, 120, 0.002},
        {"three times over", 100, 6, 15360, 60, 0.002},
        {"a single line", 1, 7, 43, 4000, 0.002},
        {"eight lines, k 8, three times over", 8, 8, 768, 600, 0.002},
        {"eight lines, k 5", 8, 5, 512, 800, 0.002},
    };
    static tms_line_estimator by_ones;
    static sim_table t;
    uint64_t seed = 11;
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        sim_verdict v = {0};
        tms_line_estimator_init(&by_ones, rows[i].hashes);
        for (int filter = 0; filter < rows[i].filters; filter++) {
            sim_fill(&t, rows[i].lines, rows[i].hashes, rows[i].keys, &seed);
            sim_judge(&v, sim_estimate(&t, &by_ones), rows[i].keys);
        }
        sim_close(rows[i].why, &v, rows[i].keys, rows[i].bias);
    }
}

static void line_estimate_has_edges(void **state)
{
    static tms_line_estimator e;
    (void)state;
    for (uint32_t k = 1; k <= 8; k++) {
        tms_line_estimator_init(&e, k);
        check("an empty line holds nothing", e.keys[0] == 0 && e.variance[0] == 0, e.keys[0], 0);
        check_near("k ones are one key", e.keys[k], 1, 1e-9);
        check("and that is certain", e.variance[k] < 1e-9, e.variance[k], 0);
        for (int ones = 1; ones <= 512; ones++)
            check("more ones, more keys", e.keys[ones] > e.keys[ones - 1], e.keys[ones], ones);
        check("a full line is finite", isfinite(e.keys[512]) && isfinite(e.variance[512]), 0, 0);
    }
    assert_false(tms_lines_saturated(0, 1));
    assert_true(tms_lines_saturated(1, 99));
    assert_false(tms_lines_saturated(10, 1000));
    assert_true(tms_lines_saturated(11, 1000));
    const tms_estimate sure = tms_estimate_close(100, 25, false);
    check_near("low", sure.low, 90.2, 1e-3);
    check_near("high", sure.high, 109.8, 1e-3);
    const tms_estimate full = tms_estimate_close(100, 25, true);
    check("saturated gives the lower limit", full.keys == full.low && full.high == INFINITY,
          full.keys, full.low);
    check("never below none", tms_estimate_close(1, 100, false).low == 0, 0, 0);
}

static void probabilities_meet_tables(void **state)
{
    static const struct {
        const char *why;
        double chi2, dof, want, within;
    } rows[] = {
        {"10 degrees, 5 %", 18.307, 10, 0.05, 0.01},
        {"100 degrees, 5 %", 124.342, 100, 0.05, 0.003},
        {"100 degrees, 1 %", 135.807, 100, 0.01, 0.005},
        {"1000 degrees, 95 %", 927.594, 1000, 0.95, 0.001},
        {"certain", 0, 50, 1, 1e-9},
        {"no freedom", 5, 0, 1, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        check_near(rows[i].why, tms_dispersion_p(rows[i].chi2, rows[i].dof), rows[i].want,
                   rows[i].within);
    check("a wild table is no accident", tms_dispersion_p(5000, 1000) < 1e-100, 0, 0);
    check_near("32 bits at 1e8 keys", tms_collision_rate(1e8, 32), 0.0230, 1e-3);
    check_near("64 bits at 1e8 keys", tms_collision_rate(1e8, 64), 5.42e-12, 1e-3);
    check("no keys", tms_collision_rate(0, 32) == 0, 0, 0);
    check("a wide digest", tms_collision_rate(1e9, UINT32_MAX) == 0, 0, 0);
}

/* ---- search ---- */

static bool at_least(const void *question, uint64_t value)
{
    return value >= *(const uint64_t *)question;
}

static bool at_most(const void *question, uint64_t value)
{
    return value <= *(const uint64_t *)question;
}

static void search_finds_every_turn(void **state)
{
    const uint64_t limit = UINT64_C(1) << 60;
    uint64_t seed = 5, found = 0;
    (void)state;
    for (int i = 0; i < 2000; i++) {
        const uint64_t turn = (math_random(&seed) >> (4 + i % 60)) % limit + 1;
        const uint64_t guess = math_random(&seed) >> (i % 64);
        assert_true(tms_search_smallest(at_least, &turn, guess, limit, &found));
        assert_int_equal(found, turn);
        assert_int_equal(tms_search_largest(at_most, &turn, guess, limit), turn);
    }
    const uint64_t beyond = limit + 1, none = 0;
    assert_false(tms_search_smallest(at_least, &beyond, 5, limit, &found));
    assert_int_equal(tms_search_largest(at_most, &beyond, 5, limit), limit);
    assert_int_equal(tms_search_largest(at_most, &none, 5, limit), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(classic_rate_meets_reference),
        cmocka_unit_test(classic_rate_meets_published),
        cmocka_unit_test(classic_rate_interpolates_keys),
        cmocka_unit_test(classic_best_hashes_is_best),
        cmocka_unit_test(classic_size_meets_the_issue),
        cmocka_unit_test(classic_size_keeps_the_promise),
        cmocka_unit_test(classic_size_refuses_nonsense),
        cmocka_unit_test(classic_capacity_is_the_last_that_fits),
        cmocka_unit_test(classic_rate_meets_simulation),
        cmocka_unit_test(blocked_rate_meets_reference),
        cmocka_unit_test(blocked_rate_meets_the_issue),
        cmocka_unit_test(blocked_rate_is_smooth),
        cmocka_unit_test(blocked_best_hashes_is_best),
        cmocka_unit_test(blocked_size_keeps_the_promise),
        cmocka_unit_test(blocked_rate_of_line_is_a_mean_over_windows),
        cmocka_unit_test(blocked_rate_meets_simulation),
        cmocka_unit_test(classic_estimate_has_edges),
        cmocka_unit_test(classic_estimate_is_unbiased),
        cmocka_unit_test(line_estimate_is_unbiased),
        cmocka_unit_test(line_estimate_has_edges),
        cmocka_unit_test(probabilities_meet_tables),
        cmocka_unit_test(search_finds_every_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
