/* memory.h - what this machine's memory can do with random cache lines.
 *
 * The line limit is the best rate at which one 64-bit word of a random line
 * can be read (or read and written), the lines being named by an array of
 * digests as in a batch. Every hint and every distance is tried, so a result
 * above the limit is the filter's doing and not the machine's.              */
#ifndef TAMIS_MEASURE_MEMORY_H
#define TAMIS_MEASURE_MEMORY_H

#include "measure/bench.h"

/* Where a fetch puts the line. MEMORY_NONE fetches nothing; MEMORY_WRITE asks
 * for the line as its owner. */
typedef enum memory_hint {
    MEMORY_NONE,
    MEMORY_T0,
    MEMORY_T1,
    MEMORY_T2,
    MEMORY_NTA,
    MEMORY_WRITE,
    MEMORY_HINTS
} memory_hint;

enum { MEMORY_DEPTHS = 5 };
extern const unsigned memory_depths[MEMORY_DEPTHS]; /* 16 .. 256 keys ahead */
extern const char *const memory_hint_names[MEMORY_HINTS];

typedef enum memory_verb { MEMORY_READ, MEMORY_CHANGE, MEMORY_VERBS } memory_verb;

/* Where the lines are, and the digests that name them: MEMORY_AHEAD more of them
 * lie behind the last one, to be fetched and not used. Each slice takes the next
 * digests, so there should be more of them than lines that fit a cache: a slice
 * that is measured twice finds its lines where the first time has left them. */
enum { MEMORY_AHEAD = 256 };

typedef struct memory_lines {
    uint8_t *bytes;
    uint64_t count;
    const uint64_t *digests;
    size_t digest_count;
    size_t next; /* the digest to go on with */
} memory_lines;

/* Samples for every hint and depth; one fits a program's static memory. */
typedef struct memory_grid {
    bench_samples cell[MEMORY_VERBS][MEMORY_HINTS][MEMORY_DEPTHS];
} memory_grid;

typedef struct memory_best {
    double ns, median; /* per line */
    memory_hint hint;
    unsigned depth;
} memory_best;

/* Adds `slices` samples to every cell of one verb. `threads` share the lines and
 * split the digests; a sample is the time of all, per line. */
void memory_measure(memory_grid *grid, memory_verb verb, memory_lines *lines, unsigned slices,
                    unsigned threads);

memory_best memory_limit(const memory_grid *grid, memory_verb verb);

/* Nanoseconds from one line to the next when each names the next one, about 3 of
 * them arithmetic; `which` names the walk, and no walk should be used twice. */
double memory_chain(const memory_lines *lines, size_t which);

/* Sequential reading, in bytes per nanosecond. */
double memory_stream(const memory_lines *lines, unsigned threads);

#endif
