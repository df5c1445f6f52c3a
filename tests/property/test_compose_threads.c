/* test_compose_threads.c - filters made of filters, in concurrent mode: threads
 * add, remove and ask while others save and clone, shards and layers are grown
 * meanwhile, and nothing of one thread's work is lost to another's. Runs under
 * the thread sanitizer.                                                     */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <tamis/tamis.h>

#include "support/check.h"

enum { WORKERS = 4, MINE = 2500, COMMON = 3, ROUNDS = 3 };

static const uint64_t SEED = 602214;

static const struct {
    const char *why;
    tamis_spec spec;
} ROWS[] = {
    {"shards of one blocked filter",
     {.kind = TAMIS_KIND_SHARDED, .inner = TAMIS_KIND_BLOCKED, .parts = 3}},
    {"shards with two lines a key",
     {.kind = TAMIS_KIND_SHARDED, .inner = TAMIS_KIND_BLOCKED, .parts = 3, .lines_per_key = 2}},
    {"more shards than a run is sorted by",
     {.kind = TAMIS_KIND_SHARDED, .inner = TAMIS_KIND_CLASSIC, .parts = 70}},
    {"shards of counters", {.kind = TAMIS_KIND_SHARDED, .inner = TAMIS_KIND_COUNTING}},
    {"shards of fingerprints",
     {.kind = TAMIS_KIND_SHARDED, .inner = TAMIS_KIND_CUCKOO, .parts = 4, .bucket_keys = 4}},
    {"shards that grow", {.kind = TAMIS_KIND_SHARDED, .inner = TAMIS_KIND_SCALABLE, .parts = 2}},
    {"layers of lines", {.kind = TAMIS_KIND_SCALABLE, .inner = TAMIS_KIND_BLOCKED, .expansion = 2}},
    {"layers of lines, soon two a key",
     {.kind = TAMIS_KIND_SCALABLE, .inner = TAMIS_KIND_BLOCKED, .expansion = 2, .fpr = 1e-3}},
    {"layers of bits", {.kind = TAMIS_KIND_SCALABLE, .inner = TAMIS_KIND_CLASSIC, .expansion = 2}},
    {"layers of counters",
     {.kind = TAMIS_KIND_SCALABLE, .inner = TAMIS_KIND_COUNTING, .expansion = 2}},
    {"layers of fingerprints",
     {.kind = TAMIS_KIND_SCALABLE, .inner = TAMIS_KIND_CUCKOO, .expansion = 2}},
};

typedef struct crowd {
    tamis_filter *filter;
    bool removes;
    _Atomic unsigned working;
    _Atomic uint64_t done[WORKERS];                   /* keys that are surely in */
    _Atomic uint64_t lost, refused, unknown, unsaved; /* the main thread checks */
} crowd;

typedef struct crowd_member {
    crowd *crowd;
    unsigned self;
} crowd_member;

static uint64_t key_of(uint64_t worker, uint64_t i)
{
    return worker << 32 | i;
}

/* Odd keys come and go; even ones stay. */
static void add_some(crowd *c, unsigned self, uint64_t from, uint64_t step)
{
    uint64_t keys[50];
    for (uint64_t i = from; i < MINE; i += 50 * step) {
        size_t count = 0;
        for (uint64_t k = i; count < 50 && k < MINE; k += step) keys[count++] = key_of(self, k);
        const tamis_keys batch = tamis_keys_u64(keys, count);
        c->refused += tamis_add_many(c->filter, &batch, NULL) != TAMIS_OK;
    }
}

static void remove_odd(crowd *c, unsigned self)
{
    for (uint64_t i = 1; i < MINE; i += 2)
        c->unknown += tamis_remove_u64(c->filter, key_of(self, i)) != TAMIS_OK;
}

/* Keys that all workers add, and take away again: where they meet. */
static void meet(crowd *c)
{
    for (uint64_t i = 0; i < COMMON; i++)
        c->refused += tamis_add_u64(c->filter, key_of(WORKERS, i)) != TAMIS_OK;
    for (uint64_t i = 0; i < COMMON; i++) {
        c->lost += !tamis_may_contain_u64(c->filter, key_of(WORKERS, i));
        if (c->removes) c->unknown += tamis_remove_u64(c->filter, key_of(WORKERS, i)) != TAMIS_OK;
    }
}

static void *worker(void *argument)
{
    const crowd_member *m = argument;
    crowd *c = m->crowd;
    for (uint64_t i = 0; i < MINE; i += 2) {
        c->refused += tamis_add_u64(c->filter, key_of(m->self, i)) != TAMIS_OK;
        atomic_store_explicit(&c->done[m->self], i + 1, memory_order_release);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        add_some(c, m->self, 1, 2);
        meet(c);
        for (uint64_t i = 0; i < MINE; i++)
            c->lost += !tamis_may_contain_u64(c->filter, key_of(m->self, i));
        if (c->removes) remove_odd(c, m->self);
    }
    c->working--;
    return NULL;
}

static uint64_t lost_in(const tamis_filter *f, const uint64_t done[WORKERS])
{
    uint64_t lost = 0;
    for (unsigned w = 0; w < WORKERS; w++)
        for (uint64_t i = 0; i < done[w]; i += 2) lost += !tamis_may_contain_u64(f, key_of(w, i));
    return lost;
}

/* What was announced before is in every copy. */
static void *copier(void *argument)
{
    crowd *c = ((const crowd_member *)argument)->crowd;
    for (unsigned round = 0; round == 0 || c->working; round++) {
        uint64_t done[WORKERS];
        tamis_filter *copy = NULL;
        tamis_facts facts;
        for (unsigned w = 0; w < WORKERS; w++)
            done[w] = atomic_load_explicit(&c->done[w], memory_order_acquire);
        c->unsaved += tamis_clone(c->filter, &copy) != TAMIS_OK;
        if (copy) c->lost += lost_in(copy, done);
        c->unsaved += tamis_info(c->filter, &facts) != TAMIS_OK;
        tamis_free(copy);
    }
    return NULL;
}

static void run_crowd(crowd *c)
{
    pthread_t threads[WORKERS + 1];
    crowd_member members[WORKERS + 1];
    c->working = WORKERS;
    for (unsigned i = 0; i <= WORKERS; i++) {
        members[i] = (crowd_member){c, i};
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < WORKERS ? worker : copier, &members[i]), 0);
    }
    for (unsigned i = 0; i <= WORKERS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
}

/* The count is exact but where layers cannot tell which of them holds a key. */
static void check_left(const crowd *c, bool exact)
{
    uint64_t all[WORKERS], still = 0;
    tamis_facts facts;
    for (unsigned w = 0; w < WORKERS; w++) all[w] = MINE;
    CHECK(c->lost == 0, "%" PRIu64 " keys were lost", (uint64_t)c->lost);
    CHECK(c->refused == 0, "%" PRIu64 " keys were refused", (uint64_t)c->refused);
    CHECK(c->unknown == 0, "%" PRIu64 " keys could not be removed", (uint64_t)c->unknown);
    CHECK(c->unsaved == 0, "%" PRIu64 " copies failed", (uint64_t)c->unsaved);
    CHECK(lost_in(c->filter, all) == 0, "%" PRIu64 " keys are gone", lost_in(c->filter, all));
    if (!c->removes) return;
    CHECK_OK(tamis_info(c->filter, &facts));
    const uint64_t left = WORKERS * MINE / 2;
    CHECK(facts.added == left || (!exact && facts.added > left && facts.added < left + left / 5),
          "%" PRIu64 " are said to be left", facts.added);
    for (uint64_t w = 0; w < WORKERS; w++)
        for (uint64_t i = 1; i < MINE; i += 2)
            still += tamis_may_contain_u64(c->filter, key_of(w, i));
    CHECK(still < left / 10, "%" PRIu64 " of %" PRIu64 " removed keys are there", still, left);
}

static void nothing_is_lost(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ROWS); i++) {
        tamis_spec spec = ROWS[i].spec;
        crowd c = {0};
        const bool grows = spec.kind == TAMIS_KIND_SCALABLE || spec.inner == TAMIS_KIND_SCALABLE;
        spec.capacity = grows ? 500 : 2 * WORKERS * MINE;
        spec.flags = TAMIS_CONCURRENT;
        spec.seed = SEED;
        if (!(spec.fpr > 0)) spec.fpr = 0.01;
        check_about("%s; %d threads", ROWS[i].why, WORKERS);
        CHECK_OK(tamis_create(&spec, &c.filter));
        c.removes = (tamis_abilities(c.filter) & TAMIS_CAN_REMOVE) != 0;
        run_crowd(&c);
        check_about("%s; %d threads", ROWS[i].why, WORKERS);
        check_left(&c, !grows || !(tamis_kind_abilities(spec.inner) & TAMIS_IS_BOUNDED));
        tamis_free(c.filter);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
