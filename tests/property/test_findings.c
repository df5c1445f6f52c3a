/* test_findings.c - the diagnosis: every finding can be provoked, says what and
 * what to do, and does not cry wolf over healthy filters.                   */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static const uint64_t SEED = 1729;

enum { FINDINGS = 16 };

typedef struct diagnosis {
    tamis_finding findings[FINDINGS];
    size_t count;
} diagnosis;

/* Diagnoses, and checks what holds for every diagnosis. */
static diagnosis diagnose(const tamis_filter *f)
{
    diagnosis d;
    memset(&d, 0, sizeof d);
    d.count = tamis_diagnose(f, d.findings, FINDINGS);
    CHECK(d.count >= 1 && d.count <= FINDINGS, "%zu findings", d.count);
    for (size_t i = 0; i < d.count; i++) {
        const tamis_finding *one = &d.findings[i];
        CHECK(strlen(one->sentence) > 10 && strlen(one->advice) > 10, "finding %zu is mute", i);
        CHECK(memchr(one->sentence, 0, sizeof one->sentence) != NULL, "unterminated");
        CHECK(memchr(one->advice, 0, sizeof one->advice) != NULL, "unterminated");
        CHECK(i == 0 || one->severity <= d.findings[i - 1].severity, "not the worst first");
        CHECK(one->code != TAMIS_FINDING_HEALTHY || d.count == 1, "healthy, but");
        CHECK(strstr(one->sentence, "nan") == NULL && strstr(one->advice, "nan") == NULL, "%s %s",
              one->sentence, one->advice);
    }
    CHECK(tamis_diagnose(f, NULL, 0) == d.count, "room changes the number of findings");
    tamis_finding first;
    CHECK(tamis_diagnose(f, &first, 1) == d.count, "room changes the number of findings");
    CHECK(first.code == d.findings[0].code, "room changes the first finding");
    return d;
}

static const tamis_finding *find(const diagnosis *d, tamis_finding_code code)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->findings[i].code == code) return &d->findings[i];
    return NULL;
}

static const tamis_finding *must_find(const diagnosis *d, tamis_finding_code code,
                                      tamis_severity severity)
{
    const tamis_finding *one = find(d, code);
    CHECK(one != NULL, "finding %d is missing; first is %d: %s", (int)code,
          (int)d->findings[0].code, d->findings[0].sentence);
    CHECK(one->severity == severity, "finding %d has severity %d", (int)code, (int)one->severity);
    return one;
}

static void add_digests(tamis_filter *f, uint64_t seed, uint64_t count)
{
    splitmix random = {seed};
    for (uint64_t i = 0; i < count; i++) CHECK_OK(tamis_add_hash(f, splitmix_next(&random)));
}

static bool forgets(uint32_t kind)
{
    return (tamis_kind_abilities(kind) & TAMIS_CAN_FORGET) != 0;
}

/* Rows of fixed size that take any number of keys and keep them. */
static bool next_loose(size_t *index, uint64_t keys, spec_row *row)
{
    while (spec_row_number((*index)++, keys, row))
        if (!row->grows && !row->bounded && !forgets(row->spec.kind) &&
            !(row->spec.flags & TAMIS_STRICT))
            return true;
    return false;
}

/* ---- each finding -------------------------------------------------------- */

static void never_filled(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 3000, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        diagnosis d = diagnose(f);
        must_find(&d, TAMIS_FINDING_NEVER_FILLED, TAMIS_WARNING);
        CHECK(d.count == 1, "%zu findings about an empty filter", d.count);
        CHECK_OK(tamis_add_u64(f, 1));
        d = diagnose(f);
        CHECK(!find(&d, TAMIS_FINDING_NEVER_FILLED), "one key is in");
        CHECK_OK(tamis_clear(f));
        d = diagnose(f);
        must_find(&d, TAMIS_FINDING_NEVER_FILLED, TAMIS_WARNING);
        tamis_free(f);
    }
}

static void over_capacity_and_saturated(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; next_loose(&i, 2000, &row);) {
        tamis_filter *f = spec_row_make(&row);
        tamis_facts facts;
        CHECK_OK(tamis_info(f, &facts));
        if (facts.capacity < 100) { /* too small to be sure of anything */
            tamis_free(f);
            continue;
        }
        add_digests(f, SEED, facts.capacity * 3 / 2);
        CHECK_OK(tamis_info(f, &facts));
        diagnosis d = diagnose(f);
        const tamis_finding *over = find(&d, TAMIS_FINDING_OVER_CAPACITY);
        CHECK(over != NULL, "half as many keys again as planned");
        CHECK(over->severity ==
                  (facts.fpr_now > 1.05 * facts.fpr_asked ? TAMIS_PROBLEM : TAMIS_WARNING),
              "severity %d at a rate of %g, asked %g", (int)over->severity, facts.fpr_now,
              facts.fpr_asked);
        CHECK(over->expected == (double)facts.capacity && fabs(over->value - facts.keys) < 0.5,
              "value %g, expected %g", over->value, over->expected);
        CHECK(!find(&d, TAMIS_FINDING_POOR_HASH) && !find(&d, TAMIS_FINDING_REPEATS) &&
                  !find(&d, TAMIS_FINDING_OVERSIZED),
              "and something else: %s", d.findings[1].sentence);
        add_digests(f, SEED + 1, facts.capacity * 60);
        d = diagnose(f);
        must_find(&d, TAMIS_FINDING_SATURATED, TAMIS_PROBLEM);
        CHECK(!find(&d, TAMIS_FINDING_REPEATS), "a full filter cannot tell repeats");
        tamis_free(f);
    }
}

static void oversized(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        const tamis_spec spec = {.kind = kinds[k], .capacity = 1000000, .fpr = 0.01};
        tamis_filter *f = NULL;
        check_about("%s, a thousand keys of a million", tamis_kind_name(kinds[k]));
        CHECK_OK(tamis_create(&spec, &f));
        add_digests(f, SEED, 1000);
        diagnosis d = diagnose(f);
        const tamis_finding *one = must_find(&d, TAMIS_FINDING_OVERSIZED, TAMIS_WARNING);
        CHECK(fabs(one->value - 1000) < 100 && one->expected == 1e6, "%g of %g", one->value,
              one->expected);
        const char *by = strstr(one->advice, "fold it by ");
        if (by) { /* the advice is good: folded, the rate is still within its plan */
            tamis_facts facts;
            CHECK_OK(tamis_fold(f, strtoull(by + 11, NULL, 10)));
            CHECK_OK(tamis_info(f, &facts));
            CHECK(facts.fpr_now <= 1.05 * 0.01, "folded as advised the rate is %g", facts.fpr_now);
            CHECK(facts.keys > 900 && facts.keys < 1100, "%g keys", facts.keys);
        }
        tamis_free(f);
    }
}

/* Digests that were never mixed. Blocked: consecutive numbers all fall on the
 * first line, or on the first few when spread a little. */
static void poor_hash_of_lines(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint64_t step;
    } rows[] = {{"consecutive", 1},
                {"32 bits wide", UINT64_C(0x9E3779B1)},
                {"a quarter of the lines", UINT64_C(1) << 50}};
    for (uint32_t per_key = 1; per_key <= 2; per_key++)
        for (size_t r = 0; r < COUNT(rows); r++) {
            const tamis_spec spec = {.kind = TAMIS_KIND_BLOCKED,
                                     .capacity = 4096,
                                     .fpr = 0.01,
                                     .lines_per_key = per_key};
            tamis_filter *f = NULL;
            check_about("blocked, %u lines, digests that are %s", per_key, rows[r].why);
            CHECK_OK(tamis_create(&spec, &f));
            for (uint64_t i = 0; i < 4096; i++) CHECK_OK(tamis_add_hash(f, i * rows[r].step));
            const diagnosis d = diagnose(f);
            must_find(&d, TAMIS_FINDING_POOR_HASH, TAMIS_PROBLEM);
            tamis_free(f);
        }
}

/* Nearly empty filters, too: a few unmixed digests are seen, a few mixed ones
 * are not suspected. */
static void poor_hash_of_few_keys(void **state)
{
    (void)state;
    static const uint64_t counts[] = {30, 100, 1000, 20000};
    for (uint32_t per_key = 1; per_key <= 2; per_key++)
        for (size_t c = 0; c < COUNT(counts); c++)
            for (uint64_t step = 0; step <= 1; step++) {
                const tamis_spec spec = {.kind = TAMIS_KIND_BLOCKED,
                                         .capacity = 2000000,
                                         .fpr = 0.01,
                                         .lines_per_key = per_key};
                tamis_filter *f = NULL;
                check_about("blocked, %u lines, %" PRIu64 " digests that are %s", per_key,
                            counts[c], step ? "consecutive" : "mixed");
                CHECK_OK(tamis_create(&spec, &f));
                splitmix random = {SEED};
                for (uint64_t i = 0; i < counts[c]; i++)
                    CHECK_OK(tamis_add_hash(f, step ? i : splitmix_next(&random)));
                const diagnosis d = diagnose(f);
                if (step)
                    must_find(&d, TAMIS_FINDING_POOR_HASH, TAMIS_PROBLEM);
                else
                    CHECK(!find(&d, TAMIS_FINDING_POOR_HASH), "suspects a fair hash");
                tamis_free(f);
            }
}

/* Classic filters scatter even consecutive digests; these were chosen so that
 * their first bit falls into the first quarter (docs/format.md, 9.1). */
static void poor_hash_of_bits(void **state)
{
    (void)state;
    const tamis_spec spec = {.kind = TAMIS_KIND_CLASSIC, .capacity = 50000, .fpr = 0.01};
    tamis_filter *f = NULL;
    splitmix random = {SEED};
    check_about("classic, first bits in the first quarter");
    CHECK_OK(tamis_create(&spec, &f));
    for (unsigned i = 0; i < 50000;) {
        const uint64_t h = splitmix_next(&random);
        const uint64_t value = (h ^ (h >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
        if (value >> 62 != 0) continue;
        CHECK_OK(tamis_add_hash(f, h));
        i++;
    }
    diagnosis d = diagnose(f);
    must_find(&d, TAMIS_FINDING_POOR_HASH, TAMIS_PROBLEM);
    tamis_free(f);
}

static uint64_t sixteen_bits(const void *key, size_t len, uint64_t seed, void *ctx)
{
    uint64_t digest = 0;
    (void)ctx;
    (void)tamis_hash_bytes(TAMIS_HASH_XXH3, seed, NULL, key, len, &digest);
    return digest;
}

static void narrow_hash(void **state)
{
    (void)state;
    const tamis_hash_definition narrow = {1016, "sixteen", 16, sixteen_bits, NULL};
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    CHECK_OK(tamis_register_hash(&narrow));
    for (size_t k = 0; k < count; k++) {
        if (forgets(kinds[k])) continue; /* keeps few enough keys */
        tamis_spec spec = {.kind = kinds[k], .capacity = 1000, .fpr = 0.05, .hash = 1016};
        if (tamis_kind_abilities(kinds[k]) & TAMIS_CAN_GROW) spec.expansion = 2; /* from 1000 */
        tamis_filter *f = NULL;
        check_about("%s with 16 bits of hash", tamis_kind_name(kinds[k]));
        CHECK_OK(tamis_create(&spec, &f)); /* collisions: 1.5 % of the 5 % */
        for (uint64_t i = 0; i < 1000; i++) CHECK_OK(tamis_add_u64(f, i));
        diagnosis d = diagnose(f);
        const tamis_finding *one = must_find(&d, TAMIS_FINDING_NARROW_HASH, TAMIS_WARNING);
        CHECK(one->value > 0.014 && one->value < 0.016, "collisions of %g", one->value);
        if (!spec_kind_bounded(kinds[k])) {
            const bool grows = (tamis_kind_abilities(kinds[k]) & TAMIS_CAN_GROW) != 0;
            tamis_status status = TAMIS_OK;
            for (uint64_t i = 1000; i < 8000; i++) status = tamis_add_u64(f, i);
            CHECK(status == (grows ? TAMIS_E_FULL : TAMIS_OK), "status %d", (int)status);
            d = diagnose(f); /* a scaling filter refuses before its promise breaks */
            must_find(&d, TAMIS_FINDING_NARROW_HASH, grows ? TAMIS_WARNING : TAMIS_PROBLEM);
        }
        tamis_free(f);
    }
}

static void repeats(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; next_loose(&i, 2000, &row);) {
        if (row.keys < 2000) continue;
        tamis_filter *f = spec_row_make(&row);
        for (uint64_t k = 0; k < 2000 * 5; k++) CHECK_OK(tamis_add_u64(f, k % 2000));
        diagnosis d = diagnose(f);
        const tamis_finding *one = must_find(&d, TAMIS_FINDING_REPEATS, TAMIS_NOTE);
        CHECK(fabs(one->value - 2000) < 200 && one->expected == 10000, "%g of %g", one->value,
              one->expected);
        tamis_free(f);
    }
}

static void many_layers(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 6000, &row); i++) {
        if (!row.grows) continue;
        tamis_filter *f = spec_row_make(&row);
        tamis_facts facts;
        bool seen = false;
        splitmix random = {SEED};
        for (uint64_t k = 0; k < row.keys; k++) {
            CHECK_OK(tamis_add_hash(f, splitmix_next(&random)));
            if (k % 1000) continue;
            CHECK_OK(tamis_info(f, &facts));
            const diagnosis d = diagnose(f);
            seen = find(&d, TAMIS_FINDING_MANY_LAYERS) != NULL;
            CHECK(!seen || facts.layers > 3, "%u layers are called many", facts.layers);
            CHECK(seen || facts.layers < 8 || row.parts > 1, "%u layers are not called many",
                  facts.layers);
            CHECK(!find(&d, TAMIS_FINDING_OVER_CAPACITY) && !find(&d, TAMIS_FINDING_SATURATED) &&
                      !find(&d, TAMIS_FINDING_POOR_HASH),
                  "%s", d.findings[0].sentence);
        }
        tamis_free(f);
    }
}

static void damaged(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 5000, &row); i++) {
        tamis_filter *f = spec_row_make(&row), *hurt = NULL;
        const tamis_open_options salvage = {.flags = TAMIS_OPEN_SALVAGE};
        add_digests(f, SEED, 5000);
        filter_bytes b = filter_bytes_of(f);
        b.body[b.body_size / 2] ^= 1;
        CHECK_OK(tamis_load(b.bytes, b.size, &salvage, &hurt));
        diagnosis d = diagnose(hurt);
        const tamis_finding *one = must_find(&d, TAMIS_FINDING_DAMAGED, TAMIS_PROBLEM);
        CHECK(one->value > 0 && one->value <= (double)b.body_size, "%g bytes", one->value);
        CHECK_OK(tamis_clear(hurt)); /* forgets every key, so nothing is lost any more */
        d = diagnose(hurt);
        CHECK(!find(&d, TAMIS_FINDING_DAMAGED), "cleared, and still: %s", d.findings[0].sentence);
        tamis_free(hurt);
        filter_bytes_free(&b);
        tamis_free(f);
    }
}

/* ---- no false alarm ------------------------------------------------------ */

static void try_healthy(const spec_row *row, double load, uint64_t seed)
{
    tamis_filter *f = spec_row_make(row);
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    const uint64_t keys = (uint64_t)ceil((double)facts.capacity * load);
    add_digests(f, seed, keys);
    check_about("%s; %" PRIu64 " of %" PRIu64 " keys, seed %" PRIu64, row->why, keys,
                facts.capacity, seed);
    const diagnosis d = diagnose(f);
    CHECK(d.findings[0].code == TAMIS_FINDING_HEALTHY, "finding %d: %s", (int)d.findings[0].code,
          d.findings[0].sentence);
    CHECK(d.findings[0].severity == TAMIS_NOTE, "severity %d", (int)d.findings[0].severity);
    tamis_free(f);
}

static void healthy_filters(void **state)
{
    (void)state;
    static const double loads[] = {1, 0.4, 0.7, 0.99};
    static const uint64_t sizes[] = {10, 100, 1000, 10000};
    spec_row row;
    for (uint64_t seed = 0; seed < 6; seed++)
        for (size_t s = 0; s < COUNT(sizes); s++)
            for (size_t i = 0; spec_row_number(i, sizes[s], &row); i++)
                if (!row.grows) try_healthy(&row, loads[seed % COUNT(loads)], SEED + seed * 7919);
}

/* Many seeds for the plain rows, where a suspicion that is right once in ten
 * thousand times would show. */
static void healthy_over_many_seeds(void **state)
{
    (void)state;
    spec_row row;
    for (uint64_t seed = 0; seed < 300; seed++)
        for (size_t i = 0; spec_row_plain(i, 500 + seed * 7, &row); i++)
            if (row.spec.growth == TAMIS_GROWTH_FIXED)
                try_healthy(&row, seed % 2 ? 1 : 0.6, SEED * seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_filled),
        cmocka_unit_test(over_capacity_and_saturated),
        cmocka_unit_test(oversized),
        cmocka_unit_test(poor_hash_of_lines),
        cmocka_unit_test(poor_hash_of_few_keys),
        cmocka_unit_test(poor_hash_of_bits),
        cmocka_unit_test(narrow_hash),
        cmocka_unit_test(repeats),
        cmocka_unit_test(many_layers),
        cmocka_unit_test(damaged),
        cmocka_unit_test(healthy_filters),
        cmocka_unit_test(healthy_over_many_seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
