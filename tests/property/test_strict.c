/* test_strict.c - strict filters keep their promise by refusing: new keys past
 * capacity are not taken, keys that are there already always are, and a batch
 * says how far it came. And what `added` counts.                            */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 1848;

static bool next_strict(size_t *index, uint64_t keys, spec_row *row)
{
    while (spec_row_number((*index)++, keys, row))
        if (row->spec.flags & TAMIS_STRICT) return true;
    return false;
}

static uint64_t added(const tamis_filter *f)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    return facts.added;
}

/* Fills to the brim; returns the first key that is refused. Keys that happen
 * to be "maybe" are taken without being counted. */
static uint64_t fill(tamis_filter *f, uint64_t capacity)
{
    uint64_t key = SEED;
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    const uint32_t removing = TAMIS_CAN_REMOVE | TAMIS_STAYS_REMOVED;
    const bool removes = (facts.abilities & removing) == TAMIS_CAN_REMOVE; /* counts occurrences */
    while (added(f) < capacity) {
        const bool known = tamis_may_contain_u64(f, key);
        const uint64_t before = added(f);
        bool was_new = known;
        CHECK_OK(tamis_add_new_u64(f, key, &was_new));
        CHECK(was_new == !known, "key %" PRIu64 ": known %d, new %d", key, known, was_new);
        CHECK(added(f) == before + (removes || !known), "the count is %" PRIu64, added(f));
        key++;
    }
    while (tamis_may_contain_u64(f, key)) key++;
    return key;
}

static void capacity_is_a_wall(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; next_strict(&i, 1000, &row);) {
        tamis_filter *f = spec_row_make(&row);
        const uint64_t capacity = row.spec.capacity, refused = fill(f, capacity);
        filter_bytes before = filter_bytes_of(f);
        bool was_new = true, untouched = true;
        check_about("%s; full; seed %" PRIu64, row.why, SEED);
        CHECK(refused - SEED >= capacity, "refused after %" PRIu64 " keys", refused - SEED);
        CHECK_STATUS(tamis_add_u64(f, refused), TAMIS_E_FULL);
        CHECK_STATUS(tamis_add_new_u64(f, refused, &was_new), TAMIS_E_FULL);
        CHECK(was_new == untouched, "was_new was written on error");
        was_new = untouched = false;
        CHECK_STATUS(tamis_add_new_u64(f, refused, &was_new), TAMIS_E_FULL);
        CHECK(was_new == untouched, "was_new was written on error");
        CHECK(!tamis_may_contain_u64(f, refused), "a refused key is there");
        for (uint64_t key = SEED; key < SEED + capacity / 2; key++) {
            if (spec_row_removes(&row)) { /* a known key takes room as well */
                CHECK_STATUS(tamis_add_new_u64(f, key, &was_new), TAMIS_E_FULL);
                continue;
            }
            CHECK_OK(tamis_add_new_u64(f, key, &was_new)); /* known: always taken */
            CHECK(!was_new, "key %" PRIu64 " is new again", key);
        }
        filter_check_unchanged(f, &before, "a full strict filter");
        filter_bytes_free(&before);
        tamis_free(f);
    }
}

/* A batch of known keys, then strangers: all of the first are taken. */
static void batches_stop_at_the_wall(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; next_strict(&i, 700, &row);) {
        key_batch keys = key_batch_integers(SEED, 2000);
        for (tamis_layout l = TAMIS_LAYOUT_SPANS; l <= TAMIS_LAYOUT_DIGESTS; l++)
            for (unsigned way = 0; way < 3; way++) {
                tamis_filter *f = spec_row_make(&row), *g = spec_row_make(&row);
                uint64_t *digests = key_batch_digests(&keys, f);
                const tamis_keys batch = key_batch_as(&keys, l, digests);
                bool was_new[2000];
                size_t taken = 0, singly = 0;
                memset(was_new, 7, sizeof was_new);
                check_about("%s; %s; way %u; seed %" PRIu64, row.why, key_layout_name(l), way,
                            SEED);
                while (tamis_add_u64(g, keys.integers[singly]) == TAMIS_OK) singly++;
                CHECK_STATUS(way == 0   ? tamis_add_many(f, &batch, &taken)
                             : way == 1 ? tamis_add_new_many(f, &batch, was_new, &taken)
                                        : tamis_add_many_parallel(f, &batch, 3, &taken),
                             TAMIS_E_FULL);
                CHECK(taken == singly, "%zu were taken, one by one %zu", taken, singly);
                filters_check_same(f, g, "a batch that fills, and one by one");
                if (way == 1)
                    for (size_t k = taken; k < COUNT(was_new); k++)
                        CHECK(((const uint8_t *)was_new)[k] == 7, "was_new[%zu] was written", k);
                const key_batch part = key_batch_part(&keys, 0, taken);
                ask_check_quickly(f, &part, "taken");
                if (!spec_row_removes(&row)) /* again: all known */
                    add_door_number(6)->add(add_door_number(6), f, &part);
                filters_check_same(f, g, "known keys again");
                free(digests);
                tamis_free(f);
                tamis_free(g);
            }
        key_batch_free(&keys);
    }
}

/* Full stays full after travelling, and after a clear it is not. */
static void the_wall_travels(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; next_strict(&i, 500, &row);) {
        tamis_filter *f = spec_row_make(&row), *g = NULL;
        const uint64_t refused = fill(f, row.spec.capacity);
        filter_bytes bytes = filter_bytes_of(f);
        check_about("%s; loaded; seed %" PRIu64, row.why, SEED);
        CHECK_OK(tamis_load(bytes.bytes, bytes.size, NULL, &g));
        CHECK_STATUS(tamis_add_u64(g, refused), TAMIS_E_FULL);
        tamis_free(g);
        CHECK_OK(tamis_clone(f, &g));
        CHECK_STATUS(tamis_add_u64(g, refused), TAMIS_E_FULL);
        CHECK_OK(tamis_clear(g));
        CHECK_OK(tamis_add_u64(g, refused));
        tamis_free(g);
        filter_bytes_free(&bytes);
        tamis_free(f);
    }
}

/* Strict and scaling filters count new keys; the others, and those from which keys
 * can be removed, count calls. */
static void what_added_counts(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 500, &row); i++) {
        spec_row_make_room(&row, 2);
        tamis_filter *f = spec_row_make(&row);
        const bool counts_new =
            !spec_row_removes(&row) && (row.grows || row.spec.flags & TAMIS_STRICT);
        uint64_t fresh = 0;
        for (uint64_t k = 0; k < 2 * row.keys; k++) { /* every key twice */
            bool was_new = false;
            CHECK_OK(tamis_add_new_u64(f, k / 2, &was_new));
            fresh += was_new;
        }
        const bool forgets = (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_FORGET) != 0;
        if (forgets) /* counts what is new to the newest generation */
            CHECK(added(f) >= fresh && added(f) <= row.keys, "%" PRIu64 " added", added(f));
        else
            CHECK(added(f) == (counts_new ? fresh : 2 * row.keys),
                  "%" PRIu64 " added, %" PRIu64 " new, %" PRIu64 " calls", added(f), fresh,
                  2 * row.keys);
        tamis_free(f);
    }
}

/* "Never refuses" and "refuses" do not go together. */
static void scaling_is_never_strict(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        const tamis_spec spec = {.kind = kinds[k],
                                 .capacity = 100,
                                 .fpr = 0.01,
                                 .growth = TAMIS_GROWTH_SCALE,
                                 .flags = TAMIS_STRICT};
        tamis_filter *f = NULL;
        check_about("%s, scaling and strict", tamis_kind_name(kinds[k]));
        CHECK_STATUS(tamis_create(&spec, &f), TAMIS_E_SPEC);
        CHECK(f == NULL, "a product of a failure");
    }
}

/* By name and strict it is a filter of one layer, which keeps its whole rate. */
static void a_strict_layer_does_not_grow(void **state)
{
    (void)state;
    const tamis_spec spec = {
        .kind = TAMIS_KIND_SCALABLE, .capacity = 500, .fpr = 0.01, .flags = TAMIS_STRICT};
    tamis_filter *f = NULL;
    tamis_facts facts;
    uint64_t key = 0, taken = 0;
    check_about("a strict filter of kind scalable");
    CHECK_OK(tamis_create(&spec, &f));
    for (; key < 2000 && tamis_add_u64(f, key) == TAMIS_OK; key++) taken++;
    CHECK(taken >= 500 && taken < 520, "%" PRIu64 " of 500 keys were taken", taken);
    CHECK_STATUS(tamis_add_u64(f, key), TAMIS_E_FULL);
    for (uint64_t i = 0; i < taken; i++) CHECK(tamis_may_contain_u64(f, i), "key %" PRIu64, i);
    CHECK_OK(tamis_info(f, &facts));
    CHECK(facts.layers == 1 && facts.added == 500, "%u layers, %" PRIu64 " keys", facts.layers,
          facts.added);
    tamis_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capacity_is_a_wall),      cmocka_unit_test(batches_stop_at_the_wall),
        cmocka_unit_test(the_wall_travels),        cmocka_unit_test(what_added_counts),
        cmocka_unit_test(scaling_is_never_strict), cmocka_unit_test(a_strict_layer_does_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
