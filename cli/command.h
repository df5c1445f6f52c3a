/* command.h - what a command is: a name, words, the flags it takes, and a
 * function. One file a command, its table at the top; main.c lists them.
 *
 * The parser, -h, --help, the man pages and the completions all work from
 * these tables and from the one table of flags in flags.c.                  */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/tamis.h>

#include "number.h"

/* Exit status, as grep's. */
enum { CLI_YES = 0, CLI_NO = 1, CLI_ERROR = 2 };

enum { CLI_LIST_MOST = 64 }; /* values of a flag that may be given often */

/* A flag that may be given several times. */
typedef struct cli_list {
    const char *items[CLI_LIST_MOST];
    size_t count;
} cli_list;

/* Every flag of every command has its place here. Zero is "not given". */
typedef struct cli_settings {
    /* the filter */
    const char *kind;
    uint64_t capacity;
    double fpr;
    uint64_t memory;
    const char *hash;
    uint64_t seed;
    const char *secret_file;
    uint64_t fold;
    uint64_t lines_per_key;
    const char *inner;
    uint64_t parts;
    uint64_t counter_bits, fingerprint_bits, bucket_keys;
    double expansion, tightening;
    bool strict, never_exceed, scale, dense;
    cli_window window;
    /* the keys */
    bool nul, u64, csv_no_header;
    const char *csv;
    uint64_t field;
    const char *delimiter;
    uint64_t jobs;
    /* output */
    const char *output;
    bool json, force, quiet, no_progress;
    const char *compress;
    const char *note;
    /* has and dedup */
    bool absent, count;
    cli_list keys, filters;
    const char *state;
    const char *time;
    /* plan */
    bool deletes, counts, grows, merges, exact, unchanging;
    bool plot;
    const char *svg;
    /* open, verify */
    bool salvage, no_map;
    /* fold, split */
    uint64_t by, to;
    uint64_t shards;
    /* bench */
    cli_list sizes, kinds;
    bool quick, full;
    /* help */
    bool help_short, help_long;
} cli_settings;

typedef enum cli_type {
    CLI_SWITCH, /* bool                   */
    CLI_TEXT,   /* const char *           */
    CLI_COUNT,  /* uint64_t, 200M         */
    CLI_BYTES,  /* uint64_t, 64MiB        */
    CLI_RATE,   /* double, 1%             */
    CLI_REAL,   /* double                 */
    CLI_WINDOW, /* cli_window: 10M, 1h    */
    CLI_LIST    /* cli_list: repeatable   */
} cli_type;

/* What a flag's value names: completions offer it, and the parser refuses a
 * kind, hash or transport that there is not. */
typedef enum cli_names { CLI_ANYTHING, CLI_FILES, CLI_KINDS, CLI_HASHES, CLI_TRANSPORTS } cli_names;

/* Headings of --help and the man pages, in their order. */
typedef enum cli_group {
    CLI_OF_FILTER,
    CLI_OF_KEYS,
    CLI_OF_OUTPUT,
    CLI_OF_ALL,
    CLI_GROUPS
} cli_group;

/* A flag: -p P, --rate P. A switch has a twin that takes it back: --no-json,
 * and --progress for a switch that is called no-progress. */
typedef struct cli_flag {
    char letter; /* 0: none */
    const char *name;
    cli_type type;
    const char *value; /* what the argument is called; NULL for switches */
    const char *help;  /* one line */
    const char *more;  /* further sentences for --help, or NULL */
    size_t offset;     /* in cli_settings */
    cli_group group;
    bool rare; /* not on the one screen of -h */
    cli_names names;
    uint64_t least, most; /* of a count or size; most 0: no limit */
} cli_flag;

/* The flags by their names: "rate", ...; NULL for a name that is none. */
const cli_flag *cli_flag_named(const char *name);

/* Flag `index` of the table, NULL past its end. */
const cli_flag *cli_flag_number(size_t index);

/* Texts are one paragraph or several, with an empty line between them, and are
 * wrapped where they are shown; a line that begins with a space stays as it is.
 *
 * `arguments` is also the rule for their number: a word must be there, a word
 * in brackets may be, and "..." says that its word may be there often; "" is
 * none at all. --help needs no entry in `flags`: every command has it.       */
typedef struct cli_command {
    const char *name;
    const char *arguments;       /* what follows the flags: "[FILE...]" */
    const char *summary;         /* one line, lower case, no full stop */
    const char *description;     /* paragraphs for --help and the man page */
    const char *memory;          /* what it holds in memory */
    const char *status;          /* what 0 and 1 mean here; NULL: 0 done, never 1 */
    const char *const *flags;    /* names, in the order of help; NULL at the end */
    const char *const *examples; /* pairs: what it does, the command; NULL at the end */
    bool hidden;                 /* works, but is not listed */
    int (*run)(const cli_settings *, char *const *arguments, size_t count);
} cli_command;

/* Command `index` of the list, NULL past its end. */
const cli_command *cli_command_number(size_t index);
const cli_command *cli_command_named(const char *name);

#endif
