/* encode.h - a filter as an envelope and a list of bodies.                  */
#ifndef TMS_FACADE_ENCODE_H
#define TMS_FACADE_ENCODE_H

#include "format/envelope.h"
#include "kinds/kind.h"

/* The tree of `f` in pre-order. Arrays are from f's allocator; the metadata is
 * borrowed. Free with tms_packing_free. */
typedef struct tms_packing {
    tms_envelope envelope;
    const tamis_filter **filters; /* one a node */
    const uint8_t **bodies;       /* one a node; NULL until packed for loose kinds */
    uint32_t room;                /* nodes that fit the arrays */
} tms_packing;

tamis_status tms_packing_make(const tamis_filter *f, tms_packing *out);

/* Makes the bodies of loose kinds, which are the packing's own. */
tamis_status tms_packing_fill(const tamis_filter *f, tms_packing *packing);

void tms_packing_free(const tamis_filter *f, tms_packing *packing);

#endif
