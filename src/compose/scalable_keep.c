/* scalable_keep.c - layers of a kind that removes.
 *
 * Layers of a kind that removes keep every occurrence of a key in one place: it
 * goes into the oldest layer that may hold it, or into the newest. Older layers
 * never come to say "maybe" to more keys than they did, so that layer stays the
 * oldest that may hold the key, and a removal finds the occurrence there. Only
 * a layer of a bounded kind that has no room for one more sends it on to the
 * newest. So where two such layers may hold a key, nobody knows which of them
 * does: a removal then leaves both as they are. The key stays a "maybe", as it
 * would by the other layer's answer alone, and no other key is lost. All this
 * needs that nothing is taken away between the look for a layer and the change:
 * in concurrent mode those that add and remove take turns, and nobody who asks
 * waits.  */
#include <stdatomic.h>

#include "base/fail.h"
#include "compose/parts.h"
#include "compose/scalable_parts.h"
#include "kernel/tuning.h"

/* The oldest layer that may hold the key; how many there are: none. */
static uint32_t scalable_holder(const scalable_filter *s, uint64_t digest)
{
    const uint32_t count = scalable_count(s);
    uint32_t i = 0;
    while (i < count && !s->layers[i]->ops->may_contain(s->layers[i], digest)) i++;
    return i;
}

/* Counts every occurrence: each may take room. A table that has refused one is not
 * tried again until it has given a place back, because it moves many keys before
 * it refuses. */
static tamis_status scalable_keep_in(scalable_filter *s, uint32_t index, uint64_t digest)
{
    tamis_filter *layer = s->layers[index];
    bool was_new;
    if (s->closed >> index & 1) return TAMIS_E_FULL;
    tamis_status status = layer->ops->add(layer, digest, &was_new);
    if (status == TAMIS_OK) tms_filter_count(layer, 1);
    if (status == TAMIS_E_FULL && index + 1 < scalable_count(s)) s->closed |= UINT64_C(1) << index;
    return status;
}

/* Whether a layer refuses a key not for want of room but because it has so many
 * occurrences of it: these are not worth a layer, where as many more would end. */
static bool scalable_is_repeated(const tamis_filter *layer, uint64_t digest)
{
    return tms_counter_sum(&layer->added) < layer->shape.capacity / 16 &&
           layer->ops->may_contain(layer, digest);
}

/* Grows for a key that has no place. */
static tamis_status scalable_keep_new(scalable_filter *s, uint64_t digest)
{
    for (;;) {
        uint32_t count = scalable_count(s);
        tamis_filter *newest = s->layers[count - 1];
        if (!scalable_is_full(newest)) {
            tamis_status status = scalable_keep_in(s, count - 1, digest);
            if (status != TAMIS_E_FULL || scalable_is_repeated(newest, digest)) return status;
        }
        TMS_TRY(tms_scalable_grow(s, count));
    }
}

static void scalable_begin(scalable_filter *s)
{
    if (tms_filter_is_shared(&s->base)) pthread_mutex_lock(&s->changing);
}

static void scalable_end(scalable_filter *s)
{
    if (tms_filter_is_shared(&s->base)) pthread_mutex_unlock(&s->changing);
}

static tamis_status scalable_keep_one(scalable_filter *s, uint64_t digest, bool *was_new)
{
    const uint32_t holder = scalable_holder(s, digest);
    const bool known = holder < scalable_count(s);
    tamis_status status = known ? scalable_keep_in(s, holder, digest) : TAMIS_E_FULL;
    if (status == TAMIS_E_FULL) status = scalable_keep_new(s, digest);
    if (status == TAMIS_OK) *was_new = !known;
    return status;
}

static tamis_status scalable_keep(tamis_filter *f, uint64_t digest, bool *was_new)
{
    scalable_begin(scalable_of(f));
    tamis_status status = scalable_keep_one(scalable_of(f), digest, was_new);
    scalable_end(scalable_of(f));
    return status;
}

static tamis_status scalable_keep_run(scalable_filter *s, const tms_run *run, bool *was_new,
                                      size_t *added)
{
    bool fresh;
    for (*added = 0; *added < run->count; ++*added) {
        TMS_TRY(scalable_keep_one(s, run->now[*added], &fresh));
        if (was_new) was_new[*added] = fresh;
    }
    return TAMIS_OK;
}

static tamis_status scalable_keep_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                       size_t *added)
{
    scalable_filter *s = scalable_of(f);
    const tms_run fetch = {.ahead = run->ahead, .ahead_count = run->ahead_count};
    bool none[TMS_RUN];
    (void)tms_parts_ask(s->layers, scalable_count(s), &fetch, none);
    scalable_begin(s);
    tamis_status status = scalable_keep_run(s, run, was_new, added);
    scalable_end(s);
    return status;
}

static uint32_t scalable_holders(const scalable_filter *s, uint64_t digest)
{
    uint32_t holders = 0;
    for (uint32_t i = scalable_count(s); i-- > 0;)
        holders += s->layers[i]->ops->may_contain(s->layers[i], digest);
    return holders;
}

static tamis_status scalable_remove_one(scalable_filter *s, uint64_t digest)
{
    const uint32_t holder = scalable_holder(s, digest);
    if (holder == scalable_count(s)) return TAMIS_E_ABSENT;
    if (s->inner->abilities & TAMIS_IS_BOUNDED && scalable_holders(s, digest) > 1) return TAMIS_OK;
    TMS_TRY(s->layers[holder]->ops->remove(s->layers[holder], digest));
    tms_filter_count(s->layers[holder], UINT64_MAX); /* one less */
    s->closed &= ~(UINT64_C(1) << holder);
    return TAMIS_OK;
}

static tamis_status scalable_remove(tamis_filter *f, uint64_t digest)
{
    scalable_begin(scalable_of(f));
    tamis_status status = scalable_remove_one(scalable_of(f), digest);
    scalable_end(scalable_of(f));
    return status;
}

/* At least the truth, wherever the occurrences are. */
static uint64_t scalable_count_key(const tamis_filter *f, uint64_t digest)
{
    const scalable_filter *s = scalable_of(f);
    uint64_t sum = 0;
    for (uint32_t i = scalable_count(s); i-- > 0;) {
        const tamis_filter *layer = s->layers[i];
        sum += layer->ops->count ? layer->ops->count(layer, digest)
                                 : layer->ops->may_contain(layer, digest);
    }
    return sum;
}

const tms_ops tms_scalable_keeping = {.may_contain = tms_scalable_may_contain,
                                      .add = scalable_keep,
                                      .may_contain_many = tms_scalable_may_contain_many,
                                      .add_many = scalable_keep_many,
                                      .remove = scalable_remove,
                                      .count = scalable_count_key};
