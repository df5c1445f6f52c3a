/* classic.h - the classic Bloom filter's table, and the parts of it that kinds
 * with a scheme of their own use as they are.
 *
 * params: [0] bits  [1] hashes                                              */
#ifndef TMS_KINDS_CLASSIC_H
#define TMS_KINDS_CLASSIC_H

#include "kernel/classic_kernel.h"
#include "kinds/kind.h"
#include "kinds/scheme.h"

enum { CLASSIC_BITS, CLASSIC_HASHES, CLASSIC_PARAMS };

typedef struct classic_filter {
    tamis_filter base;
    tms_classic_table table;
    const tms_classic_kernel *kernel; /* the native scheme */
    const tms_scheme *scheme;         /* another one, or NULL */
    bool fetch;                       /* the body is larger than the cache */
} classic_filter;

extern const tms_kind tms_classic_kind;

/* The bits of a filter with a classic shape. */
static inline tms_classic_table tms_classic_table_of(const tamis_filter *f)
{
    return (tms_classic_table){.bytes = f->body,
                               .bits = f->shape.params[CLASSIC_BITS],
                               .hashes = (uint32_t)f->shape.params[CLASSIC_HASHES]};
}

#endif
