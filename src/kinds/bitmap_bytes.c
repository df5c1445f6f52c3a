/* bitmap_bytes.c - bitmaps as bytes: portable ones, and the body of a file,
 * which is the same, padded with zeros.                                     */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/endian.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kinds/bitmap_parts.h"
#include "kinds/portable.h"

/* Where the Roaring library writes a set, before it gets its one form. */
typedef struct bitmap_desk {
    const tamis_alloc *alloc;
    uint8_t *bytes;
    size_t room;
} bitmap_desk;

static void bitmap_desk_clear(bitmap_desk *desk)
{
    tms_free_body(desk->alloc, desk->bytes, desk->room);
    desk->bytes = NULL;
    desk->room = 0;
}

static tamis_status bitmap_desk_lay(bitmap_desk *desk, const tms_set32 *set)
{
    size_t size = tms_set32s->size_in_bytes(set);
    if (size > desk->room) {
        size_t room = size > 2 * desk->room ? size : 2 * desk->room;
        bitmap_desk_clear(desk);
        desk->bytes = tms_alloc_body(desk->alloc, room);
        if (!desk->bytes) return tms_fail_memory("writing a bitmap", room);
        desk->room = room;
    }
    tms_set32s->write_bytes(set, desk->bytes);
    return TAMIS_OK;
}

/* ---- writing ------------------------------------------------------------ */

/* With `out` writes, without it only counts. */
static tamis_status bitmap_go_through(const bitmap_filter *b, uint8_t *out, uint64_t *bytes,
                                      uint64_t *highs)
{
    bitmap_desk desk = {.alloc = &b->head.alloc};
    tamis_status status = TAMIS_OK;
    const tms_high *high;
    *bytes = TMS_PORTABLE_HEAD;
    *highs = 0;
    for (tms_high_place at = {0}; (high = tms_high_at(&b->map, at));
         at = tms_high_after(&b->map, at)) {
        status = bitmap_desk_lay(&desk, high->set);
        if (status != TAMIS_OK) break;
        if (out) tms_store32(out + *bytes, high->word);
        *bytes += TMS_PORTABLE_HIGH;
        *bytes +=
            out ? tms_portable_write(desk.bytes, out + *bytes) : tms_portable_measure(desk.bytes);
        ++*highs;
    }
    bitmap_desk_clear(&desk);
    return status;
}

tamis_status tms_bitmap_portable_bytes(const tamis_filter *f, uint64_t *bytes)
{
    uint64_t highs;
    return bitmap_go_through(bitmap_in(f), NULL, bytes, &highs);
}

tamis_status tms_bitmap_write_portable(const tamis_filter *f, uint8_t *out)
{
    uint64_t bytes, highs;
    TMS_TRY(bitmap_go_through(bitmap_in(f), out, &bytes, &highs));
    tms_store64(out, highs);
    return TAMIS_OK;
}

tamis_status tms_bitmap_pack_shape(const tamis_filter *f, tms_shape *shape)
{
    TMS_TRY(tms_bitmap_portable_bytes(f, &shape->params[BITMAP_BYTES]));
    shape->params[BITMAP_VALUES] = tms_counter_sum(&f->added);
    shape->body_bytes = tms_div_up(shape->params[BITMAP_BYTES], TMS_LINE) * TMS_LINE;
    return TAMIS_OK;
}

tamis_status tms_bitmap_pack(const tamis_filter *f, uint8_t *body)
{
    return tms_bitmap_write_portable(f, body);
}

/* ---- reading ------------------------------------------------------------ */

tamis_status tms_bitmap_read_portable(tamis_filter *f, const uint8_t *bytes)
{
    tms_portable_walk walk = tms_portable_begin(bytes);
    while (tms_portable_next(&walk))
        TMS_TRY(tms_bitmap_put(&bitmap_of(f)->map, &f->alloc, walk.high,
                               tms_set32s->read_bytes(walk.bitmap, walk.bitmap_bytes)));
    return TAMIS_OK;
}

static tamis_status bitmap_check_body(const tamis_filter *f, tms_portable_extent *extent)
{
    const uint64_t *p = f->shape.params;
    tamis_status status = tms_portable_check(f->body, p[BITMAP_BYTES], extent);
    if (status != TAMIS_OK) return TAMIS_E_CORRUPT; /* the body is whole: it lies about itself */
    if (extent->bytes != p[BITMAP_BYTES] || extent->values != p[BITMAP_VALUES])
        return tms_fail(TAMIS_E_CORRUPT,
                        "the bitmap has %" PRIu64 " integers in %" PRIu64
                        " bytes, but its header says %" PRIu64 " in %" PRIu64,
                        extent->values, extent->bytes, p[BITMAP_VALUES], p[BITMAP_BYTES]);
    for (uint64_t i = extent->bytes; i < f->shape.body_bytes; i++)
        if (f->body[i]) return tms_fail(TAMIS_E_CORRUPT, "the bitmap's padding is not zero");
    return TAMIS_OK;
}

tamis_status tms_bitmap_unpack(tamis_filter *f)
{
    tms_portable_extent extent;
    TMS_TRY(bitmap_check_body(f, &extent));
    TMS_TRY(tms_bitmap_read_portable(f, f->body));
    tms_counter_set(&f->added, extent.values);
    f->count_is_estimate = false;
    tms_free_body(&f->alloc, f->body, f->shape.body_bytes);
    f->body = NULL;
    f->shape.body_bytes = 0;
    memset(f->shape.params, 0, sizeof f->shape.params);
    return TAMIS_OK;
}
