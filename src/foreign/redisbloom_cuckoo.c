/* redisbloom_cuckoo.c - cuckoo chains as CF.* makes them.
 *
 * A key's 64-bit hash h is all there is of it: the fingerprint is h mod 255 + 1,
 * its buckets in a sub-filter of nb are h mod nb and (h xor f * 0x5bd1e995) mod
 * nb, and nb is a power of two. So this kind works from digests. Every step is
 * determined: the same keys in the same order make the same bytes.
 *
 * The peer computes offsets in 32 bits, which goes wrong in sub-filters of 4 GiB
 * and more; here they are computed in 64.                                   */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "foreign/redisbloom_chain.h"
#include "kernel/tuning.h"

static inline uint8_t rb_cuckoo_print(uint64_t hash)
{
    return (uint8_t)(hash % 255 + 1);
}

static inline uint8_t *rb_cuckoo_bucket(const tms_rb_chain *c, const tms_rb_layer *layer,
                                        uint64_t hash)
{
    return layer->array + (hash & (layer->buckets - 1)) * c->bucket_size;
}

/* The slot of a bucket that holds `byte`, or NULL. */
static inline uint8_t *rb_cuckoo_slot(uint8_t *bucket, uint16_t size, uint8_t byte)
{
    for (uint16_t i = 0; i < size; i++)
        if (bucket[i] == byte) return bucket + i;
    return NULL;
}

static inline uint64_t rb_cuckoo_matches(const uint8_t *bucket, uint16_t size, uint8_t byte)
{
    uint64_t sum = 0;
    for (uint16_t i = 0; i < size; i++) sum += bucket[i] == byte;
    return sum;
}

/* ---- asking ------------------------------------------------------------- */

/* Occurrences in both buckets; where they are one, it is seen twice, as by the
 * peer. Without branches in a bucket: what lies there cannot be predicted. */
static inline uint64_t rb_cuckoo_count_in(const tms_rb_chain *c, const tms_rb_layer *layer,
                                          uint64_t hash, uint8_t print)
{
    const uint8_t *one = rb_cuckoo_bucket(c, layer, hash);
    const uint8_t *two = rb_cuckoo_bucket(c, layer, tms_rb_cuckoo_other(hash, print));
    if (c->bucket_size == 2) /* the usual one */
        return (uint64_t)(one[0] == print) + (one[1] == print) + (two[0] == print) +
               (two[1] == print);
    return rb_cuckoo_matches(one, c->bucket_size, print) +
           rb_cuckoo_matches(two, c->bucket_size, print);
}

static bool rb_cuckoo_may_contain(const tamis_filter *f, uint64_t digest)
{
    const tms_rb_chain *c = tms_rb_of(f);
    uint8_t print = rb_cuckoo_print(digest);
    for (uint32_t i = 0; i < c->count; i++)
        if (rb_cuckoo_count_in(c, &c->layers[i], digest, print)) return true;
    return false;
}

static uint64_t rb_cuckoo_count(const tamis_filter *f, uint64_t digest)
{
    const tms_rb_chain *c = tms_rb_of(f);
    uint8_t print = rb_cuckoo_print(digest);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->count; i++)
        sum += rb_cuckoo_count_in(c, &c->layers[i], digest, print);
    return sum;
}

/* Fetches both buckets in the largest sub-filters: the newest are never smaller,
 * and a chain of many is out of reach of fetching. */
static void rb_cuckoo_fetch(const void *filter, uint64_t digest)
{
    const tms_rb_chain *c = tms_rb_of(filter);
    enum { NEWEST = 3 };
    uint64_t other = tms_rb_cuckoo_other(digest, rb_cuckoo_print(digest));
    for (uint32_t i = c->count; i > 0 && c->count - i < NEWEST; i--) {
        const tms_rb_layer *layer = &c->layers[i - 1];
        if (layer->bytes < TMS_NO_FETCH_BELOW) continue;
        TMS_FETCH(rb_cuckoo_bucket(c, layer, digest));
        TMS_FETCH(rb_cuckoo_bucket(c, layer, other));
    }
}

static void rb_cuckoo_fetch_ahead(const tms_rb_chain *c, const tms_run *run)
{
    if (c->bytes < TMS_NO_FETCH_BELOW) return;
    for (size_t i = 0; i < run->ahead_count; i++) rb_cuckoo_fetch(c, run->ahead[i]);
}

static size_t rb_cuckoo_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    size_t hits = 0;
    rb_cuckoo_fetch_ahead(tms_rb_of(f), run);
    for (size_t i = 0; i < run->count; i++) {
        answers[i] = rb_cuckoo_may_contain(f, run->now[i]);
        hits += answers[i];
    }
    return hits;
}

/* ---- adding ------------------------------------------------------------- */

uint8_t *tms_rb_cuckoo_free_slot(const tms_rb_chain *c, const tms_rb_layer *layer, uint64_t hash,
                                 uint8_t fingerprint)
{
    uint8_t *slot = rb_cuckoo_slot(rb_cuckoo_bucket(c, layer, hash), c->bucket_size, 0);
    if (slot) return slot;
    uint64_t other = tms_rb_cuckoo_other(hash, fingerprint);
    return rb_cuckoo_slot(rb_cuckoo_bucket(c, layer, other), c->bucket_size, 0);
}

/* Steps of kicking from the first bucket on: each changes the fingerprint in
 * hand with slot v of the bucket, v going round, and takes it to its other
 * bucket. Undone backwards when no free slot was met. */
static bool rb_cuckoo_kick(tms_rb_chain *c, uint64_t hash, uint8_t print)
{
    const tms_rb_layer *layer = &c->layers[c->count - 1];
    uint64_t bucket = hash & (layer->buckets - 1);
    uint32_t victim = 0, steps = 0;
    while (steps++ < c->max_iterations) {
        uint8_t *slot = layer->array + bucket * c->bucket_size + victim;
        uint8_t evicted = *slot;
        *slot = print;
        print = evicted;
        bucket = tms_rb_cuckoo_other(bucket, print) & (layer->buckets - 1);
        uint8_t *empty = rb_cuckoo_slot(layer->array + bucket * c->bucket_size, c->bucket_size, 0);
        if (empty) {
            *empty = print;
            return true;
        }
        victim = (victim + 1) % c->bucket_size;
    }
    for (steps = c->max_iterations; steps > 0; steps--) {
        victim = (victim + c->bucket_size - 1) % c->bucket_size;
        bucket = tms_rb_cuckoo_other(bucket, print) & (layer->buckets - 1);
        uint8_t *slot = layer->array + bucket * c->bucket_size + victim;
        uint8_t restored = *slot;
        *slot = print;
        print = restored;
    }
    return false;
}

static bool rb_cuckoo_put(tms_rb_chain *c, uint64_t hash, uint8_t print)
{
    for (uint32_t i = c->count; i-- > 0;) {
        uint8_t *slot = tms_rb_cuckoo_free_slot(c, &c->layers[i], hash, print);
        if (slot) {
            *slot = print;
            return true;
        }
    }
    return rb_cuckoo_kick(c, hash, print);
}

static tamis_status rb_cuckoo_grow(tms_rb_chain *c)
{
    uint32_t most =
        c->host && c->host->max_filters ? c->host->max_filters : TMS_RB_CUCKOO_FILTERS_MOST;
    if (c->expansion == 0)
        return tms_fail(TAMIS_E_FULL, "the filter is full and its expansion is 0; reserve a "
                                      "larger one, or one that expands");
    if (c->count >= most)
        return tms_fail(TAMIS_E_LIMIT, "the filter has %" PRIu32 " sub-filters, which is the most",
                        c->count);
    TMS_TRY(tms_rb_cuckoo_append(c, c->layers[0].buckets, NULL));
    tms_rb_cuckoo_settle(c);
    return TAMIS_OK;
}

tamis_status tms_rb_cuckoo_insert(tamis_filter *f, uint64_t digest, bool only_absent, bool *was_new)
{
    tms_rb_chain *c = tms_rb_of(f);
    uint8_t print = rb_cuckoo_print(digest);
    tms_rb_compact_finish(c);
    bool known = (only_absent || was_new) && rb_cuckoo_may_contain(f, digest);
    if (!(known && only_absent)) {
        while (!rb_cuckoo_put(c, digest, print)) TMS_TRY(rb_cuckoo_grow(c));
        c->items++;
    }
    if (was_new) *was_new = !known;
    return TAMIS_OK;
}

static tamis_status rb_cuckoo_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    return tms_rb_cuckoo_insert(f, digest, false, was_new);
}

static tamis_status rb_cuckoo_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                       size_t *added)
{
    rb_cuckoo_fetch_ahead(tms_rb_of(f), run);
    for (*added = 0; *added < run->count; ++*added)
        TMS_TRY(rb_cuckoo_add(f, run->now[*added], was_new ? was_new + *added : NULL));
    return TAMIS_OK;
}

/* ---- taking away -------------------------------------------------------- */

static uint8_t *rb_cuckoo_find(const tms_rb_chain *c, uint64_t hash, uint8_t print)
{
    uint64_t other = tms_rb_cuckoo_other(hash, print);
    for (uint32_t i = c->count; i-- > 0;) {
        const tms_rb_layer *layer = &c->layers[i];
        uint8_t *slot = rb_cuckoo_slot(rb_cuckoo_bucket(c, layer, hash), c->bucket_size, print);
        if (!slot) slot = rb_cuckoo_slot(rb_cuckoo_bucket(c, layer, other), c->bucket_size, print);
        if (slot) return slot;
    }
    return NULL;
}

static tamis_status rb_cuckoo_remove(tamis_filter *f, uint64_t digest)
{
    tms_rb_chain *c = tms_rb_of(f);
    tms_rb_compact_finish(c);
    uint8_t *slot = rb_cuckoo_find(c, digest, rb_cuckoo_print(digest));
    if (!slot) return TAMIS_E_ABSENT;
    *slot = 0;
    if (c->items) c->items--; /* a forged header may have said 0 */
    c->deletes++;
    if (c->count > 1 && c->deletes > c->items / 10 && 10 * c->deletes > c->items) {
        tms_rb_compact_begin(c, false);
        if (!(c->host && c->host->compact_later)) tms_rb_compact_finish(c);
    }
    return TAMIS_OK;
}

/* ---- sizes and making --------------------------------------------------- */

static uint64_t rb_cuckoo_power(uint64_t least)
{
    uint64_t power = 1;
    while (power < least) power *= 2;
    return power;
}

/* Buckets of sub-filter `index`; false when that passes every limit. */
static bool rb_cuckoo_buckets(const tms_rb_chain *c, uint64_t first, uint64_t index,
                              uint64_t *buckets)
{
    uint64_t bytes;
    *buckets = first;
    for (uint64_t i = 0; i < index && c->expansion > 1; i++)
        if (!tms_mul_u64(*buckets, c->expansion, buckets)) return false;
    return tms_mul_u64(*buckets, c->bucket_size, &bytes) && bytes <= TMS_RB_BYTES_MOST;
}

tamis_status tms_rb_cuckoo_append(tms_rb_chain *c, uint64_t first_buckets, uint8_t *array)
{
    tms_rb_layer layer = {.array = array};
    if (!rb_cuckoo_buckets(c, first_buckets, c->count, &layer.buckets))
        return tms_fail(TAMIS_E_LIMIT, "sub-filter %" PRIu32 " would pass 2^56 bytes", c->count);
    layer.bytes = layer.buckets * c->bucket_size;
    return tms_rb_append(c, &layer);
}

static tamis_status rb_cuckoo_wrong(const char *what)
{
    return tms_fail(TAMIS_E_CORRUPT, "the cuckoo filter %s", what);
}

static bool rb_cuckoo_is_power(uint64_t x)
{
    return x && !(x & (x - 1));
}

tamis_status tms_rb_cuckoo_judge(const tms_rb_chain *head, uint64_t buckets, uint64_t filters,
                                 uint64_t *bytes)
{
    if (!rb_cuckoo_is_power(buckets) || buckets > TMS_RB_BYTES_MOST)
        return rb_cuckoo_wrong("has a number of buckets that is no power of two below 2^56");
    if (filters == 0 || filters > TMS_RB_CUCKOO_FILTERS_MOST)
        return rb_cuckoo_wrong("has not 1 to 65535 sub-filters");
    if (head->bucket_size == 0 || head->bucket_size > 255)
        return rb_cuckoo_wrong("has not 1 to 255 slots a bucket");
    if (head->max_iterations == 0) return rb_cuckoo_wrong("has a maximum of 0 iterations");
    if (head->expansion && !rb_cuckoo_is_power(head->expansion))
        return rb_cuckoo_wrong("has an expansion that is no power of two");
    if (head->expansion == 0 && filters > 1)
        return rb_cuckoo_wrong("has several sub-filters and an expansion of 0");
    uint64_t sum = 0, more;
    for (uint64_t i = 0; i < filters; i++) {
        if (!rb_cuckoo_buckets(head, buckets, i, &more) || sum > TMS_RB_BYTES_MOST)
            return rb_cuckoo_wrong("claims more than 2^56 bytes");
        sum += more * head->bucket_size;
    }
    *bytes = sum;
    return TAMIS_OK;
}

static tamis_status rb_cuckoo_check(const tamis_redisbloom_cuckoo *spec, uint64_t *buckets)
{
    uint64_t reserved = 0;
    for (size_t i = 0; i < sizeof spec->reserved / sizeof spec->reserved[0]; i++)
        reserved |= spec->reserved[i];
    if (reserved) return tms_fail(TAMIS_E_SPEC, "reserved fields are not 0");
    if (spec->bucket_size == 0 || spec->bucket_size > 255)
        return tms_fail(TAMIS_E_SPEC, "%u slots a bucket are outside 1 to 255", spec->bucket_size);
    if (spec->max_iterations == 0) return tms_fail(TAMIS_E_SPEC, "0 iterations kick nothing");
    if (spec->expansion > 32768)
        return tms_fail(TAMIS_E_SPEC, "an expansion of %u is above 32768", spec->expansion);
    if (spec->capacity < 2u * spec->bucket_size)
        return tms_fail(TAMIS_E_SPEC, "a capacity of %" PRIu64 " is below two buckets of %u",
                        spec->capacity, spec->bucket_size);
    if (spec->capacity > TMS_RB_BYTES_MOST)
        return tms_fail(TAMIS_E_LIMIT, "a capacity of %" PRIu64 " is above 2^56", spec->capacity);
    *buckets = rb_cuckoo_power(spec->capacity / spec->bucket_size);
    return TAMIS_OK;
}

tamis_status tamis_redisbloom_cuckoo_bytes(const tamis_redisbloom_cuckoo *spec, uint64_t *bytes)
{
    uint64_t buckets = 0;
    TMS_TRY(rb_cuckoo_check(spec, &buckets));
    *bytes = buckets * spec->bucket_size;
    return TAMIS_OK;
}

tamis_status tamis_redisbloom_create_cuckoo(const tamis_redisbloom_cuckoo *spec,
                                            const tamis_redisbloom_host *host, tamis_filter **out)
{
    const tms_rb_place place = {.host = host};
    tms_rb_chain *c = NULL;
    uint64_t buckets = 0;
    *out = NULL;
    TMS_TRY(rb_cuckoo_check(spec, &buckets));
    TMS_TRY(tms_rb_chain_make(&tms_rb_cuckoo_kind, &place, &c));
    c->bucket_size = spec->bucket_size;
    c->max_iterations = spec->max_iterations;
    c->expansion = spec->expansion ? (uint32_t)rb_cuckoo_power(spec->expansion) : 0;
    tamis_status status = tms_rb_cuckoo_append(c, buckets, NULL);
    if (status != TAMIS_OK) {
        tms_filter_drop(&c->base);
        return status;
    }
    tms_rb_cuckoo_settle(c);
    *out = &c->base;
    return TAMIS_OK;
}

/* ---- measuring ---------------------------------------------------------- */

/* The rate of `filters` sub-filters that are full to `load`: a probe compares
 * with so many fingerprints, one of 255 each. */
static double rb_cuckoo_rate_at(double slots, double load)
{
    return 1 - pow(1 - 1.0 / 255, slots * load);
}

void tms_rb_cuckoo_settle(tms_rb_chain *c)
{
    c->base.shape.capacity = c->bytes;
    c->base.shape.fpr = rb_cuckoo_rate_at(2.0 * c->bucket_size * c->count, 1);
    c->base.kind->attach(&c->base);
}

/* Slots stand for bits here: a slot in use is eight ones. */
static void rb_cuckoo_measure(const tamis_filter *f, tms_measure *m)
{
    const tms_rb_chain *c = tms_rb_of(f);
    double none = 1;
    uint64_t used = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        const tms_rb_layer *layer = &c->layers[i];
        uint64_t here = 0;
        for (uint64_t slot = 0; slot < layer->bytes; slot++) here += layer->array[slot] != 0;
        none *= 1 - rb_cuckoo_rate_at(2.0 * c->bucket_size, (double)here / (double)layer->bytes);
        used += here;
    }
    *m = (tms_measure){.bits = 8 * c->bytes,
                       .ones = 8 * used,
                       .keys = (double)used,
                       .keys_low = (double)used,
                       .keys_high = (double)used,
                       .rate = 1 - none,
                       .crowding = 1};
}

static void rb_cuckoo_describe(const tms_shape *shape, tamis_sizing *sizing)
{
    (void)shape;
    sizing->reads = 2;
    sizing->fold = 1;
}

static double rb_cuckoo_rate(const tms_shape *shape, double keys)
{
    return keys > 0 ? shape->fpr : 0;
}

/* ---- the table ---------------------------------------------------------- */

static const tms_ops rb_cuckoo_ops = {.may_contain = rb_cuckoo_may_contain,
                                      .add = rb_cuckoo_add,
                                      .may_contain_many = rb_cuckoo_may_contain_many,
                                      .add_many = rb_cuckoo_add_many,
                                      .remove = rb_cuckoo_remove,
                                      .count = rb_cuckoo_count};

/* Sub-filters far away are fetched while the next key is hashed. */
static const tms_ops rb_cuckoo_ops_far = {.may_contain = rb_cuckoo_may_contain,
                                          .add = rb_cuckoo_add,
                                          .may_contain_many = rb_cuckoo_may_contain_many,
                                          .add_many = rb_cuckoo_add_many,
                                          .fetch = rb_cuckoo_fetch,
                                          .remove = rb_cuckoo_remove,
                                          .count = rb_cuckoo_count};

static void rb_cuckoo_attach(tamis_filter *f)
{
    const tms_rb_chain *c = tms_rb_of(f);
    f->ops = c->bytes < TMS_FETCH_WHILE_HASHING_FROM ? &rb_cuckoo_ops : &rb_cuckoo_ops_far;
}

static const tms_loose rb_cuckoo_loose = {
    .home = TMS_RB_HOME, .copy = tms_rb_copy, .held = tms_rb_held, .report = tms_rb_report};

const tms_kind tms_rb_cuckoo_kind = {.id = TAMIS_KIND_REDISBLOOM_CUCKOO,
                                     .name = "redisbloom-cuckoo",
                                     .abilities = TAMIS_CAN_ADD | TAMIS_CAN_GROW |
                                                  TAMIS_CAN_DIGESTS | TAMIS_CAN_REMOVE |
                                                  TAMIS_CAN_COUNT,
                                     .handle_bytes = sizeof(tms_rb_chain),
                                     .describe = rb_cuckoo_describe,
                                     .rate = rb_cuckoo_rate,
                                     .attach = rb_cuckoo_attach,
                                     .measure = rb_cuckoo_measure,
                                     .reset = tms_rb_reset,
                                     .release = tms_rb_release,
                                     .loose = &rb_cuckoo_loose};
