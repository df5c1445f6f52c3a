/* hash_batch.c - many keys to many digests, for every layout of keys.
 *
 * xxh3, the default, has loops of its own with the hash inlined
 * (hash_xxh3.c); every other hash is called through the hasher for each key,
 * which is small against what those hashes cost.                              */
#include "base/endian.h"
#include "hash/hash_builtin.h"

#include <assert.h>

/* Where the bytes are NULL because every key is empty: an address to which an
 * offset of 0 may be added. */
static const uint8_t batch_nothing[1] = {0};

uint64_t tms_hasher_digest_u64(const tms_hasher *hasher, uint64_t key)
{
    if (hasher->id == TAMIS_HASH_XXH3) return tms_xxh3_u64(hasher->seed, key);
    uint8_t bytes[8];
    tms_store64(bytes, key);
    return tms_hasher_digest(hasher, bytes, sizeof bytes);
}

void tms_hasher_digest_u64s(const tms_hasher *hasher, const uint64_t *keys, size_t n,
                            uint64_t *digests)
{
    if (hasher->id == TAMIS_HASH_XXH3) {
        tms_xxh3_u64s(hasher->seed, keys, n, digests);
        return;
    }
    for (size_t i = 0; i < n; i++) digests[i] = tms_hasher_digest_u64(hasher, keys[i]);
}

void tms_hasher_digest_spans(const tms_hasher *hasher, const tamis_span *keys, size_t n,
                             uint64_t *digests, const tms_listener *listener)
{
    if (hasher->id == TAMIS_HASH_XXH3) {
        tms_xxh3_spans(hasher->seed, keys, n, digests, listener);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        digests[i] = tms_hasher_digest(hasher, keys[i].data, keys[i].size);
        tms_tell(listener, digests[i]);
    }
}

void tms_hasher_digest_rows(const tms_hasher *hasher, const uint8_t *rows, size_t width, size_t n,
                            uint64_t *digests, const tms_listener *listener)
{
    if (!rows) rows = batch_nothing;
    if (hasher->id == TAMIS_HASH_XXH3) {
        tms_xxh3_rows(hasher->seed, rows, width, n, digests, listener);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        digests[i] = tms_hasher_digest(hasher, rows + i * width, width);
        tms_tell(listener, digests[i]);
    }
}

void tms_hasher_digest_offsets32(const tms_hasher *hasher, const int32_t *offsets,
                                 const uint8_t *bytes, size_t n, uint64_t *digests,
                                 const tms_listener *listener)
{
    if (!bytes) bytes = batch_nothing;
    if (hasher->id == TAMIS_HASH_XXH3) {
        tms_xxh3_offsets32(hasher->seed, offsets, bytes, n, digests, listener);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        assert(offsets[i] >= 0 && offsets[i] <= offsets[i + 1]);
        const size_t len = (size_t)(offsets[i + 1] - offsets[i]);
        digests[i] = tms_hasher_digest(hasher, bytes + offsets[i], len);
        tms_tell(listener, digests[i]);
    }
}

void tms_hasher_digest_offsets64(const tms_hasher *hasher, const int64_t *offsets,
                                 const uint8_t *bytes, size_t n, uint64_t *digests,
                                 const tms_listener *listener)
{
    if (!bytes) bytes = batch_nothing;
    if (hasher->id == TAMIS_HASH_XXH3) {
        tms_xxh3_offsets64(hasher->seed, offsets, bytes, n, digests, listener);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        assert(offsets[i] >= 0 && offsets[i] <= offsets[i + 1]);
        const size_t len = (size_t)(offsets[i + 1] - offsets[i]);
        digests[i] = tms_hasher_digest(hasher, bytes + offsets[i], len);
        tms_tell(listener, digests[i]);
    }
}
