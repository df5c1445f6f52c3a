/* test_file_add_threads.c - several writers append to one file at once, and
 * readers open it meanwhile: the writers take turns, nothing is lost, and every
 * reader finds what was appended before it opened the file.                 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/filter_bytes.h"

enum { WRITERS = 3, ROUNDS = 12, EACH = 30 };

typedef struct crowd {
    const char *path;
    _Atomic uint64_t done[WRITERS]; /* keys */
    _Atomic unsigned writing;
    _Atomic uint64_t failed, lost;
    char sentence[2][256]; /* of the last failure to append, and to open */
} crowd;

typedef struct member {
    crowd *crowd;
    unsigned self;
} member;

static void note_failure(crowd *c, char *sentence)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    snprintf(sentence, sizeof c->sentence[0], "%s", tamis_explain());
    c->failed++;
    pthread_mutex_unlock(&lock);
}

static uint64_t key_of(unsigned writer, uint64_t i)
{
    return (uint64_t)writer << 40 | i;
}

static void *append(void *argument)
{
    const member *m = argument;
    uint64_t keys[EACH];
    for (uint64_t round = 0; round < ROUNDS; round++) {
        for (uint64_t i = 0; i < EACH; i++) keys[i] = key_of(m->self, round * EACH + i);
        const tamis_keys batch = tamis_keys_u64(keys, EACH);
        if (tamis_file_add_many(m->crowd->path, &batch, NULL, NULL) != TAMIS_OK)
            note_failure(m->crowd, m->crowd->sentence[0]);
        m->crowd->done[m->self] = (round + 1) * EACH;
    }
    m->crowd->writing--;
    return NULL;
}

static void *open_and_ask(void *argument)
{
    const member *m = argument;
    for (unsigned round = 0; m->crowd->writing; round++) {
        const tamis_open_options map = {.flags = round % 2 ? TAMIS_OPEN_MAP : 0};
        uint64_t done[WRITERS];
        tamis_filter *f = NULL;
        for (unsigned w = 0; w < WRITERS; w++) done[w] = m->crowd->done[w];
        if (tamis_open(m->crowd->path, &map, &f) != TAMIS_OK)
            note_failure(m->crowd, m->crowd->sentence[1]);
        for (unsigned w = 0; f && w < WRITERS; w++)
            for (uint64_t i = 0; i < done[w]; i++)
                m->crowd->lost += !tamis_may_contain_u64(f, key_of(w, i));
        tamis_free(f);
    }
    return NULL;
}

static void writers_take_turns(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, WRITERS * ROUNDS * EACH, &row); i++) {
        tamis_filter *f = spec_row_make(&row);
        crowd c = {.path = scratch_path("shared"), .writing = WRITERS};
        pthread_t threads[WRITERS + 1];
        member members[WRITERS + 1];
        CHECK_OK(tamis_save(f, c.path, NULL));
        tamis_free(f);
        for (unsigned w = 0; w <= WRITERS; w++) {
            members[w] = (member){&c, w};
            assert_int_equal(
                pthread_create(&threads[w], NULL, w < WRITERS ? append : open_and_ask, &members[w]),
                0);
        }
        for (unsigned w = 0; w <= WRITERS; w++) assert_int_equal(pthread_join(threads[w], NULL), 0);
        check_about("%s; %d writers", row.why, WRITERS);
        CHECK(c.failed == 0, "%" PRIu64 " calls failed; append: %s; open: %s", (uint64_t)c.failed,
              c.sentence[0], c.sentence[1]);
        CHECK(c.lost == 0, "%" PRIu64 " keys were missing from an open", (uint64_t)c.lost);
        CHECK_OK(tamis_open(c.path, NULL, &f));
        for (unsigned w = 0; w < WRITERS; w++)
            for (uint64_t k = 0; k < ROUNDS * EACH; k++)
                CHECK(tamis_may_contain_u64(f, key_of(w, k)), "writer %u, key %" PRIu64, w, k);
        tamis_free(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(writers_take_turns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
