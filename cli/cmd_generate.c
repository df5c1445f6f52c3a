/* cmd_generate.c - tamis generate: man pages and completions, for the build. It
 * is not listed: people read what it writes.                                */
#include <string.h>

#include "commands.h"
#include "manual.h"
#include "words.h"

static int generate_run(const cli_settings *settings, char *const *words, size_t count);

const cli_command cli_generate = {
    .name = "generate",
    .arguments = "WHAT [COMMAND]",
    .summary = "man pages and completions: man [COMMAND], bash, zsh, fish",
    .description = "Prints a man page (of tamis, or of one command) or the completions of a shell, "
                   "from the same tables as --help.",
    .memory = "Next to none.",
    .hidden = true,
    .run = generate_run,
};

static int generate_man(char *const *words, size_t count)
{
    const cli_command *command = count > 1 ? cli_command_named(words[1]) : NULL;
    if (count > 1 && !command) return cli_complain("there is no command \"%s\"", words[1]);
    cli_manual_page(command);
    return CLI_YES;
}

static int generate_run(const cli_settings *settings, char *const *words, size_t count)
{
    (void)settings;
    if (strcmp(words[0], "man") == 0) return generate_man(words, count);
    if (count > 1) return cli_complain("only generate man takes a command");
    if (strcmp(words[0], "bash") == 0)
        cli_complete_bash();
    else if (strcmp(words[0], "zsh") == 0)
        cli_complete_zsh();
    else if (strcmp(words[0], "fish") == 0)
        cli_complete_fish();
    else
        return cli_complain("generate makes man, bash, zsh or fish, not \"%s\"", words[0]);
    return CLI_YES;
}
