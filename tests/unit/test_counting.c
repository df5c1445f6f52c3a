/* test_counting.c - the counters themselves: sticky at their most, keys whose
 * places coincide, the same bytes from every table, and the classic filter that
 * spread counters become.                                                   */
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "kernel/counting_kernel.h"
#include "kinds/lined.h"
#include "support/check.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static const uint64_t SEED = 16021;

static tamis_filter *make(tamis_spec spec)
{
    tamis_filter *f = NULL;
    spec.kind = TAMIS_KIND_COUNTING;
    CHECK_OK(tamis_create(&spec, &f));
    return f;
}

static bool has_finding(const tamis_filter *f, tamis_finding_code code)
{
    tamis_finding findings[16];
    const size_t count = tamis_diagnose(f, findings, COUNT(findings));
    bool found = false;
    for (size_t i = 0; i < count && i < COUNT(findings); i++) found |= findings[i].code == code;
    return found;
}

/* ---- sticky ---------------------------------------------------------------- */

static void counters_stick_at_their_most(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint32_t bits, lines;
        uint64_t most;
    } rows[] = {
        {"4 bits, spread", 4, 0, 15},    {"4 bits, one line", 4, 1, 15},
        {"4 bits, two lines", 4, 2, 15}, {"8 bits, spread", 8, 0, 255},
        {"8 bits, one line", 8, 1, 255},
    };
    for (size_t r = 0; r < COUNT(rows); r++)
        for (uint32_t flags = 0; flags <= TAMIS_CONCURRENT; flags += TAMIS_CONCURRENT) {
            tamis_filter *f = make((tamis_spec){.capacity = 1000,
                                                .fpr = 0.001,
                                                .counter_bits = rows[r].bits,
                                                .lines_per_key = rows[r].lines,
                                                .flags = flags});
            check_about("%s, flags %u", rows[r].why, flags);
            for (uint64_t i = 1; i < rows[r].most; i++) CHECK_OK(tamis_add_u64(f, 7));
            CHECK(tamis_estimate_count_u64(f, 7) == rows[r].most - 1, "one below");
            CHECK(!has_finding(f, TAMIS_FINDING_STICKY), "nothing sticks yet");
            CHECK_OK(tamis_remove_u64(f, 7)); /* still moves */
            for (uint64_t i = 0; i < 20; i++) CHECK_OK(tamis_add_u64(f, 7));
            CHECK(tamis_estimate_count_u64(f, 7) == rows[r].most, "the most");
            CHECK(has_finding(f, TAMIS_FINDING_STICKY), "a counter sticks");
            for (uint64_t i = 0; i < 2 * rows[r].most; i++) CHECK_OK(tamis_remove_u64(f, 7));
            CHECK(tamis_estimate_count_u64(f, 7) == rows[r].most, "it has moved");
            CHECK(tamis_may_contain_u64(f, 7), "it is lost");
            tamis_free(f);
        }
}

/* ---- places that coincide ---------------------------------------------------- */

/* In four counters every key of eight hashes has places that coincide. */
static void coinciding_places_go_up_and_down_alike(void **state)
{
    (void)state;
    for (uint64_t key = 0; key < 2000; key++) {
        tamis_filter *f = make((tamis_spec){.capacity = 1, .memory = 64, .hashes = 8, .seed = key});
        check_about("seed %" PRIu64, key);
        CHECK_OK(tamis_fold(f, 32)); /* 128 counters become 4 */
        filter_bytes empty = filter_bytes_of(f);
        CHECK_OK(tamis_add_u64(f, key));
        CHECK(tamis_estimate_count_u64(f, key) >= 1, "counted");
        CHECK_OK(tamis_remove_u64(f, key));
        filter_check_unchanged(f, &empty, "added and removed");
        CHECK_OK(tamis_add_u64(f, key));
        for (uint64_t other = key + 1; other < key + 40; other++) {
            filter_bytes before = filter_bytes_of(f);
            const tamis_status status = tamis_remove_u64(f, other);
            if (status == TAMIS_E_ABSENT)
                filter_check_unchanged(f, &before, "refused");
            else
                CHECK_OK(tamis_add_u64(f, other)); /* fitted as a whole, and goes back as one */
            filter_check_unchanged(f, &before, "taken and put back");
            filter_bytes_free(&before);
        }
        filter_bytes_free(&empty);
        tamis_free(f);
    }
}

/* ---- tables ------------------------------------------------------------------ */

enum { LINES = 24 };

/* Adds, removes and counts the same with every table. */
static void try_tables(uint32_t bits, uint32_t hashes, uint32_t per_key)
{
    _Alignas(64) static uint8_t bodies[2][LINES * 64];
    memset(bodies, 0, sizeof bodies);
    for (unsigned t = 1; tms_lined_kernel_number(bits, t); t++) {
        const tms_lined_kernel *plain = tms_lined_kernel_number(bits, 0);
        const tms_lined_kernel *other = tms_lined_kernel_number(bits, t);
        const tamis_blocked_view v = tms_lined_view(bodies[0], LINES, hashes, per_key);
        const tamis_blocked_view w = tms_lined_view(bodies[1], LINES, hashes, per_key);
        splitmix random = {SEED};
        check_about("%s: %u bits, %u hashes, %u lines", other->places.name, bits, hashes, per_key);
        for (unsigned i = 0; i < 6000; i++) {
            const uint64_t digest = splitmix_next(&random) * (i % 3 ? 1 : UINT64_C(1) << 56);
            CHECK(plain->count(&v, digest) == other->count(&w, digest), "count");
            CHECK(plain->places.may_contain(&v, digest) == other->places.may_contain(&w, digest),
                  "answer");
            if (i % 5 < 3)
                CHECK(plain->places.add(&v, digest) == other->places.add(&w, digest), "new");
            else
                CHECK(plain->remove(&v, digest) == other->remove(&w, digest), "removed");
            CHECK(memcmp(bodies[0], bodies[1], sizeof bodies[0]) == 0, "the lines differ");
        }
    }
}

static void tables_agree(void **state)
{
    (void)state;
    for (uint32_t bits = 4; bits <= 8; bits += 4)
        for (uint32_t hashes = 1; hashes <= 8; hashes++)
            for (uint32_t per_key = 1; per_key <= 2; per_key++) try_tables(bits, hashes, per_key);
}

/* ---- conversion ---------------------------------------------------------------- */

static void spread_counters_become_a_classic_filter(void **state)
{
    (void)state;
    for (uint32_t bits = 4; bits <= 8; bits += 4) {
        tamis_filter *f =
            make((tamis_spec){.capacity = 5000, .fpr = 0.01, .counter_bits = bits, .seed = SEED});
        tamis_filter *classic = NULL, *built = NULL, *same = NULL;
        tamis_facts facts, own;
        check_about("counters of %u bits become a classic filter", bits);
        CHECK_OK(tamis_set_metadata(f, "note", 4));
        for (uint64_t k = 0; k < 6000; k++) CHECK_OK(tamis_add_u64(f, k));
        for (uint64_t k = 5000; k < 6000; k++) CHECK_OK(tamis_remove_u64(f, k));
        CHECK_OK(tamis_convert(f, TAMIS_KIND_CLASSIC, &classic));
        CHECK_OK(tamis_info(f, &own));
        CHECK_OK(tamis_info(classic, &facts));
        CHECK(facts.kind == TAMIS_KIND_CLASSIC && facts.bits * bits == own.bits, "bits");
        CHECK(facts.hashes == own.hashes && facts.added == 5000 && facts.keys == own.keys, "facts");
        const tamis_spec spec = {
            .kind = TAMIS_KIND_CLASSIC, .capacity = 5000, .fpr = 0.01, .seed = SEED};
        CHECK_OK(tamis_create(&spec, &built));
        CHECK_OK(tamis_set_metadata(built, "note", 4));
        for (uint64_t k = 0; k < 5000; k++) CHECK_OK(tamis_add_u64(built, k));
        filters_check_same(classic, built, "converted and built");
        for (uint64_t k = 0; k < 200000; k++)
            CHECK(tamis_may_contain_u64(f, k) == tamis_may_contain_u64(classic, k), "key %d",
                  (int)k);
        CHECK_OK(tamis_convert(f, TAMIS_KIND_COUNTING, &same));
        filters_check_same(f, same, "converted to what it is");
        tamis_free(f), tamis_free(classic), tamis_free(built), tamis_free(same);
    }
}

static void what_cannot_be_converted(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint32_t from, lines, to;
        tamis_status status;
    } rows[] = {
        {"bits do not become counters", TAMIS_KIND_CLASSIC, 0, TAMIS_KIND_COUNTING,
         TAMIS_E_UNSUPPORTED},
        {"lines of bits lie elsewhere", TAMIS_KIND_COUNTING, 0, TAMIS_KIND_BLOCKED,
         TAMIS_E_UNSUPPORTED},
        {"no bits lie like lined counters", TAMIS_KIND_COUNTING, 1, TAMIS_KIND_CLASSIC,
         TAMIS_E_UNSUPPORTED},
        {"nor in two lines", TAMIS_KIND_COUNTING, 2, TAMIS_KIND_BLOCKED, TAMIS_E_UNSUPPORTED},
        {"layers", TAMIS_KIND_SCALABLE, 0, TAMIS_KIND_CLASSIC, TAMIS_E_UNSUPPORTED},
        {"no such kind", TAMIS_KIND_COUNTING, 0, 63, TAMIS_E_SPEC},
    };
    for (size_t r = 0; r < COUNT(rows); r++) {
        const tamis_spec spec = {
            .kind = rows[r].from, .capacity = 100, .fpr = 0.01, .lines_per_key = rows[r].lines};
        tamis_filter *f = NULL, *out = NULL;
        CHECK_OK(tamis_create(&spec, &f));
        out = f; /* must be written */
        check_about("%s", rows[r].why);
        CHECK_STATUS(tamis_convert(f, rows[r].to, &out), rows[r].status);
        CHECK(out == NULL, "a product of a failure");
        tamis_free(f);
    }
}

/* ---- the planner ----------------------------------------------------------------- */

static void needs_choose_a_kind_that_can(void **state)
{
    (void)state;
    static const uint32_t needs[] = {TAMIS_CAN_REMOVE, TAMIS_CAN_COUNT,
                                     TAMIS_CAN_REMOVE | TAMIS_CAN_MERGE,
                                     TAMIS_CAN_REMOVE | TAMIS_CAN_COUNT | TAMIS_CAN_CONCURRENT};
    for (size_t i = 0; i < COUNT(needs); i++) {
        const tamis_spec spec = {.capacity = 100000, .fpr = 0.01, .needs = needs[i]};
        tamis_sizing chosen, rows[64];
        check_about("needs 0x%x", needs[i]);
        CHECK_OK(tamis_plan(&spec, &chosen));
        CHECK((tamis_kind_abilities(chosen.kind) & needs[i]) == needs[i], "%s cannot",
              tamis_kind_name(chosen.kind));
        const size_t count = tamis_plan_all(&spec, rows, COUNT(rows));
        for (size_t r = 0; r < count; r++) {
            tamis_spec row = spec;
            tamis_filter *f = NULL;
            if (rows[r].status != TAMIS_OK) continue;
            row.kind = rows[r].kind;
            CHECK_OK(tamis_create(&row, &f));
            CHECK((tamis_abilities(f) & needs[i]) == needs[i], "%s serves",
                  tamis_kind_name(row.kind));
            if (row.kind < TAMIS_KIND_SCALABLE) /* others are not chosen for their size */
                CHECK(rows[r].bytes >= chosen.bytes, "%s is smaller", tamis_kind_name(row.kind));
            tamis_free(f);
        }
    }
    const tamis_spec none = {
        .capacity = 10, .fpr = 0.01, .needs = TAMIS_CAN_REMOVE | TAMIS_CAN_FORGET};
    tamis_sizing s;
    CHECK_STATUS(tamis_plan(&none, &s), TAMIS_E_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_stick_at_their_most),
        cmocka_unit_test(coinciding_places_go_up_and_down_alike),
        cmocka_unit_test(tables_agree),
        cmocka_unit_test(spread_counters_become_a_classic_filter),
        cmocka_unit_test(what_cannot_be_converted),
        cmocka_unit_test(needs_choose_a_kind_that_can),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
