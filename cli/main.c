/* main.c - finds the command, lets its flags be read, and runs it.          */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* signal numbers */
#endif
#include <signal.h>
#include <string.h>

#include "help.h"
#include "nearest.h"
#include "paper.h"
#include "parse.h"
#include "words.h"

static int main_unknown(const char *word)
{
    cli_nearest near = cli_nearest_to(word);
    const cli_command *command;
    if (word[0] == '-')
        return cli_complain("flags follow the command, and %s comes before; see tamis -h", word);
    for (size_t i = 0; (command = cli_command_number(i)); i++)
        if (!command->hidden) cli_nearest_offer(&near, command->name);
    cli_nearest_offer(&near, "help");
    if (near.best)
        return cli_complain("there is no command \"%s\"; did you mean %s?", word, near.best);
    return cli_complain("there is no command \"%s\"; tamis -h lists them", word);
}

/* tamis help [COMMAND] */
static int main_help(char *const *words, size_t count)
{
    const cli_command *command = count ? cli_command_named(words[0]) : NULL;
    if (count && !command) return main_unknown(words[0]);
    if (command)
        cli_help_command(command, true);
    else
        cli_help_tool(false);
    return CLI_YES;
}

static int main_run(const cli_command *command, char **words, size_t count)
{
    static cli_line line; /* large, and settings must outlive every thread */
    if (!cli_parse(command, words, count, &line)) {
        cli_complain("%s", line.mistake);
        return line.bad_value ? CLI_ERROR : cli_usage(command);
    }
    if (line.settings.help_short || line.settings.help_long) {
        cli_help_command(command, line.settings.help_long);
        return CLI_YES;
    }
    if (line.settings.quiet) cli_be_quiet();
    return command->run(&line.settings, line.arguments, line.count);
}

static int main_dispatch(char **words, size_t count)
{
    if (count == 0) {
        cli_complain("a command is missing: plan, build, has, ...; tamis -h lists them");
        return cli_usage(NULL);
    }
    if (strcmp(words[0], "help") == 0) return main_help(words + 1, count - 1);
    if (strcmp(words[0], "-h") == 0 || strcmp(words[0], "--help") == 0) {
        cli_help_tool(words[0][1] == '-');
        return CLI_YES;
    }
    if (strcmp(words[0], "-V") == 0 || strcmp(words[0], "--version") == 0) {
        cli_paper_print("tamis %s\n", tamis_version());
        return CLI_YES;
    }
    const cli_command *command = cli_command_named(words[0]);
    if (!command) return main_unknown(words[0]);
    return main_run(command, words + 1, count - 1);
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); /* a reader that goes away is an error of write() instead */
    return cli_paper_close(main_dispatch(argv + 1, argc > 0 ? (size_t)argc - 1 : 0));
}
