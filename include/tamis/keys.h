/* keys.h - many keys at once, in the layout they already have.
 *
 * Batches are the native shape of the library: out of cache a batch is three
 * to five times as fast as one call per key. A tamis_keys borrows the
 * caller's memory and says how the keys lie in it; the same value serves every
 * call that ends in _many. Nothing is copied and nothing is kept.           */
#ifndef TAMIS_KEYS_H
#define TAMIS_KEYS_H

#include <stddef.h>
#include <stdint.h>
#include <tamis/export.h>

TAMIS_BEGIN

/** One key: `size` bytes at `data`. An empty key is a key; its data may be
 *  NULL.                                                                    */
typedef struct tamis_span {
    const void *data;
    size_t size;
} tamis_span;

typedef enum tamis_layout {
    TAMIS_LAYOUT_SPANS = 1,     /* tamis_span[count] */
    TAMIS_LAYOUT_U64 = 2,       /* uint64_t[count]; a key is its 8 LE bytes */
    TAMIS_LAYOUT_ROWS = 3,      /* count rows of `width` bytes, one after another */
    TAMIS_LAYOUT_OFFSETS32 = 4, /* bytes and int32_t[count + 1] offsets (Arrow) */
    TAMIS_LAYOUT_OFFSETS64 = 5, /* bytes and int64_t[count + 1] offsets (Arrow) */
    TAMIS_LAYOUT_DIGESTS = 6    /* uint64_t[count] from tamis_hash: not hashed */
} tamis_layout;

/** A batch of keys, borrowed. Make one with the functions below.            */
typedef struct tamis_keys {
    tamis_layout layout;
    size_t count;
    const void *data;    /* spans, integers, rows, bytes or digests */
    const void *offsets; /* the two offset layouts only */
    size_t width;        /* rows only */
} tamis_keys;

/** Keys as (pointer, length) pairs.                                         */
static inline tamis_keys tamis_keys_spans(const tamis_span *spans, size_t count)
{
    tamis_keys keys = {TAMIS_LAYOUT_SPANS, count, spans, NULL, 0};
    return keys;
}

/** 64-bit integers. Each is hashed as its 8 little-endian bytes, on every
 *  machine, so a file built on one answers on another.                      */
static inline tamis_keys tamis_keys_u64(const uint64_t *values, size_t count)
{
    tamis_keys keys = {TAMIS_LAYOUT_U64, count, values, NULL, 0};
    return keys;
}

/** Rows of one fixed width, without gaps (UUIDs, IPv6 addresses, hashes).   */
static inline tamis_keys tamis_keys_rows(const void *rows, size_t width, size_t count)
{
    tamis_keys keys = {TAMIS_LAYOUT_ROWS, count, rows, NULL, width};
    return keys;
}

/** The layout of an Arrow string or binary column: key i is
 *  bytes[offsets[i] .. offsets[i+1]). Offsets must not descend.             */
static inline tamis_keys tamis_keys_offsets32(const void *bytes, const int32_t *offsets,
                                              size_t count)
{
    tamis_keys keys = {TAMIS_LAYOUT_OFFSETS32, count, bytes, offsets, 0};
    return keys;
}

/** The same with 64-bit offsets (Arrow's large strings).                    */
static inline tamis_keys tamis_keys_offsets64(const void *bytes, const int64_t *offsets,
                                              size_t count)
{
    tamis_keys keys = {TAMIS_LAYOUT_OFFSETS64, count, bytes, offsets, 0};
    return keys;
}

/** Digests made earlier by tamis_hash or tamis_hash_many of a filter with the
 *  same hash, seed and secret: one hashing serves many filters.             */
static inline tamis_keys tamis_keys_digests(const uint64_t *digests, size_t count)
{
    tamis_keys keys = {TAMIS_LAYOUT_DIGESTS, count, digests, NULL, 0};
    return keys;
}

TAMIS_END

#endif
