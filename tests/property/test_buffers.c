/* test_buffers.c - filters in a caller's bytes: views at every alignment, built
 * in place and sealed, lent as inline views; and what such filters refuse.  */
#include <stdlib.h>
#include <string.h>
#include <tamis/blocked_view.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/faulty_heap.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 3141;

static tamis_filter *filled(const spec_row *row, const key_batch *keys)
{
    tamis_filter *f = spec_row_make(row);
    add_door_number(6)->add(add_door_number(6), f, keys);
    return f;
}

/* ---- views --------------------------------------------------------------- */

static void try_alignment(const spec_row *row, const filter_bytes *b, uint8_t *room, size_t offset,
                          const tamis_filter *f, const key_batch *keys, const key_batch *strangers)
{
    static const struct {
        const char *why;
        uint32_t flags, behaviour;
    } ways[] = {{"verified", 0, 0},
                {"lazy", TAMIS_OPEN_LAZY, 0},
                {"for concurrent use", 0, TAMIS_CONCURRENT}};
    memcpy(room + offset, b->bytes, b->size);
    for (size_t w = 0; w < COUNT(ways); w++) {
        if (ways[w].behaviour & ~spec_row_shares(row)) continue;
        const tamis_open_options open = {
            .flags = ways[w].flags, .behaviour = ways[w].behaviour, .secret = row->spec.secret};
        tamis_filter *view = NULL, *copy = NULL;
        tamis_facts facts;
        if (ways[w].behaviour && !(tamis_abilities(f) & TAMIS_CAN_CONCURRENT)) continue;
        check_about("%s; a view at offset %zu, %s", row->why, offset, ways[w].why);
        CHECK_OK(tamis_view(room + offset, b->size, &open, &view));
        ask_check_all(view, keys, "in the view");
        ask_check_agree(f, view, strangers, "strangers");
        CHECK_OK(tamis_info(view, &facts));
        CHECK(facts.read_only && facts.damaged_bytes == 0, "facts");
        CHECK(tamis_abilities_of_clone(view) == tamis_abilities(f), "a clone could do as much");
        CHECK(!(facts.abilities & (TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_FOLD)), "abilities");
        CHECK_OK(tamis_clone(view, &copy));
        filters_check_same(copy, f, "cloned from a view");
        CHECK_OK(tamis_add_u64(copy, 1));
        CHECK(memcmp(room + offset, b->bytes, b->size) == 0, "a view changed its bytes");
        tamis_free(copy);
        tamis_free(view);
    }
}

static void views_at_every_alignment(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 70, &row); i++) {
        key_batch keys = key_batch_integers(SEED, (size_t)row.keys);
        key_batch strangers = key_batch_integers(SEED + 1, 100);
        tamis_filter *f = filled(&row, &keys);
        filter_bytes b = filter_bytes_of(f);
        uint8_t *room = aligned_alloc(64, (b.size + 64 + 63) / 64 * 64);
        const bool all = strstr(row.why, "plain") || strstr(row.why, "two lines");
        const size_t step = all ? 1 : 11;
        for (size_t offset = 0; offset < 64; offset += step)
            try_alignment(&row, &b, room, offset, f, &keys, &strangers);
        free(room);
        filter_bytes_free(&b);
        tamis_free(f);
        key_batch_free(&keys);
        key_batch_free(&strangers);
    }
}

static void views_refuse_changes(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 300, &row); i++) {
        key_batch keys = key_batch_integers(SEED, (size_t)row.keys);
        tamis_filter *f = filled(&row, &keys);
        filter_bytes b = filter_bytes_of(f);
        for (uint32_t lazy = 0; lazy <= TAMIS_OPEN_LAZY; lazy += TAMIS_OPEN_LAZY) {
            const tamis_open_options open = {.flags = lazy, .secret = row.spec.secret};
            const tamis_keys batch = key_batch_as(&keys, TAMIS_LAYOUT_SPANS, NULL);
            tamis_filter *view = NULL;
            bool was_new = true, news[8];
            size_t added = 7;
            check_about("%s; a view, lazy %u", row.why, lazy);
            CHECK_OK(tamis_view(b.bytes, b.size, &open, &view));
            CHECK_STATUS(tamis_add(view, "x", 1), TAMIS_E_READONLY);
            CHECK_STATUS(tamis_add_u64(view, keys.integers[0]), TAMIS_E_READONLY);
            CHECK_STATUS(tamis_add_hash(view, 1), TAMIS_E_READONLY);
            CHECK_STATUS(tamis_add_new(view, "x", 1, &was_new), TAMIS_E_READONLY);
            CHECK(was_new, "was_new was written on error");
            CHECK_STATUS(tamis_add_many(view, &batch, &added), TAMIS_E_READONLY);
            CHECK(added == 0, "%zu added to a view", added);
            const tamis_keys one = tamis_keys_u64(keys.integers, 1);
            CHECK_STATUS(tamis_add_new_many(view, &one, news, &added), TAMIS_E_READONLY);
            CHECK_STATUS(tamis_add_many_parallel(view, &batch, 2, &added), TAMIS_E_READONLY);
            CHECK_STATUS(tamis_clear(view), TAMIS_E_READONLY);
            CHECK_STATUS(tamis_set_metadata(view, "m", 1), TAMIS_E_READONLY);
            CHECK_STATUS(tamis_seal(view), TAMIS_E_UNSUPPORTED);
            CHECK(tamis_fold(view, 2) != TAMIS_OK, "folded");
            CHECK(tamis_merge(view, f, NULL) != TAMIS_OK, "merged");
            CHECK(tamis_intersect(view, f) != TAMIS_OK, "intersected");
            filter_check_unchanged(view, &b, "a view");
            tamis_free(view);
        }
        filter_bytes_free(&b);
        tamis_free(f);
        key_batch_free(&keys);
    }
}

/* The bytes are the caller's: the view costs a handle, not a copy. */
static void views_copy_nothing(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 100000, &row); i++) {
        tamis_filter *f = spec_row_make(&row), *view = NULL;
        for (uint64_t k = 0; k < 100000; k++) CHECK_OK(tamis_add_u64(f, k));
        filter_bytes b = filter_bytes_of(f);
        faulty_heap heap;
        faulty_heap_init(&heap);
        const tamis_open_options open = {.alloc = &heap.alloc};
        CHECK_OK(tamis_view(b.bytes, b.size, &open, &view));
        CHECK(heap.bytes < 16384 + (row.grows ? 16384 : 2048) * (size_t)row.parts,
              "a view of %zu bytes takes %zu", b.size, heap.bytes);
        tamis_free(view);
        CHECK(heap.blocks == 0 && heap.faults == 0, "leaks or faults");
        filter_bytes_free(&b);
        tamis_free(f);
    }
}

/* ---- building in place --------------------------------------------------- */

static void try_in_place(const spec_row *asked, size_t offset)
{
    spec_row roomy = *asked, *row = &roomy;
    spec_row_make_room(row, 2);
    uint64_t size = 0;
    tamis_filter *f = NULL, *view = NULL, *usual = NULL;
    const tamis_open_options open = {.secret = row->spec.secret};
    key_batch keys = key_batch_integers(SEED, (size_t)row->keys);
    const key_batch first = key_batch_part(&keys, 0, keys.count / 2);
    const key_batch rest = key_batch_part(&keys, first.count, keys.count - first.count);
    check_about("%s; in a buffer at offset %zu", row->why, offset);
    CHECK_OK(tamis_create_in_size(&row->spec, &size));
    uint8_t *room = aligned_alloc(64, ((size_t)size + offset + 64 + 63) / 64 * 64);
    uint8_t *buffer = room + offset;
    memset(buffer, 0xee, (size_t)size + 64);
    CHECK_STATUS(tamis_create_in(&row->spec, buffer, (size_t)size - 1, &f), TAMIS_E_SPEC);
    CHECK(f == NULL && buffer[0] == 0xee && buffer[size - 1] == 0xee, "a refusal touched it");
    CHECK_STATUS(tamis_create_in(&row->spec, buffer, 0, &f), TAMIS_E_SPEC);
    CHECK_OK(tamis_create_in(&row->spec, buffer, (size_t)size, &f));
    CHECK(tamis_view(buffer, (size_t)size, &open, &view) != TAMIS_OK && !view, "viewed unsealed");
    add_door_number(6)->add(add_door_number(6), f, &first);
    CHECK(tamis_view(buffer, (size_t)size, &open, &view) != TAMIS_OK && !view, "viewed unsealed");
    CHECK_OK(tamis_seal(f));
    CHECK(tamis_encoded_size(f) == size, "%" PRIu64 " bytes encode as %" PRIu64, size,
          tamis_encoded_size(f));
    filter_bytes encoded = filter_bytes_of(f);
    CHECK(memcmp(buffer, encoded.bytes, (size_t)size) == 0, "the seal is not the encoding");
    filter_bytes_free(&encoded);
    add_door_number(6)->add(add_door_number(6), f, &rest); /* more, then sealed again */
    CHECK_OK(tamis_seal(f));
    CHECK_OK(tamis_seal(f));
    CHECK_OK(tamis_view(buffer, (size_t)size, &open, &view));
    ask_check_all(view, &keys, "sealed twice");
    usual = spec_row_make(row);
    add_door_number(6)->add(add_door_number(6), usual, &first);
    add_door_number(6)->add(add_door_number(6), usual, &rest);
    filters_check_same(view, usual, "in a buffer and in memory of its own");
    for (size_t k = 0; k < 64; k++) CHECK(buffer[size + k] == 0xee, "wrote past the buffer");
    CHECK_STATUS(tamis_set_metadata(f, "x", 1), TAMIS_E_UNSUPPORTED);
    tamis_free(view);
    tamis_free(f);
    CHECK_OK(tamis_view(buffer, (size_t)size, &open, &view)); /* the buffer outlives its handle */
    ask_check_quickly(view, &keys, "after the handle is gone");
    tamis_free(view);
    tamis_free(usual);
    free(room);
    key_batch_free(&keys);
}

static void in_place(void **state)
{
    (void)state;
    static const size_t offsets[] = {0, 8, 1, 13, 63};
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 400, &row); i++) {
        uint64_t size;
        tamis_filter *f = NULL;
        if (row.grows || !(tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_BORROW)) {
            check_about("%s; in a buffer", row.why);
            CHECK_STATUS(tamis_create_in_size(&row.spec, &size), TAMIS_E_UNSUPPORTED);
            uint8_t small[64];
            CHECK_STATUS(tamis_create_in(&row.spec, small, sizeof small, &f), TAMIS_E_UNSUPPORTED);
            continue;
        }
        for (size_t o = 0; o < COUNT(offsets); o++)
            if (offsets[o] % 8 == 0 || !(row.spec.flags & TAMIS_CONCURRENT))
                try_in_place(&row, offsets[o]);
    }
}

static void concurrent_buffers_are_aligned(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        const tamis_spec spec = {
            .kind = kinds[k], .capacity = 100, .fpr = 0.01, .flags = TAMIS_CONCURRENT};
        uint64_t size;
        tamis_filter *f = NULL;
        const uint32_t both = TAMIS_CAN_BORROW | TAMIS_CAN_CONCURRENT;
        if ((tamis_kind_abilities(kinds[k]) & both) != both) continue;
        check_about("%s, concurrent, in a buffer", tamis_kind_name(kinds[k]));
        CHECK_OK(tamis_create_in_size(&spec, &size));
        uint8_t *room = aligned_alloc(64, ((size_t)size + 127) / 64 * 64);
        for (size_t offset = 1; offset < 8; offset++)
            CHECK_STATUS(tamis_create_in(&spec, room + offset, (size_t)size, &f), TAMIS_E_SPEC);
        CHECK_OK(tamis_create_in(&spec, room + 8, (size_t)size, &f));
        tamis_free(f);
        free(room);
    }
}

/* A buffer that was cleared, cloned, saved. */
static void buffers_are_filters(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 400, &row); i++) {
        if (row.grows || row.parts > 1) continue;
        uint64_t size = 0;
        tamis_filter *f = NULL, *copy = NULL, *g = NULL;
        key_batch keys = key_batch_integers(SEED, 400);
        CHECK_OK(tamis_create_in_size(&row.spec, &size));
        uint8_t *buffer = malloc((size_t)size);
        CHECK_OK(tamis_create_in(&row.spec, buffer, (size_t)size, &f));
        add_door_number(16)->add(add_door_number(16), f, &keys);
        CHECK_OK(tamis_clone(f, &copy));
        CHECK_OK(tamis_save(f, scratch_path("buffer"), NULL)); /* needs no seal */
        CHECK_OK(tamis_open(scratch_path("buffer"), NULL, &g));
        filters_check_same(f, g, "saved from a buffer");
        CHECK_OK(tamis_clear(f));
        ask_check_quickly(copy, &keys, "the clone of a cleared buffer");
        CHECK(!tamis_may_contain_u64(f, keys.integers[0]), "cleared");
        CHECK_OK(tamis_verify(f, NULL));
        tamis_free(f);
        tamis_free(g);
        tamis_free(copy);
        free(buffer);
        key_batch_free(&keys);
    }
}

/* ---- the inline view ------------------------------------------------------ */

static void inline_views(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 500, &row); i++) {
        tamis_filter *f = spec_row_make(&row), *g = spec_row_make(&row), *lazy = NULL;
        tamis_blocked_view v;
        const bool shared = (row.spec.flags & TAMIS_CONCURRENT) != 0; /* plain reads would race */
        if (row.grows || row.spec.kind != TAMIS_KIND_BLOCKED || shared) {
            CHECK_STATUS(tamis_blocked_view_of(f, &v), TAMIS_E_UNSUPPORTED);
        } else {
            CHECK_OK(tamis_blocked_view_of(f, &v));
            for (uint64_t k = 0; k < row.keys; k++) {
                const uint64_t h = tamis_hash(f, &k, sizeof k);
                bool was_new = false;
                CHECK_OK(tamis_add_new_hash(g, h, &was_new));
                CHECK(tamis_blocked_view_add(&v, h) == was_new, "key %" PRIu64, k);
            }
            filters_check_same_body(f, g, "the inline view and the handle");
            for (uint64_t k = 0; k < 3 * row.keys; k++) {
                const uint64_t h = tamis_hash(f, &k, sizeof k);
                CHECK(tamis_blocked_view_may_contain(&v, h) == tamis_may_contain_hash(g, h),
                      "key %" PRIu64, k);
            }
            filter_bytes b = filter_bytes_of(g);
            const tamis_open_options open = {.flags = TAMIS_OPEN_LAZY, .secret = row.spec.secret};
            CHECK_OK(tamis_view(b.bytes, b.size, &open, &lazy));
            CHECK_STATUS(tamis_blocked_view_of(lazy, &v), TAMIS_E_UNSUPPORTED);
            tamis_free(lazy);
            filter_bytes_free(&b);
        }
        tamis_free(f);
        tamis_free(g);
    }
}

/* ---- layers -------------------------------------------------------------- */

static void layers_are_to_look_at(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 1000, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        for (uint64_t k = 0; k < row.keys; k++) CHECK_OK(tamis_add_u64(f, k));
        tamis_facts whole, one;
        uint64_t added = 0, ones = 0, capacity = 0;
        CHECK_OK(tamis_info(f, &whole));
        CHECK(tamis_layer_view(f, whole.inner_kind ? whole.layers : 0) == NULL, "a layer too many");
        CHECK(tamis_layer_view(f, UINT32_MAX) == NULL, "a layer too many");
        for (uint32_t l = 0; row.grows && l < whole.layers; l++) {
            const tamis_filter *layer = tamis_layer_view(f, l);
            CHECK(layer != NULL, "layer %u is missing", l);
            CHECK_OK(tamis_info(layer, &one));
            CHECK(one.read_only && one.kind == whole.inner_kind, "layer %u", l);
            CHECK(one.fpr_asked <= whole.fpr_asked, "layer %u has a rate of %g", l, one.fpr_asked);
            added += one.added;
            ones += one.ones;
            capacity += one.capacity;
        }
        if (row.grows) {
            CHECK(added == whole.added && ones == whole.ones, "layers do not add up");
            CHECK(capacity == whole.capacity, "capacities do not add up");
            CHECK(added <= capacity, "%" PRIu64 " keys in room for %" PRIu64, added, capacity);
        } else {
            CHECK(whole.layers == row.parts && (whole.inner_kind != 0) == (row.parts > 1),
                  "%u layers", whole.layers);
        }
        tamis_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_at_every_alignment),
        cmocka_unit_test(views_refuse_changes),
        cmocka_unit_test(views_copy_nothing),
        cmocka_unit_test(in_place),
        cmocka_unit_test(concurrent_buffers_are_aligned),
        cmocka_unit_test(buffers_are_filters),
        cmocka_unit_test(inline_views),
        cmocka_unit_test(layers_are_to_look_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
