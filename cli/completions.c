/* completions.c - what bash, zsh and fish offer after the tab key, written from
 * the tables. manual.h declares it.                                         */
#include <stdio.h>
#include <string.h>

#include "manual.h"
#include "paper.h"
#include "parse.h"

/* ---- shared ------------------------------------------------------------- */

typedef void (*completions_visit)(const cli_command *, const cli_flag *);

/* Calls `visit` for every flag of a command. */
static void completions_flags(const cli_command *command, completions_visit visit)
{
    for (size_t i = 0; command->flags && command->flags[i]; i++) {
        const cli_flag *flag = cli_flag_named(command->flags[i]);
        if (flag) visit(command, flag);
    }
    visit(command, cli_flag_named("help"));
}

static void completions_names(cli_names names, const char *between)
{
    const char *name;
    for (size_t i = 0; (name = cli_name_number(names, i)); i++)
        cli_paper_print("%s%s", i ? between : "", name);
}

static void completions_commands(const char *between)
{
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_number(i)); i++)
        if (!command->hidden) cli_paper_print("%s%s", i ? between : "", command->name);
}

static bool completions_takes_files(const cli_command *command)
{
    return command->arguments && *command->arguments;
}

/* Text between single quotes of a shell, without what zsh's specifications mean. */
static void completions_quoted(const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            cli_paper_text("'\\''");
        else if (strchr(special, *text))
            cli_paper_print("\\%c", *text);
        else
            cli_paper_write(text, 1);
    }
}

/* ---- bash --------------------------------------------------------------- */

static void completions_bash_flag(const cli_command *command, const cli_flag *flag)
{
    (void)command;
    cli_paper_print(" --%s", flag->name);
    if (flag->letter) cli_paper_print(" -%c", flag->letter);
}

/* The flags whose value is of these names, as a pattern of case. */
static bool completions_bash_pattern(cli_names names)
{
    const cli_flag *flag;
    bool first = true;
    for (size_t i = 0; (flag = cli_flag_number(i)); i++) {
        if (flag->type == CLI_SWITCH || flag->names != names) continue;
        cli_paper_print("%s--%s", first ? "    " : "|", flag->name);
        if (flag->letter) cli_paper_print("|-%c", flag->letter);
        first = false;
    }
    return !first;
}

static void completions_bash_values(cli_names names)
{
    if (!completions_bash_pattern(names)) return;
    if (names == CLI_FILES) {
        cli_paper_text(") return ;;\n"); /* bash offers files by itself */
        return;
    }
    cli_paper_text(") COMPREPLY=($(compgen -W '");
    completions_names(names, " ");
    cli_paper_text("' -- \"$word\")); return ;;\n");
}

void cli_complete_bash(void)
{
    const cli_command *command;
    cli_paper_text("# bash completion for tamis: written by `tamis generate bash`.\n"
                   "_tamis() {\n    local word=${COMP_WORDS[COMP_CWORD]} "
                   "before=${COMP_WORDS[COMP_CWORD-1]} flags=\n"
                   "    COMPREPLY=()\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                   "        COMPREPLY=($(compgen -W '");
    completions_commands(" ");
    cli_paper_text(" help --help --version' -- \"$word\"))\n        return\n    fi\n"
                   "    case $before in\n");
    for (int names = CLI_ANYTHING; names <= CLI_TRANSPORTS; names++)
        completions_bash_values((cli_names)names);
    cli_paper_text("    esac\n    case ${COMP_WORDS[1]} in\n    help) COMPREPLY=($(compgen -W '");
    completions_commands(" ");
    cli_paper_text("' -- \"$word\")); return ;;\n");
    for (size_t i = 0; (command = cli_command_number(i)); i++) {
        if (command->hidden) continue;
        cli_paper_print("    %s) flags='", command->name);
        completions_flags(command, completions_bash_flag);
        cli_paper_text("' ;;\n");
    }
    cli_paper_text("    esac\n    case $word in\n"
                   "    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
                   "    esac\n}\ncomplete -o default -F _tamis tamis\n");
}

/* ---- zsh ---------------------------------------------------------------- */

static void completions_zsh_value(const cli_flag *flag)
{
    if (!flag->value) return;
    cli_paper_print(":%s:", flag->value);
    if (flag->names == CLI_FILES) cli_paper_text("_files");
    if (flag->names <= CLI_FILES) return;
    cli_paper_text("(");
    completions_names(flag->names, " ");
    cli_paper_text(")");
}

static void completions_zsh_flag(const cli_command *command, const cli_flag *flag)
{
    (void)command;
    cli_paper_text("            ");
    if (flag->type == CLI_LIST)
        cli_paper_text("'*'");
    else if (flag->letter)
        cli_paper_print("'(-%c --%s)'", flag->letter, flag->name);
    if (flag->letter)
        cli_paper_print("{-%c,--%s%s}'[", flag->letter, flag->name, flag->value ? "=" : "");
    else
        cli_paper_print("'--%s%s[", flag->name, flag->value ? "=" : "");
    completions_quoted(flag->help, "[]\\");
    cli_paper_text("]");
    completions_zsh_value(flag);
    cli_paper_text("' \\\n");
}

static void completions_zsh_commands(void)
{
    const cli_command *command;
    cli_paper_text("    local -a commands\n    commands=(\n");
    for (size_t i = 0; (command = cli_command_number(i)); i++) {
        if (command->hidden) continue;
        cli_paper_print("        '%s:", command->name);
        completions_quoted(command->summary, ":\\");
        cli_paper_text("'\n");
    }
    cli_paper_text("        'help:what a command does'\n    )\n");
}

void cli_complete_zsh(void)
{
    const cli_command *command;
    cli_paper_text("#compdef tamis\n# zsh completion for tamis: written by `tamis generate zsh`.\n"
                   "_tamis() {\n");
    completions_zsh_commands();
    cli_paper_text("    if (( CURRENT == 2 )); then\n        _describe command commands\n"
                   "        return\n    fi\n    local command=$words[2]\n"
                   "    shift words\n    (( CURRENT-- ))\n    case $command in\n"
                   "    help) _describe command commands ;;\n");
    for (size_t i = 0; (command = cli_command_number(i)); i++) {
        if (command->hidden) continue;
        cli_paper_print("    %s)\n        _arguments -s \\\n", command->name);
        completions_flags(command, completions_zsh_flag);
        cli_paper_text(completions_takes_files(command) ? "            '*:file:_files' ;;\n"
                                                        : "            ;;\n");
    }
    cli_paper_text(
        "    esac\n}\n"
        "if [ \"$funcstack[1]\" = _tamis ]; then _tamis \"$@\"; else compdef _tamis tamis; "
        "fi\n");
}

/* ---- fish --------------------------------------------------------------- */

static void completions_fish_flag(const cli_command *command, const cli_flag *flag)
{
    cli_paper_print("complete -c tamis -n '__fish_seen_subcommand_from %s' -l %s", command->name,
                    flag->name);
    if (flag->letter) cli_paper_print(" -s %c", flag->letter);
    if (flag->names == CLI_FILES)
        cli_paper_text(" -r -F");
    else if (flag->value)
        cli_paper_text(" -x");
    if (flag->names > CLI_FILES) {
        cli_paper_text(" -a '");
        completions_names(flag->names, " ");
        cli_paper_text("'");
    }
    cli_paper_text(" -d '");
    completions_quoted(flag->help, "\\");
    cli_paper_text("'\n");
}

void cli_complete_fish(void)
{
    const cli_command *command;
    cli_paper_text("# fish completion for tamis: written by `tamis generate fish`.\n"
                   "complete -c tamis -n __fish_use_subcommand -f\n");
    for (size_t i = 0; (command = cli_command_number(i)); i++) {
        if (command->hidden) continue;
        cli_paper_print("complete -c tamis -n __fish_use_subcommand -a %s -d '", command->name);
        completions_quoted(command->summary, "\\");
        cli_paper_text("'\n");
        completions_flags(command, completions_fish_flag);
        if (!completions_takes_files(command))
            cli_paper_print("complete -c tamis -n '__fish_seen_subcommand_from %s' -f\n",
                            command->name);
    }
    cli_paper_text("complete -c tamis -n __fish_use_subcommand -a help -d 'what a command does'\n"
                   "complete -c tamis -n '__fish_seen_subcommand_from help' -x -a '");
    completions_commands(" ");
    cli_paper_text("'\n");
}
