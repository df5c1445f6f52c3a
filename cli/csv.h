/* csv.h - records and fields of comma-separated text, as RFC 4180 has them.
 *
 * A record ends at a newline outside quotes, with or without a carriage return
 * before it. A field is plain, or between quotes; inside quotes the delimiter
 * and newlines are text, and a quote is written twice. A quote anywhere else is
 * an error, not a guess. Pure functions over bytes: nothing is copied but by
 * cli_csv_unquote, and who owns the bytes is not asked.                     */
#ifndef CLI_CSV_H
#define CLI_CSV_H

#include <stdbool.h>
#include <stddef.h>

/* A field as it lies in the text, without the quotes around it. */
typedef struct cli_csv_field {
    const char *text;
    size_t size;
    bool doubled; /* has quotes inside, each written twice */
} cli_csv_field;

typedef enum cli_csv_found {
    CLI_CSV_FIELD,       /* a field, and another one follows in this record */
    CLI_CSV_LAST,        /* the last field of the record, which ends before `at` */
    CLI_CSV_BARE_QUOTE,  /* a quote inside a plain field */
    CLI_CSV_AFTER_QUOTE, /* something other than delimiter or line end after a closing quote */
    CLI_CSV_OPEN_QUOTE   /* the text ends inside quotes */
} cli_csv_found;

typedef struct cli_csv_cursor {
    const char *at, *end;
    char delimiter;
} cli_csv_cursor;

/* Reads the field at the cursor and moves past it. At the end of the text there
 * is an empty last field, so ask for records only while at < end. After an
 * error the cursor is at the byte that is wrong: the misplaced quote, what
 * follows the closing one, or the quote that opens and is never closed. */
cli_csv_found cli_csv_next(cli_csv_cursor *cursor, cli_csv_field *field);

/* Moves to the end of the record, past fields that nobody wants. Returns
 * CLI_CSV_LAST or an error. */
cli_csv_found cli_csv_skip(cli_csv_cursor *cursor);

/* Why cli_csv_next or cli_csv_skip stopped, as the rest of a sentence. */
const char *cli_csv_reason(cli_csv_found error);

/* Writes what the field says, with doubled quotes made single; returns its
 * size. `out` has room for field->size bytes. */
size_t cli_csv_unquote(const cli_csv_field *field, char *out);

/* True when two fields say the same, however they are quoted. */
bool cli_csv_same(const cli_csv_field *one, const cli_csv_field *other);

/* Past the line end at `at`: LF or CR LF; NULL when there is none. */
const char *cli_csv_line_end(const char *at, const char *end);

/* Bytes of whole records at the front of text, which begins at a record: up to
 * the last newline outside quotes, or 0. In a text with a misplaced quote the
 * answer is whole up to that quote at least. */
size_t cli_csv_whole(const char *text, size_t size);

#endif
