/* key_numbers.h - a number for each key, printed before its line.
 *
 * Threads find the numbers of their blocks at once, and print in the order of
 * the input: "3 TAB line", or objects of JSON.                              */
#ifndef CLI_KEY_NUMBERS_H
#define CLI_KEY_NUMBERS_H

#include "key_block.h"

typedef struct cli_numbers {
    const cli_settings *settings;
    const char *word;  /* what the number is called in JSON */
    const char *doing; /* for progress: "asking" */
    void *ctx;
    /* Writes block->counts; UINT64_MAX is a number that nobody knows. False: the
     * block's fault says why. */
    bool (*find)(void *ctx, cli_key_block *block);
    uint64_t found; /* out: keys whose number is not 0 */
} cli_numbers;

/* The keys of --key, then those of the files; standard input when there is
 * neither. Complains, and returns CLI_YES or CLI_ERROR. */
int cli_print_numbers(cli_numbers *numbers, char *const *files, size_t count);

#endif
