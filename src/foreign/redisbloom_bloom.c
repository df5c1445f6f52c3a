/* redisbloom_bloom.c - Bloom chains as BF.* makes them: sizes, growth, union.
 *
 * A layer for n keys at the rate e has b = -ln(e) / ln(2)^2 bits a key,
 * trunc(n b) bits raised to a multiple of 64, and ceil(b ln 2) hashes. The
 * constants are the peer's, to the digit: other digits, other sizes. The first
 * layer of a chain that scales gets half the rate asked for, each next one half
 * of its forerunner's, so that all together stay below it.                  */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "foreign/redisbloom_chain.h"
#include "kinds/scheme.h"
#include "math/estimate.h"

static const double rb_ln2 = 0.693147180559945, rb_ln2_squared = 0.480453013918201;
static const double rb_worst_error = 0.25, rb_tightening = 0.5;

/* ---- sizes -------------------------------------------------------------- */

static tamis_status rb_bloom_too_large(double bits)
{
    return tms_fail(TAMIS_E_LIMIT, "a layer of %.3g bits is above any machine's memory", bits);
}

/* Old chains without NOROUND: bits are a power of two, and the capacity is
 * raised to what they hold. */
static tamis_status rb_bloom_round(double bits, tms_rb_layer *layer)
{
    layer->n2 = (uint32_t)fmax(3, floor(log2(bits)) + 1);
    if (layer->n2 > 59) return rb_bloom_too_large(bits);
    layer->bits = UINT64_C(1) << layer->n2;
    layer->capacity += (uint64_t)(((double)layer->bits - bits) / layer->bits_per_entry);
    return TAMIS_OK;
}

static void rb_bloom_set_modulus(tms_rb_layer *layer)
{
    uint64_t m = layer->n2 ? UINT64_C(1) << layer->n2 : layer->bits;
    layer->modulus = m;
    layer->inverse = m == 1 ? UINT64_MAX : (uint64_t)(((tms_u128)1 << 64) / m);
}

tamis_status tms_rb_bloom_size(uint64_t capacity, double error, uint32_t options,
                               tms_rb_layer *layer)
{
    *layer = (tms_rb_layer){.capacity = capacity, .error = error};
    layer->bits_per_entry = fabs(-(log(error) / rb_ln2_squared));
    layer->hashes = (uint32_t)ceil(rb_ln2 * layer->bits_per_entry);
    if (layer->hashes == 0) layer->hashes = 1;
    double bits = (double)capacity * layer->bits_per_entry;
    if (!(bits < 8.0 * (double)TMS_RB_BYTES_MOST)) return rb_bloom_too_large(bits);
    if (options & TAMIS_REDISBLOOM_NOROUND) {
        uint64_t whole = (uint64_t)bits;
        layer->bits = (whole ? whole + 63 : 64) / 64 * 64;
    } else {
        TMS_TRY(rb_bloom_round(fmax(bits, 1), layer));
    }
    layer->bytes = layer->bits / 8;
    rb_bloom_set_modulus(layer);
    return TAMIS_OK;
}

static tamis_status rb_bloom_wrong(uint32_t index, const char *what)
{
    return tms_fail(TAMIS_E_CORRUPT, "layer %" PRIu32 " of the Bloom filter: %s", index, what);
}

tamis_status tms_rb_bloom_judge(tms_rb_layer *layer, uint32_t index)
{
    double hashes = ceil(rb_ln2 * layer->bits_per_entry);
    if (!(layer->error > 0 && layer->error < 1))
        return rb_bloom_wrong(index, "its rate is not between 0 and 1");
    if (!(layer->bits_per_entry > 0 && hashes <= TMS_RB_HASHES_MOST))
        return rb_bloom_wrong(index, "its bits per key are of no rate");
    if ((double)layer->hashes != hashes)
        return rb_bloom_wrong(index, "its hashes do not fit its bits per key");
    if (layer->capacity == 0) return rb_bloom_wrong(index, "it is for no keys");
    if (layer->bits == 0 || layer->bytes > TMS_RB_BYTES_MOST || layer->bits > 8 * layer->bytes)
        return rb_bloom_wrong(index, "its bits do not fit its bytes");
    if (layer->n2 > 63 || (layer->n2 && UINT64_C(1) << layer->n2 > layer->bits))
        return rb_bloom_wrong(index, "2^n2 is more than its bits");
    rb_bloom_set_modulus(layer);
    return TAMIS_OK;
}

/* ---- making and growing ------------------------------------------------- */

/* What a request comes to. */
typedef struct rb_bloom_plan {
    uint32_t options;
    tms_rb_layer first;
} rb_bloom_plan;

static tamis_status rb_bloom_plan_for(const tamis_redisbloom_bloom *spec, rb_bloom_plan *plan)
{
    const uint32_t known = TAMIS_REDISBLOOM_NOROUND | TAMIS_REDISBLOOM_FORCE64;
    uint64_t reserved = 0;
    for (size_t i = 0; i < sizeof spec->reserved / sizeof spec->reserved[0]; i++)
        reserved |= spec->reserved[i];
    if (reserved) return tms_fail(TAMIS_E_SPEC, "reserved fields are not 0");
    if (!(spec->error_rate > 0 && spec->error_rate < 1))
        return tms_fail(TAMIS_E_SPEC, "a rate of %g is not between 0 and 1", spec->error_rate);
    if (spec->capacity == 0) return tms_fail(TAMIS_E_SPEC, "a capacity of 0 holds no key");
    if (spec->options & ~(known | TAMIS_REDISBLOOM_NO_SCALING))
        return tms_fail(TAMIS_E_SPEC, "options 0x%x cannot be made, only loaded; 0 chooses",
                        spec->options);
    bool fixed =
        spec->nonscaling || spec->expansion == 0 || spec->options & TAMIS_REDISBLOOM_NO_SCALING;
    plan->options = spec->options ? spec->options : known;
    if (fixed) plan->options |= TAMIS_REDISBLOOM_NO_SCALING;
    double error = fmin(spec->error_rate, rb_worst_error);
    return tms_rb_bloom_size(spec->capacity, fixed ? error : error * rb_tightening, plan->options,
                             &plan->first);
}

tamis_status tamis_redisbloom_bloom_bytes(const tamis_redisbloom_bloom *spec, uint64_t *bytes)
{
    rb_bloom_plan plan;
    TMS_TRY(rb_bloom_plan_for(spec, &plan));
    *bytes = plan.first.bytes;
    return TAMIS_OK;
}

tamis_status tamis_redisbloom_create_bloom(const tamis_redisbloom_bloom *spec,
                                           const tamis_redisbloom_host *host, tamis_filter **out)
{
    const tms_rb_place place = {.host = host};
    rb_bloom_plan plan;
    tms_rb_chain *c = NULL;
    *out = NULL;
    TMS_TRY(rb_bloom_plan_for(spec, &plan));
    TMS_TRY(tms_rb_chain_make(&tms_rb_bloom_kind, &place, &c));
    c->options = plan.options;
    c->expansion = spec->expansion;
    tamis_status status = tms_rb_append(c, &plan.first);
    if (status != TAMIS_OK) {
        tms_filter_drop(&c->base);
        return status;
    }
    tms_rb_bloom_settle(c);
    *out = &c->base;
    return TAMIS_OK;
}

void tms_rb_bloom_settle(tms_rb_chain *c)
{
    const tms_rb_layer *first = &c->layers[0], *newest = &c->layers[c->count - 1];
    bool fixed = (c->options & TAMIS_REDISBLOOM_NO_SCALING) != 0;
    c->base.shape.capacity = tms_rb_capacity(c);
    c->base.shape.fpr = fixed ? first->error : fmin(2 * first->error, 0.999);
    c->base.shape.params[0] = newest->hashes;
}

tamis_status tms_rb_bloom_grow(tms_rb_chain *c)
{
    const tms_rb_layer *newest = &c->layers[c->count - 1];
    uint32_t most = c->host ? c->host->max_filters : 0;
    uint64_t capacity;
    tms_rb_layer next;
    if (c->options & TAMIS_REDISBLOOM_NO_SCALING)
        return tms_fail(TAMIS_E_FULL,
                        "the filter does not scale and holds the %" PRIu64
                        " keys it was reserved for; reserve a larger one",
                        newest->capacity);
    if (most && c->count >= most)
        return tms_fail(TAMIS_E_LIMIT, "the filter has %" PRIu32 " layers, which is the most",
                        c->count);
    if (!tms_mul_u64(newest->capacity, c->expansion ? c->expansion : 1, &capacity) ||
        newest->error * rb_tightening <= 0)
        return tms_fail(TAMIS_E_LIMIT,
                        "the filter cannot grow: after %" PRIu64
                        " keys at a rate of %g there is no next layer",
                        newest->capacity, newest->error);
    TMS_TRY(tms_rb_bloom_size(capacity, newest->error * rb_tightening, c->options, &next));
    TMS_TRY(tms_rb_append(c, &next));
    tms_rb_bloom_settle(c);
    return TAMIS_OK;
}

/* ---- measuring ---------------------------------------------------------- */

static uint64_t rb_bloom_ones(const tms_rb_layer *layer)
{
    uint64_t ones = 0, word, i = 0;
    for (; i + 8 <= layer->bytes; i += 8) {
        memcpy(&word, layer->array + i, sizeof word);
        ones += tms_popcount64(word);
    }
    for (; i < layer->bytes; i++) ones += tms_popcount64(layer->array[i]);
    return ones;
}

static void rb_bloom_measure(const tamis_filter *f, tms_measure *m)
{
    const tms_rb_chain *c = tms_rb_of(f);
    double none = 1; /* chance that no layer says maybe */
    *m = (tms_measure){.crowding = 1};
    for (uint32_t i = 0; i < c->count; i++) {
        const tms_rb_layer *layer = &c->layers[i];
        uint64_t ones = rb_bloom_ones(layer);
        tms_estimate e = tms_classic_estimate(layer->bits, layer->hashes,
                                              ones < layer->bits ? ones : layer->bits);
        m->bits += layer->bits;
        m->ones += ones;
        m->keys += e.keys;
        m->keys_low += e.low;
        m->keys_high += e.high;
        none *= 1 - pow(fmin(1, (double)ones / (double)layer->bits), layer->hashes);
    }
    m->rate = 1 - none;
}

static void rb_bloom_describe(const tms_shape *shape, tamis_sizing *sizing)
{
    sizing->hashes = (uint32_t)shape->params[0];
    sizing->reads = sizing->hashes;
    sizing->fold = 1;
}

static double rb_bloom_rate(const tms_shape *shape, double keys)
{
    return keys > 0 ? shape->fpr : 0; /* by construction: the layers' rates add up to it */
}

/* ---- union -------------------------------------------------------------- */

static tamis_status rb_bloom_fits(const tms_rb_chain *dst, const tms_rb_chain *src)
{
    uint32_t common = dst->count < src->count ? dst->count : src->count;
    if ((dst->options ^ src->options) & TAMIS_REDISBLOOM_FORCE64)
        return tms_fail(TAMIS_E_MISMATCH, "one filter hashes with 32 bits, the other with 64");
    if (src->count > dst->count && dst->options & TAMIS_REDISBLOOM_NO_SCALING)
        return tms_fail(TAMIS_E_MISMATCH,
                        "a filter that does not scale cannot take %" PRIu32 " layers", src->count);
    for (uint32_t i = 0; i < common; i++) {
        const tms_rb_layer *a = &dst->layers[i], *b = &src->layers[i];
        if (a->bits != b->bits || a->bytes != b->bytes || a->hashes != b->hashes || a->n2 != b->n2)
            return tms_fail(TAMIS_E_MISMATCH,
                            "layer %" PRIu32 " has %" PRIu64 " bits and %" PRIu32
                            " hashes here, %" PRIu64 " and %" PRIu32
                            " there; reserve both with the same rate, capacity and expansion",
                            i, a->bits, a->hashes, b->bits, b->hashes);
    }
    return TAMIS_OK;
}

/* Distinct keys of a layer after the union: what the bits say, within what is certain. */
static uint64_t rb_bloom_joint_items(const tms_rb_layer *layer, uint64_t a, uint64_t b)
{
    double keys = tms_classic_estimate(layer->bits, layer->hashes, rb_bloom_ones(layer)).keys;
    double least = (double)(a > b ? a : b), most = (double)a + (double)b;
    return (uint64_t)fmin(fmax(keys, least), fmin(most, 0x1p63));
}

static tamis_status rb_bloom_unite(tamis_filter *dst, const tamis_filter *src)
{
    tms_rb_chain *d = tms_rb_of(dst);
    const tms_rb_chain *s = tms_rb_of(src);
    uint32_t before = d->count;
    TMS_TRY(rb_bloom_fits(d, s));
    for (uint32_t i = before; i < s->count; i++) {
        tms_rb_layer layer = s->layers[i];
        layer.array = NULL;
        layer.items = 0;
        tamis_status status = tms_rb_append(d, &layer);
        while (status != TAMIS_OK && d->count > before) tms_rb_drop_newest(d);
        TMS_TRY(status);
    }
    uint64_t items = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        tms_rb_layer *layer = &d->layers[i];
        if (i < s->count) {
            for (uint64_t b = 0; b < layer->bytes; b++) layer->array[b] |= s->layers[i].array[b];
            layer->items = rb_bloom_joint_items(layer, layer->items, s->layers[i].items);
        }
        items += layer->items;
    }
    d->items = items;
    dst->count_is_estimate = true;
    tms_rb_bloom_settle(d);
    return TAMIS_OK;
}

/* ---- the table ---------------------------------------------------------- */

static const tms_ops rb_bloom_ops = {.may_contain = tms_keys_only_may_contain,
                                     .add = tms_keys_only_add,
                                     .may_contain_many = tms_keys_only_may_contain_many,
                                     .add_many = tms_keys_only_add_many,
                                     .may_contain_keys = tms_rb_bloom_ask,
                                     .add_keys = tms_rb_bloom_add};

static void rb_bloom_attach(tamis_filter *f)
{
    f->ops = &rb_bloom_ops;
}

static const tms_loose rb_bloom_loose = {.home = TMS_RB_HOME,
                                         .copy = tms_rb_copy,
                                         .unite = rb_bloom_unite,
                                         .held = tms_rb_held,
                                         .report = tms_rb_report};

const tms_kind tms_rb_bloom_kind = {.id = TAMIS_KIND_REDISBLOOM,
                                    .name = "redisbloom",
                                    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_GROW | TAMIS_CAN_MERGE,
                                    .handle_bytes = sizeof(tms_rb_chain),
                                    .describe = rb_bloom_describe,
                                    .rate = rb_bloom_rate,
                                    .attach = rb_bloom_attach,
                                    .measure = rb_bloom_measure,
                                    .reset = tms_rb_reset,
                                    .release = tms_rb_release,
                                    .loose = &rb_bloom_loose};
