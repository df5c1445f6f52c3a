/* test_no_false_negatives.c - the first promise: a key that was added is never
 * called absent. For every kind and request, through every door in and out,
 * and after every journey. test_no_false_negatives_long.c has ten million
 * keys, test_combine.c the keys of merged and folded filters.               */
#include <stdlib.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 20240611;

/* PARALLEL is more than what a parallel add does in the calling thread alone. */
enum { FEW = 2000, PARALLEL = 17000, MANY = 100000 };

static key_batch row_keys(const spec_row *row, bool text)
{
    return text ? key_batch_text(SEED, (size_t)row->keys)
                : key_batch_integers(SEED, (size_t)row->keys);
}

/* ---- doors -------------------------------------------------------------- */

static void try_door(const spec_row *row, const add_door *door)
{
    tamis_filter *f = spec_row_make(row);
    key_batch keys = row_keys(row, false);
    check_about("%s; added %s; seed %" PRIu64, row->why, door->why, SEED);
    door->add(door, f, &keys);
    ask_check_quickly(f, &keys, "added");
    key_batch_free(&keys);
    tamis_free(f);
}

static void every_door_in(void **state)
{
    (void)state;
    spec_row row;
    for (size_t d = 0; add_door_number(d); d++) {
        const add_door *door = add_door_number(d);
        const uint64_t keys = door->threads ? PARALLEL : FEW;
        for (size_t i = 0; spec_row_number(i, keys, &row); i++) try_door(&row, door);
    }
}

static void every_question(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, MANY, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        const bool text = i % 2;
        key_batch keys = row_keys(&row, text);
        const add_door *many = add_door_number(6);
        check_about("%s; %s; seed %" PRIu64, row.why, text ? "text" : "integers", SEED);
        many->add(many, f, &keys);
        ask_check_quickly(f, &keys, "asked");
        const key_batch some = key_batch_part(&keys, 0, keys.count < FEW ? keys.count : FEW);
        ask_check_all(f, &some, "asked through every door");
        key_batch_free(&keys);
        tamis_free(f);
    }
}

/* ---- journeys ----------------------------------------------------------- */

static void try_journeys(const spec_row *row, const tamis_filter *f, const key_batch *keys)
{
    const key_batch some = key_batch_part(keys, 0, keys->count < FEW ? keys->count : FEW);
    for (size_t j = 0; journey_number(j); j++) {
        const journey *way = journey_number(j);
        luggage bags = {.secret = row->spec.secret};
        check_about("%s; %s; seed %" PRIu64, row->why, way->why, SEED);
        tamis_filter *arrived = way->go(way, f, &bags);
        ask_check_quickly(arrived, keys, "arrived");
        ask_check_all(arrived, &some, "arrived, asked through every door");
        journey_end(arrived, &bags);
    }
}

static void every_journey(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 1000, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        key_batch keys = row_keys(&row, i % 2);
        add_door_number(0)->add(add_door_number(0), f, &keys);
        try_journeys(&row, f, &keys);
        key_batch_free(&keys);
        tamis_free(f);
    }
}

static void plain_kinds_journey_with_many_keys(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, MANY, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        key_batch keys = row_keys(&row, false);
        add_door_number(7)->add(add_door_number(7), f, &keys);
        try_journeys(&row, f, &keys);
        key_batch_free(&keys);
        tamis_free(f);
    }
}

/* ---- in a caller's buffer ------------------------------------------------ */

static void try_buffer(const spec_row *row)
{
    uint64_t size = 0;
    tamis_filter *f = NULL, *view = NULL;
    const tamis_open_options open = {.secret = row->spec.secret};
    key_batch keys = row_keys(row, false);
    check_about("%s; in a buffer; seed %" PRIu64, row->why, SEED);
    CHECK_OK(tamis_create_in_size(&row->spec, &size));
    uint8_t *buffer = aligned_alloc(64, ((size_t)size + 63) / 64 * 64);
    CHECK_OK(tamis_create_in(&row->spec, buffer, (size_t)size, &f));
    add_door_number(6)->add(add_door_number(6), f, &keys);
    ask_check_quickly(f, &keys, "before the seal");
    CHECK_OK(tamis_seal(f));
    ask_check_quickly(f, &keys, "after the seal");
    CHECK_OK(tamis_view(buffer, (size_t)size, &open, &view));
    ask_check_quickly(view, &keys, "the sealed buffer as a view");
    tamis_free(view);
    tamis_free(f);
    free(buffer);
    key_batch_free(&keys);
}

static void built_in_a_buffer(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, PARALLEL, &row); i++) {
        if (row.grows) continue;
        if (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_BORROW) try_buffer(&row);
    }
}

/* ---- what comes between -------------------------------------------------- */

/* Adding goes on after every journey that ends in a writable filter: nothing
 * that arrived is lost, and what is added later is there too. */
static void adding_goes_on(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 2000, &row); i++) {
        key_batch keys = row_keys(&row, false);
        tamis_filter *f = spec_row_make(&row);
        for (size_t half = 0; half < 4; half++) {
            const size_t from = keys.count * half / 4, to = keys.count * (half + 1) / 4;
            const key_batch part = key_batch_part(&keys, from, to - from);
            const journey *way = journey_number(half < 2 ? 7 : 0);
            luggage bags = {.secret = row.spec.secret};
            check_about("%s; quarter %zu; seed %" PRIu64, row.why, half, SEED);
            add_door_number(6)->add(add_door_number(6), f, &part);
            tamis_filter *arrived = way->go(way, f, &bags);
            tamis_free(f);
            f = arrived;
            const key_batch before = key_batch_part(&keys, 0, to);
            ask_check_quickly(f, &before, "so far");
        }
        tamis_free(f);
        key_batch_free(&keys);
    }
}

static void cleared_and_filled_again(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 2000, &row); i++) {
        key_batch keys = row_keys(&row, false), others = key_batch_integers(~SEED, 2000);
        tamis_filter *f = spec_row_make(&row), *fresh = spec_row_make(&row);
        check_about("%s; cleared; seed %" PRIu64, row.why, SEED);
        add_door_number(0)->add(add_door_number(0), f, &keys);
        CHECK_OK(tamis_clear(f));
        filters_check_same(f, fresh, "cleared and new");
        const tamis_keys asked = key_batch_as(&others, TAMIS_LAYOUT_SPANS, NULL);
        CHECK(tamis_may_contain_many(f, &asked, NULL) == 0, "an empty filter says maybe");
        add_door_number(0)->add(add_door_number(0), f, &keys);
        ask_check_quickly(f, &keys, "filled again");
        tamis_free(f);
        tamis_free(fresh);
        key_batch_free(&keys);
        key_batch_free(&others);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_door_in),
        cmocka_unit_test(every_question),
        cmocka_unit_test(every_journey),
        cmocka_unit_test(plain_kinds_journey_with_many_keys),
        cmocka_unit_test(built_in_a_buffer),
        cmocka_unit_test(adding_goes_on),
        cmocka_unit_test(cleared_and_filled_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
