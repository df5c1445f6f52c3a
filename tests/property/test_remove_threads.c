/* test_remove_threads.c - threads add, remove and ask at once: every key that
 * is left is there, what was taken away is gone from the count, and nothing of
 * one thread's work is lost to another's; readers and savers who take no part find
 * every key that nobody removes. Runs under the thread sanitizer.            */
#include <pthread.h>
#include <sched.h>
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

/* ---- those who stay, and those who come and go ----------------------------- */

enum { ADDERS = 2, REMOVERS = 2, READERS = 2, STAYING = 8000, PASSING = 2000, TURNS = 4 };

/* Adders put passing keys in, and removers take away what they have announced: each
 * remover follows an adder. The others look for the keys that stay. */
typedef struct traffic {
    tamis_filter *filter;
    _Atomic uint64_t in[ADDERS], out[ADDERS]; /* passing keys that came, and that went */
    _Atomic unsigned moving;
    _Atomic uint64_t lost, failed;
} traffic;

typedef struct traveller {
    traffic *traffic;
    unsigned self;
} traveller;

/* They come again and again, at most PASSING of them at a time. */
static void *come(void *argument)
{
    const traveller *who = argument;
    traffic *t = who->traffic;
    for (uint64_t i = 0; i < TURNS * PASSING; i++) {
        while (i - atomic_load(&t->out[who->self]) >= PASSING) sched_yield();
        t->failed += tamis_add_u64(t->filter, key_of(1 + who->self, i % PASSING)) != TAMIS_OK;
        atomic_store_explicit(&t->in[who->self], i + 1, memory_order_release);
    }
    t->moving--;
    return NULL;
}

static void *go(void *argument)
{
    const traveller *who = argument;
    traffic *t = who->traffic;
    for (uint64_t i = 0; i < TURNS * PASSING; i++) {
        while (atomic_load_explicit(&t->in[who->self], memory_order_acquire) <= i) sched_yield();
        const uint64_t key = key_of(1 + who->self, i % PASSING);
        t->lost += !tamis_may_contain_u64(t->filter, key);
        t->failed += tamis_remove_u64(t->filter, key) != TAMIS_OK;
        atomic_store(&t->out[who->self], i + 1);
    }
    t->moving--;
    return NULL;
}

static uint64_t missing(const tamis_filter *f, uint64_t first, size_t count, bool singly)
{
    uint64_t keys[100], lost = 0;
    for (size_t i = 0; i < count; i++) keys[i] = key_of(0, (first + i) % STAYING);
    const tamis_keys batch = tamis_keys_u64(keys, count);
    if (!singly) return count - tamis_may_contain_many(f, &batch, NULL);
    for (size_t i = 0; i < count; i++)
        lost += !tamis_may_contain_u64(f, keys[i]) || tamis_estimate_count_u64(f, keys[i]) == 0;
    return lost;
}

static void *look(void *argument)
{
    const traveller *who = argument;
    traffic *t = who->traffic;
    for (uint64_t i = 0; t->moving; i++)
        t->lost += missing(t->filter, 100 * i, 100, (i + who->self) % 2);
    return NULL;
}

static void *copy(void *argument)
{
    const traveller *who = argument;
    traffic *t = who->traffic;
    do {
        tamis_filter *clone = NULL;
        t->failed += tamis_clone(t->filter, &clone) != TAMIS_OK;
        for (uint64_t i = 0; clone && i < STAYING; i += 100)
            t->lost += missing(clone, i, 100, false);
        tamis_free(clone);
    } while (t->moving);
    return NULL;
}

static void run_traffic(traffic *t)
{
    static const struct {
        void *(*role)(void *);
        unsigned count;
    } roles[] = {{come, ADDERS}, {go, REMOVERS}, {look, READERS}, {copy, 1}};
    pthread_t threads[ADDERS + REMOVERS + READERS + 1];
    traveller who[COUNT(threads)];
    size_t started = 0;
    t->moving = ADDERS + REMOVERS;
    for (size_t r = 0; r < COUNT(roles); r++)
        for (unsigned i = 0; i < roles[r].count; i++, started++) {
            who[started] = (traveller){t, i};
            assert_int_equal(pthread_create(&threads[started], NULL, roles[r].role, &who[started]),
                             0);
        }
    for (size_t i = 0; i < started; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* In tables with no room to spare, so that keys which stay are moved. */
static void who_stays_is_found(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, STAYING + ADDERS * PASSING, &row); i++) {
        if (!spec_row_removes(&row) || !(row.spec.flags & TAMIS_CONCURRENT)) continue;
        if (row.keys < STAYING + ADDERS * PASSING) continue;
        traffic t = {.filter = spec_row_make(&row)};
        tamis_facts facts;
        check_about("%s; %d threads add, %d remove", row.why, ADDERS, REMOVERS);
        for (uint64_t k = 0; k < STAYING; k++) CHECK_OK(tamis_add_u64(t.filter, key_of(0, k)));
        run_traffic(&t);
        CHECK(t.failed == 0, "%" PRIu64 " calls failed", (uint64_t)t.failed);
        CHECK(t.lost == 0, "%" PRIu64 " keys were lost", (uint64_t)t.lost);
        for (uint64_t k = 0; k < STAYING; k += 100)
            CHECK(missing(t.filter, k, 100, true) == 0, "a key is gone");
        CHECK_OK(tamis_info(t.filter, &facts));
        CHECK(facts.added == STAYING, "%" PRIu64 " are said to be left", facts.added);
        tamis_free(t.filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost),
                                       cmocka_unit_test(who_stays_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
