/* test_fold.c - folding: a filter shrinks without its keys, and is then what it
 * would have been, had it been built small.                                 */
#include <stdlib.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 987;

static bool kind_folds(uint32_t kind)
{
    return (tamis_kind_abilities(kind) & TAMIS_CAN_FOLD) != 0;
}

static tamis_filter *filled(const tamis_spec *spec, const key_batch *keys)
{
    tamis_filter *f = NULL;
    CHECK_OK(tamis_create(spec, &f));
    add_door_number(6)->add(add_door_number(6), f, keys);
    return f;
}

/* ---- folded = built small ------------------------------------------------ */

static void check_folded(const tamis_filter *folded, const tamis_filter *small)
{
    tamis_facts a, b;
    CHECK_OK(tamis_info(folded, &a));
    CHECK_OK(tamis_info(small, &b));
    filters_check_same_body(folded, small, "folded and built small");
    CHECK(a.bits == b.bits && a.ones == b.ones, "bits and ones");
    CHECK(a.keys == b.keys && a.keys_low == b.keys_low, "estimates %g and %g", a.keys, b.keys);
    CHECK(a.fpr_now == b.fpr_now, "rates %g and %g", a.fpr_now, b.fpr_now);
    CHECK(a.added == b.added, "%" PRIu64 " and %" PRIu64 " added", a.added, b.added);
    CHECK(a.fold == b.fold && a.hashes == b.hashes, "fold or hashes");
}

/* `units` of 512 bytes after folding by `factor`. */
static void try_factor(uint32_t kind, uint32_t per_key, uint64_t units, uint64_t factor)
{
    tamis_spec small = {.kind = kind,
                        .capacity = 2000,
                        .memory = units * 512,
                        .hashes = 5,
                        .lines_per_key = spec_lines(kind, per_key),
                        .fold = 1};
    tamis_spec large = small;
    key_batch keys = key_batch_text(SEED, 2000), strangers = key_batch_text(SEED + 1, 3000);
    large.memory = small.memory * factor;
    large.fold = factor;
    check_about("%s, %u lines a key, %" PRIu64 " units, factor %" PRIu64, tamis_kind_name(kind),
                per_key, units, factor);
    tamis_filter *a = filled(&large, &keys), *b = filled(&small, &keys);
    tamis_facts before, after;
    CHECK_OK(tamis_info(a, &before));
    CHECK_OK(tamis_fold(a, factor));
    CHECK_OK(tamis_info(a, &after));
    CHECK(after.bits == before.bits / factor, "%" PRIu64 " bits of %" PRIu64, after.bits,
          before.bits);
    check_folded(a, b);
    ask_check_all(a, &keys, "after folding");
    ask_check_agree(a, b, &strangers, "strangers");
    add_door_number(0)->add(add_door_number(0), a, &strangers);
    add_door_number(0)->add(add_door_number(0), b, &strangers);
    check_folded(a, b);
    tamis_free(a);
    tamis_free(b);
    key_batch_free(&keys);
    key_batch_free(&strangers);
}

static void folded_is_built_small(void **state)
{
    (void)state;
    static const uint64_t factors[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 63, 64, 100};
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; kind_folds(kinds[k]) && i < COUNT(factors); i++) {
            try_factor(kinds[k], 1, 8, factors[i]);
            try_factor(kinds[k], 1, 24, factors[i]);
            if (kinds[k] == TAMIS_KIND_BLOCKED) try_factor(kinds[k], 2, 8, factors[i]);
        }
}

/* By 2, then by 3, is by 6. */
static void folding_in_steps(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 2000, &row); i++) {
        if (row.grows || !kind_folds(row.spec.kind) || row.spec.fold % 6 != 0) continue;
        row.spec.fold = row.spec.fold ? row.spec.fold : 6;
        key_batch keys = key_batch_integers(SEED, (size_t)row.keys);
        check_about("%s", row.why);
        tamis_filter *a = filled(&row.spec, &keys), *b = filled(&row.spec, &keys);
        CHECK_OK(tamis_fold(a, 2));
        CHECK_OK(tamis_fold(a, 3));
        CHECK_OK(tamis_fold(b, 6));
        filters_check_same_body(a, b, "by 2 and 3, by 6");
        ask_check_quickly(b, &keys, "folded");
        tamis_free(a);
        tamis_free(b);
        key_batch_free(&keys);
    }
}

/* ---- what the plan promises ---------------------------------------------- */

static void asked_factors_divide(void **state)
{
    (void)state;
    static const uint64_t folds[] = {2, 3, 5, 7, 30, 97, 128, 360, 1000, 4096, 65536};
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; kind_folds(kinds[k]) && i < COUNT(folds); i++)
            for (uint32_t per_key = 1; per_key <= 2; per_key++) {
                const tamis_spec spec = {.kind = kinds[k],
                                         .capacity = 1000,
                                         .fpr = 0.01,
                                         .fold = folds[i],
                                         .lines_per_key = spec_lines(kinds[k], per_key)};
                tamis_filter *f = NULL;
                check_about("%s, %u lines, fold %" PRIu64, tamis_kind_name(kinds[k]), per_key,
                            folds[i]);
                CHECK_OK(tamis_create(&spec, &f));
                for (uint64_t key = 0; key < 100; key++) CHECK_OK(tamis_add_u64(f, key));
                CHECK_OK(tamis_fold(f, folds[i]));
                for (uint64_t key = 0; key < 100; key++)
                    CHECK(tamis_may_contain_u64(f, key), "key %" PRIu64 " is lost", key);
                tamis_free(f);
            }
}

/* Asking for a factor costs at most one more step of it, beyond the 1/64 and
 * the one line that powers of two may cost anyway. */
static void asked_factors_cost_little(void **state)
{
    (void)state;
    static const uint64_t folds[] = {3, 7, 30, 97, 360, 1000};
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; kind_folds(kinds[k]) && i < COUNT(folds); i++)
            for (uint64_t capacity = 1000; capacity <= 10000000; capacity *= 10) {
                tamis_spec spec = {.kind = kinds[k], .capacity = capacity, .fpr = 0.01};
                tamis_sizing usual, asked;
                CHECK_OK(tamis_plan(&spec, &usual));
                spec.fold = folds[i];
                check_about("%s, %" PRIu64 " keys, fold %" PRIu64, tamis_kind_name(kinds[k]),
                            capacity, folds[i]);
                CHECK_OK(tamis_plan(&spec, &asked));
                const uint64_t unit = usual.lines_per_key ? 512 * usual.lines_per_key : 4;
                CHECK((double)asked.bits <=
                          (double)usual.bits * (1 + 1.0 / 64) + (double)((folds[i] + 1) * unit),
                      "%" PRIu64 " bits instead of %" PRIu64, asked.bits, usual.bits);
            }
}

/* sizing.fold is the largest power of two: it works, twice as much does not. */
static void powers_of_two(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 5000, &row); i++) {
        tamis_sizing sizing;
        tamis_facts facts;
        tamis_filter *f = spec_row_make(&row);
        CHECK_OK(tamis_plan(&row.spec, &sizing));
        CHECK_OK(tamis_info(f, &facts));
        CHECK(facts.fold == sizing.fold, "fold %" PRIu64 " was planned, %" PRIu64 " is built",
              sizing.fold, facts.fold);
        CHECK((sizing.fold & (sizing.fold - 1)) == 0 && sizing.fold, "no power of two");
        if (!row.grows && kind_folds(row.spec.kind)) {
            CHECK(sizing.bytes < 20000 || sizing.fold >= 2, "%" PRIu64 " bytes do not fold",
                  sizing.bytes);
            CHECK_STATUS(tamis_fold(f, 2 * sizing.fold), TAMIS_E_SPEC);
            CHECK_OK(tamis_fold(f, sizing.fold));
        } else {
            CHECK(sizing.fold == 1, "a fold of %" PRIu64 " for what cannot", sizing.fold);
            CHECK_STATUS(tamis_fold(f, 2), TAMIS_E_UNSUPPORTED);
        }
        tamis_free(f);
    }
}

/* ---- refusals ------------------------------------------------------------ */

static void refused_factors(void **state)
{
    (void)state;
    static const uint64_t factors[] = {0, 11, 13, UINT64_MAX, UINT64_C(1) << 63, 1000003};
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        if (!kind_folds(kinds[k])) continue;
        const tamis_spec spec = {.kind = kinds[k], .capacity = 1000, .memory = 4096, .hashes = 5};
        key_batch keys = key_batch_text(SEED, 1000);
        tamis_filter *f = filled(&spec, &keys), *view = NULL;
        filter_bytes before = filter_bytes_of(f);
        for (size_t i = 0; i < COUNT(factors); i++) {
            check_about("%s by %" PRIu64, tamis_kind_name(kinds[k]), factors[i]);
            CHECK_STATUS(tamis_fold(f, factors[i]), TAMIS_E_SPEC);
            filter_check_unchanged(f, &before, "a refused fold");
        }
        CHECK_OK(tamis_fold(f, 1));
        filter_check_unchanged(f, &before, "folded by 1");
        CHECK_OK(tamis_view(before.bytes, before.size, NULL, &view));
        CHECK_STATUS(tamis_fold(view, 2), TAMIS_E_READONLY);
        tamis_free(view);
        filter_bytes_free(&before);
        tamis_free(f);
        key_batch_free(&keys);
    }
}

static void a_buffer_keeps_its_size(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        const uint32_t both = TAMIS_CAN_FOLD | TAMIS_CAN_BORROW;
        if ((tamis_kind_abilities(kinds[k]) & both) != both) continue;
        const tamis_spec spec = {.kind = kinds[k], .capacity = 1000, .fpr = 0.01, .fold = 4};
        uint64_t size = 0;
        tamis_filter *f = NULL;
        check_about("%s in a buffer", tamis_kind_name(kinds[k]));
        CHECK_OK(tamis_create_in_size(&spec, &size));
        uint8_t *buffer = malloc((size_t)size);
        CHECK_OK(tamis_create_in(&spec, buffer, (size_t)size, &f));
        CHECK_OK(tamis_add_u64(f, 7));
        filter_bytes before = filter_bytes_of(f);
        CHECK_STATUS(tamis_fold(f, 2), TAMIS_E_UNSUPPORTED);
        CHECK_OK(tamis_fold(f, 1));
        filter_check_unchanged(f, &before, "a buffer");
        filter_bytes_free(&before);
        tamis_free(f);
        free(buffer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folded_is_built_small),     cmocka_unit_test(folding_in_steps),
        cmocka_unit_test(asked_factors_divide),      cmocka_unit_test(powers_of_two),
        cmocka_unit_test(asked_factors_cost_little), cmocka_unit_test(refused_factors),
        cmocka_unit_test(a_buffer_keeps_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
