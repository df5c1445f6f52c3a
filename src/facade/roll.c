/* roll.c - see roll.h.                                                      */
#include "facade/roll.h"

#include "base/endian.h"
#include "base/fail.h"

/* ---- layouts ------------------------------------------------------------ */

static tamis_status roll_descends(size_t index)
{
    return tms_fail(TAMIS_E_SPEC, "the offsets of the batch descend or are negative at key %zu",
                    index);
}

static tamis_status roll_check_offsets32(const int32_t *offsets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (offsets[i] < 0 || offsets[i + 1] < offsets[i]) return roll_descends(i);
    return TAMIS_OK;
}

static tamis_status roll_check_offsets64(const int64_t *offsets, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (offsets[i] < 0 || offsets[i + 1] < offsets[i]) return roll_descends(i);
    return TAMIS_OK;
}

tamis_status tms_batch_check(const tamis_keys *keys)
{
    switch (keys->layout) {
    case TAMIS_LAYOUT_SPANS:
    case TAMIS_LAYOUT_U64:
    case TAMIS_LAYOUT_ROWS:
    case TAMIS_LAYOUT_DIGESTS: return TAMIS_OK;
    case TAMIS_LAYOUT_OFFSETS32: return roll_check_offsets32(keys->offsets, keys->count);
    case TAMIS_LAYOUT_OFFSETS64: return roll_check_offsets64(keys->offsets, keys->count);
    }
    return tms_fail(TAMIS_E_SPEC, "a batch has no layout %d", (int)keys->layout);
}

/* Integers and digests take no time, and nobody is told of them. */
static const uint64_t *roll_hash(const tamis_filter *f, const tamis_keys *keys, size_t from,
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
    return roll_hash(f, keys, from, count, room, NULL);
}

tamis_span tms_batch_key(const tamis_keys *keys, size_t index, uint64_t *little)
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

void tms_batch_spans(const tamis_keys *keys, size_t from, size_t end, tms_spans *out)
{
    out->count = end - from < TMS_RUN ? end - from : TMS_RUN;
    if (keys->layout == TAMIS_LAYOUT_SPANS) {
        out->keys = (const tamis_span *)keys->data + from;
        return;
    }
    out->keys = out->room;
    for (size_t i = 0; i < out->count; i++)
        out->room[i] = tms_batch_key(keys, from + i, &out->littles[i]);
}

/* ---- the rolling pair of runs ------------------------------------------- */

/* Hashes the next run. */
static void roll_look_ahead(tms_roll *roll)
{
    const tms_listener *fetcher = roll->fetcher.hear ? &roll->fetcher : NULL;
    size_t left = roll->end - roll->next;
    size_t count = left < TMS_RUN ? left : TMS_RUN;
    roll->turn ^= 1;
    roll->coming =
        roll_hash(roll->filter, roll->keys, roll->next, count, roll->room[roll->turn], fetcher);
    roll->coming_count = count;
    roll->run.ahead = fetcher ? NULL : roll->coming;
    roll->run.ahead_count = fetcher ? 0 : count;
    roll->next += count;
}

void tms_roll_start(tms_roll *roll, const tamis_filter *f, const tamis_keys *keys, size_t from,
                    size_t count)
{
    bool slow = keys->layout != TAMIS_LAYOUT_DIGESTS && keys->layout != TAMIS_LAYOUT_U64;
    roll->filter = f;
    roll->keys = keys;
    roll->fetcher = (tms_listener){.hear = slow ? f->ops->fetch : NULL, .ctx = f};
    roll->next = from;
    roll->end = from + count;
    roll->turn = 0;
    roll->run = (tms_run){0};
    roll_look_ahead(roll);
}

void tms_roll_advance(tms_roll *roll)
{
    roll->run.now = roll->coming;
    roll->run.count = roll->coming_count;
    roll_look_ahead(roll);
}
