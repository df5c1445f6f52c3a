/* key_stream.h - all keys of an input, worked on by several threads in order.
 *
 * Every thread takes the next block of the input, does with it all that has to
 * be done, and takes another. What may be done in any order (splitting,
 * hashing, asking) runs at once; what may not (reading, changing a filter,
 * printing) passes a gate, one block at a time in the order of the input. So
 * the result is the same for every number of threads, and no key is held
 * longer than its block.                                                    */
#ifndef CLI_KEY_STREAM_H
#define CLI_KEY_STREAM_H

#include "input.h"
#include "progress.h"

/* A step of a job. False ends the job: with a fault in the block if something
 * went wrong, without one if there is nothing more to do. */
typedef bool (*cli_step)(void *ctx, cli_key_block *block);

typedef struct cli_stream_job {
    void *ctx;
    bool count_only; /* blocks are counted, not split: no keys */
    /* Each may be NULL. */
    cli_step work;    /* blocks in any order, by many threads */
    cli_step commit;  /* in the order of the input, one at a time */
    cli_step finish;  /* in any order again */
    cli_step deliver; /* in the order of the input, one at a time */
} cli_stream_job;

/* Threads that -j asks for; without it one per processor that we may use. */
unsigned cli_stream_threads(const cli_settings *settings);

/* Runs the job over the whole input. A fault is said with its file and line,
 * after everything before it was delivered. Returns CLI_YES or CLI_ERROR. */
int cli_stream_run(cli_input *input, const cli_stream_job *job, unsigned threads,
                   cli_progress *progress);

/* Runs the job over the keys of --key, as one block, and then over those of the
 * files; over standard input when there is neither. `what` and `prints` are for
 * the progress. Complains, and returns CLI_YES or CLI_ERROR. */
int cli_stream_keys(const cli_settings *settings, char *const *files, size_t count,
                    const cli_stream_job *job, const char *what, bool prints);

/* Counts the records of a countable input and goes back to its beginning. */
int cli_stream_count(cli_input *input, const cli_settings *settings, uint64_t *count);

#endif
