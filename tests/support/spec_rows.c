/* spec_rows.c - see spec_rows.h.                                            */
#include "support/spec_rows.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"

const uint8_t SPEC_SECRET[16] = {'k', 'e', 'e', 'p', ' ', 't', 'h', 'i',
                                 's', ' ', 's', 'a', 'f', 'e', 0,   255};

/* Which kinds a peculiarity is for. */
typedef enum row_for {
    FOR_ALL,
    FOR_FIXED,    /* kinds that do not grow                        */
    FOR_BLOCKED,  /* kinds that have lines                         */
    FOR_COUNTERS, /* kinds whose counters have a width             */
    FOR_CUCKOO,   /* kinds that have fingerprints                  */
    FOR_SCALING,  /* fixed kinds, in layers; and the growing kinds */
} row_for;

/* One peculiarity; zero means "as usual" everywhere. */
static const struct row_twist {
    const char *why;
    row_for whom;
    tamis_spec spec;
    double capacity_share; /* of the test's keys; 0: 1                    */
    uint64_t capacity;     /* fixed, whatever the test adds               */
    double memory_a_key;   /* bytes a key; the capacity is given          */
    bool rate_and_memory;  /* the capacity is not given                   */
    bool secret;
} TWISTS[] = {
    {.why = "plain, 1 %", .spec = {.fpr = 0.01}},
    {.why = "scaling from a fiftieth",
     .whom = FOR_SCALING,
     .spec = {.fpr = 0.01, .expansion = 2},
     .capacity_share = 0.02},
    {.why = "room for one key", .capacity = 1, .spec = {.fpr = 0.5}},
    {.why = "ten keys, one in a million", .capacity = 10, .spec = {.fpr = 1e-6}},
    {.why = "odd capacity and rate", .capacity_share = 1.0371, .spec = {.fpr = 0.0371}},
    {.why = "high rate", .spec = {.fpr = 0.3}},
    {.why = "low rate", .spec = {.fpr = 1e-5}},
    {.why = "two lines a key", .whom = FOR_BLOCKED, .spec = {.fpr = 1e-3, .lines_per_key = 2}},
    {.why = "one line a key at a low rate",
     .whom = FOR_BLOCKED,
     .spec = {.fpr = 1e-4, .lines_per_key = 1}},
    {.why = "counters of 8 bits", .whom = FOR_COUNTERS, .spec = {.fpr = 0.01, .counter_bits = 8}},
    {.why = "counters of 8 bits in one line",
     .whom = FOR_COUNTERS,
     .spec = {.fpr = 0.01, .counter_bits = 8, .lines_per_key = 1}},
    {.why = "concurrent, counters of 8 bits in two lines",
     .whom = FOR_COUNTERS,
     .spec = {.fpr = 0.01, .counter_bits = 8, .lines_per_key = 2, .flags = TAMIS_CONCURRENT}},
    {.why = "concurrent, counters of 8 bits",
     .whom = FOR_COUNTERS,
     .spec = {.fpr = 0.01, .counter_bits = 8, .flags = TAMIS_CONCURRENT}},
    {.why = "one bit a key", .whom = FOR_FIXED, .spec = {.fpr = 0.05, .hashes = 1}},
    {.why = "eight bits a key", .whom = FOR_FIXED, .spec = {.fpr = 0.01, .hashes = 8}},
    {.why = "never exceed", .spec = {.fpr = 0.01, .flags = TAMIS_NEVER_EXCEED}},
    {.why = "strict",
     .whom = FOR_FIXED,
     .capacity_share = 1.02,
     .spec = {.fpr = 0.01, .flags = TAMIS_STRICT}},
    {.why = "concurrent", .spec = {.fpr = 0.01, .flags = TAMIS_CONCURRENT}},
    {.why = "concurrent and strict",
     .whom = FOR_FIXED,
     .capacity_share = 1.02,
     .spec = {.fpr = 0.01, .flags = TAMIS_CONCURRENT | TAMIS_STRICT}},
    {.why = "concurrent, two lines a key",
     .whom = FOR_BLOCKED,
     .spec = {.fpr = 1e-3, .lines_per_key = 2, .flags = TAMIS_CONCURRENT}},
    {.why = "concurrent, scaling",
     .whom = FOR_SCALING,
     .capacity_share = 0.02,
     .spec = {.fpr = 0.01, .expansion = 2, .flags = TAMIS_CONCURRENT}},
    {.why = "rate and memory",
     .whom = FOR_FIXED,
     .memory_a_key = 2,
     .rate_and_memory = true,
     .spec = {.fpr = 0.01}},
    {.why = "keys and memory", .whom = FOR_FIXED, .memory_a_key = 1.37},
    {.why = "folds by 360", .whom = FOR_FIXED, .spec = {.fpr = 0.01, .fold = 360}},
    {.why = "dense", .whom = FOR_CUCKOO, .spec = {.fpr = 0.01, .flags = TAMIS_DENSE}},
    {.why = "buckets of two", .whom = FOR_CUCKOO, .spec = {.fpr = 0.001, .bucket_keys = 2}},
    {.why = "wide fingerprints", .whom = FOR_CUCKOO, .spec = {.fpr = 0.01, .fingerprint_bits = 31}},
    {.why = "concurrent and dense",
     .whom = FOR_CUCKOO,
     .spec = {.fpr = 0.01, .flags = TAMIS_DENSE | TAMIS_CONCURRENT}},
    {.why = "a seed", .spec = {.fpr = 0.01, .seed = UINT64_C(0xfedcba9876543210)}},
    {.why = "a secret", .secret = true, .spec = {.fpr = 0.01}},
    {.why = "a secret and a seed", .secret = true, .spec = {.fpr = 0.01, .seed = 77}},
    {.why = "murmur3-32", .spec = {.fpr = 0.01, .hash = TAMIS_HASH_MURMUR3_32}},
    {.why = "murmur3-128", .spec = {.fpr = 0.01, .hash = TAMIS_HASH_MURMUR3_128}},
    {.why = "murmur64a", .spec = {.fpr = 0.01, .hash = TAMIS_HASH_MURMUR64A}},
    {.why = "fnv1a", .spec = {.fpr = 0.01, .hash = TAMIS_HASH_FNV1A}},
    {.why = "sha256", .spec = {.fpr = 0.01, .hash = TAMIS_HASH_SHA256}},
    {.why = "scaling slowly from one key",
     .whom = FOR_SCALING,
     .capacity = 1,
     .spec = {.fpr = 0.01, .expansion = 1.5, .tightening = 0.5}},
    {.why = "scaling fast and tightening hard",
     .whom = FOR_SCALING,
     .capacity_share = 0.01,
     .spec = {.fpr = 0.1, .expansion = 8, .tightening = 0.05}},
    {.why = "scaling, two lines a key",
     .whom = FOR_SCALING,
     .capacity_share = 0.1,
     .spec = {.fpr = 0.01, .expansion = 2, .lines_per_key = 2}},
    {.why = "scaling, a low rate",
     .whom = FOR_SCALING,
     .capacity_share = 0.1,
     .spec = {.fpr = 1e-5, .expansion = 2}},
};

uint32_t spec_lines(uint32_t kind, uint32_t lines_per_key)
{
    const bool grows = (tamis_kind_abilities(kind) & TAMIS_CAN_GROW) != 0; /* in blocked layers */
    return kind == TAMIS_KIND_BLOCKED || grows ? lines_per_key : 0;
}

/* Whether a filter of this kind can be put into layers, or has them. */
static bool row_scales(uint32_t kind)
{
    static uint8_t known[256]; /* asked once a kind: 1 no, 2 yes */
    const tamis_spec spec = {.kind = kind, .growth = TAMIS_GROWTH_SCALE, .fpr = 0.01};
    tamis_sizing sizing;
    if (!known[kind]) known[kind] = tamis_plan(&spec, &sizing) == TAMIS_OK ? 2 : 1;
    return known[kind] == 2;
}

uint32_t spec_kind_parts(uint32_t kind)
{
    static uint32_t known[256];
    const tamis_spec spec = {.kind = kind, .capacity = 1000, .fpr = 0.01};
    tamis_filter *f = NULL;
    tamis_facts facts;
    if (known[kind]) return known[kind];
    CHECK_OK(tamis_create(&spec, &f));
    CHECK_OK(tamis_info(f, &facts));
    tamis_free(f);
    return known[kind] = facts.layers;
}

static bool row_applies(const struct row_twist *t, uint32_t kind)
{
    const uint32_t can = tamis_kind_abilities(kind);
    const bool grows = (can & TAMIS_CAN_GROW) != 0;
    if (t->spec.flags & TAMIS_CONCURRENT && !(can & TAMIS_CAN_CONCURRENT)) return false;
    if (t->spec.hashes && spec_kind_bounded(kind)) return false;
    if (t->secret && !tamis_hash_available(TAMIS_HASH_SIPHASH)) return false;
    if (t->spec.hash && !tamis_hash_available(t->spec.hash)) return false;
    if (spec_lines(kind, t->spec.lines_per_key) != t->spec.lines_per_key) return false;
    if (t->spec.fold && !(can & TAMIS_CAN_FOLD)) return false;
    if (t->spec.flags & TAMIS_STRICT && can & TAMIS_CAN_FORGET) return false;
    if (t->whom == FOR_FIXED) return !grows;
    if (t->whom == FOR_SCALING) return row_scales(kind);
    if (t->whom == FOR_COUNTERS) return kind == TAMIS_KIND_COUNTING;
    if (t->whom == FOR_CUCKOO) return kind == TAMIS_KIND_CUCKOO;
    if (t->whom == FOR_BLOCKED) return kind == TAMIS_KIND_BLOCKED || kind == TAMIS_KIND_COUNTING;
    return true;
}

bool spec_kind_bounded(uint32_t kind)
{
    return (tamis_kind_abilities(kind) & TAMIS_IS_BOUNDED) != 0;
}

static uint64_t row_capacity(const struct row_twist *t, uint64_t keys)
{
    if (t->capacity) return t->capacity;
    const double share = t->capacity_share > 0 ? t->capacity_share : 1;
    const uint64_t capacity = (uint64_t)((double)keys * share);
    return capacity ? capacity : 1;
}

static void row_fill(const struct row_twist *t, uint32_t kind, uint64_t keys, spec_row *row)
{
    memset(row, 0, sizeof *row);
    row->spec = t->spec;
    row->spec.kind = kind;
    row->keys = keys;
    row->grows = t->whom == FOR_SCALING || (tamis_kind_abilities(kind) & TAMIS_CAN_GROW);
    if (t->whom == FOR_SCALING) row->spec.growth = TAMIS_GROWTH_SCALE;
    row->spec.capacity = t->rate_and_memory ? 0 : row_capacity(t, keys);
    row->parts = spec_kind_parts(kind);
    row->spec.memory = (uint64_t)(t->memory_a_key * (double)keys) * row->parts;
    const uint64_t least = UINT64_C(64) * row->parts * (spec_kind_bounded(kind) ? 4 : 1);
    if (t->memory_a_key > 0 && row->spec.memory < least) row->spec.memory = least;
    if (t->secret) row->spec.secret = SPEC_SECRET;
    row->bounded = !row->grows && spec_kind_bounded(kind);
    if (row->bounded && row->spec.memory) row->spec.memory += 256 + row->spec.memory / 4;
    tamis_sizing sizing; /* what it is planned for is all that a table of places is sure to take */
    if (t->rate_and_memory && row->bounded && tamis_plan(&row->spec, &sizing) == TAMIS_OK)
        row->keys = sizing.capacity < keys ? sizing.capacity : keys;
    /* Far past its capacity a fixed filter says "maybe" to everything, and
     * nothing can be learnt from it; a bounded one takes no more than that. */
    const uint64_t most = (row->bounded ? 1 : 2) * t->capacity;
    if (t->capacity && !row->grows && keys > most) row->keys = most;
    /* Older keys are forgotten, as they should be. */
    const bool forgets = (tamis_kind_abilities(kind) & TAMIS_CAN_FORGET) != 0;
    if (forgets && row->spec.capacity && row->keys > row->spec.capacity)
        row->keys = row->spec.capacity;
    snprintf(row->why, sizeof row->why, "%s: %s, %" PRIu64 " keys", tamis_kind_name(kind), t->why,
             row->keys);
}

size_t spec_kinds(uint32_t *kinds, size_t room)
{
    uint32_t all[64];
    size_t found = 0;
    const size_t count = tamis_kind_list(all, COUNT(all));
    for (size_t i = 0; i < count; i++)
        if (tamis_kind_abilities(all[i]) & TAMIS_CAN_DIGESTS) {
            if (found < room) kinds[found] = all[i];
            found++;
        }
    return found;
}

static bool row_number(size_t index, size_t twists, uint64_t keys, spec_row *row)
{
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++)
        for (size_t t = 0; t < twists; t++)
            if (row_applies(&TWISTS[t], kinds[k]) && index-- == 0) {
                row_fill(&TWISTS[t], kinds[k], keys, row);
                return true;
            }
    return false;
}

bool spec_row_number(size_t index, uint64_t keys, spec_row *row)
{
    return row_number(index, COUNT(TWISTS), keys, row);
}

bool spec_row_plain(size_t index, uint64_t keys, spec_row *row)
{
    return row_number(index, 2, keys, row);
}

bool spec_row_removes(const spec_row *row)
{
    const uint32_t removing = TAMIS_CAN_REMOVE | TAMIS_STAYS_REMOVED;
    return (tamis_kind_abilities(row->spec.kind) & removing) == TAMIS_CAN_REMOVE;
}

uint32_t spec_row_shares(const spec_row *row)
{
    return tamis_kind_abilities(row->spec.kind) & TAMIS_CAN_CONCURRENT ? TAMIS_CONCURRENT : 0;
}

void spec_row_make_room(spec_row *row, unsigned times)
{
    const bool strict = row->spec.flags & TAMIS_STRICT && spec_row_removes(row);
    const bool crowds = row->bounded || row->spec.kind == TAMIS_KIND_CUCKOO;
    if (!crowds && !strict) return;
    if (row->spec.kind == TAMIS_KIND_CUCKOO) {
        if (!row->spec.bucket_keys && !row->grows) row->spec.bucket_keys = 4;
        times += row->spec.bucket_keys == 2 ? times + 2 : 1; /* copies crowd in two buckets */
    }
    row->spec.capacity *= times;
    row->spec.memory *= times;
}

tamis_filter *spec_row_make(const spec_row *row)
{
    tamis_filter *f = NULL;
    check_about("%s", row->why);
    CHECK_OK(tamis_create(&row->spec, &f));
    return f;
}
