/* csv.c - see csv.h.                                                        */
#include "csv.h"

#include <string.h>

const char *cli_csv_line_end(const char *at, const char *end)
{
    if (at < end && *at == '\n') return at + 1;
    if (end - at >= 2 && at[0] == '\r' && at[1] == '\n') return at + 2;
    return NULL;
}

/* Moves the cursor to what follows a field that ends at `at`. False: what is
 * there ends no field. */
static bool csv_close(cli_csv_cursor *cursor, const char *at, cli_csv_found *found)
{
    const char *after = at < cursor->end ? cli_csv_line_end(at, cursor->end) : at;
    *found = after ? CLI_CSV_LAST : CLI_CSV_FIELD;
    if (!after && *at == cursor->delimiter) after = at + 1;
    cursor->at = after ? after : at;
    return after != NULL;
}

/* A field whose opening quote is before `from`. */
static cli_csv_found csv_quoted(cli_csv_cursor *cursor, const char *from, cli_csv_field *field)
{
    const char *at = from;
    cli_csv_found found;
    field->doubled = false;
    for (;; at += 2) {
        at = memchr(at, '"', (size_t)(cursor->end - at));
        if (!at) return CLI_CSV_OPEN_QUOTE; /* the cursor is still at the opening one */
        if (cursor->end - at < 2 || at[1] != '"') break;
        field->doubled = true;
    }
    field->text = from;
    field->size = (size_t)(at - from);
    return csv_close(cursor, at + 1, &found) ? found : CLI_CSV_AFTER_QUOTE;
}

static cli_csv_found csv_plain(cli_csv_cursor *cursor, cli_csv_field *field)
{
    const char *at = cursor->at, *const end = cursor->end;
    const char delimiter = cursor->delimiter;
    cli_csv_found found;
    while (at < end && *at != delimiter && *at != '\n' && *at != '"') at++;
    if (at < end && *at == '"') {
        cursor->at = at;
        return CLI_CSV_BARE_QUOTE;
    }
    if (at < end && *at == '\n' && at > cursor->at && at[-1] == '\r') at--;
    field->text = cursor->at;
    field->size = (size_t)(at - cursor->at);
    field->doubled = false;
    csv_close(cursor, at, &found);
    return found;
}

cli_csv_found cli_csv_next(cli_csv_cursor *cursor, cli_csv_field *field)
{
    if (cursor->at < cursor->end && *cursor->at == '"')
        return csv_quoted(cursor, cursor->at + 1, field);
    return csv_plain(cursor, field);
}

/* The usual rest of a record has no quotes and is passed at once. */
cli_csv_found cli_csv_skip(cli_csv_cursor *cursor)
{
    const size_t left = (size_t)(cursor->end - cursor->at);
    const char *stop = memchr(cursor->at, '\n', left);
    const size_t line = stop ? (size_t)(stop - cursor->at) : left;
    if (!memchr(cursor->at, '"', line)) {
        cursor->at = stop ? stop + 1 : cursor->end;
        return CLI_CSV_LAST;
    }
    cli_csv_field unwanted;
    cli_csv_found found;
    do {
        found = cli_csv_next(cursor, &unwanted);
    } while (found == CLI_CSV_FIELD);
    return found;
}

const char *cli_csv_reason(cli_csv_found error)
{
    switch (error) {
    case CLI_CSV_BARE_QUOTE:
        return "a quote inside a field that does not begin with one; put the field between "
               "quotes and write the inner quote twice";
    case CLI_CSV_AFTER_QUOTE:
        return "text after a closing quote; a quote inside a quoted field is written twice";
    case CLI_CSV_OPEN_QUOTE: return "a quote that opens here and is never closed";
    case CLI_CSV_FIELD:
    case CLI_CSV_LAST: break;
    }
    return "nothing wrong";
}

size_t cli_csv_unquote(const cli_csv_field *field, char *out)
{
    const char *at = field->text, *const end = at + field->size;
    char *const begin = out;
    while (at < end) {
        const char *quote = field->doubled ? memchr(at, '"', (size_t)(end - at)) : NULL;
        size_t piece = (size_t)((quote ? quote + 1 : end) - at);
        memcpy(out, at, piece);
        out += piece;
        at += piece + (quote != NULL);
    }
    return (size_t)(out - begin);
}

/* Only doubled fields have quotes inside. */
bool cli_csv_same(const cli_csv_field *one, const cli_csv_field *other)
{
    size_t i = 0, j = 0;
    for (; i < one->size && j < other->size; i++, j++) {
        if (one->text[i] != other->text[j]) return false;
        if (one->text[i] != '"') continue;
        i++;
        j++;
    }
    return i == one->size && j == other->size;
}

static size_t csv_quotes(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++) count += text[i] == '"';
    return count;
}

/* A newline is outside quotes when an even number of quotes is before it: each
 * field has none, or two around it and pairs inside. The number in the whole
 * text is counted at full speed, then taken back from the end. */
size_t cli_csv_whole(const char *text, size_t size)
{
    size_t before = csv_quotes(text, size);
    for (size_t i = size; i-- > 0;) {
        if (text[i] == '"') before--;
        if (text[i] == '\n' && before % 2 == 0) return i + 1;
    }
    return 0;
}
