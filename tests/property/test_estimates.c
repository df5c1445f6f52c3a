/* test_estimates.c - how many keys are in there? The interval holds the truth
 * in about 95 of 100 filters, the estimate is near, and a saturated filter says
 * so instead of guessing. For blocked filters the textbook formula would be
 * biased; over many filters the mean error would show it.                   */
#include <math.h>
#include <stdlib.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/splitmix.h"

static const uint64_t SEED = 2718;

typedef struct estimate_row {
    const char *why;
    tamis_spec spec;
    uint64_t keys;
    unsigned filters;
} estimate_row;

/* One filter with `keys` random digests, all distinct. */
static tamis_facts facts_of(const tamis_spec *spec, uint64_t keys, uint64_t seed)
{
    tamis_filter *f = NULL;
    tamis_facts facts;
    uint64_t *digests = malloc((size_t)keys * sizeof *digests);
    splitmix random = {seed};
    splitmix_fill(&random, digests, (size_t)keys);
    const tamis_keys batch = tamis_keys_digests(digests, (size_t)keys);
    CHECK_OK(tamis_create(spec, &f));
    CHECK_OK(tamis_add_many(f, &batch, NULL));
    CHECK_OK(tamis_info(f, &facts));
    tamis_free(f);
    free(digests);
    return facts;
}

static void try_coverage(const estimate_row *row)
{
    unsigned inside = 0;
    double sum = 0, squares = 0, width = 0;
    check_about("%s %s; %" PRIu64 " keys, seed %" PRIu64, tamis_kind_name(row->spec.kind), row->why,
                row->keys, SEED);
    for (unsigned i = 0; i < row->filters; i++) {
        const tamis_facts facts = facts_of(&row->spec, row->keys, SEED + i * UINT64_C(1000003));
        const double error = facts.keys / (double)row->keys - 1;
        CHECK(facts.keys_low <= facts.keys && facts.keys <= facts.keys_high, "interval");
        CHECK(isfinite(facts.keys_high), "saturated");
        inside += facts.keys_low <= (double)row->keys && (double)row->keys <= facts.keys_high;
        sum += error;
        squares += error * error;
        width += (facts.keys_high - facts.keys_low) / (double)row->keys;
    }
    const double n = row->filters, covered = inside / n, bias = sum / n;
    const double spread = sqrt(squares / n), sigma = sqrt(0.95 * 0.05 / n);
    width /= n;
    CHECK(covered >= 0.95 - 3 * sigma - 0.005, "%.1f %% of the intervals hold the truth",
          100 * covered);
    CHECK(covered <= 0.95 + 3 * sigma + 0.025 || width == 0, "%.1f %%: the intervals are too wide",
          100 * covered);
    CHECK(fabs(bias) <= 4 * spread / sqrt(n) + 0.0005, "biased by %.3f %% (spread %.3f %%)",
          100 * bias, 100 * spread);
    CHECK(width <= 4.6 * spread + 2 / (double)row->keys,
          "intervals of %.2f %%, a spread of %.2f %%", 100 * width, 100 * spread);
}

static void intervals_hold_the_truth(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint64_t capacity;
        double fpr, load;
        uint32_t per_key;
        unsigned filters;
    } rows[] = {
        {"small, at capacity", 100, 0.01, 1, 1, 1000},
        {"small, half full", 100, 0.01, 0.5, 1, 1000},
        {"at capacity", 3000, 0.01, 1, 1, 400},
        {"a tenth full", 3000, 0.01, 0.1, 1, 400},
        {"twice its capacity", 3000, 0.01, 2, 1, 400},
        {"few bits a key", 3000, 0.2, 1, 1, 400},
        {"many bits a key", 3000, 1e-5, 1, 1, 400},
        {"two lines a key", 3000, 1e-3, 1, 2, 400},
        {"two lines a key, overfull", 3000, 1e-3, 1.7, 2, 400},
        {"larger", 30000, 0.01, 0.9, 1, 100},
    };
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++)
        for (size_t r = 0; r < COUNT(rows); r++) {
            const bool grows = tamis_kind_abilities(kinds[k]) & TAMIS_CAN_GROW;
            const bool forgets = tamis_kind_abilities(kinds[k]) & TAMIS_CAN_FORGET;
            if (forgets && rows[r].load > 1) continue; /* the first keys are gone */
            const uint64_t keys = (uint64_t)(rows[r].load * (double)rows[r].capacity);
            if (spec_kind_bounded(kinds[k]) && rows[r].load > 1) continue; /* refuses them */
            const estimate_row row = {
                .why = rows[r].why,
                .spec = {.kind = kinds[k],
                         .capacity = grows ? rows[r].capacity / 4 : rows[r].capacity,
                         .fpr = rows[r].fpr,
                         .lines_per_key = spec_lines(kinds[k], rows[r].per_key)},
                .keys = keys,
                .filters = rows[r].filters};
            try_coverage(&row);
        }
}

/* The estimate is about distinct keys: adding them again changes nothing, except
 * where every copy has a place of its own. */
static void repeats_do_not_count(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 2000, &row); i++) {
        if (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_FORGET) continue; /* they refresh */
        if (row.bounded && (row.spec.fpr > 0.2 || row.spec.bucket_keys == 2))
            continue; /* three copies of each would crowd */
        spec_row_make_room(&row, 4);
        tamis_filter *f = spec_row_make(&row);
        tamis_facts once, thrice;
        for (unsigned round = 0; round < 3; round++) {
            for (uint64_t k = 0; k < row.keys; k++) CHECK_OK(tamis_add_u64(f, k));
            CHECK_OK(tamis_info(f, round == 0 ? &once : &thrice));
        }
        if (once.fingerprint_bits) { /* copies have places of their own */
            const double slack = row.grows ? 0.03 * once.keys : 0;
            CHECK(fabs(thrice.keys - 3 * once.keys) <= slack, "%g keys become %g", once.keys,
                  thrice.keys);
        } else { /* remainders that several keys share may take a second cell elsewhere */
            const double slack = spec_kind_bounded(row.spec.kind) ? 0.01 * once.keys : 0;
            CHECK(fabs(once.keys - thrice.keys) <= slack, "%g keys become %g", once.keys,
                  thrice.keys);
        }
        tamis_free(f);
    }
}

static void empty_filters_hold_nothing(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 2000, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        tamis_facts facts;
        CHECK_OK(tamis_info(f, &facts));
        CHECK(facts.keys == 0 && facts.keys_low == 0 && facts.ones == 0, "%g keys", facts.keys);
        CHECK(facts.keys_high < 0.05 * (double)facts.capacity + 4, "up to %g keys",
              facts.keys_high);
        CHECK(facts.fpr_now == 0 && facts.fill == 0 && facts.added == 0, "rate %g", facts.fpr_now);
        CHECK_OK(tamis_add_u64(f, 1));
        CHECK_OK(tamis_info(f, &facts));
        /* in a handful of bits its hashes may well have met in one */
        CHECK(facts.bits < 64 || (facts.keys > 0.5 && facts.keys < 1.6), "%g keys, where one is",
              facts.keys);
        CHECK(facts.keys_low <= 1 && facts.keys_high >= 1, "one is outside %g to %g",
              facts.keys_low, facts.keys_high);
        tamis_free(f);
    }
}

/* More keys, never a lower estimate by much; full filters have no upper end. */
static void saturation(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 1000, &row); i++) {
        if (row.grows || row.bounded || row.spec.flags & TAMIS_STRICT) continue;
        if (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_FORGET) continue; /* never full */
        tamis_filter *f = spec_row_make(&row);
        tamis_facts facts, before = {0};
        splitmix random = {SEED};
        uint64_t added = 0;
        for (uint64_t goal = 1000; goal < 40000; goal *= 2) {
            for (; added < goal; added++) CHECK_OK(tamis_add_hash(f, splitmix_next(&random)));
            CHECK_OK(tamis_info(f, &facts));
            CHECK(facts.keys >= 0.9 * before.keys, "%g keys after %g", facts.keys, before.keys);
            CHECK(facts.fpr_now >= before.fpr_now && facts.fpr_now <= 1, "rate %g", facts.fpr_now);
            CHECK(facts.keys_low <= 1.2 * (double)added, "at least %g of %" PRIu64, facts.keys_low,
                  added);
            CHECK(facts.keys_high >= 0.8 * (double)added, "at most %g of %" PRIu64, facts.keys_high,
                  added);
            before = facts;
        }
        if (facts.fill == 1)
            CHECK(isinf(facts.keys_high), "full, and at most %g keys", facts.keys_high);
        if (row.spec.capacity <= 10 && row.parts == 1)
            CHECK(facts.fill == 1, "a fill of %g", facts.fill);
        tamis_free(f);
    }
}

/* fpr_now is what absent keys really get: from the bits of this very filter. */
static void rate_now_is_the_rate_now(void **state)
{
    (void)state;
    enum { ASKED = 200000 };
    spec_row row;
    uint64_t *asked = malloc(ASKED * sizeof *asked);
    splitmix_fill(&(splitmix){SEED + 99}, asked, ASKED);
    const tamis_keys batch = tamis_keys_digests(asked, ASKED);
    for (size_t i = 0; spec_row_number(i, 1500, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        tamis_facts facts;
        splitmix random = {SEED};
        const bool stops = row.bounded || row.spec.flags & TAMIS_STRICT; /* at its capacity */
        const uint64_t keys = stops ? row.keys : row.keys * 3 / 2;
        for (uint64_t k = 0; k < keys; k++) CHECK_OK(tamis_add_hash(f, splitmix_next(&random)));
        CHECK_OK(tamis_info(f, &facts));
        const double seen = (double)tamis_may_contain_many(f, &batch, NULL) / ASKED;
        const double sigma = sqrt(facts.fpr_now * (1 - facts.fpr_now) / ASKED);
        CHECK(fabs(seen - facts.fpr_now) <= 4.5 * sigma + 3.0 / ASKED,
              "%g is said, %g is seen (sigma %g)", facts.fpr_now, seen, sigma);
        tamis_free(f);
    }
    free(asked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_truth),   cmocka_unit_test(repeats_do_not_count),
        cmocka_unit_test(empty_filters_hold_nothing), cmocka_unit_test(saturation),
        cmocka_unit_test(rate_now_is_the_rate_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
