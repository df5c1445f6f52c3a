/* test_no_false_negatives_long.c - ten million keys, for every kind, through
 * files, maps, streams, merges, folds and growth: none is ever called absent. */
#include <stdlib.h>

#include "support/check.h"
#include "support/doors.h"

static const uint64_t SEED = 20250102;

enum { KEYS = 10000000 };

static key_batch integers, text;

static int make_keys(void **state)
{
    (void)state;
    integers = key_batch_integers(SEED, KEYS);
    text = key_batch_text(SEED, KEYS);
    return 0;
}

static int free_keys(void **state)
{
    (void)state;
    key_batch_free(&integers);
    key_batch_free(&text);
    return 0;
}

static tamis_filter *filled(const spec_row *row, const key_batch *keys, size_t door)
{
    tamis_filter *f = spec_row_make(row);
    const add_door *way = add_door_number(door);
    check_about("%s; added %s; seed %" PRIu64, row->why, way->why, SEED);
    way->add(way, f, keys);
    return f;
}

/* Half of the doors for each row, the other half for the next. */
static void every_door_in(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++)
        for (size_t d = i % 2; add_door_number(d); d += 2) {
            const bool whole = key_batch_has(&text, add_door_number(d)->layout);
            const key_batch *keys = whole && d % 2 ? &text : &integers;
            tamis_filter *f = filled(&row, keys, d);
            ask_check_quickly(f, keys, "added");
            tamis_free(f);
        }
}

static void every_row(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, KEYS, &row); i++) {
        if (row.grows) (void)spec_row_number(i, KEYS / 10, &row); /* many layers are slow */
        const key_batch part = key_batch_part(&integers, 0, (size_t)row.keys);
        tamis_filter *f = filled(&row, &part, 7);
        ask_check_quickly(f, &part, "added");
        tamis_free(f);
    }
}

static void every_journey(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        tamis_filter *f = filled(&row, &text, 6);
        ask_check_all(f, &text, "asked through every door");
        for (size_t j = 0; journey_number(j); j++) {
            const journey *way = journey_number(j);
            luggage bags = {0};
            check_about("%s; %s; seed %" PRIu64, row.why, way->why, SEED);
            tamis_filter *arrived = way->go(way, f, &bags);
            ask_check_quickly(arrived, &text, "arrived");
            journey_end(arrived, &bags);
        }
        tamis_free(f);
    }
}

static void merged_and_folded(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        const uint32_t both = TAMIS_CAN_MERGE | TAMIS_CAN_FOLD;
        if (row.grows || (tamis_kind_abilities(row.spec.kind) & both) != both) continue;
        const key_batch first = key_batch_part(&integers, 0, KEYS / 2),
                        second = key_batch_part(&integers, KEYS / 2, KEYS / 2);
        row.spec.fold = 8;
        tamis_filter *a = filled(&row, &first, 7), *b = filled(&row, &second, 16);
        CHECK_OK(tamis_fold(b, 2)); /* so that the merge folds, too */
        ask_check_quickly(b, &second, "folded");
        CHECK_OK(tamis_merge(a, b, NULL));
        ask_check_quickly(a, &integers, "merged across sizes");
        CHECK_OK(tamis_fold(a, 4));
        ask_check_quickly(a, &integers, "merged and folded");
        tamis_free(a);
        tamis_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_door_in),
        cmocka_unit_test(every_row),
        cmocka_unit_test(every_journey),
        cmocka_unit_test(merged_and_folded),
    };
    return cmocka_run_group_tests(tests, make_keys, free_keys);
}
