/* progress.h - how far a long job is: lines, rate and time left, on a terminal.
 *
 * Drawn on standard error, only if that is a terminal, and never while lines
 * are being printed on one. One thread at a time.                           */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "command.h"

typedef struct cli_progress {
    bool shown;
    const char *what;     /* "building" */
    uint64_t total_bytes; /* 0: nobody knows */
    uint64_t bytes, lines;
    double begun, drawn; /* seconds of a steady clock */
    int width;           /* of what is drawn now */
} cli_progress;

/* `prints` says that the job prints lines on standard output meanwhile. */
void cli_progress_begin(cli_progress *progress, const cli_settings *settings, const char *what,
                        uint64_t total_bytes, bool prints);
void cli_progress_step(cli_progress *progress, uint64_t lines, uint64_t bytes);

/* Shows these words instead of lines and a rate. */
void cli_progress_say(cli_progress *progress, const char *words);

/* Removes what was drawn. */
void cli_progress_end(cli_progress *progress);

/* Since the beginning. */
double cli_progress_seconds(const cli_progress *progress);

#endif
