/* fuzz_cli_csv.c - any bytes as CSV: reading ends, skipping agrees with reading,
 * and a text that is cut anywhere is cut at the end of a record, unless a
 * misplaced quote comes before the cut.                                     */
#include <stdint.h>
#include <stdlib.h>

#include "../cli/csv.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void csv_require(bool held)
{
    if (!held) abort();
}

static void csv_check_field(const cli_csv_cursor *cursor, const char *before,
                            const cli_csv_field *field)
{
    char *said = malloc(field->size + 1);
    csv_require(said != NULL);
    csv_require(field->text >= before && field->text + field->size <= cursor->at);
    csv_require(cli_csv_unquote(field, said) <= field->size);
    csv_require(cli_csv_same(field, field));
    free(said);
}

/* Reads a record; the cursor is where cli_csv_skip would be. */
static cli_csv_found csv_read_record(cli_csv_cursor *cursor)
{
    cli_csv_cursor skipping = *cursor;
    cli_csv_found found = CLI_CSV_FIELD, skipped = cli_csv_skip(&skipping);
    while (found == CLI_CSV_FIELD) {
        cli_csv_field field;
        const char *before = cursor->at;
        found = cli_csv_next(cursor, &field);
        csv_require(cursor->at >= before && cursor->at <= cursor->end);
        if (found <= CLI_CSV_LAST) csv_check_field(cursor, before, &field);
    }
    csv_require(found == skipped && cursor->at == skipping.at);
    return found;
}

/* `whole` bytes were called whole: that is right, or there is an error before. */
static void csv_check_whole(const char *text, size_t size, size_t whole, char delimiter)
{
    cli_csv_cursor cursor = {text, text + size, delimiter};
    while (cursor.at < text + whole)
        if (csv_read_record(&cursor) != CLI_CSV_LAST) return;
    csv_require(cursor.at == text + whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char delimiters[] = {',', ';', '\t', '|'};
    if (size < 2) return 0;
    const char delimiter = delimiters[data[0] % sizeof delimiters];
    const size_t length = size - 2, cut = length * data[1] / 255;
    const char *text = (const char *)data + 2;
    csv_check_whole(text, length, cli_csv_whole(text, cut), delimiter);
    cli_csv_cursor cursor = {text, text + length, delimiter};
    while (cursor.at < cursor.end && csv_read_record(&cursor) == CLI_CSV_LAST) {
    }
    return 0;
}
