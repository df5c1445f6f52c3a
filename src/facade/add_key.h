/* add_key.h - adding one key with everything a filter's behaviour asks for. */
#ifndef TMS_FACADE_ADD_KEY_H
#define TMS_FACADE_ADD_KEY_H

#include "kinds/kind.h"

/* Read-only and strict filters are respected, the key is counted. */
tamis_status tms_add_digest(tamis_filter *f, uint64_t digest, bool *was_new);
tamis_status tms_add_key(tamis_filter *f, const void *key, size_t size, bool *was_new);

#endif
