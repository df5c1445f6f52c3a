/* spec.h - the flags that shape a filter, as the library's request.         */
#ifndef CLI_SPEC_H
#define CLI_SPEC_H

#include "command.h"

/* Fills `spec` with what the flags say; what they leave open stays 0, and the
 * secret is the caller's to add. Complains of flags that contradict each other.
 * Returns CLI_YES or CLI_ERROR.
 *
 * A window of time is in milliseconds: the tool's unit in every file it makes. */
int cli_read_spec(const cli_settings *settings, tamis_spec *spec);

/* Whether --window was given. */
bool cli_has_window(const cli_settings *settings);

#endif
