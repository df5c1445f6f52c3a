/* test_rates_long.c - the rates of large filters and of very many small ones,
 * and the bars of blocked filters by bits a key: means over ten seeds and
 * 2*10^7 absent keys each.                                                  */
#include <math.h>

#include "support/check.h"
#include "support/measured_rate.h"
#include "support/spec_rows.h"

static const uint64_t SEED = 141421;

static void blocked_bars(void **state)
{
    (void)state;
    static const struct {
        unsigned bits;
        double bar;
    } rows[] = {{8, 0.024}, {10, 0.0098}, {12, 0.00425}, {16, 0.00092}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const tamis_spec spec = {.kind = TAMIS_KIND_BLOCKED,
                                 .capacity = 1 << 20,
                                 .memory = (1 << 20) * rows[i].bits / 8,
                                 .lines_per_key = 1};
        check_about("blocked, %u bits a key, seed %" PRIu64, rows[i].bits, SEED);
        const measured_rate m = measure_rate(&spec, spec.capacity, 10, 20000000, SEED);
        print_message("%2u bits a key: %.4f %% measured, %.4f %% announced, bar %.4f %%\n",
                      rows[i].bits, 100 * m.rate, 100 * m.planned, 100 * rows[i].bar);
        CHECK(m.rate <= rows[i].bar, "%.6f above %.6f", m.rate, rows[i].bar);
        CHECK(fabs(m.rate / m.planned - 1) <= 0.03, "%.6f measured, %.6f announced", m.rate,
              m.planned);
    }
}

static void try_rate(const tamis_spec *spec, unsigned filters, uint64_t questions)
{
    check_about("%s, %" PRIu64 " keys at %g, %u filters, %" PRIu64 " questions each, seed %" PRIu64,
                tamis_kind_name(spec->kind), spec->capacity, spec->fpr, filters, questions, SEED);
    const measured_rate m = measure_rate(spec, spec->capacity, filters, questions, SEED);
    CHECK(m.rate <= 1.05 * spec->fpr + 3 * m.sigma, "%.4g +- %.2g", m.rate, m.sigma);
    const double n = (double)m.asked, sigma = fmax(m.sigma, sqrt(m.planned / n));
    CHECK(fabs(m.rate - m.planned) <= 0.02 * m.planned + 4 * sigma + 2 / n,
          "%.4g +- %.2g, announced %.4g", m.rate, sigma, m.planned);
}

static void every_rate_of_every_kind(void **state)
{
    (void)state;
    static const struct {
        uint64_t keys;
        unsigned filters;
    } sizes[] = {{10, 20000}, {77, 5000}, {1000, 1000}, {1000000, 2}};
    static const double rates[] = {0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5};
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++)
        for (size_t s = 0; s < COUNT(sizes); s++)
            for (size_t r = 0; r < COUNT(rates); r++) {
                const tamis_spec spec = {
                    .kind = kinds[k], .capacity = sizes[s].keys, .fpr = rates[r]};
                if (tamis_kind_abilities(kinds[k]) & TAMIS_CAN_GROW) continue;
                const double all = fmax(2e7, 1000 / rates[r]);
                try_rate(&spec, sizes[s].filters, (uint64_t)(all / sizes[s].filters));
            }
}

static void one_in_a_million(void **state)
{
    (void)state;
    tamis_spec spec = {.kind = TAMIS_KIND_CLASSIC, .capacity = 10, .fpr = 1e-6};
    try_rate(&spec, 50000, 10000);
    spec.capacity = 100000;
    try_rate(&spec, 1, 400000000);
    spec.kind = TAMIS_KIND_BLOCKED;
    try_rate(&spec, 1, 400000000);
}

static void growing_to_a_million(void **state)
{
    (void)state;
    static const uint32_t inner[] = {TAMIS_KIND_BLOCKED, TAMIS_KIND_CLASSIC};
    for (size_t i = 0; i < COUNT(inner); i++)
        for (double fpr = 0.1; fpr > 5e-5; fpr /= 10) {
            const tamis_spec spec = {
                .kind = inner[i], .capacity = 1000, .fpr = fpr, .growth = TAMIS_GROWTH_SCALE};
            check_about("layers of %s at %g, seed %" PRIu64, tamis_kind_name(inner[i]), fpr, SEED);
            const measured_rate m = measure_rate(&spec, 1000000, 1, 10000000, SEED);
            CHECK(m.rate <= 1.05 * fpr + 3 * m.sigma, "%.4g +- %.2g", m.rate, m.sigma);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocked_bars),
        cmocka_unit_test(every_rate_of_every_kind),
        cmocka_unit_test(one_in_a_million),
        cmocka_unit_test(growing_to_a_million),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
