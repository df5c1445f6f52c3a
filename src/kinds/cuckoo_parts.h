/* cuckoo_parts.h - what the files of the cuckoo kind share.
 *
 * params: [0] chunks  [1] buckets a chunk, even  [2] bits of a fingerprint, 4..32
 *         [3] places of a bucket, 2 or 4  [4] layout: 0 packed, 1 semi-sorted  */
#ifndef TMS_KINDS_CUCKOO_PARTS_H
#define TMS_KINDS_CUCKOO_PARTS_H

#include "kernel/cuckoo_kernel.h"
#include "kinds/kind.h"

enum { CUCKOO_CHUNKS, CUCKOO_BUCKETS, CUCKOO_BITS, CUCKOO_PLACES, CUCKOO_LAYOUT, CUCKOO_PARAMS };
enum { CUCKOO_LEAST_BITS = 4, CUCKOO_MOST_BITS = 32 };
enum { CUCKOO_PACKED = 0, CUCKOO_SEMISORTED = 1 };

/* Chunks are planned to fit any second-level cache beside the keys that are being
 * added; smaller ones would fill more unevenly. */
enum { CUCKOO_CHUNK_BYTES = 1 << 18 };

typedef struct cuckoo_filter {
    tamis_filter base;
    tms_cuckoo_table table;
    const tms_cuckoo_kernel *kernel;
    _Atomic uint64_t refused; /* adds that found no place, since it was made or read */
    tms_cuckoo_lock locks[TMS_CUCKOO_LOCKS];
} cuckoo_filter;

static inline cuckoo_filter *cuckoo_of(const tamis_filter *f)
{
    return (cuckoo_filter *)(uintptr_t)f;
}

/* cuckoo_plan.c */
tamis_status tms_cuckoo_plan(const tamis_spec *, tms_shape *);
tamis_status tms_cuckoo_check(tms_shape *);
void tms_cuckoo_describe(const tms_shape *, tamis_sizing *);
double tms_cuckoo_expected_rate(const tms_shape *, double keys);

#endif
