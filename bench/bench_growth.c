/* bench_growth - what not knowing the number of keys costs: a scaling filter
 * asked for 1,000 keys beside one of the right size.
 *
 *      bench_growth [--keys 1e7] [--most 1e8] [--fpr 0.01] [--rounds N]
 *                   [--inner blocked,classic,counting,cuckoo]
 *
 * For each inner kind three tables: ns per key of questions, one by one and in
 * batches, in a filter grown to `keys` and in a right-sized one, by turns, with
 * their ratio (minimum of each over slices of 65536 keys); memory against the
 * right-sized filter, where the newest layer is full and on the mean; and, at
 * every doubling up to `most` keys, layers, memory and the measured rate against
 * the promise. Goals are those of bench/README.md.                          */
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "base/bits.h"
#include "measure/keys.h"

enum { ASKED_FOR = 1000, INNER_MOST = 8, RATE_KEYS = 1 << 21, ADD_MOST = 1 << 20 };

typedef struct options {
    uint64_t keys, most;
    double fpr;
    unsigned rounds, inner_count;
    const char *inner[INNER_MOST];
} options;

/* One inner kind: a filter of the right size and one that grew to it. */
typedef struct pair {
    tamis_filter *right, *grown;
} pair;

static tamis_filter *make(const tamis_spec *spec)
{
    tamis_filter *f;
    if (tamis_create(spec, &f) != TAMIS_OK) bench_die("%s", tamis_explain());
    return f;
}

static tamis_spec spec_right(uint32_t kind, uint64_t keys, double fpr)
{
    return (tamis_spec){.kind = kind, .capacity = keys, .fpr = fpr};
}

static tamis_spec spec_grown(uint32_t kind, double fpr)
{
    return (tamis_spec){
        .kind = TAMIS_KIND_SCALABLE, .inner = kind, .capacity = ASKED_FOR, .fpr = fpr};
}

/* Adds keys [first, first + count). */
static void fill(tamis_filter *f, uint64_t first, uint64_t count)
{
    static uint64_t digests[ADD_MOST];
    for (uint64_t done = 0; done < count; done += ADD_MOST) {
        const size_t some = count - done < ADD_MOST ? (size_t)(count - done) : ADD_MOST;
        keys_digests(first + done, some, digests);
        const tamis_keys batch = tamis_keys_digests(digests, some);
        if (tamis_add_many(f, &batch, NULL) != TAMIS_OK) bench_die("%s", tamis_explain());
    }
}

/* ---- speed -------------------------------------------------------------- */

static uint64_t ask_singly(const tamis_filter *f, const tamis_keys *keys)
{
    const uint64_t *digests = keys->data;
    uint64_t hits = 0;
    for (size_t i = 0; i < keys->count; i++) hits += tamis_may_contain_hash(f, digests[i]);
    return hits;
}

static uint64_t ask_batch(const tamis_filter *f, const tamis_keys *keys)
{
    static bool answers[BENCH_SLICE];
    return tamis_may_contain_many(f, keys, answers);
}

static const struct way {
    const char *name;
    uint64_t (*ask)(const tamis_filter *, const tamis_keys *);
    double most; /* the goal: times the right-sized filter */
} WAYS[] = {{"one by one", ask_singly, 2.5}, {"batch", ask_batch, 5}};

enum { WAY_COUNT = sizeof WAYS / sizeof WAYS[0] };

typedef struct costs {
    bench_samples right, grown;
} costs;

static double timed(const struct way *way, const tamis_filter *f, const tamis_keys *keys)
{
    const uint64_t began = bench_now_of_thread();
    bench_keep(way->ask(f, keys));
    return (double)(bench_now_of_thread() - began) / (double)keys->count;
}

/* In no order: keys that were added together lie in one layer. */
static void shuffle(uint64_t *words, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t other = (size_t)(tms_mix64(i) % i);
        const uint64_t word = words[i - 1];
        words[i - 1] = words[other];
        words[other] = word;
    }
}

static void measure_round(const pair *p, const keys_store *store, costs cost[][KEYS_SETS])
{
    const size_t count = store->count < BENCH_SLICE ? store->count : BENCH_SLICE;
    for (size_t from = 0; from + count <= store->count; from += count)
        for (unsigned set = 0; set < KEYS_SETS; set++)
            for (unsigned w = 0; w < WAY_COUNT; w++) {
                const tamis_keys keys = keys_slice(store, KEYS_DIGESTS, (keys_set)set, from, count);
                bench_note(&cost[w][set].right, timed(&WAYS[w], p->right, &keys));
                bench_note(&cost[w][set].grown, timed(&WAYS[w], p->grown, &keys));
            }
}

static void report_speed(costs cost[][KEYS_SETS])
{
    printf("\n  %-12s %-6s %10s %10s %8s %8s\n", "questions", "keys", "right", "grown", "times",
           "at most");
    for (unsigned w = 0; w < WAY_COUNT; w++)
        for (unsigned set = 0; set < KEYS_SETS; set++) {
            const double right = bench_min(&cost[w][set].right);
            const double grown = bench_min(&cost[w][set].grown);
            printf("  %-12s %-6s %10.2f %10.2f %8.2f %8.1f  %s\n", WAYS[w].name,
                   keys_set_names[set], right, grown, grown / right, WAYS[w].most,
                   grown / right <= WAYS[w].most ? "reached" : "missed");
        }
}

static void measure_speed(const options *o, uint32_t kind)
{
    static costs cost[WAY_COUNT][KEYS_SETS];
    const tamis_spec right = spec_right(kind, o->keys, o->fpr), grown = spec_grown(kind, o->fpr);
    const pair p = {make(&right), make(&grown)};
    keys_store store = keys_for(o->keys);
    tamis_facts facts;
    memset(cost, 0, sizeof cost);
    keys_make(&store);
    for (unsigned set = 0; set < KEYS_SETS; set++) shuffle(store.digests[set], store.count);
    fill(p.right, 0, o->keys);
    fill(p.grown, 0, o->keys);
    for (unsigned round = 0; round < o->rounds; round++) measure_round(&p, &store, cost);
    tamis_info(p.grown, &facts);
    printf("  %u layers", facts.layers);
    report_speed(cost);
    keys_free(&store);
    tamis_free(p.right);
    tamis_free(p.grown);
}

/* ---- memory and rate ---------------------------------------------------- */

static double right_bits(uint32_t kind, uint64_t keys, double fpr)
{
    tamis_sizing sizing;
    const tamis_spec spec = spec_right(kind, keys, fpr);
    if (tamis_plan(&spec, &sizing) != TAMIS_OK) bench_die("%s", tamis_explain());
    return (double)sizing.bits;
}

static double measured_rate(const tamis_filter *f)
{
    static uint64_t absent[RATE_KEYS];
    static bool made;
    if (!made) keys_digests(KEYS_ABSENT, RATE_KEYS, absent);
    made = true;
    const tamis_keys keys = tamis_keys_digests(absent, RATE_KEYS);
    return (double)tamis_may_contain_many(f, &keys, NULL) / RATE_KEYS;
}

/* Sizes of the chain, in bits: after the first layers[i] keys it has bits[i]. */
typedef struct chain {
    uint64_t full[64];
    double bits[64];
    unsigned count;
} chain;

static void chain_of(const tamis_filter *f, chain *out)
{
    double bits = 0;
    uint64_t full = 0;
    const tamis_filter *layer;
    for (out->count = 0; (layer = tamis_layer_view(f, out->count)) != NULL; out->count++) {
        tamis_facts facts;
        tamis_info(layer, &facts);
        out->full[out->count] = full += facts.capacity;
        out->bits[out->count] = bits += (double)facts.bits;
    }
}

/* The chain as it is when so many keys are in. */
static unsigned chain_at(const chain *c, double keys)
{
    unsigned layer = 0;
    while (layer + 1 < c->count && keys > (double)c->full[layer]) layer++;
    return layer;
}

static double chain_times(const options *o, uint32_t kind, const chain *c, double keys)
{
    return c->bits[chain_at(c, keys)] / right_bits(kind, (uint64_t)keys, o->fpr);
}

/* The mean is over sizes that are even in their logarithm. */
static void report_memory(const options *o, uint32_t kind, const chain *c)
{
    const double full = (double)c->full[chain_at(c, (double)o->keys)];
    const double times = chain_times(o, kind, c, full);
    double sum = 0;
    unsigned steps = 0;
    for (double keys = 1e6; keys <= (double)o->most; keys *= 1.02, steps++)
        sum += chain_times(o, kind, c, keys);
    if (!steps) return;
    printf("\n  memory, newest layer full at %.3g keys  %.2f  (at most 1.60)  %s\n", full, times,
           times <= 1.6 ? "reached" : "missed");
    printf("  memory, mean over 1e6 to %.0e keys  %.2f  (at most 2.50)  %s\n", (double)o->most,
           sum / steps, sum / steps <= 2.5 ? "reached" : "missed");
}

static void measure_growth(const options *o, uint32_t kind)
{
    const tamis_spec spec = spec_grown(kind, o->fpr);
    tamis_filter *f = make(&spec);
    uint64_t held = 0;
    double highest = 0;
    chain c;
    printf("\n  %10s %7s %10s %7s %10s %8s\n", "keys", "layers", "bits/key", "times", "rate",
           "promise");
    for (uint64_t keys = ASKED_FOR; held < o->most; keys *= 2) {
        if (keys > o->most) keys = o->most;
        tamis_facts facts;
        fill(f, held, keys - held);
        held = keys;
        tamis_info(f, &facts);
        const double rate = measured_rate(f);
        highest = fmax(highest, rate / o->fpr);
        printf("  %10llu %7u %10.2f %7.2f %9.4f%% %8.3f\n", (unsigned long long)keys, facts.layers,
               (double)facts.bits / (double)keys,
               (double)facts.bits / right_bits(kind, keys, o->fpr), 100 * rate, rate / o->fpr);
    }
    printf("  the highest rate is %.3f of the promise  (at most 1.05)  %s\n", highest,
           highest <= 1.05 ? "reached" : "missed");
    chain_of(f, &c);
    report_memory(o, kind, &c);
    tamis_free(f);
}

/* ---- options ------------------------------------------------------------ */

static void parse_inner(options *o, char *text)
{
    o->inner_count = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        if (o->inner_count == INNER_MOST) bench_die("more than %d kinds", INNER_MOST);
        o->inner[o->inner_count++] = word;
    }
}

static options parse(int argc, char **argv)
{
    static const char usage[] = "usage: bench_growth [--keys N] [--most N] [--fpr P] [--rounds N]\n"
                                "                    [--inner blocked,classic,...]\n";
    static const struct option known[] = {{"keys", required_argument, NULL, 'k'},
                                          {"most", required_argument, NULL, 'm'},
                                          {"fpr", required_argument, NULL, 'f'},
                                          {"rounds", required_argument, NULL, 'r'},
                                          {"inner", required_argument, NULL, 'i'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    static char all[] = "blocked,classic,counting,cuckoo";
    options o = {.keys = 10000000, .most = 100000000, .fpr = 0.01, .rounds = 5};
    parse_inner(&o, all);
    for (int c; (c = getopt_long(argc, argv, "h", known, NULL)) != -1;) switch (c) {
        case 'k': o.keys = bench_number(optarg); break;
        case 'm': o.most = bench_number(optarg); break;
        case 'f': o.fpr = atof(optarg); break;
        case 'r': o.rounds = (unsigned)bench_number(optarg); break;
        case 'i': parse_inner(&o, optarg); break;
        default: fputs(usage, c == 'h' ? stdout : stderr); exit(c == 'h' ? 0 : 2);
        }
    return o;
}

int main(int argc, char **argv)
{
    const options o = parse(argc, argv);
    bench_machine machine;
    bench_describe(&machine);
    bench_print_machine(&machine, stdout);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* it takes minutes: show what is known */
    bench_pin(0);
    for (unsigned i = 0; i < o.inner_count; i++) {
        const uint32_t kind = tamis_kind_id(o.inner[i]);
        char keys[32];
        if (kind == TAMIS_KIND_ANY) bench_die("there is no kind '%s'", o.inner[i]);
        printf("\nscalable over %s, asked for %d keys, grown to %s:", o.inner[i], ASKED_FOR,
               bench_short(o.keys, keys, sizeof keys));
        if (o.keys) measure_speed(&o, kind);
        if (o.most) measure_growth(&o, kind);
    }
    return 0;
}
