/* scalable.h - a filter without a capacity: layers of another kind.         */
#ifndef TMS_COMPOSE_SCALABLE_H
#define TMS_COMPOSE_SCALABLE_H

#include "kinds/kind.h"

extern const tms_kind tms_scalable_kind;

/* What layer `index` of such a filter is asked to be. */
void tms_scalable_layer_spec(const tms_shape *shape, uint32_t index, tamis_spec *out);

/* The rate when the first `layers` layers are full, the collisions of a hash of
 * `width` bits included. */
double tms_scalable_rate_of_layers(const tms_shape *shape, uint32_t layers, uint32_t width);

#endif
