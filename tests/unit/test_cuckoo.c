/* test_cuckoo.c - the cuckoo kind by itself: places that find each other, the
 * semi-sorted layout, full tables that lose nothing, copies, plans that keep
 * their word. The properties of every kind are tried in tests/property.      */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "base/endian.h"
#include "kernel/cuckoo_kernel.h"
#include "kernel/cuckoo_semisort.h"
#include "kernel/tuning.h"
#include "kinds/cuckoo.h"
#include "math/cuckoo_math.h"
#include "support/check.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static const uint64_t SEED = 20141202;

/* ---- places -------------------------------------------------------------- */

static void alternates_find_back(void **state)
{
    (void)state;
    for (uint32_t buckets = 2; buckets <= 300; buckets += 2) {
        const tms_cuckoo_table t = {.chunks = 1, .buckets = buckets};
        for (uint32_t f = 1; f < 1000; f += 1 + f / 7)
            for (uint32_t i = 0; i < buckets; i++) {
                const uint32_t other = tms_cuckoo_alternate(&t, i, f);
                check_about("%u buckets, bucket %u, fingerprint %u", buckets, i, f);
                CHECK(other < buckets && other != i, "the other is %u", other);
                CHECK(tms_cuckoo_alternate(&t, other, f) == i, "%u leads elsewhere", other);
            }
    }
}

static void alternates_of_large_chunks(void **state)
{
    (void)state;
    static const uint32_t rows[] = {1000, 43690, 65534, 65536, 1u << 25, (1u << 26) - 2, 1u << 26};
    splitmix random = {SEED};
    for (size_t r = 0; r < COUNT(rows); r++) {
        const tms_cuckoo_table t = {.chunks = 1, .buckets = rows[r]};
        for (unsigned n = 0; n < 20000; n++) {
            const uint32_t f = 1 + (uint32_t)splitmix_below(&random, UINT32_MAX);
            const uint32_t i = (uint32_t)splitmix_below(&random, rows[r]);
            const uint32_t other = tms_cuckoo_alternate(&t, i, f);
            check_about("%u buckets, bucket %u, fingerprint %u", rows[r], i, f);
            CHECK(other < rows[r] && tms_cuckoo_alternate(&t, other, f) == i, "%u", other);
        }
    }
}

/* Never 0, which is an empty place; all values occur, about as often. */
static void fingerprints_are_even(void **state)
{
    (void)state;
    for (uint32_t bits = 4; bits <= 8; bits++) {
        unsigned seen[256] = {0};
        const unsigned values = (1u << bits) - 1, each = 4000;
        const tms_cuckoo_table t = {.fingerprints = values};
        splitmix random = {SEED};
        for (unsigned i = 0; i < values * each; i++) {
            const uint32_t f = tms_cuckoo_fingerprint(&t, splitmix_next(&random));
            CHECK(f >= 1 && f <= values, "%u of %u bits", f, bits);
            seen[f]++;
        }
        for (unsigned f = 1; f <= values; f++)
            CHECK(fabs((double)seen[f] - each) < 6 * sqrt(each), "%u occurs %u times", f, seen[f]);
    }
    const tms_cuckoo_table widest = {.fingerprints = UINT32_MAX};
    CHECK(tms_cuckoo_fingerprint(&widest, 0) == 1, "digest 0");
}

/* ---- the semi-sorted layout ---------------------------------------------- */

static void every_combination_of_nibbles(void **state)
{
    (void)state;
    const uint16_t *nibbles = tms_semisort_nibbles();
    uint32_t count = 0, n[4];
    for (n[3] = 0; n[3] < 16; n[3]++)
        for (n[2] = 0; n[2] <= n[3]; n[2]++)
            for (n[1] = 0; n[1] <= n[2]; n[1]++)
                for (n[0] = 0; n[0] <= n[1]; n[0]++) {
                    check_about("nibbles %u %u %u %u", n[0], n[1], n[2], n[3]);
                    CHECK(tms_semisort_number(n) == count, "not the next number");
                    CHECK(nibbles[count] == (n[0] | n[1] << 4 | n[2] << 8 | n[3] << 12), "%x",
                          nibbles[count]);
                    count++;
                }
    CHECK(count == TMS_SEMISORT_NUMBERS, "%u numbers", count);
    for (; count < 4096; count++) CHECK(nibbles[count] == 0, "number %u", count);
}

/* ---- loops against a list ------------------------------------------------ */

enum { MODEL_CHUNKS = 3, MODEL_BUCKETS = 14, MODEL_STEPS = 500, MODEL_DIGESTS = 120 };

typedef struct bench_body {
    _Alignas(64) uint8_t bytes[MODEL_CHUNKS * 512];
    tms_cuckoo_lock locks[TMS_CUCKOO_LOCKS];
} bench_body;

static tms_cuckoo_table table_over(bench_body *b, uint32_t places, uint32_t bits, bool dense)
{
    memset(b, 0, sizeof *b);
    tms_cuckoo_table t = {.bytes = b->bytes,
                          .chunks = MODEL_CHUNKS,
                          .buckets = MODEL_BUCKETS,
                          .bits = bits,
                          .places = places,
                          .locks = b->locks};
    tms_cuckoo_table_prepare(&t, dense);
    assert_true(t.chunk_bytes * MODEL_CHUNKS <= sizeof b->bytes);
    return t;
}

/* How many of `held` a query for `digest` cannot tell from it. */
static uint32_t copies_of(const tms_cuckoo_table *t, const uint64_t *digests, const uint32_t *held,
                          uint64_t digest)
{
    const tms_cuckoo_spot s = tms_cuckoo_spot_of(t, digest);
    uint32_t copies = 0;
    for (size_t i = 0; i < MODEL_DIGESTS; i++) {
        const tms_cuckoo_spot o = tms_cuckoo_spot_of(t, digests[i]);
        const bool pair =
            o.bucket == s.bucket || o.bucket == tms_cuckoo_alternate(t, s.bucket, s.fingerprint);
        if (o.chunk == s.chunk && o.fingerprint == s.fingerprint && pair) copies += held[i];
    }
    return copies;
}

/* Adds, removes and counts at random; a table for one thread and a shared one side
 * by side. False: there are not so many loops. */
static bool try_model(uint32_t places, uint32_t bits, bool dense, unsigned loops)
{
    static bench_body one, two, before;
    const tms_cuckoo_table a = table_over(&one, places, bits, dense),
                           b = table_over(&two, places, bits, dense);
    const tms_cuckoo_kernel *plain = tms_cuckoo_kernel_number(&a, dense, false, loops);
    const tms_cuckoo_kernel *shared = tms_cuckoo_kernel_for(&b, dense, true);
    if (!plain) return false;
    uint64_t digests[MODEL_DIGESTS];
    uint32_t held[MODEL_DIGESTS] = {0}, all = 0, refused = 0;
    splitmix random = {SEED + places * 100 + bits};
    splitmix_fill(&random, digests, MODEL_DIGESTS);
    for (unsigned step = 0; step < MODEL_STEPS; step++) {
        const size_t k = (size_t)splitmix_below(&random, MODEL_DIGESTS);
        const uint64_t digest = digests[k];
        const uint32_t copies = copies_of(&a, digests, held, digest);
        check_about("%u places, %u bits, dense %d, step %u, seed %" PRIu64, places, bits, dense,
                    step, SEED);
        CHECK(plain->count(&a, digest) == copies, "%u copies", copies);
        CHECK(shared->count(&b, digest) == copies, "%u copies, shared", copies);
        CHECK(plain->may_contain(&a, digest) == (copies > 0), "asked");
        CHECK(shared->may_contain(&b, digest) == (copies > 0), "asked, shared");
        before = one;
        if (splitmix_below(&random, 100) < 75) {
            const tms_cuckoo_outcome outcome = plain->add(&a, digest);
            CHECK(shared->add(&b, digest) == outcome, "another outcome when shared");
            if (outcome < TMS_CUCKOO_TWINS) {
                CHECK(outcome == (copies ? TMS_CUCKOO_AGAIN : TMS_CUCKOO_NEW), "outcome");
                held[k]++;
                all++;
            } else {
                CHECK(memcmp(&before, &one, sizeof one) == 0, "a refused add changed a byte");
                CHECK((outcome == TMS_CUCKOO_TWINS) == (copies == 2 * places), "%u copies", copies);
                refused++;
            }
        } else if (held[k] || !copies) { /* not one that only looks as if it were there */
            CHECK(plain->remove(&a, digest) == (copies > 0), "removed");
            CHECK(shared->remove(&b, digest) == (copies > 0), "removed, shared");
            if (copies) all--, held[k]--;
        }
        CHECK(memcmp(one.bytes, two.bytes, sizeof one.bytes) == 0, "other bytes when shared");
    }
    uint32_t taken = 0;
    for (uint64_t c = 0; c < MODEL_CHUNKS; c++) taken += plain->taken(&a, c);
    CHECK(taken == all, "%u places are taken by %u", taken, all);
    CHECK(refused > 0, "the table was never full");
    return true;
}

static void loops_keep_a_list(void **state)
{
    (void)state;
    for (uint32_t bits = 4; bits <= 32; bits++) {
        for (unsigned loops = 0; try_model(4, bits, false, loops); loops++) continue;
        for (unsigned loops = 0; try_model(2, bits, false, loops); loops++) continue;
        if (bits % 3 == 1) (void)try_model(4, bits, true, 0);
    }
}

/* ---- every table of loops ------------------------------------------------ */

enum { LOOPS_CHUNKS = 5, LOOPS_BUCKETS = 200, LOOPS_KEYS = 3 * TMS_RUN + 57 };

typedef struct loops_body {
    _Alignas(64) uint8_t bytes[LOOPS_CHUNKS * 3264];
} loops_body;

static tms_cuckoo_table loops_table(loops_body *b, uint32_t places, uint32_t bits, bool far)
{
    memset(b, 0, sizeof *b);
    tms_cuckoo_table t = {.bytes = b->bytes,
                          .chunks = LOOPS_CHUNKS,
                          .buckets = LOOPS_BUCKETS,
                          .bits = bits,
                          .places = places,
                          .far = far};
    tms_cuckoo_table_prepare(&t, false);
    assert_true(t.chunk_bytes * LOOPS_CHUNKS <= sizeof b->bytes);
    return t;
}

/* Answers of a batch, in runs of any length, beside those of single questions. */
static void try_answers(const tms_cuckoo_kernel *k, const tms_cuckoo_table *t,
                        const uint64_t *digests, splitmix *random)
{
    size_t next = 0;
    for (tms_run run = {0}; run.ahead_count || next < LOOPS_KEYS;) {
        const size_t some = 1 + (size_t)splitmix_below(random, TMS_RUN), left = LOOPS_KEYS - next;
        bool answers[TMS_RUN];
        size_t hits = 0;
        run = (tms_run){run.ahead, run.ahead_count, digests + next, left < some ? left : some};
        next += run.ahead_count;
        const size_t told = k->may_contain_many(t, &run, answers);
        for (size_t i = 0; i < run.count; i++) {
            CHECK(answers[i] == tms_cuckoo_narrow.may_contain(t, run.now[i]), "key %zu", i);
            hits += answers[i];
        }
        CHECK(told == hits, "%zu hits, not %zu", told, hits);
    }
}

static void try_loops(uint32_t places, uint32_t bits, bool far)
{
    static loops_body one, two;
    const tms_cuckoo_table a = loops_table(&one, places, bits, far);
    const tms_cuckoo_kernel *k;
    splitmix random = {SEED + bits};
    uint64_t digests[LOOPS_KEYS];
    splitmix_fill(&random, digests, LOOPS_KEYS);
    for (size_t i = 0; i < LOOPS_KEYS; i += 2) (void)tms_cuckoo_narrow.add(&a, digests[i]);
    for (unsigned n = 0; (k = tms_cuckoo_kernel_number(&a, false, false, n)) != NULL; n++) {
        check_about("%s; %u places, %u bits, far %d, seed %" PRIu64, k->name, places, bits, far,
                    SEED);
        const tms_cuckoo_table b = loops_table(&two, places, bits, far);
        for (size_t i = 0; i < LOOPS_KEYS; i += 2) (void)k->add_part(&b, digests + i, 1, 0);
        CHECK(memcmp(&one, &two, sizeof one) == 0, "other bytes");
        try_answers(k, &a, digests, &random);
    }
}

/* The bytes and the answers of plain C, and part by part those of one by one. */
static void loops_are_alike(void **state)
{
    (void)state;
    for (uint32_t bits = 4; bits <= 16; bits++) {
        try_loops(4, bits, bits % 2);
        try_loops(2, 2 * bits, !(bits % 2));
    }
}

/* Any bytes are a table: forged files are asked, added to and removed from. */
static void any_bytes_will_do(void **state)
{
    (void)state;
    static bench_body body;
    splitmix random = {SEED};
    for (uint32_t bits = 4; bits <= 32; bits++)
        for (unsigned form = 0; form < 3; form++) {
            const bool dense = form == 2;
            const tms_cuckoo_table t = table_over(&body, form == 1 ? 2 : 4, bits, dense);
            const tms_cuckoo_kernel *k = tms_cuckoo_kernel_for(&t, dense, false);
            for (size_t i = 0; i < sizeof body.bytes; i += 8)
                tms_store64(body.bytes + i, splitmix_next(&random));
            for (unsigned i = 0; i < 20; i++) {
                const uint64_t digest = splitmix_next(&random);
                (void)k->add(&t, digest);
                (void)k->may_contain(&t, digest);
                (void)k->count(&t, digest);
                (void)k->remove(&t, digest);
            }
        }
}

/* ---- plans --------------------------------------------------------------- */

static const tamis_spec FORMS[] = {
    {.fpr = 0.01},
    {.fpr = 0.3},
    {.fpr = 1e-4},
    {.fpr = 1e-6, .bucket_keys = 2},
    {.fpr = 0.01, .flags = TAMIS_DENSE},
    {.fpr = 0.002, .fingerprint_bits = 12},
    {.fpr = 1e-8},
};

/* Every seed is another table: none may refuse a key it was planned for. */
static void planned_keys_are_taken(void **state)
{
    (void)state;
    static const struct {
        uint64_t keys;
        unsigned seeds;
    } sizes[] = {{1, 10},   {5, 40},   {9, 40},    {10, 40},   {17, 40},   {33, 40},
                 {100, 40}, {250, 20}, {1000, 10}, {10000, 2}, {200000, 1}};
    for (size_t r = 0; r < COUNT(FORMS); r++)
        for (size_t s = 0; s < COUNT(sizes); s++)
            for (unsigned seed = 0; seed < sizes[s].seeds; seed++) {
                tamis_spec spec = FORMS[r];
                tamis_filter *f = NULL;
                spec.kind = TAMIS_KIND_CUCKOO;
                spec.capacity = sizes[s].keys;
                spec.seed = SEED + seed;
                check_about("%" PRIu64 " keys at %g, row %zu, seed %" PRIu64, spec.capacity,
                            spec.fpr, r, spec.seed);
                CHECK_OK(tamis_create(&spec, &f));
                for (uint64_t k = 0; k < spec.capacity; k++) CHECK_OK(tamis_add_u64(f, k));
                tamis_facts facts;
                CHECK_OK(tamis_info(f, &facts));
                CHECK(facts.keys == (double)spec.capacity, "%g keys", facts.keys);
                tamis_free(f);
            }
}

static void plans_say_what_they_do(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        tamis_spec spec;
        uint32_t bits, places;
        double least, most; /* bits a key */
    } rows[] = {
        {"a percent", {.capacity = 1000000, .fpr = 0.01}, 10, 4, 10.4, 10.7},
        {"insisted width",
         {.capacity = 1000000, .fpr = 0.01, .fingerprint_bits = 12},
         12,
         4,
         12.5,
         12.8},
        {"twos", {.capacity = 1000000, .fpr = 0.001, .bucket_keys = 2}, 12, 2, 14.2, 14.6},
        {"dense saves a bit a key",
         {.capacity = 1000000, .fpr = 0.01, .flags = TAMIS_DENSE},
         10,
         4,
         9.4,
         9.6},
        {"a hundred million",
         {.capacity = 100000000, .fpr = 0.002, .fingerprint_bits = 12},
         12,
         4,
         12.5,
         12.8},
        {"narrow ones fail in large tables", {.capacity = 100000000, .fpr = 0.21}, 6, 4, 6.3, 9},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tamis_spec spec = rows[i].spec;
        tamis_sizing s;
        spec.kind = TAMIS_KIND_CUCKOO;
        check_about("%s", rows[i].why);
        CHECK_OK(tamis_plan(&spec, &s));
        CHECK(s.fingerprint_bits >= rows[i].bits && s.fingerprint_bits <= rows[i].bits + 1,
              "%u bits", s.fingerprint_bits);
        CHECK(s.bucket_keys == rows[i].places, "%u places", s.bucket_keys);
        CHECK(s.bits_per_key >= rows[i].least && s.bits_per_key <= rows[i].most, "%g bits a key",
              s.bits_per_key);
        CHECK(s.refusal <= 1e-6 && strstr(s.note, "probability"), "%s", s.note);
    }
}

static void odd_requests_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        tamis_spec spec;
        tamis_status status;
    } rows[] = {
        {"too narrow", {.capacity = 10, .fpr = 0.1, .fingerprint_bits = 3}, TAMIS_E_SPEC},
        {"too wide", {.capacity = 10, .fpr = 0.1, .fingerprint_bits = 33}, TAMIS_E_SPEC},
        {"buckets of 3", {.capacity = 10, .fpr = 0.1, .bucket_keys = 3}, TAMIS_E_SPEC},
        {"dense twos",
         {.capacity = 10, .fpr = 0.1, .bucket_keys = 2, .flags = TAMIS_DENSE},
         TAMIS_E_SPEC},
        {"hashes", {.capacity = 10, .fpr = 0.1, .hashes = 3}, TAMIS_E_SPEC},
        {"fold", {.capacity = 10, .fpr = 0.1, .fold = 2}, TAMIS_E_SPEC},
        {"one thing known", {.capacity = 10}, TAMIS_E_SPEC},
        {"a width that cannot",
         {.capacity = 100000, .fpr = 1e-6, .fingerprint_bits = 6},
         TAMIS_E_UNREACHABLE},
        {"a rate below all widths", {.capacity = 100000, .fpr = 2e-12}, TAMIS_E_UNREACHABLE},
        {"a byte a key", {.capacity = 1000, .fpr = 0.001, .memory = 1000}, TAMIS_E_LIMIT},
        {"no room at all", {.capacity = 1000, .memory = 400}, TAMIS_E_LIMIT},
        {"not a line", {.fpr = 0.1, .memory = 63}, TAMIS_E_LIMIT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tamis_spec spec = rows[i].spec;
        tamis_sizing s;
        spec.kind = TAMIS_KIND_CUCKOO;
        check_about("%s", rows[i].why);
        CHECK_STATUS(tamis_plan(&spec, &s), rows[i].status);
    }
}

/* Parameters from a hostile file. */
static void hostile_parameters(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint64_t params[5];
        bool sound;
    } rows[] = {
        {"the smallest", {1, 2, 4, 2, 0}, true},
        {"the widest", {1, 1 << 26, 32, 4, 0}, true},
        {"semi-sorted", {3, 10, 9, 4, 1}, true},
        {"no chunk", {0, 2, 4, 2, 0}, false},
        {"no bucket", {1, 0, 4, 2, 0}, false},
        {"an odd number of buckets", {1, 3, 4, 2, 0}, false},
        {"too many buckets", {1, (1 << 26) + 2, 4, 2, 0}, false},
        {"2^64 - 2 buckets", {1, UINT64_MAX - 1, 4, 2, 0}, false},
        {"2^64 - 1 chunks", {UINT64_MAX, 2, 4, 2, 0}, false},
        {"more than 2^56 bytes", {UINT64_C(1) << 40, 1 << 26, 32, 4, 0}, false},
        {"3 bits", {1, 2, 3, 2, 0}, false},
        {"33 bits", {1, 2, 33, 2, 0}, false},
        {"2^32 + 12 bits", {1, 2, (UINT64_C(1) << 32) + 12, 2, 0}, false},
        {"no place", {1, 2, 4, 0, 0}, false},
        {"three places", {1, 2, 4, 3, 0}, false},
        {"semi-sorted twos", {1, 2, 8, 2, 1}, false},
        {"layout 2", {1, 2, 8, 4, 2}, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tms_shape shape = {.kind = TAMIS_KIND_CUCKOO, .param_count = 5};
        memcpy(shape.params, rows[i].params, sizeof rows[i].params);
        check_about("%s", rows[i].why);
        CHECK_STATUS(tms_cuckoo_kind.check(&shape), rows[i].sound ? TAMIS_OK : TAMIS_E_CORRUPT);
        shape.param_count = 4;
        CHECK_STATUS(tms_cuckoo_kind.check(&shape), TAMIS_E_CORRUPT);
    }
}

/* The chance of refusal is an upper estimate: measured where it is large enough. */
static void refusals_are_not_underestimated(void **state)
{
    (void)state;
    static const struct {
        uint64_t buckets;
        uint32_t places, bits;
        unsigned keys, tables;
    } rows[] = {{4, 4, 16, 11, 20000}, {6, 4, 16, 15, 20000},   {16, 2, 16, 17, 20000},
                {64, 2, 12, 80, 4000}, {128, 4, 12, 482, 2000}, {64, 4, 4, 215, 3000}};
    for (size_t r = 0; r < COUNT(rows); r++) {
        const tms_cuckoo_size size = {1, rows[r].buckets, rows[r].places, rows[r].bits};
        tms_cuckoo_table t = {.chunks = 1,
                              .buckets = (uint32_t)rows[r].buckets,
                              .places = rows[r].places,
                              .bits = rows[r].bits};
        tms_cuckoo_table_prepare(&t, false);
        t.bytes = aligned_alloc(64, t.chunk_bytes);
        const tms_cuckoo_kernel *k = tms_cuckoo_kernel_for(&t, false, false);
        splitmix random = {SEED};
        unsigned refused = 0;
        for (unsigned n = 0; n < rows[r].tables; n++) {
            bool full = false;
            memset(t.bytes, 0, t.chunk_bytes);
            for (unsigned i = 0; i < rows[r].keys && !full; i++)
                full = k->add(&t, splitmix_next(&random)) >= TMS_CUCKOO_TWINS;
            refused += full;
        }
        free(t.bytes);
        const double expected = tms_cuckoo_refusal(&size, rows[r].keys) * rows[r].tables;
        check_about("%u keys in %" PRIu64 " buckets of %u, %u bits", rows[r].keys, rows[r].buckets,
                    rows[r].places, rows[r].bits);
        CHECK(refused <= expected + 4 * sqrt(expected) + 1, "%u refused, at most %.1f expected",
              refused, expected);
    }
}

/* ---- filters ------------------------------------------------------------- */

static tamis_filter *make(uint64_t capacity, double fpr, uint32_t flags)
{
    const tamis_spec spec = {
        .kind = TAMIS_KIND_CUCKOO, .capacity = capacity, .fpr = fpr, .flags = flags};
    tamis_filter *f = NULL;
    CHECK_OK(tamis_create(&spec, &f));
    return f;
}

/* Up to twice a bucket's places, then a refusal that says so. */
static void copies_of_one_key(void **state)
{
    (void)state;
    for (uint32_t flags = 0; flags <= TAMIS_DENSE; flags += TAMIS_DENSE) {
        tamis_filter *f = make(1000, 0.001, flags);
        tamis_facts facts;
        bool was_new = false;
        check_about("flags %u", flags);
        CHECK_OK(tamis_info(f, &facts));
        const unsigned most = 2 * facts.bucket_keys;
        for (unsigned i = 0; i < most; i++) {
            CHECK(tamis_estimate_count(f, "x", 1) == i, "copy %u", i);
            CHECK_OK(tamis_add_new(f, "x", 1, &was_new));
            CHECK(was_new == (i == 0), "copy %u is new", i);
        }
        CHECK_STATUS(tamis_add(f, "x", 1), TAMIS_E_FULL);
        CHECK(strstr(tamis_explain(), "times"), "%s", tamis_explain());
        for (unsigned i = most; i-- > 0;) {
            CHECK(tamis_may_contain(f, "x", 1), "gone too early");
            CHECK_OK(tamis_remove(f, "x", 1));
            CHECK(tamis_estimate_count(f, "x", 1) == i, "%u are left", i);
        }
        CHECK_STATUS(tamis_remove(f, "x", 1), TAMIS_E_ABSENT);
        CHECK(!tamis_may_contain(f, "x", 1), "still there");
        tamis_free(f);
    }
}

/* Far past its capacity a table refuses, and every key that was taken is there. */
static void full_tables_lose_nothing(void **state)
{
    (void)state;
    for (uint32_t flags = 0; flags <= TAMIS_DENSE; flags += TAMIS_DENSE) {
        enum { KEYS = 6000 };
        tamis_filter *f = make(4000, 0.001, flags);
        static bool taken[KEYS];
        unsigned refused = 0;
        memset(taken, 0, sizeof taken);
        for (uint64_t k = 0; k < KEYS; k++) {
            filter_bytes before = filter_bytes_of(f);
            const tamis_status status = tamis_add_u64(f, k);
            taken[k] = status == TAMIS_OK;
            check_about("key %" PRIu64 ", flags %u", k, flags);
            if (!taken[k]) {
                CHECK(status == TAMIS_E_FULL, "status %d", (int)status);
                filter_check_unchanged(f, &before, "a refused add");
                refused++;
            }
            filter_bytes_free(&before);
            if (refused > 20) break;
        }
        CHECK(refused > 20, "only %u were refused", refused);
        for (uint64_t k = 0; k < KEYS; k++)
            CHECK(!taken[k] || tamis_may_contain_u64(f, k), "key %" PRIu64 " is lost", k);
        tamis_finding findings[16];
        (void)tamis_diagnose(f, findings, COUNT(findings));
        CHECK(findings[0].code == TAMIS_FINDING_NEARLY_FULL, "%s", findings[0].sentence);
        tamis_free(f);
    }
}

static void the_same_adds_give_the_same_bytes(void **state)
{
    (void)state;
    for (uint32_t flags = 0; flags <= TAMIS_DENSE; flags += TAMIS_DENSE) {
        tamis_filter *f = make(50000, 0.003, flags), *g = make(50000, 0.003, flags);
        tamis_filter *h = make(50000, 0.003, flags | TAMIS_CONCURRENT);
        static uint64_t keys[50000];
        for (uint64_t k = 0; k < 50000; k++) keys[k] = k;
        const tamis_keys batch = tamis_keys_u64(keys, 50000);
        for (uint64_t k = 0; k < 50000; k++) CHECK_OK(tamis_add_u64(f, k));
        CHECK_OK(tamis_add_many(g, &batch, NULL));
        CHECK_OK(tamis_add_many(h, &batch, NULL));
        filters_check_same(f, g, "one by one and as a batch");
        filters_check_same_body(f, h, "alone and concurrent");
        for (uint64_t k = 0; k < 50000; k += 2) {
            CHECK_OK(tamis_remove_u64(f, k));
            CHECK_OK(tamis_remove_u64(g, k));
        }
        filters_check_same(f, g, "half of them removed");
        tamis_free(f);
        tamis_free(g);
        tamis_free(h);
    }
}

/* Several chunks, several rounds: in the order of chunks the bytes are the same. */
static void try_large_batch(double fpr)
{
    enum { KEYS = 500000 };
    uint64_t *digests = malloc(KEYS * sizeof *digests);
    splitmix_fill(&(splitmix){SEED}, digests, KEYS);
    tamis_filter *one = make(KEYS, fpr, 0);
    for (size_t i = 0; i < KEYS; i++) CHECK_OK(tamis_add_hash(one, digests[i]));
    const tamis_keys batch = tamis_keys_digests(digests, KEYS);
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        tamis_filter *f = make(KEYS, fpr, 0);
        size_t added = 0;
        check_about("a rate of %g, %u threads", fpr, threads);
        CHECK_OK(tamis_add_many_parallel(f, &batch, threads, &added));
        CHECK(added == KEYS, "%zu added", added);
        filters_check_same(one, f, "one by one and by chunks");
        tamis_free(f);
    }
    tamis_free(one);
    free(digests);
}

static void large_batches_by_chunks(void **state)
{
    (void)state;
    try_large_batch(1e-5); /* wide buckets */
    try_large_batch(1e-3); /* narrow ones */
}

/* A batch within the capacity, one of whose keys is refused: copies of one key. The
 * keys before it are there, none after it is. */
static void refused_in_a_large_batch(void **state)
{
    (void)state;
    enum { KEYS = 300000, TWIN = 200000 };
    uint64_t *digests = malloc(KEYS * sizeof *digests);
    splitmix_fill(&(splitmix){SEED}, digests, KEYS);
    for (unsigned i = 0; i < 9; i++) digests[TWIN + 7 * i] = 12345; /* the ninth is too many */
    const size_t wall = TWIN + 7 * 8;
    const tamis_keys batch = tamis_keys_digests(digests, KEYS);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        tamis_filter *f = make(KEYS, 1e-6, 0);
        size_t added = 0;
        tamis_facts facts;
        check_about("%u threads", threads);
        CHECK_STATUS(tamis_add_many_parallel(f, &batch, threads, &added), TAMIS_E_FULL);
        CHECK(strstr(tamis_explain(), "times"), "%s", tamis_explain());
        CHECK(added == wall, "%zu added, not %zu", added, wall);
        CHECK_OK(tamis_info(f, &facts));
        CHECK(facts.keys == (double)wall && facts.added == wall, "%g keys", facts.keys);
        for (size_t i = 0; i < wall; i++)
            CHECK(tamis_may_contain_hash(f, digests[i]), "key %zu is lost", i);
        size_t there = 0;
        for (size_t i = wall + 1; i < KEYS; i++) there += tamis_may_contain_hash(f, digests[i]);
        CHECK(there < 10, "%zu keys behind it are there", there);
        tamis_free(f);
    }
    free(digests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alternates_find_back),
        cmocka_unit_test(alternates_of_large_chunks),
        cmocka_unit_test(fingerprints_are_even),
        cmocka_unit_test(every_combination_of_nibbles),
        cmocka_unit_test(loops_keep_a_list),
        cmocka_unit_test(loops_are_alike),
        cmocka_unit_test(any_bytes_will_do),
        cmocka_unit_test(planned_keys_are_taken),
        cmocka_unit_test(plans_say_what_they_do),
        cmocka_unit_test(odd_requests_are_refused),
        cmocka_unit_test(hostile_parameters),
        cmocka_unit_test(refusals_are_not_underestimated),
        cmocka_unit_test(copies_of_one_key),
        cmocka_unit_test(full_tables_lose_nothing),
        cmocka_unit_test(the_same_adds_give_the_same_bytes),
        cmocka_unit_test(large_batches_by_chunks),
        cmocka_unit_test(refused_in_a_large_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
