/* cmd_merge.c - tamis merge and tamis intersect: filters as sets.
 *
 * Both load the first filter and take the others into it one by one, from
 * maps that were verified before; the result is written at the very end, so
 * that a failure leaves nothing behind.                                     */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "number.h"
#include "result.h"
#include "show.h"
#include "words.h"

static int merge_run(const cli_settings *settings, char *const *files, size_t count);
static int intersect_run(const cli_settings *settings, char *const *files, size_t count);

static const char *const merge_flags[] = {"output", "strict",      "force", "compress", "note",
                                          "json",   "secret-file", "quiet", NULL};
static const char *const intersect_flags[] = {"output", "force",       "compress", "note",
                                              "json",   "secret-file", "quiet",    NULL};

static const char *const merge_examples[] = {
    "the shards of all machines as one filter",
    "tamis merge -o all.tamis shard-*.tamis",
    "only if the rate that was planned still holds",
    "tamis merge --strict -o week.tamis mon.tamis tue.tamis wed.tamis",
    NULL,
};

static const char *const intersect_examples[] = {
    "who is on both lists?",
    "tamis intersect -o both.tamis customers.tamis newsletter.tamis",
    NULL,
};

const cli_command cli_merge = {
    .name = "merge",
    .arguments = "FILTER FILTER...",
    .summary = "the union of filters, with the rate that results",
    .description =
        "Writes one filter that holds the keys of all: bit for bit what building it from all the "
        "keys would have given. Says how many distinct keys it estimates and which rate results. "
        "All or nothing: on an error no file is written.\n\n"
        "The filters must agree in kind, hash, seed, secret and bits per key; equal plans give "
        "that. Sizes may differ where both fold to a common one (build with --fold 64 to be able "
        "to), and the result has the smaller size. Scaling filters cannot be merged. Bitmaps "
        "always can.",
    .memory = "The size of one filter (two where sizes differ); the others are mapped.",
    .flags = merge_flags,
    .examples = merge_examples,
    .run = merge_run,
};

const cli_command cli_intersect = {
    .name = "intersect",
    .arguments = "FILTER FILTER...",
    .summary = "what is in all of several filters",
    .description =
        "Writes a filter of the keys that are in all of them. Every such key is found; a key of "
        "one set only is a false positive with up to the other filter's rate, so there are more "
        "of them than in a filter built from the common keys, and how many keys there are is only "
        "estimated. All or nothing.\n\n"
        "The filters must fit together as for tamis merge.",
    .memory = "The size of one filter (two where sizes differ); the others are mapped.",
    .flags = intersect_flags,
    .examples = intersect_examples,
    .run = intersect_run,
};

typedef tamis_status (*merge_verb)(tamis_filter *dst, const tamis_filter *src);

static tamis_status merge_unite(tamis_filter *dst, const tamis_filter *src)
{
    return tamis_merge(dst, src, NULL);
}

/* ---- taking in ---------------------------------------------------------- */

static int merge_open(const cli_settings *settings, const char *file, tamis_filter **out)
{
    int failed = cli_open_filter(settings, file, TAMIS_OPEN_MAP, out);
    if (failed || tamis_verify(*out, NULL) == TAMIS_OK) return failed;
    failed =
        cli_complain("%s: %s; tamis verify --salvage keeps what is left", file, tamis_explain());
    tamis_free(*out);
    return failed;
}

static int merge_take(const cli_settings *settings, merge_verb verb, tamis_filter *dst,
                      const char *file)
{
    tamis_filter *src;
    int failed = merge_open(settings, file, &src);
    if (failed) return failed;
    if (verb(dst, src) != TAMIS_OK)
        failed =
            cli_complain("%s does not go with the filters before it: %s", file, tamis_explain());
    tamis_free(src);
    return failed;
}

static int merge_take_all(const cli_settings *settings, merge_verb verb, char *const *files,
                          size_t count, tamis_filter **out)
{
    int failed = cli_load_filter(settings, files[0], out);
    if (failed) return failed;
    for (size_t i = 1; i < count && !failed; i++)
        failed = merge_take(settings, verb, *out, files[i]);
    if (!failed) failed = cli_set_note(settings, *out);
    if (failed) tamis_free(*out);
    return failed;
}

/* ---- saying it ---------------------------------------------------------- */

static void merge_say(const cli_settings *settings, size_t count, const tamis_facts *f)
{
    char keys[CLI_SHOWN], now[CLI_SHOWN], planned[CLI_SHOWN], size[CLI_SHOWN];
    cli_show_estimate(f->keys, keys);
    if (f->abilities & TAMIS_IS_EXACT) {
        cli_remark("%s: %zu filters, %s distinct keys, exactly", settings->output, count, keys);
        return;
    }
    cli_show_percent(f->fpr_now, 3, now);
    cli_show_percent(f->fpr_asked, 3, planned);
    cli_show_bytes((f->bits + 7) / 8, size, sizeof size);
    cli_remark("%s: %zu filters, about %s distinct keys, a rate of %s (%s planned), %s",
               settings->output, count, keys, now, planned, size);
}

static void merge_json(const cli_settings *settings, size_t count, const tamis_facts *f)
{
    cli_json_begin_object(NULL);
    cli_json_text("output", settings->output);
    cli_json_whole("filters", count);
    cli_json_result(f);
    cli_json_end_object();
}

/* The promise is kept up to the same twentieth that planning allows itself. */
static int merge_check_strict(const tamis_facts *f)
{
    char keys[CLI_SHOWN], now[CLI_SHOWN], planned[CLI_SHOWN];
    double promise = fmax(f->fpr_asked, f->fpr_at_capacity);
    if (f->fpr_now <= 1.05 * promise) return CLI_YES;
    cli_show_estimate(f->keys, keys);
    cli_show_percent(f->fpr_now, 3, now);
    cli_show_percent(promise, 3, planned);
    return cli_complain("--strict: the union holds about %s keys, and its rate would be %s where "
                        "%s was planned; build the filters for more keys",
                        keys, now, planned);
}

/* ---- the commands ------------------------------------------------------- */

static int merge_finish(const cli_settings *settings, size_t count, const tamis_filter *result)
{
    tamis_facts facts;
    tamis_info(result, &facts);
    int failed = settings->strict ? merge_check_strict(&facts) : CLI_YES;
    if (!failed) failed = cli_save_filter(settings, result, settings->output);
    if (failed) return failed;
    if (settings->json)
        merge_json(settings, count, &facts);
    else
        merge_say(settings, count, &facts);
    return CLI_YES;
}

static int merge_with(const cli_settings *settings, merge_verb verb, char *const *files,
                      size_t count)
{
    tamis_filter *result;
    int failed = cli_check_output(settings, settings->output);
    if (!failed) failed = merge_take_all(settings, verb, files, count, &result);
    if (failed) return failed;
    failed = merge_finish(settings, count, result);
    tamis_free(result);
    return failed;
}

static int merge_run(const cli_settings *settings, char *const *files, size_t count)
{
    return merge_with(settings, merge_unite, files, count);
}

static int intersect_run(const cli_settings *settings, char *const *files, size_t count)
{
    return merge_with(settings, tamis_intersect, files, count);
}
