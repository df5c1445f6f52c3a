/* help.h - what -h and --help print, on standard output, from the tables.   */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "command.h"

/* The tool itself: its commands; with `full` also numbers, exit status and
 * environment. */
void cli_help_tool(bool full);

/* One command: one screen, or everything. */
void cli_help_command(const cli_command *command, bool full);

/* After a mistake, on standard error: how it is used. Returns CLI_ERROR. */
int cli_usage(const cli_command *command);

/* ---- what the man pages share ------------------------------------------- */

/* Texts that hold for every command, as headings with paragraphs. */
typedef struct cli_topic {
    const char *heading, *text;
} cli_topic;

const cli_topic *cli_topic_number(size_t index);

/* "Filter", "Keys", "Output", "" for CLI_OF_ALL. */
const char *cli_group_heading(cli_group group);

/* "0: done; 1: ...; 2: ..." of a command. */
/* All that there is to say about a flag, as sentences: what --help and the man
 * pages show, with the names that its value can be. */
enum { CLI_FLAG_TEXT = 1000 };
void cli_flag_text(const cli_flag *flag, char *out, size_t room);

const char *cli_status_text(const cli_command *command);

/* The next paragraph at `*at`, its length in `*size`; NULL when there is none.
 * One that begins with a space is shown as it is written. */
const char *cli_next_paragraph(const char **at, size_t *size);

#endif
