/* hasher.h - from key to digest: the door of this room for all rooms above.
 *
 * A hasher is a hash with its seed and secret filled in. It is a plain value:
 * copy it, keep it inside a filter, use it from any thread. It borrows nothing
 * but the registry's entry of a caller's hash, which lives as long as the
 * process.
 *
 * Which raw function stands behind an id is the registry's business
 * (hash_registry.c); the raw functions, for formats that need one by name, are
 * in hash_raw.h. Reducing a digest to places in a filter is not done here.     */
#ifndef TMS_HASH_HASHER_H
#define TMS_HASH_HASHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/hash.h>
#include <tamis/keys.h>
#include <tamis/status.h>

typedef struct tms_hasher {
    uint64_t (*digest)(const struct tms_hasher *, const void *key, size_t len);
    uint32_t id;    /* never 0: the choice has been made */
    uint32_t width; /* bits of the digest that are information */
    uint64_t seed;
    uint64_t fingerprint; /* of the secret, seed not included; 0: no secret */
    bool keyed;
    uint8_t key[16];  /* the secret with the seed folded in; zero unless keyed */
    const void *user; /* registry entry of a caller's hash, otherwise NULL */
} tms_hasher;

/* Fills `hasher`. Id 0 chooses: xxh3, or siphash when there is a secret.
 * `secret` is 16 bytes or NULL. Fails with a sentence and leaves `hasher` as it
 * was: E_SPEC (unknown id, a secret for a hash that takes none), E_SECRET
 * (none for a hash that needs one), E_UNAVAILABLE (not built in, or a caller's
 * id that this process has not registered). */
tamis_status tms_hasher_init(tms_hasher *hasher, uint32_t id, uint64_t seed, const uint8_t *secret);

/* The digest of key[0..len); key may be NULL when len is 0. */
static inline uint64_t tms_hasher_digest(const tms_hasher *hasher, const void *key, size_t len)
{
    return hasher->digest(hasher, key, len);
}

/* The digest of a 64-bit integer, which is its 8 little-endian bytes. */
uint64_t tms_hasher_digest_u64(const tms_hasher *hasher, uint64_t key);

/* Is told each digest as soon as it is made: so that its line can be fetched
 * while the next key is hashed. */
typedef struct tms_listener {
    void (*hear)(const void *ctx, uint64_t digest);
    const void *ctx;
} tms_listener;

static inline void tms_tell(const tms_listener *listener, uint64_t digest)
{
    if (listener) listener->hear(listener->ctx, digest);
}

/* Batches: digests[i] is the digest of key i, the same as one by one. For xxh3
 * the loop has the hash inlined, and 8-byte keys are hashed by SIMD.
 * `digests` must not overlap the keys, except that digests == keys is allowed
 * for the integers. `listener` may be NULL. Integers have none: hashing them
 * is a matter of a nanosecond. */
void tms_hasher_digest_u64s(const tms_hasher *hasher, const uint64_t *keys, size_t n,
                            uint64_t *digests);
void tms_hasher_digest_spans(const tms_hasher *hasher, const tamis_span *keys, size_t n,
                             uint64_t *digests, const tms_listener *listener);

/* n rows of `width` bytes without gaps; rows may be NULL when width is 0. */
void tms_hasher_digest_rows(const tms_hasher *hasher, const uint8_t *rows, size_t width, size_t n,
                            uint64_t *digests, const tms_listener *listener);

/* Key i is bytes[offsets[i] .. offsets[i+1]). The n + 1 offsets must start at
 * 0 or above and never descend: whoever takes them from outside checks that
 * first. `bytes` may be NULL when all keys are empty. */
void tms_hasher_digest_offsets32(const tms_hasher *hasher, const int32_t *offsets,
                                 const uint8_t *bytes, size_t n, uint64_t *digests,
                                 const tms_listener *listener);
void tms_hasher_digest_offsets64(const tms_hasher *hasher, const int64_t *offsets,
                                 const uint8_t *bytes, size_t n, uint64_t *digests,
                                 const tms_listener *listener);

/* The checksum of files: XXH3-64 under `seed`. It finds accidents, it does not
 * stop forgers. data may be NULL when size is 0. */
uint64_t tms_checksum(const void *data, size_t size, uint64_t seed);

#endif
