/* scalable.c - layers of another kind, each larger and tighter (Almeida,
 * Baquero, Preguica and Hutchison, 2007).
 *
 * A key goes into the newest layer unless some layer may hold it already; a
 * layer that has taken its capacity of new keys is followed by one `expansion`
 * times as large. Layer i is planned for the rate p (1 - t) t^i with the
 * tightening t, so the rates of all layers, however many, add up to less than
 * p. Growing allocates lazily zeroed memory and copies nothing.
 *
 * Concurrent mode: layers are published by a release store of their number and
 * never change places; growing alone takes a lock. A layer may take a few keys
 * more than its capacity: one per thread that raced to fill it, or a run when
 * more than 64 threads add batches.
 *
 * Two things end growth, beside the number of layers: a cap on the memory of
 * all layers, and a hash too narrow to keep so many keys apart. Then new keys
 * are refused; the promised rate stays.
 *
 * Layers of a kind that removes are in scalable_keep.c, sizes and rates in
 * scalable_plan.c.                                                          */
#include "compose/scalable.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "compose/parts.h"
#include "compose/scalable_parts.h"
#include "kernel/tuning.h"
#include "math/promise.h"

/* ---- layers ------------------------------------------------------------- */

/* From here on there are `count` layers. Whoever sees them sees how to ask them. */
static void scalable_publish(scalable_filter *s, uint32_t count)
{
    atomic_store_explicit(&s->any, tms_parts_any(s->layers, count), memory_order_relaxed);
    atomic_store_explicit(&s->count, count, memory_order_release);
}

/* Whether one more layer is allowed, as far as that is known before its size. */
static tamis_status scalable_may_grow(const scalable_filter *s, uint32_t count)
{
    const tms_shape *shape = &s->base.shape;
    if (shape->flags & TAMIS_STRICT)
        return tms_fail(TAMIS_E_FULL,
                        "the filter is strict and holds the %" PRIu64
                        " keys it was planned for; build a larger one, or one that scales",
                        shape->capacity);
    if (count == SCALABLE_MOST_LAYERS)
        return tms_fail(TAMIS_E_FULL,
                        "all %d layers are full; rebuild as one filter with the "
                        "right capacity, or with a larger expansion",
                        SCALABLE_MOST_LAYERS);
    uint32_t width = s->base.hasher.width;
    double rate = tms_scalable_rate_of_layers(shape, count + 1, width);
    if (rate > tms_promise_limit(shape->fpr, tms_promise_rate_bar))
        return tms_fail(TAMIS_E_FULL,
                        "all %u layers are full, and with another one the collisions of a hash of "
                        "%u bits would raise the rate to %.3g, above the promised %.3g; rebuild "
                        "with a wider hash or a higher rate",
                        count, width, rate, shape->fpr);
    return TAMIS_OK;
}

static tamis_status scalable_within_cap(const scalable_filter *s, uint32_t count, uint64_t more)
{
    const uint64_t cap = tms_scalable_cap(&s->base.shape);
    uint64_t left = cap; /* nothing, if a file claims more than its cap */
    if (!cap) return TAMIS_OK;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t taken = s->layers[i]->shape.body_bytes;
        left = taken < left ? left - taken : 0;
    }
    if (more <= left) return TAMIS_OK;
    return tms_fail(TAMIS_E_LIMIT,
                    "layer %u would take %" PRIu64 " bytes, where %" PRIu64 " are left of the cap "
                    "of %" PRIu64 "; rebuild with more memory or a higher rate",
                    count + 1, more, left, cap);
}

static tamis_status scalable_push(scalable_filter *s)
{
    uint32_t count = scalable_count(s);
    tamis_spec spec;
    tms_shape shape;
    tamis_filter *layer = NULL;
    TMS_TRY(scalable_may_grow(s, count));
    tms_scalable_layer_spec(&s->base.shape, count, &spec);
    if (s->inner->repeat) s->inner->repeat(&s->layers[0]->shape, &spec);
    TMS_TRY(s->inner->plan(&spec, &shape));
    TMS_TRY(scalable_within_cap(s, count, shape.body_bytes));
    tms_family family = {.hasher = &s->base.hasher, .alloc = &s->base.alloc};
    TMS_TRY(tms_filter_make(s->inner, &shape, family, &layer));
    layer->is_child = true;
    s->layers[count] = layer;
    scalable_publish(s, count + 1);
    return TAMIS_OK;
}

tamis_status tms_scalable_grow(scalable_filter *s, uint32_t seen)
{
    pthread_mutex_lock(&s->growing);
    tamis_status status = scalable_count(s) == seen ? scalable_push(s) : TAMIS_OK;
    pthread_mutex_unlock(&s->growing);
    return status;
}

/* Whether one of the first `layers` may hold the key. */
static bool scalable_known(const scalable_filter *s, uint32_t layers, uint64_t digest)
{
    return atomic_load_explicit(&s->any, memory_order_relaxed)(s->layers, layers, digest);
}

/* ---- asking and adding -------------------------------------------------- */

bool tms_scalable_may_contain(const tamis_filter *f, uint64_t digest)
{
    const scalable_filter *s = scalable_of(f);
    return scalable_known(s, scalable_count(s), digest);
}

static tamis_status scalable_put(tamis_filter *layer, uint64_t digest, bool *was_new)
{
    TMS_TRY(layer->ops->add(layer, digest, was_new));
    if (*was_new) tms_filter_count(layer, 1);
    return TAMIS_OK;
}

static tamis_status scalable_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    scalable_filter *s = scalable_of(f);
    for (;;) {
        uint32_t count = scalable_count(s);
        tamis_filter *newest = s->layers[count - 1];
        bool full = scalable_is_full(newest);
        if (scalable_known(s, full ? count : count - 1, digest)) {
            *was_new = false;
            return TAMIS_OK;
        }
        tamis_status status = full ? TAMIS_E_FULL : scalable_put(newest, digest, was_new);
        if (status != TAMIS_E_FULL) return status;
        TMS_TRY(tms_scalable_grow(s, count));
    }
}

size_t tms_scalable_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    const scalable_filter *s = scalable_of(f);
    return tms_parts_ask(s->layers, scalable_count(s), run, answers);
}

/* Far from full: a run may go into the newest layer as one. Other threads may
 * have as many runs under way at the same time. */
static bool scalable_has_room(const tamis_filter *f, const tamis_filter *newest)
{
    uint64_t runs = f->shape.flags & TAMIS_CONCURRENT ? 64 : 1;
    uint64_t taken = tms_counter_sum(&newest->added);
    return taken + runs * TMS_RUN <= newest->shape.capacity;
}

/* Adds to the newest layer what the older do not know, as one run in order. */
static tamis_status scalable_put_run(tamis_filter *newest, const tms_run *run, const bool *known,
                                     bool *was_new, size_t *added)
{
    uint64_t digests[TMS_RUN + 1]; /* one past the last is written and not used */
    size_t keys[TMS_RUN + 1], unknown = 0, fresh = 0, taken;
    bool news[TMS_RUN];
    for (size_t i = 0; i < run->count; i++) {
        digests[unknown] = run->now[i];
        keys[unknown] = i;
        unknown += !known[i];
    }
    const tms_run rest = {digests, unknown, run->ahead, run->ahead_count};
    TMS_TRY(newest->ops->add_many(newest, &rest, news, &taken));
    if (was_new) memset(was_new, 0, run->count * sizeof *was_new);
    for (size_t i = 0; i < unknown; i++) {
        fresh += news[i];
        if (was_new) was_new[keys[i]] = news[i];
    }
    tms_filter_count(newest, fresh);
    *added = run->count;
    return TAMIS_OK;
}

/* Key by key, because a layer may be due in the middle of the run. */
static tamis_status scalable_put_keys(tamis_filter *f, tamis_filter *newest, const tms_run *run,
                                      const bool *known, bool *was_new, size_t *added)
{
    bool fresh = false;
    for (*added = 0; *added < run->count; ++*added) {
        size_t i = *added;
        if (known[i])
            fresh = false;
        else if (scalable_is_full(newest))
            TMS_TRY(scalable_add(f, run->now[i], &fresh));
        else
            TMS_TRY(scalable_put(newest, run->now[i], &fresh));
        if (was_new) was_new[i] = fresh;
    }
    return TAMIS_OK;
}

/* The older layers answer the whole run at once. */
static tamis_status scalable_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                      size_t *added)
{
    scalable_filter *s = scalable_of(f);
    uint32_t count = scalable_count(s);
    tamis_filter *newest = s->layers[count - 1];
    const tms_run fetch = {.ahead = run->ahead, .ahead_count = run->ahead_count};
    bool known[TMS_RUN];
    (void)tms_parts_ask(s->layers, count - 1, run, known);
    if (scalable_has_room(f, newest)) return scalable_put_run(newest, run, known, was_new, added);
    newest->ops->may_contain_many(newest, &fetch, known);
    return scalable_put_keys(f, newest, run, known, was_new, added);
}

static const tms_ops scalable_ops = {.may_contain = tms_scalable_may_contain,
                                     .add = scalable_add,
                                     .may_contain_many = tms_scalable_may_contain_many,
                                     .add_many = scalable_add_many};

static bool scalable_may_contain_around(const tamis_filter *f, uint64_t digest,
                                        bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const scalable_filter *s = scalable_of(f);
    bool answer = false;
    for (uint32_t i = scalable_count(s); i-- > 0;)
        answer |= s->layers[i]->kind->may_contain_around(s->layers[i], digest, lost, ctx);
    return answer;
}

/* ---- what the layers say ------------------------------------------------ */

static void scalable_describe(const tms_shape *shape, tamis_sizing *out)
{
    (void)shape; /* the caller describes a layer */
    out->fold = 1;
}

static void scalable_measure(const tamis_filter *f, tms_measure *out)
{
    const scalable_filter *s = scalable_of(f);
    double passes = 1, below = 0, above = 0;
    *out = (tms_measure){.crowding = 1};
    for (uint32_t i = 0; i < scalable_count(s); i++) {
        tms_measure one = {0};
        s->layers[i]->kind->measure(s->layers[i], &one);
        out->bits += one.bits;
        out->ones += one.ones;
        out->keys += one.keys / fmax(passes, 0.1); /* the others passed as keys of older layers */
        below += (one.keys - one.keys_low) * (one.keys - one.keys_low);
        above += (one.keys_high - one.keys) * (one.keys_high - one.keys);
        passes *= 1 - one.rate;
        out->counters += one.counters;
        out->sticky += one.sticky;
        if (one.crowding < out->crowding) out->crowding = one.crowding;
    }
    out->keys_low = out->keys - sqrt(below); /* independent errors add as squares */
    out->keys_high = out->keys + sqrt(above);
    out->rate = 1 - passes;
}

/* ---- life --------------------------------------------------------------- */

static void scalable_attach(tamis_filter *f)
{
    pthread_mutex_init(&scalable_of(f)->growing, NULL);
    pthread_mutex_init(&scalable_of(f)->changing, NULL);
    f->ops = &scalable_ops;
}

static tamis_status scalable_adopt(tamis_filter *f, tamis_filter **children, uint32_t count)
{
    scalable_filter *s = scalable_of(f);
    if (count < 1 || count > SCALABLE_MOST_LAYERS)
        return tms_fail(TAMIS_E_CORRUPT, "a scaling filter has 1 to %d layers, not %u",
                        SCALABLE_MOST_LAYERS, count);
    TMS_TRY(tms_parts_take(f, children, count));
    s->inner = children[0]->kind;
    f->ops = s->inner->abilities & TAMIS_CAN_REMOVE ? &tms_scalable_keeping : &scalable_ops;
    memcpy(s->layers, children, count * sizeof *children);
    scalable_publish(s, count);
    return TAMIS_OK;
}

static uint32_t scalable_child_count(const tamis_filter *f)
{
    return scalable_count(scalable_of(f));
}

static tamis_filter *scalable_child(const tamis_filter *f, uint32_t index)
{
    return scalable_of(f)->layers[index];
}

/* Drops the layers from `keep` on. */
static void scalable_shorten(scalable_filter *s, uint32_t keep)
{
    uint32_t count = scalable_count(s);
    atomic_store_explicit(&s->count, keep, memory_order_release);
    for (uint32_t i = keep; i < count; i++) tms_filter_drop(s->layers[i]);
}

static void scalable_reset(tamis_filter *f)
{
    scalable_filter *s = scalable_of(f);
    scalable_shorten(s, 1);
    tms_filter_empty(s->layers[0]);
    s->closed = 0;
}

static void scalable_release(tamis_filter *f)
{
    scalable_shorten(scalable_of(f), 0);
    pthread_mutex_destroy(&scalable_of(f)->growing);
    pthread_mutex_destroy(&scalable_of(f)->changing);
}

const tms_kind tms_scalable_kind = {
    .id = TAMIS_KIND_SCALABLE,
    .name = "scalable",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_GROW | TAMIS_CAN_CONCURRENT | TAMIS_CAN_DIGESTS,
    .damage_rule = TMS_DAMAGE_READS_AS_ONES,
    .handle_bytes = sizeof(scalable_filter),
    .plan = tms_scalable_plan,
    .check = tms_scalable_check,
    .describe = scalable_describe,
    .rate = tms_scalable_rate,
    .attach = scalable_attach,
    .measure = scalable_measure,
    .may_contain_around = scalable_may_contain_around,
    .composing = &tms_scalable_composing,
    .adopt = scalable_adopt,
    .child_count = scalable_child_count,
    .child = scalable_child,
    .reset = scalable_reset,
    .release = scalable_release,
};
