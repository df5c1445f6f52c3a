/* input.h - the files that keys come from, as one stream of blocks.
 *
 * Files are read one after the other, "-" and no file at all being standard
 * input. A block never spans two files, and ends where a record does; a last
 * line without a line end gets one. Reading is read(2) into the block's own
 * memory: a file that shrinks meanwhile is a shorter file, nothing worse.
 * One thread reads at a time.                                               */
#ifndef CLI_INPUT_H
#define CLI_INPUT_H

#include "key_block.h"

typedef struct cli_input {
    const cli_key_format *format;
    char *const *names;
    size_t name_count;
    bool countable;       /* regular files only: they can be read twice */
    uint64_t total_bytes; /* of the regular files */
    /* where the reading is */
    size_t next_name;
    uint64_t next_number;
    int fd; /* -1: none is open */
    const char *file;
    bool regular, starts_file, ended;
    int wake[2];   /* a pipe that ends the waiting for another one; -1: none is needed */
    int64_t start; /* of standard input, when it is a file */
    char *carry;   /* the beginning of a record whose end is still to be read */
    size_t carry_size, carry_room;
    cli_columns columns;
} cli_input;

/* Looks at every file, and complains of those that cannot be read: missing,
 * forbidden, a folder, or the very file that standard output goes to. Returns
 * CLI_YES or CLI_ERROR; after CLI_YES there is something to close. */
int cli_input_open(cli_input *input, const cli_key_format *format, char *const *names,
                   size_t count);

/* Fills the block with the next whole records. False: there are none left. What
 * goes wrong is left in the block as a fault, and ends the input. */
bool cli_input_fill(cli_input *input, cli_key_block *block);

/* Ends an input that another thread may be waiting for: nothing more is read.
 * Any thread. */
void cli_input_stop(cli_input *input);

/* Back to the beginning; only where `countable`. */
void cli_input_rewind(cli_input *input);

void cli_input_close(cli_input *input);

#endif
