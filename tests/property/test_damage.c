/* test_damage.c - damage can only turn a "no" into a "maybe". Bytes are flipped
 * in every region of a file of several chunks, and the file is cut; then it is
 * read in every way there is, and what was read is cloned, merged, folded,
 * saved and opened again. No key may be lost on any of these ways, no sound
 * part given up, and the damage must be told.                               */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/faulty_heap.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 299792;

/* Bodies of several chunks of 64 KiB, the last one short. Every chunk has some
 * of the keys that are asked for. */
enum { KEYS = 250000, ASKED = 10000, STRANGERS = 10000 };

static key_batch keys, strangers;

static int make_keys(void **state)
{
    (void)state;
    keys = key_batch_integers(SEED, KEYS);
    strangers = key_batch_integers(SEED + 1, STRANGERS);
    return 0;
}

static int free_keys(void **state)
{
    (void)state;
    key_batch_free(&keys);
    key_batch_free(&strangers);
    return 0;
}

static filter_bytes sound_bytes(const spec_row *row)
{
    tamis_filter *f = spec_row_make(row);
    add_door_number(7)->add(add_door_number(7), f, &keys);
    filter_bytes b = filter_bytes_of(f);
    CHECK(b.chunks >= 4, "%zu chunks are too few for these tests", b.chunks);
    tamis_free(f);
    return b;
}

static size_t chunk_size(const filter_bytes *b, size_t chunk)
{
    const size_t left = b->body_size - chunk * b->chunk_size;
    return left < b->chunk_size ? left : b->chunk_size;
}

static uint64_t damaged_bytes(const tamis_filter *f)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    CHECK(tamis_damaged_bytes(f) == facts.damaged_bytes, "the cheap answer is another one");
    return facts.damaged_bytes;
}

/* ---- ways to read damage ------------------------------------------------- */

/* Each accepts damage of the body. */
static const struct {
    const char *why;
    uint32_t flags;
    bool file;
} READINGS[] = {
    {"loaded to salvage", TAMIS_OPEN_SALVAGE, false},
    {"opened to salvage", TAMIS_OPEN_SALVAGE, true},
    {"mapped lazily", TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY, true},
    {"mapped to salvage", TAMIS_OPEN_MAP | TAMIS_OPEN_SALVAGE, true},
    {"mapped lazily to salvage", TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY | TAMIS_OPEN_SALVAGE, true},
    {"viewed lazily", TAMIS_OPEN_LAZY, false},
    {"viewed to salvage", TAMIS_OPEN_SALVAGE, false},
};

static tamis_filter *read_damage(const filter_bytes *b, size_t reading)
{
    const tamis_open_options open = {.flags = READINGS[reading].flags};
    const char *path = scratch_path("damaged");
    tamis_filter *f = NULL;
    if (READINGS[reading].file) {
        scratch_write(path, b->bytes, b->size);
        CHECK_OK(tamis_open(path, &open, &f));
    } else if (reading == 0) {
        CHECK_OK(tamis_load(b->bytes, b->size, &open, &f));
    } else {
        CHECK_OK(tamis_view(b->bytes, b->size, &open, &f));
    }
    return f;
}

/* No key lost, and the sound part still says no to most strangers. */
static void check_answers(const tamis_filter *f, double most_maybes, const char *what)
{
    const key_batch some = key_batch_part(&keys, 0, 500), many = key_batch_part(&keys, 0, ASKED);
    ask_check_quickly(f, &many, what);
    ask_check_all(f, &some, what);
    const tamis_keys asked = key_batch_as(&strangers, TAMIS_LAYOUT_SPANS, NULL);
    const double maybes = (double)tamis_may_contain_many(f, &asked, NULL) / STRANGERS;
    CHECK(maybes <= most_maybes, "%s: %.1f %% of strangers get maybe", what, 100 * maybes);
}

/* ---- what can be done with a damaged filter -------------------------------- */

/* Bytes of fingerprints cannot say "maybe", so lost parts are not written. */
static bool cannot_be_written(const tamis_filter *f)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    return facts.fingerprint_bits != 0;
}

static void check_encoding(const tamis_filter *f, double most, const char *what)
{
    tamis_filter *again = NULL;
    const size_t size = (size_t)tamis_encoded_size(f);
    uint8_t *bytes = malloc(size);
    if (cannot_be_written(f)) {
        CHECK_STATUS(tamis_encode(f, bytes, size), TAMIS_E_CORRUPT);
        CHECK_STATUS(tamis_save(f, scratch_path("again"), NULL), TAMIS_E_CORRUPT);
        free(bytes);
        return;
    }
    CHECK_OK(tamis_encode(f, bytes, size));
    const tamis_status status = tamis_load(bytes, size, NULL, &again);
    if (status == TAMIS_OK) check_answers(again, most, what); /* else it is told */
    tamis_free(again);
    free(bytes);
    CHECK_OK(tamis_save(f, scratch_path("again"), NULL));
    if (tamis_open(scratch_path("again"), NULL, &again) == TAMIS_OK) {
        check_answers(again, most, what);
        tamis_free(again);
    }
}

static void check_clone(const tamis_filter *f, double most)
{
    tamis_filter *copy = NULL;
    CHECK_OK(tamis_clone(f, &copy));
    const uint64_t lost = damaged_bytes(f); /* a clone looks at every chunk */
    check_answers(copy, most, "cloned");
    CHECK(damaged_bytes(copy) == lost, "%" PRIu64 " bytes are damaged, of the clone %" PRIu64, lost,
          damaged_bytes(copy));
    check_encoding(copy, most, "cloned and encoded");
    tamis_facts facts;
    CHECK_OK(tamis_info(copy, &facts));
    if (facts.abilities & TAMIS_CAN_FOLD && facts.fold >= 2) {
        CHECK_OK(tamis_fold(copy, 2));
        check_answers(copy, 1, "cloned and folded");
    }
    tamis_free(copy);
}

/* Into an empty filter, and with one that has the same keys. */
static void check_sets(const spec_row *row, const tamis_filter *f, double most)
{
    tamis_filter *dst = spec_row_make(row);
    if (tamis_merge(dst, f, NULL) == TAMIS_OK) /* refusing is an answer, too */
        check_answers(dst, most, "merged into an empty filter");
    tamis_free(dst);
    dst = spec_row_make(row);
    add_door_number(7)->add(add_door_number(7), dst, &keys);
    if (tamis_intersect(dst, f) == TAMIS_OK) check_answers(dst, most, "intersected");
    tamis_free(dst);
    tamis_spec larger = row->spec;
    larger.memory = 0;
    larger.capacity = row->spec.capacity * 2;
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    larger.hashes = facts.lines_per_key ? facts.hashes / facts.lines_per_key : facts.hashes;
    if (row->grows || tamis_create(&larger, &dst) != TAMIS_OK) return;
    if (tamis_merge(dst, f, NULL) == TAMIS_OK) check_answers(dst, 1, "merged across sizes");
    tamis_free(dst);
}

static void try_uses(const spec_row *row, const filter_bytes *b, const char *region, double most)
{
    for (size_t r = 0; r < COUNT(READINGS); r++)
        for (unsigned use = 0; use < 3; use++) { /* each on a filter nobody has asked yet */
            tamis_filter *f = read_damage(b, r);
            check_about("%s; %s; %s; use %u; seed %" PRIu64, row->why, region, READINGS[r].why, use,
                        SEED);
            if (use == 0) check_encoding(f, most, "encoded");
            if (use == 1) check_clone(f, most);
            if (use == 2) check_sets(row, f, most);
            check_answers(f, most, "afterwards");
            tamis_free(f);
        }
}

static void uses_of_damaged_filters(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        filter_bytes b = sound_bytes(&row);
        /* zeros: the worst damage there is, for it makes keys look absent */
        memset(b.body + b.chunk_size + 100, 0, 60000);
        try_uses(&row, &b, "zeros in chunk 1", 1);
        filter_bytes_free(&b);
    }
}

/* ---- every region --------------------------------------------------------- */

static void check_verify(const tamis_filter *f, const filter_bytes *b, size_t chunk)
{
    tamis_damage damage;
    memset(&damage, 0xff, sizeof damage);
    CHECK_STATUS(tamis_verify(f, &damage), TAMIS_E_CORRUPT);
    CHECK(damage.chunks == b->chunks && damage.chunk_bytes == b->chunk_size, "chunks");
    CHECK(damage.damaged == 1 && damage.damaged_bytes == chunk_size(b, chunk),
          "%" PRIu64 " chunks, %" PRIu64 " bytes", damage.damaged, damage.damaged_bytes);
    CHECK(damage.first_offset == chunk * b->chunk_size, "first at %" PRIu64, damage.first_offset);
    char number[32];
    snprintf(number, sizeof number, "%zu", chunk);
    CHECK(strstr(tamis_explain(), "chunk") && strstr(tamis_explain(), number),
          "the sentence does not name chunk %zu: %s", chunk, tamis_explain());
}

/* Damage that concerns the content of one chunk. */
static void try_chunk(const spec_row *row, const filter_bytes *b, size_t chunk, const char *region)
{
    tamis_filter *f = NULL;
    const tamis_open_options map = {.flags = TAMIS_OPEN_MAP};
    check_about("%s; %s of chunk %zu; seed %" PRIu64, row->why, region, chunk, SEED);
    CHECK_STATUS(tamis_load(b->bytes, b->size, NULL, &f), TAMIS_E_CORRUPT);
    CHECK(strstr(tamis_explain(), "chunk") != NULL, "%s", tamis_explain());
    CHECK_STATUS(tamis_view(b->bytes, b->size, NULL, &f), TAMIS_E_CORRUPT);
    scratch_write(scratch_path("region"), b->bytes, b->size);
    CHECK_STATUS(tamis_open(scratch_path("region"), NULL, &f), TAMIS_E_CORRUPT);
    CHECK_OK(tamis_open(scratch_path("region"), &map, &f)); /* a map is verified on request */
    check_verify(f, b, chunk);
    tamis_free(f);
    for (size_t r = 0; r < COUNT(READINGS); r++) {
        f = read_damage(b, r);
        check_about("%s; %s of chunk %zu; %s; seed %" PRIu64, row->why, region, chunk,
                    READINGS[r].why, SEED);
        const bool lazy = READINGS[r].flags & TAMIS_OPEN_LAZY;
        check_answers(f, 1, "read");
        CHECK(damaged_bytes(f) == chunk_size(b, chunk), "%" PRIu64 " bytes are damaged, not %zu",
              damaged_bytes(f), chunk_size(b, chunk));
        if (READINGS[r].flags & TAMIS_OPEN_MAP || lazy) check_verify(f, b, chunk);
        tamis_free(f);
    }
}

static void every_region(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        filter_bytes sound = sound_bytes(&row);
        const size_t chunks[] = {0, 1, sound.chunks - 2, sound.chunks - 1};
        for (size_t n = 0; n < COUNT(chunks); n++) {
            const size_t c = chunks[n];
            static const struct {
                const char *region;
                double at; /* share of the chunk */
            } rows[] = {{"the first byte", 0}, {"the middle", 0.5}, {"the last byte", 1}};
            const size_t first = c * sound.chunk_size, last = chunk_size(&sound, c) - 1;
            const size_t r = n % COUNT(rows);
            const size_t at = first + (size_t)(rows[r].at * (double)last);
            sound.body[at] ^= 0x10;
            try_chunk(&row, &sound, c, rows[r].region);
            sound.body[at] ^= 0x10;
        }
        filter_bytes_free(&sound);
    }
}

/* A damaged chunk of a bit kind reads as ones, whoever reads it: a sound bit
 * that is zero still says no. So every reading gives the same answers. */
static void damage_costs_no_more_than_it_must(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        if (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_FORGET) continue; /* uneven */
        filter_bytes b = sound_bytes(&row);
        b.body[b.chunk_size + 7] ^= 1;
        tamis_filter *salvaged = read_damage(&b, 0);
        check_about("%s; salvaged; seed %" PRIu64, row.why, SEED);
        /* A small layer is lost whole, and half of a subtable of cells. */
        const double most = row.grows ? 1 : spec_kind_bounded(row.spec.kind) ? 0.6 : 0.5;
        check_answers(salvaged, most, "salvaged");
        for (size_t r = 1; r < COUNT(READINGS); r++) {
            tamis_filter *f = read_damage(&b, r);
            check_about("%s; %s; seed %" PRIu64, row.why, READINGS[r].why, SEED);
            check_answers(f, most, "read");
            ask_check_agree(salvaged, f, &strangers, "salvaged and this reading");
            tamis_free(f);
        }
        tamis_free(salvaged);
        filter_bytes_free(&b);
    }
}

/* Without a sound table and a sound header nothing can be salvaged: the table
 * also tells whether keys were appended. */
static void table_and_header(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        filter_bytes b = sound_bytes(&row);
        tamis_filter *f = NULL;
        const tamis_open_options salvage = {.flags = TAMIS_OPEN_SALVAGE};
        b.bytes[b.size - 1] ^= 1;
        check_about("%s; the checksum of the checksums", row.why);
        CHECK_STATUS(tamis_load(b.bytes, b.size, NULL, &f), TAMIS_E_CORRUPT);
        CHECK_STATUS(tamis_view(b.bytes, b.size, NULL, &f), TAMIS_E_CORRUPT);
        CHECK_STATUS(tamis_load(b.bytes, b.size, &salvage, &f), TAMIS_E_CORRUPT);
        b.bytes[b.size - 1] ^= 1;
        const size_t header = (size_t)(b.body - b.bytes);
        for (size_t at = 0; at < header; at++) {
            b.bytes[at] ^= 4;
            check_about("%s; byte %zu of the header", row.why, at);
            for (uint32_t flags = 0; flags < 16; flags += 2) {
                const tamis_open_options open = {.flags = flags & ~(uint32_t)TAMIS_OPEN_WARM};
                CHECK(tamis_load(b.bytes, b.size, &open, &f) != TAMIS_OK && !f, "loaded");
                CHECK(tamis_view(b.bytes, b.size, &open, &f) != TAMIS_OK && !f, "viewed");
            }
            b.bytes[at] ^= 4;
        }
        filter_bytes_free(&b);
    }
}

/* The facts and the diagnosis count lost chunks as lost: not as keys, not as a
 * poor hash; and the rate is the one that strangers really get. */
static void facts_know_of_the_damage(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        if (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_FORGET) continue; /* uneven */
        if (row.grows) continue; /* a layer that is lost whole has nothing to tell */
        filter_bytes b = sound_bytes(&row);
        b.body[b.chunk_size + 7] ^= 1;
        for (size_t r = 0; r < COUNT(READINGS); r++) {
            tamis_filter *f = read_damage(&b, r);
            tamis_facts facts;
            tamis_finding found[16];
            check_about("%s; %s; seed %" PRIu64, row.why, READINGS[r].why, SEED);
            const tamis_keys asked = key_batch_as(&strangers, TAMIS_LAYOUT_SPANS, NULL);
            const double seen = (double)tamis_may_contain_many(f, &asked, NULL) / STRANGERS;
            CHECK_OK(tamis_info(f, &facts));
            CHECK(facts.fpr_now > 0.9 * seen - 0.005 && facts.fpr_now < 1.1 * seen + 0.005,
                  "a rate of %.4f is said, %.4f is seen", facts.fpr_now, seen);
            CHECK(facts.keys_low <= KEYS && facts.keys_high >= KEYS, "%d keys, said %.0f to %.0f",
                  KEYS, facts.keys_low, facts.keys_high);
            const size_t count = tamis_diagnose(f, found, COUNT(found));
            CHECK(found[0].code == TAMIS_FINDING_DAMAGED, "finding %d", (int)found[0].code);
            for (size_t n = 1; n < count; n++)
                CHECK(found[n].code != TAMIS_FINDING_POOR_HASH &&
                          found[n].code != TAMIS_FINDING_OVER_CAPACITY,
                      "and a false alarm: %s", found[n].sentence);
            tamis_free(f);
        }
        filter_bytes_free(&b);
    }
}

/* What is lost stays known through sets, and is never more than there is. */
static void sets_keep_the_damage(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        if (row.grows || !(tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_FOLD)) continue;
        filter_bytes b = sound_bytes(&row);
        memset(b.body, 0x55, b.body_size); /* every chunk */
        const tamis_open_options salvage = {.flags = TAMIS_OPEN_SALVAGE};
        tamis_filter *lost = NULL, *sound = spec_row_make(&row);
        tamis_facts before, after;
        check_about("%s; all lost", row.why);
        CHECK_OK(tamis_load(b.bytes, b.size, &salvage, &lost));
        CHECK_OK(tamis_info(lost, &before));
        CHECK_OK(tamis_fold(lost, 2));
        CHECK_OK(tamis_info(lost, &after));
        CHECK(before.damaged_bytes == b.body_size, "%" PRIu64 " lost", before.damaged_bytes);
        CHECK(after.damaged_bytes <= after.memory && after.damaged_bytes >= b.body_size / 2,
              "%" PRIu64 " of %" PRIu64 " lost", after.damaged_bytes, after.memory);
        CHECK_OK(tamis_intersect(sound, lost));
        CHECK_OK(tamis_info(sound, &after));
        CHECK(after.damaged_bytes > 0, "an intersection forgets what was lost");
        tamis_free(lost);
        tamis_free(sound);
        filter_bytes_free(&b);
    }
}

/* ---- cut files ------------------------------------------------------------ */

static void cut_files(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        filter_bytes b = sound_bytes(&row);
        const size_t header = (size_t)(b.body - b.bytes), end = header + b.body_size;
        const struct {
            const char *why;
            size_t size;
            double most;
            bool salvageable;
        } rows[] = {
            {"one byte of the header missing", header - 1, 0, false},
            {"the header alone", header, 1, true},
            {"half of the first chunk", header + 30000, 1, true},
            {"all of the body but a byte", end - 1, 1, true},
            {"no checksum", end, 1, true},
            {"one checksum", end + 8, 1, true},
            {"all checksums but one", b.size - 16, 1, true},
            {"one byte missing", b.size - 1, 1, true},
        };
        for (size_t r = 0; r < COUNT(rows); r++) {
            filter_bytes cut = {.bytes = malloc(rows[r].size), .size = rows[r].size};
            memcpy(cut.bytes, b.bytes, cut.size); /* a sanitizer sees reads past it */
            tamis_filter *f = NULL;
            const tamis_open_options lazy = {.flags = TAMIS_OPEN_LAZY};
            const tamis_open_options salvage = {.flags = TAMIS_OPEN_SALVAGE};
            check_about("%s; %s; seed %" PRIu64, row.why, rows[r].why, SEED);
            CHECK_STATUS(tamis_load(cut.bytes, cut.size, NULL, &f), TAMIS_E_TRUNCATED);
            CHECK_STATUS(tamis_view(cut.bytes, cut.size, NULL, &f), TAMIS_E_TRUNCATED);
            CHECK_STATUS(tamis_view(cut.bytes, cut.size, &lazy, &f), TAMIS_E_TRUNCATED);
            for (size_t k = 0; k < COUNT(READINGS); k++) {
                if (!(READINGS[k].flags & TAMIS_OPEN_SALVAGE)) continue;
                if (!rows[r].salvageable) {
                    CHECK_STATUS(tamis_load(cut.bytes, cut.size, &salvage, &f), TAMIS_E_TRUNCATED);
                    continue;
                }
                f = read_damage(&cut, k);
                check_about("%s; %s; %s; seed %" PRIu64, row.why, rows[r].why, READINGS[k].why,
                            SEED);
                check_answers(f, rows[r].most, "cut");
                if (rows[r].size <= end)
                    CHECK(damaged_bytes(f) == b.body_size, "%" PRIu64 " bytes", damaged_bytes(f));
                check_encoding(f, rows[r].most, "cut, encoded");
                tamis_free(f);
            }
            free(cut.bytes);
        }
        filter_bytes_free(&b);
    }
}

/* ---- going on ------------------------------------------------------------- */

/* Keys added to what was salvaged are there; where they cannot be added, that
 * is said. */
static void adding_to_what_is_left(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, KEYS, &row); i++) {
        filter_bytes b = sound_bytes(&row);
        tamis_filter *f = NULL;
        const tamis_open_options salvage = {.flags = TAMIS_OPEN_SALVAGE};
        b.body[b.body_size / 2] ^= 8;
        check_about("%s; salvaged; seed %" PRIu64, row.why, SEED);
        CHECK_OK(tamis_load(b.bytes, b.size, &salvage, &f));
        const tamis_keys more = key_batch_as(&strangers, TAMIS_LAYOUT_U64, NULL);
        const tamis_status status = tamis_add_many(f, &more, NULL);
        const bool full = status == TAMIS_E_FULL && spec_kind_bounded(row.spec.kind);
        CHECK(full || status == TAMIS_OK || status == TAMIS_E_READONLY, "status %d", (int)status);
        ask_check_quickly(f, &keys, "before and after");
        if (status == TAMIS_OK) ask_check_quickly(f, &strangers, "added");
        tamis_free(f);
        filter_bytes_free(&b);
    }
}

/* A short input with a large claim is not worth its memory. */
static void large_claims(void **state)
{
    (void)state;
    const tamis_spec spec = {.kind = TAMIS_KIND_BLOCKED, .capacity = 1000, .memory = 17 << 20};
    tamis_filter *f = NULL, *g = NULL;
    check_about("a header that announces 17 MiB");
    CHECK_OK(tamis_create(&spec, &f));
    filter_bytes b = filter_bytes_of(f);
    for (uint32_t flags = TAMIS_OPEN_SALVAGE; flags <= (TAMIS_OPEN_SALVAGE | TAMIS_OPEN_LAZY);
         flags++) {
        const tamis_open_options open = {.flags = flags & ~(uint32_t)TAMIS_OPEN_MAP};
        CHECK(tamis_load(b.bytes, 4096, &open, &g) != TAMIS_OK && !g, "loaded");
        CHECK(tamis_view(b.bytes, 4096, &open, &g) != TAMIS_OK && !g, "viewed");
        faulty_heap heap; /* it clears what it gives, so what is asked for is paid for */
        faulty_heap_init(&heap);
        const tamis_open_options own = {.flags = open.flags, .alloc = &heap.alloc};
        CHECK_STATUS(tamis_load(b.bytes, 4096, &own, &g), TAMIS_E_TRUNCATED);
        CHECK_STATUS(tamis_view(b.bytes, 4096, &own, &g), TAMIS_E_TRUNCATED);
        CHECK(heap.peak < 1 << 20 && heap.blocks == 0, "a peak of %zu bytes", heap.peak);
    }
    filter_bytes_free(&b);
    tamis_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_region),
        cmocka_unit_test(damage_costs_no_more_than_it_must),
        cmocka_unit_test(uses_of_damaged_filters),
        cmocka_unit_test(table_and_header),
        cmocka_unit_test(facts_know_of_the_damage),
        cmocka_unit_test(sets_keep_the_damage),
        cmocka_unit_test(cut_files),
        cmocka_unit_test(adding_to_what_is_left),
        cmocka_unit_test(large_claims),
    };
    return cmocka_run_group_tests(tests, make_keys, free_keys);
}
