/* test_cli_csv.c - records and fields of CSV: random tables come back as they
 * were written, and misplaced quotes are found where they are.              */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/splitmix.h"

#include "../../cli/csv.c"

enum { ROWS = 6, COLUMNS = 4, LONGEST = 9, TEXT = 4096 };

/* A table, and the text that says it. */
typedef struct table {
    size_t rows, columns;
    char cells[ROWS][COLUMNS][LONGEST];
    size_t sizes[ROWS][COLUMNS];
    char delimiter;
    char text[TEXT];
    size_t size;
    size_t ends[ROWS]; /* of the records in the text */
} table;

/* ---- writing ------------------------------------------------------------ */

static void table_put(table *t, char byte)
{
    assert_true(t->size < TEXT);
    t->text[t->size++] = byte;
}

/* Bytes that mean something come often. */
static void table_fill_cell(table *t, size_t row, size_t column, splitmix *random)
{
    const char special[] = {'"', '"', '\n', '\r', t->delimiter, ' ', '\0', 'x'};
    size_t size = (size_t)splitmix_below(random, LONGEST);
    for (size_t i = 0; i < size; i++)
        t->cells[row][column][i] = splitmix_below(random, 2)
                                       ? special[splitmix_below(random, sizeof special)]
                                       : (char)('a' + splitmix_below(random, 26));
    t->sizes[row][column] = size;
}

static bool table_needs_quotes(const table *t, size_t row, size_t column)
{
    const char *cell = t->cells[row][column];
    size_t size = t->sizes[row][column];
    return memchr(cell, '"', size) || memchr(cell, '\n', size) || memchr(cell, '\r', size) ||
           memchr(cell, t->delimiter, size);
}

static void table_write_cell(table *t, size_t row, size_t column, splitmix *random)
{
    const char *cell = t->cells[row][column];
    bool quoted = table_needs_quotes(t, row, column) || splitmix_below(random, 4) == 0;
    if (quoted) table_put(t, '"');
    for (size_t i = 0; i < t->sizes[row][column]; i++) {
        if (cell[i] == '"') table_put(t, '"');
        table_put(t, cell[i]);
    }
    if (quoted) table_put(t, '"');
}

static void table_write_row(table *t, size_t row, bool last, splitmix *random)
{
    for (size_t column = 0; column < t->columns; column++) {
        if (column > 0) table_put(t, t->delimiter);
        table_write_cell(t, row, column, random);
    }
    if (!last || splitmix_below(random, 2)) {
        if (splitmix_below(random, 2)) table_put(t, '\r');
        table_put(t, '\n');
    }
    t->ends[row] = t->size;
}

static void table_make(table *t, splitmix *random)
{
    static const char delimiters[] = {',', ';', '\t', '|'};
    *t = (table){.rows = 1 + (size_t)splitmix_below(random, ROWS),
                 .columns = 1 + (size_t)splitmix_below(random, COLUMNS),
                 .delimiter = delimiters[splitmix_below(random, sizeof delimiters)]};
    for (size_t row = 0; row < t->rows; row++) {
        for (size_t column = 0; column < t->columns; column++)
            table_fill_cell(t, row, column, random);
        table_write_row(t, row, row + 1 == t->rows, random);
    }
}

/* ---- reading ------------------------------------------------------------ */

static void table_check_cell(const table *t, size_t row, size_t column, const cli_csv_field *field)
{
    char said[TEXT];
    size_t size = cli_csv_unquote(field, said);
    CHECK(size == t->sizes[row][column], "row %zu, column %zu has %zu bytes, not %zu", row, column,
          size, t->sizes[row][column]);
    CHECK(memcmp(said, t->cells[row][column], size) == 0, "row %zu, column %zu", row, column);
}

static void table_check_row(const table *t, size_t row, cli_csv_cursor *cursor)
{
    for (size_t column = 0; column < t->columns; column++) {
        cli_csv_field field;
        cli_csv_found found = cli_csv_next(cursor, &field);
        bool last = column + 1 == t->columns;
        CHECK(found == (last ? CLI_CSV_LAST : CLI_CSV_FIELD), "row %zu, column %zu", row, column);
        table_check_cell(t, row, column, &field);
    }
    CHECK(cursor->at == t->text + t->ends[row], "row %zu ends elsewhere", row);
}

static void random_tables_come_back(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20000; seed++) {
        splitmix random = {seed};
        table t;
        check_about("seed %" PRIu64, seed);
        table_make(&t, &random);
        cli_csv_cursor cursor = {t.text, t.text + t.size, t.delimiter};
        for (size_t row = 0; row < t.rows; row++) table_check_row(&t, row, &cursor);
        CHECK(cursor.at == cursor.end, "something is left");
    }
}

/* A record that is skipped, from any of its fields on, ends where it does when
 * it is read. */
static void skipping_ends_where_reading_does(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        splitmix random = {seed};
        table t;
        check_about("seed %" PRIu64, seed);
        table_make(&t, &random);
        cli_csv_cursor cursor = {t.text, t.text + t.size, t.delimiter};
        for (size_t row = 0; row < t.rows; row++) {
            size_t read = (size_t)splitmix_below(&random, t.columns);
            cli_csv_field field;
            for (size_t i = 0; i < read; i++) cli_csv_next(&cursor, &field);
            CHECK(cli_csv_skip(&cursor) == CLI_CSV_LAST, "row %zu", row);
            CHECK(cursor.at == t.text + t.ends[row], "row %zu ends elsewhere", row);
        }
    }
}

/* Wherever a text is cut, what is called whole ends at the last line end of a
 * record before the cut. */
static void every_cut_keeps_whole_records(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        splitmix random = {seed};
        table t;
        table_make(&t, &random);
        for (size_t cut = 0; cut <= t.size; cut++) {
            size_t want = 0;
            check_about("seed %" PRIu64 ", cut at %zu of %zu", seed, cut, t.size);
            for (size_t row = 0; row < t.rows; row++)
                if (t.ends[row] && t.ends[row] <= cut && t.text[t.ends[row] - 1] == '\n')
                    want = t.ends[row];
            size_t whole = cli_csv_whole(t.text, cut);
            CHECK(whole == want, "%zu, not %zu", whole, want);
        }
    }
}

/* ---- quotes ------------------------------------------------------------- */

static void equal_fields_are_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        splitmix random = {seed};
        table t;
        cli_csv_field a, b;
        char said_a[TEXT], said_b[TEXT];
        check_about("seed %" PRIu64, seed);
        table_make(&t, &random);
        cli_csv_cursor one = {t.text, t.text + t.size, t.delimiter}, other = one;
        cli_csv_next(&one, &a);
        if (splitmix_below(&random, 2)) cli_csv_next(&other, &b);
        cli_csv_next(&other, &b);
        size_t size_a = cli_csv_unquote(&a, said_a), size_b = cli_csv_unquote(&b, said_b);
        bool same = size_a == size_b && memcmp(said_a, said_b, size_a) == 0;
        CHECK(cli_csv_same(&a, &b) == same && cli_csv_same(&b, &a) == same, "same: %d", same);
    }
}

static void misplaced_quotes_are_found(void **state)
{
    static const struct {
        const char *why, *text;
        cli_csv_found found;
        size_t at;
    } rows[] = {
        {"inside a plain field", "ab\"c,d\n", CLI_CSV_BARE_QUOTE, 2},
        {"at the end of a plain field", "ab\",d\n", CLI_CSV_BARE_QUOTE, 2},
        {"in a later field", "a,b,c\"\n", CLI_CSV_BARE_QUOTE, 5},
        {"after a space", "a, \"b\"\n", CLI_CSV_BARE_QUOTE, 3},
        {"text after the closing quote", "\"ab\"c,d\n", CLI_CSV_AFTER_QUOTE, 4},
        {"space after the closing quote", "\"ab\" ,d\n", CLI_CSV_AFTER_QUOTE, 4},
        {"carriage return alone after it", "\"ab\"\rd\n", CLI_CSV_AFTER_QUOTE, 4},
        {"after newlines inside quotes", "\"a\n\nb\"c\n", CLI_CSV_AFTER_QUOTE, 6},
        {"never closed", "a,\"b\nc\n", CLI_CSV_OPEN_QUOTE, 2},
        {"a doubled quote does not close", "\"b\"\"\n", CLI_CSV_OPEN_QUOTE, 0},
        {"a quote alone", "\"", CLI_CSV_OPEN_QUOTE, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *text = rows[i].text;
        cli_csv_cursor cursor = {text, text + strlen(text), ','}, skipping = cursor;
        cli_csv_field field;
        cli_csv_found found = CLI_CSV_FIELD;
        check_about("%s", rows[i].why);
        while (found == CLI_CSV_FIELD) found = cli_csv_next(&cursor, &field);
        CHECK(found == rows[i].found, "found %d", (int)found);
        CHECK((size_t)(cursor.at - text) == rows[i].at, "at %zu", (size_t)(cursor.at - text));
        CHECK(cli_csv_skip(&skipping) == found && skipping.at == cursor.at, "skipped otherwise");
        CHECK(strlen(cli_csv_reason(found)) > 20, "no reason");
    }
}

/* Whatever the bytes, reading ends, goes forward and stays inside. */
static void any_bytes_are_read_to_an_end(void **state)
{
    static const char alphabet[] = {'"', '"', ',', '\n', '\r', 'a'};
    (void)state;
    for (uint64_t seed = 1; seed <= 50000; seed++) {
        splitmix random = {seed};
        size_t size = (size_t)splitmix_below(&random, 20), steps = 0;
        char *exact = malloc(size ? size : 1); /* so that sanitizers see a step too far */
        assert_non_null(exact);
        for (size_t i = 0; i < size; i++)
            exact[i] = alphabet[splitmix_below(&random, sizeof alphabet)];
        cli_csv_cursor cursor = {exact, exact + size, ','};
        cli_csv_found found = CLI_CSV_LAST;
        check_about("seed %" PRIu64, seed);
        while (cursor.at < cursor.end && found <= CLI_CSV_LAST) {
            const char *before = cursor.at;
            cli_csv_field field;
            found = cli_csv_next(&cursor, &field);
            CHECK(cursor.at <= cursor.end, "past the end");
            CHECK(found > CLI_CSV_LAST || cursor.at > before, "no step forward");
            CHECK(++steps <= size, "too many fields");
        }
        CHECK(cli_csv_whole(exact, size) <= size, "more than there is");
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_tables_come_back),
        cmocka_unit_test(skipping_ends_where_reading_does),
        cmocka_unit_test(every_cut_keeps_whole_records),
        cmocka_unit_test(equal_fields_are_the_same),
        cmocka_unit_test(misplaced_quotes_are_found),
        cmocka_unit_test(any_bytes_are_read_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
