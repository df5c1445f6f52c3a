/* test_same_bytes.c - the bits of a filter are a function of spec, seed and
 * keys alone: not of the instruction set, the mode or the order of distinct
 * keys. The kernels are tried directly, over lines full of anything; scalar is
 * the definition, and it is tried against the words of docs/format.md.      */
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "kernel/blocked_kernel.h"
#include "kernel/tuning.h"
#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static const uint64_t SEED = 4711;

/* ---- the definition, word by word from docs/format.md -------------------- */

static uint64_t slow_mulhi(uint64_t a, uint64_t b)
{
    const uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    const uint64_t low = al * bl, middle = ah * bl + (low >> 32);
    const uint64_t other = al * bh + (middle & 0xffffffff);
    return ah * bh + (middle >> 32) + (other >> 32);
}

static void slow_set(uint8_t *body, uint64_t bit)
{
    body[bit / 8] |= (uint8_t)(1u << bit % 8);
}

static void slow_classic(uint8_t *body, uint64_t bits, unsigned hashes, uint64_t h)
{
    uint64_t a = h;
    const uint64_t b = ((h << 32 | h >> 32) * UINT64_C(0x9E3779B97F4A7C15)) | 1;
    for (unsigned i = 0; i < hashes; i++) {
        slow_set(body, slow_mulhi((a ^ (a >> 32)) * UINT64_C(0xD6E8FEB86659FD93), bits));
        a += b;
    }
}

static void slow_blocked_table(uint8_t *table, uint64_t lines, unsigned hashes, uint64_t h)
{
    const uint64_t line = slow_mulhi(h, lines), p = h * UINT64_C(0x9E3779B97F4A7C15);
    for (unsigned i = 0; i < hashes; i++) {
        const unsigned lane = (unsigned)((p >> 61) + i) % 8;
        slow_set(table + 64 * line + 8 * lane, (p >> (7 * lane)) & 63);
    }
}

static void slow_blocked(uint8_t *body, uint64_t lines, unsigned hashes, unsigned per_key,
                         uint64_t h)
{
    slow_blocked_table(body, lines / per_key, hashes, h);
    if (per_key == 1) return;
    const uint64_t second = (h ^ (h >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
    slow_blocked_table(body + 64 * (lines / 2), lines / 2, hashes, second);
}

/* Sets the bits of one digest in the body of node 0, as its header says. */
static void slow_add(filter_bytes *b, uint64_t digest)
{
    const uint8_t *node = b->bytes + 120, *params = node + 64;
    if (tms_load32(node) == TAMIS_KIND_CLASSIC)
        slow_classic(b->body, tms_load64(params), tms_load32(params + 8), digest);
    else
        slow_blocked(b->body, tms_load64(params), tms_load32(params + 8), tms_load32(params + 16),
                     digest);
}

static void bits_are_as_documented(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 300, &row); i++) {
        if (row.grows || row.spec.kind > TAMIS_KIND_BLOCKED) continue;
        tamis_filter *f = spec_row_make(&row);
        key_batch keys = key_batch_text(SEED, (size_t)row.keys);
        filter_bytes slow = filter_bytes_of(f);
        add_door_number(0)->add(add_door_number(0), f, &keys);
        for (size_t k = 0; k < keys.count; k++)
            slow_add(&slow, tamis_hash(f, keys.spans[k].data, keys.spans[k].size));
        filter_bytes fast = filter_bytes_of(f);
        filter_bytes_check_same_body(&slow, &fast, "the documented bits and the library's");
        filter_bytes_free(&slow);
        filter_bytes_free(&fast);
        tamis_free(f);
        key_batch_free(&keys);
    }
}

/* ---- kernels ------------------------------------------------------------ */

enum { LINES = 16, DIGESTS = 400 };

typedef struct bench_table {
    _Alignas(64) uint8_t lines[64 * LINES];
} bench_table;

static tamis_blocked_view view_over(bench_table *t, unsigned hashes, unsigned per_key)
{
    tamis_blocked_view v = {
        .lines = t->lines, .line_count = LINES / per_key, .lines_per_key = per_key};
    for (unsigned r = 0; r < 8; r++)
        for (unsigned i = hashes; i < 8; i++) v.unselect[r] |= UINT64_C(64) << 7 * ((r + i) % 8);
    return v;
}

/* Lines of every density, from empty to full. */
static void fill_anyhow(bench_table *t, splitmix *random, unsigned density)
{
    for (size_t i = 0; i < sizeof t->lines; i += 8) {
        uint64_t word = density ? splitmix_next(random) : 0;
        for (unsigned d = 1; d < density; d++) word |= splitmix_next(random);
        tms_store64(t->lines + i, word);
    }
}

/* The runs of a batch of digests, with lines fetched ahead as the facade does. */
static tms_run run_at(const uint64_t *digests, size_t count, size_t from)
{
    const size_t now = count - from < TMS_RUN ? count - from : TMS_RUN;
    const size_t next = from + now, left = count - next;
    return (tms_run){digests + from, now, digests + next, left < TMS_RUN ? left : TMS_RUN};
}

static void try_asking(const tms_blocked_kernel *k, const tamis_blocked_view *v,
                       const uint64_t *digests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool expected = tms_blocked_scalar.may_contain(v, digests[i]);
        CHECK(k->may_contain(v, digests[i]) == expected, "%s: digest %zu", k->name, i);
        CHECK(tamis_blocked_view_may_contain(v, digests[i]) == expected, "inline: digest %zu", i);
    }
    for (size_t from = 0; from < count; from += TMS_RUN) {
        const tms_run run = run_at(digests, count, from);
        bool answers[TMS_RUN];
        size_t hits = 0;
        const size_t said = k->may_contain_many(v, &run, answers);
        for (size_t i = 0; i < run.count; i++) {
            const bool expected = tms_blocked_scalar.may_contain(v, run.now[i]);
            CHECK(answers[i] == expected, "%s: digest %zu of a run", k->name, from + i);
            hits += expected;
        }
        CHECK(said == hits, "%s: %zu hits, not %zu", k->name, said, hits);
    }
}

typedef struct kernel_case {
    const tms_blocked_kernel *kernel;
    unsigned hashes, per_key;
    const uint64_t *digests;
    size_t count;
} kernel_case;

/* add, add_many, add_new_many and the inline view, each on a copy. */
static void try_adding(const kernel_case *c, const bench_table *start)
{
    const tms_blocked_kernel *k = c->kernel;
    bench_table plain = *start, single = *start, many = *start, news = *start, inlined = *start;
    const tamis_blocked_view p = view_over(&plain, c->hashes, c->per_key),
                             s = view_over(&single, c->hashes, c->per_key),
                             m = view_over(&many, c->hashes, c->per_key),
                             n = view_over(&news, c->hashes, c->per_key),
                             x = view_over(&inlined, c->hashes, c->per_key);
    for (size_t from = 0; from < c->count; from += TMS_RUN) {
        const tms_run run = run_at(c->digests, c->count, from);
        bool was_new[TMS_RUN];
        k->add_many(&m, &run);
        k->add_new_many(&n, &run, was_new);
        for (size_t i = 0; i < run.count; i++) {
            const bool expected = tms_blocked_scalar.add(&p, run.now[i]);
            CHECK(k->add(&s, run.now[i]) == expected, "%s: add %zu", k->name, from + i);
            CHECK(tamis_blocked_view_add(&x, run.now[i]) == expected, "inline: add %zu", from + i);
            CHECK(was_new[i] == expected, "%s: add_new %zu", k->name, from + i);
        }
    }
    CHECK(memcmp(&plain, &single, sizeof plain) == 0, "%s: add sets other bits", k->name);
    CHECK(memcmp(&plain, &many, sizeof plain) == 0, "%s: add_many sets other bits", k->name);
    CHECK(memcmp(&plain, &news, sizeof plain) == 0, "%s: add_new_many sets others", k->name);
    CHECK(memcmp(&plain, &inlined, sizeof plain) == 0, "the inline view sets other bits");
}

/* Several tables at once, of one line a key and every number of bits. */
static void try_asking_any(const tms_blocked_kernel *kernel, const uint64_t *digests, size_t count)
{
    enum { TABLES = 8 };
    static bench_table tables[TABLES];
    tamis_blocked_view views[TABLES];
    const void *holders[TABLES];
    for (unsigned i = 0; i < TABLES; i++) {
        fill_anyhow(&tables[i], &(splitmix){SEED + i}, 3 + i % 3);
        views[i] = view_over(&tables[i], i + 1, 1);
        holders[i] = (const uint8_t *)&views[i] - 40;
    }
    for (uint32_t asked = 0; asked <= TABLES; asked++)
        for (size_t i = 0; i < count; i++) {
            bool expected = false;
            for (uint32_t t = 0; t < asked; t++)
                expected |= tms_blocked_scalar.may_contain(&views[t], digests[i]);
            CHECK(kernel->may_contain_any(holders, 40, asked, digests[i]) == expected,
                  "%s: digest %zu in %u tables", kernel->name, i, asked);
        }
}

static void try_kernel(const tms_blocked_kernel *kernel)
{
    static uint64_t digests[DIGESTS];
    for (unsigned hashes = 1; hashes <= 8; hashes++)
        for (unsigned per_key = 1; per_key <= 2; per_key++)
            for (unsigned density = 0; density <= 6; density++) {
                splitmix random = {SEED + hashes * 100 + per_key * 10 + density};
                bench_table table;
                const kernel_case c = {kernel, hashes, per_key, digests, DIGESTS};
                fill_anyhow(&table, &random, density);
                splitmix_fill(&random, digests, DIGESTS);
                memcpy(digests + 200, digests + 190, 10 * sizeof *digests); /* repeats */
                digests[0] = 0;
                digests[1] = UINT64_MAX;
                check_about("%s, %u bits, %u lines, density %u, seed %" PRIu64, kernel->name,
                            hashes, per_key, density, SEED);
                const tamis_blocked_view v = view_over(&table, hashes, per_key);
                try_asking(kernel, &v, digests, DIGESTS);
                try_adding(&c, &table);
            }
    try_asking_any(kernel, digests, DIGESTS);
}

static void every_kernel_is_scalar(void **state)
{
    (void)state;
    const tms_blocked_kernel *kernel;
    unsigned count = 0;
    for (; (kernel = tms_blocked_kernel_number(count)) != NULL; count++) {
        print_message("kernel: %s\n", kernel->name);
        try_kernel(kernel);
    }
    assert_true(count >= 1);
    assert_ptr_equal(tms_blocked_kernel_number(0), &tms_blocked_scalar);
    assert_ptr_equal(tms_blocked_kernel_best(), tms_blocked_kernel_number(count - 1));
    try_kernel(tms_blocked_kernel_shared());
}

/* The best kernel is what the handle uses: a body large enough for fetching
 * gives what scalar gives. */
static void large_filters_are_scalar_too(void **state)
{
    (void)state;
    for (unsigned per_key = 1; per_key <= 2; per_key++) {
        const tamis_spec spec = {.kind = TAMIS_KIND_BLOCKED,
                                 .capacity = 1200000,
                                 .memory = 3 << 19,
                                 .lines_per_key = per_key};
        tamis_filter *f = NULL, *slow = NULL;
        tamis_blocked_view v;
        check_about("1.5 MiB, %u lines a key, seed %" PRIu64, per_key, SEED);
        CHECK_OK(tamis_create(&spec, &f));
        CHECK_OK(tamis_create(&spec, &slow));
        CHECK_OK(tamis_blocked_view_of(slow, &v));
        uint64_t *digests = calloc(200000, sizeof *digests);
        splitmix_fill(&(splitmix){SEED}, digests, 200000);
        const tamis_keys batch = tamis_keys_digests(digests, 200000);
        CHECK_OK(tamis_add_many(f, &batch, NULL));
        for (size_t i = 0; i < 200000; i++) (void)tms_blocked_scalar.add(&v, digests[i]);
        filters_check_same_body(f, slow, "batch and scalar");
        free(digests);
        tamis_free(f);
        tamis_free(slow);
    }
}

/* ---- modes and order ---------------------------------------------------- */

static tamis_filter *filled(const spec_row *row, const key_batch *keys, size_t door)
{
    tamis_filter *f = spec_row_make(row);
    add_door_number(door)->add(add_door_number(door), f, keys);
    return f;
}

static void concurrent_mode_sets_the_same_bits(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 5000, &row); i++) {
        const uint32_t can = tamis_kind_abilities(row.spec.kind);
        if (row.spec.flags & TAMIS_CONCURRENT || !(can & TAMIS_CAN_CONCURRENT)) continue;
        spec_row shared = row;
        shared.spec.flags |= TAMIS_CONCURRENT;
        key_batch keys = key_batch_integers(SEED, (size_t)row.keys);
        for (size_t door = 0; door < 7; door += 6) {
            tamis_filter *a = filled(&row, &keys, door), *b = filled(&shared, &keys, door);
            filters_check_same(a, b, "normal and concurrent");
            tamis_free(a);
            tamis_free(b);
        }
        key_batch_free(&keys);
    }
}

/* A set has no order; a scaling filter's layers do, and so have bounded tables. */
static void order_does_not_matter(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 3000, &row); i++) {
        const bool forgets = tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_FORGET;
        if (row.grows || row.bounded || forgets) continue;
        key_batch keys = key_batch_integers(SEED, (size_t)row.keys);
        tamis_filter *f = filled(&row, &keys, 0), *g = spec_row_make(&row);
        for (size_t k = keys.count; k-- > 0;) CHECK_OK(tamis_add_u64(g, keys.integers[k]));
        filters_check_same_body(f, g, "forwards and backwards");
        tamis_free(f);
        tamis_free(g);
        key_batch_free(&keys);
    }
}

static void the_same_again(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 3000, &row); i++) {
        key_batch keys = key_batch_text(SEED, (size_t)row.keys);
        tamis_filter *f = filled(&row, &keys, 0), *g = filled(&row, &keys, 0);
        filters_check_same(f, g, "built twice");
        tamis_free(f);
        tamis_free(g);
        key_batch_free(&keys);
    }
}

/* Another seed or secret is another filter. */
static void seed_and_secret_matter(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 3000, &row); i++) {
        if (row.spec.capacity == 1) continue; /* full in either case */
        spec_row other = row;
        uint8_t secret[16];
        memcpy(secret, SPEC_SECRET, 16);
        secret[15] ^= 1;
        if (row.spec.secret)
            other.spec.secret = secret;
        else
            other.spec.seed ^= 1;
        key_batch keys = key_batch_integers(SEED, (size_t)row.keys);
        tamis_filter *f = filled(&row, &keys, 0), *g = filled(&other, &keys, 0);
        filter_bytes a = filter_bytes_of(f), b = filter_bytes_of(g);
        CHECK(a.body_size != b.body_size || memcmp(a.body, b.body, a.body_size) != 0,
              "the same bits under another seed or secret");
        filter_bytes_free(&a);
        filter_bytes_free(&b);
        tamis_free(f);
        tamis_free(g);
        key_batch_free(&keys);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_as_documented),
        cmocka_unit_test(every_kernel_is_scalar),
        cmocka_unit_test(large_filters_are_scalar_too),
        cmocka_unit_test(concurrent_mode_sets_the_same_bits),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(the_same_again),
        cmocka_unit_test(seed_and_secret_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
