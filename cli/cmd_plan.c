/* cmd_plan.c - tamis plan: what would it cost? Every kind side by side, before
 * a byte is allocated.                                                      */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "json.h"
#include "number.h"
#include "paper.h"
#include "plan_charts.h"
#include "plan_sheet.h"
#include "plot.h"
#include "show.h"
#include "spec.h"
#include "svg.h"
#include "words.h"

static int plan_run(const cli_settings *settings, char *const *arguments, size_t count);

static const char *const plan_flags[] = {"capacity",
                                         "rate",
                                         "memory",
                                         "deletes",
                                         "counts",
                                         "grows",
                                         "merges",
                                         "window",
                                         "static",
                                         "exact",
                                         "never-exceed",
                                         "kind",
                                         "inner",
                                         "parts",
                                         "lines-per-key",
                                         "counter-bits",
                                         "fingerprint-bits",
                                         "bucket-keys",
                                         "dense",
                                         "fold",
                                         "hash",
                                         "expansion",
                                         "tightening",
                                         "plot",
                                         "svg",
                                         "force",
                                         "json",
                                         NULL};

static const char *const plan_examples[] = {
    "two hundred million keys at one per cent",
    "tamis plan -n 200M -p 1%",
    "how many keys fit into 64 MiB at one in a thousand?",
    "tamis plan -m 64M -p 1/1000",
    "which rate do a billion keys have in 1 GiB?",
    "tamis plan -n 1e9 -m 1G",
    "which kind, if keys must go again and be counted?",
    "tamis plan -n 10M -p 0.1% --deletes --counts",
    "what of the last hour, in which a million keys come?",
    "tamis plan --window 1h -n 1M -p 1%",
    "the same as pictures, here and for a slide",
    "tamis plan -n 200M -p 1% --plot --svg plan.svg",
    NULL,
};

const cli_command cli_plan = {
    .name = "plan",
    .arguments = "",
    .summary = "what a filter would cost: every kind side by side",
    .description =
        "Give two of --capacity, --rate and --memory; the third follows, for every kind. With all "
        "three, memory is a cap. The rate shown is the true one, that will be measured at "
        "capacity; the row marked * is the one to take. With --exact, for whole numbers, "
        "--capacity is enough, and with --grows or a --window of keys the rate is.\n\n"
        "--deletes, --counts, --grows, --merges, --window and --exact say what the filter must be "
        "able to do: a kind that cannot do it says so in its row, one that is made of others takes "
        "the smallest that can, and the one to take is chosen among the rest.\n\n"
        "bits/key is what a key costs, hashes how many bits or places a key has, reads how many "
        "cache lines a query touches that says \"maybe\", can what the filter could do. The row "
        "of a kind that grows is its first layer.",
    .memory = "Next to none: nothing is built.",
    .flags = plan_flags,
    .examples = plan_examples,
    .run = plan_run,
};

/* ---- planning ----------------------------------------------------------- */

/* An exact kind has no rate, and is not planned unless asked for. */
static bool plan_is_exact(const cli_settings *s)
{
    uint32_t kind = s->kind ? tamis_kind_id(s->kind) : 0;
    return s->exact || tamis_kind_abilities(kind) & TAMIS_IS_EXACT;
}

static int plan_check_needs(const cli_settings *s)
{
    if (s->unchanging && (s->deletes || s->grows || cli_has_window(s)))
        return cli_complain("--static says that no key comes or goes; leave it out, or --deletes, "
                            "--grows and --window");
    if (s->window.milliseconds && !s->capacity && (!s->memory || !(s->fpr > 0)))
        return cli_complain("how many keys come within the window? give --capacity too");
    return CLI_YES;
}

/* A scaling filter needs no capacity. */
static int plan_check(const cli_settings *s)
{
    int known = (s->capacity > 0 || s->window.keys) + (s->fpr > 0) + (s->memory > 0) +
                plan_is_exact(s) + s->grows;
    if (plan_check_needs(s) != CLI_YES) return CLI_ERROR;
    if (known < 2)
        return cli_complain("plan needs two of --capacity, --rate and --memory; the third follows: "
                            "tamis plan -n 200M -p 1%%");
    if (s->plot && s->json)
        return cli_complain("--plot and --json both want standard output; --svg FILE goes with "
                            "--json");
    if (s->svg && strcmp(s->svg, "-") == 0 && (s->plot || s->json))
        return cli_complain("--svg - wants standard output for itself; give --svg FILE");
    return CLI_YES;
}

static uint32_t plan_needs(const cli_settings *s)
{
    return (plan_is_exact(s) ? TAMIS_IS_EXACT : 0u) | (s->deletes ? TAMIS_CAN_REMOVE : 0u) |
           (s->counts ? TAMIS_CAN_COUNT : 0u) | (s->grows ? TAMIS_CAN_GROW : 0u) |
           (s->merges ? TAMIS_CAN_MERGE : 0u) | (cli_has_window(s) ? TAMIS_CAN_FORGET : 0u);
}

/* Keeps the kind that was asked for, and finds the row to speak of. */
static void plan_choose(const cli_settings *s, cli_plan_sheet *sheet)
{
    uint32_t kind = s->kind ? tamis_kind_id(s->kind) : 0;
    size_t kept = 0;
    for (size_t i = 0; i < sheet->count; i++)
        if (!kind || sheet->rows[i].kind == kind) sheet->rows[kept++] = sheet->rows[i];
    sheet->count = kept;
    for (size_t i = kept; i-- > 0;)
        if (sheet->rows[i].status == TAMIS_OK && (!sheet->best || !sheet->best->recommended))
            sheet->best = &sheet->rows[i];
    for (size_t i = 0; i < kept; i++)
        if (sheet->rows[i].recommended) sheet->best = &sheet->rows[i];
}

static int plan_all(const cli_settings *s, cli_plan_sheet *sheet)
{
    memset(sheet, 0, sizeof *sheet);
    sheet->settings = s;
    if (cli_read_spec(s, &sheet->spec) != CLI_YES) return CLI_ERROR;
    sheet->spec.growth = TAMIS_GROWTH_FIXED; /* rows are kinds, of which one grows */
    sheet->spec.needs = plan_needs(s);
    sheet->count = tamis_plan_all(&sheet->spec, sheet->rows, CLI_PLAN_ROWS);
    if (sheet->count > CLI_PLAN_ROWS) sheet->count = CLI_PLAN_ROWS;
    plan_choose(s, sheet);
    if (sheet->best) return CLI_YES;
    if (!s->kind) sheet->spec.kind = TAMIS_KIND_ANY;
    tamis_plan(&sheet->spec, &sheet->rows[0]); /* for its sentence, which notes may cut */
    return cli_complain("no kind serves: %s", tamis_explain());
}

/* ---- drawings ----------------------------------------------------------- */

static int plan_draw(const cli_settings *s, const cli_plan_sheet *sheet)
{
    static cli_chart charts[2];
    char title[CLI_PLAN_NEED + 40], need[CLI_PLAN_NEED];
    if (tamis_kind_abilities(sheet->best->kind) & TAMIS_IS_EXACT)
        return cli_complain("an exact kind has no rate to draw: leave --plot and --svg out");
    cli_chart_of_rates(&sheet->spec, sheet->best, &charts[0]);
    cli_chart_of_sizes(&sheet->spec, sheet->best, &charts[1]);
    for (size_t i = 0; i < 2 && s->plot; i++) {
        cli_paper_text("\n");
        cli_plot(&charts[i], cli_paper_columns());
    }
    if (!s->svg) return CLI_YES;
    cli_plan_need(sheet, need);
    snprintf(title, sizeof title, "What a filter costs: %s", need);
    char subtitle[160], size[CLI_SHOWN], rate[CLI_SHOWN];
    cli_show_bytes(sheet->best->bytes, size, sizeof size);
    cli_show_percent(sheet->best->fpr, 3, rate);
    snprintf(subtitle, sizeof subtitle,
             "%s: %s, %.3g bits a key, a true rate of %s, %u read%s a query",
             tamis_kind_name(sheet->best->kind), size, sheet->best->bits_per_key, rate,
             (unsigned)sheet->best->reads, sheet->best->reads == 1 ? "" : "s");
    return cli_svg_save(s, s->svg, title, subtitle, charts, 2);
}

/* What there is not, said plainly. */
static void plan_remark_static(void)
{
    cli_remark("a kind for sets that never change (fuse, ribbon) is not built yet: it would take "
               "some 5 to 15 %% above log2(1/rate) bits a key; of those there are, classic is the "
               "smallest at usual rates, cuckoo below 0.3 %%, blocked the fastest");
}

/* ---- the command -------------------------------------------------------- */

static int plan_run(const cli_settings *settings, char *const *arguments, size_t count)
{
    static cli_plan_sheet sheet;
    (void)arguments;
    (void)count;
    int failed = plan_check(settings);
    if (!failed) failed = plan_all(settings, &sheet);
    if (failed) return failed;
    bool only_svg = settings->svg && strcmp(settings->svg, "-") == 0;
    if (settings->unchanging) plan_remark_static();
    if (settings->json)
        cli_plan_json(&sheet);
    else if (!only_svg)
        cli_plan_show(&sheet);
    return settings->plot || settings->svg ? plan_draw(settings, &sheet) : CLI_YES;
}
