/* bitmap.h - exact sets of 64-bit integers, by Roaring bitmaps.             */
#ifndef TMS_KINDS_BITMAP_H
#define TMS_KINDS_BITMAP_H

#include "kinds/kind.h"

extern const tms_kind tms_bitmap_kind;

/* What follows is for filters of that kind only, and knows neither read-only
 * nor strict filters; those are the caller's business. Ranges hold both ends. */
typedef struct tms_integers {
    uint64_t first, last;
} tms_integers;

/* Adding a range takes memory for every 2^16 values of it: not more at once. */
#define TMS_BITMAP_RANGE_MOST ((uint64_t)1 << 36)

tamis_status tms_bitmap_add_range(tamis_filter *f, tms_integers range);
uint64_t tms_bitmap_remove_range(tamis_filter *f, tms_integers range); /* how many were there */
uint64_t tms_bitmap_count(const tamis_filter *f, tms_integers range);
size_t tms_bitmap_read(const tamis_filter *f, uint64_t from, uint64_t *values, size_t room);
bool tms_bitmap_largest(const tamis_filter *f, uint64_t *value); /* false: empty */

/* Bits most significant first, bit 0 standing for the integer `base`; the last
 * bit's must not pass 64 bits. */
tamis_status tms_bitmap_add_dense(tamis_filter *f, uint64_t base, const uint8_t *bytes,
                                  size_t size);
uint64_t tms_bitmap_new_in_dense(const tamis_filter *f, uint64_t base, const uint8_t *bytes,
                                 size_t size); /* how many of the bits are new */
void tms_bitmap_write_dense(const tamis_filter *f, uint64_t base, uint8_t *bytes, size_t size);

/* Portable bytes (portable.h): their number, the bytes, and a set from judged
 * ones, for a filter that is empty. */
tamis_status tms_bitmap_portable_bytes(const tamis_filter *f, uint64_t *bytes);
tamis_status tms_bitmap_write_portable(const tamis_filter *f, uint8_t *out);
tamis_status tms_bitmap_read_portable(tamis_filter *f, const uint8_t *bytes);

#endif
