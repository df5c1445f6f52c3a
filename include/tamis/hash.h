/* hash.h - the hashes that turn a key into its 64-bit digest.
 *
 * A filter hashes each key once; everything else works on the digest. The
 * hash is named by a number, which is stored in files, and by a word, which
 * people type. XXH3 is the right choice for keys that nobody chose in order to
 * do harm; SipHash with a secret for keys that somebody might. The others are
 * there to agree with hashes that you have already.
 *
 *   id  name         bits  library    how the seed enters
 *    1  xxh3          64   xxHash     as XXH3's own seed
 *    2  murmur3-32    32   -          its low 32 bits, as the seed of x86_32
 *    3  murmur3-128   64   -          in both halves of x64_128; h1 is the digest
 *    4  murmur64a     64   -          as MurmurHash64A's own seed
 *    5  fnv1a         64   -          xor the offset basis
 *    6  sha256        64   libsodium  8 little-endian bytes before the key, unless 0
 *    7  siphash       64   libsodium  xor the first 8 bytes of the secret
 *
 * The digest of sha256 is its first 8 bytes, read little-endian. fnv1a and
 * every hash narrower than 64 bits go through a 64-bit mixer afterwards,
 * because filters take a key's place from the high bits. The mixer adds no
 * information: a narrow hash has fewer digests, and the planner counts with
 * that (see tamis_hash_width).
 *
 * Make a secret of 16 random bytes. It is never written to a file; a
 * fingerprint of it is, so that filters of different secrets are told apart,
 * and against that anybody who has the file can check a guess.
 *
 * Threads: every call here may be made by any thread at any time.            */
#ifndef TAMIS_HASH_H
#define TAMIS_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/export.h>
#include <tamis/status.h>

TAMIS_BEGIN

/* Ids are on the wire: append, never renumber, never reuse.                  */
enum {
    TAMIS_HASH_CHOOSE = 0, /* in a request: xxh3, or siphash when there is a secret */
    TAMIS_HASH_XXH3 = 1,
    TAMIS_HASH_MURMUR3_32 = 2,
    TAMIS_HASH_MURMUR3_128 = 3,
    TAMIS_HASH_MURMUR64A = 4,
    TAMIS_HASH_FNV1A = 5,
    TAMIS_HASH_SHA256 = 6,
    TAMIS_HASH_SIPHASH = 7,
    TAMIS_HASH_USER = 1000 /* this id and all above it belong to callers */
};

enum {
    TAMIS_HASH_SECRET_BYTES = 16, /* size of every secret */
    TAMIS_HASH_NAME_MAX = 47,     /* bytes of a registered name, without the 0 */
    TAMIS_HASH_USER_MAX = 64      /* hashes that one process can register */
};

/** A hash of your own.
 *
 *  `hash` gets the key, the filter's seed and `ctx`, and returns a value whose
 *  low `width_bits` bits count. It must be a function of key, seed and what
 *  `ctx` held at registration: a filter made with it is wrong as soon as the
 *  values change. It is called by many threads at once, also with len 0, and
 *  then `key` may be NULL. With 64 bits its value is the digest as it is, so
 *  its high bits must be as good as its low ones; a narrower one is masked to
 *  its width and mixed.
 *
 *  A file stores the id and the name. Whoever opens it registers the same function
 *  under the same id first.                                                  */
typedef struct tamis_hash_definition {
    uint32_t id;         /* TAMIS_HASH_USER or above */
    const char *name;    /* 1 to TAMIS_HASH_NAME_MAX bytes of printable ASCII, no space */
    uint32_t width_bits; /* 1 to 64: how many low bits of the value are hash */
    uint64_t (*hash)(const void *key, size_t len, uint64_t seed, void *ctx);
    void *ctx; /* handed to every call; must live as long as the process uses the hash */
} tamis_hash_definition;

/** Makes a hash of your own known to this process, for good: there is no
 *  unregistering, because filters may hold it. The struct and the name are
 *  copied; `ctx` is not, and stays yours. Registering the same definition
 *  again is TAMIS_OK and changes nothing.
 *  Errors: TAMIS_E_SPEC (NULL, an id below TAMIS_HASH_USER, an unusable name or
 *  width, an id or a name that another hash has), TAMIS_E_LIMIT (there are
 *  TAMIS_HASH_USER_MAX already). On failure nothing is registered.
 *  Cost: a lock and a short search; no memory is allocated. Any thread.      */
TAMIS_API tamis_status tamis_register_hash(const tamis_hash_definition *definition);

/** The word for a hash, for example "xxh3": the same in files, texts, command
 *  line and bindings. NULL for an id that is neither built in nor registered;
 *  a built-in hash keeps its name in a library built without it.
 *  The text belongs to the library and stays valid. Cost: a short search. Any
 *  thread.                                                                   */
TAMIS_API const char *tamis_hash_name(uint32_t id);

/** The id of the hash with exactly this name, or 0 when there is none (or for
 *  NULL). Cost: a short search. Any thread.                                  */
TAMIS_API uint32_t tamis_hash_id(const char *name);

/** How many bits of the digest are information: 2^width keys is where a filter
 *  can no longer tell keys apart, however large it is. 0 for an unknown id.
 *  Cost: a short search. Any thread.                                         */
TAMIS_API uint32_t tamis_hash_width(uint32_t id);

/** True if filters can use this hash here and now: it is built in or
 *  registered, and the library it needs was there at build time. False for 0.
 *  Cost: a short search. Any thread.                                         */
TAMIS_API bool tamis_hash_available(uint32_t id);

/** Every hash known here: the built-in ones, available or not, then the
 *  registered ones in the order of registration. Writes at most `room` ids
 *  (`ids` may be NULL when room is 0) and returns how many there are. Never
 *  fails. Any thread.                                                        */
TAMIS_API size_t tamis_hash_list(uint32_t *ids, size_t room);

/** The digest of one key, without a filter: the value that a filter with this
 *  hash, seed and secret would use. `id` 0 chooses as a filter does. `secret`
 *  is TAMIS_HASH_SECRET_BYTES bytes for siphash and NULL for all others; it is
 *  read, never kept. `key` may be NULL when len is 0.
 *  Errors, with *digest as it was: TAMIS_E_SPEC (unknown id, a secret for a
 *  hash that takes none, a NULL where there must be none), TAMIS_E_SECRET
 *  (siphash without a secret), TAMIS_E_UNAVAILABLE (not built in, or not
 *  registered in this process).
 *  Cost: the hash, and the looking up of the id; for many keys make a filter
 *  and use tamis_hash or tamis_hash_many. Any thread.                        */
TAMIS_API tamis_status tamis_hash_bytes(uint32_t id, uint64_t seed, const uint8_t *secret,
                                        const void *key, size_t len, uint64_t *digest);

TAMIS_END

#endif
