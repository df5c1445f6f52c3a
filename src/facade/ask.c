/* ask.c - one key at a time.                                                */
#include <inttypes.h>
#include <tamis/filter.h>

#include "base/endian.h"
#include "base/fail.h"
#include "facade/add_key.h"
#include "facade/origin.h"

/* A strict filter takes no new key past its capacity. */
static tamis_status ask_room(const tamis_filter *f)
{
    if (tms_counter_sum(&f->added) < f->shape.capacity) return TAMIS_OK;
    return tms_fail(TAMIS_E_FULL,
                    "the filter is strict and holds the %" PRIu64
                    " keys it was planned for; build a larger one, or one that scales",
                    f->shape.capacity);
}

/* A strict filter counts, and refuses, only keys that are certainly new. */
static bool ask_is_known(const tamis_filter *f, uint64_t digest, bool *was_new)
{
    if (!f->ops->may_contain(f, digest)) return false;
    *was_new = false;
    return true;
}

tamis_status tms_add_digest(tamis_filter *f, uint64_t digest, bool *was_new)
{
    if (f->read_only) return tms_origin_writable(f);
    if (f->shape.flags & TAMIS_STRICT) {
        if (!tms_holds_occurrences(f) && ask_is_known(f, digest, was_new)) return TAMIS_OK;
        TMS_TRY(ask_room(f));
    }
    TMS_TRY(f->ops->add(f, digest, was_new));
    bool counts = *was_new || !(f->shape.flags & TAMIS_STRICT) || tms_holds_occurrences(f);
    if (counts && !tms_counts_itself(f)) tms_filter_count(f, 1);
    return TAMIS_OK;
}

/* A scheme that works from the key itself. */
static tamis_status ask_add_to_scheme(tamis_filter *f, tamis_span key, bool *was_new)
{
    size_t added;
    bool known = false;
    TMS_TRY(tms_origin_writable(f));
    if (f->shape.flags & TAMIS_STRICT) {
        if (f->ops->may_contain_keys(f, &key, 1, &known)) {
            *was_new = false;
            return TAMIS_OK;
        }
        TMS_TRY(ask_room(f));
    }
    TMS_TRY(f->ops->add_keys(f, &key, 1, was_new, &added));
    if (!tms_counts_itself(f)) tms_filter_count(f, 1);
    return TAMIS_OK;
}

tamis_status tms_add_key(tamis_filter *f, const void *key, size_t size, bool *was_new)
{
    if (f->ops->add_keys) return ask_add_to_scheme(f, (tamis_span){key, size}, was_new);
    return tms_add_digest(f, tms_hasher_digest(&f->hasher, key, size), was_new);
}

static bool ask_scheme(const tamis_filter *f, const void *key, size_t size)
{
    bool answer = true;
    const tamis_span span = {key, size};
    (void)f->ops->may_contain_keys(f, &span, 1, &answer);
    return answer;
}

/* ---- bytes -------------------------------------------------------------- */

tamis_status tamis_add(tamis_filter *f, const void *key, size_t size)
{
    bool was_new;
    return tms_add_key(f, key, size, &was_new);
}

tamis_status tamis_add_new(tamis_filter *f, const void *key, size_t size, bool *was_new)
{
    return tms_add_key(f, key, size, was_new);
}

bool tamis_may_contain(const tamis_filter *f, const void *key, size_t size)
{
    if (f->ops->may_contain_keys) return ask_scheme(f, key, size);
    return f->ops->may_contain(f, tms_hasher_digest(&f->hasher, key, size));
}

uint64_t tamis_hash(const tamis_filter *f, const void *key, size_t size)
{
    return tms_hasher_digest(&f->hasher, key, size);
}

/* ---- integers ----------------------------------------------------------- */

static tamis_status ask_add_integer(tamis_filter *f, uint64_t key, bool *was_new)
{
    if (!f->ops->add_keys)
        return tms_add_digest(f, tms_hasher_digest_u64(&f->hasher, key), was_new);
    const uint64_t little = tms_le64(key);
    return tms_add_key(f, &little, sizeof little, was_new);
}

tamis_status tamis_add_u64(tamis_filter *f, uint64_t key)
{
    bool was_new;
    return ask_add_integer(f, key, &was_new);
}

tamis_status tamis_add_new_u64(tamis_filter *f, uint64_t key, bool *was_new)
{
    return ask_add_integer(f, key, was_new);
}

bool tamis_may_contain_u64(const tamis_filter *f, uint64_t key)
{
    if (!f->ops->may_contain_keys)
        return f->ops->may_contain(f, tms_hasher_digest_u64(&f->hasher, key));
    const uint64_t little = tms_le64(key);
    return ask_scheme(f, &little, sizeof little);
}

/* ---- digests ------------------------------------------------------------ */

tamis_status tamis_add_hash(tamis_filter *f, uint64_t digest)
{
    bool was_new;
    return tms_add_digest(f, digest, &was_new);
}

tamis_status tamis_add_new_hash(tamis_filter *f, uint64_t digest, bool *was_new)
{
    return tms_add_digest(f, digest, was_new);
}

bool tamis_may_contain_hash(const tamis_filter *f, uint64_t digest)
{
    return f->ops->may_contain(f, digest);
}
