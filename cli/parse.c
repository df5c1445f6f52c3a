/* parse.c - see parse.h.                                                    */
#include "parse.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nearest.h"
#include "number.h"

/* One reading. `next` is the first word that has not been looked at. */
typedef struct parse_desk {
    const cli_command *command;
    char **words;
    size_t count, next;
    cli_line *line;
} parse_desk;

static bool parse_fail(parse_desk *d, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool parse_fail(parse_desk *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(d->line->mistake, CLI_MISTAKE, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- names -------------------------------------------------------------- */

const char *cli_name_number(cli_names names, size_t index)
{
    static const char *const transports[] = {"zstd", "gzip"};
    uint32_t ids[256];
    size_t count = names == CLI_KINDS    ? tamis_kind_list(ids, 256)
                   : names == CLI_HASHES ? tamis_hash_list(ids, 256)
                                         : 0;
    if (names == CLI_TRANSPORTS) return index < 2 ? transports[index] : NULL;
    if (index >= count || index >= 256) return NULL;
    return names == CLI_KINDS ? tamis_kind_name(ids[index]) : tamis_hash_name(ids[index]);
}

static void parse_join_names(cli_names names, char *out, size_t room)
{
    size_t used = 0;
    const char *name;
    for (size_t i = 0; (name = cli_name_number(names, i)) && used < room; i++) {
        int more = snprintf(out + used, room - used, "%s%s", i ? ", " : "", name);
        used += more > 0 ? (size_t)more : 0;
    }
}

/* A kind, hash or transport must be one. */
static bool parse_known(parse_desk *d, const cli_flag *flag, const char *text)
{
    char all[200] = "";
    const char *name;
    if (flag->names == CLI_ANYTHING || flag->names == CLI_FILES) return true;
    cli_nearest near = cli_nearest_to(text);
    for (size_t i = 0; (name = cli_name_number(flag->names, i)); i++) {
        if (strcmp(name, text) == 0) return true;
        cli_nearest_offer(&near, name);
    }
    parse_join_names(flag->names, all, sizeof all);
    if (near.best)
        return parse_fail(d, "--%s: \"%.60s\" is none of %s; did you mean %s?", flag->name, text,
                          all, near.best);
    return parse_fail(d, "--%s: \"%.60s\" is none of %s", flag->name, text, all);
}

/* ---- values ------------------------------------------------------------- */

static bool parse_within(parse_desk *d, const cli_flag *flag, const char *text, uint64_t value)
{
    uint64_t most = flag->most ? flag->most : UINT64_MAX;
    if (value >= flag->least && value <= most) return true;
    if (flag->most)
        return parse_fail(d, "--%s: %.60s is outside %" PRIu64 " to %" PRIu64, flag->name, text,
                          flag->least, flag->most);
    return parse_fail(d, "--%s: %.60s is too small; it is at least %" PRIu64, flag->name, text,
                      flag->least);
}

static bool parse_append(parse_desk *d, const cli_flag *flag, cli_list *list, const char *text)
{
    if (list->count == CLI_LIST_MOST)
        return parse_fail(d, "--%s can be given %d times, not more", flag->name, CLI_LIST_MOST);
    list->items[list->count++] = text;
    return true;
}

/* Stores the value of any flag that has one. */
static bool parse_convert(parse_desk *d, const cli_flag *flag, const char *text)
{
    void *place = (char *)&d->line->settings + flag->offset;
    char why[CLI_WHY];
    bool good = true;
    switch (flag->type) {
    case CLI_SWITCH: return true;
    case CLI_TEXT: *(const char **)place = text; return parse_known(d, flag, text);
    case CLI_LIST: return parse_known(d, flag, text) && parse_append(d, flag, place, text);
    case CLI_COUNT: good = cli_parse_count(text, place, why); break;
    case CLI_BYTES: good = cli_parse_bytes(text, place, why); break;
    case CLI_RATE: good = cli_parse_rate(text, place, why); break;
    case CLI_REAL: good = cli_parse_real(text, place, why); break;
    case CLI_WINDOW: good = cli_parse_window(text, place, why); break;
    }
    if (!good) return parse_fail(d, "--%s: %s", flag->name, why);
    if (flag->type == CLI_REAL && !(*(const double *)place > 0))
        return parse_fail(d, "--%s: %.60s is too small; it is above 0", flag->name, text);
    if (flag->type != CLI_COUNT && flag->type != CLI_BYTES) return true;
    return parse_within(d, flag, text, *(const uint64_t *)place);
}

static bool parse_store(parse_desk *d, const cli_flag *flag, const char *text)
{
    d->line->bad_value = !parse_convert(d, flag, text);
    return !d->line->bad_value;
}

/* The value is in the next word. */
static bool parse_fetch(parse_desk *d, const cli_flag *flag)
{
    if (d->next == d->count)
        return parse_fail(d, "--%s needs a value: --%s %s", flag->name, flag->name, flag->value);
    return parse_store(d, flag, d->words[d->next++]);
}

/* ---- which flag --------------------------------------------------------- */

bool cli_takes(const cli_command *command, const cli_flag *flag)
{
    if (flag->group == CLI_OF_ALL) return true;
    for (size_t i = 0; command->flags && command->flags[i]; i++)
        if (strcmp(command->flags[i], flag->name) == 0) return true;
    return false;
}

void cli_twin(const cli_flag *flag, char *out, size_t room)
{
    if (strncmp(flag->name, "no-", 3) == 0)
        snprintf(out, room, "%s", flag->name + 3);
    else
        snprintf(out, room, "no-%s", flag->name);
}

/* Says which commands take a flag that this one does not. */
static bool parse_elsewhere(parse_desk *d, const char *typed, const cli_flag *flag)
{
    char all[200] = "";
    size_t used = 0;
    const cli_command *c;
    for (size_t i = 0; (c = cli_command_number(i)) && used < sizeof all; i++)
        if (cli_takes(c, flag)) {
            int more = snprintf(all + used, sizeof all - used, "%s%s", used ? ", " : "", c->name);
            used += more > 0 ? (size_t)more : 0;
        }
    const char *name = d->command->name;
    if (!used) return parse_fail(d, "%s does not take %.60s; see tamis %s -h", name, typed, name);
    return parse_fail(d, "%s does not take %.60s, which belongs to: %s; see tamis %s -h", name,
                      typed, all, name);
}

static bool parse_unknown(parse_desk *d, const char *typed, size_t length)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), typed);
    cli_nearest near = cli_nearest_to(name);
    const cli_flag *flag;
    for (size_t i = 0; (flag = cli_flag_number(i)); i++)
        if (cli_takes(d->command, flag)) cli_nearest_offer(&near, flag->name);
    if (near.best)
        return parse_fail(d, "%s has no flag --%s; did you mean --%s?", d->command->name, name,
                          near.best);
    return parse_fail(d, "%s has no flag --%s; tamis %s -h lists those there are", d->command->name,
                      name, d->command->name);
}

/* The flag with this name of `length` bytes; `*back` when it is the twin that
 * takes a switch back. */
static const cli_flag *parse_find(const char *name, size_t length, bool *back)
{
    const cli_flag *flag;
    char twin[64];
    for (size_t i = 0; (flag = cli_flag_number(i)); i++) {
        *back = false;
        if (strlen(flag->name) == length && memcmp(flag->name, name, length) == 0) return flag;
        if (flag->type != CLI_SWITCH || flag->group == CLI_OF_ALL) continue;
        *back = true;
        cli_twin(flag, twin, sizeof twin);
        if (strlen(twin) == length && memcmp(twin, name, length) == 0) return flag;
    }
    return NULL;
}

static void parse_switch(parse_desk *d, const cli_flag *flag, bool on)
{
    *(bool *)((char *)&d->line->settings + flag->offset) = on;
}

/* ---- words -------------------------------------------------------------- */

/* --name, --name=value */
static bool parse_long(parse_desk *d, const char *word)
{
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    bool back = false;
    const cli_flag *flag = parse_find(name, length, &back);
    if (!flag) return parse_unknown(d, name, length);
    char typed[64];
    snprintf(typed, sizeof typed, "--%.*s", (int)(length < 60 ? length : 60), name);
    if (!cli_takes(d->command, flag)) return parse_elsewhere(d, typed, flag);
    if (flag->type != CLI_SWITCH)
        return name[length] ? parse_store(d, flag, name + length + 1) : parse_fetch(d, flag);
    if (name[length]) return parse_fail(d, "%s takes no value", typed);
    parse_switch(d, flag, !back);
    return true;
}

/* Among flags with one letter, the one that this command takes. */
static const cli_flag *parse_letter(const cli_command *command, char letter)
{
    const cli_flag *flag, *found = NULL;
    for (size_t i = 0; (flag = cli_flag_number(i)); i++)
        if (flag->letter == letter && (!found || cli_takes(command, flag))) found = flag;
    return found;
}

/* -q, -qc, -n5, -n 5 */
static bool parse_letters(parse_desk *d, const char *word)
{
    for (const char *at = word + 1; *at; at++) {
        const cli_flag *flag = parse_letter(d->command, *at);
        char typed[3] = {'-', *at, '\0'};
        if (!flag && (*at < '!' || *at > '~'))
            return parse_fail(d, "%s has no flag with the byte 0x%02x", d->command->name,
                              (unsigned char)*at);
        if (!flag)
            return parse_fail(d, "%s has no flag %s; tamis %s -h lists those there are",
                              d->command->name, typed, d->command->name);
        if (!cli_takes(d->command, flag)) return parse_elsewhere(d, typed, flag);
        if (flag->type != CLI_SWITCH)
            return at[1] ? parse_store(d, flag, at + 1) : parse_fetch(d, flag);
        if (flag->letter == 'h')
            d->line->settings.help_short = true;
        else
            parse_switch(d, flag, true);
    }
    return true;
}

/* ---- arguments ---------------------------------------------------------- */

void cli_argument_bounds(const char *arguments, size_t *least, size_t *most)
{
    *least = *most = 0;
    for (const char *at = arguments ? arguments : ""; *at;) {
        size_t length = strcspn(at, " ");
        if (*at != '[') ++*least;
        if (*most != SIZE_MAX) ++*most;
        if (length >= 3 && (strncmp(at + length - 3, "...", 3) == 0 ||
                            (length >= 4 && strncmp(at + length - 4, "...]", 4) == 0)))
            *most = SIZE_MAX;
        at += length;
        at += strspn(at, " ");
    }
}

static bool parse_check_arguments(parse_desk *d)
{
    size_t least, most, count = d->line->count;
    const cli_command *c = d->command;
    if (d->line->settings.help_short || d->line->settings.help_long) return true;
    cli_argument_bounds(c->arguments, &least, &most);
    if (count > most && most == 0)
        return parse_fail(d, "%s takes no arguments, but \"%.60s\" was given", c->name,
                          d->words[0]);
    if (count > most)
        return parse_fail(d, "%s takes %s, and \"%.60s\" is one too many", c->name, c->arguments,
                          d->words[most]);
    if (count < least && least > 1)
        return parse_fail(d, "%s needs %zu arguments and got %zu: %s", c->name, least, count,
                          c->arguments);
    if (count < least) return parse_fail(d, "%s needs an argument: %s", c->name, c->arguments);
    return true;
}

bool cli_parse(const cli_command *command, char **words, size_t count, cli_line *line)
{
    parse_desk desk = {.command = command, .words = words, .count = count, .line = line};
    bool only_arguments = false;
    memset(line, 0, sizeof *line);
    line->arguments = words;
    while (desk.next < count) {
        char *word = words[desk.next++];
        if (only_arguments || word[0] != '-' || word[1] == '\0')
            words[line->count++] = word;
        else if (strcmp(word, "--") == 0)
            only_arguments = true;
        else if (!(word[1] == '-' ? parse_long(&desk, word) : parse_letters(&desk, word)))
            return false;
    }
    return parse_check_arguments(&desk);
}
