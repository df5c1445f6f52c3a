/* batch.h - stretches of a batch as digests or as single keys.              */
#ifndef TMS_FACADE_BATCH_H
#define TMS_FACADE_BATCH_H

#include "kinds/kind.h"

/* TAMIS_E_SPEC for an unknown layout or offsets that descend. */
tamis_status tms_batch_check(const tamis_keys *keys);

/* Digests of keys [from, from + count): made in `room`, or the caller's own. */
const uint64_t *tms_batch_digests(const tamis_filter *f, const tamis_keys *keys, size_t from,
                                  size_t count, uint64_t *room);

/* Adds keys [from, from + count) in order; *added of them were taken. `was_new`
 * is for the whole batch, or NULL. */
tamis_status tms_batch_add(tamis_filter *f, const tamis_keys *keys, size_t from, size_t count,
                           bool *was_new, size_t *added);

#endif
