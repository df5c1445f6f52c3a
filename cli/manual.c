/* manual.c - man pages in roff (man(7)); completions.c has the shells.      */
#include "manual.h"

#include <ctype.h>
#include <string.h>

#include "help.h"
#include "paper.h"
#include "parse.h"

/* ---- text --------------------------------------------------------------- */

/* A dash that people copy stays a dash, and no text becomes a request. */
static void manual_escape(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool starts = i == 0 || text[i - 1] == '\n';
        if (starts && (text[i] == '.' || text[i] == '\'')) cli_paper_text("\\&");
        if (text[i] == '\\')
            cli_paper_text("\\e");
        else if (text[i] == '-')
            cli_paper_text("\\-");
        else
            cli_paper_write(text + i, 1);
    }
}

static void manual_text(const char *text)
{
    manual_escape(text, strlen(text));
}

/* Under a heading: the first paragraph needs no macro. */
static void manual_paragraphs(const char *text)
{
    size_t size;
    const char *paragraph;
    for (bool first = true; (paragraph = cli_next_paragraph(&text, &size)); first = false) {
        bool as_written = *paragraph == ' ';
        if (!first) cli_paper_text(".PP\n");
        if (as_written) cli_paper_text(".nf\n");
        manual_escape(paragraph, size);
        cli_paper_text(as_written ? "\n.fi\n" : "\n");
    }
}

static void manual_heading(const char *heading)
{
    cli_paper_text(".SH \"");
    for (; *heading; heading++) cli_paper_print("%c", toupper((unsigned char)*heading));
    cli_paper_text("\"\n");
}

static void manual_title(const char *name)
{
    cli_paper_text(".TH \"");
    for (; *name; name++) cli_paper_print("%c", toupper((unsigned char)*name));
    cli_paper_print("\" 1 \"\" \"tamis %s\" \"Tamis\"\n", TAMIS_VERSION_STRING);
}

/* ---- parts -------------------------------------------------------------- */

static void manual_flag(const cli_flag *flag)
{
    char text[CLI_FLAG_TEXT];
    cli_paper_text(".TP\n");
    if (flag->letter) cli_paper_print("\\fB\\-%c\\fR, ", flag->letter);
    cli_paper_text("\\fB\\-\\-");
    manual_text(flag->name);
    cli_paper_text("\\fR");
    if (flag->value) cli_paper_print(" \\fI%s\\fR", flag->value);
    cli_paper_text("\n");
    cli_flag_text(flag, text, sizeof text);
    manual_text(text);
    cli_paper_text("\n");
}

static void manual_flags(const cli_command *command)
{
    manual_heading("Options");
    for (int group = 0; group < CLI_GROUPS; group++)
        for (size_t i = 0; command->flags && command->flags[i]; i++) {
            const cli_flag *flag = cli_flag_named(command->flags[i]);
            if (flag && (int)flag->group == group) manual_flag(flag);
        }
    manual_flag(cli_flag_named("help"));
    cli_paper_text(".PP\n");
    manual_paragraphs("Every switch can be taken back (--no-json); the last one given wins.");
}

static void manual_example(bool first, const char *what, const char *command)
{
    if (!first) cli_paper_text(".PP\n");
    manual_text(what);
    cli_paper_text(":\n.PP\n.nf\n.RS 4\n$ ");
    manual_text(command);
    cli_paper_text("\n.RE\n.fi\n");
}

static void manual_examples(const cli_command *command)
{
    if (!command->examples || !command->examples[0]) return;
    manual_heading("Examples");
    for (size_t i = 0; command->examples[i]; i += 2)
        manual_example(i == 0, command->examples[i], command->examples[i + 1]);
}

/* ---- pages -------------------------------------------------------------- */

static void manual_see_also(const cli_command *self)
{
    const cli_command *command;
    bool first = true;
    manual_heading("See also");
    if (self) cli_paper_text(".BR tamis (1)");
    first = !self;
    for (size_t i = 0; (command = cli_command_number(i)); i++) {
        if (command->hidden || command == self) continue;
        cli_paper_print("%s.BR tamis\\-%s (1)", first ? "" : ",\n", command->name);
        first = false;
    }
    cli_paper_text("\n");
}

static void manual_command(const cli_command *command)
{
    char name[64] = "tamis-";
    strncat(name, command->name, sizeof name - 8);
    manual_title(name);
    manual_heading("Name");
    cli_paper_print("tamis\\-%s \\- %s\n", command->name, command->summary);
    manual_heading("Synopsis");
    cli_paper_print("\\fBtamis %s\\fR [\\fIOPTIONS\\fR] \\fI", command->name);
    manual_text(command->arguments ? command->arguments : "");
    cli_paper_text("\\fR\n");
    manual_heading("Description");
    manual_paragraphs(command->description ? command->description : command->summary);
    manual_flags(command);
    if (command->memory) manual_heading("Memory");
    if (command->memory) manual_paragraphs(command->memory);
    manual_heading("Exit status");
    manual_paragraphs(cli_status_text(command));
    manual_examples(command);
    manual_see_also(command);
}

static void manual_list_commands(void)
{
    const cli_command *command;
    manual_heading("Commands");
    for (size_t i = 0; (command = cli_command_number(i)); i++) {
        if (command->hidden) continue;
        cli_paper_print(".TP\n\\fB%s\\fR \\fI", command->name);
        manual_text(command->arguments ? command->arguments : "");
        cli_paper_text("\\fR\n");
        manual_text(command->summary);
        cli_paper_text(".\n");
    }
}

static void manual_tool(void)
{
    const cli_topic *topic;
    manual_title("tamis");
    manual_heading("Name");
    cli_paper_text("tamis \\- filters that know what is certainly not there\n");
    manual_heading("Synopsis");
    cli_paper_text("\\fBtamis\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIFILE\\fR...]\n");
    manual_heading("Description");
    manual_paragraphs(
        "A filter answers, in a few bits per key, whether a key may be in a set: \"certainly not\" "
        "is always true, \"maybe\" is wrong at a rate that you choose. Lines of files or of "
        "standard input are keys. Data goes to standard output, words to standard error; no file "
        "is "
        "overwritten without --force, and none is left half written.");
    manual_list_commands();
    for (size_t i = 0; (topic = cli_topic_number(i)); i++) {
        manual_heading(topic->heading);
        manual_paragraphs(topic->text);
    }
    manual_heading("Examples");
    manual_example(true, "build a filter of a file's lines", "tamis build -o ids.tamis ids.txt");
    manual_example(false, "which of these may be in it?", "tamis has ids.tamis requests.txt");
    manual_see_also(NULL);
}

void cli_manual_page(const cli_command *command)
{
    if (command)
        manual_command(command);
    else
        manual_tool();
}
