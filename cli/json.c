/* json.c - see json.h.                                                      */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"
#include "utf8.h"

enum { JSON_DEEPEST = 16 };

static unsigned json_depth;
static bool json_filled[JSON_DEEPEST]; /* something stands at this depth already */

/* ---- text --------------------------------------------------------------- */

static void json_escape(uint8_t byte)
{
    static const char plain[] = "\"\\\b\f\n\r\t", words[] = "\"\\bfnrt";
    const char *at = byte ? strchr(plain, byte) : NULL;
    if (at)
        cli_paper_print("\\%c", words[at - plain]);
    else
        cli_paper_print("\\u%04x", byte);
}

static void json_string(const void *bytes, size_t size)
{
    const uint8_t *text = bytes;
    cli_paper_text("\"");
    for (size_t i = 0; i < size;) {
        size_t length = cli_utf8_size(text + i, size - i);
        if (length == 0)
            cli_paper_text("\xef\xbf\xbd");
        else if (text[i] < ' ' || text[i] == '"' || text[i] == '\\' || text[i] == 0x7f)
            json_escape(text[i]);
        else
            cli_paper_write(text + i, length);
        i += length ? length : 1;
    }
    cli_paper_text("\"");
}

/* ---- shape -------------------------------------------------------------- */

static void json_line(void)
{
    cli_paper_text("\n");
    for (unsigned i = 0; i < json_depth; i++) cli_paper_text("  ");
}

/* What stands before every value: a comma, its place, its key. */
static void json_next(const char *key)
{
    if (json_depth > 0) {
        if (json_filled[json_depth - 1]) cli_paper_text(",");
        json_filled[json_depth - 1] = true;
        json_line();
    }
    if (!key) return;
    json_string(key, strlen(key));
    cli_paper_text(": ");
}

static void json_begin(const char *key, const char *bracket)
{
    json_next(key);
    cli_paper_text(bracket);
    if (json_depth == JSON_DEEPEST) abort();
    json_filled[json_depth++] = false;
}

static void json_end(const char *bracket)
{
    bool filled = json_filled[--json_depth];
    if (filled) json_line();
    cli_paper_text(bracket);
    if (json_depth == 0) cli_paper_text("\n");
}

void cli_json_begin_array(const char *key)
{
    json_begin(key, "[");
}

void cli_json_end_array(void)
{
    json_end("]");
}

void cli_json_begin_object(const char *key)
{
    json_begin(key, "{");
}

void cli_json_end_object(void)
{
    json_end("}");
}

/* ---- values ------------------------------------------------------------- */

void cli_json_bytes(const char *key, const void *bytes, size_t size)
{
    json_next(key);
    json_string(bytes, size);
}

void cli_json_text(const char *key, const char *text)
{
    if (text)
        cli_json_bytes(key, text, strlen(text));
    else
        cli_json_none(key);
}

void cli_json_whole(const char *key, uint64_t value)
{
    json_next(key);
    cli_paper_print("%" PRIu64, value);
}

/* The fewest digits that give the same number again. */
static void json_shortest(double value, char *digits, size_t room)
{
    for (int precision = 1; precision <= 17 && isfinite(value); precision++) {
        snprintf(digits, room, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
    }
}

void cli_json_real(const char *key, double value)
{
    char digits[40] = "null";
    json_next(key);
    if (isfinite(value) && value == floor(value) && fabs(value) < 1e15)
        snprintf(digits, sizeof digits, "%.0f", value);
    else
        json_shortest(value, digits, sizeof digits);
    cli_paper_text(digits);
}

void cli_json_none(const char *key)
{
    json_next(key);
    cli_paper_text("null");
}

void cli_json_truth(const char *key, bool value)
{
    json_next(key);
    cli_paper_text(value ? "true" : "false");
}
