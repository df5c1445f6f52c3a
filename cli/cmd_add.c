/* cmd_add.c - tamis add: a few more keys for a filter in a file.
 *
 * The keys are hashed as they are read and handed to the library in one call,
 * which appends them behind the file: all of them or none, in time that does
 * not depend on the size of the filter. Of a filter of whole numbers those are
 * handed over as they are, and the file is written anew.                    */
#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "key_collect.h"
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

typedef struct add_job {
    const cli_settings *settings;
    bool exact;
} add_job;

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

static int add_append(const add_job *job, const cli_collected *collected, const char *path)
{
    const tamis_keys keys = cli_collected_keys(collected);
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
    cli_collected keys = {.settings = settings};
    tamis_filter *filter;
    if (cli_open_filter(settings, arguments[0], TAMIS_OPEN_MAP, &filter) != CLI_YES)
        return CLI_ERROR;
    keys.filter = filter;
    job.exact = (tamis_abilities(filter) & TAMIS_IS_EXACT) != 0;
    int status = cli_check_integers(settings, filter, arguments[0]);
    if (status == CLI_YES) status = cli_collect(&keys, arguments + 1, count - 1);
    if (status == CLI_YES) status = add_append(&job, &keys, arguments[0]);
    cli_collected_free(&keys);
    tamis_free(filter);
    return status;
}
