/* combine.h - filters as sets: union, intersection, shrinking, converting,
 * emptying.
 *
 * Two filters fit together when kind, hash, seed, secret and bits per key
 * agree; bitmaps always fit. Sizes may differ when both fold to a common
 * divisor. Every call here needs its filters to itself, and is all or nothing. */
#ifndef TAMIS_COMBINE_H
#define TAMIS_COMBINE_H

#include <tamis/export.h>
#include <tamis/filter.h>

TAMIS_BEGIN

/** What a union turned out to be.                                           */
typedef struct tamis_union {
    double keys;                /* estimated distinct keys in the union */
    double keys_low, keys_high; /* 95 % interval; high is INFINITY when saturated */
    double fpr;                 /* rate of the result, from its bits */
    uint64_t folded_dst;        /* factors by which the two were folded; 1: not */
    uint64_t folded_src;
} tamis_union;

/** Makes `dst` the union of both: every key of either may be contained. The
 *  result is what one filter with all keys would be, bit for bit (of the
 *  smaller size where sizes differ); filters that count add their counts up.
 *  `result` may be NULL. Errors:
 *  TAMIS_E_MISMATCH with the reason; TAMIS_E_SECRET (made with other secrets);
 *  TAMIS_E_FULL when `dst` is strict and the union would pass its planned rate;
 *  TAMIS_E_READONLY; TAMIS_E_NOMEM (sizes differ, `dst` is strict, or `src` has
 *  damage to be given up); TAMIS_E_CORRUPT (`src` is a map found damaged, opened
 *  without LAZY or SALVAGE); TAMIS_E_UNSUPPORTED. On error both are as they were.
 *  Cost: one pass over both bodies and one to measure the result, one more when
 *  strict, and the verification of a map.                                   */
TAMIS_API tamis_status tamis_merge(tamis_filter *dst, const tamis_filter *src, tamis_union *result);

/** Makes `dst` the AND of both. A key of both sets may be contained; a key of
 *  one set only is a false positive with up to the other filter's rate, so the
 *  result has *more* false positives than a filter built from the true
 *  intersection, and how many keys it holds is unknown afterwards (tamis_info
 *  marks the count as an estimate). Sizes must agree or fold, as in a merge.
 *  Errors as tamis_merge.                                                   */
TAMIS_API tamis_status tamis_intersect(tamis_filter *dst, const tamis_filter *src);

/** Shrinks `f` to 1/factor of its size without the keys; the rate rises as if
 *  it had been planned that small from the start. `factor` must divide the
 *  size (tamis_sizing.fold says which powers of two do; spec.fold asks for
 *  more). Errors: TAMIS_E_SPEC, TAMIS_E_READONLY, TAMIS_E_NOMEM (the smaller
 *  body is built beside the old one), TAMIS_E_UNSUPPORTED.                  */
TAMIS_API tamis_status tamis_fold(tamis_filter *f, uint64_t factor);

/** Makes the same set as a filter of another kind, without the keys, and stores
 *  it in `*out`: it answers every question as `f` does. Counting filters whose
 *  counters are spread (spec.lines_per_key 0) become classic ones, which take
 *  a quarter or an eighth of the memory and can no longer remove. The kind of
 *  `f` itself gives a clone. Errors, with `*out` NULL: TAMIS_E_SPEC (there is no
 *  such kind), TAMIS_E_UNSUPPORTED (this kind does not become that one, with
 *  the reason), TAMIS_E_NOMEM, TAMIS_E_CORRUPT (a mapped file is damaged).
 *  Cost: one pass. `f` may be asked meanwhile, not changed. Free `*out` with
 *  tamis_free.                                                              */
TAMIS_API tamis_status tamis_convert(const tamis_filter *f, uint32_t kind, tamis_filter **out);

/* ---- shards ------------------------------------------------------------- */

/** The shard of a digest, 0 to shards - 1: the high half of the 128-bit product
 *  digest * shards. Anybody can compute it, and so find the node, file or
 *  process that has the key.                                                */
TAMIS_API uint32_t tamis_shard_of(uint64_t digest, uint32_t shards);

/** Which shards a sharded filter has.                                       */
typedef struct tamis_shards {
    uint32_t shards; /* of the whole */
    uint32_t first;  /* that is here, */
    uint32_t count;  /* and how many are */
} tamis_shards;

/** Fills `shards`. TAMIS_E_UNSUPPORTED when `f` is not sharded. Cost: none. */
TAMIS_API tamis_status tamis_shards_of(const tamis_filter *f, tamis_shards *shards);

/** Cuts `f` into `parts` filters of kind sharded, which together have its keys:
 *  out[i] has those of shard i, says "no" to all others, refuses to add them
 *  (TAMIS_E_MISMATCH), and is saved, merged and asked like any other. A blocked
 *  filter with one line a key is cut as it lies; `parts` must divide its lines
 *  (spec.fold asks for that). A sharded filter hands out its shards, an equal
 *  number each. Other kinds spread a key over their body, and cannot be cut:
 *  TAMIS_E_UNSUPPORTED. Errors besides: TAMIS_E_SPEC, TAMIS_E_NOMEM,
 *  TAMIS_E_CORRUPT (a map whose chunks are damaged). On error nothing is made.
 *  `f` is left as it is. Cost: one copy of the body. Free each with tamis_free. */
TAMIS_API tamis_status tamis_split(const tamis_filter *f, uint32_t parts, tamis_filter **out);

/** Makes one sharded filter of parts that have neighbouring shards, in any order:
 *  all of a whole, or some. Errors: TAMIS_E_MISMATCH (another hash, seed, secret,
 *  kind or number of shards; a shard missing in between or there twice),
 *  TAMIS_E_SPEC, TAMIS_E_NOMEM, TAMIS_E_CORRUPT. The parts are left as they are.
 *  Cost: one copy of their bodies.                                          */
TAMIS_API tamis_status tamis_join(const tamis_filter *const *parts, size_t count,
                                  tamis_filter **out);

/** Makes the one plain filter of which a sharded filter's shards are stretches:
 *  its bits are those of a filter built at once. For what tamis_split can cut.
 *  Errors: TAMIS_E_UNSUPPORTED, TAMIS_E_MISMATCH (shards missing, or of unequal
 *  size), TAMIS_E_NOMEM. Cost: one copy of the bodies.                      */
TAMIS_API tamis_status tamis_unshard(const tamis_filter *f, tamis_filter **out);

/** Gives memory back that no key needs: folds the filter, or the newest layer
 *  of a scaling one, by the largest power of two that divides its size and
 *  leaves the keys it holds now at the rate it was planned for. It then has
 *  less room: call it when few keys are still to come. `*saved`, when not NULL,
 *  gets the bytes that were given back, possibly 0. Errors:
 *  TAMIS_E_UNSUPPORTED (kinds that do not fold), TAMIS_E_READONLY,
 *  TAMIS_E_NOMEM. Needs the filter to itself. Cost: one pass.               */
TAMIS_API tamis_status tamis_compact(tamis_filter *f, uint64_t *saved);

/** Forgets every key; size and parameters stay. A scaling filter keeps only
 *  its first layer. Errors: TAMIS_E_READONLY. Cost: one pass.               */
TAMIS_API tamis_status tamis_clear(tamis_filter *f);

TAMIS_END

#endif
