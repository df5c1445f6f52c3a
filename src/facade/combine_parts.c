/* combine_parts.c - union and intersection of filters made of filters: part by
 * part, where both have the same parts.
 *
 * Parts are never folded to fit: everything is compared before the first bit
 * changes, so a union of parts cannot fail halfway.                         */
#include <inttypes.h>
#include <string.h>
#include <tamis/filter.h>

#include "base/fail.h"
#include "facade/combine.h"
#include "facade/origin.h"
#include "math/estimate.h"

static tamis_status parts_check_flat(const tamis_filter *dst, const tamis_filter *src)
{
    TMS_TRY(dst->kind->fits(&dst->shape, &src->shape));
    if (dst->kind->fold_size(&dst->shape) == dst->kind->fold_size(&src->shape)) return TAMIS_OK;
    return tms_fail(TAMIS_E_MISMATCH,
                    "the parts of the filters have the sizes %" PRIu64 " and %" PRIu64
                    "; plan both with the same capacity and rate",
                    dst->kind->fold_size(&dst->shape), dst->kind->fold_size(&src->shape));
}

static tamis_status parts_check(const tamis_filter *dst, const tamis_filter *src)
{
    if (dst->kind != src->kind)
        return tms_fail(TAMIS_E_MISMATCH, "parts of kind %s and %s do not fit together",
                        dst->kind->name, src->kind->name);
    if (!dst->kind->composing) return parts_check_flat(dst, src);
    uint32_t count = dst->kind->child_count(dst);
    bool same = count == src->kind->child_count(src) &&
                memcmp(dst->shape.params, src->shape.params, sizeof dst->shape.params) == 0;
    if (!same)
        return tms_fail(TAMIS_E_MISMATCH, "the %s filters are divided differently; plan both alike",
                        dst->kind->name);
    for (uint32_t i = 0; i < count; i++)
        TMS_TRY(parts_check(dst->kind->child(dst, i), src->kind->child(src, i)));
    return TAMIS_OK;
}

/* Counts of parts are estimates from here on. */
static void parts_unite(tamis_filter *dst, const tamis_filter *src, bool meet)
{
    if (!dst->kind->composing) {
        tms_measure m = {0};
        uint64_t before = tms_counter_sum(&dst->added);
        (meet ? dst->kind->overlap : dst->kind->unite)(dst, src->body);
        dst->kind->measure(dst, &m);
        if (meet)
            tms_combine_estimate(dst, &m);
        else
            tms_combine_count(dst, src, before, m.keys);
        tms_combine_damage(dst, src->damaged_bytes);
        return;
    }
    for (uint32_t i = 0; i < dst->kind->child_count(dst); i++)
        parts_unite(dst->kind->child(dst, i), src->kind->child(src, i), meet);
}

static tamis_status parts_check_strict(const tamis_filter *dst, const tamis_filter *src)
{
    tamis_filter *made = NULL;
    tms_measure m = {0};
    TMS_TRY(tamis_clone(dst, &made));
    parts_unite(made, src, false);
    made->kind->measure(made, &m);
    double rate = tms_rate_with_collisions(m.rate, m.keys, made->hasher.width);
    tamis_free(made);
    if (rate <= 1.05 * dst->shape.fpr) return TAMIS_OK;
    return tms_fail(TAMIS_E_FULL,
                    "the union would hold about %.0f keys at a rate of %.3g, above the %.3g "
                    "planned for this strict filter; merge into a larger one",
                    m.keys, rate, dst->shape.fpr);
}

tamis_status tms_combine_parts(tamis_filter *dst, const tamis_filter *src, bool meet,
                               tms_measure *m)
{
    uint64_t before = tms_counter_sum(&dst->added);
    TMS_TRY(tms_origin_writable(dst));
    TMS_TRY(parts_check(dst, src));
    if (!meet && dst->shape.flags & TAMIS_STRICT) TMS_TRY(parts_check_strict(dst, src));
    parts_unite(dst, src, meet);
    *m = (tms_measure){0};
    dst->kind->measure(dst, m);
    tms_combine_count(dst, src, before, m->keys);
    return TAMIS_OK;
}
