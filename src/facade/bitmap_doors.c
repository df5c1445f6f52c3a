/* bitmap_doors.c - the doors that only bitmaps have.                        */
#include <inttypes.h>
#include <tamis/bitmap.h>

#include "base/fail.h"
#include "facade/origin.h"
#include "facade/planner.h"
#include "kinds/bitmap.h"
#include "kinds/portable.h"

static bool doors_is_bitmap(const tamis_filter *f)
{
    return f->kind == &tms_bitmap_kind;
}

static tamis_status doors_check(const tamis_filter *f)
{
    if (doors_is_bitmap(f)) return TAMIS_OK;
    return tms_fail(TAMIS_E_UNSUPPORTED,
                    "only a bitmap has ranges, Roaring bytes and strings of bits; this one is %s",
                    f->kind->name);
}

static tamis_status doors_check_change(const tamis_filter *f)
{
    TMS_TRY(doors_check(f));
    return tms_origin_writable(f);
}

/* A strict bitmap takes `fresh` more integers only within its capacity. */
static tamis_status doors_check_room(const tamis_filter *f, uint64_t fresh)
{
    uint64_t added = tms_counter_sum(&f->added), capacity = f->shape.capacity;
    if (!(f->shape.flags & TAMIS_STRICT) || (added <= capacity && fresh <= capacity - added))
        return TAMIS_OK;
    return tms_fail(TAMIS_E_FULL,
                    "the bitmap is strict, planned for %" PRIu64 " integers, and holds %" PRIu64
                    ": %" PRIu64 " more do not fit; build a larger one",
                    capacity, added, fresh);
}

/* ---- ranges ------------------------------------------------------------- */

tamis_status tamis_bitmap_add_range(tamis_filter *f, uint64_t first, uint64_t last)
{
    const tms_integers range = {first, last};
    TMS_TRY(doors_check_change(f));
    if (first > last) return TAMIS_OK;
    if (last - first >= TMS_BITMAP_RANGE_MOST)
        return tms_fail(TAMIS_E_LIMIT,
                        "a range of more than 2^36 integers (from %" PRIu64 " to %" PRIu64
                        ") is not added at once; add it in parts",
                        first, last);
    TMS_TRY(doors_check_room(f, last - first + 1 - tms_bitmap_count(f, range)));
    return tms_bitmap_add_range(f, range);
}

tamis_status tamis_bitmap_remove_range(tamis_filter *f, uint64_t first, uint64_t last,
                                       uint64_t *gone)
{
    if (gone) *gone = 0;
    TMS_TRY(doors_check_change(f));
    if (first > last) return TAMIS_OK;
    uint64_t removed = tms_bitmap_remove_range(f, (tms_integers){first, last});
    if (gone) *gone = removed;
    return TAMIS_OK;
}

uint64_t tamis_bitmap_count(const tamis_filter *f, uint64_t first, uint64_t last)
{
    if (!doors_is_bitmap(f) || first > last) return 0;
    return tms_bitmap_count(f, (tms_integers){first, last});
}

size_t tamis_bitmap_read(const tamis_filter *f, uint64_t from, uint64_t *values, size_t room)
{
    return doors_is_bitmap(f) ? tms_bitmap_read(f, from, values, room) : 0;
}

/* ---- Roaring bytes ------------------------------------------------------ */

uint64_t tamis_bitmap_encoded_size(const tamis_filter *f)
{
    uint64_t bytes;
    if (doors_check(f) != TAMIS_OK || tms_bitmap_portable_bytes(f, &bytes) != TAMIS_OK) return 0;
    return bytes;
}

tamis_status tamis_bitmap_encode(const tamis_filter *f, void *bytes, size_t room)
{
    uint64_t size;
    TMS_TRY(doors_check(f));
    TMS_TRY(tms_bitmap_portable_bytes(f, &size));
    if (size > room)
        return tms_fail(TAMIS_E_SPEC, "the buffer has %zu bytes, the bitmap needs %" PRIu64, room,
                        size);
    return tms_bitmap_write_portable(f, bytes);
}

static tamis_status doors_judge(const void *bytes, size_t size, tms_portable_extent *extent)
{
    TMS_TRY(tms_portable_check(bytes, size, extent));
    if (extent->bytes == size) return TAMIS_OK;
    return tms_fail(TAMIS_E_CORRUPT, "the Roaring bitmap ends after %" PRIu64 " of %zu bytes",
                    extent->bytes, size);
}

tamis_status tamis_bitmap_decode(const void *bytes, size_t size, const tamis_spec *spec,
                                 tamis_filter **out)
{
    tamis_spec asked = {0};
    tms_portable_extent extent;
    tamis_filter *f = NULL;
    *out = NULL;
    if (spec) asked = *spec;
    asked.kind = TAMIS_KIND_BITMAP;
    TMS_TRY(tamis_create(&asked, &f));
    tamis_status status = doors_judge(bytes, size, &extent);
    if (status == TAMIS_OK) status = doors_check_room(f, extent.values);
    if (status == TAMIS_OK) status = tms_bitmap_read_portable(f, bytes);
    if (status != TAMIS_OK) {
        tamis_free(f);
        return status;
    }
    tms_counter_set(&f->added, extent.values);
    *out = f;
    return TAMIS_OK;
}

/* ---- strings of bits ---------------------------------------------------- */

static tamis_status doors_check_window(uint64_t base, size_t size)
{
    bool fits = size <= UINT64_C(1) << 61 && (size == 0 || 8 * (uint64_t)size - 1 <= ~base);
    if (fits) return TAMIS_OK;
    return tms_fail(TAMIS_E_SPEC, "%zu bytes of bits from %" PRIu64 " on pass 2^64", size, base);
}

uint64_t tamis_bitmap_dense_size(const tamis_filter *f)
{
    uint64_t largest = 0;
    return doors_is_bitmap(f) && tms_bitmap_largest(f, &largest) ? largest / 8 + 1 : 0;
}

tamis_status tamis_bitmap_add_dense(tamis_filter *f, uint64_t base, const void *bytes, size_t size)
{
    TMS_TRY(doors_check_change(f));
    TMS_TRY(doors_check_window(base, size));
    if (f->shape.flags & TAMIS_STRICT)
        TMS_TRY(doors_check_room(f, tms_bitmap_new_in_dense(f, base, bytes, size)));
    return tms_bitmap_add_dense(f, base, bytes, size);
}

tamis_status tamis_bitmap_write_dense(const tamis_filter *f, uint64_t base, void *bytes,
                                      size_t size)
{
    TMS_TRY(doors_check(f));
    TMS_TRY(doors_check_window(base, size));
    tms_bitmap_write_dense(f, base, bytes, size);
    return TAMIS_OK;
}
