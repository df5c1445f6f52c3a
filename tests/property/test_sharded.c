/* test_sharded.c - filters by stretches of digests: where a key is, that the
 * shards of a blocked filter are its stretches, and that filters can be cut up
 * and put together again on the way.                                        */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/blocked_view.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static const uint64_t SEED = 141421;

enum { KEYS = 30000, MOST = 64 };

static tamis_filter *made(const tamis_spec *spec, const key_batch *keys)
{
    tamis_filter *f = NULL;
    CHECK_OK(tamis_create(spec, &f));
    if (keys) add_door_number(6)->add(add_door_number(6), f, keys);
    return f;
}

static tamis_facts facts_of(const tamis_filter *f)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    return facts;
}

static void drop_all(tamis_filter **filters, size_t count)
{
    for (size_t i = 0; i < count; i++) tamis_free(filters[i]);
}

/* ---- which shard ----------------------------------------------------------- */

static void shard_of_a_digest(void **state)
{
    (void)state;
    static const struct {
        uint64_t digest;
        uint32_t shards, shard;
    } rows[] = {
        {0, 1, 0},
        {UINT64_MAX, 1, 0},
        {0, 16, 0},
        {UINT64_C(0x0fffffffffffffff), 16, 0},
        {UINT64_C(0x1000000000000000), 16, 1},
        {UINT64_MAX, 16, 15},
        {UINT64_C(0x5555555555555555), 3, 0},
        {UINT64_C(0x5555555555555556), 3, 1},
        {UINT64_MAX, 1024, 1023},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        CHECK(tamis_shard_of(rows[i].digest, rows[i].shards) == rows[i].shard, "row %zu", i);
}

/* ---- shards are stretches -------------------------------------------------- */

/* A whole filter of the same number of lines, built at once. */
static tamis_filter *unsharded(uint32_t shards, uint64_t seed, const key_batch *keys)
{
    const tamis_spec spec = {
        .kind = TAMIS_KIND_BLOCKED, .capacity = KEYS, .fpr = 0.01, .fold = shards, .seed = seed};
    return made(&spec, keys);
}

static void cut_and_put_together(void **state)
{
    (void)state;
    static const uint32_t numbers[] = {1, 2, 3, 7, 16, 48};
    key_batch keys = key_batch_integers(SEED, KEYS), more = key_batch_integers(SEED + 1, 1000);
    for (size_t n = 0; n < COUNT(numbers); n++) {
        const uint32_t shards = numbers[n];
        tamis_filter *parts[MOST], *joined = NULL, *plain = NULL;
        const tamis_filter *backwards[MOST];
        check_about("%u shards; seed %" PRIu64, shards, SEED);
        tamis_filter *whole = unsharded(shards, 0, &keys);
        CHECK_OK(tamis_split(whole, shards, parts));
        for (uint32_t i = 0; i < shards; i++) backwards[shards - 1 - i] = parts[i];
        CHECK_OK(tamis_join(backwards, shards, &joined));
        CHECK(facts_of(joined).layers == shards, "%u shards", facts_of(joined).layers);
        tamis_shards range;
        CHECK_OK(tamis_shards_of(parts[shards - 1], &range));
        CHECK(range.shards == shards && range.first == shards - 1 && range.count == 1, "the last");
        CHECK_STATUS(tamis_shards_of(whole, &range), TAMIS_E_UNSUPPORTED);
        const double full = facts_of(parts[0]).fpr_at_capacity;
        CHECK(full > 0.9 * facts_of(whole).fpr_at_capacity, "a part has a rate of %g", full);
        ask_check_agree(joined, whole, &more, "strangers");
        ask_check_quickly(joined, &keys, "joined");
        CHECK_OK(tamis_unshard(joined, &plain));
        filters_check_same_body(plain, whole, "cut, joined and made plain");
        add_door_number(6)->add(add_door_number(6), joined, &more); /* goes on as one would */
        add_door_number(6)->add(add_door_number(6), whole, &more);
        tamis_free(plain);
        CHECK_OK(tamis_unshard(joined, &plain));
        filters_check_same_body(plain, whole, "after more keys");
        drop_all(parts, shards);
        tamis_free(plain);
        tamis_free(joined);
        tamis_free(whole);
    }
    key_batch_free(&keys);
    key_batch_free(&more);
}

/* Built sharded: the bits are those of the unsharded filter of as many lines. */
static void built_as_shards(void **state)
{
    (void)state;
    key_batch keys = key_batch_integers(SEED, KEYS), others = key_batch_integers(SEED + 1, KEYS);
    for (uint32_t shards = 1; shards <= MOST; shards += 9)
        for (int parallel = 0; parallel < 2; parallel++) {
            const tamis_spec spec = {
                .kind = TAMIS_KIND_SHARDED, .parts = shards, .capacity = KEYS, .fpr = 0.01};
            tamis_filter *f = made(&spec, NULL), *plain = NULL;
            check_about("%u shards, parallel %d", shards, parallel);
            const tamis_keys batch = key_batch_as(&keys, TAMIS_LAYOUT_U64, NULL);
            if (parallel)
                CHECK_OK(tamis_add_many_parallel(f, &batch, 3, NULL));
            else
                CHECK_OK(tamis_add_many(f, &batch, NULL));
            CHECK_OK(tamis_unshard(f, &plain));
            const tamis_facts facts = facts_of(plain);
            const tamis_spec one = {.kind = TAMIS_KIND_BLOCKED,
                                    .capacity = KEYS,
                                    .memory = facts.bits / 8,
                                    .hashes = facts.hashes,
                                    .fold = shards,
                                    .lines_per_key = 1};
            tamis_filter *whole = made(&one, &keys);
            CHECK(facts_of(whole).bits == facts.bits, "another size");
            filters_check_same_body(plain, whole, "sharded and built at once");
            ask_check_agree(f, whole, &others, "strangers");
            CHECK(facts_of(f).added == KEYS, "%" PRIu64 " added", facts_of(f).added);
            uint64_t sum = 0;
            for (uint32_t i = 0; i < shards; i++) sum += facts_of(tamis_layer_view(f, i)).added;
            CHECK(sum == KEYS, "%" PRIu64 " keys in the shards", sum);
            tamis_free(whole);
            tamis_free(plain);
            tamis_free(f);
        }
    key_batch_free(&keys);
    key_batch_free(&others);
}

/* Shards large enough to be filled alike: the whole has the rate of one filter
 * with so many keys, before and past its capacity. */
static void rates_away_from_capacity(void **state)
{
    (void)state;
    enum { PLANNED = 40000, STRANGERS = 400000 };
    static const uint32_t inner[] = {TAMIS_KIND_BLOCKED, TAMIS_KIND_CLASSIC, TAMIS_KIND_COUNTING};
    static const double loads[] = {0.25, 0.5, 1, 1.5, 3};
    static uint64_t digests[3 * PLANNED], strangers[STRANGERS];
    splitmix_fill(&(splitmix){SEED + 8}, digests, COUNT(digests));
    splitmix_fill(&(splitmix){SEED + 9}, strangers, STRANGERS);
    const tamis_keys absent = tamis_keys_digests(strangers, STRANGERS);
    for (size_t k = 0; k < COUNT(inner); k++)
        for (size_t l = 0; l < COUNT(loads); l++) {
            tamis_spec spec = {.kind = TAMIS_KIND_SHARDED,
                               .inner = inner[k],
                               .parts = 4,
                               .capacity = PLANNED,
                               .fpr = 0.02};
            tamis_filter *f = made(&spec, NULL);
            const size_t keys = (size_t)(loads[l] * PLANNED);
            const tamis_keys batch = tamis_keys_digests(digests, keys);
            CHECK_OK(tamis_add_many(f, &batch, NULL));
            const tamis_facts facts = facts_of(f);
            const tamis_spec flat = {.kind = inner[k],
                                     .capacity = keys,
                                     .memory = facts.bits / 8,
                                     .hashes = facts.hashes,
                                     .lines_per_key = facts.lines_per_key};
            tamis_sizing whole;
            CHECK_OK(tamis_plan(&flat, &whole));
            const double rate = (double)tamis_may_contain_many(f, &absent, NULL) / STRANGERS;
            const double sigma = sqrt(whole.fpr / STRANGERS);
            check_about("%s shards, load %g", tamis_kind_name(inner[k]), loads[l]);
            CHECK(fabs(rate - whole.fpr) <= 0.05 * whole.fpr + 4 * sigma, "%g, one filter has %g",
                  rate, whole.fpr);
            CHECK(fabs(rate - facts.fpr_now) <= 4.5 * sigma + 0.02 * rate, "%g, told %g", rate,
                  facts.fpr_now);
            tamis_free(f);
        }
}

/* ---- some of the shards ----------------------------------------------------- */

/* A part knows its own keys, and no others; it travels by itself. */
static void parts_have_their_own_keys(void **state)
{
    (void)state;
    enum { SHARDS = 6 };
    static const uint32_t inner[] = {TAMIS_KIND_BLOCKED, TAMIS_KIND_CLASSIC, TAMIS_KIND_SCALABLE,
                                     TAMIS_KIND_TWIN};
    key_batch keys = key_batch_integers(SEED, KEYS);
    for (size_t k = 0; k < COUNT(inner); k++)
        for (uint32_t parts = 2; parts <= SHARDS; parts += parts) {
            const tamis_spec spec = {.kind = TAMIS_KIND_SHARDED,
                                     .inner = inner[k],
                                     .parts = SHARDS,
                                     .capacity = KEYS,
                                     .fpr = 0.01};
            tamis_filter *f = made(&spec, &keys), *out[SHARDS], *joined = NULL;
            if (SHARDS % parts != 0) {
                CHECK_STATUS(tamis_split(f, parts, out), TAMIS_E_SPEC);
                tamis_free(f);
                continue;
            }
            check_about("%u parts of %d shards of kind %s", parts, SHARDS,
                        tamis_kind_name(inner[k]));
            CHECK_OK(tamis_split(f, parts, out));
            for (uint32_t i = 0; i < parts; i++) {
                CHECK_OK(tamis_save(out[i], scratch_path("shard"), NULL));
                tamis_free(out[i]);
                CHECK_OK(tamis_open(scratch_path("shard"), NULL, &out[i]));
            }
            for (size_t i = 0; i < keys.count; i++) {
                const uint64_t digest = tamis_hash(f, &keys.integers[i], 8);
                const uint32_t home = tamis_shard_of(digest, SHARDS) / (SHARDS / parts);
                for (uint32_t p = 0; p < parts; p++)
                    CHECK(tamis_may_contain_hash(out[p], digest) >= (p == home), "key %zu in %u", i,
                          p);
                if (i < 10)
                    CHECK_STATUS(tamis_add_hash(out[(home + 1) % parts], digest), TAMIS_E_MISMATCH);
            }
            CHECK_OK(tamis_join((const tamis_filter *const *)out, parts, &joined));
            ask_check_quickly(joined, &keys, "joined");
            tamis_free(joined);
            CHECK_OK(tamis_join((const tamis_filter *const *)out + 1, 1, &joined));
            tamis_free(joined);
            tamis_free(f);
            drop_all(out, parts);
        }
    key_batch_free(&keys);
}

static void what_cannot_be_cut(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        tamis_spec spec;
        uint32_t parts;
        tamis_status status;
    } rows[] = {
        {"classic", {.kind = TAMIS_KIND_CLASSIC}, 4, TAMIS_E_UNSUPPORTED},
        {"two lines",
         {.kind = TAMIS_KIND_BLOCKED, .lines_per_key = 2, .fold = 4},
         4,
         TAMIS_E_UNSUPPORTED},
        {"scaling", {.kind = TAMIS_KIND_SCALABLE}, 4, TAMIS_E_UNSUPPORTED},
        {"no parts", {.kind = TAMIS_KIND_BLOCKED}, 0, TAMIS_E_SPEC},
        {"a prime", {.kind = TAMIS_KIND_BLOCKED, .fold = 2}, 1021, TAMIS_E_SPEC},
        {"shards into more", {.kind = TAMIS_KIND_SHARDED, .parts = 4}, 8, TAMIS_E_SPEC},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static tamis_filter *out[1024];
        tamis_spec spec = rows[i].spec;
        spec.capacity = 1000;
        spec.fpr = 0.01;
        check_about("%s", rows[i].why);
        tamis_filter *f = made(&spec, NULL);
        CHECK_STATUS(tamis_split(f, rows[i].parts, out), rows[i].status);
        for (uint32_t p = 0; p < rows[i].parts; p++) CHECK(!out[p], "a product of a failure");
        tamis_free(f);
    }
}

static void what_cannot_be_joined(void **state)
{
    (void)state;
    key_batch keys = key_batch_integers(SEED, 100);
    tamis_filter *a = unsharded(4, 0, &keys), *b = unsharded(4, 1, &keys), *out = NULL;
    tamis_filter *as[4], *bs[4], *halves[2];
    CHECK_OK(tamis_split(a, 4, as));
    CHECK_OK(tamis_split(b, 4, bs));
    CHECK_OK(tamis_split(a, 2, halves));
    const struct {
        const char *why;
        const tamis_filter *parts[4];
        size_t count;
        tamis_status status;
    } rows[] = {
        {"nothing", {NULL}, 0, TAMIS_E_SPEC},
        {"a gap", {as[0], as[1], as[3]}, 3, TAMIS_E_MISMATCH},
        {"one twice", {as[0], as[1], as[1]}, 3, TAMIS_E_MISMATCH},
        {"another seed", {as[0], bs[1]}, 2, TAMIS_E_MISMATCH},
        {"another division", {as[0], halves[1]}, 2, TAMIS_E_MISMATCH},
        {"no shard at all", {as[0], a}, 2, TAMIS_E_MISMATCH},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_about("%s", rows[i].why);
        CHECK_STATUS(tamis_join(rows[i].parts, rows[i].count, &out), rows[i].status);
        CHECK(out == NULL, "a product of a failure");
    }
    CHECK_STATUS(tamis_unshard(as[1], &out), TAMIS_E_MISMATCH);
    CHECK_STATUS(tamis_unshard(a, &out), TAMIS_E_UNSUPPORTED);
    drop_all(as, 4);
    drop_all(bs, 4);
    drop_all(halves, 2);
    tamis_free(a);
    tamis_free(b);
    key_batch_free(&keys);
}

/* Looking at a shard with the wrong key is safe, and no view is lent of it. */
static void shards_are_to_look_at(void **state)
{
    (void)state;
    const tamis_spec spec = {.kind = TAMIS_KIND_SHARDED, .parts = 5, .capacity = 1000, .fpr = 0.01};
    tamis_filter *f = made(&spec, NULL);
    splitmix random = {SEED};
    for (unsigned i = 0; i < 1000; i++) CHECK_OK(tamis_add_hash(f, splitmix_next(&random)));
    for (uint32_t s = 0; s < 5; s++) {
        const tamis_filter *shard = tamis_layer_view(f, s);
        tamis_blocked_view view;
        for (unsigned i = 0; i < 1000; i++) {
            const uint64_t digest = splitmix_next(&random);
            const bool answer = tamis_may_contain_hash(shard, digest);
            CHECK(!answer || tamis_shard_of(digest, 5) == s, "a stranger in shard %u", s);
            const tamis_keys one = tamis_keys_digests(&digest, 1);
            CHECK(tamis_may_contain_many(shard, &one, NULL) == answer, "doors disagree");
        }
        CHECK_STATUS(tamis_blocked_view_of(shard, &view), TAMIS_E_UNSUPPORTED);
    }
    tamis_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shard_of_a_digest),         cmocka_unit_test(cut_and_put_together),
        cmocka_unit_test(built_as_shards),           cmocka_unit_test(rates_away_from_capacity),
        cmocka_unit_test(parts_have_their_own_keys), cmocka_unit_test(what_cannot_be_cut),
        cmocka_unit_test(what_cannot_be_joined),     cmocka_unit_test(shards_are_to_look_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
