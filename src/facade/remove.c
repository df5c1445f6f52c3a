/* remove.c - taking keys away, and how often they were added.               */
#include <tamis/filter.h>

#include "base/endian.h"
#include "base/fail.h"
#include "facade/add_key.h"
#include "facade/origin.h"
#include "facade/roll.h"

static tamis_status remove_check(const tamis_filter *f)
{
    if (!(tms_filter_abilities(f) & TAMIS_CAN_REMOVE))
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "a %s filter cannot remove keys; ask the planner for TAMIS_CAN_REMOVE",
                        f->kind->name);
    return tms_origin_writable(f);
}

/* Keys less, where parts do not count them. What was estimated, after an
 * intersection, may fall short of what can be removed: it ends at 0. */
static void remove_count(tamis_filter *f, uint64_t gone)
{
    if (f->kind->composing && tms_counts_itself(f)) return;
    uint64_t held = tms_counter_sum(&f->added);
    tms_filter_count(f, 0 - (gone < held ? gone : held));
}

/* What a kind answered, with its sentence. */
static tamis_status remove_close(tamis_filter *f, tamis_status status)
{
    if (status == TAMIS_OK) remove_count(f, 1);
    if (status == TAMIS_E_ABSENT)
        return tms_fail(status, "the key is certainly not in the filter: nothing was removed");
    return status;
}

static tamis_status remove_digest(tamis_filter *f, uint64_t digest)
{
    if (f->ops->remove) return f->ops->remove(f, digest);
    return tms_fail(TAMIS_E_UNSUPPORTED,
                    "this filter's scheme hashes the key itself: give keys, not digests");
}

static tamis_status remove_span(tamis_filter *f, tamis_span key)
{
    if (f->ops->remove_key) return f->ops->remove_key(f, key);
    return f->ops->remove(f, tms_hasher_digest(&f->hasher, key.data, key.size));
}

tamis_status tamis_remove(tamis_filter *f, const void *key, size_t size)
{
    TMS_TRY(remove_check(f));
    return remove_close(f, remove_span(f, (tamis_span){key, size}));
}

tamis_status tamis_remove_u64(tamis_filter *f, uint64_t key)
{
    const uint64_t little = tms_le64(key);
    return tamis_remove(f, &little, sizeof little);
}

tamis_status tamis_remove_hash(tamis_filter *f, uint64_t digest)
{
    TMS_TRY(remove_check(f));
    return remove_close(f, remove_digest(f, digest));
}

/* ---- how often ---------------------------------------------------------- */

static uint64_t count_digest(const tamis_filter *f, uint64_t digest)
{
    return f->ops->count ? f->ops->count(f, digest) : f->ops->may_contain(f, digest);
}

uint64_t tamis_estimate_count(const tamis_filter *f, const void *key, size_t size)
{
    if (f->ops->count_key) return f->ops->count_key(f, (tamis_span){key, size});
    if (f->ops->may_contain_keys) return tamis_may_contain(f, key, size);
    return count_digest(f, tms_hasher_digest(&f->hasher, key, size));
}

uint64_t tamis_estimate_count_u64(const tamis_filter *f, uint64_t key)
{
    const uint64_t little = tms_le64(key);
    return tamis_estimate_count(f, &little, sizeof little);
}

uint64_t tamis_estimate_count_hash(const tamis_filter *f, uint64_t digest)
{
    return count_digest(f, digest);
}

/* ---- many keys ---------------------------------------------------------- */

/* Kinds have no loops of their own for these: with every key the lines of one of
 * the next run are fetched, so that they do not all come at once. */
static void remove_fetch(const tamis_filter *f, const tms_run *run, size_t i)
{
    void (*fetch)(const void *, uint64_t) = f->ops->fetch_all ? f->ops->fetch_all : f->ops->fetch;
    if (fetch && i < run->ahead_count) fetch(f, run->ahead[i]);
}

/* Those for which this run has no key. */
static void remove_fetch_rest(const tamis_filter *f, const tms_run *run)
{
    for (size_t i = run->count; i < run->ahead_count; i++) remove_fetch(f, run, i);
}

static tamis_status remove_run(tamis_filter *f, const tms_run *run, bool *removed, size_t *gone)
{
    remove_fetch_rest(f, run);
    for (size_t i = 0; i < run->count; i++) {
        remove_fetch(f, run, i);
        tamis_status status = remove_digest(f, run->now[i]);
        if (status != TAMIS_OK && status != TAMIS_E_ABSENT) return status;
        if (removed) removed[i] = status == TAMIS_OK;
        *gone += status == TAMIS_OK;
    }
    return TAMIS_OK;
}

static tamis_status remove_runs(tamis_filter *f, const tamis_keys *keys, bool *removed,
                                size_t *gone)
{
    tms_roll roll;
    size_t done = 0;
    for (tms_roll_start(&roll, f, keys, 0, keys->count);; tms_roll_advance(&roll)) {
        TMS_TRY(remove_run(f, &roll.run, removed ? removed + done : NULL, gone));
        done += roll.run.count;
        if (tms_roll_is_last(&roll)) return TAMIS_OK;
    }
}

static tamis_status remove_spans(tamis_filter *f, const tamis_keys *keys, bool *removed,
                                 size_t *gone)
{
    for (size_t i = 0; i < keys->count; i++) {
        uint64_t little;
        tamis_status status = remove_span(f, tms_batch_key(keys, i, &little));
        if (status != TAMIS_OK && status != TAMIS_E_ABSENT) return status;
        if (removed) removed[i] = status == TAMIS_OK;
        *gone += status == TAMIS_OK;
    }
    return TAMIS_OK;
}

tamis_status tamis_remove_many(tamis_filter *f, const tamis_keys *keys, bool *removed, size_t *gone)
{
    size_t unwanted;
    if (!gone) gone = &unwanted;
    *gone = 0;
    TMS_TRY(remove_check(f));
    TMS_TRY(tms_batch_check(keys));
    bool by_key = f->ops->remove_key && keys->layout != TAMIS_LAYOUT_DIGESTS;
    tamis_status status =
        by_key ? remove_spans(f, keys, removed, gone) : remove_runs(f, keys, removed, gone);
    remove_count(f, *gone);
    return status;
}

static void count_run(const tamis_filter *f, const tms_run *run, uint64_t *counts)
{
    remove_fetch_rest(f, run);
    for (size_t i = 0; i < run->count; i++) {
        remove_fetch(f, run, i);
        counts[i] = count_digest(f, run->now[i]);
    }
}

tamis_status tamis_estimate_count_many(const tamis_filter *f, const tamis_keys *keys,
                                       uint64_t *counts)
{
    tms_roll roll;
    size_t done = 0;
    TMS_TRY(tms_batch_check(keys));
    if (f->ops->may_contain_keys && keys->layout != TAMIS_LAYOUT_DIGESTS) {
        for (size_t i = 0; i < keys->count; i++) {
            uint64_t little;
            tamis_span key = tms_batch_key(keys, i, &little);
            counts[i] = tamis_estimate_count(f, key.data, key.size);
        }
        return TAMIS_OK;
    }
    for (tms_roll_start(&roll, f, keys, 0, keys->count);; tms_roll_advance(&roll)) {
        count_run(f, &roll.run, counts + done);
        done += roll.run.count;
        if (tms_roll_is_last(&roll)) return TAMIS_OK;
    }
}
