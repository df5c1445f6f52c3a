/* cmd_has.c - tamis has: which keys may a filter hold?
 *
 * One filter is a sieve: lines that may be present pass, or with --absent the
 * others. Several filters (-f) are a router: every line is printed once for
 * each filter that may hold it. Threads ask at once and print in the order of
 * the input.                                                                */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "key_stream.h"
#include "paper.h"
#include "words.h"

static int has_run(const cli_settings *settings, char *const *arguments, size_t count);

static const char *const has_flags[] = {
    "filter", "key",    "absent",      "count",         "quiet", "nul",
    "csv",    "field",  "delimiter",   "csv-no-header", "u64",   "jobs",
    "json",   "no-map", "secret-file", "no-progress",   NULL};

static const char *const has_examples[] = {
    "the lines of new.txt that may be known",
    "tamis has ids.tamis new.txt",
    "those that are certainly new",
    "tamis has -v ids.tamis new.txt",
    "is this one key there?",
    "tamis has -q ids.tamis -e user:123 && echo maybe",
    "how many?",
    "tamis has -c ids.tamis new.txt",
    "which of three nodes may hold each key",
    "tamis has -f node1.tamis -f node2.tamis -f node3.tamis keys.txt",
    NULL,
};

const cli_command cli_has = {
    .name = "has",
    .arguments = "[FILTER] [FILE...]",
    .summary = "print the keys that may be present, or the certainly absent",
    .description =
        "Asks FILTER for each line of the files, or of standard input, and prints the lines that "
        "may be present; with --absent those that are certainly not. A line that is not printed "
        "with --absent may still be absent: that happens at the filter's rate, which tamis info "
        "tells.\n\n"
        "With --csv or --field the key is a part of the line, and the whole line is printed; the "
        "header of the first CSV is printed first. Keys of --key are asked before the files are, "
        "and without files nothing else is; of the filter only what they touch is read and "
        "verified. "
        "If that is damaged, the answer is \"maybe\", and a warning says so.\n\n"
        "With --filter, once or often, all arguments are files of keys, and each line is printed "
        "after the name of every filter that may hold it and a tab. --absent prints the lines "
        "that none of them holds, and --count one number for each filter.\n\n"
        "--count --json gives the numbers of lines, of those that may be present and of those that "
        "are certainly absent as JSON.",
    .memory = "About 1 MiB for each thread; the filter is mapped, or read if it is compressed.",
    .status =
        "0 if a key may be present (with --absent: if one is certainly absent), 1 if none, 2 an "
        "error.",
    .flags = has_flags,
    .examples = has_examples,
    .run = has_run,
};

enum { HAS_RUN = 512 }; /* keys that all filters of a router are asked for at once */

typedef struct has_job {
    const cli_settings *settings;
    size_t filter_count;
    tamis_filter *filters[CLI_LIST_MOST];
    const char *names[CLI_LIST_MOST];
    bool router;
    cli_head head;
    uint64_t lines;
    uint64_t found;                /* lines that are wanted */
    uint64_t maybe[CLI_LIST_MOST]; /* lines that each filter may hold */
} has_job;

/* ---- asking ------------------------------------------------------------- */

static bool has_prints(const has_job *job)
{
    return !job->settings->quiet && !job->settings->count;
}

static bool has_ask_one(const has_job *job, cli_key_block *block)
{
    const bool prints = has_prints(job);
    block->hits =
        tamis_may_contain_many(job->filters[0], &block->keys, prints ? block->answers : NULL);
    return !prints || cli_block_print_records(block, !job->settings->absent);
}

/* One line, once for each filter that may hold it. */
static bool has_print_routes(const has_job *job, cli_key_block *block, size_t index,
                             bool (*maybe)[HAS_RUN], size_t at)
{
    const cli_record record = block->records[index];
    for (size_t f = 0; f < job->filter_count; f++) {
        if (!maybe[f][at]) continue;
        if (!cli_block_print(block, job->names[f], strlen(job->names[f]))) return false;
        if (!cli_block_print(block, "\t", 1)) return false;
        if (!cli_block_print(block, block->bytes + record.begin, record.end - record.begin))
            return false;
    }
    return true;
}

/* The answers of all filters for one run: answers[] is true where any may hold
 * the key. */
static bool has_route_run(const has_job *job, cli_key_block *block, size_t from, size_t count)
{
    bool maybe[CLI_LIST_MOST][HAS_RUN];
    const tamis_keys part = cli_keys_part(&block->keys, from, count);
    const bool prints = has_prints(job) && !job->settings->absent;
    for (size_t f = 0; f < job->filter_count; f++)
        block->routes[f] += tamis_may_contain_many(job->filters[f], &part, maybe[f]);
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        for (size_t f = 0; f < job->filter_count; f++) any |= maybe[f][i];
        block->answers[from + i] = any;
        block->hits += any;
        if (any && prints && !has_print_routes(job, block, from + i, maybe, i)) return false;
    }
    return true;
}

static bool has_route(const has_job *job, cli_key_block *block)
{
    memset(block->routes, 0, sizeof block->routes);
    for (size_t from = 0; from < block->count; from += HAS_RUN) {
        size_t left = block->count - from;
        if (!has_route_run(job, block, from, left < HAS_RUN ? left : HAS_RUN)) return false;
    }
    if (!has_prints(job) || !job->settings->absent) return true;
    return cli_block_print_records(block, false);
}

/* How many lines of a block are wanted. */
static size_t has_wanted(const has_job *job, const cli_key_block *block)
{
    return job->settings->absent ? block->count - block->hits : block->hits;
}

/* A status alone is known at the first line that is wanted. */
static bool has_work(void *ctx, cli_key_block *block)
{
    const has_job *job = ctx;
    bool good = job->router ? has_route(job, block) : has_ask_one(job, block);
    return good && !(job->settings->quiet && has_wanted(job, block) > 0);
}

/* Lines behind the name of a filter are no CSV any more. */
static bool has_print_head(has_job *job, cli_key_block *block)
{
    bool fresh;
    if (job->router && !job->settings->absent) return true;
    if (!cli_block_head(block, &job->head, &fresh)) return false;
    if (fresh) cli_paper_write(block->bytes, block->head);
    return true;
}

static bool has_deliver(void *ctx, cli_key_block *block)
{
    has_job *job = ctx;
    job->lines += block->count;
    job->found += has_wanted(job, block);
    for (size_t f = 0; job->router && f < job->filter_count; f++) job->maybe[f] += block->routes[f];
    if (!has_prints(job)) return true;
    if (!has_print_head(job, block)) return false;
    cli_paper_write(block->out, block->out_size);
    if (block->stalls) cli_paper_flush();
    return !cli_paper_is_gone();
}

/* ---- the keys of -e ----------------------------------------------------- */

static int has_ask_words(has_job *job)
{
    cli_key_block block = {0};
    int status = CLI_YES;
    if (cli_block_take_words(&block, job->settings)) has_work(job, &block);
    if (block.fault.set)
        status = cli_complain("--key: %s", block.fault.why);
    else
        has_deliver(job, &block);
    cli_block_free(&block);
    return status;
}

/* ---- files -------------------------------------------------------------- */

static int has_ask_files(has_job *job, char *const *files, size_t count)
{
    const cli_settings *settings = job->settings;
    const cli_stream_job stream = {.ctx = job, .work = has_work, .deliver = has_deliver};
    cli_key_format format;
    cli_input input;
    cli_progress progress;
    if (cli_read_key_format(settings, &format) != CLI_YES) return CLI_ERROR;
    if (cli_input_open(&input, &format, files, count) != CLI_YES) return CLI_ERROR;
    cli_progress_begin(&progress, settings, "asking", input.total_bytes, has_prints(job));
    int status = cli_stream_run(&input, &stream, cli_stream_threads(settings), &progress);
    cli_input_close(&input);
    return status;
}

/* A few keys touch a few chunks, which are verified as they are touched; many
 * keys touch all, and damage is better told before the first answer. */
static int has_open(has_job *job, const char *name, bool few)
{
    tamis_filter **filter = &job->filters[job->filter_count];
    const uint32_t flags = TAMIS_OPEN_MAP | (few ? TAMIS_OPEN_LAZY : 0u);
    if (cli_open_filter(job->settings, name, flags, filter) != CLI_YES) return CLI_ERROR;
    job->names[job->filter_count++] = name;
    if (cli_check_integers(job->settings, *filter, name) != CLI_YES) return CLI_ERROR;
    if (few || tamis_verify(*filter, NULL) == TAMIS_OK) return CLI_YES;
    return cli_complain("%s: %s; tamis verify --salvage keeps what is left", name, tamis_explain());
}

/* Of a filter that was opened for a few keys, what they touched is known. A "maybe"
 * for the wrong reason should not be silent, not even with --quiet. */
static void has_warn_of_damage(const has_job *job)
{
    for (size_t f = 0; f < job->filter_count; f++)
        if (tamis_damaged_bytes(job->filters[f]))
            cli_complain("%s: part of the filter is damaged: keys that lie there get \"maybe\", "
                         "added or not; run tamis verify",
                         job->names[f]);
}

/* ---- the result --------------------------------------------------------- */

static void has_print_json(const has_job *job)
{
    const uint64_t absent = job->settings->absent ? job->found : job->lines - job->found;
    cli_json_begin_object(NULL);
    cli_json_whole("lines", job->lines);
    cli_json_whole("maybe", job->lines - absent);
    cli_json_whole("absent", absent);
    if (job->router) {
        cli_json_begin_array("filters");
        for (size_t f = 0; f < job->filter_count; f++) {
            cli_json_begin_object(NULL);
            cli_json_text("file", job->names[f]);
            cli_json_whole("maybe", job->maybe[f]);
            cli_json_end_object();
        }
        cli_json_end_array();
    }
    cli_json_end_object();
}

static void has_print_count(const has_job *job)
{
    if (job->settings->json)
        has_print_json(job);
    else if (!job->router || job->settings->absent)
        cli_paper_print("%" PRIu64 "\n", job->found);
    else
        for (size_t f = 0; f < job->filter_count; f++)
            cli_paper_print("%s\t%" PRIu64 "\n", job->names[f], job->maybe[f]);
}

static int has_answer(has_job *job, char *const *files, size_t count)
{
    const cli_settings *settings = job->settings;
    int status = settings->keys.count ? has_ask_words(job) : CLI_YES;
    bool known = settings->quiet && job->found > 0;
    if (status == CLI_YES && !known && (count || !settings->keys.count))
        status = has_ask_files(job, files, count);
    if (status != CLI_YES) return status;
    has_warn_of_damage(job);
    if (settings->count && !settings->quiet) has_print_count(job);
    return job->found > 0 ? CLI_YES : CLI_NO;
}

static int has_open_all(has_job *job, char *const *arguments, size_t count)
{
    const cli_settings *settings = job->settings;
    const bool few = settings->keys.count > 0 && count == (job->router ? 0 : 1);
    if (!job->router) return has_open(job, arguments[0], few);
    for (size_t f = 0; f < settings->filters.count; f++)
        if (has_open(job, settings->filters.items[f], few) != CLI_YES) return CLI_ERROR;
    return CLI_YES;
}

static int has_check(const cli_settings *settings, size_t count)
{
    if (settings->filters.count == 0 && count == 0)
        return cli_complain("which filter? write tamis has FILTER [FILE...], or -f FILTER");
    if (settings->json && !settings->count)
        return cli_complain("--json gives the numbers of --count; give both");
    return CLI_YES;
}

static int has_run(const cli_settings *settings, char *const *arguments, size_t count)
{
    has_job job = {.settings = settings, .router = settings->filters.count > 0};
    if (has_check(settings, count) != CLI_YES) return CLI_ERROR;
    const size_t taken = job.router ? 0 : 1;
    int status = has_open_all(&job, arguments, count);
    if (status == CLI_YES) status = has_answer(&job, arguments + taken, count - taken);
    for (size_t f = 0; f < job.filter_count; f++) tamis_free(job.filters[f]);
    free(job.head.text);
    return status;
}
