/* timestamp.h - the time that stands in a line of a log.                    */
#ifndef CLI_TIMESTAMP_H
#define CLI_TIMESTAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "number.h"

/* Milliseconds since 1970, from seconds since then (1700000000, 1700000000.25) or
 * from ISO 8601 (2024-05-01, 2024-05-01T12:30:00.5Z, 2024-05-01 12:30+02:00);
 * without a zone it is UTC. Blanks around it are skipped, finer fractions cut.
 * False: `why` says what is there instead. */
bool cli_read_timestamp(const char *text, size_t size, uint64_t *milliseconds, char why[CLI_WHY]);

#endif
