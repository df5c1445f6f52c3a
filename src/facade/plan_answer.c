/* plan_answer.c - what a plan is told as: one sizing, or one for every kind. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "facade/planner_parts.h"
#include "facade/registry.h"

static void answer_note(const tms_plan *plan, tamis_sizing *s)
{
    const char *note = NULL;
    bool low = s->fpr < tms_planner_blocked_from;
    if (s->lines_per_key == 2 && low)
        note = "two lines a key: below a rate of 2e-4 one line would take more space";
    else if (s->lines_per_key == 2)
        note = "two lines a key, as asked: at this rate one line takes half the reads";
    else if (s->lines_per_key == 1 && low)
        note = "one line a key wastes space below a rate of 2e-4; classic takes less";
    const tms_level *whole = &plan->levels[0];
    if (whole->kind->composing)
        whole->kind->composing->tell(&whole->shape, whole[1].kind, s->note, sizeof s->note);
    else if (note && !s->note[0]) /* the kind's own words go first */
        snprintf(s->note, sizeof s->note, "%s", note);
}

/* From the innermost level outwards. */
static void answer_describe_levels(const tms_plan *plan, tamis_sizing *s)
{
    const tms_level *last = &plan->levels[plan->count - 1];
    last->kind->describe(&last->shape, s);
    for (uint32_t i = plan->count - 1; i-- > 0;) {
        s->bits *= plan->levels[i].children;
        plan->levels[i].kind->describe(&plan->levels[i].shape, s);
    }
}

static void answer_describe(const tamis_spec *spec, const tms_plan *plan, tamis_sizing *s)
{
    const tms_kind *flat = plan->levels[plan->count - 1].kind;
    const tms_shape *shape = &plan->levels[0].shape;
    double keys = (double)shape->capacity;
    uint32_t width = tms_planner_width(spec);
    s->bytes = tms_planner_bytes(plan);
    answer_describe_levels(plan, s);
    s->kind = shape->kind;
    s->inner = plan->count > 1 ? plan->levels[1].kind->id : 0;
    s->abilities = tms_planner_abilities(plan);
    s->capacity = shape->capacity;
    s->bits_per_key = (double)s->bits / keys;
    s->fpr_asked = spec->fpr;
    s->fpr = tms_kind_rate(flat, tms_planner_rate(plan, keys), keys, width);
    s->fpr_floor = tms_planner_is_exact(flat) ? 0 : tms_planner_floor(keys, width);
    s->overhead = s->fpr < 1 && s->fpr > 0 ? s->bits_per_key / -log2(s->fpr) : INFINITY;
    answer_note(plan, s);
}

tamis_status tamis_plan(const tamis_spec *spec, tamis_sizing *sizing)
{
    tms_plan plan;
    memset(sizing, 0, sizeof *sizing);
    sizing->kind = spec->kind;
    sizing->status = tms_plan_for(spec, &plan);
    if (sizing->status == TAMIS_OK)
        answer_describe(spec, &plan, sizing);
    else
        snprintf(sizing->note, sizeof sizing->note, "%.199s", tamis_explain());
    return sizing->status;
}

/* An exact kind takes integers only: not to be weighed against others unless
 * asked for. */
static void answer_row(const tamis_spec *spec, tamis_sizing *row)
{
    bool exact = tms_planner_is_exact(tms_kind_by_id(spec->kind));
    if (tamis_plan(spec, row) != TAMIS_OK || !exact || spec->needs & TAMIS_IS_EXACT) return;
    *row = (tamis_sizing){.status = TAMIS_E_UNSUPPORTED};
    snprintf(row->note, sizeof row->note,
             "it holds 64-bit integers only, without error; if the keys are such, ask for an exact "
             "kind");
}

size_t tamis_plan_all(const tamis_spec *spec, tamis_sizing *rows, size_t room)
{
    tamis_sizing chosen;
    tamis_spec one = *spec;
    size_t count = tamis_kind_list(NULL, 0);
    one.kind = TAMIS_KIND_ANY;
    if (!tms_planner_scales(&one)) one.expansion = one.tightening = 0;
    bool any = tamis_plan(&one, &chosen) == TAMIS_OK;
    for (size_t i = 0; i < count && i < room; i++) {
        one = *spec;
        one.kind = tms_kind_number(i)->id;
        if (!tms_planner_scales(&one)) one.expansion = one.tightening = 0; /* said to other rows */
        answer_row(&one, &rows[i]); /* which carries its status */
        rows[i].kind = one.kind;
        rows[i].recommended = any && chosen.kind == one.kind && rows[i].status == TAMIS_OK;
    }
    return count;
}
