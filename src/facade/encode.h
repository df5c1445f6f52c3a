/* encode.h - a filter as an envelope and a list of bodies.                  */
#ifndef TMS_FACADE_ENCODE_H
#define TMS_FACADE_ENCODE_H

#include "format/envelope.h"
#include "kinds/kind.h"

/* The tree of `f` in pre-order. Arrays are from f's allocator; the metadata is
 * borrowed. Free with tms_packing_free. */
typedef struct tms_packing {
    tms_envelope envelope;
    const uint8_t **bodies; /* one a node */
    uint32_t room;          /* nodes that fit the arrays */
} tms_packing;

tamis_status tms_packing_make(const tamis_filter *f, tms_packing *out);
void tms_packing_free(const tamis_filter *f, tms_packing *packing);

#endif
