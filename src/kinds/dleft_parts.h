/* dleft_parts.h - what the files of the d-left kind share.
 *
 * params: [0] buckets of one subtable  [1] bits of a remainder              */
#ifndef TMS_KINDS_DLEFT_PARTS_H
#define TMS_KINDS_DLEFT_PARTS_H

#include "kernel/dleft_kernel.h"
#include "kinds/kind.h"

enum { DLEFT_BUCKETS, DLEFT_REMAINDER, DLEFT_PARAMS };

/* Bytes that one bucket of each subtable takes together. */
enum { DLEFT_ROW = TMS_DLEFT_TABLES * TMS_DLEFT_BUCKET };

typedef struct dleft_filter {
    tamis_filter base;
    tms_dleft_table table;
    const tms_dleft_kernel *kernel;
    bool fetch; /* the body is larger than the cache that fetching would fill */
} dleft_filter;

static inline const dleft_filter *dleft_of(const tamis_filter *f)
{
    return (const dleft_filter *)(const void *)f;
}

tamis_status tms_dleft_plan(const tamis_spec *, tms_shape *);
tamis_status tms_dleft_check(tms_shape *);
void tms_dleft_describe(const tms_shape *, tamis_sizing *);
double tms_dleft_rate_of(const tms_shape *, double keys);

#endif
