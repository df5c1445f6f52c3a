/* croaring.c - the only file that knows the Roaring library; see croaring.h. */
#include "kinds/croaring.h"

#include "base/endian.h"

#if defined(TMS_HAVE_ROARING) && !TMS_BIG_ENDIAN
#include <roaring/roaring.h>

static roaring_bitmap_t *croaring_of(tms_set32 *set)
{
    return (roaring_bitmap_t *)(void *)set;
}

static const roaring_bitmap_t *croaring_in(const tms_set32 *set)
{
    return (const roaring_bitmap_t *)(const void *)set;
}

static tms_set32 *croaring_as(roaring_bitmap_t *bitmap)
{
    return (tms_set32 *)(void *)bitmap;
}

static tms_set32 *croaring_make(void)
{
    return croaring_as(roaring_bitmap_create());
}

static tms_set32 *croaring_copy(const tms_set32 *set)
{
    return croaring_as(roaring_bitmap_copy(croaring_in(set)));
}

static void croaring_drop(tms_set32 *set)
{
    roaring_bitmap_free(croaring_of(set));
}

static bool croaring_add(tms_set32 *set, uint32_t value)
{
    return roaring_bitmap_add_checked(croaring_of(set), value);
}

static bool croaring_remove(tms_set32 *set, uint32_t value)
{
    return roaring_bitmap_remove_checked(croaring_of(set), value);
}

static bool croaring_contains(const tms_set32 *set, uint32_t value)
{
    return roaring_bitmap_contains(croaring_in(set), value);
}

static void croaring_add_range(tms_set32 *set, uint32_t first, uint32_t last)
{
    roaring_bitmap_add_range_closed(croaring_of(set), first, last);
}

static void croaring_remove_range(tms_set32 *set, uint32_t first, uint32_t last)
{
    roaring_bitmap_remove_range_closed(croaring_of(set), first, last);
}

static void croaring_add_many(tms_set32 *set, const uint32_t *values, size_t count)
{
    roaring_bitmap_add_many(croaring_of(set), count, values);
}

static bool croaring_is_empty(const tms_set32 *set)
{
    return roaring_bitmap_is_empty(croaring_in(set));
}

static uint64_t croaring_count(const tms_set32 *set)
{
    return roaring_bitmap_get_cardinality(croaring_in(set));
}

static uint64_t croaring_count_range(const tms_set32 *set, uint32_t first, uint32_t last)
{
    uint64_t below = first ? roaring_bitmap_rank(croaring_in(set), first - 1) : 0;
    return roaring_bitmap_rank(croaring_in(set), last) - below;
}

static uint32_t croaring_largest(const tms_set32 *set)
{
    return roaring_bitmap_maximum(croaring_in(set));
}

static uint32_t croaring_read(const tms_set32 *set, uint32_t from, uint32_t *values, uint32_t room)
{
    roaring_uint32_iterator_t at;
    roaring_init_iterator(croaring_in(set), &at);
    if (!roaring_move_uint32_iterator_equalorlarger(&at, from)) return 0;
    return roaring_read_uint32_iterator(&at, values, room);
}

static tms_set32 *croaring_unite(const tms_set32 *a, const tms_set32 *b)
{
    return croaring_as(roaring_bitmap_or(croaring_in(a), croaring_in(b)));
}

static tms_set32 *croaring_overlap(const tms_set32 *a, const tms_set32 *b)
{
    return croaring_as(roaring_bitmap_and(croaring_in(a), croaring_in(b)));
}

static size_t croaring_size_in_bytes(const tms_set32 *set)
{
    return roaring_bitmap_portable_size_in_bytes(croaring_in(set));
}

static void croaring_write_bytes(const tms_set32 *set, uint8_t *out)
{
    (void)roaring_bitmap_portable_serialize(croaring_in(set), (char *)out);
}

static tms_set32 *croaring_read_bytes(const uint8_t *bytes, size_t size)
{
    return croaring_as(roaring_bitmap_portable_deserialize_safe((const char *)bytes, size));
}

/* The bytes of the containers, 48 for each (its head, its places in three tables
 * and what the heap adds), and 40 that the heap adds for the set. */
static uint64_t croaring_memory(const tms_set32 *set)
{
    uint64_t containers = (uint64_t)croaring_in(set)->high_low_container.size;
    return sizeof(roaring_bitmap_t) + 40 + croaring_size_in_bytes(set) + 48 * containers;
}

static const tms_set32_ops croaring_ops = {
    .make = croaring_make,
    .copy = croaring_copy,
    .drop = croaring_drop,
    .add = croaring_add,
    .remove = croaring_remove,
    .contains = croaring_contains,
    .add_range = croaring_add_range,
    .remove_range = croaring_remove_range,
    .add_many = croaring_add_many,
    .is_empty = croaring_is_empty,
    .count = croaring_count,
    .count_range = croaring_count_range,
    .largest = croaring_largest,
    .read = croaring_read,
    .unite = croaring_unite,
    .overlap = croaring_overlap,
    .size_in_bytes = croaring_size_in_bytes,
    .write_bytes = croaring_write_bytes,
    .read_bytes = croaring_read_bytes,
    .memory = croaring_memory,
};

const tms_set32_ops *const tms_set32s = &croaring_ops;
#else
const tms_set32_ops *const tms_set32s = NULL;
#endif
