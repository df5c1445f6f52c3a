/* blocked.h - the blocked Bloom filter's table.                             */
#ifndef TMS_KINDS_BLOCKED_H
#define TMS_KINDS_BLOCKED_H

#include <tamis/blocked_view.h>

#include "kinds/kind.h"

extern const tms_kind tms_blocked_kind;

/* Below this rate filters of one line a key take more space than classic ones by
 * a third and more, and two lines a key are planned where that takes less
 * (docs/math.md). */
#define TMS_BLOCKED_ONE_LINE_FROM 2e-4

/* Copies the view out of a plain blocked filter; false for any other, also for
 * one that threads may be adding to. */
bool tms_blocked_lend_view(const tamis_filter *f, tamis_blocked_view *view);

#endif
