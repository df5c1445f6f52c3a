/* window.h - a filter that forgets: generations of another kind.            */
#ifndef TMS_COMPOSE_WINDOW_H
#define TMS_COMPOSE_WINDOW_H

#include <tamis/window.h>

#include "kinds/kind.h"

extern const tms_kind tms_window_kind;

/* For a filter of this kind: tamis_window_advance, once it may be changed. */
tamis_status tms_window_advance(tamis_filter *f, uint64_t now);
void tms_window_tell(const tamis_filter *f, tamis_window *out);

#endif
