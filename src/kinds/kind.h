/* kind.h - what a kind of filter is: one constant table of functions over
 * digests, and the head that every filter of every kind shares.
 *
 * A kind never allocates and never hashes. It is given a shape, which it
 * made itself (plan) or judged (check), and a zeroed or loaded body of the
 * size that the shape says; `attach` then prepares the handle. Kinds made of
 * other filters (src/compose) own children instead of a body. Nothing above
 * this storey asks which kind it holds: it asks what the table can do.      */
#ifndef TMS_KINDS_KIND_H
#define TMS_KINDS_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/info.h>
#include <tamis/keys.h>
#include <tamis/spec.h>

#include "base/counter.h"
#include "format/shape.h"
#include "hash/hasher.h"
#include "kernel/run.h"

typedef struct tamis_filter tamis_filter;
typedef struct tms_kind tms_kind;

/* Whether one of several filters may contain a digest; the last is asked first. */
typedef bool tms_ask_any(tamis_filter *const *, uint32_t count, uint64_t digest);

/* The working operations; a kind has one table a mode. A run has at most
 * TMS_RUN digests; `was_new` of a run may be NULL, `answers` may not. The counts
 * of added keys are kept by the caller, except by kinds that grow
 * (TAMIS_CAN_GROW). */
typedef struct tms_ops {
    bool (*may_contain)(const tamis_filter *, uint64_t digest);
    /* For filters in one mode that all have this function. NULL: nothing is to be
     * gained over asking each. */
    tms_ask_any *may_contain_any;
    tamis_status (*add)(tamis_filter *, uint64_t digest, bool *was_new);
    size_t (*may_contain_many)(const tamis_filter *, const tms_run *, bool *answers);
    tamis_status (*add_many)(tamis_filter *, const tms_run *, bool *was_new, size_t *added);
    /* Brings the lines of a digest nearer, for a batch that then names them in no
     * run. NULL where runs do better, or nothing is to be gained. */
    void (*fetch)(const void *filter, uint64_t digest);
    /* The same of every line, for removing and counting, where it is more than
     * `fetch` brings; NULL: it is not. */
    void (*fetch_all)(const void *filter, uint64_t digest);
    /* NULL where the kind cannot. `remove` takes one occurrence away; a key that
     * is certainly absent is a bare TAMIS_E_ABSENT, whose sentence the caller
     * makes. `count` is never less than the occurrences. */
    tamis_status (*remove)(tamis_filter *, uint64_t digest);
    uint64_t (*count)(const tamis_filter *, uint64_t digest);
    /* Schemes that need the keys themselves have these, for at most TMS_RUN keys;
     * otherwise NULL, and the caller hashes and uses those above. */
    size_t (*may_contain_keys)(const tamis_filter *, const tamis_span *keys, size_t count,
                               bool *answers);
    tamis_status (*add_keys)(tamis_filter *, const tamis_span *keys, size_t count, bool *was_new,
                             size_t *added);
    tamis_status (*remove_key)(tamis_filter *, tamis_span key);
    uint64_t (*count_key)(const tamis_filter *, tamis_span key);
    /* As the kind's may_contain_around, for a key: whoever has may_contain_keys
     * has this too. */
    bool (*may_contain_key_around)(const tamis_filter *, tamis_span key,
                                   bool (*lost)(void *, const uint8_t *), void *ctx);
} tms_ops;

/* What the bits themselves say. It is given zeroed. */
typedef struct tms_measure {
    uint64_t bits, ones;
    double keys, keys_low, keys_high; /* estimate and 95 % interval */
    double rate;                      /* chance that an absent key gets "maybe" */
    double missed;                    /* chance that a key that was added gets "no" */
    double crowding;                  /* probability that a fair hash fills as unevenly; 1: even */
    uint64_t counters, sticky;        /* counting kinds: all, and those that no longer move */
    double fullest;                   /* bounded kinds: load of the part with the least room */
    uint64_t refused;                 /* bounded kinds: adds that found no place, so far */
} tms_measure;

/* How a damaged stretch of the body is read, so that it never causes a "no". */
typedef enum tms_damage_rule {
    TMS_DAMAGE_READS_AS_ONES, /* set every bit of it */
    TMS_DAMAGE_ANSWERS_MAYBE, /* remember it: queries there say maybe, adds fail */
    TMS_DAMAGE_IS_FATAL,      /* nothing can be told from what is left: not to be salvaged */
    TMS_DAMAGE_READS_AS_ZEROS /* clear it: a part whose "maybe" is its whole's "no" */
} tms_damage_rule;

/* What a kind has whose working state is not its body: the body is made when
 * the filter is written and taken apart when it was read, and f->body is NULL
 * in between. Such filters are never used in place: maps and views of them are
 * read-only copies. Everything here is all or nothing. */
typedef struct tms_loose {
    /* Kinds of other systems have no native file: this names the doors that write
     * them, and pack_shape, pack and unpack are NULL. NULL for the others. */
    const char *home;
    /* Parameters and body_bytes as they are to be written now, then that body,
     * which comes zeroed. Several threads may write one filter at once. */
    tamis_status (*pack_shape)(const tamis_filter *, tms_shape *);
    tamis_status (*pack)(const tamis_filter *, uint8_t *body);
    /* Judges the body that was read, makes the state from it and frees it. */
    tamis_status (*unpack)(tamis_filter *);
    tamis_status (*copy)(const tamis_filter *, tamis_filter *copy); /* which is empty */
    /* Both know strict filters and set the count of added keys. */
    tamis_status (*unite)(tamis_filter *dst, const tamis_filter *src);
    tamis_status (*overlap)(tamis_filter *dst, const tamis_filter *src);
    uint64_t (*held)(const tamis_filter *); /* bytes of the state, beside the handle */
    /* Amends the facts that are not in the shape; NULL: all are. */
    void (*report)(const tamis_filter *, tamis_facts *);
} tms_loose;

/* How a kind is made of filters of another kind, the inner one, whose number is
 * params[0] of every such shape. The parts that it starts with are equal. */
typedef struct tms_composing {
    /* What it can do over an inner kind that can do `inner`, and the reason why it
     * is not made of some kind. */
    uint32_t (*abilities)(uint32_t inner);
    tamis_status (*accepts)(const tms_kind *inner);

    /* Planning. `child_spec` turns a copy of the request for the whole into that
     * for part `index`, also for a part that is added later; `settle`, if any,
     * tells the whole what its parts have become. */
    uint32_t (*first_count)(const tms_shape *);
    void (*child_spec)(const tms_shape *, const tms_kind *inner, uint32_t index, tamis_spec *);
    void (*settle)(tms_shape *, const tms_shape *child);

    /* Expected rates, as it was planned: of so many keys one part gets these, and
     * the whole has this rate when each of its parts has that. */
    double (*part_keys)(const tms_shape *, double keys);
    double (*whole_rate)(const tms_shape *, double part_rate);

    /* A line for those who read a plan. */
    void (*tell)(const tms_shape *, const tms_kind *inner, char *note, size_t room);
} tms_composing;

struct tms_kind {
    uint32_t id;
    const char *name;
    uint32_t abilities; /* TAMIS_CAN_* */
    tms_damage_rule damage_rule;
    size_t handle_bytes; /* sizeof the kind's own struct, whose first member is a tamis_filter */

    /* Parameters. `plan` fills the shape for a spec whose capacity, fpr and
     * memory are given as two of three; `check` judges any shape, also a
     * hostile one, and computes body_bytes. */
    tamis_status (*plan)(const tamis_spec *, tms_shape *);
    tamis_status (*check)(tms_shape *);
    /* Asks for the same again: what a request has decided about this shape beside
     * keys, rate, hashes and lines (counter_bits). NULL: nothing. */
    void (*repeat)(const tms_shape *, tamis_spec *);
    void (*describe)(const tms_shape *, tamis_sizing *); /* bits, hashes, reads, lines, fold;
                             composed: turns what is said of all parts into what holds for it */
    double (*rate)(const tms_shape *, double keys);      /* expected after so many keys; NULL: that
                                                       of the parts, see tms_composing */

    /* Prepares the handle: shape, body and hasher are set. Chooses f->ops. */
    void (*attach)(tamis_filter *);

    /* The same for a filter that holds the keys of shard `shard` of `shards` only
     * (compose/sharded.h), as that stretch of a filter `shards` times as large:
     * params[0] is its number of units, and the unit of a key is the high half of
     * digest * units. Digests of other shards are answered "no" and refused. NULL
     * or false: the keys of a shard are spread over the whole body. */
    bool (*attach_shard)(tamis_filter *, uint32_t shards, uint32_t shard);
    void (*measure)(const tamis_filter *, tms_measure *);

    /* The answer of may_contain, with every place of the body for which
     * lost(ctx, address) is true taken as set. Asks it of every place that a
     * query could read, also after the answer is known. */
    bool (*may_contain_around)(const tamis_filter *, uint64_t digest,
                               bool (*lost)(void *, const uint8_t *), void *ctx);

    /* Adds the part of a batch that falls into slice `slice` of `slices` of
     * the body: slices share no bytes. NULL: cannot be split. */
    void (*add_slice)(tamis_filter *, const uint64_t *digests, size_t count, unsigned slice,
                      unsigned slices);
    uint64_t slice_from; /* bytes of body: below, one thread is as fast */

    /* A body of parts that share no line: a digest belongs to part mulhi(digest,
     * parts), and adding it changes that part only. So a batch may be put in the
     * order of parts first, each part keeping its order, and the bytes are the same.
     * `add_part` takes digests of one part, or of neighbours, up to the first that is
     * refused: its index, or the count; meanwhile it fetches the part of the digest
     * `coming`. NULL: not so. */
    uint64_t (*part_count)(const tamis_filter *);
    size_t (*add_part)(tamis_filter *, const uint64_t *digests, size_t count, uint64_t coming);

    /* Kinds that move keys when others are added: stops writers of a concurrent
     * filter (true) and lets them go (false), so that a copy has every key. Readers
     * go on. NULL: a copy made while others add has them all anyway. */
    void (*hold)(const tamis_filter *, bool held);

    /* Sets. `fits` explains what keeps two shapes apart apart from their size;
     * `fold_size` is the number that a factor must divide, `fold_shape` the
     * shape after it, `fold` writes the folded body (zeroed) beside the old. */
    tamis_status (*fits)(const tms_shape *, const tms_shape *);
    uint64_t (*fold_size)(const tms_shape *);
    void (*fold_shape)(const tms_shape *, uint64_t factor, tms_shape *out);
    void (*fold)(const tamis_filter *, uint64_t factor, uint8_t *out);
    void (*unite)(tamis_filter *dst, const uint8_t *body);
    void (*overlap)(tamis_filter *dst, const uint8_t *body);

    /* The same set as another kind, without the keys: `convert_shape` says as
     * what, or why not (TAMIS_E_UNSUPPORTED); `convert` writes the body (zeroed).
     * NULL: to no other kind. */
    tamis_status (*convert_shape)(const tms_shape *, uint32_t kind, tms_shape *out);
    void (*convert)(const tamis_filter *, uint8_t *out);
    const tms_loose *loose; /* NULL for kinds that work in their body */

    /* Kinds made of filters: NULL for the others. `adopt` takes the children
     * over (on failure it leaves them to the caller), `child` lends one. */
    const tms_composing *composing;
    tamis_status (*adopt)(tamis_filter *, tamis_filter **children, uint32_t count);
    uint32_t (*child_count)(const tamis_filter *);
    tamis_filter *(*child)(const tamis_filter *, uint32_t index);
    void (*reset)(tamis_filter *);   /* back to empty; loose kinds too */
    void (*release)(tamis_filter *); /* frees the children; or the state of a loose kind */
};

/* Who gives the body back. */
typedef enum tms_owner { TMS_BODY_OWNED, TMS_BODY_BORROWED } tms_owner;

struct tms_origin; /* the map or buffer a body lies in: src/facade/origin.h */

struct tamis_filter {
    const tms_ops *ops;
    const tms_kind *kind;
    tms_hasher hasher;
    uint8_t *body;
    tms_shape shape;
    tms_owner owner;
    tms_damage_rule damage_rule; /* of the kind, unless the filter it is a part of knows better */
    bool read_only;
    bool count_is_estimate;
    bool in_order; /* keys may be refused: a parallel build adds them in order, not in slices */
    bool is_child; /* of a composed filter: not to be freed or changed by itself */
    tamis_alloc alloc;
    struct tms_origin *origin; /* NULL for a filter in memory of its own */
    void (*drop_origin)(struct tms_origin *, const tamis_alloc *);
    uint64_t damaged_bytes; /* of the body, given up when it was read */
    uint8_t *metadata;
    size_t metadata_bytes;
    tms_counter added;
};

/* Whether threads may be adding while others ask. Not in a view or a map, whose
 * bytes nobody changes: there plain loads do, which need no alignment either. */
static inline bool tms_filter_is_shared(const tamis_filter *f)
{
    return f->shape.flags & TAMIS_CONCURRENT && !f->read_only;
}

/* Of filters made of filters; 0 for the others. */
static inline uint32_t tms_child_count(const tamis_filter *f)
{
    return f->kind->child_count ? f->kind->child_count(f) : 0;
}

/* Counts keys taken by an add. */
static inline void tms_filter_count(tamis_filter *f, uint64_t keys)
{
    if (f->shape.flags & TAMIS_CONCURRENT)
        tms_counter_add(&f->added, keys);
    else
        tms_counter_add_alone(&f->added, keys);
}

/* TAMIS_CAN_* of this very filter: of a composed one they depend on its parts. */
uint32_t tms_filter_abilities(const tamis_filter *f);

/* ---- handles (handle.c) ------------------------------------------------- */

/* What every filter of a family shares. */
typedef struct tms_family {
    const tms_hasher *hasher;
    const tamis_alloc *alloc;
} tms_family;

/* A handle without a body for a judged shape. */
tamis_status tms_handle_make(const tms_kind *kind, const tms_shape *shape, tms_family family,
                             tamis_filter **out);

/* A handle with an empty body of its own, attached. Flat kinds only. */
tamis_status tms_filter_make(const tms_kind *kind, const tms_shape *shape, tms_family family,
                             tamis_filter **out);

/* Forgets every key; shape and places stay. */
void tms_filter_empty(tamis_filter *f);

/* Frees handle, body (when owned), children, metadata and origin. NULL does nothing. */
void tms_filter_drop(tamis_filter *f);

#endif
