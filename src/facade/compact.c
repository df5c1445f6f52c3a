/* compact.c - giving memory back that no key needs.
 *
 * Whatever folds is folded, by powers of two, as long as the keys it holds now
 * keep the rate it was planned for. Of a scaling filter that is the newest
 * layer, the only one that is not full: equal layers cannot be made one, since
 * layers differ in size and rate.                                           */
#include <math.h>
#include <tamis/combine.h>

#include "base/fail.h"
#include "facade/combine.h"
#include "facade/origin.h"

/* The part that has room left. */
static tamis_filter *compact_newest(tamis_filter *f)
{
    bool layered = f->kind->composing && f->kind->abilities & TAMIS_CAN_GROW;
    return layered ? f->kind->child(f, f->kind->child_count(f) - 1) : f;
}

static double compact_keys(const tamis_filter *f)
{
    tms_measure m = {0};
    f->kind->measure(f, &m);
    return fmax(m.keys, (double)tms_counter_sum(&f->added));
}

static uint64_t compact_factor(const tamis_filter *f)
{
    uint64_t factor = 1, size = f->kind->fold_size(&f->shape);
    double keys = fmax(compact_keys(f), 1);
    for (; size % (2 * factor) == 0; factor *= 2) {
        tms_shape folded;
        f->kind->fold_shape(&f->shape, 2 * factor, &folded);
        if (f->kind->rate(&folded, keys) > f->shape.fpr) break;
    }
    return factor;
}

tamis_status tamis_compact(tamis_filter *f, uint64_t *saved)
{
    uint64_t unwanted;
    if (!saved) saved = &unwanted;
    *saved = 0;
    TMS_TRY(tms_origin_writable(f));
    tamis_filter *newest = compact_newest(f);
    if (!(newest->kind->abilities & TAMIS_CAN_FOLD) || newest->owner != TMS_BODY_OWNED)
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "a %s filter cannot be made smaller without its keys; rebuild it",
                        newest->kind->name);
    uint64_t before = newest->shape.body_bytes;
    TMS_TRY(tms_fold_by(newest, compact_factor(newest)));
    *saved = before - newest->shape.body_bytes;
    return TAMIS_OK;
}
