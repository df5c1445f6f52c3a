/* planner.c - judges a request and chooses the kind; planner_size.c sizes it,
 * plan_answer.c tells it.                                                   */
#include <inttypes.h>
#include <string.h>
#include <tamis/hash.h>

#include "base/fail.h"
#include "facade/ability_words.h"
#include "facade/planner_parts.h"
#include "facade/registry.h"

/* ---- judging ------------------------------------------------------------ */

static tamis_status planner_check_fields(const tamis_spec *spec)
{
    const uint32_t known = TAMIS_STRICT | TAMIS_CONCURRENT | TAMIS_NEVER_EXCEED | TAMIS_DENSE;
    if (spec->fpr != 0 && !(spec->fpr > 0 && spec->fpr < 1))
        return tms_fail(TAMIS_E_SPEC, "a rate of %g is not between 0 and 1", spec->fpr);
    if (spec->flags & ~known)
        return tms_fail(TAMIS_E_SPEC, "flags 0x%x hold bits that mean nothing", spec->flags);
    if (spec->hash && !tamis_hash_name(spec->hash))
        return tms_fail(TAMIS_E_SPEC, "there is no hash %u; 0 chooses one", spec->hash);
    if (spec->lines_per_key > 2)
        return tms_fail(TAMIS_E_SPEC, "%u lines per key are outside 1 to 2; 0 chooses",
                        spec->lines_per_key);
    if (spec->growth > TAMIS_GROWTH_SCALE)
        return tms_fail(TAMIS_E_SPEC, "growth %u is neither fixed (0) nor scale (1)", spec->growth);
    if (spec->growth == TAMIS_GROWTH_SCALE && spec->flags & TAMIS_STRICT)
        return tms_fail(TAMIS_E_SPEC, "a filter that scales never refuses a key, so it cannot be "
                                      "strict; leave growth at 0 for one that does not grow");
    if (spec->capacity > UINT64_C(1) << 56)
        return tms_fail(TAMIS_E_LIMIT, "a capacity of %" PRIu64 " keys is above 2^56",
                        spec->capacity);
    if (spec->counter_bits && spec->counter_bits != 4 && spec->counter_bits != 8)
        return tms_fail(TAMIS_E_SPEC, "counters of %u bits are neither 4 nor 8; 0 chooses 4",
                        spec->counter_bits);
    uint64_t reserved = 0;
    for (size_t i = 0; i < sizeof spec->reserved / sizeof spec->reserved[0]; i++)
        reserved |= spec->reserved[i];
    if (reserved)
        return tms_fail(TAMIS_E_SPEC, "reserved fields of the spec are not 0: zero-initialise it");
    return TAMIS_OK;
}

/* ---- choosing ----------------------------------------------------------- */

/* The rate may follow from the memory only once a kind is tried. */
static tamis_status planner_choose_flat(const tamis_spec *spec, tms_plan *out)
{
    const tms_kind *kind = tms_planner_usual_kind(spec);
    TMS_TRY(tms_planner_size(kind, spec, out));
    bool serves = out->levels[0].shape.fpr >= tms_planner_blocked_from || spec->lines_per_key;
    if (serves || kind->id != TAMIS_KIND_BLOCKED) return TAMIS_OK;
    return tms_planner_size(tms_kind_by_id(TAMIS_KIND_CLASSIC), spec, out);
}

/* Whether plan `b` serves the request better: by the number that was unknown. */
static bool planner_is_better(const tamis_spec *spec, const tms_shape *a, const tms_shape *b)
{
    if (!(spec->fpr > 0) && a->fpr != b->fpr) return b->fpr < a->fpr;
    if (!spec->capacity && a->capacity != b->capacity) return b->capacity > a->capacity;
    return b->body_bytes < a->body_bytes;
}

/* Among the kinds that can do all that is asked, the smallest that works from
 * digests of any key and is not made of other filters. */
static tamis_status planner_choose_able(const tamis_spec *spec, tms_plan *out)
{
    const uint32_t needs = tms_planner_needs(spec) | TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS;
    const tms_kind *kind;
    char words[TMS_ABILITY_WORDS];
    tms_ability_words(spec->needs, words);
    tamis_status status =
        tms_fail(TAMIS_E_UNSUPPORTED, "no kind can do all of this together: %s", words);
    for (size_t i = 0; (kind = tms_kind_number(i)) != NULL; i++) {
        tms_plan plan = {0};
        if (kind->composing || needs & ~kind->abilities) continue;
        tamis_status one = tms_planner_size(kind, spec, &plan);
        if (!out->count) status = one;
        if (one != TAMIS_OK) continue;
        if (!out->count || planner_is_better(spec, &out->levels[0].shape, &plan.levels[0].shape))
            *out = plan;
        status = TAMIS_OK;
    }
    return status;
}

/* What the two everyday kinds can do: for more, the others are looked at. */
static bool planner_is_everyday(const tamis_spec *spec)
{
    return !(tms_planner_needs(spec) & ~tms_kind_by_id(TAMIS_KIND_BLOCKED)->abilities);
}

/* For a request that names no kind. */
static tamis_status planner_choose_any(const tamis_spec *spec, tms_plan *out)
{
    if (spec->needs & TAMIS_IS_EXACT)
        return tms_planner_size(tms_kind_by_id(TAMIS_KIND_BITMAP), spec, out);
    if (spec->needs & TAMIS_CAN_FORGET || spec->window)
        return tms_planner_size(tms_kind_by_id(TAMIS_KIND_WINDOW), spec, out);
    return planner_is_everyday(spec) ? planner_choose_flat(spec, out)
                                     : planner_choose_able(spec, out);
}

/* What is exact grows by itself: it needs no layers. */
bool tms_planner_scales(const tamis_spec *spec)
{
    const tms_kind *kind = tms_kind_by_id(spec->kind);
    if (kind ? tms_planner_is_exact(kind) : (spec->needs & TAMIS_IS_EXACT) != 0) return false;
    return spec->growth == TAMIS_GROWTH_SCALE || spec->kind == TAMIS_KIND_SCALABLE ||
           (spec->kind == TAMIS_KIND_ANY && spec->needs & TAMIS_CAN_GROW);
}

/* What a kind can do at best: a composed one over the kind that was given, or over
 * any of those that it accepts. */
static uint32_t planner_most(const tms_kind *kind, const tamis_spec *spec)
{
    uint32_t most = 0;
    const tms_kind *inner;
    if (!kind->composing) return kind->abilities;
    for (size_t i = 0; (inner = tms_kind_number(i)) != NULL; i++)
        if (spec->inner ? spec->inner == inner->id : kind->composing->accepts(inner) == TAMIS_OK)
            most |= kind->composing->abilities(inner->abilities);
    return most;
}

/* A flat kind that is to scale becomes the inner kind of a scaling filter. */
static tamis_status planner_choose(const tamis_spec *spec, tms_plan *out)
{
    const tms_kind *kind = NULL;
    tamis_spec asked = *spec;
    if (asked.kind != TAMIS_KIND_ANY) TMS_TRY(tms_planner_find_kind(asked.kind, &kind));
    if (kind && spec->growth == TAMIS_GROWTH_FIXED) /* known before it is sized */
        TMS_TRY(tms_planner_refuse(kind, tms_planner_needs(spec) & ~planner_most(kind, spec)));
    if (tms_planner_scales(spec) && !(kind && kind->composing)) {
        if (kind) asked.inner = asked.kind;
        kind = tms_kind_by_id(TAMIS_KIND_SCALABLE);
    }
    return kind ? tms_planner_size(kind, &asked, out) : planner_choose_any(spec, out);
}

/* Fields that say nothing about the chosen kind are refused, not ignored. */
static tamis_status planner_check_meaning(const tamis_spec *spec, const tms_plan *plan)
{
    const tms_level *whole = &plan->levels[0], *flat = &plan->levels[plan->count - 1];
    tamis_sizing means = {0};
    tamis_spec decided = {0};
    flat->kind->describe(&flat->shape, &means);
    if (flat->kind->repeat) flat->kind->repeat(&flat->shape, &decided);
    bool layered = false;
    for (uint32_t i = 0; i < plan->count; i++)
        layered |= tms_planner_is_scaling(plan->levels[i].kind);
    const tms_kind *kind = flat->kind;
    const char *idle = NULL;
    if (spec->lines_per_key && !means.lines_per_key) idle = "lines_per_key";
    if (spec->hashes && !means.hashes) idle = "hashes";
    if (spec->counter_bits && !decided.counter_bits) idle = "counter_bits";
    if (spec->fingerprint_bits && !means.fingerprint_bits) idle = "fingerprint_bits";
    if (spec->bucket_keys && !means.bucket_keys) idle = "bucket_keys";
    if (spec->flags & TAMIS_DENSE && !means.fingerprint_bits) idle = "dense";
    if (spec->fold > 1 && !(whole->kind->abilities & TAMIS_CAN_FOLD)) idle = "fold";
    if ((spec->expansion != 0 || spec->tightening != 0) && !layered)
        idle = "expansion or tightening";
    if ((spec->inner || spec->parts) && !whole->kind->composing) idle = "inner or parts";
    if (spec->window && !(whole->kind->abilities & TAMIS_CAN_FORGET)) {
        idle = "window";
        kind = whole->kind;
    }
    if (!idle) return TAMIS_OK;
    return tms_fail(TAMIS_E_SPEC, "%s has no meaning for a %s filter; leave it out", idle,
                    kind->name);
}

uint32_t tms_planner_abilities(const tms_plan *plan)
{
    uint32_t abilities = plan->levels[plan->count - 1].kind->abilities;
    for (uint32_t i = plan->count - 1; i-- > 0;)
        abilities = plan->levels[i].kind->composing->abilities(abilities);
    return abilities;
}

static tamis_status planner_check_abilities(const tamis_spec *spec, const tms_plan *plan)
{
    return tms_planner_refuse(plan->levels[0].kind,
                              tms_planner_needs(spec) & ~tms_planner_abilities(plan));
}

tamis_status tms_plan_for(const tamis_spec *spec, tms_plan *out)
{
    memset(out, 0, sizeof *out);
    TMS_TRY(planner_check_fields(spec));
    TMS_TRY(planner_choose(spec, out));
    TMS_TRY(planner_check_meaning(spec, out));
    return planner_check_abilities(spec, out);
}
