/* help.c - see help.h.                                                      */
#include "help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "paper.h"
#include "parse.h"
#include "words.h"

enum { HELP_WIDTH = 80, HELP_FLAGS = 26 };

static const cli_topic help_topics[] = {
    {"Numbers", "Counts: 200000000, 200M, 2e8; k, M, G and T are thousands.\n\n"
                "Rates: 0.01, 1%, 1/100, 1e-2; above 0 and below 1.\n\n"
                "Sizes: 1048576, 64M, 64MiB; K, M, G and T are powers of 1024, and KB, MB, GB "
                "and TB of 1000."},
    {"Exit status", "As grep: 0 yes or done, 1 a clean no, 2 an error, with a sentence on standard "
                    "error that says what was wrong and what to try. A reader that closes the pipe "
                    "(head) is no error."},
    {"Environment", "TAMIS_SECRET: the secret of keyed filters, as 32 hexadecimal digits.\n\n"
                    "COLUMNS: the width of drawings; without it the terminal's own, or 80.\n\n"
                    "NO_COLOR: when set, nothing is coloured. Colour is used on terminals only."},
};

const cli_topic *cli_topic_number(size_t index)
{
    return index < sizeof help_topics / sizeof help_topics[0] ? &help_topics[index] : NULL;
}

const char *cli_group_heading(cli_group group)
{
    static const char *const headings[CLI_GROUPS] = {"Filter", "Keys", "Output", ""};
    return headings[group];
}

const char *cli_status_text(const cli_command *command)
{
    return command->status ? command->status : "0 done, 2 an error.";
}

const char *cli_next_paragraph(const char **at, size_t *size)
{
    const char *start = *at;
    while (start && *start == '\n') start++;
    if (!start || !*start) return NULL;
    const char *end = strstr(start, "\n\n");
    *size = end ? (size_t)(end - start) : strlen(start);
    *at = start + *size;
    return start;
}

/* ---- wrapping ----------------------------------------------------------- */

/* Columns that UTF-8 text takes: its continuation bytes take none. */
static size_t help_columns(const char *text, size_t size)
{
    size_t columns = 0;
    for (size_t i = 0; i < size; i++) columns += (text[i] & 0xc0) != 0x80;
    return columns;
}

static void help_spaces(size_t count)
{
    while (count-- > 0) cli_paper_text(" ");
}

/* Fills lines with words; `column` is where the pen stands now. Ends the line. */
static void help_fill(const char *text, size_t size, size_t indent, size_t column)
{
    const char *end = text + size;
    bool first = true;
    while (text < end) {
        size_t length = strcspn(text, " \n");
        if (length > (size_t)(end - text)) length = (size_t)(end - text);
        size_t columns = help_columns(text, length);
        if (!first && column + 1 + columns > HELP_WIDTH) {
            cli_paper_text("\n");
            help_spaces(indent);
            column = indent;
            first = true;
        }
        if (!first) cli_paper_text(" ");
        cli_paper_write(text, length);
        column += columns + !first;
        first = false;
        text += length;
        while (text < end && (*text == ' ' || *text == '\n')) text++;
    }
    cli_paper_text("\n");
}

static void help_as_written(const char *text, size_t size, size_t indent)
{
    const char *end = text + size;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        if (!line_end) line_end = end;
        help_spaces(indent);
        cli_paper_write(text, (size_t)(line_end - text));
        cli_paper_text("\n");
        text = line_end + 1;
    }
}

/* Paragraphs, with an empty line between them. */
static void help_paragraphs(const char *text, size_t indent)
{
    size_t size;
    const char *paragraph;
    for (bool first = true; (paragraph = cli_next_paragraph(&text, &size)); first = false) {
        if (!first) cli_paper_text("\n");
        if (*paragraph == ' ') {
            help_as_written(paragraph, size, indent);
        } else {
            help_spaces(indent);
            help_fill(paragraph, size, indent, indent);
        }
    }
}

static void help_section(const char *heading, const char *text)
{
    cli_paper_print("\n%s:\n", heading);
    help_paragraphs(text, 2);
}

/* ---- flags -------------------------------------------------------------- */

/* "  -n, --capacity N", and the columns it takes. */
static size_t help_flag_words(const cli_flag *flag)
{
    char words[80];
    char letter[5] = "    ";
    if (flag->letter) snprintf(letter, sizeof letter, "-%c, ", flag->letter);
    snprintf(words, sizeof words, "  %s--%s%s%s", letter, flag->name, flag->value ? " " : "",
             flag->value ? flag->value : "");
    cli_paper_text(words);
    return strlen(words);
}

static void help_flag_line(const cli_flag *flag)
{
    size_t used = help_flag_words(flag);
    help_spaces(used < HELP_FLAGS ? HELP_FLAGS - used : 1);
    cli_paper_print("%s\n", flag->help);
}

void cli_flag_text(const cli_flag *flag, char *out, size_t room)
{
    const char *name;
    size_t used =
        (size_t)snprintf(out, room, "%c%s.%s%s", toupper((unsigned char)flag->help[0]),
                         flag->help + 1, flag->more ? " " : "", flag->more ? flag->more : "");
    for (size_t i = 0; (name = cli_name_number(flag->names, i)) && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : " One of: ", name);
    if (cli_name_number(flag->names, 0) && used < room) snprintf(out + used, room - used, ".");
}

static void help_flag_full(const cli_flag *flag)
{
    char text[CLI_FLAG_TEXT];
    (void)help_flag_words(flag);
    cli_paper_text("\n");
    cli_flag_text(flag, text, sizeof text);
    help_spaces(10);
    help_fill(text, strlen(text), 10, 10);
}

static void help_flags_short(const cli_command *command)
{
    for (size_t i = 0; command->flags && command->flags[i]; i++) {
        const cli_flag *flag = cli_flag_named(command->flags[i]);
        if (flag && !flag->rare) help_flag_line(flag);
    }
    help_flag_line(cli_flag_named("help"));
}

static void help_group(const cli_command *command, cli_group group)
{
    bool first = true;
    for (size_t i = 0; command->flags && command->flags[i]; i++) {
        const cli_flag *flag = cli_flag_named(command->flags[i]);
        if (!flag || flag->group != group) continue;
        if (first) cli_paper_print("\n%s:\n", cli_group_heading(group));
        first = false;
        help_flag_full(flag);
    }
}

/* ---- commands ----------------------------------------------------------- */

static void help_usage_line(const cli_command *command)
{
    cli_paper_print("usage: tamis %s [OPTIONS]%s%s\n", command->name,
                    command->arguments && *command->arguments ? " " : "",
                    command->arguments ? command->arguments : "");
}

static void help_examples(const cli_command *command)
{
    if (!command->examples || !command->examples[0]) return;
    cli_paper_text("\nExamples:\n");
    for (size_t i = 0; command->examples[i]; i += 2)
        cli_paper_print("%s  %s\n      $ %s\n", i ? "\n" : "", command->examples[i],
                        command->examples[i + 1]);
}

static void help_command_short(const cli_command *command)
{
    if (command->flags) cli_paper_text("\n");
    help_flags_short(command);
    if (command->examples && command->examples[0])
        cli_paper_print("\nexample: %s\n", command->examples[1]);
    cli_paper_print("more:    tamis %s --help\n", command->name);
}

static void help_command_full(const cli_command *command)
{
    if (command->description) {
        cli_paper_text("\n");
        help_paragraphs(command->description, 0);
    }
    for (int group = 0; group < CLI_OF_ALL; group++) help_group(command, (cli_group)group);
    cli_paper_text("\nEvery switch can be taken back (--no-json); the last one given wins.\n");
    if (command->memory) help_section("Memory", command->memory);
    help_section("Exit status", cli_status_text(command));
    help_examples(command);
}

void cli_help_command(const cli_command *command, bool full)
{
    cli_paper_print("tamis %s - %s\n\n", command->name, command->summary);
    help_usage_line(command);
    if (full)
        help_command_full(command);
    else
        help_command_short(command);
}

int cli_usage(const cli_command *command)
{
    const char *arguments = command && command->arguments ? command->arguments : "";
    if (command)
        fprintf(stderr, "usage: tamis %s [OPTIONS]%s%s    (more: tamis %s -h)\n", command->name,
                *arguments ? " " : "", arguments, command->name);
    else
        fprintf(stderr, "usage: tamis COMMAND [OPTIONS] [FILE...]    (more: tamis -h)\n");
    return CLI_ERROR;
}

/* ---- the tool ----------------------------------------------------------- */

void cli_help_tool(bool full)
{
    const cli_command *command;
    const cli_topic *topic;
    cli_paper_text("tamis - filters that know, in a few bits per key, what is certainly not there\n"
                   "\nusage: tamis COMMAND [OPTIONS] [FILE...]\n\n");
    for (size_t i = 0; (command = cli_command_number(i)); i++)
        if (!command->hidden) cli_paper_print("  %-11s%s\n", command->name, command->summary);
    cli_paper_text("\n  -h, --help     one screen, or everything; tamis COMMAND -h for a command\n"
                   "  -V, --version  the version\n");
    for (size_t i = 0; full && (topic = cli_topic_number(i)); i++)
        help_section(topic->heading, topic->text);
    if (full)
        cli_paper_text("\nExamples:\n  build a filter of a file's lines, and ask it\n"
                       "      $ tamis build -o ids.tamis ids.txt\n"
                       "      $ tamis has ids.tamis requests.txt\n");
}
