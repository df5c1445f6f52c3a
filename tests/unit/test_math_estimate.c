/* test_math_estimate.c - estimates of the number of keys, and the diagnosis'
 * probabilities.
 *
 * Bias and coverage are simulated with fixed seeds; the bounds on bias are at
 * least three standard deviations of the mean wide. The long run with more
 * fills and sizes is summed up in docs/math.md, section 4.                   */
#include "unit/math_check.h"

#include "math/estimate.h"

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
    const double share = v->covered / v->filters;
    check(why, share >= 0.94 - 3 * sqrt(0.94 * 0.06 / v->filters), share, 0.95);
}

static void classic_estimate_is_unbiased(void **state)
{
    static const struct {
        const char *why;
        uint32_t bits, hashes, keys;
        double bias; /* at least 3 sd of the mean of 4000 filters */
    } rows[] = {
        {"a single key", 64, 4, 1, 0.005},      {"one word, overfull", 64, 4, 33, 0.008},
        {"a small filter", 288, 20, 10, 0.003}, {"at capacity", 960, 7, 95, 0.002},
        {"twice over", 960, 7, 190, 0.002},     {"three times over", 960, 7, 285, 0.002},
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
        tms_line_estimator_init(&by_ones, 64, rows[i].hashes);
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
        tms_line_estimator_init(&e, 64, k);
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
    check_near("low", sure.low, 90.138, 1e-4);
    check_near("high", sure.high, 109.862, 1e-4);
    const tms_estimate full = tms_estimate_close(100, 25, true);
    check("saturated gives the lower limit", full.keys == full.low && full.high == INFINITY,
          full.keys, full.low);
    check("an empty table is certain", tms_estimate_close(0, 0, false).high == 0, 0, 0);
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
    check("fewer than expected", tms_coincidence_p(1000, 1e6, 0) == 1, 0, 0);
    check("no keys, no places", tms_coincidence_p(0, 16, 0) == 1, 0, 0);
    check_near("Poisson with mean 0.4995, five and more", tms_coincidence_p(1000, 1e6, 5), 9.0e-4,
               0.02);
    check("all in one place", tms_coincidence_p(300, 1e6, 299) < 1e-100, 0, 0);
    check_near("32 bits at 1e8 keys", tms_collision_rate(1e8, 32), 0.0230, 1e-3);
    check_near("64 bits at 1e8 keys", tms_collision_rate(1e8, 64), 5.42e-12, 1e-3);
    check("no keys", tms_collision_rate(0, 32) == 0, 0, 0);
    check("a wide digest", tms_collision_rate(1e9, UINT32_MAX) == 0, 0, 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(classic_estimate_has_edges),
        cmocka_unit_test(classic_estimate_is_unbiased),
        cmocka_unit_test(line_estimate_is_unbiased),
        cmocka_unit_test(line_estimate_has_edges),
        cmocka_unit_test(probabilities_meet_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
