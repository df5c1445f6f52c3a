/* test_golden.c - files of every released format, through every door.
 *
 *   tests/golden/native   sound files: what they hold, and rebuilt byte for byte
 *   tests/golden/unusual  sound files that no writer makes
 *   tests/golden/bad      damaged files, each with the status it must give
 *
 * What a file must answer is in the manifest.tsv beside it, how it was made in
 * support/golden_recipe.c. The files stay as they are for ever: when one fails,
 * the library is wrong. tests/format reads the same files in Python.          */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"
#include "support/golden_recipe.h"

/* ---- manifests ---------------------------------------------------------- */

enum { FIELDS_MOST = 12 };

/* Lines of fields; `text` is cut up in place. */
typedef struct manifest {
    char *text, *next;
    char *fields[FIELDS_MOST];
} manifest;

static void golden_path(char path[1024], const char *folder, const char *file)
{
    snprintf(path, 1024, "%s/%s/%s", TAMIS_TEST_DATA, folder, file);
}

static manifest manifest_read(const char *folder)
{
    char path[1024];
    size_t size;
    golden_path(path, folder, "manifest.tsv");
    uint8_t *bytes = scratch_read(path, &size);
    char *text = malloc(size + 1);
    memcpy(text, bytes, size);
    text[size] = 0;
    free(bytes);
    return (manifest){.text = text, .next = strchr(text, '\n') + 1}; /* after the headings */
}

/* Cuts the next line into exactly `count` fields; false at the end. */
static bool manifest_next(manifest *m, size_t count)
{
    if (!*m->next) return false;
    char *at = m->next, *end = strchr(at, '\n');
    *end = 0;
    m->next = end + 1;
    for (size_t i = 0; i < count; i++) {
        CHECK(at, "%s: fewer than %zu fields", m->fields[0], count);
        m->fields[i] = at;
        at = strchr(at, '\t');
        if (at) *at++ = 0;
    }
    CHECK(!at, "%s: more than %zu fields", m->fields[0], count);
    return true;
}

static uint64_t manifest_number(const manifest *m, size_t field, int base)
{
    char *end;
    const uint64_t value = strtoull(m->fields[field], &end, base);
    CHECK(*end == 0 && end != m->fields[field], "%s is no number", m->fields[field]);
    return value;
}

/* ---- doors -------------------------------------------------------------- */

/* A file, also as bytes at an address that is no multiple of anything. */
typedef struct input {
    char path[1024];
    uint8_t *bytes; /* exactly size of them, for a sanitizer to watch */
    uint8_t *odd;   /* inside room          */
    uint8_t *room;
    size_t size;
    uint32_t transport;
    const uint8_t *secret;
} input;

static uint8_t *exact_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (size) memcpy(copy, bytes, size);
    return copy;
}

static input input_read(const char *folder, const char *file)
{
    input in = {.transport = TAMIS_PLAIN};
    golden_path(in.path, folder, file);
    uint8_t *bytes = scratch_read(in.path, &in.size);
    in.bytes = exact_copy(bytes, in.size);
    in.room = malloc(in.size + 64);
    in.odd = in.room + 64 - ((uintptr_t)in.room + 27) % 64; /* 37 past a line's start */
    memcpy(in.odd, bytes, in.size);
    free(bytes);
    if (in.size >= 2 && memcmp(in.bytes, "\x1f\x8b", 2) == 0) in.transport = TAMIS_GZIP;
    if (in.size >= 4 && memcmp(in.bytes, "\x28\xb5\x2f\xfd", 4) == 0) in.transport = TAMIS_ZSTD;
    return in;
}

static void input_free(input *in)
{
    free(in->bytes);
    free(in->room);
}

static tamis_status by_path(const input *in, const tamis_open_options *how, unsigned step,
                            tamis_filter **out)
{
    (void)step;
    return tamis_open(in->path, how, out);
}

static tamis_status by_bytes(const input *in, const tamis_open_options *how, unsigned step,
                             tamis_filter **out)
{
    (void)step;
    return tamis_load(in->bytes, in->size, how, out);
}

static tamis_status by_stream(const input *in, const tamis_open_options *how, unsigned step,
                              tamis_filter **out)
{
    bytes_tap tap = {.bytes = in->bytes, .size = in->size, .step = step};
    return tamis_load_from(bytes_source, &tap, how, out);
}

static tamis_status by_view(const input *in, const tamis_open_options *how, unsigned odd,
                            tamis_filter **out)
{
    return tamis_view(odd ? in->odd : in->bytes, in->size, how, out);
}

/* What a door looks at before it opens. */
typedef enum trust {
    TRUST_NOTHING,  /* the whole input, and that it ends */
    TRUST_THE_REST, /* a stream: what follows is not its business */
    TRUST_THE_BODY, /* a map: the body is for tamis_verify */
    TRUST_NO_CHUNK, /* the same, and each chunk is checked when touched */
    TRUST_NO_VIEW   /* a view: as a map, with the body */
} trust;

typedef struct golden_door {
    const char *why;
    trust trusts;
    tamis_status (*open)(const input *, const tamis_open_options *, unsigned, tamis_filter **);
    uint32_t flags;
    unsigned step; /* bytes of a stream at a time; 1: a view at an odd address */
} golden_door;

static const golden_door DOORS[] = {
    {"from memory", TRUST_NOTHING, by_bytes, 0, 0},
    {"file, read", TRUST_NOTHING, by_path, 0, 0},
    {"stream, byte by byte", TRUST_THE_REST, by_stream, 0, 1},
    {"stream, 61 bytes at a time", TRUST_THE_REST, by_stream, 0, 61},
    {"stream, all at once", TRUST_THE_REST, by_stream, 0, 0},
    {"map", TRUST_THE_BODY, by_path, TAMIS_OPEN_MAP, 0},
    {"map, warm", TRUST_THE_BODY, by_path, TAMIS_OPEN_MAP | TAMIS_OPEN_WARM, 0},
    {"map, lazy", TRUST_NO_CHUNK, by_path, TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY, 0},
    {"view", TRUST_NO_VIEW, by_view, 0, 0},
    {"view, odd address", TRUST_NO_VIEW, by_view, 0, 1},
    {"view, odd address, lazy", TRUST_NO_CHUNK, by_view, TAMIS_OPEN_LAZY, 1},
};

static bool in_place(const golden_door *door)
{
    return door->trusts != TRUST_NOTHING && door->trusts != TRUST_THE_REST;
}

static tamis_status door_open(const golden_door *door, const input *in, uint32_t more_flags,
                              tamis_filter **out)
{
    const tamis_open_options how = {.flags = door->flags | more_flags, .secret = in->secret};
    *out = (tamis_filter *)(uintptr_t)1; /* a failure must clear it */
    return door->open(in, &how, door->step, out);
}

/* ---- what a file holds -------------------------------------------------- */

static uint64_t xxh3(const void *bytes, size_t size)
{
    uint64_t digest = 0;
    CHECK_OK(tamis_hash_bytes(TAMIS_HASH_XXH3, 0, NULL, bytes, size, &digest));
    return digest;
}

/* Columns of tests/golden/native/manifest.tsv. */
enum {
    FILE_NAME,
    KIND,
    HASH,
    LAYERS,
    FLAGS,
    ADDED,
    ESTIMATE,
    METADATA_BYTES,
    METADATA_XXH3,
    BYTES,
    XXH3,
    FALSE_POSITIVES,
    NATIVE_FIELDS
};

static void check_facts(const tamis_filter *f, const manifest *row)
{
    tamis_facts facts;
    size_t size;
    const void *metadata = tamis_metadata(f, &size);
    CHECK_OK(tamis_info(f, &facts));
    CHECK(strcmp(facts.kind_name, row->fields[KIND]) == 0, "kind %s", facts.kind_name);
    CHECK(strcmp(facts.hash_name, row->fields[HASH]) == 0, "hash %s", facts.hash_name);
    CHECK(facts.layers == manifest_number(row, LAYERS, 10), "%u layers", facts.layers);
    CHECK(facts.flags == manifest_number(row, FLAGS, 10), "flags %u", facts.flags);
    CHECK(facts.added == manifest_number(row, ADDED, 10), "%" PRIu64 " added", facts.added);
    CHECK(facts.count_is_estimate == (manifest_number(row, ESTIMATE, 10) == 1), "estimate");
    CHECK(size == manifest_number(row, METADATA_BYTES, 10), "%zu of metadata", size);
    CHECK(xxh3(metadata, size) == manifest_number(row, METADATA_XXH3, 16), "other metadata");
}

static void check_present(const tamis_filter *f, golden_rule rule, golden_range keys)
{
    uint8_t key[GOLDEN_KEY_MAX];
    for (uint64_t i = keys.first; i < keys.first + keys.count; i++) {
        const size_t size = golden_key(rule, i, key);
        CHECK(tamis_may_contain(f, key, size), "key %" PRIu64 " is gone", i);
    }
}

/* The listed absent keys get "maybe" and no others do. */
static void check_false_positives(const tamis_filter *f, const char *list)
{
    uint8_t key[GOLDEN_KEY_MAX];
    for (uint64_t i = 0; i < GOLDEN_ABSENT_COUNT; i++) {
        const size_t size = golden_absent(i, key);
        char *end = NULL;
        const bool listed = strtoull(list, &end, 10) == i && end != list;
        if (listed) list = *end == ',' ? end + 1 : end;
        CHECK(tamis_may_contain(f, key, size) == listed, "absent key %" PRIu64, i);
    }
}

/* The plain encoding, also of a filter that came compressed. */
static void check_bytes(const tamis_filter *f, const input *in, const manifest *row)
{
    filter_bytes plain = filter_bytes_of(f);
    CHECK(plain.size == manifest_number(row, BYTES, 10), "%zu bytes", plain.size);
    CHECK(xxh3(plain.bytes, plain.size) == manifest_number(row, XXH3, 16), "other bytes");
    if (in->transport == TAMIS_PLAIN)
        CHECK(plain.size == in->size && memcmp(plain.bytes, in->bytes, in->size) == 0,
              "not the bytes of the file");
    filter_bytes_free(&plain);
}

static void check_golden(const golden_door *door, const input *in, const golden_recipe *recipe,
                         const manifest *row)
{
    tamis_filter *f;
    check_about("%s, %s (%s)", recipe->name, door->why, recipe->why);
    if (in_place(door) && in->transport != TAMIS_PLAIN) {
        CHECK_STATUS(door_open(door, in, 0, &f), TAMIS_E_UNSUPPORTED);
        return;
    }
    CHECK_OK(door_open(door, in, 0, &f));
    check_facts(f, row);
    check_present(f, recipe->rule, golden_present(recipe));
    check_false_positives(f, row->fields[FALSE_POSITIVES]);
    CHECK_OK(tamis_verify(f, NULL));
    check_bytes(f, in, row);
    tamis_free(f);
}

/* Calls `check` for every golden file that this build can read. */
static void each_golden(void (*check)(const input *, const golden_recipe *, const manifest *))
{
    manifest m = manifest_read("native");
    for (size_t i = 0; i < golden_recipe_count; i++) {
        const golden_recipe *recipe = &golden_recipes[i];
        const size_t length = strlen(recipe->name);
        check_about("%s", recipe->name);
        CHECK(manifest_next(&m, NATIVE_FIELDS), "the manifest ends early");
        CHECK(strncmp(m.fields[FILE_NAME], recipe->name, length) == 0 &&
                  strcmp(m.fields[FILE_NAME] + length, ".tamis") == 0,
              "the manifest has %s here", m.fields[FILE_NAME]);
        input in = input_read("native", m.fields[FILE_NAME]);
        in.secret = recipe->spec.secret;
        tamis_sizing sizing;
        const bool built = tamis_plan(&recipe->spec, &sizing) != TAMIS_E_UNAVAILABLE;
        if (built && transport_built(in.transport) &&
            tamis_hash_available(tamis_hash_id(m.fields[HASH])))
            check(&in, recipe, &m);
        input_free(&in);
    }
    CHECK(!manifest_next(&m, NATIVE_FIELDS), "the manifest has more files");
    free(m.text);
}

static void check_doors(const input *in, const golden_recipe *recipe, const manifest *row)
{
    for (size_t d = 0; d < COUNT(DOORS); d++) check_golden(&DOORS[d], in, recipe, row);
}

static void check_rebuilt(const input *in, const golden_recipe *recipe, const manifest *row)
{
    tamis_filter *f = NULL;
    check_about("%s, rebuilt (%s)", recipe->name, recipe->why);
    CHECK_OK(golden_build(recipe, &f));
    check_bytes(f, in, row);
    tamis_free(f);
}

/* A keyed file opens with its own secret only, any other without one. */
static void check_secret(const input *in, const golden_recipe *recipe, const manifest *row)
{
    static const uint8_t other[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16};
    (void)row;
    input wrong = *in;
    tamis_filter *f;
    for (unsigned i = 0; i < 2; i++) {
        wrong.secret = i ? other : NULL;
        if (!in->secret && !wrong.secret) continue;
        for (size_t d = 0; d < COUNT(DOORS); d++) {
            check_about("%s, %s, secret %u", recipe->name, DOORS[d].why, i);
            if (in_place(&DOORS[d]) && in->transport != TAMIS_PLAIN) continue;
            CHECK_STATUS(door_open(&DOORS[d], &wrong, 0, &f), TAMIS_E_SECRET);
            CHECK(!f, "a product of failure");
        }
    }
}

static void native_files(void **state)
{
    (void)state;
    each_golden(check_doors);
}

static void native_rebuilt(void **state)
{
    (void)state;
    each_golden(check_rebuilt);
}

static void native_secrets(void **state)
{
    (void)state;
    each_golden(check_secret);
}

/* ---- damage ------------------------------------------------------------- */

/* Columns of the manifest.tsv of the other two folders. */
enum { BAD_NAME, BAD_READ, BAD_STREAM, BAD_MAP, BAD_SALVAGE, BAD_BYTES, BAD_WHY, BAD_FIELDS };

static tamis_status status_named(const char *name)
{
    static const struct {
        const char *name;
        tamis_status status;
    } rows[] = {
        {"OK", TAMIS_OK},
        {"NOMEM", TAMIS_E_NOMEM},
        {"LIMIT", TAMIS_E_LIMIT},
        {"SECRET", TAMIS_E_SECRET},
        {"UNSUPPORTED", TAMIS_E_UNSUPPORTED},
        {"UNAVAILABLE", TAMIS_E_UNAVAILABLE},
        {"TRUNCATED", TAMIS_E_TRUNCATED},
        {"CORRUPT", TAMIS_E_CORRUPT},
        {"VERSION", TAMIS_E_VERSION},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (strcmp(name, rows[i].name) == 0) return rows[i].status;
    CHECK(false, "%s is no status", name);
    return TAMIS_OK;
}

static tamis_status status_expected(const golden_door *door, const input *in, const manifest *row)
{
    const tamis_status read = status_named(row->fields[BAD_READ]);
    const tamis_status mapped = status_named(row->fields[BAD_MAP]);
    if (in_place(door)) {
        return mapped == TAMIS_OK && door->trusts == TRUST_NO_VIEW ? read : mapped;
    }
    if (!transport_built(in->transport)) return TAMIS_E_UNAVAILABLE;
    return door->trusts == TRUST_THE_REST ? status_named(row->fields[BAD_STREAM]) : read;
}

/* The ten keys that every file of these folders was filled with. */
static void check_ten(const tamis_filter *f)
{
    check_present(f, GOLDEN_TEXT, (golden_range){0, 10});
}

/* A door that opened though the body may be damaged. */
static void check_opened(const golden_door *door, const tamis_filter *f, tamis_status read)
{
    tamis_damage damage;
    const bool body_known = !in_place(door);
    if (door->trusts == TRUST_NO_CHUNK || read == TAMIS_OK) check_ten(f);
    CHECK_STATUS(tamis_verify(f, &damage), body_known ? TAMIS_OK : read);
}

static void check_bad(const input *in, const manifest *row)
{
    for (size_t d = 0; d < COUNT(DOORS); d++) {
        tamis_filter *f;
        check_about("%s, %s (%s)", row->fields[BAD_NAME], DOORS[d].why, row->fields[BAD_WHY]);
        CHECK_STATUS(door_open(&DOORS[d], in, 0, &f), status_expected(&DOORS[d], in, row));
        if (status_expected(&DOORS[d], in, row) == TAMIS_OK)
            check_opened(&DOORS[d], f, status_named(row->fields[BAD_READ]));
        else
            CHECK(!f, "a product of failure");
        tamis_free(f);
    }
}

static void check_salvaged(const input *in, const manifest *row)
{
    if (strcmp(row->fields[BAD_SALVAGE], "-") == 0) return;
    const tamis_status expected = status_named(row->fields[BAD_SALVAGE]);
    for (size_t d = 0; d < COUNT(DOORS); d++) {
        tamis_filter *f;
        check_about("%s, %s, salvage (%s)", row->fields[BAD_NAME], DOORS[d].why,
                    row->fields[BAD_WHY]);
        CHECK_STATUS(door_open(&DOORS[d], in, TAMIS_OPEN_SALVAGE, &f), expected);
        if (expected == TAMIS_OK) check_ten(f);
        tamis_free(f);
    }
}

/* Calls `check` for every file of a folder and returns how many there are. */
static size_t each_bad(const char *folder, void (*check)(const input *, const manifest *))
{
    manifest m = manifest_read(folder);
    size_t count = 0;
    while (manifest_next(&m, BAD_FIELDS)) {
        input in = input_read(folder, m.fields[BAD_NAME]);
        CHECK(in.size == manifest_number(&m, BAD_BYTES, 10), "%s: %zu bytes", in.path, in.size);
        check(&in, &m);
        input_free(&in);
        count++;
    }
    free(m.text);
    return count;
}

static void bad_files(void **state)
{
    (void)state;
    CHECK(each_bad("bad", check_bad) > 100, "few bad files");
}

static void bad_salvaged(void **state)
{
    (void)state;
    each_bad("bad", check_salvaged);
}

static void unusual_files(void **state)
{
    (void)state;
    CHECK(each_bad("unusual", check_bad) > 10, "few unusual files");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(native_files),   cmocka_unit_test(native_rebuilt),
        cmocka_unit_test(native_secrets), cmocka_unit_test(bad_files),
        cmocka_unit_test(bad_salvaged),   cmocka_unit_test(unusual_files),
    };
    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
