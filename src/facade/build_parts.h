/* build_parts.h - large batches for bodies made of parts.                   */
#ifndef TMS_FACADE_BUILD_PARTS_H
#define TMS_FACADE_BUILD_PARTS_H

#include "kinds/kind.h"

/* Whether a batch of so many keys is worth sorting by parts, and may be. */
bool tms_parts_serve(const tamis_filter *f, size_t count);

/* Adds the batch, by several threads, with the bytes that one by one gives.
 * TAMIS_E_NOMEM: nothing was added, and adding in order would do. When a key is
 * refused, those before it stay and `*added` is their number. */
tamis_status tms_parts_add(tamis_filter *f, const tamis_keys *keys, unsigned threads,
                           size_t *added);

#endif
