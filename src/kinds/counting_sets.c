/* counting_sets.c - counting filters as sets, and what their counters say.
 *
 * A union adds counters up and an intersection takes the lesser one, both as
 * if the keys had been added one by one: a sum of counters that stop at their
 * most is the counter of the sum that stops there.                          */
#include <inttypes.h>

#include "base/bits.h"
#include "base/checked.h"
#include "base/endian.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kinds/body.h"
#include "kinds/classic.h"
#include "kinds/counting_parts.h"
#include "kinds/lined.h"
#include "kinds/spread.h"

/* ---- counters in words -------------------------------------------------- */

/* A bit for each counter of a word: the lowest of those that are not 0. */
static uint64_t counting_used(uint64_t word, uint32_t width)
{
    if (width == 8) word |= word >> 4;
    word |= word >> 2;
    word |= word >> 1;
    return word & (width == 8 ? UINT64_C(0x0101010101010101) : UINT64_C(0x1111111111111111));
}

/* The same of those that are at their most. */
static uint64_t counting_stuck(uint64_t word, uint32_t width)
{
    uint64_t lowest = width == 8 ? UINT64_C(0x0101010101010101) : UINT64_C(0x1111111111111111);
    return lowest & ~counting_used(~word, width);
}

static uint64_t counting_ones(const uint8_t *bytes, uint64_t first, uint64_t count, uint32_t width)
{
    const uint8_t *at = bytes + first * width / 8;
    uint64_t ones = 0, bits = count * width, whole = bits / 64;
    for (uint64_t i = 0; i < whole; i++)
        ones += tms_popcount64(counting_used(tms_body_word(at + 8 * i), width));
    if (bits % 64) { /* counters past the end do not count */
        uint64_t last = tms_le64(tms_body_word(at + 8 * whole));
        ones += tms_popcount64(counting_used(last & ((UINT64_C(1) << bits % 64) - 1), width));
    }
    return ones;
}

static uint64_t counting_ones_4(const uint8_t *bytes, uint64_t first, uint64_t count)
{
    return counting_ones(bytes, first, count, 4);
}

static uint64_t counting_ones_8(const uint8_t *bytes, uint64_t first, uint64_t count)
{
    return counting_ones(bytes, first, count, 8);
}

/* ---- what the counters say ---------------------------------------------- */

static void counting_lane_ones(const uint8_t *line, uint8_t ones[8], uint32_t width)
{
    for (unsigned lane = 0; lane < 8; lane++)
        ones[lane] = (uint8_t)tms_popcount64(counting_used(tms_body_word(line + 8 * lane), width));
}

static void counting_lane_ones_4(const uint8_t *line, uint8_t ones[8])
{
    counting_lane_ones(line, ones, 4);
}

static void counting_lane_ones_8(const uint8_t *line, uint8_t ones[8])
{
    counting_lane_ones(line, ones, 8);
}

static uint64_t counting_sticky(const tamis_filter *f)
{
    const uint32_t width = counting_width(&f->shape);
    uint64_t sticky = 0;
    for (uint64_t i = 0; i < f->shape.body_bytes; i += 8)
        sticky += tms_popcount64(counting_stuck(tms_body_word(f->body + i), width));
    return sticky;
}

void tms_counting_measure(const tamis_filter *f, tms_measure *out)
{
    const counting_filter *c = counting_of(f);
    const uint32_t width = counting_width(&f->shape);
    const tms_spread_body spread = {c->table.bytes, c->table.bits, c->table.hashes,
                                    width == 4 ? counting_ones_4 : counting_ones_8};
    const tms_lined_body lined = {.view = &c->view,
                                  .lane_places = 64 / width,
                                  .hashes = (uint32_t)f->shape.params[COUNTING_HASHES],
                                  .lane_ones =
                                      width == 4 ? counting_lane_ones_4 : counting_lane_ones_8};
    if (counting_is_lined(&f->shape))
        tms_lined_measure(&lined, out);
    else
        tms_spread_measure(&spread, out);
    out->counters = f->shape.params[COUNTING_COUNTERS];
    out->sticky = counting_sticky(f);
    out->bits = out->counters * width;
    out->ones *= width; /* all bits of a counter that is not 0 */
}

/* ---- union and intersection --------------------------------------------- */

static inline unsigned counting_lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* The sum of two bytes of counters, each stopping at its most. */
static inline uint8_t counting_sum_4(uint8_t a, uint8_t b)
{
    unsigned low = counting_lesser((a & 15u) + (b & 15u), 15);
    unsigned high = counting_lesser((a >> 4) + (b >> 4), 15);
    return (uint8_t)(low | high << 4);
}

static inline uint8_t counting_sum_8(uint8_t a, uint8_t b)
{
    return (uint8_t)counting_lesser((unsigned)a + b, 255);
}

static void counting_add_up(uint8_t *dst, const uint8_t *src, uint64_t size, uint32_t width)
{
    if (width == 4)
        for (uint64_t i = 0; i < size; i++) dst[i] = counting_sum_4(dst[i], src[i]);
    else
        for (uint64_t i = 0; i < size; i++) dst[i] = counting_sum_8(dst[i], src[i]);
}

void tms_counting_unite(tamis_filter *dst, const uint8_t *body)
{
    counting_add_up(dst->body, body, dst->shape.body_bytes, counting_width(&dst->shape));
}

void tms_counting_overlap(tamis_filter *dst, const uint8_t *body)
{
    uint8_t *own = dst->body;
    const uint64_t size = dst->shape.body_bytes;
    if (counting_width(&dst->shape) == 8) {
        for (uint64_t i = 0; i < size; i++) own[i] = (uint8_t)counting_lesser(own[i], body[i]);
        return;
    }
    for (uint64_t i = 0; i < size; i++) {
        unsigned low = counting_lesser(own[i] & 15u, body[i] & 15u);
        unsigned high = counting_lesser(own[i] & 240u, body[i] & 240u);
        own[i] = (uint8_t)(low | high);
    }
}

tamis_status tms_counting_fits(const tms_shape *a, const tms_shape *b)
{
    const uint64_t *p = a->params, *q = b->params;
    if (p[COUNTING_HASHES] == q[COUNTING_HASHES] && p[COUNTING_WIDTH] == q[COUNTING_WIDTH] &&
        p[COUNTING_PER_KEY] == q[COUNTING_PER_KEY])
        return TAMIS_OK;
    return tms_fail(TAMIS_E_MISMATCH,
                    "the filters have %" PRIu64 " counters of %" PRIu64 " bits a key in %" PRIu64
                    " lines, and %" PRIu64 " of %" PRIu64 " bits in %" PRIu64
                    "; build both with the same hashes, counter_bits and lines_per_key",
                    p[COUNTING_HASHES], p[COUNTING_WIDTH], p[COUNTING_PER_KEY], q[COUNTING_HASHES],
                    q[COUNTING_WIDTH], q[COUNTING_PER_KEY]);
}

/* ---- folding ------------------------------------------------------------ */

uint64_t tms_counting_fold_size(const tms_shape *shape)
{
    const uint64_t *p = shape->params;
    if (!counting_is_lined(shape)) return p[COUNTING_COUNTERS];
    return p[COUNTING_COUNTERS] / counting_line(shape) / p[COUNTING_PER_KEY];
}

void tms_counting_fold_shape(const tms_shape *shape, uint64_t factor, tms_shape *out)
{
    *out = *shape;
    out->params[COUNTING_COUNTERS] /= factor;
    (void)tms_counting_check(out); /* finds the new size */
}

/* Counter i of a spread body. */
static unsigned counting_get(const uint8_t *body, uint64_t i, uint32_t width)
{
    return width == 8 ? body[i] : (unsigned)body[i / 2] >> (i % 2 * 4) & 15u;
}

static void counting_add_to(uint8_t *body, uint64_t i, unsigned value, uint32_t width)
{
    uint8_t *byte = body + (width == 8 ? i : i / 2);
    if (width == 8)
        *byte = counting_sum_8(*byte, (uint8_t)value);
    else
        *byte = counting_sum_4(*byte, (uint8_t)(value << (i % 2 * 4)));
}

/* The halves of a two-line filter have a multiple of `factor` lines each, so
 * no group of neighbours crosses from one to the other. */
void tms_counting_fold(const tamis_filter *f, uint64_t factor, uint8_t *out)
{
    const uint32_t width = counting_width(&f->shape);
    const uint64_t counters = f->shape.params[COUNTING_COUNTERS];
    if (counting_is_lined(&f->shape)) {
        for (uint64_t i = 0; i < f->shape.body_bytes / TMS_LINE; i++)
            counting_add_up(out + i / factor * TMS_LINE, f->body + i * TMS_LINE, TMS_LINE, width);
        return;
    }
    for (uint64_t i = 0; i < counters; i++) {
        unsigned value = counting_get(f->body, i, width);
        if (value) counting_add_to(out, i / factor, value, width);
    }
}

/* ---- as a filter of bits ------------------------------------------------ */

tamis_status tms_counting_convert_shape(const tms_shape *shape, uint32_t kind, tms_shape *out)
{
    if (kind != TAMIS_KIND_CLASSIC)
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "the counters of a counting filter become the bits of a classic filter, "
                        "and of no other kind");
    if (counting_is_lined(shape))
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "counters in lines (lines_per_key %" PRIu64
                        ") lie where no filter of bits has its bits; only spread counters "
                        "(lines_per_key 0) become a classic filter",
                        shape->params[COUNTING_PER_KEY]);
    *out = *shape;
    out->kind = kind;
    out->param_count = CLASSIC_PARAMS;
    for (unsigned i = 0; i < TMS_PARAMS_MOST; i++) out->params[i] = 0;
    out->params[CLASSIC_BITS] = shape->params[COUNTING_COUNTERS];
    out->params[CLASSIC_HASHES] = shape->params[COUNTING_HASHES];
    return TAMIS_OK;
}

void tms_counting_convert(const tamis_filter *f, uint8_t *out)
{
    const uint32_t width = counting_width(&f->shape);
    for (uint64_t i = 0; i < f->shape.params[COUNTING_COUNTERS]; i++)
        out[i / 8] |= (uint8_t)((counting_get(f->body, i, width) != 0) << i % 8);
}
