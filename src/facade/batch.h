/* batch.h - adding a stretch of a batch.                                    */
#ifndef TMS_FACADE_BATCH_H
#define TMS_FACADE_BATCH_H

#include "kinds/kind.h"

/* Adds keys [from, from + count) in order; *added of them were taken. `was_new`
 * is for the whole batch, or NULL. */
tamis_status tms_batch_add(tamis_filter *f, const tamis_keys *keys, size_t from, size_t count,
                           bool *was_new, size_t *added);

#endif
