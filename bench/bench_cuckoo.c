/* bench_cuckoo - cuckoo filters by the width of their fingerprints, beside pairs of
 * random lines.
 *
 *      bench_cuckoo [--keys 1e6,1e8] [--bits 8,12,16] [--dense] [--rounds N] [--no-pin]
 *
 * A key lies in one of two buckets, so the limit of an answer is what two random
 * lines of a buffer of the same size cost, fetched ahead, measured in the same
 * rounds. Costs are ns per key given as digests, minimum (median) over slices of
 * 65536 keys; `/pair` is the minimum in units of that limit. Adding goes from half
 * full to full, removing takes from a full filter. `build` fills an empty filter,
 * 2^24 keys a call, page faults included; of one thread its processor time counts.
 *
 * Recorded: bench/results/.                                                  */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "measure/memory.h"
#include "measure/subject.h"

enum { LIST_MOST = 8, SLICES = 8, LARGE = 10000000 };

typedef struct options {
    uint64_t keys[LIST_MOST], bits[LIST_MOST];
    unsigned key_count, bit_count, rounds;
    bool dense;
} options;

static const char usage[] = "usage: bench_cuckoo [--keys N,...] [--bits B,...] [--dense] "
                            "[--rounds N] [--no-pin]\n";

static unsigned parse_list(char *text, uint64_t *list)
{
    unsigned count = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        if (count == LIST_MOST) bench_die("more than %d in a list", LIST_MOST);
        list[count++] = bench_number(word);
    }
    return count;
}

static options parse(int argc, char **argv)
{
    static const struct option known[] = {{"keys", required_argument, NULL, 'k'},
                                          {"bits", required_argument, NULL, 'b'},
                                          {"dense", no_argument, NULL, 'd'},
                                          {"rounds", required_argument, NULL, 'r'},
                                          {"no-pin", no_argument, NULL, 'n'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    options o = {.keys = {1000000, 100000000},
                 .key_count = 2,
                 .bits = {8, 12, 16},
                 .bit_count = 3,
                 .rounds = 5};
    for (int c; (c = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        switch (c) {
        case 'k': o.key_count = parse_list(optarg, o.keys); break;
        case 'b': o.bit_count = parse_list(optarg, o.bits); break;
        case 'd': o.dense = true; break;
        case 'r': o.rounds = (unsigned)bench_number(optarg); break;
        case 'n': bench_never_pin(); break;
        default: fputs(usage, c == 'h' ? stdout : stderr); exit(c == 'h' ? 0 : 2);
        }
    }
    return o;
}

/* ---- one width ---------------------------------------------------------- */

enum { HOW_ONE, HOW_MANY, HOWS }; /* the first rows of a subject */

typedef struct width {
    uint64_t bits;
    subject subject;
    memory_grid lines;
    bench_samples remove[HOWS]; /* one by one, in a batch */
    uint64_t removed;           /* keys so far: the next to go */
} width;

static void start_width(width *w, const options *o, uint64_t keys, const keys_store *store)
{
    subject *s = &w->subject;
    if (!subject_init(s, o->dense ? "cuckoo-dense" : "cuckoo", keys, 12, 0.2))
        bench_die("there is no cuckoo kind");
    s->spec.fingerprint_bits = (uint32_t)w->bits;
    if (!subject_memory(s)) bench_die("%s", tamis_explain());
    subject_row(s, ROW_SINGLE, KEYS_DIGESTS, 1, NULL);
    subject_row(s, ROW_BATCH, KEYS_DIGESTS, 1, NULL);
    subject_row(s, ROW_BUILD, KEYS_DIGESTS, 1, NULL);
    if (bench_processors() > 1) subject_row(s, ROW_BUILD, KEYS_DIGESTS, bench_processors(), NULL);
    subject_start(s, store);
}

static void measure_lines(width *w, const keys_store *store)
{
    memory_lines lines = {.count = w->subject.bytes / 64,
                          .digests = store->digests[KEYS_MIX],
                          .digest_count = store->count};
    lines.bytes = bench_buffer(lines.count * 64, true);
    memory_measure(&w->lines, MEMORY_READ, &lines, 3, 1);
    bench_buffer_free(lines.bytes, lines.count * 64);
}

static void remove_slice(tamis_filter *f, const tamis_keys *keys, unsigned how)
{
    const uint64_t *digests = keys->data;
    tamis_status status = TAMIS_OK;
    if (how == HOW_ONE)
        for (size_t i = 0; i < keys->count; i++) status |= tamis_remove_hash(f, digests[i]);
    else
        status = tamis_remove_many(f, keys, NULL, NULL);
    if (status != TAMIS_OK) bench_die("%s", tamis_explain());
}

/* Keys are taken away and put back, so that the filter stays full. */
static void measure_removing(width *w)
{
    static uint64_t digests[BENCH_SLICE];
    tamis_filter *f = w->subject.asked;
    const tamis_keys keys = tamis_keys_digests(digests, BENCH_SLICE);
    for (unsigned i = 0; i < 2 * SLICES; i++) {
        if (w->removed + BENCH_SLICE > w->subject.keys / 2) w->removed = 0;
        keys_digests(w->removed, BENCH_SLICE, digests);
        w->removed += BENCH_SLICE;
        const uint64_t began = bench_now_of_thread();
        remove_slice(f, &keys, i % 2);
        bench_note(&w->remove[i % 2], (double)(bench_now_of_thread() - began) / BENCH_SLICE);
        if (tamis_add_many(f, &keys, NULL) != TAMIS_OK) bench_die("%s", tamis_explain());
    }
}

/* ---- the table ---------------------------------------------------------- */

static void print_cost(const bench_samples *samples)
{
    if (samples->count == 0)
        printf("  %14s", "-");
    else
        printf("  %6.2f (%5.1f)", bench_min(samples), bench_median(samples));
}

static void print_row(const row *r, const bench_samples *removing, double pair)
{
    static const bench_samples none = {.count = 0};
    printf("  %-10s %2u", row_how(r), r->threads);
    print_cost(&r->cost[ROW_ADD]);
    print_cost(removing ? removing : &none);
    for (unsigned verb = ROW_HIT; verb <= ROW_MIX; verb++) print_cost(&r->cost[verb]);
    printf("  %6.2f", bench_min(&r->cost[ROW_ADD]) / pair);
    if (r->cost[ROW_MIX].count) printf("  %6.2f", bench_min(&r->cost[ROW_MIX]) / pair);
    putchar('\n');
}

static void print_width(const width *w, bool dense)
{
    char bytes[32];
    const subject *s = &w->subject;
    const double pair = 2 * memory_limit(&w->lines, MEMORY_READ).ns;
    printf("\n%u bits%s: %s, %.2f bits/key, rate %.4f %%; two lines %.2f ns\n", (unsigned)w->bits,
           dense ? ", dense" : "", bench_bytes(s->bytes, bytes, sizeof bytes), s->bits_per_key,
           100 * s->rate, pair);
    printf("  %-10s %2s  %14s  %14s  %14s  %14s  %14s  %6s  %6s\n", "how", "th", "add", "remove",
           "hit", "miss", "mix", "add/p", "mix/p");
    for (unsigned i = 0; i < s->row_count; i++)
        print_row(&s->rows[i], i < HOWS ? &w->remove[i] : NULL, pair);
    fflush(stdout);
}

static void measure_size(const options *o, uint64_t keys)
{
    static width widths[LIST_MOST];
    char name[32];
    keys_store store = keys_for(keys);
    store.string_count = 0;
    keys_make(&store);
    memset(widths, 0, sizeof widths);
    for (unsigned i = 0; i < o->bit_count; i++) {
        widths[i].bits = o->bits[i];
        start_width(&widths[i], o, keys, &store);
    }
    for (unsigned round = 0; round < o->rounds; round++)
        for (unsigned i = 0; i < o->bit_count; i++) {
            measure_lines(&widths[i], &store);
            subject_round(&widths[i].subject, &store, SLICES, keys < LARGE || round < 2);
            measure_removing(&widths[i]);
        }
    printf("\n== %s keys ==\n", bench_short(keys, name, sizeof name));
    for (unsigned i = 0; i < o->bit_count; i++) {
        print_width(&widths[i], o->dense);
        subject_end(&widths[i].subject);
    }
    keys_free(&store);
}

int main(int argc, char **argv)
{
    const options o = parse(argc, argv);
    bench_machine machine;
    bench_describe(&machine);
    bench_print_machine(&machine, stdout);
    bench_pin(0);
    for (unsigned i = 0; i < o.key_count; i++) {
        if (o.keys[i] < 4 * BENCH_SLICE) bench_die("at least %d keys", 4 * BENCH_SLICE);
        measure_size(&o, o.keys[i]);
    }
    printf("\npeak memory %lu MiB\n", bench_peak_mib());
    return 0;
}
