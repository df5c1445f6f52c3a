/* json.h - facts for programs, on standard output.
 *
 * Keys appear in the order in which they are written, and numbers that JSON
 * does not have (infinite, none) are null. `key` is NULL inside an array. Text
 * that is not UTF-8 (a file name) keeps what is, with U+FFFD for the rest.   */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void cli_json_begin_array(const char *key);
void cli_json_end_array(void);
void cli_json_begin_object(const char *key);
void cli_json_end_object(void);

void cli_json_text(const char *key, const char *text); /* NULL: null */
void cli_json_bytes(const char *key, const void *bytes, size_t size);
void cli_json_whole(const char *key, uint64_t value);
void cli_json_real(const char *key, double value);
void cli_json_truth(const char *key, bool value);
void cli_json_none(const char *key); /* null */

#endif
