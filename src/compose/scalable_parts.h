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

tamis_status tms_scalable_plan(const tamis_spec *, tms_shape *);
tamis_status tms_scalable_check(tms_shape *);
double tms_scalable_rate(const tms_shape *, double keys);

/* The cap on all layers together; 0: none. */
uint64_t tms_scalable_cap(const tms_shape *shape);

extern const tms_composing tms_scalable_composing;

#endif
