/* filter.h - one handle for every kind of approximate-membership filter.
 *
 * A filter answers "might this key be in the set?". It may say yes to a key
 * that was never added (a false positive, at a rate you choose) and never
 * says no to one that was. Fill a spec, create, add, ask, free:
 *
 *      tamis_spec spec = { .capacity = 10000000, .fpr = 0.01 };
 *      tamis_filter *f;
 *      if (tamis_create(&spec, &f) != TAMIS_OK) ... tamis_explain() ...
 *      tamis_add(f, "user:123", 8);
 *      tamis_may_contain(f, "user:999", 8);      false: certainly not there
 *      tamis_free(f);
 *
 * Threads. Without TAMIS_CONCURRENT any number of threads may ask one filter
 * at once, and changing it needs the caller's own lock. With it any number
 * may add and ask at once, without locks (but a cuckoo filter's writers lock
 * one chunk, and wait while it is saved or cloned; those of a scaling filter
 * that can remove take turns): a key is visible to every thread that the adding
 * call's return happens-before, and of two threads that race to tamis_add_new
 * one key at least one is told that it is new. Calls that change the filter as a
 * whole (merge, clear, fold, free) always need the filter to themselves. Distinct
 * filters share nothing that changes.                                       */
#ifndef TAMIS_FILTER_H
#define TAMIS_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/export.h>
#include <tamis/keys.h>
#include <tamis/spec.h>
#include <tamis/status.h>

TAMIS_BEGIN

typedef struct tamis_filter tamis_filter; /* opaque: the layout may change */

/* ---- making and freeing ------------------------------------------------- */

/** Builds an empty filter for `spec` and stores it in `*out`. On failure
 *  `*out` is NULL and nothing stays allocated. Errors: those of tamis_plan,
 *  TAMIS_E_NOMEM, TAMIS_E_SECRET, TAMIS_E_UNAVAILABLE (hash not built in).
 *  Cost: independent of the size with the default allocator, which zeroes
 *  lazily. Free with tamis_free.                                            */
TAMIS_API tamis_status tamis_create(const tamis_spec *spec, tamis_filter **out);

/** Releases `f` and everything it owns; a borrowed buffer stays the caller's.
 *  NULL is allowed and does nothing.                                        */
TAMIS_API void tamis_free(tamis_filter *f);

/** Builds a second filter equal to `f`, owning its memory, writable also when
 *  `f` is a view or a map. Errors: TAMIS_E_NOMEM, TAMIS_E_CORRUPT (a map that is
 *  found damaged, opened without LAZY or SALVAGE). Cost: a copy of the body, and
 *  for a map its verification.                                              */
TAMIS_API tamis_status tamis_clone(const tamis_filter *f, tamis_filter **out);

/* ---- one key ------------------------------------------------------------ */

/** Adds key[0..size). The key is read, never kept. On error `f` is unchanged.
 *  Errors: TAMIS_E_FULL (strict and at capacity; bounded kinds when no place is
 *  found, or too many copies of the key are there), TAMIS_E_READONLY. Scaling
 *  filters only, when a layer is due: TAMIS_E_NOMEM, TAMIS_E_LIMIT (above
 *  spec.memory), TAMIS_E_FULL (64 layers, or so many keys that the collisions
 *  of the hash would break the promised rate). Bitmaps: TAMIS_E_SPEC (a key that
 *  has not 8 bytes), TAMIS_E_NOMEM. Twins: TAMIS_E_REMOVED (the key was removed,
 *  or looks as if it was). Shards that are not all there: TAMIS_E_MISMATCH (the
 *  key belongs to another).
 *  Kinds with TAMIS_CAN_REMOVE take every add, also of a key that is there, so
 *  that adds and removes balance.
 *  Cost: one hash, then 1 or 2 cache lines (blocked), 2 (cuckoo) or k (classic). */
TAMIS_API tamis_status tamis_add(tamis_filter *f, const void *key, size_t size);

/** Adds the key and tells in `*was_new` whether it was certainly not there
 *  before: test and add in one pass, the primitive of de-duplication. Errors
 *  and cost as tamis_add; on error `*was_new` is unchanged.                 */
TAMIS_API tamis_status tamis_add_new(tamis_filter *f, const void *key, size_t size, bool *was_new);

/** False: the key was certainly never added. True: it may have been.
 *  Cost: as tamis_add. Never fails: where damage makes an answer impossible
 *  (salvaged files, chunks found damaged at first touch) it is true.        */
TAMIS_API bool tamis_may_contain(const tamis_filter *f, const void *key, size_t size);

/** The same three for a 64-bit integer, which is its 8 little-endian bytes. */
TAMIS_API tamis_status tamis_add_u64(tamis_filter *f, uint64_t key);
TAMIS_API tamis_status tamis_add_new_u64(tamis_filter *f, uint64_t key, bool *was_new);
TAMIS_API bool tamis_may_contain_u64(const tamis_filter *f, uint64_t key);

/** The digest of a key under this filter's hash, seed and secret. Filters
 *  that agree in those three share digests, so one hashing serves them all.
 *  Cost: the hash.                                                          */
TAMIS_API uint64_t tamis_hash(const tamis_filter *f, const void *key, size_t size);

/** The same three for a digest. A kind or scheme that needs the key itself
 *  (abilities without TAMIS_CAN_DIGESTS) refuses to add one with
 *  TAMIS_E_UNSUPPORTED and answers true. Digests must be well mixed 64-bit
 *  values; consecutive integers are not.                                    */
TAMIS_API tamis_status tamis_add_hash(tamis_filter *f, uint64_t digest);
TAMIS_API tamis_status tamis_add_new_hash(tamis_filter *f, uint64_t digest, bool *was_new);
TAMIS_API bool tamis_may_contain_hash(const tamis_filter *f, uint64_t digest);

/* ---- taking away and counting ------------------------------------------- */

/** Takes one occurrence of the key away; the key itself where the filter is a
 *  set (bitmap). A key that is certainly absent is refused with TAMIS_E_ABSENT
 *  and nothing changes; a key that was never added but gets "maybe" takes the
 *  place of one that was, which may then be answered "no": remove only what you
 *  know was added. A scaling filter over a bounded kind (cuckoo, d-left) leaves a
 *  key that two of its layers may hold as it is and reports success: it cannot
 *  tell which layer has it, and would rather keep a "maybe" than lose a key.
 *  Errors besides:
 *  TAMIS_E_UNSUPPORTED (kinds without TAMIS_CAN_REMOVE), TAMIS_E_READONLY.
 *  Cost: as tamis_add.                                                      */
TAMIS_API tamis_status tamis_remove(tamis_filter *f, const void *key, size_t size);
TAMIS_API tamis_status tamis_remove_u64(tamis_filter *f, uint64_t key);
TAMIS_API tamis_status tamis_remove_hash(tamis_filter *f, uint64_t digest);

/** How often the key was added, less removals: at least the truth, up to the
 *  most a kind can count (docs/kinds/), more by false positives; UINT64_MAX
 *  where parts that were found damaged make it unknowable. Kinds without
 *  TAMIS_CAN_COUNT answer 0 or 1, which is what may_contain says. Cost: as
 *  tamis_may_contain.                                                       */
TAMIS_API uint64_t tamis_estimate_count(const tamis_filter *f, const void *key, size_t size);
TAMIS_API uint64_t tamis_estimate_count_u64(const tamis_filter *f, uint64_t key);
TAMIS_API uint64_t tamis_estimate_count_hash(const tamis_filter *f, uint64_t digest);

/* ---- many keys ---------------------------------------------------------- */

/* Each call gives what the calls above would give for one key after the
 * other, in order, and is faster: keys are hashed and their cache lines
 * fetched ahead. Cost per key out of cache: near one random memory line for
 * blocked filters (bench/ measures it against this machine's limit).
 * TAMIS_E_SPEC: descending offsets or an unknown layout; nothing was added. */

/** Adds all keys. Stops at the first one that cannot be added (reasons as
 *  tamis_add); those before it stay. `*added`, when not NULL, gets the number
 *  of keys that were taken.                                                 */
TAMIS_API tamis_status tamis_add_many(tamis_filter *f, const tamis_keys *keys, size_t *added);

/** The same, with was_new[i] set for every key that was taken. A key that
 *  occurs twice in the batch is new only the first time.                    */
TAMIS_API tamis_status tamis_add_new_many(tamis_filter *f, const tamis_keys *keys, bool *was_new,
                                          size_t *added);

/** Writes an answer for every key and returns the number of "maybe"; answers
 *  may be NULL when only that number is wanted. An invalid batch answers
 *  true throughout.                                                         */
TAMIS_API size_t tamis_may_contain_many(const tamis_filter *f, const tamis_keys *keys,
                                        bool *answers);

/** Removes one occurrence of every key; removed[i], when not NULL, says whether
 *  key i was there, `*gone`, when not NULL, how many were. Absent keys are no
 *  error here. Stops at the first other failure; those before it stay removed. */
TAMIS_API tamis_status tamis_remove_many(tamis_filter *f, const tamis_keys *keys, bool *removed,
                                         size_t *gone);

/** Writes tamis_estimate_count of every key.                                */
TAMIS_API tamis_status tamis_estimate_count_many(const tamis_filter *f, const tamis_keys *keys,
                                                 uint64_t *counts);

/** Writes the digest of every key.                                          */
TAMIS_API tamis_status tamis_hash_many(const tamis_filter *f, const tamis_keys *keys,
                                       uint64_t *digests);

/** tamis_add_many by `threads` threads (0: one per processor) that share no
 *  writes: the bytes are the same for every number of threads. The filter
 *  needs no TAMIS_CONCURRENT; with it others may add at the same time. Kinds
 *  that cannot be split (scaling ones) hash in parallel and add in order. One
 *  thread does it all where several would not be faster: fewer than 16384 keys,
 *  strict filters, classic ones below 32 MiB. Starts its threads and joins them
 *  before it returns; memory: 2 MiB while it runs, but for large batches of
 *  cuckoo filters 8 bytes a key (16 unless they are digests), up to 32 MiB or
 *  half the filter's size, whichever is more (twice that). Errors: as
 *  tamis_add_many, TAMIS_E_NOMEM.                                           */
TAMIS_API tamis_status tamis_add_many_parallel(tamis_filter *f, const tamis_keys *keys,
                                               unsigned threads, size_t *added);

TAMIS_END

#endif
