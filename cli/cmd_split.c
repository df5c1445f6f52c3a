/* cmd_split.c - tamis split and tamis join: one filter in several files.
 *
 * Every part is a filter of kind sharded that has some of the shards. Split
 * looks at all names before it writes, and takes its files back if one of them
 * cannot be written.                                                        */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "number.h"
#include "result.h"
#include "show.h"
#include "words.h"

static int split_run(const cli_settings *settings, char *const *files, size_t count);
static int join_run(const cli_settings *settings, char *const *files, size_t count);

static const char *const split_flags[] = {"prefix", "shards",      "force", "compress",
                                          "json",   "secret-file", "quiet", NULL};
static const char *const join_flags[] = {"output", "kind",        "force", "compress", "note",
                                         "json",   "secret-file", "quiet", NULL};

static const char *const split_examples[] = {
    "one file for each of four nodes",
    "tamis split -s 4 -o node- ids.tamis",
    "which file has a key?",
    "tamis shard -s 4 -e user:123",
    NULL,
};

static const char *const join_examples[] = {
    "the files of all nodes as one filter",
    "tamis join -o ids.tamis node-*.tamis",
    "as the plain filter that was split",
    "tamis join -k blocked -o ids.tamis node-*.tamis",
    NULL,
};

const cli_command cli_split = {
    .name = "split",
    .arguments = "FILTER",
    .summary = "cut a filter into files by the shards of its keys",
    .description =
        "Writes --shards files, PREFIX0.tamis and so on, of which each has the keys of its "
        "shard, says \"no\" to all others and refuses to add them. No keys are needed: a blocked "
        "filter with one line a key is cut as it lies, if --shards divides its number of lines "
        "(built with --fold N it does), and a sharded filter hands out its shards, "
        "an equal number each. Other kinds spread a key over their body: build those sharded.\n\n"
        "The shard of a key is the high half of its digest times the number of shards, so that "
        "anybody can tell which file to ask: tamis shard does. PREFIX may name a folder: -o "
        "nodes/ writes nodes/0.tamis. All or nothing: on an error no file is left.",
    .memory = "The parts together: the size of the filter, which is mapped.",
    .flags = split_flags,
    .examples = split_examples,
    .run = split_run,
};

const cli_command cli_join = {
    .name = "join",
    .arguments = "FILTER...",
    .summary = "put the files of a split filter together again",
    .description =
        "Writes one filter of kind sharded that has the shards of all files, which may come in "
        "any order: all shards of the whole, or some that are neighbours. With -k blocked it "
        "becomes the one plain filter, bit for bit what building it at once would have given; "
        "for that all shards must be there and be stretches of a blocked filter.\n\n"
        "The files must be parts of one division: the same hash, seed, secret, kind and number "
        "of shards. All or nothing: on an error no file is written.",
    .memory = "The size of the result, twice with -k; the parts are mapped.",
    .flags = join_flags,
    .examples = join_examples,
    .run = join_run,
};

enum { SPLIT_MOST = 1024, SPLIT_NAME = 4096 };

/* ---- names -------------------------------------------------------------- */

/* As many digits for all, so that a shell lists them in their order. */
static void split_name(const cli_settings *settings, uint32_t index, char out[SPLIT_NAME])
{
    enum { DIGITS = 10 };
    char number[DIGITS + 1];
    size_t digits = 1;
    for (uint64_t most = settings->shards - 1; most > 9; most /= 10) digits++;
    snprintf(number, sizeof number, "%010" PRIu32, index);
    snprintf(out, SPLIT_NAME, "%s%s.tamis", settings->output, number + DIGITS - digits);
}

static int split_check_names(const cli_settings *settings)
{
    char name[SPLIT_NAME];
    if (!settings->shards) return cli_complain("into how many files? give -s N");
    if (!settings->output)
        return cli_complain("the beginning of their names is missing: -o PREFIX");
    if (strlen(settings->output) > SPLIT_NAME - 20) return cli_complain("--prefix is too long");
    for (uint32_t i = 0; i < settings->shards; i++) {
        split_name(settings, i, name);
        if (cli_check_output(settings, name) != CLI_YES) return CLI_ERROR;
    }
    return CLI_YES;
}

/* ---- splitting ---------------------------------------------------------- */

static int split_save(const cli_settings *settings, tamis_filter *const *parts)
{
    char name[SPLIT_NAME];
    int failed = CLI_YES;
    uint32_t done = 0;
    for (; done < settings->shards && !failed; done++) {
        split_name(settings, done, name);
        failed = cli_save_filter(settings, parts[done], name);
    }
    for (uint32_t i = 0; failed && i + 1 < done; i++) {
        split_name(settings, i, name);
        unlink(name);
    }
    return failed;
}

static void split_json(const cli_settings *settings, tamis_filter *const *parts)
{
    char name[SPLIT_NAME];
    tamis_facts facts;
    tamis_shards shards;
    cli_json_begin_array(NULL);
    for (uint32_t i = 0; i < settings->shards; i++) {
        split_name(settings, i, name);
        tamis_info(parts[i], &facts);
        tamis_shards_of(parts[i], &shards);
        cli_json_begin_object(NULL);
        cli_json_text("output", name);
        cli_json_whole("shards", shards.shards);
        cli_json_whole("first", shards.first);
        cli_json_whole("count", shards.count);
        cli_json_result(&facts);
        cli_json_end_object();
    }
    cli_json_end_array();
}

static void split_say(const cli_settings *settings)
{
    char first[SPLIT_NAME], last[SPLIT_NAME];
    split_name(settings, 0, first);
    split_name(settings, (uint32_t)settings->shards - 1, last);
    cli_remark("%s to %s: the shard of a key is the high half of its digest times %" PRIu64
               "; tamis shard -s %" PRIu64 " tells it",
               first, last, settings->shards, settings->shards);
}

static int split_filter(const cli_settings *settings, const char *file, const tamis_filter *filter)
{
    tamis_filter *parts[SPLIT_MOST];
    const uint32_t count = (uint32_t)settings->shards;
    const tamis_status status = tamis_split(filter, count, parts);
    if (status == TAMIS_E_SPEC)
        return cli_complain("%s: %s (tamis build --fold %" PRIu32 ")", file, tamis_explain(),
                            count);
    if (status != TAMIS_OK) return cli_complain_of(file);
    int failed = split_save(settings, parts);
    if (!failed && settings->json)
        split_json(settings, parts);
    else if (!failed)
        split_say(settings);
    for (uint32_t i = 0; i < count; i++) tamis_free(parts[i]);
    return failed;
}

static int split_run(const cli_settings *settings, char *const *files, size_t count)
{
    tamis_filter *filter;
    (void)count; /* one, as the table says */
    int failed = split_check_names(settings);
    if (!failed) failed = cli_open_filter(settings, files[0], TAMIS_OPEN_MAP, &filter);
    if (failed) return failed;
    failed = split_filter(settings, files[0], filter);
    tamis_free(filter);
    return failed;
}

/* ---- joining ------------------------------------------------------------ */

/* The joined shards, or the plain filter of them. */
static int join_make(const cli_settings *settings, tamis_filter *const *parts, size_t count,
                     tamis_filter **out)
{
    tamis_filter *plain;
    const bool wanted = settings->kind && strcmp(settings->kind, "sharded") != 0;
    if (wanted && strcmp(settings->kind, "blocked") != 0)
        return cli_complain("--kind: shards make a sharded filter or a blocked one, not %s",
                            settings->kind);
    if (tamis_join((const tamis_filter *const *)parts, count, out) != TAMIS_OK)
        return cli_complain("these files do not go together: %s", tamis_explain());
    if (!wanted) return CLI_YES;
    const tamis_status status = tamis_unshard(*out, &plain);
    tamis_free(*out);
    *out = plain;
    return status == TAMIS_OK ? CLI_YES : cli_complain("--kind blocked: %s", tamis_explain());
}

static void join_tell(const cli_settings *settings, size_t count, const tamis_filter *result)
{
    char keys[CLI_SHOWN], size[CLI_SHOWN], rate[CLI_SHOWN];
    tamis_facts facts;
    tamis_info(result, &facts);
    if (settings->json) {
        cli_json_begin_object(NULL);
        cli_json_text("output", settings->output);
        cli_json_whole("filters", count);
        cli_json_result(&facts);
        cli_json_end_object();
        return;
    }
    cli_show_estimate(facts.keys, keys);
    cli_show_bytes((facts.bits + 7) / 8, size, sizeof size);
    cli_show_percent(facts.fpr_now, 3, rate);
    cli_remark("%s: %zu file%s, %s, about %s distinct keys, a rate of %s, %s", settings->output,
               count, cli_plural(count), facts.kind_name, keys, rate, size);
}

static int join_parts(const cli_settings *settings, tamis_filter *const *parts, size_t count)
{
    tamis_filter *result = NULL;
    int failed = join_make(settings, parts, count, &result);
    if (!failed) failed = cli_set_note(settings, result);
    if (!failed) failed = cli_save_filter(settings, result, settings->output);
    if (!failed) join_tell(settings, count, result);
    tamis_free(result);
    return failed;
}

static int join_run(const cli_settings *settings, char *const *files, size_t count)
{
    tamis_filter *parts[SPLIT_MOST];
    size_t opened = 0;
    int failed = cli_check_output(settings, settings->output);
    if (!failed && count > SPLIT_MOST)
        failed = cli_complain("%zu files are more than the %d shards that there can be", count,
                              SPLIT_MOST);
    while (!failed && opened < count) {
        failed = cli_open_filter(settings, files[opened], TAMIS_OPEN_MAP, &parts[opened]);
        opened += !failed;
    }
    if (!failed) failed = join_parts(settings, parts, count);
    for (size_t i = 0; i < opened; i++) tamis_free(parts[i]);
    return failed;
}
