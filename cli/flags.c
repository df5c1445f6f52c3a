/* flags.c - the one table of flags, of all commands together.
 *
 * A command lists the names of those it takes. The parser, -h, --help, the man
 * pages and the completions know nothing but this table, so a flag means the
 * same everywhere and is described once.                                    */
#include <string.h>

#include "command.h"

#define AT(field) offsetof(cli_settings, field)

static const cli_flag flags_table[] = {
    /* ---- the filter ---- */
    {'n', "capacity", CLI_COUNT, "N", "distinct keys it is planned for: 200M, 1e9",
     "Past it the rate rises, slowly at first.", AT(capacity), .group = CLI_OF_FILTER, .least = 1},
    {'p', "rate", CLI_RATE, "P", "false-positive rate at capacity: 1%, 1/1000, 0.01",
     "The share of absent keys that get \"maybe\". Each factor of ten costs about 4.8 bits a key.",
     AT(fpr), .group = CLI_OF_FILTER},
    {'m', "memory", CLI_BYTES, "SIZE", "memory for the filter: 64M, 2GiB, 500MB",
     "K, M and G are powers of 1024; KB, MB and GB of 1000. With both capacity and rate it is a "
     "cap.",
     AT(memory), .group = CLI_OF_FILTER, .least = 1},
    {'k', "kind", CLI_TEXT, "KIND", "kind of filter; tamis plan shows all [by the rate]",
     "Without it: blocked for rates of 0.02 % and above, classic below.", AT(kind),
     .group = CLI_OF_FILTER, .names = CLI_KINDS},
    {0, "scale", CLI_SWITCH, NULL, "let it grow: no capacity to guess",
     "Past the capacity a larger and tighter layer is added, and the rate is kept.", AT(scale),
     .group = CLI_OF_FILTER},
    {0, "window", CLI_WINDOW, "N|TIME", "remember the last N keys (10M), or the last TIME (1h)",
     "TIME is a number with ms, s, m, h or d, in small letters. What is older is forgotten, at the "
     "latest after another quarter of the keys, or half of the time.",
     AT(window), .group = CLI_OF_FILTER},
    {0, "deletes", CLI_SWITCH, NULL, "keys shall be removed again", NULL, AT(deletes),
     .group = CLI_OF_FILTER},
    {0, "counts", CLI_SWITCH, NULL, "it shall know how often a key was added", NULL, AT(counts),
     .group = CLI_OF_FILTER},
    {0, "grows", CLI_SWITCH, NULL, "how many keys will come is not known", NULL, AT(grows),
     .group = CLI_OF_FILTER},
    {0, "merges", CLI_SWITCH, NULL, "filters shall be merged", NULL, AT(merges),
     .group = CLI_OF_FILTER},
    {0, "static", CLI_SWITCH, NULL, "all keys are known, and none will come or go",
     "A kind that is made for this is not built yet; the plan says what comes nearest.",
     AT(unchanging), .group = CLI_OF_FILTER},
    {0, "exact", CLI_SWITCH, NULL, "the keys are whole numbers, and no answer may be wrong", NULL,
     AT(exact), .group = CLI_OF_FILTER},
    {0, "never-exceed", CLI_SWITCH, NULL, "size it so that the expected rate is never above P",
     "Without it the rate may be up to 3 % above P where that spares a bit.", AT(never_exceed),
     .group = CLI_OF_FILTER, .rare = true},
    {0, "strict", CLI_SWITCH, NULL, "refuse what would pass the planned rate", NULL, AT(strict),
     .group = CLI_OF_FILTER},
    {0, "lines-per-key", CLI_COUNT, "N", "blocked, counting: 1 or 2 cache lines a key",
     "Two take less space at rates below 0.02 %, and two reads. Counters are spread without it.",
     AT(lines_per_key), .group = CLI_OF_FILTER, .rare = true, .least = 1, .most = 2},
    {0, "inner", CLI_TEXT, "KIND", "scalable, sharded, twin, window: kind of the parts",
     "Without it: the one that --kind would choose for the rate.", AT(inner),
     .group = CLI_OF_FILTER, .rare = true, .names = CLI_KINDS},
    {0, "parts", CLI_COUNT, "N", "sharded: shards [16]; window: generations [4 or 2]",
     "A window of keys has 4 generations, one of time 2.", AT(parts), .group = CLI_OF_FILTER,
     .rare = true, .least = 1, .most = 1024},
    {0, "counter-bits", CLI_COUNT, "N", "counting: 4 or 8 bits a counter [4]",
     "4 count to 15, 8 to 255.", AT(counter_bits), .group = CLI_OF_FILTER, .rare = true, .least = 4,
     .most = 8},
    {0, "fingerprint-bits", CLI_COUNT, "N", "cuckoo: bits of a fingerprint [by the rate]", NULL,
     AT(fingerprint_bits), .group = CLI_OF_FILTER, .rare = true, .least = 4, .most = 32},
    {0, "bucket-keys", CLI_COUNT, "N", "cuckoo: 2 or 4 keys a bucket [by the rate]", NULL,
     AT(bucket_keys), .group = CLI_OF_FILTER, .rare = true, .least = 2, .most = 4},
    {0, "dense", CLI_SWITCH, NULL, "cuckoo: a bit a key less, and slower", NULL, AT(dense),
     .group = CLI_OF_FILTER, .rare = true},
    {0, "expansion", CLI_REAL, "X", "scaling: each layer is X times larger [2]", NULL,
     AT(expansion), .group = CLI_OF_FILTER, .rare = true},
    {0, "tightening", CLI_REAL, "X", "scaling: each layer's rate is X times the last [0.85]", NULL,
     AT(tightening), .group = CLI_OF_FILTER, .rare = true},
    {0, "fold", CLI_COUNT, "N", "make the size divisible by N, for tamis fold and merge", NULL,
     AT(fold), .group = CLI_OF_FILTER, .rare = true, .least = 1},
    {0, "hash", CLI_TEXT, "NAME", "hash of the keys [xxh3]",
     "xxh3 unless digests must agree with another system; siphash goes with a secret.", AT(hash),
     .group = CLI_OF_FILTER, .rare = true, .names = CLI_HASHES},
    {0, "seed", CLI_COUNT, "N", "seed of the hash [0]",
     "Filters that are to be merged need the same seed.", AT(seed), .group = CLI_OF_FILTER,
     .rare = true},
    {0, "secret-file", CLI_TEXT, "FILE", "hash under the secret in FILE, for hostile keys",
     "FILE holds 16 bytes, or 32 hexadecimal digits; the variable TAMIS_SECRET may hold the digits "
     "instead. A secret is never written to a filter: whoever asks needs it again.",
     AT(secret_file), .group = CLI_OF_FILTER, .rare = true, .names = CLI_FILES},
    {0, "by", CLI_COUNT, "N", "fold to 1/N of the size", NULL, AT(by), .group = CLI_OF_FILTER,
     .least = 1},
    {0, "to", CLI_BYTES, "SIZE", "fold until it takes at most SIZE",
     "By a power of two, the smallest that serves.", AT(to), .group = CLI_OF_FILTER, .least = 1},
    {'s', "shards", CLI_COUNT, "N", "so many shards", NULL, AT(shards), .group = CLI_OF_FILTER,
     .least = 1, .most = 1024},
    {0, "salvage", CLI_SWITCH, NULL, "write a copy of what is left; lost parts say \"maybe\"",
     "No key that was added is ever called absent. Goes with --output.", AT(salvage),
     .group = CLI_OF_FILTER},
    {0, "no-map", CLI_SWITCH, NULL, "read the filter into memory instead of mapping it", NULL,
     AT(no_map), .group = CLI_OF_FILTER, .rare = true},
    {'f', "filter", CLI_LIST, "FILTER", "ask this filter; may be given several times", NULL,
     AT(filters), .group = CLI_OF_FILTER, .names = CLI_FILES},
    {0, "state", CLI_TEXT, "FILE", "go on from the filter in FILE, and leave it there", NULL,
     AT(state), .group = CLI_OF_FILTER, .names = CLI_FILES},
    {'k', "kinds", CLI_LIST, "KIND", "measure this kind; may be given several times [all]", NULL,
     AT(kinds), .group = CLI_OF_FILTER, .names = CLI_KINDS},

    /* ---- the keys ---- */
    {'e', "key", CLI_LIST, "KEY", "take this key; may be given several times", NULL, AT(keys),
     .group = CLI_OF_KEYS},
    {'0', "nul", CLI_SWITCH, NULL, "keys end in NUL instead of a newline", NULL, AT(nul),
     .group = CLI_OF_KEYS},
    {0, "csv", CLI_TEXT, "COLUMN", "keys are in this column of CSV: a name or a number",
     "Quoting as in RFC 4180; columns count from 1; several (id,name) are joined.", AT(csv),
     .group = CLI_OF_KEYS},
    {0, "csv-no-header", CLI_SWITCH, NULL, "the first line of the CSV is data", NULL,
     AT(csv_no_header), .group = CLI_OF_KEYS, .rare = true},
    {0, "field", CLI_COUNT, "N", "keys are field N of each line, counted from 1", NULL, AT(field),
     .group = CLI_OF_KEYS, .least = 1},
    {'d', "delimiter", CLI_TEXT, "CHAR", "between fields [tab], and between columns of CSV [,]",
     NULL, AT(delimiter), .group = CLI_OF_KEYS, .rare = true},
    {0, "u64", CLI_SWITCH, NULL, "keys are whole numbers, hashed as 8 bytes", NULL, AT(u64),
     .group = CLI_OF_KEYS},
    {0, "time", CLI_TEXT, "FIELD", "the time of a line is in this field, or CSV column",
     "Seconds since 1970, with a fraction or without, or ISO 8601 (UTC unless a zone is given). "
     "Fields count from 1, as those of --field; a column of CSV may be a name.",
     AT(time), .group = CLI_OF_KEYS},
    {'j', "jobs", CLI_COUNT, "N", "threads [one per processor]",
     "The result is the same for every number.", AT(jobs), .group = CLI_OF_KEYS, .most = 1024},
    {'n', "sizes", CLI_LIST, "N", "so many keys: 1M, 1e8; may be given several times",
     "1M and 20M without it, and with --full 1M, 10M and 100M.", AT(sizes), .group = CLI_OF_KEYS},
    {'j', "threads", CLI_COUNT, "N", "threads beside one [one per processor]", NULL, AT(jobs),
     .group = CLI_OF_KEYS, .most = 256},
    {0, "quick", CLI_SWITCH, NULL, "short runs, some 20 seconds [as without --full]", NULL,
     AT(quick), .group = CLI_OF_KEYS},
    {0, "full", CLI_SWITCH, NULL, "more sizes and longer runs: some minutes", NULL, AT(full),
     .group = CLI_OF_KEYS},

    /* ---- output ---- */
    {'o', "output", CLI_TEXT, "FILE", "write the result to FILE", NULL, AT(output),
     .group = CLI_OF_OUTPUT, .names = CLI_FILES},
    {'o', "prefix", CLI_TEXT, "PREFIX", "write to PREFIX0.tamis and so on", NULL, AT(output),
     .group = CLI_OF_OUTPUT, .names = CLI_FILES},
    {0, "force", CLI_SWITCH, NULL, "replace a file that is there", NULL, AT(force),
     .group = CLI_OF_OUTPUT},
    {0, "compress", CLI_TEXT, "WITH", "write the filter compressed with zstd or gzip",
     "A compressed filter is read into memory, not mapped.", AT(compress), .group = CLI_OF_OUTPUT,
     .rare = true, .names = CLI_TRANSPORTS},
    {0, "note", CLI_TEXT, "TEXT", "store TEXT in the filter; tamis info shows it", NULL, AT(note),
     .group = CLI_OF_OUTPUT, .rare = true},
    {'v', "absent", CLI_SWITCH, NULL, "print the keys that are certainly absent instead", NULL,
     AT(absent), .group = CLI_OF_OUTPUT},
    {'c', "count", CLI_SWITCH, NULL, "print how many, instead of the lines", NULL, AT(count),
     .group = CLI_OF_OUTPUT},
    {0, "json", CLI_SWITCH, NULL, "print the facts as JSON", NULL, AT(json),
     .group = CLI_OF_OUTPUT},
    {0, "plot", CLI_SWITCH, NULL, "draw rate against bits per key, and size against keys", NULL,
     AT(plot), .group = CLI_OF_OUTPUT},
    {0, "svg", CLI_TEXT, "FILE", "write the same drawing to FILE as SVG", NULL, AT(svg),
     .group = CLI_OF_OUTPUT, .names = CLI_FILES},
    {'q', "quiet", CLI_SWITCH, NULL, "say nothing but errors", NULL, AT(quiet),
     .group = CLI_OF_OUTPUT},
    {0, "no-progress", CLI_SWITCH, NULL, "show no progress on a terminal", NULL, AT(no_progress),
     .group = CLI_OF_OUTPUT, .rare = true},
    {'h', "help", CLI_SWITCH, NULL, "-h: one screen; --help: everything, with examples", NULL,
     AT(help_long), .group = CLI_OF_ALL},
};

#undef AT

enum { FLAGS_COUNT = sizeof flags_table / sizeof flags_table[0] };

const cli_flag *cli_flag_number(size_t index)
{
    return index < FLAGS_COUNT ? &flags_table[index] : NULL;
}

const cli_flag *cli_flag_named(const char *name)
{
    for (size_t i = 0; i < FLAGS_COUNT; i++)
        if (strcmp(flags_table[i].name, name) == 0) return &flags_table[i];
    return NULL;
}
