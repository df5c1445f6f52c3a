/* manual.h - man pages and completions, written from the tables.            */
#ifndef CLI_MANUAL_H
#define CLI_MANUAL_H

#include "command.h"

/* The page of a command, or of the tool itself for NULL, in roff. */
void cli_manual_page(const cli_command *command);

/* Completions of the whole tool. */
void cli_complete_bash(void);
void cli_complete_zsh(void);
void cli_complete_fish(void);

#endif
