/* subject.h - a filter under test, and the ways to add to it and ask it.
 *
 * Two filters stand behind a subject: one that holds all keys and is asked, and
 * one between half full and full that takes the timed adds, so that neither
 * empty pages nor an overfull filter are measured. Building from nothing and
 * concurrent adding have filters of their own.                              */
#ifndef TAMIS_MEASURE_SUBJECT_H
#define TAMIS_MEASURE_SUBJECT_H

#include <tamis/blocked_view.h>
#include <tamis/filter.h>

#include "measure/keys.h"

typedef enum row_path {
    ROW_SINGLE, /* one call of the handle per key                              */
    ROW_VIEW,   /* the inline view in a loop of the caller's                   */
    ROW_BATCH,  /* one call for a slice of keys                                */
    ROW_BUILD,  /* an empty filter filled: tamis_add_many or its parallel twin */
    ROW_SHARED  /* a concurrent filter filled by threads, then asked in batch  */
} row_path;

/* Loops of a caller's own over the inline view. */
typedef struct view_loops {
    const char *name;
    uint64_t (*ask)(const tamis_blocked_view *, const uint64_t *digests, size_t count);
    uint64_t (*add)(const tamis_blocked_view *, const uint64_t *digests, size_t count);
} view_loops;

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
    uint32_t abilities; /* of the kind */
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

/* A filter for so many keys, without rows. The name is that of a registered kind,
 * with "-2" behind it for two lines a key. `bits` a key, or the rate `fpr` when
 * bits is 0; kinds that grow always go by the rate, and have three full layers.
 * False: there is no such kind, or it takes no digests one after another. */
bool subject_init(subject *s, const char *name, uint64_t keys, double bits, double fpr);

/* One more way to measure; its threads count for all but ROW_VIEW, which alone
 * has a `view`. Those that the kind cannot do are left out. */
void subject_row(subject *s, row_path path, keys_form form, unsigned threads,
                 const view_loops *view);

/* Memory that the filters of a subject take at most, keys not included. 0: the
 * library refuses the spec, and tamis_explain() says why. */
uint64_t subject_memory(const subject *s);

/* Word for the way, for example "avx2 view". */
const char *row_how(const row *r);

/* Builds the filter that is asked, and measures its size and rate. */
void subject_start(subject *s, const keys_store *store);
void subject_end(subject *s);

/* One round of samples for every row. `build` includes the rows that fill whole
 * filters. */
void subject_round(subject *s, const keys_store *store, unsigned slices, bool build);

#endif
