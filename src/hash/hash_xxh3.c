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

static inline void xxh3_span_loop(uint64_t seed, const tamis_span *keys, size_t n,
                                  uint64_t *digests, const tms_listener *listener)
{
    for (size_t i = 0; i < n; i++) {
        digests[i] = XXH3_64bits_withSeed(keys[i].data, keys[i].size, seed);
        tms_tell(listener, digests[i]);
    }
}

XXH3_FLAT void tms_xxh3_spans(uint64_t seed, const tamis_span *keys, size_t n, uint64_t *digests,
                              const tms_listener *listener)
{
    if (listener && seed == 0)
        xxh3_span_loop(0, keys, n, digests, listener);
    else if (listener)
        xxh3_span_loop(seed, keys, n, digests, listener);
    else if (seed == 0)
        xxh3_span_loop(0, keys, n, digests, NULL);
    else
        xxh3_span_loop(seed, keys, n, digests, NULL);
}

static inline void xxh3_row_loop(uint64_t seed, const uint8_t *rows, size_t width, size_t n,
                                 uint64_t *digests, const tms_listener *listener)
{
    for (size_t i = 0; i < n; i++) {
        digests[i] = XXH3_64bits_withSeed(rows + i * width, width, seed);
        tms_tell(listener, digests[i]);
    }
}

/* The common short widths are constants, so that no length is tested in the
 * loop: 4 (IPv4, 32-bit ids), 16 (IPv6, UUID) and 32 (hashes). */
XXH3_FLAT void tms_xxh3_rows(uint64_t seed, const uint8_t *rows, size_t width, size_t n,
                             uint64_t *digests, const tms_listener *listener)
{
    switch (width) {
    case 4: xxh3_row_loop(seed, rows, 4, n, digests, listener); return;
    case 8:
        tms_xxh3_eights(seed, rows, n, digests);
        for (size_t i = 0; listener && i < n; i++) tms_tell(listener, digests[i]);
        return;
    case 16: xxh3_row_loop(seed, rows, 16, n, digests, listener); return;
    case 32: xxh3_row_loop(seed, rows, 32, n, digests, listener); return;
    default: break;
    }
    if (listener && seed == 0)
        xxh3_row_loop(0, rows, width, n, digests, listener);
    else if (listener)
        xxh3_row_loop(seed, rows, width, n, digests, listener);
    else if (seed == 0)
        xxh3_row_loop(0, rows, width, n, digests, NULL);
    else
        xxh3_row_loop(seed, rows, width, n, digests, NULL);
}

static inline void xxh3_offset32_loop(uint64_t seed, const int32_t *offsets, const uint8_t *bytes,
                                      size_t n, uint64_t *digests, const tms_listener *listener)
{
    for (size_t i = 0; i < n; i++) {
        assert(offsets[i] >= 0 && offsets[i] <= offsets[i + 1]);
        const size_t len = (size_t)(offsets[i + 1] - offsets[i]);
        digests[i] = XXH3_64bits_withSeed(bytes + offsets[i], len, seed);
        tms_tell(listener, digests[i]);
    }
}

XXH3_FLAT void tms_xxh3_offsets32(uint64_t seed, const int32_t *offsets, const uint8_t *bytes,
                                  size_t n, uint64_t *digests, const tms_listener *listener)
{
    if (listener && seed == 0)
        xxh3_offset32_loop(0, offsets, bytes, n, digests, listener);
    else if (listener)
        xxh3_offset32_loop(seed, offsets, bytes, n, digests, listener);
    else if (seed == 0)
        xxh3_offset32_loop(0, offsets, bytes, n, digests, NULL);
    else
        xxh3_offset32_loop(seed, offsets, bytes, n, digests, NULL);
}

static inline void xxh3_offset64_loop(uint64_t seed, const int64_t *offsets, const uint8_t *bytes,
                                      size_t n, uint64_t *digests, const tms_listener *listener)
{
    for (size_t i = 0; i < n; i++) {
        assert(offsets[i] >= 0 && offsets[i] <= offsets[i + 1]);
        const size_t len = (size_t)(offsets[i + 1] - offsets[i]);
        digests[i] = XXH3_64bits_withSeed(bytes + offsets[i], len, seed);
        tms_tell(listener, digests[i]);
    }
}

XXH3_FLAT void tms_xxh3_offsets64(uint64_t seed, const int64_t *offsets, const uint8_t *bytes,
                                  size_t n, uint64_t *digests, const tms_listener *listener)
{
    if (listener && seed == 0)
        xxh3_offset64_loop(0, offsets, bytes, n, digests, listener);
    else if (listener)
        xxh3_offset64_loop(seed, offsets, bytes, n, digests, listener);
    else if (seed == 0)
        xxh3_offset64_loop(0, offsets, bytes, n, digests, NULL);
    else
        xxh3_offset64_loop(seed, offsets, bytes, n, digests, NULL);
}

#undef XXH3_FLAT
