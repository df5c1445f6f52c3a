/* registry.h - the kinds this library knows.                                */
#ifndef TMS_FACADE_REGISTRY_H
#define TMS_FACADE_REGISTRY_H

#include "kinds/kind.h"

/* The kind with this number, or NULL. */
const tms_kind *tms_kind_by_id(uint64_t id);

/* A kind of another system, which only a door of its own makes, or NULL. */
const tms_kind *tms_kind_foreign(uint64_t id);

/* Kind `index` of the list, NULL past its end. */
const tms_kind *tms_kind_number(size_t index);

#endif
