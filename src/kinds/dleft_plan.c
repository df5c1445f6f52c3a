/* dleft_plan.c - sizes of d-left filters: how many buckets, how wide remainders. */
#include <inttypes.h>
#include <stdio.h>

#include "base/fail.h"
#include "kinds/dleft_parts.h"
#include "kinds/sizing.h"
#include "math/dleft_math.h"

/* For the common sizing a unit is a line; a row of four buckets is two, and the
 * "hashes" are the bits of a remainder. */
enum { DLEFT_ROW_LINES = DLEFT_ROW / 64 };

static uint64_t dleft_usual_fold(const tms_sizer *s, uint64_t lines)
{
    (void)s;
    (void)lines;
    return 1;
}

static double dleft_sizer_rate(const tms_sizer *s, uint64_t lines, uint32_t bits, double keys)
{
    (void)s;
    if (tms_dleft_room(lines / DLEFT_ROW_LINES, bits) < keys) return 1; /* is full before */
    return tms_dleft_rate(lines / DLEFT_ROW_LINES, bits, keys);
}

static uint32_t dleft_sizer_bits(const tms_sizer *s, uint64_t lines, double keys)
{
    (void)s;
    uint32_t bits = tms_dleft_widest(lines / DLEFT_ROW_LINES, keys);
    return bits ? bits : TMS_DLEFT_BITS_LEAST;
}

static bool dleft_sizer_size(const tms_sizer *s, double keys, double fpr, bool never,
                             uint64_t *lines, uint32_t *bits)
{
    uint64_t rows;
    (void)s;
    if (!tms_dleft_size(keys, fpr, never, &rows, bits)) return false;
    *lines = rows * DLEFT_ROW_LINES;
    return true;
}

static double dleft_sizer_capacity(const tms_sizer *s, uint64_t lines, double fpr, bool never,
                                   uint32_t *bits)
{
    (void)s;
    return tms_dleft_capacity(lines / DLEFT_ROW_LINES, fpr, never, bits);
}

static const tms_sizer dleft_sizer = {
    .unit = "lines",
    .unit_bits = 512,
    .most_hashes = TMS_DLEFT_BITS_MOST,
    .lines_per_key = DLEFT_ROW_LINES, /* so that sizes are whole rows */
    .most_units = TMS_DLEFT_ROWS_MAX * DLEFT_ROW_LINES,
    .usual_fold = dleft_usual_fold,
    .rate = dleft_sizer_rate,
    .best_hashes = dleft_sizer_bits,
    .size = dleft_sizer_size,
    .capacity = dleft_sizer_capacity,
};

tamis_status tms_dleft_plan(const tamis_spec *spec, tms_shape *shape)
{
    if (spec->hashes || spec->fold > 1)
        return tms_fail(TAMIS_E_SPEC, "hashes and fold have no meaning for a d-left filter, which "
                                      "has one cell a key and cannot be folded");
    tms_size size;
    TMS_TRY(tms_size_for(&dleft_sizer, spec, &size));
    uint64_t rows = size.units / DLEFT_ROW_LINES;
    *shape = (tms_shape){.kind = TAMIS_KIND_DLEFT,
                         .flags = spec->flags,
                         .capacity = size.capacity,
                         .fpr = size.fpr,
                         .body_bytes = rows * DLEFT_ROW,
                         .param_count = DLEFT_PARAMS,
                         .params = {rows, size.hashes}};
    return TAMIS_OK;
}

tamis_status tms_dleft_check(tms_shape *shape)
{
    const uint64_t *p = shape->params;
    if (shape->param_count != DLEFT_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a d-left filter has %d parameters, not %u", DLEFT_PARAMS,
                        shape->param_count);
    if (p[DLEFT_BUCKETS] < 1 || p[DLEFT_BUCKETS] > TMS_DLEFT_ROWS_MAX)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " buckets are outside 1 to 2^48",
                        p[DLEFT_BUCKETS]);
    if (p[DLEFT_REMAINDER] < TMS_DLEFT_BITS_LEAST || p[DLEFT_REMAINDER] > TMS_DLEFT_BITS_MOST)
        return tms_fail(TAMIS_E_CORRUPT, "remainders of %" PRIu64 " bits are outside %d to %d",
                        p[DLEFT_REMAINDER], TMS_DLEFT_BITS_LEAST, TMS_DLEFT_BITS_MOST);
    shape->body_bytes = p[DLEFT_BUCKETS] * DLEFT_ROW;
    return TAMIS_OK;
}

void tms_dleft_describe(const tms_shape *shape, tamis_sizing *out)
{
    out->bits = shape->params[DLEFT_BUCKETS] * DLEFT_ROW * 8;
    out->hashes = 1;
    out->reads = TMS_DLEFT_TABLES;
    out->fold = 1;
    snprintf(out->note, sizeof out->note,
             "remainders of %" PRIu64 " bits; past its capacity it is soon full and refuses keys",
             shape->params[DLEFT_REMAINDER]);
}

double tms_dleft_rate_of(const tms_shape *shape, double keys)
{
    return tms_dleft_rate(shape->params[DLEFT_BUCKETS], (uint32_t)shape->params[DLEFT_REMAINDER],
                          keys);
}
