/* roll.h - a batch of keys as runs of digests: each run is hashed, and its
 * lines are fetched, while the one before it is being worked.
 *
 *      tms_roll roll;
 *      for (tms_roll_start(&roll, f, keys, from, count);; tms_roll_advance(&roll)) {
 *          ... work on roll.run, whose first time round is empty ...
 *          if (tms_roll_is_last(&roll)) break;
 *      }                                                                    */
#ifndef TMS_FACADE_ROLL_H
#define TMS_FACADE_ROLL_H

#include "kernel/tuning.h"
#include "kinds/kind.h"

/* TAMIS_E_SPEC for an unknown layout or offsets that descend. */
tamis_status tms_batch_check(const tamis_keys *keys);

/* Digests of keys [from, from + count): made in `room`, or the caller's own. */
const uint64_t *tms_batch_digests(const tamis_filter *f, const tamis_keys *keys, size_t from,
                                  size_t count, uint64_t *room);

/* Key `index` as bytes; integers are put into `little`. */
tamis_span tms_batch_key(const tamis_keys *keys, size_t index, uint64_t *little);

/* The next keys as bytes, at most a run of them, from `from` and before `end`. */
typedef struct tms_spans {
    size_t count;
    const tamis_span *keys; /* the caller's own, or `room` */
    tamis_span room[TMS_RUN];
    uint64_t littles[TMS_RUN]; /* integers, in the bytes that are hashed */
} tms_spans;

void tms_batch_spans(const tamis_keys *keys, size_t from, size_t end, tms_spans *out);

typedef struct tms_roll {
    const tamis_filter *filter;
    const tamis_keys *keys;
    tms_listener fetcher; /* fetches while keys are hashed, when hashing takes its time */
    size_t next, end;     /* keys that have not been hashed yet */
    unsigned turn;
    tms_run run;
    const uint64_t *coming; /* the run after this one: fetched, or named by run.ahead */
    size_t coming_count;
    uint64_t room[2][TMS_RUN];
} tms_roll;

/* The first run works on nothing and fetches the first lines. */
void tms_roll_start(tms_roll *roll, const tamis_filter *f, const tamis_keys *keys, size_t from,
                    size_t count);
void tms_roll_advance(tms_roll *roll);

static inline bool tms_roll_is_last(const tms_roll *roll)
{
    return roll->coming_count == 0;
}

#endif
