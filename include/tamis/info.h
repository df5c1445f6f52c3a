/* info.h - what a filter is, how full it is, and what is wrong with it.     */
#ifndef TAMIS_INFO_H
#define TAMIS_INFO_H

#include <tamis/export.h>
#include <tamis/filter.h>

TAMIS_BEGIN

/** Facts about a filter. Numbers come from the bits themselves, not from
 *  bookkeeping, except `added`.                                             */
typedef struct tamis_facts {
    uint32_t kind;          /* TAMIS_KIND_* */
    uint32_t inner_kind;    /* of the parts of a composed filter, otherwise 0 */
    const char *kind_name;  /* static */
    const char *hash_name;  /* valid as long as the filter */
    uint32_t hash;          /* TAMIS_HASH_* */
    uint32_t abilities;     /* TAMIS_CAN_* of this very filter */
    uint32_t flags;         /* TAMIS_STRICT ... */
    uint32_t hashes;        /* bits per key */
    uint32_t lines_per_key; /* blocked, and counters in lines */
    uint32_t layers;        /* 1, or the parts of a composed filter */
    uint64_t seed;
    bool keyed;             /* hashed under a secret */
    bool read_only;         /* a view or a map */
    bool count_is_estimate; /* `added` was estimated (after merge or intersect) */
    uint64_t capacity;      /* of the plan; scaling: of all layers so far */
    uint64_t added;         /* keys taken by add, less those removed; strict and scaling
                                filters do not count a key that may already be there,
                                unless keys can be removed; windows none that may be
                                in the newest generation                           */
    uint64_t bits;          /* of the filter proper */
    uint64_t ones;          /* bits that are set; all bits of a counter that is not 0 */
    double fill;            /* ones / bits */
    double keys;            /* estimated distinct keys */
    double keys_low;        /* 95 % interval */
    double keys_high;       /* INFINITY when the filter is saturated or damaged */
    double fpr_asked;       /* the promise */
    double fpr_now;         /* chance that an absent key gets "maybe" now */
    double fnr_now;         /* chance that a key that was added and not removed gets "no":
                                0 but for twin filters, whose removed side causes it */
    double fpr_at_capacity; /* expected when `capacity` keys are in */
    uint64_t memory;        /* bytes held: body and handle */
    uint64_t damaged_bytes; /* of the body, found so far */
    uint64_t fold;          /* largest power of two that divides the size */

    uint32_t fingerprint_bits; /* cuckoo: `fill` is then the share of places taken */
    uint32_t bucket_keys;
    double fullest; /* bounded kinds: share of places taken in the fullest part */
} tamis_facts;

/** Fills `facts`. Cost: one pass over the body (1 GB/s and more). A filter that
 *  watches its chunks (LAZY, SALVAGE) and knows of damage is measured on a copy,
 *  in which that reads as ones; without the memory for one, as it lies. Fails
 *  never for a valid filter; the status is for what later kinds may need.   */
TAMIS_API tamis_status tamis_info(const tamis_filter *f, tamis_facts *facts);

/** What this very filter can do, TAMIS_CAN_*: that of its kind, over its parts if
 *  it has any, less what being read-only or working from keys alone takes away.
 *  Cost: none.                                                              */
TAMIS_API uint32_t tamis_abilities(const tamis_filter *f);

/** What tamis_clone of `f` could do: the same, of a filter that is writable. So a
 *  map tells what its file allows (tamis_file_change). Cost: none.          */
TAMIS_API uint32_t tamis_abilities_of_clone(const tamis_filter *f);

/** A part of a composed filter as a filter to look at, or NULL: there is none,
 *  or the filter verifies its chunks at first touch. Layers and generations come
 *  oldest first, the sides of a twin added first, shards in their order. Ask
 *  tamis_info about it; ask keys of the filter itself, which knows where they are.
 *  Borrowed: valid until `f` changes or is freed; never free it.            */
TAMIS_API const tamis_filter *tamis_layer_view(const tamis_filter *f, uint32_t layer);

typedef enum tamis_finding_code {
    TAMIS_FINDING_HEALTHY = 0,       /* nothing to do */
    TAMIS_FINDING_NEVER_FILLED = 1,  /* empty */
    TAMIS_FINDING_OVER_CAPACITY = 2, /* more keys than planned: the rate is above */
    TAMIS_FINDING_SATURATED = 3,     /* nearly every answer is "maybe" */
    TAMIS_FINDING_OVERSIZED = 4,     /* far fewer keys than planned: memory wasted */
    TAMIS_FINDING_POOR_HASH = 5,     /* keys crowd in few places */
    TAMIS_FINDING_NARROW_HASH = 6,   /* the hash is too narrow for so many keys */
    TAMIS_FINDING_REPEATS = 7,       /* most adds were of keys already there */
    TAMIS_FINDING_DAMAGED = 8,       /* parts of the body are lost */
    TAMIS_FINDING_MANY_LAYERS = 9,   /* scaling: one larger filter would be faster */
    TAMIS_FINDING_STICKY = 10,       /* counters at their most: removing no longer moves them */
    TAMIS_FINDING_NEARLY_FULL = 11,  /* bounded kinds: adds are refused, or soon will be */
    TAMIS_FINDING_LOST_KEYS = 12     /* twin: so much was removed that keys are lost */
} tamis_finding_code;

typedef enum tamis_severity {
    TAMIS_NOTE = 0,    /* good to know */
    TAMIS_WARNING = 1, /* costs memory or speed */
    TAMIS_PROBLEM = 2  /* the promise is no longer kept */
} tamis_severity;

/** One thing found: as data (code, value against expected) and as words.    */
typedef struct tamis_finding {
    tamis_finding_code code;
    tamis_severity severity;
    double value;       /* what was seen */
    double expected;    /* what was planned */
    char sentence[240]; /* what, with numbers */
    char advice[240];   /* what to do */
} tamis_finding;

/** Looks the filter over and writes at most `room` findings, worst first;
 *  returns how many there are, at least 1 (healthy). Cost: two passes.      */
TAMIS_API size_t tamis_diagnose(const tamis_filter *f, tamis_finding *findings, size_t room);

TAMIS_END

#endif
