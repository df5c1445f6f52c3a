/* nearest.h - what somebody may have meant.                                 */
#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

/* Looks for the word nearest to what was typed: offer it every word there is,
 * then take `best`, which is NULL when none is near enough. */
typedef struct cli_nearest {
    const char *typed;
    const char *best;
    size_t distance;
} cli_nearest;

cli_nearest cli_nearest_to(const char *typed);
void cli_nearest_offer(cli_nearest *nearest, const char *word);

#endif
