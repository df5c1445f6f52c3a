/* scalable_plan.c - how large and how tight the layers of a scaling filter are,
 * and what that promises.
 *
 * The defaults (docs/kinds/scalable.md has the numbers): a first layer of 2^15
 * keys takes about 64 KiB, which costs nothing and spares five layers; the
 * second has at least 3 * 2^19 keys, under 3 MiB, and spares five more; from
 * there on layers double, because a larger step leaves more of the newest one
 * empty. The tightening is then best for five layers, and a filter of 10^7 keys
 * has four. Whoever gives an expansion gets the steps he asked for, from the
 * capacity he asked for; so do those whose memory is capped or whose hash is
 * narrow, for which a large first layer might be the last. There a tightening
 * of 0.85 is best for seven layers and costs at most one bit a key more than
 * the best from three to fourteen, where 0.5 would cost up to 13.          */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tamis/hash.h>

#include "base/endian.h"
#include "base/fail.h"
#include "compose/scalable.h"
#include "compose/scalable_parts.h"
#include "math/estimate.h"

static const double scalable_usual_expansion = 2.0;
static const double scalable_tightening_of_few = 0.75, scalable_tightening_of_many = 0.85;
static const uint64_t scalable_usual_capacity = 4096; /* where the steps are not chosen */
static const uint64_t scalable_least_first = 1 << 15, scalable_least_second = 3 << 19;

/* ---- parameters --------------------------------------------------------- */

static tamis_status scalable_check_growth(double expansion, double tightening, tamis_status status)
{
    if (!(expansion >= 1 && expansion <= 1024))
        return tms_fail(status, "an expansion of %g is outside 1 to 1024", expansion);
    if (!(tightening >= 0.01 && tightening <= 0.99))
        return tms_fail(status, "a tightening of %g is outside 0.01 to 0.99", tightening);
    return TAMIS_OK;
}

static tamis_status scalable_check_spec(const tamis_spec *spec)
{
    if (!(spec->fpr > 0))
        return tms_fail(TAMIS_E_SPEC, "a scaling filter needs a rate; it finds its size itself");
    if (spec->hashes || spec->fold > 1)
        return tms_fail(TAMIS_E_SPEC, "hashes and fold have no meaning for a scaling filter: its "
                                      "layers differ");
    if (spec->fingerprint_bits || spec->bucket_keys || spec->flags & TAMIS_DENSE)
        return tms_fail(TAMIS_E_SPEC, "fingerprint_bits, bucket_keys and dense have no meaning "
                                      "for a scaling filter, whose layers are planned each");
    if (spec->parts)
        return tms_fail(TAMIS_E_SPEC, "a scaling filter finds the number of its layers itself: "
                                      "leave parts at 0");
    return TAMIS_OK;
}

/* Whether the steps are for the planner to choose. */
static bool scalable_may_choose(const tamis_spec *spec)
{
    bool narrow = spec->hash && tamis_hash_width(spec->hash) < 64;
    return spec->expansion == 0 && spec->memory == 0 && !narrow && !(spec->flags & TAMIS_STRICT);
}

static void scalable_choose_steps(tms_shape *shape)
{
    uint64_t *first = &shape->capacity;
    if (*first < scalable_least_first) *first = scalable_least_first;
    if (2 * *first >= scalable_least_second) return; /* doubling from the start */
    shape->params[SCALABLE_SECOND] = scalable_least_second;
    shape->param_count = SCALABLE_PARAMS_MOST;
}

static double scalable_tightening(const tamis_spec *spec)
{
    if (spec->tightening != 0) return spec->tightening;
    return scalable_may_choose(spec) ? scalable_tightening_of_few : scalable_tightening_of_many;
}

tamis_status tms_scalable_plan(const tamis_spec *spec, tms_shape *shape)
{
    double expansion = spec->expansion != 0 ? spec->expansion : scalable_usual_expansion;
    double tightening = scalable_tightening(spec);
    TMS_TRY(scalable_check_growth(expansion, tightening, TAMIS_E_SPEC));
    TMS_TRY(scalable_check_spec(spec));
    *shape =
        (tms_shape){.kind = TAMIS_KIND_SCALABLE,
                    .flags = spec->flags,
                    .capacity = spec->capacity ? spec->capacity : scalable_usual_capacity,
                    .fpr = spec->fpr,
                    .param_count = SCALABLE_PARAMS + (spec->memory != 0),
                    .params = {spec->inner, tms_double_bits(expansion), tms_double_bits(tightening),
                               spec->lines_per_key, spec->memory}};
    if (scalable_may_choose(spec)) scalable_choose_steps(shape);
    return TAMIS_OK;
}

static bool scalable_jumps(const tms_shape *shape)
{
    return shape->param_count > SCALABLE_SECOND;
}

uint64_t tms_scalable_cap(const tms_shape *shape)
{
    return shape->param_count > SCALABLE_MEMORY ? shape->params[SCALABLE_MEMORY] : 0;
}

static tamis_status scalable_check_second(const tms_shape *shape)
{
    uint64_t second = shape->params[SCALABLE_SECOND];
    if (!scalable_jumps(shape) || (second >= shape->capacity && second <= UINT64_C(1) << 56))
        return TAMIS_OK;
    return tms_fail(TAMIS_E_CORRUPT,
                    "a second layer of %" PRIu64 " keys is smaller than the first of %" PRIu64
                    ", or above 2^56",
                    second, shape->capacity);
}

tamis_status tms_scalable_check(tms_shape *shape)
{
    const uint64_t *p = shape->params;
    if (shape->param_count < SCALABLE_PARAMS || shape->param_count > SCALABLE_PARAMS_MOST)
        return tms_fail(TAMIS_E_CORRUPT, "a scaling filter has %d to %d parameters, not %u",
                        SCALABLE_PARAMS, SCALABLE_PARAMS_MOST, shape->param_count);
    if (shape->param_count == SCALABLE_MEMORY + 1 && p[SCALABLE_MEMORY] == 0)
        return tms_fail(TAMIS_E_CORRUPT, "a scaling filter with a cap of 0 bytes");
    if (p[SCALABLE_LINES] > 2)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " lines per key are outside 0 to 2",
                        p[SCALABLE_LINES]);
    if (p[SCALABLE_INNER] == TAMIS_KIND_SCALABLE)
        return tms_fail(TAMIS_E_CORRUPT, "a scaling filter cannot be made of scaling filters");
    TMS_TRY(scalable_check_second(shape));
    shape->body_bytes = 0;
    return scalable_check_growth(tms_bits_double(p[SCALABLE_EXPANSION]),
                                 tms_bits_double(p[SCALABLE_TIGHTENING]), TAMIS_E_CORRUPT);
}

/* ---- layers ------------------------------------------------------------- */

void tms_scalable_layer_spec(const tms_shape *shape, uint32_t index, tamis_spec *out)
{
    double expansion = tms_bits_double(shape->params[SCALABLE_EXPANSION]);
    double tightening = tms_bits_double(shape->params[SCALABLE_TIGHTENING]);
    double capacity = (double)shape->capacity, fpr = shape->fpr * (1 - tightening);
    if (shape->flags & TAMIS_STRICT) fpr = shape->fpr; /* it stays the only one */
    for (uint32_t i = 0; i < index; i++) { /* products, not pow(): equal on every machine */
        bool jump = i == 0 && scalable_jumps(shape);
        capacity = jump ? (double)shape->params[SCALABLE_SECOND] : capacity * expansion;
        fpr *= tightening;
    }
    capacity = ceil(capacity);
    memset(out, 0, sizeof *out);
    out->kind = (uint32_t)shape->params[SCALABLE_INNER];
    out->capacity = capacity < 0x1p62 ? (uint64_t)capacity : UINT64_C(1) << 62;
    out->fpr =
        fmax(fpr, 1e-7 * shape->fpr); /* 64 such layers add nothing; tighter ones cost much */
    out->flags = (shape->flags & TAMIS_CONCURRENT) | TAMIS_NEVER_EXCEED;
    out->lines_per_key = (uint32_t)shape->params[SCALABLE_LINES];
}

/* Full layers keep their own rate; the newest that of the keys left for it. */
double tms_scalable_rate(const tms_shape *shape, double keys)
{
    double passes = 1;
    for (uint32_t i = 0; i < SCALABLE_MOST_LAYERS && keys > 0; i++) {
        tamis_spec spec;
        tms_scalable_layer_spec(shape, i, &spec);
        double share = keys < (double)spec.capacity ? keys / (double)spec.capacity : 1;
        passes *= 1 - spec.fpr * share;
        keys -= (double)spec.capacity;
    }
    return 1 - passes;
}

double tms_scalable_rate_of_layers(const tms_shape *shape, uint32_t layers, uint32_t width)
{
    double keys = 0;
    for (uint32_t i = 0; i < layers; i++) {
        tamis_spec spec;
        tms_scalable_layer_spec(shape, i, &spec);
        keys += (double)spec.capacity;
    }
    return tms_rate_with_collisions(tms_scalable_rate(shape, keys), keys, width);
}

/* ---- composing ---------------------------------------------------------- */

static uint32_t scalable_abilities(uint32_t inner)
{
    return TAMIS_CAN_ADD | TAMIS_CAN_GROW | TAMIS_CAN_DIGESTS |
           (inner & (TAMIS_CAN_CONCURRENT | TAMIS_CAN_REMOVE | TAMIS_CAN_COUNT));
}

static tamis_status scalable_accepts(const tms_kind *inner)
{
    const uint32_t needs = TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS;
    if (!inner->composing && !(needs & ~inner->abilities)) return TAMIS_OK;
    return tms_fail(TAMIS_E_SPEC,
                    "a scaling filter cannot have layers of kind %s: layers are flat, and take "
                    "digests one by one",
                    inner->name);
}

static uint32_t scalable_first_count(const tms_shape *shape)
{
    (void)shape;
    return 1;
}

static void scalable_child_spec(const tms_shape *shape, const tms_kind *inner, uint32_t index,
                                tamis_spec *spec)
{
    const uint32_t counter_bits = spec->counter_bits; /* later layers repeat the first */
    (void)inner;
    tms_scalable_layer_spec(shape, index, spec);
    spec->counter_bits = counter_bits;
}

/* A plan describes the first layer. */
static double scalable_part_keys(const tms_shape *shape, double keys)
{
    (void)shape;
    return keys;
}

static double scalable_whole_rate(const tms_shape *shape, double part_rate)
{
    (void)shape;
    return part_rate;
}

static void scalable_tell(const tms_shape *shape, const tms_kind *inner, char *note, size_t room)
{
    if (shape->flags & TAMIS_STRICT)
        snprintf(note, room, "one layer, of kind %s: strict, so it does not grow", inner->name);
    else
        snprintf(note, room, "first layer, of kind %s; each next one is larger and tighter",
                 inner->name);
}

const tms_composing tms_scalable_composing = {
    .abilities = scalable_abilities,
    .accepts = scalable_accepts,
    .first_count = scalable_first_count,
    .child_spec = scalable_child_spec,
    .part_keys = scalable_part_keys,
    .whole_rate = scalable_whole_rate,
    .tell = scalable_tell,
};
