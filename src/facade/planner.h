/* planner.h - from a request to kinds and shapes, for those who then build. */
#ifndef TMS_FACADE_PLANNER_H
#define TMS_FACADE_PLANNER_H

#include "kinds/kind.h"

enum { TMS_LEVELS_MOST = 3 }; /* shards of scaling filters of a flat kind */

/* A filter, or all the parts of the level above, which are equal. */
typedef struct tms_level {
    const tms_kind *kind;
    tms_shape shape;
    uint32_t children; /* of the next level, each; 0 at the last */
} tms_level;

typedef struct tms_plan {
    uint32_t count; /* 1 for a flat kind */
    tms_level levels[TMS_LEVELS_MOST];
} tms_plan;

tamis_status tms_plan_for(const tamis_spec *spec, tms_plan *out);

/* A rate together with the collisions of a hash of `width` bits, which an exact
 * kind does not have. */
double tms_kind_rate(const tms_kind *kind, double rate, double keys, uint32_t width);

#endif
