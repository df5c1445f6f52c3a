/* scalable_parts.h - what the two files of the scalable kind share.
 *
 * params: [0] inner kind  [1] expansion (double)  [2] tightening (double)
 *         [3] lines per key asked for, 0: chosen per layer
 *         [4] bytes that all layers together may take; absent: no cap       */
#ifndef TMS_COMPOSE_SCALABLE_PARTS_H
#define TMS_COMPOSE_SCALABLE_PARTS_H

#include "kinds/kind.h"

enum {
    SCALABLE_INNER,
    SCALABLE_EXPANSION,
    SCALABLE_TIGHTENING,
    SCALABLE_LINES,
    SCALABLE_PARAMS, /* that are always there */
    SCALABLE_MEMORY = SCALABLE_PARAMS
};
enum { SCALABLE_MOST_LAYERS = 64 };

tamis_status tms_scalable_plan(const tamis_spec *, tms_shape *);
tamis_status tms_scalable_check(tms_shape *);
void tms_scalable_describe(const tms_shape *, tamis_sizing *);
double tms_scalable_rate(const tms_shape *, double keys);

#endif
