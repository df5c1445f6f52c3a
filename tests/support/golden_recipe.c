/* golden_recipe.c - see golden_recipe.h.                                     */
#include "support/golden_recipe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tamis/tamis.h>

const uint8_t golden_secret[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

#define WORD(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }

/* Neighbours differ in one bit, in a zero byte, in their normal form or in case. */
const tamis_span golden_words[GOLDEN_WORD_COUNT] = {
    {NULL, 0},
    WORD("\x00"),
    WORD("\x00\x00"),
    WORD("\x01"),
    WORD("\n"),
    WORD("\xff"),
    WORD("\xff\xff\xff\xff\xff\xff\xff\xff"),
    WORD("a"),
    WORD("a\x00"),
    WORD("A"),
    WORD("caf\xc3\xa9"),
    WORD("cafe\xcc\x81"),
    WORD("\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e"),
    WORD("\xf0\x9f\x8d\xb5"),
    WORD("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"),
    WORD("\x89TAMIS\n\x1a"),
};

const char *const golden_rule_names[] = {"text", "u64", "lengths", "words", "crowds"};

#define SEED UINT64_C(0x0123456789abcdef)
#define CLASSIC .kind = TAMIS_KIND_CLASSIC
#define BLOCKED .kind = TAMIS_KIND_BLOCKED
#define COUNTING .kind = TAMIS_KIND_COUNTING
#define CUCKOO .kind = TAMIS_KIND_CUCKOO
#define DLEFT .kind = TAMIS_KIND_DLEFT
#define SCALING .growth = TAMIS_GROWTH_SCALE
#define BITMAP .kind = TAMIS_KIND_BITMAP

const golden_recipe golden_recipes[] = {
    /* flat kinds */
    {.name = "classic",
     .why = "as most people make one",
     .spec = {CLASSIC, .capacity = 1000, .fpr = 0.01},
     .keys = {0, 1000}},
    {.name = "classic-seed",
     .why = "a seed in every byte",
     .spec = {CLASSIC, .capacity = 500, .fpr = 0.001, .seed = SEED},
     .keys = {0, 500}},
    {.name = "classic-strict",
     .why = "strict, filled to its capacity",
     .spec = {CLASSIC, .capacity = 100, .fpr = 0.02, .flags = TAMIS_STRICT},
     .keys = {0, 100}},
    {.name = "classic-never-exceed",
     .why = "sized for a rate that is never passed",
     .spec = {CLASSIC, .capacity = 300, .fpr = 0.01, .flags = TAMIS_NEVER_EXCEED},
     .keys = {0, 300}},
    {.name = "classic-tiny",
     .why = "ten keys at one in a million",
     .spec = {CLASSIC, .capacity = 10, .fpr = 1e-6},
     .keys = {0, 10}},
    {.name = "classic-one-hash",
     .why = "fewest hashes",
     .spec = {CLASSIC, .capacity = 200, .memory = 1024, .hashes = 1, .seed = 1},
     .keys = {0, 200}},
    {.name = "classic-64-hashes",
     .why = "most hashes",
     .spec = {CLASSIC, .capacity = 150, .memory = 576, .hashes = 64, .seed = UINT64_MAX},
     .keys = {0, 150}},
    {.name = "classic-memory",
     .why = "the rate follows from the memory",
     .spec = {CLASSIC, .capacity = 700, .memory = 1000},
     .keys = {0, 700}},
    {.name = "classic-overfull",
     .why = "three times as many keys as planned",
     .spec = {CLASSIC, .capacity = 100, .fpr = 0.05},
     .keys = {0, 300}},
    {.name = "classic-chunks",
     .why = "three chunks, the last one short",
     .spec = {CLASSIC, .capacity = 115000, .fpr = 0.01, .seed = 7},
     .keys = {0, 115000}},
    {.name = "blocked",
     .why = "as most people make one",
     .spec = {BLOCKED, .capacity = 1000, .fpr = 0.01},
     .keys = {0, 1000}},
    {.name = "blocked-seed",
     .why = "a seed in every byte",
     .spec = {BLOCKED, .capacity = 500, .fpr = 0.005, .seed = SEED},
     .keys = {0, 500}},
    {.name = "blocked-two-lines",
     .why = "two lines a key",
     .spec = {BLOCKED, .capacity = 1000, .fpr = 1e-3, .lines_per_key = 2, .seed = 2},
     .keys = {0, 1000}},
    {.name = "blocked-two-lines-low",
     .why = "two lines a key because the rate is low",
     .spec = {BLOCKED, .capacity = 400, .fpr = 1e-6},
     .keys = {0, 400}},
    {.name = "blocked-strict",
     .why = "strict, filled to its capacity",
     .spec = {BLOCKED, .capacity = 100, .fpr = 0.02, .flags = TAMIS_STRICT},
     .keys = {0, 100}},
    {.name = "blocked-never-exceed",
     .why = "sized for a rate that is never passed",
     .spec = {BLOCKED, .capacity = 300, .fpr = 0.01, .flags = TAMIS_NEVER_EXCEED},
     .keys = {0, 300}},
    {.name = "blocked-concurrent",
     .why = "concurrency is for each process to ask for",
     .spec = {BLOCKED, .capacity = 300, .fpr = 0.03, .flags = TAMIS_CONCURRENT},
     .keys = {0, 300}},
    {.name = "blocked-one-hash",
     .why = "fewest hashes",
     .spec = {BLOCKED, .capacity = 200, .memory = 1024, .hashes = 1, .seed = 3},
     .keys = {0, 200}},
    {.name = "blocked-8-hashes",
     .why = "most hashes: every lane",
     .spec = {BLOCKED, .capacity = 400, .memory = 1024, .hashes = 8, .seed = UINT64_MAX},
     .keys = {0, 400}},
    {.name = "blocked-chunks",
     .why = "two chunks, the last one short",
     .spec = {BLOCKED, .capacity = 60000, .fpr = 0.01, .seed = 7},
     .keys = {0, 60000}},
    /* keys */
    {.name = "classic-empty", .why = "no key", .spec = {CLASSIC, .capacity = 100, .fpr = 0.01}},
    {.name = "blocked-empty", .why = "no key", .spec = {BLOCKED, .capacity = 100, .fpr = 0.01}},
    {.name = "classic-one-key",
     .why = "one key, made for one",
     .spec = {CLASSIC, .capacity = 1, .fpr = 0.01},
     .keys = {0, 1}},
    {.name = "blocked-one-key",
     .why = "one key, made for one",
     .spec = {BLOCKED, .capacity = 1, .fpr = 0.01},
     .keys = {0, 1}},
    {.name = "classic-words",
     .why = "the empty key, binary, Unicode",
     .spec = {CLASSIC, .capacity = 16, .fpr = 1e-4},
     .rule = GOLDEN_WORDS,
     .keys = {0, GOLDEN_WORD_COUNT}},
    {.name = "blocked-words",
     .why = "the empty key, binary, Unicode",
     .spec = {BLOCKED, .capacity = 16, .fpr = 1e-3},
     .rule = GOLDEN_WORDS,
     .keys = {0, GOLDEN_WORD_COUNT}},
    {.name = "blocked-empty-key",
     .why = "the empty key alone",
     .spec = {BLOCKED, .capacity = 1, .fpr = 1e-3, .seed = SEED},
     .rule = GOLDEN_WORDS,
     .keys = {0, 1}},
    {.name = "classic-u64",
     .why = "integers",
     .spec = {CLASSIC, .capacity = 600, .fpr = 0.01, .seed = 5},
     .rule = GOLDEN_U64,
     .keys = {0, 600}},
    {.name = "blocked-u64",
     .why = "integers",
     .spec = {BLOCKED, .capacity = 600, .fpr = 0.01, .seed = 5},
     .rule = GOLDEN_U64,
     .keys = {0, 600}},
    {.name = "classic-lengths",
     .why = "every branch of XXH3, unseeded",
     .spec = {CLASSIC, .capacity = 1300, .fpr = 0.01},
     .rule = GOLDEN_LENGTHS,
     .keys = {0, 1300}},
    {.name = "blocked-lengths",
     .why = "every branch of XXH3, seeded",
     .spec = {BLOCKED, .capacity = 1300, .fpr = 0.01, .seed = SEED},
     .rule = GOLDEN_LENGTHS,
     .keys = {0, 1300}},
    /* hashes */
    {.name = "hash-murmur3-32",
     .why = "the seed's low half, mixed",
     .spec = {BLOCKED, .hash = TAMIS_HASH_MURMUR3_32, .capacity = 140, .fpr = 0.01, .seed = SEED},
     .rule = GOLDEN_LENGTHS,
     .keys = {0, 140}},
    {.name = "hash-murmur3-128",
     .why = "the seed in both halves",
     .spec = {CLASSIC, .hash = TAMIS_HASH_MURMUR3_128, .capacity = 140, .fpr = 0.01, .seed = SEED},
     .rule = GOLDEN_LENGTHS,
     .keys = {0, 140}},
    {.name = "hash-murmur64a",
     .why = "its own seed",
     .spec = {BLOCKED, .hash = TAMIS_HASH_MURMUR64A, .capacity = 140, .fpr = 0.01, .seed = SEED},
     .rule = GOLDEN_LENGTHS,
     .keys = {0, 140}},
    {.name = "hash-fnv1a",
     .why = "the offset basis xored, mixed",
     .spec = {CLASSIC, .hash = TAMIS_HASH_FNV1A, .capacity = 140, .fpr = 0.01, .seed = SEED},
     .rule = GOLDEN_LENGTHS,
     .keys = {0, 140}},
    {.name = "hash-fnv1a-u64",
     .why = "a hash that needs the mixer, with integers",
     .spec = {BLOCKED, .hash = TAMIS_HASH_FNV1A, .capacity = 140, .fpr = 0.01},
     .rule = GOLDEN_U64,
     .keys = {0, 140}},
    {.name = "hash-sha256",
     .why = "the seed hashed before the key",
     .spec = {BLOCKED, .hash = TAMIS_HASH_SHA256, .capacity = 140, .fpr = 0.01, .seed = SEED},
     .rule = GOLDEN_LENGTHS,
     .keys = {0, 140}},
    {.name = "hash-sha256-unseeded",
     .why = "seed 0: nothing before the key",
     .spec = {CLASSIC, .hash = TAMIS_HASH_SHA256, .capacity = 140, .fpr = 0.01},
     .rule = GOLDEN_LENGTHS,
     .keys = {0, 140}},
    {.name = "hash-siphash",
     .why = "a secret",
     .spec = {BLOCKED, .capacity = 140, .fpr = 0.01, .secret = golden_secret},
     .rule = GOLDEN_LENGTHS,
     .keys = {0, 140}},
    {.name = "hash-siphash-seed",
     .why = "a secret and a seed",
     .spec = {CLASSIC, .capacity = 140, .fpr = 0.01, .seed = SEED, .secret = golden_secret},
     .rule = GOLDEN_LENGTHS,
     .keys = {0, 140}},
    /* layers */
    {.name = "scalable-classic",
     .why = "four layers",
     .spec = {CLASSIC, SCALING, .capacity = 100, .fpr = 0.01, .expansion = 2, .tightening = 0.5},
     .keys = {0, 1000}},
    {.name = "scalable-blocked",
     .why = "layers that double",
     .spec = {BLOCKED, SCALING, .capacity = 100, .fpr = 0.01, .expansion = 2, .tightening = 0.85,
              .seed = 11},
     .keys = {0, 1500}},
    {.name = "scalable-odd",
     .why = "uneven numbers, many layers, integers",
     .spec = {BLOCKED, SCALING, .capacity = 33, .fpr = 0.013, .expansion = 1.3, .tightening = 0.85},
     .rule = GOLDEN_U64,
     .keys = {0, 800}},
    {.name = "scalable-two-lines",
     .why = "every layer takes two lines a key",
     .spec = {BLOCKED, SCALING, .capacity = 100, .fpr = 1e-3, .expansion = 2, .tightening = 0.5,
              .lines_per_key = 2},
     .keys = {0, 500}},
    {.name = "scalable-siphash",
     .why = "one secret for all layers",
     .spec = {CLASSIC, SCALING, .capacity = 100, .fpr = 0.01, .expansion = 2, .tightening = 0.5,
              .seed = SEED, .secret = golden_secret},
     .keys = {0, 500}},
    {.name = "scalable-empty",
     .why = "one layer, no key",
     .spec = {BLOCKED, SCALING, .capacity = 100, .fpr = 0.01, .expansion = 2, .tightening = 0.85}},
    {.name = "scalable-chunks",
     .why = "chunks that cross from layer to layer",
     .spec = {CLASSIC, SCALING, .capacity = 9000, .fpr = 0.02, .expansion = 2, .tightening = 0.5},
     .keys = {0, 50000}},
    /* fingerprints */
    {.name = "cuckoo",
     .why = "as most people make one",
     .spec = {CUCKOO, .capacity = 1000, .fpr = 0.01},
     .keys = {0, 1000}},
    {.name = "cuckoo-dense",
     .why = "semi-sorted buckets",
     .spec = {CUCKOO, .capacity = 700, .fpr = 0.002, .flags = TAMIS_DENSE, .seed = SEED},
     .keys = {0, 700}},
    {.name = "cuckoo-twos",
     .why = "buckets of two",
     .spec = {CUCKOO, .capacity = 900, .fpr = 0.001, .bucket_keys = 2},
     .rule = GOLDEN_U64,
     .keys = {0, 900}},
    {.name = "cuckoo-widest",
     .why = "32 bits, windows of 16 bytes",
     .spec = {CUCKOO, .capacity = 300, .fpr = 0.01, .fingerprint_bits = 32},
     .keys = {0, 300}},
    {.name = "cuckoo-narrowest",
     .why = "4 bits",
     .spec = {CUCKOO, .capacity = 200, .fpr = 0.5, .fingerprint_bits = 4},
     .keys = {0, 200}},
    {.name = "cuckoo-dense-wide",
     .why = "31 bits, semi-sorted",
     .spec = {CUCKOO, .capacity = 200, .fpr = 0.01, .flags = TAMIS_DENSE, .fingerprint_bits = 31},
     .keys = {0, 200}},
    {.name = "cuckoo-chunks",
     .why = "two chunks of the table, which are not those of the file",
     .spec = {CUCKOO, .capacity = 101000, .fpr = 1e-5, .fingerprint_bits = 20},
     .rule = GOLDEN_U64,
     .keys = {0, 20000}},
    {.name = "cuckoo-siphash",
     .why = "a secret and a seed, strict",
     .spec = {CUCKOO, .capacity = 150, .fpr = 0.01, .flags = TAMIS_STRICT, .seed = 5,
              .secret = golden_secret},
     .keys = {0, 150}},
    {.name = "scalable-cuckoo",
     .why = "layers of fingerprints",
     .spec = {CUCKOO, SCALING, .capacity = 100, .fpr = 0.01, .expansion = 2, .tightening = 0.5},
     .keys = {0, 600}},
    {.name = "scalable-chosen",
     .why = "steps of its own choice: a second layer that jumps",
     .spec = {BLOCKED, SCALING, .capacity = 1000, .fpr = 0.5},
     .keys = {0, 33000}},
    /* other filters made of filters */
    {.name = "twin",
     .why = "two sides, nothing removed",
     .spec = {.kind = TAMIS_KIND_TWIN, .capacity = 300, .fpr = 0.01, .seed = 13},
     .keys = {0, 300}},
    {.name = "twin-classic",
     .why = "sides of kind classic",
     .spec = {.kind = TAMIS_KIND_TWIN, .inner = TAMIS_KIND_CLASSIC, .capacity = 200, .fpr = 1e-3},
     .keys = {0, 200}},
    {.name = "window",
     .why = "four generations, the first three full",
     .spec = {.kind = TAMIS_KIND_WINDOW, .capacity = 200, .fpr = 0.01, .parts = 3},
     .keys = {0, 200}},
    {.name = "window-time",
     .why = "a window of time whose clock has not started",
     .spec = {.kind = TAMIS_KIND_WINDOW,
              .inner = TAMIS_KIND_CLASSIC,
              .capacity = 200,
              .fpr = 0.01,
              .window = 3600},
     .keys = {0, 150}},
    {.name = "sharded",
     .why = "stretches of one blocked filter",
     .spec = {.kind = TAMIS_KIND_SHARDED, .capacity = 2000, .fpr = 0.01, .parts = 7},
     .keys = {0, 2000}},
    {.name = "sharded-classic",
     .why = "shards that are asked another mix of the digest",
     .spec = {.kind = TAMIS_KIND_SHARDED,
              .inner = TAMIS_KIND_CLASSIC,
              .capacity = 1000,
              .fpr = 0.01,
              .parts = 4,
              .seed = SEED},
     .keys = {0, 1000}},
    {.name = "sharded-scaling",
     .why = "three levels",
     .spec = {.kind = TAMIS_KIND_SHARDED,
              .inner = TAMIS_KIND_CLASSIC,
              SCALING,
              .capacity = 100,
              .fpr = 0.01,
              .expansion = 2,
              .parts = 2},
     .keys = {0, 600}},
    /* metadata */
    {.name = "metadata",
     .why = "300 bytes, all values",
     .spec = {BLOCKED, .capacity = 100, .fpr = 0.01},
     .keys = {0, 100},
     .metadata_bytes = 300},
    {.name = "metadata-no-padding",
     .why = "fills the header to its last byte",
     .spec = {CLASSIC, .capacity = 100, .fpr = 0.01},
     .keys = {0, 100},
     .metadata_bytes = 64},
    {.name = "metadata-scalable",
     .why = "after several nodes",
     .spec = {BLOCKED, SCALING, .capacity = 50, .fpr = 0.01, .expansion = 2, .tightening = 0.85},
     .keys = {0, 400},
     .metadata_bytes = 1},
    {.name = "metadata-most",
     .why = "65,536 bytes",
     .spec = {BLOCKED, .capacity = 1, .fpr = 0.01},
     .keys = {0, 1},
     .metadata_bytes = 65536},
    /* changed as a whole */
    {.name = "classic-folded",
     .why = "to a quarter",
     .spec = {CLASSIC, .capacity = 2000, .fpr = 1e-3},
     .keys = {0, 500},
     .fold = 4},
    {.name = "blocked-folded",
     .why = "to a third, asked for in the spec",
     .spec = {BLOCKED, .capacity = 2000, .fpr = 0.01, .fold = 3},
     .keys = {0, 600},
     .fold = 3},
    {.name = "blocked-two-lines-folded",
     .why = "both halves fold",
     .spec = {BLOCKED, .capacity = 2000, .fpr = 1e-4, .lines_per_key = 2, .fold = 2},
     .keys = {0, 900},
     .fold = 2},
    {.name = "classic-merged",
     .why = "two of one size",
     .spec = {CLASSIC, .capacity = 800, .fpr = 0.01},
     .keys = {0, 400},
     .with = GOLDEN_MERGED,
     .second_keys = {400, 400}},
    {.name = "blocked-merged-sizes",
     .why = "two of different sizes, folded to the smaller",
     .spec = {BLOCKED, .capacity = 1024, .memory = 4096, .hashes = 7},
     .keys = {0, 300},
     .with = GOLDEN_MERGED,
     .second_capacity = 2048,
     .second_keys = {300, 200}},
    {.name = "blocked-intersected",
     .why = "keys of both stay",
     .spec = {BLOCKED, .capacity = 600, .fpr = 0.01},
     .keys = {0, 400},
     .with = GOLDEN_INTERSECTED,
     .second_keys = {200, 400}},
    /* compressed */
    {.name = "blocked-gzip",
     .why = "blocked in a gzip member",
     .spec = {BLOCKED, .capacity = 1000, .fpr = 0.01},
     .keys = {0, 1000},
     .transport = TAMIS_GZIP},
    {.name = "blocked-zstd",
     .why = "blocked in a zstd frame",
     .spec = {BLOCKED, .capacity = 1000, .fpr = 0.01},
     .keys = {0, 1000},
     .transport = TAMIS_ZSTD},
    {.name = "scalable-gzip",
     .why = "four layers in a gzip member",
     .spec = {CLASSIC, SCALING, .capacity = 100, .fpr = 0.01, .expansion = 2, .tightening = 0.5},
     .keys = {0, 1000},
     .transport = TAMIS_GZIP},
    /* counters */
    {.name = "counting",
     .why = "as most people make one, a third of the keys removed",
     .spec = {COUNTING, .capacity = 600, .fpr = 0.01},
     .keys = {0, 600},
     .removed = {400, 200}},
    {.name = "counting-8-bits",
     .why = "counters of 8 bits",
     .spec = {COUNTING, .capacity = 300, .fpr = 0.02, .counter_bits = 8, .seed = SEED},
     .keys = {0, 300}},
    {.name = "counting-one-line",
     .why = "one line a key",
     .spec = {COUNTING, .capacity = 500, .fpr = 0.01, .lines_per_key = 1},
     .keys = {0, 500},
     .removed = {450, 50}},
    {.name = "counting-two-lines-8-bits",
     .why = "two lines a key, counters of 8 bits",
     .spec = {COUNTING, .capacity = 200, .fpr = 0.01, .lines_per_key = 2, .counter_bits = 8},
     .keys = {0, 200}},
    {.name = "counting-sticky",
     .why = "overfull: counters at their most",
     .spec = {COUNTING, .capacity = 100, .memory = 256, .hashes = 8},
     .keys = {0, 900}},
    {.name = "counting-folded",
     .why = "neighbours added up",
     .spec = {COUNTING, .capacity = 1200, .fpr = 0.001},
     .keys = {0, 300},
     .fold = 4},
    {.name = "counting-merged",
     .why = "the counters of two added up",
     .spec = {COUNTING, .capacity = 400, .fpr = 0.01},
     .keys = {0, 200},
     .with = GOLDEN_MERGED,
     .second_keys = {200, 200}},
    {.name = "counting-empty",
     .why = "emptied again",
     .spec = {COUNTING, .capacity = 100, .fpr = 0.01},
     .keys = {0, 100},
     .removed = {0, 100}},
    {.name = "dleft",
     .why = "as most people make one, a third of the keys removed",
     .spec = {DLEFT, .capacity = 600, .fpr = 0.01},
     .keys = {0, 600},
     .removed = {400, 200}},
    {.name = "dleft-low",
     .why = "wide remainders",
     .spec = {DLEFT, .capacity = 300, .fpr = 1e-8, .seed = SEED},
     .keys = {0, 300}},
    {.name = "dleft-high",
     .why = "narrow remainders, many keys with one fingerprint",
     .spec = {DLEFT, .capacity = 500, .fpr = 0.3},
     .keys = {0, 500}},
    {.name = "dleft-empty", .why = "no key", .spec = {DLEFT, .capacity = 10, .fpr = 0.01}},
    {.name = "scalable-counting",
     .why = "layers of counters",
     .spec = {COUNTING, SCALING, .capacity = 50, .fpr = 0.02, .expansion = 2, .tightening = 0.5},
     .keys = {0, 300}},
    /* exact */
    {.name = "bitmap",
     .why = "bits, runs, values and several high words",
     .spec = {BITMAP},
     .rule = GOLDEN_CROWDS,
     .keys = {0, 11100}},
    {.name = "bitmap-strict",
     .why = "strict and scattered, with a seed and metadata",
     .spec = {BITMAP, .capacity = 300, .seed = SEED, .flags = TAMIS_STRICT},
     .rule = GOLDEN_U64,
     .keys = {0, 300},
     .metadata_bytes = 5},
    {.name = "bitmap-empty", .why = "no key", .spec = {BITMAP, .capacity = 100}},
    {.name = "bitmap-merged",
     .why = "two halves are as one",
     .spec = {BITMAP},
     .rule = GOLDEN_CROWDS,
     .keys = {0, 9500},
     .with = GOLDEN_MERGED,
     .second_keys = {9500, 1600}},
    {.name = "bitmap-intersected",
     .why = "keys of both stay",
     .spec = {BITMAP},
     .rule = GOLDEN_CROWDS,
     .keys = {0, 10500},
     .with = GOLDEN_INTERSECTED,
     .second_keys = {4000, 7000}},
    {.name = "bitmap-gzip",
     .why = "in a gzip member",
     .spec = {BITMAP},
     .rule = GOLDEN_CROWDS,
     .keys = {0, 11100},
     .transport = TAMIS_GZIP},
};

const size_t golden_recipe_count = sizeof golden_recipes / sizeof golden_recipes[0];

#undef WORD
#undef SEED
#undef CLASSIC
#undef BLOCKED
#undef COUNTING
#undef CUCKOO
#undef DLEFT
#undef SCALING
#undef BITMAP

/* ---- keys --------------------------------------------------------------- */

static uint64_t golden_integer(uint64_t i)
{
    return i * UINT64_C(0x100000001);
}

/* 9,000 even numbers, then 1,000 in a row, 1,000 a thousand apart, and the rest
 * 2^40 apart. */
static uint64_t golden_crowd(uint64_t i)
{
    if (i < 9000) return 2 * i;
    if (i < 10000) return 200000 + i;
    return i < 11000 ? 1000 * i : (i - 10999) << 40;
}

static size_t golden_put(uint64_t integer, uint8_t *key)
{
    for (unsigned j = 0; j < 8; j++) key[j] = (uint8_t)(integer >> (8 * j));
    return 8;
}

static size_t golden_word(uint64_t i, uint8_t *key)
{
    const tamis_span word = golden_words[i];
    if (word.size > 0) memcpy(key, word.data, word.size);
    return word.size;
}

size_t golden_key(golden_rule rule, uint64_t i, uint8_t key[GOLDEN_KEY_MAX])
{
    switch (rule) {
    case GOLDEN_TEXT: return (size_t)sprintf((char *)key, "key_%" PRIu64, i);
    case GOLDEN_U64: return golden_put(golden_integer(i), key);
    case GOLDEN_CROWDS: return golden_put(golden_crowd(i), key);
    case GOLDEN_LENGTHS:
        for (uint64_t j = 0; j < i; j++) key[j] = (uint8_t)(31 * j + i);
        return (size_t)i;
    case GOLDEN_WORDS: break;
    }
    return golden_word(i, key);
}

size_t golden_absent(uint64_t i, uint8_t key[GOLDEN_KEY_MAX])
{
    return (size_t)sprintf((char *)key, "absent_%" PRIu64, i);
}

golden_range golden_present(const golden_recipe *recipe)
{
    const golden_range a = recipe->keys, b = recipe->second_keys;
    if (recipe->with == GOLDEN_INTERSECTED)
        return (golden_range){b.first, a.first + a.count - b.first};
    return (golden_range){a.first, a.count + b.count - recipe->removed.count};
}

/* ---- filters ------------------------------------------------------------ */

static tamis_status golden_add(tamis_filter *f, golden_rule rule, golden_range keys)
{
    uint8_t key[GOLDEN_KEY_MAX];
    tamis_status status = TAMIS_OK;
    for (uint64_t i = keys.first; i < keys.first + keys.count && status == TAMIS_OK; i++) {
        const size_t size = golden_key(rule, i, key);
        status = rule == GOLDEN_U64 ? tamis_add_u64(f, golden_integer(i)) : tamis_add(f, key, size);
    }
    return status;
}

static tamis_status golden_fill(const tamis_spec *spec, golden_rule rule, golden_range keys,
                                tamis_filter **out)
{
    const tamis_status status = tamis_create(spec, out);
    return status == TAMIS_OK ? golden_add(*out, rule, keys) : status;
}

static tamis_status golden_combine(const golden_recipe *recipe, tamis_filter *f)
{
    tamis_spec spec = recipe->spec;
    if (recipe->second_capacity > 0) {
        spec.memory = spec.memory * recipe->second_capacity / spec.capacity;
        spec.capacity = recipe->second_capacity;
    }
    tamis_filter *second = NULL;
    tamis_status status = golden_fill(&spec, recipe->rule, recipe->second_keys, &second);
    if (status == TAMIS_OK)
        status = recipe->with == GOLDEN_MERGED ? tamis_merge(f, second, NULL)
                                               : tamis_intersect(f, second);
    tamis_free(second);
    return status;
}

static tamis_status golden_describe(const golden_recipe *recipe, tamis_filter *f)
{
    static uint8_t bytes[65536];
    for (size_t i = 0; i < recipe->metadata_bytes; i++) bytes[i] = (uint8_t)(131 * i + 1);
    return tamis_set_metadata(f, bytes, recipe->metadata_bytes);
}

static tamis_status golden_remove(const golden_recipe *recipe, tamis_filter *f)
{
    uint8_t key[GOLDEN_KEY_MAX];
    tamis_status status = TAMIS_OK;
    for (uint64_t i = 0; i < recipe->removed.count && status == TAMIS_OK; i++)
        status = tamis_remove(f, key, golden_key(recipe->rule, recipe->removed.first + i, key));
    return status;
}

tamis_status golden_build(const golden_recipe *recipe, tamis_filter **out)
{
    tamis_status status = golden_fill(&recipe->spec, recipe->rule, recipe->keys, out);
    if (status == TAMIS_OK) status = golden_remove(recipe, *out);
    if (status == TAMIS_OK && recipe->fold > 0) status = tamis_fold(*out, recipe->fold);
    if (status == TAMIS_OK && recipe->with != GOLDEN_ALONE) status = golden_combine(recipe, *out);
    if (status == TAMIS_OK && recipe->metadata_bytes > 0) status = golden_describe(recipe, *out);
    if (status == TAMIS_OK) return TAMIS_OK;
    tamis_free(*out);
    *out = NULL;
    return status;
}
