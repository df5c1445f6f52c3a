/* lib_subject.h - a filter under test, and the ways to add to it and ask it.
 *
 * Two filters stand behind a subject: one that holds all keys and is asked, and
 * one between half full and full that takes the timed adds, so that neither
 * empty pages nor an overfull filter are measured. Building from nothing and
 * concurrent adding have filters of their own.                              */
#ifndef TAMIS_BENCH_LIB_SUBJECT_H
#define TAMIS_BENCH_LIB_SUBJECT_H

#include <tamis/blocked_view.h>
#include <tamis/filter.h>

#include "lib_keys.h"
#include "lib_view.h"

typedef enum row_path {
    ROW_SINGLE, /* one call of the handle per key                              */
    ROW_VIEW,   /* the inline view in a loop of the caller's                   */
    ROW_BATCH,  /* one call for a slice of keys                                */
    ROW_BUILD,  /* an empty filter filled: tamis_add_many or its parallel twin */
    ROW_SHARED  /* a concurrent filter filled by threads, then asked in batch  */
} row_path;

typedef enum row_verb { ROW_ADD, ROW_HIT, ROW_MISS, ROW_MIX, ROW_VERBS } row_verb;

extern const char *const row_verb_names[ROW_VERBS];

/* One way of using a filter, with what it cost: nanoseconds per key, of all
 * threads together. */
typedef struct row {
    row_path path;
    keys_form form;
    unsigned threads;
    const view_loops *view;
    bench_samples cost[ROW_VERBS];
} row;

enum { ROWS_MOST = 16 };

typedef struct subject {
    const char *name;
    tamis_spec spec;
    uint64_t keys;
    tamis_filter *asked, *taking;
    uint64_t taken;                     /* keys that `taking` holds */
    uint64_t *fresh[2];                 /* digests and integers of keys to be added, */
    uint64_t fresh_first;               /* from this one on */
    size_t string;                      /* the next string to add */
    size_t next[KEYS_FORMS][KEYS_SETS]; /* the next key to ask for */
    row rows[ROWS_MOST];
    unsigned row_count;
    /* what came out */
    uint64_t bytes;
    double bits_per_key, rate, overhead; /* overhead: bits over log2(1 / rate) */
} subject;

/* Names, for --kinds: "blocked", "blocked-2", "classic", "scalable". False for
 * another one. `bits` a key, or the rate `fpr` when bits is 0. */
bool subject_init(subject *s, const char *name, uint64_t keys, double bits, double fpr,
                  unsigned threads);

/* Word for the way, for example "avx2 view". */
const char *row_how(const row *r);

/* Builds the filter that is asked, and measures its size and rate. */
void subject_start(subject *s, const keys_store *store);
void subject_end(subject *s);

/* One round of samples for every row. `build` includes the rows that fill whole
 * filters. */
void subject_round(subject *s, const keys_store *store, unsigned slices, bool build);

#endif
