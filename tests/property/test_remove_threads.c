/* test_remove_threads.c - threads add, remove and ask at once: every key that
 * is left is there, what was taken away is gone from the count, and nothing of
 * one thread's work is lost to another's. Runs under the thread sanitizer.   */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

enum { WORKERS = 4, MINE = 3000, COMMON = 40, ROUNDS = 3 };

typedef struct crowd {
    tamis_filter *filter;
    _Atomic uint64_t lost, failed; /* what the threads found; the main thread checks */
} crowd;

typedef struct crowd_member {
    crowd *crowd;
    uint64_t self;
} crowd_member;

static bool next_row(size_t *index, spec_row *row)
{
    while (spec_row_number((*index)++, WORKERS * (MINE + COMMON), row))
        if (spec_row_removes(row) && !row->grows && row->spec.flags & TAMIS_CONCURRENT) return true;
    return false;
}

static uint64_t key_of(uint64_t worker, uint64_t i)
{
    return worker << 32 | i;
}

/* Keys of all workers, each added and removed by each: the counters of these
 * are where the threads meet. */
static void work_common(crowd *c)
{
    for (uint64_t i = 0; i < COMMON; i++)
        c->failed += tamis_add_u64(c->filter, key_of(WORKERS, i)) != TAMIS_OK;
    for (uint64_t i = 0; i < COMMON; i++) {
        c->lost += !tamis_may_contain_u64(c->filter, key_of(WORKERS, i));
        c->failed += tamis_remove_u64(c->filter, key_of(WORKERS, i)) != TAMIS_OK;
    }
}

static void remove_odd(crowd *c, uint64_t self)
{
    static _Thread_local uint64_t odd[MINE / 2];
    size_t gone = 0;
    for (uint64_t i = 0; i < MINE / 2; i++) odd[i] = key_of(self, 2 * i + 1);
    const tamis_keys batch = tamis_keys_u64(odd, MINE / 2);
    c->failed += tamis_remove_many(c->filter, &batch, NULL, &gone) != TAMIS_OK;
    c->lost += MINE / 2 - gone;
}

/* Adds its own keys and takes the odd ones away again, all but the last time. */
static void *work(void *argument)
{
    const crowd_member *m = argument;
    crowd *c = m->crowd;
    for (uint64_t i = 0; i < MINE; i++)
        c->failed += tamis_add_u64(c->filter, key_of(m->self, i)) != TAMIS_OK;
    for (unsigned round = 0; round < ROUNDS; round++) {
        work_common(c);
        remove_odd(c, m->self);
        for (uint64_t i = 0; i < MINE; i += 2)
            c->lost += !tamis_may_contain_u64(c->filter, key_of(m->self, i));
        if (round + 1 == ROUNDS) break;
        for (uint64_t i = 1; i < MINE; i += 2)
            c->failed += tamis_add_u64(c->filter, key_of(m->self, i)) != TAMIS_OK;
    }
    return NULL;
}

static void check_left(const crowd *c)
{
    tamis_facts facts;
    CHECK(c->failed == 0, "%" PRIu64 " calls failed", (uint64_t)c->failed);
    CHECK(c->lost == 0, "%" PRIu64 " keys were lost", (uint64_t)c->lost);
    CHECK_OK(tamis_info(c->filter, &facts));
    CHECK(facts.added == WORKERS * MINE / 2, "%" PRIu64 " are said to be left", facts.added);
    for (uint64_t w = 0; w < WORKERS; w++)
        for (uint64_t i = 0; i < MINE; i += 2)
            CHECK(tamis_may_contain_u64(c->filter, key_of(w, i)), "key %" PRIu64 " is gone", i);
}

static void nothing_is_lost(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; next_row(&i, &row);) {
        if (row.keys < WORKERS * MINE) continue;
        crowd c = {.filter = spec_row_make(&row)};
        pthread_t threads[WORKERS];
        crowd_member members[WORKERS];
        check_about("%s; %d threads add and remove", row.why, WORKERS);
        for (uint64_t w = 0; w < WORKERS; w++) {
            members[w] = (crowd_member){&c, w};
            assert_int_equal(pthread_create(&threads[w], NULL, work, &members[w]), 0);
        }
        for (unsigned w = 0; w < WORKERS; w++) assert_int_equal(pthread_join(threads[w], NULL), 0);
        check_left(&c);
        if (tamis_kind_abilities(row.spec.kind) & TAMIS_CAN_MERGE) { /* order leaves no trace */
            tamis_filter *one = spec_row_make(&row);
            for (uint64_t w = 0; w < WORKERS; w++)
                for (uint64_t k = 0; k < MINE; k += 2) CHECK_OK(tamis_add_u64(one, key_of(w, k)));
            filters_check_same_body(c.filter, one, "many threads and one");
            tamis_free(one);
        }
        tamis_free(c.filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
