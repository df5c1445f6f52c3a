/* test_hash_vectors.c - every published vector, as the raw function and as the
 * digest a filter takes from it.
 *
 * Vectors are read from TAMIS_TEST_DATA "/hash"; the README there explains the
 * columns. Hashes that this build lacks are passed over.                      */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/hash.h>

#include "base/bits.h"
#include "base/endian.h"
#include "hash/hash_raw.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* ---- reading ------------------------------------------------------------------ */

enum { KEY_ROOM = 1 << 20 };
static uint8_t key_bytes[KEY_ROOM];

enum { LINE_ROOM = 1024 };

typedef struct vector {
    size_t len; /* of key_bytes */
    uint64_t seed;
    uint8_t secret[16]; /* siphash only              */
    uint8_t output[32]; /* in the order of the file  */
    size_t output_bytes;
} vector;

static unsigned hex_digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static size_t hex_bytes(const char *hex, uint8_t *out, size_t room)
{
    const size_t n = strlen(hex) / 2;
    assert_true(n <= room);
    for (size_t i = 0; i < n && i < room; i++)
        out[i] = (uint8_t)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
    return n;
}

static void make_xxhash_buffer(size_t n)
{
    uint64_t g = UINT64_C(2654435761);
    for (size_t i = 0; i < n; i++) {
        key_bytes[i] = (uint8_t)(g >> 56);
        g *= UINT64_C(11400714785074694797);
    }
}

static size_t make_input(const char *input)
{
    const char *rest = input + 2;
    if (input[0] == 'h') return hex_bytes(rest, key_bytes, KEY_ROOM);
    if (input[0] == 's') {
        memcpy(key_bytes, rest, strlen(rest));
        return strlen(rest);
    }
    const size_t n = strtoul(rest, NULL, 10);
    assert_true(n <= KEY_ROOM);
    for (size_t i = 0; i < n; i++) key_bytes[i] = (uint8_t)(input[0] == 'a' ? 'a' : 31 * i + 7);
    if (input[0] == 'x') make_xxhash_buffer(n);
    return n;
}

/* ---- the functions ------------------------------------------------------------ */

/* Each writes its result as little-endian words, which is what smhasher hashes
 * again, and returns how many bytes that is. */
static size_t raw_xxh3(size_t len, uint64_t seed, uint8_t *out)
{
    tms_store64(out, tms_xxh3_64(key_bytes, len, seed));
    return 8;
}

static size_t raw_murmur3_32(size_t len, uint64_t seed, uint8_t *out)
{
    tms_store32(out, tms_murmur3_x86_32(key_bytes, len, (uint32_t)seed));
    return 4;
}

static size_t raw_murmur3_128(size_t len, uint64_t seed, uint8_t *out)
{
    uint64_t h[2];
    tms_murmur3_x64_128(key_bytes, len, seed, h);
    tms_store64(out, h[0]);
    tms_store64(out + 8, h[1]);
    return 16;
}

static size_t raw_murmur64a(size_t len, uint64_t seed, uint8_t *out)
{
    tms_store64(out, tms_murmur64a(key_bytes, len, seed));
    return 8;
}

static size_t raw_fnv1a(size_t len, uint64_t seed, uint8_t *out)
{
    tms_store64(out, tms_fnv1a_64(key_bytes, len, seed));
    return 8;
}

/* From the published result, as bytes in the order of the file, to the digest. */
static uint64_t rule_plain(const uint8_t *output)
{
    uint64_t x = 0;
    for (size_t i = 0; i < 8; i++) x = x << 8 | output[i];
    return x;
}

static uint64_t rule_mixed(const uint8_t *output)
{
    return tms_mix64(rule_plain(output));
}

static uint64_t rule_narrow(const uint8_t *output)
{
    return tms_mix64(rule_plain(output) >> 32);
}

static uint64_t rule_little(const uint8_t *output)
{
    return tms_load64(output);
}

typedef struct function {
    const char *why;
    const char *name; /* of the file and of the function column */
    size_t rows;      /* in the file: none may get lost         */
    uint32_t id;
    uint32_t code; /* smhasher's verification code, or 0 */
    size_t (*raw)(size_t len, uint64_t seed, uint8_t *out);
    uint64_t (*rule)(const uint8_t *output);
} function;

static const function functions[] = {
    {"as it is", "xxh3_64", 227, TAMIS_HASH_XXH3, 0x9a636405, raw_xxh3, rule_plain},
    {"32 bits, mixed", "murmur3_x86_32", 268, TAMIS_HASH_MURMUR3_32, 0xb0f57ee3, raw_murmur3_32,
     rule_narrow},
    {"h1 of 128", "murmur3_x64_128", 201, TAMIS_HASH_MURMUR3_128, 0x6384ba69, raw_murmur3_128,
     rule_plain},
    {"as it is", "murmur2_64a", 201, TAMIS_HASH_MURMUR64A, 0x1f0d3804, raw_murmur64a, rule_plain},
    {"weak high bits, mixed", "fnv1a_64", 67, TAMIS_HASH_FNV1A, 0, raw_fnv1a, rule_mixed},
    {"first 8 bytes, little-endian", "sha256", 33, TAMIS_HASH_SHA256, 0, NULL, rule_little},
    {"the key is the secret", "siphash24", 131, TAMIS_HASH_SIPHASH, 0, NULL, rule_plain},
};

/* ---- tests -------------------------------------------------------------------- */

/* The file writes each word big-endian. */
static void check_raw(const function *f, const vector *v, const char *line)
{
    uint8_t out[16];
    const size_t n = f->raw(v->len, v->seed, out);
    assert_int_equal(n, v->output_bytes);
    const size_t word = n == 4 ? 4 : 8;
    for (size_t i = 0; i < n; i++)
        if (out[i] != v->output[i / word * word + word - 1 - i % word])
            fail_msg("%s: the raw function differs for %s", f->why, line);
}

static void check_digest(const function *f, const vector *v, const char *line)
{
    const uint8_t *secret = f->id == TAMIS_HASH_SIPHASH ? v->secret : NULL;
    uint64_t digest = 0;
    assert_int_equal(tamis_hash_bytes(f->id, v->seed, secret, key_bytes, v->len, &digest),
                     TAMIS_OK);
    if (digest != f->rule(v->output))
        fail_msg("%s: the digest is %016" PRIx64 " for %s", f->why, digest, line);
}

static void check_row(const function *f, const char *line)
{
    char copy[LINE_ROOM], *columns[4];
    strcpy(copy, line);
    for (size_t i = 0; i < 4; i++) columns[i] = strtok(i == 0 ? copy : NULL, "\t\n");
    assert_non_null(columns[3]);
    assert_string_equal(columns[0], f->name);
    vector v = {.len = make_input(columns[2])};
    v.output_bytes = hex_bytes(columns[3], v.output, sizeof v.output);
    if (f->id == TAMIS_HASH_SIPHASH)
        assert_int_equal(hex_bytes(columns[1], v.secret, sizeof v.secret), sizeof v.secret);
    else if (columns[1][0] != '-')
        v.seed = strtoull(columns[1], NULL, 16);
    if (f->raw) check_raw(f, &v, line);
    check_digest(f, &v, line);
}

static size_t check_file(const function *f)
{
    char line[LINE_ROOM];
    snprintf(line, sizeof line, "%s/hash/%s.tsv", TAMIS_TEST_DATA, f->name);
    FILE *file = fopen(line, "r");
    if (!file) fail_msg("no file %s", line);
    size_t rows = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        check_row(f, line);
        rows++;
    }
    fclose(file);
    return rows;
}

static void published_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++)
        if (tamis_hash_available(functions[i].id))
            assert_int_equal(check_file(&functions[i]), functions[i].rows);
}

/* smhasher's code: the keys 0..i-1 under the seeds 256 - i, then the hash of all
 * results under 0, its first 4 bytes. */
static uint32_t verification_code(const function *f)
{
    uint8_t results[256 * 16], last[16];
    size_t n = 0;
    for (size_t i = 0; i < 256; i++) {
        for (size_t j = 0; j < i; j++) key_bytes[j] = (uint8_t)j;
        n += f->raw(i, 256 - i, results + n);
    }
    memcpy(key_bytes, results, n);
    f->raw(n, 0, last);
    return tms_load32(last);
}

static void verification_codes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(functions); i++)
        if (functions[i].code)
            assert_int_equal(verification_code(&functions[i]), functions[i].code);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_vectors),
        cmocka_unit_test(verification_codes),
    };
    return cmocka_run_group_tests_name("hash_vectors", tests, NULL, NULL);
}
