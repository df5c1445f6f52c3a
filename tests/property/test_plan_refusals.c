/* test_plan_refusals.c - what the planner refuses, with which status, and that
 * it always says why; and the choice among kinds.                           */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/faulty_heap.h"
#include "support/spec_rows.h"

/* ---- refusals ------------------------------------------------------------ */

/* plan, create and create_in_size must agree, and nothing may be built. */
static void try_refused(tamis_spec spec, tamis_status status)
{
    tamis_sizing sizing;
    tamis_filter *f = (tamis_filter *)&sizing;
    uint64_t size = 4711;
    faulty_heap heap;
    faulty_heap_init(&heap);
    spec.alloc = &heap.alloc;
    CHECK_STATUS(tamis_plan(&spec, &sizing), status);
    CHECK(sizing.status == status, "the row says %d", (int)sizing.status);
    CHECK(strlen(sizing.note) > 10, "the row has no note");
    CHECK_STATUS(tamis_create(&spec, &f), status);
    CHECK(f == NULL, "a product of a failure");
    CHECK(tamis_create_in_size(&spec, &size) != TAMIS_OK, "create_in_size plans it");
    CHECK(size == 4711, "the size was written");
    CHECK(heap.blocks == 0, "%zu blocks stay allocated", heap.blocks);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        tamis_spec spec;
        tamis_status status;
    } rows[] = {
        {"nothing given", {.kind = 0}, TAMIS_E_SPEC},
        {"keys alone", {.capacity = 10}, TAMIS_E_SPEC},
        {"a rate alone", {.fpr = 0.01}, TAMIS_E_SPEC},
        {"memory alone", {.memory = 4096}, TAMIS_E_SPEC},
        {"rate 1", {.capacity = 10, .fpr = 1}, TAMIS_E_SPEC},
        {"rate above 1", {.capacity = 10, .fpr = 1.5}, TAMIS_E_SPEC},
        {"negative rate", {.capacity = 10, .fpr = -0.01}, TAMIS_E_SPEC},
        {"NaN", {.capacity = 10, .fpr = NAN}, TAMIS_E_SPEC},
        {"infinite", {.capacity = 10, .fpr = INFINITY}, TAMIS_E_SPEC},
        {"minus infinite", {.capacity = 10, .fpr = -INFINITY}, TAMIS_E_SPEC},
        {"a kind that is none", {.kind = 63, .capacity = 10, .fpr = 0.01}, TAMIS_E_SPEC},
        {"an unknown flag", {.flags = 1u << 9, .capacity = 10, .fpr = 0.01}, TAMIS_E_SPEC},
        {"an unknown growth", {.growth = 2, .capacity = 10, .fpr = 0.01}, TAMIS_E_SPEC},
        {"a reserved field", {.reserved = {1}, .capacity = 10, .fpr = 0.01}, TAMIS_E_SPEC},
        {"another one", {.reserved = {0, 0, 0, 9}, .capacity = 10, .fpr = 0.01}, TAMIS_E_SPEC},
        {"three lines a key",
         {.kind = TAMIS_KIND_BLOCKED, .lines_per_key = 3, .capacity = 10, .fpr = 0.01},
         TAMIS_E_SPEC},
        {"nine bits a line",
         {.kind = TAMIS_KIND_BLOCKED, .hashes = 9, .capacity = 10, .fpr = 0.01},
         TAMIS_E_SPEC},
        {"65 hashes",
         {.kind = TAMIS_KIND_CLASSIC, .hashes = 65, .capacity = 10, .fpr = 0.01},
         TAMIS_E_SPEC},
        {"lines a key of a classic filter",
         {.kind = TAMIS_KIND_CLASSIC, .lines_per_key = 2, .capacity = 10, .fpr = 0.01},
         TAMIS_E_SPEC},
        {"lines a key of classic layers",
         {.kind = TAMIS_KIND_CLASSIC,
          .lines_per_key = 1,
          .growth = TAMIS_GROWTH_SCALE,
          .fpr = 0.01},
         TAMIS_E_SPEC},
        {"expansion of a fixed size", {.expansion = 2, .capacity = 10, .fpr = 0.01}, TAMIS_E_SPEC},
        {"tightening of a fixed size",
         {.tightening = 0.5, .capacity = 10, .fpr = 0.01},
         TAMIS_E_SPEC},
        {"an absurd fold", {.fold = UINT64_MAX, .capacity = 10, .fpr = 0.01}, TAMIS_E_SPEC},
        {"an absurd fold of two lines",
         {.kind = TAMIS_KIND_BLOCKED,
          .lines_per_key = 2,
          .fold = UINT64_C(1) << 63,
          .capacity = 10,
          .fpr = 0.01},
         TAMIS_E_SPEC},
        {"an absurd capacity", {.capacity = UINT64_MAX, .fpr = 0.01}, TAMIS_E_LIMIT},
        {"2^60 keys", {.capacity = UINT64_C(1) << 60, .fpr = 0.5}, TAMIS_E_LIMIT},
        {"memory for nothing", {.memory = 1, .fpr = 0.01}, TAMIS_E_LIMIT},
        {"63 bytes", {.memory = 63, .capacity = 1}, TAMIS_E_LIMIT},
        {"a cap", {.capacity = 1000000, .fpr = 0.01, .memory = 1000}, TAMIS_E_LIMIT},
        {"too low for any 64-bit digest",
         {.capacity = 1000000000, .fpr = 1e-9},
         TAMIS_E_UNREACHABLE},
        {"the lowest double", {.capacity = 10, .fpr = DBL_MIN}, TAMIS_E_UNREACHABLE},
        {"a denormal", {.capacity = 10, .fpr = 4.9e-324}, TAMIS_E_UNREACHABLE},
        {"32 bits for 10^8 keys",
         {.hash = TAMIS_HASH_MURMUR3_32, .capacity = 100000000, .fpr = 0.01},
         TAMIS_E_UNREACHABLE},
        {"scaling without a rate", {.growth = TAMIS_GROWTH_SCALE, .capacity = 10}, TAMIS_E_SPEC},
        {"scaling down",
         {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .expansion = 0.5},
         TAMIS_E_SPEC},
        {"scaling by NaN",
         {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .expansion = NAN},
         TAMIS_E_SPEC},
        {"scaling by minus 2",
         {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .expansion = -2},
         TAMIS_E_SPEC},
        {"scaling without end",
         {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .expansion = INFINITY},
         TAMIS_E_SPEC},
        {"loosening", {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .tightening = 1.5}, TAMIS_E_SPEC},
        {"tightening by 1",
         {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .tightening = 1},
         TAMIS_E_SPEC},
        {"tightening by NaN",
         {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .tightening = NAN},
         TAMIS_E_SPEC},
        {"scaling, two by two hashes",
         {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .hashes = 4},
         TAMIS_E_SPEC},
        {"scaling, folding", {.growth = TAMIS_GROWTH_SCALE, .fpr = 0.01, .fold = 4}, TAMIS_E_SPEC},
        {"scaling and merging",
         {.needs = TAMIS_CAN_GROW | TAMIS_CAN_MERGE, .fpr = 0.01},
         TAMIS_E_UNSUPPORTED},
        {"an ability nobody has",
         {.needs = 1u << 30, .capacity = 10, .fpr = 0.01},
         TAMIS_E_UNSUPPORTED},
        {"counters where there are none",
         {.kind = TAMIS_KIND_BLOCKED, .capacity = 10, .fpr = 0.01, .counter_bits = 8},
         TAMIS_E_SPEC},
        {"scaling, counters where there are none",
         {.kind = TAMIS_KIND_SCALABLE, .fpr = 0.01, .counter_bits = 8},
         TAMIS_E_SPEC},
        {"shards that grow, under 32 bits",
         {.kind = TAMIS_KIND_SHARDED,
          .growth = TAMIS_GROWTH_SCALE,
          .capacity = 1000,
          .fpr = 0.01,
          .hash = TAMIS_HASH_MURMUR3_32},
         TAMIS_E_SPEC},
        {"a hash that is none", {.hash = 99, .capacity = 10, .fpr = 0.01}, TAMIS_E_SPEC},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        check_about("%s", rows[i].why);
        try_refused(rows[i].spec, rows[i].status);
    }
}

/* Secrets: one for a hash that takes none, none for the one that needs it. */
static void refused_secrets(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint32_t hash;
        bool secret;
        tamis_status status;
    } rows[] = {
        {"siphash without a secret", TAMIS_HASH_SIPHASH, false, TAMIS_E_SECRET},
        {"xxh3 with a secret", TAMIS_HASH_XXH3, true, TAMIS_E_SPEC},
        {"murmur3-32 with a secret", TAMIS_HASH_MURMUR3_32, true, TAMIS_E_SPEC},
    };
    if (!tamis_hash_available(TAMIS_HASH_SIPHASH)) skip();
    for (size_t i = 0; i < COUNT(rows); i++) {
        const tamis_spec spec = {.hash = rows[i].hash,
                                 .capacity = 10,
                                 .fpr = 0.01,
                                 .secret = rows[i].secret ? SPEC_SECRET : NULL};
        tamis_filter *f = NULL;
        check_about("%s", rows[i].why);
        CHECK_STATUS(tamis_create(&spec, &f), rows[i].status);
        CHECK(f == NULL, "a product of a failure");
    }
}

/* Either side of each limit. */
static void limits_are_where_they_are_said_to_be(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        const double n = 1e9, floor = 20 * n / 0x1p64;
        tamis_spec spec = {.kind = kinds[k], .capacity = (uint64_t)n, .fpr = floor * 1.01};
        tamis_sizing s;
        check_about("%s, 20 n / 2^64", tamis_kind_name(kinds[k]));
        CHECK_OK(tamis_plan(&spec, &s));
        CHECK(fabs(s.fpr_floor / floor - 1) < 1e-9, "a floor of %g", s.fpr_floor);
        spec.fpr = floor * 0.99;
        CHECK_STATUS(tamis_plan(&spec, &s), TAMIS_E_UNREACHABLE);
        check_about("%s, 32 bits", tamis_kind_name(kinds[k]));
        spec = (tamis_spec){
            .kind = kinds[k], .capacity = 100000000, .fpr = 0.03, .hash = TAMIS_HASH_MURMUR3_32};
        CHECK_OK(tamis_plan(&spec, &s)); /* collisions are 2.3 % of it */
        CHECK(s.fpr_floor > 0.0229 && s.fpr_floor < 0.0234, "a floor of %g", s.fpr_floor);
        CHECK(s.fpr >= s.fpr_floor && s.fpr <= 1.05 * 0.03, "a rate of %g", s.fpr);
        spec.fpr = 0.023;
        CHECK_STATUS(tamis_plan(&spec, &s), TAMIS_E_UNREACHABLE);
        if (tamis_kind_abilities(kinds[k]) & TAMIS_CAN_GROW) continue;
        spec = (tamis_spec){.kind = kinds[k],
                            .memory = UINT64_C(1) << 32,
                            .fpr = 0.001,
                            .hash = TAMIS_HASH_MURMUR3_32};
        CHECK_OK(tamis_plan(&spec, &s)); /* as many keys as the hash can tell apart */
        CHECK(s.capacity < 4500000 && s.fpr <= 1.05 * 0.001, "%" PRIu64 " keys at %g", s.capacity,
              s.fpr);
    }
}

/* The sentence names the numbers it is about. */
static void sentences_name_their_numbers(void **state)
{
    (void)state;
    const tamis_spec cap = {.capacity = 123457, .fpr = 0.01, .memory = 4096};
    tamis_sizing s;
    check_about("a cap of 4096 bytes");
    CHECK_STATUS(tamis_plan(&cap, &s), TAMIS_E_LIMIT);
    CHECK(strstr(tamis_explain(), "4096") && strstr(tamis_explain(), "123457"), "%s",
          tamis_explain());
    const tamis_spec rate = {.capacity = 10, .fpr = 7.25};
    CHECK_STATUS(tamis_plan(&rate, &s), TAMIS_E_SPEC);
    CHECK(strstr(tamis_explain(), "7.25") != NULL, "%s", tamis_explain());
    tamis_spec two = {
        .kind = TAMIS_KIND_BLOCKED, .capacity = 1000, .fpr = 0.01, .lines_per_key = 2};
    CHECK_OK(tamis_plan(&two, &s));
    CHECK(strstr(s.note, "as asked"), "two lines at 1 %%: %s", s.note);
    two.fpr = 1e-6;
    CHECK_OK(tamis_plan(&two, &s));
    CHECK(strstr(s.note, "below a rate of 2e-4"), "two lines at 1e-6: %s", s.note);
    const tamis_spec good = {.capacity = 10, .fpr = 0.1};
    CHECK_OK(tamis_plan(&good, &s)); /* a success does not clear the sentence */
    CHECK(strstr(tamis_explain(), "7.25") != NULL, "%s", tamis_explain());
    for (int status = -1; status < 100; status++)
        CHECK(tamis_strerror((tamis_status)status) && *tamis_strerror((tamis_status)status),
              "status %d has no words", status);
}

/* ---- choosing ------------------------------------------------------------ */

static void kind_is_chosen(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        tamis_spec spec;
        uint32_t kind;
    } rows[] = {
        {"1 %", {.capacity = 1000, .fpr = 0.01}, TAMIS_KIND_BLOCKED},
        {"2.1e-4", {.capacity = 1000, .fpr = 2.1e-4}, TAMIS_KIND_BLOCKED},
        {"1.9e-4", {.capacity = 1000, .fpr = 1.9e-4}, TAMIS_KIND_CLASSIC},
        {"10 bits a key", {.capacity = 100000, .memory = 125000}, TAMIS_KIND_BLOCKED},
        {"30 bits a key", {.capacity = 100000, .memory = 375000}, TAMIS_KIND_CLASSIC},
        {"growth by name", {.kind = TAMIS_KIND_SCALABLE, .fpr = 0.01}, TAMIS_KIND_SCALABLE},
        {"growth by flag", {.fpr = 0.01, .growth = TAMIS_GROWTH_SCALE}, TAMIS_KIND_SCALABLE},
        {"growth by need", {.fpr = 0.01, .needs = TAMIS_CAN_GROW}, TAMIS_KIND_SCALABLE},
        {"exactness", {.needs = TAMIS_IS_EXACT}, TAMIS_KIND_BITMAP},
        {"merging", {.capacity = 10, .fpr = 0.01, .needs = TAMIS_CAN_MERGE}, TAMIS_KIND_BLOCKED},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tamis_sizing s;
        check_about("%s", rows[i].why);
        if (tamis_plan(&rows[i].spec, &s) == TAMIS_E_UNAVAILABLE) continue; /* not in this build */
        CHECK_OK(s.status);
        CHECK(s.kind == rows[i].kind, "kind %u", s.kind);
        tamis_filter *f = NULL;
        CHECK_OK(tamis_create(&rows[i].spec, &f));
        tamis_facts facts;
        CHECK_OK(tamis_info(f, &facts));
        CHECK(facts.kind == rows[i].kind, "kind %u is built", facts.kind);
        tamis_free(f);
    }
}

static void all_kinds_side_by_side(void **state)
{
    (void)state;
    static const tamis_spec specs[] = {
        {.capacity = 1000000, .fpr = 0.01},
        {.capacity = 1000000, .fpr = 1e-6},
        {.capacity = 1000000, .memory = 2000000},
        {.fpr = 0.01, .memory = 2000000},
        {.fpr = 0.01, .growth = TAMIS_GROWTH_SCALE},
        {.capacity = 10, .fpr = 0.01, .kind = 63}, /* the kind is ignored */
        {.capacity = 10, .fpr = 2},                /* serves nobody */
        {.capacity = 10, .fpr = 0.01, .needs = TAMIS_CAN_FOLD},
        {.needs = TAMIS_IS_EXACT},
    };
    const size_t kinds = tamis_kind_list(NULL, 0);
    tamis_sizing rows[64];
    for (size_t i = 0; i < COUNT(specs); i++) {
        size_t recommended = 0;
        check_about("spec %zu", i);
        memset(rows, 0x33, sizeof rows);
        CHECK(tamis_plan_all(&specs[i], rows, COUNT(rows)) == kinds, "not every kind");
        for (size_t r = 0; r < kinds; r++) {
            tamis_spec one = specs[i];
            tamis_sizing alone;
            one.kind = rows[r].kind;
            tamis_status status = tamis_plan(&one, &alone);
            const bool exact = tamis_kind_abilities(one.kind) & TAMIS_IS_EXACT;
            if (status == TAMIS_OK && exact && !(one.needs & TAMIS_IS_EXACT))
                status = TAMIS_E_UNSUPPORTED; /* not weighed against others */
            CHECK(rows[r].status == status, "%s: status %d, alone %d",
                  tamis_kind_name(rows[r].kind), (int)rows[r].status, (int)status);
            CHECK(status != TAMIS_OK || rows[r].bits == alone.bits, "other bits than alone");
            CHECK(status == TAMIS_OK || strlen(rows[r].note) > 10, "a refusal without a note");
            CHECK(!rows[r].recommended || status == TAMIS_OK, "recommends what is refused");
            recommended += rows[r].recommended;
        }
        tamis_spec any = specs[i];
        tamis_sizing chosen;
        any.kind = TAMIS_KIND_ANY;
        CHECK(recommended == (tamis_plan(&any, &chosen) == TAMIS_OK), "%zu are recommended",
              recommended);
        tamis_sizing first[2];
        memset(first, 0x33, sizeof first);
        CHECK(tamis_plan_all(&specs[i], first, 1) == kinds, "room changes the number of rows");
        CHECK(first[1].kind == 0x33333333, "wrote past its room");
        CHECK(tamis_plan_all(&specs[i], NULL, 0) == kinds, "room changes the number of rows");
    }
}

static void names_and_numbers(void **state)
{
    (void)state;
    uint32_t kinds[64], one[2] = {0, 77};
    const size_t count = tamis_kind_list(kinds, COUNT(kinds));
    check_about("names of kinds");
    CHECK(count >= 3 && tamis_kind_list(one, 1) == count && one[1] == 77, "room");
    for (size_t k = 0; k < count; k++) {
        const char *name = tamis_kind_name(kinds[k]);
        CHECK(name && *name && tamis_kind_id(name) == kinds[k], "kind %u", kinds[k]);
        CHECK(tamis_kind_abilities(kinds[k]) & TAMIS_CAN_ADD, "%s cannot be added to", name);
    }
    CHECK(tamis_kind_name(0) == NULL && tamis_kind_name(63) == NULL, "a name for nothing");
    CHECK(tamis_kind_id("") == 0 && tamis_kind_id("Classic") == 0 && tamis_kind_id(NULL) == 0,
          "a number for nothing");
    CHECK(tamis_kind_abilities(0) == 0 && tamis_kind_abilities(63) == 0, "abilities of nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refusals),
        cmocka_unit_test(refused_secrets),
        cmocka_unit_test(limits_are_where_they_are_said_to_be),
        cmocka_unit_test(sentences_name_their_numbers),
        cmocka_unit_test(kind_is_chosen),
        cmocka_unit_test(all_kinds_side_by_side),
        cmocka_unit_test(names_and_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
