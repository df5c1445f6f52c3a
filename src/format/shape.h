/* shape.h - the parameters of one filter, as the planner makes them, a file
 * stores them and a kind works from them.
 *
 * A shape and a body are a filter. The meaning of `params` belongs to the
 * kind (docs/format.md lists them); everything else is common.              */
#ifndef TMS_FORMAT_SHAPE_H
#define TMS_FORMAT_SHAPE_H

#include <stdint.h>

enum { TMS_PARAMS_MOST = 8 };

typedef struct tms_shape {
    uint32_t kind;        /* TAMIS_KIND_* */
    uint32_t flags;       /* TAMIS_STRICT | TAMIS_CONCURRENT | TAMIS_NEVER_EXCEED */
    uint64_t capacity;    /* keys of the plan, at least 1 */
    double fpr;           /* rate of the plan, 0 < fpr < 1; 0 for exact kinds */
    uint64_t body_bytes;  /* a multiple of 64; 0 for kinds made of other filters */
    uint32_t param_count; /* 0 .. TMS_PARAMS_MOST */
    uint64_t params[TMS_PARAMS_MOST];
} tms_shape;

#endif
