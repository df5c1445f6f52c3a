/* cmd_count.c - tamis count: how often was a key added?
 *
 * Threads ask for the counts of their blocks at once, and print in the order of
 * the input.                                                                */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abilities.h"
#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "key_stream.h"
#include "paper.h"
#include "words.h"

static int count_run(const cli_settings *settings, char *const *arguments, size_t count);

static const char *const count_flags[] = {
    "key",  "nul",    "csv",         "field",       "delimiter", "csv-no-header", "u64", "jobs",
    "json", "no-map", "secret-file", "no-progress", NULL};

static const char *const count_examples[] = {
    "how often was this one seen?",
    "tamis count seen.tamis -e 10.1.2.3",
    "the ten addresses that came most often",
    "sort -u addresses.txt | tamis count seen.tamis | sort -rn | head",
    NULL,
};

const cli_command cli_count = {
    .name = "count",
    .arguments = "FILTER [FILE...]",
    .summary = "print how often each key was added",
    .description =
        "Asks FILTER for each line of the files, or of standard input, and prints how often it was "
        "added and not removed, a tab, and the line. The number is never below the truth, up to "
        "the most that the kind can count: 15 for counting filters (255 with --counter-bits 8), "
        "twice the keys of a bucket for cuckoo. It is above the truth at the filter's rate, by "
        "accident. 0 is certain.\n\n"
        "With --csv or --field the key is a part of the line, and the whole line is printed; a "
        "header of CSV is not. Keys of --key are asked before the files are, and without files "
        "nothing else is. --json gives an array of objects with key and count.\n\n"
        "Classic and blocked filters cannot count; a count that damage makes unknowable is printed "
        "as ?, and is null in JSON.",
    .memory = "About 1 MiB for each thread; the filter is mapped, or read if it is compressed.",
    .status = "0 if a key may be present, 1 if none, 2 an error.",
    .flags = count_flags,
    .examples = count_examples,
    .run = count_run,
};

typedef struct count_job {
    const cli_settings *settings;
    tamis_filter *filter;
    uint64_t found; /* keys whose count is not 0 */
} count_job;

/* ---- asking ------------------------------------------------------------- */

static bool count_print_line(cli_key_block *block, size_t i)
{
    const cli_record record = block->records[i];
    char number[32];
    int size = block->counts[i] == UINT64_MAX
                   ? snprintf(number, sizeof number, "?\t")
                   : snprintf(number, sizeof number, "%" PRIu64 "\t", block->counts[i]);
    return cli_block_print(block, number, (size_t)size) &&
           cli_block_print(block, block->bytes + record.begin, record.end - record.begin);
}

static bool count_work(void *ctx, cli_key_block *block)
{
    const count_job *job = ctx;
    if (tamis_estimate_count_many(job->filter, &block->keys, block->counts) != TAMIS_OK)
        return cli_block_fail(block, tamis_explain());
    bool good = true;
    for (size_t i = 0; i < block->count && good; i++) {
        block->hits += block->counts[i] != 0;
        if (!job->settings->json) good = count_print_line(block, i);
    }
    return good;
}

static void count_json(const cli_key_block *block)
{
    for (size_t i = 0; i < block->count; i++) {
        cli_json_begin_object(NULL);
        cli_json_bytes("key", block->spans[i].data, block->spans[i].size);
        if (block->counts[i] == UINT64_MAX)
            cli_json_none("count");
        else
            cli_json_whole("count", block->counts[i]);
        cli_json_end_object();
    }
}

static bool count_deliver(void *ctx, cli_key_block *block)
{
    count_job *job = ctx;
    job->found += block->hits;
    if (job->settings->json) count_json(block);
    cli_paper_write(block->out, block->out_size);
    if (block->stalls) cli_paper_flush();
    return !cli_paper_is_gone();
}

static int count_words(count_job *job)
{
    cli_key_block block = {0};
    int status = CLI_YES;
    if (job->settings->keys.count == 0) return CLI_YES;
    if (cli_block_take_words(&block, job->settings) && count_work(job, &block))
        count_deliver(job, &block);
    if (block.fault.set) status = cli_complain("--key: %s", block.fault.why);
    cli_block_free(&block);
    return status;
}

static int count_files(count_job *job, char *const *files, size_t count)
{
    const cli_stream_job stream = {.ctx = job, .work = count_work, .deliver = count_deliver};
    cli_key_format format;
    cli_input input;
    cli_progress progress;
    if (job->settings->keys.count && count == 0) return CLI_YES;
    if (cli_read_key_format(job->settings, &format) != CLI_YES) return CLI_ERROR;
    if (cli_input_open(&input, &format, files, count) != CLI_YES) return CLI_ERROR;
    cli_progress_begin(&progress, job->settings, "asking", input.total_bytes, true);
    int status = cli_stream_run(&input, &stream, cli_stream_threads(job->settings), &progress);
    cli_input_close(&input);
    return status;
}

/* ---- the command -------------------------------------------------------- */

static int count_open(count_job *job, const char *name)
{
    char kinds[160];
    tamis_facts facts;
    if (cli_open_filter(job->settings, name, TAMIS_OPEN_MAP, &job->filter) != CLI_YES)
        return CLI_ERROR;
    if (tamis_verify(job->filter, NULL) != TAMIS_OK)
        return cli_complain("%s: %s; tamis verify --salvage keeps what is left", name,
                            tamis_explain());
    if (tamis_abilities(job->filter) & TAMIS_CAN_COUNT)
        return cli_check_integers(job->settings, job->filter, name);
    tamis_info(job->filter, &facts);
    cli_able_kinds(TAMIS_CAN_COUNT, kinds, sizeof kinds);
    return cli_complain(
        "%s: a %s filter cannot count, it only knows whether a key may be there (tamis has); "
        "those of kind %s can: build it anew with -k",
        name, facts.kind_name, kinds);
}

static int count_run(const cli_settings *settings, char *const *arguments, size_t count)
{
    count_job job = {.settings = settings};
    int status = count_open(&job, arguments[0]);
    if (status == CLI_YES && settings->json) cli_json_begin_array(NULL);
    if (status == CLI_YES) {
        status = count_words(&job);
        if (status == CLI_YES) status = count_files(&job, arguments + 1, count - 1);
        if (settings->json) cli_json_end_array();
    }
    tamis_free(job.filter);
    return status == CLI_YES && job.found == 0 ? CLI_NO : status;
}
