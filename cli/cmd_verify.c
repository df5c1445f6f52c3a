/* cmd_verify.c - tamis verify: are the bytes those that were written? And with
 * --salvage: a copy of what is left of a damaged filter.                    */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "number.h"
#include "paper.h"
#include "show.h"
#include "words.h"

static int verify_run(const cli_settings *settings, char *const *files, size_t count);

static const char *const verify_flags[] = {"salvage",     "output", "force", "compress",
                                           "secret-file", "json",   "quiet", NULL};

static const char *const verify_examples[] = {
    "is the copy sound?",
    "tamis verify ids.tamis",
    "keep what is left of a damaged filter",
    "tamis verify --salvage -o rescued.tamis ids.tamis",
    NULL,
};

const cli_command cli_verify = {
    .name = "verify",
    .arguments = "FILTER...",
    .summary = "check every byte against its checksum; salvage what is left",
    .description =
        "Compares every chunk of each file with its checksum and says which are damaged. Nothing "
        "is changed.\n\n"
        "With --salvage and --output a copy is written whose lost parts answer \"maybe\": every "
        "key "
        "that was added is still found, and the rate of false positives rises with what was lost. "
        "The header must be sound, and of a filter above 16 MiB at least half must be left.",
    .memory = "Files are mapped: next to nothing. Compressed ones, and --salvage: the size of the "
              "filter.",
    .status =
        "0 all are sound (with --salvage: the copy is written), 1 one is damaged, 2 an error.",
    .flags = verify_flags,
    .examples = verify_examples,
    .run = verify_run,
};

/* What was found in one file. */
typedef struct verify_report {
    const char *file;
    bool sound;
    tamis_damage damage; /* chunks 0: the file could not be mapped */
    char sentence[512];  /* why it is not sound */
} verify_report;

/* ---- saying it ---------------------------------------------------------- */

static void verify_json(const verify_report *r)
{
    cli_json_begin_object(NULL);
    cli_json_text("file", r->file);
    cli_json_truth("sound", r->sound);
    cli_json_whole("chunks", r->damage.chunks);
    cli_json_whole("chunk_bytes", r->damage.chunk_bytes);
    cli_json_whole("damaged_chunks", r->damage.damaged);
    cli_json_whole("damaged_bytes", r->damage.damaged_bytes);
    cli_json_whole("first_offset", r->damage.first_offset);
    cli_json_text("sentence", r->sound ? NULL : r->sentence);
    cli_json_end_object();
}

static void verify_show(const verify_report *r)
{
    char bytes[CLI_SHOWN];
    cli_show_bytes(r->damage.damaged_bytes, bytes, sizeof bytes);
    if (!r->sound)
        cli_paper_print("%s: damaged, %s lost: %s\n", r->file, bytes, r->sentence);
    else if (r->damage.chunks)
        cli_paper_print("%s: sound, %" PRIu64 " chunk%s\n", r->file, r->damage.chunks,
                        r->damage.chunks == 1 ? "" : "s");
    else
        cli_paper_print("%s: sound\n", r->file);
}

/* ---- looking ------------------------------------------------------------ */

static void verify_keep_sentence(verify_report *r)
{
    r->sound = false;
    snprintf(r->sentence, sizeof r->sentence, "%s", tamis_explain());
}

/* What cannot be opened as it is may be a filter that lost its end, or a
 * compressed one with damage inside; what cannot be salvaged is none. */
static int verify_rest(const cli_settings *settings, verify_report *r)
{
    tamis_filter *filter;
    tamis_facts facts;
    int failed;
    verify_keep_sentence(r);
    tamis_status status = cli_try_filter(settings, r->file, TAMIS_OPEN_SALVAGE, &failed, &filter);
    if (failed) return failed;
    if (status != TAMIS_OK) return cli_complain_about(r->file, r->sentence);
    tamis_info(filter, &facts);
    r->damage.damaged_bytes = facts.damaged_bytes;
    tamis_free(filter);
    return CLI_NO;
}

static int verify_look(const cli_settings *settings, verify_report *r)
{
    tamis_filter *filter;
    int failed;
    tamis_status status = cli_try_filter(settings, r->file, TAMIS_OPEN_MAP, &failed, &filter);
    if (failed) return failed;
    if (status != TAMIS_OK) return verify_rest(settings, r);
    r->sound = tamis_verify(filter, &r->damage) == TAMIS_OK;
    if (!r->sound) verify_keep_sentence(r);
    tamis_free(filter);
    return r->sound ? CLI_YES : CLI_NO;
}

static int verify_one(const cli_settings *settings, const char *file)
{
    verify_report report = {.file = file};
    int status = verify_look(settings, &report);
    if (status == CLI_ERROR) return status;
    if (settings->json)
        verify_json(&report);
    else if (!settings->quiet)
        verify_show(&report);
    return status;
}

/* ---- salvaging ---------------------------------------------------------- */

static void verify_say_salvaged(const cli_settings *settings, const tamis_facts *f)
{
    char lost[CLI_SHOWN], now[CLI_SHOWN], planned[CLI_SHOWN];
    cli_show_bytes(f->damaged_bytes, lost, sizeof lost);
    cli_show_percent(f->fpr_now, 3, now);
    cli_show_percent(f->fpr_asked, 3, planned);
    if (f->damaged_bytes == 0)
        cli_remark("nothing was damaged; %s is a sound copy", settings->output);
    else
        cli_remark("%s was lost and now says \"maybe\": the rate of %s is %s, and %s was planned; "
                   "rebuild it from its keys when you can",
                   lost, settings->output, now, planned);
}

static void verify_json_salvaged(const char *file, const char *output, const tamis_facts *f)
{
    cli_json_begin_object(NULL);
    cli_json_text("file", file);
    cli_json_text("output", output);
    cli_json_whole("damaged_bytes", f->damaged_bytes);
    cli_json_real("keys", f->keys);
    cli_json_real("fpr_asked", f->fpr_asked);
    cli_json_real("fpr_now", f->fpr_now);
    cli_json_end_object();
}

static int verify_salvage(const cli_settings *settings, const char *file)
{
    tamis_filter *filter;
    tamis_facts facts;
    int failed = cli_check_output(settings, settings->output);
    if (!failed) failed = cli_open_filter(settings, file, TAMIS_OPEN_SALVAGE, &filter);
    if (failed) return failed;
    tamis_info(filter, &facts);
    failed = cli_save_filter(settings, filter, settings->output);
    if (!failed && settings->json) verify_json_salvaged(file, settings->output, &facts);
    if (!failed) verify_say_salvaged(settings, &facts);
    tamis_free(filter);
    return failed;
}

/* ---- the command -------------------------------------------------------- */

static int verify_run(const cli_settings *settings, char *const *files, size_t count)
{
    int worst = CLI_YES;
    if (settings->output && !settings->salvage)
        return cli_complain("--output goes with --salvage: verify alone writes nothing");
    if (settings->salvage && count != 1)
        return cli_complain("--salvage takes one filter at a time, not %zu", count);
    if (settings->salvage) return verify_salvage(settings, files[0]);
    if (settings->json) cli_json_begin_array(NULL);
    for (size_t i = 0; i < count; i++) {
        int status = verify_one(settings, files[i]);
        cli_paper_flush(); /* before the next file's words on standard error */
        if (status > worst) worst = status;
    }
    if (settings->json) cli_json_end_array();
    return worst;
}
