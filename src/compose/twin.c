/* twin.c - two filters of one shape: the keys that were added, and those of
 * them that were removed.
 *
 * A key is contained when the added side may hold it and the removed side does
 * not. So a removal stays until the filter is rebuilt: adding the key again is
 * TAMIS_E_REMOVED, and no key is ever added that could not be found. A false
 * positive of the removed side makes a key that was added before look removed:
 * the measure says with which chance. What is lost of the removed side reads as
 * zeros: it may bring a removed key back, and never takes one away.
 *
 * params: [0] inner kind                                                    */
#include "compose/twin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "compose/parts.h"
#include "kernel/tuning.h"

enum { TWIN_INNER, TWIN_PARAMS };
enum { TWIN_ADDED, TWIN_REMOVED, TWIN_SIDES };

typedef struct twin_filter {
    tamis_filter base;
    tamis_filter *sides[TWIN_SIDES];
} twin_filter;

static twin_filter *twin_of(const tamis_filter *f)
{
    return (twin_filter *)(uintptr_t)f;
}

static tamis_filter *twin_side(const tamis_filter *f, unsigned side)
{
    return twin_of(f)->sides[side];
}

static bool twin_ask(const tamis_filter *side, uint64_t digest)
{
    return side->ops->may_contain(side, digest);
}

/* ---- parameters --------------------------------------------------------- */

static tamis_status twin_plan(const tamis_spec *spec, tms_shape *shape)
{
    TMS_TRY(tms_parts_check_fixed("twin", spec));
    if (spec->parts) return tms_fail(TAMIS_E_SPEC, "a twin filter has two parts: leave parts at 0");
    *shape = (tms_shape){.kind = TAMIS_KIND_TWIN,
                         .flags = spec->flags,
                         .capacity = spec->capacity,
                         .fpr = spec->fpr,
                         .param_count = TWIN_PARAMS,
                         .params = {spec->inner}};
    return TAMIS_OK;
}

static tamis_status twin_check(tms_shape *shape)
{
    if (shape->param_count != TWIN_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a twin filter has %d parameter, not %u", TWIN_PARAMS,
                        shape->param_count);
    shape->body_bytes = 0;
    return TAMIS_OK;
}

static void twin_describe(const tms_shape *shape, tamis_sizing *out)
{
    (void)shape;
    out->reads *= 2;
    out->fold = 1;
}

/* ---- asking and adding -------------------------------------------------- */

static bool twin_may_contain(const tamis_filter *f, uint64_t digest)
{
    return twin_ask(twin_side(f, TWIN_ADDED), digest) &&
           !twin_ask(twin_side(f, TWIN_REMOVED), digest);
}

static size_t twin_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    const tamis_filter *added = twin_side(f, TWIN_ADDED), *removed = twin_side(f, TWIN_REMOVED);
    bool gone[TMS_RUN];
    size_t hits = 0;
    added->ops->may_contain_many(added, run, answers);
    removed->ops->may_contain_many(removed, run, gone);
    for (size_t i = 0; i < run->count; i++) {
        answers[i] &= !gone[i];
        hits += answers[i];
    }
    return hits;
}

static tamis_status twin_fail_removed(void)
{
    return tms_fail(TAMIS_E_REMOVED,
                    "the key was removed, or cannot be told from one that was; it stays so until "
                    "the filter is rebuilt from its keys");
}

static tamis_status twin_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    tamis_filter *added = twin_side(f, TWIN_ADDED);
    if (twin_ask(twin_side(f, TWIN_REMOVED), digest)) return twin_fail_removed();
    TMS_TRY(added->ops->add(added, digest, was_new));
    tms_filter_count(added, 1);
    return TAMIS_OK;
}

/* Adds up to the first key that was removed. */
static tamis_status twin_add_many(tamis_filter *f, const tms_run *run, bool *was_new, size_t *taken)
{
    tamis_filter *added = twin_side(f, TWIN_ADDED), *removed = twin_side(f, TWIN_REMOVED);
    bool gone[TMS_RUN];
    tms_run stretch = *run;
    removed->ops->may_contain_many(removed, run, gone);
    const bool *first = run->count ? memchr(gone, true, run->count * sizeof *gone) : NULL;
    if (first) stretch.count = (size_t)(first - gone);
    TMS_TRY(added->ops->add_many(added, &stretch, was_new, taken));
    tms_filter_count(added, *taken);
    return first ? twin_fail_removed() : TAMIS_OK;
}

static tamis_status twin_remove(tamis_filter *f, uint64_t digest)
{
    tamis_filter *removed = twin_side(f, TWIN_REMOVED);
    bool was_new;
    if (!twin_may_contain(f, digest)) return TAMIS_E_ABSENT;
    TMS_TRY(removed->ops->add(removed, digest, &was_new));
    tms_filter_count(removed, 1);
    return TAMIS_OK;
}

static const tms_ops twin_ops = {.may_contain = twin_may_contain,
                                 .add = twin_add,
                                 .may_contain_many = twin_may_contain_many,
                                 .add_many = twin_add_many,
                                 .remove = twin_remove};

/* ---- damage ------------------------------------------------------------- */

typedef struct twin_watch {
    bool (*lost)(void *, const uint8_t *);
    void *ctx;
    bool any;
} twin_watch;

static bool twin_note_lost(void *ctx, const uint8_t *address)
{
    twin_watch *watch = ctx;
    bool lost = watch->lost(watch->ctx, address);
    watch->any |= lost;
    return lost;
}

/* Where a place of the removed side is lost, the key counts as not removed. */
static bool twin_may_contain_around(const tamis_filter *f, uint64_t digest,
                                    bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const tamis_filter *added = twin_side(f, TWIN_ADDED), *removed = twin_side(f, TWIN_REMOVED);
    twin_watch watch = {.lost = lost, .ctx = ctx};
    bool gone = removed->kind->may_contain_around(removed, digest, twin_note_lost, &watch);
    bool there = added->kind->may_contain_around(added, digest, lost, ctx);
    return there && !(gone && !watch.any);
}

/* ---- what the sides say ------------------------------------------------- */

static void twin_measure(const tamis_filter *f, tms_measure *out)
{
    tms_measure added = {0}, removed = {0};
    twin_side(f, TWIN_ADDED)->kind->measure(twin_side(f, TWIN_ADDED), &added);
    twin_side(f, TWIN_REMOVED)->kind->measure(twin_side(f, TWIN_REMOVED), &removed);
    *out = (tms_measure){.bits = added.bits + removed.bits,
                         .ones = added.ones + removed.ones,
                         .keys = fmax(added.keys - removed.keys, 0),
                         .keys_low = fmax(added.keys_low - removed.keys_high, 0),
                         .keys_high = fmax(added.keys_high - removed.keys_low, 0),
                         .rate = added.rate * (1 - removed.rate),
                         .missed = removed.rate,
                         .crowding = fmin(added.crowding, removed.crowding)};
}

/* ---- composing ---------------------------------------------------------- */

static uint32_t twin_abilities(uint32_t inner)
{
    return TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS | TAMIS_CAN_REMOVE | TAMIS_STAYS_REMOVED |
           (inner & (TAMIS_CAN_MERGE | TAMIS_CAN_CONCURRENT));
}

static tamis_status twin_accepts(const tms_kind *inner)
{
    const uint32_t needs = TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS;
    bool fits = !inner->composing && !(needs & ~inner->abilities) &&
                !(inner->abilities & TAMIS_CAN_REMOVE) &&
                inner->damage_rule == TMS_DAMAGE_READS_AS_ONES;
    if (fits) return TAMIS_OK;
    return tms_fail(TAMIS_E_SPEC,
                    "a twin filter cannot be made of %s filters: its sides are flat arrays of "
                    "bits; kinds that remove keys need no twin",
                    inner->name);
}

static uint32_t twin_first_count(const tms_shape *shape)
{
    (void)shape;
    return TWIN_SIDES;
}

static void twin_child_spec(const tms_shape *shape, const tms_kind *inner, uint32_t index,
                            tamis_spec *spec)
{
    (void)shape;
    (void)inner;
    (void)index;
    tms_parts_trim(spec);
    spec->memory /= TWIN_SIDES;
}

static void twin_settle(tms_shape *shape, const tms_shape *side)
{
    shape->capacity = side->capacity;
    shape->fpr = side->fpr;
}

static double twin_part_keys(const tms_shape *shape, double keys)
{
    (void)shape;
    return keys;
}

static double twin_whole_rate(const tms_shape *shape, double side_rate)
{
    (void)shape;
    return side_rate; /* while nothing is removed */
}

static void twin_tell(const tms_shape *shape, const tms_kind *inner, char *note, size_t room)
{
    (void)shape;
    snprintf(note, room, "two %s filters: added and removed; a removed key stays removed",
             inner->name);
}

static const tms_composing twin_composing = {
    .abilities = twin_abilities,
    .accepts = twin_accepts,
    .first_count = twin_first_count,
    .child_spec = twin_child_spec,
    .settle = twin_settle,
    .part_keys = twin_part_keys,
    .whole_rate = twin_whole_rate,
    .tell = twin_tell,
};

/* ---- life --------------------------------------------------------------- */

static void twin_attach(tamis_filter *f)
{
    f->ops = &twin_ops;
}

static tamis_status twin_adopt(tamis_filter *f, tamis_filter **children, uint32_t count)
{
    if (count != TWIN_SIDES)
        return tms_fail(TAMIS_E_CORRUPT, "a twin filter has two sides, not %u", count);
    TMS_TRY(tms_parts_take(f, children, count));
    memcpy(twin_of(f)->sides, children, sizeof twin_of(f)->sides);
    children[TWIN_REMOVED]->damage_rule = TMS_DAMAGE_READS_AS_ZEROS;
    return TAMIS_OK;
}

static uint32_t twin_child_count(const tamis_filter *f)
{
    return twin_side(f, TWIN_ADDED) ? TWIN_SIDES : 0;
}

static tamis_filter *twin_child(const tamis_filter *f, uint32_t index)
{
    return twin_side(f, index);
}

static void twin_reset(tamis_filter *f)
{
    for (unsigned i = 0; i < TWIN_SIDES; i++) tms_filter_empty(twin_side(f, i));
}

static void twin_release(tamis_filter *f)
{
    for (unsigned i = 0; i < TWIN_SIDES; i++) tms_filter_drop(twin_side(f, i));
}

const tms_kind tms_twin_kind = {
    .id = TAMIS_KIND_TWIN,
    .name = "twin",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS | TAMIS_CAN_REMOVE | TAMIS_STAYS_REMOVED |
                 TAMIS_CAN_MERGE | TAMIS_CAN_CONCURRENT,
    .damage_rule = TMS_DAMAGE_READS_AS_ONES,
    .handle_bytes = sizeof(twin_filter),
    .plan = twin_plan,
    .check = twin_check,
    .describe = twin_describe,
    .attach = twin_attach,
    .measure = twin_measure,
    .may_contain_around = twin_may_contain_around,
    .composing = &twin_composing,
    .adopt = twin_adopt,
    .child_count = twin_child_count,
    .child = twin_child,
    .reset = twin_reset,
    .release = twin_release,
};
