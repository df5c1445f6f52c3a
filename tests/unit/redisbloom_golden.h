/* redisbloom_golden.h - the cases of tests/golden/foreign/redisbloom as filters
 * and bytes, for the tests of redisbloom.h.                                 */
#ifndef TESTS_REDISBLOOM_GOLDEN_H
#define TESTS_REDISBLOOM_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "golden/foreign/redisbloom/cases.h"
#include "support/check.h"
#include "support/filter_bytes.h"

enum { GOLDEN_CASES = sizeof redisbloom_cases / sizeof redisbloom_cases[0] };

typedef struct golden_key {
    char text[32];
    size_t size;
} golden_key;

static inline golden_key golden_name(const char *prefix, uint32_t number)
{
    golden_key key;
    key.size = (size_t)snprintf(key.text, sizeof key.text, "%s%u", prefix, number);
    return key;
}

static inline bool golden_listed(const uint32_t *list, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == number) return true;
    return false;
}

/* The bytes of a file of the folder, or NULL when the case has none. */
static inline uint8_t *golden_file(const char *name, const char *suffix, size_t *size)
{
    char path[512];
    snprintf(path, sizeof path, TAMIS_TEST_DATA "/foreign/redisbloom/%s%s", name, suffix);
    FILE *there = fopen(path, "rb");
    if (!there) return NULL;
    fclose(there);
    return scratch_read(path, size);
}

static inline tamis_filter *golden_empty(const redisbloom_case *c)
{
    tamis_filter *f = NULL;
    if (c->kind == TAMIS_KIND_REDISBLOOM)
        CHECK_OK(tamis_redisbloom_create_bloom(&c->bloom, NULL, &f));
    else
        CHECK_OK(tamis_redisbloom_create_cuckoo(&c->cuckoo, NULL, &f));
    return f;
}

/* Every chunk of `f`, one after another: the header first. */
static inline bytes_heap golden_chunks(const tamis_filter *f)
{
    bytes_heap heap = {0};
    tamis_redisbloom_chunk chunk = {.next = 1};
    size_t size = tamis_redisbloom_header_size(f);
    uint8_t *header = malloc(size);
    CHECK(header != NULL, "memory");
    tamis_redisbloom_header(f, header);
    CHECK_OK(bytes_sink(&heap, header, size));
    free(header);
    for (tamis_redisbloom_chunk_at(f, 1, &chunk); chunk.next;
         tamis_redisbloom_chunk_at(f, chunk.next, &chunk))
        CHECK_OK(bytes_sink(&heap, chunk.bytes, chunk.size));
    return heap;
}

static inline bytes_heap golden_dump(const tamis_filter *f, uint32_t rdb_version)
{
    bytes_heap heap = {0};
    CHECK_OK(tamis_redisbloom_dump(f, (uint16_t)rdb_version, bytes_sink, &heap));
    return heap;
}

#endif
