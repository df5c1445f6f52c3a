/* info.c - facts about a filter.                                            */
#include <math.h>
#include <string.h>
#include <tamis/blocked_view.h>
#include <tamis/info.h>

#include "base/bits.h"
#include "base/fail.h"
#include "facade/origin.h"
#include "facade/planner.h"
#include "math/estimate.h"
#include "kinds/blocked.h"

/* What a filter holds by itself. */
static uint64_t info_memory(const tamis_filter *f)
{
    size_t counter = f->added.stripes ? TMS_COUNTER_STRIPES * sizeof(tms_stripe) : 0;
    return f->shape.body_bytes + f->kind->handle_bytes + counter;
}

/* Capacity and keys of a filter that grows are those of its layers; one that
 * forgets has the keys that its generations have. */
static void info_count(const tamis_filter *f, tamis_facts *facts)
{
    const uint32_t can = tms_child_count(f) ? tms_filter_abilities(f) : 0;
    if (!(can & TAMIS_CAN_GROW)) facts->capacity += f->shape.capacity;
    if (!(can & (TAMIS_CAN_GROW | TAMIS_CAN_FORGET))) facts->added += tms_counter_sum(&f->added);
    for (uint32_t i = 0; can & TAMIS_CAN_FORGET && i < tms_child_count(f); i++)
        facts->added += tms_counter_sum(&f->kind->child(f, i)->added);
    for (uint32_t i = 0; can & TAMIS_CAN_GROW && i < tms_child_count(f); i++)
        info_count(f->kind->child(f, i), facts);
}

static void info_sum(const tamis_filter *f, tamis_facts *facts)
{
    facts->memory += info_memory(f);
    if (f->kind->loose) facts->memory += f->kind->loose->held(f);
    for (uint32_t i = 0; i < tms_child_count(f); i++) info_sum(f->kind->child(f, i), facts);
}

uint64_t tamis_damaged_bytes(const tamis_filter *f)
{
    uint64_t bytes = tms_origin_damaged_bytes(f);
    for (uint32_t i = 0; i < tms_child_count(f); i++)
        bytes += tamis_damaged_bytes(f->kind->child(f, i));
    return bytes;
}

/* The newest part says how a composed filter works. */
static void info_describe(const tamis_filter *f, tamis_sizing *sizing)
{
    uint32_t children = tms_child_count(f);
    if (children) info_describe(f->kind->child(f, children - 1), sizing);
    f->kind->describe(&f->shape, sizing);
}

static double info_rate(const tamis_filter *f, double keys)
{
    if (f->kind->rate) return f->kind->rate(&f->shape, keys);
    const tms_composing *composing = f->kind->composing;
    const double whole = composing->first_count(&f->shape), here = tms_child_count(f);
    if (here < whole) keys *= whole / here; /* some of the shards have all of these keys */
    double part_keys = composing->part_keys(&f->shape, keys);
    return composing->whole_rate(&f->shape, info_rate(f->kind->child(f, 0), part_keys));
}

uint32_t tamis_abilities_of_clone(const tamis_filter *f)
{
    uint32_t abilities = tms_filter_abilities(f);
    if (f->ops->add_keys) abilities &= ~(uint32_t)TAMIS_CAN_DIGESTS;
    if (tms_child_count(f) && !(f->kind->child(f, 0)->kind->abilities & TAMIS_CAN_CONCURRENT))
        abilities &= ~(uint32_t)TAMIS_CAN_CONCURRENT; /* layers are as their kind is */
    return abilities;
}

uint32_t tamis_abilities(const tamis_filter *f)
{
    const uint32_t changing = TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_INTERSECT |
                              TAMIS_CAN_FOLD | TAMIS_CAN_GROW | TAMIS_CAN_PARALLEL |
                              TAMIS_CAN_REMOVE;
    const uint32_t abilities = tamis_abilities_of_clone(f);
    return f->read_only || f->is_child ? abilities & ~changing : abilities;
}

/* The rate where lost parts answer "maybe": asked for, with digests of nobody. */
static double info_asked_rate(const tamis_filter *f)
{
    enum { QUESTIONS = 1 << 16 };
    uint32_t hits = 0;
    for (uint64_t i = 1; i <= QUESTIONS; i++)
        hits += f->ops->may_contain(f, tms_mix64(i * UINT64_C(0x9E3779B97F4A7C15)));
    return (double)hits / QUESTIONS;
}

static void info_measure(const tamis_filter *f, tamis_facts *facts)
{
    tms_measure m = {0};
    tamis_filter *copy = NULL; /* of a watched filter with damage: there it reads as ones */
    bool watched = f->origin && f->origin->ops;
    if (watched && tms_origin_damaged_bytes(f)) (void)tms_origin_settle(f, &copy);
    f->kind->measure(copy ? copy : f, &m);
    tamis_free(copy);
    facts->bits = m.bits;
    facts->ones = m.ones;
    facts->fullest = m.fullest;
    facts->fill = m.bits ? (double)m.ones / (double)m.bits : 0;
    facts->keys = m.keys;
    facts->keys_low = m.keys_low;
    facts->keys_high = m.keys_high;
    facts->fnr_now = m.missed;
    facts->fpr_now = tms_kind_rate(f->kind, m.rate, m.keys, f->hasher.width);
    facts->damaged_bytes = tamis_damaged_bytes(f);
    if (facts->damaged_bytes == 0) return;
    if (f->kind->damage_rule == TMS_DAMAGE_ANSWERS_MAYBE) facts->fpr_now = info_asked_rate(f);
    facts->keys = (double)facts->added; /* lost parts read as ones, which are no keys */
    facts->keys_low = 0;
    facts->keys_high = INFINITY;
}

tamis_status tamis_info(const tamis_filter *f, tamis_facts *facts)
{
    uint32_t children = tms_child_count(f);
    *facts = (tamis_facts){.kind = f->kind->id,
                           .kind_name = f->kind->name,
                           .hash = f->hasher.id,
                           .hash_name = tamis_hash_name(f->hasher.id),
                           .abilities = tamis_abilities(f),
                           .flags = f->shape.flags,
                           .layers = children ? children : 1,
                           .seed = f->hasher.seed,
                           .keyed = f->hasher.keyed,
                           .read_only = f->read_only || f->is_child,
                           .count_is_estimate = f->count_is_estimate,
                           .fpr_asked = f->shape.fpr,
                           .inner_kind = children ? f->kind->child(f, 0)->kind->id : 0};
    tamis_sizing sizing;
    memset(&sizing, 0, sizeof sizing);
    info_describe(f, &sizing);
    facts->hashes = sizing.hashes;
    facts->lines_per_key = sizing.lines_per_key;
    facts->fingerprint_bits = sizing.fingerprint_bits;
    facts->bucket_keys = sizing.bucket_keys;
    facts->fold = sizing.fold;
    info_count(f, facts);
    info_sum(f, facts);
    info_measure(f, facts);
    double capacity = (double)facts->capacity;
    facts->fpr_at_capacity =
        tms_kind_rate(f->kind, info_rate(f, capacity), capacity, f->hasher.width);
    if (f->kind->loose && f->kind->loose->report) f->kind->loose->report(f, facts);
    return TAMIS_OK;
}

const tamis_filter *tamis_layer_view(const tamis_filter *f, uint32_t layer)
{
    bool watched = f->origin && f->origin->ops; /* its layers would not look out for damage */
    return layer < tms_child_count(f) && !watched ? f->kind->child(f, layer) : NULL;
}

tamis_status tamis_blocked_view_of(const tamis_filter *f, tamis_blocked_view *view)
{
    if (tms_blocked_lend_view(f, view)) return TAMIS_OK;
    return tms_fail(TAMIS_E_UNSUPPORTED,
                    "only a blocked filter that is not concurrent, and whose chunks are not "
                    "verified lazily, has an inline view; this one is %s",
                    f->kind->name);
}
