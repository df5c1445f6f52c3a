/* sample_encoding.h - a small filter to encode, and its way out and back under
 * any transport, source, allocator and damage. Shared by the tests of the
 * format. The encoding is small on purpose: every length and every byte of it
 * is tried.                                                                 */
#ifndef TESTS_SAMPLE_ENCODING_H
#define TESTS_SAMPLE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/file.h>

#include "format/envelope.h"
#include "format/stream.h"

/* ---- a filter to encode ------------------------------------------------- */

enum { SAMPLE_NODES = 5, SAMPLE_CHUNK = TMS_CHUNK_LEAST, SAMPLE_CHUNKS = 5 };

/* A tree of five nodes whose bodies straddle chunks. */
typedef struct sample {
    tms_envelope e;
    tms_node nodes[SAMPLE_NODES];
    uint8_t *bodies[SAMPLE_NODES];
} sample;

void sample_make(sample *s);
void sample_free(sample *s);

/* Fills a node as the sample has it at place `i`. */
void sample_node(tms_node *node, unsigned i);

/* True if the two agree in every field but the pointers. */
bool sample_same_header(const tms_envelope *a, const tms_envelope *b);

/* ---- memory that grows, fails and counts -------------------------------- */

/* Grows; ctx of buffer_sink. */
typedef struct buffer {
    uint8_t *bytes;
    size_t size;
    size_t calls, fail_at; /* the call that fails with TAMIS_E_IO; 0: none */
    size_t largest;        /* piece                                        */
} buffer;

tamis_status buffer_sink(void *ctx, const void *bytes, size_t size);

/* Counts what it gives out; ctx of ledger_allocator. */
typedef struct ledger {
    size_t calls, fail_at; /* the allocation that fails; 0: none */
    size_t held, peak;     /* bytes                              */
} ledger;

tamis_alloc ledger_allocator(ledger *l);

/* ---- writing and reading ------------------------------------------------ */

/* True if this library has the transport. */
bool sample_built(uint32_t transport);

/* Runs `test` for every transport this library has. */
void sample_each_transport(void (*test)(uint32_t transport));

tamis_status sample_write(sample *s, uint32_t transport, int32_t level, const tamis_alloc *alloc,
                          buffer *out);

/* The same, and it must succeed; free the bytes. */
buffer sample_encode(sample *s, uint32_t transport);

/* A source over bytes that gives `step` of them at a time (0: all) and fails
 * with TAMIS_E_IO at a call of choice; ctx of feed_source. */
typedef struct feed {
    tms_bytes left;
    size_t step;
    size_t calls, fail_at;
} feed;

tamis_status feed_source(void *ctx, void *bytes, size_t room, size_t *size);

/* Everything about one reading. */
typedef struct reading {
    feed from;
    const tamis_alloc *alloc;
    bool salvage, report;
    bool keep_rest;   /* do not ask for the end of the input */
    unsigned damaged; /* one bit a chunk, when reported      */
} reading;

/* The whole way. TAMIS_OK means that the result is equal to `expected`, but
 * for what was reported as damaged. */
tamis_status sample_read(reading *how, const sample *expected);

/* The same with a plain reading of bytes. */
tamis_status sample_read_bytes(const uint8_t *bytes, size_t size, const sample *expected);

#endif
