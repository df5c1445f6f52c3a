/* timestamp.c - see timestamp.h.                                            */
#include "timestamp.h"

#include <stdio.h>

/* Milliseconds taken for seconds would lie after the year 5000. */
static const uint64_t timestamp_most = UINT64_C(100000000000);

typedef struct timestamp_text {
    const char *at, *end;
} timestamp_text;

/* ---- pieces ------------------------------------------------------------- */

static bool timestamp_is_digit(const timestamp_text *t)
{
    return t->at < t->end && *t->at >= '0' && *t->at <= '9';
}

static bool timestamp_skip(timestamp_text *t, char wanted)
{
    if (t->at == t->end || *t->at != wanted) return false;
    t->at++;
    return true;
}

/* Exactly `digits` of them, as a number from `least` to `most`. */
static bool timestamp_number(timestamp_text *t, unsigned digits, int64_t least, int64_t most,
                             int64_t *out)
{
    *out = 0;
    for (unsigned i = 0; i < digits; i++) {
        if (!timestamp_is_digit(t)) return false;
        *out = 10 * *out + (*t->at++ - '0');
    }
    return *out >= least && *out <= most;
}

/* ".25", which may be missing, as milliseconds. */
static bool timestamp_fraction(timestamp_text *t, int64_t *milliseconds)
{
    int64_t unit = 100;
    *milliseconds = 0;
    if (!timestamp_skip(t, '.') && !timestamp_skip(t, ',')) return true;
    if (!timestamp_is_digit(t)) return false;
    for (; timestamp_is_digit(t); unit /= 10) *milliseconds += unit * (*t->at++ - '0');
    return true;
}

/* ---- seconds since 1970 ------------------------------------------------- */

static bool timestamp_seconds(timestamp_text t, uint64_t *milliseconds)
{
    uint64_t seconds = 0;
    int64_t fraction;
    if (!timestamp_is_digit(&t)) return false;
    for (; timestamp_is_digit(&t) && seconds < timestamp_most; t.at++)
        seconds = 10 * seconds + (uint64_t)(*t.at - '0');
    if (!timestamp_fraction(&t, &fraction) || t.at != t.end) return false;
    *milliseconds = 1000 * seconds + (uint64_t)fraction;
    return seconds < timestamp_most;
}

/* ---- ISO 8601 ----------------------------------------------------------- */

/* Days from 1970-01-01 to the first of a month of the Gregorian calendar: years
 * begin in March, so that the leap day is the last. */
static int64_t timestamp_days(int64_t year, int64_t month)
{
    const int64_t y = month > 2 ? year : year - 1, m = (month + 9) % 12;
    return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 - 719468;
}

static int64_t timestamp_month_days(int64_t year, int64_t month)
{
    return timestamp_days(month == 12 ? year + 1 : year, month % 12 + 1) -
           timestamp_days(year, month);
}

static bool timestamp_date(timestamp_text *t, int64_t *days)
{
    int64_t year, month, day;
    if (!timestamp_number(t, 4, 1970, 9999, &year) || !timestamp_skip(t, '-')) return false;
    if (!timestamp_number(t, 2, 1, 12, &month) || !timestamp_skip(t, '-')) return false;
    if (!timestamp_number(t, 2, 1, timestamp_month_days(year, month), &day)) return false;
    *days = timestamp_days(year, month) + day - 1;
    return true;
}

/* "12:30", "12:30:59.25"; a leap second is the first of the next minute. */
static bool timestamp_clock(timestamp_text *t, int64_t *milliseconds)
{
    int64_t hour, minute, second = 0, fraction = 0;
    if (!timestamp_number(t, 2, 0, 23, &hour) || !timestamp_skip(t, ':')) return false;
    if (!timestamp_number(t, 2, 0, 59, &minute)) return false;
    if (timestamp_skip(t, ':') &&
        (!timestamp_number(t, 2, 0, 60, &second) || !timestamp_fraction(t, &fraction)))
        return false;
    *milliseconds = ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
    return true;
}

/* "Z", "+02:00", "-0730", "+02", or nothing. */
static bool timestamp_zone(timestamp_text *t, int64_t *milliseconds)
{
    int64_t hours, minutes = 0;
    *milliseconds = 0;
    if (t->at == t->end || timestamp_skip(t, 'Z')) return true;
    const bool west = timestamp_skip(t, '-');
    if (!west && !timestamp_skip(t, '+')) return false;
    if (!timestamp_number(t, 2, 0, 23, &hours)) return false;
    const bool colon = timestamp_skip(t, ':');
    if ((colon || t->at < t->end) && !timestamp_number(t, 2, 0, 59, &minutes)) return false;
    *milliseconds = (west ? -1 : 1) * (hours * 60 + minutes) * 60000;
    return true;
}

static bool timestamp_iso(timestamp_text t, uint64_t *milliseconds)
{
    int64_t days, clock = 0, zone = 0;
    if (!timestamp_date(&t, &days)) return false;
    if (t.at < t.end) {
        if (!timestamp_skip(&t, 'T') && !timestamp_skip(&t, ' ')) return false;
        if (!timestamp_clock(&t, &clock) || !timestamp_zone(&t, &zone)) return false;
    }
    const int64_t time = days * 86400000 + clock - zone;
    *milliseconds = (uint64_t)time;
    return t.at == t.end && time >= 0;
}

/* ---- either ------------------------------------------------------------- */

static bool timestamp_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

bool cli_read_timestamp(const char *text, size_t size, uint64_t *milliseconds, char why[CLI_WHY])
{
    timestamp_text t = {text, text + size};
    char shown[41];
    size_t length = 0;
    while (t.at < t.end && timestamp_is_blank(*t.at)) t.at++;
    while (t.at < t.end && timestamp_is_blank(t.end[-1])) t.end--;
    if (timestamp_seconds(t, milliseconds) || timestamp_iso(t, milliseconds)) return true;
    for (; t.at < t.end && length + 1 < sizeof shown; t.at++)
        shown[length++] = (unsigned char)*t.at < ' ' || *t.at == 0x7f ? '?' : *t.at;
    shown[length] = '\0';
    snprintf(why, CLI_WHY,
             "\"%s\" is not a time: seconds since 1970 (1700000000.5) or ISO 8601 "
             "(2024-05-01T12:30:00Z)",
             shown);
    return false;
}
