/* split.c - one filter as many, by the shards of its keys, and many as one.
 *
 * The shards of a blocked filter with one line a key are its stretches: the
 * bodies are cut up and put together again, and no key is needed.           */
#include <inttypes.h>
#include <string.h>
#include <tamis/combine.h>

#include "base/fail.h"
#include "base/memory.h"
#include "compose/sharded.h"
#include "facade/origin.h"

uint32_t tamis_shard_of(uint64_t digest, uint32_t shards)
{
    return tms_shard_of(digest, shards);
}

static tms_family split_family(const tamis_filter *f)
{
    return (tms_family){.hasher = &f->hasher, .alloc = &f->alloc};
}

/* A sharded filter of these shards, which it takes over on success. */
static tamis_status split_make(const tamis_filter *like, tms_shards range, tamis_filter **shards,
                               tamis_filter **out)
{
    tms_shape shape;
    tamis_filter *f = NULL;
    uint64_t capacity = 0, added = 0;
    for (uint32_t i = 0; i < range.count; i++) {
        capacity += shards[i]->shape.capacity;
        added += tms_counter_sum(&shards[i]->added);
    }
    tms_sharded_shape(&shards[0]->shape, range, capacity, &shape);
    shape.flags = like->shape.flags;
    shape.fpr = like->shape.fpr;
    TMS_TRY(tms_handle_make(&tms_sharded_kind, &shape, split_family(like), &f));
    f->kind->attach(f);
    tamis_status status = f->kind->adopt(f, shards, range.count);
    if (status != TAMIS_OK) {
        tms_filter_drop(f);
        return status;
    }
    tms_counter_set(&f->added, added);
    f->count_is_estimate = shards[0]->count_is_estimate;
    *out = f;
    return TAMIS_OK;
}

static void split_drop(tamis_filter **filters, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        tms_filter_drop(filters[i]);
        filters[i] = NULL;
    }
}

/* ---- cutting up a plain filter ------------------------------------------ */

static void split_count(tamis_filter *f)
{
    tms_measure m = {0};
    f->kind->measure(f, &m);
    tms_counter_set(&f->added, m.keys < 0x1p63 ? (uint64_t)(m.keys + 0.5) : 0);
    f->count_is_estimate = true;
}

/* Stretch `index` of the body as a filter. */
static tamis_status split_stretch(const tamis_filter *f, uint32_t shards, uint32_t index,
                                  tamis_filter **out)
{
    tms_shape shape;
    f->kind->fold_shape(&f->shape, shards, &shape);
    shape.flags &= ~(uint32_t)TAMIS_STRICT;
    shape.capacity = f->shape.capacity / shards + (f->shape.capacity % shards != 0);
    TMS_TRY(tms_filter_make(f->kind, &shape, split_family(f), out));
    if (!f->kind->attach_shard(*out, shards, index)) {
        tms_filter_drop(*out);
        *out = NULL;
        return tms_fail(TAMIS_E_UNSUPPORTED, "the keys of a filter with two lines a key are spread "
                                             "over its whole body: build it sharded");
    }
    memcpy((*out)->body, f->body + index * shape.body_bytes, (size_t)shape.body_bytes);
    split_count(*out);
    return TAMIS_OK;
}

static tamis_status split_check_flat(const tamis_filter *f, uint32_t shards)
{
    if (!f->kind->attach_shard)
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "the keys of a %s filter are spread over its whole body, so it cannot be "
                        "cut up; build it sharded",
                        f->kind->name);
    uint64_t size = f->kind->fold_size(&f->shape);
    if (shards >= 1 && shards <= TMS_SHARDS_MOST && size % shards == 0) return TAMIS_OK;
    return tms_fail(TAMIS_E_SPEC,
                    "%u shards are outside 1 to %d or do not divide the size %" PRIu64
                    "; spec.fold asks for sizes that they divide",
                    shards, TMS_SHARDS_MOST, size);
}

static tamis_status split_flat(const tamis_filter *f, uint32_t shards, tamis_filter **out)
{
    TMS_TRY(split_check_flat(f, shards));
    for (uint32_t i = 0; i < shards; i++) {
        tamis_filter *stretch = NULL;
        const tms_shards range = {.shards = shards, .first = i, .count = 1};
        tamis_status status = split_stretch(f, shards, i, &stretch);
        if (status == TAMIS_OK) status = split_make(f, range, &stretch, &out[i]);
        if (status != TAMIS_OK) {
            tms_filter_drop(stretch);
            split_drop(out, i);
            return status;
        }
    }
    return TAMIS_OK;
}

/* ---- handing out and collecting shards ---------------------------------- */

/* Copies of shards [from, from + count) of one filter. */
static tamis_status split_copy(const tamis_filter *f, uint32_t from, uint32_t count,
                               tamis_filter **shards)
{
    for (uint32_t i = 0; i < count; i++) {
        tamis_status status = tamis_clone(f->kind->child(f, from + i), &shards[i]);
        if (status != TAMIS_OK) {
            split_drop(shards, i);
            return status;
        }
    }
    return TAMIS_OK;
}

static tamis_status split_sharded(const tamis_filter *f, uint32_t parts, tamis_filter **out)
{
    const tms_shards all = tms_sharded_range(f);
    tamis_filter *shards[TMS_SHARDS_MOST];
    if (parts == 0 || all.count % parts != 0)
        return tms_fail(TAMIS_E_SPEC, "%u parts do not divide %u shards", parts, all.count);
    tms_shards range = {.shards = all.shards, .count = all.count / parts};
    for (uint32_t i = 0; i < parts; i++) {
        range.first = all.first + i * range.count;
        tamis_status status = split_copy(f, i * range.count, range.count, shards);
        if (status == TAMIS_OK) {
            status = split_make(f, range, shards, &out[i]);
            if (status != TAMIS_OK) split_drop(shards, range.count);
        }
        if (status != TAMIS_OK) {
            split_drop(out, i);
            return status;
        }
    }
    return TAMIS_OK;
}

static bool split_is_sharded(const tamis_filter *f)
{
    return f->kind == &tms_sharded_kind;
}

tamis_status tamis_shards_of(const tamis_filter *f, tamis_shards *shards)
{
    if (!split_is_sharded(f))
        return tms_fail(TAMIS_E_UNSUPPORTED, "a %s filter has no shards", f->kind->name);
    const tms_shards range = tms_sharded_range(f);
    *shards = (tamis_shards){range.shards, range.first, range.count};
    return TAMIS_OK;
}

tamis_status tamis_split(const tamis_filter *f, uint32_t parts, tamis_filter **out)
{
    tamis_filter *copy = NULL;
    for (uint32_t i = 0; i < parts; i++) out[i] = NULL;
    TMS_TRY(tms_origin_settle(f, &copy));
    const tamis_filter *whole = copy ? copy : f;
    tamis_status status =
        split_is_sharded(whole) ? split_sharded(whole, parts, out) : split_flat(whole, parts, out);
    tamis_free(copy);
    return status;
}

/* The part that begins with shard `first`, or NULL. */
static const tamis_filter *join_find(const tamis_filter *const *parts, size_t count, uint32_t first)
{
    for (size_t i = 0; i < count; i++)
        if (tms_sharded_range(parts[i]).first == first) return parts[i];
    return NULL;
}

static tamis_status join_check(const tamis_filter *a, const tamis_filter *b)
{
    if (!split_is_sharded(b))
        return tms_fail(TAMIS_E_MISMATCH, "a %s filter is no part of a sharded one", b->kind->name);
    bool same = a->hasher.id == b->hasher.id && a->hasher.seed == b->hasher.seed &&
                a->hasher.fingerprint == b->hasher.fingerprint &&
                tms_sharded_range(a).shards == tms_sharded_range(b).shards &&
                a->shape.params[0] == b->shape.params[0];
    if (same) return TAMIS_OK;
    return tms_fail(TAMIS_E_MISMATCH, "the parts differ in hash, seed, secret, inner kind or in "
                                      "the number of shards of their whole");
}

static tamis_status join_collect(const tamis_filter *const *parts, size_t count,
                                 tamis_filter **shards, tms_shards *range)
{
    size_t joined = 0;
    while (joined < count) {
        const tamis_filter *next = join_find(parts, count, range->first + range->count);
        tamis_status status =
            next ? split_copy(next, 0, tms_sharded_range(next).count, shards + range->count)
                 : tms_fail(TAMIS_E_MISMATCH, "shard %u is missing, or is there twice",
                            range->first + range->count);
        if (status != TAMIS_OK) {
            split_drop(shards, range->count);
            return status;
        }
        range->count += tms_sharded_range(next).count;
        joined++;
    }
    return TAMIS_OK;
}

tamis_status tamis_join(const tamis_filter *const *parts, size_t count, tamis_filter **out)
{
    tamis_filter *shards[TMS_SHARDS_MOST];
    *out = NULL;
    if (count == 0 || count > TMS_SHARDS_MOST)
        return tms_fail(TAMIS_E_SPEC, "%zu parts are outside 1 to %d", count, TMS_SHARDS_MOST);
    for (size_t i = 0; i < count; i++) {
        TMS_TRY(join_check(parts[0], parts[i]));
        if (parts[i]->origin && parts[i]->origin->trailer)
            TMS_TRY(tms_origin_verify(parts[i]->origin, NULL)); /* no damage is joined in */
    }
    tms_shards range = tms_sharded_range(parts[0]);
    for (size_t i = 0; i < count; i++)
        if (tms_sharded_range(parts[i]).first < range.first)
            range.first = tms_sharded_range(parts[i]).first;
    range.count = 0;
    TMS_TRY(join_collect(parts, count, shards, &range));
    tamis_status status = split_make(parts[0], range, shards, out);
    if (status != TAMIS_OK) split_drop(shards, range.count);
    return status;
}

/* ---- one plain filter again --------------------------------------------- */

static tamis_status unshard_check(const tamis_filter *f)
{
    tamis_shards range = {0};
    TMS_TRY(tamis_shards_of(f, &range));
    const tamis_filter *first = f->kind->child(f, 0);
    if (!first->kind->attach_shard || !tms_sharded_is_sliced(f))
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "shards of kind %s are filters of their own: they cannot become one",
                        first->kind->name);
    if (range.count != range.shards)
        return tms_fail(TAMIS_E_MISMATCH, "%u of %u shards are missing", range.shards - range.count,
                        range.shards);
    for (uint32_t i = 1; i < range.count; i++)
        if (memcmp(f->kind->child(f, i)->shape.params, first->shape.params,
                   sizeof first->shape.params) != 0)
            return tms_fail(TAMIS_E_MISMATCH, "shards 0 and %u differ in size or bits per key", i);
    return TAMIS_OK;
}

static tamis_status unshard(const tamis_filter *f, tamis_filter **out)
{
    TMS_TRY(unshard_check(f));
    const tamis_filter *first = f->kind->child(f, 0);
    const uint32_t shards = tms_sharded_range(f).shards;
    tms_shape shape = first->shape;
    shape.params[0] *= shards; /* its size: see attach_shard */
    shape.flags = f->shape.flags;
    shape.capacity = f->shape.capacity;
    shape.fpr = f->shape.fpr;
    TMS_TRY(first->kind->check(&shape));
    TMS_TRY(tms_filter_make(first->kind, &shape, split_family(f), out));
    for (uint32_t i = 0; i < shards; i++)
        memcpy((*out)->body + i * first->shape.body_bytes, f->kind->child(f, i)->body,
               (size_t)first->shape.body_bytes);
    tms_counter_set(&(*out)->added, tms_counter_sum(&f->added));
    (*out)->count_is_estimate = f->count_is_estimate;
    return TAMIS_OK;
}

tamis_status tamis_unshard(const tamis_filter *f, tamis_filter **out)
{
    tamis_filter *copy = NULL;
    *out = NULL;
    TMS_TRY(tms_origin_settle(f, &copy));
    tamis_status status = unshard(copy ? copy : f, out);
    tamis_free(copy);
    return status;
}
