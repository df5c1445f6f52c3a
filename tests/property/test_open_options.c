/* test_open_options.c - what a reader may ask for and what it is refused: the
 * secret, the cap, the flags, the hash that is not there, metadata. Headers
 * are changed and sealed again, so that only the field in question is wrong. */
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 5150;

/* Reads the same bytes by load, view, stream, open and map; all must agree. */
static tamis_status open_every_way(const filter_bytes *b, tamis_open_options options)
{
    const char *path = scratch_path("options");
    tamis_filter *f = NULL;
    bytes_tap tap = {.bytes = b->bytes, .size = b->size};
    tamis_status status[6];
    scratch_write(path, b->bytes, b->size);
    for (unsigned way = 0; way < COUNT(status); way++) {
        tamis_open_options mapped = options;
        mapped.flags |= way == 5 ? TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY : TAMIS_OPEN_MAP;
        status[way] = way == 0   ? tamis_load(b->bytes, b->size, &options, &f)
                      : way == 1 ? tamis_view(b->bytes, b->size, &options, &f)
                      : way == 2 ? tamis_load_from(bytes_source, &tap, &options, &f)
                      : way == 3 ? tamis_open(path, &options, &f)
                                 : tamis_open(path, &mapped, &f);
        CHECK((status[way] == TAMIS_OK) == (f != NULL), "way %u: status %d, filter %p", way,
              (int)status[way], (void *)f);
        if (status[way] != TAMIS_OK)
            CHECK(strlen(tamis_explain()) > 10, "way %u has no sentence", way);
        CHECK(status[way] == status[0], "way %u says %d, load %d", way, (int)status[way],
              (int)status[0]);
        tamis_free(f);
        f = NULL;
    }
    return status[0];
}

static filter_bytes some_bytes(const tamis_spec *spec)
{
    tamis_filter *f = NULL;
    CHECK_OK(tamis_create(spec, &f));
    for (uint64_t i = 0; i < 500; i++) CHECK_OK(tamis_add_u64(f, i));
    filter_bytes b = filter_bytes_of(f);
    tamis_free(f);
    return b;
}

/* ---- secrets ------------------------------------------------------------ */

static void secrets(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    uint8_t other[16];
    if (!tamis_hash_available(TAMIS_HASH_SIPHASH)) skip();
    memcpy(other, SPEC_SECRET, 16);
    other[0] ^= 1;
    for (size_t k = 0; k < count; k++) {
        const tamis_spec keyed = {
            .kind = kinds[k], .capacity = 1000, .fpr = 0.01, .secret = SPEC_SECRET, .seed = SEED};
        const tamis_spec open = {.kind = kinds[k], .capacity = 1000, .fpr = 0.01};
        filter_bytes a = some_bytes(&keyed), b = some_bytes(&open);
        check_about("%s", tamis_kind_name(kinds[k]));
        CHECK_OK(open_every_way(&a, (tamis_open_options){.secret = SPEC_SECRET}));
        CHECK_STATUS(open_every_way(&a, (tamis_open_options){.secret = other}), TAMIS_E_SECRET);
        CHECK_STATUS(open_every_way(&a, (tamis_open_options){0}), TAMIS_E_SECRET);
        CHECK_STATUS(open_every_way(&b, (tamis_open_options){.secret = other}), TAMIS_E_SECRET);
        for (size_t i = 0; i + 16 <= a.size; i++) /* it is in no file, also not in part */
            CHECK(memcmp(a.bytes + i, SPEC_SECRET, 8) != 0, "half of the secret at %zu", i);
        filter_bytes_free(&a);
        filter_bytes_free(&b);
    }
}

/* ---- caps and flags ------------------------------------------------------ */

static void caps_and_flags(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 1000, &row); i++) {
        filter_bytes b = some_bytes(&row.spec);
        check_about("%s", row.why);
        CHECK_OK(open_every_way(&b, (tamis_open_options){.memory = b.body_size}));
        CHECK_STATUS(open_every_way(&b, (tamis_open_options){.memory = b.body_size - 1}),
                     TAMIS_E_LIMIT);
        CHECK_STATUS(open_every_way(&b, (tamis_open_options){.flags = 1u << 20}), TAMIS_E_SPEC);
        CHECK_STATUS(open_every_way(&b, (tamis_open_options){.behaviour = TAMIS_STRICT}),
                     TAMIS_E_SPEC);
        CHECK_STATUS(open_every_way(&b, (tamis_open_options){.reserved = {0, 1, 0, 0}}),
                     TAMIS_E_SPEC);
        CHECK_STATUS(open_every_way(&b, (tamis_open_options){.behaviour = TAMIS_CONCURRENT}),
                     spec_row_shares(&row) ? TAMIS_OK : TAMIS_E_UNSUPPORTED);
        filter_bytes_free(&b);
    }
}

/* A compressed file opens, and cannot be mapped or viewed. */
static void compressed_files_are_not_mapped(void **state)
{
    (void)state;
    const tamis_spec spec = {.capacity = 1000, .fpr = 0.01};
    tamis_filter *f = NULL, *g = NULL;
    CHECK_OK(tamis_create(&spec, &f));
    for (uint32_t transport = TAMIS_ZSTD; transport <= TAMIS_GZIP; transport++) {
        const char *path = scratch_path("compressed");
        const tamis_save_options save = {.transport = transport, .level = 1};
        check_about("transport %u", transport);
        if (!transport_built(transport)) {
            CHECK_STATUS(tamis_save(f, path, &save), TAMIS_E_UNAVAILABLE);
            continue;
        }
        CHECK_OK(tamis_save(f, path, &save));
        CHECK_OK(tamis_open(path, NULL, &g));
        filters_check_same(f, g, "compressed and back");
        tamis_free(g);
        const tamis_open_options map = {.flags = TAMIS_OPEN_MAP};
        CHECK(tamis_open(path, &map, &g) != TAMIS_OK && g == NULL, "mapped");
        CHECK(strlen(tamis_explain()) > 10, "no sentence");
        size_t size;
        uint8_t *bytes = scratch_read(path, &size);
        CHECK(tamis_view(bytes, size, NULL, &g) != TAMIS_OK && g == NULL, "viewed");
        for (size_t cut = 0; cut < size; cut++)
            CHECK(tamis_load(bytes, cut, NULL, &g) != TAMIS_OK, "loaded %zu of %zu", cut, size);
        free(bytes);
    }
    tamis_free(f);
}

/* ---- what a reader does not know ----------------------------------------- */

enum { AT_VERSION = 8, AT_HASH = 24, AT_FLAGS = 28, AT_NAME = 48, AT_KIND = 120, AT_PARAMS = 184 };

static void header_fields(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        size_t at;
        uint32_t value;
        tamis_status status;
    } rows[] = {
        {"version 0", AT_VERSION, 0, TAMIS_E_CORRUPT},
        {"version 2", AT_VERSION, 2, TAMIS_E_VERSION},
        {"hash 0", AT_HASH, 0, TAMIS_E_CORRUPT},
        {"a hash nobody registered", AT_HASH, 4711, TAMIS_E_UNAVAILABLE},
        {"a hash number under another name", AT_HASH, TAMIS_HASH_FNV1A, TAMIS_E_UNAVAILABLE},
        {"another name under the hash number", AT_NAME, 0x79797979, TAMIS_E_UNAVAILABLE},
        {"a flag", AT_FLAGS, 1, TAMIS_E_VERSION},
        {"kind 0", AT_KIND, 0, TAMIS_E_CORRUPT},
        {"a kind of the future", AT_KIND, 63, TAMIS_E_VERSION},
        {"children of a flat kind", AT_KIND + 4, 1, TAMIS_E_CORRUPT},
        {"behaviour of the future", AT_KIND + 8, 8, TAMIS_E_VERSION},
        {"a state of the future", AT_KIND + 12, 2, TAMIS_E_CORRUPT},
        {"no capacity", AT_KIND + 16, 0, TAMIS_E_CORRUPT},
        {"no bits", AT_PARAMS, 0, TAMIS_E_CORRUPT},
        {"more bits than the body has", AT_PARAMS, 1 << 20, TAMIS_E_CORRUPT},
        {"no hashes", AT_PARAMS + 8, 0, TAMIS_E_CORRUPT},
        {"too many hashes", AT_PARAMS + 8, 65, TAMIS_E_CORRUPT},
    };
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 500, &row); i++) {
        if (row.grows || row.parts > 1) continue; /* their parameters mean other things */
        filter_bytes good = some_bytes(&row.spec);
        for (size_t r = 0; r < COUNT(rows); r++) {
            filter_bytes b = filter_bytes_copy(&good);
            check_about("%s; %s", row.why, rows[r].why);
            tms_store32(b.bytes + rows[r].at, rows[r].value);
            filter_bytes_reseal(&b);
            CHECK_STATUS(open_every_way(&b, (tamis_open_options){0}), rows[r].status);
            filter_bytes_free(&b);
        }
        filter_bytes_reseal(&good);
        check_about("%s; sealed again unchanged", row.why);
        CHECK_OK(open_every_way(&good, (tamis_open_options){0}));
        filter_bytes_free(&good);
    }
}

static uint64_t own_hash(const void *key, size_t len, uint64_t seed, void *ctx)
{
    uint64_t h = seed ^ *(const uint64_t *)ctx;
    for (size_t i = 0; i < len; i++) h = (h ^ ((const uint8_t *)key)[i]) * UINT64_C(0x100000001b3);
    return h;
}

/* A caller's hash: unknown before it is registered, then at home everywhere. */
static void own_hashes(void **state)
{
    (void)state;
    static uint64_t ctx = 0x5bd1e995;
    const tamis_hash_definition wide = {1001, "own-wide", 64, own_hash, &ctx};
    const tamis_hash_definition narrow = {1002, "own-narrow", 20, own_hash, &ctx};
    tamis_spec spec = {.hash = 1001, .capacity = 1000, .fpr = 0.01};
    tamis_filter *f = NULL;
    check_about("hash 1001 before its registration");
    CHECK_STATUS(tamis_create(&spec, &f), TAMIS_E_UNAVAILABLE);
    CHECK_OK(tamis_register_hash(&wide));
    CHECK_OK(tamis_register_hash(&narrow));
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++)
        for (uint32_t hash = 1001; hash <= 1002; hash++) {
            spec.kind = kinds[k];
            spec.hash = hash;
            check_about("%s, own hash %u", tamis_kind_name(kinds[k]), hash);
            filter_bytes b = some_bytes(&spec);
            tamis_filter *g = NULL;
            CHECK_OK(tamis_load(b.bytes, b.size, NULL, &g));
            for (uint64_t i = 0; i < 500; i++)
                CHECK(tamis_may_contain_u64(g, i), "key %" PRIu64 " is lost", i);
            tamis_facts facts;
            CHECK_OK(tamis_info(g, &facts));
            assert_string_equal(facts.hash_name, hash == 1001 ? "own-wide" : "own-narrow");
            tamis_free(g);
            filter_bytes_free(&b);
        }
}

/* ---- metadata ----------------------------------------------------------- */

static void metadata(void **state)
{
    (void)state;
    spec_row row;
    uint8_t *large = malloc(65537);
    memset(large, 'm', 65537);
    for (size_t i = 0; spec_row_plain(i, 300, &row); i++) {
        tamis_filter *f = spec_row_make(&row), *view = NULL, *copy = NULL;
        size_t size = 9;
        CHECK(tamis_metadata(f, &size) == NULL || size == 0, "metadata of a new filter");
        CHECK(size == 0, "%zu bytes", size);
        CHECK_OK(tamis_set_metadata(f, large, 65536));
        CHECK_STATUS(tamis_set_metadata(f, large, 65537), TAMIS_E_LIMIT);
        CHECK(memcmp(tamis_metadata(f, &size), large, 65536) == 0 && size == 65536, "lost");
        filter_bytes b = filter_bytes_of(f);
        CHECK_OK(tamis_view(b.bytes, b.size, NULL, &view));
        CHECK(memcmp(tamis_metadata(view, &size), large, 65536) == 0, "lost in a view");
        CHECK_STATUS(tamis_set_metadata(view, "x", 1), TAMIS_E_READONLY);
        CHECK_OK(tamis_clone(view, &copy));
        CHECK_OK(tamis_set_metadata(copy, tamis_metadata(copy, &size), 100)); /* of itself */
        CHECK(memcmp(tamis_metadata(copy, &size), large, 100) == 0 && size == 100, "shortened");
        CHECK_OK(tamis_set_metadata(copy, NULL, 0));
        (void)tamis_metadata(copy, &size);
        CHECK(size == 0, "%zu bytes after their removal", size);
        tamis_free(copy);
        tamis_free(view);
        filter_bytes_free(&b);
        tamis_free(f);
    }
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(secrets),
        cmocka_unit_test(caps_and_flags),
        cmocka_unit_test(compressed_files_are_not_mapped),
        cmocka_unit_test(header_fields),
        cmocka_unit_test(own_hashes),
        cmocka_unit_test(metadata),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
