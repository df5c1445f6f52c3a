/* cmd_info.c - tamis info: what a filter is, from its own bits.             */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "abilities.h"
#include "commands.h"
#include "filter_files.h"
#include "info_parts.h"
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
        "Of a filter that is made of others each layer, side or generation has its line, the "
        "oldest first, and shards have one together. The time of a window is shown as the "
        "milliseconds since 1970 that this tool writes.\n\n"
        "Compressed filters are recognised; - is standard input. tamis doctor says whether "
        "something is wrong with a filter.",
    .memory = "Files are mapped: next to nothing. Compressed ones and pipes: the size of the "
              "filter.",
    .flags = info_flags,
    .examples = info_examples,
    .run = info_run,
};

/* What is known of one file. */
typedef struct info_sheet {
    const char *file;
    const tamis_filter *filter;
    uint64_t file_bytes; /* 0: not a regular file */
    tamis_facts facts;
    const void *note;
    size_t note_bytes;
} info_sheet;

/* ---- for programs ------------------------------------------------------- */

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
    cli_json_whole("fingerprint_bits", f->fingerprint_bits);
    cli_json_whole("bucket_keys", f->bucket_keys);
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
    cli_json_real("fullest", f->fullest);
    cli_json_real("fpr_asked", f->fpr_asked);
    cli_json_real("fpr_now", f->fpr_now);
    cli_json_real("fnr_now", f->fnr_now);
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
    cli_json_abilities("abilities", tamis_abilities_of_clone(sheet->filter));
    cli_info_parts_json(sheet->filter);
    cli_json_bytes("note", sheet->note_bytes ? sheet->note : "", sheet->note_bytes);
    cli_json_end_object();
}

/* ---- for people --------------------------------------------------------- */

/* How a key lies in it. */
static void info_place(const tamis_facts *f, char *out, size_t room)
{
    const char *lines = f->lines_per_key == 1   ? " in one cache line"
                        : f->lines_per_key == 2 ? " in two cache lines"
                                                : "";
    if (f->fingerprint_bits)
        snprintf(out, room, "fingerprints of %" PRIu32 " bits, %" PRIu32 " in a bucket",
                 f->fingerprint_bits, f->bucket_keys);
    else if (tamis_kind_abilities(f->kind) & TAMIS_IS_BOUNDED)
        snprintf(out, room, "a counted remainder a key");
    else
        snprintf(out, room, "%" PRIu32 " %s a key%s", f->hashes,
                 f->kind == TAMIS_KIND_COUNTING ? "counters" : "bits", lines);
}

static void info_show_kind(const info_sheet *sheet)
{
    const tamis_facts *f = &sheet->facts;
    char place[100], text[160];
    if (f->inner_kind || f->layers > 1 || f->hashes == 0)
        cli_info_parts_words(sheet->filter, f, place, sizeof place);
    else
        info_place(f, place, sizeof place);
    snprintf(text, sizeof text, "%s: %s", f->kind_name, place);
    cli_info_line("kind", text);
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
    cli_info_line("size", text);
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
    cli_info_line("keys", text);
}

static void info_show_plan(const tamis_facts *f)
{
    char capacity[CLI_SHOWN], asked[CLI_SHOWN], text[160];
    const bool grows = (tamis_kind_abilities(f->kind) & TAMIS_CAN_GROW) != 0;
    cli_show_whole(f->capacity, capacity);
    cli_show_percent(f->fpr_asked, 4, asked);
    snprintf(text, sizeof text, "%s key%s at %s%s%s%s", capacity, cli_plural(f->capacity), asked,
             f->layers > 1 && grows ? ", so far" : "", f->flags & TAMIS_STRICT ? ", strict" : "",
             f->flags & TAMIS_NEVER_EXCEED ? ", never exceeded" : "");
    cli_info_line("planned", text);
}

/* How full it is, in what it consists of. */
static void info_fill(const tamis_facts *f, char *out, size_t room)
{
    const uint32_t kind = f->inner_kind ? f->inner_kind : f->kind;
    const uint32_t can = tamis_kind_abilities(kind);
    const char *of = kind == TAMIS_KIND_COUNTING                   ? "of the counters are in use"
                     : can & (TAMIS_IS_BOUNDED | TAMIS_CAN_REMOVE) ? "of the places are taken"
                                                                   : "of the bits are set";
    const int used = snprintf(out, room, "%.1f %% %s", 100 * f->fill, of);
    if (f->fullest > 0 && used > 0)
        snprintf(out + used, room - (size_t)used, ", %.1f %% in the fullest part",
                 100 * f->fullest);
}

static void info_show_rate(const tamis_facts *f)
{
    char now[CLI_SHOWN], later[CLI_SHOWN], fill[100], text[200];
    cli_show_percent(f->fpr_now, 4, now);
    cli_show_percent(f->fpr_at_capacity, 4, later);
    info_fill(f, fill, sizeof fill);
    snprintf(text, sizeof text, "%s now, %s when full; %s", now, later, fill);
    cli_info_line("rate", text);
    if (!(f->fnr_now > 0)) return;
    cli_show_percent(f->fnr_now, 3, now);
    snprintf(text, sizeof text, "%s of the keys that were added get \"no\": they look removed",
             now);
    cli_info_line("losses", text);
}

static void info_show_hash(const tamis_facts *f)
{
    char text[160];
    snprintf(text, sizeof text, "%s, seed %" PRIu64 "%s", f->hash_name, f->seed,
             f->keyed ? ", under a secret" : "");
    cli_info_line("hash", text);
}

static void info_show_abilities(const info_sheet *sheet)
{
    const tamis_facts *f = &sheet->facts;
    char words[120], text[160], fold[CLI_SHOWN] = "";
    cli_ability_list(tamis_abilities_of_clone(sheet->filter), words, sizeof words);
    if (f->fold > 1) snprintf(fold, sizeof fold, " (folds by up to %" PRIu64 ")", f->fold);
    snprintf(text, sizeof text, "%.110s%s", words, fold);
    cli_info_line("can", text);
}

/* A note may hold anything; only text is shown. */
static void info_show_note(const info_sheet *sheet)
{
    char text[80];
    if (!sheet->note_bytes) return;
    snprintf(text, sizeof text, "%zu bytes that are no text", sheet->note_bytes);
    if (!cli_utf8_is_plain(sheet->note, sheet->note_bytes)) {
        cli_info_line("note", text);
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
    cli_info_line("kind", text);
    snprintf(text, sizeof text, "%s in memory%s%s", memory, *file ? ", in a file of " : "", file);
    cli_info_line("size", text);
    snprintf(text, sizeof text, "%s, exactly", keys);
    cli_info_line("keys", text);
}

static void info_show_hashed(const info_sheet *sheet)
{
    info_show_kind(sheet);
    info_show_size(sheet);
    info_show_plan(&sheet->facts);
    info_show_keys(&sheet->facts);
    info_show_rate(&sheet->facts);
    cli_info_parts_show(sheet->filter, &sheet->facts);
    info_show_hash(&sheet->facts);
}

static void info_show(const info_sheet *sheet)
{
    cli_paper_print("%s\n", sheet->file);
    if (sheet->facts.abilities & TAMIS_IS_EXACT)
        info_show_exact(sheet);
    else
        info_show_hashed(sheet);
    info_show_abilities(sheet);
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
    sheet.filter = filter;
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
