/* blocked_parts.h - what the two files of the blocked kind share.
 *
 * params: [0] lines, both halves together  [1] hashes per line, 1..8
 *         [2] lines per key, 1 or 2                                         */
#ifndef TMS_KINDS_BLOCKED_PARTS_H
#define TMS_KINDS_BLOCKED_PARTS_H

#include "kernel/blocked_kernel.h"
#include "kinds/kind.h"

enum { BLOCKED_LINES, BLOCKED_HASHES, BLOCKED_PER_KEY, BLOCKED_PARAMS };
enum { BLOCKED_LINE_BITS = 512, BLOCKED_MOST_HASHES = 8 };

typedef struct blocked_filter {
    tamis_filter base;
    tamis_blocked_view view;
    const tms_blocked_kernel *kernel;
    uint32_t shards, shard; /* 0: all keys; else those of one shard, and `view` is of all lines,
                               of which only the shard's are there */
    bool fetch;             /* the body is larger than the cache that fetching would fill */
} blocked_filter;

static inline const blocked_filter *blocked_of(const tamis_filter *f)
{
    return (const blocked_filter *)(const void *)f;
}

tamis_status tms_blocked_plan(const tamis_spec *, tms_shape *);
tamis_status tms_blocked_check(tms_shape *);
void tms_blocked_describe(const tms_shape *, tamis_sizing *);
double tms_blocked_expected_rate(const tms_shape *, double keys);

#endif
