/* bench_memory - how fast this machine reads and changes random cache lines,
 * whatever a filter does: the limits that bench_filters compares with.
 *
 *      bench_memory [--sizes 1.25e6,1.25e8] [--pages 4k|huge|both] [--quick] [--no-pin]
 *
 * For each buffer size and page size: the time from one line to the next when
 * each names the next (chain), the best time per line when many are on their
 * way (read, change: tried with every hint and distance, the best is named),
 * with one thread and with all, and the sequential bandwidth.
 *
 * Recorded tables: bench/results/.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "measure/memory.h"

enum { SIZES_MOST = 16 };

typedef struct options {
    uint64_t sizes[SIZES_MOST];
    unsigned size_count;
    bool small, huge;
    unsigned rounds;
} options;

static void parse_sizes(options *o, char *text)
{
    o->size_count = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        if (o->size_count == SIZES_MOST) bench_die("more than %d sizes", SIZES_MOST);
        o->sizes[o->size_count++] = bench_number(word);
    }
}

static void parse_pages(options *o, const char *word)
{
    o->small = strcmp(word, "huge") != 0;
    o->huge = strcmp(word, "4k") != 0;
    if (o->small && o->huge && strcmp(word, "both") != 0)
        bench_die("pages are 4k, huge or both, not '%s'", word);
}

static options parse(int argc, char **argv)
{
    static const struct option known[] = {
        {"sizes", required_argument, NULL, 's'}, {"pages", required_argument, NULL, 'p'},
        {"quick", no_argument, NULL, 'q'},       {"no-pin", no_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},        {0}};
    options o = {.sizes = {1250000, 12500000, 125000000, 1250000000},
                 .size_count = 4,
                 .small = true,
                 .huge = true,
                 .rounds = 3};
    for (int c; (c = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        switch (c) {
        case 's': parse_sizes(&o, optarg); break;
        case 'p': parse_pages(&o, optarg); break;
        case 'q': o.rounds = 1, o.size_count = o.size_count < 3 ? o.size_count : 3; break;
        case 'n': bench_never_pin(); break;
        default:
            puts("usage: bench_memory [--sizes BYTES,...] [--pages 4k|huge|both] [--quick] "
                 "[--no-pin]");
            exit(c == 'h' ? 0 : 2);
        }
    }
    return o;
}

static uint64_t *make_digests(size_t count)
{
    uint64_t *digests = bench_buffer((count + MEMORY_AHEAD) * sizeof *digests, true);
    for (size_t i = 0; i < count + MEMORY_AHEAD; i++) digests[i] = tms_mix64(i + 1);
    return digests;
}

static void print_best(memory_best best)
{
    char how[24];
    snprintf(how, sizeof how, "%s/%u", memory_hint_names[best.hint], best.depth);
    printf("  %5.2f (%5.2f) %-8s", best.ns, best.median, how);
}

static memory_best measure(memory_verb verb, memory_lines *m, unsigned rounds, unsigned threads)
{
    static memory_grid grid;
    memset(&grid, 0, sizeof grid);
    for (unsigned round = 0; round < rounds; round++) memory_measure(&grid, verb, m, 2, threads);
    return memory_limit(&grid, verb);
}

static void measure_size(uint64_t bytes, bool huge, const uint64_t *digests, size_t count,
                         unsigned rounds)
{
    char name[32];
    memory_lines m = {.bytes = bench_buffer(bytes, huge),
                      .count = bytes / 64,
                      .digests = digests,
                      .digest_count = count};
    bench_samples chain = {.count = 0}, stream = {.count = 0}, all = {.count = 0};
    unsigned threads = bench_processors();
    for (unsigned i = 0; i < 4 * rounds; i++) bench_note(&chain, memory_chain(&m, i));
    for (unsigned i = 0; i < rounds + 2; i++) {
        bench_note(&stream, -memory_stream(&m, 1)); /* the minimum is the fastest */
        bench_note(&all, -memory_stream(&m, threads));
    }
    printf("%8s  %-5s %5.0f (%3.0f)", bench_bytes(bytes, name, sizeof name), huge ? "huge" : "4k",
           bench_min(&chain), bench_median(&chain));
    print_best(measure(MEMORY_READ, &m, rounds, 1));
    print_best(measure(MEMORY_CHANGE, &m, rounds, 1));
    print_best(measure(MEMORY_READ, &m, rounds, threads));
    print_best(measure(MEMORY_CHANGE, &m, rounds, threads));
    printf("  %4.1f %4.1f\n", -bench_min(&stream), -bench_min(&all));
    fflush(stdout);
    bench_buffer_free(m.bytes, bytes);
}

int main(int argc, char **argv)
{
    const options o = parse(argc, argv);
    const size_t count = 1 << 23;
    bench_machine machine;
    bench_describe(&machine);
    bench_pin(0);
    uint64_t *digests = make_digests(count);
    bench_print_machine(&machine, stdout);
    puts("\nns per random line, min (median), with the best hint/keys ahead; all = all threads "
         "together\n\n"
         "  buffer  pages      chain  read, 1 thread          change, 1 thread        "
         "read, all               change, all             GB/s 1, all");
    for (unsigned i = 0; i < o.size_count; i++) {
        if (o.small) measure_size(o.sizes[i], false, digests, count, o.rounds);
        if (o.huge) measure_size(o.sizes[i], true, digests, count, o.rounds);
    }
    return 0;
}
