/* spread.h - measuring filters whose keys have k places anywhere, be it bits
 * (classic) or counters (counting).                                         */
#ifndef TMS_KINDS_SPREAD_H
#define TMS_KINDS_SPREAD_H

#include "kinds/kind.h"

typedef struct tms_spread_body {
    const uint8_t *bytes;
    uint64_t places;
    uint32_t hashes;
    /* Places that are set among [first, first + count); first is a multiple of 64. */
    uint64_t (*ones)(const uint8_t *bytes, uint64_t first, uint64_t count);
} tms_spread_body;

/* Everything a measure says but `bits`; `ones` counts places. */
void tms_spread_measure(const tms_spread_body *body, tms_measure *out);

#endif
