/* test_concurrent_threads.c - any number of threads add to and ask one filter
 * at once: nothing is lost, what happened before is visible, of racing adds of
 * one key at least one says new, files saved meanwhile are sound and hold what
 * was there before. Runs under the thread sanitizer.                        */
#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE 1 /* pthread_barrier_t */
#endif
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"
#include "support/splitmix.h"

static const uint64_t SEED = 66260;

enum { WRITERS = 4, READERS = 2, MINE = 20000, SHARED = 3000 };

static bool next_concurrent(size_t *index, uint64_t keys, spec_row *row)
{
    while (spec_row_number((*index)++, keys, row))
        if (row->spec.flags & TAMIS_CONCURRENT) return true;
    return false;
}

/* Key `i` of writer `w`; writer WRITERS is what all have in common. */
static uint64_t key_of(unsigned w, uint64_t i)
{
    return (uint64_t)w << 32 | i;
}

/* ---- writers, readers, a saver ------------------------------------------- */

typedef struct crowd {
    tamis_filter *filter;
    const uint8_t *secret;
    _Atomic uint64_t done[WRITERS]; /* keys of each writer that are surely in */
    _Atomic unsigned writing;
    _Atomic uint64_t lost, failed; /* what the threads found; the main thread checks */
} crowd;

typedef struct crowd_member {
    crowd *crowd;
    unsigned self;
} crowd_member;

static tamis_status write_batch(tamis_filter *f, unsigned w, uint64_t from, size_t count)
{
    uint64_t keys[64];
    bool was_new[64];
    size_t added = 0;
    for (size_t i = 0; i < count; i++) keys[i] = key_of(w, from + i);
    const tamis_keys batch = tamis_keys_u64(keys, count);
    const tamis_status status =
        w % 2 ? tamis_add_many(f, &batch, &added) : tamis_add_new_many(f, &batch, was_new, &added);
    return status == TAMIS_OK && added != count ? TAMIS_E_FULL : status;
}

/* Its own keys in batches and singly, the common ones in between. */
static void *writer(void *argument)
{
    const crowd_member *m = argument;
    crowd *c = m->crowd;
    for (uint64_t i = 0; i < MINE; i += 64) {
        const size_t count = MINE - i < 64 ? (size_t)(MINE - i) : 64;
        if (i % 128)
            c->failed += write_batch(c->filter, m->self, i, count) != TAMIS_OK;
        else
            for (size_t k = 0; k < count; k++)
                c->failed += tamis_add_u64(c->filter, key_of(m->self, i + k)) != TAMIS_OK;
        atomic_store_explicit(&c->done[m->self], i + count, memory_order_release);
        for (uint64_t k = i / 4; k < i / 4 + 16 && k < SHARED; k++)
            c->failed += tamis_add_u64(c->filter, key_of(WRITERS, k)) != TAMIS_OK;
    }
    c->writing--;
    return NULL;
}

/* Whatever a writer has announced must be there. */
static void *reader(void *argument)
{
    const crowd_member *m = argument;
    crowd *c = m->crowd;
    splitmix random = {SEED + m->self};
    while (c->writing) {
        const unsigned w = (unsigned)splitmix_below(&random, WRITERS);
        const uint64_t done = atomic_load_explicit(&c->done[w], memory_order_acquire);
        for (unsigned k = 0; done && k < 16; k++) {
            const uint64_t key = key_of(w, splitmix_below(&random, done));
            c->lost += !tamis_may_contain_u64(c->filter, key);
        }
        uint64_t keys[100];
        for (unsigned k = 0; done && k < 100; k++)
            keys[k] = key_of(w, splitmix_below(&random, done));
        const tamis_keys batch = tamis_keys_u64(keys, done ? 100 : 0);
        c->lost += batch.count - tamis_may_contain_many(c->filter, &batch, NULL);
    }
    return NULL;
}

static uint64_t lost_in(const tamis_filter *f, const uint64_t done[WRITERS])
{
    uint64_t lost = 0;
    for (unsigned w = 0; w < WRITERS; w++)
        for (uint64_t i = 0; i < done[w]; i++) lost += !tamis_may_contain_u64(f, key_of(w, i));
    return lost;
}

/* Saves, clones and measures while others add; then looks at what it got. */
static void *saver(void *argument)
{
    const crowd_member *m = argument;
    crowd *c = m->crowd;
    const char *path = scratch_path("crowd");
    const tamis_open_options open = {.secret = c->secret};
    for (unsigned round = 0; round == 0 || c->writing; round++) {
        uint64_t done[WRITERS];
        tamis_filter *f = NULL;
        tamis_facts facts;
        for (unsigned w = 0; w < WRITERS; w++)
            done[w] = atomic_load_explicit(&c->done[w], memory_order_acquire);
        tamis_status status =
            round % 3 == 2 ? tamis_clone(c->filter, &f) : tamis_save(c->filter, path, NULL);
        if (status == TAMIS_OK && !f) status = tamis_open(path, &open, &f);
        c->failed += status != TAMIS_OK;
        if (f) c->lost += lost_in(f, done);
        tamis_free(f);
        c->failed += tamis_info(c->filter, &facts) != TAMIS_OK;
    }
    return NULL;
}

static void run_crowd(crowd *c)
{
    enum { ALL = WRITERS + READERS + 1 };
    pthread_t threads[ALL];
    crowd_member members[ALL];
    c->writing = WRITERS;
    for (unsigned i = 0; i < ALL; i++) {
        members[i] = (crowd_member){c, i};
        void *(*role)(void *) = i < WRITERS ? writer : i < WRITERS + READERS ? reader : saver;
        assert_int_equal(pthread_create(&threads[i], NULL, role, &members[i]), 0);
    }
    for (unsigned i = 0; i < ALL; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void check_crowd(const spec_row *row, crowd *c)
{
    uint64_t all[WRITERS];
    tamis_facts facts;
    check_about("%s; %d writers; seed %" PRIu64, row->why, WRITERS, SEED);
    CHECK(c->failed == 0, "%" PRIu64 " calls failed", (uint64_t)c->failed);
    CHECK(c->lost == 0, "%" PRIu64 " keys were lost while threads ran", (uint64_t)c->lost);
    for (unsigned w = 0; w < WRITERS; w++) all[w] = MINE;
    CHECK(lost_in(c->filter, all) == 0, "%" PRIu64 " keys are lost", lost_in(c->filter, all));
    for (uint64_t i = 0; i < SHARED; i++)
        CHECK(tamis_may_contain_u64(c->filter, key_of(WRITERS, i)), "a common key is lost");
    CHECK_OK(tamis_info(c->filter, &facts));
    CHECK(facts.keys > 0.8 * (WRITERS * MINE) || row->spec.fpr > 0.2, "%g keys", facts.keys);
    if (!row->grows && !(row->spec.flags & TAMIS_STRICT)) /* every call is counted */
        CHECK(facts.added >= WRITERS * MINE, "%" PRIu64 " added", facts.added);
}

static void many_threads(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; next_concurrent(&i, WRITERS * MINE + SHARED, &row);) {
        spec_row_make_room(&row, 2); /* the common keys are added by all */
        crowd c = {.filter = spec_row_make(&row), .secret = row.spec.secret};
        run_crowd(&c);
        check_crowd(&row, &c);
        if (!row.grows && !row.bounded) { /* the same bits as one thread sets */
            tamis_filter *one = spec_row_make(&row);
            for (unsigned w = 0; w < WRITERS; w++) {
                for (uint64_t k = 0; k < MINE; k++) CHECK_OK(tamis_add_u64(one, key_of(w, k)));
                for (uint64_t k = 0; k < SHARED; k++)
                    CHECK_OK(tamis_add_u64(one, key_of(WRITERS, k)));
            }
            filters_check_same_body(c.filter, one, "many threads and one");
            tamis_free(one);
        }
        tamis_free(c.filter);
    }
}

/* ---- racing for one key --------------------------------------------------- */

typedef struct race {
    tamis_filter *filter;
    pthread_barrier_t start;
    uint64_t keys;
    _Atomic unsigned *news; /* how often each key was called new */
    _Atomic uint64_t failed;
} race;

enum { RACERS = 4, RACED = 3000 };

static void *racer(void *argument)
{
    race *r = argument;
    pthread_barrier_wait(&r->start);
    for (uint64_t i = 0; i < RACED; i++) {
        bool was_new = false;
        r->failed += tamis_add_new_u64(r->filter, i, &was_new) != TAMIS_OK;
        r->news[i] += was_new;
    }
    return NULL;
}

static void *batch_racer(void *argument)
{
    race *r = argument;
    uint64_t keys[100];
    bool was_new[100];
    pthread_barrier_wait(&r->start);
    for (uint64_t i = 0; i < RACED; i += 100) {
        for (unsigned k = 0; k < 100; k++) keys[k] = i + k;
        const tamis_keys batch = tamis_keys_u64(keys, 100);
        r->failed += tamis_add_new_many(r->filter, &batch, was_new, NULL) != TAMIS_OK;
        for (unsigned k = 0; k < 100; k++) r->news[i + k] += was_new[k];
    }
    return NULL;
}

/* At a rate so low that nobody is told "not new" by chance. */
static void try_race(spec_row row, void *(*role)(void *))
{
    row.spec.fpr = 1e-9;
    if (row.bounded) row.spec.bucket_keys = 4; /* each key comes four times */
    spec_row_make_room(&row, 2);
    race r = {.filter = spec_row_make(&row), .news = calloc(RACED, sizeof *r.news)};
    pthread_t threads[RACERS];
    assert_int_equal(pthread_barrier_init(&r.start, NULL, RACERS), 0);
    for (unsigned i = 0; i < RACERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, role, &r), 0);
    for (unsigned i = 0; i < RACERS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&r.start);
    check_about("%s; %d threads race; seed %" PRIu64, row.why, RACERS, SEED);
    CHECK(r.failed == 0, "%" PRIu64 " calls failed", (uint64_t)r.failed);
    for (uint64_t i = 0; i < RACED; i++)
        CHECK(r.news[i] >= 1, "key %" PRIu64 " was new to nobody", i);
    free((void *)r.news);
    tamis_free(r.filter);
}

static void at_least_one_is_told_new(void **state)
{
    (void)state;
    spec_row row;
    for (unsigned round = 0; round < 2; round++)
        for (size_t i = 0; next_concurrent(&i, 4 * RACED, &row);) {
            try_race(row, racer);
            try_race(row, batch_racer);
        }
}

/* ---- strict --------------------------------------------------------------- */

typedef struct filler {
    tamis_filter *filter;
    uint64_t first, taken;
} filler;

static void *fill_up(void *argument)
{
    filler *f = argument;
    while (tamis_add_u64(f->filter, f->first + f->taken) == TAMIS_OK) f->taken++;
    return NULL;
}

/* Racing threads may pass the wall together, each by one key at most. */
static void strict_filters_fill_up(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; next_concurrent(&i, 5000, &row);) {
        if (!(row.spec.flags & TAMIS_STRICT)) continue;
        tamis_filter *f = spec_row_make(&row);
        filler fillers[WRITERS];
        pthread_t threads[WRITERS];
        for (unsigned w = 0; w < WRITERS; w++) {
            fillers[w] = (filler){f, (uint64_t)w << 40, 0};
            assert_int_equal(pthread_create(&threads[w], NULL, fill_up, &fillers[w]), 0);
        }
        for (unsigned w = 0; w < WRITERS; w++) assert_int_equal(pthread_join(threads[w], NULL), 0);
        tamis_facts facts;
        CHECK_OK(tamis_info(f, &facts));
        CHECK(facts.added >= facts.capacity && facts.added <= facts.capacity + WRITERS,
              "%" PRIu64 " keys in room for %" PRIu64, facts.added, facts.capacity);
        for (unsigned w = 0; w < WRITERS; w++)
            for (uint64_t k = 0; k < fillers[w].taken; k++)
                CHECK(tamis_may_contain_u64(f, fillers[w].first + k), "a taken key is lost");
        tamis_free(f);
    }
}

/* ---- readers of one lazy view --------------------------------------------- */

typedef struct asker {
    const tamis_filter *view;
    uint64_t lost;
} asker;

static void *ask_lazily(void *argument)
{
    asker *a = argument;
    for (uint64_t i = 0; i < 20000; i++) a->lost += !tamis_may_contain_u64(a->view, i);
    return NULL;
}

/* Several threads find out at once whether a chunk is sound. */
static void lazy_views_are_shared(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 20000, &row); i++) {
        tamis_filter *f = spec_row_make(&row), *view = NULL;
        for (uint64_t k = 0; k < 20000; k++) CHECK_OK(tamis_add_u64(f, k));
        filter_bytes b = filter_bytes_of(f);
        const tamis_open_options lazy = {.flags = TAMIS_OPEN_LAZY};
        CHECK_OK(tamis_view(b.bytes, b.size, &lazy, &view));
        asker askers[WRITERS];
        pthread_t threads[WRITERS];
        for (unsigned w = 0; w < WRITERS; w++) {
            askers[w] = (asker){view, 0};
            assert_int_equal(pthread_create(&threads[w], NULL, ask_lazily, &askers[w]), 0);
        }
        for (unsigned w = 0; w < WRITERS; w++) {
            assert_int_equal(pthread_join(threads[w], NULL), 0);
            CHECK(askers[w].lost == 0, "%" PRIu64 " keys are lost", askers[w].lost);
        }
        tamis_free(view);
        filter_bytes_free(&b);
        tamis_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads),
        cmocka_unit_test(at_least_one_is_told_new),
        cmocka_unit_test(strict_filters_fill_up),
        cmocka_unit_test(lazy_views_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
