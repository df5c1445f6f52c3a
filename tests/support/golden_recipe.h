/* golden_recipe.h - how each file of tests/golden/native is made: spec, keys and
 * what is done to the filter afterwards.
 *
 * tests/golden/native/make_golden.c writes the files from these recipes once;
 * tests/unit/test_golden.c rebuilds every filter from them and compares bytes.
 * Uses the public headers only. A recipe of a released format never changes: new
 * cases are appended. What the files hold is in their manifest, not here.    */
#ifndef TESTS_GOLDEN_RECIPE_H
#define TESTS_GOLDEN_RECIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/file.h>

/* Which bytes are key number i. */
typedef enum golden_rule {
    GOLDEN_TEXT,    /* "key_" and i in decimal                                     */
    GOLDEN_U64,     /* the integer i * 0x100000001, as its 8 little-endian bytes   */
    GOLDEN_LENGTHS, /* i bytes, byte j being (31 j + i) mod 256: every length once */
    GOLDEN_WORDS,   /* golden_words[i]: the empty key, binary, Unicode             */
    GOLDEN_CROWDS   /* integers in every density, see golden_crowd                 */
} golden_rule;

enum { GOLDEN_KEY_MAX = 2048, GOLDEN_WORD_COUNT = 16, GOLDEN_ABSENT_COUNT = 10000 };

typedef enum golden_with { GOLDEN_ALONE, GOLDEN_MERGED, GOLDEN_INTERSECTED } golden_with;

/* Keys number first .. first + count - 1 of a rule. */
typedef struct golden_range {
    uint64_t first, count;
} golden_range;

typedef struct golden_recipe {
    const char *name; /* of the file, without .tamis */
    const char *why;
    tamis_spec spec;
    golden_rule rule;
    golden_range keys;
    golden_range removed;     /* of these keys the last ones, removed after the adding   */
    size_t metadata_bytes;    /* byte i being (131 i + 1) mod 256                        */
    uint64_t fold;            /* 0, or the factor of tamis_fold after the adding         */
    golden_with with;         /* a second filter of the same spec, but for its capacity  */
    uint64_t second_capacity; /* 0: the same                                             */
    golden_range second_keys;
    uint32_t transport;
} golden_recipe;

extern const golden_recipe golden_recipes[];
extern const size_t golden_recipe_count;

/* The secret of every keyed golden file: bytes 0, 1 .. 15, as in the vectors
 * published with SipHash. */
extern const uint8_t golden_secret[16];

extern const tamis_span golden_words[GOLDEN_WORD_COUNT];
extern const char *const golden_rule_names[];

/* Writes key number i and returns its size. */
size_t golden_key(golden_rule rule, uint64_t i, uint8_t key[GOLDEN_KEY_MAX]);

/* Writes "absent_" and i, the keys that false positives are counted among. */
size_t golden_absent(uint64_t i, uint8_t key[GOLDEN_KEY_MAX]);

/* The keys that the finished filter must contain. */
golden_range golden_present(const golden_recipe *recipe);

/* Builds the filter; free it with tamis_free. */
tamis_status golden_build(const golden_recipe *recipe, tamis_filter **out);

#endif
