/* test_math_blocked.c - blocked rates, sizes and capacities.
 *
 * Reference values were computed outside the library with 120 decimal digits
 * from the alternating sum (docs/math.md, section 3). Simulations use fixed
 * seeds; their bounds are at least three standard deviations wide.           */
#include "unit/math_check.h"

#include "math/blocked_math.h"

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

static void blocked_rate_meets_the_bars(void **state)
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

/* Where one way of computing hands over to the other (at 1e-8) nothing jumps. */
static void blocked_rate_is_smooth(void **state)
{
    (void)state;
    for (uint32_t k = 2; k <= 8; k++) {
        double low = 1e6, high = 1e10;
        for (int i = 0; i < 60; i++) {
            const double middle = 0.5 * (low + high);
            if (tms_blocked_rate(1000000000, k, 1, middle) < 1e-8)
                low = middle;
            else
                high = middle;
        }
        check_near("below and above", tms_blocked_rate(1000000000, k, 1, low * (1 - 1e-9)),
                   tms_blocked_rate(1000000000, k, 1, high * (1 + 1e-9)), 5e-7);
    }
}

static void blocked_rate_counts_fractions_of_keys(void **state)
{
    (void)state;
    for (double keys = 0.25; keys < 1025.0; keys += 7.375) {
        const double at = tms_blocked_rate(20, 6, 1, keys);
        const double more = tms_blocked_rate(20, 6, 1, keys + 0.125);
        check("a fraction counts", at > 0 && more > at, more, at);
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
    check(why, fpr > 0.3 || rate <= 1.02 * fpr * (1 + 1e-9), rate, 1.02 * fpr);
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

/* Averages the exact rate of each simulated line, which needs no queries. */
static void blocked_rate_meets_simulation(void **state)
{
    static const struct {
        const char *why;
        uint32_t hashes, keys;
        double within;
    } rows[] = {
        {"8 bits per key", 5, SIM_LINES * 64, 0.007},        /* 1 sd 0.0017 */
        {"10 bits per key", 6, SIM_LINES * 51, 0.009},       /* 1 sd 0.0022 */
        {"12 bits per key", 7, SIM_LINES * 43, 0.016},       /* 1 sd 0.0042 */
        {"16 bits per key", 8, SIM_LINES * 32, 0.024},       /* 1 sd 0.0060 */
        {"three times too many", 6, SIM_LINES * 154, 0.004}, /* 1 sd 0.0010 */
        {"few hashes", 2, SIM_LINES * 100, 0.003},           /* 1 sd 0.0006 */
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocked_rate_meets_reference),
        cmocka_unit_test(blocked_rate_meets_the_bars),
        cmocka_unit_test(blocked_rate_is_smooth),
        cmocka_unit_test(blocked_rate_counts_fractions_of_keys),
        cmocka_unit_test(blocked_best_hashes_is_best),
        cmocka_unit_test(blocked_size_keeps_the_promise),
        cmocka_unit_test(blocked_rate_of_line_is_a_mean_over_windows),
        cmocka_unit_test(blocked_rate_meets_simulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
