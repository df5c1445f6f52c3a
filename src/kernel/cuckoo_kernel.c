/* cuckoo_kernel.c - the cuckoo loops for every width, layout and mode.
 *
 * narrow: a bucket's window is 8 bytes (up to 16-bit fingerprints in fours);
 * wide: 16 bytes; dense: semi-sorted fours, unfolded when they are read.    */
#include "kernel/cuckoo_kernel.h"

#include "base/checked.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "kernel/cuckoo_locks.h"
#include "kernel/cuckoo_packed.h"
#include "kernel/cuckoo_semisort.h"
#include "kernel/cuckoo_spots.h"

/* ---- packed, among threads ------------------------------------------------ */

static inline tms_u128 cuckoo_load_shared(const tms_cuckoo_table *t, const uint8_t *chunk,
                                          uint32_t bucket)
{
    return cuckoo_get_shared(chunk, cuckoo_bit(t, bucket), t->bucket_bits);
}

static inline void cuckoo_store_shared(const tms_cuckoo_table *t, uint8_t *chunk, uint32_t bucket,
                                       tms_u128 w)
{
    cuckoo_set_shared(chunk, cuckoo_bit(t, bucket), t->bucket_bits, w);
}

/* ---- dense -------------------------------------------------------------- */

/* Up to 16 bits a bucket fits 64, whose shifts cost a fifth of those of 128. */
static inline uint64_t cuckoo_unfold_narrow(const tms_cuckoo_table *t, uint64_t packed)
{
    const unsigned rest = t->bits - 4;
    const uint64_t mask = (UINT64_C(1) << rest) - 1;
    uint64_t nibbles = t->nibbles[packed & ((1u << TMS_SEMISORT_BITS) - 1)], w = 0;
    packed >>= TMS_SEMISORT_BITS;
    for (unsigned i = 0; i < 4; i++, nibbles >>= 4, packed >>= rest)
        w |= ((nibbles & 15) << rest | (packed & mask)) << i * t->bits;
    return w;
}

/* Four places from the number of their nibbles and their other bits. */
static inline tms_u128 cuckoo_unfold(const tms_cuckoo_table *t, tms_u128 packed)
{
    if (t->bits <= 16) return cuckoo_unfold_narrow(t, (uint64_t)packed);
    const unsigned rest = t->bits - 4;
    uint32_t nibbles = t->nibbles[(uint32_t)packed & ((1u << TMS_SEMISORT_BITS) - 1)];
    tms_u128 w = 0;
    packed >>= TMS_SEMISORT_BITS;
    for (unsigned i = 0; i < 4; i++, nibbles >>= 4, packed >>= rest) {
        tms_u128 f = (tms_u128)(nibbles & 15) << rest | (packed & cuckoo_low_bits(rest));
        w |= f << i * t->bits;
    }
    return w;
}

static inline void cuckoo_order(uint32_t *a, uint32_t *b)
{
    uint32_t least = *a < *b ? *a : *b, most = *a < *b ? *b : *a;
    *a = least;
    *b = most;
}

static inline tms_u128 cuckoo_fold(const tms_cuckoo_table *t, tms_u128 w)
{
    const unsigned rest = t->bits - 4;
    uint32_t f[4], nibbles[4];
    for (unsigned i = 0; i < 4; i++) f[i] = (uint32_t)(w >> i * t->bits & t->fingerprints);
    cuckoo_order(&f[0], &f[1]);
    cuckoo_order(&f[2], &f[3]);
    cuckoo_order(&f[0], &f[2]);
    cuckoo_order(&f[1], &f[3]);
    cuckoo_order(&f[1], &f[2]);
    tms_u128 packed = 0;
    for (unsigned i = 0; i < 4; i++) {
        nibbles[i] = f[i] >> rest;
        packed |= (f[i] & cuckoo_low_bits(rest)) << (TMS_SEMISORT_BITS + i * rest);
    }
    return packed | tms_semisort_number(nibbles);
}

static inline tms_u128 cuckoo_load_dense(const tms_cuckoo_table *t, const uint8_t *chunk,
                                         uint32_t bucket)
{
    return cuckoo_unfold(t, cuckoo_load_wide(t, chunk, bucket));
}

static inline void cuckoo_flip_dense(const tms_cuckoo_table *t, uint8_t *chunk, uint32_t bucket,
                                     tms_u128 w, tms_u128 flips)
{
    const tms_u128 old = cuckoo_load_wide(t, chunk, bucket) & t->mask;
    cuckoo_flip_wide(t, chunk, bucket, old, old ^ cuckoo_fold(t, w ^ flips));
}

/* ---- the tables --------------------------------------------------------- */

#define CUCKOO_SET narrow
#define CUCKOO_WORD uint64_t
#define CUCKOO_LOAD(t, chunk, bucket) cuckoo_load_narrow(t, chunk, bucket)
#define CUCKOO_FLIP(t, chunk, bucket, w, flips) cuckoo_flip_narrow(t, chunk, bucket, w, flips)
#define CUCKOO_SPOTS(t, digests, count, spots) cuckoo_find_spots(t, digests, count, spots)
#define CUCKOO_TARGET
#define CUCKOO_SORTED 0
#define CUCKOO_SHARED 0
#include "kernel/cuckoo_loops.inc"
const tms_cuckoo_kernel tms_cuckoo_narrow = CUCKOO_TABLE("narrow");
#include "kernel/cuckoo_loops_end.inc"

#define CUCKOO_SET wide
#define CUCKOO_WORD tms_u128
#define CUCKOO_LOAD(t, chunk, bucket) cuckoo_load_wide(t, chunk, bucket)
#define CUCKOO_FLIP(t, chunk, bucket, w, flips) cuckoo_flip_wide(t, chunk, bucket, w, flips)
#define CUCKOO_SPOTS(t, digests, count, spots) cuckoo_find_spots(t, digests, count, spots)
#define CUCKOO_TARGET
#define CUCKOO_SORTED 0
#define CUCKOO_SHARED 0
#include "kernel/cuckoo_loops.inc"
const tms_cuckoo_kernel tms_cuckoo_wide = CUCKOO_TABLE("wide");
#include "kernel/cuckoo_loops_end.inc"

#define CUCKOO_SET dense
#define CUCKOO_WORD tms_u128
#define CUCKOO_LOAD(t, chunk, bucket) cuckoo_load_dense(t, chunk, bucket)
#define CUCKOO_FLIP(t, chunk, bucket, w, flips) cuckoo_flip_dense(t, chunk, bucket, w, flips)
#define CUCKOO_SPOTS(t, digests, count, spots) cuckoo_find_spots(t, digests, count, spots)
#define CUCKOO_TARGET
#define CUCKOO_SORTED 1
#define CUCKOO_SHARED 0
#include "kernel/cuckoo_loops.inc"
const tms_cuckoo_kernel tms_cuckoo_dense = CUCKOO_TABLE("dense");
#include "kernel/cuckoo_loops_end.inc"

#define CUCKOO_SET narrow_shared
#define CUCKOO_WORD uint64_t
#define CUCKOO_LOAD(t, chunk, bucket) (uint64_t) cuckoo_load_shared(t, chunk, bucket)
#define CUCKOO_FLIP(t, chunk, bucket, w, flips) cuckoo_store_shared(t, chunk, bucket, (w) ^ (flips))
#define CUCKOO_SPOTS(t, digests, count, spots) cuckoo_find_spots(t, digests, count, spots)
#define CUCKOO_TARGET
#define CUCKOO_SORTED 0
#define CUCKOO_SHARED 1
#include "kernel/cuckoo_loops.inc"
const tms_cuckoo_kernel tms_cuckoo_narrow_shared = CUCKOO_TABLE("narrow, shared");
#include "kernel/cuckoo_loops_end.inc"

#define CUCKOO_SET wide_shared
#define CUCKOO_WORD tms_u128
#define CUCKOO_LOAD(t, chunk, bucket) cuckoo_load_shared(t, chunk, bucket)
#define CUCKOO_FLIP(t, chunk, bucket, w, flips) cuckoo_store_shared(t, chunk, bucket, (w) ^ (flips))
#define CUCKOO_SPOTS(t, digests, count, spots) cuckoo_find_spots(t, digests, count, spots)
#define CUCKOO_TARGET
#define CUCKOO_SORTED 0
#define CUCKOO_SHARED 1
#include "kernel/cuckoo_loops.inc"
const tms_cuckoo_kernel tms_cuckoo_wide_shared = CUCKOO_TABLE("wide, shared");
#include "kernel/cuckoo_loops_end.inc"

#define CUCKOO_SET dense_shared
#define CUCKOO_WORD tms_u128
#define CUCKOO_LOAD(t, chunk, bucket) cuckoo_unfold(t, cuckoo_load_shared(t, chunk, bucket))
#define CUCKOO_FLIP(t, chunk, bucket, w, flips) \
    cuckoo_store_shared(t, chunk, bucket, cuckoo_fold(t, (w) ^ (flips)))
#define CUCKOO_SPOTS(t, digests, count, spots) cuckoo_find_spots(t, digests, count, spots)
#define CUCKOO_TARGET
#define CUCKOO_SORTED 1
#define CUCKOO_SHARED 1
#include "kernel/cuckoo_loops.inc"
const tms_cuckoo_kernel tms_cuckoo_dense_shared = CUCKOO_TABLE("dense, shared");
#include "kernel/cuckoo_loops_end.inc"

/* ---- choosing ----------------------------------------------------------- */

static const tms_cuckoo_kernel *cuckoo_plain(const tms_cuckoo_table *t, bool dense, bool shared)
{
    if (dense) return shared ? &tms_cuckoo_dense_shared : &tms_cuckoo_dense;
    if (tms_cuckoo_window_is_narrow(t->bucket_bits))
        return shared ? &tms_cuckoo_narrow_shared : &tms_cuckoo_narrow;
    return shared ? &tms_cuckoo_wide_shared : &tms_cuckoo_wide;
}

const tms_cuckoo_kernel *tms_cuckoo_kernel_number(const tms_cuckoo_table *t, bool dense,
                                                  bool shared, unsigned index)
{
    const tms_cuckoo_kernel *usable[2] = {cuckoo_plain(t, dense, shared)};
    unsigned count = 1;
#if defined(__x86_64__)
    if (usable[0] == &tms_cuckoo_narrow && t->chunks <= UINT32_MAX && tms_cpu_has_avx2() &&
        tms_cpu_has_bmi2())
        usable[count++] = &tms_cuckoo_avx2;
#endif
    return index < count ? usable[index] : NULL;
}

const tms_cuckoo_kernel *tms_cuckoo_kernel_for(const tms_cuckoo_table *t, bool dense, bool shared)
{
    const tms_cuckoo_kernel *fast = tms_cuckoo_kernel_number(t, dense, shared, 1);
    return fast ? fast : tms_cuckoo_kernel_number(t, dense, shared, 0);
}

void tms_cuckoo_fetch(const tms_cuckoo_table *t, uint64_t digest)
{
    cuckoo_fetch_digest(t, digest);
}

/* ---- preparing ---------------------------------------------------------- */

uint32_t tms_cuckoo_bucket_bits(uint32_t places, uint32_t bits, bool dense)
{
    return places * bits - (dense ? 16 - TMS_SEMISORT_BITS : 0);
}

uint64_t tms_cuckoo_chunk_bytes(uint64_t buckets, uint32_t bucket_bits)
{
    uint64_t last = (buckets - 1) * bucket_bits >> 3; /* 16 bytes from here on are a window */
    return tms_div_up(last + 16, TMS_LINE) * TMS_LINE;
}

void tms_cuckoo_table_prepare(tms_cuckoo_table *t, bool dense)
{
    t->bucket_bits = tms_cuckoo_bucket_bits(t->places, t->bits, dense);
    t->chunk_bytes = tms_cuckoo_chunk_bytes(t->buckets, t->bucket_bits);
    t->fingerprints = (UINT64_C(1) << t->bits) - 1;
    t->ones = 0;
    for (uint32_t i = 0; i < t->places; i++) t->ones |= (tms_u128)1 << i * t->bits;
    t->highs = t->ones << (t->bits - 1);
    t->mask = cuckoo_low_bits(t->bucket_bits);
    t->nibbles = dense ? tms_semisort_nibbles() : NULL;
}

void tms_cuckoo_hold(tms_cuckoo_lock *locks)
{
    for (unsigned i = 0; i < TMS_CUCKOO_LOCKS; i++) cuckoo_raise(&locks[i].version, CUCKOO_IS_HELD);
}

void tms_cuckoo_release(tms_cuckoo_lock *locks)
{
    for (unsigned i = 0; i < TMS_CUCKOO_LOCKS; i++)
        atomic_fetch_sub_explicit(&locks[i].version, CUCKOO_IS_HELD, memory_order_release);
}
