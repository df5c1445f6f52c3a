/* batch.c - adding and asking many keys.                                    */
#include "facade/batch.h"

#include <string.h>
#include <tamis/filter.h>

#include "base/fail.h"
#include "facade/add_key.h"
#include "facade/build_parts.h"
#include "facade/origin.h"
#include "facade/roll.h"

/* ---- adding ------------------------------------------------------------- */

static tamis_status batch_add_runs(tamis_filter *f, const tamis_keys *keys, size_t from,
                                   size_t count, bool *was_new, size_t *added)
{
    tms_roll roll;
    size_t taken = 0;
    tamis_status status = TAMIS_OK;
    bool *news = was_new ? was_new + from : NULL;
    for (tms_roll_start(&roll, f, keys, from, count); status == TAMIS_OK; tms_roll_advance(&roll)) {
        status = f->ops->add_many(f, &roll.run, news ? news + *added : NULL, &taken);
        *added += taken;
        if (tms_roll_is_last(&roll)) break;
    }
    if (!tms_counts_itself(f)) tms_filter_count(f, *added);
    return status;
}

/* Strict filters take single keys. */
static tamis_status batch_add_singly(tamis_filter *f, const tamis_keys *keys, size_t from,
                                     size_t count, bool *was_new, size_t *added)
{
    for (; *added < count; ++*added) {
        uint64_t little;
        bool fresh = false;
        tamis_span key = tms_batch_key(keys, from + *added, &little);
        if (keys->layout == TAMIS_LAYOUT_DIGESTS)
            TMS_TRY(tms_add_digest(f, ((const uint64_t *)keys->data)[from + *added], &fresh));
        else
            TMS_TRY(tms_add_key(f, key.data, key.size, &fresh));
        if (was_new) was_new[from + *added] = fresh;
    }
    return TAMIS_OK;
}

/* A scheme that works from the keys themselves. */
static tamis_status batch_add_keys(tamis_filter *f, const tamis_keys *keys, size_t from,
                                   size_t count, bool *was_new, size_t *added)
{
    tms_spans spans;
    bool scratch[TMS_RUN];
    size_t taken = 0;
    tamis_status status = TAMIS_OK;
    while (*added < count && status == TAMIS_OK) {
        size_t at = from + *added;
        tms_batch_spans(keys, at, from + count, &spans);
        status =
            f->ops->add_keys(f, spans.keys, spans.count, was_new ? was_new + at : scratch, &taken);
        *added += taken;
    }
    if (!tms_counts_itself(f)) tms_filter_count(f, *added);
    return status;
}

tamis_status tms_batch_add(tamis_filter *f, const tamis_keys *keys, size_t from, size_t count,
                           bool *was_new, size_t *added)
{
    *added = 0;
    if (!was_new && from == 0 && count == keys->count && tms_parts_serve(f, count)) {
        tamis_status status = tms_parts_add(f, keys, 1, added);
        if (status != TAMIS_E_NOMEM) return status;
    }
    if (f->shape.flags & TAMIS_STRICT)
        return batch_add_singly(f, keys, from, count, was_new, added);
    if (f->ops->add_keys && keys->layout != TAMIS_LAYOUT_DIGESTS)
        return batch_add_keys(f, keys, from, count, was_new, added);
    return batch_add_runs(f, keys, from, count, was_new, added);
}

tamis_status tamis_add_new_many(tamis_filter *f, const tamis_keys *keys, bool *was_new,
                                size_t *added)
{
    size_t unwanted;
    if (!added) added = &unwanted;
    *added = 0;
    TMS_TRY(tms_origin_writable(f));
    TMS_TRY(tms_batch_check(keys));
    return tms_batch_add(f, keys, 0, keys->count, was_new, added);
}

tamis_status tamis_add_many(tamis_filter *f, const tamis_keys *keys, size_t *added)
{
    return tamis_add_new_many(f, keys, NULL, added);
}

/* ---- asking ------------------------------------------------------------- */

static size_t batch_ask_runs(const tamis_filter *f, const tamis_keys *keys, bool *answers)
{
    tms_roll roll;
    bool scratch[TMS_RUN];
    size_t hits = 0, done = 0;
    for (tms_roll_start(&roll, f, keys, 0, keys->count);; tms_roll_advance(&roll)) {
        hits += f->ops->may_contain_many(f, &roll.run, answers ? answers + done : scratch);
        done += roll.run.count;
        if (tms_roll_is_last(&roll)) return hits;
    }
}

/* A scheme that works from the keys themselves. */
static size_t batch_ask_keys(const tamis_filter *f, const tamis_keys *keys, bool *answers)
{
    tms_spans spans;
    bool scratch[TMS_RUN];
    size_t hits = 0;
    for (size_t from = 0; from < keys->count; from += spans.count) {
        tms_batch_spans(keys, from, keys->count, &spans);
        hits += f->ops->may_contain_keys(f, spans.keys, spans.count,
                                         answers ? answers + from : scratch);
    }
    return hits;
}

size_t tamis_may_contain_many(const tamis_filter *f, const tamis_keys *keys, bool *answers)
{
    if (tms_batch_check(keys) != TAMIS_OK) {
        if (answers) memset(answers, 1, keys->count * sizeof *answers);
        return keys->count;
    }
    if (f->ops->may_contain_keys && keys->layout != TAMIS_LAYOUT_DIGESTS)
        return batch_ask_keys(f, keys, answers);
    return batch_ask_runs(f, keys, answers);
}

tamis_status tamis_hash_many(const tamis_filter *f, const tamis_keys *keys, uint64_t *digests)
{
    TMS_TRY(tms_batch_check(keys));
    const uint64_t *made = tms_batch_digests(f, keys, 0, keys->count, digests);
    if (made != digests) memcpy(digests, made, keys->count * sizeof *digests);
    return TAMIS_OK;
}
