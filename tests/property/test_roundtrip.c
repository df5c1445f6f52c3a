/* test_roundtrip.c - what is written is read back: the same answers, the same
 * facts, the same bytes, whichever way a filter travels. And the refusals: the
 * wrong secret, a cap, a length that is wrong by one byte, a failing sink or
 * source, a folder that is not there. test_damage.c has damaged bodies.     */
#include <dirent.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 31337;

static tamis_filter *filled(const spec_row *row)
{
    tamis_filter *f = spec_row_make(row);
    key_batch keys = key_batch_integers(SEED, (size_t)row->keys);
    add_door_number(7)->add(add_door_number(7), f, &keys);
    key_batch_free(&keys);
    return f;
}

/* ---- travelling --------------------------------------------------------- */

static void check_same_facts(const tamis_filter *a, const tamis_filter *b)
{
    tamis_facts x, y;
    CHECK_OK(tamis_info(a, &x));
    CHECK_OK(tamis_info(b, &y));
    CHECK(x.kind == y.kind && x.inner_kind == y.inner_kind && x.layers == y.layers, "kind, layers");
    CHECK(x.hash == y.hash && x.seed == y.seed && x.keyed == y.keyed, "hash, seed, secret");
    CHECK(x.capacity == y.capacity && x.added == y.added, "capacity or count");
    CHECK(x.bits == y.bits && x.ones == y.ones && x.hashes == y.hashes, "bits");
    CHECK(x.keys == y.keys && x.keys_low == y.keys_low, "estimate %g and %g", x.keys, y.keys);
    CHECK(x.fpr_asked == y.fpr_asked && x.fpr_now == y.fpr_now, "rates");
    CHECK(x.fpr_at_capacity == y.fpr_at_capacity, "rate at capacity");
    CHECK((x.flags & ~(uint32_t)TAMIS_CONCURRENT) == (y.flags & ~(uint32_t)TAMIS_CONCURRENT),
          "flags 0x%x and 0x%x", x.flags, y.flags);
    CHECK(x.fold == y.fold && x.lines_per_key == y.lines_per_key, "fold or lines");
    CHECK(y.damaged_bytes == 0, "%" PRIu64 " bytes damaged", y.damaged_bytes);
}

static void check_same_metadata(const tamis_filter *a, const tamis_filter *b)
{
    size_t m, n;
    const void *x = tamis_metadata(a, &m), *y = tamis_metadata(b, &n);
    CHECK(m == n && (m == 0 || memcmp(x, y, m) == 0), "metadata of %zu and %zu bytes", m, n);
}

static void every_journey_arrives_whole(void **state)
{
    (void)state;
    spec_row row;
    key_batch others = key_batch_text(SEED, 3000);
    for (size_t i = 0; spec_row_number(i, 2000, &row); i++) {
        tamis_filter *f = filled(&row);
        if (i % 2) CHECK_OK(tamis_set_metadata(f, "where from\0and when", 19));
        for (size_t j = 0; journey_number(j); j++) {
            const journey *way = journey_number(j);
            luggage bags = {.secret = row.spec.secret};
            check_about("%s; %s; seed %" PRIu64, row.why, way->why, SEED);
            tamis_filter *arrived = way->go(way, f, &bags);
            if (way->exact) filters_check_same(f, arrived, "before and after");
            check_same_facts(f, arrived);
            check_same_metadata(f, arrived);
            ask_check_agree(f, arrived, &others, "strangers");
            CHECK_OK(tamis_verify(arrived, NULL));
            journey_end(arrived, &bags);
        }
        tamis_free(f);
    }
    key_batch_free(&others);
}

/* encode(load(x)) == x for what a file may hold, after two more rounds. */
static void twice_is_once(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 1500, &row); i++) {
        tamis_filter *f = filled(&row), *g = NULL;
        filter_bytes first = filter_bytes_of(f);
        const tamis_open_options open = {.secret = row.spec.secret,
                                         .behaviour = i % 2 ? spec_row_shares(&row) : 0};
        for (int round = 0; round < 2; round++) {
            filter_bytes bytes = filter_bytes_of(f);
            CHECK_OK(tamis_load(bytes.bytes, bytes.size, &open, &g));
            filter_check_unchanged(g, &first, "loaded and encoded again");
            tamis_free(f);
            f = g;
            filter_bytes_free(&bytes);
        }
        filter_bytes_free(&first);
        tamis_free(f);
    }
}

/* ---- lengths ------------------------------------------------------------ */

static void every_length(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 40, &row); i++) {
        tamis_filter *f = filled(&row), *g = f;
        filter_bytes b = filter_bytes_of(f);
        uint8_t *longer = malloc(b.size + 1);
        memcpy(longer, b.bytes, b.size);
        longer[b.size] = 'x';
        for (size_t size = 0; size < b.size; size++) {
            uint8_t *exact = malloc(size ? size : 1); /* a sanitizer sees reads past it */
            memcpy(exact, b.bytes, size);
            check_about("%s; %zu of %zu bytes", row.why, size, b.size);
            CHECK_STATUS(tamis_load(exact, size, NULL, &g), TAMIS_E_TRUNCATED);
            CHECK(g == NULL, "a product of a failure");
            CHECK_STATUS(tamis_view(exact, size, NULL, &g), TAMIS_E_TRUNCATED);
            CHECK(g == NULL, "a product of a failure");
            bytes_tap tap = {.bytes = exact, .size = size, .step = 7};
            CHECK_STATUS(tamis_load_from(bytes_source, &tap, NULL, &g), TAMIS_E_TRUNCATED);
            free(exact);
        }
        check_about("%s; one byte more", row.why);
        CHECK_STATUS(tamis_load(longer, b.size + 1, NULL, &g), TAMIS_E_CORRUPT);
        CHECK_STATUS(tamis_view(longer, b.size + 1, NULL, &g), TAMIS_E_CORRUPT);
        bytes_tap tap = {.bytes = longer, .size = b.size + 1};
        CHECK_OK(tamis_load_from(bytes_source, &tap, NULL, &g));
        CHECK(tap.size == 1, "a stream was read past its end");
        filters_check_same(f, g, "before and after");
        tamis_free(g);
        free(longer);
        filter_bytes_free(&b);
        tamis_free(f);
    }
}

/* Any single byte changed is found (each bit of it in turn over the rows). */
static void every_byte(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 40, &row); i++) {
        tamis_filter *f = filled(&row), *g = NULL;
        filter_bytes b = filter_bytes_of(f);
        for (size_t at = 0; at < b.size; at++)
            for (unsigned mask = 1; mask < 256; mask = mask * 16 + 1) {
                const uint8_t was = b.bytes[at];
                b.bytes[at] ^= (uint8_t)mask;
                check_about("%s; byte %zu of %zu xor 0x%x", row.why, at, b.size, mask);
                const tamis_status load = tamis_load(b.bytes, b.size, NULL, &g);
                CHECK(load != TAMIS_OK && g == NULL, "loaded");
                const tamis_status view = tamis_view(b.bytes, b.size, NULL, &g);
                CHECK(view == load && g == NULL, "load says %d, view %d", (int)load, (int)view);
                b.bytes[at] = was;
            }
        filter_bytes_free(&b);
        tamis_free(f);
    }
}

static void room_to_encode(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 200, &row); i++) {
        tamis_filter *f = filled(&row);
        const size_t size = (size_t)tamis_encoded_size(f);
        uint8_t *bytes = malloc(size + 8);
        memset(bytes, 0x77, size + 8);
        CHECK_STATUS(tamis_encode(f, bytes, size - 1), TAMIS_E_SPEC);
        CHECK(bytes[size - 1] == 0x77, "wrote past a room that is too small");
        CHECK_STATUS(tamis_encode(f, bytes, 0), TAMIS_E_SPEC);
        CHECK_OK(tamis_encode(f, bytes, size + 8));
        for (size_t k = 0; k < 8; k++) CHECK(bytes[size + k] == 0x77, "wrote past its size");
        free(bytes);
        tamis_free(f);
    }
}

/* ---- other people's errors ---------------------------------------------- */

static void sinks_and_sources_that_fail(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 200000, &row); i++)
        for (uint32_t transport = TAMIS_PLAIN; transport <= TAMIS_GZIP; transport++) {
            if (!transport_built(transport)) continue;
            const tamis_save_options save = {.transport = transport};
            tamis_filter *f = filled(&row), *g = NULL;
            bytes_heap whole = {0};
            check_about("%s; transport %u", row.why, transport);
            CHECK_OK(tamis_encode_to(f, &save, bytes_sink, &whole));
            for (size_t n = 1; n <= whole.calls; n++) {
                bytes_heap heap = {.fail_at = n};
                CHECK(tamis_encode_to(f, &save, bytes_sink, &heap) == TAMIS_E_IO, "call %zu", n);
                CHECK(strstr(tamis_explain(), "the sink failed"), "says: %s", tamis_explain());
                free(heap.bytes);
            }
            bytes_tap tap = {.bytes = whole.bytes, .size = whole.size, .step = 50000};
            CHECK_OK(tamis_load_from(bytes_source, &tap, NULL, &g));
            tamis_free(g);
            const size_t calls = tap.calls;
            for (size_t n = 1; n <= calls; n++) {
                bytes_tap bad = {
                    .bytes = whole.bytes, .size = whole.size, .step = 50000, .fail_at = n};
                const tamis_status status = tamis_load_from(bytes_source, &bad, NULL, &g);
                /* the last call may be one for the end, which a plain stream needs not */
                CHECK(status == TAMIS_E_IO && g == NULL, "call %zu of %zu: %d", n, calls,
                      (int)status);
                CHECK(strstr(tamis_explain(), "the source failed"), "says: %s", tamis_explain());
            }
            free(whole.bytes);
            tamis_free(f);
        }
}

static size_t files_in(const char *path)
{
    char copy[512];
    size_t count = 0;
    strcpy(copy, path);
    DIR *folder = opendir(dirname(copy));
    assert_non_null(folder);
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

static void files_that_cannot_be(void **state)
{
    (void)state;
    const tamis_spec spec = {.capacity = 100, .fpr = 0.01};
    tamis_filter *f = NULL, *g = NULL;
    const char *path = scratch_path("kept");
    check_about("files that cannot be written or read");
    CHECK_OK(tamis_create(&spec, &f));
    CHECK_OK(tamis_save(f, path, NULL));
    const size_t files = files_in(path);
    CHECK_STATUS(tamis_open(scratch_path("absent"), NULL, &g), TAMIS_E_IO);
    const tamis_open_options map = {.flags = TAMIS_OPEN_MAP};
    CHECK_STATUS(tamis_open(scratch_path("absent"), &map, &g), TAMIS_E_IO);
    CHECK(g == NULL, "a product of a failure");
    CHECK_STATUS(tamis_save(f, "/no such folder/x", NULL), TAMIS_E_IO);
    CHECK_STATUS(tamis_save(f, "", NULL), TAMIS_E_IO);
    const tamis_save_options unknown = {.transport = 77};
    CHECK(tamis_save(f, path, &unknown) != TAMIS_OK, "an unknown transport");
    const tamis_save_options reserved = {.reserved = {0, 0, 0, 1}};
    CHECK_STATUS(tamis_save(f, path, &reserved), TAMIS_E_SPEC);
    CHECK(files_in(path) == files, "a failed save left a file");
    CHECK_OK(tamis_open(path, &map, &g));
    filters_check_same(f, g, "the file that failed saves left alone");
    tamis_free(g);
    tamis_free(f);
}

/* A save replaces the file; a map of the old one keeps the old contents. */
static void saving_over_a_map(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 3000, &row); i++) {
        tamis_filter *f = filled(&row), *map = NULL;
        const char *path = scratch_path("replaced");
        const tamis_open_options open = {.flags = TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY};
        CHECK_OK(tamis_save(f, path, NULL));
        CHECK_OK(tamis_open(path, &open, &map));
        filter_bytes before = filter_bytes_of(f);
        CHECK_OK(tamis_clear(f));
        CHECK_OK(tamis_save(f, path, NULL));
        filter_check_unchanged(map, &before, "the map of the old file");
        CHECK_OK(tamis_verify(map, NULL));
        CHECK_OK(tamis_save(map, path, NULL)); /* onto the file's own name */
        filter_check_unchanged(map, &before, "a map saved over its file");
        tamis_free(map);
        CHECK_OK(tamis_open(path, &open, &map));
        filter_check_unchanged(map, &before, "the new file");
        tamis_free(map);
        filter_bytes_free(&before);
        tamis_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_journey_arrives_whole),
        cmocka_unit_test(twice_is_once),
        cmocka_unit_test(every_length),
        cmocka_unit_test(every_byte),
        cmocka_unit_test(room_to_encode),
        cmocka_unit_test(sinks_and_sources_that_fail),
        cmocka_unit_test(files_that_cannot_be),
        cmocka_unit_test(saving_over_a_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
