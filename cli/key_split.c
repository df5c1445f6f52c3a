/* key_split.c - the records of a block and the keys in them; see key_block.h.
 *
 * One loop a shape. Keys are spans of the block's own bytes wherever they lie
 * there as they are; joined columns and fields with doubled quotes are put
 * together in `joined`, whose room is settled first, so that spans stay valid. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "key_block.h"
#include "timestamp.h"

enum { SPLIT_SLOTS = 1 << 13 }; /* the arrays' room at first */
enum { SPLIT_RUN = 240 };       /* bytes counted in one byte, in whole vectors */

static bool split_widen(void **array, size_t slots, size_t width)
{
    void *moved = realloc(*array, slots * width);
    if (moved) *array = moved;
    return moved != NULL;
}

/* Makes room for more keys. */
static bool split_grow(cli_key_block *block, const cli_key_format *format)
{
    size_t slots = block->slots ? 2 * block->slots : SPLIT_SLOTS;
    void *records = block->records, *spans = block->spans, *values = block->values;
    void *digests = block->digests, *answers = block->answers, *times = block->times;
    bool good = split_widen(&records, slots, sizeof *block->records) &&
                split_widen(&spans, slots, sizeof *block->spans) &&
                split_widen(&digests, slots, sizeof *block->digests) &&
                split_widen(&answers, slots, sizeof *block->answers) &&
                (!format->u64 || split_widen(&values, slots, sizeof *block->values)) &&
                (!format->timed || split_widen(&times, slots, sizeof *block->times));
    block->records = records; /* what has moved is kept, even if not all could */
    block->spans = spans;
    block->values = values;
    block->digests = digests;
    block->answers = answers;
    block->times = times;
    if (!good) return cli_block_fail(block, "no memory for the keys of a block");
    block->slots = slots;
    return true;
}

static bool split_put(cli_key_block *block, const cli_key_format *format, const char *begin,
                      const char *end, tamis_span key)
{
    if (block->count == block->slots && !split_grow(block, format)) return false;
    block->records[block->count] =
        (cli_record){(uint32_t)(begin - block->bytes), (uint32_t)(end - block->bytes)};
    block->spans[block->count++] = key;
    return true;
}

/* The time of the record that was put last, which goes again if it has none. */
static bool split_put_time(cli_key_block *block, const cli_key_format *format, const char *text,
                           size_t size)
{
    char why[CLI_WHY];
    if (cli_read_timestamp(text, size, &block->times[block->count - 1], why)) return true;
    block->count--;
    return cli_block_fail_at(block, format->separator, block->records[block->count].begin, why);
}

/* ---- lines -------------------------------------------------------------- */

static void split_lines(cli_key_block *block, const cli_key_format *format)
{
    const char *at = block->bytes, *const end = at + block->size;
    while (at < end) { /* a block ends in a separator */
        const char *stop = memchr(at, format->separator, (size_t)(end - at));
        const tamis_span key = {at, (size_t)(stop - at)};
        if (!split_put(block, format, at, stop + 1, key)) return;
        at = stop + 1;
    }
}

/* Field `wanted` of a line, from 1; 0 is the whole. False: the line has fewer. */
static bool split_field(const cli_key_format *format, uint64_t wanted, const char *at,
                        const char *end, tamis_span *out)
{
    *out = (tamis_span){at, (size_t)(end - at)};
    for (uint64_t field = 1; wanted > 0; field++) {
        const char *stop = memchr(at, format->delimiter, (size_t)(end - at));
        *out = (tamis_span){at, (size_t)((stop ? stop : end) - at)};
        if (field == wanted) return true;
        if (!stop) return false;
        at = stop + 1;
    }
    return true;
}

static bool split_refuse_field(cli_key_block *block, const cli_key_format *format, uint64_t field,
                               const char *at)
{
    char why[CLI_WHY];
    snprintf(why, sizeof why, "no field %llu; another --delimiter?", (unsigned long long)field);
    return cli_block_fail_at(block, format->separator, (size_t)(at - block->bytes), why);
}

/* One line, whose key and time are fields, or whose key is the whole. */
static bool split_line(cli_key_block *block, const cli_key_format *format, const char *at,
                       const char *stop)
{
    tamis_span key, time = {0};
    if (!split_field(format, format->field, at, stop, &key))
        return split_refuse_field(block, format, format->field, at);
    if (format->timed && !split_field(format, format->time_field, at, stop, &time))
        return split_refuse_field(block, format, format->time_field, at);
    if (!split_put(block, format, at, stop + 1, key)) return false;
    return !format->timed || split_put_time(block, format, time.data, time.size);
}

static void split_fields(cli_key_block *block, const cli_key_format *format)
{
    const char *at = block->bytes, *const end = at + block->size;
    while (at < end) {
        const char *stop = memchr(at, format->separator, (size_t)(end - at));
        if (!split_line(block, format, at, stop)) return;
        at = stop + 1;
    }
}

/* ---- CSV ---------------------------------------------------------------- */

/* One copy of every wanted column, with what joins it, fits in the record. */
static bool split_reserve_joined(cli_key_block *block)
{
    size_t room = block->columns.count * block->size;
    block->joined_size = 0;
    if (room <= block->joined_room) return true;
    free(block->joined);
    block->joined = malloc(room);
    block->joined_room = block->joined ? room : 0;
    return block->joined || cli_block_fail(block, "no memory to join columns");
}

/* The key of a record; a time is its last column, and no part of it. */
static tamis_span split_join(cli_key_block *block, const cli_key_format *format,
                             const cli_csv_field *fields)
{
    const size_t count = block->columns.count - format->timed;
    char *const begin = block->joined + block->joined_size;
    char *at = begin;
    if (count == 1 && !fields[0].doubled) return (tamis_span){fields[0].text, fields[0].size};
    for (size_t i = 0; i < count; i++) {
        if (i > 0) *at++ = CLI_JOINT;
        at += cli_csv_unquote(&fields[i], at);
    }
    block->joined_size += (size_t)(at - begin);
    return (tamis_span){begin, (size_t)(at - begin)};
}

/* The wanted fields of the record at the cursor, which moves past it. Returns
 * how the record ended; `seen` counts its fields up to the last wanted one. */
static cli_csv_found split_record(cli_csv_cursor *cursor, const cli_columns *columns,
                                  cli_csv_field *wanted, size_t *seen)
{
    cli_csv_found found = CLI_CSV_FIELD;
    cli_csv_field field;
    for (*seen = 0; found == CLI_CSV_FIELD && *seen <= columns->last; ++*seen) {
        found = cli_csv_next(cursor, &field);
        if (found > CLI_CSV_LAST) return found;
        for (size_t i = 0; i < columns->count; i++)
            if (columns->index[i] == *seen) wanted[i] = field;
    }
    return found == CLI_CSV_FIELD ? cli_csv_skip(cursor) : found;
}

static bool split_refuse_csv(cli_key_block *block, const char *at, cli_csv_found found, size_t seen)
{
    char why[CLI_WHY];
    if (found > CLI_CSV_LAST)
        snprintf(why, sizeof why, "%s", cli_csv_reason(found));
    else
        snprintf(why, sizeof why, "no column %zu: the record has %zu", block->columns.last + 1,
                 seen);
    return cli_block_fail_at(block, '\n', (size_t)(at - block->bytes), why);
}

static void split_csv(cli_key_block *block, const cli_key_format *format)
{
    cli_csv_cursor cursor = {block->bytes + block->head, block->bytes + block->size,
                             format->delimiter};
    cli_csv_field fields[CLI_COLUMNS_MOST];
    size_t seen;
    if (!split_reserve_joined(block)) return;
    while (cursor.at < cursor.end) {
        const char *begin = cursor.at, *blank = cli_csv_line_end(begin, cursor.end);
        if (blank) {
            cursor.at = blank;
            continue;
        }
        cli_csv_found found = split_record(&cursor, &block->columns, fields, &seen);
        if (found != CLI_CSV_LAST || seen <= block->columns.last) {
            split_refuse_csv(block, found > CLI_CSV_LAST ? cursor.at : begin, found, seen);
            return;
        }
        if (!split_put(block, format, begin, cursor.at, split_join(block, format, fields))) return;
        const cli_csv_field *time = &fields[block->columns.count - 1];
        if (format->timed && !split_put_time(block, format, time->text, time->size)) return;
    }
}

/* ---- numbers ------------------------------------------------------------ */

/* A carriage return after a number can only be the rest of a line end. */
static void split_read_numbers(cli_key_block *block, const cli_key_format *format)
{
    char why[CLI_WHY];
    for (size_t i = 0; i < block->count; i++) {
        const char *text = block->spans[i].data;
        size_t size = block->spans[i].size;
        if (size > 0 && text[size - 1] == '\r') size--;
        if (cli_read_u64(text, size, &block->values[i], why)) continue;
        cli_block_fail_at(block, format->separator, block->records[i].begin, why);
        block->count = i;
    }
}

/* ---- all of it ---------------------------------------------------------- */

/* How often a byte occurs. Runs that a byte can count are what the compiler makes
 * wide additions of: 44 GB/s where a wide counter gives 6. */
static uint64_t split_count(const char *text, size_t size, char wanted)
{
    uint64_t count = 0;
    while (size > 0) {
        const size_t run = size < SPLIT_RUN ? size : SPLIT_RUN;
        uint8_t some = 0;
        for (size_t i = 0; i < run; i++) some = (uint8_t)(some + (text[i] == wanted));
        count += some;
        text += run;
        size -= run;
    }
    return count;
}

void cli_block_split(cli_key_block *block, const cli_key_format *format)
{
    block->count = 0;
    switch (format->shape) {
    case CLI_WHOLE_LINES:
        if (format->timed)
            split_fields(block, format);
        else
            split_lines(block, format);
        break;
    case CLI_FIELDS: split_fields(block, format); break;
    case CLI_CSV: split_csv(block, format); break;
    }
    block->lines =
        format->shape == CLI_CSV ? split_count(block->bytes, block->size, '\n') : block->count;
    if (format->u64) split_read_numbers(block, format);
    block->keys = format->u64 ? tamis_keys_u64(block->values, block->count)
                              : tamis_keys_spans(block->spans, block->count);
}

/* Records of CSV are found only by reading them. */
void cli_block_count(cli_key_block *block, const cli_key_format *format)
{
    if (format->shape == CLI_CSV) {
        cli_block_split(block, format);
        return;
    }
    block->lines = split_count(block->bytes, block->size, format->separator);
    block->count = (size_t)block->lines;
}
