/* scalable_plan.c - what the layers of a scaling filter are asked to be, and
 * what that promises.                                                       */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/endian.h"
#include "base/fail.h"
#include "compose/scalable.h"
#include "compose/scalable_parts.h"
#include "math/estimate.h"

/* Defaults: doubling wastes at most half of the newest layer; a tightening of
 * 0.85 is best for seven layers and costs at most one bit a key more than the
 * best from three to fourteen, where 0.5 would cost up to 13. */
static const double scalable_usual_expansion = 2.0, scalable_usual_tightening = 0.85;
static const uint64_t scalable_usual_capacity = 4096;

static tamis_status scalable_check_growth(double expansion, double tightening, tamis_status status)
{
    if (!(expansion >= 1 && expansion <= 1024))
        return tms_fail(status, "an expansion of %g is outside 1 to 1024", expansion);
    if (!(tightening >= 0.01 && tightening <= 0.99))
        return tms_fail(status, "a tightening of %g is outside 0.01 to 0.99", tightening);
    return TAMIS_OK;
}

tamis_status tms_scalable_plan(const tamis_spec *spec, tms_shape *shape)
{
    double expansion = spec->expansion != 0 ? spec->expansion : scalable_usual_expansion;
    double tightening = spec->tightening != 0 ? spec->tightening : scalable_usual_tightening;
    TMS_TRY(scalable_check_growth(expansion, tightening, TAMIS_E_SPEC));
    if (!(spec->fpr > 0))
        return tms_fail(TAMIS_E_SPEC, "a scaling filter needs a rate; it finds its size itself");
    if (spec->hashes || spec->fold > 1 || spec->flags & TAMIS_STRICT)
        return tms_fail(TAMIS_E_SPEC, "hashes, fold and strict have no meaning for a scaling "
                                      "filter: its layers differ, and it grows instead");
    if (spec->fingerprint_bits || spec->bucket_keys || spec->flags & TAMIS_DENSE)
        return tms_fail(TAMIS_E_SPEC, "fingerprint_bits, bucket_keys and dense have no meaning "
                                      "for a scaling filter, whose layers are planned each");
    *shape =
        (tms_shape){.kind = TAMIS_KIND_SCALABLE,
                    .flags = spec->flags,
                    .capacity = spec->capacity ? spec->capacity : scalable_usual_capacity,
                    .fpr = spec->fpr,
                    .param_count = SCALABLE_PARAMS + (spec->memory != 0),
                    .params = {spec->kind, tms_double_bits(expansion), tms_double_bits(tightening),
                               spec->lines_per_key, spec->memory}};
    return TAMIS_OK;
}

tamis_status tms_scalable_check(tms_shape *shape)
{
    bool capped = shape->param_count == SCALABLE_PARAMS + 1;
    if (shape->param_count != SCALABLE_PARAMS && !capped)
        return tms_fail(TAMIS_E_CORRUPT, "a scaling filter has %d or %d parameters, not %u",
                        SCALABLE_PARAMS, SCALABLE_PARAMS + 1, shape->param_count);
    if (capped && shape->params[SCALABLE_MEMORY] == 0)
        return tms_fail(TAMIS_E_CORRUPT, "a scaling filter with a cap of 0 bytes");
    if (shape->params[SCALABLE_LINES] > 2)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " lines per key are outside 0 to 2",
                        shape->params[SCALABLE_LINES]);
    if (shape->params[SCALABLE_INNER] == TAMIS_KIND_SCALABLE)
        return tms_fail(TAMIS_E_CORRUPT, "a scaling filter cannot be made of scaling filters");
    shape->body_bytes = 0;
    return scalable_check_growth(tms_bits_double(shape->params[SCALABLE_EXPANSION]),
                                 tms_bits_double(shape->params[SCALABLE_TIGHTENING]),
                                 TAMIS_E_CORRUPT);
}

void tms_scalable_layer_spec(const tms_shape *shape, uint32_t index, tamis_spec *out)
{
    double expansion = tms_bits_double(shape->params[SCALABLE_EXPANSION]);
    double tightening = tms_bits_double(shape->params[SCALABLE_TIGHTENING]);
    double capacity = (double)shape->capacity, fpr = shape->fpr * (1 - tightening);
    for (uint32_t i = 0; i < index; i++) { /* products, not pow(): equal on every machine */
        capacity *= expansion;
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

void tms_scalable_describe(const tms_shape *shape, tamis_sizing *out)
{
    (void)shape; /* the caller describes the first layer */
    out->fold = 1;
}
