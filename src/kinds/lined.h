/* lined.h - what the kinds share whose keys stand on whole cache lines, be it
 * bits (blocked) or counters (counting): measuring, and slices of a parallel
 * build.                                                                    */
#ifndef TMS_KINDS_LINED_H
#define TMS_KINDS_LINED_H

#include "kernel/blocked_kernel.h"
#include "kinds/kind.h"

/* Lines of 8 lanes, of `lane_places` bits or counters each. */
typedef struct tms_lined_body {
    const tamis_blocked_view *view;
    uint32_t lane_places, hashes;
    void (*lane_ones)(const uint8_t *line, uint8_t ones[8]); /* places that are set */
} tms_lined_body;

/* Everything a measure says but `bits`; `ones` counts places. */
void tms_lined_measure(const tms_lined_body *body, tms_measure *out);

/* Adds what falls into slice `slice` of `slices` of the lines. `fetch`: the body
 * is larger than the cache. */
typedef struct tms_lined_slice {
    const tamis_blocked_view *view;
    const tms_blocked_kernel *kernel;
    bool fetch;
    unsigned slice, slices;
} tms_lined_slice;

void tms_lined_add_slice(const tms_lined_slice *slice, const uint64_t *digests, size_t count);

/* The view of a body of `lines` lines. */
tamis_blocked_view tms_lined_view(uint8_t *body, uint64_t lines, uint32_t hashes,
                                  uint32_t lines_per_key);

#endif
