/* cmd_build.c - tamis build: a filter from keys.
 *
 * Threads read, split and hash blocks of the input. The digests are added in the
 * order of the input, block by block, or in large batches by all threads where
 * the kind can be split: the file is the same for every number of them. It is
 * written at the very end, atomically.                                      */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "key_stream.h"
#include "new_filter.h"
#include "result.h"
#include "show.h"
#include "words.h"

static int build_run(const cli_settings *settings, char *const *files, size_t count);

static const char *const build_flags[] = {"output",       "capacity",      "rate",
                                          "memory",       "kind",          "scale",
                                          "window",       "nul",           "csv",
                                          "field",        "delimiter",     "csv-no-header",
                                          "u64",          "jobs",          "force",
                                          "note",         "compress",      "json",
                                          "quiet",        "no-progress",   "strict",
                                          "never-exceed", "lines-per-key", "inner",
                                          "parts",        "counter-bits",  "fingerprint-bits",
                                          "bucket-keys",  "dense",         "expansion",
                                          "tightening",   "fold",          "hash",
                                          "seed",         "secret-file",   NULL};

static const char *const build_examples[] = {
    "a filter of all lines, counted first, with 1 % false positives",
    "tamis build -o ids.tamis ids.txt",
    "a blacklist of a billion IDs, one wrong \"maybe\" in a thousand",
    "tamis build -o blacklist.tamis -n 1e9 -p 1/1000 part-*.txt",
    "the keys are a column of CSV; two columns together",
    "tamis build -o people.tamis --csv 'last name,birthday' people.csv",
    "from a pipe, without knowing how many will come",
    "zcat urls-*.gz | tamis build -o urls.tamis",
    "whole numbers, as tamis_add_u64 takes them",
    "seq 1 1000000 | tamis build --u64 -n 1M -o numbers.tamis",
    "the same without a wrong answer, as an exact set",
    "seq 1 1000000 | tamis build -k bitmap --u64 -o numbers.tamis",
    NULL,
};

const cli_command cli_build = {
    .name = "build",
    .arguments = "[FILE...]",
    .summary = "build a filter from keys",
    .description =
        "Each line of the files, or of standard input, is a key; a file called - is standard "
        "input too. A last line without a line end is a key as any other, an empty line is the "
        "empty key, and a carriage return before the line end belongs to the key. In CSV it does "
        "not, empty lines are skipped there, and several columns are joined by the byte 0x1f.\n\n"
        "Without --capacity the lines of regular files are counted first, and the filter is "
        "planned for so many. A pipe cannot be read twice: for it the filter grows, layer by "
        "layer, and keeps its rate. The usual rate is 1 %; with --memory it is what that memory "
        "gives.\n\n"
        "The keys are never held in memory. The file is the same for every number of threads, and "
        "is written at the end, in one step: until then, and when anything fails, an older file "
        "stays as it is.",
    .memory = "The filter, about 1 MiB for each thread, and 16 MiB if there are several.",
    .flags = build_flags,
    .examples = build_examples,
    .run = build_run,
};

enum {
    BUILD_BATCH = 1 << 20, /* digests that several threads add together: 8 MiB */
    BUILD_FEW_READS = 2    /* lines a key: up to here one thread adds as fast as others hash */
};

typedef struct build_job {
    const cli_settings *settings;
    tamis_filter *filter;
    tamis_sizing sizing;
    unsigned threads;
    uint64_t *batch; /* NULL: every block is added as it comes */
    size_t batched;
    uint64_t lines;
    double seconds;
} build_job;

/* ---- adding ------------------------------------------------------------- */

static bool build_hash(void *ctx, cli_key_block *block)
{
    const build_job *job = ctx;
    if (!cli_takes_digests(job->filter)) return true;
    return tamis_hash_many(job->filter, &block->keys, block->digests) == TAMIS_OK;
}

static bool build_add(void *ctx, cli_key_block *block)
{
    build_job *job = ctx;
    size_t added;
    const tamis_keys keys = cli_takes_digests(job->filter)
                                ? tamis_keys_digests(block->digests, block->count)
                                : block->keys;
    tamis_status status = tamis_add_many(job->filter, &keys, &added);
    job->lines += added;
    if (status == TAMIS_OK) return true;
    return cli_block_fail_at(block, job->settings->nul ? '\0' : '\n', block->records[added].begin,
                             tamis_explain());
}

static tamis_status build_add_batch(build_job *job)
{
    const tamis_keys keys = tamis_keys_digests(job->batch, job->batched);
    size_t added;
    tamis_status status = tamis_add_many_parallel(job->filter, &keys, job->threads, &added);
    job->lines += added;
    job->batched = 0;
    return status;
}

/* Collects digests until there are enough for all threads. */
static bool build_collect(void *ctx, cli_key_block *block)
{
    build_job *job = ctx;
    for (size_t from = 0; from < block->count;) {
        size_t left = block->count - from, room = BUILD_BATCH - job->batched;
        size_t piece = left < room ? left : room;
        memcpy(job->batch + job->batched, block->digests + from, piece * sizeof *job->batch);
        from += piece;
        job->batched += piece;
        if (job->batched == BUILD_BATCH && build_add_batch(job) != TAMIS_OK)
            return cli_block_fail(block, tamis_explain());
    }
    return true;
}

/* Adding is shared where it is dear (bench_cli: a sixth is gained at a rate of
 * 1e-6 by two threads, a fifth would be lost at 1 %). A filter with layers cannot
 * be split, and of a strict one we want to know the line at which it was full. */
static void build_settle_batch(build_job *job)
{
    job->threads = cli_stream_threads(job->settings);
    if (!cli_takes_digests(job->filter)) return;
    if (job->threads > 1 && job->sizing.reads > BUILD_FEW_READS && !job->settings->strict &&
        !tamis_layer_view(job->filter, 0))
        job->batch = malloc(BUILD_BATCH * sizeof *job->batch);
}

static int build_add_all(build_job *job, cli_input *input)
{
    cli_progress progress;
    build_settle_batch(job);
    const cli_stream_job stream = {
        .ctx = job, .work = build_hash, .commit = job->batch ? build_collect : build_add};
    cli_progress_begin(&progress, job->settings, "building", input->total_bytes, false);
    int status = cli_stream_run(input, &stream, job->threads, &progress);
    if (status == CLI_YES && job->batched > 0 && build_add_batch(job) != TAMIS_OK)
        status = cli_complain("%s", tamis_explain());
    free(job->batch);
    return status;
}

/* ---- the result --------------------------------------------------------- */

static void build_print_json(const build_job *job, const tamis_facts *facts)
{
    cli_json_begin_object(NULL);
    cli_json_text("file", job->settings->output);
    cli_json_text("kind", facts->kind_name);
    cli_json_whole("lines", job->lines);
    cli_json_real("keys", facts->keys);
    cli_json_whole("capacity", facts->capacity);
    cli_json_whole("bits", facts->bits);
    cli_json_whole("bytes", tamis_encoded_size(job->filter));
    cli_json_real("fpr_asked", facts->fpr_asked);
    cli_json_real("fpr", facts->fpr_now);
    cli_json_real("seconds", job->seconds);
    cli_json_end_object();
}

/* ", 27.9 million lines a second", for jobs that are long enough to measure. */
static void build_show_speed(const build_job *job, char *out, size_t room)
{
    char speed[CLI_SHOWN];
    out[0] = '\0';
    if (job->seconds < 0.1) return;
    cli_show_count((double)job->lines / job->seconds, speed, sizeof speed);
    snprintf(out, room, ", %s lines a second", speed);
}

static void build_say(const build_job *job, const tamis_facts *facts)
{
    char lines[CLI_SHOWN], keys[CLI_SHOWN], size[CLI_SHOWN], rate[CLI_SHOWN], speed[80];
    cli_show_whole(job->lines, lines);
    cli_show_estimate(facts->keys, keys);
    cli_show_bytes(tamis_encoded_size(job->filter), size, sizeof size);
    cli_show_rate(facts->fpr_now, rate, sizeof rate);
    build_show_speed(job, speed, sizeof speed);
    if (facts->abilities & TAMIS_IS_EXACT) {
        cli_remark("%s: %s line%s, %s distinct key%s; %s, %s, exact; %.2f s%s",
                   job->settings->output, lines, cli_plural(job->lines), keys,
                   cli_plural((uint64_t)facts->keys), facts->kind_name, size, job->seconds, speed);
        return;
    }
    cli_remark("%s: %s line%s, about %s distinct key%s; %s, %s, %s false positives; %.2f s%s",
               job->settings->output, lines, cli_plural(job->lines), keys,
               cli_plural(facts->keys >= 0.5 && facts->keys < 1.5 ? 1 : 2), facts->kind_name, size,
               rate, job->seconds, speed);
}

static void build_report(const build_job *job)
{
    tamis_facts facts;
    if (job->settings->quiet && !job->settings->json) return;
    tamis_info(job->filter, &facts);
    if (job->settings->json)
        build_print_json(job, &facts);
    else
        build_say(job, &facts);
    cli_remark_overfull(&facts);
}

static int build_save(build_job *job)
{
    const cli_settings *settings = job->settings;
    if (cli_set_note(settings, job->filter) != CLI_YES) return CLI_ERROR;
    return cli_save_filter(settings, job->filter, settings->output);
}

static int build_from(const cli_settings *settings, cli_input *input)
{
    build_job job = {.settings = settings};
    const cli_sizing_habit habit = {.fpr = 0.01};
    cli_progress clock;
    cli_progress_begin(&clock, settings, "building", 0, false);
    int status = cli_new_filter(settings, input, habit, &job.sizing, &job.filter);
    if (status == CLI_YES) status = build_add_all(&job, input);
    if (status == CLI_YES) status = build_save(&job);
    job.seconds = cli_progress_seconds(&clock);
    if (status == CLI_YES) build_report(&job);
    tamis_free(job.filter);
    return status;
}

static int build_run(const cli_settings *settings, char *const *files, size_t count)
{
    cli_key_format format;
    cli_input input;
    if (cli_check_output(settings, settings->output) != CLI_YES) return CLI_ERROR;
    if (cli_read_key_format(settings, &format) != CLI_YES) return CLI_ERROR;
    if (cli_input_open(&input, &format, files, count) != CLI_YES) return CLI_ERROR;
    int status = build_from(settings, &input);
    cli_input_close(&input);
    return status;
}
