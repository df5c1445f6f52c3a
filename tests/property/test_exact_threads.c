/* test_exact_threads.c - any number of threads may ask, count, read and write one
 * exact set at once.                                                        */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "support/check.h"

enum { READERS = 4, ROUNDS = 20, KEYS = 5000 };

typedef struct reader {
    pthread_t thread;
    const tamis_filter *filter;
    const uint8_t *expected; /* its portable bytes */
    size_t size;
    unsigned failures;
} reader;

static uint64_t key_number(uint64_t i)
{
    return (i % 3 << 33) + i * i;
}

static void *read_all(void *ctx)
{
    reader *r = ctx;
    uint8_t *bytes = malloc(r->size);
    uint64_t values[100];
    if (!bytes) r->failures++;
    for (unsigned round = 0; bytes && round < ROUNDS; round++) {
        for (uint64_t i = 0; i < KEYS; i += 7)
            r->failures += !tamis_may_contain_u64(r->filter, key_number(i));
        r->failures += tamis_bitmap_count(r->filter, 0, UINT64_MAX) != KEYS;
        r->failures += tamis_bitmap_read(r->filter, round * 1000, values, 100) != 100;
        r->failures += tamis_bitmap_encode(r->filter, bytes, r->size) != TAMIS_OK;
        r->failures += memcmp(bytes, r->expected, r->size) != 0;
    }
    free(bytes);
    return NULL;
}

static void test_many_readers(void **state)
{
    (void)state;
    const tamis_spec spec = {.kind = TAMIS_KIND_BITMAP};
    tamis_filter *f = NULL;
    reader readers[READERS];
    if (tamis_create(&spec, &f) == TAMIS_E_UNAVAILABLE) skip();
    for (uint64_t i = 0; i < KEYS; i++) CHECK_OK(tamis_add_u64(f, key_number(i)));
    size_t size = (size_t)tamis_bitmap_encoded_size(f);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    CHECK_OK(tamis_bitmap_encode(f, bytes, size));
    for (size_t i = 0; i < READERS; i++) {
        readers[i] = (reader){.filter = f, .expected = bytes, .size = size};
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_all, &readers[i]), 0);
    }
    for (size_t i = 0; i < READERS; i++) {
        pthread_join(readers[i].thread, NULL);
        CHECK(readers[i].failures == 0, "reader %zu: %u failures", i, readers[i].failures);
    }
    free(bytes);
    tamis_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_readers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
