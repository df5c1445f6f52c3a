/* test_scheme.c - a classic filter is a bit array plus a scheme. A kind that
 * exists only here works by the scheme of Guava's 64-bit strategy, made from
 * classic's table by the recipe in scheme.h, and every door of the facade must work
 * on the bytes that Guava wrote: asking, adding, counting, merging, cloning.
 * tests/golden/foreign/README.md says what is known of them.                */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facade/origin.h"
#include "hash/hash_raw.h"
#include "kinds/classic.h"
#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

/* ---- the scheme ----------------------------------------------------------- */

enum { BITS = 9600, HASHES = 7, HEAD = 6, BYTES = BITS / 8, KEYS = 1000, ABSENT = 10000 };
enum { KIND_OF_THIS_TEST = 900, ONES = 4985 };

static void mitz64_positions(const tms_shape *shape, const void *key, size_t size,
                             uint64_t *positions)
{
    uint64_t h[2];
    tms_murmur3_x64_128(key, size, 0, h);
    uint64_t c = h[0];
    for (uint64_t i = 0; i < shape->params[CLASSIC_HASHES]; i++) {
        positions[i] = (c & INT64_MAX) % shape->params[CLASSIC_BITS];
        c += h[1];
    }
}

/* Words are written with their most significant byte first. */
static uint64_t big_endian_place(uint64_t bit)
{
    const uint64_t byte = 8 * (bit >> 6) + 7 - ((bit >> 3) & 7);
    return 8 * byte + (bit & 7);
}

static const tms_scheme mitz64 = {mitz64_positions, big_endian_place};

static void mitz64_attach(tamis_filter *f)
{
    tms_scheme_attach(f, &mitz64);
}

static tms_kind kind;

static int make_kind(void **state)
{
    (void)state;
    kind = tms_classic_kind;
    kind.id = KIND_OF_THIS_TEST;
    kind.name = "mitz64";
    kind.abilities = TMS_SCHEME_ABILITIES;
    kind.add_slice = NULL;
    kind.fold = NULL;
    kind.attach = mitz64_attach;
    return 0;
}

/* ---- filters of it --------------------------------------------------------- */

static tamis_filter *empty_filter(uint32_t flags, uint64_t capacity)
{
    const tms_shape shape = {.kind = KIND_OF_THIS_TEST,
                             .flags = flags,
                             .capacity = capacity,
                             .fpr = 0.01,
                             .body_bytes = (BYTES + 63) / 64 * 64,
                             .param_count = CLASSIC_PARAMS,
                             .params = {BITS, HASHES}};
    tms_hasher hasher;
    tamis_filter *f = NULL;
    CHECK_OK(tms_hasher_init(&hasher, TAMIS_HASH_XXH3, 0, NULL));
    const tms_family family = {.hasher = &hasher};
    CHECK_OK(tms_filter_make(&kind, &shape, family, &f));
    return f;
}

static uint8_t *golden(void)
{
    size_t size;
    uint8_t *bytes = scratch_read(TAMIS_TEST_DATA "/foreign/guava_m64_string_utf8.bin", &size);
    CHECK(size == HEAD + BYTES && bytes[0] == 1 && bytes[1] == HASHES, "%zu bytes", size);
    CHECK(bytes[5] == BITS / 64 && !bytes[2] && !bytes[3] && !bytes[4], "words");
    return bytes;
}

static tamis_filter *golden_filter(void)
{
    tamis_filter *f = empty_filter(0, KEYS);
    uint8_t *bytes = golden();
    memcpy(f->body, bytes + HEAD, BYTES);
    free(bytes);
    return f;
}

static void check_is_golden(const tamis_filter *f, const char *what)
{
    uint8_t *bytes = golden();
    CHECK(memcmp(f->body, bytes + HEAD, BYTES) == 0, "%s is not what Guava wrote", what);
    free(bytes);
}

/* prefix_0 .. prefix_(count - 1), the way key_batch lays them out */
static key_batch numbered(const char *prefix, size_t count)
{
    key_batch b = key_batch_text(0, count);
    uint8_t *bytes = malloc(count * 16);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const int size = snprintf((char *)bytes + at, 16, "%s_%zu", prefix, i);
        b.spans[i] = (tamis_span){bytes + at, (size_t)size};
        b.offsets32[i] = (int32_t)at;
        b.offsets64[i] = (int64_t)at;
        at += (size_t)size;
    }
    b.offsets32[count] = (int32_t)at;
    b.offsets64[count] = (int64_t)at;
    free(b.bytes);
    b.bytes = bytes;
    return b;
}

/* ---- asking ---------------------------------------------------------------- */

static const uint16_t POSITIVES[] = {
    2,    300,  303,  358,  555,  605,  742,  886,  1004, 1013, 1049, 1109, 1460, 1595, 1599, 1609,
    1810, 2042, 2092, 2124, 2322, 2362, 2380, 2424, 2784, 2908, 3129, 3247, 3307, 3317, 3415, 3783,
    3946, 3952, 4010, 4174, 4215, 4310, 4376, 4388, 4753, 4884, 4960, 4981, 5264, 5365, 5429, 5658,
    5723, 5726, 6049, 6158, 6209, 6214, 6533, 6554, 6934, 6964, 7185, 7433, 7513, 7555, 7604, 7734,
    7793, 7841, 7996, 8001, 8048, 8298, 8337, 8347, 9345, 9454, 9472, 9599, 9651, 9658, 9913, 9939,
};

/* Exactly the keys, and of the strangers exactly those that Guava takes. */
static void check_answers(const tamis_filter *f, const char *what)
{
    static const tamis_layout layouts[] = {TAMIS_LAYOUT_SPANS, TAMIS_LAYOUT_OFFSETS32,
                                           TAMIS_LAYOUT_OFFSETS64};
    key_batch keys = numbered("key", KEYS), strangers = numbered("absent", ABSENT);
    bool *answers = malloc(ABSENT * sizeof *answers);
    for (size_t i = 0; i < KEYS; i++)
        CHECK(tamis_may_contain(f, keys.spans[i].data, keys.spans[i].size), "%s: key_%zu", what, i);
    for (size_t l = 0; l < COUNT(layouts); l++) {
        const tamis_keys in = key_batch_as(&keys, layouts[l], NULL);
        CHECK(tamis_may_contain_many(f, &in, NULL) == KEYS, "%s: keys are lost to a batch", what);
        const tamis_keys out = key_batch_as(&strangers, layouts[l], NULL);
        CHECK(tamis_may_contain_many(f, &out, answers) == COUNT(POSITIVES), "%s: maybes", what);
        for (size_t i = 0, next = 0; i < ABSENT; i++) {
            const bool expected = next < COUNT(POSITIVES) && POSITIVES[next] == i;
            const tamis_span key = strangers.spans[i];
            next += expected;
            CHECK(answers[i] == expected, "%s: absent_%zu gets %d", what, i, answers[i]);
            CHECK(tamis_may_contain(f, key.data, key.size) == expected, "%s: absent_%zu", what, i);
        }
    }
    free(answers);
    key_batch_free(&keys);
    key_batch_free(&strangers);
}

static void guavas_filter_answers_as_in_guava(void **state)
{
    (void)state;
    tamis_filter *f = golden_filter();
    check_about("the bytes that Guava wrote");
    check_answers(f, "golden");
    tamis_free(f);
}

static void facts(void **state)
{
    (void)state;
    tamis_filter *f = golden_filter();
    tamis_facts facts;
    tamis_finding findings[8];
    check_about("facts of Guava's filter");
    CHECK_OK(tamis_info(f, &facts));
    CHECK(facts.bits == BITS && facts.ones == ONES && facts.hashes == HASHES, "%" PRIu64 " ones",
          facts.ones);
    CHECK(fabs(facts.keys - 1005) < 2, "%g keys, Guava says 1005", facts.keys);
    CHECK(facts.keys_low <= 1000 && facts.keys_high >= 1000, "%g to %g", facts.keys_low,
          facts.keys_high);
    CHECK(!(facts.abilities & TAMIS_CAN_DIGESTS) && facts.abilities & TAMIS_CAN_ADD, "abilities");
    CHECK(fabs(facts.fpr_now - pow((double)ONES / BITS, HASHES)) < 1e-9, "rate %g", facts.fpr_now);
    assert_string_equal(facts.kind_name, "mitz64");
    CHECK(tamis_diagnose(f, findings, COUNT(findings)) >= 1, "no diagnosis");
    tamis_free(f);
}

/* ---- adding ---------------------------------------------------------------- */

static void every_door_adds_what_guava_adds(void **state)
{
    (void)state;
    key_batch keys = numbered("key", KEYS);
    for (uint32_t flags = 0; flags <= TAMIS_CONCURRENT; flags += TAMIS_CONCURRENT)
        for (size_t d = 0; add_door_number(d); d++) {
            const add_door *door = add_door_number(d);
            if (door->layout == TAMIS_LAYOUT_DIGESTS || !key_batch_has(&keys, door->layout))
                continue;
            tamis_filter *f = empty_filter(flags, KEYS);
            check_about("flags %u, added %s", flags, door->why);
            door->add(door, f, &keys);
            check_is_golden(f, "what was added");
            tamis_facts facts;
            CHECK_OK(tamis_info(f, &facts));
            CHECK(facts.added == KEYS, "%" PRIu64 " added", facts.added);
            tamis_free(f);
        }
    key_batch_free(&keys);
}

static void new_means_new(void **state)
{
    (void)state;
    key_batch keys = numbered("key", KEYS);
    tamis_filter *f = empty_filter(0, KEYS), *g = empty_filter(0, KEYS);
    bool many[KEYS], single;
    const tamis_keys batch = key_batch_as(&keys, TAMIS_LAYOUT_SPANS, NULL);
    check_about("add_new of Guava's keys");
    CHECK_OK(tamis_add_new_many(f, &batch, many, NULL));
    for (size_t i = 0; i < KEYS; i++) {
        const bool knew = tamis_may_contain(g, keys.spans[i].data, keys.spans[i].size);
        CHECK_OK(tamis_add_new(g, keys.spans[i].data, keys.spans[i].size, &single));
        CHECK(single == !knew && many[i] == single, "key_%zu: %d, %d, knew %d", i, single, many[i],
              knew);
    }
    CHECK_OK(tamis_add_new_many(f, &batch, many, NULL));
    for (size_t i = 0; i < KEYS; i++) CHECK(!many[i], "key_%zu is new again", i);
    key_batch_free(&keys);
    tamis_free(f);
    tamis_free(g);
}

/* Integers are keys of 8 bytes here as everywhere. */
static void integers_are_keys(void **state)
{
    (void)state;
    key_batch keys = key_batch_integers(3, 500);
    tamis_filter *f = empty_filter(0, KEYS), *g = empty_filter(0, KEYS), *h = empty_filter(0, KEYS);
    check_about("integers under a scheme");
    add_door_number(0)->add(add_door_number(0), f, &keys);
    add_door_number(2)->add(add_door_number(2), g, &keys);
    add_door_number(7)->add(add_door_number(7), h, &keys);
    filters_check_same(f, g, "bytes and u64");
    filters_check_same(f, h, "bytes and a batch of u64");
    for (size_t i = 0; i < keys.count; i++)
        CHECK(tamis_may_contain_u64(f, keys.integers[i]), "integer %zu is lost", i);
    const tamis_keys batch = key_batch_as(&keys, TAMIS_LAYOUT_U64, NULL);
    CHECK(tamis_may_contain_many(f, &batch, NULL) == keys.count, "lost to a batch");
    key_batch_free(&keys);
    tamis_free(f);
    tamis_free(g);
    tamis_free(h);
}

/* A digest is not enough for this scheme: refused, and never a "no". */
static void digests_are_refused(void **state)
{
    (void)state;
    tamis_filter *f = golden_filter();
    const uint64_t digests[3] = {1, 2, 3};
    const tamis_keys batch = tamis_keys_digests(digests, 3);
    bool answers[3] = {false, false, false}, was_new = true;
    size_t added = 9;
    check_about("digests under a scheme that needs keys");
    CHECK_STATUS(tamis_add_hash(f, 1), TAMIS_E_UNSUPPORTED);
    CHECK_STATUS(tamis_add_new_hash(f, 1, &was_new), TAMIS_E_UNSUPPORTED);
    CHECK(was_new, "was_new was written on error");
    CHECK_STATUS(tamis_add_many(f, &batch, &added), TAMIS_E_UNSUPPORTED);
    CHECK(added == 0, "%zu added", added);
    CHECK_STATUS(tamis_add_many_parallel(f, &batch, 2, &added), TAMIS_E_UNSUPPORTED);
    CHECK(tamis_may_contain_hash(f, 1), "a no without a reason");
    CHECK(tamis_may_contain_many(f, &batch, answers) == 3, "a no without a reason");
    CHECK(answers[0] && answers[1] && answers[2], "a no without a reason");
    check_is_golden(f, "a filter that refused");
    tamis_free(f);
}

/* ---- everything else -------------------------------------------------------- */

static void strict_schemes(void **state)
{
    (void)state;
    key_batch keys = numbered("key", KEYS);
    tamis_filter *f = empty_filter(TAMIS_STRICT, 500);
    const tamis_keys batch = key_batch_as(&keys, TAMIS_LAYOUT_SPANS, NULL);
    size_t added = 0;
    tamis_facts facts;
    check_about("a strict filter under a scheme");
    CHECK_STATUS(tamis_add_many(f, &batch, &added), TAMIS_E_FULL);
    CHECK_OK(tamis_info(f, &facts));
    CHECK(added >= 500 && added < 510 && facts.added == 500, "%zu taken", added);
    for (size_t i = 0; i < added; i++) /* known keys are always taken */
        CHECK_OK(tamis_add(f, keys.spans[i].data, keys.spans[i].size));
    key_batch_free(&keys);
    tamis_free(f);
}

static void sets(void **state)
{
    (void)state;
    key_batch keys = numbered("key", KEYS);
    const key_batch first = key_batch_part(&keys, 0, 600), last = key_batch_part(&keys, 400, 600);
    tamis_filter *a = empty_filter(0, KEYS), *b = empty_filter(0, KEYS), *copy = NULL;
    tamis_union u;
    check_about("sets under a scheme");
    add_door_number(6)->add(add_door_number(6), a, &first);
    add_door_number(0)->add(add_door_number(0), b, &last);
    CHECK_OK(tamis_merge(a, b, &u));
    check_is_golden(a, "the union of two parts");
    check_answers(a, "merged");
    CHECK(fabs(u.keys - 1005) < 2, "%g keys in the union", u.keys);
    CHECK_OK(tamis_clone(a, &copy));
    check_is_golden(copy, "the clone");
    check_answers(copy, "cloned");
    CHECK_OK(tamis_intersect(copy, b));
    for (size_t i = 0; i < last.count; i++)
        CHECK(tamis_may_contain(copy, last.spans[i].data, last.spans[i].size), "in both");
    CHECK_STATUS(tamis_fold(a, 2), TAMIS_E_UNSUPPORTED);
    CHECK_OK(tamis_clear(b));
    CHECK(!tamis_may_contain(b, "key_999", 7), "cleared");
    add_door_number(6)->add(add_door_number(6), b, &keys);
    check_is_golden(b, "cleared and filled");
    const tamis_spec plain = {.kind = TAMIS_KIND_CLASSIC, .capacity = 1000, .fpr = 0.01};
    tamis_filter *native = NULL;
    CHECK_OK(tamis_create(&plain, &native));
    CHECK_STATUS(tamis_merge(a, native, NULL), TAMIS_E_MISMATCH);
    CHECK_STATUS(tamis_merge(native, a, NULL), TAMIS_E_MISMATCH);
    tamis_free(native);
    tamis_free(copy);
    tamis_free(a);
    tamis_free(b);
    key_batch_free(&keys);
}

/* A watched filter asks for the chunks of a key's own places: what is sound
 * answers as ever, and what is lost never causes a "no". */
static void watched_schemes(void **state)
{
    (void)state;
    tamis_filter *f = golden_filter();
    check_about("a watched filter under a scheme");
    CHECK_OK(tms_origin_make(f));
    tms_envelope *e = &f->origin->envelope;
    e->chunk_bytes = 64;
    e->body_bytes = f->shape.body_bytes;
    e->chunk_count = e->body_bytes / e->chunk_bytes;
    f->origin->area = f->body;
    CHECK_OK(tms_origin_watch(f));
    memset((void *)f->origin->states, TMS_CHUNK_SOUND, (size_t)e->chunk_count);
    check_answers(f, "watched");
    CHECK_STATUS(tamis_add(f, "key_0", 5), TAMIS_E_READONLY);
    CHECK(tamis_may_contain_hash(f, 1), "a no without a reason");
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    CHECK(!(facts.abilities & TAMIS_CAN_DIGESTS), "abilities");
    memset(f->body + 64, 0, 64); /* lost, and empty */
    f->origin->states[1] = TMS_CHUNK_DAMAGED;
    key_batch keys = numbered("key", KEYS), strangers = numbered("absent", ABSENT);
    const tamis_keys in = key_batch_as(&keys, TAMIS_LAYOUT_SPANS, NULL);
    const tamis_keys out = key_batch_as(&strangers, TAMIS_LAYOUT_SPANS, NULL);
    CHECK(tamis_may_contain_many(f, &in, NULL) == KEYS, "damage has lost a key");
    const size_t maybes = tamis_may_contain_many(f, &out, NULL);
    CHECK(maybes >= COUNT(POSITIVES) && maybes < ABSENT / 10, "%zu maybes", maybes);
    key_batch_free(&keys);
    key_batch_free(&strangers);
    tamis_free(f);
}

/* It is written like any other; a reader that does not know the kind says so. */
static void writing(void **state)
{
    (void)state;
    tamis_filter *f = golden_filter(), *g = NULL;
    check_about("a kind that is not registered, in a file");
    filter_bytes b = filter_bytes_of(f);
    uint8_t *bytes = golden();
    CHECK(memcmp(b.body, bytes + HEAD, BYTES) == 0, "the body changed on the way");
    CHECK_STATUS(tamis_load(b.bytes, b.size, NULL, &g), TAMIS_E_VERSION);
    CHECK(strstr(tamis_explain(), "900") != NULL, "the kind is not named: %s", tamis_explain());
    free(bytes);
    filter_bytes_free(&b);
    tamis_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(guavas_filter_answers_as_in_guava),
        cmocka_unit_test(facts),
        cmocka_unit_test(every_door_adds_what_guava_adds),
        cmocka_unit_test(new_means_new),
        cmocka_unit_test(integers_are_keys),
        cmocka_unit_test(digests_are_refused),
        cmocka_unit_test(strict_schemes),
        cmocka_unit_test(sets),
        cmocka_unit_test(watched_schemes),
        cmocka_unit_test(writing),
    };
    return cmocka_run_group_tests(tests, make_kind, NULL);
}
