/* cmd_remove.c - tamis remove: keys that shall no longer be in a filter.
 *
 * The keys are read first, then taken away in one change of the file: killed at
 * any moment it is the old one or the new one.                              */
#include <inttypes.h>
#include <stdio.h>

#include "abilities.h"
#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "key_collect.h"
#include "show.h"
#include "words.h"

static int remove_run(const cli_settings *settings, char *const *arguments, size_t count);

static const char *const remove_flags[] = {
    "key",  "nul",   "csv",         "field",       "delimiter", "csv-no-header", "u64", "jobs",
    "json", "quiet", "secret-file", "no-progress", NULL};

static const char *const remove_examples[] = {
    "those who have left",
    "tamis remove members.tamis left.txt",
    "one key",
    "tamis remove members.tamis -e user:123",
    "a range of whole numbers from an exact set",
    "seq 1000 1999 | tamis remove --u64 numbers.tamis",
    NULL,
};

const cli_command cli_remove = {
    .name = "remove",
    .arguments = "FILTER [FILE...]",
    .summary = "remove keys from a filter file",
    .description =
        "Takes each line of the files, or of standard input, out of FILTER, once for each time it "
        "is given. Keys of --key come before the files, and without files nothing else is "
        "read. The file is written anew in one step: killed at any moment it is the old one or "
        "the new one, and two changes at once take turns. A compressed filter stays so, and the "
        "cuckoo filters of RedisBloom keep their form.\n\n"
        "A key that is certainly absent cannot be removed: the others are, it is said how many "
        "were absent, and the status is 1. Remove only what was added. A key that was not, but "
        "gets \"maybe\" by accident, takes away what keeps another key there.\n\n"
        "Classic and blocked filters cannot remove. Counting, cuckoo, dleft and bitmap can, and so "
        "can scalable and sharded filters made of them. A twin filter remembers what was removed "
        "beside what was added: what leaves it cannot come back.",
    .memory = "The filter, and 8 bytes for each key (bitmaps: 16).",
    .status = "0 all keys were removed, 1 one or more were certainly absent (the others are "
              "removed), 2 an error: the file is as it was.",
    .flags = remove_flags,
    .examples = remove_examples,
    .run = remove_run,
};

typedef struct remove_job {
    const cli_settings *settings;
    cli_collected keys;
    size_t gone;
} remove_job;

/* ---- removing ----------------------------------------------------------- */

static int remove_check(const cli_settings *settings, const tamis_filter *filter, const char *name)
{
    char kinds[160];
    tamis_facts facts;
    if (tamis_abilities_of_clone(filter) & TAMIS_CAN_REMOVE)
        return cli_check_integers(settings, filter, name);
    tamis_info(filter, &facts);
    cli_able_kinds(TAMIS_CAN_REMOVE, kinds, sizeof kinds);
    return cli_complain("%s: a %s filter cannot remove keys; those of kind %s can: build it anew "
                        "with -k",
                        name, facts.kind_name, kinds);
}

static tamis_status remove_change(tamis_filter *filter, void *ctx)
{
    remove_job *job = ctx;
    const tamis_keys keys = cli_collected_keys(&job->keys);
    return tamis_remove_many(filter, &keys, NULL, &job->gone);
}

/* Nothing to take away is no reason to write a file. */
static int remove_from(remove_job *job, const char *path)
{
    uint8_t secret[16];
    bool given;
    if (job->keys.count == 0) return CLI_YES;
    if (cli_read_secret(job->settings, secret, &given) != CLI_YES) return CLI_ERROR;
    const tamis_open_options options = {.secret = given ? secret : NULL};
    if (tamis_file_change(path, &options, remove_change, job) != TAMIS_OK)
        return cli_complain_of(path);
    return CLI_YES;
}

/* ---- saying it ---------------------------------------------------------- */

static void remove_say(const remove_job *job, uint64_t absent)
{
    char gone[CLI_SHOWN], missing[CLI_SHOWN], example[80] = "";
    cli_show_whole(job->gone, gone);
    cli_show_whole(absent, missing);
    if (job->keys.first[0])
        snprintf(example, sizeof example, "%s\"%s\"", absent > 1 ? "; the first: " : ": ",
                 job->keys.first);
    if (absent == 0)
        cli_remark("%s key%s removed", gone, cli_plural(job->gone));
    else
        cli_remark("%s key%s removed, %s %s certainly not there%s", gone, cli_plural(job->gone),
                   missing, absent == 1 ? "was" : "were", example);
}

static void remove_json(const remove_job *job, uint64_t absent)
{
    cli_json_begin_object(NULL);
    cli_json_whole("keys", job->keys.count);
    cli_json_whole("removed", job->gone);
    cli_json_whole("absent", absent);
    cli_json_end_object();
}

static int remove_report(const remove_job *job)
{
    const uint64_t absent = job->keys.count - job->gone;
    if (job->settings->json)
        remove_json(job, absent);
    else
        remove_say(job, absent);
    return absent ? CLI_NO : CLI_YES;
}

/* ---- the command -------------------------------------------------------- */

static int remove_run(const cli_settings *settings, char *const *arguments, size_t count)
{
    const char *path = arguments[0];
    remove_job job = {.settings = settings, .keys = {.settings = settings, .noting_absent = true}};
    tamis_filter *filter;
    if (cli_open_filter(settings, path, TAMIS_OPEN_MAP, &filter) != CLI_YES) return CLI_ERROR;
    job.keys.filter = filter;
    int status = remove_check(settings, filter, path);
    if (status == CLI_YES) status = cli_collect(&job.keys, arguments + 1, count - 1);
    if (status == CLI_YES) status = remove_from(&job, path);
    if (status == CLI_YES) status = remove_report(&job);
    cli_collected_free(&job.keys);
    tamis_free(filter);
    return status;
}
