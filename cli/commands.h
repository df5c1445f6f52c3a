/* commands.h - the tables of all commands, one file each.                   */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "command.h"

extern const cli_command cli_plan, cli_build, cli_has, cli_add, cli_remove, cli_count, cli_dedup,
    cli_merge, cli_intersect, cli_fold, cli_convert, cli_split, cli_join, cli_shard, cli_info,
    cli_doctor, cli_verify, cli_bench, cli_generate;

#endif
