/* memory.c - see memory.h.                                          */
#include "measure/memory.h"

#include <string.h>

const unsigned memory_depths[MEMORY_DEPTHS] = {16, 32, 64, 128, 256};
const char *const memory_hint_names[MEMORY_HINTS] = {"none", "T0", "T1", "T2", "NTA", "W"};

typedef uint64_t (*memory_loop)(const memory_lines *, size_t from, size_t count, unsigned depth);

__extension__ typedef unsigned __int128 memory_u128;

/* The high half of the product, which is how filters find their lines too. */
static inline uint8_t *memory_line(const memory_lines *m, uint64_t digest)
{
    return m->bytes + 64 * (uint64_t)((memory_u128)digest * m->count >> 64);
}

static inline uint64_t memory_load(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

#define MEMORY_FETCH_NONE(address) (void)(address)
#define MEMORY_FETCH_T0(address) __builtin_prefetch((address), 0, 3)
#define MEMORY_FETCH_T1(address) __builtin_prefetch((address), 0, 2)
#define MEMORY_FETCH_T2(address) __builtin_prefetch((address), 0, 1)
#define MEMORY_FETCH_NTA(address) __builtin_prefetch((address), 0, 0)
#define MEMORY_FETCH_WRITE(address) __builtin_prefetch((address), 1, 3)

#if defined(__x86_64__)
#define MEMORY_TARGET __attribute__((target("prfchw")))
#else
#define MEMORY_TARGET
#endif

/* The hint is part of an instruction, so every hint is a loop of its own. */
#define MEMORY_LOOPS(hint)                                                                     \
    MEMORY_TARGET static uint64_t memory_read_##hint(const memory_lines *lines, size_t from,   \
                                                     size_t count, unsigned depth)             \
    {                                                                                          \
        const memory_lines m = *lines;                                                         \
        uint64_t sum = 0;                                                                      \
        for (size_t i = from; i < from + count; i++) {                                         \
            MEMORY_FETCH_##hint(memory_line(&m, m.digests[i + depth]));                        \
            sum += memory_load(memory_line(&m, m.digests[i]));                                 \
        }                                                                                      \
        return sum;                                                                            \
    }                                                                                          \
    MEMORY_TARGET static uint64_t memory_change_##hint(const memory_lines *lines, size_t from, \
                                                       size_t count, unsigned depth)           \
    {                                                                                          \
        const memory_lines m = *lines;                                                         \
        for (size_t i = from; i < from + count; i++) {                                         \
            MEMORY_FETCH_##hint(memory_line(&m, m.digests[i + depth]));                        \
            uint8_t *at = memory_line(&m, m.digests[i]);                                       \
            uint64_t word = memory_load(at) | 1;                                               \
            memcpy(at, &word, sizeof word);                                                    \
        }                                                                                      \
        return 0;                                                                              \
    }

MEMORY_LOOPS(NONE)
MEMORY_LOOPS(T0)
MEMORY_LOOPS(T1)
MEMORY_LOOPS(T2)
MEMORY_LOOPS(NTA)
MEMORY_LOOPS(WRITE)

static const memory_loop memory_loops[MEMORY_VERBS][MEMORY_HINTS] = {
    {memory_read_NONE, memory_read_T0, memory_read_T1, memory_read_T2, memory_read_NTA,
     memory_read_WRITE},
    {memory_change_NONE, memory_change_T0, memory_change_T1, memory_change_T2, memory_change_NTA,
     memory_change_WRITE},
};

/* ---- one cell ----------------------------------------------------------- */

typedef struct memory_job {
    memory_lines *lines;
    memory_loop loop;
    size_t from, count; /* of all threads */
    unsigned depth;
} memory_job;

static void memory_work(void *ctx, unsigned self, unsigned threads)
{
    const memory_job *job = ctx;
    size_t first = job->from + job->count * self / threads;
    size_t last = job->from + job->count * (self + 1) / threads;
    bench_keep(job->loop(job->lines, first, last - first, job->depth));
}

static double memory_time(const memory_job *job, unsigned threads)
{
    uint64_t spent;
    if (threads == 1) {
        uint64_t began = bench_now_of_thread();
        memory_work((void *)(uintptr_t)job, 0, 1);
        spent = bench_now_of_thread() - began;
    } else {
        spent = bench_run_threads(threads, memory_work, (void *)(uintptr_t)job);
    }
    return (double)spent / (double)job->count;
}

/* Threads take long to start, so their slices are longer. */
static void memory_measure_cell(memory_job *job, bench_samples *samples, unsigned slices,
                                unsigned threads)
{
    memory_lines *lines = job->lines;
    size_t slice = threads == 1 ? BENCH_SLICE : (size_t)BENCH_SLICE * 8 * threads;
    job->count = slice < lines->digest_count ? slice : lines->digest_count;
    for (unsigned i = 0; i < slices; i++) {
        if (lines->next + job->count > lines->digest_count) lines->next = 0;
        job->from = lines->next;
        lines->next += job->count;
        bench_note(samples, memory_time(job, threads));
    }
}

void memory_measure(memory_grid *grid, memory_verb verb, memory_lines *lines, unsigned slices,
                    unsigned threads)
{
    for (unsigned hint = 0; hint < MEMORY_HINTS; hint++) {
        for (unsigned d = 0; d < MEMORY_DEPTHS; d++) {
            if (hint == MEMORY_NONE && d > 0) continue;
            memory_job job = {
                .lines = lines, .loop = memory_loops[verb][hint], .depth = memory_depths[d]};
            memory_measure_cell(&job, &grid->cell[verb][hint][d], slices, threads);
        }
    }
}

memory_best memory_limit(const memory_grid *grid, memory_verb verb)
{
    memory_best best = {0};
    for (unsigned hint = 0; hint < MEMORY_HINTS; hint++) {
        for (unsigned d = 0; d < MEMORY_DEPTHS; d++) {
            const bench_samples *samples = &grid->cell[verb][hint][d];
            double least = bench_min(samples);
            if (samples->count == 0 || (best.ns > 0 && least >= best.ns)) continue;
            best = (memory_best){.ns = least,
                                 .median = bench_median(samples),
                                 .hint = (memory_hint)hint,
                                 .depth = hint == MEMORY_NONE ? 0 : memory_depths[d]};
        }
    }
    return best;
}

/* ---- latency and bandwidth ---------------------------------------------- */

/* The lines hold zeros or ones, so what is read changes the walk only for the
 * processor, which cannot know. A walk of 20000 lines would come back from the
 * cache if it were walked again. */
double memory_chain(const memory_lines *m, size_t which)
{
    const size_t steps = 20000;
    uint64_t digest = m->digests[which % m->digest_count];
    uint64_t began = bench_now_of_thread();
    for (size_t i = 0; i < steps; i++) {
        digest += memory_load(memory_line(m, digest)) & 2;
        digest = digest * UINT64_C(0xD1342543DE82EF95) + 1;
    }
    uint64_t spent = bench_now_of_thread() - began;
    bench_keep(digest);
    return (double)spent / (double)steps;
}

static void memory_stream_work(void *ctx, unsigned self, unsigned threads)
{
    const memory_lines *m = ctx;
    uint64_t first = m->count * self / threads, last = m->count * (self + 1) / threads;
    uint64_t sum[8] = {0};
    for (uint64_t line = first; line < last; line++)
        for (unsigned i = 0; i < 8; i++) sum[i] += memory_load(m->bytes + 64 * line + 8 * i);
    for (unsigned i = 0; i < 8; i++) bench_keep(sum[i]);
}

double memory_stream(const memory_lines *m, unsigned threads)
{
    uint64_t spent;
    void *ctx = (void *)(uintptr_t)m;
    if (threads == 1) {
        uint64_t began = bench_now_of_thread();
        memory_stream_work(ctx, 0, 1);
        spent = bench_now_of_thread() - began;
    } else {
        spent = bench_run_threads(threads, memory_stream_work, ctx);
    }
    return (double)(m->count * 64) / (double)(spent ? spent : 1);
}
