/* paper.h - standard output, buffered, with its errors kept.
 *
 * A reader that goes away (head, less) is no error: what is written afterwards
 * is dropped, and the program ends well. Any other failure (a full disk) is
 * remembered and becomes a sentence and exit status 2 when the paper is closed.
 * Only one thread writes at a time.                                         */
#ifndef CLI_PAPER_H
#define CLI_PAPER_H

#include <stdbool.h>
#include <stddef.h>

void cli_paper_write(const void *bytes, size_t size);
void cli_paper_text(const char *text);
void cli_paper_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Gives to the reader what is buffered. */
void cli_paper_flush(void);

/* True when nothing that is written arrives any more: a long job can stop. */
bool cli_paper_is_gone(void);

/* Flushes, and says what went wrong. Returns `status`, or CLI_YES when the
 * reader has gone, or CLI_ERROR after a failure to write. */
int cli_paper_close(int status);

/* A terminal, and NO_COLOR unset: sequences of colour may be written. */
bool cli_paper_has_colour(void);

/* Columns of the terminal, or $COLUMNS, or 80. */
unsigned cli_paper_columns(void);

#endif
