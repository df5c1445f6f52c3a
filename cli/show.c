/* show.c - see show.h.                                                      */
#include "show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *cli_plural(uint64_t value)
{
    return value == 1 ? "" : "s";
}

void cli_show_whole(uint64_t value, char out[CLI_SHOWN])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, value);
    char *to = out;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
}

void cli_show_estimate(double value, char out[CLI_SHOWN])
{
    if (value < 0x1p63)
        cli_show_whole((uint64_t)round(value), out);
    else
        snprintf(out, CLI_SHOWN, "no limit");
}

void cli_show_percent(double rate, int digits, char out[CLI_SHOWN])
{
    if (rate >= 1e-6 || rate == 0)
        snprintf(out, CLI_SHOWN, "%.*g %%", digits, 100 * rate);
    else
        snprintf(out, CLI_SHOWN, "%.*g", digits, rate);
}
