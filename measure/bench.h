/* bench.h - what every benchmark needs: a clock, samples, threads on
 * processors of their own, buffers, and words about the machine.
 *
 * Times are taken over short slices (well under a scheduler's time slice), many
 * of them, because benchmarks rarely have a machine to themselves: the minimum
 * is what the machine can do, the median what it did.                       */
#ifndef TAMIS_MEASURE_BENCH_H
#define TAMIS_MEASURE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { BENCH_SLICE = 1 << 16 }; /* keys of one timed slice */

/* ---- samples: nanoseconds per key --------------------------------------- */

enum { BENCH_SAMPLES = 256 };

/* Past BENCH_SAMPLES values the oldest are replaced. */
typedef struct bench_samples {
    double value[BENCH_SAMPLES];
    unsigned count;
} bench_samples;

void bench_note(bench_samples *samples, double value);

/* 0 when there is no sample. */
double bench_min(const bench_samples *samples);
double bench_median(const bench_samples *samples);

/* ---- time and processors ------------------------------------------------ */

uint64_t bench_now(void);           /* nanoseconds */
uint64_t bench_now_of_thread(void); /* of processor time */

/* Processors this process was started with. */
unsigned bench_processors(void);

/* Keeps this thread on the n-th of them, or lets it go again. Where the system
 * refuses, nothing happens. */
void bench_pin(unsigned n);
void bench_unpin(void);
void bench_never_pin(void); /* makes bench_pin do nothing */

typedef void (*bench_work)(void *ctx, unsigned self, unsigned threads);

/* Runs `work` on each of `threads` pinned threads; nanoseconds from the first
 * start to the last end. */
uint64_t bench_run_threads(unsigned threads, bench_work work, void *ctx);

/* Makes the compiler believe that `value` is used. */
static inline void bench_keep(uint64_t value)
{
    __asm__ volatile("" : : "r"(value) : "memory");
}

/* ---- memory ------------------------------------------------------------- */

/* Zeroed, touched, at a multiple of 2 MiB; on huge pages when asked for and
 * granted. Ends the program when there is none. */
void *bench_buffer(size_t bytes, bool huge);
void bench_buffer_free(void *buffer, size_t bytes);

/* No huge pages for this process, whatever is asked for. */
void bench_forbid_huge_pages(void);

/* Bytes that the system could give now; 0: nobody knows. */
uint64_t bench_free_memory(void);

/* The most memory this process has had, in MiB. */
unsigned long bench_peak_mib(void);

/* ---- words -------------------------------------------------------------- */

/* "1000000", "1e6", "64k", "12M", "1G" (powers of 1024); ends the program when
 * `text` is none of these. */
uint64_t bench_number(const char *text);

/* "1e6", "125000": as short as it goes. */
const char *bench_short(uint64_t number, char *room, size_t size);

/* "1.25 MB", "120 MB" */
const char *bench_bytes(uint64_t bytes, char *room, size_t size);

typedef struct bench_machine {
    char processor[128], caches[128], system[192], pages[64], compiler[128], date[32];
    unsigned processors;
} bench_machine;

void bench_describe(bench_machine *machine);
void bench_print_machine(const bench_machine *machine, FILE *to);

_Noreturn void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
