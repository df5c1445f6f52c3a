/* key_format.h - how bytes become keys, as the flags say it: whole lines, one
 * field of each line, or columns of CSV; as text, or as 64-bit numbers.
 *
 * Lines end at a newline (or NUL); a carriage return before it belongs to the
 * key, except in CSV. An empty line is the empty key, except in CSV, where it
 * is skipped. Several columns are joined by the byte 0x1f.                  */
#ifndef CLI_KEY_FORMAT_H
#define CLI_KEY_FORMAT_H

#include <tamis/keys.h>

#include "command.h"
#include "csv.h"
#include "number.h"

enum { CLI_COLUMNS_MOST = 64, CLI_JOINT = 0x1f };

typedef enum cli_key_shape { CLI_WHOLE_LINES, CLI_FIELDS, CLI_CSV } cli_key_shape;

/* Where the wanted columns of one file are, from 0, in the order of the join. */
typedef struct cli_columns {
    size_t count, last;
    size_t index[CLI_COLUMNS_MOST];
} cli_columns;

typedef struct cli_key_format {
    cli_key_shape shape;
    bool header, u64;
    char separator;      /* that ends a line */
    char delimiter;      /* between fields */
    uint64_t field;      /* from 1 */
    bool timed;          /* lines have a time, */
    uint64_t time_field; /* in this field, or in the last of the wanted columns */
    size_t wanted_count;
    cli_csv_field wanted[CLI_COLUMNS_MOST]; /* in the words of --csv */
} cli_key_format;

/* Reads the flags about keys, or complains. Returns CLI_YES or CLI_ERROR. The
 * format borrows the words of the command line. */
int cli_read_key_format(const cli_settings *settings, cli_key_format *out);

/* Finds the wanted columns. `header` is at the first record of a CSV, and is
 * moved past it when the format has one. False: `why` says what is missing, and
 * the cursor is where it was noticed. */
bool cli_find_columns(const cli_key_format *format, cli_csv_cursor *header, cli_columns *out,
                      char why[CLI_WHY]);

/* The whole number that is written in the text, decimal, below 2^64. False:
 * `why` says what is there instead. */
bool cli_read_u64(const char *text, size_t size, uint64_t *out, char why[CLI_WHY]);

#endif
