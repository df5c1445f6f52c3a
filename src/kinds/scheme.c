/* scheme.c - working a bit array by a scheme that needs the key itself.     */
#include "kinds/scheme.h"

#include "base/fail.h"
#include "kinds/classic.h"

static const tms_scheme *scheme_of(const tamis_filter *f)
{
    return ((const classic_filter *)(const void *)f)->scheme;
}

/* The places of a key's bits in the body; returns how many. */
static uint32_t scheme_places(const tamis_filter *f, const void *key, size_t size, uint64_t *places)
{
    const tms_scheme *scheme = scheme_of(f);
    uint32_t hashes = (uint32_t)f->shape.params[CLASSIC_HASHES];
    scheme->positions(&f->shape, key, size, places);
    for (uint32_t i = 0; scheme->place && i < hashes; i++) places[i] = scheme->place(places[i]);
    return hashes;
}

static bool scheme_may_contain_key(const tamis_filter *f, tamis_span key)
{
    uint64_t places[TMS_SCHEME_HASHES_MOST];
    uint32_t hashes = scheme_places(f, key.data, key.size, places);
    for (uint32_t i = 0; i < hashes; i++) {
        uint8_t byte = __atomic_load_n(f->body + (places[i] >> 3), __ATOMIC_RELAXED);
        if (!(byte >> (places[i] & 7) & 1)) return false;
    }
    return true;
}

/* One path for both modes: bits are set by an atomic OR, which costs little
 * beside hashing the key several times. */
static bool scheme_add_key(tamis_filter *f, tamis_span key)
{
    uint64_t places[TMS_SCHEME_HASHES_MOST];
    uint32_t hashes = scheme_places(f, key.data, key.size, places);
    bool fresh = false;
    for (uint32_t i = 0; i < hashes; i++) {
        uint8_t mask = (uint8_t)(1u << (places[i] & 7));
        uint8_t before = __atomic_fetch_or(f->body + (places[i] >> 3), mask, __ATOMIC_RELAXED);
        fresh |= !(before & mask);
    }
    return fresh;
}

/* Asks of every place, also after the answer is known. */
static bool scheme_may_contain_around(const tamis_filter *f, tamis_span key,
                                      bool (*lost)(void *, const uint8_t *), void *ctx)
{
    uint64_t places[TMS_SCHEME_HASHES_MOST];
    uint32_t hashes = scheme_places(f, key.data, key.size, places);
    bool answer = true;
    for (uint32_t i = 0; i < hashes; i++) {
        const uint8_t *byte = f->body + (places[i] >> 3);
        answer &= lost(ctx, byte) || (*byte >> (places[i] & 7) & 1);
    }
    return answer;
}

static size_t scheme_may_contain_keys(const tamis_filter *f, const tamis_span *keys, size_t count,
                                      bool *answers)
{
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) {
        answers[i] = scheme_may_contain_key(f, keys[i]);
        hits += answers[i];
    }
    return hits;
}

static tamis_status scheme_add_keys(tamis_filter *f, const tamis_span *keys, size_t count,
                                    bool *was_new, size_t *added)
{
    for (size_t i = 0; i < count; i++) was_new[i] = scheme_add_key(f, keys[i]);
    *added = count;
    return TAMIS_OK;
}

static tamis_status scheme_refuse(void)
{
    return tms_fail(TAMIS_E_UNSUPPORTED,
                    "this filter's scheme hashes the key itself: give keys, not digests");
}

bool tms_keys_only_may_contain(const tamis_filter *f, uint64_t digest)
{
    (void)f;
    (void)digest;
    return true; /* cannot tell: never a false negative */
}

tamis_status tms_keys_only_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    (void)f;
    (void)digest;
    (void)was_new;
    return scheme_refuse();
}

size_t tms_keys_only_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    (void)f;
    for (size_t i = 0; i < run->count; i++) answers[i] = true;
    return run->count;
}

tamis_status tms_keys_only_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                    size_t *added)
{
    (void)f;
    (void)was_new;
    *added = 0;
    return run->count ? scheme_refuse() : TAMIS_OK;
}

static const tms_ops scheme_ops = {.may_contain = tms_keys_only_may_contain,
                                   .add = tms_keys_only_add,
                                   .may_contain_many = tms_keys_only_may_contain_many,
                                   .add_many = tms_keys_only_add_many,
                                   .may_contain_keys = scheme_may_contain_keys,
                                   .add_keys = scheme_add_keys,
                                   .may_contain_key_around = scheme_may_contain_around};

void tms_scheme_attach(tamis_filter *f, const tms_scheme *scheme)
{
    classic_filter *c = (classic_filter *)(void *)f;
    c->table = tms_classic_table_of(f);
    c->scheme = scheme;
    f->ops = &scheme_ops;
}
