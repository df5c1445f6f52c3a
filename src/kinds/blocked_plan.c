/* blocked_plan.c - sizes of blocked filters: how many lines, one or two a key. */
#include <inttypes.h>

#include "base/bits.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kinds/blocked.h"
#include "kinds/blocked_parts.h"
#include "kinds/sizing.h"
#include "math/blocked_math.h"

#define BLOCKED_MOST_LINES ((uint64_t)1 << 50)

/* The power of two, up to 64, that costs at most one line and 1.5 % more: so
 * every filter of one line a key folds by 2, and large ones by 64. */
static uint64_t blocked_usual_fold(const tms_sizer *s, uint64_t lines)
{
    uint64_t fold = 1;
    while (fold < 64 && s->lines_per_key * 2 * fold - 1 <= lines / 64 + 1) fold *= 2;
    return fold;
}

static double blocked_sizer_rate(const tms_sizer *s, uint64_t lines, uint32_t hashes, double keys)
{
    return tms_blocked_rate(lines, hashes, s->lines_per_key, keys);
}

static uint32_t blocked_sizer_hashes(const tms_sizer *s, uint64_t lines, double keys)
{
    return tms_blocked_best_hashes(lines, s->lines_per_key, keys);
}

static bool blocked_sizer_size(const tms_sizer *s, double keys, double fpr, bool never,
                               uint64_t *lines, uint32_t *hashes)
{
    return tms_blocked_size(keys, fpr, never, s->lines_per_key, lines, hashes);
}

static double blocked_sizer_capacity(const tms_sizer *s, uint64_t lines, double fpr, bool never,
                                     uint32_t *hashes)
{
    return tms_blocked_capacity(lines, fpr, never, s->lines_per_key, hashes);
}

static tamis_status blocked_size(const tamis_spec *spec, uint32_t per_key, tms_size *out)
{
    const tms_sizer sizer = {
        .unit = "lines",
        .unit_bits = BLOCKED_LINE_BITS,
        .most_hashes = BLOCKED_MOST_HASHES,
        .lines_per_key = per_key,
        .most_units = BLOCKED_MOST_LINES,
        .usual_fold = blocked_usual_fold,
        .rate = blocked_sizer_rate,
        .best_hashes = blocked_sizer_hashes,
        .size = blocked_sizer_size,
        .capacity = blocked_sizer_capacity,
    };
    return tms_size_for(&sizer, spec, out);
}

/* Whether plan `b` is the better one: smaller for the same promise, or better
 * for the same size. */
static bool blocked_is_better(const tms_size *a, const tms_size *b)
{
    if (a->units != b->units) return b->units < a->units;
    if (a->capacity != b->capacity) return b->capacity > a->capacity;
    return b->fpr < a->fpr;
}

tamis_status tms_blocked_plan(const tamis_spec *spec, tms_shape *shape)
{
    uint32_t per_key = spec->lines_per_key ? spec->lines_per_key : 1;
    if (per_key > 2) return tms_fail(TAMIS_E_SPEC, "%u lines per key are outside 1 to 2", per_key);
    tms_size size;
    tamis_status status = blocked_size(spec, per_key, &size);
    bool may_choose = !spec->lines_per_key && !(spec->fpr >= TMS_BLOCKED_ONE_LINE_FROM);
    tms_size two;
    if (may_choose && blocked_size(spec, 2, &two) == TAMIS_OK &&
        two.fpr < TMS_BLOCKED_ONE_LINE_FROM &&
        (status != TAMIS_OK || blocked_is_better(&size, &two))) {
        size = two;
        per_key = 2;
        status = TAMIS_OK;
    }
    TMS_TRY(status);
    *shape = (tms_shape){.kind = TAMIS_KIND_BLOCKED,
                         .flags = spec->flags,
                         .capacity = size.capacity,
                         .fpr = size.fpr,
                         .body_bytes = size.units * TMS_LINE,
                         .param_count = BLOCKED_PARAMS,
                         .params = {size.units, size.hashes, per_key}};
    return TAMIS_OK;
}

tamis_status tms_blocked_check(tms_shape *shape)
{
    const uint64_t *p = shape->params;
    if (shape->param_count != BLOCKED_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a blocked filter has %d parameters, not %u",
                        BLOCKED_PARAMS, shape->param_count);
    if (p[BLOCKED_PER_KEY] < 1 || p[BLOCKED_PER_KEY] > 2)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " lines per key are outside 1 to 2",
                        p[BLOCKED_PER_KEY]);
    if (p[BLOCKED_HASHES] < 1 || p[BLOCKED_HASHES] > BLOCKED_MOST_HASHES)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " hashes per line are outside 1 to %d",
                        p[BLOCKED_HASHES], BLOCKED_MOST_HASHES);
    if (p[BLOCKED_LINES] < 1 || p[BLOCKED_LINES] > BLOCKED_MOST_LINES ||
        p[BLOCKED_LINES] % p[BLOCKED_PER_KEY] != 0)
        return tms_fail(TAMIS_E_CORRUPT,
                        "%" PRIu64 " lines are not a multiple of %" PRIu64 " from 1 to 2^50",
                        p[BLOCKED_LINES], p[BLOCKED_PER_KEY]);
    shape->body_bytes = p[BLOCKED_LINES] * TMS_LINE;
    return TAMIS_OK;
}

void tms_blocked_describe(const tms_shape *shape, tamis_sizing *out)
{
    const uint64_t *p = shape->params;
    out->bits = p[BLOCKED_LINES] * BLOCKED_LINE_BITS;
    out->hashes = (uint32_t)(p[BLOCKED_HASHES] * p[BLOCKED_PER_KEY]);
    out->lines_per_key = (uint32_t)p[BLOCKED_PER_KEY];
    out->reads = (uint32_t)p[BLOCKED_PER_KEY];
    out->fold = tms_low_bit(p[BLOCKED_LINES] / p[BLOCKED_PER_KEY]);
}

double tms_blocked_expected_rate(const tms_shape *shape, double keys)
{
    const uint64_t *p = shape->params;
    return tms_blocked_rate(p[BLOCKED_LINES], (uint32_t)p[BLOCKED_HASHES],
                            (uint32_t)p[BLOCKED_PER_KEY], keys);
}
