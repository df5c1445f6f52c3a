/* test_bitmap.c - exact sets of integers against a slow set: a sorted list. What
 * bitmaps share with every other kind is in tests/property/test_exact.c.    */
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "support/check.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static tamis_filter *make(uint64_t capacity, uint32_t flags)
{
    const tamis_spec spec = {.kind = TAMIS_KIND_BITMAP, .capacity = capacity, .flags = flags};
    tamis_filter *f = NULL;
    CHECK_OK(tamis_create(&spec, &f));
    return f;
}

static tamis_filter *make_of(const uint64_t *values, size_t count)
{
    tamis_filter *f = make(0, 0);
    const tamis_keys keys = tamis_keys_u64(values, count);
    CHECK_OK(tamis_add_many(f, &keys, NULL));
    return f;
}

static uint64_t count_all(const tamis_filter *f)
{
    return tamis_bitmap_count(f, 0, UINT64_MAX);
}

/* ---- the slow set ------------------------------------------------------- */

/* Windows in which everything happens: the joints of chunks and of high words,
 * and both ends. */
enum { SLOW_WINDOW = 200000, SLOW_WINDOWS = 4 };

static const uint64_t SLOW_BASES[SLOW_WINDOWS] = {0, (UINT64_C(1) << 32) - SLOW_WINDOW / 2,
                                                  (UINT64_C(7) << 40) + 12345,
                                                  UINT64_MAX - SLOW_WINDOW + 1};

typedef struct slow_set {
    bool in[SLOW_WINDOWS][SLOW_WINDOW];
} slow_set;

static uint64_t slow_count(const slow_set *s, unsigned window, size_t first, size_t last)
{
    uint64_t sum = 0;
    for (size_t i = first; i <= last; i++) sum += s->in[window][i];
    return sum;
}

static void slow_check_same(const slow_set *s, const tamis_filter *f)
{
    static uint64_t read[SLOW_WINDOWS * SLOW_WINDOW + 1];
    size_t count = tamis_bitmap_read(f, 0, read, COUNT(read)), at = 0;
    tamis_facts facts;
    for (unsigned w = 0; w < SLOW_WINDOWS; w++)
        for (size_t i = 0; i < SLOW_WINDOW; i++) {
            uint64_t value = SLOW_BASES[w] + i;
            if (i % 97 == 0)
                CHECK(tamis_may_contain_u64(f, value) == s->in[w][i], "%" PRIu64, value);
            if (!s->in[w][i]) continue;
            CHECK(at < count && read[at] == value, "%" PRIu64 " is not where it belongs", value);
            at++;
        }
    CHECK(at == count, "%zu integers too many", count - at);
    CHECK_OK(tamis_info(f, &facts));
    CHECK(facts.added == count && facts.keys == (double)count && facts.keys_low == facts.keys,
          "the facts say %" PRIu64, facts.added);
}

/* One random change of both. */
static void slow_change(slow_set *s, tamis_filter *f, splitmix *random)
{
    unsigned w = (unsigned)splitmix_below(random, SLOW_WINDOWS);
    size_t first = splitmix_below(random, SLOW_WINDOW);
    size_t length = splitmix_below(random, splitmix_below(random, 4) ? 300 : 90000);
    size_t last = first + length < SLOW_WINDOW ? first + length : SLOW_WINDOW - 1;
    uint64_t from = SLOW_BASES[w] + first, to = SLOW_BASES[w] + last;
    uint64_t before = slow_count(s, w, first, last), gone;
    bool was_new;
    switch (splitmix_below(random, 4)) {
    case 0:
        CHECK_OK(tamis_bitmap_add_range(f, from, to));
        memset(&s->in[w][first], 1, last - first + 1);
        break;
    case 1:
        CHECK_OK(tamis_bitmap_remove_range(f, from, to, &gone));
        CHECK(gone == before, "%" PRIu64 " gone, not %" PRIu64, gone, before);
        memset(&s->in[w][first], 0, last - first + 1);
        break;
    case 2:
        for (size_t i = first; i <= last; i += 1 + splitmix_below(random, 40)) {
            CHECK_OK(tamis_add_new_u64(f, SLOW_BASES[w] + i, &was_new));
            CHECK(was_new == !s->in[w][i], "new");
            s->in[w][i] = true;
        }
        break;
    default:
        for (size_t i = first; i <= last; i += 1 + splitmix_below(random, 40)) {
            tamis_status status = tamis_remove_u64(f, SLOW_BASES[w] + i);
            CHECK(status == (s->in[w][i] ? TAMIS_OK : TAMIS_E_ABSENT), "removing");
            s->in[w][i] = false;
        }
    }
    CHECK(tamis_bitmap_count(f, from, to) == slow_count(s, w, first, last), "count of a range");
}

/* The same set, added in order, and its bytes. */
static void slow_check_bytes(const slow_set *s, const tamis_filter *f)
{
    tamis_filter *plain = make(0, 0);
    for (unsigned w = 0; w < SLOW_WINDOWS; w++)
        for (size_t i = 0; i < SLOW_WINDOW; i++)
            if (s->in[w][i]) CHECK_OK(tamis_add_u64(plain, SLOW_BASES[w] + i));
    filters_check_same(f, plain, "a set with a history, and the same without");
    tamis_free(plain);
}

static void test_against_a_slow_set(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        splitmix random = {.state = seed};
        slow_set *s = calloc(1, sizeof *s);
        tamis_filter *f = make(0, 0);
        assert_non_null(s);
        check_about("seed %" PRIu64, seed);
        for (unsigned i = 0; i < 120; i++) {
            slow_change(s, f, &random);
            if (i % 40 == 39) slow_check_same(s, f);
        }
        slow_check_bytes(s, f);
        CHECK_OK(tamis_bitmap_remove_range(f, 0, UINT64_MAX, NULL));
        CHECK(count_all(f) == 0 && tamis_bitmap_dense_size(f) == 0, "not empty");
        tamis_free(f);
        free(s);
    }
}

/* Every integer under its own high word, in an order that is neither. */
static void test_scattered(void **state)
{
    (void)state;
    enum { SCATTERED = 20000 };
    tamis_filter *f = make(0, 0);
    uint64_t last = 0, value, read = 0;
    for (uint64_t i = 1; i <= SCATTERED; i++)
        CHECK_OK(tamis_add_u64(f, i * UINT64_C(0x9E3779B97F4A7C15)));
    for (uint64_t from = 0; tamis_bitmap_read(f, from, &value, 1); from = value + 1, read++) {
        CHECK(value > last, "not ascending");
        last = value;
    }
    CHECK(read == SCATTERED && count_all(f) == SCATTERED, "%" PRIu64 " read", read);
    for (uint64_t i = 1; i <= SCATTERED; i++)
        CHECK_OK(tamis_remove_u64(f, i * UINT64_C(0x9E3779B97F4A7C15)));
    CHECK(count_all(f) == 0 && tamis_bitmap_encoded_size(f) == 8, "not empty");
    tamis_free(f);
}

/* ---- sets with sets ----------------------------------------------------- */

static void test_union_and_intersection(void **state)
{
    (void)state;
    static const uint64_t a[] = {1, 2, 3, 65536, UINT64_C(1) << 32, UINT64_C(5) << 33, UINT64_MAX};
    static const uint64_t b[] = {2, 3, 4, 65537, UINT64_C(1) << 33, UINT64_C(5) << 33, UINT64_MAX};
    static const uint64_t both[] = {2, 3, UINT64_C(5) << 33, UINT64_MAX};
    static const uint64_t all[] = {
        1,         2, 3, 4, 65536, 65537, UINT64_C(1) << 32, UINT64_C(1) << 33, UINT64_C(5) << 33,
        UINT64_MAX};
    tamis_filter *united = make_of(a, COUNT(a)), *common = make_of(a, COUNT(a));
    tamis_filter *other = make_of(b, COUNT(b));
    tamis_filter *all_of = make_of(all, COUNT(all)), *both_of = make_of(both, COUNT(both));
    tamis_union result;
    CHECK_OK(tamis_merge(united, other, &result));
    CHECK(result.keys == COUNT(all) && result.keys_high == COUNT(all) && result.fpr == 0, "facts");
    filters_check_same(united, all_of, "union");
    CHECK_OK(tamis_merge(united, united, NULL));
    filters_check_same(united, all_of, "union with itself");
    CHECK_OK(tamis_intersect(common, other));
    filters_check_same(common, both_of, "intersection");
    tamis_free(united), tamis_free(common), tamis_free(other);
    tamis_free(all_of), tamis_free(both_of);
}

static void test_strict(void **state)
{
    (void)state;
    static const uint64_t ten[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    static const uint8_t dense[] = {0x7f, 0xf8}; /* 1 to 12 */
    tamis_filter *f = make(10, TAMIS_STRICT), *other = make_of(ten, COUNT(ten));
    CHECK_OK(tamis_bitmap_add_range(f, 1, 5));
    CHECK_STATUS(tamis_bitmap_add_range(f, 1, 11), TAMIS_E_FULL);
    CHECK_STATUS(tamis_bitmap_add_dense(f, 0, dense, 2), TAMIS_E_FULL);
    CHECK(count_all(f) == 5, "a refused call added something");
    CHECK_OK(tamis_bitmap_add_range(f, 3, 9));
    CHECK_OK(tamis_merge(f, other, NULL));
    CHECK_STATUS(tamis_add_u64(f, 77), TAMIS_E_FULL);
    CHECK_OK(tamis_add_u64(f, 7));
    CHECK_OK(tamis_bitmap_add_range(other, 100, 200));
    CHECK_STATUS(tamis_merge(f, other, NULL), TAMIS_E_FULL);
    CHECK(count_all(f) == 10, "a refused union added something");
    tamis_free(f), tamis_free(other);
}

/* ---- strings of bits ---------------------------------------------------- */

static void test_bits_as_redis_orders_them(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint64_t base;
        uint8_t bytes[4];
        uint64_t values[4];
        size_t count;
    } rows[] = {
        {"bit 0 is the most significant", 0, {0x80}, {0}, 1},
        {"bit 7 is the least", 0, {0x01}, {7}, 1},
        {"SETBIT of 7, 8 and 31", 0, {0x01, 0x80, 0, 0x01}, {7, 8, 31}, 3},
        {"a base moves them", 1000, {0x40, 0, 0, 0x80}, {1001, 1024}, 2},
        {"across a high word",
         UINT64_C(0xfffffffe),
         {0xf0},
         {UINT64_C(0xfffffffe), UINT64_C(0xffffffff), UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1},
         4},
        {"the last integers", UINT64_MAX - 31, {0, 0, 0, 3}, {UINT64_MAX - 1, UINT64_MAX}, 2},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tamis_filter *f = make(0, 0), *g = make_of(rows[i].values, rows[i].count);
        uint8_t back[4];
        check_about("%s", rows[i].why);
        CHECK_OK(tamis_bitmap_add_dense(f, rows[i].base, rows[i].bytes, 4));
        filters_check_same(f, g, "bits and integers");
        CHECK_OK(tamis_bitmap_write_dense(g, rows[i].base, back, 4));
        CHECK(memcmp(back, rows[i].bytes, 4) == 0, "other bits");
        CHECK(tamis_bitmap_dense_size(g) == rows[i].values[rows[i].count - 1] / 8 + 1, "size");
        CHECK_OK(tamis_bitmap_add_dense(f, rows[i].base, rows[i].bytes, 4));
        CHECK(count_all(f) == rows[i].count, "adding twice");
        tamis_free(f), tamis_free(g);
    }
}

static void test_a_window_of_bits(void **state)
{
    (void)state;
    tamis_filter *f = make(0, 0);
    uint8_t window[2];
    CHECK_OK(tamis_bitmap_add_range(f, 90, 200));
    CHECK_OK(tamis_bitmap_write_dense(f, 80, window, 2));
    CHECK(window[0] == 0 && window[1] == 0x3f, "what lies outside is left out");
    tamis_free(f);
}

/* ---- portable bytes ----------------------------------------------------- */

static void test_portable_and_back(void **state)
{
    (void)state;
    tamis_filter *f = make(0, 0), *g = NULL;
    CHECK_OK(tamis_bitmap_add_range(f, 10, 1000000));
    for (uint64_t i = 0; i < 5000; i++) CHECK_OK(tamis_add_u64(f, (i * i) << 20));
    size_t size = (size_t)tamis_bitmap_encoded_size(f);
    uint8_t *bytes = malloc(size + 1);
    assert_non_null(bytes);
    CHECK_STATUS(tamis_bitmap_encode(f, bytes, size - 1), TAMIS_E_SPEC);
    CHECK_OK(tamis_bitmap_encode(f, bytes, size));
    CHECK_OK(tamis_bitmap_decode(bytes, size, NULL, &g));
    filters_check_same(f, g, "portable and back");
    tamis_free(g);
    CHECK_STATUS(tamis_bitmap_decode(bytes, size - 1, NULL, &g), TAMIS_E_TRUNCATED);
    CHECK(!g, "a product of a failure");
    bytes[size] = 0;
    CHECK_STATUS(tamis_bitmap_decode(bytes, size + 1, NULL, &g), TAMIS_E_CORRUPT);
    const tamis_spec strict = {.capacity = 1000, .flags = TAMIS_STRICT};
    CHECK_STATUS(tamis_bitmap_decode(bytes, size, &strict, &g), TAMIS_E_FULL);
    free(bytes);
    tamis_free(f);
}

/* What the library for C++ wrote, with and without runs, is one set, and written
 * by us it is the body of the golden file. */
static void test_bytes_of_another_writer(void **state)
{
    (void)state;
    static const char *const names[] = {TAMIS_TEST_DATA "/foreign/roaring64_plain.bin",
                                        TAMIS_TEST_DATA "/foreign/roaring64_runs.bin"};
    tamis_filter *golden = NULL;
    CHECK_OK(tamis_open(TAMIS_TEST_DATA "/native/bitmap.tamis", NULL, &golden));
    for (size_t i = 0; i < COUNT(names); i++) {
        size_t size;
        uint8_t *bytes = scratch_read(names[i], &size);
        tamis_filter *f = NULL;
        check_about("%s", names[i]);
        CHECK_OK(tamis_bitmap_decode(bytes, size, NULL, &f));
        filters_check_same(f, golden, "another writer's bytes");
        tamis_free(f);
        free(bytes);
    }
    tamis_free(golden);
}

/* Truncated anywhere it is refused; with a changed byte it is refused or is a set
 * that counts right, can be read, and is written again. */
static void test_portable_hostile(void **state)
{
    (void)state;
    tamis_filter *f = make(0, 0), *g = NULL;
    CHECK_OK(tamis_bitmap_add_range(f, 65000, 66000));
    for (uint64_t i = 0; i < 40; i++) CHECK_OK(tamis_add_u64(f, i * i * i << 12));
    size_t size = (size_t)tamis_bitmap_encoded_size(f);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    CHECK_OK(tamis_bitmap_encode(f, bytes, size));
    for (size_t i = 0; i < size; i++)
        CHECK_STATUS(tamis_bitmap_decode(bytes, i, NULL, &g), TAMIS_E_TRUNCATED);
    for (size_t i = 0; i < 8 * size; i++) {
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
        if (tamis_bitmap_decode(bytes, size, NULL, &g) == TAMIS_OK) {
            uint64_t values[2000];
            size_t read = tamis_bitmap_read(g, 0, values, COUNT(values));
            CHECK(read == COUNT(values) || read == count_all(g), "counts do not agree");
            CHECK(tamis_encoded_size(g) > 0, "cannot be written");
            tamis_free(g);
        }
        bytes[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    free(bytes);
    tamis_free(f);
}

/* ---- refusals ----------------------------------------------------------- */

static void test_keys_that_are_no_integers(void **state)
{
    (void)state;
    tamis_filter *f = make(0, 0);
    const tamis_span mixed[] = {{"8 bytes!", 8}, {"seven 7", 7}, {"8 others", 8}};
    const tamis_keys keys = tamis_keys_spans(mixed, 3);
    bool answers[3];
    size_t added = 9;
    CHECK_STATUS(tamis_add(f, "user:1234", 9), TAMIS_E_SPEC);
    CHECK_STATUS(tamis_add(f, "", 0), TAMIS_E_SPEC);
    CHECK(!tamis_may_contain(f, "user:1234", 9) && !tamis_may_contain(f, NULL, 0), "it is there");
    CHECK_STATUS(tamis_remove(f, "user:1234", 9), TAMIS_E_ABSENT);
    CHECK_STATUS(tamis_add_many(f, &keys, &added), TAMIS_E_SPEC);
    CHECK(added == 1 && count_all(f) == 1, "%zu were added", added);
    CHECK(tamis_may_contain_many(f, &keys, answers) == 1 && answers[0], "asking for many");
    CHECK(tamis_may_contain_u64(f, UINT64_C(0x2173657479622038)), "not little-endian");
    CHECK_STATUS(tamis_add_hash(f, 5), TAMIS_E_UNSUPPORTED);
    CHECK(tamis_may_contain_hash(f, 5), "a digest cannot be denied");
    tamis_free(f);
}

static void test_refusals(void **state)
{
    (void)state;
    const tamis_spec plain = {.capacity = 10, .fpr = 0.01};
    tamis_filter *bitmap = make(0, 0), *other = NULL;
    uint8_t bytes[8] = {0};
    uint64_t value;
    CHECK_OK(tamis_create(&plain, &other));
    CHECK_STATUS(tamis_bitmap_add_range(other, 1, 2), TAMIS_E_UNSUPPORTED);
    CHECK_STATUS(tamis_bitmap_encode(other, bytes, 8), TAMIS_E_UNSUPPORTED);
    CHECK(tamis_bitmap_count(other, 0, 9) == 0 && !tamis_bitmap_read(other, 0, &value, 1), "zero");
    CHECK_STATUS(tamis_bitmap_add_range(bitmap, 0, UINT64_MAX), TAMIS_E_LIMIT);
    CHECK_STATUS(tamis_bitmap_add_range(bitmap, 1, UINT64_C(1) << 37), TAMIS_E_LIMIT);
    CHECK_OK(tamis_bitmap_add_range(bitmap, 5, 4));
    CHECK_STATUS(tamis_bitmap_add_dense(bitmap, UINT64_MAX - 62, bytes, 8), TAMIS_E_SPEC);
    CHECK_OK(tamis_bitmap_add_dense(bitmap, UINT64_MAX - 63, bytes, 8));
    CHECK_STATUS(tamis_merge(bitmap, other, NULL), TAMIS_E_MISMATCH);
    CHECK_STATUS(tamis_fold(bitmap, 2), TAMIS_E_UNSUPPORTED);
    CHECK(count_all(bitmap) == 0, "something was added");
    tamis_free(bitmap), tamis_free(other);
}

static const struct {
    const char *why;
    tamis_spec spec;
    tamis_status status;
} PLANS[] = {
    {"nothing but the kind", {.kind = TAMIS_KIND_BITMAP}, TAMIS_OK},
    {"chosen for exactness", {.needs = TAMIS_IS_EXACT}, TAMIS_OK},
    {"a rate does not matter", {.kind = TAMIS_KIND_BITMAP, .fpr = 1e-30, .capacity = 9}, TAMIS_OK},
    {"it grows by itself", {.kind = TAMIS_KIND_BITMAP, .growth = TAMIS_GROWTH_SCALE}, TAMIS_OK},
    {"strict without a capacity", {.kind = TAMIS_KIND_BITMAP, .flags = TAMIS_STRICT}, TAMIS_E_SPEC},
    {"concurrent", {.kind = TAMIS_KIND_BITMAP, .flags = TAMIS_CONCURRENT}, TAMIS_E_UNSUPPORTED},
    {"hashes", {.kind = TAMIS_KIND_BITMAP, .hashes = 3}, TAMIS_E_SPEC},
    {"fold", {.kind = TAMIS_KIND_BITMAP, .fold = 2}, TAMIS_E_UNSUPPORTED},
    {"memory alone", {.kind = TAMIS_KIND_BITMAP, .memory = 1 << 20}, TAMIS_E_SPEC},
    {"memory enough", {.kind = TAMIS_KIND_BITMAP, .memory = 228, .capacity = 10}, TAMIS_OK},
    {"too little", {.kind = TAMIS_KIND_BITMAP, .memory = 227, .capacity = 10}, TAMIS_E_LIMIT},
};

static void test_plans(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(PLANS); i++) {
        tamis_sizing sizing;
        check_about("%s", PLANS[i].why);
        tamis_status status = tamis_plan(&PLANS[i].spec, &sizing);
        CHECK(status == PLANS[i].status, "%d: %s", (int)status, tamis_explain());
        if (status != TAMIS_OK) continue;
        CHECK(sizing.kind == TAMIS_KIND_BITMAP && sizing.fpr == 0 && sizing.note[0], "the row");
        CHECK(!PLANS[i].spec.capacity || sizing.bytes == 8 + 22 * PLANS[i].spec.capacity, "bytes");
    }
}

static int when_built(void **state)
{
    (void)state;
    const tamis_spec spec = {.kind = TAMIS_KIND_BITMAP};
    tamis_sizing sizing;
    if (tamis_plan(&spec, &sizing) != TAMIS_E_UNAVAILABLE) return 0;
    CHECK(sizing.note[0], "unavailable without a word");
    print_message("no bitmaps in this build: %s\n", sizing.note);
    exit(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_a_slow_set),
        cmocka_unit_test(test_scattered),
        cmocka_unit_test(test_union_and_intersection),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_bits_as_redis_orders_them),
        cmocka_unit_test(test_a_window_of_bits),
        cmocka_unit_test(test_portable_and_back),
        cmocka_unit_test(test_bytes_of_another_writer),
        cmocka_unit_test(test_portable_hostile),
        cmocka_unit_test(test_keys_that_are_no_integers),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_plans),
    };
    return cmocka_run_group_tests(tests, when_built, NULL);
}
