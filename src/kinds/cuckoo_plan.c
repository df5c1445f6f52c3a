/* cuckoo_plan.c - sizes of cuckoo filters: how wide the fingerprints, how many
 * places a bucket, how many buckets in how many chunks.
 *
 * Every width and both bucket sizes are tried, and the smallest table wins that
 * keeps the rate, is no fuller than planned, and takes all its keys but once in a
 * million times.                                                            */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kinds/cuckoo_parts.h"
#include "math/cuckoo_math.h"
#include "math/promise.h"
#include "math/search.h"

#define CUCKOO_MOST_BYTES ((uint64_t)1 << 56)
#define CUCKOO_MOST_CHUNKS ((uint64_t)1 << 40)
#define CUCKOO_MOST_BUCKETS ((uint64_t)1 << 26)

static const double cuckoo_refusal_bar = 1e-6;  /* of tables that do not take all their keys */
static const double cuckoo_rate_margin = 1.03;  /* of the bar of 1.05 */
static const double cuckoo_thinnest = 1.0 / 16; /* of the planned load: wider would do better */

/* ---- one form ----------------------------------------------------------- */

/* A form is a width, a bucket and a layout; with numbers it is a table. */
typedef struct cuckoo_table_plan {
    tms_cuckoo_size size;
    bool dense;
    uint64_t bytes;
    double keys, fpr;
} cuckoo_table_plan;

static uint32_t cuckoo_plan_bucket_bits(const cuckoo_table_plan *p)
{
    return tms_cuckoo_bucket_bits(p->size.places, p->size.bits, p->dense);
}

/* The most buckets, an even number, that a chunk of so many bytes holds. */
static uint64_t cuckoo_buckets_in(const cuckoo_table_plan *p, uint64_t chunk_bytes)
{
    uint64_t buckets = ((chunk_bytes - 16) * 8 + 7) / cuckoo_plan_bucket_bits(p) + 1;
    return buckets / 2 * 2;
}

static void cuckoo_set_chunks(cuckoo_table_plan *p, uint64_t chunks, uint64_t chunk_bytes)
{
    p->size.chunks = chunks;
    p->size.buckets = cuckoo_buckets_in(p, chunk_bytes);
    p->bytes = chunks * chunk_bytes;
}

/* A table of at least so many buckets: as few chunks as may be, each filled up to
 * its last line. */
static void cuckoo_set_buckets(cuckoo_table_plan *p, uint64_t buckets)
{
    uint32_t bits = cuckoo_plan_bucket_bits(p);
    uint64_t bytes = tms_div_up(buckets, 8) * bits; /* 8 buckets take `bits` bytes */
    uint64_t chunks = tms_div_up(bytes, CUCKOO_CHUNK_BYTES);
    uint64_t each = tms_div_up(tms_div_up(buckets, chunks), 2) * 2;
    cuckoo_set_chunks(p, chunks, tms_cuckoo_chunk_bytes(each, bits));
}

/* The largest table within so many bytes; false when there is none. */
static bool cuckoo_set_bytes(cuckoo_table_plan *p, uint64_t memory)
{
    uint64_t most = memory < CUCKOO_MOST_BYTES ? memory : CUCKOO_MOST_BYTES;
    uint64_t chunks = tms_div_up(most / TMS_LINE * TMS_LINE, CUCKOO_CHUNK_BYTES);
    if (chunks == 0) return false;
    cuckoo_set_chunks(p, chunks, most / chunks / TMS_LINE * TMS_LINE);
    return p->size.buckets >= 2;
}

static double cuckoo_places(const cuckoo_table_plan *p)
{
    return (double)p->size.chunks * (double)p->size.buckets * p->size.places;
}

static bool cuckoo_takes(const cuckoo_table_plan *p, double keys)
{
    return (keys <= tms_cuckoo_planned_load(p->size.places) * cuckoo_places(p) ||
            keys <= 2.0 * p->size.places) &&
           tms_cuckoo_refusal(&p->size, keys) <= cuckoo_refusal_bar;
}

/* ---- the forms a request allows ----------------------------------------- */

static double cuckoo_rate_limit(const tamis_spec *spec)
{
    bool never = (spec->flags & TAMIS_NEVER_EXCEED) != 0;
    return tms_promise_limit(spec->fpr, never ? tms_promise_never : cuckoo_rate_margin);
}

/* Steps through the forms: fours before twos, narrow before wide. */
static bool cuckoo_next_form(const tamis_spec *spec, cuckoo_table_plan *p)
{
    const bool dense = (spec->flags & TAMIS_DENSE) != 0;
    for (;;) {
        if (p->size.places == 0) {
            p->size.places = 4;
            p->size.bits = CUCKOO_LEAST_BITS;
        } else if (p->size.bits < CUCKOO_MOST_BITS) {
            p->size.bits++;
        } else if (p->size.places == 4) {
            p->size.places = 2;
            p->size.bits = CUCKOO_LEAST_BITS;
        } else {
            return false;
        }
        p->dense = dense;
        if (dense && p->size.places != 4) continue;
        if (spec->bucket_keys && spec->bucket_keys != p->size.places) continue;
        if (spec->fingerprint_bits && spec->fingerprint_bits != p->size.bits) continue;
        return true;
    }
}

static tamis_status cuckoo_check_spec(const tamis_spec *spec)
{
    if (spec->fingerprint_bits &&
        (spec->fingerprint_bits < CUCKOO_LEAST_BITS || spec->fingerprint_bits > CUCKOO_MOST_BITS))
        return tms_fail(TAMIS_E_SPEC, "fingerprints of %u bits are outside 4 to 32; 0 chooses",
                        spec->fingerprint_bits);
    if (spec->bucket_keys && spec->bucket_keys != 2 && spec->bucket_keys != 4)
        return tms_fail(TAMIS_E_SPEC, "buckets of %u keys are neither of 2 nor of 4; 0 chooses",
                        spec->bucket_keys);
    if (spec->flags & TAMIS_DENSE && spec->bucket_keys == 2)
        return tms_fail(TAMIS_E_SPEC, "only buckets of 4 can be dense; leave bucket_keys 0");
    if (spec->hashes || spec->fold > 1)
        return tms_fail(TAMIS_E_SPEC, "hashes and fold have no meaning for a cuckoo filter: it "
                                      "keeps fingerprints; set fingerprint_bits instead");
    return TAMIS_OK;
}

/* ---- keys and rate are known -------------------------------------------- */

typedef struct cuckoo_question {
    cuckoo_table_plan form;
    double keys;
    uint64_t least; /* buckets */
} cuckoo_question;

static bool cuckoo_suffices(const void *question, uint64_t buckets)
{
    const cuckoo_question *q = question;
    cuckoo_table_plan p = q->form;
    if (buckets < q->least) return false;
    cuckoo_set_buckets(&p, buckets);
    return cuckoo_takes(&p, q->keys);
}

/* The fewest buckets for the rate and the load. 2^62 and more: none will do. */
static double cuckoo_least_buckets(const cuckoo_table_plan *p, double keys, double limit)
{
    double fingerprints = exp2((double)p->size.bits) - 1;
    double one = -expm1(log1p(-limit) / keys); /* what each key may add to the rate */
    double for_load = keys / (tms_cuckoo_planned_load(p->size.places) * p->size.places);
    double for_rate = 2 / (fingerprints * one);
    if (for_load < cuckoo_thinnest * for_rate && for_rate > 64) return 0x1p62;
    return fmax(2, ceil(fmax(for_load, for_rate)));
}

/* Sizes one form; false when it cannot serve, or not in fewer bytes than `best`. */
static bool cuckoo_size_form(cuckoo_table_plan *p, double keys, double limit, uint64_t best)
{
    double least = cuckoo_least_buckets(p, keys, limit);
    if (!(least * cuckoo_plan_bucket_bits(p) / 8 < (double)best)) return false;
    cuckoo_question q = {.form = *p, .keys = keys, .least = (uint64_t)least};
    uint64_t most = 8 * q.least + 64, buckets;
    if (!tms_search_smallest(cuckoo_suffices, &q, q.least, most, &buckets)) return false;
    cuckoo_set_buckets(p, buckets);
    return p->bytes < best;
}

static tamis_status cuckoo_find_size(const tamis_spec *spec, cuckoo_table_plan *out)
{
    double keys = (double)spec->capacity, limit = cuckoo_rate_limit(spec);
    uint64_t best = CUCKOO_MOST_BYTES;
    for (cuckoo_table_plan p = {0}; cuckoo_next_form(spec, &p);) {
        cuckoo_table_plan sized = p;
        if (!cuckoo_size_form(&sized, keys, limit, best)) continue;
        *out = sized;
        best = sized.bytes;
    }
    if (best == CUCKOO_MOST_BYTES)
        return tms_fail(TAMIS_E_UNREACHABLE,
                        "no table of fingerprints of %s takes %" PRIu64 " keys at a rate of %g; %s",
                        spec->fingerprint_bits ? "this width" : "4 to 32 bits", spec->capacity,
                        spec->fpr,
                        spec->fingerprint_bits ? "let the planner choose fingerprint_bits"
                                               : "ask for at least 2e-10, or for fewer keys");
    out->keys = keys;
    out->fpr = spec->fpr;
    return TAMIS_OK;
}

/* ---- memory is known ---------------------------------------------------- */

static tamis_status cuckoo_no_room(const tamis_spec *spec)
{
    tamis_spec any = *spec;
    cuckoo_table_plan least = {0};
    any.memory = 0;
    if (spec->fpr == 0) any.fpr = 0.9;
    if (cuckoo_find_size(&any, &least) != TAMIS_OK) least.bytes = 0;
    return tms_fail(TAMIS_E_LIMIT,
                    "%" PRIu64 " keys do not fit a cuckoo filter of %" PRIu64
                    " bytes; the smallest takes %" PRIu64,
                    spec->capacity, spec->memory, least.bytes);
}

static tamis_status cuckoo_find_rate(const tamis_spec *spec, cuckoo_table_plan *out)
{
    double keys = (double)spec->capacity, lowest = 1;
    for (cuckoo_table_plan p = {0}; cuckoo_next_form(spec, &p);) {
        cuckoo_table_plan sized = p;
        if (!cuckoo_set_bytes(&sized, spec->memory)) continue;
        sized.fpr = tms_cuckoo_rate(&sized.size, keys);
        if (sized.fpr >= lowest || !cuckoo_takes(&sized, keys)) continue;
        *out = sized;
        lowest = sized.fpr;
    }
    if (!(lowest < 1)) return cuckoo_no_room(spec);
    out->keys = keys;
    return TAMIS_OK;
}

static bool cuckoo_holds_keys(const void *question, uint64_t keys)
{
    const cuckoo_question *q = question;
    return cuckoo_takes(&q->form, (double)keys);
}

/* The most keys that a table takes within its rate. */
static double cuckoo_capacity(const cuckoo_table_plan *p, double limit)
{
    double for_load =
        fmax(tms_cuckoo_planned_load(p->size.places) * cuckoo_places(p), 2.0 * p->size.places);
    double one = tms_cuckoo_rate(&p->size, 1);
    double most = floor(fmin(for_load, log1p(-limit) / log1p(-one) * (1 + 1e-12)));
    cuckoo_question q = {.form = *p};
    if (!(most >= 1)) return 0;
    return (double)tms_search_largest(cuckoo_holds_keys, &q, (uint64_t)most, (uint64_t)most);
}

static tamis_status cuckoo_find_capacity(const tamis_spec *spec, cuckoo_table_plan *out)
{
    double limit = cuckoo_rate_limit(spec), most = 0;
    for (cuckoo_table_plan p = {0}; cuckoo_next_form(spec, &p);) {
        cuckoo_table_plan sized = p;
        if (!cuckoo_set_bytes(&sized, spec->memory)) continue;
        sized.keys = cuckoo_capacity(&sized, limit);
        if (sized.keys <= most) continue;
        *out = sized;
        most = sized.keys;
    }
    if (most < 1)
        return tms_fail(TAMIS_E_LIMIT,
                        "%" PRIu64 " bytes hold not even one key at a rate of %g; give more memory",
                        spec->memory, spec->fpr);
    out->fpr = spec->fpr;
    return TAMIS_OK;
}

static tamis_status cuckoo_within_cap(const tamis_spec *spec, const cuckoo_table_plan *p)
{
    if (p->bytes <= spec->memory) return TAMIS_OK;
    return tms_fail(TAMIS_E_LIMIT,
                    "%" PRIu64 " keys at a rate of %g take %" PRIu64
                    " bytes, above the cap of %" PRIu64,
                    spec->capacity, spec->fpr, p->bytes, spec->memory);
}

static tamis_status cuckoo_find(const tamis_spec *spec, cuckoo_table_plan *out)
{
    if (spec->capacity && spec->fpr > 0) {
        TMS_TRY(cuckoo_find_size(spec, out));
        return spec->memory ? cuckoo_within_cap(spec, out) : TAMIS_OK;
    }
    if (spec->memory && spec->fpr > 0) return cuckoo_find_capacity(spec, out);
    if (spec->memory && spec->capacity) return cuckoo_find_rate(spec, out);
    return tms_fail(TAMIS_E_SPEC, "give two of capacity, rate and memory; the third follows");
}

tamis_status tms_cuckoo_plan(const tamis_spec *spec, tms_shape *shape)
{
    cuckoo_table_plan p = {0};
    TMS_TRY(cuckoo_check_spec(spec));
    TMS_TRY(cuckoo_find(spec, &p));
    *shape = (tms_shape){.kind = TAMIS_KIND_CUCKOO,
                         .flags = spec->flags & ~(uint32_t)TAMIS_DENSE,
                         .capacity = (uint64_t)p.keys,
                         .fpr = p.fpr,
                         .body_bytes = p.bytes,
                         .param_count = CUCKOO_PARAMS,
                         .params = {p.size.chunks, p.size.buckets, p.size.bits, p.size.places,
                                    p.dense ? CUCKOO_SEMISORTED : CUCKOO_PACKED}};
    return TAMIS_OK;
}

/* ---- shapes ------------------------------------------------------------- */

static tamis_status cuckoo_check_params(const uint64_t *p)
{
    if (p[CUCKOO_BITS] < CUCKOO_LEAST_BITS || p[CUCKOO_BITS] > CUCKOO_MOST_BITS)
        return tms_fail(TAMIS_E_CORRUPT, "fingerprints of %" PRIu64 " bits are outside 4 to 32",
                        p[CUCKOO_BITS]);
    if (p[CUCKOO_PLACES] != 2 && p[CUCKOO_PLACES] != 4)
        return tms_fail(TAMIS_E_CORRUPT, "buckets of %" PRIu64 " places are neither of 2 nor of 4",
                        p[CUCKOO_PLACES]);
    if (p[CUCKOO_LAYOUT] > CUCKOO_SEMISORTED ||
        (p[CUCKOO_LAYOUT] == CUCKOO_SEMISORTED && p[CUCKOO_PLACES] != 4))
        return tms_fail(TAMIS_E_CORRUPT,
                        "layout %" PRIu64 " of buckets is neither packed (0) nor, for "
                        "buckets of 4, semi-sorted (1)",
                        p[CUCKOO_LAYOUT]);
    if (p[CUCKOO_BUCKETS] < 2 || p[CUCKOO_BUCKETS] > CUCKOO_MOST_BUCKETS ||
        p[CUCKOO_BUCKETS] % 2 != 0)
        return tms_fail(TAMIS_E_CORRUPT,
                        "%" PRIu64 " buckets a chunk are no even number from 2 to 2^26",
                        p[CUCKOO_BUCKETS]);
    if (p[CUCKOO_CHUNKS] < 1 || p[CUCKOO_CHUNKS] > CUCKOO_MOST_CHUNKS)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " chunks are outside 1 to 2^40",
                        p[CUCKOO_CHUNKS]);
    return TAMIS_OK;
}

static uint32_t cuckoo_shape_bucket_bits(const tms_shape *shape)
{
    const uint64_t *p = shape->params;
    return tms_cuckoo_bucket_bits((uint32_t)p[CUCKOO_PLACES], (uint32_t)p[CUCKOO_BITS],
                                  p[CUCKOO_LAYOUT] == CUCKOO_SEMISORTED);
}

tamis_status tms_cuckoo_check(tms_shape *shape)
{
    const uint64_t *p = shape->params;
    if (shape->param_count != CUCKOO_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a cuckoo filter has %d parameters, not %u", CUCKOO_PARAMS,
                        shape->param_count);
    TMS_TRY(cuckoo_check_params(p));
    uint64_t chunk = tms_cuckoo_chunk_bytes(p[CUCKOO_BUCKETS], cuckoo_shape_bucket_bits(shape));
    if (!tms_mul_u64(chunk, p[CUCKOO_CHUNKS], &shape->body_bytes) ||
        shape->body_bytes > CUCKOO_MOST_BYTES)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " chunks of %" PRIu64 " bytes are above 2^56",
                        p[CUCKOO_CHUNKS], chunk);
    return TAMIS_OK;
}

static tms_cuckoo_size cuckoo_shape_size(const tms_shape *shape)
{
    const uint64_t *p = shape->params;
    return (tms_cuckoo_size){.chunks = p[CUCKOO_CHUNKS],
                             .buckets = p[CUCKOO_BUCKETS],
                             .places = (uint32_t)p[CUCKOO_PLACES],
                             .bits = (uint32_t)p[CUCKOO_BITS]};
}

void tms_cuckoo_describe(const tms_shape *shape, tamis_sizing *out)
{
    const tms_cuckoo_size size = cuckoo_shape_size(shape);
    const double keys = (double)shape->capacity, buckets = (double)(size.chunks * size.buckets);
    out->bits = size.chunks * size.buckets * cuckoo_shape_bucket_bits(shape);
    out->hashes = 2;
    out->reads = 2;
    out->fold = 1;
    out->fingerprint_bits = size.bits;
    out->bucket_keys = size.places;
    out->refusal = tms_cuckoo_refusal(&size, keys);
    snprintf(out->note, sizeof out->note,
             "%u-bit fingerprints in %s%s, %.1f %% full; refusal probability %.1g", size.bits,
             shape->params[CUCKOO_LAYOUT] == CUCKOO_SEMISORTED ? "dense " : "",
             size.places == 2 ? "twos" : "fours", 100 * keys / (buckets * size.places),
             out->refusal);
}

double tms_cuckoo_expected_rate(const tms_shape *shape, double keys)
{
    const tms_cuckoo_size size = cuckoo_shape_size(shape);
    return tms_cuckoo_rate(&size, keys);
}
