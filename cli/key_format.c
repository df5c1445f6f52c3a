/* key_format.c - see key_format.h.                                          */
#include "key_format.h"

#include <stdio.h>
#include <string.h>

#include "words.h"

enum { FORMAT_SHOWN = 41 }; /* bytes of a text in a sentence, and the 0 */

/* The beginning of a text, with nothing in it that a terminal would obey. */
static const char *format_show(const char *text, size_t size, char out[FORMAT_SHOWN])
{
    size_t i = 0;
    for (; i < size && i + 1 < FORMAT_SHOWN; i++)
        out[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
    out[i] = '\0';
    return out;
}

/* ---- the flags ---------------------------------------------------------- */

static int format_conflict(const cli_settings *settings)
{
    if (settings->csv && settings->field)
        return cli_complain("--csv and --field both say where the key is; give one of them");
    if (settings->csv && settings->nul)
        return cli_complain("--csv and --nul do not go together: the records of CSV end in "
                            "newlines");
    if (settings->csv_no_header && !settings->csv)
        return cli_complain("--csv-no-header needs --csv, for example --csv 1 --csv-no-header");
    if (settings->delimiter && !settings->csv && !settings->field && !settings->time)
        return cli_complain("--delimiter needs --field or --csv, which say where the key is");
    return CLI_YES;
}

/* One byte, or \t for those whose shell does not write tabs. */
static int format_delimiter(const cli_settings *settings, cli_key_format *format)
{
    const char *text = settings->delimiter;
    format->delimiter = settings->csv ? ',' : '\t';
    if (!text) return CLI_YES;
    format->delimiter = strcmp(text, "\\t") == 0 ? '\t' : text[0];
    if (strcmp(text, "\\t") != 0 && strlen(text) != 1)
        return cli_complain("--delimiter takes one byte, or \\t for a tab, not \"%.60s\"", text);
    if (format->delimiter == '\n' || (settings->csv && strchr("\"\r", format->delimiter)))
        return cli_complain("--delimiter cannot be a newline, nor in CSV a quote or a carriage "
                            "return");
    return CLI_YES;
}

static bool format_is_number(const cli_csv_field *word)
{
    for (size_t i = 0; i < word->size; i++)
        if (word->text[i] < '0' || word->text[i] > '9') return false;
    return word->size > 0;
}

static int format_check_column(const cli_key_format *format, const cli_csv_field *word)
{
    uint64_t number;
    char why[CLI_WHY], shown[FORMAT_SHOWN];
    format_show(word->text, word->size, shown);
    if (!format_is_number(word)) {
        if (format->header) return CLI_YES;
        return cli_complain("without a header columns have no names: give the number of column "
                            "\"%s\", from 1",
                            shown);
    }
    if (!cli_read_u64(word->text, word->size, &number, why) || number < 1 || number > UINT32_MAX)
        return cli_complain("--csv: there is no column %s; columns count from 1", shown);
    return CLI_YES;
}

/* The argument is itself a record of CSV: a name with a comma goes in quotes. */
static int format_wanted(const char *text, cli_key_format *format)
{
    cli_csv_cursor cursor = {text, text + strlen(text), ','};
    cli_csv_found found = CLI_CSV_FIELD;
    while (found == CLI_CSV_FIELD) {
        cli_csv_field *word = &format->wanted[format->wanted_count];
        if (format->wanted_count == CLI_COLUMNS_MOST)
            return cli_complain("--csv takes at most %d columns", CLI_COLUMNS_MOST);
        found = cli_csv_next(&cursor, word);
        if (found > CLI_CSV_LAST) return cli_complain("--csv: %s", cli_csv_reason(found));
        if (format_check_column(format, word) != CLI_YES) return CLI_ERROR;
        format->wanted_count++;
    }
    return CLI_YES;
}

/* Where the time is: one field, or one more column. */
static int format_time(const cli_settings *settings, cli_key_format *format)
{
    const size_t columns = format->wanted_count;
    char why[CLI_WHY];
    format->timed = settings->time != NULL;
    if (!format->timed) return CLI_YES;
    if (settings->csv) {
        if (format_wanted(settings->time, format) != CLI_YES) return CLI_ERROR;
        if (format->wanted_count == columns + 1) return CLI_YES;
        return cli_complain("--time takes one column, not \"%.60s\"", settings->time);
    }
    if (cli_read_u64(settings->time, strlen(settings->time), &format->time_field, why) &&
        format->time_field > 0)
        return CLI_YES;
    return cli_complain("--time: \"%.60s\" is no field; fields count from 1 (columns of --csv have "
                        "names)",
                        settings->time);
}

int cli_read_key_format(const cli_settings *settings, cli_key_format *out)
{
    *out = (cli_key_format){.shape = settings->csv     ? CLI_CSV
                                     : settings->field ? CLI_FIELDS
                                                       : CLI_WHOLE_LINES,
                            .header = settings->csv && !settings->csv_no_header,
                            .u64 = settings->u64,
                            .separator = settings->nul ? '\0' : '\n',
                            .field = settings->field};
    if (format_conflict(settings) != CLI_YES) return CLI_ERROR;
    if (format_delimiter(settings, out) != CLI_YES) return CLI_ERROR;
    if (settings->csv && format_wanted(settings->csv, out) != CLI_YES) return CLI_ERROR;
    return format_time(settings, out);
}

/* ---- columns ------------------------------------------------------------ */

typedef struct format_search {
    size_t found[CLI_COLUMNS_MOST]; /* how often */
    size_t used;
    char names[100]; /* of the header, for the sentence */
} format_search;

static void format_note_name(format_search *search, const cli_csv_field *name)
{
    size_t room = sizeof search->names - search->used;
    char shown[FORMAT_SHOWN];
    int length = snprintf(search->names + search->used, room, "%s%s", search->used ? ", " : "",
                          format_show(name->text, name->size, shown));
    if (length > 0 && (size_t)length < room)
        search->used += (size_t)length;
    else
        search->names[search->used] = '\0';
}

static void format_match(const cli_key_format *format, const cli_csv_field *name, size_t column,
                         cli_columns *out, format_search *search)
{
    for (size_t i = 0; i < format->wanted_count; i++) {
        if (format_is_number(&format->wanted[i])) continue;
        if (!cli_csv_same(&format->wanted[i], name)) continue;
        out->index[i] = column;
        search->found[i]++;
    }
    format_note_name(search, name);
}

static void format_take_numbers(const cli_key_format *format, cli_columns *out,
                                format_search *search)
{
    char unused[CLI_WHY];
    for (size_t i = 0; i < format->wanted_count; i++) {
        uint64_t number = 0;
        if (!format_is_number(&format->wanted[i])) continue;
        cli_read_u64(format->wanted[i].text, format->wanted[i].size, &number, unused);
        out->index[i] = (size_t)number - 1;
        search->found[i] = 1;
    }
}

static bool format_read_header(const cli_key_format *format, cli_csv_cursor *header,
                               cli_columns *out, format_search *search, char why[CLI_WHY])
{
    cli_csv_field name;
    cli_csv_found found = CLI_CSV_FIELD;
    for (size_t column = 0; found == CLI_CSV_FIELD; column++) {
        found = cli_csv_next(header, &name);
        if (found > CLI_CSV_LAST) {
            snprintf(why, CLI_WHY, "%s", cli_csv_reason(found));
            return false;
        }
        format_match(format, &name, column, out, search);
    }
    return true;
}

bool cli_find_columns(const cli_key_format *format, cli_csv_cursor *header, cli_columns *out,
                      char why[CLI_WHY])
{
    format_search search = {.used = 0};
    const char *const begin = header->at;
    *out = (cli_columns){.count = format->wanted_count};
    format_take_numbers(format, out, &search);
    if (format->header && !format_read_header(format, header, out, &search, why)) return false;
    for (size_t i = 0; i < format->wanted_count; i++) {
        char shown[FORMAT_SHOWN];
        format_show(format->wanted[i].text, format->wanted[i].size, shown);
        if (search.found[i] != 1) {
            const char *many = search.found[i] ? "more than one" : "no";
            if (search.names[strspn(search.names, ", ")] == '\0')
                snprintf(why, CLI_WHY,
                         "no column \"%.40s\": the header, which is the first line, names none",
                         shown);
            else
                snprintf(why, CLI_WHY, "%s column \"%.40s\"; give a number, or one of: %.99s", many,
                         shown, search.names);
            header->at = begin;
            return false;
        }
        if (out->index[i] > out->last) out->last = out->index[i];
    }
    return true;
}

/* ---- numbers ------------------------------------------------------------ */

bool cli_read_u64(const char *text, size_t size, uint64_t *out, char why[CLI_WHY])
{
    uint64_t value = 0;
    bool good = size > 0;
    for (size_t i = 0; good && i < size; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';
        good = digit <= 9 && value <= (UINT64_MAX - digit) / 10;
        value = value * 10 + digit;
    }
    char shown[FORMAT_SHOWN];
    if (!good)
        snprintf(why, CLI_WHY, "\"%s\" is not a whole number from 0 to 18446744073709551615",
                 format_show(text, size, shown));
    *out = value;
    return good;
}
