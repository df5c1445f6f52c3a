/* test_journal.c - keys appended to files: kept by every way of opening, found
 * damaged when they are, and never half there.                              */
#define _GNU_SOURCE 1 /* usleep and kill */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <tamis/tamis.h>
#include <unistd.h>

enum { JOURNAL_OLD = 1000, JOURNAL_NEW = 10 };

static void journal_make(const char *path, uint32_t kind, uint32_t flags)
{
    const tamis_spec spec = {.kind = kind, .capacity = 2000, .fpr = 0.01, .flags = flags};
    tamis_filter *f;
    assert_int_equal(tamis_create(&spec, &f), TAMIS_OK);
    for (uint64_t i = 0; i < JOURNAL_OLD; i++) assert_int_equal(tamis_add_u64(f, i), TAMIS_OK);
    assert_int_equal(tamis_save(f, path, NULL), TAMIS_OK);
    tamis_free(f);
}

static tamis_status journal_add(const char *path, uint64_t first, uint64_t count,
                                tamis_file_added *result)
{
    uint64_t *keys = malloc((count + 1) * sizeof *keys);
    assert_non_null(keys);
    for (uint64_t i = 0; i < count; i++) keys[i] = first + i;
    const tamis_keys batch = tamis_keys_u64(keys, count);
    tamis_status status = tamis_file_add_many(path, &batch, NULL, result);
    free(keys);
    return status;
}

/* How many of the integers from `first` on are denied. */
static uint64_t journal_denied(const tamis_filter *f, uint64_t first, uint64_t count)
{
    uint64_t denied = 0;
    for (uint64_t i = 0; i < count; i++) denied += !tamis_may_contain_u64(f, first + i);
    return denied;
}

static uint8_t *journal_read(const char *path, size_t *size)
{
    struct stat facts;
    assert_int_equal(stat(path, &facts), 0);
    *size = (size_t)facts.st_size;
    uint8_t *bytes = malloc(*size);
    FILE *file = fopen(path, "rb");
    assert_true(bytes && file && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static void journal_write(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static const struct {
    const char *why;
    uint32_t kind, flags;
} journal_kinds[] = {
    {"bits anywhere", TAMIS_KIND_CLASSIC, 0},
    {"bits in a line", TAMIS_KIND_BLOCKED, 0},
    {"refuses past capacity", TAMIS_KIND_BLOCKED, TAMIS_STRICT},
    {"read, not mapped, since it may grow", TAMIS_KIND_SCALABLE, 0},
};
enum { JOURNAL_KINDS = sizeof journal_kinds / sizeof journal_kinds[0] };

static const struct {
    const char *why;
    uint32_t flags;
} journal_ways[] = {
    {"read", 0},
    {"mapped", TAMIS_OPEN_MAP},
    {"mapped, verified at first touch", TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY},
    {"mapped, salvaged", TAMIS_OPEN_MAP | TAMIS_OPEN_SALVAGE},
    {"read, salvaged", TAMIS_OPEN_SALVAGE},
};
enum { JOURNAL_WAYS = sizeof journal_ways / sizeof journal_ways[0] };

static void test_every_way_reads_the_journal(void **state)
{
    (void)state;
    const char *path = "journal-ways.tamis";
    for (size_t k = 0; k < JOURNAL_KINDS; k++) {
        tamis_file_added result;
        journal_make(path, journal_kinds[k].kind, journal_kinds[k].flags);
        assert_int_equal(journal_add(path, 5000, JOURNAL_NEW, &result), TAMIS_OK);
        assert_true(result.added + result.known == JOURNAL_NEW && !result.rewritten);
        assert_int_equal(result.appended, result.added);
        assert_int_equal(journal_add(path, 6000, JOURNAL_NEW, &result), TAMIS_OK);
        for (size_t w = 0; w < JOURNAL_WAYS; w++) {
            const tamis_open_options options = {.flags = journal_ways[w].flags};
            tamis_filter *f;
            print_message("%s, %s\n", journal_kinds[k].why, journal_ways[w].why);
            assert_int_equal(tamis_open(path, &options, &f), TAMIS_OK);
            assert_int_equal(journal_denied(f, 0, JOURNAL_OLD), 0);
            assert_int_equal(journal_denied(f, 5000, JOURNAL_NEW), 0);
            assert_int_equal(journal_denied(f, 6000, JOURNAL_NEW), 0);
            assert_int_equal(tamis_verify(f, NULL), TAMIS_OK);
            tamis_free(f);
        }
    }
    unlink(path);
}

/* What is saved after appending is what adding in memory gives, byte for byte. */
static void test_saving_takes_the_journal_in(void **state)
{
    (void)state;
    const char *path = "journal-saved.tamis";
    for (size_t k = 0; k < JOURNAL_KINDS; k++) {
        tamis_filter *appended, *added;
        size_t size;
        journal_make(path, journal_kinds[k].kind, journal_kinds[k].flags);
        assert_int_equal(tamis_open(path, NULL, &added), TAMIS_OK);
        for (uint64_t i = 0; i < JOURNAL_NEW; i++) {
            bool was_new;
            assert_int_equal(tamis_add_new_u64(added, 5000 + i, &was_new), TAMIS_OK);
        }
        assert_int_equal(journal_add(path, 5000, JOURNAL_NEW, NULL), TAMIS_OK);
        assert_int_equal(tamis_open(path, NULL, &appended), TAMIS_OK);
        assert_int_equal(tamis_save(appended, path, NULL), TAMIS_OK);
        uint8_t *bytes = journal_read(path, &size), *expected = malloc(size);
        assert_int_equal(tamis_encoded_size(added), size);
        assert_int_equal(tamis_encode(added, expected, size), TAMIS_OK);
        tamis_facts a, b;
        assert_int_equal(tamis_info(added, &a), TAMIS_OK);
        assert_int_equal(tamis_info(appended, &b), TAMIS_OK);
        assert_int_equal(a.ones, b.ones);
        free(bytes);
        free(expected);
        tamis_free(added);
        tamis_free(appended);
    }
    unlink(path);
}

/* Cut or changed anywhere within what counts, the file is refused. */
static void test_damage_is_found(void **state)
{
    (void)state;
    const char *path = "journal-damaged.tamis";
    size_t plain, size;
    tamis_filter *f;
    journal_make(path, TAMIS_KIND_BLOCKED, 0);
    free(journal_read(path, &plain));
    assert_int_equal(journal_add(path, 5000, JOURNAL_NEW, NULL), TAMIS_OK);
    assert_int_equal(journal_add(path, 6000, 3, NULL), TAMIS_OK);
    uint8_t *bytes = journal_read(path, &size);
    for (size_t cut = plain - 64; cut < size; cut++) {
        tamis_status status = tamis_load(bytes, cut, NULL, &f);
        assert_true(status == TAMIS_E_CORRUPT || status == TAMIS_E_TRUNCATED);
    }
    for (size_t at = plain - 64; at < size; at++) {
        bytes[at] ^= 0x10;
        assert_int_equal(tamis_load(bytes, size, NULL, &f), TAMIS_E_CORRUPT);
        bytes[at] ^= 0x10;
    }
    assert_int_equal(tamis_view(bytes, size, NULL, &f), TAMIS_E_UNSUPPORTED);
    free(bytes);
    unlink(path);
}

/* A record that was never made to count, at every length a kill can leave. */
static void test_an_unfinished_record_does_not_count(void **state)
{
    (void)state;
    const char *path = "journal-unfinished.tamis";
    size_t plain, size;
    journal_make(path, TAMIS_KIND_CLASSIC, 0);
    uint8_t *before = journal_read(path, &plain);
    assert_int_equal(journal_add(path, 5000, JOURNAL_NEW, NULL), TAMIS_OK);
    uint8_t *after = journal_read(path, &size);
    memcpy(after + plain - 8, before + plain - 8, 8); /* the old table_sum */
    for (size_t length = plain; length <= size; length++) {
        tamis_filter *f;
        journal_write(path, after, length);
        assert_int_equal(tamis_open(path, NULL, &f), TAMIS_OK);
        assert_int_equal(journal_denied(f, 0, JOURNAL_OLD), 0);
        assert_true(journal_denied(f, 5000, JOURNAL_NEW) > 0);
        tamis_free(f);
    }
    tamis_file_added result;
    assert_int_equal(journal_add(path, 7000, JOURNAL_NEW, &result), TAMIS_OK);
    tamis_filter *f;
    assert_int_equal(tamis_open(path, NULL, &f), TAMIS_OK);
    assert_int_equal(journal_denied(f, 7000, JOURNAL_NEW), 0);
    tamis_free(f);
    free(before);
    free(after);
    unlink(path);
}

/* What a loss of power can leave of a record that did not count yet: the file
 * has its length, and zeros stand where pages were not written. */
static void test_zeros_behind_a_filter(void **state)
{
    (void)state;
    const char *path = "journal-zeros.tamis";
    size_t plain, size;
    journal_make(path, TAMIS_KIND_BLOCKED, 0);
    uint8_t *before = journal_read(path, &plain);
    assert_int_equal(journal_add(path, 5000, JOURNAL_NEW, NULL), TAMIS_OK);
    uint8_t *after = journal_read(path, &size);
    memcpy(after + plain - 8, before + plain - 8, 8); /* the old table_sum */
    for (size_t edge = plain; edge <= size; edge++)
        for (unsigned lost_first = 0; lost_first < 2; lost_first++) {
            uint8_t *torn = malloc(size);
            tamis_filter *f;
            assert_non_null(torn);
            memcpy(torn, after, size);
            if (lost_first)
                memset(torn + plain, 0, edge - plain);
            else
                memset(torn + edge, 0, size - edge);
            journal_write(path, torn, size);
            assert_int_equal(tamis_open(path, NULL, &f), TAMIS_OK);
            assert_int_equal(journal_denied(f, 0, JOURNAL_OLD), 0);
            tamis_free(f);
            free(torn);
        }
    assert_int_equal(journal_add(path, 7000, JOURNAL_NEW, NULL), TAMIS_OK); /* cuts them off */
    tamis_filter *f;
    assert_int_equal(tamis_open(path, NULL, &f), TAMIS_OK);
    assert_int_equal(journal_denied(f, 7000, JOURNAL_NEW), 0);
    tamis_free(f);
    free(before);
    free(after);
    unlink(path);
}

static void test_garbage_behind_a_filter_is_refused(void **state)
{
    (void)state;
    const char *path = "journal-garbage.tamis";
    size_t size;
    tamis_filter *f;
    journal_make(path, TAMIS_KIND_BLOCKED, 0);
    uint8_t *bytes = journal_read(path, &size);
    uint8_t *longer = calloc(1, size + 100);
    memcpy(longer, bytes, size);
    for (size_t at = 0; at < 8; at++) { /* where a record would begin */
        longer[size + at] = 'x';
        for (size_t extra = at + 1; extra <= 100; extra++)
            assert_int_equal(tamis_load(longer, size + extra, NULL, &f), TAMIS_E_CORRUPT);
        longer[size + at] = 0;
    }
    free(bytes);
    free(longer);
    unlink(path);
}

static void test_a_long_journal_is_taken_in(void **state)
{
    (void)state;
    const char *path = "journal-long.tamis";
    tamis_file_added result = {0};
    uint64_t next = 10000;
    bool rewritten = false;
    journal_make(path, TAMIS_KIND_CLASSIC, 0);
    for (int i = 0; i < 20 && !rewritten; i++, next += 20000) {
        assert_int_equal(journal_add(path, next, 20000, &result), TAMIS_OK);
        rewritten |= result.rewritten;
    }
    tamis_filter *f;
    assert_int_equal(tamis_open(path, NULL, &f), TAMIS_OK);
    assert_int_equal(journal_denied(f, 10000, next - 10000), 0);
    tamis_free(f);
    unlink(path);
}

static void test_refusals_leave_the_file_alone(void **state)
{
    (void)state;
    const char *path = "journal-refused.tamis";
    size_t before_size, after_size;
    tamis_filter *f;
    journal_make(path, TAMIS_KIND_BLOCKED, TAMIS_STRICT);
    uint8_t *before = journal_read(path, &before_size);
    assert_int_equal(journal_add(path, 100000, 5000, NULL), TAMIS_E_FULL);
    uint8_t *after = journal_read(path, &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, before_size);
    assert_int_equal(journal_add("journal-missing.tamis", 0, 1, NULL), TAMIS_E_IO);
    assert_int_equal(tamis_open(path, NULL, &f), TAMIS_OK);
    assert_int_equal(tamis_save(f, path, &(tamis_save_options){.transport = TAMIS_GZIP}), TAMIS_OK);
    tamis_free(f);
    assert_int_equal(journal_add(path, 0, 1, NULL), TAMIS_E_UNSUPPORTED);
    free(before);
    free(after);
    unlink(path);
}

/* A child appends until it is killed; every key it was told of is there. */
static void test_killed_at_any_moment(void **state)
{
    (void)state;
    const char *path = "journal-killed.tamis";
    for (unsigned round = 0; round < 20; round++) {
        int pipes[2];
        uint64_t done = 0, last;
        journal_make(path, TAMIS_KIND_BLOCKED, 0);
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            for (uint64_t i = 0;; i++) {
                if (journal_add(path, 10000 + i, 1, NULL) != TAMIS_OK) _exit(1);
                if (write(pipes[1], &i, sizeof i) != sizeof i) _exit(1);
            }
        }
        close(pipes[1]);
        usleep(1000 * (1 + round));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        while (read(pipes[0], &last, sizeof last) == sizeof last) done = last + 1;
        close(pipes[0]);
        tamis_filter *f;
        assert_int_equal(tamis_open(path, NULL, &f), TAMIS_OK);
        assert_int_equal(journal_denied(f, 0, JOURNAL_OLD), 0);
        assert_int_equal(journal_denied(f, 10000, done), 0);
        tamis_free(f);
    }
    unlink(path);
}

/* Two processes append at once: they take turns, and nothing is lost. */
static void test_two_at_once(void **state)
{
    (void)state;
    const char *path = "journal-two.tamis";
    enum { TURNS = 50 };
    journal_make(path, TAMIS_KIND_BLOCKED, 0);
    for (uint64_t who = 0; who < 2; who++) {
        if (fork() != 0) continue;
        for (uint64_t i = 0; i < TURNS; i++)
            if (journal_add(path, 10000 * (who + 1) + i, 1, NULL) != TAMIS_OK) _exit(1);
        _exit(0);
    }
    for (int i = 0; i < 2; i++) {
        int status;
        assert_true(wait(&status) > 0 && WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    tamis_filter *f;
    assert_int_equal(tamis_open(path, NULL, &f), TAMIS_OK);
    assert_int_equal(journal_denied(f, 10000, TURNS), 0);
    assert_int_equal(journal_denied(f, 20000, TURNS), 0);
    tamis_free(f);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_way_reads_the_journal),
        cmocka_unit_test(test_saving_takes_the_journal_in),
        cmocka_unit_test(test_damage_is_found),
        cmocka_unit_test(test_an_unfinished_record_does_not_count),
        cmocka_unit_test(test_zeros_behind_a_filter),
        cmocka_unit_test(test_garbage_behind_a_filter_is_refused),
        cmocka_unit_test(test_a_long_journal_is_taken_in),
        cmocka_unit_test(test_refusals_leave_the_file_alone),
        cmocka_unit_test(test_killed_at_any_moment),
        cmocka_unit_test(test_two_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
