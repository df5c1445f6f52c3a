/* test_cli_stream_threads.c - the tool's threads: whatever their number, blocks
 * are committed and delivered in the order of the input, a block that ends the
 * job lets all before it through and none after it, and filters are the same. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/check.h"
#include "support/splitmix.h"

#include "../../cli/csv.c"
#include "../../cli/input.c"
#include "../../cli/key_block.c"
#include "../../cli/key_format.c"
#include "../../cli/key_split.c"
#include "../../cli/key_stream.c"
#include "../../cli/number.c"
#include "../../cli/progress.c"
#include "../../cli/timestamp.c"
#include "../../cli/words.c"

enum { LINES = 120000, NEVER = 1 << 20 };

static const unsigned teams[] = {1, 2, 4, 9};

/* ---- an input ----------------------------------------------------------- */

typedef struct sample {
    char path[64];
    char *text;
    size_t size;
} sample;

static void sample_write(sample *s)
{
    strcpy(s->path, "/tmp/tamis-stream-XXXXXX");
    int fd = mkstemp(s->path);
    assert_true(fd >= 0);
    for (size_t done = 0; done < s->size;) {
        ssize_t written = write(fd, s->text + done, s->size - done);
        assert_true(written > 0);
        done += (size_t)written;
    }
    close(fd);
}

/* Lines of 0 to 39 letters: some ten blocks. */
static int sample_make(void **state)
{
    static sample s;
    splitmix random = {7};
    s.text = malloc(LINES * (size_t)40);
    s.size = 0;
    assert_non_null(s.text);
    for (size_t i = 0; i < LINES; i++) {
        for (uint64_t left = splitmix_below(&random, 40); left > 0; left--)
            s.text[s.size++] = (char)('a' + splitmix_below(&random, 26));
        s.text[s.size++] = '\n';
    }
    sample_write(&s);
    *state = &s;
    return 0;
}

static int sample_free(void **state)
{
    sample *s = *state;
    unlink(s->path);
    free(s->text);
    return 0;
}

/* ---- a job that watches itself ------------------------------------------ */

typedef struct watch {
    tamis_filter *filter;
    uint64_t stop_at, fail_at;       /* numbers of blocks */
    uint64_t commits, wrong_commits; /* two gates: two threads at once */
    uint64_t deliveries, wrong_deliveries;
    char *out;
    size_t out_size;
} watch;

static bool watch_work(void *ctx, cli_key_block *block)
{
    const watch *w = ctx;
    tamis_hash_many(w->filter, &block->keys, block->digests);
    if (block->number == w->fail_at) return cli_block_fail(block, "this is a test");
    return block->number != w->stop_at;
}

static bool watch_commit(void *ctx, cli_key_block *block)
{
    watch *w = ctx;
    const tamis_keys keys = tamis_keys_digests(block->digests, block->count);
    w->wrong_commits += block->number != w->commits++;
    w->wrong_commits += tamis_add_new_many(w->filter, &keys, block->answers, NULL) != TAMIS_OK;
    return true;
}

static bool watch_finish(void *ctx, cli_key_block *block)
{
    (void)ctx;
    memset(block->answers, 1, block->count);
    return cli_block_print_records(block, true);
}

static bool watch_deliver(void *ctx, cli_key_block *block)
{
    watch *w = ctx;
    w->wrong_deliveries += block->number != w->deliveries++;
    memcpy(w->out + w->out_size, block->out, block->out_size);
    w->out_size += block->out_size;
    return true;
}

static void watch_start(watch *w, const sample *s, uint64_t stop_at, uint64_t fail_at)
{
    const tamis_spec spec = {.capacity = LINES, .fpr = 0.01};
    *w = (watch){.stop_at = stop_at, .fail_at = fail_at, .out = malloc(s->size)};
    assert_non_null(w->out);
    CHECK_OK(tamis_create(&spec, &w->filter));
}

static bool watch_is_right(const watch *w)
{
    return w->wrong_commits == 0 && w->wrong_deliveries == 0;
}

static void watch_end(watch *w)
{
    tamis_free(w->filter);
    free(w->out);
}

static int watch_run(watch *w, const sample *s, unsigned threads)
{
    const cli_stream_job job = {.ctx = w,
                                .work = watch_work,
                                .commit = watch_commit,
                                .finish = watch_finish,
                                .deliver = watch_deliver};
    const cli_settings settings = {.quiet = true};
    const cli_key_format format = {.shape = CLI_WHOLE_LINES, .separator = '\n'};
    char name[64];
    char *const names[] = {name};
    cli_input input;
    cli_progress progress;
    strcpy(name, s->path);
    CHECK(cli_input_open(&input, &format, names, 1) == CLI_YES, "open");
    cli_progress_begin(&progress, &settings, "testing", input.total_bytes, false);
    int status = cli_stream_run(&input, &job, threads, &progress);
    cli_input_close(&input);
    return status;
}

/* ---- tests -------------------------------------------------------------- */

static void everything_comes_in_order(void **state)
{
    const sample *s = *state;
    for (size_t i = 0; i < COUNT(teams); i++) {
        watch w;
        check_about("%u threads", teams[i]);
        watch_start(&w, s, NEVER, NEVER);
        CHECK(watch_run(&w, s, teams[i]) == CLI_YES, "status");
        CHECK(watch_is_right(&w), "out of order");
        CHECK(w.deliveries > 5, "only %" PRIu64 " blocks", w.deliveries);
        CHECK(w.out_size == s->size && memcmp(w.out, s->text, s->size) == 0, "other lines");
        watch_end(&w);
    }
}

/* Stopped on purpose, the block that stops is delivered; with a fault it is not. */
static void a_job_ends_at_one_block(void **state)
{
    const sample *s = *state;
    for (size_t i = 0; i < COUNT(teams); i++)
        for (uint64_t at = 0; at < 5; at++) {
            watch stops, fails;
            check_about("%u threads, block %" PRIu64, teams[i], at);
            watch_start(&stops, s, at, NEVER);
            watch_start(&fails, s, NEVER, at);
            CHECK(watch_run(&stops, s, teams[i]) == CLI_YES, "status");
            CHECK(stops.deliveries == at + 1 && watch_is_right(&stops), "%" PRIu64,
                  stops.deliveries);
            CHECK(watch_run(&fails, s, teams[i]) == CLI_ERROR, "status");
            CHECK(fails.deliveries == at && watch_is_right(&fails), "%" PRIu64, fails.deliveries);
            CHECK(memcmp(stops.out, s->text, stops.out_size) == 0, "other lines");
            watch_end(&stops);
            watch_end(&fails);
        }
}

static void filters_are_the_same(void **state)
{
    const sample *s = *state;
    watch first, other;
    watch_start(&first, s, NEVER, NEVER);
    watch_run(&first, s, 1);
    size_t size = tamis_encoded_size(first.filter);
    void *one = malloc(size), *two = malloc(size);
    assert_non_null(one);
    assert_non_null(two);
    CHECK_OK(tamis_encode(first.filter, one, size));
    for (size_t i = 1; i < COUNT(teams); i++) {
        check_about("%u threads", teams[i]);
        watch_start(&other, s, NEVER, NEVER);
        watch_run(&other, s, teams[i]);
        CHECK_OK(tamis_encode(other.filter, two, size));
        CHECK(memcmp(one, two, size) == 0, "other bytes");
        watch_end(&other);
    }
    watch_end(&first);
    free(one);
    free(two);
}

static void lines_are_counted(void **state)
{
    const sample *s = *state;
    const cli_key_format format = {.shape = CLI_WHOLE_LINES, .separator = '\n'};
    char name[64];
    char *const names[] = {name, name};
    strcpy(name, s->path);
    for (size_t i = 0; i < COUNT(teams); i++) {
        const cli_settings settings = {.quiet = true, .jobs = teams[i]};
        cli_input input;
        uint64_t count;
        CHECK(cli_input_open(&input, &format, names, 2) == CLI_YES && input.countable, "open");
        for (int again = 0; again < 2; again++) {
            CHECK(cli_stream_count(&input, &settings, &count) == CLI_YES, "count");
            CHECK(count == 2 * LINES, "%" PRIu64 " lines", count);
        }
        cli_input_close(&input);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_comes_in_order),
        cmocka_unit_test(a_job_ends_at_one_block),
        cmocka_unit_test(filters_are_the_same),
        cmocka_unit_test(lines_are_counted),
    };
    return cmocka_run_group_tests(tests, sample_make, sample_free);
}
