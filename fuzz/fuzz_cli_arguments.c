/* fuzz_cli_arguments.c - any words as a command line: read within the words, or
 * refused with a sentence.
 *
 * The first byte chooses the command, the rest are words with a 0 behind each.
 * The commands are made up, so that every flag of the table is taken by one and
 * refused by another.                                                       */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../cli/flags.c"
#include "../cli/nearest.c"
#include "../cli/number.c"
#include "../cli/parse.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ARGUMENTS_MOST = 200 };

static const char *arguments_every_flag[FLAGS_COUNT + 1];
static const char *const arguments_few_flags[] = {"json", "rate", "key", "no-progress", NULL};

static const cli_command arguments_commands[] = {
    {.name = "everything", .arguments = "[FILE...]", .flags = arguments_every_flag},
    {.name = "few", .arguments = "FILTER [FILE]", .flags = arguments_few_flags},
    {.name = "none", .arguments = ""},
    {.name = "two", .arguments = "FILTER FILTER...", .flags = arguments_few_flags},
};

enum { ARGUMENTS_COMMANDS = sizeof arguments_commands / sizeof arguments_commands[0] };

const cli_command *cli_command_number(size_t index)
{
    return index < ARGUMENTS_COMMANDS ? &arguments_commands[index] : NULL;
}

static void arguments_require(bool held)
{
    if (!held) abort();
}

/* Splits the text at its zeros; the last word ends with the text. */
static size_t arguments_split(char *text, size_t size, char **words)
{
    size_t count = 0;
    for (size_t at = 0; at < size && count < ARGUMENTS_MOST; at += strlen(text + at) + 1)
        words[count++] = text + at;
    return count;
}

static bool arguments_lies_in(const char *text, const char *begin, size_t size)
{
    return !text || (text >= begin && text <= begin + size);
}

static void arguments_check_settings(const cli_settings *s, const char *begin, size_t size)
{
    const char *const texts[] = {s->kind,   s->hash, s->secret_file, s->csv, s->delimiter,
                                 s->output, s->note, s->compress,    s->svg, s->state};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        arguments_require(arguments_lies_in(texts[i], begin, size));
    arguments_require(s->keys.count <= CLI_LIST_MOST && s->filters.count <= CLI_LIST_MOST);
    arguments_require(s->fpr >= 0 && s->fpr < 1 && s->lines_per_key <= 2);
    arguments_require(!s->kind || tamis_kind_id(s->kind));
    arguments_require(!s->hash || tamis_hash_id(s->hash));
}

static void arguments_check(const cli_command *command, const cli_line *line, const char *begin,
                            size_t size)
{
    size_t least, most;
    cli_argument_bounds(command->arguments, &least, &most);
    if (!line->settings.help_short && !line->settings.help_long)
        arguments_require(line->count >= least && line->count <= most);
    for (size_t i = 0; i < line->count; i++)
        arguments_require(arguments_lies_in(line->arguments[i], begin, size));
    arguments_check_settings(&line->settings, begin, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static cli_line line;
    char *words[ARGUMENTS_MOST];
    for (size_t i = 0; i < FLAGS_COUNT; i++) arguments_every_flag[i] = flags_table[i].name;
    const cli_command *command = &arguments_commands[size ? data[0] % ARGUMENTS_COMMANDS : 0];
    char *text = malloc(size + 1);
    arguments_require(text != NULL);
    size_t length = size ? size - 1 : 0;
    if (length) memcpy(text, data + 1, length);
    text[length] = '\0';
    size_t count = arguments_split(text, length, words);
    if (cli_parse(command, words, count, &line))
        arguments_check(command, &line, text, length);
    else
        arguments_require(line.mistake[0] && memchr(line.mistake, '\0', CLI_MISTAKE));
    free(text);
    return 0;
}
