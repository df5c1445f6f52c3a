/* hash_xxh3.c - XXH3-64, the default hash, and the checksum of files.
 *
 * The xxHash library does the work; this is the only file that includes it,
 * and it includes it inlined. That matters in the loops: a short key costs
 * less to hash than a call through a pointer. Keys of exactly 8 bytes have SIMD
 * loops of their own (hash_xxh3_eights.c).                                    */
#ifndef XXH_INLINE_ALL
#define XXH_INLINE_ALL
#endif
#include <xxhash.h>

#include "hash/hash_builtin.h"
#include "hash/hash_raw.h"

#include <assert.h>

/* Inlines the whole hash into a loop, where the compiler would otherwise share
 * one copy among them. Keys of more than 128 bytes stay a call. */
#define XXH3_FLAT __attribute__((flatten))

uint64_t tms_xxh3_64(const void *key, size_t len, uint64_t seed)
{
    return XXH3_64bits_withSeed(key, len, seed);
}

uint64_t tms_checksum(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}

static uint64_t xxh3_digest(const tms_hasher *hasher, const void *key, size_t len)
{
    return XXH3_64bits_withSeed(key, len, hasher->seed);
}

const tms_hash_builtin tms_hash_xxh3 = {
    .id = TAMIS_HASH_XXH3, .name = "xxh3", .width = 64, .digest = xxh3_digest};

/* ---- batches ----------------------------------------------------------------
 *
 * Each loop is written once and compiled four times: with the seed 0 as a
 * constant, which saves an addition at every word of the secret (with gcc up to
 * a tenth of the time for keys of 17 to 128 bytes), and for any seed; with
 * somebody to tell of each digest, and without. */
#define XXH3_EACH_WAY(loop, ...)               \
    do {                                       \
        if (seed == 0 && !listener)            \
            loop(0, NULL, __VA_ARGS__);        \
        else if (seed == 0)                    \
            loop(0, listener, __VA_ARGS__);    \
        else if (!listener)                    \
            loop(seed, NULL, __VA_ARGS__);     \
        else                                   \
            loop(seed, listener, __VA_ARGS__); \
    } while (0)

static inline uint64_t xxh3_tell(uint64_t digest, const tms_listener *listener)
{
    tms_tell(listener, digest);
    return digest;
}

static inline void xxh3_span_loop(uint64_t seed, const tms_listener *listener,
                                  const tamis_span *keys, size_t n, uint64_t *digests)
{
    for (size_t i = 0; i < n; i++)
        digests[i] = xxh3_tell(XXH3_64bits_withSeed(keys[i].data, keys[i].size, seed), listener);
}

XXH3_FLAT void tms_xxh3_spans(uint64_t seed, const tamis_span *keys, size_t n, uint64_t *digests,
                              const tms_listener *listener)
{
    XXH3_EACH_WAY(xxh3_span_loop, keys, n, digests);
}

static inline void xxh3_row_loop(uint64_t seed, const tms_listener *listener, const uint8_t *rows,
                                 size_t width, size_t n, uint64_t *digests)
{
    for (size_t i = 0; i < n; i++)
        digests[i] = xxh3_tell(XXH3_64bits_withSeed(rows + i * width, width, seed), listener);
}

/* The common short widths are constants, so that no length is tested in the
 * loop: 4 (IPv4, 32-bit ids), 16 (IPv6, UUID) and 32 (hashes). */
XXH3_FLAT void tms_xxh3_rows(uint64_t seed, const uint8_t *rows, size_t width, size_t n,
                             uint64_t *digests, const tms_listener *listener)
{
    switch (width) {
    case 4: xxh3_row_loop(seed, listener, rows, 4, n, digests); break;
    case 8:
        tms_xxh3_eights(seed, rows, n, digests);
        for (size_t i = 0; listener && i < n; i++) tms_tell(listener, digests[i]);
        break;
    case 16: xxh3_row_loop(seed, listener, rows, 16, n, digests); break;
    case 32: xxh3_row_loop(seed, listener, rows, 32, n, digests); break;
    default: XXH3_EACH_WAY(xxh3_row_loop, rows, width, n, digests);
    }
}

#define XXH3_OFFSETS(bits)                                                                         \
    static inline void xxh3_offset##bits##_loop(uint64_t seed, const tms_listener *listener,       \
                                                const int##bits##_t *offsets,                      \
                                                const uint8_t *bytes, size_t n, uint64_t *digests) \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            assert(offsets[i] >= 0 && offsets[i] <= offsets[i + 1]);                               \
            const size_t len = (size_t)(offsets[i + 1] - offsets[i]);                              \
            digests[i] = xxh3_tell(XXH3_64bits_withSeed(bytes + offsets[i], len, seed), listener); \
        }                                                                                          \
    }                                                                                              \
    XXH3_FLAT void tms_xxh3_offsets##bits(uint64_t seed, const int##bits##_t *offsets,             \
                                          const uint8_t *bytes, size_t n, uint64_t *digests,       \
                                          const tms_listener *listener)                            \
    {                                                                                              \
        XXH3_EACH_WAY(xxh3_offset##bits##_loop, offsets, bytes, n, digests);                       \
    }

XXH3_OFFSETS(32)
XXH3_OFFSETS(64)

#undef XXH3_OFFSETS
#undef XXH3_EACH_WAY
#undef XXH3_FLAT
