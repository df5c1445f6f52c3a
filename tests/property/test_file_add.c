/* test_file_add.c - keys appended to a file: found by every way of opening it,
 * told new from known, never half there; and a journal that is damaged or cut
 * is refused or, where it was never finished, as if it were not there.
 * test_file_add_threads.c has writers that take turns.                      */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 20011;

static const char *path;

static int make_path(void **state)
{
    (void)state;
    path = scratch_path("added");
    return 0;
}

static tamis_status add_part(const spec_row *row, const key_batch *keys, size_t from, size_t count,
                             tamis_file_added *result)
{
    const key_batch part = key_batch_part(keys, from, count);
    const tamis_keys batch = key_batch_as(&part, TAMIS_LAYOUT_SPANS, NULL);
    const tamis_open_options open = {.secret = row->spec.secret};
    return tamis_file_add_many(path, &batch, &open, result);
}

static const uint32_t WAYS[] = {0,
                                TAMIS_OPEN_SALVAGE,
                                TAMIS_OPEN_MAP,
                                TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY,
                                TAMIS_OPEN_MAP | TAMIS_OPEN_WARM,
                                TAMIS_OPEN_MAP | TAMIS_OPEN_SALVAGE,
                                TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY | TAMIS_OPEN_SALVAGE};

/* Every way of opening finds the keys, and is the same filter. */
static void check_file(const spec_row *row, const key_batch *there, const tamis_filter *expected)
{
    const bool shares = tamis_kind_abilities(row->spec.kind) & TAMIS_CAN_CONCURRENT;
    const uint32_t most = shares ? TAMIS_CONCURRENT : 0;
    for (size_t w = 0; w < COUNT(WAYS); w++)
        for (uint32_t behaviour = 0; behaviour <= most; behaviour += TAMIS_CONCURRENT) {
            const tamis_open_options open = {
                .flags = WAYS[w], .secret = row->spec.secret, .behaviour = behaviour};
            tamis_filter *f = NULL;
            if (behaviour && !(tamis_abilities(expected) & TAMIS_CAN_CONCURRENT)) continue;
            check_about("%s; opened with flags %u, behaviour %u", row->why, WAYS[w], behaviour);
            CHECK_OK(tamis_open(path, &open, &f));
            ask_check_all(f, there, "in the file");
            CHECK_OK(tamis_verify(f, NULL));
            filters_check_same_body(f, expected, "the file, and the same keys added in memory");
            tamis_free(f);
        }
    size_t size;
    uint8_t *bytes = scratch_read(path, &size);
    const tamis_open_options open = {.secret = row->spec.secret};
    tamis_filter *f = NULL;
    CHECK_OK(tamis_load(bytes, size, &open, &f));
    filters_check_same_body(f, expected, "loaded, and the same keys added in memory");
    tamis_free(f);
    free(bytes);
}

/* In parts of growing size, with repeats; the expected filter gets them too. */
static void try_row(const spec_row *row)
{
    key_batch keys = key_batch_integers(SEED, (size_t)row->keys);
    tamis_filter *expected = spec_row_make(row);
    uint64_t appended = 0;
    CHECK_OK(tamis_save(expected, path, NULL));
    for (size_t from = 0, count = 1; from < keys.count; from += count, count *= 3) {
        if (count > keys.count - from) count = keys.count - from;
        tamis_file_added result;
        uint64_t fresh = 0;
        for (size_t i = from; i < from + count; i++) {
            bool was_new = false;
            CHECK_OK(tamis_add_new_u64(expected, keys.integers[i], &was_new));
            fresh += was_new;
        }
        check_about("%s; keys from %zu on; seed %" PRIu64, row->why, from, SEED);
        CHECK_OK(add_part(row, &keys, from, count, &result));
        appended += spec_row_removes(row) ? count : fresh; /* each occurrence, or each key */
        CHECK(result.added == fresh && result.known == count - fresh,
              "%" PRIu64 " added, %" PRIu64 " known", result.added, result.known);
        const bool forgets = tamis_kind_abilities(row->spec.kind) & TAMIS_CAN_FORGET;
        CHECK(!result.rewritten && (forgets || result.appended == appended), "%" PRIu64 " appended",
              result.appended);
        if (spec_row_removes(row)) continue;                  /* would hold them twice */
        CHECK_OK(add_part(row, &keys, from, count, &result)); /* all known now */
        CHECK(result.added == 0 && result.known == count, "%" PRIu64 " added again", result.added);
    }
    check_file(row, &keys, expected);
    tamis_free(expected);
    key_batch_free(&keys);
}

static void appended_keys_are_there(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 120, &row); i++)
        if (!(tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_FORGET)) try_row(&row);
}

/* Saving what was opened takes the journal in. */
static void saving_takes_the_journal_in(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 500, &row); i++)
        for (size_t w = 0; w < COUNT(WAYS); w++) {
            key_batch keys = key_batch_integers(SEED, 500);
            tamis_filter *f = spec_row_make(&row), *again = NULL;
            const tamis_open_options open = {.flags = WAYS[w]};
            CHECK_OK(tamis_save(f, path, NULL));
            tamis_free(f);
            CHECK_OK(add_part(&row, &keys, 0, 500, NULL));
            CHECK_OK(tamis_open(path, &open, &f));
            check_about("%s; opened with flags %u, saved over itself", row.why, WAYS[w]);
            CHECK_OK(tamis_save(f, path, NULL));
            size_t size;
            uint8_t *bytes = scratch_read(path, &size);
            CHECK(size == tamis_encoded_size(f), "%zu bytes, not %" PRIu64, size,
                  tamis_encoded_size(f));
            CHECK_OK(tamis_view(bytes, size, NULL, &again)); /* which a journal would forbid */
            ask_check_quickly(again, &keys, "saved");
            tamis_free(again);
            free(bytes);
            tamis_free(f);
            key_batch_free(&keys);
        }
}

/* A map from before stays what it was, and sound. */
static void old_maps_stay_sound(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 500, &row); i++)
        for (uint32_t lazy = 0; lazy <= TAMIS_OPEN_LAZY; lazy += TAMIS_OPEN_LAZY) {
            key_batch keys = key_batch_integers(SEED, 500);
            const key_batch old = key_batch_part(&keys, 0, 200);
            tamis_filter *f = spec_row_make(&row), *map = NULL, *view = NULL;
            const tamis_open_options open = {.flags = TAMIS_OPEN_MAP | lazy};
            add_door_number(0)->add(add_door_number(0), f, &old);
            CHECK_OK(tamis_save(f, path, NULL));
            CHECK_OK(tamis_open(path, &open, &map));
            CHECK_OK(add_part(&row, &keys, 200, 300, NULL));
            check_about("%s; a map from before, lazy %u", row.why, lazy);
            ask_check_quickly(map, &old, "before the append");
            CHECK_OK(tamis_verify(map, NULL));
            filters_check_same(map, f, "a map from before");
            size_t size;
            uint8_t *bytes = scratch_read(path, &size);
            CHECK_STATUS(tamis_view(bytes, size, NULL, &view), TAMIS_E_UNSUPPORTED);
            free(bytes);
            tamis_free(map);
            tamis_free(f);
            key_batch_free(&keys);
        }
}

/* Past 1 MiB of journal, and 1/16 of the body, the file is written anew. */
static void long_journals_are_taken_in(void **state)
{
    (void)state;
    enum { KEYS = 150000, STEP = 30000 };
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        key_batch keys = key_batch_integers(SEED, KEYS);
        tamis_filter *f = spec_row_make(&row);
        bool rewritten = false;
        CHECK_OK(tamis_save(f, path, NULL));
        tamis_free(f);
        for (size_t from = 0; from < KEYS; from += STEP) {
            tamis_file_added result;
            check_about("%s; keys from %zu on", row.why, from);
            CHECK_OK(add_part(&row, &keys, from, STEP, &result));
            CHECK(!result.rewritten || result.appended == 0, "%" PRIu64 " in the journal",
                  result.appended);
            rewritten |= result.rewritten;
            const key_batch there = key_batch_part(&keys, 0, from + STEP);
            CHECK_OK(tamis_open(path, NULL, &f));
            ask_check_quickly(f, &there, "so far");
            tamis_free(f);
        }
        CHECK(rewritten, "a journal of %d keys", KEYS);
        key_batch_free(&keys);
    }
}

/* ---- refusals -------------------------------------------------------------- */

static void check_unchanged(const uint8_t *before, size_t before_size, const char *what)
{
    size_t size;
    uint8_t *bytes = scratch_read(path, &size);
    CHECK(size == before_size && memcmp(bytes, before, size) == 0, "%s changed the file", what);
    free(bytes);
}

static void refusals_leave_the_file(void **state)
{
    (void)state;
    static const int32_t descends[] = {0, 4, 3};
    const tamis_spec spec = {
        .kind = TAMIS_KIND_BLOCKED, .capacity = 100, .fpr = 1e-4, .flags = TAMIS_STRICT};
    tamis_filter *f = NULL;
    uint64_t many[300];
    tamis_file_added result;
    for (uint64_t i = 0; i < COUNT(many); i++) many[i] = i;
    CHECK_OK(tamis_create(&spec, &f));
    CHECK_OK(tamis_save(f, path, NULL));
    size_t size;
    uint8_t *before = scratch_read(path, &size);
    const tamis_keys too_many = tamis_keys_u64(many, COUNT(many)), few = tamis_keys_u64(many, 50);
    const tamis_keys bad = tamis_keys_offsets32("abcdef", descends, 2);
    check_about("refused appends");
    CHECK_STATUS(tamis_file_add_many(path, &too_many, NULL, &result), TAMIS_E_FULL);
    check_unchanged(before, size, "a strict filter that would be full");
    CHECK_STATUS(tamis_file_add_many(path, &bad, NULL, &result), TAMIS_E_SPEC);
    check_unchanged(before, size, "an invalid batch");
    const tamis_open_options secret = {.secret = SPEC_SECRET};
    CHECK_STATUS(tamis_file_add_many(path, &few, &secret, &result), TAMIS_E_SECRET);
    const tamis_open_options cap = {.memory = 1};
    CHECK_STATUS(tamis_file_add_many(path, &few, &cap, &result), TAMIS_E_LIMIT);
    check_unchanged(before, size, "wrong options");
    CHECK_OK(tamis_file_add_many(path, &few, NULL, &result));
    CHECK(result.added == 50, "%" PRIu64 " added", result.added);
    CHECK_STATUS(tamis_file_add_many(path, &too_many, NULL, &result), TAMIS_E_FULL);
    CHECK_STATUS(tamis_file_add_many("/no such folder/x", &few, NULL, &result), TAMIS_E_IO);
    for (uint32_t transport = TAMIS_ZSTD; transport <= TAMIS_GZIP; transport++) {
        const tamis_save_options save = {.transport = transport};
        if (!transport_built(transport)) continue;
        CHECK_OK(tamis_save(f, path, &save));
        CHECK_STATUS(tamis_file_add_many(path, &few, NULL, &result), TAMIS_E_UNSUPPORTED);
    }
    free(before);
    tamis_free(f);
}

/* ---- damage ---------------------------------------------------------------- */

/* Two records behind a filter. Returns the size before them. */
static size_t two_records(const spec_row *row, const key_batch *keys, uint8_t **bytes, size_t *size,
                          size_t *first)
{
    tamis_filter *f = spec_row_make(row);
    CHECK_OK(tamis_save(f, path, NULL));
    const size_t plain = (size_t)tamis_encoded_size(f);
    tamis_free(f);
    CHECK_OK(add_part(row, keys, 0, 20, NULL));
    free(scratch_read(path, first));
    CHECK_OK(add_part(row, keys, 20, 20, NULL));
    *bytes = scratch_read(path, size);
    return plain;
}

static void damaged_journals(void **state)
{
    (void)state;
    spec_row row;
    key_batch keys = key_batch_integers(SEED, 40);
    for (size_t i = 0; spec_row_plain(i, 40, &row); i++) {
        uint8_t *bytes;
        size_t size, first;
        const size_t plain = two_records(&row, &keys, &bytes, &size, &first);
        CHECK(plain < first && first < size, "no records");
        for (size_t at = plain - 8; at < size; at++) {
            const tamis_open_options open = {.flags = WAYS[at % COUNT(WAYS)]};
            tamis_filter *f = NULL;
            check_about("%s; byte %zu of %zu flipped, flags %u", row.why, at, size, open.flags);
            bytes[at] ^= 0x20;
            CHECK_STATUS(tamis_load(bytes, size, NULL, &f), TAMIS_E_CORRUPT);
            CHECK_STATUS(tamis_view(bytes, size, NULL, &f), TAMIS_E_CORRUPT);
            if (at % 5 == 0) { /* files are slower */
                scratch_write(path, bytes, size);
                CHECK_STATUS(tamis_open(path, &open, &f), TAMIS_E_CORRUPT);
            }
            bytes[at] ^= 0x20;
        }
        for (size_t cut = plain; cut < size; cut++) { /* what counts is missing */
            tamis_filter *f = NULL;
            check_about("%s; cut to %zu of %zu", row.why, cut, size);
            CHECK_STATUS(tamis_load(bytes, cut, NULL, &f), TAMIS_E_CORRUPT);
        }
        free(bytes);
    }
    key_batch_free(&keys);
}

/* A record that was being appended when the power went: its bytes are there,
 * whole or in part, but do not count. */
static void unfinished_records(void **state)
{
    (void)state;
    spec_row row;
    key_batch keys = key_batch_integers(SEED, 40);
    const key_batch counted = key_batch_part(&keys, 0, 20);
    for (size_t i = 0; spec_row_plain(i, 40, &row); i++) {
        uint8_t *bytes;
        size_t size, first, one_size;
        const size_t plain = two_records(&row, &keys, &bytes, &size, &first);
        tamis_filter *f = spec_row_make(&row);
        CHECK_OK(tamis_save(f, path, NULL));
        tamis_free(f);
        CHECK_OK(add_part(&row, &keys, 0, 20, NULL));
        uint8_t *one = scratch_read(path, &one_size);
        CHECK(one_size == first, "%zu bytes, not %zu", one_size, first);
        memcpy(bytes + plain - 8, one + plain - 8, 8); /* as before the second one counted */
        for (size_t cut = first; cut <= size; cut++) {
            const tamis_open_options open = {.flags = WAYS[cut % COUNT(WAYS)]};
            check_about("%s; %zu bytes of an unfinished record, flags %u", row.why, cut - first,
                        open.flags);
            CHECK_OK(tamis_load(bytes, cut, NULL, &f));
            ask_check_quickly(f, &counted, "what counts");
            tamis_free(f);
            if (cut % 5) continue; /* files are slower */
            scratch_write(path, bytes, cut);
            CHECK_OK(tamis_open(path, &open, &f));
            ask_check_quickly(f, &counted, "what counts");
            tamis_free(f);
        }
        scratch_write(path, bytes, size - 5); /* the next writer cuts it off */
        CHECK_OK(add_part(&row, &keys, 20, 20, NULL));
        CHECK_OK(tamis_open(path, NULL, &f));
        ask_check_quickly(f, &keys, "appended over an unfinished record");
        tamis_free(f);
        scratch_write(path, "rubbish", 7);
        bytes[first] ^= 1; /* no record begins like this */
        scratch_write(path, bytes, first + 30);
        CHECK_STATUS(tamis_open(path, NULL, &f), TAMIS_E_CORRUPT);
        free(one);
        free(bytes);
    }
    key_batch_free(&keys);
}

/* Damage of the body beside a sound journal: nothing is lost. */
static void damaged_bodies_with_a_journal(void **state)
{
    (void)state;
    enum { KEYS = 100000 };
    key_batch keys = key_batch_integers(SEED, KEYS);
    const key_batch old = key_batch_part(&keys, 0, KEYS - 5000);
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        if (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_FORGET) continue; /* empty parts */
        tamis_filter *f = spec_row_make(&row);
        add_door_number(7)->add(add_door_number(7), f, &old);
        CHECK_OK(tamis_save(f, path, NULL));
        tamis_free(f);
        CHECK_OK(add_part(&row, &keys, KEYS - 5000, 5000, NULL));
        filter_bytes b = {0};
        b.bytes = scratch_read(path, &b.size);
        filter_bytes_parse(&b);
        memset(b.body + 64, 0, 5000);
        scratch_write(path, b.bytes, b.size);
        for (size_t w = 0; w < COUNT(WAYS); w++) {
            const tamis_open_options open = {.flags = WAYS[w]};
            const bool tolerant = WAYS[w] & (TAMIS_OPEN_LAZY | TAMIS_OPEN_SALVAGE);
            check_about("%s; zeros in the body, flags %u", row.why, WAYS[w]);
            const tamis_status status = tamis_open(path, &open, &f);
            if (!tolerant) { /* a map that is not asked to verify may open */
                CHECK(status == TAMIS_E_CORRUPT || WAYS[w] & TAMIS_OPEN_MAP, "status %d",
                      (int)status);
                if (f) CHECK_STATUS(tamis_verify(f, NULL), TAMIS_E_CORRUPT);
            } else if (status == TAMIS_OK) {
                ask_check_quickly(f, &keys, "damaged body, sound journal");
            } else {
                /* Filters that scale or move keys are read to take the journal in, and
                 * verified; lost buckets of cells are full, salvaged layers of places
                 * take no more. */
                const bool moves = row.grows || row.parts > 1 || row.spec.kind == TAMIS_KIND_CUCKOO;
                const bool read = moves && !(WAYS[w] & TAMIS_OPEN_SALVAGE);
                const bool places = row.grows && row.spec.kind == TAMIS_KIND_CUCKOO;
                const tamis_status refused = places ? TAMIS_E_READONLY : TAMIS_E_FULL;
                CHECK(status == (read ? TAMIS_E_CORRUPT : refused), "status %d", (int)status);
                CHECK(read || spec_kind_bounded(row.spec.kind), "refused");
            }
            tamis_free(f);
            f = NULL;
        }
        filter_bytes_free(&b);
    }
    key_batch_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appended_keys_are_there), cmocka_unit_test(saving_takes_the_journal_in),
        cmocka_unit_test(old_maps_stay_sound),     cmocka_unit_test(long_journals_are_taken_in),
        cmocka_unit_test(refusals_leave_the_file), cmocka_unit_test(damaged_journals),
        cmocka_unit_test(unfinished_records),      cmocka_unit_test(damaged_bodies_with_a_journal),
    };
    return cmocka_run_group_tests(tests, make_path, NULL);
}
