/* hash_siphash.c - SipHash-2-4, the keyed hash for keys that an enemy chooses.
 *
 * Without the secret nobody can find keys that collide or that fill a filter
 * faster than others. The secret stays in memory: files carry its fingerprint,
 * by which two filters know that they were hashed alike. The fingerprint is one
 * value of the keyed function: it serves to check a guess of the secret, which
 * is hopeless against 16 random bytes, and tells nothing about other values.
 *
 * libsodium does the work. Its SipHash is plain code without global state, so
 * sodium_init is not needed (hash_sha256.c says more).                        */
#include "base/endian.h"
#include "hash/hash_builtin.h"

#ifdef TMS_HAVE_SODIUM
#include <sodium/crypto_shorthash_siphash24.h>
#include <string.h>

static uint64_t siphash_24(const void *key, size_t len, const uint8_t secret[16])
{
    uint8_t out[crypto_shorthash_siphash24_BYTES];
    crypto_shorthash_siphash24(out, key, len, secret);
    return tms_load64(out);
}

/* 0 stands for "no secret" wherever a fingerprint is stored. */
static uint64_t siphash_fingerprint(const uint8_t secret[16])
{
    static const char text[] = "tamis secret fingerprint";
    const uint64_t value = siphash_24(text, sizeof text - 1, secret);
    return value ? value : 1;
}

/* The fingerprint is that of the secret alone: filters with the same secret
 * and different seeds disagree in the seed, and are told so. */
static void siphash_take_secret(tms_hasher *hasher, const uint8_t secret[16])
{
    memcpy(hasher->key, secret, sizeof hasher->key);
    tms_store64(hasher->key, tms_load64(secret) ^ hasher->seed);
    hasher->fingerprint = siphash_fingerprint(secret);
}

static uint64_t siphash_digest(const tms_hasher *hasher, const void *key, size_t len)
{
    return siphash_24(key, len, hasher->key);
}

const tms_hash_builtin tms_hash_siphash = {.id = TAMIS_HASH_SIPHASH,
                                           .name = "siphash",
                                           .width = 64,
                                           .library = "libsodium",
                                           .digest = siphash_digest,
                                           .take_secret = siphash_take_secret};
#else
const tms_hash_builtin tms_hash_siphash = {
    .id = TAMIS_HASH_SIPHASH, .name = "siphash", .width = 64, .library = "libsodium"};
#endif
