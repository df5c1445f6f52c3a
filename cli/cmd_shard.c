/* cmd_shard.c - tamis shard: which part of a divided filter has a key?       */
#include "commands.h"
#include "filter_files.h"
#include "key_numbers.h"
#include "spec.h"
#include "words.h"

static int shard_run(const cli_settings *settings, char *const *files, size_t count);

static const char *const shard_flags[] = {
    "shards", "filter", "hash", "seed",          "secret-file", "key",       "nul",         "csv",
    "field",  "u64",    "jobs", "csv-no-header", "json",        "delimiter", "no-progress", NULL};

static const char *const shard_examples[] = {
    "which of four nodes has this key?",
    "tamis shard -s 4 -e user:123",
    "the keys of node 2",
    "tamis shard -s 4 keys.txt | sed -n 's/^2\\t//p'",
    "as this filter divides them",
    "tamis shard -f node-0.tamis keys.txt",
    NULL,
};

const cli_command cli_shard = {
    .name = "shard",
    .arguments = "[FILE...]",
    .summary = "print the shard that each key belongs to",
    .description =
        "Prints the shard of each line of the files, or of standard input, from 0, a tab and the "
        "line. The shard is the high half of the 128-bit product of the key's digest and the "
        "number of shards: every process and language can compute it, and tamis split and "
        "sharded filters divide their keys by it.\n\n"
        "Hash, seed and secret must be those of the filter: they are given as for tamis build, "
        "or taken from a filter with -f, whose number of shards counts if it is sharded. Keys of "
        "--key come before the files, and without files nothing else is read.",
    .memory = "About 1 MiB for each thread.",
    .flags = shard_flags,
    .examples = shard_examples,
    .run = shard_run,
};

typedef struct shard_job {
    const tamis_filter *filter; /* for its hash */
    uint32_t shards;
} shard_job;

static bool shard_find(void *ctx, cli_key_block *block)
{
    const shard_job *job = ctx;
    if (tamis_hash_many(job->filter, &block->keys, block->digests) != TAMIS_OK)
        return cli_block_fail(block, tamis_explain());
    for (size_t i = 0; i < block->count; i++)
        block->counts[i] = tamis_shard_of(block->digests[i], job->shards);
    return true;
}

/* ---- the hash ----------------------------------------------------------- */

/* A small filter, for its hash. */
static int shard_make(const cli_settings *settings, tamis_filter **out)
{
    uint8_t secret[16];
    bool given;
    tamis_spec spec = {
        .kind = TAMIS_KIND_BLOCKED, .capacity = 1, .fpr = 0.5, .seed = settings->seed};
    if (cli_read_secret(settings, secret, &given) != CLI_YES) return CLI_ERROR;
    if (settings->hash) spec.hash = tamis_hash_id(settings->hash);
    if (given) spec.secret = secret;
    if (tamis_create(&spec, out) != TAMIS_OK) return cli_complain("%s", tamis_explain());
    return CLI_YES;
}

static int shard_open(const cli_settings *settings, tamis_filter **out)
{
    if (settings->filters.count > 1) return cli_complain("give one filter with -f, not several");
    if (settings->filters.count == 0) return shard_make(settings, out);
    if (settings->hash || settings->seed)
        return cli_complain("-f takes the hash from the filter; leave --hash and --seed out");
    return cli_open_filter(settings, settings->filters.items[0], TAMIS_OPEN_MAP, out);
}

/* Of --shards, or of the filter. */
static int shard_count(const cli_settings *settings, shard_job *job)
{
    tamis_shards shards;
    job->shards = (uint32_t)settings->shards;
    if (tamis_shards_of(job->filter, &shards) != TAMIS_OK)
        return job->shards ? CLI_YES : cli_complain("how many shards are there? give -s N");
    if (job->shards && job->shards != shards.shards)
        return cli_complain("%s is divided into %u shards, not %u; leave -s out",
                            settings->filters.items[0], (unsigned)shards.shards,
                            (unsigned)job->shards);
    job->shards = shards.shards;
    return CLI_YES;
}

static int shard_run(const cli_settings *settings, char *const *files, size_t count)
{
    tamis_filter *filter = NULL;
    shard_job job = {0};
    cli_numbers numbers = {
        .settings = settings, .word = "shard", .doing = "hashing", .ctx = &job, .find = shard_find};
    int status = shard_open(settings, &filter);
    if (status != CLI_YES) return status;
    job.filter = filter;
    if (!cli_takes_digests(filter))
        status = cli_complain("%s works from keys, not from digests: it cannot be divided",
                              settings->filters.items[0]);
    if (status == CLI_YES) status = shard_count(settings, &job);
    if (status == CLI_YES) status = cli_print_numbers(&numbers, files, count);
    tamis_free(filter);
    return status;
}
