/* test_format.c - the native encoding: header, sizes, checksums, and the bytes
 * that docs/format.md shows. test_format_stream.c damages it on its way,
 * test_format_files.c puts it into files.                                   */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/spec.h>

#include "base/endian.h"
#include "format/chunks.h"
#include "format/transport.h"
#include "support/sample_encoding.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- round trips -------------------------------------------------------- */

static void round_trip(uint32_t transport)
{
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, transport);
    assert_int_equal(tms_transport_recognise(bytes.bytes, bytes.size), transport);
    assert_int_equal(sample_read_bytes(bytes.bytes, bytes.size, &s), TAMIS_OK);
    if (transport == TAMIS_PLAIN) assert_int_equal(bytes.size, s.e.file_bytes);
    free(bytes.bytes);
    sample_free(&s);
}

static void test_round_trip(void **state)
{
    (void)state;
    sample_each_transport(round_trip);
}

/* The example of docs/format.md, section 12; also on big-endian machines. */
static void test_documented_bytes(void **state)
{
    (void)state;
    static const struct {
        unsigned at;
        const char *bytes;
        unsigned size;
    } parts[] = {
        {0x000, "\x89TAMIS\n\x1a\x01\0\0\0\x40\x01\0\0\x90\x01\0\0\0\0\0\0\x01", 25},
        {0x020, "\x2a", 1},
        {0x030, "xxh3", 4},
        {0x060, "\x01\0\0\0\x10\0\0\0\x40\0\0\0\0\0\0\0\x0c\0\0\0\0\0\0\0\x02", 25},
        {0x080, "\x01\0\0\0\0\0\0\0\x32\0\0\0\0\0\0\0\x7b\x14\xae\x47\xe1\x7a\x84\x3f", 24},
        {0x0a0, "\x40\0\0\0\0\0\0\0\x03", 9},
        {0x0b8, "\x01\0\0\0\0\0\0\0\x07\0\0\0\0\0\0\0\x01", 17},
        {0x0f8, "made by hand", 12},
        {0x138, "\x59\x6f\xc6\x91\xd3\xe0\x44\x5e", 8},
        {0x180, "\x9e\x43\x67\xa4\x67\x78\xc4\xf7\x5d\xd8\x0c\x93\xda\xf3\x77\x03", 16},
    };
    uint8_t expected[400] = {0};
    for (size_t i = 0; i < COUNT(parts); i++)
        memcpy(expected + parts[i].at, parts[i].bytes, parts[i].size);

    tms_node node = {.shape = {2, TAMIS_STRICT, 50, 0.01, 64, 3, {1, 7, 1}}};
    tms_envelope e = {.hash = 1, .hash_name = "xxh3", .seed = 42, .node_count = 1, .nodes = &node};
    e.metadata = (const uint8_t *)"made by hand";
    e.metadata_bytes = 12;
    const uint8_t body[64] = {0}, *bodies[1] = {body};
    uint8_t written[400];
    tms_room room = {written, sizeof written};
    assert_int_equal(tms_stream_write(&e, bodies, NULL, NULL, tms_room_sink, &room), TAMIS_OK);
    assert_int_equal(room.size, 0);
    assert_memory_equal(written, expected, sizeof expected);
}

/* A filter that lies in one buffer is sealed to the same bytes. */
static void test_in_place(void **state)
{
    (void)state;
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, TAMIS_PLAIN);
    uint8_t *body_area = bytes.bytes + s.e.header_bytes;
    uint8_t *trailer = body_area + s.e.body_bytes;
    uint8_t *second = calloc(1, (size_t)s.e.trailer_bytes);
    tms_trailer_fill(&s.e, body_area, second);
    assert_memory_equal(trailer, second, (size_t)s.e.trailer_bytes);
    free(second);

    assert_int_equal(s.e.chunk_count, 5);
    assert_true(tms_trailer_is_sound(&s.e, trailer));
    body_area[SAMPLE_CHUNK] ^= 1;
    for (uint64_t i = 0; i < s.e.chunk_count; i++)
        assert_int_equal(tms_chunk_is_sound(&s.e, trailer, body_area, i), i != 1);
    trailer[0] ^= 1;
    assert_false(tms_trailer_is_sound(&s.e, trailer));
    assert_int_equal(tms_envelope_fits(&s.e, bytes.size), TAMIS_OK);
    assert_int_equal(tms_envelope_fits(&s.e, bytes.size - 1), TAMIS_E_TRUNCATED);
    assert_int_equal(tms_envelope_fits(&s.e, bytes.size + 1), TAMIS_E_CORRUPT);
    free(bytes.bytes);
    sample_free(&s);
}

/* A chunk passes only at its place and under its header. */
static void test_chunks_are_tied(void **state)
{
    (void)state;
    const uint8_t bytes[64] = {1, 2, 3};
    const uint64_t sum = tms_chunk_sum(bytes, sizeof bytes, 1000, 3);
    assert_true(sum != tms_chunk_sum(bytes, sizeof bytes, 1000, 4));
    assert_true(sum != tms_chunk_sum(bytes, sizeof bytes, 1001, 3));
}

/* ---- hostile headers ---------------------------------------------------- */

/* One field of the sample's header is changed and the checksum made good. */
static void test_fields(void **state)
{
    (void)state;
    enum { N0 = 120, N1 = N0 + 128, META = N0 + SAMPLE_NODES * 128 }; /* offsets */
    const uint64_t one_half = tms_double_bits(0.5), one = tms_double_bits(1.0);
    const uint64_t nan = UINT64_C(0x7ff8000000000000), minus = tms_double_bits(-0.01);
    const uint64_t huge = UINT64_C(1) << 63;
    const struct {
        const char *why;
        size_t at;
        unsigned size;
        uint64_t value;
        tamis_status status;
    } rows[] = {
        {"unchanged", 32, 8, UINT64_C(0x0123456789abcdef), TAMIS_OK},
        {"magic", 0, 1, 0x88, TAMIS_E_CORRUPT},
        {"magic after a text transfer", 6, 1, 0x0d, TAMIS_E_CORRUPT},
        {"version 0", 8, 4, 0, TAMIS_E_CORRUPT},
        {"next version", 8, 4, 2, TAMIS_E_VERSION},
        {"largest version", 8, 4, UINT32_MAX, TAMIS_E_VERSION},
        {"header of 0 bytes", 12, 4, 0, TAMIS_E_CORRUPT},
        {"header below the least", 12, 4, 192, TAMIS_E_CORRUPT},
        {"header no multiple of 64", 12, 4, 800, TAMIS_E_CORRUPT},
        {"header above the most", 12, 4, TMS_HEADER_MOST + 64, TAMIS_E_CORRUPT},
        {"header of 4 GiB", 12, 4, 0xffffffc0, TAMIS_E_CORRUPT},
        {"file too short", 16, 8, 100, TAMIS_E_CORRUPT},
        {"file of all bytes", 16, 8, UINT64_MAX, TAMIS_E_CORRUPT},
        {"hash 0", 24, 4, 0, TAMIS_E_CORRUPT},
        {"hash nobody knows is the reader's affair", 24, 4, 999, TAMIS_OK},
        {"flags", 28, 4, 1, TAMIS_E_VERSION},
        {"last flag", 28, 4, 1u << 31, TAMIS_E_VERSION},
        {"any seed", 32, 8, UINT64_MAX, TAMIS_OK},
        {"any fingerprint", 40, 8, 0, TAMIS_OK},
        {"name is empty", 48, 8, 0, TAMIS_E_CORRUPT},
        {"name with a space", 49, 1, ' ', TAMIS_E_CORRUPT},
        {"name with an escape", 49, 1, 27, TAMIS_E_CORRUPT},
        {"name with a high byte", 49, 1, 200, TAMIS_E_CORRUPT},
        {"name goes on after its end", 60, 1, 'x', TAMIS_E_CORRUPT},
        {"name without an end", 95, 1, 'x', TAMIS_E_CORRUPT},
        {"no nodes", 96, 4, 0, TAMIS_E_CORRUPT},
        {"too few nodes", 96, 4, SAMPLE_NODES - 1, TAMIS_E_CORRUPT},
        {"too many nodes", 96, 4, SAMPLE_NODES + 1, TAMIS_E_CORRUPT},
        {"more nodes than there may be", 96, 4, TMS_NODES_MOST + 1, TAMIS_E_CORRUPT},
        {"all nodes", 96, 4, UINT32_MAX, TAMIS_E_CORRUPT},
        {"chunks too small", 100, 4, 11, TAMIS_E_CORRUPT},
        {"chunks too large", 100, 4, 21, TAMIS_E_CORRUPT},
        {"chunks of 2^64", 100, 4, 64, TAMIS_E_CORRUPT},
        {"other chunks, other size", 100, 4, 13, TAMIS_E_CORRUPT},
        {"body too small", 104, 8, 64, TAMIS_E_CORRUPT},
        {"body of all bytes", 104, 8, UINT64_MAX, TAMIS_E_CORRUPT},
        {"metadata too long", 112, 4, TMS_METADATA_MOST + 1, TAMIS_E_CORRUPT},
        {"metadata beyond the header", 112, 4, 130, TAMIS_E_CORRUPT},
        {"metadata shorter, its rest is padding", 112, 4, 12, TAMIS_E_CORRUPT},
        {"reserved of the header", 116, 4, 1, TAMIS_E_CORRUPT},
        {"padding, first byte", META + 13, 1, 1, TAMIS_E_CORRUPT},
        {"kind 0", N1, 4, 0, TAMIS_E_CORRUPT},
        {"kind nobody knows is the reader's affair", N1, 4, 12345, TAMIS_OK},
        {"child that is missing", N0 + 4, 4, 4, TAMIS_E_CORRUPT},
        {"child too many", N0 + 4, 4, 2, TAMIS_E_CORRUPT},
        {"no children, others follow", N0 + 4, 4, 0, TAMIS_E_CORRUPT},
        {"all children", N0 + 4, 4, UINT32_MAX, TAMIS_E_CORRUPT},
        {"every behaviour", N1 + 8, 4, 7, TAMIS_OK},
        {"a behaviour too many", N1 + 8, 4, 8, TAMIS_E_VERSION},
        {"state, estimate", N1 + 12, 4, 1, TAMIS_OK},
        {"state, reserved", N1 + 12, 4, 2, TAMIS_E_CORRUPT},
        {"capacity 0", N1 + 16, 8, 0, TAMIS_E_CORRUPT},
        {"capacity of all keys", N1 + 16, 8, UINT64_MAX, TAMIS_OK},
        {"rate one half", N1 + 24, 8, one_half, TAMIS_OK},
        {"rate 0, for kinds to judge", N1 + 24, 8, 0, TAMIS_OK},
        {"rate minus 0", N1 + 24, 8, UINT64_C(1) << 63, TAMIS_E_CORRUPT},
        {"rate 1", N1 + 24, 8, one, TAMIS_E_CORRUPT},
        {"rate below 0", N1 + 24, 8, minus, TAMIS_E_CORRUPT},
        {"rate no number", N1 + 24, 8, nan, TAMIS_E_CORRUPT},
        {"body no multiple of 64", N1 + 40, 8, 4033, TAMIS_E_CORRUPT},
        {"body larger than the sum", N1 + 40, 8, 4096, TAMIS_E_CORRUPT},
        {"bodies that overflow", N1 + 40, 8, huge, TAMIS_E_CORRUPT},
        {"too many parameters", N1 + 48, 4, 9, TAMIS_E_CORRUPT},
        {"parameter that is not counted", N1 + 48, 4, 2, TAMIS_E_CORRUPT},
        {"reserved of a node, first", N1 + 52, 4, 1, TAMIS_E_CORRUPT},
        {"reserved of a node, second", N1 + 56, 8, huge, TAMIS_E_CORRUPT},
        {"any parameter", N1 + 64, 8, UINT64_MAX, TAMIS_OK},
        {"last parameter", N1 + 120, 8, 1, TAMIS_E_CORRUPT},
    };
    sample s;
    sample_make(&s);
    buffer bytes = sample_encode(&s, TAMIS_PLAIN);
    const size_t size = (size_t)s.e.header_bytes;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t *header = malloc(size), value[8];
        memcpy(header, bytes.bytes, size);
        tms_store64(value, rows[i].value);
        memcpy(header + rows[i].at, value, rows[i].size);
        tms_envelope_seal(header, size);
        ledger l = {0};
        const tamis_alloc alloc = ledger_allocator(&l);
        tms_envelope e;
        const tamis_status status = tms_envelope_read(header, size, &alloc, &e);
        if (status != rows[i].status)
            fail_msg("%s: status %d, %s", rows[i].why, (int)status, tamis_explain());
        tms_envelope_free(&alloc, &e);
        assert_int_equal(l.held, 0);
        free(header);
    }
    free(bytes.bytes);
    sample_free(&s);
}

/* Pre-order child counts; -1 ends a row. */
static void test_trees(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        int children[12];
        bool fine;
    } rows[] = {
        {"one", {0, -1}, true},
        {"two in a row", {1, 0, -1}, true},
        {"bush", {3, 0, 2, 0, 0, 0, -1}, true},
        {"eight levels", {1, 1, 1, 1, 1, 1, 1, 0, -1}, true},
        {"nine levels", {1, 1, 1, 1, 1, 1, 1, 1, 0, -1}, false},
        {"eighth level wants a child", {1, 1, 1, 1, 1, 1, 1, 1, -1}, false},
        {"two roots", {0, 0, -1}, false},
        {"child is missing", {2, 0, -1}, false},
        {"grandchild is missing", {1, 1, -1}, false},
        {"second root after a tree", {1, 0, 0, -1}, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tms_node nodes[12];
        tms_envelope e = {.hash = 1, .hash_name = "xxh3", .nodes = nodes};
        for (; rows[i].children[e.node_count] >= 0; e.node_count++) {
            sample_node(&nodes[e.node_count], 0);
            nodes[e.node_count].children = (uint32_t)rows[i].children[e.node_count];
        }
        const tamis_status status = tms_envelope_layout(&e);
        if (status != (rows[i].fine ? TAMIS_OK : TAMIS_E_LIMIT))
            fail_msg("%s: status %d", rows[i].why, (int)status);
    }
}

/* ---- sizes -------------------------------------------------------------- */

static void test_chunk_sizes(void **state)
{
    (void)state;
    const uint64_t kib = 1024, gib = UINT64_C(1) << 30;
    const struct {
        const char *why;
        uint64_t body_bytes, chunk_bytes, chunk_count;
        tamis_status status;
    } rows[] = {
        {"no body", 0, 64 * kib, 0, TAMIS_OK},
        {"one line", 64, 64 * kib, 1, TAMIS_OK},
        {"one chunk", 64 * kib, 64 * kib, 1, TAMIS_OK},
        {"one chunk and a line", 64 * kib + 64, 64 * kib, 2, TAMIS_OK},
        {"most small chunks", 4 * gib, 64 * kib, 65536, TAMIS_OK},
        {"one line more doubles them", 4 * gib + 64, 128 * kib, 32769, TAMIS_OK},
        {"largest chunks", 64 * gib, 1024 * kib, 65536, TAMIS_OK},
        {"beyond, the table grows", 1024 * gib, 1024 * kib, 1048576, TAMIS_OK},
        {"largest body", TMS_BODY_MOST, 1024 * kib, UINT64_C(1) << 36, TAMIS_OK},
        {"one line too many", TMS_BODY_MOST + 64, 0, 0, TAMIS_E_LIMIT},
        {"nearly all bytes", UINT64_MAX - 63, 0, 0, TAMIS_E_LIMIT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tms_node node = {.shape = {2, 0, 1, 0.5, rows[i].body_bytes, 0, {0}}};
        tms_envelope e = {.hash = 1, .hash_name = "xxh3", .node_count = 1, .nodes = &node};
        const tamis_status status = tms_envelope_layout(&e);
        if (status != rows[i].status) fail_msg("%s: status %d", rows[i].why, (int)status);
        if (status != TAMIS_OK) continue;
        if (e.chunk_bytes != rows[i].chunk_bytes || e.chunk_count != rows[i].chunk_count)
            fail_msg("%s: %llu chunks of %llu", rows[i].why, (unsigned long long)e.chunk_count,
                     (unsigned long long)e.chunk_bytes);
        uint8_t header[TMS_HEADER_LEAST];
        tms_envelope_write(&e, header);
        tms_envelope back;
        assert_int_equal(tms_envelope_read(header, sizeof header, NULL, &back), TAMIS_OK);
        assert_true(sample_same_header(&e, &back));
        tms_envelope_free(NULL, &back);
    }
}

/* The largest header there can be, and each step beyond it. */
static void test_header_limits(void **state)
{
    (void)state;
    tms_node *nodes = calloc(TMS_NODES_MOST + 1, sizeof *nodes);
    uint8_t *metadata = calloc(1, TMS_METADATA_MOST + 1);
    for (uint32_t i = 0; i <= TMS_NODES_MOST; i++) sample_node(&nodes[i], 1);
    nodes[0].children = TMS_NODES_MOST - 1;
    tms_envelope e = {.hash = UINT32_MAX, .nodes = nodes, .metadata = metadata};
    memset(e.hash_name, 'n', TMS_HASH_NAME_BYTES - 1);
    e.node_count = TMS_NODES_MOST;
    e.metadata_bytes = TMS_METADATA_MOST;
    assert_int_equal(tms_envelope_layout(&e), TAMIS_OK);
    assert_int_equal(e.header_bytes, TMS_HEADER_MOST);

    uint8_t *header = malloc((size_t)e.header_bytes);
    tms_envelope_write(&e, header);
    tms_envelope back;
    assert_int_equal(tms_envelope_read(header, (size_t)e.header_bytes, NULL, &back), TAMIS_OK);
    assert_true(sample_same_header(&e, &back));
    tms_envelope_free(NULL, &back);

    e.metadata_bytes = TMS_METADATA_MOST + 1;
    assert_int_equal(tms_envelope_layout(&e), TAMIS_E_LIMIT);
    e.metadata_bytes = 0;
    e.node_count = TMS_NODES_MOST + 1;
    nodes[0].children = TMS_NODES_MOST;
    assert_int_equal(tms_envelope_layout(&e), TAMIS_E_LIMIT);
    free(header);
    free(metadata);
    free(nodes);
}

/* A header that claims a body of 2^56 bytes costs no memory to speak of. */
static void test_claims_cost_nothing(void **state)
{
    (void)state;
    tms_node node = {.shape = {2, 0, 1, 0.5, TMS_BODY_MOST, 0, {0}}};
    tms_envelope e = {.hash = 1, .hash_name = "xxh3", .node_count = 1, .nodes = &node};
    assert_int_equal(tms_envelope_layout(&e), TAMIS_OK);
    uint8_t header[TMS_HEADER_LEAST];
    tms_envelope_write(&e, header);
    ledger l = {0};
    const tamis_alloc alloc = ledger_allocator(&l);
    feed from = {.left = {header, sizeof header}};
    tms_reader *r;
    tms_envelope back;
    assert_int_equal(tms_reader_open(feed_source, &from, &alloc, &r), TAMIS_OK);
    assert_int_equal(tms_reader_header(r, &back), TAMIS_OK);
    assert_true(l.peak < 4096);
    tms_envelope_free(&alloc, &back);
    tms_reader_close(r);
    assert_int_equal(l.held, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_documented_bytes),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_chunks_are_tied),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_trees),
        cmocka_unit_test(test_chunk_sizes),
        cmocka_unit_test(test_header_limits),
        cmocka_unit_test(test_claims_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
