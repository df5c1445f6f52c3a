/* test_allocation_threads.c - memory refused to an add by several threads: the
 * batch fails as a whole, and the filter is as it was.                      */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1 /* alarm */
#endif
#include <unistd.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/faulty_heap.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 68000;

enum { KEYS = 20000, PATIENCE = 150 };

static void parallel_adds(void **state)
{
    (void)state;
    spec_row row;
    key_batch keys = key_batch_integers(SEED, KEYS);
    const tamis_keys batch = key_batch_as(&keys, TAMIS_LAYOUT_U64, NULL);
    for (size_t i = 0; spec_row_number(i, KEYS, &row); i++) {
        faulty_heap heap;
        faulty_heap_init(&heap);
        tamis_spec spec = row.spec;
        spec.alloc = &heap.alloc;
        tamis_filter *f = NULL;
        if (row.keys < KEYS) continue;
        CHECK_OK(tamis_create(&spec, &f));
        filter_bytes before = filter_bytes_of(f);
        const size_t blocks = heap.blocks;
        size_t added = 0, done = 0;
        tamis_status status = TAMIS_E_NOMEM;
        for (size_t n = 1; status != TAMIS_OK; n++) {
            CHECK(n < 200, "never succeeds");
            check_about("%s; 3 threads, allocation %zu fails", row.why, n);
            faulty_heap_fail(&heap, n);
            added = 12345;
            status = tamis_add_many_parallel(f, &batch, 3, &added);
            faulty_heap_fail(&heap, 0);
            if (status == TAMIS_OK) break;
            CHECK_STATUS(status, TAMIS_E_NOMEM);
            CHECK(row.grows || added == 0, "%zu keys of a batch that failed", added);
            CHECK(row.grows || heap.blocks == blocks, "%zu blocks leak", heap.blocks - blocks);
            if (!row.grows) filter_check_unchanged(f, &before, "a batch that failed");
            const key_batch taken = key_batch_part(&keys, 0, added);
            ask_check_quickly(f, &taken, "taken before the failure");
            const bool again = spec_row_removes(&row); /* what was taken takes room again */
            CHECK(added >= done || again, "%zu keys, earlier %zu", added, done);
            done = added;
        }
        CHECK(added == KEYS, "%zu added", added);
        ask_check_quickly(f, &keys, "added at last");
        tamis_free(f);
        CHECK(heap.blocks == 0 && heap.faults == 0, "leaks or faults");
        filter_bytes_free(&before);
    }
    key_batch_free(&keys);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parallel_adds)};
    alarm(PATIENCE); /* threads that wait for each other are a failure, not a long test */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
