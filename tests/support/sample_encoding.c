/* sample_encoding.c - see sample_encoding.h.                                */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/spec.h>

#include "format/transport.h"
#include "support/sample_encoding.h"

/* ---- a filter to encode ------------------------------------------------- */

static const struct {
    uint32_t children;
    uint64_t body_bytes;
} TREE[SAMPLE_NODES] = {{3, 0}, {0, 4032}, {1, 64}, {0, 8192}, {0, 4160}};

void sample_node(tms_node *n, unsigned i)
{
    const bool inner = TREE[i].children > 0;
    *n = (tms_node){.shape = {.kind = inner ? 64 : 2,
                              .flags = TAMIS_STRICT,
                              .capacity = 1000 + i,
                              .fpr = 0.01,
                              .body_bytes = TREE[i].body_bytes,
                              .param_count = 3,
                              .params = {i, UINT64_MAX, 7}},
                    .children = TREE[i].children,
                    .count_is_estimate = i == 3,
                    .added = UINT64_MAX - i};
}

/* Mostly zeros, as a young filter is, so that compressed encodings are short
 * and all their bytes can be tried. */
void sample_make(sample *s)
{
    memset(s, 0, sizeof *s);
    for (unsigned i = 0; i < SAMPLE_NODES; i++) {
        sample_node(&s->nodes[i], i);
        const size_t size = (size_t)TREE[i].body_bytes;
        if (size == 0) continue;
        s->bodies[i] = calloc(1, size);
        for (size_t at = i; at < size; at += 500) s->bodies[i][at] = (uint8_t)(at + i + 1);
    }
    s->e.hash = 1000;
    strcpy(s->e.hash_name, "my-hash");
    s->e.seed = UINT64_C(0x0123456789abcdef);
    s->e.fingerprint = 77;
    s->e.node_count = SAMPLE_NODES;
    s->e.nodes = s->nodes;
    s->e.metadata = (const uint8_t *)"from the test";
    s->e.metadata_bytes = 13;
    s->e.chunk_bytes = SAMPLE_CHUNK;
}

void sample_free(sample *s)
{
    for (unsigned i = 0; i < SAMPLE_NODES; i++) free(s->bodies[i]);
}

/* ---- memory that grows, fails and counts -------------------------------- */

tamis_status buffer_sink(void *ctx, const void *bytes, size_t size)
{
    buffer *b = ctx;
    if (++b->calls == b->fail_at) return TAMIS_E_IO;
    b->bytes = realloc(b->bytes, b->size + size);
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    if (size > b->largest) b->largest = size;
    return TAMIS_OK;
}

static void *ledger_alloc(void *ctx, size_t size, size_t align)
{
    ledger *l = ctx;
    if (++l->calls == l->fail_at) return NULL;
    l->held += size;
    if (l->held > l->peak) l->peak = l->held;
    void *memory = aligned_alloc(align, (size + align - 1) / align * align);
    memset(memory, 0xa5, size);
    return memory;
}

static void ledger_free(void *ctx, void *memory, size_t size)
{
    ((ledger *)ctx)->held -= size;
    free(memory);
}

tamis_alloc ledger_allocator(ledger *l)
{
    return (tamis_alloc){l, ledger_alloc, ledger_free};
}

/* ---- writing and reading ------------------------------------------------ */

tamis_status sample_write(sample *s, uint32_t transport, int32_t level, const tamis_alloc *alloc,
                          buffer *out)
{
    tms_packer *packer;
    tamis_status status = tms_packer_open(transport, level, alloc, buffer_sink, out, &packer);
    if (status != TAMIS_OK) return status;
    status = tms_stream_write(&s->e, (const uint8_t *const *)s->bodies, NULL, alloc,
                              tms_packer_sink, packer);
    if (status == TAMIS_OK) status = tms_packer_finish(packer);
    tms_packer_close(packer);
    return status;
}

buffer sample_encode(sample *s, uint32_t transport)
{
    buffer out = {0};
    assert_int_equal(sample_write(s, transport, 0, NULL, &out), TAMIS_OK);
    return out;
}

bool sample_built(uint32_t transport)
{
    return tms_transport_check(transport) == TAMIS_OK;
}

tamis_status feed_source(void *ctx, void *bytes, size_t room, size_t *size)
{
    feed *f = ctx;
    if (++f->calls == f->fail_at) return TAMIS_E_IO;
    return tms_bytes_source(&f->left, bytes, f->step && f->step < room ? f->step : room, size);
}

static void note_damage(void *ctx, uint64_t offset, uint64_t size)
{
    assert_true(offset % SAMPLE_CHUNK == 0 && size >= 1);
    assert_true(size <= SAMPLE_CHUNK || offset == 0); /* a chunk, or all of them */
    for (uint64_t at = 0; at < size; at += SAMPLE_CHUNK)
        *(unsigned *)ctx |= 1u << ((offset + at) / SAMPLE_CHUNK);
}

static bool same_shape(const tms_shape *a, const tms_shape *b)
{
    return a->kind == b->kind && a->flags == b->flags && a->capacity == b->capacity &&
           a->fpr == b->fpr && a->body_bytes == b->body_bytes && a->param_count == b->param_count &&
           memcmp(a->params, b->params, sizeof a->params) == 0;
}

static bool same_node(const tms_node *a, const tms_node *b)
{
    return same_shape(&a->shape, &b->shape) && a->children == b->children &&
           a->count_is_estimate == b->count_is_estimate && a->added == b->added &&
           a->body_offset == b->body_offset;
}

static bool same_bytes(const uint8_t *a, const uint8_t *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

bool sample_same_header(const tms_envelope *a, const tms_envelope *b)
{
    bool same = a->hash == b->hash && strcmp(a->hash_name, b->hash_name) == 0 &&
                a->seed == b->seed && a->fingerprint == b->fingerprint &&
                a->node_count == b->node_count && a->metadata_bytes == b->metadata_bytes &&
                same_bytes(a->metadata, b->metadata, a->metadata_bytes) &&
                a->chunk_bytes == b->chunk_bytes && a->header_bytes == b->header_bytes &&
                a->body_bytes == b->body_bytes && a->chunk_count == b->chunk_count &&
                a->trailer_bytes == b->trailer_bytes && a->file_bytes == b->file_bytes &&
                a->header_sum == b->header_sum;
    for (uint32_t i = 0; same && i < a->node_count; i++)
        same = same_node(&a->nodes[i], &b->nodes[i]);
    return same;
}

/* Every byte outside the damaged chunks is as it was. */
static void compare_bodies(uint8_t *const *bodies, const tms_envelope *e, unsigned damaged,
                           const sample *expected)
{
    for (unsigned i = 0; i < SAMPLE_NODES; i++)
        for (uint64_t at = 0; at < TREE[i].body_bytes; at++) {
            const uint64_t chunk = (e->nodes[i].body_offset + at) / SAMPLE_CHUNK;
            if ((damaged >> chunk & 1) == 0 && bodies[i][at] != expected->bodies[i][at])
                fail_msg("byte %u of body %u differs", (unsigned)at, i);
        }
}

static tamis_status read_bodies(reading *how, tms_reader *r, const tms_envelope *e,
                                const sample *expected)
{
    uint8_t *bodies[SAMPLE_NODES] = {0};
    if (!sample_same_header(e, &expected->e)) fail_msg("a header was read as another one");
    for (unsigned i = 0; i < SAMPLE_NODES; i++)
        if (TREE[i].body_bytes > 0) bodies[i] = calloc(1, (size_t)TREE[i].body_bytes);
    tamis_status status = tms_reader_bodies(r, e, bodies, how->salvage,
                                            how->report ? note_damage : NULL, &how->damaged);
    if (status == TAMIS_OK && !how->salvage && !how->keep_rest) status = tms_reader_end(r);
    if (status == TAMIS_OK) compare_bodies(bodies, e, how->damaged, expected);
    for (unsigned i = 0; i < SAMPLE_NODES; i++) free(bodies[i]);
    return status;
}

tamis_status sample_read(reading *how, const sample *expected)
{
    tms_reader *r;
    tamis_status status = tms_reader_open(feed_source, &how->from, how->alloc, &r);
    if (status != TAMIS_OK) return status;
    tms_envelope e;
    status = tms_reader_header(r, &e);
    if (status == TAMIS_OK) {
        status = read_bodies(how, r, &e, expected);
        tms_envelope_free(how->alloc, &e);
    }
    tms_reader_close(r);
    return status;
}

tamis_status sample_read_bytes(const uint8_t *bytes, size_t size, const sample *expected)
{
    reading how = {.from = {.left = {bytes, size}}};
    return sample_read(&how, expected);
}

/* Runs `test` for every transport this library was built with. */
void sample_each_transport(void (*test)(uint32_t transport))
{
    for (uint32_t t = TAMIS_PLAIN; t <= TAMIS_GZIP; t++)
        if (sample_built(t)) test(t);
}
