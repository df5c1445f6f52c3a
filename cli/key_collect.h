/* key_collect.h - all keys of a call, held until the filter's file is changed.
 *
 * A change of a file is one step, so its keys are read before it: as digests,
 * 8 bytes each, or, for filters that work from keys, as the keys themselves.  */
#ifndef CLI_KEY_COLLECT_H
#define CLI_KEY_COLLECT_H

#include "key_block.h"

/* Keys one after another, with the place where each begins. */
typedef struct cli_collected_text {
    char *bytes;
    size_t size, room;
} cli_collected_text;

typedef struct cli_collected {
    const cli_settings *settings;
    const tamis_filter *filter; /* for its hash */
    bool by_key;
    uint64_t *digests; /* or, by key, the offsets: one more than keys */
    size_t count, room;
    cli_collected_text text;
    uint64_t absent; /* keys that the filter certainly did not hold as they were read, */
    char first[60];  /* and the first of them, for a sentence; set by noting_absent only */
    bool noting_absent;
} cli_collected;

/* Reads the keys of --key, then those of the files; standard input when there is
 * neither. Complains, and returns CLI_YES or CLI_ERROR. Free in any case. */
int cli_collect(cli_collected *keys, char *const *files, size_t count);

/* What was read, for a batch of the library; valid until it is freed. */
tamis_keys cli_collected_keys(const cli_collected *keys);

void cli_collected_free(cli_collected *keys);

#endif
