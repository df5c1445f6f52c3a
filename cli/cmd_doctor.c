/* cmd_doctor.c - tamis doctor: what is wrong with a filter, why, and what to
 * try, in the library's sentences and with the command that would do it.    */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "doctor_rdb.h"
#include "filter_files.h"
#include "json.h"
#include "number.h"
#include "paper.h"
#include "show.h"

static int doctor_run(const cli_settings *settings, char *const *files, size_t count);

static const char *const doctor_flags[] = {"secret-file", "json", NULL};

static const char *const doctor_examples[] = {
    "is this filter still what it was planned to be?",
    "tamis doctor ids.tamis",
    "every night, for all of them",
    "tamis doctor --json /srv/filters/*.tamis > report.json || mail-the-team",
    NULL,
};

const cli_command cli_doctor = {
    .name = "doctor",
    .arguments = "FILTER...",
    .summary = "what is wrong with a filter, why, and what to try",
    .description =
        "Verifies every checksum, measures the filter from its bits, and says what it suspects: "
        "more keys than planned, a rate above its promise, keys that crowd in few places, memory "
        "that is wasted, parts that are lost. Each finding comes with its numbers and with what "
        "to try.\n\n"
        "A problem means that a promise is no longer kept, a warning that memory or speed is "
        "wasted; a note is only good to know. A damaged filter is examined as far as it is "
        "left.\n\n"
        "Of a dump of Redis (dump.rdb) it says which keys of modules the Tamis module does not "
        "load: count-min sketches, Top-K and t-digests need RedisBloom itself.",
    .memory = "Files are mapped: next to nothing. Compressed, truncated and piped ones: the size "
              "of the filter.",
    .status = "0 all are healthy, 1 one of them has a problem or a warning, 2 an error.",
    .flags = doctor_flags,
    .examples = doctor_examples,
    .run = doctor_run,
};

enum { DOCTOR_FINDINGS = 16, DOCTOR_WIDTH = 88 };

/* The words for a finding, and the command that would help: %s is the file, %k
 * a count of keys, %p the rate, %f the folding factor, %K the flags of its kind. */
static const struct {
    tamis_finding_code code;
    const char *word, *suspicion, *command;
} doctor_words[] = {
    {TAMIS_FINDING_HEALTHY, "healthy", "healthy", NULL},
    {TAMIS_FINDING_NEVER_FILLED, "never-filled", "it was never filled",
     "tamis build%K -n %k -p %p -o %s --force KEYS"},
    {TAMIS_FINDING_OVER_CAPACITY, "over-capacity", "more keys than planned",
     "tamis build%K -n %k -p %p -o %s --force KEYS"},
    {TAMIS_FINDING_SATURATED, "saturated", "nearly every answer is \"maybe\"",
     "tamis build --scale -p %p -o %s --force KEYS"},
    {TAMIS_FINDING_OVERSIZED, "oversized", "memory is wasted", "tamis fold --by %f -o SMALLER %s"},
    {TAMIS_FINDING_POOR_HASH, "poor-hash", "the keys crowd", NULL},
    {TAMIS_FINDING_NARROW_HASH, "narrow-hash", "the hash is too narrow",
     "tamis build -n %k -p %p -o %s --force KEYS"},
    {TAMIS_FINDING_REPEATS, "repeats", "most adds were repeats", NULL},
    {TAMIS_FINDING_DAMAGED, "damaged", "parts of the file are lost",
     "tamis verify --salvage -o SALVAGED %s"},
    {TAMIS_FINDING_MANY_LAYERS, "many-layers", "it has grown many layers",
     "tamis build -n %k -p %p -o %s --force KEYS"},
    {TAMIS_FINDING_STICKY, "sticky", "counters can no longer go down",
     "tamis build -k counting --counter-bits 8 -n %k -p %p -o %s --force KEYS"},
    {TAMIS_FINDING_NEARLY_FULL, "nearly-full", "there is next to no place left",
     "tamis build%K -n %k -p %p -o %s --force KEYS"},
    {TAMIS_FINDING_LOST_KEYS, "lost-keys", "keys that were added get \"no\"",
     "tamis build -k cuckoo -n %k -p %p -o %s --force KEYS"},
};

enum { DOCTOR_WORDS = sizeof doctor_words / sizeof doctor_words[0] };

static const char *const doctor_severities[] = {"note", "warning", "problem"};

/* One patient. */
typedef struct doctor_case {
    const char *file;
    tamis_facts facts;
    tamis_window window; /* its span is 0 where there is none */
    tamis_finding findings[DOCTOR_FINDINGS];
    size_t count;
    tamis_severity worst;
} doctor_case;

static size_t doctor_index(tamis_finding_code code)
{
    size_t i = 0;
    while (i + 1 < DOCTOR_WORDS && doctor_words[i].code != code) i++;
    return i;
}

/* ---- what to type ------------------------------------------------------- */

static uint64_t doctor_factor(const tamis_facts *f)
{
    uint64_t factor = 1;
    while (factor * 2 <= f->fold && f->keys_high * (double)(factor * 2) <= (double)f->capacity)
        factor *= 2;
    return factor;
}

/* Half as many keys again as there are, in two digits, so that there is room. */
static void doctor_keys(const doctor_case *c, char out[CLI_SHOWN])
{
    const tamis_facts *f = &c->facts;
    double keys = fmax(fmax(f->keys, (double)f->added), (double)f->capacity / 1.5) * 1.5;
    if (!isfinite(keys) || keys > 1e18) keys = 2 * (double)f->capacity;
    double unit = pow(10, floor(log10(fmax(keys, 10))) - 1);
    snprintf(out, CLI_SHOWN, "%.0f", ceil(keys / unit) * unit);
}

/* " -k cuckoo", for kinds that are not chosen by the rate alone. */
static void doctor_kind(const doctor_case *c, char out[CLI_SHOWN])
{
    const tamis_facts *f = &c->facts;
    char time[16];
    out[0] = '\0';
    cli_type_time(c->window.span, time, sizeof time);
    if (c->window.span)
        snprintf(out, CLI_SHOWN, " --window %s", time);
    else if (f->inner_kind)
        snprintf(out, CLI_SHOWN, " -k %.12s --inner %.12s", f->kind_name,
                 tamis_kind_name(f->inner_kind));
    else if (f->kind != TAMIS_KIND_CLASSIC && f->kind != TAMIS_KIND_BLOCKED)
        snprintf(out, CLI_SHOWN, " -k %.30s", f->kind_name);
}

static void doctor_value(const doctor_case *c, char what, char out[CLI_SHOWN])
{
    if (what == 'k')
        doctor_keys(c, out);
    else if (what == 'K')
        doctor_kind(c, out);
    else if (what == 'p')
        snprintf(out, CLI_SHOWN, "%.3g", c->facts.fpr_asked);
    else
        snprintf(out, CLI_SHOWN, "%" PRIu64, doctor_factor(&c->facts));
}

/* A file's name as a shell reads it back. */
static void doctor_quote(const char *name, char *out, size_t room)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789._/+:@%,=-";
    size_t used = 0;
    if (name[strspn(name, harmless)] == '\0') {
        snprintf(out, room, "%s", name);
        return;
    }
    out[used++] = '\'';
    for (; *name && used + 6 < room; name++) {
        int more = snprintf(out + used, room - used, *name == '\'' ? "'\\''" : "%c", *name);
        used += more > 0 ? (size_t)more : 0;
    }
    snprintf(out + used, room - used, "'");
}

/* The command with its values; empty when there is none that helps. */
static void doctor_command(const doctor_case *c, tamis_finding_code code, char *out, size_t room)
{
    const char *at = doctor_words[doctor_index(code)].command;
    char value[CLI_SHOWN], file[400];
    size_t used = 0;
    out[0] = '\0';
    doctor_quote(c->file, file, sizeof file);
    if (!at || (code == TAMIS_FINDING_OVERSIZED && doctor_factor(&c->facts) < 2)) return;
    if (c->facts.kind >= TAMIS_KIND_REDISBLOOM) return; /* a native filter is no replacement */
    for (; *at && used + 1 < room; at++) {
        const char *piece = value;
        if (*at != '%')
            snprintf(value, sizeof value, "%c", *at);
        else if (*++at == 's')
            piece = file;
        else
            doctor_value(c, *at, value);
        int more = snprintf(out + used, room - used, "%s", piece);
        used += more > 0 ? (size_t)more : 0;
    }
}

/* ---- for programs ------------------------------------------------------- */

static void doctor_json_finding(const doctor_case *c, const tamis_finding *finding)
{
    char command[600];
    doctor_command(c, finding->code, command, sizeof command);
    cli_json_begin_object(NULL);
    cli_json_text("code", doctor_words[doctor_index(finding->code)].word);
    cli_json_text("severity", doctor_severities[finding->severity]);
    cli_json_real("value", finding->value);
    cli_json_real("expected", finding->expected);
    cli_json_text("sentence", finding->sentence);
    cli_json_text("advice", finding->advice);
    cli_json_text("command", *command ? command : NULL);
    cli_json_end_object();
}

static void doctor_json(const doctor_case *c)
{
    cli_json_begin_object(NULL);
    cli_json_text("file", c->file);
    cli_json_truth("healthy", c->worst == TAMIS_NOTE);
    cli_json_text("kind", c->facts.kind_name);
    cli_json_whole("capacity", c->facts.capacity);
    cli_json_real("keys", c->facts.keys);
    cli_json_real("fpr_asked", c->facts.fpr_asked);
    cli_json_real("fpr_now", c->facts.fpr_now);
    cli_json_begin_array("findings");
    for (size_t i = 0; i < c->count; i++) doctor_json_finding(c, &c->findings[i]);
    cli_json_end_array();
    cli_json_end_object();
}

/* ---- for people --------------------------------------------------------- */

/* Words within the width, the lines after the first under the first. */
static void doctor_wrap(const char *name, const char *text)
{
    size_t column = DOCTOR_WIDTH;
    cli_paper_print("    %-7s", name);
    for (bool first = true; *text; first = false) {
        size_t length = strcspn(text, " ");
        if (first)
            column = 11;
        else if (column + 1 + length > DOCTOR_WIDTH) {
            cli_paper_text("\n           ");
            column = 11;
        } else {
            cli_paper_text(" ");
            column++;
        }
        cli_paper_write(text, length);
        column += length;
        text += length;
        text += strspn(text, " ");
    }
    cli_paper_text("\n");
}

static const char *doctor_colour(tamis_severity severity)
{
    static const char *const colours[] = {"\033[32m", "\033[33m", "\033[31m"};
    return cli_paper_has_colour() ? colours[severity] : "";
}

static void doctor_show_finding(const doctor_case *c, const tamis_finding *finding)
{
    char command[600];
    bool healthy = finding->code == TAMIS_FINDING_HEALTHY;
    cli_paper_print("  %s%s%s: %s\n", doctor_colour(finding->severity),
                    healthy ? "healthy" : doctor_severities[finding->severity],
                    cli_paper_has_colour() ? "\033[0m" : "",
                    healthy ? "nothing to do"
                            : doctor_words[doctor_index(finding->code)].suspicion);
    doctor_wrap("why", finding->sentence);
    if (healthy) return;
    doctor_wrap("try", finding->advice);
    doctor_command(c, finding->code, command, sizeof command);
    if (*command) cli_paper_print("           $ %s\n", command);
}

static void doctor_show(const doctor_case *c)
{
    char size[CLI_SHOWN], capacity[CLI_SHOWN], rate[CLI_SHOWN];
    cli_show_bytes((c->facts.bits + 7) / 8, size, sizeof size);
    cli_show_whole(c->facts.capacity, capacity);
    cli_show_percent(c->facts.fpr_asked, 3, rate);
    if (c->facts.abilities & TAMIS_IS_EXACT)
        cli_paper_print("%s: %s, an exact set\n", c->file, c->facts.kind_name);
    else
        cli_paper_print("%s: %s, %s, planned for %s key%s at %s\n", c->file, c->facts.kind_name,
                        size, capacity, cli_plural(c->facts.capacity), rate);
    for (size_t i = 0; i < c->count; i++) doctor_show_finding(c, &c->findings[i]);
}

/* ---- the command -------------------------------------------------------- */

/* Lost parts count as ones: what the bits say then comes from the damage, which
 * is reported first. */
static void doctor_examine(const tamis_filter *filter, doctor_case *c)
{
    tamis_info(filter, &c->facts);
    (void)tamis_window_of(filter, &c->window); /* or it has none */
    c->count = tamis_diagnose(filter, c->findings, DOCTOR_FINDINGS);
    if (c->count > DOCTOR_FINDINGS) c->count = DOCTOR_FINDINGS;
    if (c->count && c->findings[0].code == TAMIS_FINDING_DAMAGED) c->count = 1;
    for (size_t i = 0; i < c->count; i++)
        if (c->findings[i].severity > c->worst) c->worst = c->findings[i].severity;
}

static int doctor_one(const cli_settings *settings, const char *file)
{
    static doctor_case c;
    tamis_filter *filter;
    memset(&c, 0, sizeof c);
    c.file = file;
    if (cli_is_rdb(file)) return cli_doctor_rdb(settings, file);
    int failed = cli_open_filter(settings, file, TAMIS_OPEN_MAP | TAMIS_OPEN_SALVAGE, &filter);
    if (failed) return failed;
    doctor_examine(filter, &c);
    if (settings->json)
        doctor_json(&c);
    else
        doctor_show(&c);
    tamis_free(filter);
    return c.worst == TAMIS_NOTE ? CLI_YES : CLI_NO;
}

static int doctor_run(const cli_settings *settings, char *const *files, size_t count)
{
    int worst = CLI_YES;
    if (settings->json) cli_json_begin_array(NULL);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !settings->json) cli_paper_text("\n");
        int status = doctor_one(settings, files[i]);
        cli_paper_flush(); /* before the next file's words on standard error */
        if (status > worst) worst = status;
    }
    if (settings->json) cli_json_end_array();
    return worst;
}
