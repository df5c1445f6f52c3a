/* test_hash.c - the hash room: what id, seed and secret do, batches against
 * single calls, and the registry. test_hash_vectors.c has the published
 * vectors, test_hash_threads.c the registry under two threads.
 *
 * The tests of registration fill the process's registry and run last.         */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tamis/hash.h>

#include "base/bits.h"
#include "base/endian.h"
#include "hash/hash_builtin.h"
#include "hash/hash_raw.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint8_t SECRET[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* ---- rules ---------------------------------------------------------------------- */

static uint64_t digest_of(uint32_t id, uint64_t seed, const uint8_t *secret, const char *key)
{
    uint64_t digest = 0;
    assert_int_equal(tamis_hash_bytes(id, seed, secret, key, strlen(key), &digest), TAMIS_OK);
    return digest;
}

static const uint8_t *secret_for(uint32_t id)
{
    return id == TAMIS_HASH_SIPHASH ? SECRET : NULL;
}

/* Ids 1 to 7 that work in this build. */
static size_t working(uint32_t *ids)
{
    size_t n = 0;
    for (uint32_t id = 1; id <= TAMIS_HASH_SIPHASH; id++)
        if (tamis_hash_available(id)) ids[n++] = id;
    return n;
}

static void names_and_widths(void **state)
{
    (void)state;
    static const struct {
        uint32_t id;
        const char *name;
        uint32_t width;
    } rows[] = {
        {1, "xxh3", 64},  {2, "murmur3-32", 32}, {3, "murmur3-128", 64}, {4, "murmur64a", 64},
        {5, "fnv1a", 64}, {6, "sha256", 64},     {7, "siphash", 64},
    };
    uint32_t ids[8] = {0};
    assert_int_equal(tamis_hash_list(NULL, 0), 7);
    assert_int_equal(tamis_hash_list(ids, 2), 7);
    assert_int_equal(ids[2], 0);
    assert_int_equal(tamis_hash_list(ids, COUNT(ids)), 7);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(ids[i], rows[i].id);
        assert_string_equal(tamis_hash_name(rows[i].id), rows[i].name);
        assert_int_equal(tamis_hash_id(rows[i].name), rows[i].id);
        assert_int_equal(tamis_hash_width(rows[i].id), rows[i].width);
    }
    static const uint32_t strangers[] = {0, 8, 999, 1000, UINT32_MAX};
    for (size_t i = 0; i < COUNT(strangers); i++) {
        assert_null(tamis_hash_name(strangers[i]));
        assert_int_equal(tamis_hash_width(strangers[i]), 0);
        assert_false(tamis_hash_available(strangers[i]));
    }
    assert_int_equal(tamis_hash_id("XXH3"), 0);
    assert_int_equal(tamis_hash_id(""), 0);
    assert_int_equal(tamis_hash_id(NULL), 0);
}

static void choosing(void **state)
{
    (void)state;
    assert_int_equal(digest_of(0, 5, NULL, "key"), digest_of(TAMIS_HASH_XXH3, 5, NULL, "key"));
    tms_hasher hasher;
    assert_int_equal(tms_hasher_init(&hasher, 0, 5, NULL), TAMIS_OK);
    assert_int_equal(hasher.id, TAMIS_HASH_XXH3);
    assert_int_equal(hasher.fingerprint, 0);
    assert_false(hasher.keyed);
    if (!tamis_hash_available(TAMIS_HASH_SIPHASH)) return;
    assert_int_equal(tms_hasher_init(&hasher, 0, 5, SECRET), TAMIS_OK);
    assert_int_equal(hasher.id, TAMIS_HASH_SIPHASH);
    assert_true(hasher.keyed);
    assert_int_not_equal(hasher.fingerprint, 0);
}

static void seeds(void **state)
{
    (void)state;
    uint32_t ids[8];
    const size_t n = working(ids);
    for (size_t i = 0; i < n; i++) {
        const uint8_t *secret = secret_for(ids[i]);
        const uint64_t zero = digest_of(ids[i], 0, secret, "a key");
        for (unsigned bit = 0; bit < 64; bit++) {
            const uint64_t other = digest_of(ids[i], (uint64_t)1 << bit, secret, "a key");
            const bool seen = ids[i] != TAMIS_HASH_MURMUR3_32 || bit < 32;
            if ((other != zero) != seen) fail_msg("%s: seed bit %u", tamis_hash_name(ids[i]), bit);
        }
    }
    uint64_t both[2];
    tms_murmur3_x64_128("a key", 5, UINT64_C(0x123456789abcdef0), both);
    assert_int_equal(digest_of(3, UINT64_C(0x123456789abcdef0), NULL, "a key"), both[0]);
    assert_int_equal(tms_fnv1a_64("", 0, 3), UINT64_C(0xcbf29ce484222325) ^ 3);
}

/* Files and error texts carry the fingerprint: it must tell secrets apart, and
 * tell nothing else. */
static void fingerprints(void **state)
{
    (void)state;
    if (!tamis_hash_available(TAMIS_HASH_SIPHASH)) skip();
    tms_hasher plain, seeded, flipped;
    assert_int_equal(tms_hasher_init(&plain, 0, 0, SECRET), TAMIS_OK);
    assert_int_equal(tms_hasher_init(&seeded, 0, 77, SECRET), TAMIS_OK);
    assert_int_equal(plain.fingerprint, seeded.fingerprint);
    assert_int_equal(plain.fingerprint, digest_of(7, 0, SECRET, "tamis secret fingerprint"));
    assert_int_equal(tms_load64(seeded.key), tms_load64(SECRET) ^ 77);
    assert_memory_equal(seeded.key + 8, SECRET + 8, 8);
    for (unsigned bit = 0; bit < 128; bit++) {
        uint8_t other[16];
        memcpy(other, SECRET, 16);
        other[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(tms_hasher_init(&flipped, 0, 0, other), TAMIS_OK);
        const unsigned distance = tms_popcount64(flipped.fingerprint ^ plain.fingerprint);
        if (distance < 10 || distance > 54) fail_msg("secret bit %u moves %u bits", bit, distance);
        for (size_t at = 0; at <= 8; at++)
            assert_int_not_equal(flipped.fingerprint, tms_load64(other + at));
    }
}

/* FNV-1a and narrow hashes would crowd a filter's first lines without the
 * mixer: of 4096 keys that differ at the end, 16 share the top 8 bits on
 * average, and more than 50 do so by chance once in 10^10 times. */
static void high_bits_spread(void **state)
{
    (void)state;
    uint32_t ids[8];
    const size_t n = working(ids);
    for (size_t i = 0; i < n; i++) {
        unsigned crowd[256] = {0};
        for (unsigned k = 0; k < 4096; k++) {
            char key[16];
            sprintf(key, "user:%u", k);
            const size_t top = digest_of(ids[i], 0, secret_for(ids[i]), key) >> 56;
            if (++crowd[top] > 50) fail_msg("%s crowds %zu", tamis_hash_name(ids[i]), top);
        }
    }
}

/* ---- batches -------------------------------------------------------------------- */

enum { BATCH = 41, BATCH_LEN = 2500 };
static const size_t batch_lengths[] = {
    0,  1,  2,   3,   4,   5,   7,   8,   9,   15,  16,  17,  24,   31,   32,   33,   63,   64,  65,
    96, 97, 128, 129, 200, 239, 240, 241, 255, 256, 257, 512, 1023, 1024, 1025, 1088, 2048, 2367};
static uint8_t batch_bytes[BATCH * BATCH_LEN + 1];

static void fill_batch_bytes(void)
{
    uint64_t x = 1;
    for (size_t i = 0; i < sizeof batch_bytes; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        batch_bytes[i] = (uint8_t)(x >> 56);
    }
}

static void check_batch(const tms_hasher *h, const char *layout, const tamis_span *keys, size_t n,
                        const uint64_t *digests)
{
    for (size_t i = 0; i < n; i++)
        if (digests[i] != tms_hasher_digest(h, keys[i].data, keys[i].size))
            fail_msg("%s, seed %" PRIx64 ": key %zu of %zu, %zu bytes, as %s",
                     tamis_hash_name(h->id), h->seed, i, n, keys[i].size, layout);
}

/* Rows start at an odd address on purpose. */
static void batch_rows(const tms_hasher *h, size_t width, size_t n)
{
    tamis_span keys[BATCH];
    uint64_t digests[BATCH];
    for (size_t i = 0; i < n; i++) keys[i] = (tamis_span){batch_bytes + 1 + i * width, width};
    tms_hasher_digest_rows(h, batch_bytes + 1, width, n, digests, NULL);
    check_batch(h, "rows", keys, n, digests);
}

/* Key i has length batch_lengths[(first + i) % ..]: all lengths side by side. */
static void batch_mixed(const tms_hasher *h, size_t first, size_t n)
{
    tamis_span keys[BATCH];
    uint64_t digests[BATCH];
    int32_t offsets32[BATCH + 1] = {3};
    int64_t offsets64[BATCH + 1] = {3};
    for (size_t i = 0; i < n; i++) {
        const size_t size = batch_lengths[(first + i) % COUNT(batch_lengths)];
        keys[i] = (tamis_span){batch_bytes + offsets64[i], size};
        offsets64[i + 1] = offsets64[i] + (int64_t)size;
        offsets32[i + 1] = (int32_t)offsets64[i + 1];
    }
    tms_hasher_digest_spans(h, keys, n, digests, NULL);
    check_batch(h, "spans", keys, n, digests);
    memset(digests, 0, sizeof digests);
    tms_hasher_digest_offsets32(h, offsets32, batch_bytes, n, digests, NULL);
    check_batch(h, "offsets32", keys, n, digests);
    memset(digests, 0, sizeof digests);
    tms_hasher_digest_offsets64(h, offsets64, batch_bytes, n, digests, NULL);
    check_batch(h, "offsets64", keys, n, digests);
}

static void batch_u64s(const tms_hasher *h, size_t n)
{
    tamis_span keys[BATCH];
    uint64_t values[BATCH], digests[BATCH];
    uint8_t little[BATCH][8];
    for (size_t i = 0; i < n; i++) {
        values[i] = i < 4 ? i << 32 : tms_load64(batch_bytes + 9 * i);
        tms_store64(little[i], values[i]);
        keys[i] = (tamis_span){little[i], 8};
    }
    tms_hasher_digest_u64s(h, values, n, digests);
    check_batch(h, "u64s", keys, n, digests);
    tms_hasher_digest_u64s(h, values, n, values);
    check_batch(h, "u64s in place", keys, n, values);
}

static void batch_empty_without_bytes(const tms_hasher *h)
{
    const tamis_span keys[3] = {{NULL, 0}, {NULL, 0}, {NULL, 0}};
    const int32_t offsets32[4] = {0};
    const int64_t offsets64[4] = {0};
    uint64_t digests[3];
    tms_hasher_digest_spans(h, keys, 3, digests, NULL);
    check_batch(h, "spans of nothing", keys, 3, digests);
    tms_hasher_digest_rows(h, NULL, 0, 3, digests, NULL);
    check_batch(h, "rows of nothing", keys, 3, digests);
    tms_hasher_digest_offsets32(h, offsets32, NULL, 3, digests, NULL);
    check_batch(h, "offsets32 of nothing", keys, 3, digests);
    tms_hasher_digest_offsets64(h, offsets64, NULL, 3, digests, NULL);
    check_batch(h, "offsets64 of nothing", keys, 3, digests);
}

static void batch_all(const tms_hasher *h)
{
    static const size_t counts[] = {0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 24, BATCH};
    for (size_t c = 0; c < COUNT(counts); c++) {
        batch_u64s(h, counts[c]);
        for (size_t i = 0; i < COUNT(batch_lengths); i++)
            batch_rows(h, batch_lengths[i], counts[c]);
        for (size_t i = 0; i < COUNT(batch_lengths); i += 5) batch_mixed(h, i, counts[c]);
    }
    batch_empty_without_bytes(h);
}

static void batches(void **state)
{
    (void)state;
    static const uint64_t some_seeds[] = {0, 1, UINT64_C(0x9e3779b185ebca8d)};
    fill_batch_bytes();
    uint32_t ids[8];
    const size_t n = working(ids);
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < COUNT(some_seeds); s++) {
            tms_hasher h;
            assert_int_equal(tms_hasher_init(&h, ids[i], some_seeds[s], secret_for(ids[i])),
                             TAMIS_OK);
            batch_all(&h);
        }
}

/* The 8-byte loops are ours, not the library's: every level that runs here
 * against xxHash itself, for every seed bit. */
static void eight_byte_levels(void **state)
{
    (void)state;
    fill_batch_bytes();
    for (unsigned level = 0; level < TMS_XXH3_LEVELS; level++) {
        if (!tms_xxh3_level_runs(level)) continue;
        for (unsigned bit = 0; bit <= 64; bit++) {
            const uint64_t seed = bit < 64 ? (uint64_t)1 << bit : UINT64_C(0xfedcba9876543210);
            uint64_t digests[1000 + 1] = {0};
            tms_xxh3_eights_at(level, seed, batch_bytes + 1, 1000 - bit, digests);
            for (size_t i = 0; i < 1000 - bit; i++)
                if (digests[i] != tms_xxh3_64(batch_bytes + 1 + 8 * i, 8, seed))
                    fail_msg("level %u, seed %" PRIx64 ", key %zu", level, seed, i);
            assert_int_equal(digests[1000 - bit], 0);
        }
    }
    assert_false(tms_xxh3_level_runs(TMS_XXH3_LEVELS));
}

static void checksum(void **state)
{
    (void)state;
    assert_int_equal(tms_checksum(NULL, 0, 0), UINT64_C(0x2d06800538d394c2));
    assert_int_equal(tms_checksum("abc", 3, 9), tms_xxh3_64("abc", 3, 9));
}

/* ---- errors --------------------------------------------------------------------- */

static void expect_sentence(const char *why, tamis_status got, tamis_status expected,
                            const char *words)
{
    if (got != expected) fail_msg("%s: status %d, not %d", why, (int)got, (int)expected);
    if (!strstr(tamis_explain(), words)) fail_msg("%s: \"%s\"", why, tamis_explain());
}

typedef struct refusal {
    const char *why;
    uint32_t id;
    bool secret;
    tamis_status status;
    const char *words;
} refusal;

static const refusal refused_always[] = {
    {"next free number", 8, false, TAMIS_E_SPEC, "hash 8 is not known"},
    {"below the callers'", 999, false, TAMIS_E_SPEC, "hash 999 is not known"},
    {"not registered", 123456, false, TAMIS_E_UNAVAILABLE, "tamis_register_hash"},
    {"secret to xxh3", 1, true, TAMIS_E_SPEC, "hash xxh3 takes no secret"},
    {"secret to murmur", 2, true, TAMIS_E_SPEC, "hash murmur3-32 takes no secret"},
};
static const refusal refused_with_sodium[] = {
    {"secret to sha256", 6, true, TAMIS_E_SPEC, "hash sha256 takes no secret"},
    {"no secret", 7, false, TAMIS_E_SECRET, "hash siphash needs a secret of 16 bytes"},
};
static const refusal refused_without_sodium[] = {
    {"no sha256 here", 6, false, TAMIS_E_UNAVAILABLE, "hash sha256 needs libsodium"},
    {"no siphash here", 7, true, TAMIS_E_UNAVAILABLE, "hash siphash needs libsodium"},
    {"chosen, not here", 0, true, TAMIS_E_UNAVAILABLE, "hash siphash needs libsodium"},
};

static void expect_refusals(const refusal *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t digest = 42;
        const uint8_t *secret = rows[i].secret ? SECRET : NULL;
        expect_sentence(rows[i].why, tamis_hash_bytes(rows[i].id, 0, secret, "k", 1, &digest),
                        rows[i].status, rows[i].words);
        assert_int_equal(digest, 42);
        tms_hasher hasher = {.id = 42};
        assert_int_equal(tms_hasher_init(&hasher, rows[i].id, 0, secret), rows[i].status);
        assert_int_equal(hasher.id, 42);
    }
}

static void refusals(void **state)
{
    (void)state;
    expect_refusals(refused_always, COUNT(refused_always));
    if (tamis_hash_available(TAMIS_HASH_SIPHASH))
        expect_refusals(refused_with_sodium, COUNT(refused_with_sodium));
    else
        expect_refusals(refused_without_sodium, COUNT(refused_without_sodium));
    uint64_t digest;
    expect_sentence("NULL key", tamis_hash_bytes(1, 0, NULL, NULL, 3, &digest), TAMIS_E_SPEC,
                    "3 bytes");
    expect_sentence("NULL digest", tamis_hash_bytes(1, 0, NULL, "k", 1, NULL), TAMIS_E_SPEC,
                    "NULL");
    assert_int_equal(tamis_hash_bytes(1, 0, NULL, NULL, 0, &digest), TAMIS_OK);
}

/* ---- registration ----------------------------------------------------------------- */

static uint64_t user_hash(const void *key, size_t len, uint64_t seed, void *ctx)
{
    return tms_murmur64a(key, len, seed) ^ (ctx ? *(const uint64_t *)ctx : 0);
}
static uint64_t other_hash(const void *key, size_t len, uint64_t seed, void *ctx)
{
    return ~user_hash(key, len, seed, ctx);
}

static void registering(void **state)
{
    (void)state;
    static uint64_t ctx = 99;
    char name[] = "house-hash";
    const tamis_hash_definition good = {1000, name, 64, user_hash, &ctx};
    assert_int_equal(tamis_register_hash(&good), TAMIS_OK);
    assert_int_equal(tamis_register_hash(&good), TAMIS_OK);
    name[0] = 'm'; /* the registry has its own copy */
    assert_string_equal(tamis_hash_name(1000), "house-hash");
    assert_int_equal(tamis_hash_id("house-hash"), 1000);
    assert_int_equal(tamis_hash_id("mouse-hash"), 0);
    assert_int_equal(tamis_hash_width(1000), 64);
    assert_true(tamis_hash_available(1000));
    uint32_t ids[8];
    assert_int_equal(tamis_hash_list(ids, 8), 8);
    assert_int_equal(ids[7], 1000);
    assert_int_equal(digest_of(1000, 5, NULL, "key"), tms_murmur64a("key", 3, 5) ^ 99);
    uint64_t digest;
    expect_sentence("secret to a caller's hash", tamis_hash_bytes(1000, 0, SECRET, "k", 1, &digest),
                    TAMIS_E_SPEC, "hash house-hash takes no secret");
    tms_hasher h;
    assert_int_equal(tms_hasher_init(&h, 1000, 7, NULL), TAMIS_OK);
    batch_all(&h);
}

static void registration_refused(void **state)
{
    (void)state;
    const tamis_hash_definition first = {1001, "first", 64, user_hash, NULL};
    assert_int_equal(tamis_register_hash(&first), TAMIS_OK);
    const size_t before = tamis_hash_list(NULL, 0);
    static char long_name[TAMIS_HASH_NAME_MAX + 2];
    memset(long_name, 'n', TAMIS_HASH_NAME_MAX + 1);
    static uint64_t ctx;
    const struct {
        const char *why;
        tamis_hash_definition d;
        const char *words;
    } rows[] = {
        {"id 0", {0, "zero", 64, user_hash, NULL}, "id 0 belongs to the library"},
        {"id built in", {1, "one", 64, user_hash, NULL}, "id 1 belongs to the library"},
        {"id just below", {999, "below", 64, user_hash, NULL}, "id 999 belongs"},
        {"no name", {1002, NULL, 64, user_hash, NULL}, "name of hash 1002"},
        {"empty name", {1002, "", 64, user_hash, NULL}, "name of hash 1002"},
        {"space in name", {1002, "a b", 64, user_hash, NULL}, "name of hash 1002"},
        {"not ASCII", {1002, "h\xc3\xa4", 64, user_hash, NULL}, "name of hash 1002"},
        {"name too long", {1002, long_name, 64, user_hash, NULL}, "name of hash 1002"},
        {"no function", {1002, "none", 64, NULL, NULL}, "hash none has no function"},
        {"width 0", {1002, "w0", 0, user_hash, NULL}, "width of 0 bits"},
        {"width 65", {1002, "w65", 65, user_hash, NULL}, "width of 65 bits"},
        {"same id, new name", {1001, "second", 64, user_hash, NULL}, "already registered as first"},
        {"same id, new width", {1001, "first", 32, user_hash, NULL}, "already registered as first"},
        {"same id, new function", {1001, "first", 64, other_hash, NULL}, "another definition"},
        {"same id, new ctx", {1001, "first", 64, user_hash, &ctx}, "another definition"},
        {"name of a caller's",
         {1002, "first", 64, user_hash, NULL},
         "already belongs to hash 1001"},
        {"name built in", {1002, "siphash", 64, user_hash, NULL}, "already belongs to hash 7"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_sentence(rows[i].why, tamis_register_hash(&rows[i].d), TAMIS_E_SPEC, rows[i].words);
    expect_sentence("NULL", tamis_register_hash(NULL), TAMIS_E_SPEC, "NULL");
    assert_int_equal(tamis_hash_list(NULL, 0), before);
}

static uint64_t narrow_hash(const void *key, size_t len, uint64_t seed, void *ctx)
{
    (void)seed;
    (void)ctx;
    return UINT64_C(0xdead000000000000) | tms_murmur3_x86_32(key, len, 0); /* dirty high bits */
}

static void narrow_is_masked_and_mixed(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        uint32_t width;
        uint64_t mask;
    } rows[] = {
        {"narrow-1", 1, 1},
        {"narrow-24", 24, 0xffffff},
        {"narrow-32", 32, 0xffffffff},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const uint32_t id = 2000 + rows[i].width;
        const tamis_hash_definition d = {id, rows[i].name, rows[i].width, narrow_hash, NULL};
        assert_int_equal(tamis_register_hash(&d), TAMIS_OK);
        assert_int_equal(tamis_hash_width(id), rows[i].width);
        const uint64_t raw = tms_murmur3_x86_32("key", 3, 0) & rows[i].mask;
        assert_int_equal(digest_of(id, 0, NULL, "key"), tms_mix64(raw));
    }
    assert_int_equal(digest_of(2032, 0, NULL, "key"), digest_of(2, 0, NULL, "key"));
}

static void registry_full(void **state)
{
    (void)state;
    char name[32];
    tamis_hash_definition d = {5000, name, 64, user_hash, NULL};
    tamis_status status = TAMIS_OK;
    while (status == TAMIS_OK && d.id < 5100) {
        sprintf(name, "fill-%u", (unsigned)++d.id);
        status = tamis_register_hash(&d);
    }
    expect_sentence("one too many", status, TAMIS_E_LIMIT, "64");
    assert_int_equal(tamis_hash_list(NULL, 0), 7 + TAMIS_HASH_USER_MAX);
    assert_int_equal(tamis_hash_id(name), 0);
    sprintf(name, "fill-%u", (unsigned)--d.id);
    assert_int_equal(tamis_register_hash(&d), TAMIS_OK); /* known already: still fine */
    uint32_t ids[7 + TAMIS_HASH_USER_MAX];
    assert_int_equal(tamis_hash_list(ids, COUNT(ids)), COUNT(ids));
    for (size_t i = 0; i < COUNT(ids); i++)
        assert_int_equal(tamis_hash_id(tamis_hash_name(ids[i])), ids[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_widths), /* before anything is registered */
        cmocka_unit_test(choosing),
        cmocka_unit_test(seeds),
        cmocka_unit_test(fingerprints),
        cmocka_unit_test(high_bits_spread),
        cmocka_unit_test(batches),
        cmocka_unit_test(eight_byte_levels),
        cmocka_unit_test(checksum),
        cmocka_unit_test(refusals),
        cmocka_unit_test(registering),
        cmocka_unit_test(registration_refused),
        cmocka_unit_test(narrow_is_masked_and_mixed),
        cmocka_unit_test(registry_full), /* leaves no room: last */
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
