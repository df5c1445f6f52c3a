/* filter_bytes.h - a filter's encoding as a thing to compare and to damage.
 *
 * Where things lie is taken from docs/format.md: header, body area, trailer. */
#ifndef TESTS_FILTER_BYTES_H
#define TESTS_FILTER_BYTES_H

#include <stdbool.h>
#include <tamis/tamis.h>

typedef struct filter_bytes {
    uint8_t *bytes;
    size_t size;
    uint8_t *body; /* inside bytes */
    size_t body_size;
    size_t chunk_size;
    size_t chunks;
} filter_bytes;

/* The encoding of `f`; it must succeed. */
filter_bytes filter_bytes_of(const tamis_filter *f);
void filter_bytes_free(filter_bytes *b);

/* Finds body and chunks again from the header's fields. */
void filter_bytes_parse(filter_bytes *b);

/* A copy, for one test to spoil. */
filter_bytes filter_bytes_copy(const filter_bytes *b);

/* Makes header and chunk checksums agree with the bytes as they are now. */
void filter_bytes_reseal(filter_bytes *b);

/* These fail the test and name the first byte that differs. `same` compares
 * everything, `same_body` the bits alone. */
void filter_bytes_check_same(const filter_bytes *a, const filter_bytes *b, const char *what);
void filter_bytes_check_same_body(const filter_bytes *a, const filter_bytes *b, const char *what);

/* The same of two filters, and of a filter and bytes taken of it earlier. */
void filters_check_same(const tamis_filter *a, const tamis_filter *b, const char *what);
void filters_check_same_body(const tamis_filter *a, const tamis_filter *b, const char *what);
void filter_check_unchanged(const tamis_filter *f, const filter_bytes *before, const char *what);

/* Collects what a sink is given; ctx of bytes_sink. Fails at call `fail_at`. */
typedef struct bytes_heap {
    uint8_t *bytes;
    size_t size, largest;
    size_t calls, fail_at;
} bytes_heap;

tamis_status bytes_sink(void *ctx, const void *bytes, size_t size);

/* Gives bytes away in steps; ctx of bytes_source. Fails at call `fail_at`. */
typedef struct bytes_tap {
    const uint8_t *bytes;
    size_t size, step; /* 0: as much as there is room for */
    size_t calls, fail_at;
} bytes_tap;

tamis_status bytes_source(void *ctx, void *bytes, size_t room, size_t *size);

/* A path in a folder of this process's own, removed at exit. One call's text
 * is valid until the program ends. */
const char *scratch_path(const char *name);

/* Writes and reads whole files; they must succeed. */
void scratch_write(const char *path, const void *bytes, size_t size);
uint8_t *scratch_read(const char *path, size_t *size);

#endif
