/* words.h - what the tool says on standard error.                           */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <tamis/status.h>

/* "tamis: sentence" on standard error; returns CLI_ERROR. */
int cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The library's sentence for the last failure, with the file it was about. */
int cli_complain_of(const char *file);

/* The same for a sentence of the library that was kept. */
int cli_complain_about(const char *file, const char *sentence);

/* A remark that is no error; silent with --quiet. */
void cli_remark(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_be_quiet(void);

#endif
