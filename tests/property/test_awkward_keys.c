/* test_awkward_keys.c - keys on which hashes, layouts and filters trip: empty,
 * of one byte, of a mebibyte, in sequence, 2^32 apart, with a NUL inside, of
 * equal bytes but another length, and twice. Everywhere.                    */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

static key_batch awkward;

static int make_keys(void **state)
{
    (void)state;
    awkward = key_batch_awkward();
    return 0;
}

static int free_keys(void **state)
{
    (void)state;
    key_batch_free(&awkward);
    return 0;
}

/* Distinct keys there are, about; for the capacity. */
enum { DISTINCT = 840 };

/* Some keys occur several times. */
static tamis_filter *row_filter(spec_row *row)
{
    if (row->spec.capacity < 4 * DISTINCT) spec_row_make_room(row, 3);
    if (row->spec.bucket_keys == 2) return NULL; /* some more than four times */
    return row->spec.capacity >= DISTINCT || row->grows || row->spec.memory ? spec_row_make(row)
                                                                            : NULL;
}

static void through_every_door(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 2 * DISTINCT, &row); i++)
        for (size_t d = i % 5; add_door_number(d); d += 5) { /* hashing a mebibyte takes its time */
            const add_door *door = add_door_number(d);
            tamis_filter *f = row_filter(&row);
            if (!f || !key_batch_has(&awkward, door->layout)) {
                tamis_free(f);
                continue;
            }
            check_about("%s; awkward keys, added %s", row.why, door->why);
            door->add(door, f, &awkward);
            ask_check_quickly(f, &awkward, "awkward");
            tamis_free(f);
        }
}

static void through_every_question_and_journey(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 2 * DISTINCT, &row); i++) {
        tamis_filter *f = row_filter(&row);
        if (!f) continue;
        add_door_number(6)->add(add_door_number(6), f, &awkward);
        ask_check_all(f, &awkward, "awkward");
        for (size_t j = 0; journey_number(j); j++) {
            luggage bags = {0};
            check_about("%s; awkward keys, %s", row.why, journey_number(j)->why);
            tamis_filter *arrived = journey_number(j)->go(journey_number(j), f, &bags);
            ask_check_quickly(arrived, &awkward, "arrived");
            journey_end(arrived, &bags);
        }
        tamis_free(f);
    }
}

/* The empty key is a key, with an address or without. */
static void the_empty_key(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 100, &row); i++) {
        tamis_filter *f = spec_row_make(&row), *g = spec_row_make(&row);
        bool was_new = false;
        CHECK(!tamis_may_contain(f, NULL, 0) && !tamis_may_contain(f, "", 0), "there already");
        CHECK_OK(tamis_add_new(f, NULL, 0, &was_new));
        CHECK(was_new, "not new");
        CHECK(tamis_may_contain(f, "", 0) && tamis_may_contain(f, "x", 0), "lost with an address");
        CHECK_OK(tamis_add_new(f, "y", 0, &was_new));
        CHECK(!was_new, "new again with an address");
        CHECK_OK(tamis_add(g, "z", 0));
        CHECK_OK(tamis_add(g, NULL, 0));
        filters_check_same(f, g, "with and without an address");
        CHECK(tamis_hash(f, NULL, 0) == tamis_hash(f, "", 0), "two digests");
        tamis_free(f);
        tamis_free(g);
    }
}

/* Distinct keys have distinct digests, except under a hash that is too narrow
 * to be sure of it. */
static void digests_tell_keys_apart(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 100, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        uint64_t *digests = key_batch_digests(&awkward, f);
        size_t equal = 0;
        for (size_t a = 0; a < awkward.count; a++)
            for (size_t b = 0; b < a; b++) {
                const tamis_span x = awkward.spans[a], y = awkward.spans[b];
                const bool same =
                    x.size == y.size && (x.size == 0 || memcmp(x.data, y.data, x.size) == 0);
                CHECK(!same || digests[a] == digests[b], "one key, two digests: %zu, %zu", a, b);
                equal += !same && digests[a] == digests[b];
            }
        CHECK(equal <= (row.spec.hash == TAMIS_HASH_MURMUR3_32 ? 2 : 0), "%zu pairs share digests",
              equal);
        free(digests);
        tamis_free(f);
    }
}

/* An integer is its 8 little-endian bytes, and nothing else. */
static void integers_are_eight_bytes(void **state)
{
    (void)state;
    static const uint8_t bytes[8] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11};
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 1000, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        const uint64_t key = UINT64_C(0x1122334455667788);
        CHECK_OK(tamis_add_u64(f, key));
        CHECK(tamis_may_contain(f, bytes, 8), "not by its bytes");
        CHECK(tamis_may_contain_hash(f, tamis_hash(f, bytes, 8)), "not by its digest");
        const tamis_keys rows = tamis_keys_rows(bytes, 8, 1);
        CHECK(tamis_may_contain_many(f, &rows, NULL) == 1, "not as a row");
        if (row.spec.capacity > 100)
            CHECK(!tamis_may_contain(f, bytes, 7) && !tamis_may_contain_u64(f, ~key), "too much");
        tamis_free(f);
    }
}

/* The key is read, never kept: what the caller does with it later is his. */
static void keys_are_not_kept(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 1000, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        char *key = malloc(8);
        for (unsigned k = 0; k < 1000; k++) {
            memcpy(key, "prefix", 6);
            key[6] = (char)(k & 127);
            key[7] = (char)(k >> 7);
            CHECK_OK(tamis_add(f, key, 8));
            memset(key, 0, 8);
        }
        free(key);
        for (unsigned k = 0; k < 1000; k++) {
            const char again[8] = {'p', 'r', 'e', 'f', 'i', 'x', (char)(k & 127), (char)(k >> 7)};
            CHECK(tamis_may_contain(f, again, 8), "key %u is lost", k);
        }
        tamis_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_every_door),
        cmocka_unit_test(through_every_question_and_journey),
        cmocka_unit_test(the_empty_key),
        cmocka_unit_test(digests_tell_keys_apart),
        cmocka_unit_test(integers_are_eight_bytes),
        cmocka_unit_test(keys_are_not_kept),
    };
    return cmocka_run_group_tests(tests, make_keys, free_keys);
}
