/* fuzz_bitmap.c - any bytes as a portable Roaring bitmap, then as a string of bits.
 *
 * What is accepted must be a set: counted right, ascending, equal to what its own
 * bytes and bits give, and to its union and intersection with itself.       */
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BITMAP_READ = 4096 };

static void bitmap_require(bool held)
{
    if (!held) abort();
}

static uint64_t bitmap_count(const tamis_filter *f)
{
    return tamis_bitmap_count(f, 0, UINT64_MAX);
}

static void bitmap_check_order(const tamis_filter *f)
{
    static uint64_t values[BITMAP_READ];
    size_t read = tamis_bitmap_read(f, 0, values, BITMAP_READ);
    tamis_facts facts;
    bitmap_require(read == BITMAP_READ ? bitmap_count(f) >= read : bitmap_count(f) == read);
    for (size_t i = 0; i < read; i++) {
        bitmap_require(i == 0 || values[i - 1] < values[i]);
        bitmap_require(tamis_may_contain_u64(f, values[i]));
    }
    bitmap_require(tamis_info(f, &facts) == TAMIS_OK && facts.added == bitmap_count(f));
}

/* Both are the same set, so the same bytes. */
static void bitmap_check_same(const tamis_filter *a, const tamis_filter *b)
{
    size_t size = (size_t)tamis_bitmap_encoded_size(a);
    uint8_t *first = malloc(size), *second = malloc(size);
    bitmap_require(first && second && tamis_bitmap_encoded_size(b) == size);
    bitmap_require(tamis_bitmap_encode(a, first, size) == TAMIS_OK);
    bitmap_require(tamis_bitmap_encode(b, second, size) == TAMIS_OK);
    bitmap_require(memcmp(first, second, size) == 0);
    free(first);
    free(second);
}

static void bitmap_round_trip(const tamis_filter *f)
{
    tamis_filter *again;
    size_t size = (size_t)tamis_bitmap_encoded_size(f);
    uint8_t *bytes = malloc(size);
    bitmap_require(bytes && tamis_bitmap_encode(f, bytes, size) == TAMIS_OK);
    bitmap_require(tamis_bitmap_decode(bytes, size, NULL, &again) == TAMIS_OK);
    bitmap_check_same(f, again);
    bitmap_require(tamis_intersect(again, f) == TAMIS_OK);
    bitmap_check_same(f, again);
    bitmap_require(tamis_merge(again, f, NULL) == TAMIS_OK);
    bitmap_check_same(f, again);
    bitmap_require(tamis_bitmap_remove_range(again, 0, UINT64_MAX, NULL) == TAMIS_OK);
    bitmap_require(bitmap_count(again) == 0);
    free(bytes);
    tamis_free(again);
}

/* Bits in and out again, at a place that the first byte chooses. */
static void bitmap_bits(const uint8_t *data, size_t size)
{
    const tamis_spec spec = {.kind = TAMIS_KIND_BITMAP};
    const uint64_t base = ((uint64_t)data[0] << 32) - data[0];
    uint8_t *back = malloc(size);
    tamis_filter *f;
    if (tamis_create(&spec, &f) == TAMIS_OK) {
        bitmap_require(back && tamis_bitmap_add_dense(f, base, data, size) == TAMIS_OK);
        bitmap_require(tamis_bitmap_write_dense(f, base, back, size) == TAMIS_OK);
        bitmap_require(memcmp(back, data, size) == 0);
        bitmap_check_order(f);
        tamis_free(f);
    }
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tamis_filter *f;
    if (tamis_bitmap_decode(data, size, NULL, &f) == TAMIS_OK) {
        bitmap_check_order(f);
        bitmap_round_trip(f);
        tamis_free(f);
    }
    if (size > 0) bitmap_bits(data, size);
    return 0;
}
