/* utf8.h - which bytes are text.                                            */
#ifndef CLI_UTF8_H
#define CLI_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of the character at `text`, or 0 when there is none: overlong forms,
 * surrogates and numbers above U+10FFFF are none. `size` is at least 1. */
size_t cli_utf8_size(const uint8_t *text, size_t size);

/* True when all of it is text that a terminal shows and does not obey. */
bool cli_utf8_is_plain(const void *bytes, size_t size);

#endif
