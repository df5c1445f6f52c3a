/* redisbloom_chain.h - what the two kinds of RedisBloom share: a handle with a
 * table of layers, each with an array of its own.
 *
 * Arrays come from the host (or the library's memory) zeroed and lazily so;
 * growing adds one and copies none. A layer of a Bloom chain is a bit array, of
 * a cuckoo chain a table of one-byte fingerprints. Everything that only moves
 * arrays about (chunks, digests, copies) works on both alike.               */
#ifndef TMS_FOREIGN_REDISBLOOM_CHAIN_H
#define TMS_FOREIGN_REDISBLOOM_CHAIN_H

#include <tamis/info.h>
#include <tamis/redisbloom.h>

#include "base/bits.h"
#include "foreign/rdb_bytes.h"
#include "kinds/kind.h"

/* No address space holds more, and sums of a few such sizes fit 64 bits. */
#define TMS_RB_BYTES_MOST (UINT64_C(1) << 56)

/* The smallest rate that a double can say needs 1075; what claims more is a
 * forgery that would make every query a long loop. */
enum { TMS_RB_HASHES_MOST = 1075 };

enum { TMS_RB_CUCKOO_FILTERS_MOST = 65535 };

/* Of the first hash of a Bloom key; the second is seeded with the first. */
#define TMS_RB_BLOOM_SEED UINT64_C(0xc6a4a7935bd1e995)

typedef struct tms_rb_layer {
    uint8_t *array;
    uint64_t bytes;
    union {
        uint64_t modulus; /* Bloom: of positions: bits, or 2^n2 in old filters; never 0 */
        uint64_t buckets; /* cuckoo: a power of two */
    };
    /* Bloom only */
    uint64_t bits;
    uint64_t inverse; /* floor(2^64 / modulus) */
    uint64_t capacity, items;
    double error, bits_per_entry;
    uint32_t hashes;
    uint32_t n2; /* log2 of bits in old filters, or 0 */
} tms_rb_layer;

/* A compaction in progress: the slots of layer `source` from `slot` on are still
 * to be moved. */
typedef struct tms_rb_compaction {
    bool pending;
    bool goes_on; /* past a layer that cannot be emptied */
    bool stuck;   /* a fingerprint of this source found no place */
    uint32_t source;
    uint64_t slot;
} tms_rb_compaction;

typedef struct tms_rb_chain {
    tamis_filter base;
    const tamis_redisbloom_host *host; /* or NULL: base.alloc */
    tms_rb_layer *layers;
    uint32_t count, room;
    uint64_t bytes; /* of all arrays */
    uint64_t items; /* base.added is not used */
    uint32_t expansion;
    uint32_t options; /* Bloom */
    uint64_t deletes; /* cuckoo, from here on */
    uint16_t bucket_size, max_iterations;
    tms_rb_compaction compaction;
} tms_rb_chain;

/* Where a new chain gets its memory. `host` wins; `memory` caps besides. */
typedef struct tms_rb_place {
    const tamis_redisbloom_host *host;
    const tamis_alloc *alloc;
    uint64_t memory;
} tms_rb_place;

extern const tms_kind tms_rb_bloom_kind, tms_rb_cuckoo_kind;

static inline tms_rb_chain *tms_rb_of(const tamis_filter *f)
{
    return (tms_rb_chain *)(uintptr_t)f;
}

static inline bool tms_rb_is_cuckoo(const tamis_filter *f)
{
    return f->kind == &tms_rb_cuckoo_kind;
}

/* TAMIS_OK, or TAMIS_E_UNSUPPORTED for a filter of another kind. */
tamis_status tms_rb_check_kind(const tamis_filter *f);

/* ---- memory (redisbloom_chain.c) ---------------------------------------- */

/* TAMIS_OK when `bytes` for all arrays are within every cap of the place. */
tamis_status tms_rb_allows(const tms_rb_place *place, uint64_t bytes);

/* Zeroed memory as chains have it, and back. */
void *tms_rb_take(const tms_rb_place *place, uint64_t bytes);
void tms_rb_give(const tms_rb_place *place, void *memory, uint64_t bytes);

/* The place that a chain's own memory comes from. */
tms_rb_place tms_rb_place_of(const tms_rb_chain *c);

/* ---- chains (redisbloom_chain.c) ---------------------------------------- */

/* A chain without layers; free it as any filter. */
tamis_status tms_rb_chain_make(const tms_kind *kind, const tms_rb_place *place, tms_rb_chain **out);

/* Appends a layer whose sizes are set and judged. Its array is taken over, or
 * made when it is NULL. On failure nothing changes, and an array given stays
 * the caller's. */
tamis_status tms_rb_append(tms_rb_chain *c, const tms_rb_layer *layer);

/* Frees the newest layer. */
void tms_rb_drop_newest(tms_rb_chain *c);

/* Keys that all layers were planned for; of a cuckoo chain, slots. */
uint64_t tms_rb_capacity(const tms_rb_chain *c);

/* What the tables of both kinds say of them. */
#define TMS_RB_HOME "tamis_redisbloom_dump, or its chunks"
void tms_rb_release(tamis_filter *f);
void tms_rb_reset(tamis_filter *f);
tamis_status tms_rb_copy(const tamis_filter *f, tamis_filter *copy);
uint64_t tms_rb_held(const tamis_filter *f);
void tms_rb_report(const tamis_filter *f, tamis_facts *facts);

/* ---- Bloom (redisbloom_bloom.c) ----------------------------------------- */

/* The option bits that mean something. */
enum { TMS_RB_OPTIONS = 15 };

/* Fills everything but the array. TAMIS_E_LIMIT for more than any machine has. */
tamis_status tms_rb_bloom_size(uint64_t capacity, double error, uint32_t options,
                               tms_rb_layer *layer);

/* Judges the fields of a layer that came from outside: bytes, bits, error,
 * bits_per_entry, hashes, n2; fills the modulus. TAMIS_E_CORRUPT. */
tamis_status tms_rb_bloom_judge(tms_rb_layer *layer, uint32_t index);

/* Appends the next layer. */
tamis_status tms_rb_bloom_grow(tms_rb_chain *c);

/* Brings what the facade shows up to date with the layers. */
void tms_rb_bloom_settle(tms_rb_chain *c);

/* ---- Bloom, at work (redisbloom_probe.c) -------------------------------- */

size_t tms_rb_bloom_ask(const tamis_filter *f, const tamis_span *keys, size_t count, bool *answers);
tamis_status tms_rb_bloom_add(tamis_filter *f, const tamis_span *keys, size_t count, bool *was_new,
                              size_t *added);

/* ---- cuckoo (redisbloom_cuckoo.c, redisbloom_compact.c) ------------------ */

/* Judges what a header says. TAMIS_E_CORRUPT. `*bytes`: of all sub-filters. The
 * number of keys is believed: it is only counted with. */
tamis_status tms_rb_cuckoo_judge(const tms_rb_chain *head, uint64_t buckets, uint64_t filters,
                                 uint64_t *bytes);

/* Appends sub-filter number c->count; `array` as in tms_rb_append. */
tamis_status tms_rb_cuckoo_append(tms_rb_chain *c, uint64_t first_buckets, uint8_t *array);

void tms_rb_cuckoo_settle(tms_rb_chain *c);

/* Adds a fingerprint; with `only_absent` a key that may be there is left.
 * `*was_new`: it was certainly absent; NULL saves the looking. */
tamis_status tms_rb_cuckoo_insert(tamis_filter *f, uint64_t digest, bool only_absent,
                                  bool *was_new);

/* The first free slot of a digest's two buckets in one sub-filter, or NULL. */
uint8_t *tms_rb_cuckoo_free_slot(const tms_rb_chain *c, const tms_rb_layer *layer, uint64_t hash,
                                 uint8_t fingerprint);

static inline uint64_t tms_rb_cuckoo_other(uint64_t hash, uint8_t fingerprint)
{
    return hash ^ (uint64_t)fingerprint * UINT64_C(0x5bd1e995);
}

void tms_rb_compact_begin(tms_rb_chain *c, bool goes_on);
void tms_rb_compact_some(tms_rb_chain *c, uint64_t slots);

static inline void tms_rb_compact_finish(tms_rb_chain *c)
{
    if (c->compaction.pending) tms_rb_compact_some(c, UINT64_MAX);
}

/* ---- headers (redisbloom_chunks.c) -------------------------------------- */

/* Parses a header chunk that may have more behind it; `*used` is its length.
 * The chain has its layers, all zero. */
tamis_status tms_rb_header_read(uint32_t kind, const uint8_t *bytes, size_t size,
                                const tms_rb_place *place, size_t *used, tamis_filter **out);

/* Bytes of all arrays that a header claims, without making anything; the same
 * statuses. */
tamis_status tms_rb_header_measure(uint32_t kind, const uint8_t *bytes, size_t size, size_t *used,
                                   uint64_t *arrays);

/* ---- values (redisbloom_value.c, redisbloom_dump.c) ---------------------- */

/* tamis_redisbloom_load and _restore with a place of one's own. */
tamis_status tms_rb_value_read(uint32_t kind, int encver, const tamis_redisbloom_reader *reader,
                               const tamis_redisbloom_old_cuckoo *old, const tms_rb_place *place,
                               tamis_filter **out, tamis_redisbloom_quarantine **kept);
uint32_t tms_rb_quarantine_kind(const tamis_redisbloom_quarantine *q);
/* A value after its module id, up to its end mark. */
tamis_status tms_rb_value_at(tms_rdb_reader *r, uint64_t id, const tms_rb_place *place,
                             tamis_filter **out);
tamis_status tms_rb_restore(const uint8_t *bytes, size_t size, const tms_rb_place *place,
                            tamis_filter **out, uint16_t *rdb_version);

#endif
