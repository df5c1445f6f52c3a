/* parts.c - see parts.h.                                                    */
#include "compose/parts.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "kernel/tuning.h"

tamis_status tms_parts_take(const tamis_filter *whole, tamis_filter **children, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (children[i]->kind->id != whole->shape.params[0])
            return tms_fail(TAMIS_E_CORRUPT,
                            "part %u is of kind %u, but the parts of the %s filter are of kind "
                            "%" PRIu64,
                            i, children[i]->kind->id, whole->kind->name, whole->shape.params[0]);
    if (count && whole->kind->composing->accepts(children[0]->kind) != TAMIS_OK)
        return tms_fail(TAMIS_E_CORRUPT, "a %s filter cannot be made of %s filters",
                        whole->kind->name, children[0]->kind->name);
    for (uint32_t i = 0; i < count; i++) children[i]->is_child = true;
    return TAMIS_OK;
}

static bool parts_ask_each(tamis_filter *const *parts, uint32_t count, uint64_t digest)
{
    for (uint32_t i = count; i-- > 0;)
        if (parts[i]->ops->may_contain(parts[i], digest)) return true;
    return false;
}

tms_ask_any *tms_parts_any(tamis_filter *const *parts, uint32_t count)
{
    tms_ask_any *any = parts[0]->ops->may_contain_any;
    for (uint32_t i = 1; i < count; i++)
        if (parts[i]->ops->may_contain_any != any) any = NULL;
    return any ? any : parts_ask_each;
}

size_t tms_parts_ask(tamis_filter *const *parts, uint32_t count, const tms_run *run, bool *answers)
{
    bool here[TMS_RUN];
    size_t hits = 0;
    memset(answers, 0, run->count * sizeof *answers);
    for (uint32_t i = count; i-- > 0;) {
        parts[i]->ops->may_contain_many(parts[i], run, here);
        for (size_t k = 0; k < run->count; k++) answers[k] |= here[k];
    }
    for (size_t k = 0; k < run->count; k++) hits += answers[k];
    return hits;
}

void tms_parts_trim(tamis_spec *spec)
{
    spec->flags &= ~(uint32_t)TAMIS_STRICT; /* the whole counts */
    spec->parts = 0;
}

tamis_status tms_parts_check_fixed(const char *name, const tamis_spec *spec)
{
    if (spec->fold > 1)
        return tms_fail(TAMIS_E_SPEC, "a %s filter is not folded: leave fold at 0", name);
    if (spec->expansion == 0 && spec->tightening == 0) return TAMIS_OK;
    return tms_fail(TAMIS_E_SPEC, "expansion and tightening have no meaning for a %s filter", name);
}
