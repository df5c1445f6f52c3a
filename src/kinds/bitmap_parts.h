/* bitmap_parts.h - what the files of the bitmap kind share.                 */
#ifndef TMS_KINDS_BITMAP_PARTS_H
#define TMS_KINDS_BITMAP_PARTS_H

#include "kinds/bitmap.h"
#include "kinds/high_map.h"

typedef struct bitmap_filter {
    tamis_filter head;
    tms_high_map map; /* no set in it is empty */
} bitmap_filter;

static inline bitmap_filter *bitmap_of(tamis_filter *f)
{
    return (bitmap_filter *)(void *)f;
}

static inline const bitmap_filter *bitmap_in(const tamis_filter *f)
{
    return (const bitmap_filter *)(const void *)f;
}

static inline uint32_t bitmap_high(uint64_t value)
{
    return (uint32_t)(value >> 32);
}

static inline uint64_t bitmap_value(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

/* The set of a high word, made empty when it is missing; NULL: no memory. An
 * empty set must be filled, or taken out by bitmap_tidy. */
tms_set32 *tms_bitmap_set_for(bitmap_filter *b, uint32_t high);

/* Puts a set that was just made into a map of this or another filter: there it
 * belongs to the map. NULL is a lack of memory; an empty set, which other
 * writers of portable bytes keep, and one that finds no place are dropped. */
tamis_status tms_bitmap_put(tms_high_map *map, const tamis_alloc *alloc, uint32_t word,
                            tms_set32 *set);

uint64_t tms_bitmap_cardinality(const tms_high_map *map);

/* Frees a map, and those of its sets that `kept` (or NULL) does not share. */
void tms_bitmap_drop_map(tms_high_map *map, const tms_high_map *kept, const tamis_alloc *alloc);

/* As tms_loose has them. */
tamis_status tms_bitmap_copy(const tamis_filter *f, tamis_filter *copy);
tamis_status tms_bitmap_unite(tamis_filter *dst, const tamis_filter *src);
tamis_status tms_bitmap_overlap(tamis_filter *dst, const tamis_filter *src);

/* Makes the sets that are missing in a range, or none. */
tamis_status tms_bitmap_make_sets(bitmap_filter *b, tms_integers range);

/* Takes the empty sets out whose high words lie in the range. */
void tms_bitmap_tidy(bitmap_filter *b, tms_integers range);

/* Body: what the format stores (docs/format.md, section 9.4). */
enum { BITMAP_BYTES, BITMAP_VALUES, BITMAP_PARAMS };

tamis_status tms_bitmap_pack_shape(const tamis_filter *f, tms_shape *shape);
tamis_status tms_bitmap_pack(const tamis_filter *f, uint8_t *body);
tamis_status tms_bitmap_unpack(tamis_filter *f);

#endif
