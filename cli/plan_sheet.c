/* plan_sheet.c - see plan_sheet.h.                                          */
#include "plan_sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "abilities.h"
#include "json.h"
#include "paper.h"
#include "show.h"

/* ---- for programs ------------------------------------------------------- */

static const char *sheet_status_word(tamis_status status)
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

static void sheet_json_numbers(const tamis_sizing *r)
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
    cli_json_whole("fingerprint_bits", r->fingerprint_bits);
    cli_json_whole("bucket_keys", r->bucket_keys);
    cli_json_real("refusal", r->refusal);
    cli_json_text("inner", r->inner ? tamis_kind_name(r->inner) : NULL);
    cli_json_abilities("can", r->abilities);
}

/* The same keys in every row: a kind that does not serve has no numbers. */
static void sheet_json_no_numbers(void)
{
    static const char *const keys[] = {"capacity",
                                       "bits",
                                       "bytes",
                                       "bits_per_key",
                                       "hashes",
                                       "fpr",
                                       "fpr_asked",
                                       "fpr_floor",
                                       "overhead",
                                       "reads",
                                       "lines_per_key",
                                       "fold",
                                       "fingerprint_bits",
                                       "bucket_keys",
                                       "refusal",
                                       "inner",
                                       "can"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) cli_json_none(keys[i]);
}

static void sheet_json_row(const tamis_sizing *r)
{
    cli_json_begin_object(NULL);
    cli_json_text("kind", tamis_kind_name(r->kind));
    cli_json_text("status", sheet_status_word(r->status));
    cli_json_truth("recommended", r->recommended);
    if (r->status == TAMIS_OK)
        sheet_json_numbers(r);
    else
        sheet_json_no_numbers();
    cli_json_text("note", r->note);
    cli_json_end_object();
}

void cli_plan_json(const cli_plan_sheet *sheet)
{
    cli_json_begin_array(NULL);
    for (size_t i = 0; i < sheet->count; i++) sheet_json_row(&sheet->rows[i]);
    cli_json_end_array();
}

/* ---- what was asked for ------------------------------------------------- */

static void sheet_need_keys(const cli_plan_sheet *sheet, char out[CLI_PLAN_NEED])
{
    char keys[CLI_SHOWN], time[CLI_SHOWN];
    const cli_window *window = &sheet->settings->window;
    cli_show_whole(sheet->spec.capacity, keys);
    cli_show_time(window->milliseconds, time, sizeof time);
    if (!sheet->spec.capacity)
        snprintf(out, CLI_PLAN_NEED,
                 sheet->spec.memory ? "as many keys as fit" : "any number of keys");
    else
        snprintf(out, CLI_PLAN_NEED, "%s%s key%s", window->keys ? "the last " : "", keys,
                 cli_plural(sheet->spec.capacity));
    if (!window->milliseconds) return;
    const size_t used = strlen(out);
    snprintf(out + used, CLI_PLAN_NEED - used, " within %s", time);
}

/* ", with deletes and counts" */
static void sheet_need_abilities(const cli_settings *s, char *out, size_t room)
{
    const struct {
        bool wanted;
        const char *words;
    } all[] = {{s->deletes, "deletes"},
               {s->counts, "counts"},
               {s->grows, "growth"},
               {s->merges, "merging"}};
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!all[i].wanted) continue;
        used += (size_t)snprintf(out + used, room - used, "%s%s", used ? " and " : ", with ",
                                 all[i].words);
    }
}

void cli_plan_need(const cli_plan_sheet *sheet, char out[CLI_PLAN_NEED])
{
    char keys[CLI_PLAN_NEED], rate[CLI_SHOWN] = "", memory[CLI_SHOWN] = "", abilities[80];
    const tamis_spec *spec = &sheet->spec;
    sheet_need_keys(sheet, keys);
    sheet_need_abilities(sheet->settings, abilities, sizeof abilities);
    if (spec->fpr > 0) cli_show_percent(spec->fpr, 4, rate);
    if (spec->memory) cli_show_bytes(spec->memory, memory, sizeof memory);
    snprintf(out, CLI_PLAN_NEED, "%.120s%s%s%s%s%s%s", keys, *rate ? " at " : "", rate,
             *memory ? (*rate && spec->capacity ? ", in at most " : " in ") : "", memory,
             spec->needs & TAMIS_IS_EXACT       ? ", exactly"
             : spec->flags & TAMIS_NEVER_EXCEED ? ", the rate never exceeded"
                                                : "",
             abilities);
}

/* ---- for people --------------------------------------------------------- */

static const struct {
    uint32_t bit;
    char letter;
} sheet_letters[] = {{TAMIS_CAN_REMOVE, 'r'}, {TAMIS_CAN_COUNT, 'c'},  {TAMIS_CAN_GROW, 'g'},
                     {TAMIS_CAN_MERGE, 'm'},  {TAMIS_CAN_FORGET, 'f'}, {TAMIS_IS_EXACT, 'x'}};

enum { SHEET_LETTERS = sizeof sheet_letters / sizeof sheet_letters[0] };

static void sheet_show_letters(uint32_t abilities, char out[SHEET_LETTERS + 1])
{
    size_t used = 0;
    for (size_t i = 0; i < SHEET_LETTERS; i++)
        if (abilities & sheet_letters[i].bit) out[used++] = sheet_letters[i].letter;
    if (used == 0) out[used++] = '-';
    out[used] = '\0';
}

static void sheet_show_row(const tamis_sizing *r, bool keys_wanted)
{
    char bits[CLI_SHOWN], size[CLI_SHOWN], rate[CLI_SHOWN], keys[CLI_SHOWN] = "";
    char can[SHEET_LETTERS + 1];
    const char *bold = r->recommended && cli_paper_has_colour() ? "\033[1m" : "";
    if (r->status != TAMIS_OK) {
        cli_paper_print("  %-9s does not serve: %s\n", tamis_kind_name(r->kind), r->note);
        return;
    }
    cli_show_whole(r->bits, bits);
    cli_show_bytes(r->bytes, size, sizeof size);
    cli_show_percent(r->fpr, 5, rate);
    sheet_show_letters(r->abilities, can);
    if (keys_wanted) cli_show_whole(r->capacity, keys);
    cli_paper_print("%s%c %-9s%8.3f %15s %11s %6" PRIu32 " %5" PRIu32 " %11s  %-*s%s%s\n", bold,
                    r->recommended ? '*' : ' ', tamis_kind_name(r->kind), r->bits_per_key, bits,
                    size, r->hashes, r->reads, rate, keys_wanted ? 6 : 0, can, keys,
                    *bold ? "\033[0m" : "");
}

static void sheet_show_notes(const cli_plan_sheet *sheet)
{
    cli_paper_text("\n  can: r remove keys, c count them, g grow, m merge, f forget old keys, "
                   "x exact\n");
    for (size_t i = 0; i < sheet->count; i++) {
        const tamis_sizing *r = &sheet->rows[i];
        if (r->status == TAMIS_OK && r->note[0])
            cli_paper_print("  %s: %s\n", tamis_kind_name(r->kind), r->note);
    }
}

/* A count as one would type it, exactly. */
static void sheet_typed(uint64_t count, char out[CLI_SHOWN])
{
    static const char units[] = " kMGT";
    size_t unit = 0;
    while (count > 0 && count % 1000 == 0 && units[unit + 1]) {
        count /= 1000;
        unit++;
    }
    snprintf(out, CLI_SHOWN, unit ? "%" PRIu64 "%c" : "%" PRIu64, count, units[unit]);
}

/* " --window 1h -n 1M": how many keys. What grows begins where build lets it. */
static void sheet_show_size(const cli_plan_sheet *sheet, char *out, size_t room)
{
    const cli_window *window = &sheet->settings->window;
    char keys[CLI_SHOWN], time[CLI_SHOWN];
    sheet_typed(sheet->best->capacity, keys);
    cli_type_time(window->milliseconds, time, sizeof time);
    if (window->keys)
        snprintf(out, room, " --window %s", keys);
    else if (window->milliseconds)
        snprintf(out, room, " --window %s -n %s", time, keys);
    else if (sheet->spec.capacity || sheet->spec.memory)
        snprintf(out, room, " -n %s", keys);
    else
        out[0] = '\0';
}

/* The command that builds the best. */
static void sheet_show_advice(const cli_plan_sheet *sheet)
{
    const tamis_sizing *best = sheet->best;
    const char *kind = tamis_kind_name(best->kind);
    char inner[40] = "", size[3 * CLI_SHOWN];
    if (!best->recommended) return;
    if (best->abilities & TAMIS_IS_EXACT) {
        cli_paper_print("\n* take %s: tamis build -k %s --u64 -o FILE KEYS\n", kind, kind);
        return;
    }
    if (best->inner) snprintf(inner, sizeof inner, " --inner %s", tamis_kind_name(best->inner));
    sheet_show_size(sheet, size, sizeof size);
    cli_paper_print("\n* take %s: tamis build -k %s%s%s -p %.4g%% -o FILE KEYS\n", kind, kind,
                    inner, size, 100 * (sheet->spec.fpr > 0 ? sheet->spec.fpr : best->fpr));
}

void cli_plan_show(const cli_plan_sheet *sheet)
{
    char need[CLI_PLAN_NEED];
    bool keys_wanted = sheet->spec.capacity == 0;
    cli_plan_need(sheet, need);
    cli_paper_print("%s\n\n", need);
    cli_paper_print("  %-9s%8s %15s %11s %6s %5s %11s  %-*s%s\n", "kind", "bits/key", "bits",
                    "size", "hashes", "reads", "true rate", keys_wanted ? 6 : 0, "can",
                    keys_wanted ? "keys" : "");
    for (size_t i = 0; i < sheet->count; i++) sheet_show_row(&sheet->rows[i], keys_wanted);
    sheet_show_notes(sheet);
    sheet_show_advice(sheet);
}
