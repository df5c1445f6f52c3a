/* redisbloom.h - the filters of RedisBloom, alive: BF.* and CF.* without a server.
 *
 * Two kinds: TAMIS_KIND_REDISBLOOM, a chain of Bloom layers, and
 * TAMIS_KIND_REDISBLOOM_CUCKOO, a chain of cuckoo sub-filters. Their hashes,
 * index rules, growth and bytes are those of RedisBloom, so that a filter goes
 * from a server to a file and back and nobody notices. A handle made here is an
 * ordinary filter: tamis_add, tamis_add_new, tamis_may_contain, their _many,
 * tamis_remove and tamis_estimate_count (cuckoo), tamis_merge (Bloom chains of
 * one geometry), tamis_clone, tamis_clear, tamis_info, tamis_diagnose and
 * tamis_free work on it. It has no native file: tamis_save refuses and names
 * the doors below. tamis_open reads the forms of docs/formats/redisbloom.md,
 * and tamis_file_add_many writes them back.
 *
 *      tamis_redisbloom_bloom spec = { .error_rate = 0.01, .capacity = 100, .expansion = 2 };
 *      tamis_filter *f;
 *      if (tamis_redisbloom_create_bloom(&spec, NULL, &f) != TAMIS_OK) ... tamis_explain() ...
 *
 * Threads: as every filter without TAMIS_CONCURRENT. tamis_free is allowed on
 * any thread. Nothing here starts a thread.
 *
 * Statuses common to all calls: TAMIS_E_NOMEM (the host gave no memory),
 * TAMIS_E_LIMIT (the host's cap, or 2^56 bytes, would be passed; nothing was
 * asked for), TAMIS_E_UNSUPPORTED (a handle of another kind).               */
#ifndef TAMIS_REDISBLOOM_H
#define TAMIS_REDISBLOOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/export.h>
#include <tamis/file.h>
#include <tamis/filter.h>

TAMIS_BEGIN

/* ---- memory ------------------------------------------------------------- */

/** Where a chain's memory comes from, and how much it may have. Borrowed: it
 *  must outlive every filter made with it; the limits are read anew by every
 *  call, so their owner may change them between calls. NULL in its place: the
 *  library's own memory, no cap.
 *
 *  Bit arrays are one `zeroed` each, of exactly the bytes that the layer has,
 *  so that an allocator that zeroes lazily makes gigabytes in microseconds; a
 *  chain grows by one more array and never copies an old one.               */
typedef struct tamis_redisbloom_host {
    void *ctx;
    /* `size` zeroed bytes aligned to 8 or more, or NULL; calloc is one. */
    void *(*zeroed)(void *ctx, size_t size);
    /* Takes back what `zeroed` gave, and what a reader's get_bytes gave; any thread. */
    void (*free)(void *ctx, void *memory, size_t size);
    uint64_t memory; /* most bytes of all arrays of one filter; 0: no cap */
    /* Most layers or sub-filters, by growth or of a header; 0: 65535 for cuckoo chains, else
     * none. A value has the arrays with it, so it may have as many as it brings. */
    uint32_t max_filters;
    bool compact_later;   /* CF.DEL leaves a compaction pending instead of doing it */
    uint64_t reserved[4]; /* must be 0 */
} tamis_redisbloom_host;

/* ---- making ------------------------------------------------------------- */

/** Option bits of a Bloom chain, as stored.                                 */
enum {
    TAMIS_REDISBLOOM_NOROUND = 1u << 0,      /* bits are not rounded up to a power of two */
    TAMIS_REDISBLOOM_ENTS_IS_BITS = 1u << 1, /* old: capacity was given as log2 of the bits */
    TAMIS_REDISBLOOM_FORCE64 = 1u << 2,      /* 64-bit hash; without: the old 32-bit one */
    TAMIS_REDISBLOOM_NO_SCALING = 1u << 3
};

/** BF.RESERVE. Layer i (0 is the first) has capacity * expansion^i keys and a
 *  rate of error_rate / 2^(i+1); a chain that does not scale has one layer of
 *  error_rate itself. Rates above 0.25 are taken as 0.25.                   */
typedef struct tamis_redisbloom_bloom {
    double error_rate;    /* above 0, below 1 */
    uint64_t capacity;    /* 1 or more */
    uint32_t expansion;   /* 0: does not scale; stored as it is, otherwise */
    bool nonscaling;      /* NONSCALING; `expansion` is stored nevertheless */
    uint32_t options;     /* 0: what present servers make (NOROUND, FORCE64), else as stored */
    uint64_t reserved[4]; /* must be 0 */
} tamis_redisbloom_bloom;

/** CF.RESERVE. `expansion` is raised to a power of two.                     */
typedef struct tamis_redisbloom_cuckoo {
    uint64_t capacity;       /* at least 2 * bucket_size */
    uint16_t bucket_size;    /* 1 .. 255 */
    uint16_t max_iterations; /* 1 .. 65535 */
    uint16_t expansion;      /* 0: never grows; at most 32768 */
    uint64_t reserved[4];    /* must be 0 */
} tamis_redisbloom_cuckoo;

/** Bytes of the first array, without making anything; the fields are judged as
 *  by the calls that create. Errors: TAMIS_E_SPEC, TAMIS_E_LIMIT.           */
TAMIS_API tamis_status tamis_redisbloom_bloom_bytes(const tamis_redisbloom_bloom *spec,
                                                    uint64_t *bytes);
TAMIS_API tamis_status tamis_redisbloom_cuckoo_bytes(const tamis_redisbloom_cuckoo *spec,
                                                     uint64_t *bytes);

/** An empty chain. Errors besides: TAMIS_E_SPEC (which field, what is allowed).
 *  Cost: that of host->zeroed.                                              */
TAMIS_API tamis_status tamis_redisbloom_create_bloom(const tamis_redisbloom_bloom *spec,
                                                     const tamis_redisbloom_host *host,
                                                     tamis_filter **out);
TAMIS_API tamis_status tamis_redisbloom_create_cuckoo(const tamis_redisbloom_cuckoo *spec,
                                                      const tamis_redisbloom_host *host,
                                                      tamis_filter **out);

/* ---- adding, key by key told apart -------------------------------------- */

/* What became of a key. */
enum {
    TAMIS_REDISBLOOM_ADDED = 1,
    TAMIS_REDISBLOOM_KNOWN = 0,     /* may be present: nothing changed */
    TAMIS_REDISBLOOM_FULL = -1,     /* full, and does not scale */
    TAMIS_REDISBLOOM_NO_MEMORY = -2 /* growth was refused: by the host, its cap or max_filters */
};

/** Adds each key by itself and goes on after a refusal; results[i], which must
 *  have room for every key, says what became of key i, `*changed` (may be NULL)
 *  how many were added. `only_absent`: CF.ADDNX and CF.INSERTNX, which leave a
 *  key that may be present; a Bloom chain always does. Without it a cuckoo
 *  chain takes every copy. The same bytes as one key after the other. Refusals
 *  are results and no failure. Errors: TAMIS_E_SPEC (keys). Batches are hashed
 *  and fetched ahead: give many keys at once.
 *
 *  The ordinary calls on these handles: tamis_add and tamis_add_new stop at a
 *  refusal with TAMIS_E_FULL (by the chain's own rule), TAMIS_E_LIMIT or
 *  TAMIS_E_NOMEM; tamis_add_new's `was_new` is "was certainly absent", and a
 *  cuckoo chain takes the copy either way.                                  */
TAMIS_API tamis_status tamis_redisbloom_add_each(tamis_filter *f, const tamis_keys *keys,
                                                 bool only_absent, int8_t *results,
                                                 size_t *changed);

/* ---- what it is --------------------------------------------------------- */

/** BF.INFO, BF.CARD, CF.INFO, CF.DEBUG.                                     */
typedef struct tamis_redisbloom_facts {
    uint32_t kind;      /* TAMIS_KIND_REDISBLOOM or _CUCKOO */
    uint32_t filters;   /* layers or sub-filters */
    uint64_t items;     /* counted as new; a cuckoo chain counts copies, less deletes */
    uint64_t capacity;  /* Bloom: sum of the layers'. Cuckoo: slots */
    uint64_t size;      /* what INFO calls Size: the peer's structs and the arrays */
    uint64_t bytes;     /* of the arrays alone */
    uint32_t expansion; /* growth, as stored */
    bool scales;
    uint32_t options;        /* Bloom: TAMIS_REDISBLOOM_* */
    uint64_t buckets;        /* cuckoo: of the first sub-filter */
    uint64_t deletes;        /* cuckoo: since the last compaction */
    uint16_t bucket_size;    /* cuckoo */
    uint16_t max_iterations; /* cuckoo */
    bool compaction_pending; /* cuckoo: see tamis_redisbloom_compact_some */
} tamis_redisbloom_facts;

/** Fills `facts`. Cost: one step a layer. TAMIS_E_UNSUPPORTED for other kinds. */
TAMIS_API tamis_status tamis_redisbloom_facts_of(const tamis_filter *f,
                                                 tamis_redisbloom_facts *facts);

/** A line of BF.DEBUG; of a cuckoo chain bytes, buckets and array.           */
typedef struct tamis_redisbloom_layer {
    uint64_t bytes;
    uint64_t bits;
    uint64_t capacity;
    uint64_t items;
    double error;
    double bits_per_entry;
    uint32_t hashes;
    uint32_t hash_width;  /* 64 or 32 */
    uint32_t n2;          /* log2 of bits, or 0: not a power of two */
    uint64_t buckets;     /* cuckoo */
    const uint8_t *array; /* borrowed: until the filter changes or is freed */
} tamis_redisbloom_layer;

/** Layer `index`, oldest is 0. Errors: TAMIS_E_SPEC (no such layer).        */
TAMIS_API tamis_status tamis_redisbloom_layer_of(const tamis_filter *f, uint32_t index,
                                                 tamis_redisbloom_layer *layer);

/** Bytes held, all of them: handle, table and arrays (MEMORY USAGE). 0 for other kinds. */
TAMIS_API uint64_t tamis_redisbloom_memory(const tamis_filter *f);

/** A checksum of everything that is saved: equal filters, equal numbers, on
 *  every machine (DEBUG DIGEST). Cost: one pass over the arrays.            */
TAMIS_API uint64_t tamis_redisbloom_digest(const tamis_filter *f);

/* ---- SCANDUMP and LOADCHUNK --------------------------------------------- */

enum { TAMIS_REDISBLOOM_CHUNK = 16 << 20 }; /* most bytes of a data chunk */

/** Bytes of the header chunk, and the chunk itself into room for that many.
 *  An empty cuckoo chain has a header here, although CF.SCANDUMP does not
 *  give it. 0 for other kinds.                                              */
TAMIS_API size_t tamis_redisbloom_header_size(const tamis_filter *f);
TAMIS_API void tamis_redisbloom_header(const tamis_filter *f, void *bytes);

/** A data chunk, borrowed from the filter until it changes.                 */
typedef struct tamis_redisbloom_chunk {
    int64_t next;      /* iterator to ask for next, and the one that LOADCHUNK takes with
                           these bytes; 0: there are no more */
    const void *bytes; /* NULL at the end */
    size_t size;
} tamis_redisbloom_chunk;

/** The chunk that SCANDUMP gives for iterator `iter` >= 1; anything outside the
 *  filter is the end. Stateless. Cost: one step a layer.                    */
TAMIS_API void tamis_redisbloom_chunk_at(const tamis_filter *f, int64_t iter,
                                         tamis_redisbloom_chunk *chunk);

/** LOADCHUNK with iterator 1: an empty chain of the geometry and the counts
 *  that the header says. Everything is judged before memory is asked for.
 *  `kind` is TAMIS_KIND_REDISBLOOM or _CUCKOO. Errors: TAMIS_E_TRUNCATED or
 *  TAMIS_E_CORRUPT with the field that is wrong.                            */
TAMIS_API tamis_status tamis_redisbloom_from_header(uint32_t kind, const void *bytes, size_t size,
                                                    const tamis_redisbloom_host *host,
                                                    tamis_filter **out);

/** LOADCHUNK with a later iterator: copies the bytes to [iter - 1 - size,
 *  iter - 1) of the arrays. Errors: TAMIS_E_SPEC (that place is in no layer),
 *  TAMIS_E_MISMATCH (the bytes pass the end of the layer); nothing is
 *  written then.                                                            */
TAMIS_API tamis_status tamis_redisbloom_put_chunk(tamis_filter *f, int64_t iter, const void *bytes,
                                                  size_t size);

/* ---- values of RDB files ------------------------------------------------ */

enum { TAMIS_REDISBLOOM_ENCVER = 4 }; /* written; 0 to 4 are read */

/** The fields of a value, to be written one after another (RedisModule_Save*,
 *  or anything else). A status other than TAMIS_OK ends the writing.        */
typedef struct tamis_redisbloom_writer {
    void *ctx;
    tamis_status (*put_unsigned)(void *ctx, uint64_t value);
    tamis_status (*put_double)(void *ctx, double value);
    tamis_status (*put_bytes)(void *ctx, const void *bytes, size_t size);
} tamis_redisbloom_writer;

/** The same to be read. `get_bytes` hands over memory that host->free can free
 *  (RedisModule_LoadStringBuffer with RedisModule_Free): it is the array then,
 *  not copied. A status other than TAMIS_OK means that the stream is broken. */
typedef struct tamis_redisbloom_reader {
    void *ctx;
    tamis_status (*get_unsigned)(void *ctx, uint64_t *value);
    tamis_status (*get_double)(void *ctx, double *value);
    tamis_status (*get_bytes)(void *ctx, void **bytes, size_t *size);
} tamis_redisbloom_reader;

/** What a cuckoo value of encver 0 to 3 does not say: the configuration. NULL:
 *  bucket size 2, 20 iterations, expansion 1.                               */
typedef struct tamis_redisbloom_old_cuckoo {
    uint16_t bucket_size, max_iterations, expansion;
} tamis_redisbloom_old_cuckoo;

/** A value whose fields could all be read and yet make no filter: kept as it
 *  is, so that it can be saved again unchanged.                             */
typedef struct tamis_redisbloom_quarantine tamis_redisbloom_quarantine;

/** Writes the value of `f` (encver 4).                                      */
TAMIS_API tamis_status tamis_redisbloom_save(const tamis_filter *f,
                                             const tamis_redisbloom_writer *writer);

/** Reads a value. Fields are judged as they come, before memory is asked for;
 *  the reader's own arrays are what was in the stream. Errors: those of the
 *  reader, TAMIS_E_VERSION (encver above 4), and TAMIS_E_CORRUPT: all fields of
 *  the value were read, and they make no sound filter. Then `*kept`, unless
 *  `kept` is NULL, holds them; with any other status it is NULL.
 *  `old` may be NULL.                                                       */
TAMIS_API tamis_status tamis_redisbloom_load(uint32_t kind, int encver,
                                             const tamis_redisbloom_reader *reader,
                                             const tamis_redisbloom_old_cuckoo *old,
                                             const tamis_redisbloom_host *host, tamis_filter **out,
                                             tamis_redisbloom_quarantine **kept);

/** Writes the fields back, as encver 4; of an encver 4 value the same ones. */
TAMIS_API tamis_status tamis_redisbloom_quarantine_save(const tamis_redisbloom_quarantine *q,
                                                        const tamis_redisbloom_writer *writer);
TAMIS_API tamis_status tamis_redisbloom_quarantine_clone(const tamis_redisbloom_quarantine *q,
                                                         tamis_redisbloom_quarantine **out);
TAMIS_API uint64_t tamis_redisbloom_quarantine_memory(const tamis_redisbloom_quarantine *q);
TAMIS_API void tamis_redisbloom_quarantine_free(tamis_redisbloom_quarantine *q);

/* ---- DUMP payloads ------------------------------------------------------ */

/** Writes what DUMP gives with string compression off: the value in module
 *  framing, `rdb_version` and a CRC-64. RDB version 10 is that of Redis 7.0. */
TAMIS_API tamis_status tamis_redisbloom_dump(const tamis_filter *f, uint16_t rdb_version,
                                             tamis_sink sink, void *ctx);

/** The same of a quarantined value, which a server can be given again only while
 *  it loads (the RESTORE of an append-only file).                           */
TAMIS_API tamis_status tamis_redisbloom_quarantine_dump(const tamis_redisbloom_quarantine *q,
                                                        uint16_t rdb_version, tamis_sink sink,
                                                        void *ctx);

/** Reads a DUMP payload of either kind, compressed strings too. Memory is asked
 *  for only within the cap, and never more than the payload can justify: a
 *  compressed string at most 264 times its bytes. `rdb_version` may be NULL.
 *  Errors: TAMIS_E_TRUNCATED, TAMIS_E_CORRUPT (checksum, framing, fields),
 *  TAMIS_E_VERSION (encver), TAMIS_E_UNSUPPORTED (the value of another type: the
 *  sentence names it).                                                      */
TAMIS_API tamis_status tamis_redisbloom_restore(const void *bytes, size_t size,
                                                const tamis_redisbloom_host *host,
                                                tamis_filter **out, uint16_t *rdb_version);

/* ---- what is in an RDB file --------------------------------------------- */

typedef struct tamis_rdb_type {
    char name[10];   /* nine characters */
    uint64_t keys;   /* values of this type and encver; 0: the module's own data only */
    uint32_t encver; /* of the module that wrote it */
    bool loads;      /* MBbloom-- and MBbloomCF of encver 0 to 4 */
} tamis_rdb_type;

enum { TAMIS_RDB_TYPES_MOST = 32 };

typedef struct tamis_rdb_report {
    uint32_t rdb_version;
    uint64_t keys; /* all, of any type */
    uint64_t module_keys;
    uint32_t type_count; /* rows of `types` in use; types past the last row are not listed */
    tamis_rdb_type types[TAMIS_RDB_TYPES_MOST];
    uint64_t broken; /* keys of our types whose value makes no sound filter */
    bool complete;   /* false: the walk ended at something this version cannot step over */
    char stopped_at[160];
} tamis_rdb_report;

/** True for bytes that begin like an RDB file.                              */
TAMIS_API bool tamis_rdb_detect(const void *bytes, size_t size);

/** Walks an RDB file and counts module values by type; nothing is kept in
 *  memory. Errors: TAMIS_E_IO, TAMIS_E_CORRUPT (no RDB file), TAMIS_E_TRUNCATED.
 *  Cost: one pass over a map of the file.                                   */
TAMIS_API tamis_status tamis_rdb_scan(const char *path, tamis_rdb_report *report);

/* ---- compaction (cuckoo) ------------------------------------------------ */

/* Moves fingerprints from newer sub-filters into free slots of older ones and
 * drops the newest when it is empty. CF.DEL begins one by itself when deletes
 * pass a tenth of the items; with host->compact_later it only leaves it
 * pending. A pending compaction never gives a wrong "no", but the bytes are the
 * peer's only once it is finished: finish it before anything else touches the
 * filter (calls that change the filter do so by themselves).                */

/** CF.COMPACT: begins one (over all sub-filters, also past one that cannot be
 *  emptied), without moving anything yet. A pending one is finished first.  */
TAMIS_API tamis_status tamis_redisbloom_compact_begin(tamis_filter *f);

/** Goes on with the pending compaction for about `slots` slots, the last of a
 *  bucket included; `*pending` says whether something is left. UINT64_MAX
 *  finishes. Cost: at most two buckets of every older sub-filter a slot.    */
TAMIS_API tamis_status tamis_redisbloom_compact_some(tamis_filter *f, uint64_t slots,
                                                     bool *pending);

/* ---- defragmentation ---------------------------------------------------- */

/** Offers memory of the filter to `move`: array `index`, or the table of layers
 *  for index == facts.filters. `move` returns the new place, with the contents
 *  and the old one freed, or NULL: it stays. Returns true when there is an
 *  index after this one, so a caller can pause between two.                 */
TAMIS_API bool tamis_redisbloom_defrag(tamis_filter *f, uint32_t index,
                                       void *(*move)(void *ctx, void *memory, size_t size),
                                       void *ctx);

TAMIS_END

#endif
