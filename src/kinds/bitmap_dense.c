/* bitmap_dense.c - bitmaps as strings of bits, in the order of Redis's SETBIT:
 * bit 0 is the most significant bit of byte 0.                              */
#include <string.h>

#include "base/fail.h"
#include "kinds/bitmap_parts.h"

/* Integers on their way into one set. */
typedef struct bitmap_tray {
    tms_set32 *set;
    uint32_t high;
    uint32_t count;
    uint32_t lows[1024];
} bitmap_tray;

static void bitmap_tray_empty(bitmap_tray *tray)
{
    if (tray->count) tms_set32s->add_many(tray->set, tray->lows, tray->count);
    tray->count = 0;
}

/* The set is there: tms_bitmap_make_sets has made it. */
static void bitmap_tray_put(bitmap_filter *b, bitmap_tray *tray, uint64_t value)
{
    if (!tray->set || tray->high != bitmap_high(value)) {
        bitmap_tray_empty(tray);
        tray->high = bitmap_high(value);
        tray->set = tms_high_find(&b->map, tray->high)->set;
    }
    if (tray->count == sizeof tray->lows / sizeof tray->lows[0]) bitmap_tray_empty(tray);
    tray->lows[tray->count++] = (uint32_t)value;
}

static tms_integers bitmap_window(uint64_t base, size_t size)
{
    return (tms_integers){base, base + (8 * (uint64_t)size - 1)};
}

tamis_status tms_bitmap_add_dense(tamis_filter *f, uint64_t base, const uint8_t *bytes, size_t size)
{
    bitmap_filter *b = bitmap_of(f);
    bitmap_tray tray = {.set = NULL};
    if (size == 0) return TAMIS_OK;
    const tms_integers window = bitmap_window(base, size);
    uint64_t before = tms_bitmap_count(f, window);
    TMS_TRY(tms_bitmap_make_sets(b, window));
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bytes[i] && bit < 8; bit++)
            if (bytes[i] << bit & 0x80) bitmap_tray_put(b, &tray, base + 8 * (uint64_t)i + bit);
    bitmap_tray_empty(&tray);
    tms_bitmap_tidy(b, window);
    tms_filter_count(f, tms_bitmap_count(f, window) - before);
    return TAMIS_OK;
}

uint64_t tms_bitmap_new_in_dense(const tamis_filter *f, uint64_t base, const uint8_t *bytes,
                                 size_t size)
{
    const tms_high_map *map = &bitmap_in(f)->map;
    uint64_t fresh = 0;
    for (size_t i = 0; i < size; i++)
        for (unsigned bit = 0; bytes[i] && bit < 8; bit++) {
            if (!(bytes[i] << bit & 0x80)) continue;
            uint64_t value = base + 8 * (uint64_t)i + bit;
            const tms_high *high = tms_high_find(map, bitmap_high(value));
            fresh += !high || !tms_set32s->contains(high->set, (uint32_t)value);
        }
    return fresh;
}

void tms_bitmap_write_dense(const tamis_filter *f, uint64_t base, uint8_t *bytes, size_t size)
{
    uint64_t values[1024] = {0}, from = base;
    memset(bytes, 0, size);
    if (size == 0) return;
    const uint64_t last = bitmap_window(base, size).last;
    for (size_t got = 1; got;) {
        got = tms_bitmap_read(f, from, values, sizeof values / sizeof values[0]);
        for (size_t i = 0; i < got; i++) {
            if (values[i] > last) return;
            uint64_t bit = values[i] - base;
            bytes[bit / 8] = (uint8_t)(bytes[bit / 8] | 0x80u >> bit % 8);
        }
        if (got == 0 || values[got - 1] == UINT64_MAX) return;
        from = values[got - 1] + 1;
    }
}
