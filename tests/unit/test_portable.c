/* test_portable.c - portable Roaring bytes: what is refused, what is taken, and
 * the one form in which a set is written. The bytes of the rows are made here by
 * hand, from the specification of the format alone.                         */
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "kinds/portable.h"
#include "support/check.h"
#include "support/splitmix.h"

/* ---- bytes by hand ------------------------------------------------------ */

enum { PAGE_ROOM = 1 << 17 };

typedef struct page {
    uint8_t bytes[PAGE_ROOM];
    size_t size;
} page;

static void put16(page *p, unsigned x)
{
    tms_store16(p->bytes + p->size, (uint16_t)x);
    p->size += 2;
}

static void put32(page *p, uint32_t x)
{
    tms_store32(p->bytes + p->size, x);
    p->size += 4;
}

static void put64(page *p, uint64_t x)
{
    tms_store64(p->bytes + p->size, x);
    p->size += 8;
}

/* One chunk of a 32-bit bitmap, written as values, bits or runs. */
typedef struct chunk {
    char form; /* 'a', 'b' or 'r' */
    unsigned key, first, step, count;
} chunk;

static size_t chunk_bytes(const chunk *c)
{
    if (c->form == 'r') return 2 + 4 * (size_t)(c->step == 1 ? 1 : c->count);
    return c->form == 'b' ? 8192 : 2 * (size_t)c->count;
}

static void put_chunk(page *p, const chunk *c)
{
    if (c->form == 'r' && c->step == 1) {
        put16(p, 1);
        put16(p, c->first);
        put16(p, c->count - 1);
    } else if (c->form == 'r') {
        put16(p, c->count);
        for (unsigned i = 0; i < c->count; i++) {
            put16(p, c->first + i * c->step);
            put16(p, 0);
        }
    } else if (c->form == 'a') {
        for (unsigned i = 0; i < c->count; i++) put16(p, c->first + i * c->step);
    } else {
        memset(p->bytes + p->size, 0, 8192);
        for (unsigned i = 0; i < c->count; i++) {
            unsigned value = c->first + i * c->step;
            p->bytes[p->size + value / 8] |= (uint8_t)(1u << value % 8);
        }
        p->size += 8192;
    }
}

static void put_bitmap(page *p, const chunk *chunks, unsigned count)
{
    bool runs = false;
    size_t begin = p->size;
    for (unsigned i = 0; i < count; i++) runs |= chunks[i].form == 'r';
    if (runs) {
        put32(p, 12347 | (count - 1) << 16);
        memset(p->bytes + p->size, 0, (count + 7) / 8);
        for (unsigned i = 0; i < count; i++)
            if (chunks[i].form == 'r') p->bytes[p->size + i / 8] |= (uint8_t)(1u << i % 8);
        p->size += (count + 7) / 8;
    } else {
        put32(p, 12346);
        put32(p, count);
    }
    for (unsigned i = 0; i < count; i++) {
        put16(p, chunks[i].key);
        put16(p, chunks[i].count - 1);
    }
    bool offsets = !runs || count >= 4;
    size_t at = p->size - begin + (offsets ? 4 * count : 0);
    for (unsigned i = 0; offsets && i < count; i++) {
        put32(p, (uint32_t)at);
        at += chunk_bytes(&chunks[i]);
    }
    for (unsigned i = 0; i < count; i++) put_chunk(p, &chunks[i]);
}

static tamis_status judge(const page *p, tms_portable_extent *extent)
{
    return tms_portable_check(p->bytes, p->size, extent);
}

/* ---- the one form ------------------------------------------------------- */

#define CHUNKS(...) .chunks = {__VA_ARGS__}, .count = COUNT(((const chunk[]){__VA_ARGS__}))

static const struct {
    const char *why;
    chunk chunks[5];
    unsigned count;
    chunk best[5]; /* the same set in its smallest form */
} FORMS[] = {
    {"no value", .count = 0},
    {"one value is a value", CHUNKS({'a', 7, 9, 1, 1}), .best = {{'a', 7, 9, 1, 1}}},
    {"one value as a run", CHUNKS({'r', 7, 9, 1, 1}), .best = {{'a', 7, 9, 1, 1}}},
    {"three in a row tie: values", CHUNKS({'r', 0, 5, 1, 3}), .best = {{'a', 0, 5, 1, 3}}},
    {"four in a row are a run", CHUNKS({'a', 0, 5, 1, 4}), .best = {{'r', 0, 5, 1, 4}}},
    {"a full chunk is a run", CHUNKS({'r', 0, 5, 1, 1}, {'r', 1, 0, 1, 65536}),
     .best = {{'a', 0, 5, 1, 1}, {'r', 1, 0, 1, 65536}}},
    {"4096 values", CHUNKS({'a', 3, 0, 16, 4096}), .best = {{'a', 3, 0, 16, 4096}}},
    {"4097 values are bits", CHUNKS({'b', 3, 0, 15, 4097}), .best = {{'b', 3, 0, 15, 4097}}},
    {"many single runs are values", CHUNKS({'r', 3, 1, 3, 4000}), .best = {{'a', 3, 1, 3, 4000}}},
    {"too many for values are bits", CHUNKS({'r', 3, 1, 3, 5000}), .best = {{'b', 3, 1, 3, 5000}}},
    {"bits in a row are a run", CHUNKS({'b', 65535, 60000, 1, 5536}),
     .best = {{'r', 65535, 60000, 1, 5536}}},
    {"five chunks have offsets",
     CHUNKS({'a', 0, 1, 2, 3}, {'r', 1, 2, 1, 9000}, {'b', 2, 0, 2, 30000}, {'a', 9, 4, 1, 900},
            {'r', 10, 0, 2, 7}),
     .best = {{'a', 0, 1, 2, 3},
              {'r', 1, 2, 1, 9000},
              {'b', 2, 0, 2, 30000},
              {'r', 9, 4, 1, 900},
              {'a', 10, 0, 2, 7}}},
};

static void test_the_smallest_form(void **state)
{
    (void)state;
    static page given, best;
    static uint8_t written[PAGE_ROOM];
    for (size_t i = 0; i < COUNT(FORMS); i++) {
        check_about("%s", FORMS[i].why);
        given.size = best.size = 0;
        put_bitmap(&given, FORMS[i].chunks, FORMS[i].count);
        put_bitmap(&best, FORMS[i].best, FORMS[i].count);
        size_t size = tms_portable_measure(given.bytes);
        CHECK(size == best.size, "%zu bytes, not %zu", size, best.size);
        CHECK(tms_portable_write(given.bytes, written) == size, "wrote another number");
        CHECK(memcmp(written, best.bytes, size) == 0, "other bytes");
    }
}

static void test_runs_that_touch(void **state)
{
    (void)state;
    static page p;
    uint8_t written[64];
    p.size = 0;
    put64(&p, 1);
    put32(&p, 0);
    put32(&p, 12347);
    p.bytes[p.size++] = 1;
    put16(&p, 0), put16(&p, 9);
    put16(&p, 2);
    put16(&p, 10), put16(&p, 4), put16(&p, 15), put16(&p, 4);
    tms_portable_extent extent;
    CHECK_OK(judge(&p, &extent));
    CHECK(extent.values == 10 && extent.bytes == p.size, "judged wrongly");
    CHECK(tms_portable_measure(p.bytes + 12) == 15, "two runs were kept");
    tms_portable_write(p.bytes + 12, written);
    CHECK(tms_load16(written + 9) == 1 && tms_load16(written + 11) == 10 &&
              tms_load16(written + 13) == 9,
          "not one run of ten from 10");
}

/* ---- what is refused ---------------------------------------------------- */

/* A bitmap of two high words with a chunk of every form, and where it is wrong. */
static void put_sample(page *p)
{
    static const chunk first[] = {{'a', 1, 10, 10, 5}, {'b', 2, 0, 2, 5000}, {'r', 3, 7, 1, 100}};
    static const chunk second[] = {{'a', 0, 1, 1, 1}, {'a', 9, 5, 3, 4}};
    p->size = 0;
    put64(p, 2);
    put32(p, 5);
    put_bitmap(p, first, 3);
    put32(p, 6);
    put_bitmap(p, second, 2);
}

/* Offsets of the sample: head 8, high word 4; the first bitmap has its cookie at
 * 12, a byte of flags at 16, keys at 17, 21 and 25, data at 29: 10 bytes of
 * values, 8192 of bits, 2 and 4 of the run; then the second high word. */
enum { AT_KEYS = 17, AT_ARRAY = 29, AT_BITS = 39, AT_RUN = 8231, AT_SECOND = 8237 };

static const struct {
    const char *why;
    size_t at;
    uint16_t value; /* written there */
} FAULTS[] = {
    {"more than 2^32 high words", 4, 2},
    {"no cookie", 12, 12345},
    {"flags of chunks that are not there", 16, 0xff},
    {"a key twice", AT_KEYS + 4, 1},
    {"a key below the one before", AT_KEYS + 8, 0},
    {"a value twice", AT_ARRAY + 2, 10},
    {"a value below the one before", AT_ARRAY + 4, 5},
    {"one bit more than was said", AT_BITS, 0x5557},
    {"a cardinality that is not the bits'", AT_KEYS + 6, 6000},
    {"a run past the end of its chunk", AT_RUN + 2, 65500},
    {"a run longer than was said", AT_RUN + 4, 100},
    {"no runs", AT_RUN, 0},
    {"high words that do not ascend", AT_SECOND, 5},
    {"too many chunks", AT_SECOND + 10, 2},
    {"an offset that is wrong", AT_SECOND + 20, 1},
};

static void test_faults(void **state)
{
    (void)state;
    static page p;
    tms_portable_extent extent;
    put_sample(&p);
    CHECK_OK(judge(&p, &extent));
    CHECK(extent.bytes == p.size, "%zu bytes, not %zu", (size_t)extent.bytes, p.size);
    CHECK(extent.values == 5 + 5000 + 100 + 1 + 4, "%zu values", (size_t)extent.values);
    for (size_t i = 0; i < COUNT(FAULTS); i++) {
        check_about("%s", FAULTS[i].why);
        put_sample(&p);
        tms_store16(p.bytes + FAULTS[i].at, FAULTS[i].value);
        CHECK_STATUS(judge(&p, &extent), TAMIS_E_CORRUPT);
    }
}

static void test_truncation(void **state)
{
    (void)state;
    static page p;
    tms_portable_extent extent;
    put_sample(&p);
    for (size_t size = 0; size < p.size; size++) {
        uint8_t *exact = malloc(size + 1); /* so that a sanitizer sees a read past the end */
        assert_non_null(exact);
        memcpy(exact, p.bytes, size);
        exact = realloc(exact, size ? size : 1);
        check_about("%zu of %zu bytes", size, p.size);
        CHECK_STATUS(tms_portable_check(exact, size, &extent), TAMIS_E_TRUNCATED);
        free(exact);
    }
}

/* Any change of a byte is refused, or is another sound set: one that can be
 * written and judged again. */
static void test_flips(void **state)
{
    (void)state;
    static page p;
    static uint8_t written[PAGE_ROOM];
    splitmix random = {.state = 20260131};
    put_sample(&p);
    for (size_t at = 0; at < p.size; at++) {
        uint8_t before = p.bytes[at];
        p.bytes[at] ^= (uint8_t)(1 + splitmix_below(&random, 255));
        tms_portable_extent extent;
        check_about("byte %zu", at);
        if (judge(&p, &extent) == TAMIS_OK) {
            tms_portable_walk walk = tms_portable_begin(p.bytes);
            while (tms_portable_next(&walk)) {
                CHECK(tms_portable_measure(walk.bitmap) <= PAGE_ROOM, "it grew");
                tms_portable_write(walk.bitmap, written);
            }
            CHECK(walk.at == p.bytes + extent.bytes, "walked elsewhere");
        }
        p.bytes[at] = before;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_smallest_form),
        cmocka_unit_test(test_runs_that_touch),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_flips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
