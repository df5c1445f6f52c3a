/* bench_filters - every kind of filter, every way of using it, beside what this
 * machine's memory allows.
 *
 *      bench_filters [--keys 1e6,1e8] [--kinds blocked,blocked-2,classic,counting-1,cuckoo,...]
 *                    [--bits 10 | --fpr 0.01] [--rounds N] [--pages 4k] [--no-pin]
 *                    [--quick] [--json FILE]
 *
 * Costs are ns per key, minimum (median) over slices of 65536 keys; add/l and
 * mix/l are the minima of add and of mixed questions in units of the time this
 * machine needs to read one random line of a buffer of the same size, measured
 * in the same rounds (bench_memory.c). How each row is measured and what it is
 * compared with: bench/README.md.
 *
 * Recorded tables: bench/results/.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "lib_report.h"
#include "lib_view.h"

enum { SIZES_MOST = 8 };

typedef struct options {
    uint64_t keys[SIZES_MOST];
    unsigned size_count;
    char *kinds[REPORT_SUBJECTS];
    unsigned kind_count;
    double bits, fpr;
    unsigned rounds, slices;
    bool quick; /* large sizes with the first kind only */
    const char *json;
    char command[256];
} options;

static const char usage[] =
    "usage: bench_filters [--keys N,...] [--kinds blocked,blocked-2,classic,scalable,cuckoo]\n"
    "                     [--bits B | --fpr P] [--rounds N] [--pages 4k] [--no-pin]\n"
    "                     [--quick] [--json FILE]\n";

static void parse_keys(options *o, char *text)
{
    o->size_count = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        if (o->size_count == SIZES_MOST) bench_die("more than %d sizes", SIZES_MOST);
        o->keys[o->size_count++] = bench_number(word);
    }
}

static void parse_kinds(options *o, char *text)
{
    o->kind_count = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        if (o->kind_count == REPORT_SUBJECTS) bench_die("more than %d kinds", REPORT_SUBJECTS);
        o->kinds[o->kind_count++] = word;
    }
}

static double parse_real(const char *text, double least, double most)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value > least && value < most))
        bench_die("'%s' is not between %g and %g", text, least, most);
    return value;
}

static void parse_quick(options *o)
{
    o->quick = true;
    o->rounds = 2;
    o->slices = 4;
    o->keys[0] = 1000000, o->keys[1] = 50000000, o->size_count = 2;
}

static void parse_option(options *o, int c)
{
    switch (c) {
    case 'k': parse_keys(o, optarg); break;
    case 'K': parse_kinds(o, optarg); break;
    case 'b': o->bits = parse_real(optarg, 0, 1000); break;
    case 'f': o->bits = 0, o->fpr = parse_real(optarg, 0, 1); break;
    case 'r': o->rounds = (unsigned)bench_number(optarg); break;
    case 'p':
        if (strcmp(optarg, "4k") == 0) bench_forbid_huge_pages();
        break;
    case 'n': bench_never_pin(); break;
    case 'q': parse_quick(o); break;
    case 'j': o->json = optarg; break;
    default: fputs(usage, c == 'h' ? stdout : stderr); exit(c == 'h' ? 0 : 2);
    }
}

static void keep_command(options *o, int argc, char **argv)
{
    size_t used = 0;
    for (int i = 0; i < argc && used < sizeof o->command; i++) {
        const char *word = i == 0 && strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[i];
        int wrote =
            snprintf(o->command + used, sizeof o->command - used, "%s%s", i ? " " : "", word);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
}

static options parse(int argc, char **argv)
{
    static const struct option known[] = {{"keys", required_argument, NULL, 'k'},
                                          {"kinds", required_argument, NULL, 'K'},
                                          {"bits", required_argument, NULL, 'b'},
                                          {"fpr", required_argument, NULL, 'f'},
                                          {"rounds", required_argument, NULL, 'r'},
                                          {"pages", required_argument, NULL, 'p'},
                                          {"no-pin", no_argument, NULL, 'n'},
                                          {"quick", no_argument, NULL, 'q'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    static char all[] = "blocked,blocked-2,classic,scalable,cuckoo";
    options o = {.keys = {1000000, 100000000},
                 .size_count = 2,
                 .bits = 10,
                 .fpr = 0.01,
                 .rounds = 5,
                 .slices = 8};
    keep_command(&o, argc, argv);
    parse_kinds(&o, all);
    for (int c; (c = getopt_long(argc, argv, "h", known, NULL)) != -1;) parse_option(&o, c);
    return o;
}

/* ---- one size ----------------------------------------------------------- */

enum { LARGE = 10000000 }; /* from here on whole builds take long */

static void measure_hashes(report_size *size, const keys_store *store, unsigned slices)
{
    static uint64_t digests[BENCH_SLICE];
    for (unsigned form = KEYS_INTEGERS; form < KEYS_FORMS; form++) {
        size_t all = keys_count(store, (keys_form)form);
        size_t count = all < BENCH_SLICE ? all : BENCH_SLICE;
        for (unsigned i = 0; i < slices; i++) {
            size_t from = size->hash[form].count * count % (all - count + 1);
            tamis_keys keys = keys_slice(store, (keys_form)form, KEYS_MIX, from, count);
            uint64_t began = bench_now_of_thread();
            tamis_hash_many(size->subjects[0].asked, &keys, digests);
            bench_note(&size->hash[form], (double)(bench_now_of_thread() - began) / (double)count);
        }
    }
}

static void measure_limits(report_size *size, memory_lines *lines)
{
    memory_measure(&size->alone, MEMORY_READ, lines, 3, 1);
    memory_measure(&size->alone, MEMORY_CHANGE, lines, 3, 1);
    if (size->threads == 1) return;
    memory_measure(&size->together, MEMORY_READ, lines, 1, size->threads);
    memory_measure(&size->together, MEMORY_CHANGE, lines, 1, size->threads);
}

static void add_view_rows(subject *s)
{
    const view_loops *view;
    for (unsigned i = 0; (view = view_loops_number(i)) != NULL; i++)
        subject_row(s, ROW_VIEW, KEYS_DIGESTS, 1, view);
}

static void add_rows(subject *s, unsigned threads)
{
    subject_row(s, ROW_SINGLE, KEYS_DIGESTS, 1, NULL);
    if (s->spec.kind == TAMIS_KIND_BLOCKED) add_view_rows(s);
    subject_row(s, ROW_BATCH, KEYS_DIGESTS, 1, NULL);
    subject_row(s, ROW_SINGLE, KEYS_INTEGERS, 1, NULL);
    subject_row(s, ROW_BATCH, KEYS_INTEGERS, 1, NULL);
    subject_row(s, ROW_SINGLE, KEYS_STRINGS, 1, NULL);
    subject_row(s, ROW_BATCH, KEYS_STRINGS, 1, NULL);
    subject_row(s, ROW_BUILD, KEYS_DIGESTS, 1, NULL);
    subject_row(s, ROW_SHARED, KEYS_DIGESTS, 1, NULL);
    if (threads == 1) return;
    subject_row(s, ROW_SINGLE, KEYS_DIGESTS, threads, NULL);
    subject_row(s, ROW_BATCH, KEYS_DIGESTS, threads, NULL);
    subject_row(s, ROW_BUILD, KEYS_DIGESTS, threads, NULL);
    subject_row(s, ROW_SHARED, KEYS_DIGESTS, threads, NULL);
}

static void add_subjects(report_size *size, const options *o)
{
    for (unsigned i = 0; i < o->kind_count; i++) {
        if (o->quick && i > 0 && size->keys > LARGE) break;
        subject *s = &size->subjects[size->subject_count++];
        if (!subject_init(s, o->kinds[i], size->keys, o->bits, o->fpr))
            bench_die("'%s' is no kind that takes keys; \"-1\" and \"-2\" behind one ask for "
                      "lines a key",
                      o->kinds[i]);
        add_rows(s, size->threads);
    }
}

/* Rounds go over all subjects, so that a bad minute of the machine hits all. */
static void measure_rounds(report_size *size, const keys_store *store, const options *o)
{
    memory_lines lines = {.count = size->subjects[0].bytes / 64,
                          .digests = store->digests[KEYS_MIX],
                          .digest_count = store->count};
    size->limit_bytes = lines.count * 64;
    lines.bytes = bench_buffer(size->limit_bytes, true);
    for (unsigned round = 0; round < o->rounds; round++) {
        measure_limits(size, &lines);
        measure_hashes(size, store, o->slices);
        for (unsigned i = 0; i < size->subject_count; i++) {
            bool build = size->keys < LARGE || round == 0 || (i == 0 && round < 3);
            subject_round(&size->subjects[i], store, o->slices, build);
        }
        fprintf(stderr, "bench: round %u of %u\n", round + 1, o->rounds);
    }
    bench_buffer_free(lines.bytes, size->limit_bytes);
}

static void measure_size(report_size *size, const options *o)
{
    keys_store store = keys_for(size->keys);
    keys_make(&store);
    add_subjects(size, o);
    for (unsigned i = 0; i < size->subject_count; i++) subject_start(&size->subjects[i], &store);
    measure_rounds(size, &store, o);
    for (unsigned i = 0; i < size->subject_count; i++) subject_end(&size->subjects[i]);
    keys_free(&store);
}

int main(int argc, char **argv)
{
    const options o = parse(argc, argv);
    static report_size sizes[SIZES_MOST];
    FILE *json = o.json ? fopen(o.json, "w") : NULL;
    bench_machine machine;
    if (o.json && !json) bench_die("cannot write %s", o.json);
    bench_describe(&machine);
    bench_print_machine(&machine, stdout);
    printf("command   %s\n", o.command);
    bench_pin(0);
    if (json) report_json_begin(&machine, o.command, json);
    for (unsigned i = 0; i < o.size_count; i++) {
        if (o.keys[i] < 1000) bench_die("at least 1000 keys");
        sizes[i].keys = o.keys[i];
        sizes[i].threads = machine.processors;
        measure_size(&sizes[i], &o);
        report_table(&sizes[i], stdout);
        if (json) report_json_size(&sizes[i], i == 0, json);
    }
    for (unsigned i = 0; i < o.size_count; i++) report_goals(&sizes[i], stdout);
    printf("\npeak memory %lu MiB\n", bench_peak_mib());
    if (json) report_json_end(json);
    return json && fclose(json) != 0 ? 2 : 0;
}
