/* tree.h - from an envelope to a tree of filters.                           */
#ifndef TMS_FACADE_TREE_H
#define TMS_FACADE_TREE_H

#include <tamis/file.h>

#include "format/envelope.h"
#include "kinds/kind.h"

/* Builds the tree that a validated envelope describes and judges it by its
 * kinds. With `area` the bodies lie there and are read-only; without, they are
 * allocated and empty. Metadata is copied. */
tamis_status tms_tree_make(const tms_envelope *e, const tamis_open_options *options,
                           const uint8_t *area, tamis_filter **out);

/* Takes the bodies of loose kinds apart, once they are read. */
tamis_status tms_tree_unpack(tamis_filter *f);

/* Whether the filter can be used where its bytes lie: no kind in it is loose. */
bool tms_tree_lies_in_place(const tms_envelope *e);

/* The bodies of the tree, in the order of the nodes. */
void tms_tree_bodies(const tamis_filter *f, uint8_t **bodies);

#endif
