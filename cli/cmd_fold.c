/* cmd_fold.c - tamis fold: a smaller filter of the same keys, without them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "number.h"
#include "result.h"
#include "show.h"
#include "words.h"

static int fold_run(const cli_settings *settings, char *const *files, size_t count);

static const char *const fold_flags[] = {"output", "by",          "to",    "force", "compress",
                                         "json",   "secret-file", "quiet", NULL};

static const char *const fold_examples[] = {
    "a quarter of the size",
    "tamis fold --by 4 -o small.tamis ids.tamis",
    "small enough for the cache of one core",
    "tamis fold --to 1M -o small.tamis ids.tamis",
    NULL,
};

const cli_command cli_fold = {
    .name = "fold",
    .arguments = "FILTER",
    .summary = "shrink a filter without its keys",
    .description =
        "Writes a filter of 1/N of the size that holds the same keys: what building it that small "
        "would have given. Its rate rises accordingly; for a filter with far fewer keys than "
        "planned it stays within the plan.\n\n"
        "N must divide the filter's size. Powers of two up to 64 usually do (tamis info says "
        "which); "
        "build with --fold N for others. Scaling filters cannot be folded.",
    .memory = "The filter and the smaller one.",
    .flags = fold_flags,
    .examples = fold_examples,
    .run = fold_run,
};

/* ---- the factor --------------------------------------------------------- */

/* The smallest power of two that brings the body down to --to. */
static int fold_factor_for(const cli_settings *settings, const tamis_facts *f, uint64_t *factor)
{
    char least[CLI_SHOWN];
    uint64_t bytes = (f->bits + 7) / 8;
    *factor = 1;
    while (*factor < f->fold && bytes / *factor > settings->to) *factor *= 2;
    if (bytes / *factor <= settings->to) return CLI_YES;
    cli_show_bytes(bytes / *factor, least, sizeof least);
    return cli_complain("--to: this filter folds by at most %" PRIu64 ", to %s; build the next one "
                        "with --fold, or rebuild it smaller",
                        f->fold, least);
}

static int fold_find(const cli_settings *settings, const tamis_filter *filter, uint64_t *factor)
{
    tamis_facts facts;
    *factor = settings->by;
    if (settings->by) return CLI_YES;
    tamis_info(filter, &facts);
    return fold_factor_for(settings, &facts, factor);
}

static int fold_refuse(const tamis_filter *filter, uint64_t factor, const char *file,
                       tamis_status status)
{
    tamis_facts facts;
    if (status != TAMIS_E_SPEC) return cli_complain_of(file);
    tamis_info(filter, &facts);
    return cli_complain(
        "--by: %" PRIu64 " does not divide the size of %s (%" PRIu64 " bits); %s%" PRIu64, factor,
        file, facts.bits, facts.fold > 1 ? "powers of two do, up to " : "no power of two does but ",
        facts.fold);
}

/* ---- saying it ---------------------------------------------------------- */

static void fold_say(const cli_settings *settings, uint64_t factor, const tamis_facts *f)
{
    char size[CLI_SHOWN], now[CLI_SHOWN], planned[CLI_SHOWN];
    cli_show_bytes((f->bits + 7) / 8, size, sizeof size);
    cli_show_percent(f->fpr_now, 3, now);
    cli_show_percent(f->fpr_asked, 3, planned);
    cli_remark("%s: folded by %" PRIu64 " to %s, a rate of %s now (%s planned)", settings->output,
               factor, size, now, planned);
}

static void fold_json(const cli_settings *settings, uint64_t factor, const tamis_facts *f)
{
    cli_json_begin_object(NULL);
    cli_json_text("output", settings->output);
    cli_json_whole("factor", factor);
    cli_json_result(f);
    cli_json_end_object();
}

/* ---- the command -------------------------------------------------------- */

static int fold_filter(const cli_settings *settings, const char *file, tamis_filter *filter)
{
    uint64_t factor;
    tamis_facts facts;
    int failed = fold_find(settings, filter, &factor);
    if (failed) return failed;
    tamis_status status = tamis_fold(filter, factor);
    if (status != TAMIS_OK) return fold_refuse(filter, factor, file, status);
    failed = cli_save_filter(settings, filter, settings->output);
    if (failed) return failed;
    tamis_info(filter, &facts);
    if (settings->json)
        fold_json(settings, factor, &facts);
    else
        fold_say(settings, factor, &facts);
    return CLI_YES;
}

static int fold_run(const cli_settings *settings, char *const *files, size_t count)
{
    tamis_filter *filter;
    (void)count; /* one, as the table says */
    if (!settings->by == !settings->to)
        return cli_complain("fold needs one of --by N and --to SIZE");
    int failed = cli_check_output(settings, settings->output);
    if (!failed) failed = cli_load_filter(settings, files[0], &filter);
    if (failed) return failed;
    failed = fold_filter(settings, files[0], filter);
    tamis_free(filter);
    return failed;
}
