/* hash_fnv1a.c - FNV-1a with 64 bits (Fowler, Noll, Vo).
 *
 * One multiplication a byte, and the last bytes hardly reach the high bits:
 * keys that differ at the end get neighbouring values. Filters take a key's
 * place from the high bits, so the digest is mixed.                           */
#include "base/bits.h"
#include "hash/hash_builtin.h"
#include "hash/hash_raw.h"

uint64_t tms_fnv1a_64(const void *key, size_t len, uint64_t seed)
{
    const uint8_t *p = key;
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ seed;
    for (size_t i = 0; i < len; i++) h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t fnv1a_digest(const tms_hasher *hasher, const void *key, size_t len)
{
    return tms_mix64(tms_fnv1a_64(key, len, hasher->seed));
}

const tms_hash_builtin tms_hash_fnv1a = {
    .id = TAMIS_HASH_FNV1A, .name = "fnv1a", .width = 64, .digest = fnv1a_digest};
