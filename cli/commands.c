/* commands.c - the one list of commands, in the order of help.              */
#include "commands.h"

#include <string.h>

static const cli_command *const commands_list[] = {
    &cli_plan, &cli_build,  &cli_has,    &cli_add,       &cli_remove,   &cli_count,   &cli_dedup,
    &cli_info, &cli_doctor, &cli_merge,  &cli_intersect, &cli_fold,     &cli_convert, &cli_split,
    &cli_join, &cli_shard,  &cli_verify, &cli_bench,     &cli_generate,
};

const cli_command *cli_command_number(size_t index)
{
    return index < sizeof commands_list / sizeof commands_list[0] ? commands_list[index] : NULL;
}

const cli_command *cli_command_named(const char *name)
{
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_number(i)); i++)
        if (strcmp(command->name, name) == 0) return command;
    return NULL;
}
