/* counting_parts.h - what the files of the counting kind share.
 *
 * params: [0] counters, all lines together  [1] hashes (per line)
 *         [2] bits a counter, 4 or 8        [3] lines per key, 0: spread    */
#ifndef TMS_KINDS_COUNTING_PARTS_H
#define TMS_KINDS_COUNTING_PARTS_H

#include "kernel/counting_kernel.h"
#include "kinds/kind.h"

enum { COUNTING_COUNTERS, COUNTING_HASHES, COUNTING_WIDTH, COUNTING_PER_KEY, COUNTING_PARAMS };

/* One of the two layouts is in use. */
typedef struct counting_filter {
    tamis_filter base;
    tms_classic_table table; /* spread: its bits are counters */
    const tms_spread_kernel *spread;
    tamis_blocked_view view; /* lined */
    const tms_lined_kernel *lined;
    bool fetch; /* the body is larger than the cache that fetching would fill */
} counting_filter;

static inline const counting_filter *counting_of(const tamis_filter *f)
{
    return (const counting_filter *)(const void *)f;
}

static inline bool counting_is_lined(const tms_shape *shape)
{
    return shape->params[COUNTING_PER_KEY] != 0;
}

static inline uint32_t counting_width(const tms_shape *shape)
{
    return (uint32_t)shape->params[COUNTING_WIDTH];
}

/* Counters of a line of 64 bytes. */
static inline uint64_t counting_line(const tms_shape *shape)
{
    return 512 / counting_width(shape);
}

tamis_status tms_counting_plan(const tamis_spec *, tms_shape *);
tamis_status tms_counting_check(tms_shape *);
void tms_counting_repeat(const tms_shape *, tamis_spec *);
void tms_counting_describe(const tms_shape *, tamis_sizing *);
double tms_counting_rate(const tms_shape *, double keys);
void tms_counting_measure(const tamis_filter *, tms_measure *);

tamis_status tms_counting_fits(const tms_shape *, const tms_shape *);
uint64_t tms_counting_fold_size(const tms_shape *);
void tms_counting_fold_shape(const tms_shape *, uint64_t factor, tms_shape *out);
void tms_counting_fold(const tamis_filter *, uint64_t factor, uint8_t *out);
void tms_counting_unite(tamis_filter *dst, const uint8_t *body);
void tms_counting_overlap(tamis_filter *dst, const uint8_t *body);
tamis_status tms_counting_convert_shape(const tms_shape *, uint32_t kind, tms_shape *out);
void tms_counting_convert(const tamis_filter *, uint8_t *out);

#endif
