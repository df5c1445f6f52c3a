/* cmd_add.c - tamis add: a few more keys for a filter in a file.
 *
 * The keys are hashed as they are read and handed to the library in one call,
 * which appends them behind the file: all of them or none, in time that does
 * not depend on the size of the filter. Of a filter of whole numbers those are
 * handed over as they are, and the file is written anew.                    */
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
        "A bitmap (--u64) is written anew every time, as safely.\n\n"
        "Keys of --key are added before the files are, and without files nothing else is. A "
        "compressed filter cannot be added to: gunzip or zstd -d makes it plain. Filters of "
        "RedisBloom (a DUMP payload, a file or a folder of SCANDUMP chunks) are written anew in "
        "the form they had.",
    .memory = "8 bytes for each key; the filter is mapped.",
    .flags = add_flags,
    .examples = add_examples,
    .run = add_run,
};

/* Filters of some other systems hash a key in more ways than one: for those the
 * keys themselves are kept, one after another, with the place where each ends. */
typedef struct add_text {
    char *bytes;
    size_t size, room;
} add_text;

typedef struct add_job {
    const cli_settings *settings;
    tamis_filter *filter; /* for its hash */
    bool by_key, exact;
    uint64_t *digests; /* or, by key, the offsets: one more than keys */
    size_t count, room;
    add_text text;
} add_job;

/* ---- collecting digests ------------------------------------------------- */

static bool add_reserve(add_job *job, size_t more)
{
    more++; /* offsets end with one more */
    if (job->room - job->count >= more) return true;
    size_t room = 2 * job->room > job->count + more ? 2 * job->room : job->count + more;
    uint64_t *larger = realloc(job->digests, room * sizeof *larger);
    if (!larger) return false;
    job->digests = larger;
    job->room = room;
    return true;
}

/* An integer as the 8 bytes that are its key. */
static uint64_t add_little(uint64_t value)
{
    uint8_t bytes[8];
    uint64_t little;
    for (unsigned i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (8 * i) & 255);
    memcpy(&little, bytes, sizeof little);
    return little;
}

static bool add_keep(add_job *job, const void *key, size_t size)
{
    add_text *text = &job->text;
    if (text->room - text->size < size) {
        size_t room = 2 * text->room > text->size + size ? 2 * text->room : text->size + size;
        char *larger = realloc(text->bytes, room);
        if (!larger) return false;
        text->bytes = larger;
        text->room = room;
    }
    if (size) memcpy(text->bytes + text->size, key, size);
    text->size += size;
    job->digests[job->count++] = text->size - size; /* where it begins */
    return true;
}

static bool add_keep_block(add_job *job, const cli_key_block *block)
{
    bool kept = true;
    for (size_t i = 0; i < block->count && kept; i++) {
        const uint64_t little =
            block->keys.layout == TAMIS_LAYOUT_U64 ? add_little(block->values[i]) : 0;
        kept = block->keys.layout == TAMIS_LAYOUT_U64
                   ? add_keep(job, &little, sizeof little)
                   : add_keep(job, block->spans[i].data, block->spans[i].size);
    }
    return kept;
}

static bool add_hash(void *ctx, cli_key_block *block)
{
    const add_job *job = ctx;
    if (job->by_key) return true;
    return tamis_hash_many(job->filter, &block->keys, block->digests) == TAMIS_OK;
}

static bool add_collect(void *ctx, cli_key_block *block)
{
    add_job *job = ctx;
    if (!add_reserve(job, block->count))
        return cli_block_fail(block, "there is no memory for so many keys; build a new filter");
    if (job->by_key)
        return add_keep_block(job, block) || cli_block_fail(block, "there is no memory left");
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
        cli_remark("%s key%s added, %s %s there already%s", added, cli_plural(result->added), known,
                   job->exact ? "were" : "may have been",
                   result->rewritten ? "; the file was written anew" : "");
    }
}

static tamis_keys add_keys(const add_job *job)
{
    if (!job->by_key) return tamis_keys_digests(job->digests, job->count);
    job->digests[job->count] = job->text.size; /* room for it was reserved */
    return tamis_keys_offsets64(job->text.bytes, (const int64_t *)job->digests, job->count);
}

static int add_append(const add_job *job, const char *path)
{
    const tamis_keys keys = add_keys(job);
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
    job.by_key = !cli_takes_digests(job.filter);
    job.exact = (tamis_abilities(job.filter) & TAMIS_IS_EXACT) != 0;
    int status = cli_check_integers(settings, job.filter, arguments[0]);
    if (status == CLI_YES) status = add_given_keys(&job);
    if (status == CLI_YES) status = add_read(&job, arguments + 1, count - 1);
    if (status == CLI_YES) status = add_append(&job, arguments[0]);
    free(job.digests);
    free(job.text.bytes);
    tamis_free(job.filter);
    return status;
}
