/* new_filter.h - a new filter, sized as the flags say or as the input is.     */
#ifndef CLI_NEW_FILTER_H
#define CLI_NEW_FILTER_H

#include "input.h"

/* How a command sizes a filter when the flags leave it open. */
typedef struct cli_sizing_habit {
    double fpr; /* the usual rate */
    bool stays; /* more keys come on other days: it grows rather than being counted for */
} cli_sizing_habit;

/* Makes an empty filter for the keys of `input`. Without a capacity regular
 * files are counted first (and the input goes back to its beginning); for pipes
 * the filter grows. `sizing` tells what was planned. Complains, and returns
 * CLI_YES or CLI_ERROR. */
int cli_new_filter(const cli_settings *settings, cli_input *input, cli_sizing_habit habit,
                   tamis_sizing *sizing, tamis_filter **out);

/* Says that more keys came than were planned for, if so. */
void cli_remark_overfull(const tamis_facts *facts);

#endif
