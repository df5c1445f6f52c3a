/* test_redisbloom_damage.c - whatever the bytes, reading gives a status or a sound
 * filter: every payload and every header cut at every length and changed at every
 * byte, also with a checksum that fits again, under a cap on memory. What loads
 * is then used: asked, added to, removed from, compacted and written.       */
#include "base/endian.h"
#include "foreign/rdb_bytes.h"
#include "redisbloom_golden.h"

enum { CAP = 1 << 20 };

static uint64_t held, peak;

static void *damage_zeroed(void *ctx, size_t size)
{
    (void)ctx;
    held += size;
    if (held > peak) peak = held;
    return calloc(1, size ? size : 1);
}

static void damage_free(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    held -= size;
    free(memory);
}

static const tamis_redisbloom_host host = {
    .zeroed = damage_zeroed, .free = damage_free, .memory = CAP, .max_filters = 200};

/* A sound filter does all of this, whatever it holds. */
static void use(tamis_filter *f)
{
    bytes_heap heap = {0};
    bool pending = false;
    for (uint32_t i = 0; i < 3; i++) {
        golden_key key = golden_name("used", i);
        tamis_status status = tamis_add(f, key.text, key.size);
        CHECK(status != TAMIS_OK || tamis_may_contain(f, key.text, key.size), "a key is lost");
        (void)tamis_estimate_count(f, key.text, key.size);
        (void)tamis_remove(f, key.text, key.size);
    }
    if (tamis_redisbloom_compact_begin(f) == TAMIS_OK)
        CHECK_OK(tamis_redisbloom_compact_some(f, UINT64_MAX, &pending));
    CHECK_OK(tamis_redisbloom_dump(f, 10, bytes_sink, &heap));
    tamis_filter *again = NULL;
    CHECK_OK(tamis_redisbloom_restore(heap.bytes, heap.size, NULL, &again, NULL));
    CHECK(tamis_redisbloom_digest(f) == tamis_redisbloom_digest(again), "written otherwise");
    tamis_free(again);
    free(heap.bytes);
}

static bool sound(tamis_status status)
{
    return status == TAMIS_E_TRUNCATED || status == TAMIS_E_CORRUPT || status == TAMIS_E_VERSION ||
           status == TAMIS_E_UNSUPPORTED || status == TAMIS_E_LIMIT;
}

static void settle(tamis_status status, tamis_filter *f)
{
    CHECK(status == TAMIS_OK || (f == NULL && sound(status)), "status %d", status);
    if (f) use(f);
    tamis_free(f);
    CHECK(held == 0, "%" PRIu64 " bytes are left", held);
    CHECK(peak < 4 * CAP, "%" PRIu64 " bytes were taken", peak);
}

/* ---- payloads ----------------------------------------------------------- */

static void reseal(uint8_t *bytes, size_t size)
{
    if (size >= 8) tms_store64(bytes + size - 8, tms_rdb_crc(0, bytes, size - 8));
}

static void restore(const uint8_t *bytes, size_t size)
{
    tamis_filter *f = NULL;
    tamis_status status = tamis_redisbloom_restore(bytes, size, &host, &f, NULL);
    settle(status, f);
}

static void flip_payload(uint8_t *bytes, size_t size, size_t at, uint8_t value)
{
    uint8_t before = bytes[at], sum[8];
    tamis_filter *f = NULL;
    memcpy(sum, bytes + size - 8, sizeof sum);
    bytes[at] = value;
    if (before != value) {
        CHECK(tamis_redisbloom_restore(bytes, size, &host, &f, NULL) == TAMIS_E_CORRUPT,
              "byte %zu: the checksum did not notice", at);
        reseal(bytes, size);
        restore(bytes, size);
    }
    bytes[at] = before;
    memcpy(bytes + size - 8, sum, sizeof sum);
}

static void damage_payload(const char *file)
{
    size_t size = 0;
    uint8_t *bytes = file ? golden_file(file, "", &size) : NULL;
    if (!bytes) return;
    for (size_t at = 0; at + 8 < size; at += at < 200 || at + 200 > size ? 1 : 7) {
        check_about("%s, byte %zu", file, at);
        flip_payload(bytes, size, at, bytes[at] ^ 1);
        flip_payload(bytes, size, at, bytes[at] ^ 0x80);
        flip_payload(bytes, size, at, 0xff);
        flip_payload(bytes, size, at, 0);
    }
    uint8_t *cut = malloc(size);
    for (size_t length = 0; length < size; length++) {
        check_about("%s, cut to %zu", file, length);
        memcpy(cut, bytes, length);
        restore(cut, length);
        reseal(cut, length);
        restore(cut, length);
    }
    free(cut);
    free(bytes);
}

static void damaged_payloads(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOLDEN_CASES; i++) {
        damage_payload(redisbloom_cases[i].dump);
        damage_payload(redisbloom_cases[i].dump_lzf);
    }
}

/* ---- headers ------------------------------------------------------------ */

static void damaged_headers(void **state)
{
    (void)state;
    static const uint8_t values[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    for (size_t i = 0; i < GOLDEN_CASES; i++) {
        const redisbloom_case *c = &redisbloom_cases[i];
        size_t whole = 0;
        uint8_t *bytes = golden_file(c->name, ".chunks", &whole);
        for (size_t at = 0; bytes && at < c->chunks[0]; at++)
            for (size_t v = 0; v < COUNT(values); v++) {
                uint8_t before = bytes[at];
                tamis_filter *f = NULL;
                check_about("%s, byte %zu is %u", c->name, at, values[v]);
                bytes[at] = values[v];
                tamis_status status =
                    tamis_redisbloom_from_header(c->kind, bytes, c->chunks[0], &host, &f);
                settle(status, f);
                bytes[at] = before;
            }
        for (size_t length = 0; bytes && length < c->chunks[0]; length++) {
            tamis_filter *f = NULL;
            tamis_status status = tamis_redisbloom_from_header(c->kind, bytes, length, &host, &f);
            CHECK(f == NULL && sound(status), "%s cut to %zu: %d", c->name, length, status);
        }
        free(bytes);
    }
}

/* ---- files -------------------------------------------------------------- */

static void damaged_files_are_never_half_read(void **state)
{
    (void)state;
    const char *path = scratch_path("damaged");
    for (size_t i = 0; i < GOLDEN_CASES; i += 3) {
        const redisbloom_case *c = &redisbloom_cases[i];
        size_t size = 0;
        uint8_t *bytes = golden_file(c->name, ".chunks", &size);
        for (size_t length = 0; bytes && length <= size; length += length < 100 ? 1 : 97) {
            tamis_filter *f = NULL;
            check_about("%s, a file of %zu bytes", c->name, length);
            scratch_write(path, bytes, length);
            tamis_status status = tamis_open(path, NULL, &f);
            CHECK((status == TAMIS_OK) == (length == size), "status %d", status);
            tamis_free(f);
        }
        free(bytes);
    }
}

/* 38 bytes that name many sub-filters are refused before anything is made. */
static void headers_of_many_sub_filters(void **state)
{
    (void)state;
    static const struct {
        uint64_t filters;
        tamis_status wanted;
    } rows[] = {{200, TAMIS_OK}, {201, TAMIS_E_LIMIT}, {65535, TAMIS_E_LIMIT}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t header[38] = {1};
        tamis_filter *f = NULL;
        tms_store64(header + 8, 2); /* buckets */
        tms_store64(header + 24, rows[i].filters);
        header[32] = 2;  /* slots */
        header[34] = 20; /* iterations */
        header[36] = 1;  /* expansion */
        check_about("%" PRIu64 " sub-filters", rows[i].filters);
        peak = 0;
        CHECK_STATUS(tamis_redisbloom_from_header(TAMIS_KIND_REDISBLOOM_CUCKOO, header,
                                                  sizeof header, &host, &f),
                     rows[i].wanted);
        CHECK(f || peak == 0, "%" PRIu64 " bytes were taken", peak);
        settle(rows[i].wanted, f);
    }
}

/* A header may claim anything; a file must have it. */
static void claims_beyond_the_file_take_no_memory(void **state)
{
    (void)state;
    uint8_t header[38] = {0};
    const char *path = scratch_path("claims");
    tamis_filter *f = NULL;
    header[8 + 5] = 1; /* 2^40 buckets */
    header[24] = 1;
    header[32] = 2;
    header[34] = 20;
    header[36] = 1;
    scratch_write(path, header, sizeof header);
    CHECK_STATUS(tamis_open(path, NULL, &f), TAMIS_E_TRUNCATED);
    CHECK_STATUS(tamis_redisbloom_from_header(TAMIS_KIND_REDISBLOOM_CUCKOO, header, sizeof header,
                                              &host, &f),
                 TAMIS_E_LIMIT);
    CHECK(held == 0 && f == NULL, "nothing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_payloads),
        cmocka_unit_test(damaged_headers),
        cmocka_unit_test(headers_of_many_sub_filters),
        cmocka_unit_test(damaged_files_are_never_half_read),
        cmocka_unit_test(claims_beyond_the_file_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
