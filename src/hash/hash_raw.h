/* hash_raw.h - the published hash functions by their own names and seeds.
 *
 * Raw values, exactly as the authors' code gives them: no mixing, no choice.
 * Digests for filters come from hasher.h; this header is for formats that
 * prescribe one of these functions, and for the tests of the vectors. SHA-256
 * and SipHash, which a build may lack, are reached through a hasher only: their
 * digests are the published values.
 *
 * Every function is pure and takes key[0..len), where key may be NULL when len
 * is 0. They read little-endian on every machine.                             */
#ifndef TMS_HASH_HASH_RAW_H
#define TMS_HASH_HASH_RAW_H

#include <stddef.h>
#include <stdint.h>

uint64_t tms_xxh3_64(const void *key, size_t len, uint64_t seed);

uint32_t tms_murmur3_x86_32(const void *key, size_t len, uint32_t seed);

/* out[0] is h1, out[1] is h2. The published function has a 32-bit seed; a
 * larger one fills both halves of the state in the same way. */
void tms_murmur3_x64_128(const void *key, size_t len, uint64_t seed, uint64_t out[2]);

uint64_t tms_murmur64a(const void *key, size_t len, uint64_t seed);
uint32_t tms_murmur2_32(const void *key, size_t len, uint32_t seed);

/* The seed is xored into the offset basis; 0 is plain FNV-1a. */
uint64_t tms_fnv1a_64(const void *key, size_t len, uint64_t seed);

#endif
