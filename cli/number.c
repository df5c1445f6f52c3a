/* number.c - see number.h.                                                  */
#include "number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The number at the start of `text`, or NULL; otherwise where it ends. Hex,
 * "inf" and "nan", which strtod takes, are no numbers here. */
static const char *number_scan(const char *text, double *out)
{
    char *end;
    if (!isdigit((unsigned char)text[0]) && text[0] != '.') return NULL;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return NULL;
    errno = 0;
    *out = strtod(text, &end);
    if (end == text || errno == ERANGE || !isfinite(*out)) return NULL;
    return end;
}

static bool number_refuse(char *why, const char *text, const char *what)
{
    snprintf(why, CLI_WHY, "\"%.60s\" is not %s", text, what);
    return false;
}

/* The power of `base` that a suffix letter stands for, or 0. */
static double number_scale(char letter, double base)
{
    static const char letters[] = "kmgtp";
    const char *at = letter ? strchr(letters, tolower((unsigned char)letter)) : NULL;
    return at ? pow(base, (double)(at - letters + 1)) : 0;
}

/* 16.1k is whole, although 16.1 times 1000 is not, by the last bits of a double. */
static bool number_whole(double value, uint64_t *out)
{
    double whole = nearbyint(value);
    if (!(whole < 0x1p63) || fabs(value - whole) > 0x1p-51 * value) return false;
    *out = (uint64_t)whole;
    return true;
}

/* Digits alone are read exactly; a double would round above 2^53. */
static bool number_digits(const char *text, uint64_t *out)
{
    char *end;
    if (text[strspn(text, "0123456789")] != '\0' || !*text) return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || value >= UINT64_C(1) << 63) return false;
    *out = value;
    return true;
}

bool cli_parse_count(const char *text, uint64_t *out, char why[CLI_WHY])
{
    static const char what[] = "a count: write 200000000, 200M or 2e8 (whole, below 9.2e18)";
    double value;
    if (number_digits(text, out)) return true;
    const char *end = number_scan(text, &value);
    if (!end) return number_refuse(why, text, what);
    double scale = number_scale(*end, 1000);
    if (scale > 0) {
        value *= scale;
        end++;
    }
    if (*end != '\0' || !number_whole(value, out)) return number_refuse(why, text, what);
    return true;
}

/* Largest first, for showing. */
static const struct {
    const char *word;
    double milliseconds;
} number_times[] = {{"d", 86400000}, {"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1}};

enum { NUMBER_TIMES = sizeof number_times / sizeof number_times[0] };

/* Small letters only: 10M is a number of keys. */
bool cli_parse_window(const char *text, cli_window *out, char why[CLI_WHY])
{
    static const char what[] = "a window: write 10M for so many keys, or a time such as 30s, 10m "
                               "(minutes), 1.5h, 7d";
    double value;
    char unused[CLI_WHY];
    *out = (cli_window){0};
    const char *end = number_scan(text, &value);
    for (size_t i = 0; end && i < NUMBER_TIMES; i++) {
        if (strcmp(end, number_times[i].word) != 0) continue;
        if (number_whole(value * number_times[i].milliseconds, &out->milliseconds) &&
            out->milliseconds > 0)
            return true;
        return number_refuse(why, text, what);
    }
    if (cli_parse_count(text, &out->keys, unused) && out->keys > 0) return true;
    return number_refuse(why, text, what);
}

/* What follows a size: nothing, B, K, KB, KiB. */
static double number_byte_scale(const char *suffix)
{
    if (strcasecmp(suffix, "") == 0 || strcasecmp(suffix, "b") == 0) return 1;
    if (strcmp(suffix + 1, "") == 0 || strcasecmp(suffix + 1, "ib") == 0)
        return number_scale(suffix[0], 1024);
    if (strcasecmp(suffix + 1, "b") == 0) return number_scale(suffix[0], 1000);
    return 0;
}

bool cli_parse_bytes(const char *text, uint64_t *out, char why[CLI_WHY])
{
    static const char what[] = "a size: write 1048576, 64M (or 64MiB, of 1024) or 64MB (of 1000)";
    double value;
    if (number_digits(text, out)) return true;
    const char *end = number_scan(text, &value);
    double scale = end ? number_byte_scale(end) : 0;
    if (!(scale > 0) || !number_whole(floor(value * scale), out))
        return number_refuse(why, text, what);
    return true;
}

bool cli_parse_rate(const char *text, double *out, char why[CLI_WHY])
{
    static const char what[] = "a rate between 0 and 1: write 0.01, 1% or 1/100";
    double value, divisor = 1;
    const char *end = number_scan(text, &value);
    if (end && *end == '%') {
        divisor = 100;
        end++;
    } else if (end && *end == '/') {
        end = number_scan(end + 1, &divisor);
    }
    if (!end || *end != '\0' || !(divisor > 0)) return number_refuse(why, text, what);
    value /= divisor;
    if (!(value > 0 && value < 1)) return number_refuse(why, text, what);
    *out = value;
    return true;
}

bool cli_parse_real(const char *text, double *out, char why[CLI_WHY])
{
    const char *end = number_scan(text, out);
    if (!end || *end != '\0') return number_refuse(why, text, "a number: write 2 or 0.85");
    return true;
}

static int number_hex(char digit)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = digit ? strchr(digits, tolower((unsigned char)digit)) : NULL;
    return at ? (int)(at - digits) : -1;
}

bool cli_parse_secret(const char *text, uint8_t out[16], char why[CLI_WHY])
{
    bool good = strlen(text) == 32;
    for (size_t i = 0; good && i < 16; i++) {
        int high = number_hex(text[2 * i]), low = number_hex(text[2 * i + 1]);
        good = high >= 0 && low >= 0;
        if (good) out[i] = (uint8_t)(high << 4 | low);
    }
    if (!good) /* the text itself is a secret: it is not repeated */
        snprintf(why, CLI_WHY, "a secret is 32 hexadecimal digits (16 bytes)");
    return good;
}

/* ---- showing ------------------------------------------------------------ */

void cli_show_bytes(uint64_t bytes, char *out, size_t room)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 1024 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    snprintf(out, room, unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

void cli_show_count(double count, char *out, size_t room)
{
    static const char *const names[] = {"", " thousand", " million", " billion", " trillion"};
    size_t name = 0;
    while (count >= 1e6 && name + 1 < sizeof names / sizeof names[0]) {
        count /= 1000;
        name++;
    }
    while (name > 0 && count >= 1000 && name + 1 < sizeof names / sizeof names[0]) {
        count /= 1000;
        name++;
    }
    snprintf(out, room, name ? "%.2f%s" : "%.0f%s", count, names[name]);
}

void cli_show_rate(double rate, char *out, size_t room)
{
    if (rate >= 1e-4)
        snprintf(out, room, "%.3g %%", 100 * rate);
    else
        snprintf(out, room, rate > 0 ? "1 in %.3g" : "0", 1 / rate);
}

void cli_show_time(uint64_t milliseconds, char *out, size_t room)
{
    size_t unit = 0;
    while (unit + 1 < NUMBER_TIMES && (double)milliseconds < number_times[unit].milliseconds)
        unit++;
    snprintf(out, room, "%.4g %s", (double)milliseconds / number_times[unit].milliseconds,
             number_times[unit].word);
}

void cli_type_time(uint64_t milliseconds, char *out, size_t room)
{
    size_t unit = 0;
    while (unit + 1 < NUMBER_TIMES && milliseconds % (uint64_t)number_times[unit].milliseconds)
        unit++;
    snprintf(out, room, "%.0f%s", (double)milliseconds / number_times[unit].milliseconds,
             number_times[unit].word);
}
