/* bitmap.c - the bitmap kind: an exact set of 64-bit integers.
 *
 * Low words live in Roaring bitmaps, one a high word (high_map.h). Keys are not
 * hashed: a key is its 8 little-endian bytes, and any other size is no integer.
 * Such a key is refused when added, and certainly absent when asked for. The
 * body exists only on its way to and from bytes (bitmap_bytes.c); whole sets are
 * in bitmap_sets.c, ranges in bitmap_range.c, strings of bits in bitmap_dense.c. */
#include "kinds/bitmap.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/endian.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kinds/bitmap_parts.h"
#include "kinds/portable.h"

/* The capacity of a bitmap for which none was asked: all that a spec can say. */
#define BITMAP_ANY_CAPACITY ((uint64_t)1 << 56)

/* The most bytes that a key can take: a high word, a cookie, a count, one chunk's
 * key, cardinality and offset, and one value. */
enum { BITMAP_KEY_MOST = TMS_PORTABLE_HIGH + 8 + 8 + 2 };

/* ---- parameters --------------------------------------------------------- */

static tamis_status bitmap_available(void)
{
    if (tms_set32s) return TAMIS_OK;
    return tms_fail(TAMIS_E_UNAVAILABLE,
                    "this build has no bitmaps: it was made without the Roaring library "
                    "(TAMIS_WITH_ROARING), or for a big-endian machine");
}

static tamis_status bitmap_check_spec(const tamis_spec *spec)
{
    if (spec->hashes)
        return tms_fail(TAMIS_E_SPEC, "a bitmap does not hash: leave hashes 0, not %u",
                        spec->hashes);
    if (spec->fold > 1)
        return tms_fail(TAMIS_E_UNSUPPORTED, "a bitmap cannot be folded: it has no size to halve");
    if (spec->flags & TAMIS_STRICT && !spec->capacity)
        return tms_fail(TAMIS_E_SPEC, "a strict bitmap needs a capacity: how many integers");
    if (!spec->memory) return TAMIS_OK;
    if (!spec->capacity)
        return tms_fail(TAMIS_E_SPEC, "the size of a bitmap depends on its integers: memory does "
                                      "not tell how many there can be; give a capacity too");
    uint64_t most = TMS_PORTABLE_HEAD + BITMAP_KEY_MOST * spec->capacity;
    if (most <= spec->memory) return TAMIS_OK;
    return tms_fail(TAMIS_E_LIMIT,
                    "a bitmap of %" PRIu64 " scattered integers takes up to %" PRIu64
                    " bytes, above the cap of %" PRIu64,
                    spec->capacity, most, spec->memory);
}

static tamis_status bitmap_plan(const tamis_spec *spec, tms_shape *shape)
{
    TMS_TRY(bitmap_available());
    TMS_TRY(bitmap_check_spec(spec));
    *shape = (tms_shape){.kind = TAMIS_KIND_BITMAP,
                         .flags = spec->flags,
                         .capacity = spec->capacity ? spec->capacity : BITMAP_ANY_CAPACITY,
                         .param_count = BITMAP_PARAMS};
    return TAMIS_OK;
}

static tamis_status bitmap_check(tms_shape *shape)
{
    uint64_t bytes = shape->params[BITMAP_BYTES];
    TMS_TRY(bitmap_available());
    if (shape->param_count != BITMAP_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a bitmap has %d parameters, not %u", BITMAP_PARAMS,
                        shape->param_count);
    if (bytes < TMS_PORTABLE_HEAD || bytes > UINT64_C(1) << 56)
        return tms_fail(TAMIS_E_CORRUPT, "a bitmap of %" PRIu64 " bytes is outside 8 to 2^56",
                        bytes);
    shape->body_bytes = tms_div_up(bytes, TMS_LINE) * TMS_LINE;
    return TAMIS_OK;
}

static void bitmap_describe(const tms_shape *shape, tamis_sizing *out)
{
    bool known = shape->capacity < BITMAP_ANY_CAPACITY;
    out->bytes = known ? TMS_PORTABLE_HEAD + BITMAP_KEY_MOST * shape->capacity : 0;
    out->bits = 8 * out->bytes;
    out->reads = 4; /* high word, chunk's key, chunk, value */
    out->fold = 1;
    snprintf(out->note, sizeof out->note,
             "exact, 64-bit integers only; the size depends on them: 1 bit each where dense, 2 "
             "bytes where there are some in each 65,536, at most %d bytes (shown) where scattered",
             BITMAP_KEY_MOST);
}

static double bitmap_rate(const tms_shape *shape, double keys)
{
    (void)shape;
    (void)keys;
    return 0;
}

/* ---- keys --------------------------------------------------------------- */

static bool bitmap_read_key(tamis_span key, uint64_t *value)
{
    if (key.size != sizeof *value) return false;
    *value = tms_load64(key.data);
    return true;
}

static tamis_status bitmap_refuse_key(size_t size)
{
    return tms_fail(TAMIS_E_SPEC,
                    "a bitmap holds 64-bit integers, which are keys of 8 little-endian bytes; "
                    "this one has %zu",
                    size);
}

tms_set32 *tms_bitmap_set_for(bitmap_filter *b, uint32_t high)
{
    tms_high *found = tms_high_find(&b->map, high);
    if (found) return found->set;
    tms_set32 *made = tms_set32s->make();
    if (!made) return NULL;
    if (tms_high_insert(&b->map, &b->head.alloc, high, made) == TAMIS_OK) return made;
    tms_set32s->drop(made);
    return NULL;
}

static bool bitmap_contains(const bitmap_filter *b, tamis_span key)
{
    uint64_t value;
    if (!bitmap_read_key(key, &value)) return false;
    const tms_high *high = tms_high_find(&b->map, bitmap_high(value));
    return high && tms_set32s->contains(high->set, (uint32_t)value);
}

static size_t bitmap_op_may_contain_keys(const tamis_filter *f, const tamis_span *keys,
                                         size_t count, bool *answers)
{
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) {
        answers[i] = bitmap_contains(bitmap_in(f), keys[i]);
        hits += answers[i];
    }
    return hits;
}

static tamis_status bitmap_op_add_keys(tamis_filter *f, const tamis_span *keys, size_t count,
                                       bool *was_new, size_t *added)
{
    for (*added = 0; *added < count; ++*added) {
        uint64_t value;
        tamis_span key = keys[*added];
        if (!bitmap_read_key(key, &value)) return bitmap_refuse_key(key.size);
        tms_set32 *set = tms_bitmap_set_for(bitmap_of(f), bitmap_high(value));
        if (!set) return tms_fail_memory("a set of low words", sizeof(tms_high_leaf));
        was_new[*added] = tms_set32s->add(set, (uint32_t)value);
        tms_filter_count(f, was_new[*added]);
    }
    return TAMIS_OK;
}

static tamis_status bitmap_op_remove_key(tamis_filter *f, tamis_span key)
{
    bitmap_filter *b = bitmap_of(f);
    uint64_t value;
    if (!bitmap_read_key(key, &value)) return TAMIS_E_ABSENT;
    const tms_high *high = tms_high_find(&b->map, bitmap_high(value));
    if (!high || !tms_set32s->remove(high->set, (uint32_t)value)) return TAMIS_E_ABSENT;
    tms_bitmap_tidy(b, (tms_integers){value, value});
    return TAMIS_OK;
}

/* ---- digests ------------------------------------------------------------ */

static tamis_status bitmap_refuse_digests(void)
{
    return tms_fail(TAMIS_E_UNSUPPORTED,
                    "a bitmap holds integers, not digests: give the integers themselves");
}

static bool bitmap_op_may_contain(const tamis_filter *f, uint64_t digest)
{
    (void)f;
    (void)digest;
    return true; /* cannot tell: never a false negative */
}

static tamis_status bitmap_op_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    (void)f;
    (void)digest;
    (void)was_new;
    return bitmap_refuse_digests();
}

static size_t bitmap_op_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    (void)f;
    for (size_t i = 0; i < run->count; i++) answers[i] = true;
    return run->count;
}

static tamis_status bitmap_op_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                       size_t *added)
{
    (void)f;
    (void)was_new;
    *added = 0;
    return run->count ? bitmap_refuse_digests() : TAMIS_OK;
}

static const tms_ops bitmap_ops = {.may_contain = bitmap_op_may_contain,
                                   .add = bitmap_op_add,
                                   .may_contain_many = bitmap_op_may_contain_many,
                                   .add_many = bitmap_op_add_many,
                                   .may_contain_keys = bitmap_op_may_contain_keys,
                                   .add_keys = bitmap_op_add_keys,
                                   .remove_key = bitmap_op_remove_key};

static void bitmap_attach(tamis_filter *f)
{
    f->ops = &bitmap_ops;
}

/* ---- the whole set ------------------------------------------------------ */

static void bitmap_measure(const tamis_filter *f, tms_measure *out)
{
    uint64_t keys = tms_bitmap_cardinality(&bitmap_in(f)->map);
    *out = (tms_measure){.ones = keys,
                         .keys = (double)keys,
                         .keys_low = (double)keys,
                         .keys_high = (double)keys,
                         .crowding = 1};
}

static uint64_t bitmap_held(const tamis_filter *f)
{
    const tms_high_map *map = &bitmap_in(f)->map;
    uint64_t sum = tms_high_memory(map);
    const tms_high *high;
    for (tms_high_place at = {0}; (high = tms_high_at(map, at)); at = tms_high_after(map, at))
        sum += tms_set32s->memory(high->set);
    return sum;
}

static void bitmap_reset(tamis_filter *f)
{
    if (tms_set32s) tms_bitmap_drop_map(&bitmap_of(f)->map, NULL, &f->alloc);
}

/* ---- the table ---------------------------------------------------------- */

static tamis_status bitmap_fits(const tms_shape *a, const tms_shape *b)
{
    (void)a;
    (void)b;
    return TAMIS_OK;
}

static const tms_loose bitmap_loose = {.pack_shape = tms_bitmap_pack_shape,
                                       .pack = tms_bitmap_pack,
                                       .unpack = tms_bitmap_unpack,
                                       .copy = tms_bitmap_copy,
                                       .unite = tms_bitmap_unite,
                                       .overlap = tms_bitmap_overlap,
                                       .held = bitmap_held};

const tms_kind tms_bitmap_kind = {
    .id = TAMIS_KIND_BITMAP,
    .name = "bitmap",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_INTERSECT | TAMIS_CAN_GROW |
                 TAMIS_CAN_REMOVE | TAMIS_IS_EXACT,
    .damage_rule = TMS_DAMAGE_IS_FATAL,
    .handle_bytes = sizeof(bitmap_filter),
    .plan = bitmap_plan,
    .check = bitmap_check,
    .describe = bitmap_describe,
    .rate = bitmap_rate,
    .attach = bitmap_attach,
    .measure = bitmap_measure,
    .fits = bitmap_fits,
    .loose = &bitmap_loose,
    .reset = bitmap_reset,
    .release = bitmap_reset,
};
