/* test_exact.c - the properties of every kind, for kinds that are exact and take
 * integers only: no key is lost and none is invented, through every door, after
 * every journey, with every refused allocation and every damaged byte.      */
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/faulty_heap.h"
#include "support/filter_bytes.h"
#include "support/key_batch.h"

enum { EXACT_KEYS = 3000 };

/* Exact kind number `index` of those that this build has; 0 past the last. */
static uint32_t exact_kind(size_t index)
{
    uint32_t kinds[64];
    const size_t count = tamis_kind_list(kinds, COUNT(kinds));
    for (size_t i = 0; i < count; i++) {
        const tamis_spec spec = {.kind = kinds[i]};
        tamis_sizing sizing;
        if (!(tamis_kind_abilities(kinds[i]) & TAMIS_IS_EXACT)) continue;
        if (tamis_plan(&spec, &sizing) == TAMIS_E_UNAVAILABLE) continue;
        if (index-- == 0) return kinds[i];
    }
    return 0;
}

/* What may differ between filters of one kind. */
static const struct exact_twist {
    const char *why;
    tamis_spec spec;
} TWISTS[] = {
    {"nothing asked for", {0}},
    {"a capacity", {.capacity = 1000}},
    {"a rate, which is ignored", {.capacity = EXACT_KEYS, .fpr = 0.01}},
    {"strict", {.capacity = 2 * EXACT_KEYS, .flags = TAMIS_STRICT}},
    {"a seed", {.seed = 77}},
    {"a narrow hash", {.hash = TAMIS_HASH_MURMUR3_32}},
};

static tamis_filter *exact_make(uint32_t kind, size_t twist, const tamis_alloc *alloc)
{
    tamis_spec spec = TWISTS[twist].spec;
    tamis_filter *f = NULL;
    check_about("%s: %s", tamis_kind_name(kind), TWISTS[twist].why);
    spec.kind = kind;
    spec.alloc = alloc;
    CHECK_OK(tamis_create(&spec, &f));
    return f;
}

static void exact_add(tamis_filter *f, const key_batch *keys)
{
    const tamis_keys batch = tamis_keys_u64(keys->integers, keys->count);
    CHECK_OK(tamis_add_many(f, &batch, NULL));
}

/* All keys and nothing else: a set of another seed has no key in common. */
static void exact_check(const tamis_filter *f, const key_batch *keys, const char *what)
{
    key_batch others = key_batch_integers(987654321, EXACT_KEYS);
    const tamis_keys absent = tamis_keys_u64(others.integers, others.count);
    tamis_facts facts;
    ask_check_all(f, keys, what);
    CHECK(tamis_may_contain_many(f, &absent, NULL) == 0, "%s: an absent key is there", what);
    CHECK_OK(tamis_info(f, &facts));
    CHECK(facts.added == keys->count && facts.keys == (double)keys->count, "%s: %" PRIu64 " keys",
          what, facts.added);
    CHECK(facts.fpr_now == 0 && facts.fpr_asked == 0 && facts.fpr_at_capacity == 0, "a rate");
    CHECK(!facts.count_is_estimate, "%s: an estimate", what);
    key_batch_free(&others);
}

/* ---- doors and journeys ------------------------------------------------- */

static void test_every_door(void **state)
{
    (void)state;
    key_batch keys = key_batch_integers(1, EXACT_KEYS);
    uint32_t kind;
    for (size_t k = 0; (kind = exact_kind(k)); k++)
        for (size_t t = 0; t < COUNT(TWISTS); t++) {
            const add_door *door;
            tamis_filter *first = exact_make(kind, t, NULL);
            exact_add(first, &keys);
            for (size_t d = 0; (door = add_door_number(d)); d++) {
                if (door->layout == TAMIS_LAYOUT_DIGESTS) continue;
                tamis_filter *f = exact_make(kind, t, NULL);
                door->add(door, f, &keys);
                exact_check(f, &keys, door->why);
                filters_check_same(f, first, door->why);
                door->add(door, f, &keys);
                filters_check_same(f, first, "all keys a second time");
                tamis_free(f);
            }
            tamis_free(first);
        }
    key_batch_free(&keys);
}

static void test_every_journey(void **state)
{
    (void)state;
    key_batch keys = key_batch_integers(2, EXACT_KEYS);
    uint32_t kind;
    for (size_t k = 0; (kind = exact_kind(k)); k++)
        for (size_t t = 0; t < COUNT(TWISTS); t++) {
            const journey *j;
            tamis_filter *f = exact_make(kind, t, NULL);
            exact_add(f, &keys);
            for (size_t i = 0; (j = journey_number(i)); i++) {
                luggage l = {0};
                tamis_filter *arrived = j->go(j, f, &l);
                exact_check(arrived, &keys, j->why);
                if (j->exact) filters_check_same(arrived, f, j->why);
                journey_end(arrived, &l);
            }
            CHECK_OK(tamis_clear(f));
            tamis_filter *empty = exact_make(kind, t, NULL);
            filters_check_same(f, empty, "cleared");
            tamis_free(empty);
            tamis_free(f);
        }
    key_batch_free(&keys);
}

/* Halves united are the whole; the whole with a half is the half. */
static void test_sets(void **state)
{
    (void)state;
    key_batch keys = key_batch_integers(3, EXACT_KEYS);
    key_batch low = key_batch_part(&keys, 0, 2000), high = key_batch_part(&keys, 1000, 2000);
    key_batch both = key_batch_part(&keys, 1000, 1000);
    uint32_t kind;
    for (size_t k = 0; (kind = exact_kind(k)); k++) {
        tamis_filter *a = exact_make(kind, 0, NULL), *b = exact_make(kind, 0, NULL), *c = NULL;
        exact_add(a, &low);
        exact_add(b, &high);
        CHECK_OK(tamis_clone(a, &c));
        CHECK_OK(tamis_merge(a, b, NULL));
        exact_check(a, &keys, "union");
        CHECK_OK(tamis_intersect(c, b));
        exact_check(c, &both, "intersection");
        for (size_t i = 0; i < both.count; i++) CHECK_OK(tamis_remove_u64(a, both.integers[i]));
        CHECK(tamis_remove_u64(a, both.integers[0]) == TAMIS_E_ABSENT, "removed twice");
        for (size_t i = 0; i < both.count; i++) CHECK_OK(tamis_add_u64(a, both.integers[i]));
        exact_check(a, &keys, "removed and added again");
        tamis_free(a), tamis_free(b), tamis_free(c);
    }
    key_batch_free(&keys);
}

/* ---- damage ------------------------------------------------------------- */

static filter_bytes exact_sample(uint32_t kind)
{
    static const uint64_t some[] = {
        0, 1, 2, 3, 4, 70000, 70002, UINT64_C(1) << 32, UINT64_C(5) << 40, UINT64_MAX};
    tamis_filter *f = exact_make(kind, 0, NULL);
    const tamis_keys keys = tamis_keys_u64(some, COUNT(some));
    CHECK_OK(tamis_add_many(f, &keys, NULL));
    filter_bytes bytes = filter_bytes_of(f);
    tamis_free(f);
    return bytes;
}

/* No damage is taken, neither with nor without salvage: exactness is all or
 * nothing. */
static void test_damage(void **state)
{
    (void)state;
    const tamis_open_options salvage = {.flags = TAMIS_OPEN_SALVAGE};
    uint32_t kind;
    for (size_t k = 0; (kind = exact_kind(k)); k++) {
        filter_bytes b = exact_sample(kind);
        tamis_filter *f = NULL;
        for (size_t i = 0; i < b.size; i++) {
            b.bytes[i] ^= 0x10;
            CHECK(tamis_load(b.bytes, b.size, NULL, &f) != TAMIS_OK && !f, "byte %zu", i);
            CHECK(tamis_view(b.bytes, b.size, NULL, &f) != TAMIS_OK && !f, "byte %zu", i);
            const bool body = b.bytes + i >= b.body && b.bytes + i < b.body + b.body_size;
            if (body) CHECK_STATUS(tamis_load(b.bytes, b.size, &salvage, &f), TAMIS_E_CORRUPT);
            b.bytes[i] ^= 0x10;
        }
        for (size_t size = 0; size < b.size; size++) {
            CHECK(tamis_load(b.bytes, size, NULL, &f) != TAMIS_OK && !f, "%zu bytes", size);
            CHECK(tamis_load(b.bytes, size, &salvage, &f) != TAMIS_OK && !f, "%zu bytes", size);
        }
        filter_bytes_free(&b);
    }
}

/* With checksums that hide it, damage is refused or gives a sound set. */
static void test_forgery(void **state)
{
    (void)state;
    uint32_t kind;
    for (size_t k = 0; (kind = exact_kind(k)); k++) {
        filter_bytes b = exact_sample(kind);
        for (size_t i = 0; i < 8 * b.body_size; i++) {
            filter_bytes forged = filter_bytes_copy(&b);
            tamis_filter *f = NULL;
            tamis_facts facts;
            forged.body[i / 8] ^= (uint8_t)(1u << i % 8);
            filter_bytes_reseal(&forged);
            check_about("bit %zu of the body", i);
            if (tamis_load(forged.bytes, forged.size, NULL, &f) == TAMIS_OK) {
                CHECK_OK(tamis_info(f, &facts));
                CHECK(facts.added == 10 && facts.keys == 10, "another number of keys");
                CHECK(tamis_encoded_size(f) > 0, "cannot be written");
                tamis_free(f);
            }
            filter_bytes_free(&forged);
        }
        filter_bytes_free(&b);
    }
}

/* ---- refused allocations ------------------------------------------------ */

/* Everything that asks the allocator, once; the first failure ends it. */
static tamis_status exact_live(uint32_t kind, const tamis_alloc *alloc, const filter_bytes *bytes)
{
    const tamis_spec spec = {.kind = kind, .alloc = alloc};
    const tamis_open_options options = {.alloc = alloc};
    bytes_heap sink = {0};
    tamis_filter *f = NULL, *g = NULL, *h = NULL;
    tamis_status status = tamis_create(&spec, &f);
    for (uint64_t i = 0; i < 600 && status == TAMIS_OK; i++) status = tamis_add_u64(f, i << 33);
    if (status == TAMIS_OK) status = tamis_load(bytes->bytes, bytes->size, &options, &g);
    if (status == TAMIS_OK) status = tamis_clone(f, &h);
    if (status == TAMIS_OK) status = tamis_merge(h, g, NULL);
    if (status == TAMIS_OK) status = tamis_intersect(h, g);
    if (status == TAMIS_OK) status = tamis_encode_to(f, NULL, bytes_sink, &sink);
    tamis_free(f), tamis_free(g), tamis_free(h);
    free(sink.bytes);
    return status;
}

static void test_refused_allocations(void **state)
{
    (void)state;
    uint32_t kind;
    for (size_t k = 0; (kind = exact_kind(k)); k++) {
        filter_bytes b = exact_sample(kind);
        tamis_status status = TAMIS_E_NOMEM;
        for (size_t n = 1; status != TAMIS_OK; n++) {
            faulty_heap heap;
            faulty_heap_init(&heap);
            faulty_heap_fail(&heap, n);
            check_about("%s, allocation %zu refused", tamis_kind_name(kind), n);
            status = exact_live(kind, &heap.alloc, &b);
            CHECK(status == TAMIS_OK || status == TAMIS_E_NOMEM, "status %d", (int)status);
            CHECK(heap.blocks == 0 && heap.faults == 0, "%zu blocks are left, %zu faults",
                  heap.blocks, heap.faults);
        }
        filter_bytes_free(&b);
    }
}

/* A union that gets no memory changes nothing. */
static void test_a_refused_union(void **state)
{
    (void)state;
    key_batch keys = key_batch_integers(5, 1000);
    key_batch low = key_batch_part(&keys, 0, 600), high = key_batch_part(&keys, 400, 600);
    uint32_t kind;
    for (size_t k = 0; (kind = exact_kind(k)); k++) {
        faulty_heap heap;
        faulty_heap_init(&heap);
        tamis_filter *a = exact_make(kind, 0, &heap.alloc), *b = exact_make(kind, 0, NULL);
        exact_add(a, &low);
        exact_add(b, &high);
        for (size_t n = 1; n <= 3; n++) {
            faulty_heap_fail(&heap, n);
            check_about("%s, allocation %zu refused", tamis_kind_name(kind), n);
            CHECK_STATUS(tamis_merge(a, b, NULL), TAMIS_E_NOMEM);
            faulty_heap_fail(&heap, 0);
            exact_check(a, &low, "a refused union");
        }
        CHECK_OK(tamis_merge(a, b, NULL));
        exact_check(a, &keys, "union");
        tamis_free(a), tamis_free(b);
        CHECK(heap.blocks == 0 && heap.faults == 0, "%zu blocks are left", heap.blocks);
    }
    key_batch_free(&keys);
}

/* ---- files -------------------------------------------------------------- */

static void test_adding_to_files(void **state)
{
    (void)state;
    key_batch keys = key_batch_integers(6, EXACT_KEYS);
    key_batch old = key_batch_part(&keys, 0, 2000), new = key_batch_part(&keys, 1000, 2000);
    const tamis_keys more = tamis_keys_u64(new.integers, new.count);
    const tamis_span word = {"nine here", 9};
    const tamis_keys words = tamis_keys_spans(&word, 1);
    const char *path = scratch_path("exact.tamis");
    uint32_t kind;
    for (size_t k = 0; (kind = exact_kind(k)); k++) {
        tamis_filter *f = exact_make(kind, 0, NULL), *whole = exact_make(kind, 0, NULL), *g = NULL;
        tamis_file_added result;
        exact_add(f, &old);
        exact_add(whole, &keys);
        CHECK_OK(tamis_set_metadata(f, "note", 4));
        CHECK_OK(tamis_set_metadata(whole, "note", 4));
        CHECK_OK(tamis_save(f, path, NULL));
        CHECK_STATUS(tamis_file_add_many(path, &words, NULL, &result), TAMIS_E_SPEC);
        CHECK_OK(tamis_file_add_many(path, &more, NULL, &result));
        CHECK(result.added == 1000 && result.known == 1000 && result.rewritten, "the result");
        CHECK_OK(tamis_file_add_many(path, &more, NULL, &result));
        CHECK(result.added == 0 && result.known == 2000 && !result.rewritten, "a second time");
        CHECK_OK(tamis_open(path, NULL, &g));
        exact_check(g, &keys, "added to a file");
        filters_check_same(g, whole, "added to a file");
        tamis_free(f), tamis_free(g), tamis_free(whole);
    }
    key_batch_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_door),
        cmocka_unit_test(test_every_journey),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_forgery),
        cmocka_unit_test(test_refused_allocations),
        cmocka_unit_test(test_a_refused_union),
        cmocka_unit_test(test_adding_to_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
