/* hash_sha256.c - SHA-256, for agreement with systems that hash that way.
 *
 * libsodium does the work. Its SHA-256 is plain code without global state, so
 * sodium_init is not needed; that call would also choose implementations and
 * open the random generator, which no hash here uses. Built without libsodium
 * the row stays, with its name and without a function.
 *
 * An attacker can search for colliding 64-bit digests of any hash without a
 * key, this one included: for hostile keys there is siphash.                  */
#include "base/endian.h"
#include "hash/hash_builtin.h"

#ifdef TMS_HAVE_SODIUM
#include <sodium/crypto_hash_sha256.h>

static uint64_t sha256_digest(const tms_hasher *hasher, const void *key, size_t len)
{
    crypto_hash_sha256_state state;
    uint8_t out[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_init(&state);
    if (hasher->seed != 0) {
        uint8_t prefix[8];
        tms_store64(prefix, hasher->seed);
        crypto_hash_sha256_update(&state, prefix, sizeof prefix);
    }
    crypto_hash_sha256_update(&state, key, len);
    crypto_hash_sha256_final(&state, out);
    return tms_load64(out);
}

const tms_hash_builtin tms_hash_sha256 = {.id = TAMIS_HASH_SHA256,
                                          .name = "sha256",
                                          .width = 64,
                                          .library = "libsodium",
                                          .digest = sha256_digest};
#else
const tms_hash_builtin tms_hash_sha256 = {
    .id = TAMIS_HASH_SHA256, .name = "sha256", .width = 64, .library = "libsodium"};
#endif
