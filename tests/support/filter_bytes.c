/* filter_bytes.c - see filter_bytes.h.                                      */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1 /* mkdtemp */
#endif
#include "support/filter_bytes.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/endian.h"
#include "hash/hasher.h"
#include "support/check.h"

/* ---- encodings ---------------------------------------------------------- */

void filter_bytes_parse(filter_bytes *b)
{
    const size_t header = tms_load32(b->bytes + 12);
    b->body = b->bytes + header;
    b->body_size = (size_t)tms_load64(b->bytes + 104);
    b->chunk_size = (size_t)1 << tms_load32(b->bytes + 100);
    b->chunks = (b->body_size + b->chunk_size - 1) / b->chunk_size;
}

filter_bytes filter_bytes_of(const tamis_filter *f)
{
    filter_bytes b = {.size = (size_t)tamis_encoded_size(f)};
    CHECK(b.size >= 256, "an encoding of %zu bytes", b.size);
    b.bytes = malloc(b.size);
    CHECK_OK(tamis_encode(f, b.bytes, b.size));
    filter_bytes_parse(&b);
    return b;
}

void filter_bytes_free(filter_bytes *b)
{
    free(b->bytes);
    *b = (filter_bytes){0};
}

filter_bytes filter_bytes_copy(const filter_bytes *b)
{
    filter_bytes copy = {.bytes = malloc(b->size), .size = b->size};
    memcpy(copy.bytes, b->bytes, b->size);
    filter_bytes_parse(&copy);
    return copy;
}

void filter_bytes_reseal(filter_bytes *b)
{
    const size_t header = (size_t)(b->body - b->bytes);
    const uint64_t sum = tms_checksum(b->bytes, header - 8, 0);
    uint8_t *trailer = b->body + b->body_size;
    tms_store64(b->body - 8, sum);
    for (size_t i = 0; i < b->chunks; i++) {
        const size_t at = i * b->chunk_size;
        const size_t left = b->body_size - at;
        const size_t size = left < b->chunk_size ? left : b->chunk_size;
        tms_store64(trailer + 8 * i, tms_checksum(b->body + at, size, sum + i));
    }
    tms_store64(trailer + 8 * b->chunks, tms_checksum(trailer, 8 * b->chunks, sum));
}

/* ---- comparing ---------------------------------------------------------- */

static void bytes_check(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                        const char *what)
{
    size_t at = 0;
    CHECK(a_size == b_size, "%s: %zu and %zu bytes", what, a_size, b_size);
    while (at < a_size && a[at] == b[at]) at++;
    CHECK(at == a_size, "%s: byte %zu of %zu is 0x%02x and 0x%02x", what, at, a_size, a[at], b[at]);
}

void filter_bytes_check_same(const filter_bytes *a, const filter_bytes *b, const char *what)
{
    bytes_check(a->bytes, a->size, b->bytes, b->size, what);
}

void filter_bytes_check_same_body(const filter_bytes *a, const filter_bytes *b, const char *what)
{
    bytes_check(a->body, a->body_size, b->body, b->body_size, what);
}

static void filters_check(const tamis_filter *a, const tamis_filter *b, const char *what,
                          void (*check)(const filter_bytes *, const filter_bytes *, const char *))
{
    filter_bytes x = filter_bytes_of(a), y = filter_bytes_of(b);
    check(&x, &y, what);
    filter_bytes_free(&x);
    filter_bytes_free(&y);
}

void filters_check_same(const tamis_filter *a, const tamis_filter *b, const char *what)
{
    filters_check(a, b, what, filter_bytes_check_same);
}

void filters_check_same_body(const tamis_filter *a, const tamis_filter *b, const char *what)
{
    filters_check(a, b, what, filter_bytes_check_same_body);
}

void filter_check_unchanged(const tamis_filter *f, const filter_bytes *before, const char *what)
{
    filter_bytes now = filter_bytes_of(f);
    filter_bytes_check_same(before, &now, what);
    filter_bytes_free(&now);
}

/* ---- streams ------------------------------------------------------------ */

tamis_status bytes_sink(void *ctx, const void *bytes, size_t size)
{
    bytes_heap *heap = ctx;
    if (++heap->calls == heap->fail_at) return TAMIS_E_IO;
    heap->bytes = realloc(heap->bytes, heap->size + size + 1);
    if (size) memcpy(heap->bytes + heap->size, bytes, size);
    heap->size += size;
    if (size > heap->largest) heap->largest = size;
    return TAMIS_OK;
}

tamis_status bytes_source(void *ctx, void *bytes, size_t room, size_t *size)
{
    bytes_tap *tap = ctx;
    if (++tap->calls == tap->fail_at) return TAMIS_E_IO;
    size_t some = tap->step && tap->step < room ? tap->step : room;
    if (some > tap->size) some = tap->size;
    if (some) memcpy(bytes, tap->bytes, some);
    tap->bytes += some;
    tap->size -= some;
    *size = some;
    return TAMIS_OK;
}

/* ---- files -------------------------------------------------------------- */

static char scratch_folder[256];

static void scratch_remove(void)
{
    char path[1024];
    DIR *folder = opendir(scratch_folder);
    if (!folder) return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        snprintf(path, sizeof path, "%s/%s", scratch_folder, entry->d_name);
        (void)unlink(path);
    }
    closedir(folder);
    (void)rmdir(scratch_folder);
}

const char *scratch_path(const char *name)
{
    static char paths[8][512];
    static unsigned next;
    if (!scratch_folder[0]) {
        const char *root = getenv("TMPDIR");
        snprintf(scratch_folder, sizeof scratch_folder, "%s/tamis-test-XXXXXX",
                 root ? root : "/tmp");
        assert_non_null(mkdtemp(scratch_folder));
        atexit(scratch_remove);
    }
    for (unsigned i = 0; i < next; i++)
        if (strcmp(paths[i] + strlen(scratch_folder) + 1, name) == 0) return paths[i];
    assert_true(next < COUNT(paths));
    snprintf(paths[next], sizeof paths[next], "%s/%s", scratch_folder, name);
    return paths[next++];
}

void scratch_write(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

uint8_t *scratch_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    (void)fclose(file);
    return bytes;
}
