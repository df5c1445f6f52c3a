/* test_twin.c - filters that remember what was removed: a removed key stays
 * removed, in every union, on every journey, and damage can only bring one
 * back. "Never a false negative" holds for what was added and not removed, but
 * for the chance that tamis_info tells.                                     */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 577215;

enum { KEYS = 20000, REMOVED = 5000 };

static const uint32_t INNER[] = {TAMIS_KIND_BLOCKED, TAMIS_KIND_CLASSIC};

static tamis_filter *made(uint32_t inner, uint64_t keys, uint32_t flags)
{
    const tamis_spec spec = {
        .kind = TAMIS_KIND_TWIN, .inner = inner, .capacity = keys, .fpr = 0.01, .flags = flags};
    tamis_filter *f = NULL;
    check_about("twin of %s; seed %" PRIu64, tamis_kind_name(inner), SEED);
    CHECK_OK(tamis_create(&spec, &f));
    return f;
}

static tamis_facts facts_of(const tamis_filter *f)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    return facts;
}

/* Keys 0 .. KEYS, of which the first REMOVED are removed again. */
static tamis_filter *filled(uint32_t inner)
{
    tamis_filter *f = made(inner, KEYS, 0);
    for (uint64_t i = 0; i < KEYS; i++) CHECK_OK(tamis_add_u64(f, i));
    for (uint64_t i = 0; i < REMOVED; i++) {
        const tamis_status status = tamis_remove_u64(f, i);
        CHECK(status == TAMIS_OK || status == TAMIS_E_ABSENT, "status %d", (int)status);
    }
    return f;
}

static size_t missing(const tamis_filter *f, uint64_t from, uint64_t to)
{
    size_t count = 0;
    for (uint64_t i = from; i < to; i++) count += !tamis_may_contain_u64(f, i);
    return count;
}

static void removed_keys_stay_removed(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(INNER); k++) {
        tamis_filter *f = filled(INNER[k]);
        CHECK(missing(f, 0, REMOVED) == REMOVED, "a removed key is back");
        bool was_new = true;
        CHECK_STATUS(tamis_add_new_u64(f, 7, &was_new), TAMIS_E_REMOVED);
        CHECK(was_new, "a refused add wrote its answer");
        CHECK(strstr(tamis_explain(), "removed") != NULL, "%s", tamis_explain());
        CHECK_STATUS(tamis_remove_u64(f, 7), TAMIS_E_ABSENT);
        CHECK_STATUS(tamis_remove_u64(f, UINT64_C(1) << 60), TAMIS_E_ABSENT);
        CHECK(!tamis_may_contain_u64(f, 7), "adding brought it back");
        CHECK_OK(tamis_clear(f));
        CHECK_OK(tamis_add_u64(f, 7)); /* rebuilt */
        CHECK(tamis_may_contain_u64(f, 7) && facts_of(f).added == 1, "cleared");
        tamis_free(f);
    }
}

/* Batches stop at the first key that was removed, as single calls would. */
static void batches_stop_at_removed_keys(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(INNER); k++) {
        tamis_filter *f = made(INNER[k], 1000, 0);
        uint64_t ids[400];
        for (uint64_t i = 0; i < COUNT(ids); i++) ids[i] = i;
        CHECK_OK(tamis_add_u64(f, 300));
        CHECK_OK(tamis_remove_u64(f, 300));
        const tamis_keys keys = tamis_keys_u64(ids, COUNT(ids));
        size_t added = 0;
        CHECK_STATUS(tamis_add_many(f, &keys, &added), TAMIS_E_REMOVED);
        CHECK(added <= 300 && missing(f, 0, added) == 0, "%zu added", added);
        CHECK(facts_of(f).added == added, "%" PRIu64 " counted", facts_of(f).added);
        tamis_free(f);
    }
}

/* What the removed side takes away is what tamis_info says. */
static void lost_keys_are_told(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(INNER); k++) {
        tamis_filter *f = made(INNER[k], KEYS, 0);
        for (uint64_t i = 0; i < 2 * KEYS; i++) CHECK_OK(tamis_add_u64(f, i));
        CHECK(facts_of(f).fnr_now == 0 && missing(f, 0, 2 * KEYS) == 0, "lost before a removal");
        for (uint64_t i = 0; i < KEYS; i++) (void)tamis_remove_u64(f, i);
        const double seen = (double)missing(f, KEYS, 2 * KEYS) / KEYS, told = facts_of(f).fnr_now;
        CHECK(told > 0.005 && told < 0.015, "a removed side at capacity: %g", told);
        CHECK(seen < 1.05 * told + 0.003 && seen > 0.95 * told - 0.003, "%g lost, %g told", seen,
              told);
        const double keys = facts_of(f).keys;
        CHECK(keys > 0.97 * KEYS && keys < 1.03 * KEYS, "about %.0f of %d keys", keys, KEYS);
        tamis_finding findings[16];
        const size_t count = tamis_diagnose(f, findings, COUNT(findings));
        bool found = false;
        for (size_t i = 0; i < count; i++) found |= findings[i].code == TAMIS_FINDING_LOST_KEYS;
        CHECK(found, "nothing is said about lost keys");
        tamis_free(f);
    }
}

/* In a union a removal on either side wins. */
static void removals_win(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(INNER); k++)
        for (int swapped = 0; swapped < 2; swapped++) {
            tamis_filter *a = made(INNER[k], 1000, 0), *b = made(INNER[k], 1000, 0);
            for (uint64_t i = 0; i < 100; i++) CHECK_OK(tamis_add_u64(a, i));
            for (uint64_t i = 50; i < 150; i++) CHECK_OK(tamis_add_u64(b, i));
            for (uint64_t i = 60; i < 70; i++) CHECK_OK(tamis_remove_u64(b, i));
            tamis_union result;
            CHECK_OK(tamis_merge(swapped ? b : a, swapped ? a : b, &result));
            const tamis_filter *both = swapped ? b : a;
            CHECK(missing(both, 0, 60) == 0 && missing(both, 70, 150) == 0, "a key is lost");
            CHECK(missing(both, 60, 70) == 10, "a removal is lost");
            CHECK(result.keys > 130 && result.keys < 150, "about %g keys", result.keys);
            tamis_free(a);
            tamis_free(b);
        }
}

static void removals_travel(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(INNER); k++) {
        tamis_filter *f = filled(INNER[k]);
        for (size_t j = 0; journey_number(j); j++) {
            const journey *way = journey_number(j);
            luggage bags = {0};
            check_about("twin of %s; %s", tamis_kind_name(INNER[k]), way->why);
            tamis_filter *arrived = way->go(way, f, &bags);
            CHECK(missing(arrived, 0, REMOVED) == REMOVED, "a removed key is back");
            CHECK(missing(arrived, REMOVED, KEYS) == missing(f, REMOVED, KEYS), "other answers");
            CHECK(facts_of(arrived).fnr_now == facts_of(f).fnr_now, "another chance of loss");
            journey_end(arrived, &bags);
        }
        tamis_free(f);
    }
}

/* Damage of the removed side reads as zeros, of the added side as ones: a
 * "maybe" can come of both, a "no" of neither. */
static void damage_brings_back(void **state)
{
    (void)state;
    static const uint32_t flags[] = {TAMIS_OPEN_SALVAGE, TAMIS_OPEN_LAZY};
    for (size_t k = 0; k < COUNT(INNER); k++)
        for (size_t w = 0; w < COUNT(flags); w++)
            for (int side = 0; side < 2; side++) {
                tamis_filter *f = made(INNER[k], 200000, 0), *g = NULL, *copy = NULL;
                for (uint64_t i = 0; i < 200000; i++) CHECK_OK(tamis_add_u64(f, i));
                for (uint64_t i = 0; i < 1000; i++) (void)tamis_remove_u64(f, i);
                filter_bytes b = filter_bytes_of(f);
                memset(b.body + (side ? b.body_size - 70000 : 100), side ? 0xff : 0, 60000);
                const tamis_open_options open = {.flags = flags[w]};
                check_about("twin of %s; side %d, flags %u", tamis_kind_name(INNER[k]), side,
                            flags[w]);
                CHECK_OK(w ? tamis_view(b.bytes, b.size, &open, &g)
                           : tamis_load(b.bytes, b.size, &open, &g));
                for (uint64_t i = 0; i < 20000; i++)
                    CHECK(tamis_may_contain_u64(g, i) >= tamis_may_contain_u64(f, i),
                          "key %" PRIu64 " is lost", i);
                CHECK_OK(tamis_clone(g, &copy));
                for (uint64_t i = 0; i < 20000; i++)
                    CHECK(tamis_may_contain_u64(copy, i) >= tamis_may_contain_u64(f, i),
                          "key %" PRIu64 " is lost by cloning", i);
                CHECK(facts_of(copy).damaged_bytes >= 60000, "the damage is not told");
                filter_bytes_free(&b);
                tamis_free(copy);
                tamis_free(g);
                tamis_free(f);
            }
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        tamis_spec spec;
    } rows[] = {
        {"a twin of twins", {.inner = TAMIS_KIND_TWIN, .capacity = 10, .fpr = 0.01}},
        {"a twin that scales", {.growth = TAMIS_GROWTH_SCALE, .capacity = 10, .fpr = 0.01}},
        {"a twin of scaling filters", {.inner = TAMIS_KIND_SCALABLE, .capacity = 10, .fpr = 0.01}},
        {"three sides", {.parts = 3, .capacity = 10, .fpr = 0.01}},
        {"an expansion", {.expansion = 2, .capacity = 10, .fpr = 0.01}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tamis_spec spec = rows[i].spec;
        tamis_filter *f = NULL;
        spec.kind = TAMIS_KIND_TWIN;
        check_about("%s", rows[i].why);
        CHECK_STATUS(tamis_create(&spec, &f), TAMIS_E_SPEC);
        CHECK(f == NULL, "a product of a failure");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(removed_keys_stay_removed), cmocka_unit_test(batches_stop_at_removed_keys),
        cmocka_unit_test(lost_keys_are_told),        cmocka_unit_test(removals_win),
        cmocka_unit_test(removals_travel),           cmocka_unit_test(damage_brings_back),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
