/* test_cli_tables.c - the tables of commands and flags hold together: what help,
 * man pages, completions and the parser take for granted.                   */
#include <ctype.h>
#include <string.h>

#include "support/check.h"

#include "../../cli/command.h"
#include "../../cli/nearest.h"
#include "../../cli/parse.h"

/* ---- flags -------------------------------------------------------------- */

static void flags_are_complete(void **state)
{
    const cli_flag *flag;
    (void)state;
    for (size_t i = 0; (flag = cli_flag_number(i)); i++) {
        check_about("--%s", flag->name);
        size_t length = strlen(flag->help);
        CHECK(cli_flag_named(flag->name) == flag, "another flag has this name");
        CHECK((flag->value == NULL) == (flag->type == CLI_SWITCH), "a value, or a switch");
        CHECK(flag->offset < sizeof(cli_settings), "outside the settings");
        CHECK(!isupper((unsigned char)flag->help[0]), "begins with a capital");
        CHECK(flag->help[length - 1] != '.', "ends with a full stop");
        CHECK(26 + length <= 80, "its line has %zu columns", 26 + length);
        CHECK(!flag->more || flag->more[strlen(flag->more) - 1] == '.', "more has no full stop");
    }
}

static void twins_are_no_flags(void **state)
{
    const cli_flag *flag;
    char twin[64];
    (void)state;
    for (size_t i = 0; (flag = cli_flag_number(i)); i++) {
        if (flag->type != CLI_SWITCH) continue;
        cli_twin(flag, twin, sizeof twin);
        check_about("--%s and --%s", flag->name, twin);
        CHECK(cli_flag_named(twin) == NULL, "both exist");
    }
}

/* ---- commands ----------------------------------------------------------- */

static void commands_take_flags_that_are(void **state)
{
    const cli_command *command;
    (void)state;
    for (size_t i = 0; (command = cli_command_number(i)); i++) {
        bool taken[256] = {['h'] = true};
        for (size_t j = 0; command->flags && command->flags[j]; j++) {
            const cli_flag *flag = cli_flag_named(command->flags[j]);
            check_about("%s --%s", command->name, command->flags[j]);
            CHECK(flag != NULL, "is in no table");
            unsigned char letter = (unsigned char)flag->letter;
            CHECK(!letter || !taken[letter], "-%c has two meanings", letter);
            taken[letter] = true;
            for (size_t k = 0; k < j; k++)
                CHECK(strcmp(command->flags[k], flag->name) != 0, "is listed twice");
        }
    }
}

static void commands_have_their_words(void **state)
{
    const cli_command *command;
    (void)state;
    for (size_t i = 0; (command = cli_command_number(i)); i++) {
        check_about("%s", command->name);
        CHECK(cli_command_named(command->name) == command, "another command has this name");
        CHECK(command->summary && command->run, "no summary, or nothing to run");
        CHECK(islower((unsigned char)command->summary[0]), "the summary begins with a capital");
        CHECK(command->summary[strlen(command->summary) - 1] != '.', "a full stop");
        CHECK(strlen(command->summary) <= 67, "the summary is wider than a screen");
        CHECK(command->hidden || (command->description && command->memory && command->examples),
              "no description, memory cost or examples");
    }
}

/* The words of an example up to what is the shell's: pipes, and the rest. A
 * pattern stands for two files. */
static size_t split_example(char *text, char **words, size_t room)
{
    size_t count = 0;
    for (char *word = strtok(text, " "); word && count + 1 < room; word = strtok(NULL, " ")) {
        if (strpbrk(word, "|<>&;")) break;
        words[count++] = word;
        if (strchr(word, '*')) words[count++] = word;
    }
    return count;
}

/* Runs the parser over an example of the form "tamis COMMAND ...". */
static void check_example(const char *example)
{
    static cli_line line;
    char text[400], *words[40];
    const char *begin = strstr(example, "tamis ");
    CHECK(begin && strlen(begin) < sizeof text, "calls no tamis, or is too long");
    strcpy(text, begin);
    size_t count = split_example(text, words, COUNT(words));
    CHECK(count >= 2, "names no command");
    const cli_command *command = cli_command_named(words[1]);
    CHECK(command != NULL, "there is no command %s", words[1]);
    CHECK(cli_parse(command, words + 2, count - 2, &line), "%s", line.mistake);
}

static void examples_can_be_typed(void **state)
{
    const cli_command *command;
    (void)state;
    for (size_t i = 0; (command = cli_command_number(i)); i++)
        for (size_t j = 0; command->examples && command->examples[j]; j += 2) {
            check_about("%s: %s", command->name, command->examples[j]);
            CHECK(command->examples[j + 1] != NULL, "has no command");
            check_example(command->examples[j + 1]);
        }
}

/* ---- how many arguments ------------------------------------------------- */

static void arguments_are_bounded_by_their_words(void **state)
{
    static const struct {
        const char *words;
        size_t least, most;
    } rows[] = {
        {"", 0, 0},
        {"FILTER", 1, 1},
        {"[FILE...]", 0, SIZE_MAX},
        {"FILTER...", 1, SIZE_MAX},
        {"FILTER [FILE...]", 1, SIZE_MAX},
        {"[FILTER] [FILE...]", 0, SIZE_MAX},
        {"FILTER FILTER...", 2, SIZE_MAX},
        {"WHAT [COMMAND]", 1, 2},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        size_t least, most;
        check_about("\"%s\"", rows[i].words);
        cli_argument_bounds(rows[i].words, &least, &most);
        CHECK(least == rows[i].least && most == rows[i].most, "%zu to %zu", least, most);
    }
}

/* ---- what was meant ----------------------------------------------------- */

static void the_nearest_word_is_found(void **state)
{
    static const char *const words[] = {"plan", "build", "has", "capacity", "never-exceed", "rate"};
    static const struct {
        const char *why, *typed, *meant;
    } rows[] = {
        {"a letter left out", "capcity", "capacity"},
        {"two swapped", "buidl", "build"},
        {"one too many", "haas", "has"},
        {"a beginning", "cap", "capacity"},
        {"a longer beginning", "never", "never-exceed"},
        {"nothing alike", "frobnicate", NULL},
        {"too short to guess", "x", NULL},
        {"nothing", "", NULL},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        cli_nearest near = cli_nearest_to(rows[i].typed);
        check_about("%s: %s", rows[i].why, rows[i].typed);
        for (size_t j = 0; j < COUNT(words); j++) cli_nearest_offer(&near, words[j]);
        CHECK((near.best == NULL) == (rows[i].meant == NULL), "found %s",
              near.best ? near.best : "nothing");
        CHECK(!near.best || strcmp(near.best, rows[i].meant) == 0, "found %s", near.best);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_are_complete),
        cmocka_unit_test(twins_are_no_flags),
        cmocka_unit_test(commands_take_flags_that_are),
        cmocka_unit_test(commands_have_their_words),
        cmocka_unit_test(examples_can_be_typed),
        cmocka_unit_test(arguments_are_bounded_by_their_words),
        cmocka_unit_test(the_nearest_word_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
