/* cmd_info.c - tamis info: what a filter is, from its own bits.             */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "number.h"
#include "paper.h"
#include "show.h"
#include "utf8.h"

static int info_run(const cli_settings *settings, char *const *files, size_t count);

static const char *const info_flags[] = {"secret-file", "no-map", "json", NULL};

static const char *const info_examples[] = {
    "what is in this file?",
    "tamis info ids.tamis",
    "the rate now, for a script",
    "tamis info --json ids.tamis | jq '.[0].fpr_now'",
    NULL,
};

const cli_command cli_info = {
    .name = "info",
    .arguments = "FILTER...",
    .summary = "what a filter is: kind, size, keys, fill, rate now",
    .description =
        "Prints what each filter is and how full it is. Keys, fill and rate are measured from the "
        "bits themselves: the number of distinct keys is an estimate, with the interval in which "
        "it lies 19 times in 20. Only \"added\" is bookkeeping; it counts repeated keys too.\n\n"
        "Compressed filters are recognised; - is standard input. tamis doctor says whether "
        "something is wrong with a filter.",
    .memory = "Files are mapped: next to nothing. Compressed ones and pipes: the size of the "
              "filter.",
    .flags = info_flags,
    .examples = info_examples,
    .run = info_run,
};

typedef struct info_ability {
    uint32_t bit;
    const char *word;
} info_ability;

static const info_ability info_abilities[] = {
    {TAMIS_CAN_ADD, "add"},
    {TAMIS_CAN_REMOVE, "remove"},
    {TAMIS_CAN_COUNT, "count"},
    {TAMIS_CAN_MERGE, "merge"},
    {TAMIS_CAN_INTERSECT, "intersect"},
    {TAMIS_CAN_FOLD, "fold"},
    {TAMIS_CAN_GROW, "grow"},
    {TAMIS_CAN_CONCURRENT, "concurrent"},
    {TAMIS_CAN_PARALLEL, "parallel"},
    {TAMIS_CAN_DIGESTS, "digests"},
    {TAMIS_IS_EXACT, "exact"},
};

enum { INFO_ABILITIES = sizeof info_abilities / sizeof info_abilities[0] };

/* What is known of one file. */
typedef struct info_sheet {
    const char *file;
    uint64_t file_bytes; /* 0: not a regular file */
    tamis_facts facts;
    const void *note;
    size_t note_bytes;
} info_sheet;

/* ---- for programs ------------------------------------------------------- */

static void info_json_abilities(const tamis_facts *f)
{
    uint32_t can = tamis_kind_abilities(f->kind);
    cli_json_begin_array("abilities");
    for (size_t i = 0; i < INFO_ABILITIES; i++)
        if (can & info_abilities[i].bit) cli_json_text(NULL, info_abilities[i].word);
    cli_json_end_array();
}

static void info_json_plan(const tamis_facts *f)
{
    cli_json_text("kind", f->kind_name);
    cli_json_text("inner_kind", f->inner_kind ? tamis_kind_name(f->inner_kind) : NULL);
    cli_json_whole("bits", f->bits);
    cli_json_whole("memory", f->memory);
    cli_json_whole("capacity", f->capacity);
    cli_json_real("bits_per_key", (double)f->bits / (double)f->capacity);
    cli_json_whole("hashes", f->hashes);
    cli_json_whole("lines_per_key", f->lines_per_key);
    cli_json_whole("layers", f->layers);
    cli_json_whole("fold", f->fold);
    cli_json_text("hash", f->hash_name);
    cli_json_whole("seed", f->seed);
    cli_json_truth("keyed", f->keyed);
    cli_json_truth("strict", (f->flags & TAMIS_STRICT) != 0);
    cli_json_truth("never_exceed", (f->flags & TAMIS_NEVER_EXCEED) != 0);
}

static void info_json_now(const tamis_facts *f)
{
    cli_json_whole("added", f->added);
    cli_json_truth("added_is_estimate", f->count_is_estimate);
    cli_json_real("keys", f->keys);
    cli_json_real("keys_low", f->keys_low);
    cli_json_real("keys_high", f->keys_high);
    cli_json_whole("ones", f->ones);
    cli_json_real("fill", f->fill);
    cli_json_real("fpr_asked", f->fpr_asked);
    cli_json_real("fpr_now", f->fpr_now);
    cli_json_real("fpr_at_capacity", f->fpr_at_capacity);
    cli_json_whole("damaged_bytes", f->damaged_bytes);
}

static void info_json(const info_sheet *sheet)
{
    cli_json_begin_object(NULL);
    cli_json_text("file", sheet->file);
    cli_json_whole("file_bytes", sheet->file_bytes);
    info_json_plan(&sheet->facts);
    info_json_now(&sheet->facts);
    info_json_abilities(&sheet->facts);
    cli_json_bytes("note", sheet->note_bytes ? sheet->note : "", sheet->note_bytes);
    cli_json_end_object();
}

/* ---- for people --------------------------------------------------------- */

static void info_line(const char *name, const char *text)
{
    cli_paper_print("  %-10s%s\n", name, text);
}

static void info_show_kind(const tamis_facts *f)
{
    char text[160];
    if (!f->inner_kind && (f->layers > 1 || f->hashes == 0))
        snprintf(text, sizeof text, "%s: %" PRIu32 " layer%s", f->kind_name, f->layers,
                 f->layers == 1 ? "" : "s");
    else if (f->inner_kind)
        snprintf(text, sizeof text, "%s: %" PRIu32 " layer%s of kind %s", f->kind_name, f->layers,
                 f->layers == 1 ? "" : "s", tamis_kind_name(f->inner_kind));
    else if (f->lines_per_key)
        snprintf(text, sizeof text, "%s: %" PRIu32 " bits a key in %s", f->kind_name, f->hashes,
                 f->lines_per_key == 1 ? "one cache line" : "two cache lines");
    else
        snprintf(text, sizeof text, "%s: %" PRIu32 " bits a key", f->kind_name, f->hashes);
    info_line("kind", text);
}

static void info_show_size(const info_sheet *sheet)
{
    char bits[CLI_SHOWN], body[CLI_SHOWN], file[CLI_SHOWN] = "", text[160];
    const tamis_facts *f = &sheet->facts;
    cli_show_whole(f->bits, bits);
    cli_show_bytes((f->bits + 7) / 8, body, sizeof body);
    if (sheet->file_bytes) cli_show_bytes(sheet->file_bytes, file, sizeof file);
    snprintf(text, sizeof text, "%s (%s bits)%s%s", body, bits, *file ? ", in a file of " : "",
             file);
    info_line("size", text);
}

static void info_show_keys(const tamis_facts *f)
{
    char added[CLI_SHOWN], keys[CLI_SHOWN], low[CLI_SHOWN], high[CLI_SHOWN], text[200];
    cli_show_whole(f->added, added);
    cli_show_estimate(f->keys, keys);
    cli_show_estimate(f->keys_low, low);
    cli_show_estimate(f->keys_high, high);
    snprintf(text, sizeof text, "about %s distinct (%s to %s), %s%s added", keys, low, high,
             f->count_is_estimate ? "about " : "", added);
    info_line("keys", text);
}

static void info_show_plan(const tamis_facts *f)
{
    char capacity[CLI_SHOWN], asked[CLI_SHOWN], text[160];
    cli_show_whole(f->capacity, capacity);
    cli_show_percent(f->fpr_asked, 4, asked);
    snprintf(text, sizeof text, "%s key%s at %s%s%s%s", capacity, cli_plural(f->capacity), asked,
             f->layers > 1 ? ", so far" : "", f->flags & TAMIS_STRICT ? ", strict" : "",
             f->flags & TAMIS_NEVER_EXCEED ? ", never exceeded" : "");
    info_line("planned", text);
}

static void info_show_rate(const tamis_facts *f)
{
    char now[CLI_SHOWN], later[CLI_SHOWN], text[200];
    cli_show_percent(f->fpr_now, 4, now);
    cli_show_percent(f->fpr_at_capacity, 4, later);
    snprintf(text, sizeof text, "%s now, %s when full; %.1f %% of the bits are set", now, later,
             100 * f->fill);
    info_line("rate", text);
}

static void info_show_hash(const tamis_facts *f)
{
    char text[160];
    snprintf(text, sizeof text, "%s, seed %" PRIu64 "%s", f->hash_name, f->seed,
             f->keyed ? ", under a secret" : "");
    info_line("hash", text);
}

static void info_show_abilities(const tamis_facts *f)
{
    char text[160] = "";
    size_t used = 0;
    uint32_t can = tamis_kind_abilities(f->kind);
    for (size_t i = 0; i < INFO_ABILITIES && used < sizeof text; i++)
        if (can & info_abilities[i].bit) {
            int more = snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                info_abilities[i].word);
            used += more > 0 ? (size_t)more : 0;
        }
    if (f->fold > 1 && used < sizeof text)
        snprintf(text + used, sizeof text - used, " (folds by up to %" PRIu64 ")", f->fold);
    info_line("can", text);
}

/* A note may hold anything; only text is shown. */
static void info_show_note(const info_sheet *sheet)
{
    char text[80];
    if (!sheet->note_bytes) return;
    snprintf(text, sizeof text, "%zu bytes that are no text", sheet->note_bytes);
    if (!cli_utf8_is_plain(sheet->note, sheet->note_bytes)) {
        info_line("note", text);
        return;
    }
    cli_paper_print("  %-10s", "note");
    cli_paper_write(sheet->note, sheet->note_bytes);
    cli_paper_text("\n");
}

/* A filter without a rate, a table of bits or a hash. */
static void info_show_exact(const info_sheet *sheet)
{
    char keys[CLI_SHOWN], memory[CLI_SHOWN], file[CLI_SHOWN] = "", text[160];
    const tamis_facts *f = &sheet->facts;
    cli_show_whole(f->added, keys);
    cli_show_bytes(f->memory, memory, sizeof memory);
    if (sheet->file_bytes) cli_show_bytes(sheet->file_bytes, file, sizeof file);
    snprintf(text, sizeof text, "%s: an exact set of 64-bit integers", f->kind_name);
    info_line("kind", text);
    snprintf(text, sizeof text, "%s in memory%s%s", memory, *file ? ", in a file of " : "", file);
    info_line("size", text);
    snprintf(text, sizeof text, "%s, exactly", keys);
    info_line("keys", text);
}

static void info_show_hashed(const info_sheet *sheet)
{
    info_show_kind(&sheet->facts);
    info_show_size(sheet);
    info_show_plan(&sheet->facts);
    info_show_keys(&sheet->facts);
    info_show_rate(&sheet->facts);
    info_show_hash(&sheet->facts);
}

static void info_show(const info_sheet *sheet)
{
    cli_paper_print("%s\n", sheet->file);
    if (sheet->facts.abilities & TAMIS_IS_EXACT)
        info_show_exact(sheet);
    else
        info_show_hashed(sheet);
    info_show_abilities(&sheet->facts);
    info_show_note(sheet);
}

/* ---- the command -------------------------------------------------------- */

static int info_one(const cli_settings *settings, const char *file)
{
    info_sheet sheet = {.file = file};
    tamis_filter *filter;
    struct stat on_disk;
    int failed = cli_open_filter(settings, file, TAMIS_OPEN_MAP, &filter);
    if (failed) return failed;
    if (stat(file, &on_disk) == 0 && S_ISREG(on_disk.st_mode))
        sheet.file_bytes = (uint64_t)on_disk.st_size;
    tamis_info(filter, &sheet.facts);
    sheet.note = tamis_metadata(filter, &sheet.note_bytes);
    if (settings->json)
        info_json(&sheet);
    else
        info_show(&sheet);
    tamis_free(filter);
    return CLI_YES;
}

static int info_run(const cli_settings *settings, char *const *files, size_t count)
{
    int worst = CLI_YES;
    if (settings->json) cli_json_begin_array(NULL);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !settings->json) cli_paper_text("\n");
        int status = info_one(settings, files[i]);
        cli_paper_flush(); /* before the next file's words on standard error */
        if (status > worst) worst = status;
    }
    if (settings->json) cli_json_end_array();
    return worst;
}
