/* scalable_parts.h - what the files of the scaling filter share.
 *
 * params: [0] inner kind  [1] expansion (double)  [2] tightening (double)
 *         [3] lines per key asked for, 0: chosen per layer
 *         [4] bytes that all layers together may take; absent or, before a
 *             sixth, 0: no cap
 *         [5] capacity of the second layer, where the step to it is larger than
 *             the expansion; otherwise absent                               */
#ifndef TMS_COMPOSE_SCALABLE_PARTS_H
#define TMS_COMPOSE_SCALABLE_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "kinds/kind.h"

enum {
    SCALABLE_INNER,
    SCALABLE_EXPANSION,
    SCALABLE_TIGHTENING,
    SCALABLE_LINES,
    SCALABLE_PARAMS, /* that are always there */
    SCALABLE_MEMORY = SCALABLE_PARAMS,
    SCALABLE_SECOND,
    SCALABLE_PARAMS_MOST
};
enum { SCALABLE_MOST_LAYERS = 64 };

typedef struct scalable_filter {
    tamis_filter base;
    const tms_kind *inner;
    pthread_mutex_t growing;
    pthread_mutex_t changing; /* layers that remove, in concurrent mode */
    uint64_t closed;          /* layers that remove: a bit for each that has refused a key */
    _Atomic uint32_t count;
    tms_ask_any *_Atomic any; /* of all layers; stored before `count` */
    tamis_filter *layers[SCALABLE_MOST_LAYERS];
} scalable_filter;

static inline scalable_filter *scalable_of(const tamis_filter *f)
{
    return (scalable_filter *)(uintptr_t)f;
}

static inline uint32_t scalable_count(const scalable_filter *s)
{
    return atomic_load_explicit(&s->count, memory_order_acquire);
}

static inline bool scalable_is_full(const tamis_filter *layer)
{
    return tms_counter_sum(&layer->added) >= layer->shape.capacity;
}

/* Adds a layer unless another thread has done so since `seen` were counted. */
tamis_status tms_scalable_grow(scalable_filter *s, uint32_t seen);

bool tms_scalable_may_contain(const tamis_filter *, uint64_t digest);
size_t tms_scalable_may_contain_many(const tamis_filter *, const tms_run *, bool *answers);

extern const tms_ops tms_scalable_keeping; /* scalable_keep.c */

tamis_status tms_scalable_plan(const tamis_spec *, tms_shape *);
tamis_status tms_scalable_check(tms_shape *);
double tms_scalable_rate(const tms_shape *, double keys);

/* The cap on all layers together; 0: none. */
uint64_t tms_scalable_cap(const tms_shape *shape);

extern const tms_composing tms_scalable_composing;

#endif
