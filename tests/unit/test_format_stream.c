/* test_format_stream.c - an encoding on its way: cut short, changed, read in
 * crumbs, through sources, sinks and allocators that fail, compressed and
 * not. Every length and every byte of a small encoding is tried.            */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "format/transport.h"
#include "support/sample_encoding.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- damage ------------------------------------------------------------- */

static void truncations(uint32_t transport)
{
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, transport);
    for (size_t size = 0; size < bytes.size; size++) {
        uint8_t *cut = malloc(size + 1); /* its own block, so that a read past it is seen */
        memcpy(cut, bytes.bytes, size);
        const tamis_status status = sample_read_bytes(cut, size, &s);
        if (transport == TAMIS_PLAIN ? status != TAMIS_E_TRUNCATED : status == TAMIS_OK)
            fail_msg("transport %u, %zu of %zu bytes: status %d", (unsigned)transport, size,
                     bytes.size, (int)status);
        free(cut);
    }
    free(bytes.bytes);
    sample_free(&s);
}

static void test_every_truncation(void **state)
{
    (void)state;
    sample_each_transport(truncations);
}

/* Plain: every flip is found. Compressed: bytes that mean nothing (the time in
 * a gzip header) may change, but then the contents are what they were. */
static void flips(uint32_t transport)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff};
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, transport);
    for (size_t at = 0; at < bytes.size; at++) {
        for (size_t m = 0; m < COUNT(masks); m++) {
            bytes.bytes[at] ^= masks[m];
            const tamis_status status = sample_read_bytes(bytes.bytes, bytes.size, &s);
            if (transport == TAMIS_PLAIN && status == TAMIS_OK)
                fail_msg("byte %zu changed by %02x was not found", at, masks[m]);
            bytes.bytes[at] ^= masks[m];
        }
    }
    free(bytes.bytes);
    sample_free(&s);
}

static void test_every_flip(void **state)
{
    (void)state;
    sample_each_transport(flips);
}

static void test_damage_is_named(void **state)
{
    (void)state;
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, TAMIS_PLAIN);
    bytes.bytes[s.e.header_bytes + 3 * SAMPLE_CHUNK + 5] ^= 4;
    assert_int_equal(sample_read_bytes(bytes.bytes, bytes.size, &s), TAMIS_E_CORRUPT);
    assert_non_null(strstr(tamis_explain(), "chunk 3 of 5"));
    assert_non_null(strstr(tamis_explain(), "12288"));
    free(bytes.bytes);
    sample_free(&s);
}

/* What salvaging reports: `flip` and `keep` count from the end when negative. */
static void test_salvage(void **state)
{
    (void)state;
    enum { NONE = 100000, TABLE = 6 * 8, ALL = 0x1f };
    static const struct {
        const char *why;
        uint32_t transport;
        int flip;  /* byte to change, or NONE         */
        int keep;  /* bytes to keep, or NONE for all  */
        bool body; /* flip counts from the body area  */
        unsigned damaged;
        tamis_status status;
    } rows[] = {
        {"nothing is wrong", TAMIS_PLAIN, NONE, NONE, false, 0, TAMIS_OK},
        {"first byte of the body", TAMIS_PLAIN, 0, NONE, true, 0x01, TAMIS_OK},
        {"inside chunk 1", TAMIS_PLAIN, SAMPLE_CHUNK + 77, NONE, true, 0x02, TAMIS_OK},
        {"last chunk", TAMIS_PLAIN, 4 * SAMPLE_CHUNK, NONE, true, 0x10, TAMIS_OK},
        {"an entry of the table", TAMIS_PLAIN, -TABLE + 16, NONE, false, 0x04, TAMIS_E_CORRUPT},
        {"the sum of the table", TAMIS_PLAIN, -1, NONE, false, 0, TAMIS_E_CORRUPT},
        {"the sum of the table is missing", TAMIS_PLAIN, NONE, -8, false, ALL, TAMIS_OK},
        {"half an entry is missing", TAMIS_PLAIN, NONE, -12, false, ALL, TAMIS_OK},
        {"three entries are missing", TAMIS_PLAIN, NONE, -32, false, ALL, TAMIS_OK},
        {"the table is missing", TAMIS_PLAIN, NONE, -TABLE, false, ALL, TAMIS_OK},
        {"the body ends early", TAMIS_PLAIN, NONE, -TABLE - 1, false, ALL, TAMIS_OK},
        {"only the header is there", TAMIS_PLAIN, NONE, -TABLE - 16448, false, ALL, TAMIS_OK},
        {"the sum of a gzip member", TAMIS_GZIP, -8, NONE, false, 0, TAMIS_OK},
        {"the length of a gzip member", TAMIS_GZIP, -1, NONE, false, 0, TAMIS_OK},
        {"the sum of a zstd frame", TAMIS_ZSTD, -1, NONE, false, ALL, TAMIS_OK},
        {"the end of a gzip member is missing", TAMIS_GZIP, NONE, -8, false, 0, TAMIS_OK},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!sample_built(rows[i].transport)) continue;
        sample s;
        sample_make(&s);
        buffer bytes = sample_encode(&s, rows[i].transport);
        const size_t body = rows[i].body ? (size_t)s.e.header_bytes : 0;
        const size_t end = bytes.size;
        if (rows[i].flip != NONE)
            bytes.bytes[rows[i].flip < 0 ? end - (size_t)-rows[i].flip
                                         : body + (size_t)rows[i].flip] ^= 0x10;
        if (rows[i].keep != NONE) bytes.size = end - (size_t)-rows[i].keep;
        reading how = {
            .from = {.left = {bytes.bytes, bytes.size}}, .salvage = true, .report = true};
        const tamis_status status = sample_read(&how, &s);
        if (status != rows[i].status || how.damaged != rows[i].damaged)
            fail_msg("%s: status %d, damaged chunks %02x", rows[i].why, (int)status, how.damaged);
        free(bytes.bytes);
        sample_free(&s);
    }
}

/* A compressed input cut anywhere behind its header can be salvaged, and says
 * that nothing can be trusted unless all of it was there. */
static void test_salvage_of_broken_frames(void **state)
{
    (void)state;
    for (uint32_t t = TAMIS_ZSTD; t <= TAMIS_GZIP; t++) {
        if (!sample_built(t)) continue;
        sample s;
        sample_make(&s);
        buffer bytes = sample_encode(&s, t);
        for (size_t size = 0; size < bytes.size; size++) {
            reading how = {.from = {.left = {bytes.bytes, size}}, .salvage = true, .report = true};
            (void)sample_read(&how, &s); /* compares whatever it does not report */
        }
        free(bytes.bytes);
        sample_free(&s);
    }
}

/* Reporting without salvaging: damage is told, an early end is an error. */
static void test_report(void **state)
{
    (void)state;
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, TAMIS_PLAIN);
    bytes.bytes[s.e.header_bytes] ^= 1;
    bytes.bytes[s.e.header_bytes + 2 * SAMPLE_CHUNK] ^= 1;
    reading how = {.from = {.left = {bytes.bytes, bytes.size}}, .report = true};
    assert_int_equal(sample_read(&how, &s), TAMIS_OK);
    assert_int_equal(how.damaged, 0x05);
    how = (reading){.from = {.left = {bytes.bytes, bytes.size - 1}}, .report = true};
    assert_int_equal(sample_read(&how, &s), TAMIS_E_TRUNCATED);
    free(bytes.bytes);
    sample_free(&s);
}

/* ---- sources, sinks, memory --------------------------------------------- */

static void short_reads(uint32_t transport)
{
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, transport);
    for (size_t step = 1; step <= 7; step += 3) {
        reading how = {.from = {.left = {bytes.bytes, bytes.size}, .step = step}};
        assert_int_equal(sample_read(&how, &s), TAMIS_OK);
    }
    free(bytes.bytes);
    sample_free(&s);
}

static void test_short_reads(void **state)
{
    (void)state;
    sample_each_transport(short_reads);
}

/* A plain stream is read to its last byte and not beyond. */
static void test_rest_of_the_stream(void **state)
{
    (void)state;
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, TAMIS_PLAIN);
    assert_int_equal(buffer_sink(&bytes, "rest", 4), TAMIS_OK);
    reading how = {.from = {.left = {bytes.bytes, bytes.size}}, .keep_rest = true};
    assert_int_equal(sample_read(&how, &s), TAMIS_OK);
    assert_int_equal(how.from.left.size, 4);
    assert_int_equal(sample_read_bytes(bytes.bytes, bytes.size, &s), TAMIS_E_CORRUPT);
    free(bytes.bytes);
    sample_free(&s);
}

static void failing_sources(uint32_t transport)
{
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, transport);
    for (int salvage = 0; salvage <= 1; salvage++) {
        tamis_status status = TAMIS_E_IO;
        for (size_t n = 1; status != TAMIS_OK; n++) {
            reading how = {.from = {{bytes.bytes, bytes.size}, 100, 0, n},
                           .salvage = salvage,
                           .report = salvage};
            status = sample_read(&how, &s);
            assert_true(status == TAMIS_E_IO || (status == TAMIS_OK && n > 3));
        }
    }
    free(bytes.bytes);
    sample_free(&s);
}

static void failing_sinks(uint32_t transport)
{
    sample s;
    sample_make(&s);
    tamis_status status = TAMIS_E_IO;
    for (size_t n = 1; status != TAMIS_OK; n++) {
        buffer out = {.fail_at = n};
        status = sample_write(&s, transport, 0, NULL, &out);
        assert_true(status == TAMIS_E_IO || (status == TAMIS_OK && n > 1));
        free(out.bytes);
    }
    sample_free(&s);
}

static void test_failing_ends(void **state)
{
    (void)state;
    sample_each_transport(failing_sources);
    sample_each_transport(failing_sinks);
}

static tamis_status boast(void *ctx, void *bytes, size_t room, size_t *size)
{
    (void)ctx;
    memset(bytes, 0, room);
    *size = room + 1;
    return TAMIS_OK;
}

static void test_source_that_boasts(void **state)
{
    (void)state;
    tms_reader *r;
    assert_int_equal(tms_reader_open(boast, NULL, NULL, &r), TAMIS_E_IO);
    assert_null(r);
}

static void failing_memory(uint32_t transport)
{
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, transport);
    tamis_status status = TAMIS_E_NOMEM;
    for (size_t n = 1; status != TAMIS_OK; n++) {
        ledger l = {.fail_at = n};
        const tamis_alloc alloc = ledger_allocator(&l);
        buffer out = {0};
        status = sample_write(&s, transport, 0, &alloc, &out);
        assert_true(status == TAMIS_E_NOMEM || (status == TAMIS_OK && n > 3));
        assert_int_equal(l.held, 0);
        free(out.bytes);
    }
    status = TAMIS_E_NOMEM;
    for (size_t n = 1; status != TAMIS_OK; n++) {
        ledger l = {.fail_at = n};
        const tamis_alloc alloc = ledger_allocator(&l);
        reading how = {.from = {.left = {bytes.bytes, bytes.size}}, .alloc = &alloc};
        status = sample_read(&how, &s);
        assert_true(status == TAMIS_E_NOMEM || (status == TAMIS_OK && n > 5));
        assert_int_equal(l.held, 0);
    }
    free(bytes.bytes);
    sample_free(&s);
}

static void test_failing_memory(void **state)
{
    (void)state;
    sample_each_transport(failing_memory);
}

/* The promise of <tamis/file.h>, for a body of 4 MiB. */
static void test_memory_while_writing(void **state)
{
    (void)state;
    const uint64_t size = UINT64_C(4) << 20;
    uint8_t *body = calloc(1, (size_t)size);
    for (size_t i = 0; i < size; i += 3) body[i] = (uint8_t)(i * i >> 7);
    const uint8_t *bodies[1] = {body};
    for (uint32_t t = TAMIS_PLAIN; t <= TAMIS_GZIP; t++) {
        if (!sample_built(t)) continue;
        ledger l = {0};
        const tamis_alloc alloc = ledger_allocator(&l);
        tms_node node = {.shape = {2, 0, 1, 0.5, size, 0, {0}}};
        tms_envelope e = {.hash = 1, .hash_name = "xxh3", .node_count = 1, .nodes = &node};
        buffer out = {0};
        tms_packer *p;
        assert_int_equal(tms_packer_open(t, 0, &alloc, buffer_sink, &out, &p), TAMIS_OK);
        assert_int_equal(tms_stream_write(&e, bodies, NULL, &alloc, tms_packer_sink, p), TAMIS_OK);
        assert_int_equal(tms_packer_finish(p), TAMIS_OK);
        tms_packer_close(p);
        assert_true(l.peak < 2u << 20);
        assert_true(out.largest <= 1u << 20);
        free(out.bytes);
    }
    free(body);
}

/* Copies, then changes what it has copied from, as another thread would. */
static void copy_and_disturb(void *dst, const void *src, size_t size)
{
    memcpy(dst, src, size);
    memset((void *)(uintptr_t)src, 0xff, size);
}

static void test_body_that_changes(void **state)
{
    (void)state;
    sample s, before;
    sample_make(&s);
    sample_make(&before);
    buffer out = {0};
    assert_int_equal(tms_stream_write(&s.e, (const uint8_t *const *)s.bodies, copy_and_disturb,
                                      NULL, buffer_sink, &out),
                     TAMIS_OK);
    before.e.header_sum = s.e.header_sum;
    assert_int_equal(tms_envelope_layout(&before.e), TAMIS_OK);
    assert_int_equal(sample_read_bytes(out.bytes, out.size, &before), TAMIS_OK);
    free(out.bytes);
    sample_free(&s);
    sample_free(&before);
}

/* ---- transport ---------------------------------------------------------- */

static void test_levels(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        uint32_t transport;
        int32_t level;
        tamis_status status;
    } rows[] = {
        {"plain has none and minds none", TAMIS_PLAIN, 5, TAMIS_OK},
        {"zstd, first", TAMIS_ZSTD, 1, TAMIS_OK},
        {"zstd, last", TAMIS_ZSTD, 19, TAMIS_OK},
        {"zstd, beyond", TAMIS_ZSTD, 20, TAMIS_E_SPEC},
        {"zstd, below 0", TAMIS_ZSTD, -1, TAMIS_E_SPEC},
        {"gzip, first", TAMIS_GZIP, 1, TAMIS_OK},
        {"gzip, last", TAMIS_GZIP, 9, TAMIS_OK},
        {"gzip, beyond", TAMIS_GZIP, 10, TAMIS_E_SPEC},
        {"no such transport", 3, 0, TAMIS_E_SPEC},
    };
    sample s;
    sample_make(&s);
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (rows[i].transport <= TAMIS_GZIP && !sample_built(rows[i].transport)) continue;
        buffer out = {0};
        const tamis_status status = sample_write(&s, rows[i].transport, rows[i].level, NULL, &out);
        if (status != rows[i].status) fail_msg("%s: status %d", rows[i].why, (int)status);
        if (status == TAMIS_OK)
            assert_int_equal(sample_read_bytes(out.bytes, out.size, &s), TAMIS_OK);
        free(out.bytes);
    }
    sample_free(&s);
}

/* Inputs that are no filter, or that the library cannot or will not unpack. */
static void test_beginnings(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        const char *bytes;
        size_t size;
        uint32_t transport; /* that must be built in for the row to count */
        tamis_status status;
    } rows[] = {
        {"nothing", "", 0, TAMIS_PLAIN, TAMIS_E_TRUNCATED},
        {"one byte of the magic", "\x89", 1, TAMIS_PLAIN, TAMIS_E_TRUNCATED},
        {"another byte", "x", 1, TAMIS_PLAIN, TAMIS_E_CORRUPT},
        {"the magic", "\x89TAMIS\n\x1a", 8, TAMIS_PLAIN, TAMIS_E_TRUNCATED},
        {"text", "user:123\nuser:124\n", 18, TAMIS_PLAIN, TAMIS_E_CORRUPT},
        {"zstd magic alone", "\x28\xb5\x2f\xfd", 4, TAMIS_ZSTD, TAMIS_E_TRUNCATED},
        {"zstd, an empty frame", "\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00", 9, TAMIS_ZSTD,
         TAMIS_E_TRUNCATED},
        {"zstd, window of 128 MiB", "\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00", 9, TAMIS_ZSTD,
         TAMIS_E_LIMIT},
        {"zstd, window of 8 MiB", "\x28\xb5\x2f\xfd\x00\x68\x01\x00\x00", 9, TAMIS_ZSTD,
         TAMIS_E_TRUNCATED},
        {"zstd, needs a dictionary", "\x28\xb5\x2f\xfd\x01\x58\x07\x01\x00\x00", 10, TAMIS_ZSTD,
         TAMIS_E_CORRUPT},
        {"zstd, skippable frame", "\x50\x2a\x4d\x18\x00\x00\x00\x00", 8, TAMIS_PLAIN,
         TAMIS_E_CORRUPT},
        {"gzip magic alone", "\x1f\x8b", 2, TAMIS_GZIP, TAMIS_E_TRUNCATED},
        {"gzip, unknown method", "\x1f\x8b\x07\0\0\0\0\0\0\0", 10, TAMIS_GZIP, TAMIS_E_CORRUPT},
        {"gzip, an empty member", "\x1f\x8b\x08\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\0\0", 20,
         TAMIS_GZIP, TAMIS_E_TRUNCATED},
    };
    sample s;
    sample_make(&s);
    for (size_t i = 0; i < COUNT(rows); i++) {
        const tamis_status expected =
            sample_built(rows[i].transport) ? rows[i].status : TAMIS_E_UNAVAILABLE;
        const tamis_status status =
            sample_read_bytes((const uint8_t *)rows[i].bytes, rows[i].size, &s);
        if (status != expected)
            fail_msg("%s: status %d, %s", rows[i].why, (int)status, tamis_explain());
    }
    sample_free(&s);
}

/* Compresses `size` bytes as they are. */
static void pack_bytes(uint32_t transport, const uint8_t *bytes, size_t size, buffer *out)
{
    tms_packer *p;
    assert_int_equal(tms_packer_open(transport, 0, NULL, buffer_sink, out, &p), TAMIS_OK);
    assert_int_equal(tms_packer_sink(p, bytes, size), TAMIS_OK);
    assert_int_equal(tms_packer_finish(p), TAMIS_OK);
    tms_packer_close(p);
}

static void frames(uint32_t transport)
{
    if (transport == TAMIS_PLAIN) return;
    sample s;
    sample_make(&s);
    buffer plain = sample_encode(&s, TAMIS_PLAIN);
    buffer longer = {0}, split = {0}, twice = {0};

    assert_int_equal(buffer_sink(&plain, "x", 1), TAMIS_OK);
    pack_bytes(transport, plain.bytes, plain.size, &longer);
    assert_int_equal(sample_read_bytes(longer.bytes, longer.size, &s), TAMIS_E_CORRUPT);
    reading stream = {.from = {.left = {longer.bytes, longer.size}}, .keep_rest = true};
    assert_int_equal(sample_read(&stream, &s), TAMIS_E_CORRUPT);

    pack_bytes(transport, plain.bytes, 5000, &split);
    pack_bytes(transport, plain.bytes + 5000, plain.size - 1 - 5000, &split);
    assert_int_equal(sample_read_bytes(split.bytes, split.size, &s), TAMIS_E_TRUNCATED);

    pack_bytes(transport, plain.bytes, plain.size - 1, &twice);
    assert_int_equal(sample_read_bytes(twice.bytes, twice.size, &s), TAMIS_OK);
    pack_bytes(transport, plain.bytes, plain.size - 1, &twice);
    assert_int_equal(sample_read_bytes(twice.bytes, twice.size, &s), TAMIS_E_CORRUPT);

    free(plain.bytes);
    free(longer.bytes);
    free(split.bytes);
    free(twice.bytes);
    sample_free(&s);
}

static void test_frames(void **state)
{
    (void)state;
    sample_each_transport(frames);
}

/* A member as the gzip program makes it, with the name of the file inside. */
static void test_gzip_with_a_name(void **state)
{
    (void)state;
    if (!sample_built(TAMIS_GZIP)) return;
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, TAMIS_GZIP), named = {0};
    bytes.bytes[3] |= 8;
    buffer_sink(&named, bytes.bytes, 10);
    buffer_sink(&named, "ids.tamis", 10);
    buffer_sink(&named, bytes.bytes + 10, bytes.size - 10);
    assert_int_equal(sample_read_bytes(named.bytes, named.size, &s), TAMIS_OK);
    free(bytes.bytes);
    free(named.bytes);
    sample_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_every_flip),
        cmocka_unit_test(test_damage_is_named),
        cmocka_unit_test(test_salvage),
        cmocka_unit_test(test_salvage_of_broken_frames),
        cmocka_unit_test(test_report),
        cmocka_unit_test(test_short_reads),
        cmocka_unit_test(test_rest_of_the_stream),
        cmocka_unit_test(test_failing_ends),
        cmocka_unit_test(test_source_that_boasts),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_memory_while_writing),
        cmocka_unit_test(test_body_that_changes),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_beginnings),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_gzip_with_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
