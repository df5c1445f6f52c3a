/* cmd_add.c - tamis add: a few more keys for a filter in a file.
 *
 * The keys are hashed as they are read and handed to the library in one call,
 * which appends them behind the file: all of them or none, in time that does
 * not depend on the size of the filter.                                     */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "key_stream.h"
#include "paper.h"
#include "show.h"
#include "words.h"

static int add_run(const cli_settings *settings, char *const *arguments, size_t count);

static const char *const add_flags[] = {
    "key",  "nul",   "csv",         "field",       "delimiter", "csv-no-header", "u64", "jobs",
    "json", "quiet", "secret-file", "no-progress", NULL};

static const char *const add_examples[] = {
    "today's keys", "tamis add ids.tamis today.txt", "one key", "tamis add ids.tamis -e user:123",
    NULL,
};

const cli_command cli_add = {
    .name = "add",
    .arguments = "FILTER [FILE...]",
    .summary = "add keys to a filter file without rewriting it",
    .description =
        "Adds each line of the files, or of standard input, to FILTER. The new keys are appended "
        "behind the filter and read with it from then on, so ten keys for a gigabyte take "
        "milliseconds; when they have become many, the file is written anew in one step. Killed "
        "at any moment, the file holds all keys of the call or none of them, and two at once take "
        "turns.\n\n"
        "Keys of --key are added before the files are, and without files nothing else is. A "
        "compressed filter cannot be added to: gunzip or zstd -d makes it plain.",
    .memory = "8 bytes for each key; the filter is mapped.",
    .flags = add_flags,
    .examples = add_examples,
    .run = add_run,
};

typedef struct add_job {
    const cli_settings *settings;
    tamis_filter *filter; /* for its hash */
    uint64_t *digests;
    size_t count, room;
} add_job;

/* ---- collecting digests ------------------------------------------------- */

static bool add_reserve(add_job *job, size_t more)
{
    if (job->room - job->count >= more) return true;
    size_t room = 2 * job->room > job->count + more ? 2 * job->room : job->count + more;
    uint64_t *larger = realloc(job->digests, room * sizeof *larger);
    if (!larger) return false;
    job->digests = larger;
    job->room = room;
    return true;
}

static bool add_hash(void *ctx, cli_key_block *block)
{
    const add_job *job = ctx;
    return tamis_hash_many(job->filter, &block->keys, block->digests) == TAMIS_OK;
}

static bool add_collect(void *ctx, cli_key_block *block)
{
    add_job *job = ctx;
    if (!add_reserve(job, block->count))
        return cli_block_fail(block, "there is no memory for so many keys; build a new filter");
    if (block->count)
        memcpy(job->digests + job->count, block->digests, block->count * sizeof *job->digests);
    job->count += block->count;
    return true;
}

static int add_given_keys(add_job *job)
{
    cli_key_block block = {0};
    int status = CLI_YES;
    if (job->settings->keys.count == 0) return CLI_YES;
    if (cli_block_take_words(&block, job->settings) && add_hash(job, &block))
        add_collect(job, &block);
    if (block.fault.set) status = cli_complain("--key: %s", block.fault.why);
    cli_block_free(&block);
    return status;
}

static int add_read(add_job *job, char *const *files, size_t count)
{
    const cli_stream_job stream = {.ctx = job, .work = add_hash, .commit = add_collect};
    cli_key_format format;
    cli_input input;
    cli_progress progress;
    if (job->settings->keys.count && count == 0) return CLI_YES;
    if (cli_read_key_format(job->settings, &format) != CLI_YES) return CLI_ERROR;
    if (cli_input_open(&input, &format, files, count) != CLI_YES) return CLI_ERROR;
    cli_progress_begin(&progress, job->settings, "reading", input.total_bytes, false);
    int status = cli_stream_run(&input, &stream, cli_stream_threads(job->settings), &progress);
    cli_input_close(&input);
    return status;
}

/* ---- appending ---------------------------------------------------------- */

static void add_report(const add_job *job, const tamis_file_added *result)
{
    char added[CLI_SHOWN], known[CLI_SHOWN];
    cli_show_whole(result->added, added);
    cli_show_whole(result->known, known);
    if (job->settings->json) {
        cli_json_begin_object(NULL);
        cli_json_whole("added", result->added);
        cli_json_whole("known", result->known);
        cli_json_whole("appended", result->appended);
        cli_json_truth("rewritten", result->rewritten);
        cli_json_end_object();
    } else {
        cli_remark("%s key%s added, %s may have been there already%s", added,
                   cli_plural(result->added), known,
                   result->rewritten ? "; the file was written anew" : "");
    }
}

static int add_append(const add_job *job, const char *path)
{
    const tamis_keys keys = tamis_keys_digests(job->digests, job->count);
    tamis_file_added result;
    uint8_t secret[16];
    bool given;
    if (cli_read_secret(job->settings, secret, &given) != CLI_YES) return CLI_ERROR;
    const tamis_open_options options = {.secret = given ? secret : NULL};
    if (tamis_file_add_many(path, &keys, &options, &result) != TAMIS_OK)
        return cli_complain_of(path);
    add_report(job, &result);
    return CLI_YES;
}

static int add_run(const cli_settings *settings, char *const *arguments, size_t count)
{
    add_job job = {.settings = settings};
    if (count == 0) return cli_complain("add needs a filter: tamis add FILTER [FILE...]");
    if (cli_open_filter(settings, arguments[0], TAMIS_OPEN_MAP, &job.filter) != CLI_YES)
        return CLI_ERROR;
    int status = add_given_keys(&job);
    if (status == CLI_YES) status = add_read(&job, arguments + 1, count - 1);
    if (status == CLI_YES) status = add_append(&job, arguments[0]);
    free(job.digests);
    tamis_free(job.filter);
    return status;
}
