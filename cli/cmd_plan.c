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
#include "plot.h"
#include "show.h"
#include "svg.h"
#include "words.h"

static int plan_run(const cli_settings *settings, char *const *arguments, size_t count);

static const char *const plan_flags[] = {
    "capacity",  "rate",       "memory", "never-exceed", "kind", "lines-per-key", "fold", "hash",
    "expansion", "tightening", "exact",  "plot",         "svg",  "force",         "json", NULL};

static const char *const plan_examples[] = {
    "two hundred million keys at one per cent",
    "tamis plan -n 200M -p 1%",
    "how many keys fit into 64 MiB at one in a thousand?",
    "tamis plan -m 64M -p 1/1000",
    "which rate do a billion keys have in 1 GiB?",
    "tamis plan -n 1e9 -m 1G",
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
        "--capacity is enough.\n\n"
        "bits/key is what a key costs, hashes how many bits it sets, reads how many cache lines a "
        "query touches that says \"maybe\".",
    .memory = "Next to none: nothing is built.",
    .flags = plan_flags,
    .examples = plan_examples,
    .run = plan_run,
};

enum { PLAN_ROWS = 16 };

typedef struct plan_sheet {
    tamis_spec spec;
    tamis_sizing rows[PLAN_ROWS];
    size_t count;
    const tamis_sizing *best; /* recommended, or the first that serves */
} plan_sheet;

/* ---- planning ----------------------------------------------------------- */

/* An exact kind has no rate, and is not planned unless asked for. */
static bool plan_is_exact(const cli_settings *s)
{
    uint32_t kind = s->kind ? tamis_kind_id(s->kind) : 0;
    return s->exact || tamis_kind_abilities(kind) & TAMIS_IS_EXACT;
}

static int plan_check(const cli_settings *s)
{
    int known = (s->capacity > 0) + (s->fpr > 0) + (s->memory > 0) + plan_is_exact(s);
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

static void plan_spec(const cli_settings *s, tamis_spec *spec)
{
    memset(spec, 0, sizeof *spec);
    spec->capacity = s->capacity;
    spec->fpr = s->fpr;
    spec->memory = s->memory;
    spec->flags = s->never_exceed ? TAMIS_NEVER_EXCEED : 0;
    spec->lines_per_key = (uint32_t)s->lines_per_key;
    spec->fold = s->fold;
    spec->expansion = s->expansion;
    spec->tightening = s->tightening;
    spec->needs = plan_is_exact(s) ? TAMIS_IS_EXACT : 0;
    if (s->hash) spec->hash = tamis_hash_id(s->hash);
}

/* Keeps the kind that was asked for, and finds the row to speak of. */
static void plan_choose(const cli_settings *s, plan_sheet *sheet)
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

static int plan_all(const cli_settings *s, plan_sheet *sheet)
{
    memset(sheet, 0, sizeof *sheet);
    plan_spec(s, &sheet->spec);
    sheet->count = tamis_plan_all(&sheet->spec, sheet->rows, PLAN_ROWS);
    if (sheet->count > PLAN_ROWS) sheet->count = PLAN_ROWS;
    plan_choose(s, sheet);
    if (sheet->best) return CLI_YES;
    tamis_plan(&sheet->spec, &sheet->rows[0]); /* for its sentence, which notes may cut */
    return cli_complain("no kind serves: %s", tamis_explain());
}

/* ---- for programs ------------------------------------------------------- */

static const char *plan_status_word(tamis_status status)
{
    switch (status) {
    case TAMIS_OK: return "ok";
    case TAMIS_E_LIMIT: return "limit";
    case TAMIS_E_UNREACHABLE: return "unreachable";
    case TAMIS_E_UNSUPPORTED: return "unsupported";
    case TAMIS_E_UNAVAILABLE: return "unavailable";
    default: return "unfit";
    }
}

static void plan_json_numbers(const tamis_sizing *r)
{
    cli_json_whole("capacity", r->capacity);
    cli_json_whole("bits", r->bits);
    cli_json_whole("bytes", r->bytes);
    cli_json_real("bits_per_key", r->bits_per_key);
    cli_json_whole("hashes", r->hashes);
    cli_json_real("fpr", r->fpr);
    cli_json_real("fpr_asked", r->fpr_asked);
    cli_json_real("fpr_floor", r->fpr_floor);
    cli_json_real("overhead", r->overhead);
    cli_json_whole("reads", r->reads);
    cli_json_whole("lines_per_key", r->lines_per_key);
    cli_json_whole("fold", r->fold);
}

/* The same keys in every row: a kind that does not serve has no numbers. */
static void plan_json_no_numbers(void)
{
    static const char *const keys[] = {"capacity", "bits",  "bytes",         "bits_per_key",
                                       "hashes",   "fpr",   "fpr_asked",     "fpr_floor",
                                       "overhead", "reads", "lines_per_key", "fold"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) cli_json_none(keys[i]);
}

static void plan_json_row(const tamis_sizing *r)
{
    cli_json_begin_object(NULL);
    cli_json_text("kind", tamis_kind_name(r->kind));
    cli_json_text("status", plan_status_word(r->status));
    cli_json_truth("recommended", r->recommended);
    if (r->status == TAMIS_OK)
        plan_json_numbers(r);
    else
        plan_json_no_numbers();
    cli_json_text("note", r->note);
    cli_json_end_object();
}

static void plan_json(const plan_sheet *sheet)
{
    cli_json_begin_array(NULL);
    for (size_t i = 0; i < sheet->count; i++) plan_json_row(&sheet->rows[i]);
    cli_json_end_array();
}

/* ---- for people --------------------------------------------------------- */

/* "200,000,000 keys at 1 % in at most 64.0 MiB", of what was given. */
static void plan_need(const tamis_spec *spec, char *out, size_t room)
{
    char keys[CLI_SHOWN] = "", rate[CLI_SHOWN] = "", memory[CLI_SHOWN] = "";
    if (spec->capacity) cli_show_whole(spec->capacity, keys);
    if (spec->fpr > 0) cli_show_percent(spec->fpr, 4, rate);
    if (spec->memory) cli_show_bytes(spec->memory, memory, sizeof memory);
    snprintf(out, room, "%s%s%s%s%s%s%s", spec->capacity ? keys : "as many keys as fit",
             spec->capacity ? " keys" : "", *rate ? " at " : "", rate,
             *memory ? (*rate && spec->capacity ? ", in at most " : " in ") : "", memory,
             spec->needs & TAMIS_IS_EXACT       ? ", exactly"
             : spec->flags & TAMIS_NEVER_EXCEED ? ", the rate never exceeded"
                                                : "");
}

static void plan_show_row(const tamis_sizing *r, bool keys_wanted)
{
    char bits[CLI_SHOWN], size[CLI_SHOWN], rate[CLI_SHOWN], keys[CLI_SHOWN] = "";
    const char *bold = r->recommended && cli_paper_has_colour() ? "\033[1m" : "";
    if (r->status != TAMIS_OK) {
        cli_paper_print("  %-9s does not serve: %s\n", tamis_kind_name(r->kind), r->note);
        return;
    }
    cli_show_whole(r->bits, bits);
    cli_show_bytes(r->bytes, size, sizeof size);
    cli_show_percent(r->fpr, 5, rate);
    if (keys_wanted) cli_show_whole(r->capacity, keys);
    cli_paper_print("%s%c %-9s%9.3f %16s %11s %7" PRIu32 " %6" PRIu32 " %12s%s%s%s\n", bold,
                    r->recommended ? '*' : ' ', tamis_kind_name(r->kind), r->bits_per_key, bits,
                    size, r->hashes, r->reads, rate, keys_wanted ? "  " : "", keys,
                    *bold ? "\033[0m" : "");
}

/* What to know about the rows, and the command that builds the best. */
static void plan_show_notes(const plan_sheet *sheet)
{
    bool first = true;
    for (size_t i = 0; i < sheet->count; i++) {
        const tamis_sizing *r = &sheet->rows[i];
        if (r->status != TAMIS_OK || !r->note[0]) continue;
        cli_paper_print("%s  %s: %s\n", first ? "\n" : "", tamis_kind_name(r->kind), r->note);
        first = false;
    }
}

/* A count as one would type it, exactly. */
static void plan_typed(uint64_t count, char out[CLI_SHOWN])
{
    static const char units[] = " kMGT";
    size_t unit = 0;
    while (count > 0 && count % 1000 == 0 && units[unit + 1]) {
        count /= 1000;
        unit++;
    }
    snprintf(out, CLI_SHOWN, unit ? "%" PRIu64 "%c" : "%" PRIu64, count, units[unit]);
}

static void plan_show_advice(const plan_sheet *sheet)
{
    const tamis_sizing *best = sheet->best;
    const char *kind = tamis_kind_name(best->kind);
    char keys[CLI_SHOWN];
    if (!best->recommended) return;
    if (tamis_kind_abilities(best->kind) & TAMIS_IS_EXACT) {
        cli_paper_print("\n* take %s: tamis build -k %s --u64 -o FILE KEYS\n", kind, kind);
        return;
    }
    plan_typed(best->capacity, keys);
    cli_paper_print("\n* take %s: tamis build -k %s -n %s -p %.4g%% -o FILE KEYS\n", kind, kind,
                    keys, 100 * (sheet->spec.fpr > 0 ? sheet->spec.fpr : best->fpr));
}

static void plan_show(const plan_sheet *sheet)
{
    char need[200];
    bool keys_wanted = sheet->spec.capacity == 0;
    plan_need(&sheet->spec, need, sizeof need);
    cli_paper_print("%s\n\n", need);
    cli_paper_print("  %-9s%9s %16s %11s %7s %6s %12s%s\n", "kind", "bits/key", "bits", "size",
                    "hashes", "reads", "true rate", keys_wanted ? "  keys" : "");
    for (size_t i = 0; i < sheet->count; i++) plan_show_row(&sheet->rows[i], keys_wanted);
    plan_show_notes(sheet);
    plan_show_advice(sheet);
}

/* ---- drawings ----------------------------------------------------------- */

static int plan_draw(const cli_settings *s, const plan_sheet *sheet)
{
    static cli_chart charts[2];
    char title[240], need[200];
    if (tamis_kind_abilities(sheet->best->kind) & TAMIS_IS_EXACT)
        return cli_complain("an exact kind has no rate to draw: leave --plot and --svg out");
    cli_chart_of_rates(&sheet->spec, sheet->best, &charts[0]);
    cli_chart_of_sizes(&sheet->spec, sheet->best, &charts[1]);
    for (size_t i = 0; i < 2 && s->plot; i++) {
        cli_paper_text("\n");
        cli_plot(&charts[i], cli_paper_columns());
    }
    if (!s->svg) return CLI_YES;
    plan_need(&sheet->spec, need, sizeof need);
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

/* ---- the command -------------------------------------------------------- */

static int plan_run(const cli_settings *settings, char *const *arguments, size_t count)
{
    static plan_sheet sheet;
    (void)arguments;
    (void)count;
    int failed = plan_check(settings);
    if (!failed) failed = plan_all(settings, &sheet);
    if (failed) return failed;
    bool only_svg = settings->svg && strcmp(settings->svg, "-") == 0;
    if (settings->json)
        plan_json(&sheet);
    else if (!only_svg)
        plan_show(&sheet);
    return settings->plot || settings->svg ? plan_draw(settings, &sheet) : CLI_YES;
}
