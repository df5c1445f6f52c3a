/* bitmap_sets.c - bitmaps as whole sets: counted, copied, united, overlapped.
 *
 * A union or an intersection is made beside both sets and then takes the place
 * of the first: all or nothing. Sets of low words that do not change are shared
 * by the two maps until then.                                               */
#include <inttypes.h>

#include "base/fail.h"
#include "kinds/bitmap_parts.h"

uint64_t tms_bitmap_cardinality(const tms_high_map *map)
{
    uint64_t sum = 0;
    const tms_high *high;
    for (tms_high_place at = {0}; (high = tms_high_at(map, at)); at = tms_high_after(map, at))
        sum += tms_set32s->count(high->set);
    return sum;
}

void tms_bitmap_drop_map(tms_high_map *map, const tms_high_map *kept, const tamis_alloc *alloc)
{
    const tms_high *high;
    for (tms_high_place at = {0}; (high = tms_high_at(map, at)); at = tms_high_after(map, at)) {
        const tms_high *other = kept ? tms_high_find(kept, high->word) : NULL;
        if (!other || other->set != high->set) tms_set32s->drop(high->set);
    }
    tms_high_free(map, alloc);
}

/* ---- sets with sets ----------------------------------------------------- */

tamis_status tms_bitmap_put(tms_high_map *map, const tamis_alloc *alloc, uint32_t word,
                            tms_set32 *set)
{
    if (!set) return tms_fail_memory("a set of low words", sizeof(tms_high_leaf));
    tamis_status status = TAMIS_OK;
    bool empty = tms_set32s->is_empty(set);
    if (!empty) status = tms_high_insert(map, alloc, word, set);
    if (empty || status != TAMIS_OK) tms_set32s->drop(set);
    return status;
}

static tamis_status bitmap_copy_sets(const tms_high_map *from, const tms_high_map *except,
                                     const tamis_alloc *alloc, tms_high_map *out)
{
    const tms_high *high;
    for (tms_high_place at = {0}; (high = tms_high_at(from, at)); at = tms_high_after(from, at))
        if (!except || !tms_high_find(except, high->word))
            TMS_TRY(tms_bitmap_put(out, alloc, high->word, tms_set32s->copy(high->set)));
    return TAMIS_OK;
}

tamis_status tms_bitmap_copy(const tamis_filter *f, tamis_filter *copy)
{
    return bitmap_copy_sets(&bitmap_in(f)->map, NULL, &copy->alloc, &bitmap_of(copy)->map);
}

/* The union beside both: sets of `a` alone are shared with it. */
static tamis_status bitmap_unite_maps(const tms_high_map *a, const tms_high_map *b,
                                      const tamis_alloc *alloc, tms_high_map *out)
{
    const tms_high *high;
    for (tms_high_place at = {0}; (high = tms_high_at(a, at)); at = tms_high_after(a, at)) {
        const tms_high *other = tms_high_find(b, high->word);
        TMS_TRY(
            other ? tms_bitmap_put(out, alloc, high->word, tms_set32s->unite(high->set, other->set))
                  : tms_high_insert(out, alloc, high->word, high->set));
    }
    return bitmap_copy_sets(b, a, alloc, out);
}

static tamis_status bitmap_overlap_maps(const tms_high_map *a, const tms_high_map *b,
                                        const tamis_alloc *alloc, tms_high_map *out)
{
    const tms_high *high;
    for (tms_high_place at = {0}; (high = tms_high_at(a, at)); at = tms_high_after(a, at)) {
        const tms_high *other = tms_high_find(b, high->word);
        if (other)
            TMS_TRY(
                tms_bitmap_put(out, alloc, high->word, tms_set32s->overlap(high->set, other->set)));
    }
    return TAMIS_OK;
}

static tamis_status bitmap_check_strict(const tamis_filter *f, const tms_high_map *map)
{
    uint64_t keys = tms_bitmap_cardinality(map);
    if (!(f->shape.flags & TAMIS_STRICT) || keys <= f->shape.capacity) return TAMIS_OK;
    return tms_fail(TAMIS_E_FULL,
                    "the union has %" PRIu64 " integers, above the %" PRIu64
                    " planned for this strict bitmap; merge into a larger one",
                    keys, f->shape.capacity);
}

/* Puts `made` in place of dst's map, or drops it. */
static tamis_status bitmap_settle(tamis_filter *dst, tms_high_map *made, tamis_status status)
{
    tms_high_map *map = &bitmap_of(dst)->map;
    if (status != TAMIS_OK) {
        tms_bitmap_drop_map(made, map, &dst->alloc);
        return status;
    }
    tms_bitmap_drop_map(map, made, &dst->alloc);
    *map = *made;
    tms_counter_set(&dst->added, tms_bitmap_cardinality(map));
    return TAMIS_OK;
}

tamis_status tms_bitmap_unite(tamis_filter *dst, const tamis_filter *src)
{
    tms_high_map made = {0};
    tamis_status status =
        bitmap_unite_maps(&bitmap_of(dst)->map, &bitmap_in(src)->map, &dst->alloc, &made);
    if (status == TAMIS_OK) status = bitmap_check_strict(dst, &made);
    return bitmap_settle(dst, &made, status);
}

tamis_status tms_bitmap_overlap(tamis_filter *dst, const tamis_filter *src)
{
    tms_high_map made = {0};
    tamis_status status =
        bitmap_overlap_maps(&bitmap_of(dst)->map, &bitmap_in(src)->map, &dst->alloc, &made);
    return bitmap_settle(dst, &made, status);
}
