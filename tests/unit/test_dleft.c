/* test_dleft.c - d-left tables: the same bytes from every set of loops, exact
 * removal of keys that share a fingerprint, a full table that loses nothing,
 * room for what was planned, and the space against counting.                */
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "kernel/dleft_kernel.h"
#include "math/dleft_math.h"
#include "support/check.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static const uint64_t SEED = 13806;

static tamis_filter *make(uint64_t capacity, double fpr)
{
    const tamis_spec spec = {.kind = TAMIS_KIND_DLEFT, .capacity = capacity, .fpr = fpr};
    tamis_filter *f = NULL;
    CHECK_OK(tamis_create(&spec, &f));
    return f;
}

/* ---- loops ------------------------------------------------------------------ */

enum { ROWS = 5 };

static void try_loops(uint32_t bits, const tms_dleft_kernel *other)
{
    _Alignas(64) static uint8_t bodies[2][ROWS * 128];
    memset(bodies, 0, sizeof bodies);
    memset(bodies[0] + 64, 0xff, 32); /* a bucket that was lost */
    memset(bodies[1] + 64, 0xff, 32);
    tms_dleft_table t, u;
    tms_dleft_table_init(&t, bodies[0], ROWS, bits);
    tms_dleft_table_init(&u, bodies[1], ROWS, bits);
    const tms_dleft_kernel *plain = tms_dleft_kernel_number(bits, 0);
    splitmix random = {SEED};
    for (unsigned i = 0; i < 4000; i++) {
        const uint64_t digest = splitmix_next(&random) * (i % 3 ? 1 : UINT64_C(1) << 57);
        bool fresh = false, other_fresh = false;
        check_about("%s, remainders of %u bits, step %u", other->name, bits, i);
        CHECK(plain->count(&t, digest) == other->count(&u, digest), "count");
        CHECK(plain->may_contain(&t, digest) == other->may_contain(&u, digest), "answer");
        if (i % 5 < 3) {
            CHECK(plain->add(&t, digest, &fresh) == other->add(&u, digest, &other_fresh), "add");
            CHECK(fresh == other_fresh, "new");
        } else {
            CHECK(plain->remove(&t, digest) == other->remove(&u, digest), "remove");
        }
        CHECK(memcmp(bodies[0], bodies[1], sizeof bodies[0]) == 0, "the buckets differ");
    }
}

static void loops_agree(void **state)
{
    (void)state;
    const tms_dleft_kernel *other;
    for (uint32_t bits = TMS_DLEFT_REMAINDER_LEAST; bits <= TMS_DLEFT_REMAINDER_MOST; bits++)
        for (unsigned i = 1; (other = tms_dleft_kernel_number(bits, i)) != NULL; i++)
            try_loops(bits, other);
}

/* Two digests that share a bucket and a remainder in one subtable share them in
 * all: what makes removing exact. */
static void places_are_permutations(void **state)
{
    (void)state;
    static uint8_t body[7 * 128];
    tms_dleft_table t;
    tms_dleft_table_init(&t, body, 7, 4);
    splitmix random = {SEED};
    for (unsigned i = 0; i < 200000; i++) {
        const tms_dleft_place a = tms_dleft_find(&t, splitmix_next(&random));
        const tms_dleft_place b = tms_dleft_find(&t, splitmix_next(&random));
        unsigned shared = 0;
        for (unsigned k = 0; k < TMS_DLEFT_TABLES; k++)
            shared += a.remainder == b.remainder && a.bucket[k] == b.bucket[k];
        CHECK(shared == 0 || shared == TMS_DLEFT_TABLES, "%u of 4 are shared", shared);
        CHECK(a.remainder > 0 && a.remainder < t.remainder_mask, "0, or all ones");
    }
}

/* ---- full -------------------------------------------------------------------- */

/* Keys until it refuses: all that were taken are there, and nothing changes. */
static void full_tables_lose_nothing(void **state)
{
    (void)state;
    for (uint64_t capacity = 10; capacity <= 100000; capacity *= 10) {
        tamis_filter *f = make(capacity, 0.01);
        tamis_status status = TAMIS_OK;
        uint64_t taken = 0;
        check_about("planned for %" PRIu64 " keys", capacity);
        while ((status = tamis_add_u64(f, taken)) == TAMIS_OK) taken++;
        CHECK(status == TAMIS_E_FULL && taken >= capacity, "%" PRIu64 " were taken", taken);
        filter_bytes before = filter_bytes_of(f);
        bool was_new = true;
        CHECK_STATUS(tamis_add_new_u64(f, taken, &was_new), TAMIS_E_FULL);
        filter_check_unchanged(f, &before, "a refused add");
        for (uint64_t k = 0; k < taken; k++) CHECK(tamis_may_contain_u64(f, k), "key %d", (int)k);
        for (uint64_t k = 0; k < taken; k++) CHECK_OK(tamis_remove_u64(f, k));
        tamis_facts facts;
        CHECK_OK(tamis_info(f, &facts));
        CHECK(facts.ones == 0 && facts.added == 0, "%" PRIu64 " are left", facts.added);
        filter_bytes_free(&before);
        tamis_free(f);
    }
}

/* One key as often as its four buckets have cells for, three times each. */
static void one_key_fills_its_buckets(void **state)
{
    (void)state;
    tamis_filter *f = make(1000, 0.01);
    uint64_t times = 0;
    while (tamis_add_u64(f, 7) == TAMIS_OK) times++;
    CHECK(times == 4 * 3 * tms_dleft_cells(13), "%" PRIu64 " times", times);
    CHECK(tamis_estimate_count_u64(f, 7) == times, "counted");
    for (uint64_t i = times; i > 0; i--) {
        CHECK(tamis_estimate_count_u64(f, 7) == i, "counts down");
        CHECK_OK(tamis_remove_u64(f, 7));
    }
    CHECK_STATUS(tamis_remove_u64(f, 7), TAMIS_E_ABSENT);
    tamis_free(f);
}

/* Every plan takes its keys: 1,400 tables of all sizes and widths. */
static void plans_hold_their_keys(void **state)
{
    (void)state;
    static const double rates[] = {0.3, 0.05, 0.01, 1e-3, 1e-5, 1e-7, 1e-9};
    for (size_t r = 0; r < COUNT(rates); r++)
        for (uint64_t n = 1; n < 3000; n += 1 + n / 30) {
            splitmix random = {SEED + n};
            tamis_filter *f = make(n, rates[r]);
            check_about("%" PRIu64 " keys at %g", n, rates[r]);
            for (uint64_t k = 0; k < n; k++) CHECK_OK(tamis_add_hash(f, splitmix_next(&random)));
            tamis_free(f);
        }
}

/* ---- space -------------------------------------------------------------------- */

static void half_the_space_of_counting(void **state)
{
    (void)state;
    for (double fpr = 0.01; fpr > 1e-9; fpr /= 3)
        for (uint64_t n = 10000; n <= 100000000; n *= 100) {
            tamis_spec spec = {.kind = TAMIS_KIND_COUNTING, .capacity = n, .fpr = fpr};
            tamis_sizing counting, dleft;
            check_about("%" PRIu64 " keys at %g", n, fpr);
            CHECK_OK(tamis_plan(&spec, &counting));
            spec.kind = TAMIS_KIND_DLEFT;
            CHECK_OK(tamis_plan(&spec, &dleft));
            CHECK(dleft.bytes * 2 <= counting.bytes, "%g and %g bits a key", dleft.bits_per_key,
                  counting.bits_per_key);
        }
}

/* No width and no number of rows serves with fewer. */
static void plans_are_the_smallest(void **state)
{
    (void)state;
    for (double fpr = 0.5; fpr > 1e-9; fpr /= 2.7)
        for (double keys = 1; keys < 1e9; keys = 3 * keys + 1) {
            uint64_t rows = 0;
            uint32_t bits = 0;
            check_about("%g keys at %g", keys, fpr);
            CHECK(tms_dleft_size(keys, fpr, false, &rows, &bits), "no size");
            CHECK(tms_dleft_rate(rows, bits, keys) <= 1.05 * fpr, "rate");
            CHECK(tms_dleft_room(rows, bits) >= keys, "room");
            const uint64_t fewer = (uint64_t)((double)rows / 1.03) - 1;
            for (uint32_t b = TMS_DLEFT_BITS_LEAST; rows > 2 && b <= TMS_DLEFT_BITS_MOST; b++)
                CHECK(tms_dleft_room(fewer, b) < keys ||
                          tms_dleft_rate(fewer, b, keys) > 1.05 * fpr,
                      "%u bits do with 3 %% less", b);
            uint32_t width;
            CHECK(tms_dleft_capacity(rows, fpr, false, &width) >= keys, "capacity of its size");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_agree),
        cmocka_unit_test(places_are_permutations),
        cmocka_unit_test(full_tables_lose_nothing),
        cmocka_unit_test(one_key_fills_its_buckets),
        cmocka_unit_test(plans_hold_their_keys),
        cmocka_unit_test(half_the_space_of_counting),
        cmocka_unit_test(plans_are_the_smallest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
