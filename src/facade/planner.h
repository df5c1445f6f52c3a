/* planner.h - from a request to kinds and shapes, for those who then build. */
#ifndef TMS_FACADE_PLANNER_H
#define TMS_FACADE_PLANNER_H

#include "kinds/kind.h"

typedef struct tms_plan {
    const tms_kind *kind;
    const tms_kind *inner; /* of a composed kind, otherwise NULL */
    tms_shape shape;
    tms_shape first; /* of a composed kind: its first part */
} tms_plan;

tamis_status tms_plan_for(const tamis_spec *spec, tms_plan *out);

/* A rate together with the collisions of a hash of `width` bits, which an exact
 * kind does not have. */
double tms_kind_rate(const tms_kind *kind, double rate, double keys, uint32_t width);

#endif
