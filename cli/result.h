/* result.h - a filter that was made of others, as every command that makes one
 * finishes it and tells it.                                                 */
#ifndef CLI_RESULT_H
#define CLI_RESULT_H

#include "command.h"

/* Kind, size, keys and rate, as keys of the JSON object that is open. */
void cli_json_result(const tamis_facts *facts);

/* Stores --note in the filter, if it was given. Returns CLI_YES or CLI_ERROR. */
int cli_set_note(const cli_settings *settings, tamis_filter *filter);

#endif
