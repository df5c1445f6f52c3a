/* cmd_dedup.c - tamis dedup: each line once, in constant memory a key.
 *
 * Threads read, split and hash blocks; the digests pass the filter in the order
 * of the input, which tells the new from the known; then the new lines are
 * collected by the threads again and printed in order. So the lines are the
 * same for every number of threads. A Bloom filter takes some new lines for
 * known ones: loss.h says how many.                                         */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* times of files */
#endif
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "dedup_window.h"
#include "filter_files.h"
#include "key_stream.h"
#include "loss.h"
#include "new_filter.h"
#include "paper.h"
#include "show.h"
#include "words.h"

static int dedup_run(const cli_settings *settings, char *const *files, size_t count);

static const char *const dedup_flags[] = {"capacity",
                                          "rate",
                                          "memory",
                                          "state",
                                          "window",
                                          "time",
                                          "kind",
                                          "scale",
                                          "nul",
                                          "csv",
                                          "field",
                                          "delimiter",
                                          "csv-no-header",
                                          "u64",
                                          "jobs",
                                          "quiet",
                                          "no-progress",
                                          "strict",
                                          "never-exceed",
                                          "lines-per-key",
                                          "inner",
                                          "parts",
                                          "fingerprint-bits",
                                          "bucket-keys",
                                          "dense",
                                          "expansion",
                                          "tightening",
                                          "hash",
                                          "seed",
                                          "secret-file",
                                          "compress",
                                          NULL};

static const char *const dedup_examples[] = {
    "each URL once",
    "tamis dedup urls.txt > unique.txt",
    "at most one line in a million lost",
    "tamis dedup -p 1e-6 urls.txt > unique.txt",
    "only what was not there on any day before",
    "tamis dedup --state seen.tamis today.log > new-today.log",
    "the first row of every customer",
    "tamis dedup --csv customer_id orders.csv > first-orders.csv",
    "what was not there within the last ten million lines",
    "producer | tamis dedup --window 10M | consumer",
    "what was not there within the hour, in which some five million come",
    "producer | tamis dedup --window 1h -n 5M | consumer",
    "the same by the time in the log: field 1 is the time, field 3 the key",
    "tamis dedup --window 10m --time 1 --field 3 access.tsv",
    "a stream, in a fixed memory of 64 MiB",
    "producer | tamis dedup -m 64M | consumer",
    NULL,
};

const cli_command cli_dedup = {
    .name = "dedup",
    .arguments = "[FILE...]",
    .summary = "print each line the first time it is seen",
    .description =
        "Prints the lines of the files, or of standard input, in their order, and each only once. "
        "What was seen is held in a filter, not as lines: about 2 bytes a line at the usual rate "
        "of 0.1 %. In exchange a line that is new is sometimes taken for a known one and dropped. "
        "At the end dedup says how many that may have been; a lower --rate makes it as rare as is "
        "needed, at 4.8 bits a line for every factor of ten.\n\n"
        "Without --capacity the lines of regular files are counted first; for pipes, and with "
        "--state, the filter grows. With --memory it has that size, and the rate rises as it "
        "fills.\n\n"
        "With --csv or --field the key is a part of the line, and the first line with each key is "
        "printed whole, after the header of the first CSV.\n\n"
        "--window N forgets: a line is dropped when its key came within the last N that were "
        "new, or, with a time such as 1h, within that time, for which --capacity says how many "
        "keys to expect. A line that comes again is remembered anew. Nothing is forgotten within "
        "the window, and everything after 1.25 windows, by time 1.5 (--parts makes that finer). "
        "Time is that of "
        "the clock, or with --time that in the lines. It never runs backwards: a line that is "
        "older than one before it is taken at that one's time, and a remark says how many were.\n\n"
        "--state FILE goes on from the filter in FILE, if it is there, and leaves the new one "
        "there at the end, in one step. A run that fails, or whose reader goes away, leaves it as "
        "it was, and so does one that finds it changed by another run at its end. Flags that shape "
        "the filter count when the file is made.",
    .memory = "The filter, and about 1 MiB for each thread.",
    .flags = dedup_flags,
    .examples = dedup_examples,
    .run = dedup_run,
};

typedef struct dedup_job {
    const cli_settings *settings;
    tamis_filter *filter;
    bool there;        /* the state was there at the beginning, */
    struct stat found; /* and this file */
    bool digests;      /* the filter works from digests: hash before the gate */
    bool once;         /* and keeps copies, so known keys are not added */
    cli_pace pace;
    cli_head head;
    uint64_t in, out;
} dedup_job;

/* ---- the lines ---------------------------------------------------------- */

static bool dedup_hash(void *ctx, cli_key_block *block)
{
    const dedup_job *job = ctx;
    if (!job->digests) return true;
    return tamis_hash_many(job->filter, &block->keys, block->digests) == TAMIS_OK;
}

/* A filter that removes takes every copy of a key: here one is enough. */
static bool dedup_keeps_copies(const tamis_filter *filter)
{
    const uint32_t sets = TAMIS_IS_EXACT | TAMIS_STAYS_REMOVED, can = tamis_abilities(filter);
    return can & TAMIS_CAN_REMOVE && !(can & sets);
}

static tamis_status dedup_add_absent(const dedup_job *job, cli_key_block *block, size_t *added)
{
    for (*added = 0; *added < block->count; ++*added) {
        const uint64_t digest = block->digests[*added];
        const bool fresh = !tamis_may_contain_hash(job->filter, digest);
        const tamis_status status = fresh ? tamis_add_hash(job->filter, digest) : TAMIS_OK;
        if (status != TAMIS_OK) return status;
        block->answers[*added] = fresh;
    }
    return TAMIS_OK;
}

static bool dedup_add(void *ctx, cli_key_block *block)
{
    dedup_job *job = ctx;
    size_t added;
    const tamis_keys keys =
        job->digests ? tamis_keys_digests(block->digests, block->count) : block->keys;
    const tamis_status status = job->once ? dedup_add_absent(job, block, &added)
                                          : cli_pace_add(&job->pace, block, &keys, &added);
    if (status == TAMIS_OK) return true;
    return cli_block_fail_at(block, job->settings->nul ? '\0' : '\n', block->records[added].begin,
                             tamis_explain());
}

static bool dedup_collect(void *ctx, cli_key_block *block)
{
    (void)ctx;
    for (size_t i = 0; i < block->count; i++) block->hits += block->answers[i];
    return cli_block_print_records(block, true);
}

static bool dedup_deliver(void *ctx, cli_key_block *block)
{
    dedup_job *job = ctx;
    bool fresh;
    job->in += block->count;
    job->out += block->hits;
    if (!cli_block_head(block, &job->head, &fresh)) return false;
    if (fresh) cli_paper_write(block->bytes, block->head);
    cli_paper_write(block->out, block->out_size);
    if (block->stalls) cli_paper_flush();
    return !cli_paper_is_gone();
}

static int dedup_all(dedup_job *job, cli_input *input)
{
    const cli_stream_job stream = {.ctx = job,
                                   .work = dedup_hash,
                                   .commit = dedup_add,
                                   .finish = dedup_collect,
                                   .deliver = dedup_deliver};
    cli_progress progress;
    cli_progress_begin(&progress, job->settings, "reading", input->total_bytes, true);
    return cli_stream_run(input, &stream, cli_stream_threads(job->settings), &progress);
}

/* ---- the filter --------------------------------------------------------- */

/* The state may be replaced: that is what it is for. */
static int dedup_check_state(dedup_job *job)
{
    const cli_settings *settings = job->settings;
    cli_settings forced = *settings;
    forced.force = true;
    if (!settings->state) return CLI_YES;
    if (strcmp(settings->state, "-") == 0)
        return cli_complain("--state needs a file; standard output is for the lines");
    job->there = stat(settings->state, &job->found) == 0 || errno != ENOENT;
    return cli_check_output(&forced, settings->state);
}

static int dedup_load(dedup_job *job)
{
    if (cli_load_filter(job->settings, job->settings->state, &job->filter) != CLI_YES)
        return CLI_ERROR;
    return cli_check_integers(job->settings, job->filter, job->settings->state);
}

static int dedup_start(dedup_job *job, cli_input *input)
{
    const cli_sizing_habit habit = {.fpr = 0.001, .stays = job->settings->state != NULL};
    tamis_sizing sizing;
    if (dedup_check_state(job) != CLI_YES) return CLI_ERROR;
    int status = job->there ? dedup_load(job)
                            : cli_new_filter(job->settings, input, habit, &sizing, &job->filter);
    if (status != CLI_YES) return status;
    job->digests = cli_takes_digests(job->filter);
    job->once = job->digests && dedup_keeps_copies(job->filter);
    return cli_pace_begin(&job->pace, job->settings, job->filter, job->settings->state);
}

/* ---- the end ------------------------------------------------------------ */

/* The rest of the sentence, about the lines that were dropped. */
static void dedup_show_losses(double losses, uint64_t dropped, char *out, size_t room)
{
    char lost[CLI_SHOWN];
    const bool known = isfinite(losses);
    cli_show_estimate(known ? fmin(losses, (double)dropped) : 0, lost);
    if (!known)
        snprintf(out, room, "the filter is full, and nearly each of them may have been new");
    else if (losses < 1e-4)
        snprintf(out, room, "almost certainly none of them was new");
    else if (losses < 0.5)
        snprintf(out, room, "probably none of them was new (%.2g expected)", losses);
    else
        snprintf(out, room, "about %s of them may have been new; a lower -p loses fewer", lost);
}

static void dedup_say(const dedup_job *job)
{
    char in[CLI_SHOWN], out[CLI_SHOWN], dropped[CLI_SHOWN], losses[160];
    const uint64_t less = job->in - job->out;
    cli_show_whole(job->in, in);
    cli_show_whole(job->out, out);
    cli_show_whole(less, dropped);
    if (less == 0) {
        cli_remark("%s line%s in, %s out: nothing was dropped", in, cli_plural(job->in), out);
        return;
    }
    dedup_show_losses(cli_expected_losses(job->filter, job->out), less, losses, sizeof losses);
    cli_remark("%s lines in, %s out, %s dropped; %s", in, out, dropped, losses);
}

static void dedup_report(const dedup_job *job)
{
    tamis_facts facts;
    if (job->settings->quiet) return;
    dedup_say(job);
    cli_pace_remark(&job->pace);
    tamis_info(job->filter, &facts);
    cli_remark_overfull(&facts);
}

/* Another run with the same state has left what it saw there: ours would undo it. */
static bool dedup_state_has_changed(const dedup_job *job)
{
    struct stat now;
    const struct stat *found = &job->found;
    if (stat(job->settings->state, &now) != 0) return job->there && errno == ENOENT;
    if (!job->there) return S_ISREG(now.st_mode);
    return now.st_dev != found->st_dev || now.st_ino != found->st_ino ||
           now.st_size != found->st_size || now.st_mtim.tv_sec != found->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != found->st_mtim.tv_nsec;
}

static int dedup_save_state(const dedup_job *job)
{
    const char *state = job->settings->state;
    if (dedup_state_has_changed(job))
        return cli_complain("%s was changed by another program meanwhile, and is left as it is: "
                            "it does not know the lines of this run; let runs with one state wait "
                            "for each other",
                            state);
    return cli_save_filter(job->settings, job->filter, state);
}

/* Lines that did not arrive must not count as seen. */
static int dedup_finish(const dedup_job *job)
{
    cli_paper_flush();
    if (cli_paper_is_gone()) return CLI_YES; /* the paper knows the status */
    if (job->settings->state && dedup_save_state(job) != CLI_YES) return CLI_ERROR;
    dedup_report(job);
    return CLI_YES;
}

static int dedup_run(const cli_settings *settings, char *const *files, size_t count)
{
    dedup_job job = {.settings = settings};
    cli_key_format format;
    cli_input input;
    if (cli_read_key_format(settings, &format) != CLI_YES) return CLI_ERROR;
    if (cli_input_open(&input, &format, files, count) != CLI_YES) return CLI_ERROR;
    int status = dedup_start(&job, &input);
    if (status == CLI_YES) status = dedup_all(&job, &input);
    if (status == CLI_YES) status = dedup_finish(&job);
    cli_input_close(&input);
    free(job.head.text);
    tamis_free(job.filter);
    return status;
}
