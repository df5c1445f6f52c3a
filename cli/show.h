/* show.h - numbers for tables: exact, grouped, aligned. number.h has the round
 * ones of running text.                                                     */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <stddef.h>
#include <stdint.h>

enum { CLI_SHOWN = 40 }; /* room for any of them */

/* "1,917,011,676" */
void cli_show_whole(uint64_t value, char out[CLI_SHOWN]);

/* What follows a number of things: "" for one, "s" for any other. */
const char *cli_plural(uint64_t value);

/* The same of an estimate: "about" is for the caller to say; "no limit" for an
 * infinite one. */
void cli_show_estimate(double value, char out[CLI_SHOWN]);

/* "1.0039 %", with `digits` of them that count; "9.98e-10" for small ones. */
void cli_show_percent(double rate, int digits, char out[CLI_SHOWN]);

#endif
