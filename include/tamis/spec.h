/* spec.h - what you need, and what it will cost.
 *
 * Fill a tamis_spec with what you know: any two of capacity, rate and memory
 * give the third. Zero means "choose for me" everywhere. tamis_plan() answers
 * with sizes and the rate that will really be met before a byte is allocated,
 * and refuses what cannot be reached, saying which limit stands in the way
 * and what would work.                                                      */
#ifndef TAMIS_SPEC_H
#define TAMIS_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/alloc.h>
#include <tamis/export.h>
#include <tamis/status.h>

TAMIS_BEGIN

/* Kinds of filter. Values are on the wire: append, never renumber.          */
typedef enum tamis_kind {
    TAMIS_KIND_ANY = 0,       /* choose by `needs` and by the rate */
    TAMIS_KIND_CLASSIC = 1,   /* k bits anywhere: smallest, k lines per query */
    TAMIS_KIND_BLOCKED = 2,   /* k bits in one cache line: fastest */
    TAMIS_KIND_COUNTING = 3,  /* counters instead of bits: keys can be removed */
    TAMIS_KIND_CUCKOO = 4,    /* a fingerprint in one of two buckets: removes, two lines */
    TAMIS_KIND_DLEFT = 5,     /* counted remainders: the same in less than half the space */
    TAMIS_KIND_BITMAP = 6,    /* no hashing: an exact set of 64-bit integers */
    TAMIS_KIND_SCALABLE = 64, /* layers of another kind: no capacity to guess */
    TAMIS_KIND_TWIN = 65,     /* added and removed keys, each in a filter */
    TAMIS_KIND_WINDOW = 66,   /* generations of another kind: forgets old keys */
    TAMIS_KIND_SHARDED = 67,  /* independent filters by stretches of digests */
    /* Of other systems: made by doors of their own, not by tamis_create. */
    TAMIS_KIND_REDISBLOOM = 128,       /* redisbloom.h: BF.* of RedisBloom */
    TAMIS_KIND_REDISBLOOM_CUCKOO = 129 /* redisbloom.h: CF.* of RedisBloom */
} tamis_kind;

/* What a kind can do, as bits: asked for in `needs`, answered by
 * tamis_kind_abilities. On the wire nowhere; append, never renumber.        */
enum {
    TAMIS_CAN_ADD = 1u << 0,
    TAMIS_CAN_MERGE = 1u << 1,
    TAMIS_CAN_INTERSECT = 1u << 2,
    TAMIS_CAN_FOLD = 1u << 3,       /* shrink without the keys */
    TAMIS_CAN_GROW = 1u << 4,       /* keeps its rate past the first capacity */
    TAMIS_CAN_CONCURRENT = 1u << 5, /* any number of writers and readers at once */
    TAMIS_CAN_PARALLEL = 1u << 6,   /* one batch built by several threads */
    TAMIS_CAN_DIGESTS = 1u << 7,    /* works from digests; else from keys only */
    TAMIS_CAN_BORROW = 1u << 8,     /* lives in a caller's buffer */
    TAMIS_CAN_REMOVE = 1u << 9,     /* a key that was added can be taken away again */
    TAMIS_CAN_COUNT = 1u << 10,     /* estimates how often a key was added */
    TAMIS_CAN_FORGET = 1u << 11,    /* old keys leave by themselves */
    TAMIS_IS_EXACT = 1u << 12,      /* "maybe" means yes */
    TAMIS_IS_BOUNDED = 1u << 13,    /* a table: keys that find no place are refused with
                                       TAMIS_E_FULL, and bytes depend on the order of adds */
    TAMIS_STAYS_REMOVED = 1u << 14  /* a removed key cannot be added again */
};

/* How a filter behaves. All but TAMIS_CONCURRENT is saved with it: whether
 * threads share a filter is for each process to say (file.h).               */
enum {
    TAMIS_STRICT = 1u << 0,       /* refuse new keys past capacity (TAMIS_E_FULL); where
                                     keys can be removed, every occurrence counts */
    TAMIS_CONCURRENT = 1u << 1,   /* any number of threads add and ask at once */
    TAMIS_NEVER_EXCEED = 1u << 2, /* size so that the expected rate is never above fpr */

    /* Cuckoo only. A layout rather than a behaviour, so noted in the parameters: a bit
     * a key less, and slower. */
    TAMIS_DENSE = 1u << 3
};

typedef enum tamis_growth {
    TAMIS_GROWTH_FIXED = 0, /* past capacity the rate rises (or TAMIS_STRICT refuses) */
    TAMIS_GROWTH_SCALE = 1  /* past capacity a larger, tighter layer is added */
} tamis_growth;

/** The request. Zero-initialise, then set what you care about; a field that has
 *  no meaning for the kind is refused with TAMIS_E_SPEC.
 *
 *      tamis_spec spec = { .capacity = 10000000, .fpr = 0.01 };
 *
 *  Of capacity, fpr and memory give two. All three: memory is a cap, and a
 *  plan that needs more is TAMIS_E_LIMIT. Scaling filters need only fpr; their
 *  memory caps all layers together, for life: a first layer above it is refused
 *  here, and a key that needs a layer above it when it is added (filter.h). */
typedef struct tamis_spec {
    uint32_t kind;          /* TAMIS_KIND_* */
    uint32_t hash;          /* TAMIS_HASH_*; 0: XXH3, or SipHash with a secret */
    uint64_t capacity;      /* distinct keys you intend to add */
    double fpr;             /* false-positive rate at capacity, 0 < fpr < 1 */
    uint64_t memory;        /* bytes of the body; scaling: of all layers */
    uint64_t seed;          /* same seed, same keys, same order: same bytes */
    const uint8_t *secret;  /* 16 bytes for hostile keys; copied, never saved, wiped when freed */
    uint32_t needs;         /* TAMIS_CAN_* wanted; a given kind without them is refused */
    uint32_t flags;         /* TAMIS_STRICT and so on, above */
    uint32_t growth;        /* TAMIS_GROWTH_* */
    uint32_t hashes;        /* bits per key and line, when you insist */
    uint32_t lines_per_key; /* blocked: 1 or 2 cache lines a key; counting: 0 spreads */
    uint32_t counter_bits;  /* counting: 4 or 8 bits a counter; 0: 4 */
    uint32_t fingerprint_bits; /* cuckoo: 4 to 32, when you insist */
    uint32_t bucket_keys;      /* cuckoo: 2 or 4 keys a bucket, when you insist */
    uint32_t inner;            /* composed kinds: TAMIS_KIND_* of the parts; 0: chosen */
    uint32_t parts;            /* composed kinds: how many (docs/kinds/); 0: chosen */
    double expansion;          /* scaling: size of the next layer over this one, 1..1024; 0: chosen
                                 (2, from a first layer of 2^15 keys, unless memory is capped) */
    double tightening;         /* scaling: rate of the next over this one, 0.01..0.99; 0: chosen */
    uint64_t fold;             /* the size must divide by this, for tamis_fold */
    uint64_t window;           /* window: units of the caller's time; 0: the last `capacity` keys */
    const tamis_alloc *alloc;  /* NULL: libc and huge pages */
    uint64_t reserved[4];      /* must be 0 */
} tamis_spec;

/** The answer of the planner: what will be built and what it will do.       */
typedef struct tamis_sizing {
    uint32_t kind;          /* TAMIS_KIND_* */
    uint32_t hashes;        /* bits set per key, all lines together */
    uint64_t capacity;      /* keys */
    uint64_t bits;          /* of the filter proper */
    uint64_t bytes;         /* of memory for the body, padding included */
    double bits_per_key;    /* bits / capacity */
    double fpr_asked;       /* the rate asked for, 0 when it was the unknown */
    double fpr;             /* the rate expected at capacity, collisions included */
    double fpr_floor;       /* no size of filter brings the rate below this */
    double overhead;        /* bits_per_key / log2(1 / fpr); 1 is the limit of theory */
    uint32_t reads;         /* cache lines touched by a query that says "maybe" */
    uint32_t lines_per_key; /* blocked, counters in lines: 1 or 2; otherwise 0 */
    uint64_t fold;          /* largest power of two that divides the size */

    uint32_t fingerprint_bits; /* cuckoo; otherwise 0 */
    uint32_t bucket_keys;      /* cuckoo; otherwise 0 */
    double refusal;            /* chance that one of so many random keys finds no place */
    uint32_t inner;            /* composed kinds: TAMIS_KIND_* of the parts; otherwise 0 */
    uint32_t abilities;        /* TAMIS_CAN_* of what would be built, over its parts */

    tamis_status status; /* TAMIS_OK, or why this kind does not serve */
    bool recommended;    /* by tamis_plan_all: the row to take */
    char note[200];      /* why not, or what to know; may be empty */
} tamis_sizing;

/** Sizes a filter without building it. For TAMIS_KIND_ANY the kind is chosen:
 *  blocked while one line serves (rates of 2*10^-4 and above), otherwise
 *  classic; a bitmap when exactness is asked for; where `needs` asks for more than
 *  those can do, the smallest kind that can; scaling is put on top when asked for. A
 *  composed kind without `inner` is made of the kind it would be alone, or, where
 *  `needs` asks for more, of the smallest that serves.
 *  Errors: TAMIS_E_SPEC, TAMIS_E_UNSUPPORTED (needs), TAMIS_E_UNREACHABLE (rate
 *  below 20 n / 2^64, or below
 *  what the hash's width allows), TAMIS_E_LIMIT (memory), each with a sentence
 *  that says what would work. Cost: microseconds to milliseconds. Any thread. */
TAMIS_API tamis_status tamis_plan(const tamis_spec *spec, tamis_sizing *sizing);

/** Plans every registered kind for the same needs, side by side, and marks
 *  the one to take. `spec->kind` is ignored, and so are expansion and tightening
 *  where a kind does not scale. Writes at most `room` rows,
 *  returns how many there are. A kind that does not serve has a status and a
 *  note in its row; so has an exact kind, which takes integers only, unless
 *  exactness is among the needs. Cost and threads as tamis_plan.            */
TAMIS_API size_t tamis_plan_all(const tamis_spec *spec, tamis_sizing *rows, size_t room);

/** The kinds that tamis_create makes: writes at most `room` ids, returns how many there are. */
TAMIS_API size_t tamis_kind_list(uint32_t *kinds, size_t room);

/** "classic", "blocked", ...: the same word in files, texts and bindings.
 *  NULL for a number that is no kind. Static text.                          */
TAMIS_API const char *tamis_kind_name(uint32_t kind);

/** The kind with this name, or 0.                                           */
TAMIS_API uint32_t tamis_kind_id(const char *name);

/** TAMIS_CAN_* of a kind, or 0 for a number that is no kind.                */
TAMIS_API uint32_t tamis_kind_abilities(uint32_t kind);

TAMIS_END

#endif
