/* planner.c - judges a request, chooses the kind, and lets the kind size it.
 *
 * Two limits lie outside every kind's mathematics and are kept here. A digest
 * of 64 bits gives two keys the same digest with a chance of n / 2^64, and a
 * rate is refused below 20 times that, where collisions would be a twentieth
 * of it. A narrower hash collides more; what it takes is subtracted from the
 * rate that the kind is asked for.                                          */
#include "facade/planner.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tamis/hash.h>

#include "base/fail.h"
#include "compose/scalable.h"
#include "facade/ability_words.h"
#include "facade/registry.h"
#include "kinds/blocked.h"
#include "math/estimate.h"
#include "math/promise.h"
#include "math/search.h"

static const double planner_digest_margin = 20;

/* A narrow hash must leave the filter at least a twentieth of the rate. */
static const double planner_worst_share = 1.05;

static const double planner_blocked_from = TMS_BLOCKED_ONE_LINE_FROM;

static bool planner_is_exact(const tms_kind *kind)
{
    return (kind->abilities & TAMIS_IS_EXACT) != 0;
}

double tms_kind_rate(const tms_kind *kind, double rate, double keys, uint32_t width)
{
    return planner_is_exact(kind) ? rate : tms_rate_with_collisions(rate, keys, width);
}

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

static uint32_t planner_width(const tamis_spec *spec)
{
    uint32_t usual = spec->secret ? TAMIS_HASH_SIPHASH : TAMIS_HASH_XXH3;
    return tamis_hash_width(spec->hash ? spec->hash : usual);
}

static double planner_floor(double keys, uint32_t width)
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

static tamis_status planner_find_kind(uint32_t id, const tms_kind **kind)
{
    *kind = tms_kind_by_id(id);
    if (*kind) return TAMIS_OK;
    if (tms_kind_foreign(id))
        return tms_fail(TAMIS_E_SPEC, "a %s filter is made by doors of its own, not planned",
                        tms_kind_foreign(id)->name);
    return tms_fail(TAMIS_E_SPEC, "there is no filter of kind %u", id);
}

static uint32_t planner_needs(const tamis_spec *spec)
{
    return spec->needs | (spec->flags & TAMIS_CONCURRENT ? TAMIS_CAN_CONCURRENT : 0);
}

static tamis_status planner_refuse(const tms_kind *kind, uint32_t missing)
{
    char words[TMS_ABILITY_WORDS];
    if (!missing) return TAMIS_OK;
    tms_ability_words(missing, words);
    return tms_fail(TAMIS_E_UNSUPPORTED, "a %s filter cannot %s", kind->name, words);
}

/* The flat kind for a rate: blocked while one line a key serves, classic below. */
static const tms_kind *planner_usual_kind(const tamis_spec *spec)
{
    bool low = spec->fpr > 0 && spec->fpr < planner_blocked_from && !spec->lines_per_key;
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
    const uint32_t needs = planner_needs(spec);
    const tms_kind *best = planner_usual_kind(spec), *other;
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

static bool planner_is_scaling(const tms_kind *kind)
{
    return kind->id == TAMIS_KIND_SCALABLE;
}

/* What the parts are made of. A composed kind that is to scale is made of
 * scaling filters, and these of the inner kind. */
static tamis_status planner_find_inner(const tms_kind *whole, const tamis_spec *spec,
                                       const tms_kind **inner)
{
    bool scaling = spec->growth == TAMIS_GROWTH_SCALE && !planner_is_scaling(whole);
    uint32_t id = spec->inner ? spec->inner : planner_usual_inner(whole, spec)->id;
    TMS_TRY(planner_find_kind(scaling ? TAMIS_KIND_SCALABLE : id, inner));
    TMS_TRY(whole->composing->accepts(*inner));
    return planner_check_shared(spec, *inner);
}

/* What a scaling filter may outgrow later, it must not outgrow at once. */
static tamis_status planner_check_first(const tamis_spec *spec, const tms_shape *shape)
{
    uint32_t width = planner_width(spec);
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
    if (planner_is_scaling(level->kind)) TMS_TRY(planner_check_first(spec, &level->shape));
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
static double planner_rate(const tms_plan *plan, double keys)
{
    const uint32_t last = plan->count - 1;
    for (uint32_t i = 0; i < last; i++)
        keys = plan->levels[i].kind->composing->part_keys(&plan->levels[i].shape, keys);
    double rate = plan->levels[last].kind->rate(&plan->levels[last].shape, keys);
    for (uint32_t i = last; i-- > 0;)
        rate = plan->levels[i].kind->composing->whole_rate(&plan->levels[i].shape, rate);
    return rate;
}

static uint64_t planner_bytes(const tms_plan *plan)
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
    double rate = planner_rate(q->plan, (double)keys);
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
    uint32_t width = planner_width(spec);
    *asked = *spec;
    asked->kind = kind->id;
    if (!spec->capacity || !(spec->fpr > 0) || planner_is_exact(kind)) return TAMIS_OK;
    TMS_TRY(planner_check_reach((double)spec->capacity, spec->fpr, width));
    if (width == 64 || kind->abilities & TAMIS_CAN_GROW) return TAMIS_OK;
    double collisions = tms_collision_rate((double)spec->capacity, width);
    asked->fpr = (spec->fpr - collisions) / (1 - collisions);
    return TAMIS_OK;
}

static tamis_status planner_check_cap(const tamis_spec *spec, const tms_plan *plan)
{
    uint64_t bytes = planner_bytes(plan);
    if (!spec->memory || bytes <= spec->memory) return TAMIS_OK;
    return tms_fail(TAMIS_E_LIMIT,
                    "the %s takes %" PRIu64 " bytes, above the cap of %" PRIu64
                    "; start with a smaller capacity",
                    planner_is_scaling(plan->levels[0].kind) ? "first layer" : "filter", bytes,
                    spec->memory);
}

/* Parts of a kind that was chosen before the memory told the rate. */
static bool planner_wants_classic(const tamis_spec *spec, const tms_plan *plan)
{
    const tms_level *last = &plan->levels[plan->count - 1];
    return plan->count > 1 && !spec->inner && !spec->lines_per_key && !(spec->fpr > 0) &&
           last->kind->id == TAMIS_KIND_BLOCKED && last->shape.fpr < planner_blocked_from;
}

static tamis_status planner_size(const tms_kind *kind, const tamis_spec *spec, tms_plan *out)
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
    if (planner_is_exact(kind) || planner_is_scaling(kind)) return TAMIS_OK;
    if (spec->fpr > 0) {
        shape->fpr = spec->fpr;
        return spec->capacity ? TAMIS_OK
                              : planner_limit_capacity(spec->fpr, planner_width(spec), out);
    }
    shape->fpr = tms_rate_with_collisions(shape->fpr, (double)shape->capacity, planner_width(spec));
    if (shape->fpr < 1) return TAMIS_OK;
    return tms_fail(TAMIS_E_UNREACHABLE,
                    "in %" PRIu64 " bytes %" PRIu64 " keys would get \"maybe\" for every key; give "
                    "more memory",
                    spec->memory, shape->capacity);
}

/* ---- choosing ----------------------------------------------------------- */

/* The rate may follow from the memory only once a kind is tried. */
static tamis_status planner_choose_flat(const tamis_spec *spec, tms_plan *out)
{
    const tms_kind *kind = planner_usual_kind(spec);
    TMS_TRY(planner_size(kind, spec, out));
    bool serves = out->levels[0].shape.fpr >= planner_blocked_from || spec->lines_per_key;
    if (serves || kind->id != TAMIS_KIND_BLOCKED) return TAMIS_OK;
    return planner_size(tms_kind_by_id(TAMIS_KIND_CLASSIC), spec, out);
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
    const uint32_t needs = planner_needs(spec) | TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS;
    const tms_kind *kind;
    char words[TMS_ABILITY_WORDS];
    tms_ability_words(spec->needs, words);
    tamis_status status =
        tms_fail(TAMIS_E_UNSUPPORTED, "no kind can do all of this together: %s", words);
    for (size_t i = 0; (kind = tms_kind_number(i)) != NULL; i++) {
        tms_plan plan = {0};
        if (kind->composing || needs & ~kind->abilities) continue;
        tamis_status one = planner_size(kind, spec, &plan);
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
    return !(planner_needs(spec) & ~tms_kind_by_id(TAMIS_KIND_BLOCKED)->abilities);
}

/* For a request that names no kind. */
static tamis_status planner_choose_any(const tamis_spec *spec, tms_plan *out)
{
    if (spec->needs & TAMIS_IS_EXACT)
        return planner_size(tms_kind_by_id(TAMIS_KIND_BITMAP), spec, out);
    if (spec->needs & TAMIS_CAN_FORGET || spec->window)
        return planner_size(tms_kind_by_id(TAMIS_KIND_WINDOW), spec, out);
    return planner_is_everyday(spec) ? planner_choose_flat(spec, out)
                                     : planner_choose_able(spec, out);
}

/* What is exact grows by itself: it needs no layers. */
static bool planner_scales(const tamis_spec *spec)
{
    const tms_kind *kind = tms_kind_by_id(spec->kind);
    if (kind ? planner_is_exact(kind) : (spec->needs & TAMIS_IS_EXACT) != 0) return false;
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
    if (asked.kind != TAMIS_KIND_ANY) TMS_TRY(planner_find_kind(asked.kind, &kind));
    if (kind && spec->growth == TAMIS_GROWTH_FIXED) /* known before it is sized */
        TMS_TRY(planner_refuse(kind, planner_needs(spec) & ~planner_most(kind, spec)));
    if (planner_scales(spec) && !(kind && kind->composing)) {
        if (kind) asked.inner = asked.kind;
        kind = tms_kind_by_id(TAMIS_KIND_SCALABLE);
    }
    return kind ? planner_size(kind, &asked, out) : planner_choose_any(spec, out);
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
    for (uint32_t i = 0; i < plan->count; i++) layered |= planner_is_scaling(plan->levels[i].kind);
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

static uint32_t planner_abilities(const tms_plan *plan)
{
    uint32_t abilities = plan->levels[plan->count - 1].kind->abilities;
    for (uint32_t i = plan->count - 1; i-- > 0;)
        abilities = plan->levels[i].kind->composing->abilities(abilities);
    return abilities;
}

static tamis_status planner_check_abilities(const tamis_spec *spec, const tms_plan *plan)
{
    return planner_refuse(plan->levels[0].kind, planner_needs(spec) & ~planner_abilities(plan));
}

tamis_status tms_plan_for(const tamis_spec *spec, tms_plan *out)
{
    memset(out, 0, sizeof *out);
    TMS_TRY(planner_check_fields(spec));
    TMS_TRY(planner_choose(spec, out));
    TMS_TRY(planner_check_meaning(spec, out));
    return planner_check_abilities(spec, out);
}

/* ---- the answer --------------------------------------------------------- */

static void planner_note(const tms_plan *plan, tamis_sizing *s)
{
    const char *note = NULL;
    bool low = s->fpr < planner_blocked_from;
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
static void planner_describe_levels(const tms_plan *plan, tamis_sizing *s)
{
    const tms_level *last = &plan->levels[plan->count - 1];
    last->kind->describe(&last->shape, s);
    for (uint32_t i = plan->count - 1; i-- > 0;) {
        s->bits *= plan->levels[i].children;
        plan->levels[i].kind->describe(&plan->levels[i].shape, s);
    }
}

static void planner_describe(const tamis_spec *spec, const tms_plan *plan, tamis_sizing *s)
{
    const tms_kind *flat = plan->levels[plan->count - 1].kind;
    const tms_shape *shape = &plan->levels[0].shape;
    double keys = (double)shape->capacity;
    uint32_t width = planner_width(spec);
    s->bytes = planner_bytes(plan);
    planner_describe_levels(plan, s);
    s->kind = shape->kind;
    s->inner = plan->count > 1 ? plan->levels[1].kind->id : 0;
    s->abilities = planner_abilities(plan);
    s->capacity = shape->capacity;
    s->bits_per_key = (double)s->bits / keys;
    s->fpr_asked = spec->fpr;
    s->fpr = tms_kind_rate(flat, planner_rate(plan, keys), keys, width);
    s->fpr_floor = planner_is_exact(flat) ? 0 : planner_floor(keys, width);
    s->overhead = s->fpr < 1 && s->fpr > 0 ? s->bits_per_key / -log2(s->fpr) : INFINITY;
    planner_note(plan, s);
}

tamis_status tamis_plan(const tamis_spec *spec, tamis_sizing *sizing)
{
    tms_plan plan;
    memset(sizing, 0, sizeof *sizing);
    sizing->kind = spec->kind;
    sizing->status = tms_plan_for(spec, &plan);
    if (sizing->status == TAMIS_OK)
        planner_describe(spec, &plan, sizing);
    else
        snprintf(sizing->note, sizeof sizing->note, "%.199s", tamis_explain());
    return sizing->status;
}

/* An exact kind takes integers only: not to be weighed against others unless
 * asked for. */
static void planner_row(const tamis_spec *spec, tamis_sizing *row)
{
    bool exact = planner_is_exact(tms_kind_by_id(spec->kind));
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
    if (!planner_scales(&one)) one.expansion = one.tightening = 0;
    bool any = tamis_plan(&one, &chosen) == TAMIS_OK;
    for (size_t i = 0; i < count && i < room; i++) {
        one = *spec;
        one.kind = tms_kind_number(i)->id;
        if (!planner_scales(&one)) one.expansion = one.tightening = 0; /* said to other rows */
        planner_row(&one, &rows[i]); /* which carries its status */
        rows[i].kind = one.kind;
        rows[i].recommended = any && chosen.kind == one.kind && rows[i].status == TAMIS_OK;
    }
    return count;
}
