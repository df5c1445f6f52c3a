/* test_math.c - classic rates, sizes and capacities, and the searches under them.
 *
 * Reference values were computed outside the library with 400 decimal digits
 * from the defining sum (docs/math.md, section 2). Simulations use fixed seeds,
 * so they either always pass or never; their bounds are at least three standard
 * deviations wide.                                                           */
#include "unit/math_check.h"

#include "math/classic_math.h"
#include "math/search.h"

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

static void classic_rate_counts_fractions_of_keys(void **state)
{
    (void)state;
    for (double keys = 0.25; keys < 1025.0; keys += 7.375) {
        const double at = tms_classic_rate(9000, 6, keys);
        const double more = tms_classic_rate(9000, 6, keys + 0.125);
        check("a fraction counts", at > 0 && more > at, more, at);
    }
}

static void occupancy_spread_does_not_cancel(void **state)
{
    (void)state;
    check_near("tiny", tms_occupancy_spread(1e-9), 0.5e-18, 1e-8);
    check_near("below the switch", tms_occupancy_spread(0.009999), 4.96580133e-05, 1e-8);
    check_near("above the switch", tms_occupancy_spread(0.010001), 4.96778143e-05, 1e-8);
    check_near("one", tms_occupancy_spread(1), 0.264241118, 1e-8);
    check_near("full", tms_occupancy_spread(700), 1, 1e-12);
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

static void classic_size_meets_known_plans(void **state)
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
        {"13 hashes where ln 2 (m/n) rounded up says 14", 1e8, 0.0001, false, 4, 1917011676, 13,
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

/* One size against the two bars: the rate, and the space. */
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
    check(why, fpr > 0.15 || rate <= 1.03 * fpr, rate, 1.03 * fpr);
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
        {"ten keys at 1e-6", 292, 19, 10, 0.015}, /* 1 sd 0.004 */
        {"ten keys at 1 %", 96, 7, 10, 0.012},    /* 1 sd 0.003 */
        {"three keys", 24, 5, 3, 0.012},          /* 1 sd 0.003 */
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
        cmocka_unit_test(classic_rate_counts_fractions_of_keys),
        cmocka_unit_test(occupancy_spread_does_not_cancel),
        cmocka_unit_test(classic_best_hashes_is_best),
        cmocka_unit_test(classic_size_meets_known_plans),
        cmocka_unit_test(classic_size_keeps_the_promise),
        cmocka_unit_test(classic_size_refuses_nonsense),
        cmocka_unit_test(classic_capacity_is_the_last_that_fits),
        cmocka_unit_test(classic_rate_meets_simulation),
        cmocka_unit_test(search_finds_every_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
