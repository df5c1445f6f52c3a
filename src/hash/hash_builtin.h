/* hash_builtin.h - what the files of this room tell each other.
 *
 * One constant row a hash, which the registry gathers; and the loops over XXH3
 * that the batches of hash_batch.c call. Rooms above include hasher.h.         */
#ifndef TMS_HASH_HASH_BUILTIN_H
#define TMS_HASH_HASH_BUILTIN_H

#include "base/endian.h"
#include "hash/hasher.h"

typedef struct tms_hash_builtin {
    uint32_t id;         /* on the wire; never reused */
    uint32_t width;      /* bits */
    const char *name;    /* on the command line, in texts */
    const char *library; /* what it needs beyond xxHash, or NULL */
    uint64_t (*digest)(const tms_hasher *, const void *key, size_t len); /* NULL: not built in */
    /* Sets key and fingerprint of a hasher whose seed is set. NULL: takes no secret. */
    void (*take_secret)(tms_hasher *, const uint8_t secret[16]);
} tms_hash_builtin;

extern const tms_hash_builtin tms_hash_xxh3;
extern const tms_hash_builtin tms_hash_murmur3_32;
extern const tms_hash_builtin tms_hash_murmur3_128;
extern const tms_hash_builtin tms_hash_murmur64a;
extern const tms_hash_builtin tms_hash_fnv1a;
extern const tms_hash_builtin tms_hash_sha256;
extern const tms_hash_builtin tms_hash_siphash;

/* One integer, and the batches of hasher.h, for xxh3. */
uint64_t tms_xxh3_u64(uint64_t seed, uint64_t key);
void tms_xxh3_u64s(uint64_t seed, const uint64_t *keys, size_t n, uint64_t *digests);
void tms_xxh3_spans(uint64_t seed, const tamis_span *keys, size_t n, uint64_t *digests,
                    const tms_listener *listener);
void tms_xxh3_rows(uint64_t seed, const uint8_t *rows, size_t width, size_t n, uint64_t *digests,
                   const tms_listener *listener);
void tms_xxh3_offsets32(uint64_t seed, const int32_t *offsets, const uint8_t *bytes, size_t n,
                        uint64_t *digests, const tms_listener *listener);
void tms_xxh3_offsets64(uint64_t seed, const int64_t *offsets, const uint8_t *bytes, size_t n,
                        uint64_t *digests, const tms_listener *listener);

/* XXH3 of n packed 8-byte keys, by one instruction set: the scalar loop is the
 * definition, all give the same digests. The level must run here. */
enum { TMS_XXH3_SCALAR, TMS_XXH3_AVX2, TMS_XXH3_AVX512, TMS_XXH3_LEVELS };
bool tms_xxh3_level_runs(unsigned level);
void tms_xxh3_eights_at(unsigned level, uint64_t seed, const void *rows, size_t n,
                        uint64_t *digests);

/* The same by the best level of this machine. */
void tms_xxh3_eights(uint64_t seed, const void *rows, size_t n, uint64_t *digests);

/* The n < 8 bytes left after the last whole word, as a little-endian number.
 * Loads overlap instead of looping: the length of a tail is what a branch
 * predictor cannot know. */
static inline uint64_t tms_load_tail(const uint8_t *p, size_t n)
{
    if (n >= 4) return tms_load32(p) | (uint64_t)tms_load32(p + n - 4) << (8 * (n - 4));
    if (n == 0) return 0;
    const size_t middle = n / 2, last = n - 1;
    return p[0] | (uint64_t)p[middle] << (8 * middle) | (uint64_t)p[last] << (8 * last);
}

#endif
