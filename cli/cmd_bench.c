/* cmd_bench.c - tamis bench: this machine, this library, and what the memory
 * itself allows, side by side.
 *
 * The measuring is in measure/, which bench/ shares. One filter at a time is
 * measured and printed, so that what has been printed stands when somebody
 * loses patience.                                                           */
#include <string.h>

#include "bench_report.h"
#include "commands.h"
#include "number.h"
#include "paper.h"
#include "parse.h"
#include "progress.h"
#include "show.h"
#include "words.h"

static int bench_run(const cli_settings *settings, char *const *arguments, size_t count);

static const char *const bench_flags[] = {"sizes", "kinds", "rate",  "threads",     "quick",
                                          "full",  "json",  "quiet", "no-progress", NULL};

static const char *const bench_examples[] = {
    "this machine, in about a quarter of a minute",
    "tamis bench",
    "one kind, from the first cache to the memory",
    "tamis bench -k blocked -n 10k -n 1M -n 100M",
    "everything, to be kept",
    "tamis bench --full --json > bench.json",
    NULL,
};

const cli_command cli_bench = {
    .name = "bench",
    .arguments = "",
    .summary = "measure the filters on this machine, beside its memory's limit",
    .description =
        "Builds a filter of each kind and size, for a rate of 1 % unless --rate says another, and "
        "says what it costs to add a key, to ask for "
        "one that is there (hit) and one that is not (miss), and for both in random order (mix): "
        "one call a key or batches of 65,536 keys, with one thread and with all. Keys are strings "
        "of 20 to 60 bytes, 64-bit integers (u64), or digests, which were hashed before. "
        "Kinds that are made of others are measured over the kind that is chosen for the rate; a "
        "scalable filter was planned for a seventh of its keys. A bitmap is not measured: what it "
        "costs depends on the integers. Adds go "
        "to a filter between half full and full; build fills an empty one. The head of each block "
        "has the size, the rate measured with ten million absent keys, and the bits over "
        "log2(1/rate), which is 1 for a perfect filter and 1.44 for a perfect Bloom filter.\n\n"
        "The last lines are the memory's own limit: the best time in which this machine reads (or, "
        "under add, changes) one word of a random cache line in a buffer of the filter's size. A "
        "blocked filter needs one line a key, so no program can make it faster than that.\n\n"
        "Every cost is the least of many short runs, since a machine is seldom quiet; --json has "
        "the medians too. Below some thousand keys a run is too short for the clock.",
    .memory = "About four times the largest filter, and up to 1 GB of keys.",
    .flags = bench_flags,
    .examples = bench_examples,
    .run = bench_run,
};

enum { BENCH_LARGE = 10000000 }; /* keys: from here on whole builds take long */

typedef struct bench_job {
    const cli_settings *settings;
    double rate;
    unsigned threads, rounds, slices;
    uint64_t sizes[CLI_LIST_MOST];
    size_t size_count;
    const char *kinds[CLI_LIST_MOST];
    size_t kind_count;
    cli_progress progress;
} bench_job;

/* ---- what is asked for -------------------------------------------------- */

static int bench_read_sizes(bench_job *job)
{
    static const uint64_t usual[] = {1000000, 20000000}, full[] = {1000000, 10000000, 100000000};
    const cli_list *given = &job->settings->sizes;
    char why[CLI_WHY];
    const bool all = job->settings->full;
    job->size_count = all ? 3 : 2;
    memcpy(job->sizes, all ? full : usual, job->size_count * sizeof *job->sizes);
    if (given->count) job->size_count = given->count;
    for (size_t i = 0; i < given->count; i++) {
        if (!cli_parse_count(given->items[i], &job->sizes[i], why))
            return cli_complain("--sizes: %s", why);
        if (job->sizes[i] == 0) return cli_complain("--sizes: 0 keys cannot be measured; try 1M");
    }
    return CLI_YES;
}

/* All kinds that can be measured, or those of --kinds. */
static int bench_read_kinds(bench_job *job)
{
    const cli_list *given = &job->settings->kinds;
    static subject trial;
    const char *name;
    for (size_t i = 0; (name = given->count ? given->items[i] : cli_name_number(CLI_KINDS, i));
         i++) {
        if (subject_init(&trial, name, 1, 0, job->rate))
            job->kinds[job->kind_count++] = name;
        else if (given->count)
            return cli_complain("--kinds: %s takes no keys one after another, so there is nothing "
                                "to measure here",
                                name);
        if (job->kind_count == CLI_LIST_MOST || i + 1 == given->count) break;
    }
    return CLI_YES;
}

static int bench_read(bench_job *job)
{
    const cli_settings *settings = job->settings;
    if (settings->quick && settings->full) return cli_complain("give --quick or --full, not both");
    job->rate = settings->fpr > 0 ? settings->fpr : 0.01;
    job->threads = settings->jobs ? (unsigned)settings->jobs : bench_processors();
    job->rounds = settings->full ? 5 : 2;
    job->slices = settings->full ? 8 : 4;
    if (bench_read_sizes(job) != CLI_YES) return CLI_ERROR;
    return bench_read_kinds(job);
}

/* Before anything is measured: the system would rather kill us than say no. */
static int bench_check_memory(const bench_job *job, const char *kind, uint64_t keys)
{
    static subject trial;
    const keys_store store = keys_for(keys);
    const uint64_t have = bench_free_memory();
    char needs[CLI_SHOWN], has[CLI_SHOWN], shown[CLI_SHOWN];
    subject_init(&trial, kind, keys, 0, job->rate);
    const uint64_t filters = subject_memory(&trial);
    if (filters == 0) return cli_complain("%s: %s", kind, tamis_explain());
    const uint64_t all = filters + filters / 3 + keys_bytes(&store);
    if (have == 0 || all <= have) return CLI_YES;
    cli_show_bytes(all, needs, sizeof needs);
    cli_show_bytes(have, has, sizeof has);
    cli_show_whole(keys, shown);
    return cli_complain("%s with %s keys needs %s to be measured, and %s are free; give a smaller "
                        "-n, or a kind that is smaller with -k",
                        kind, shown, needs, has);
}

static int bench_check(const bench_job *job)
{
    for (size_t i = 0; i < job->size_count; i++)
        for (size_t k = 0; k < job->kind_count; k++)
            if (bench_check_memory(job, job->kinds[k], job->sizes[i]) != CLI_YES) return CLI_ERROR;
    return CLI_YES;
}

/* ---- measuring ---------------------------------------------------------- */

static void bench_add_rows(subject *s, unsigned threads)
{
    for (unsigned form = KEYS_FORMS; form-- > 0;) { /* strings, the usual keys, come first */
        subject_row(s, ROW_SINGLE, (keys_form)form, 1, NULL);
        subject_row(s, ROW_BATCH, (keys_form)form, 1, NULL);
    }
    subject_row(s, ROW_BUILD, KEYS_DIGESTS, 1, NULL);
    if (threads == 1) return;
    subject_row(s, ROW_SINGLE, KEYS_DIGESTS, threads, NULL);
    subject_row(s, ROW_BATCH, KEYS_DIGESTS, threads, NULL);
    subject_row(s, ROW_BUILD, KEYS_DIGESTS, threads, NULL);
}

static void bench_measure_lines(cli_bench_result *result, memory_lines *lines)
{
    for (unsigned verb = 0; verb < MEMORY_VERBS; verb++) {
        memory_measure(&result->alone, (memory_verb)verb, lines, 3, 1);
        if (result->threads > 1)
            memory_measure(&result->together, (memory_verb)verb, lines, 1, result->threads);
    }
}

/* Limit and filter in turn, so that a bad moment of the machine hits both. */
static void bench_measure(const bench_job *job, cli_bench_result *result, const keys_store *store)
{
    subject *s = &result->subject;
    memory_lines lines = {.digests = store->digests[KEYS_MIX], .digest_count = store->count};
    subject_start(s, store);
    lines.count = s->bytes / 64 + (s->bytes < 64);
    result->line_bytes = lines.count * 64;
    lines.bytes = bench_buffer(result->line_bytes, true);
    for (unsigned round = 0; round < job->rounds; round++) {
        bench_measure_lines(result, &lines);
        subject_round(s, store, job->slices, s->keys < BENCH_LARGE || round == 0);
    }
    bench_buffer_free(lines.bytes, result->line_bytes);
    subject_end(s);
}

static void bench_one(bench_job *job, const char *kind, const keys_store *store, uint64_t keys)
{
    static cli_bench_result result; /* large */
    char words[120], shown[CLI_SHOWN];
    cli_show_whole(keys, shown);
    snprintf(words, sizeof words, "measuring %s, %s keys", kind, shown);
    cli_progress_say(&job->progress, words);
    memset(&result, 0, sizeof result);
    result.threads = job->threads;
    subject_init(&result.subject, kind, keys, 0, job->rate);
    bench_add_rows(&result.subject, job->threads);
    bench_measure(job, &result, store);
    cli_progress_say(&job->progress, "");
    if (job->settings->json)
        cli_bench_result_json(&result);
    else
        cli_bench_result_print(&result);
    cli_paper_flush();
}

static void bench_all_sizes(bench_job *job)
{
    for (size_t i = 0; i < job->size_count && !cli_paper_is_gone(); i++) {
        keys_store store = keys_for(job->sizes[i]);
        keys_make(&store);
        for (size_t k = 0; k < job->kind_count && !cli_paper_is_gone(); k++)
            bench_one(job, job->kinds[k], &store, job->sizes[i]);
        keys_free(&store);
    }
}

static int bench_run(const cli_settings *settings, char *const *arguments, size_t count)
{
    static bench_job job;
    bench_machine machine;
    (void)arguments, (void)count;
    job = (bench_job){.settings = settings};
    if (bench_read(&job) != CLI_YES || bench_check(&job) != CLI_YES) return CLI_ERROR;
    bench_describe(&machine);
    cli_progress_begin(&job.progress, settings, "measuring", 0, false);
    cli_bench_begin(&machine, job.rate, settings->json);
    cli_paper_flush();
    bench_pin(0);
    bench_all_sizes(&job);
    cli_bench_end(settings->json);
    cli_progress_end(&job.progress);
    return CLI_YES;
}
