/* plan_sheet.h - a plan on paper: every kind in a row, for people and programs. */
#ifndef CLI_PLAN_SHEET_H
#define CLI_PLAN_SHEET_H

#include "command.h"

enum { CLI_PLAN_ROWS = 32, CLI_PLAN_NEED = 300 };

typedef struct cli_plan_sheet {
    const cli_settings *settings;
    tamis_spec spec;
    tamis_sizing rows[CLI_PLAN_ROWS];
    size_t count;
    const tamis_sizing *best; /* recommended, or the first that serves */
} cli_plan_sheet;

/* "200,000,000 keys at 1 % in at most 64.0 MiB, with deletes", of what was given. */
void cli_plan_need(const cli_plan_sheet *sheet, char out[CLI_PLAN_NEED]);

void cli_plan_show(const cli_plan_sheet *sheet);
void cli_plan_json(const cli_plan_sheet *sheet);

#endif
