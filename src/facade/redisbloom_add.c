/* redisbloom_add.c - adding to the chains of RedisBloom with a result a key.  */
#include <string.h>
#include <tamis/redisbloom.h>

#include "base/fail.h"
#include "facade/roll.h"
#include "foreign/redisbloom_chain.h"

static int8_t add_each_refusal(tamis_status status)
{
    return status == TAMIS_E_FULL ? TAMIS_REDISBLOOM_FULL : TAMIS_REDISBLOOM_NO_MEMORY;
}

/* A run of keys: those that are taken, then one that is refused, and on. */
static size_t add_each_bloom(tamis_filter *f, const tms_spans *spans, int8_t *results)
{
    bool was_new[TMS_RUN];
    size_t done = 0, taken = 0, changed = 0;
    while (done < spans->count) {
        tamis_status status =
            tms_rb_bloom_add(f, spans->keys + done, spans->count - done, was_new, &taken);
        for (size_t i = 0; i < taken; i++) {
            results[done + i] = was_new[i] ? TAMIS_REDISBLOOM_ADDED : TAMIS_REDISBLOOM_KNOWN;
            changed += was_new[i];
        }
        done += taken;
        if (status != TAMIS_OK) results[done++] = add_each_refusal(status);
    }
    return changed;
}

static size_t add_each_cuckoo(tamis_filter *f, const uint64_t *digests, size_t count,
                              bool only_absent, int8_t *results)
{
    size_t changed = 0;
    for (size_t i = 0; i < count; i++) {
        bool was_new = true;
        tamis_status status =
            tms_rb_cuckoo_insert(f, digests[i], only_absent, only_absent ? &was_new : NULL);
        results[i] = status != TAMIS_OK ? add_each_refusal(status)
                     : was_new          ? TAMIS_REDISBLOOM_ADDED
                                        : TAMIS_REDISBLOOM_KNOWN;
        changed += results[i] == TAMIS_REDISBLOOM_ADDED;
    }
    return changed;
}

static size_t add_each_digests(tamis_filter *f, const tamis_keys *keys, bool only_absent,
                               int8_t *results)
{
    tms_roll roll;
    size_t done = 0, changed = 0;
    for (tms_roll_start(&roll, f, keys, 0, keys->count);; tms_roll_advance(&roll)) {
        changed += add_each_cuckoo(f, roll.run.now, roll.run.count, only_absent, results + done);
        done += roll.run.count;
        for (size_t i = 0; i < roll.run.ahead_count && f->ops->fetch; i++)
            f->ops->fetch(f, roll.run.ahead[i]);
        if (tms_roll_is_last(&roll)) return changed;
    }
}

static size_t add_each_spans(tamis_filter *f, const tamis_keys *keys, int8_t *results)
{
    tms_spans spans;
    size_t changed = 0;
    for (size_t from = 0; from < keys->count; from += spans.count) {
        tms_batch_spans(keys, from, keys->count, &spans);
        changed += add_each_bloom(f, &spans, results + from);
    }
    return changed;
}

tamis_status tamis_redisbloom_add_each(tamis_filter *f, const tamis_keys *keys, bool only_absent,
                                       int8_t *results, size_t *changed)
{
    size_t unwanted;
    if (!changed) changed = &unwanted;
    *changed = 0;
    TMS_TRY(tms_rb_check_kind(f));
    TMS_TRY(tms_batch_check(keys));
    if (keys->layout == TAMIS_LAYOUT_DIGESTS && !tms_rb_is_cuckoo(f))
        return tms_fail(TAMIS_E_SPEC,
                        "a Bloom chain hashes the key itself: give keys, not digests");
    *changed = tms_rb_is_cuckoo(f) ? add_each_digests(f, keys, only_absent, results)
                                   : add_each_spans(f, keys, results);
    return TAMIS_OK;
}
