/* test_remove.c - taking keys away, over every kind that can: against an exact
 * multiset no key that is left is ever called absent, a key that is certainly
 * absent is refused and nothing changes, what is emptied is empty, batches do
 * what single calls do. test_remove_threads.c has many threads.              */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static const uint64_t SEED = 60221;

enum { MOST_EACH = 3 }; /* occurrences of one key that every such kind can hold */

static bool next_removing(size_t *index, uint64_t keys, spec_row *row)
{
    while (spec_row_number((*index)++, keys, row))
        if (spec_row_removes(row)) return true;
    return false;
}

static uint64_t added(const tamis_filter *f)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    return facts.added;
}

/* Layers of tables: one that has no room sends a key on, and then nobody knows. */
static bool keeps_some(const spec_row *row)
{
    return row->grows && spec_kind_bounded(row->spec.kind);
}

/* ---- against the truth --------------------------------------------------- */

typedef struct model {
    tamis_filter *filter;
    bool counts, keeps_some; /* where two layers may hold a key, it stays */
    uint64_t keys, total;    /* different keys; occurrences of all */
    uint8_t *times;          /* of each key */
} model;

static void model_check(const model *m, const char *what)
{
    for (uint64_t key = 0; key < m->keys; key++) {
        if (m->times[key] == 0) continue;
        CHECK(tamis_may_contain_u64(m->filter, key), "%s: key %" PRIu64 " is lost", what, key);
        const uint64_t count = tamis_estimate_count_u64(m->filter, key);
        CHECK(count >= (m->counts ? m->times[key] : 1),
              "%s: key %" PRIu64 ": %u times, not %" PRIu64, what, key, m->times[key], count);
    }
    const uint64_t held = added(m->filter);
    CHECK(m->keeps_some ? held >= m->total : held == m->total,
          "%s: %" PRIu64 " added, %" PRIu64 " are there", what, held, m->total);
}

/* A key that is not there: refused, and no byte changes, where that is certain. */
static void model_try_absent(const model *m, uint64_t key, unsigned *compared)
{
    if (tamis_may_contain_u64(m->filter, key)) return;
    filter_bytes before = {0};
    const bool compare = (*compared)++ < 20;
    if (compare) before = filter_bytes_of(m->filter);
    CHECK_STATUS(tamis_remove_u64(m->filter, key), TAMIS_E_ABSENT);
    CHECK(tamis_estimate_count_u64(m->filter, key) == 0, "an absent key is counted");
    if (!compare) return;
    filter_check_unchanged(m->filter, &before, "the remove of an absent key");
    filter_bytes_free(&before);
}

static void model_step(model *m, splitmix *random, unsigned *compared)
{
    const uint64_t key = splitmix_below(random, m->keys);
    if (splitmix_next(random) % 5 < 3) {
        if (m->total == m->keys || m->times[key] == MOST_EACH) return;
        CHECK_OK(tamis_add_u64(m->filter, key));
        m->times[key]++, m->total++;
    } else if (m->times[key] > 0) {
        CHECK_OK(tamis_remove_u64(m->filter, key));
        m->times[key]--, m->total--;
    } else {
        model_try_absent(m, key, compared);
    }
}

static void against_a_multiset(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; next_removing(&i, 1000, &row);) {
        splitmix random = {SEED};
        unsigned compared = 0;
        if (row.spec.bucket_keys == 2) continue; /* three copies of two keys would crowd */
        spec_row_make_room(&row, 2);
        model m = {.filter = spec_row_make(&row),
                   .keeps_some = keeps_some(&row),
                   .counts = (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_COUNT) != 0,
                   .keys = row.keys,
                   .times = calloc((size_t)row.keys, 1)};
        if (row.spec.capacity && row.spec.capacity < m.keys) m.keys = row.spec.capacity;
        check_about("%s; random adds and removes; seed %" PRIu64, row.why, SEED);
        for (unsigned round = 0; round < 5; round++) {
            for (uint64_t step = 0; step < 2 * m.keys; step++) model_step(&m, &random, &compared);
            model_check(&m, "after a round");
        }
        tamis_filter *copy = NULL;
        CHECK_OK(tamis_clone(m.filter, &copy));
        tamis_free(m.filter);
        m.filter = copy;
        model_check(&m, "cloned");
        free(m.times);
        tamis_free(m.filter);
    }
}

/* ---- emptying ------------------------------------------------------------- */

/* All keys twice where each has one place, then all away in another order. */
static void what_is_emptied_is_empty(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; next_removing(&i, 1000, &row);) {
        spec_row_make_room(&row, 1); /* copies crowd */
        tamis_filter *f = spec_row_make(&row), *fresh = spec_row_make(&row);
        const uint64_t n = row.keys / 2, times = keeps_some(&row) ? 1 : 2;
        for (uint64_t k = 0; k < times * n; k++) CHECK_OK(tamis_add_u64(f, k % n));
        for (uint64_t k = times * n; k-- > 0;) CHECK_OK(tamis_remove_u64(f, k * 7919 % n));
        if (!row.grows) filters_check_same(f, fresh, "emptied and never filled"); /* layers stay */
        if (keeps_some(&row)) {
            CHECK(added(f) <= n / 20, "%" PRIu64 " are left", added(f));
        } else {
            CHECK_STATUS(tamis_remove_u64(f, 0), TAMIS_E_ABSENT);
            CHECK(added(f) == 0, "%" PRIu64 " are left", added(f));
        }
        tamis_free(f);
        tamis_free(fresh);
    }
}

/* ---- batches --------------------------------------------------------------- */

static void try_batch(const spec_row *row, const key_batch *keys, tamis_layout layout)
{
    tamis_filter *one = spec_row_make(row), *many = spec_row_make(row);
    uint64_t *digests = key_batch_digests(keys, one);
    const size_t in = keys->count / 2;
    const key_batch part = key_batch_part(keys, 0, in);
    const tamis_keys half = key_batch_as(&part, layout, digests);
    const tamis_keys whole = key_batch_as(keys, layout, digests);
    bool *removed = malloc(keys->count);
    uint64_t *counts = malloc(keys->count * sizeof *counts);
    size_t gone = 77, expected = 0;
    check_about("%s; %s; removed as a batch", row->why, key_layout_name(layout));
    CHECK_OK(tamis_add_many(one, &half, NULL));
    CHECK_OK(tamis_add_many(many, &half, NULL));
    CHECK_OK(tamis_estimate_count_many(many, &whole, counts));
    for (size_t i = 0; i < keys->count; i++)
        CHECK(counts[i] == tamis_estimate_count_hash(one, digests[i]), "count of key %zu", i);
    CHECK_OK(tamis_remove_many(many, &whole, removed, &gone));
    for (size_t i = 0; i < keys->count; i++) {
        const bool there = tamis_remove_hash(one, digests[i]) == TAMIS_OK;
        CHECK(removed[i] == there && (there || i >= in), "key %zu: %d and %d", i, removed[i],
              there);
        expected += there;
    }
    CHECK(gone == expected, "%zu are gone, one by one %zu", gone, expected);
    filters_check_same(many, one, "removed as a batch and singly");
    free(digests), free(removed), free(counts);
    tamis_free(one), tamis_free(many);
}

static void batches_equal_single_calls(void **state)
{
    (void)state;
    spec_row row;
    key_batch keys = key_batch_integers(SEED, 1200);
    for (size_t i = 0; next_removing(&i, 1000, &row);) {
        if (row.keys < 600) continue; /* planned for fewer than these */
        for (tamis_layout l = TAMIS_LAYOUT_SPANS; l <= TAMIS_LAYOUT_DIGESTS; l++)
            try_batch(&row, &keys, l);
    }
    key_batch_free(&keys);
}

/* ---- refusals --------------------------------------------------------------- */

static void who_cannot_says_so(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 300, &row); i++) {
        tamis_filter *f = spec_row_make(&row), *view = NULL;
        const uint64_t key = 1;
        const tamis_keys batch = tamis_keys_u64(&key, 1);
        size_t gone = 7;
        CHECK_OK(tamis_add_u64(f, key));
        filter_bytes bytes = filter_bytes_of(f);
        CHECK_OK(tamis_view(bytes.bytes, bytes.size, NULL, &view));
        check_about("%s; refusals", row.why);
        tamis_facts facts;
        CHECK_OK(tamis_info(f, &facts));
        if (facts.abilities & TAMIS_CAN_REMOVE) {
            CHECK_STATUS(tamis_remove_u64(view, key), TAMIS_E_READONLY);
            CHECK_STATUS(tamis_remove_many(view, &batch, NULL, &gone), TAMIS_E_READONLY);
        } else {
            CHECK_STATUS(tamis_remove_u64(f, key), TAMIS_E_UNSUPPORTED);
            CHECK_STATUS(tamis_remove_many(f, &batch, NULL, &gone), TAMIS_E_UNSUPPORTED);
            filter_check_unchanged(f, &bytes, "a refused remove");
        }
        CHECK(gone == 0, "%zu are gone", gone);
        CHECK(tamis_estimate_count_u64(view, key) == tamis_estimate_count_u64(f, key),
              "a view counts");
        tamis_free(view);
        filter_bytes_free(&bytes);
        tamis_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(against_a_multiset),
        cmocka_unit_test(what_is_emptied_is_empty),
        cmocka_unit_test(batches_equal_single_calls),
        cmocka_unit_test(who_cannot_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
