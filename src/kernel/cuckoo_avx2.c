/* cuckoo_avx2.c - packed cuckoo tables by AVX2: four keys side by side, from the
 * digest to their buckets, and for batches of questions to the answer.
 *
 * The arithmetic is that of cuckoo_kernel.h. Vectors multiply 32 by 32 bits, so a
 * product with a digest is made of its halves; that takes fewer than 2^32 chunks.
 * It is so cheap that the keys ahead are worked out as well, only to fetch their
 * lines: memory never rests between two runs. Buckets are read one by one: a gather
 * is slower on processors that were mended against leaking what it read.    */
#include "kernel/cuckoo_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>
#include <string.h>

#include "kernel/cuckoo_locks.h"
#include "kernel/cuckoo_packed.h"
#include "kernel/cuckoo_spots.h"

#define CUCKOO_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define CUCKOO_VECTOR CUCKOO_AVX2 static inline __attribute__((always_inline))

enum { CUCKOO_LANES = 4 };

/* ---- four words --------------------------------------------------------- */

CUCKOO_VECTOR __m256i cuckoo_all(uint64_t word)
{
    return _mm256_set1_epi64x((long long)word);
}

CUCKOO_VECTOR __m256i cuckoo_read(const uint64_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

CUCKOO_VECTOR void cuckoo_write(uint64_t *to, __m256i lanes)
{
    _mm256_storeu_si256((__m256i *)(void *)to, lanes);
}

/* The product of the low halves. */
CUCKOO_VECTOR __m256i cuckoo_times(__m256i a, __m256i b)
{
    return _mm256_mul_epu32(a, b);
}

CUCKOO_VECTOR __m256i cuckoo_high(__m256i a)
{
    return _mm256_srli_epi64(a, 32);
}

CUCKOO_VECTOR __m256i cuckoo_plus(__m256i a, __m256i b)
{
    return _mm256_add_epi64(a, b);
}

/* ---- where keys lie ----------------------------------------------------- */

/* What is the same for all keys, in every lane. */
typedef struct cuckoo_vectors {
    __m256i chunks, chunk_bytes, buckets, bucket_bits, fingerprints, ones, ones_high, highs;
} cuckoo_vectors;

CUCKOO_VECTOR cuckoo_vectors cuckoo_vectors_of(const tms_cuckoo_table *t)
{
    return (cuckoo_vectors){.chunks = cuckoo_all(t->chunks),
                            .chunk_bytes = cuckoo_all(t->chunk_bytes),
                            .buckets = cuckoo_all(t->buckets),
                            .bucket_bits = cuckoo_all(t->bucket_bits),
                            .fingerprints = cuckoo_all(t->fingerprints),
                            .ones = cuckoo_all((uint64_t)t->ones),
                            .ones_high = cuckoo_all((uint64_t)t->ones >> 32),
                            .highs = cuckoo_all((uint64_t)t->highs)};
}

typedef struct cuckoo_lanes {
    __m256i chunk, bucket, other, fingerprint;
} cuckoo_lanes;

CUCKOO_VECTOR __m256i cuckoo_fingerprint_lanes(const cuckoo_vectors *v, __m256i digest)
{
    const __m256i low = cuckoo_all(0x7F4A7C15), high = cuckoo_all(0x9E3779B9);
    __m256i mixed = cuckoo_plus(cuckoo_times(digest, high), cuckoo_times(cuckoo_high(digest), low));
    mixed = cuckoo_plus(mixed, cuckoo_high(cuckoo_times(digest, low)));
    return cuckoo_plus(cuckoo_high(cuckoo_times(mixed, v->fingerprints)), cuckoo_all(1));
}

CUCKOO_VECTOR __m256i cuckoo_alternate_lanes(const cuckoo_vectors *v, __m256i bucket,
                                             __m256i fingerprint)
{
    const __m256i scrambled = cuckoo_times(fingerprint, cuckoo_all(0x9E3779B1));
    const __m256i sum =
        _mm256_or_si256(cuckoo_high(cuckoo_times(scrambled, v->buckets)), cuckoo_all(1));
    const __m256i wraps = _mm256_and_si256(_mm256_cmpgt_epi32(bucket, sum), v->buckets);
    return cuckoo_plus(_mm256_sub_epi64(sum, bucket), wraps);
}

CUCKOO_VECTOR cuckoo_lanes cuckoo_find_lanes(const cuckoo_vectors *v, const uint64_t *digests)
{
    const __m256i h = cuckoo_read(digests);
    const __m256i low = cuckoo_times(h, v->chunks);
    const __m256i high = cuckoo_plus(cuckoo_times(cuckoo_high(h), v->chunks), cuckoo_high(low));
    const __m256i rest = cuckoo_high(cuckoo_times(low, v->buckets));
    cuckoo_lanes k = {.chunk = cuckoo_high(high), .fingerprint = cuckoo_fingerprint_lanes(v, h)};
    k.bucket = cuckoo_high(cuckoo_plus(cuckoo_times(high, v->buckets), rest));
    k.other = cuckoo_alternate_lanes(v, k.bucket, k.fingerprint);
    return k;
}

CUCKOO_VECTOR void cuckoo_find_spots_avx2(const tms_cuckoo_table *t, const uint64_t *digests,
                                          size_t count, cuckoo_spots *spots)
{
    const cuckoo_vectors v = cuckoo_vectors_of(t);
    size_t i = 0;
    for (; i + CUCKOO_LANES <= count; i += CUCKOO_LANES) {
        const cuckoo_lanes k = cuckoo_find_lanes(&v, digests + i);
        cuckoo_write(spots->chunk + i, k.chunk);
        cuckoo_write(spots->bucket + i, k.bucket);
        cuckoo_write(spots->other + i, k.other);
        cuckoo_write(spots->fingerprint + i, k.fingerprint);
    }
    for (; i < count; i++) cuckoo_find_spot(t, digests[i], spots, i);
}

/* ---- asking ------------------------------------------------------------- */

/* The bit of the body at which each bucket begins. */
CUCKOO_VECTOR __m256i cuckoo_bits(const cuckoo_vectors *v, const cuckoo_lanes *k, __m256i bucket)
{
    const __m256i chunk = _mm256_slli_epi64(cuckoo_times(k->chunk, v->chunk_bytes), 3);
    return cuckoo_plus(chunk, cuckoo_times(bucket, v->bucket_bits));
}

/* Two windows. */
CUCKOO_VECTOR __m128i cuckoo_pair(const uint8_t *bytes, __m128i at)
{
    const uint8_t *first = bytes + _mm_cvtsi128_si64(at),
                  *second = bytes + _mm_extract_epi64(at, 1);
    return _mm_unpacklo_epi64(_mm_loadl_epi64((const __m128i *)(const void *)first),
                              _mm_loadl_epi64((const __m128i *)(const void *)second));
}

CUCKOO_VECTOR __m256i cuckoo_load_lanes(const tms_cuckoo_table *t, __m256i bits)
{
    const __m256i at = _mm256_srli_epi64(bits, 3);
    const __m128i low = cuckoo_pair(t->bytes, _mm256_castsi256_si128(at));
    const __m128i high = cuckoo_pair(t->bytes, _mm256_extracti128_si256(at, 1));
    return _mm256_srlv_epi64(_mm256_set_m128i(high, low), _mm256_and_si256(bits, cuckoo_all(7)));
}

/* As cuckoo_holds of cuckoo_loops.inc, before the highest bits are singled out. */
CUCKOO_VECTOR __m256i cuckoo_holds_lanes(const cuckoo_vectors *v, __m256i w, __m256i spread)
{
    const __m256i differs = _mm256_xor_si256(w, spread);
    return _mm256_andnot_si256(differs, _mm256_sub_epi64(differs, v->ones));
}

/* A bit for each of four keys. */
CUCKOO_VECTOR unsigned cuckoo_ask_lanes(const tms_cuckoo_table *t, const cuckoo_vectors *v,
                                        const uint64_t *digests)
{
    const cuckoo_lanes k = cuckoo_find_lanes(v, digests);
    const __m256i one = cuckoo_load_lanes(t, cuckoo_bits(v, &k, k.bucket));
    const __m256i two = cuckoo_load_lanes(t, cuckoo_bits(v, &k, k.other));
    const __m256i spread =
        cuckoo_plus(cuckoo_times(k.fingerprint, v->ones),
                    _mm256_slli_epi64(cuckoo_times(k.fingerprint, v->ones_high), 32));
    const __m256i marks =
        _mm256_or_si256(cuckoo_holds_lanes(v, one, spread), cuckoo_holds_lanes(v, two, spread));
    const __m256i absent =
        _mm256_cmpeq_epi64(_mm256_and_si256(marks, v->highs), _mm256_setzero_si256());
    return 15u ^ (unsigned)_mm256_movemask_pd(_mm256_castsi256_pd(absent));
}

CUCKOO_VECTOR void cuckoo_fetch_lanes(const tms_cuckoo_table *t, const cuckoo_vectors *v,
                                      const uint64_t *digests)
{
    const cuckoo_lanes k = cuckoo_find_lanes(v, digests);
    uint64_t bits[2 * CUCKOO_LANES];
    cuckoo_write(bits, cuckoo_bits(v, &k, k.bucket));
    cuckoo_write(bits + CUCKOO_LANES, cuckoo_bits(v, &k, k.other));
    for (unsigned i = 0; i < 2 * CUCKOO_LANES; i++)
        cuckoo_fetch_window(t, t->bytes + (bits[i] >> 3));
}

CUCKOO_AVX2 static size_t cuckoo_may_contain_many_lanes(const tms_cuckoo_table *t,
                                                        const tms_run *run, bool *answers)
{
    const cuckoo_vectors v = cuckoo_vectors_of(t);
    const size_t ahead = t->far ? run->ahead_count : 0;
    size_t hits = 0, i = 0, f = 0;
    for (; i + CUCKOO_LANES <= run->count; i += CUCKOO_LANES) {
        if (i + CUCKOO_LANES <= ahead) cuckoo_fetch_lanes(t, &v, run->ahead + i), f += CUCKOO_LANES;
        const unsigned mask = cuckoo_ask_lanes(t, &v, run->now + i);
        const uint32_t bytes = mask * 0x00204081u & 0x01010101u; /* a bit to a byte */
        memcpy(answers + i, &bytes, sizeof bytes);
        hits += (unsigned)__builtin_popcount(mask);
    }
    for (; f + CUCKOO_LANES <= ahead; f += CUCKOO_LANES) cuckoo_fetch_lanes(t, &v, run->ahead + f);
    for (; f < ahead; f++) cuckoo_fetch_digest(t, run->ahead[f]);
    for (; i < run->count; i++) hits += answers[i] = tms_cuckoo_avx2.may_contain(t, run->now[i]);
    return hits;
}

/* ---- the table ---------------------------------------------------------- */

#define CUCKOO_SET avx2
#define CUCKOO_WORD uint64_t
#define CUCKOO_LOAD(t, chunk, bucket) cuckoo_load_narrow(t, chunk, bucket)
#define CUCKOO_FLIP(t, chunk, bucket, w, flips) cuckoo_flip_narrow(t, chunk, bucket, w, flips)
#define CUCKOO_SPOTS(t, digests, count, spots) cuckoo_find_spots_avx2(t, digests, count, spots)
#define CUCKOO_ASK_MANY cuckoo_may_contain_many_lanes
#define CUCKOO_TARGET CUCKOO_AVX2
#define CUCKOO_SORTED 0
#define CUCKOO_SHARED 0
#include "kernel/cuckoo_loops.inc"
const tms_cuckoo_kernel tms_cuckoo_avx2 = CUCKOO_TABLE("narrow, avx2");
#include "kernel/cuckoo_loops_end.inc"

#undef CUCKOO_VECTOR
#undef CUCKOO_AVX2

#endif
