/* counting_plan.c - sizes of counting filters: how many counters, and where.
 *
 * What a query sees is whether counters are 0, so the mathematics is that of
 * bits: of a classic filter where counters are spread, of short lines where a
 * key's counters share one.                                                 */
#include <inttypes.h>
#include <stdio.h>

#include "base/bits.h"
#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kinds/counting_parts.h"
#include "kinds/sizing.h"
#include "math/blocked_math.h"
#include "math/classic_math.h"

#define COUNTING_MOST_COUNTERS ((uint64_t)1 << 56)
enum { COUNTING_MOST_HASHES = 64, COUNTING_MOST_HASHES_A_LINE = 8 };

/* ---- spread ------------------------------------------------------------- */

static uint64_t counting_spread_fold(const tms_sizer *s, uint64_t counters)
{
    (void)s;
    (void)counters;
    return 4; /* costs at most 3 counters */
}

static double counting_spread_rate(const tms_sizer *s, uint64_t counters, uint32_t hashes,
                                   double keys)
{
    (void)s;
    return tms_classic_rate(counters, hashes, keys);
}

static uint32_t counting_spread_hashes(const tms_sizer *s, uint64_t counters, double keys)
{
    (void)s;
    return tms_classic_best_hashes(counters, keys);
}

static bool counting_spread_size(const tms_sizer *s, double keys, double fpr, bool never,
                                 uint64_t *counters, uint32_t *hashes)
{
    (void)s;
    return tms_classic_size(keys, fpr, never, 4, counters, hashes);
}

static double counting_spread_capacity(const tms_sizer *s, uint64_t counters, double fpr,
                                       bool never, uint32_t *hashes)
{
    (void)s;
    return tms_classic_capacity(counters, fpr, never, hashes);
}

static const tms_sizer counting_spread_sizer = {
    .unit = "counters",
    .most_hashes = COUNTING_MOST_HASHES,
    .most_units = COUNTING_MOST_COUNTERS,
    .usual_fold = counting_spread_fold,
    .rate = counting_spread_rate,
    .best_hashes = counting_spread_hashes,
    .size = counting_spread_size,
    .capacity = counting_spread_capacity,
};

/* ---- lined -------------------------------------------------------------- */

static tms_lined counting_layout(const tms_sizer *s)
{
    return (tms_lined){s->lane_places, s->lines_per_key};
}

/* As for blocked filters: the power of two, up to 64, that costs little. */
static uint64_t counting_lined_fold(const tms_sizer *s, uint64_t lines)
{
    uint64_t fold = 1;
    while (fold < 64 && s->lines_per_key * 2 * fold - 1 <= lines / 64 + 1) fold *= 2;
    return fold;
}

static double counting_lined_rate(const tms_sizer *s, uint64_t lines, uint32_t hashes, double keys)
{
    return tms_lined_rate(counting_layout(s), lines, hashes, keys);
}

static uint32_t counting_lined_hashes(const tms_sizer *s, uint64_t lines, double keys)
{
    return tms_lined_best_hashes(counting_layout(s), lines, keys);
}

static bool counting_lined_size(const tms_sizer *s, double keys, double fpr, bool never,
                                uint64_t *lines, uint32_t *hashes)
{
    return tms_lined_size(counting_layout(s), keys, fpr, never, lines, hashes);
}

static double counting_lined_capacity(const tms_sizer *s, uint64_t lines, double fpr, bool never,
                                      uint32_t *hashes)
{
    return tms_lined_capacity(counting_layout(s), lines, fpr, never, hashes);
}

static const tms_sizer counting_lined_sizer = {
    .unit = "lines",
    .unit_bits = 512,
    .most_hashes = COUNTING_MOST_HASHES_A_LINE,
    .most_units = COUNTING_MOST_COUNTERS / 128,
    .usual_fold = counting_lined_fold,
    .rate = counting_lined_rate,
    .best_hashes = counting_lined_hashes,
    .size = counting_lined_size,
    .capacity = counting_lined_capacity,
};

/* ---- both --------------------------------------------------------------- */

static uint64_t counting_body_bytes(uint64_t counters, uint64_t width)
{
    return tms_div_up(counters * width, 8 * TMS_LINE) * TMS_LINE;
}

tamis_status tms_counting_plan(const tamis_spec *spec, tms_shape *shape)
{
    const uint32_t width = spec->counter_bits ? spec->counter_bits : 4;
    tms_sizer sizer = spec->lines_per_key ? counting_lined_sizer : counting_spread_sizer;
    if (!spec->lines_per_key) sizer.unit_bits = width;
    sizer.lines_per_key = spec->lines_per_key;
    sizer.lane_places = 64 / width;
    tms_size size;
    TMS_TRY(tms_size_for(&sizer, spec, &size));
    uint64_t counters = spec->lines_per_key ? size.units * (512 / width) : size.units;
    *shape = (tms_shape){.kind = TAMIS_KIND_COUNTING,
                         .flags = spec->flags,
                         .capacity = size.capacity,
                         .fpr = size.fpr,
                         .body_bytes = counting_body_bytes(counters, width),
                         .param_count = COUNTING_PARAMS,
                         .params = {counters, size.hashes, width, spec->lines_per_key}};
    return TAMIS_OK;
}

static tamis_status counting_check_lines(const tms_shape *shape)
{
    const uint64_t *p = shape->params;
    uint64_t step = counting_line(shape) * p[COUNTING_PER_KEY];
    if (p[COUNTING_COUNTERS] % step != 0)
        return tms_fail(TAMIS_E_CORRUPT,
                        "%" PRIu64 " counters are not a multiple of the %" PRIu64 " of %" PRIu64
                        " lines",
                        p[COUNTING_COUNTERS], step, p[COUNTING_PER_KEY]);
    return TAMIS_OK;
}

tamis_status tms_counting_check(tms_shape *shape)
{
    const uint64_t *p = shape->params;
    if (shape->param_count != COUNTING_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a counting filter has %d parameters, not %u",
                        COUNTING_PARAMS, shape->param_count);
    if (p[COUNTING_WIDTH] != 4 && p[COUNTING_WIDTH] != 8)
        return tms_fail(TAMIS_E_CORRUPT, "counters of %" PRIu64 " bits are neither 4 nor 8",
                        p[COUNTING_WIDTH]);
    if (p[COUNTING_PER_KEY] > 2)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " lines per key are outside 0 to 2",
                        p[COUNTING_PER_KEY]);
    uint64_t most = p[COUNTING_PER_KEY] ? COUNTING_MOST_HASHES_A_LINE : COUNTING_MOST_HASHES;
    if (p[COUNTING_HASHES] < 1 || p[COUNTING_HASHES] > most)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " hashes are outside 1 to %" PRIu64,
                        p[COUNTING_HASHES], most);
    if (p[COUNTING_COUNTERS] < 1 || p[COUNTING_COUNTERS] > COUNTING_MOST_COUNTERS)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " counters are outside 1 to 2^56",
                        p[COUNTING_COUNTERS]);
    if (p[COUNTING_PER_KEY]) TMS_TRY(counting_check_lines(shape));
    shape->body_bytes = counting_body_bytes(p[COUNTING_COUNTERS], p[COUNTING_WIDTH]);
    return TAMIS_OK;
}

void tms_counting_repeat(const tms_shape *shape, tamis_spec *spec)
{
    spec->counter_bits = counting_width(shape);
}

void tms_counting_describe(const tms_shape *shape, tamis_sizing *out)
{
    const uint64_t *p = shape->params;
    uint64_t lines = p[COUNTING_PER_KEY] ? p[COUNTING_PER_KEY] : 1;
    out->bits = p[COUNTING_COUNTERS] * p[COUNTING_WIDTH];
    out->hashes = (uint32_t)(p[COUNTING_HASHES] * lines);
    out->lines_per_key = (uint32_t)p[COUNTING_PER_KEY];
    out->reads = p[COUNTING_PER_KEY] ? (uint32_t)lines : out->hashes;
    out->fold = tms_low_bit(tms_counting_fold_size(shape));
    snprintf(out->note, sizeof out->note, "counters of %" PRIu64 " bits%s", p[COUNTING_WIDTH],
             p[COUNTING_PER_KEY] == 0   ? ", which stay when they reach their most"
             : p[COUNTING_PER_KEY] == 1 ? " in one line a key: fast, and takes more space"
                                        : " in two lines a key");
}

double tms_counting_rate(const tms_shape *shape, double keys)
{
    const uint64_t *p = shape->params;
    uint32_t hashes = (uint32_t)p[COUNTING_HASHES];
    if (!counting_is_lined(shape)) return tms_classic_rate(p[COUNTING_COUNTERS], hashes, keys);
    tms_lined layout = {64 / counting_width(shape), (uint32_t)p[COUNTING_PER_KEY]};
    return tms_lined_rate(layout, p[COUNTING_COUNTERS] / counting_line(shape), hashes, keys);
}
