/* parse.h - the words of a command line become settings and arguments.
 *
 * As GNU has it: -n5, -n 5, --capacity=5, --capacity 5, switches bundled
 * (-qc), flags and arguments in any order, "--" before arguments that begin
 * with a dash, "-" an argument. The last one given wins; every switch has a
 * twin that takes it back (--no-json). Names are written in full: what a
 * shortened one means would change with the next flag.                      */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "command.h"

enum { CLI_MISTAKE = 512 };

/* What a command line says. */
typedef struct cli_line {
    cli_settings settings;
    char **arguments; /* the words that are no flags, moved to the front of `words` */
    size_t count;
    char mistake[CLI_MISTAKE]; /* a sentence, when parsing failed */
    bool bad_value;            /* the mistake is a flag's value, not its use */
} cli_line;

/* Reads words[0..count), those behind the command's name. The settings point
 * into the words. False: `line->mistake` says what is wrong. */
bool cli_parse(const cli_command *command, char **words, size_t count, cli_line *line);

/* Whether the command takes the flag. */
bool cli_takes(const cli_command *command, const cli_flag *flag);

/* How many arguments a command takes, from its words: "FILTER [FILE...]" is 1
 * to SIZE_MAX. */
void cli_argument_bounds(const char *arguments, size_t *least, size_t *most);

/* The name under which a switch is taken back: "no-json", or "progress" for
 * no-progress. */
void cli_twin(const cli_flag *flag, char *out, size_t room);

/* Name `index` of what a flag can name (its kinds, hashes or transports), NULL
 * past their end. */
const char *cli_name_number(cli_names names, size_t index);

#endif
