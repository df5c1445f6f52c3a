/* parts.h - what the kinds made of filters have in common.                  */
#ifndef TMS_COMPOSE_PARTS_H
#define TMS_COMPOSE_PARTS_H

#include "kinds/kind.h"

/* Takes children over whose kind must be params[0] of the shape, and one that
 * the whole accepts: TAMIS_E_CORRUPT otherwise, since a plan would have been
 * refused. */
tamis_status tms_parts_take(const tamis_filter *whole, tamis_filter **children, uint32_t count);

/* Of a request for a whole what its parts have no use for. */
void tms_parts_trim(tamis_spec *spec);

/* How to ask all parts for one digest: the way that they all have, or each by itself. */
tms_ask_any *tms_parts_any(tamis_filter *const *parts, uint32_t count);

/* answers[i]: whether one of the parts may contain digest i, each asked once for
 * the whole run, the last first; returns how many. Each fetches its own lines. */
size_t tms_parts_ask(tamis_filter *const *parts, uint32_t count, const tms_run *run, bool *answers);

/* TAMIS_E_SPEC for what only a scaling or a flat filter understands. */
tamis_status tms_parts_check_fixed(const char *name, const tamis_spec *spec);

#endif
