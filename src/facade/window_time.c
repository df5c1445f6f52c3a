/* window_time.c - the time of filters that forget.                          */
#include <tamis/window.h>

#include "base/fail.h"
#include "compose/window.h"
#include "facade/origin.h"

static tamis_status window_is_one(const tamis_filter *f)
{
    if (f->kind == &tms_window_kind) return TAMIS_OK;
    return tms_fail(TAMIS_E_UNSUPPORTED, "a %s filter is no window and has no time", f->kind->name);
}

tamis_status tamis_window_advance(tamis_filter *f, uint64_t now)
{
    TMS_TRY(window_is_one(f));
    TMS_TRY(tms_origin_writable(f));
    return tms_window_advance(f, now);
}

tamis_status tamis_window_of(const tamis_filter *f, tamis_window *window)
{
    TMS_TRY(window_is_one(f));
    tms_window_tell(f, window);
    return TAMIS_OK;
}
