/* test_hash_threads.c - the registry of hashes, written and read by two threads
 * at once. The thread sanitizer watches.                                      */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <tamis/hash.h>

#include "hash/hash_raw.h"

static uint64_t user_hash(const void *key, size_t len, uint64_t seed, void *ctx)
{
    (void)ctx;
    return tms_murmur64a(key, len, seed);
}

enum { RACE_SHARED = 16, RACE_OWN = 8 };

/* Both threads register the shared ids, and each its own; both ask all the time. */
static void *race(void *argument)
{
    const unsigned me = *(const unsigned *)argument;
    char name[32];
    size_t wrong = 0;
    for (unsigned i = 0; i < RACE_SHARED + RACE_OWN; i++) {
        const bool shared = i < RACE_SHARED;
        const uint32_t id = shared ? 3000 + i : 4000 + 100 * me + i;
        sprintf(name, "race-%u", (unsigned)id);
        const tamis_hash_definition d = {id, name, 64, user_hash, NULL};
        wrong += tamis_register_hash(&d) != TAMIS_OK;
        wrong += tamis_hash_id(name) != id;
        uint64_t digest = 0;
        wrong += tamis_hash_bytes(id, 1, NULL, name, 4, &digest) != TAMIS_OK;
        wrong += digest != tms_murmur64a(name, 4, 1);
    }
    return wrong ? argument : NULL;
}

static void two_threads_register(void **state)
{
    (void)state;
    const size_t before = tamis_hash_list(NULL, 0);
    pthread_t threads[2];
    unsigned numbers[2] = {0, 1};
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, race, &numbers[i]), 0);
    for (size_t i = 0; i < 2; i++) {
        void *failed;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(tamis_hash_list(NULL, 0), before + RACE_SHARED + 2 * RACE_OWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_threads_register),
    };
    return cmocka_run_group_tests_name("hash_threads", tests, NULL, NULL);
}
