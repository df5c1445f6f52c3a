/* blocked.h - the blocked Bloom filter's table.                             */
#ifndef TMS_KINDS_BLOCKED_H
#define TMS_KINDS_BLOCKED_H

#include <tamis/blocked_view.h>

#include "kinds/kind.h"

extern const tms_kind tms_blocked_kind;

/* Copies the view out of a plain blocked filter; false for any other. */
bool tms_blocked_lend_view(const tamis_filter *f, tamis_blocked_view *view);

#endif
