/* key_batch.c - see key_batch.h.                                            */
#include "support/key_batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/endian.h"
#include "support/splitmix.h"

/* ---- laying out --------------------------------------------------------- */

/* The sizes are known: makes room, and sets offsets and spans. */
static key_batch key_batch_make(size_t count, const size_t *sizes)
{
    key_batch b = {.count = count};
    for (size_t i = 0; i < count; i++) b.byte_count += sizes[i];
    b.bytes = malloc(b.byte_count + 1);
    b.spans = calloc(count + 1, sizeof *b.spans);
    b.offsets32 = calloc(count + 1, sizeof *b.offsets32);
    b.offsets64 = calloc(count + 1, sizeof *b.offsets64);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        b.spans[i] = (tamis_span){b.bytes + at, sizes[i]};
        at += sizes[i];
        b.offsets32[i + 1] = (int32_t)at;
        b.offsets64[i + 1] = (int64_t)at;
    }
    return b;
}

void key_batch_free(key_batch *b)
{
    free(b->bytes);
    free(b->spans);
    free(b->offsets32);
    free(b->offsets64);
    free(b->integers);
    *b = (key_batch){0};
}

key_batch key_batch_part(const key_batch *whole, size_t from, size_t count)
{
    key_batch part = *whole;
    part.count = count;
    part.spans += from;
    part.offsets32 += from;
    part.offsets64 += from;
    if (part.integers) part.integers += from;
    return part;
}

/* ---- kinds of keys ------------------------------------------------------ */

key_batch key_batch_integers(uint64_t seed, size_t count)
{
    size_t *sizes = calloc(count + 1, sizeof *sizes);
    for (size_t i = 0; i < count; i++) sizes[i] = 8;
    key_batch b = key_batch_make(count, sizes);
    free(sizes);
    b.integers = calloc(count + 1, sizeof *b.integers);
    splitmix random = {seed};
    for (size_t i = 0; i < count; i++) {
        b.integers[i] = splitmix_next(&random);
        tms_store64(b.bytes + 8 * i, b.integers[i]);
    }
    return b;
}

/* Writes key `i` of set `seed`, at most 63 bytes; returns its size. The number
 * stands in every form once and ends in a letter, so no two keys are equal. */
static size_t key_text(uint64_t seed, size_t i, uint8_t key[64])
{
    static const char *const forms[] = {"%zx:%llxu", "https://example.org/%zx/%llxp", "%zx@%llxe",
                                        "/var/lib/things/of/many/%zx.%llxf"};
    char text[64];
    const size_t form = i % 4;
    if (i == 0 && seed == 0) return 0; /* the empty key is one of the set 0 */
    int size = snprintf(text, sizeof text, forms[form], i, (unsigned long long)seed);
    memcpy(key, text, (size_t)size);
    if (i % 5 == 0) key[size - 1] = 0; /* in place of the letter */
    return (size_t)size;
}

key_batch key_batch_text(uint64_t seed, size_t count)
{
    uint8_t key[64];
    size_t *sizes = calloc(count + 1, sizeof *sizes);
    for (size_t i = 0; i < count; i++) sizes[i] = key_text(seed, i, key);
    key_batch b = key_batch_make(count, sizes);
    for (size_t i = 0, at = 0; i < count; at += sizes[i++]) {
        (void)key_text(seed, i, key);
        memcpy(b.bytes + at, key, sizes[i]);
    }
    free(sizes);
    return b;
}

/* Collects keys of any size. */
typedef struct key_list {
    tamis_span keys[2048];
    size_t count;
    uint8_t room[16384];
    size_t used;
} key_list;

static void key_list_add(key_list *list, const void *data, size_t size)
{
    memcpy(list->room + list->used, data, size);
    list->keys[list->count++] = (tamis_span){list->room + list->used, size};
    list->used += size;
}

static void key_list_u64(key_list *list, uint64_t value)
{
    uint8_t bytes[8];
    tms_store64(bytes, value);
    key_list_add(list, bytes, 8);
}

static void key_list_fill(key_list *list)
{
    key_list_add(list, "", 0);
    for (unsigned i = 0; i < 256; i++) key_list_add(list, &(uint8_t){(uint8_t)i}, 1);
    for (uint64_t i = 0; i < 300; i++) key_list_u64(list, i);
    for (uint64_t i = 1; i <= 64; i++) key_list_u64(list, i << 32 | 7);
    for (unsigned i = 0; i < 64; i++) key_list_u64(list, UINT64_C(1) << i);
    for (uint64_t i = 0; i < 64; i++) key_list_u64(list, ~i);
    for (size_t size = 1; size <= 65; size++) {
        static const uint8_t zeros[65];
        key_list_add(list, zeros, size); /* differ in length alone */
    }
    key_list_add(list, "a\0b", 3);
    key_list_add(list, "a\0c", 3);
    key_list_add(list, "a\0", 2);
    key_list_add(list, "a", 1);
    for (unsigned i = 0; i < 16; i++) { /* a long common beginning */
        char text[96];
        memset(text, 'x', sizeof text);
        text[95] = (char)('a' + i);
        key_list_add(list, text, sizeof text);
    }
}

key_batch key_batch_awkward(void)
{
    enum { LARGE = 1 << 20 };
    key_list *list = calloc(1, sizeof *list);
    uint8_t *large = malloc(LARGE);
    memset(large, 'L', LARGE);
    key_list_fill(list);
    const size_t small = list->count;
    for (size_t i = 0; i < small; i++) list->keys[list->count++] = list->keys[i];
    list->keys[list->count++] = (tamis_span){large, LARGE};
    list->keys[list->count++] = (tamis_span){large, LARGE - 1};
    size_t sizes[2048];
    for (size_t i = 0; i < list->count; i++) sizes[i] = list->keys[i].size;
    key_batch b = key_batch_make(list->count, sizes);
    for (size_t i = 0, at = 0; i < b.count; at += sizes[i++])
        memcpy(b.bytes + at, list->keys[i].data, sizes[i]);
    b.spans[small] = (tamis_span){NULL, 0}; /* the empty key again, without an address */
    free(large);
    free(list);
    return b;
}

/* ---- layouts ------------------------------------------------------------ */

const char *key_layout_name(tamis_layout layout)
{
    static const char *const names[] = {"?",         "spans",     "u64",    "rows",
                                        "offsets32", "offsets64", "digests"};
    return names[layout];
}

bool key_batch_has(const key_batch *b, tamis_layout layout)
{
    const bool fixed = layout == TAMIS_LAYOUT_U64 || layout == TAMIS_LAYOUT_ROWS;
    return b->integers || !fixed;
}

tamis_keys key_batch_as(const key_batch *b, tamis_layout layout, const uint64_t *digests)
{
    switch (layout) {
    case TAMIS_LAYOUT_U64: return tamis_keys_u64(b->integers, b->count);
    case TAMIS_LAYOUT_ROWS: return tamis_keys_rows(b->spans[0].data, 8, b->count);
    case TAMIS_LAYOUT_OFFSETS32: return tamis_keys_offsets32(b->bytes, b->offsets32, b->count);
    case TAMIS_LAYOUT_OFFSETS64: return tamis_keys_offsets64(b->bytes, b->offsets64, b->count);
    case TAMIS_LAYOUT_DIGESTS: return tamis_keys_digests(digests, b->count);
    case TAMIS_LAYOUT_SPANS: break;
    }
    return tamis_keys_spans(b->spans, b->count);
}

uint64_t *key_batch_digests(const key_batch *b, const tamis_filter *f)
{
    uint64_t *digests = calloc(b->count + 1, sizeof *digests);
    for (size_t i = 0; i < b->count; i++)
        digests[i] = tamis_hash(f, b->spans[i].data, b->spans[i].size);
    return digests;
}
