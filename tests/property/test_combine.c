/* test_combine.c - filters as sets. A merge is the filter that one builder with
 * all keys would have made, bit for bit, also across sizes; an intersection is
 * the AND; what does not fit is refused with its reason and changes nothing.
 * test_fold.c has folding by itself.                                        */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 424242;

/* Keys [from, to) of one long list. */
static void add_range(tamis_filter *f, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) CHECK_OK(tamis_add_u64(f, i * 7 + SEED));
}

static void check_range(const tamis_filter *f, uint64_t from, uint64_t to, const char *what)
{
    for (uint64_t i = from; i < to; i++)
        CHECK(tamis_may_contain_u64(f, i * 7 + SEED), "%s: key %" PRIu64 " is lost", what, i);
}

static tamis_filter *range_filter(const tamis_spec *spec, uint64_t from, uint64_t to)
{
    tamis_filter *f = NULL;
    CHECK_OK(tamis_create(spec, &f));
    add_range(f, from, to);
    return f;
}

static bool can_merge(const spec_row *row)
{
    return !row->grows && tamis_kind_abilities(row->spec.kind) & TAMIS_CAN_MERGE;
}

/* ---- union -------------------------------------------------------------- */

static void check_union(const tamis_union *u, const tamis_filter *f, double truth)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(f, &facts));
    CHECK(u->keys == facts.keys && u->keys_low == facts.keys_low,
          "the union's estimate is %g, "
          "the filter's %g",
          u->keys, facts.keys);
    CHECK(u->fpr == facts.fpr_now, "rate %g and %g", u->fpr, facts.fpr_now);
    CHECK(u->keys_low <= u->keys && u->keys <= u->keys_high, "interval");
    if (isinf(u->keys_high)) return;
    const double slack = 2 * (u->keys_high - u->keys_low) + 2; /* far outside: wrong */
    CHECK(fabs(u->keys - truth) <= slack, "%g keys are estimated, %g are there", u->keys, truth);
}

/* a has the first 60 %, b the last 60 %. */
static void try_union(const spec_row *row, bool from_view)
{
    const uint64_t n = row->keys, a_end = n * 6 / 10, b_begin = n * 4 / 10;
    tamis_filter *a = range_filter(&row->spec, 0, a_end), *b = range_filter(&row->spec, b_begin, n);
    tamis_spec lax = row->spec; /* what counts occurrences would be full */
    lax.flags &= ~(uint32_t)TAMIS_STRICT;
    tamis_filter *all = range_filter(&lax, 0, a_end), *view = NULL;
    add_range(all, b_begin, n);
    const tamis_open_options open = {.secret = row->spec.secret};
    filter_bytes bytes = filter_bytes_of(b);
    tamis_union result;
    memset(&result, 0xff, sizeof result);
    check_about("%s; merged from %s", row->why, from_view ? "a view" : "memory");
    if (from_view) CHECK_OK(tamis_view(bytes.bytes, bytes.size, &open, &view));
    CHECK_OK(tamis_merge(a, from_view ? view : b, &result));
    filters_check_same_body(a, all, "merged and built at once");
    filter_check_unchanged(b, &bytes, "the source of a merge");
    CHECK(result.folded_dst == 1 && result.folded_src == 1, "folded for nothing");
    check_union(&result, a, (double)n);
    check_range(a, 0, n, "the union");
    tamis_facts facts;
    CHECK_OK(tamis_info(a, &facts));
    CHECK(facts.count_is_estimate == (!spec_row_removes(row) && a_end > 0 && n > b_begin),
          "the count's mark is wrong");
    CHECK(facts.added >= a_end && facts.added <= a_end + n - b_begin, "%" PRIu64 " added",
          facts.added);
    tamis_free(view);
    filter_bytes_free(&bytes);
    tamis_free(a);
    tamis_free(b);
    tamis_free(all);
}

static void merge_is_union(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 3000, &row); i++)
        if (can_merge(&row)) {
            try_union(&row, false);
            try_union(&row, true);
        }
}

static void laws_of_union(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 900, &row); i++) {
        if (!can_merge(&row)) continue;
        tamis_filter *a = range_filter(&row.spec, 0, 100), *b = range_filter(&row.spec, 50, 400);
        tamis_filter *ab = NULL, *ba = NULL, *none = range_filter(&row.spec, 0, 0);
        check_about("%s", row.why);
        if (row.keys < 400) { /* planned for fewer keys than these laws need */
            tamis_free(a), tamis_free(b), tamis_free(none);
            continue;
        }
        CHECK_OK(tamis_clone(a, &ab));
        CHECK_OK(tamis_clone(b, &ba));
        CHECK_OK(tamis_merge(ab, b, NULL));
        CHECK_OK(tamis_merge(ba, a, NULL));
        filters_check_same_body(ab, ba, "a or b, b or a");
        filter_bytes before = filter_bytes_of(a);
        CHECK_OK(tamis_merge(a, none, NULL));
        filter_check_unchanged(a, &before, "merged with an empty filter");
        CHECK_OK(tamis_merge(none, a, NULL));
        filters_check_same_body(none, a, "an empty filter merged with a");
        if (spec_row_removes(&row)) CHECK_OK(tamis_merge(none, a, NULL)); /* twice each */
        CHECK_OK(tamis_merge(a, a, NULL));
        filters_check_same_body(none, a, "merged with itself");
        filter_bytes_free(&before);
        tamis_free(a), tamis_free(b), tamis_free(ab), tamis_free(ba), tamis_free(none);
    }
}

/* ---- union across sizes -------------------------------------------------- */

static bool has_lines(uint32_t kind)
{
    return kind == TAMIS_KIND_BLOCKED || kind == TAMIS_KIND_COUNTING;
}

/* Sizes are given as memory, so that they are exactly known. */
static tamis_spec sized(uint32_t kind, uint64_t units, uint32_t per_key)
{
    return (tamis_spec){.kind = kind,
                        .capacity = 4000,
                        .memory = units * 512,
                        .hashes = 4,
                        .lines_per_key = spec_lines(kind, per_key)};
}

static void try_sizes(uint32_t kind, uint32_t per_key, uint64_t dst_units, uint64_t src_units,
                      uint64_t common)
{
    const tamis_spec d = sized(kind, dst_units, per_key), s = sized(kind, src_units, per_key),
                     c = sized(kind, common, per_key);
    tamis_filter *dst = range_filter(&d, 0, 2500), *src = range_filter(&s, 1500, 4000);
    tamis_filter *small = range_filter(&c, 0, 2500);
    add_range(small, 1500, 4000);
    filter_bytes before = filter_bytes_of(src);
    tamis_union result;
    check_about("%s, %u lines a key: %" PRIu64 " units and %" PRIu64, tamis_kind_name(kind),
                per_key, dst_units, src_units);
    CHECK_OK(tamis_merge(dst, src, &result));
    CHECK(result.folded_dst == dst_units / common, "dst by %" PRIu64, result.folded_dst);
    CHECK(result.folded_src == src_units / common, "src by %" PRIu64, result.folded_src);
    filters_check_same_body(dst, small, "merged across sizes and built small");
    filter_check_unchanged(src, &before, "the source of a merge across sizes");
    check_union(&result, dst, 4000);
    check_range(dst, 0, 4000, "the union across sizes");
    add_range(dst, 4000, 4100);
    add_range(small, 4000, 4100);
    filters_check_same_body(dst, small, "the same keys added afterwards");
    filter_bytes_free(&before);
    tamis_free(dst);
    tamis_free(src);
    tamis_free(small);
}

static void merge_across_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint64_t dst, src, common;
    } rows[] = {
        {"dst is larger", 64, 16, 16},
        {"src is larger", 16, 64, 16},
        {"neither divides the other", 48, 32, 16},
        {"both odd multiples", 3 * 32, 5 * 32, 32},
    };
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        const uint32_t both = TAMIS_CAN_MERGE | TAMIS_CAN_FOLD;
        if ((tamis_kind_abilities(kinds[k]) & both) != both) continue;
        for (size_t r = 0; r < COUNT(rows); r++) {
            try_sizes(kinds[k], 1, rows[r].dst, rows[r].src, rows[r].common);
            if (kinds[k] == TAMIS_KIND_COUNTING) /* spread */
                try_sizes(kinds[k], 0, rows[r].dst, rows[r].src, rows[r].common);
            if (has_lines(kinds[k]))
                try_sizes(kinds[k], 2, rows[r].dst, rows[r].src, rows[r].common);
        }
    }
}

/* What does not fit, or what the kind cannot do at all. */
static void check_no_intersection(tamis_filter *dst, const tamis_filter *src, tamis_status status)
{
    tamis_facts facts;
    CHECK_OK(tamis_info(dst, &facts));
    const bool can = (facts.abilities & TAMIS_CAN_INTERSECT) != 0;
    CHECK_STATUS(tamis_intersect(dst, src), can ? status : TAMIS_E_UNSUPPORTED);
}

/* Sizes with next to nothing in common are refused, not ruined. */
static void sizes_that_share_too_little(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        if (!(tamis_kind_abilities(kinds[k]) & TAMIS_CAN_MERGE)) continue;
        const tamis_spec d = sized(kinds[k], 64, 1), s = sized(kinds[k], 127, 1);
        tamis_filter *dst = range_filter(&d, 0, 3000), *src = range_filter(&s, 0, 3000);
        filter_bytes a = filter_bytes_of(dst), b = filter_bytes_of(src);
        check_about("%s: 64 units and 127", tamis_kind_name(kinds[k]));
        CHECK_STATUS(tamis_merge(dst, src, NULL), TAMIS_E_MISMATCH);
        check_no_intersection(dst, src, TAMIS_E_MISMATCH);
        filter_check_unchanged(dst, &a, "dst of a refused merge");
        filter_check_unchanged(src, &b, "src of a refused merge");
        filter_bytes_free(&a);
        filter_bytes_free(&b);
        tamis_free(dst);
        tamis_free(src);
    }
}

/* ---- what does not fit --------------------------------------------------- */

static void try_mismatch(const tamis_spec *one, const tamis_spec *two, tamis_status status,
                         const char *why)
{
    tamis_filter *a = range_filter(one, 0, 100), *b = range_filter(two, 50, 150);
    filter_bytes before_a = filter_bytes_of(a), before_b = filter_bytes_of(b);
    tamis_union result, untouched;
    memset(&result, 0x5a, sizeof result);
    memset(&untouched, 0x5a, sizeof untouched);
    check_about("%s and %s: %s", tamis_kind_name(one->kind), tamis_kind_name(two->kind), why);
    CHECK_STATUS(tamis_merge(a, b, &result), status);
    CHECK(memcmp(&result, &untouched, sizeof result) == 0, "the result was written");
    check_no_intersection(a, b, status);
    filter_check_unchanged(a, &before_a, "dst of a refused merge");
    filter_check_unchanged(b, &before_b, "src of a refused merge");
    filter_bytes_free(&before_a);
    filter_bytes_free(&before_b);
    tamis_free(a);
    tamis_free(b);
}

static void mismatches(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    uint8_t other[16];
    memcpy(other, SPEC_SECRET, 16);
    other[7] ^= 4;
    for (size_t k = 0; k < count; k++) {
        if (!(tamis_kind_abilities(kinds[k]) & TAMIS_CAN_MERGE)) continue;
        const tamis_spec base = {.kind = kinds[k], .capacity = 1000, .fpr = 0.01, .hashes = 5};
        tamis_spec changed = base, keyed = base;
        changed.hash = TAMIS_HASH_FNV1A;
        try_mismatch(&base, &changed, TAMIS_E_MISMATCH, "another hash");
        changed = base;
        changed.seed = 1;
        try_mismatch(&base, &changed, TAMIS_E_MISMATCH, "another seed");
        changed = base;
        changed.hashes = 6;
        try_mismatch(&base, &changed, TAMIS_E_MISMATCH, "another number of bits a key");
        for (size_t other_kind = 0; other_kind < count; other_kind++) {
            changed = base;
            changed.kind = kinds[other_kind];
            changed.hashes = 0;
            if (other_kind != k) try_mismatch(&base, &changed, TAMIS_E_MISMATCH, "another kind");
        }
        if (has_lines(kinds[k])) {
            changed = base;
            changed.lines_per_key = 2;
            try_mismatch(&base, &changed, TAMIS_E_MISMATCH, "two lines a key");
        }
        if (!tamis_hash_available(TAMIS_HASH_SIPHASH)) continue;
        keyed.secret = SPEC_SECRET;
        changed = keyed;
        changed.secret = other;
        try_mismatch(&keyed, &changed, TAMIS_E_SECRET, "another secret");
        try_mismatch(&base, &keyed, TAMIS_E_MISMATCH, "a secret and none");
    }
}

/* Views, maps and growing kinds say why they cannot. */
static void abilities_that_are_missing(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 500, &row); i++) {
        tamis_filter *a = range_filter(&row.spec, 0, 100), *b = range_filter(&row.spec, 50, 150);
        filter_bytes bytes = filter_bytes_of(a);
        check_about("%s", row.why);
        if (can_merge(&row)) {
            tamis_filter *view = NULL;
            CHECK_OK(tamis_view(bytes.bytes, bytes.size, NULL, &view));
            CHECK_STATUS(tamis_merge(view, b, NULL), TAMIS_E_READONLY);
            if (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_INTERSECT)
                CHECK_STATUS(tamis_intersect(view, b), TAMIS_E_READONLY);
            CHECK_STATUS(tamis_clear(view), TAMIS_E_READONLY);
            filter_check_unchanged(view, &bytes, "a view");
            tamis_free(view);
        } else {
            CHECK_STATUS(tamis_merge(a, b, NULL), TAMIS_E_UNSUPPORTED);
            CHECK_STATUS(tamis_intersect(a, b), TAMIS_E_UNSUPPORTED);
        }
        filter_check_unchanged(a, &bytes, "dst of a refusal");
        filter_bytes_free(&bytes);
        tamis_free(a);
        tamis_free(b);
    }
}

/* ---- strict ------------------------------------------------------------- */

static void strict_unions(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        if (!(tamis_kind_abilities(kinds[k]) & TAMIS_CAN_MERGE)) continue;
        const tamis_spec spec = {
            .kind = kinds[k], .capacity = 2000, .fpr = 0.01, .flags = TAMIS_STRICT};
        tamis_filter *a = range_filter(&spec, 0, 1000), *b = range_filter(&spec, 1000, 2000);
        tamis_filter *c = range_filter(&spec, 2000, 4000), *all = range_filter(&spec, 0, 2000);
        tamis_union u;
        check_about("%s, strict", tamis_kind_name(kinds[k]));
        CHECK_OK(tamis_merge(a, b, &u)); /* exactly at its capacity */
        filters_check_same_body(a, all, "a strict union within its plan");
        filter_bytes before = filter_bytes_of(a), other = filter_bytes_of(c);
        CHECK_STATUS(tamis_merge(a, c, &u), TAMIS_E_FULL);
        filter_check_unchanged(a, &before, "dst of a refused strict merge");
        filter_check_unchanged(c, &other, "src of a refused strict merge");
        CHECK_OK(tamis_merge(a, all, &u));                        /* nothing new */
        if (!(tamis_kind_abilities(kinds[k]) & TAMIS_CAN_REMOVE)) /* what counts has doubled */
            filters_check_same_body(a, all, "a strict union with itself");
        filter_bytes_free(&before);
        filter_bytes_free(&other);
        tamis_free(a), tamis_free(b), tamis_free(c), tamis_free(all);
    }
}

/* ---- in a caller's buffer ------------------------------------------------- */

static void unions_in_a_buffer(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        const uint32_t both = TAMIS_CAN_MERGE | TAMIS_CAN_BORROW;
        if ((tamis_kind_abilities(kinds[k]) & both) != both) continue;
        for (uint32_t flags = 0; flags <= TAMIS_STRICT; flags += TAMIS_STRICT) {
            tamis_spec spec = sized(kinds[k], 16, 1), large = sized(kinds[k], 64, 1);
            spec.flags = flags;
            uint64_t size = 0;
            tamis_filter *f = NULL, *view = NULL;
            CHECK_OK(tamis_create_in_size(&spec, &size));
            uint8_t *buffer = aligned_alloc(64, ((size_t)size + 63) / 64 * 64);
            CHECK_OK(tamis_create_in(&spec, buffer, (size_t)size, &f));
            add_range(f, 0, 1000);
            tamis_filter *other = range_filter(&large, 1000, 2000);
            tamis_filter *all = range_filter(&spec, 0, 2000);
            check_about("%s, flags %u, in a buffer", tamis_kind_name(kinds[k]), flags);
            CHECK_OK(tamis_merge(f, other, NULL)); /* the source is folded, not the buffer */
            filters_check_same_body(f, all, "merged in a buffer");
            CHECK_OK(tamis_seal(f));
            CHECK_OK(tamis_view(buffer, (size_t)size, NULL, &view));
            check_range(view, 0, 2000, "the sealed union");
            filters_check_same(f, view, "handle and view");
            tamis_free(view);
            const tamis_spec smaller = sized(kinds[k], 8, 1);
            tamis_filter *small = range_filter(&smaller, 0, 10);
            filter_bytes before = filter_bytes_of(f);
            CHECK_STATUS(tamis_merge(f, small, NULL), TAMIS_E_UNSUPPORTED);
            filter_check_unchanged(f, &before, "a buffer that would have to shrink");
            filter_bytes_free(&before);
            tamis_free(small);
            tamis_free(f), tamis_free(other), tamis_free(all);
            free(buffer);
        }
    }
}

/* ---- intersection --------------------------------------------------------- */

/* The bits of both, or the lesser counter. */
static uint8_t lesser(const spec_row *row, uint8_t a, uint8_t b)
{
    if (!spec_row_removes(row)) return a & b;
    if (row->spec.counter_bits == 8) return a < b ? a : b;
    const unsigned low = (a & 15) < (b & 15) ? a & 15 : b & 15;
    return (uint8_t)(low | ((a & 240) < (b & 240) ? a & 240 : b & 240));
}

static void try_intersection(const spec_row *row)
{
    tamis_filter *a = range_filter(&row->spec, 0, row->keys * 6 / 10);
    tamis_filter *b = range_filter(&row->spec, row->keys * 4 / 10, row->keys);
    filter_bytes x = filter_bytes_of(a), y = filter_bytes_of(b);
    check_about("%s; intersected", row->why);
    CHECK_OK(tamis_intersect(a, b));
    filter_bytes z = filter_bytes_of(a);
    for (size_t i = 0; i < z.body_size; i++)
        CHECK(z.body[i] == lesser(row, x.body[i], y.body[i]), "byte %zu is not in both", i);
    check_range(a, row->keys * 4 / 10, row->keys * 6 / 10, "in both");
    filter_check_unchanged(b, &y, "the source of an intersection");
    tamis_facts facts;
    CHECK_OK(tamis_info(a, &facts));
    CHECK(facts.count_is_estimate, "the count is called exact");
    filter_bytes_free(&x);
    filter_bytes_free(&y);
    filter_bytes_free(&z);
    tamis_free(a);
    tamis_free(b);
}

static void intersections(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 3000, &row); i++)
        if (!row.grows && tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_INTERSECT)
            try_intersection(&row);
}

static void intersections_across_sizes(void **state)
{
    (void)state;
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++) {
        const uint32_t both = TAMIS_CAN_INTERSECT | TAMIS_CAN_FOLD;
        if ((tamis_kind_abilities(kinds[k]) & both) != both) continue;
        const tamis_spec large = sized(kinds[k], 64, 1), small = sized(kinds[k], 16, 1);
        tamis_filter *a = range_filter(&large, 0, 2000), *b = range_filter(&small, 1000, 3000);
        tamis_filter *c = range_filter(&small, 0, 2000), *d = range_filter(&small, 1000, 3000);
        check_about("%s, 64 units and 16", tamis_kind_name(kinds[k]));
        CHECK_OK(tamis_intersect(a, b));
        CHECK_OK(tamis_intersect(c, d));
        filters_check_same_body(a, c, "intersected across sizes and at the small size");
        check_range(a, 1000, 2000, "in both");
        tamis_free(a), tamis_free(b), tamis_free(c), tamis_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merge_is_union),     cmocka_unit_test(laws_of_union),
        cmocka_unit_test(merge_across_sizes), cmocka_unit_test(sizes_that_share_too_little),
        cmocka_unit_test(mismatches),         cmocka_unit_test(abilities_that_are_missing),
        cmocka_unit_test(strict_unions),      cmocka_unit_test(unions_in_a_buffer),
        cmocka_unit_test(intersections),      cmocka_unit_test(intersections_across_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
