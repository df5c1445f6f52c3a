/* bench_tuning - which hint, which distance, from which size on: the numbers of
 * src/kernel/tuning.h on this machine.
 *
 *      bench_tuning [--sizes 256k,1M,...,1G] [--pages 4k|huge|both] [--set avx2]
 *                   [--rounds N] [--no-pin]
 *
 * Lookups and adds of a blocked filter of one line a key, in loops of its own
 * around the line functions of <tamis/blocked_view.h>, with every fetch hint
 * and every distance; "none" fetches nothing. W asks for the line as its owner.
 * ns per key, minimum over slices of 65536 keys; the best of a block is starred.
 *
 * Recorded tables: bench/results/.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/blocked_view.h>

#include "base/bits.h"
#include "base/cpu.h"
#include "measure/memory.h"

typedef uint64_t (*tuning_loop)(const tamis_blocked_view *, const uint64_t *digests, size_t count,
                                unsigned depth);

#define TUNING_FETCH_NONE(address) (void)(address)
#define TUNING_FETCH_T0(address) __builtin_prefetch((address), 0, 3)
#define TUNING_FETCH_T1(address) __builtin_prefetch((address), 0, 2)
#define TUNING_FETCH_T2(address) __builtin_prefetch((address), 0, 1)
#define TUNING_FETCH_NTA(address) __builtin_prefetch((address), 0, 0)
#define TUNING_FETCH_WRITE(address) __builtin_prefetch((address), 1, 3)

#if defined(TAMIS_BLOCKED_X86)

#define TUNING_SET avx2
#define TUNING_TARGET __attribute__((target("avx2,prfchw")))
#include "lib_tuning.inc"

#define TUNING_SET avx512
#define TUNING_TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,prfchw")))
#include "lib_tuning.inc"

#elif defined(TAMIS_BLOCKED_NEON)

#define TUNING_SET neon
#define TUNING_TARGET
#include "lib_tuning.inc"

#endif

#define TUNING_SET scalar
#define TUNING_TARGET
#include "lib_tuning.inc"

typedef const tuning_loop (*tuning_table)[MEMORY_HINTS];

static tuning_table choose_set(const char *name)
{
#if defined(TAMIS_BLOCKED_X86)
    bool any = name == NULL;
    if (tms_cpu_has_avx512() && (any || strcmp(name, "avx512") == 0)) return tuning_loops_avx512;
    if (tms_cpu_has_avx2() && (any || strcmp(name, "avx2") == 0)) return tuning_loops_avx2;
#elif defined(TAMIS_BLOCKED_NEON)
    if (!name || strcmp(name, "neon") == 0) return tuning_loops_neon;
#endif
    if (name && strcmp(name, "scalar") != 0) bench_die("this processor has no %s", name);
    return tuning_loops_scalar;
}

/* ---- options ------------------------------------------------------------ */

enum { SIZES_MOST = 16, DEPTHS = 7, DEEPEST = 512 };

static const unsigned depths[DEPTHS] = {8, 16, 32, 64, 128, 256, DEEPEST};

typedef struct options {
    uint64_t sizes[SIZES_MOST];
    unsigned size_count;
    bool small, huge;
    unsigned rounds;
    const char *set;
} options;

static void parse_sizes(options *o, char *text)
{
    o->size_count = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        if (o->size_count == SIZES_MOST) bench_die("more than %d sizes", SIZES_MOST);
        o->sizes[o->size_count++] = bench_number(word);
    }
}

static options parse(int argc, char **argv)
{
    static const struct option known[] = {{"sizes", required_argument, NULL, 's'},
                                          {"pages", required_argument, NULL, 'p'},
                                          {"set", required_argument, NULL, 'S'},
                                          {"rounds", required_argument, NULL, 'r'},
                                          {"no-pin", no_argument, NULL, 'n'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    static char usual[] = "256k,512k,1M,1.25e6,2M,4M,8M,16M,32M,128M,1G";
    options o = {.small = true, .huge = true, .rounds = 3};
    parse_sizes(&o, usual);
    for (int c; (c = getopt_long(argc, argv, "h", known, NULL)) != -1;) {
        switch (c) {
        case 's': parse_sizes(&o, optarg); break;
        case 'p':
            o.small = strcmp(optarg, "huge") != 0;
            o.huge = strcmp(optarg, "4k") != 0;
            break;
        case 'S': o.set = optarg; break;
        case 'r': o.rounds = (unsigned)bench_number(optarg); break;
        case 'n': bench_never_pin(); break;
        default:
            puts("usage: bench_tuning [--sizes BYTES,...] [--pages 4k|huge|both] [--set NAME] "
                 "[--rounds N] [--no-pin]");
            exit(c == 'h' ? 0 : 2);
        }
    }
    return o;
}

/* ---- one size ----------------------------------------------------------- */

enum { DIGESTS = 1 << 23, SLICES = 4 }; /* their lines are more than a cache holds */

typedef struct block {
    bench_samples cell[2][MEMORY_HINTS][DEPTHS];
} block;

/* Six of eight lanes, as at 10 bits a key. */
static tamis_blocked_view make_view(uint8_t *lines, uint64_t bytes)
{
    tamis_blocked_view v = {.lines = lines, .line_count = bytes / 64, .lines_per_key = 1};
    for (unsigned r = 0; r < 8; r++)
        for (unsigned i = 6; i < 8; i++) v.unselect[r] |= UINT64_C(64) << 7 * ((r + i) % 8);
    return v;
}

/* Every slice takes the next digests: one that is used twice finds its lines in
 * a cache. */
static void measure_cell(tuning_loop loop, const tamis_blocked_view *v, const uint64_t *digests,
                         unsigned depth, bench_samples *samples)
{
    static size_t from;
    for (unsigned i = 0; i < SLICES; i++) {
        from = (from + BENCH_SLICE) % DIGESTS;
        uint64_t began = bench_now();
        bench_keep(loop(v, digests + from, BENCH_SLICE, depth));
        bench_note(samples, (double)(bench_now() - began) / BENCH_SLICE);
    }
}

static void measure_block(block *b, tuning_table table, const tamis_blocked_view *v,
                          const uint64_t *digests)
{
    for (unsigned verb = 0; verb < 2; verb++)
        for (unsigned hint = 0; hint < MEMORY_HINTS; hint++)
            for (unsigned d = 0; d < DEPTHS; d++)
                if (hint != MEMORY_NONE || d == 0)
                    measure_cell(table[verb][hint], v, digests, depths[d], &b->cell[verb][hint][d]);
}

static double block_best(const block *b, unsigned verb)
{
    double best = 0;
    for (unsigned hint = 0; hint < MEMORY_HINTS; hint++)
        for (unsigned d = 0; d < DEPTHS; d++) {
            double ns = bench_min(&b->cell[verb][hint][d]);
            if (ns > 0 && (best <= 0 || ns < best)) best = ns;
        }
    return best;
}

static void print_block(const block *b, unsigned verb, const char *head)
{
    double best = block_best(b, verb);
    for (unsigned hint = 0; hint < MEMORY_HINTS; hint++) {
        printf("%-22s %-5s", hint == 0 ? head : "", memory_hint_names[hint]);
        for (unsigned d = 0; d < (hint == MEMORY_NONE ? 1 : DEPTHS); d++) {
            double ns = bench_min(&b->cell[verb][hint][d]);
            printf(" %7.2f%c", ns, ns <= best ? '*' : ' ');
        }
        putchar('\n');
    }
}

static void measure_size(const options *o, tuning_table table, uint64_t bytes, bool huge,
                         const uint64_t *digests)
{
    static block b;
    char size[32], head[64];
    uint8_t *lines = bench_buffer(bytes, huge);
    const tamis_blocked_view v = make_view(lines, bytes);
    memset(&b, 0, sizeof b);
    memset(lines, 0x5a, bytes); /* half full */
    for (unsigned round = 0; round < o->rounds; round++) measure_block(&b, table, &v, digests);
    for (unsigned verb = 0; verb < 2; verb++) {
        snprintf(head, sizeof head, "%s %s %s", bench_bytes(bytes, size, sizeof size),
                 huge ? "huge" : "4k", verb ? "add" : "ask");
        print_block(&b, verb, head);
    }
    fflush(stdout);
    bench_buffer_free(lines, bytes);
}

int main(int argc, char **argv)
{
    const options o = parse(argc, argv);
    const tuning_table table = choose_set(o.set);
    bench_machine machine;
    bench_describe(&machine);
    bench_print_machine(&machine, stdout);
    bench_pin(0);
    uint64_t *digests = bench_buffer((DIGESTS + BENCH_SLICE + DEEPEST) * sizeof *digests, true);
    for (size_t i = 0; i < DIGESTS + BENCH_SLICE + DEEPEST; i++) digests[i] = tms_mix64(i + 1);
    printf("\nns per key by keys ahead\n%-28s", "");
    for (unsigned d = 0; d < DEPTHS; d++) printf(" %7u ", depths[d]);
    putchar('\n');
    for (unsigned i = 0; i < o.size_count; i++) {
        if (o.small) measure_size(&o, table, o.sizes[i], false, digests);
        if (o.huge && o.sizes[i] >= (2u << 20)) measure_size(&o, table, o.sizes[i], true, digests);
    }
    return 0;
}
