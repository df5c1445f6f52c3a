/* bench.c - see bench.h.                                            */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* sched_setaffinity, madvise, the program's name */
#endif
#include "measure/bench.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

void bench_die(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(stderr, "%s: ", program_invocation_short_name);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(2);
}

/* ---- samples ------------------------------------------------------------ */

void bench_note(bench_samples *samples, double value)
{
    samples->value[samples->count++ % BENCH_SAMPLES] = value;
}

static unsigned bench_kept(const bench_samples *samples)
{
    return samples->count < BENCH_SAMPLES ? samples->count : BENCH_SAMPLES;
}

double bench_min(const bench_samples *samples)
{
    unsigned count = bench_kept(samples);
    double least = count ? samples->value[0] : 0;
    for (unsigned i = 1; i < count; i++)
        if (samples->value[i] < least) least = samples->value[i];
    return least;
}

static int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(const bench_samples *samples)
{
    unsigned count = bench_kept(samples);
    double sorted[BENCH_SAMPLES];
    if (count == 0) return 0;
    memcpy(sorted, samples->value, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, bench_compare);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* ---- time and processors ------------------------------------------------ */

static uint64_t bench_read(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t bench_now(void)
{
    return bench_read(CLOCK_MONOTONIC);
}

uint64_t bench_now_of_thread(void)
{
    return bench_read(CLOCK_THREAD_CPUTIME_ID);
}

static bool bench_pins = true;

void bench_never_pin(void)
{
    bench_pins = false;
}

/* The processors at the first call, before anything is pinned. */
static const cpu_set_t *bench_all(void)
{
    static cpu_set_t all;
    static bool known;
    if (!known) {
        known = true;
        if (sched_getaffinity(0, sizeof all, &all) != 0) CPU_SET(0, &all);
    }
    return &all;
}

unsigned bench_processors(void)
{
    return (unsigned)CPU_COUNT(bench_all());
}

/* The last processors first: the first one serves most interrupts. */
void bench_pin(unsigned n)
{
    const cpu_set_t *all = bench_all();
    unsigned skip = n % bench_processors();
    if (!bench_pins) return;
    for (int i = CPU_SETSIZE - 1; i >= 0; i--) {
        if (!CPU_ISSET((size_t)i, all) || skip-- > 0) continue;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET((size_t)i, &one);
        (void)sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

void bench_unpin(void)
{
    if (bench_pins) (void)sched_setaffinity(0, sizeof(cpu_set_t), bench_all());
}

typedef struct bench_seat {
    bench_work work;
    void *ctx;
    pthread_barrier_t *start;
    unsigned self, threads;
    uint64_t began, ended;
} bench_seat;

static void *bench_thread(void *argument)
{
    bench_seat *seat = argument;
    bench_pin(seat->self);
    pthread_barrier_wait(seat->start);
    seat->began = bench_now();
    seat->work(seat->ctx, seat->self, seat->threads);
    seat->ended = bench_now();
    return NULL;
}

enum { BENCH_THREADS_MOST = 256 };

uint64_t bench_run_threads(unsigned threads, bench_work work, void *ctx)
{
    pthread_t ids[BENCH_THREADS_MOST];
    bench_seat seats[BENCH_THREADS_MOST];
    pthread_barrier_t start;
    if (threads > BENCH_THREADS_MOST) threads = BENCH_THREADS_MOST;
    (void)bench_all();
    pthread_barrier_init(&start, NULL, threads);
    for (unsigned i = 0; i < threads; i++) {
        seats[i] =
            (bench_seat){.work = work, .ctx = ctx, .start = &start, .self = i, .threads = threads};
        if (pthread_create(&ids[i], NULL, bench_thread, &seats[i]) != 0)
            bench_die("cannot start thread %u of %u", i + 1, threads);
    }
    uint64_t began = UINT64_MAX, ended = 0;
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        if (seats[i].began < began) began = seats[i].began;
        if (seats[i].ended > ended) ended = seats[i].ended;
    }
    pthread_barrier_destroy(&start);
    return ended - began;
}

/* Copies what follows ": " in the first line of `path` that starts with `key`;
 * the whole line for an empty key. */
static void bench_read_line(const char *path, const char *key, char *room, size_t size)
{
    char line[256];
    FILE *file = fopen(path, "r");
    snprintf(room, size, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0) continue;
        const char *colon = *key ? strstr(line, ": ") : NULL;
        snprintf(room, size, "%.*s", (int)size - 1, colon ? colon + 2 : line);
        room[strcspn(room, "\n")] = 0;
        break;
    }
    if (file) fclose(file);
}

/* ---- memory ------------------------------------------------------------- */

#define BENCH_HUGE ((size_t)2 << 20)

static size_t bench_whole_pages(size_t bytes)
{
    return (bytes + 4095) / 4096 * 4096;
}

/* Aligned as the library aligns its bodies: more is mapped, the ends given back. */
void *bench_buffer(size_t bytes, bool huge)
{
    size_t want = bench_whole_pages(bytes);
    uint8_t *raw = mmap(NULL, want + BENCH_HUGE, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (raw == MAP_FAILED) bench_die("no memory for %zu bytes", bytes);
    size_t head = (BENCH_HUGE - (uintptr_t)raw % BENCH_HUGE) % BENCH_HUGE;
    size_t tail = BENCH_HUGE - head;
    if (head) munmap(raw, head);
    if (tail) munmap(raw + head + want, tail);
    (void)madvise(raw + head, want, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(raw + head, 0, want);
    return raw + head;
}

void bench_buffer_free(void *buffer, size_t bytes)
{
    munmap(buffer, bench_whole_pages(bytes));
}

void bench_forbid_huge_pages(void)
{
    (void)prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
}

uint64_t bench_free_memory(void)
{
    char words[64];
    bench_read_line("/proc/meminfo", "MemAvailable:", words, sizeof words);
    return strtoull(words, NULL, 10) * 1024;
}

unsigned long bench_peak_mib(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (unsigned long)use.ru_maxrss / 1024;
}

/* ---- words -------------------------------------------------------------- */

uint64_t bench_number(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    switch (*end) {
    case 'k': value *= 1024, end++; break;
    case 'M': value *= 1024 * 1024, end++; break;
    case 'G': value *= 1024 * 1024 * 1024, end++; break;
    default: break;
    }
    if (end == text || *end || !(value >= 1 && value < 1e18))
        bench_die("'%s' is not a number from 1 on (1000000, 1e6, 64k, 12M, 1G)", text);
    return (uint64_t)value;
}

const char *bench_short(uint64_t number, char *room, size_t size)
{
    unsigned zeros = 0;
    uint64_t head = number;
    while (head >= 10 && head % 10 == 0) head /= 10, zeros++;
    if (zeros >= 4)
        snprintf(room, size, "%llue%u", (unsigned long long)head, zeros);
    else
        snprintf(room, size, "%llu", (unsigned long long)number);
    return room;
}

const char *bench_bytes(uint64_t bytes, char *room, size_t size)
{
    double value = (double)bytes;
    const char *unit = "bytes";
    if (value >= 1e9)
        value /= 1e9, unit = "GB";
    else if (value >= 1e6)
        value /= 1e6, unit = "MB";
    else if (value >= 1e3)
        value /= 1e3, unit = "kB";
    snprintf(room, size, "%.3g %s", value, unit);
    return room;
}

/* ---- the machine -------------------------------------------------------- */

static long bench_cache_kib(int name)
{
    long bytes = sysconf(name);
    return bytes > 0 ? bytes / 1024 : 0;
}

void bench_describe(bench_machine *machine)
{
    struct utsname system;
    time_t now = time(NULL);
    struct tm utc;
    *machine = (bench_machine){.processors = bench_processors()};
    bench_read_line("/proc/cpuinfo", "model name", machine->processor, sizeof machine->processor);
    bench_read_line("/sys/kernel/mm/transparent_hugepage/enabled", "", machine->pages,
                    sizeof machine->pages);
    snprintf(machine->caches, sizeof machine->caches, "L1d %ld KiB, L2 %ld KiB, L3 %ld KiB",
             bench_cache_kib(_SC_LEVEL1_DCACHE_SIZE), bench_cache_kib(_SC_LEVEL2_CACHE_SIZE),
             bench_cache_kib(_SC_LEVEL3_CACHE_SIZE));
    if (uname(&system) == 0)
        snprintf(machine->system, sizeof machine->system, "%.60s %.60s %.60s", system.sysname,
                 system.release, system.machine);
#if defined(__clang__)
    snprintf(machine->compiler, sizeof machine->compiler, "%s", __VERSION__);
#else
    snprintf(machine->compiler, sizeof machine->compiler, "gcc %s", __VERSION__);
#endif
    if (gmtime_r(&now, &utc)) strftime(machine->date, sizeof machine->date, "%Y-%m-%d", &utc);
}

void bench_print_machine(const bench_machine *machine, FILE *to)
{
    fprintf(to, "machine   %s, %u processors, %s\n", machine->processor, machine->processors,
            machine->caches);
    fprintf(to, "system    %s, huge pages: %s\n", machine->system, machine->pages);
    fprintf(to, "compiler  %s, flags: %s\n", machine->compiler, BENCH_FLAGS);
    fprintf(to, "date      %s\n", machine->date);
}
