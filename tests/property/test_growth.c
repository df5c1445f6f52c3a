/* test_growth.c - the rate of a scaling filter while it grows, and where it
 * stops: at its cap, and where the hash is too narrow. It then refuses new keys,
 * keeps all it has and keeps its promised rate, also as a copy and after a file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "support/check.h"
#include "support/filter_bytes.h"
#include "support/spec_rows.h"
#include "support/splitmix.h"

static const uint64_t SEED = 314159;

static const uint64_t MANY = 4000000; /* far more than any row takes */

static const struct {
    const char *why;
    tamis_spec spec;
    tamis_status status;
} ROWS[] = {
    {"a cap of 64 KiB",
     {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .memory = 65536},
     TAMIS_E_LIMIT},
    {"a cap for one layer and not for two",
     {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .capacity = 4096, .memory = 9000},
     TAMIS_E_LIMIT},
    {"a cap over classic layers",
     {.kind = TAMIS_KIND_CLASSIC, .growth = TAMIS_GROWTH_SCALE, .fpr = 0.001, .memory = 200000},
     TAMIS_E_LIMIT},
    {"a cap, concurrent",
     {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .memory = 65536, .flags = TAMIS_CONCURRENT},
     TAMIS_E_LIMIT},
    {"32 bits at 10^-4",
     {.growth = TAMIS_GROWTH_SCALE, .fpr = 1e-4, .hash = TAMIS_HASH_MURMUR3_32},
     TAMIS_E_FULL},
    {"32 bits at 10^-3, steep",
     {.growth = TAMIS_GROWTH_SCALE,
      .fpr = 1e-3,
      .hash = TAMIS_HASH_MURMUR3_32,
      .capacity = 100000,
      .tightening = 0.5},
     TAMIS_E_FULL},
};

static tamis_facts facts_of(const tamis_filter *f)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    return facts;
}

/* Adds 0, 1, 2 ...; returns the first key that is refused. */
static uint64_t fill(tamis_filter *f, tamis_status refusal)
{
    for (uint64_t key = 0; key < MANY; key++) {
        const tamis_status status = tamis_add_u64(f, key);
        if (status == TAMIS_OK) continue;
        CHECK(status == refusal, "key %" PRIu64 ": status %d, %s", key, (int)status,
              tamis_explain());
        return key;
    }
    CHECK(false, "all keys were taken");
    return 0;
}

/* The wall is where it was, and what is inside still is. */
static void check_full(tamis_filter *f, uint64_t refused, tamis_status status)
{
    bool was_new = true;
    const tamis_keys batch = tamis_keys_u64(&refused, 1);
    size_t added = 1;
    CHECK_STATUS(tamis_add_new_u64(f, refused, &was_new), status);
    CHECK(was_new, "was_new was written on error");
    CHECK_STATUS(tamis_add_many(f, &batch, &added), status);
    CHECK(added == 0, "%zu keys were added", added);
    CHECK(!tamis_may_contain_u64(f, refused), "a refused key is there");
    for (uint64_t key = 0; key < refused; key++) CHECK_OK(tamis_add_u64(f, key)); /* known */
}

/* What a copy may still take is what the filter may. */
static void check_copies(const tamis_filter *f, uint64_t refused, tamis_status status)
{
    tamis_filter *clone = NULL, *loaded = NULL;
    CHECK_OK(tamis_clone(f, &clone));
    check_full(clone, refused, status);
    filter_bytes bytes = filter_bytes_of(f);
    CHECK_OK(tamis_load(bytes.bytes, bytes.size, NULL, &loaded));
    check_full(loaded, refused, status);
    filter_check_unchanged(loaded, &bytes, "a filter that is full");
    filter_bytes_free(&bytes);
    tamis_free(clone);
    tamis_free(loaded);
}

static void growth_ends_before_a_promise_breaks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        tamis_filter *f = NULL;
        check_about("%s", ROWS[i].why);
        CHECK_OK(tamis_create(&ROWS[i].spec, &f));
        const uint64_t refused = fill(f, ROWS[i].status);
        check_full(f, refused, ROWS[i].status);
        const tamis_facts facts = facts_of(f);
        const uint64_t cap = ROWS[i].spec.memory;
        CHECK(!cap || facts.bits / 8 <= cap, "%" PRIu64 " bits", facts.bits);
        CHECK(!cap || facts.bits / 8 > cap / 3, "only %" PRIu64 " bits", facts.bits);
        CHECK(facts.fpr_now <= 1.05 * ROWS[i].spec.fpr, "a rate of %g", facts.fpr_now);
        CHECK(facts.fpr_at_capacity <= 1.05 * ROWS[i].spec.fpr, "a rate of %g at capacity",
              facts.fpr_at_capacity);
        check_copies(f, refused, ROWS[i].status);
        tamis_free(f);
    }
}

/* ---- the rate ----------------------------------------------------------- */

enum { STRANGERS = 100000 };

static double rate_of(const tamis_filter *f, splitmix *random)
{
    static uint64_t absent[STRANGERS];
    splitmix_fill(random, absent, STRANGERS);
    const tamis_keys batch = tamis_keys_digests(absent, STRANGERS);
    return (double)tamis_may_contain_many(f, &batch, NULL) / STRANGERS;
}

static void add_digests(tamis_filter *f, splitmix *random, uint64_t count)
{
    uint64_t digests[1024];
    for (uint64_t done = 0; done < count; done += COUNT(digests)) {
        const size_t some = count - done < COUNT(digests) ? (size_t)(count - done) : COUNT(digests);
        splitmix_fill(random, digests, some);
        const tamis_keys batch = tamis_keys_digests(digests, some);
        CHECK_OK(tamis_add_many(f, &batch, NULL));
    }
}

/* Measured, and as the filter itself tells it. */
static void try_doublings(const tamis_spec *spec, uint64_t most_keys)
{
    splitmix keys = {SEED}, strangers = {SEED + 1};
    const double sigma = sqrt(spec->fpr / STRANGERS), most = 1.05 * spec->fpr;
    tamis_filter *f = NULL;
    CHECK_OK(tamis_create(spec, &f));
    for (uint64_t held = 0, goal = 1024; goal <= most_keys; held = goal, goal *= 2) {
        add_digests(f, &keys, goal - held);
        const double rate = rate_of(f, &strangers), told = facts_of(f).fpr_now;
        CHECK(rate <= most + 3 * sigma, "a rate of %g at %" PRIu64 " keys", rate, goal);
        CHECK(told <= most, "%g is told at %" PRIu64 " keys", told, goal);
    }
    tamis_free(f);
}

static void the_rate_stays_below_the_promise(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        double fpr, expansion, tightening;
        uint64_t keys;
    } rows[] = {
        {"steps as they are chosen", 0.01, 0, 0, 1 << 20},
        {"doubling from 1,000 keys", 0.01, 2, 0, 1 << 18},
        {"small steps, hardly tightened", 0.05, 1.5, 0.95, 1 << 15},
        {"large steps, tightened hard", 0.02, 8, 0.25, 1 << 17},
        {"a low rate", 0.0005, 2, 0, 1 << 16},
    };
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++)
        for (size_t r = 0; r < COUNT(rows); r++) {
            const tamis_spec spec = {.kind = TAMIS_KIND_SCALABLE,
                                     .inner = kinds[k],
                                     .capacity = 1000,
                                     .fpr = rows[r].fpr,
                                     .expansion = rows[r].expansion,
                                     .tightening = rows[r].tightening};
            tamis_sizing sizing;
            check_about("%s, %s", tamis_kind_name(kinds[k]), rows[r].why);
            if (tamis_plan(&spec, &sizing) == TAMIS_OK) try_doublings(&spec, rows[r].keys);
        }
}

/* What the first layer would break is refused by the plan. */
static void first_layer_is_planned(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        tamis_spec spec;
        tamis_status status;
    } rows[] = {
        {"a cap below the first layer",
         {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .memory = 4096},
         TAMIS_E_LIMIT},
        {"32 bits: collisions and layer together",
         {.growth = TAMIS_GROWTH_SCALE,
          .fpr = 0.01,
          .capacity = 40000000,
          .hash = TAMIS_HASH_MURMUR3_32},
         TAMIS_E_UNREACHABLE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tamis_sizing sizing;
        check_about("%s", rows[i].why);
        CHECK_STATUS(tamis_plan(&rows[i].spec, &sizing), rows[i].status);
    }
}

/* What was asked of the counters holds for every layer, also after a file. */
static void layers_repeat_the_first(void **state)
{
    (void)state;
    const tamis_spec spec = {.kind = TAMIS_KIND_SCALABLE,
                             .inner = TAMIS_KIND_COUNTING,
                             .capacity = 100,
                             .fpr = 0.01,
                             .expansion = 2,
                             .counter_bits = 8};
    tamis_filter *f = NULL, *loaded = NULL;
    check_about("layers of counters of 8 bits");
    CHECK_OK(tamis_create(&spec, &f));
    splitmix random = {SEED};
    add_digests(f, &random, 250);
    filter_bytes bytes = filter_bytes_of(f);
    CHECK_OK(tamis_load(bytes.bytes, bytes.size, NULL, &loaded));
    add_digests(loaded, &random, 1000);
    CHECK(facts_of(loaded).layers >= 4, "%u layers", facts_of(loaded).layers);
    for (unsigned i = 0; i < 100; i++) CHECK_OK(tamis_add_u64(loaded, 7));
    CHECK(tamis_estimate_count_u64(loaded, 7) >= 100, "counted to %" PRIu64,
          tamis_estimate_count_u64(loaded, 7));
    filter_bytes_free(&bytes);
    tamis_free(f);
    tamis_free(loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rate_stays_below_the_promise),
        cmocka_unit_test(growth_ends_before_a_promise_breaks),
        cmocka_unit_test(first_layer_is_planned),
        cmocka_unit_test(layers_repeat_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
