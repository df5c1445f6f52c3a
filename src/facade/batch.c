/* batch.c - many keys: hashed a run ahead of the run that is being probed, so
 * that the lines of TMS_RUN keys are always on their way from memory.       */
#include "facade/batch.h"

#include <inttypes.h>
#include <string.h>
#include <tamis/filter.h>

#include "base/endian.h"
#include "base/fail.h"
#include "facade/add_key.h"
#include "facade/origin.h"
#include "kernel/tuning.h"

/* ---- layouts ------------------------------------------------------------ */

static tamis_status batch_descends(size_t index)
{
    return tms_fail(TAMIS_E_SPEC, "the offsets of the batch descend or are negative at key %zu",
                    index);
}

static tamis_status batch_check_offsets32(const int32_t *offsets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (offsets[i] < 0 || offsets[i + 1] < offsets[i]) return batch_descends(i);
    return TAMIS_OK;
}

static tamis_status batch_check_offsets64(const int64_t *offsets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (offsets[i] < 0 || offsets[i + 1] < offsets[i]) return batch_descends(i);
    return TAMIS_OK;
}

tamis_status tms_batch_check(const tamis_keys *keys)
{
    switch (keys->layout) {
    case TAMIS_LAYOUT_SPANS:
    case TAMIS_LAYOUT_U64:
    case TAMIS_LAYOUT_ROWS:
    case TAMIS_LAYOUT_DIGESTS: return TAMIS_OK;
    case TAMIS_LAYOUT_OFFSETS32: return batch_check_offsets32(keys->offsets, keys->count);
    case TAMIS_LAYOUT_OFFSETS64: return batch_check_offsets64(keys->offsets, keys->count);
    }
    return tms_fail(TAMIS_E_SPEC, "a batch has no layout %d", (int)keys->layout);
}

/* Integers and digests take no time, and nobody is told of them. */
static const uint64_t *batch_hash(const tamis_filter *f, const tamis_keys *keys, size_t from,
                                  size_t count, uint64_t *room, const tms_listener *listener)
{
    const tms_hasher *hasher = &f->hasher;
    if (count == 0) return room;
    switch (keys->layout) {
    case TAMIS_LAYOUT_DIGESTS: return (const uint64_t *)keys->data + from;
    case TAMIS_LAYOUT_U64:
        tms_hasher_digest_u64s(hasher, (const uint64_t *)keys->data + from, count, room);
        break;
    case TAMIS_LAYOUT_SPANS:
        tms_hasher_digest_spans(hasher, (const tamis_span *)keys->data + from, count, room,
                                listener);
        break;
    case TAMIS_LAYOUT_ROWS: {
        const uint8_t *rows = keys->data;
        if (rows) rows += from * keys->width;
        tms_hasher_digest_rows(hasher, rows, keys->width, count, room, listener);
        break;
    }
    case TAMIS_LAYOUT_OFFSETS32:
        tms_hasher_digest_offsets32(hasher, (const int32_t *)keys->offsets + from, keys->data,
                                    count, room, listener);
        break;
    case TAMIS_LAYOUT_OFFSETS64:
        tms_hasher_digest_offsets64(hasher, (const int64_t *)keys->offsets + from, keys->data,
                                    count, room, listener);
        break;
    }
    return room;
}

const uint64_t *tms_batch_digests(const tamis_filter *f, const tamis_keys *keys, size_t from,
                                  size_t count, uint64_t *room)
{
    return batch_hash(f, keys, from, count, room, NULL);
}

/* Key `index` as bytes; integers are put into `little`. */
static tamis_span batch_key(const tamis_keys *keys, size_t index, uint64_t *little)
{
    const uint8_t *bytes = keys->data;
    const int32_t *narrow = keys->offsets;
    const int64_t *wide = keys->offsets;
    switch (keys->layout) {
    case TAMIS_LAYOUT_SPANS: return ((const tamis_span *)keys->data)[index];
    case TAMIS_LAYOUT_ROWS:
        return (tamis_span){keys->width ? bytes + index * keys->width : NULL, keys->width};
    case TAMIS_LAYOUT_OFFSETS32:
        return (tamis_span){bytes ? bytes + narrow[index] : NULL,
                            (size_t)(narrow[index + 1] - narrow[index])};
    case TAMIS_LAYOUT_OFFSETS64:
        return (tamis_span){bytes ? bytes + wide[index] : NULL,
                            (size_t)(wide[index + 1] - wide[index])};
    case TAMIS_LAYOUT_U64:
    case TAMIS_LAYOUT_DIGESTS: break;
    }
    *little = tms_le64(((const uint64_t *)keys->data)[index]);
    return (tamis_span){little, sizeof *little};
}

/* ---- the rolling pair of runs ------------------------------------------- */

typedef struct batch_roll {
    const tamis_filter *filter;
    const tamis_keys *keys;
    tms_listener fetcher; /* fetches while keys are hashed, when hashing takes its time */
    size_t next, end;     /* keys that have not been hashed yet */
    unsigned turn;
    tms_run run;
    const uint64_t *coming; /* the run after this one: fetched, or named by run.ahead */
    size_t coming_count;
    uint64_t room[2][TMS_RUN];
} batch_roll;

/* Hashes the next run. */
static void batch_look_ahead(batch_roll *roll)
{
    const tms_listener *fetcher = roll->fetcher.hear ? &roll->fetcher : NULL;
    size_t left = roll->end - roll->next;
    size_t count = left < TMS_RUN ? left : TMS_RUN;
    roll->turn ^= 1;
    roll->coming =
        batch_hash(roll->filter, roll->keys, roll->next, count, roll->room[roll->turn], fetcher);
    roll->coming_count = count;
    roll->run.ahead = fetcher ? NULL : roll->coming;
    roll->run.ahead_count = fetcher ? 0 : count;
    roll->next += count;
}

/* The first run works on nothing and fetches the first lines. */
static void batch_start(batch_roll *roll, const tamis_filter *f, const tamis_keys *keys,
                        size_t from, size_t count)
{
    bool slow = keys->layout != TAMIS_LAYOUT_DIGESTS && keys->layout != TAMIS_LAYOUT_U64;
    roll->filter = f;
    roll->keys = keys;
    roll->fetcher = (tms_listener){.hear = slow ? f->ops->fetch : NULL, .ctx = f};
    roll->next = from;
    roll->end = from + count;
    roll->turn = 0;
    roll->run = (tms_run){0};
    batch_look_ahead(roll);
}

static void batch_advance(batch_roll *roll)
{
    roll->run.now = roll->coming;
    roll->run.count = roll->coming_count;
    batch_look_ahead(roll);
}

/* ---- adding ------------------------------------------------------------- */

static tamis_status batch_add_runs(tamis_filter *f, const tamis_keys *keys, size_t from,
                                   size_t count, bool *was_new, size_t *added)
{
    batch_roll roll;
    size_t taken = 0;
    tamis_status status = TAMIS_OK;
    bool *news = was_new ? was_new + from : NULL;
    for (batch_start(&roll, f, keys, from, count); status == TAMIS_OK; batch_advance(&roll)) {
        status = f->ops->add_many(f, &roll.run, news ? news + *added : NULL, &taken);
        *added += taken;
        if (roll.coming_count == 0) break;
    }
    if (!(f->kind->abilities & TAMIS_CAN_GROW)) tms_filter_count(f, *added);
    return status;
}

/* Strict filters, and schemes that need the keys themselves. */
static tamis_status batch_add_singly(tamis_filter *f, const tamis_keys *keys, size_t from,
                                     size_t count, bool *was_new, size_t *added)
{
    for (; *added < count; ++*added) {
        uint64_t little;
        bool fresh = false;
        tamis_span key = batch_key(keys, from + *added, &little);
        if (keys->layout == TAMIS_LAYOUT_DIGESTS)
            TMS_TRY(tms_add_digest(f, ((const uint64_t *)keys->data)[from + *added], &fresh));
        else
            TMS_TRY(tms_add_key(f, key.data, key.size, &fresh));
        if (was_new) was_new[from + *added] = fresh;
    }
    return TAMIS_OK;
}

tamis_status tms_batch_add(tamis_filter *f, const tamis_keys *keys, size_t from, size_t count,
                           bool *was_new, size_t *added)
{
    *added = 0;
    if (f->ops->add_key || f->shape.flags & TAMIS_STRICT)
        return batch_add_singly(f, keys, from, count, was_new, added);
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
    batch_roll roll;
    bool scratch[TMS_RUN];
    size_t hits = 0, done = 0;
    for (batch_start(&roll, f, keys, 0, keys->count);; batch_advance(&roll)) {
        hits += f->ops->may_contain_many(f, &roll.run, answers ? answers + done : scratch);
        done += roll.run.count;
        if (roll.coming_count == 0) return hits;
    }
}

static size_t batch_ask_keys(const tamis_filter *f, const tamis_keys *keys, bool *answers)
{
    size_t hits = 0;
    for (size_t i = 0; i < keys->count; i++) {
        uint64_t little;
        tamis_span key = batch_key(keys, i, &little);
        bool answer = f->ops->may_contain_key(f, key.data, key.size);
        if (answers) answers[i] = answer;
        hits += answer;
    }
    return hits;
}

size_t tamis_may_contain_many(const tamis_filter *f, const tamis_keys *keys, bool *answers)
{
    if (tms_batch_check(keys) != TAMIS_OK) {
        if (answers) memset(answers, 1, keys->count * sizeof *answers);
        return keys->count;
    }
    if (f->ops->may_contain_key && keys->layout != TAMIS_LAYOUT_DIGESTS)
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
