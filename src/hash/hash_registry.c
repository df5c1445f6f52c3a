/* hash_registry.c - every hash under one id and one name, and hashers made
 * from them.
 *
 * Two tables: the built-in hashes, constant, one row from each hash file; and
 * the callers' hashes, a fixed array that only grows. An entry is complete
 * before the count that shows it is stored with release, and never changes
 * afterwards, so readers need no lock; writers take one.                      */
#include "base/bits.h"
#include "base/fail.h"
#include "hash/hash_builtin.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

typedef struct hash_user {
    tamis_hash_definition definition; /* its name points to `name` below */
    char name[TAMIS_HASH_NAME_MAX + 1];
} hash_user;

static hash_user hash_users[TAMIS_HASH_USER_MAX];
static atomic_size_t hash_user_count;
static pthread_mutex_t hash_user_lock = PTHREAD_MUTEX_INITIALIZER;

static const tms_hash_builtin *const hash_builtins[] = {
    &tms_hash_xxh3,  &tms_hash_murmur3_32, &tms_hash_murmur3_128, &tms_hash_murmur64a,
    &tms_hash_fnv1a, &tms_hash_sha256,     &tms_hash_siphash,
};

enum { HASH_BUILTINS = sizeof hash_builtins / sizeof hash_builtins[0] };

static const tms_hash_builtin *hash_find_builtin(uint32_t id)
{
    for (size_t i = 0; i < HASH_BUILTINS; i++)
        if (hash_builtins[i]->id == id) return hash_builtins[i];
    return NULL;
}

static size_t hash_users_known(void)
{
    return atomic_load_explicit(&hash_user_count, memory_order_acquire);
}

static const hash_user *hash_find_user(uint32_t id)
{
    const size_t n = hash_users_known();
    for (size_t i = 0; i < n; i++)
        if (hash_users[i].definition.id == id) return &hash_users[i];
    return NULL;
}

/* ---- questions -------------------------------------------------------------- */

const char *tamis_hash_name(uint32_t id)
{
    const tms_hash_builtin *builtin = hash_find_builtin(id);
    if (builtin) return builtin->name;
    const hash_user *user = hash_find_user(id);
    return user ? user->name : NULL;
}

uint32_t tamis_hash_id(const char *name)
{
    if (!name) return 0;
    for (size_t i = 0; i < HASH_BUILTINS; i++)
        if (strcmp(hash_builtins[i]->name, name) == 0) return hash_builtins[i]->id;
    const size_t n = hash_users_known();
    for (size_t i = 0; i < n; i++)
        if (strcmp(hash_users[i].name, name) == 0) return hash_users[i].definition.id;
    return 0;
}

uint32_t tamis_hash_width(uint32_t id)
{
    const tms_hash_builtin *builtin = hash_find_builtin(id);
    if (builtin) return builtin->width;
    const hash_user *user = hash_find_user(id);
    return user ? user->definition.width_bits : 0;
}

bool tamis_hash_available(uint32_t id)
{
    const tms_hash_builtin *builtin = hash_find_builtin(id);
    return builtin ? builtin->digest != NULL : hash_find_user(id) != NULL;
}

size_t tamis_hash_list(uint32_t *ids, size_t room)
{
    const size_t users = hash_users_known();
    for (size_t i = 0; i < HASH_BUILTINS && i < room; i++) ids[i] = hash_builtins[i]->id;
    for (size_t i = 0; i < users && HASH_BUILTINS + i < room; i++)
        ids[HASH_BUILTINS + i] = hash_users[i].definition.id;
    return HASH_BUILTINS + users;
}

/* ---- registration ------------------------------------------------------------ */

static bool hash_name_usable(const char *name)
{
    if (!name) return false;
    size_t n = 0;
    for (; name[n]; n++)
        if (n == TAMIS_HASH_NAME_MAX || name[n] < '!' || name[n] > '~') return false;
    return n > 0;
}

static bool hash_same_definition(const tamis_hash_definition *a, const tamis_hash_definition *b)
{
    return a->id == b->id && a->width_bits == b->width_bits && a->hash == b->hash &&
           a->ctx == b->ctx && strcmp(a->name, b->name) == 0;
}

static tamis_status hash_check_definition(const tamis_hash_definition *d)
{
    if (!d) return tms_fail(TAMIS_E_SPEC, "there is no hash to register: the definition is NULL");
    if (d->id < TAMIS_HASH_USER)
        return tms_fail(TAMIS_E_SPEC,
                        "hash id %u belongs to the library; take one from %d to 4294967295",
                        (unsigned)d->id, (int)TAMIS_HASH_USER);
    if (!hash_name_usable(d->name))
        return tms_fail(TAMIS_E_SPEC,
                        "the name of hash %u must be 1 to %d printable ASCII characters "
                        "without spaces",
                        (unsigned)d->id, (int)TAMIS_HASH_NAME_MAX);
    if (!d->hash) return tms_fail(TAMIS_E_SPEC, "hash %s has no function", d->name);
    if (d->width_bits < 1 || d->width_bits > 64)
        return tms_fail(TAMIS_E_SPEC,
                        "hash %s declares a width of %u bits; 1 to 64 are possible, and a wider "
                        "hash gives its best 64",
                        d->name, (unsigned)d->width_bits);
    return TAMIS_OK;
}

/* Under the lock. */
static tamis_status hash_append(const tamis_hash_definition *d)
{
    const hash_user *holder = hash_find_user(d->id);
    if (holder && hash_same_definition(&holder->definition, d)) return TAMIS_OK;
    if (holder)
        return tms_fail(TAMIS_E_SPEC,
                        "hash id %u is already registered as %s with another definition; take "
                        "another id",
                        (unsigned)d->id, holder->name);
    const uint32_t namesake = tamis_hash_id(d->name);
    if (namesake)
        return tms_fail(TAMIS_E_SPEC,
                        "the name %s already belongs to hash %u; take another name for %u", d->name,
                        (unsigned)namesake, (unsigned)d->id);
    const size_t n = hash_users_known();
    if (n == TAMIS_HASH_USER_MAX)
        return tms_fail(TAMIS_E_LIMIT,
                        "hash %s finds no room: %d hashes are registered, and that is the most "
                        "one process can have",
                        d->name, (int)TAMIS_HASH_USER_MAX);
    hash_user *entry = &hash_users[n];
    memcpy(entry->name, d->name, strlen(d->name) + 1);
    entry->definition = *d;
    entry->definition.name = entry->name;
    atomic_store_explicit(&hash_user_count, n + 1, memory_order_release);
    return TAMIS_OK;
}

tamis_status tamis_register_hash(const tamis_hash_definition *definition)
{
    TMS_TRY(hash_check_definition(definition));
    pthread_mutex_lock(&hash_user_lock);
    const tamis_status status = hash_append(definition);
    pthread_mutex_unlock(&hash_user_lock);
    return status;
}

/* ---- hashers ----------------------------------------------------------------- */

/* Bits above the declared width are dropped before mixing, so that the width
 * the planner counts with is true whatever the caller's function returns. */
static uint64_t hash_user_digest(const tms_hasher *hasher, const void *key, size_t len)
{
    const tamis_hash_definition *d = &((const hash_user *)hasher->user)->definition;
    const uint64_t raw = d->hash(key, len, hasher->seed, d->ctx);
    return d->width_bits == 64 ? raw : tms_mix64(raw & (((uint64_t)1 << d->width_bits) - 1));
}

static tamis_status hash_fail_unknown(uint32_t id)
{
    if (id >= TAMIS_HASH_USER)
        return tms_fail(TAMIS_E_UNAVAILABLE,
                        "hash %u is not registered in this process; call tamis_register_hash "
                        "with it first",
                        (unsigned)id);
    return tms_fail(TAMIS_E_SPEC,
                    "hash %u is not known; this library has 1 to %d, and callers register theirs "
                    "from %d up",
                    (unsigned)id, (int)HASH_BUILTINS, (int)TAMIS_HASH_USER);
}

static tamis_status hash_fail_surplus_secret(const char *name)
{
    return tms_fail(TAMIS_E_SPEC,
                    "hash %s takes no secret; choose siphash for keyed hashing, or leave the "
                    "secret out",
                    name);
}

static tamis_status hash_init_builtin(tms_hasher *hasher, const tms_hash_builtin *builtin,
                                      const uint8_t *secret)
{
    if (!builtin->digest)
        return tms_fail(TAMIS_E_UNAVAILABLE,
                        "hash %s needs %s, and this library was built without it; rebuild with "
                        "%s, or choose a hash that needs nothing, such as xxh3",
                        builtin->name, builtin->library, builtin->library);
    if (builtin->take_secret && !secret)
        return tms_fail(TAMIS_E_SECRET,
                        "hash %s needs a secret of 16 bytes; give one, or choose a hash without "
                        "a key, such as xxh3",
                        builtin->name);
    if (!builtin->take_secret && secret) return hash_fail_surplus_secret(builtin->name);
    hasher->digest = builtin->digest;
    hasher->width = builtin->width;
    hasher->keyed = secret != NULL;
    if (secret) builtin->take_secret(hasher, secret);
    return TAMIS_OK;
}

static tamis_status hash_init_user(tms_hasher *hasher, const hash_user *user, const uint8_t *secret)
{
    if (secret) return hash_fail_surplus_secret(user->name);
    hasher->digest = hash_user_digest;
    hasher->width = user->definition.width_bits;
    hasher->user = user;
    return TAMIS_OK;
}

tamis_status tms_hasher_init(tms_hasher *hasher, uint32_t id, uint64_t seed, const uint8_t *secret)
{
    if (id == TAMIS_HASH_CHOOSE) id = secret ? TAMIS_HASH_SIPHASH : TAMIS_HASH_XXH3;
    tms_hasher made = {.id = id, .seed = seed};
    const tms_hash_builtin *builtin = hash_find_builtin(id);
    const hash_user *user = builtin ? NULL : hash_find_user(id);
    if (builtin)
        TMS_TRY(hash_init_builtin(&made, builtin, secret));
    else if (user)
        TMS_TRY(hash_init_user(&made, user, secret));
    else
        return hash_fail_unknown(id);
    *hasher = made;
    return TAMIS_OK;
}

tamis_status tamis_hash_bytes(uint32_t id, uint64_t seed, const uint8_t *secret, const void *key,
                              size_t len, uint64_t *digest)
{
    if (!digest) return tms_fail(TAMIS_E_SPEC, "there is no place for the digest: it is NULL");
    if (!key && len)
        return tms_fail(TAMIS_E_SPEC, "a key of %llu bytes cannot be NULL; only an empty one can",
                        (unsigned long long)len);
    tms_hasher hasher;
    TMS_TRY(tms_hasher_init(&hasher, id, seed, secret));
    *digest = tms_hasher_digest(&hasher, key, len);
    return TAMIS_OK;
}
