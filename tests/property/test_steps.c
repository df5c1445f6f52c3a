/* test_steps.c - filters without a capacity: how many layers, how much memory
 * and which rate they have on their way, and that they give memory back.    */
#include <math.h>

#include "support/check.h"
#include "support/doors.h"

static const uint64_t SEED = 161803;

enum { GROWN = 1600000, ASKED = 200000 };

static const uint32_t INNER[] = {TAMIS_KIND_BLOCKED, TAMIS_KIND_CLASSIC};

static tamis_facts facts_of(const tamis_filter *f)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    return facts;
}

static tamis_filter *grown(uint32_t inner, double fpr, const key_batch *keys)
{
    const tamis_spec spec = {
        .kind = TAMIS_KIND_SCALABLE, .inner = inner, .capacity = 1000, .fpr = fpr};
    tamis_filter *f = NULL;
    CHECK_OK(tamis_create(&spec, &f));
    add_door_number(7)->add(add_door_number(7), f, keys);
    return f;
}

/* ---- the steps that are chosen -------------------------------------------- */

static double right_sized(uint32_t inner, uint64_t keys, double fpr)
{
    const tamis_spec spec = {.kind = inner, .capacity = keys, .fpr = fpr};
    tamis_sizing sizing;
    CHECK_OK(tamis_plan(&spec, &sizing));
    return (double)sizing.bytes;
}

/* Keys of layer `index`, counted from 1000 asked for. */
static uint64_t layer_keys(uint32_t index)
{
    return index == 0 ? 1 << 15 : (UINT64_C(3) << 19) << (index - 1);
}

/* The memory of `layers` full layers against that of one filter. */
static double full_ratio(uint32_t inner, uint32_t layers, double fpr, double *memory)
{
    double rate = fpr * 0.25;
    uint64_t keys = 0;
    *memory = 0;
    for (uint32_t i = 0; i < layers; i++, rate *= 0.75) {
        const tamis_spec spec = {
            .kind = inner, .capacity = layer_keys(i), .fpr = rate, .flags = TAMIS_NEVER_EXCEED};
        tamis_sizing sizing;
        CHECK_OK(tamis_plan(&spec, &sizing));
        *memory += (double)sizing.bytes;
        keys += layer_keys(i);
    }
    return *memory / right_sized(inner, keys, fpr);
}

/* Planned, not built: 10^8 keys would take a while. */
static void memory_on_the_way(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(INNER); k++) {
        double from = 1e6, area = 0, memory, a_key = right_sized(INNER[k], 10000000, 0.01) / 1e7;
        uint64_t keys = layer_keys(0);
        check_about("%s at 1 %%, from 1000 keys", tamis_kind_name(INNER[k]));
        for (uint32_t layers = 2; from < 1e8; layers++) {
            const double ratio = full_ratio(INNER[k], layers, 0.01, &memory);
            keys += layer_keys(layers - 1);
            if (from < 1.2e7)
                CHECK(ratio <= 1.6, "%u full layers take %.3f times the memory", layers, ratio);
            const double to = fmin((double)keys, 1e8);
            area += memory / a_key * (1 / from - 1 / to);
            from = to;
        }
        CHECK(area / log(100) <= 2.5, "%.3f times the memory from 10^6 to 10^8", area / log(100));
    }
}

static void steps_that_are_chosen(void **state)
{
    (void)state;
    key_batch keys = key_batch_integers(SEED, GROWN);
    for (size_t k = 0; k < COUNT(INNER); k++) {
        check_about("%s, grown from 1000 to %d keys; seed %" PRIu64, tamis_kind_name(INNER[k]),
                    GROWN, SEED);
        tamis_filter *f = grown(INNER[k], 0.01, &keys);
        const tamis_facts facts = facts_of(f);
        CHECK(facts.layers == 2 && facts.inner_kind == INNER[k], "%u layers of kind %u",
              facts.layers, facts.inner_kind);
        for (uint32_t i = 0; i < facts.layers; i++) {
            const tamis_facts layer = facts_of(tamis_layer_view(f, i));
            CHECK(layer.capacity == layer_keys(i), "layer %u is for %" PRIu64 " keys", i,
                  layer.capacity);
        }
        CHECK(facts.fpr_now <= 0.01, "a rate of %g", facts.fpr_now);
        ask_check_quickly(f, &keys, "grown");
        tamis_free(f);
    }
    key_batch_free(&keys);
}

/* A filter that says so itself starts where it is told to. */
static void steps_that_are_asked_for(void **state)
{
    (void)state;
    const tamis_spec spec = {
        .growth = TAMIS_GROWTH_SCALE, .capacity = 100, .fpr = 0.01, .expansion = 3};
    tamis_filter *f = NULL;
    check_about("an expansion of 3 from 100 keys");
    CHECK_OK(tamis_create(&spec, &f));
    for (uint64_t i = 0; i < 1500; i++) CHECK_OK(tamis_add_u64(f, i));
    CHECK(facts_of(f).capacity == 100 + 300 + 900 + 2700, "%" PRIu64 " keys", facts_of(f).capacity);
    tamis_free(f);
}

/* ---- giving memory back ---------------------------------------------------- */

static void compact_keeps_keys_and_rate(void **state)
{
    (void)state;
    key_batch keys = key_batch_integers(SEED, ASKED);
    for (size_t k = 0; k < COUNT(INNER); k++) {
        uint64_t saved = 0;
        check_about("%s; compacted; seed %" PRIu64, tamis_kind_name(INNER[k]), SEED);
        tamis_filter *f = grown(INNER[k], 0.01, &keys);
        const tamis_facts before = facts_of(f);
        CHECK_OK(tamis_compact(f, &saved));
        const tamis_facts after = facts_of(f);
        CHECK(saved > 0 && before.memory - after.memory == saved, "%" PRIu64 " bytes saved", saved);
        CHECK(after.fpr_now <= 0.01, "a rate of %g", after.fpr_now);
        ask_check_quickly(f, &keys, "compacted");
        CHECK_OK(tamis_compact(f, &saved));
        CHECK(saved == 0, "%" PRIu64 " bytes saved the second time", saved);
        for (uint64_t i = 0; i < ASKED; i++) CHECK_OK(tamis_add_u64(f, i)); /* goes on growing */
        ask_check_quickly(f, &keys, "grown again");
        CHECK(facts_of(f).fpr_now <= 0.01, "a rate of %g", facts_of(f).fpr_now);
        tamis_free(f);
    }
    key_batch_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_on_the_way),
        cmocka_unit_test(steps_that_are_chosen),
        cmocka_unit_test(steps_that_are_asked_for),
        cmocka_unit_test(compact_keeps_keys_and_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
