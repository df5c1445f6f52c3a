/* cmd_count.c - tamis count: how often was a key added?                     */
#include "abilities.h"
#include "commands.h"
#include "filter_files.h"
#include "key_numbers.h"
#include "words.h"

static int count_run(const cli_settings *settings, char *const *arguments, size_t count);

static const char *const count_flags[] = {
    "key",  "nul",    "csv",         "field",       "delimiter", "csv-no-header", "u64", "jobs",
    "json", "no-map", "secret-file", "no-progress", NULL};

static const char *const count_examples[] = {
    "how often was this one seen?",
    "tamis count seen.tamis -e 10.1.2.3",
    "the ten addresses that came most often",
    "sort -u addresses.txt | tamis count seen.tamis | sort -rn | head",
    NULL,
};

const cli_command cli_count = {
    .name = "count",
    .arguments = "FILTER [FILE...]",
    .summary = "print how often each key was added",
    .description =
        "Asks FILTER for each line of the files, or of standard input, and prints how often it was "
        "added and not removed, a tab, and the line. The number is never below the truth, up to "
        "the most that the kind can count: 15 for counting filters (255 with --counter-bits 8), "
        "twice the keys of a bucket for cuckoo. It is above the truth at the filter's rate, by "
        "accident. 0 is certain.\n\n"
        "With --csv or --field the key is a part of the line, and the whole line is printed; a "
        "header of CSV is not. Keys of --key are asked before the files are, and without files "
        "nothing else is. --json gives an array of objects with key and count.\n\n"
        "Classic and blocked filters cannot count; a count that damage makes unknowable is printed "
        "as ?, and is null in JSON.",
    .memory = "About 1 MiB for each thread; the filter is mapped, or read if it is compressed.",
    .status = "0 if a key may be present, 1 if none, 2 an error.",
    .flags = count_flags,
    .examples = count_examples,
    .run = count_run,
};

/* ---- asking ------------------------------------------------------------- */

static bool count_find(void *ctx, cli_key_block *block)
{
    if (tamis_estimate_count_many(ctx, &block->keys, block->counts) == TAMIS_OK) return true;
    return cli_block_fail(block, tamis_explain());
}

/* ---- the command -------------------------------------------------------- */

static int count_open(const cli_settings *settings, const char *name, tamis_filter **filter)
{
    char kinds[160];
    tamis_facts facts;
    *filter = NULL;
    if (cli_open_filter(settings, name, TAMIS_OPEN_MAP, filter) != CLI_YES) return CLI_ERROR;
    if (tamis_verify(*filter, NULL) != TAMIS_OK)
        return cli_complain("%s: %s; tamis verify --salvage keeps what is left", name,
                            tamis_explain());
    if (tamis_abilities(*filter) & TAMIS_CAN_COUNT)
        return cli_check_integers(settings, *filter, name);
    tamis_info(*filter, &facts);
    cli_able_kinds(TAMIS_CAN_COUNT, kinds, sizeof kinds);
    return cli_complain(
        "%s: a %s filter cannot count, it only knows whether a key may be there (tamis has); "
        "those of kind %s can: build it anew with -k",
        name, facts.kind_name, kinds);
}

static int count_run(const cli_settings *settings, char *const *arguments, size_t count)
{
    tamis_filter *filter;
    int status = count_open(settings, arguments[0], &filter);
    cli_numbers numbers = {.settings = settings,
                           .word = "count",
                           .doing = "asking",
                           .ctx = filter,
                           .find = count_find};
    if (status == CLI_YES) status = cli_print_numbers(&numbers, arguments + 1, count - 1);
    tamis_free(filter);
    return status == CLI_YES && numbers.found == 0 ? CLI_NO : status;
}
