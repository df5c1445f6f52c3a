/* dedup_window.h - the time of a window, while lines pass it.
 *
 * It comes from the lines themselves (--time) or from the clock of the machine,
 * in milliseconds, and never runs backwards: a line that is older than one before
 * it is taken at that one's time, and counted.                              */
#ifndef CLI_DEDUP_WINDOW_H
#define CLI_DEDUP_WINDOW_H

#include "key_block.h"

typedef struct cli_pace {
    tamis_filter *filter;
    bool timed;    /* the filter goes by time */
    bool by_lines; /* and lines tell it */
    uint64_t now;
    uint64_t late; /* lines that were older than those before */
} cli_pace;

/* Begins with the time that the filter has. Complains when the flags and the
 * filter do not fit together: a time that no window wants, another window than
 * the one in the file `state`. Returns CLI_YES or CLI_ERROR. */
int cli_pace_begin(cli_pace *pace, const cli_settings *settings, tamis_filter *filter,
                   const char *state);

/* Adds the keys of a block in its order, time going on with them, and fills in its
 * answers. `*added` keys were taken when it fails. */
tamis_status cli_pace_add(cli_pace *pace, cli_key_block *block, const tamis_keys *keys,
                          size_t *added);

/* Says how many lines came late, if any did. */
void cli_pace_remark(const cli_pace *pace);

#endif
