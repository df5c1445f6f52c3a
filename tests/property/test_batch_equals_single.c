/* test_batch_equals_single.c - a batch is one call after the other, exactly:
 * the same answers, the same was_new, the same bytes, the same `added`, for
 * sizes around the runs that batches are worked in, and for batches that the
 * library must refuse.                                                      */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static const uint64_t SEED = 77001;

static const size_t SIZES[] = {0,   1,   2,   63,  64,  65,  127, 128,
                               129, 255, 256, 257, 383, 384, 385, 1000};

enum { MOST = 1000 };

/* `count` keys, a third of which occur twice or more, near and far apart; for
 * bounded filters never more than twice, one behind the other. */
static key_batch keys_with_repeats(uint64_t seed, size_t count, bool bounded)
{
    key_batch b = key_batch_integers(seed, count);
    splitmix random = {seed + 1};
    for (size_t i = 1; i < count; i++) {
        if (splitmix_below(&random, 3) != 0) continue;
        const size_t reach = splitmix_below(&random, 2) ? i : i < 3 ? i : 3;
        const size_t from = i - 1 - (size_t)splitmix_below(&random, bounded ? 1 : reach);
        if (bounded && i > 1 && b.integers[i - 1] == b.integers[i - 2]) continue;
        b.integers[i] = b.integers[from];
        memcpy(b.bytes + 8 * i, b.bytes + 8 * from, 8);
    }
    return b;
}

/* ---- adding ------------------------------------------------------------- */

/* What one by one gives. */
typedef struct singly {
    tamis_filter *filter;
    bool was_new[MOST];
} singly;

static void add_singly(const spec_row *row, const key_batch *keys, singly *out)
{
    out->filter = spec_row_make(row);
    for (size_t i = 0; i < keys->count; i++)
        CHECK_OK(
            tamis_add_new(out->filter, keys->spans[i].data, keys->spans[i].size, &out->was_new[i]));
}

static void try_add_new(const spec_row *row, const key_batch *keys, tamis_layout layout,
                        const singly *expected)
{
    tamis_filter *f = spec_row_make(row);
    bool was_new[MOST + 8];
    size_t added = 12345;
    uint64_t *digests = key_batch_digests(keys, f);
    const tamis_keys batch = key_batch_as(keys, layout, digests);
    memset(was_new, 7, sizeof was_new);
    check_about("%s; %zu %s; seed %" PRIu64, row->why, keys->count, key_layout_name(layout), SEED);
    CHECK_OK(tamis_add_new_many(f, &batch, was_new, &added));
    CHECK(added == keys->count, "%zu of %zu added", added, keys->count);
    for (size_t i = 0; i < keys->count; i++)
        CHECK(was_new[i] == expected->was_new[i], "key %zu is new: %d, one by one %d", i,
              was_new[i], expected->was_new[i]);
    for (size_t i = keys->count; i < sizeof was_new; i++)
        CHECK(((const uint8_t *)was_new)[i] == 7, "was_new[%zu] was written", i);
    filters_check_same(f, expected->filter, "add_new_many and one by one");
    free(digests);
    tamis_free(f);
}

static void try_add(const spec_row *row, const key_batch *keys, tamis_layout layout,
                    const singly *expected)
{
    tamis_filter *f = spec_row_make(row);
    size_t added = 12345;
    uint64_t *digests = key_batch_digests(keys, f);
    const tamis_keys batch = key_batch_as(keys, layout, digests);
    check_about("%s; %zu %s; seed %" PRIu64, row->why, keys->count, key_layout_name(layout), SEED);
    CHECK_OK(tamis_add_many(f, &batch, layout % 2 ? &added : NULL));
    if (layout % 2) CHECK(added == keys->count, "%zu of %zu added", added, keys->count);
    filters_check_same(f, expected->filter, "add_many and one by one");
    free(digests);
    tamis_free(f);
}

static void adding(void **state)
{
    (void)state;
    spec_row row;
    for (size_t s = 0; s < COUNT(SIZES); s++)
        for (size_t i = 0; spec_row_number(i, MOST, &row); i++) {
            const size_t count = SIZES[s] < row.keys ? SIZES[s] : (size_t)row.keys;
            spec_row_make_room(&row, 1);
            key_batch keys = keys_with_repeats(SEED + s, count, spec_kind_bounded(row.spec.kind));
            singly expected;
            add_singly(&row, &keys, &expected);
            for (tamis_layout l = TAMIS_LAYOUT_SPANS; l <= TAMIS_LAYOUT_DIGESTS; l++) {
                /* every layout at the large sizes, one at each small one */
                if (s + 2 < COUNT(SIZES) && (s + i) % KEY_LAYOUTS + 1 != (size_t)l) continue;
                try_add_new(&row, &keys, l, &expected);
                try_add(&row, &keys, l, &expected);
            }
            tamis_free(expected.filter);
            key_batch_free(&keys);
        }
}

/* Whether so many copies of one key are all that a filter takes: of those that keep
 * each, two buckets full, in every layer that copies alone make grow; of cells that
 * count to three, all of four buckets. */
static bool takes_no_more(const tamis_filter *f, size_t copies)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    const size_t places = 2 * (size_t)facts.bucket_keys; /* small layers are full before that */
    if (places) return copies >= places && copies <= places * facts.layers;
    return facts.kind == TAMIS_KIND_DLEFT && copies > 0 && copies % 12 == 0;
}

/* A batch of nothing but one key: new once. */
static void one_key_many_times(void **state)
{
    (void)state;
    spec_row row;
    uint64_t same[300];
    bool was_new[300];
    for (size_t i = 0; i < COUNT(same); i++) same[i] = SEED;
    const tamis_keys batch = tamis_keys_u64(same, COUNT(same));
    for (size_t i = 0; spec_row_number(i, MOST, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        size_t added = 0;
        const tamis_status status = tamis_add_new_many(f, &batch, was_new, &added);
        CHECK(status == TAMIS_E_FULL ? takes_no_more(f, added)
                                     : status == TAMIS_OK && added == COUNT(same),
              "status %d, %zu added", (int)status, added);
        CHECK(row.spec.kind != TAMIS_KIND_CUCKOO || row.grows || status == TAMIS_E_FULL,
              "%zu copies were taken", added);
        CHECK(was_new[0], "the first is not new");
        for (size_t k = 1; k < added; k++) CHECK(!was_new[k], "number %zu is new again", k);
        tamis_free(f);
    }
}

/* Cutting a batch anywhere changes nothing. */
static void cut_batches(void **state)
{
    (void)state;
    spec_row row;
    splitmix random = {SEED};
    for (size_t i = 0; spec_row_number(i, MOST, &row); i++) {
        spec_row_make_room(&row, 1);
        key_batch keys =
            keys_with_repeats(SEED + i, (size_t)row.keys, spec_kind_bounded(row.spec.kind));
        tamis_filter *whole = spec_row_make(&row), *parts = spec_row_make(&row);
        const tamis_keys all = key_batch_as(&keys, TAMIS_LAYOUT_U64, NULL);
        CHECK_OK(tamis_add_many(whole, &all, NULL));
        for (size_t from = 0; from < keys.count;) {
            size_t count = 1 + (size_t)splitmix_below(&random, 200);
            if (count > keys.count - from) count = keys.count - from;
            const key_batch part = key_batch_part(&keys, from, count);
            const tamis_keys some = key_batch_as(&part, TAMIS_LAYOUT_U64, NULL);
            CHECK_OK(tamis_add_many(parts, &some, NULL));
            from += count;
        }
        filters_check_same(whole, parts, "whole and cut");
        tamis_free(whole);
        tamis_free(parts);
        key_batch_free(&keys);
    }
}

/* ---- asking ------------------------------------------------------------- */

static void try_ask(const tamis_filter *f, const key_batch *keys, tamis_layout layout,
                    const char *why)
{
    bool answers[MOST + 8];
    size_t hits = 0;
    uint64_t *digests = key_batch_digests(keys, f);
    const tamis_keys batch = key_batch_as(keys, layout, digests);
    check_about("%s; asked for %zu %s; seed %" PRIu64, why, keys->count, key_layout_name(layout),
                SEED);
    memset(answers, 7, sizeof answers);
    const size_t said = tamis_may_contain_many(f, &batch, answers);
    for (size_t i = 0; i < keys->count; i++) {
        const bool single = tamis_may_contain(f, keys->spans[i].data, keys->spans[i].size);
        CHECK(answers[i] == single, "key %zu: %d, one by one %d", i, answers[i], single);
        CHECK(tamis_may_contain_hash(f, digests[i]) == single, "digest %zu differs", i);
        CHECK(tamis_may_contain_u64(f, keys->integers[i]) == single, "integer %zu differs", i);
        hits += single;
    }
    for (size_t i = keys->count; i < sizeof answers; i++)
        CHECK(((const uint8_t *)answers)[i] == 7, "answers[%zu] was written", i);
    CHECK(said == hits, "%zu hits were reported, %zu are there", said, hits);
    free(digests);
}

/* A third of what is asked for is there; the rest is there by chance. */
static key_batch questions_about(const key_batch *keys)
{
    key_batch asked = key_batch_integers(SEED ^ 0xabcdef, MOST);
    for (size_t i = 0; i < MOST; i += 3) {
        asked.integers[i] = keys->integers[i % keys->count];
        memcpy(asked.bytes + 8 * i, keys->bytes + 8 * (i % keys->count), 8);
    }
    return asked;
}

static void try_questions(const tamis_filter *f, const key_batch *asked, const char *why)
{
    for (size_t s = 0; s < COUNT(SIZES); s++) {
        const key_batch some = key_batch_part(asked, 0, SIZES[s]);
        for (tamis_layout l = TAMIS_LAYOUT_SPANS; l <= TAMIS_LAYOUT_DIGESTS; l++)
            if (s + 2 >= COUNT(SIZES) || s % KEY_LAYOUTS + 1 == (size_t)l)
                try_ask(f, &some, l, why);
    }
}

/* Of the filter itself, and of one whose chunks are looked at lazily. */
static void asking(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 500, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        key_batch keys = key_batch_integers(SEED, (size_t)row.keys);
        key_batch asked = questions_about(&keys);
        add_door_number(0)->add(add_door_number(0), f, &keys);
        try_questions(f, &asked, row.why);
        filter_bytes bytes = filter_bytes_of(f);
        const tamis_open_options lazy = {.flags = TAMIS_OPEN_LAZY, .secret = row.spec.secret};
        tamis_filter *view = NULL;
        CHECK_OK(tamis_view(bytes.bytes, bytes.size, &lazy, &view));
        try_questions(view, &asked, row.why);
        tamis_free(view);
        filter_bytes_free(&bytes);
        tamis_free(f);
        key_batch_free(&keys);
        key_batch_free(&asked);
    }
}

/* ---- hashing ------------------------------------------------------------ */

static void try_hashing(const tamis_filter *f, const key_batch *keys)
{
    uint64_t *one = key_batch_digests(keys, f);
    uint64_t *many = calloc(keys->count + 1, sizeof *many);
    for (tamis_layout l = TAMIS_LAYOUT_SPANS; l <= TAMIS_LAYOUT_DIGESTS; l++) {
        if (!key_batch_has(keys, l)) continue;
        const tamis_keys batch = key_batch_as(keys, l, one);
        memset(many, 0, keys->count * sizeof *many);
        CHECK_OK(tamis_hash_many(f, &batch, many));
        for (size_t i = 0; i < keys->count; i++)
            CHECK(many[i] == one[i], "%s: digest %zu", key_layout_name(l), i);
    }
    free(one);
    free(many);
}

/* tamis_hash is tamis_hash_bytes under the filter's hash, seed and secret. */
static void hashing(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, MOST, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        key_batch integers = key_batch_integers(SEED, 300), text = key_batch_text(SEED, 300);
        try_hashing(f, &integers);
        try_hashing(f, &text);
        for (size_t k = 0; k < text.count; k++) {
            uint64_t alone = 0;
            CHECK_OK(tamis_hash_bytes(row.spec.hash, row.spec.seed, row.spec.secret,
                                      text.spans[k].data, text.spans[k].size, &alone));
            CHECK(tamis_hash(f, text.spans[k].data, text.spans[k].size) == alone, "key %zu", k);
        }
        key_batch_free(&integers);
        key_batch_free(&text);
        tamis_free(f);
    }
}

/* ---- batches that are refused ------------------------------------------- */

static const int32_t NEGATIVE32[] = {-1, 0, 4, 8}, DESCENDS32[] = {0, 4, 3, 8},
                     BELOW32[] = {0, 4, 8, -8}, OFFSET32[] = {0, 4, 8, 12};
static const int64_t NEGATIVE64[] = {-1, 0, 4, 8}, DESCENDS64[] = {0, 4, 3, 8},
                     BELOW64[] = {0, 4, 8, INT64_MIN};

static void try_refused(tamis_filter *f, const tamis_keys *batch)
{
    filter_bytes before = filter_bytes_of(f);
    bool flags[3] = {false, false, false};
    uint64_t digests[3] = {1, 2, 3};
    size_t added = 99;
    CHECK_STATUS(tamis_add_many(f, batch, &added), TAMIS_E_SPEC);
    CHECK(added == 0, "%zu keys of a refused batch were added", added);
    CHECK_STATUS(tamis_add_new_many(f, batch, flags, &added), TAMIS_E_SPEC);
    CHECK(!flags[0] && !flags[1] && !flags[2], "was_new was written");
    CHECK_STATUS(tamis_add_many_parallel(f, batch, 2, &added), TAMIS_E_SPEC);
    CHECK_STATUS(tamis_hash_many(f, batch, digests), TAMIS_E_SPEC);
    filter_check_unchanged(f, &before, "a refused batch");
    CHECK(tamis_may_contain_many(f, batch, flags) == 3, "an invalid batch is not all maybe");
    CHECK(flags[0] && flags[1] && flags[2], "an invalid batch has a no");
    CHECK(tamis_may_contain_many(f, batch, NULL) == 3, "an invalid batch is not all maybe");
    filter_bytes_free(&before);
}

static void refused_batches(void **state)
{
    (void)state;
    static const char bytes[] = "abcdefghijkl";
    const struct {
        const char *why;
        tamis_keys keys;
    } rows[] = {
        {"negative start, 32 bits", tamis_keys_offsets32(bytes, NEGATIVE32, 3)},
        {"descends, 32 bits", tamis_keys_offsets32(bytes, DESCENDS32, 3)},
        {"ends below zero, 32 bits", tamis_keys_offsets32(bytes, BELOW32, 3)},
        {"negative start, 64 bits", tamis_keys_offsets64(bytes, NEGATIVE64, 3)},
        {"descends, 64 bits", tamis_keys_offsets64(bytes, DESCENDS64, 3)},
        {"ends below zero, 64 bits", tamis_keys_offsets64(bytes, BELOW64, 3)},
        {"layout 0", {.count = 3, .data = bytes}},
        {"layout 7", {.layout = (tamis_layout)7, .count = 3, .data = bytes}},
    };
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 100, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        const tamis_keys good = tamis_keys_offsets32(bytes, OFFSET32, 1);
        CHECK_OK(tamis_add_many(f, &good, NULL));
        for (size_t r = 0; r < COUNT(rows); r++) {
            check_about("%s; %s", row.why, rows[r].why);
            try_refused(f, &rows[r].keys);
        }
        tamis_free(f);
    }
}

/* Empty batches, without an address, and rows without a width. */
static void batches_of_nothing(void **state)
{
    (void)state;
    static const int32_t zero32[1];
    static const int64_t zero64[1];
    const tamis_keys nothing[] = {tamis_keys_spans(NULL, 0),
                                  tamis_keys_u64(NULL, 0),
                                  tamis_keys_rows(NULL, 0, 0),
                                  tamis_keys_rows(NULL, 16, 0),
                                  tamis_keys_offsets32(NULL, zero32, 0),
                                  tamis_keys_offsets64(NULL, zero64, 0),
                                  tamis_keys_digests(NULL, 0)};
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 100, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        filter_bytes before = filter_bytes_of(f);
        for (size_t n = 0; n < COUNT(nothing); n++) {
            size_t added = 5;
            check_about("%s; empty batch %zu", row.why, n);
            CHECK_OK(tamis_add_many(f, &nothing[n], &added));
            CHECK(added == 0, "%zu of none", added);
            CHECK_OK(tamis_add_new_many(f, &nothing[n], NULL, &added));
            CHECK_OK(tamis_add_many_parallel(f, &nothing[n], 4, &added));
            CHECK(tamis_may_contain_many(f, &nothing[n], NULL) == 0, "a maybe of none");
        }
        filter_check_unchanged(f, &before, "empty batches");
        const tamis_keys empties = tamis_keys_rows(NULL, 0, 3); /* the empty key, three times */
        CHECK_OK(tamis_add_many(f, &empties, NULL));
        CHECK(tamis_may_contain(f, NULL, 0), "the empty key is lost");
        CHECK(tamis_may_contain_many(f, &empties, NULL) == 3, "the empty key is lost to a batch");
        filter_bytes_free(&before);
        tamis_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(adding),
        cmocka_unit_test(one_key_many_times),
        cmocka_unit_test(cut_batches),
        cmocka_unit_test(asking),
        cmocka_unit_test(hashing),
        cmocka_unit_test(refused_batches),
        cmocka_unit_test(batches_of_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
