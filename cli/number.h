/* number.h - the numbers people type: 200M, 1e9, 1%, 1/1000, 64MiB.
 *
 * Every parser takes the whole text or refuses it: on failure it returns false
 * and writes a sentence that names the text, what is allowed and an example.  */
#ifndef CLI_NUMBER_H
#define CLI_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLI_WHY = 200 }; /* bytes of a sentence */

/* A count of things: digits, 1e9, 1.5e6, and k M G T (thousands). Whole and
 * below 2^63. */
bool cli_parse_count(const char *text, uint64_t *out, char why[CLI_WHY]);

/* A size in bytes: as a count; k M G T are powers of 1024 with or without "iB",
 * of 1000 with "B" (64M = 64MiB, 64MB). */
bool cli_parse_bytes(const char *text, uint64_t *out, char why[CLI_WHY]);

/* A rate between 0 and 1, both excluded: 0.01, 1%, 1/100, 1e-3. */
bool cli_parse_rate(const char *text, double *out, char why[CLI_WHY]);

/* A window: the last so many keys, or the last so much time. One of them is 0. */
typedef struct cli_window {
    uint64_t keys, milliseconds;
} cli_window;

/* A count, or a time in small letters: 10M (keys), 250ms, 30s, 10m (minutes),
 * 1.5h, 7d. */
bool cli_parse_window(const char *text, cli_window *out, char why[CLI_WHY]);

/* A plain number, as a double: 2, 0.85. */
bool cli_parse_real(const char *text, double *out, char why[CLI_WHY]);

/* 16 bytes as 32 hexadecimal digits. */
bool cli_parse_secret(const char *text, uint8_t out[16], char why[CLI_WHY]);

/* Numbers as people read them: "228.5 MiB", "10.0 million", "1.00 %". */
void cli_show_bytes(uint64_t bytes, char *out, size_t room);
void cli_show_count(double count, char *out, size_t room);
void cli_show_rate(double rate, char *out, size_t room);

/* "1 h", "1.5 d", "250 ms"; and as one would type it, exactly: "90m". */
void cli_show_time(uint64_t milliseconds, char *out, size_t room);
void cli_type_time(uint64_t milliseconds, char *out, size_t room);

#endif
