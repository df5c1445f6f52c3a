/* cmd_convert.c - tamis convert: the same set as another kind, without its keys.
 *
 * Only a bitmap knows its keys; of the others a kind follows from another where
 * the bits of the one are the bits of the other.                            */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "filter_files.h"
#include "json.h"
#include "number.h"
#include "result.h"
#include "show.h"
#include "spec.h"
#include "words.h"

static int convert_run(const cli_settings *settings, char *const *files, size_t count);

static const char *const convert_flags[] = {
    "output", "kind",  "parts",    "rate", "capacity", "memory",      "inner", "hash",
    "seed",   "force", "compress", "note", "json",     "secret-file", "quiet", NULL};

static const char *const convert_examples[] = {
    "no more keys will leave: a quarter of the size",
    "tamis convert -k classic -o small.tamis counting.tamis",
    "one filter as 16 shards in one file, and back",
    "tamis convert -k sharded --parts 16 -o sharded.tamis blocked.tamis",
    "a filter of the integers in an exact set",
    "tamis convert -k blocked -p 0.1% -o filter.tamis bitmap.tamis",
    NULL,
};

const cli_command cli_convert = {
    .name = "convert",
    .arguments = "FILTER",
    .summary = "make another kind of a filter, without its keys",
    .description =
        "Writes the same set as a filter of --kind, where no keys are needed for it:\n\n"
        "  counting  to classic (counters that are spread): a quarter or an eighth of\n"
        "            the size, and keys can no longer be removed\n"
        "  blocked   to sharded, with --parts shards: as it lies, cut into stretches\n"
        "  sharded   to blocked, when its shards are such stretches and all are there\n"
        "  bitmap    to every kind: its integers are added, as --u64 does\n\n"
        "All but the last answer every question as the filter did. A bitmap's filter is planned "
        "for --rate (1 % without it) and hashed anew. All other changes of kind need the keys: "
        "build it from them.",
    .memory = "The filter and the new one.",
    .flags = convert_flags,
    .examples = convert_examples,
    .run = convert_run,
};

/* ---- the ways ----------------------------------------------------------- */

typedef tamis_status (*convert_way)(const cli_settings *, const tamis_filter *, uint32_t kind,
                                    tamis_filter **out);

static tamis_status convert_bits(const cli_settings *settings, const tamis_filter *filter,
                                 uint32_t kind, tamis_filter **out)
{
    (void)settings;
    return tamis_convert(filter, kind, out);
}

/* Parts in several files are joined in one. */
static tamis_status convert_to_shards(const cli_settings *settings, const tamis_filter *filter,
                                      uint32_t kind, tamis_filter **out)
{
    tamis_filter *parts[1024]; /* the most that --parts takes */
    const uint32_t count = settings->parts ? (uint32_t)settings->parts : 16;
    (void)kind;
    tamis_status status = tamis_split(filter, count, parts);
    if (status != TAMIS_OK) return status;
    status = tamis_join((const tamis_filter *const *)parts, count, out);
    for (uint32_t i = 0; i < count; i++) tamis_free(parts[i]);
    return status;
}

static tamis_status convert_from_shards(const cli_settings *settings, const tamis_filter *filter,
                                        uint32_t kind, tamis_filter **out)
{
    (void)settings, (void)kind;
    return tamis_unshard(filter, out);
}

static tamis_status convert_add_integers(const tamis_filter *bitmap, tamis_filter *out)
{
    enum { RUN = 1 << 14 };
    uint64_t values[RUN], from = 0;
    for (;;) {
        const size_t count = tamis_bitmap_read(bitmap, from, values, RUN);
        const tamis_keys keys = tamis_keys_u64(values, count);
        tamis_status status = tamis_add_many(out, &keys, NULL);
        if (status != TAMIS_OK || count < RUN) return status;
        if (values[RUN - 1] == UINT64_MAX) return TAMIS_OK;
        from = values[RUN - 1] + 1;
    }
}

static tamis_status convert_integers(const cli_settings *settings, const tamis_filter *filter,
                                     uint32_t kind, tamis_filter **out)
{
    uint8_t secret[16];
    bool given;
    tamis_spec spec;
    if (cli_read_secret(settings, secret, &given) != CLI_YES) return TAMIS_E_SECRET;
    if (cli_read_spec(settings, &spec) != CLI_YES) return TAMIS_E_SPEC;
    spec.kind = kind;
    if (given) spec.secret = secret;
    if (!spec.capacity) spec.capacity = tamis_bitmap_count(filter, 0, UINT64_MAX);
    if (!spec.capacity) spec.capacity = 1;
    if (!(spec.fpr > 0) && !spec.memory) spec.fpr = 0.01;
    tamis_status status = tamis_create(&spec, out);
    if (status == TAMIS_OK) status = convert_add_integers(filter, *out);
    if (status == TAMIS_OK) return status;
    tamis_free(*out);
    *out = NULL;
    return status;
}

/* TAMIS_KIND_ANY: to every other kind. */
static const struct {
    uint32_t from, to;
    convert_way way;
} convert_ways[] = {
    {TAMIS_KIND_COUNTING, TAMIS_KIND_CLASSIC, convert_bits},
    {TAMIS_KIND_BLOCKED, TAMIS_KIND_SHARDED, convert_to_shards},
    {TAMIS_KIND_SHARDED, TAMIS_KIND_BLOCKED, convert_from_shards},
    {TAMIS_KIND_BITMAP, TAMIS_KIND_ANY, convert_integers},
};

enum { CONVERT_WAYS = sizeof convert_ways / sizeof convert_ways[0] };

static convert_way convert_find(uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < CONVERT_WAYS; i++)
        if (convert_ways[i].from == from &&
            (convert_ways[i].to == to || convert_ways[i].to == TAMIS_KIND_ANY))
            return convert_ways[i].way;
    return NULL;
}

/* What this kind can become, for the sentence. */
static int convert_refuse(const tamis_facts *facts, const char *file, const char *wanted)
{
    const char *possible = NULL;
    for (size_t i = 0; i < CONVERT_WAYS; i++)
        if (convert_ways[i].from == facts->kind) possible = tamis_kind_name(convert_ways[i].to);
    if (possible)
        return cli_complain("%s: without its keys a %s filter can become %s, not %s; build the "
                            "other from the keys",
                            file, facts->kind_name, possible, wanted);
    return cli_complain("%s: without its keys a %s filter cannot become another kind (counting, "
                        "blocked, sharded and bitmap can: tamis convert --help); build it from "
                        "the keys",
                        file, facts->kind_name);
}

/* ---- saying it ---------------------------------------------------------- */

static void convert_say(const cli_settings *settings, const tamis_facts *was, const tamis_facts *is)
{
    char before[CLI_SHOWN], after[CLI_SHOWN], rate[CLI_SHOWN];
    const bool exact = (was->abilities & TAMIS_IS_EXACT) != 0; /* has no table of bits */
    cli_show_bytes(exact ? was->memory : (was->bits + 7) / 8, before, sizeof before);
    cli_show_bytes((is->bits + 7) / 8, after, sizeof after);
    cli_show_percent(is->fpr_now, 3, rate);
    cli_remark("%s: %s of %s became %s of %s, a rate of %s now", settings->output, was->kind_name,
               before, is->kind_name, after, rate);
}

static void convert_json(const cli_settings *settings, const tamis_facts *was,
                         const tamis_facts *is)
{
    cli_json_begin_object(NULL);
    cli_json_text("output", settings->output);
    cli_json_text("from", was->kind_name);
    cli_json_result(is);
    cli_json_end_object();
}

/* ---- the command -------------------------------------------------------- */

/* The shape of a filter whose bits stay as they are is not to be chosen. */
static int convert_check_flags(const cli_settings *s, const tamis_facts *facts, uint32_t to)
{
    const bool chosen = s->fpr > 0 || s->capacity || s->memory || s->hash || s->seed || s->inner;
    if (facts->kind == TAMIS_KIND_BITMAP) return CLI_YES;
    if (chosen)
        return cli_complain("--rate, --capacity, --memory, --inner, --hash and --seed are for "
                            "bitmaps; a %s filter keeps what it has",
                            facts->kind_name);
    if (s->parts && to != TAMIS_KIND_SHARDED) return cli_complain("--parts is for --kind sharded");
    return CLI_YES;
}

static int convert_finish(const cli_settings *settings, const tamis_facts *was,
                          tamis_filter *result)
{
    tamis_facts facts;
    int failed = cli_set_note(settings, result);
    if (!failed) failed = cli_save_filter(settings, result, settings->output);
    if (failed) return failed;
    tamis_info(result, &facts);
    if (settings->json)
        convert_json(settings, was, &facts);
    else
        convert_say(settings, was, &facts);
    return CLI_YES;
}

static int convert_filter(const cli_settings *settings, const char *file,
                          const tamis_filter *filter)
{
    const uint32_t to = tamis_kind_id(settings->kind);
    tamis_facts facts;
    tamis_filter *result = NULL;
    tamis_info(filter, &facts);
    if (facts.kind == to) return cli_complain("%s is a %s filter already", file, facts.kind_name);
    const convert_way way = convert_find(facts.kind, to);
    if (!way) return convert_refuse(&facts, file, settings->kind);
    if (convert_check_flags(settings, &facts, to) != CLI_YES) return CLI_ERROR;
    if (way(settings, filter, to, &result) != TAMIS_OK) return cli_complain_of(file);
    int failed = convert_finish(settings, &facts, result);
    tamis_free(result);
    return failed;
}

static int convert_run(const cli_settings *settings, char *const *files, size_t count)
{
    tamis_filter *filter;
    (void)count; /* one, as the table says */
    if (!settings->kind) return cli_complain("which kind shall it become? give -k KIND");
    int failed = cli_check_output(settings, settings->output);
    if (!failed) failed = cli_open_filter(settings, files[0], TAMIS_OPEN_MAP, &filter);
    if (failed) return failed;
    failed = convert_filter(settings, files[0], filter);
    tamis_free(filter);
    return failed;
}
