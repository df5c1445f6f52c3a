/* test_parallel_threads.c - one batch added by several threads: the same bytes
 * and counts for every number of them, also where there are more threads than
 * lines. Runs under the thread sanitizer.                                   */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 90210;

/* Above what the calling thread does alone. */
enum { KEYS = 17001 };

static const unsigned THREADS[] = {0, 300, 1, 2, 7, 3};

/* Every `step`-th number of threads from number `first` on. */
static void try_threads(const spec_row *row, const key_batch *keys, const tamis_filter *expected,
                        size_t first, size_t step)
{
    for (size_t t = first; t < COUNT(THREADS); t += step) {
        tamis_filter *f = spec_row_make(row);
        const tamis_layout layout = (tamis_layout)(t % KEY_LAYOUTS + 1);
        uint64_t *digests = key_batch_digests(keys, f);
        const tamis_keys batch = key_batch_as(keys, layout, digests);
        size_t added = 0;
        check_about("%s; %u threads; %s; seed %" PRIu64, row->why, THREADS[t],
                    key_layout_name(layout), SEED);
        CHECK_OK(tamis_add_many_parallel(f, &batch, THREADS[t], t % 2 ? &added : NULL));
        if (t % 2) CHECK(added == keys->count, "%zu of %zu added", added, keys->count);
        filters_check_same(f, expected, "in parallel and one by one");
        free(digests);
        tamis_free(f);
    }
}

static void every_number_of_threads(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, KEYS, &row); i++) {
        key_batch keys = key_batch_integers(SEED, (size_t)row.keys);
        tamis_filter *expected = spec_row_make(&row);
        add_door_number(0)->add(add_door_number(0), expected, &keys);
        spec_row plain; /* the plain rows try all, the others two */
        bool is_plain = false;
        for (size_t p = 0; spec_row_plain(p, KEYS, &plain); p++)
            is_plain |= strcmp(plain.why, row.why) == 0;
        try_threads(&row, &keys, expected, is_plain ? 0 : 2 + i % 2, is_plain ? 1 : 2);
        tamis_free(expected);
        key_batch_free(&keys);
    }
}

/* Bodies so large that every kind is split. */
static void large_bodies(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = tamis_kind_list(kinds, COUNT(kinds));
    key_batch keys = key_batch_integers(SEED, KEYS);
    for (size_t k = 0; k < count; k++) {
        if (tamis_kind_abilities(kinds[k]) & TAMIS_CAN_GROW) continue;
        const spec_row row = {.spec = {.kind = kinds[k], .fpr = 0.01, .memory = 33 << 20},
                              .why = "33 MiB"};
        tamis_filter *expected = spec_row_make(&row);
        add_door_number(0)->add(add_door_number(0), expected, &keys);
        try_threads(&row, &keys, expected, 2, 1);
        tamis_free(expected);
    }
    key_batch_free(&keys);
}

/* Fewer lines than threads: most slices are empty. */
static void more_threads_than_lines(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    key_batch keys = key_batch_integers(SEED, KEYS);
    for (size_t k = 0; k < count; k++)
        for (uint64_t lines = 1; lines <= 10; lines += 3) {
            const uint64_t memory = lines * 64 * spec_kind_parts(kinds[k]);
            spec_row row = {.spec = {.kind = kinds[k], .capacity = KEYS, .memory = memory},
                            .why = "a few lines"};
            tamis_filter *expected = NULL;
            if (tamis_kind_abilities(kinds[k]) & (TAMIS_CAN_GROW | TAMIS_IS_BOUNDED)) continue;
            check_about("%s, %d bytes", tamis_kind_name(kinds[k]), (int)memory);
            if (tamis_create(&row.spec, &expected) != TAMIS_OK) {
                row.spec.capacity = memory; /* a few keys less, many more come */
                CHECK_OK(tamis_create(&row.spec, &expected));
            }
            for (size_t i = 0; i < KEYS; i++)
                CHECK_OK(tamis_add_u64(expected, keys.integers[i / 50 * 50]));
            tamis_filter *f = NULL;
            CHECK_OK(tamis_create(&row.spec, &f));
            uint64_t *repeated = calloc(KEYS, sizeof *repeated);
            for (size_t i = 0; i < KEYS; i++) repeated[i] = keys.integers[i / 50 * 50];
            const tamis_keys batch = tamis_keys_u64(repeated, KEYS);
            CHECK_OK(tamis_add_many_parallel(f, &batch, 33, NULL));
            filters_check_same_body(f, expected, "33 threads over a few lines");
            free(repeated);
            tamis_free(f);
            tamis_free(expected);
        }
    key_batch_free(&keys);
}

/* A second batch on top, past one round of digests (2^20). */
static void more_than_one_round(void **state)
{
    (void)state;
    enum { LARGE = (1 << 20) + 12345 };
    spec_row row;
    key_batch keys = key_batch_integers(SEED, LARGE);
    for (size_t i = 0; spec_row_plain(i, LARGE, &row); i++) {
        if (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_FORGET) continue;
        if (row.grows && row.spec.kind != TAMIS_KIND_BLOCKED) continue; /* the same way, slower */
        tamis_filter *one = spec_row_make(&row), *two = spec_row_make(&row);
        const tamis_keys batch = key_batch_as(&keys, TAMIS_LAYOUT_U64, NULL);
        CHECK_OK(tamis_add_many(one, &batch, NULL));
        CHECK_OK(tamis_add_many_parallel(two, &batch, 2, NULL));
        filters_check_same(one, two, "one thread and two");
        size_t added = 0;
        if (row.bounded) { /* takes copies, and has no room for so many */
            tamis_free(one);
            tamis_free(two);
            continue;
        }
        CHECK_OK(tamis_add_many_parallel(two, &batch, 2, &added));
        CHECK(added == LARGE, "%zu added the second time", added);
        if (spec_row_removes(&row)) CHECK_OK(tamis_add_many(one, &batch, NULL)); /* counts twice */
        filters_check_same_body(one, two, "the same keys twice");
        tamis_free(one);
        tamis_free(two);
    }
    key_batch_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_threads),
        cmocka_unit_test(large_bodies),
        cmocka_unit_test(more_threads_than_lines),
        cmocka_unit_test(more_than_one_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
