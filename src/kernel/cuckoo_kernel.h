/* cuckoo_kernel.h - fingerprints in two candidate buckets (partial-key cuckoo
 * hashing): where a key may lie, and the loops that look, put and move.
 *
 * The table is equal chunks, each with the same even number n of buckets, and
 * both buckets of a key lie in one chunk. From the digest h come
 *
 *      chunk       = mulhi(h, chunks), leaving the rest r = h * chunks mod 2^64
 *      bucket      = mulhi(r, n)
 *      fingerprint = 1 + ((h * 0x9E3779B97F4A7C15 >> 32) * (2^bits - 1) >> 32)
 *      sum         = ((fingerprint * 0x9E3779B1 mod 2^32) * n >> 32) | 1
 *      alternate   = (sum - bucket) mod n
 *
 * The alternate of the alternate is the bucket again, for any n: so a
 * fingerprint can be moved without its key. The sum is odd and n even, so the
 * two are never the same bucket. A fingerprint of 0 is an empty place.
 *
 * A bucket in a register is its places side by side, the first lowest. How it
 * lies in memory is the layout's business: packed, or semi-sorted (dense).
 * Scalar words are the definition; every table of loops gives equal bytes.   */
#ifndef TMS_KERNEL_CUCKOO_KERNEL_H
#define TMS_KERNEL_CUCKOO_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"
#include "kernel/run.h"

/* Moves before an add gives up. With 8192 a chunk of the planned size takes keys
 * to within 0.2 % of where no arrangement exists (docs/kinds/cuckoo.md). */
enum { TMS_CUCKOO_MOVES = 8192 };

enum { TMS_CUCKOO_LOCKS = 16 };

/* A lock and a version in one, for the chunks whose numbers have these low bits
 * (cuckoo_locks.h). Each has a line of its own. */
typedef struct tms_cuckoo_lock {
    _Alignas(64) _Atomic uint32_t version;
} tms_cuckoo_lock;

typedef struct tms_cuckoo_table {
    uint8_t *bytes;
    uint64_t chunks, chunk_bytes;
    uint32_t buckets;        /* a chunk; even */
    uint32_t bits;           /* of a fingerprint, 4 .. 32 */
    uint32_t places;         /* of a bucket, 2 or 4 */
    uint32_t bucket_bits;    /* in memory */
    uint64_t fingerprints;   /* 2^bits - 1: how many there are */
    tms_u128 ones, highs;    /* the lowest and the highest bit of every place */
    tms_u128 mask;           /* bucket_bits ones */
    bool far;                /* larger than the caches: lines are fetched ahead */
    tms_cuckoo_lock *locks;  /* TMS_CUCKOO_LOCKS, for the shared loops; or NULL */
    const uint16_t *nibbles; /* of the dense layout, or NULL */
} tms_cuckoo_table;

/* Where a key may lie: in either of two buckets of a chunk. */
typedef struct tms_cuckoo_spot {
    uint64_t chunk;
    uint32_t bucket, other, fingerprint;
} tms_cuckoo_spot;

static inline uint32_t tms_cuckoo_fingerprint(const tms_cuckoo_table *t, uint64_t digest)
{
    uint64_t high = digest * UINT64_C(0x9E3779B97F4A7C15) >> 32;
    return 1 + (uint32_t)(high * t->fingerprints >> 32);
}

static inline uint32_t tms_cuckoo_alternate(const tms_cuckoo_table *t, uint32_t bucket,
                                            uint32_t fingerprint)
{
    uint64_t scrambled = fingerprint * UINT32_C(0x9E3779B1);
    uint32_t sum = (uint32_t)(scrambled * t->buckets >> 32) | 1;
    uint32_t wraps = 0 - (uint32_t)(sum < bucket); /* a coin toss: not for a branch */
    return sum - bucket + (wraps & t->buckets);
}

static inline tms_cuckoo_spot tms_cuckoo_spot_of(const tms_cuckoo_table *t, uint64_t digest)
{
    const tms_u128 product = (tms_u128)digest * t->chunks;
    const uint32_t bucket = (uint32_t)tms_mulhi((uint64_t)product, t->buckets);
    const uint32_t fingerprint = tms_cuckoo_fingerprint(t, digest);
    return (tms_cuckoo_spot){.chunk = (uint64_t)(product >> 64),
                             .bucket = bucket,
                             .other = tms_cuckoo_alternate(t, bucket, fingerprint),
                             .fingerprint = fingerprint};
}

/* The place whose fingerprint moves on at this step, where none finds room at once: a
 * function of the digest and the step, so that the same adds give the same bytes. */
static inline uint32_t tms_cuckoo_choice(const tms_cuckoo_table *t, uint64_t digest, uint32_t step)
{
    uint64_t mixed = digest + step * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(mixed * UINT64_C(0xD6E8FEB86659FD93) >> 32) & (t->places - 1);
}

static inline uint8_t *tms_cuckoo_chunk(const tms_cuckoo_table *t, uint64_t chunk)
{
    return t->bytes + chunk * t->chunk_bytes;
}

/* The byte in which a bucket begins: for fetching, and to ask whether it is lost. */
static inline uint8_t *tms_cuckoo_address(const tms_cuckoo_table *t, uint64_t chunk,
                                          uint32_t bucket)
{
    return tms_cuckoo_chunk(t, chunk) + ((uint64_t)bucket * t->bucket_bits >> 3);
}

typedef enum tms_cuckoo_outcome {
    TMS_CUCKOO_NEW,   /* added; it was certainly not there */
    TMS_CUCKOO_AGAIN, /* added; it may have been there before */
    TMS_CUCKOO_TWINS, /* refused: both buckets hold nothing but this fingerprint */
    TMS_CUCKOO_FULL   /* refused: no place was found; nothing has changed */
} tms_cuckoo_outcome;

/* One table a layout and mode. In a table that is far, plain C fetches the lines of a
 * run before its first key is looked at, which spares working out every place twice
 * and costs the pause between two runs; where that is cheap, those of the run ahead. */
typedef struct tms_cuckoo_kernel {
    const char *name;
    bool (*may_contain)(const tms_cuckoo_table *, uint64_t digest);
    size_t (*may_contain_many)(const tms_cuckoo_table *, const tms_run *, bool *answers);
    tms_cuckoo_outcome (*add)(const tms_cuckoo_table *, uint64_t digest);
    /* Adds a run, up to the first digest that is refused, whose index it returns. */
    size_t (*add_many)(const tms_cuckoo_table *, const tms_run *, bool *was_new,
                       tms_cuckoo_outcome *last);
    /* Adds digests of one chunk, or of a few, up to the first that is refused: its
     * index, or the count. Meanwhile the chunk of the digest `coming` is fetched. */
    size_t (*add_part)(const tms_cuckoo_table *, const uint64_t *digests, size_t count,
                       uint64_t coming);
    bool (*remove)(const tms_cuckoo_table *, uint64_t digest); /* false: certainly absent */
    uint32_t (*count)(const tms_cuckoo_table *, uint64_t digest);
    uint32_t (*taken)(const tms_cuckoo_table *, uint64_t chunk); /* places of a chunk */
    /* How many questions, each a bucket and a fingerprint, get "maybe" in a chunk. */
    uint64_t (*answers)(const tms_cuckoo_table *, uint64_t chunk);
} tms_cuckoo_kernel;

/* The loops for a table: by the width of its buckets, its layout, and whether
 * threads share it. Number 0 is plain C, others are for this processor; NULL past
 * the last. Tests try all, kernel_for gives the last. */
const tms_cuckoo_kernel *tms_cuckoo_kernel_number(const tms_cuckoo_table *t, bool dense,
                                                  bool shared, unsigned index);
const tms_cuckoo_kernel *tms_cuckoo_kernel_for(const tms_cuckoo_table *t, bool dense, bool shared);

/* Brings the lines of both buckets nearer. */
void tms_cuckoo_fetch(const tms_cuckoo_table *t, uint64_t digest);

/* Fills in what follows from the first seven fields and the layout. */
void tms_cuckoo_table_prepare(tms_cuckoo_table *t, bool dense);

/* Bits of a bucket in memory, and the bytes of a chunk: a multiple of 64, so
 * that chunks share no line, with room for the last bucket's window. */
uint32_t tms_cuckoo_bucket_bits(uint32_t places, uint32_t bits, bool dense);
uint64_t tms_cuckoo_chunk_bytes(uint64_t buckets, uint32_t bucket_bits);

/* Holds back the writers of every chunk, for a copy that is of one moment;
 * readers go on. Whoever holds them twice waits for itself. */
void tms_cuckoo_hold(tms_cuckoo_lock *locks);
void tms_cuckoo_release(tms_cuckoo_lock *locks);

extern const tms_cuckoo_kernel tms_cuckoo_narrow, tms_cuckoo_wide, tms_cuckoo_dense,
    tms_cuckoo_narrow_shared, tms_cuckoo_wide_shared, tms_cuckoo_dense_shared;
#if defined(__x86_64__)
extern const tms_cuckoo_kernel tms_cuckoo_avx2; /* narrow; fewer than 2^32 chunks */
#endif

#endif
