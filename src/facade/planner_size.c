/* planner_size.c - how large a filter of a given kind is, level by level.
 *
 * Two limits lie outside every kind's mathematics and are kept here. A digest
 * of 64 bits gives two keys the same digest with a chance of n / 2^64, and a
 * rate is refused below 20 times that, where collisions would be a twentieth
 * of it. A narrower hash collides more; what it takes is subtracted from the
 * rate that the kind is asked for.                                          */
#include <inttypes.h>
#include <math.h>
#include <tamis/hash.h>

#include "base/fail.h"
#include "compose/scalable.h"
#include "facade/ability_words.h"
#include "facade/planner_parts.h"
#include "facade/registry.h"
#include "math/estimate.h"
#include "math/promise.h"
#include "math/search.h"

static const double planner_digest_margin = 20;

/* A narrow hash must leave the filter at least a twentieth of the rate. */
static const double planner_worst_share = 1.05;

bool tms_planner_is_exact(const tms_kind *kind)
{
    return (kind->abilities & TAMIS_IS_EXACT) != 0;
}

double tms_kind_rate(const tms_kind *kind, double rate, double keys, uint32_t width)
{
    return tms_planner_is_exact(kind) ? rate : tms_rate_with_collisions(rate, keys, width);
}

/* ---- what a hash allows ------------------------------------------------- */

uint32_t tms_planner_width(const tamis_spec *spec)
{
    uint32_t usual = spec->secret ? TAMIS_HASH_SIPHASH : TAMIS_HASH_XXH3;
    return tamis_hash_width(spec->hash ? spec->hash : usual);
}

double tms_planner_floor(double keys, uint32_t width)
{
    double digests = planner_digest_margin * keys / 0x1p64;
    double collisions = width < 64 ? tms_collision_rate(keys, width) : 0;
    return fmax(digests, collisions);
}

static tamis_status planner_check_reach(double keys, double fpr, uint32_t width)
{
    double digests = planner_digest_margin * keys / 0x1p64;
    double most = floor(fpr * 0x1p64 / planner_digest_margin);
    if (fpr < digests && most < 1)
        return tms_fail(TAMIS_E_UNREACHABLE,
                        "a rate of %.3g is below 20 n / 2^64 = %.3g, where 64-bit digests collide "
                        "too often; ask for at least that",
                        fpr, digests);
    if (fpr < digests)
        return tms_fail(
            TAMIS_E_UNREACHABLE,
            "a rate of %.3g for %.0f keys is below 20 n / 2^64 = %.3g, where 64-bit "
            "digests collide too often; ask for at least that, or for at most %.3g keys",
            fpr, keys, digests, most);
    double collisions = width < 64 ? tms_collision_rate(keys, width) : 0;
    if (fpr <= planner_worst_share * collisions)
        return tms_fail(TAMIS_E_UNREACHABLE,
                        "a rate of %.3g for %.0f keys cannot be reached with a hash of %u bits, "
                        "whose collisions alone are %.3g; use a 64-bit hash, or ask for more than "
                        "%.3g",
                        fpr, keys, width, collisions, planner_worst_share * collisions);
    return TAMIS_OK;
}

/* ---- levels ------------------------------------------------------------- */

tamis_status tms_planner_find_kind(uint32_t id, const tms_kind **kind)
{
    *kind = tms_kind_by_id(id);
    if (*kind) return TAMIS_OK;
    if (tms_kind_foreign(id))
        return tms_fail(TAMIS_E_SPEC, "a %s filter is made by doors of its own, not planned",
                        tms_kind_foreign(id)->name);
    return tms_fail(TAMIS_E_SPEC, "there is no filter of kind %u", id);
}

uint32_t tms_planner_needs(const tamis_spec *spec)
{
    return spec->needs | (spec->flags & TAMIS_CONCURRENT ? TAMIS_CAN_CONCURRENT : 0);
}

tamis_status tms_planner_refuse(const tms_kind *kind, uint32_t missing)
{
    char words[TMS_ABILITY_WORDS];
    if (!missing) return TAMIS_OK;
    tms_ability_words(missing, words);
    return tms_fail(TAMIS_E_UNSUPPORTED, "a %s filter cannot %s", kind->name, words);
}

/* The flat kind for a rate: blocked while one line a key serves, classic below. */
const tms_kind *tms_planner_usual_kind(const tamis_spec *spec)
{
    bool low = spec->fpr > 0 && spec->fpr < tms_planner_blocked_from && !spec->lines_per_key;
    return tms_kind_by_id(low ? TAMIS_KIND_CLASSIC : TAMIS_KIND_BLOCKED);
}

static bool planner_serves(const tms_kind *whole, const tms_kind *inner, uint32_t needs)
{
    bool fits = !inner->composing && whole->composing->accepts(inner) == TAMIS_OK;
    return fits && !(needs & ~whole->composing->abilities(inner->abilities));
}

/* What a flat kind takes for a million keys, whatever the whole is planned for. */
static uint64_t planner_cost(const tms_kind *kind, const tamis_spec *spec)
{
    const tamis_spec flat = {.capacity = 1000000, .fpr = spec->fpr > 0 ? spec->fpr : 0.01};
    tms_shape shape;
    return kind->plan(&flat, &shape) == TAMIS_OK ? shape.body_bytes : UINT64_MAX;
}

/* The flat kind of the parts: the usual one, or, where the whole could not do
 * over it what is needed, the smallest over which it can. */
static const tms_kind *planner_usual_inner(const tms_kind *whole, const tamis_spec *spec)
{
    const uint32_t needs = tms_planner_needs(spec);
    const tms_kind *best = tms_planner_usual_kind(spec), *other;
    uint64_t least = UINT64_MAX;
    if (planner_serves(whole, best, needs)) return best;
    for (size_t i = 0; (other = tms_kind_number(i)) != NULL; i++) {
        if (!planner_serves(whole, other, needs)) continue;
        const uint64_t cost = planner_cost(other, spec);
        if (cost < least) best = other;
        if (cost < least) least = cost;
    }
    return best;
}

static tamis_status planner_check_shared(const tamis_spec *spec, const tms_kind *inner)
{
    if (!(spec->flags & TAMIS_CONCURRENT) || inner->abilities & TAMIS_CAN_CONCURRENT)
        return TAMIS_OK;
    return tms_fail(TAMIS_E_UNSUPPORTED,
                    "layers of %s filters cannot be shared by threads; classic, blocked, counting "
                    "and cuckoo can",
                    inner->name);
}

bool tms_planner_is_scaling(const tms_kind *kind)
{
    return kind->id == TAMIS_KIND_SCALABLE;
}

/* What the parts are made of. A composed kind that is to scale is made of
 * scaling filters, and these of the inner kind. */
static tamis_status planner_find_inner(const tms_kind *whole, const tamis_spec *spec,
                                       const tms_kind **inner)
{
    bool scaling = spec->growth == TAMIS_GROWTH_SCALE && !tms_planner_is_scaling(whole);
    uint32_t id = spec->inner ? spec->inner : planner_usual_inner(whole, spec)->id;
    TMS_TRY(tms_planner_find_kind(scaling ? TAMIS_KIND_SCALABLE : id, inner));
    TMS_TRY(whole->composing->accepts(*inner));
    return planner_check_shared(spec, *inner);
}

/* What a scaling filter may outgrow later, it must not outgrow at once. */
static tamis_status planner_check_first(const tamis_spec *spec, const tms_shape *shape)
{
    uint32_t width = tms_planner_width(spec);
    double keys = (double)shape->capacity;
    TMS_TRY(planner_check_reach(keys, spec->fpr, width));
    double rate = tms_scalable_rate_of_layers(shape, 1, width);
    if (rate > tms_promise_limit(spec->fpr, tms_promise_rate_bar))
        return tms_fail(TAMIS_E_UNREACHABLE,
                        "the first layer's %.0f keys have a rate of %.3g under a hash of %u bits, "
                        "above the %.3g for all layers; use a 64-bit hash, or ask for more than "
                        "that",
                        keys, rate, width, spec->fpr);
    return TAMIS_OK;
}

static tamis_status planner_level(const tms_kind *kind, const tamis_spec *spec, tms_plan *out);

static tamis_status planner_compose(tms_level *level, const tamis_spec *spec, tms_plan *out)
{
    const tms_composing *composing = level->kind->composing;
    const tms_kind *inner;
    tamis_spec whole = *spec, part;
    TMS_TRY(planner_find_inner(level->kind, spec, &inner));
    whole.inner = inner->id;
    TMS_TRY(level->kind->plan(&whole, &level->shape));
    if (tms_planner_is_scaling(level->kind)) TMS_TRY(planner_check_first(spec, &level->shape));
    level->children = composing->first_count(&level->shape);
    part = *spec;
    part.kind = inner->id;
    if (!inner->composing || spec->growth == TAMIS_GROWTH_FIXED) part.inner = 0;
    part.growth = TAMIS_GROWTH_FIXED;
    composing->child_spec(&level->shape, inner, 0, &part);
    TMS_TRY(planner_level(inner, &part, out));
    if (composing->settle) composing->settle(&level->shape, &level[1].shape);
    return TAMIS_OK;
}

static tamis_status planner_level(const tms_kind *kind, const tamis_spec *spec, tms_plan *out)
{
    if (out->count == TMS_LEVELS_MOST)
        return tms_fail(TAMIS_E_SPEC, "filters made of filters end after %d levels",
                        TMS_LEVELS_MOST);
    tms_level *level = &out->levels[out->count++];
    level->kind = kind;
    TMS_TRY(kind->composing ? planner_compose(level, spec, out) : kind->plan(spec, &level->shape));
    level->shape.flags &= ~(uint32_t)TAMIS_DENSE; /* a layout, which the kind has noted */
    return TAMIS_OK;
}

/* The keys of the whole are divided on the way down, rates add up on the way back. */
double tms_planner_rate(const tms_plan *plan, double keys)
{
    const uint32_t last = plan->count - 1;
    for (uint32_t i = 0; i < last; i++)
        keys = plan->levels[i].kind->composing->part_keys(&plan->levels[i].shape, keys);
    double rate = plan->levels[last].kind->rate(&plan->levels[last].shape, keys);
    for (uint32_t i = last; i-- > 0;)
        rate = plan->levels[i].kind->composing->whole_rate(&plan->levels[i].shape, rate);
    return rate;
}

uint64_t tms_planner_bytes(const tms_plan *plan)
{
    uint64_t bytes = plan->levels[plan->count - 1].shape.body_bytes;
    for (uint32_t i = 0; i + 1 < plan->count; i++) bytes *= plan->levels[i].children;
    return bytes;
}

/* ---- sizing one kind ---------------------------------------------------- */

typedef struct planner_question {
    const tms_plan *plan;
    double fpr;
    uint32_t width;
} planner_question;

static bool planner_holds(const void *question, uint64_t keys)
{
    const planner_question *q = question;
    double rate = tms_planner_rate(q->plan, (double)keys);
    if (q->fpr <= planner_worst_share * tms_collision_rate((double)keys, q->width)) return false;
    return tms_rate_with_collisions(rate, (double)keys, q->width) <= q->fpr;
}

/* Lowers a capacity that was found without regard to the width of the hash. */
static tamis_status planner_limit_capacity(double fpr, uint32_t width, tms_plan *out)
{
    tms_shape *shape = &out->levels[0].shape;
    if (width < 64) {
        planner_question q = {out, fpr, width};
        uint64_t fits = tms_search_largest(planner_holds, &q, shape->capacity, shape->capacity);
        shape->capacity = fits ? fits : 1;
    }
    return planner_check_reach((double)shape->capacity, fpr, width);
}

/* The rate that is left for the filter when collisions have taken theirs. One
 * that grows cannot know them, one that is exact has none: both leave them out. */
static tamis_status planner_ask(const tms_kind *kind, const tamis_spec *spec, tamis_spec *asked)
{
    uint32_t width = tms_planner_width(spec);
    *asked = *spec;
    asked->kind = kind->id;
    if (!spec->capacity || !(spec->fpr > 0) || tms_planner_is_exact(kind)) return TAMIS_OK;
    TMS_TRY(planner_check_reach((double)spec->capacity, spec->fpr, width));
    if (width == 64 || kind->abilities & TAMIS_CAN_GROW) return TAMIS_OK;
    double collisions = tms_collision_rate((double)spec->capacity, width);
    asked->fpr = (spec->fpr - collisions) / (1 - collisions);
    return TAMIS_OK;
}

static tamis_status planner_check_cap(const tamis_spec *spec, const tms_plan *plan)
{
    uint64_t bytes = tms_planner_bytes(plan);
    if (!spec->memory || bytes <= spec->memory) return TAMIS_OK;
    return tms_fail(TAMIS_E_LIMIT,
                    "the %s takes %" PRIu64 " bytes, above the cap of %" PRIu64
                    "; start with a smaller capacity",
                    tms_planner_is_scaling(plan->levels[0].kind) ? "first layer" : "filter", bytes,
                    spec->memory);
}

/* Parts of a kind that was chosen before the memory told the rate. */
static bool planner_wants_classic(const tamis_spec *spec, const tms_plan *plan)
{
    const tms_level *last = &plan->levels[plan->count - 1];
    return plan->count > 1 && !spec->inner && !spec->lines_per_key && !(spec->fpr > 0) &&
           last->kind->id == TAMIS_KIND_BLOCKED && last->shape.fpr < tms_planner_blocked_from;
}

tamis_status tms_planner_size(const tms_kind *kind, const tamis_spec *spec, tms_plan *out)
{
    tamis_spec asked;
    tms_shape *shape = &out->levels[0].shape;
    out->count = 0;
    TMS_TRY(planner_ask(kind, spec, &asked));
    TMS_TRY(planner_level(kind, &asked, out));
    if (planner_wants_classic(spec, out)) {
        out->count = 0;
        asked.inner = TAMIS_KIND_CLASSIC;
        TMS_TRY(planner_level(kind, &asked, out));
    }
    if (kind->composing) TMS_TRY(planner_check_cap(spec, out));
    if (tms_planner_is_exact(kind) || tms_planner_is_scaling(kind)) return TAMIS_OK;
    if (spec->fpr > 0) {
        shape->fpr = spec->fpr;
        return spec->capacity ? TAMIS_OK
                              : planner_limit_capacity(spec->fpr, tms_planner_width(spec), out);
    }
    shape->fpr =
        tms_rate_with_collisions(shape->fpr, (double)shape->capacity, tms_planner_width(spec));
    if (shape->fpr < 1) return TAMIS_OK;
    return tms_fail(TAMIS_E_UNREACHABLE,
                    "in %" PRIu64 " bytes %" PRIu64 " keys would get \"maybe\" for every key; give "
                    "more memory",
                    spec->memory, shape->capacity);
}
