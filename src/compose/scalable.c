/* scalable.c - layers of another kind, each larger and tighter (Almeida,
 * Baquero, Preguica and Hutchison, 2007).
 *
 * A key goes into the newest layer unless some layer may hold it already; a
 * layer that has taken its capacity of new keys is followed by one `expansion`
 * times as large. Layer i is planned for the rate p (1 - t) t^i with the
 * tightening t, so the rates of all layers, however many, add up to less than
 * p. Growing allocates lazily zeroed memory and copies nothing.
 *
 * Concurrent mode: layers are published by a release store of their number and
 * never change places; growing alone takes a lock. A layer may take a few keys
 * more than its capacity: one per thread that raced to fill it, or a run when
 * more than 64 threads add batches.
 *
 * params: [0] inner kind  [1] expansion (double)  [2] tightening (double)
 *         [3] lines per key asked for, 0: chosen per layer                  */
#include "compose/scalable.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/endian.h"
#include "base/fail.h"
#include "base/memory.h"
#include "kernel/tuning.h"

enum { SCALABLE_INNER, SCALABLE_EXPANSION, SCALABLE_TIGHTENING, SCALABLE_LINES, SCALABLE_PARAMS };
enum { SCALABLE_MOST_LAYERS = 64 };

/* Defaults: doubling wastes at most half of the newest layer; a tightening of
 * 0.85 is best for seven layers and costs at most one bit a key more than the
 * best from three to fourteen, where 0.5 would cost up to 13. */
static const double scalable_usual_expansion = 2.0, scalable_usual_tightening = 0.85;
static const uint64_t scalable_usual_capacity = 4096;

typedef struct scalable_filter {
    tamis_filter base;
    const tms_kind *inner;
    pthread_mutex_t growing;
    _Atomic uint32_t count;
    tamis_filter *layers[SCALABLE_MOST_LAYERS];
} scalable_filter;

static scalable_filter *scalable_of(const tamis_filter *f)
{
    return (scalable_filter *)(uintptr_t)f;
}

static uint32_t scalable_count(const scalable_filter *s)
{
    return atomic_load_explicit(&s->count, memory_order_acquire);
}

/* ---- parameters --------------------------------------------------------- */

static tamis_status scalable_check_growth(double expansion, double tightening, tamis_status status)
{
    if (!(expansion >= 1 && expansion <= 1024))
        return tms_fail(status, "an expansion of %g is outside 1 to 1024", expansion);
    if (!(tightening >= 0.01 && tightening <= 0.99))
        return tms_fail(status, "a tightening of %g is outside 0.01 to 0.99", tightening);
    return TAMIS_OK;
}

static tamis_status scalable_plan(const tamis_spec *spec, tms_shape *shape)
{
    double expansion = spec->expansion != 0 ? spec->expansion : scalable_usual_expansion;
    double tightening = spec->tightening != 0 ? spec->tightening : scalable_usual_tightening;
    TMS_TRY(scalable_check_growth(expansion, tightening, TAMIS_E_SPEC));
    if (!(spec->fpr > 0))
        return tms_fail(TAMIS_E_SPEC, "a scaling filter needs a rate; it finds its size itself");
    if (spec->hashes || spec->fold > 1 || spec->flags & TAMIS_STRICT)
        return tms_fail(TAMIS_E_SPEC, "hashes, fold and strict have no meaning for a scaling "
                                      "filter: its layers differ, and it never refuses");
    *shape = (tms_shape){.kind = TAMIS_KIND_SCALABLE,
                         .flags = spec->flags,
                         .capacity = spec->capacity ? spec->capacity : scalable_usual_capacity,
                         .fpr = spec->fpr,
                         .param_count = SCALABLE_PARAMS,
                         .params = {spec->kind, tms_double_bits(expansion),
                                    tms_double_bits(tightening), spec->lines_per_key}};
    return TAMIS_OK;
}

static tamis_status scalable_check(tms_shape *shape)
{
    if (shape->param_count != SCALABLE_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a scaling filter has %d parameters, not %u",
                        SCALABLE_PARAMS, shape->param_count);
    if (shape->params[SCALABLE_LINES] > 2)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " lines per key are outside 0 to 2",
                        shape->params[SCALABLE_LINES]);
    if (shape->params[SCALABLE_INNER] == TAMIS_KIND_SCALABLE)
        return tms_fail(TAMIS_E_CORRUPT, "a scaling filter cannot be made of scaling filters");
    shape->body_bytes = 0;
    return scalable_check_growth(tms_bits_double(shape->params[SCALABLE_EXPANSION]),
                                 tms_bits_double(shape->params[SCALABLE_TIGHTENING]),
                                 TAMIS_E_CORRUPT);
}

void tms_scalable_layer_spec(const tms_shape *shape, uint32_t index, tamis_spec *out)
{
    double expansion = tms_bits_double(shape->params[SCALABLE_EXPANSION]);
    double tightening = tms_bits_double(shape->params[SCALABLE_TIGHTENING]);
    double capacity = (double)shape->capacity, fpr = shape->fpr * (1 - tightening);
    for (uint32_t i = 0; i < index; i++) { /* products, not pow(): equal on every machine */
        capacity *= expansion;
        fpr *= tightening;
    }
    capacity = ceil(capacity);
    memset(out, 0, sizeof *out);
    out->kind = (uint32_t)shape->params[SCALABLE_INNER];
    out->capacity = capacity < 0x1p62 ? (uint64_t)capacity : UINT64_C(1) << 62;
    out->fpr =
        fmax(fpr, 1e-7 * shape->fpr); /* 64 such layers add nothing; tighter ones cost much */
    out->flags = (shape->flags & TAMIS_CONCURRENT) | TAMIS_NEVER_EXCEED;
    out->lines_per_key = (uint32_t)shape->params[SCALABLE_LINES];
}

/* ---- layers ------------------------------------------------------------- */

static tamis_status scalable_push(scalable_filter *s)
{
    uint32_t count = scalable_count(s);
    if (count == SCALABLE_MOST_LAYERS)
        return tms_fail(TAMIS_E_FULL,
                        "all %d layers are full; rebuild as one filter with the "
                        "right capacity, or with a larger expansion",
                        SCALABLE_MOST_LAYERS);
    tamis_spec spec;
    tms_shape shape;
    tamis_filter *layer = NULL;
    tms_scalable_layer_spec(&s->base.shape, count, &spec);
    TMS_TRY(s->inner->plan(&spec, &shape));
    tms_family family = {.hasher = &s->base.hasher, .alloc = &s->base.alloc};
    TMS_TRY(tms_filter_make(s->inner, &shape, family, &layer));
    layer->is_child = true;
    s->layers[count] = layer;
    atomic_store_explicit(&s->count, count + 1, memory_order_release);
    return TAMIS_OK;
}

/* Adds a layer unless another thread has done so since `seen` were counted. */
static tamis_status scalable_grow(scalable_filter *s, uint32_t seen)
{
    pthread_mutex_lock(&s->growing);
    tamis_status status = scalable_count(s) == seen ? scalable_push(s) : TAMIS_OK;
    pthread_mutex_unlock(&s->growing);
    return status;
}

static bool scalable_is_full(const tamis_filter *layer)
{
    return tms_counter_sum(&layer->added) >= layer->shape.capacity;
}

static bool scalable_known(const scalable_filter *s, uint32_t layers, uint64_t digest)
{
    for (uint32_t i = layers; i-- > 0;) /* newest first: it is the largest */
        if (s->layers[i]->ops->may_contain(s->layers[i], digest)) return true;
    return false;
}

/* ---- asking and adding -------------------------------------------------- */

static bool scalable_may_contain(const tamis_filter *f, uint64_t digest)
{
    const scalable_filter *s = scalable_of(f);
    return scalable_known(s, scalable_count(s), digest);
}

static tamis_status scalable_put(tamis_filter *layer, uint64_t digest, bool *was_new)
{
    TMS_TRY(layer->ops->add(layer, digest, was_new));
    if (*was_new) tms_filter_count(layer, 1);
    return TAMIS_OK;
}

static tamis_status scalable_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    scalable_filter *s = scalable_of(f);
    for (;;) {
        uint32_t count = scalable_count(s);
        tamis_filter *newest = s->layers[count - 1];
        bool full = scalable_is_full(newest);
        if (scalable_known(s, full ? count : count - 1, digest)) {
            *was_new = false;
            return TAMIS_OK;
        }
        if (!full) return scalable_put(newest, digest, was_new);
        TMS_TRY(scalable_grow(s, count));
    }
}

/* answers[i] |= what one layer says; fetches that layer's next lines. */
static void scalable_ask_layer(const tamis_filter *layer, const tms_run *run, bool *answers)
{
    bool here[TMS_RUN];
    layer->ops->may_contain_many(layer, run, here);
    for (size_t i = 0; i < run->count; i++) answers[i] |= here[i];
}

static void scalable_ask_layers(const scalable_filter *s, uint32_t layers, const tms_run *run,
                                bool *answers)
{
    memset(answers, 0, run->count * sizeof *answers);
    for (uint32_t i = layers; i-- > 0;) scalable_ask_layer(s->layers[i], run, answers);
}

static size_t scalable_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    const scalable_filter *s = scalable_of(f);
    size_t hits = 0;
    scalable_ask_layers(s, scalable_count(s), run, answers);
    for (size_t i = 0; i < run->count; i++) hits += answers[i];
    return hits;
}

/* Far from full: a run may go into the newest layer as one. Other threads may
 * have as many runs under way at the same time. */
static bool scalable_has_room(const tamis_filter *f, const tamis_filter *newest)
{
    uint64_t runs = f->shape.flags & TAMIS_CONCURRENT ? 64 : 1;
    uint64_t taken = tms_counter_sum(&newest->added);
    return taken + runs * TMS_RUN <= newest->shape.capacity;
}

/* Adds to the newest layer what the older do not know, as one run in order. */
static tamis_status scalable_put_run(tamis_filter *newest, const tms_run *run, const bool *known,
                                     bool *was_new, size_t *added)
{
    uint64_t digests[TMS_RUN + 1]; /* one past the last is written and not used */
    size_t keys[TMS_RUN + 1], unknown = 0, fresh = 0, taken;
    bool news[TMS_RUN];
    for (size_t i = 0; i < run->count; i++) {
        digests[unknown] = run->now[i];
        keys[unknown] = i;
        unknown += !known[i];
    }
    const tms_run rest = {digests, unknown, run->ahead, run->ahead_count};
    TMS_TRY(newest->ops->add_many(newest, &rest, news, &taken));
    if (was_new) memset(was_new, 0, run->count * sizeof *was_new);
    for (size_t i = 0; i < unknown; i++) {
        fresh += news[i];
        if (was_new) was_new[keys[i]] = news[i];
    }
    tms_filter_count(newest, fresh);
    *added = run->count;
    return TAMIS_OK;
}

/* Key by key, because a layer may be due in the middle of the run. */
static tamis_status scalable_put_keys(tamis_filter *f, tamis_filter *newest, const tms_run *run,
                                      const bool *known, bool *was_new, size_t *added)
{
    bool fresh = false;
    for (*added = 0; *added < run->count; ++*added) {
        size_t i = *added;
        if (known[i])
            fresh = false;
        else if (scalable_is_full(newest))
            TMS_TRY(scalable_add(f, run->now[i], &fresh));
        else
            TMS_TRY(scalable_put(newest, run->now[i], &fresh));
        if (was_new) was_new[i] = fresh;
    }
    return TAMIS_OK;
}

/* The older layers answer the whole run at once. */
static tamis_status scalable_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                      size_t *added)
{
    scalable_filter *s = scalable_of(f);
    uint32_t count = scalable_count(s);
    tamis_filter *newest = s->layers[count - 1];
    const tms_run fetch = {.ahead = run->ahead, .ahead_count = run->ahead_count};
    bool known[TMS_RUN];
    scalable_ask_layers(s, count - 1, run, known);
    if (scalable_has_room(f, newest)) return scalable_put_run(newest, run, known, was_new, added);
    newest->ops->may_contain_many(newest, &fetch, known);
    return scalable_put_keys(f, newest, run, known, was_new, added);
}

static const tms_ops scalable_ops = {.may_contain = scalable_may_contain,
                                     .add = scalable_add,
                                     .may_contain_many = scalable_may_contain_many,
                                     .add_many = scalable_add_many};

static bool scalable_may_contain_around(const tamis_filter *f, uint64_t digest,
                                        bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const scalable_filter *s = scalable_of(f);
    bool answer = false;
    for (uint32_t i = scalable_count(s); i-- > 0;)
        answer |= s->layers[i]->kind->may_contain_around(s->layers[i], digest, lost, ctx);
    return answer;
}

/* ---- what the layers say ------------------------------------------------ */

static void scalable_describe(const tms_shape *shape, tamis_sizing *out)
{
    (void)shape; /* the caller describes the first layer */
    out->fold = 1;
}

/* Full layers keep their own rate; the newest that of the keys left for it. */
static double scalable_rate(const tms_shape *shape, double keys)
{
    double passes = 1;
    for (uint32_t i = 0; i < SCALABLE_MOST_LAYERS && keys > 0; i++) {
        tamis_spec spec;
        tms_scalable_layer_spec(shape, i, &spec);
        double share = keys < (double)spec.capacity ? keys / (double)spec.capacity : 1;
        passes *= 1 - spec.fpr * share;
        keys -= (double)spec.capacity;
    }
    return 1 - passes;
}

static void scalable_measure(const tamis_filter *f, tms_measure *out)
{
    const scalable_filter *s = scalable_of(f);
    double passes = 1, below = 0, above = 0;
    *out = (tms_measure){.crowding = 1};
    for (uint32_t i = 0; i < scalable_count(s); i++) {
        tms_measure one;
        s->layers[i]->kind->measure(s->layers[i], &one);
        out->bits += one.bits;
        out->ones += one.ones;
        out->keys += one.keys / fmax(passes, 0.1); /* the others passed as keys of older layers */
        below += (one.keys - one.keys_low) * (one.keys - one.keys_low);
        above += (one.keys_high - one.keys) * (one.keys_high - one.keys);
        passes *= 1 - one.rate;
        if (one.crowding < out->crowding) out->crowding = one.crowding;
    }
    out->keys_low = out->keys - sqrt(below); /* independent errors add as squares */
    out->keys_high = out->keys + sqrt(above);
    out->rate = 1 - passes;
}

/* ---- life --------------------------------------------------------------- */

static void scalable_attach(tamis_filter *f)
{
    pthread_mutex_init(&scalable_of(f)->growing, NULL);
    f->ops = &scalable_ops;
}

static tamis_status scalable_start(tamis_filter *f, const tms_kind *inner)
{
    scalable_of(f)->inner = inner;
    return scalable_push(scalable_of(f));
}

static tamis_status scalable_adopt(tamis_filter *f, tamis_filter **children, uint32_t count)
{
    scalable_filter *s = scalable_of(f);
    if (count < 1 || count > SCALABLE_MOST_LAYERS)
        return tms_fail(TAMIS_E_CORRUPT, "a scaling filter has 1 to %d layers, not %u",
                        SCALABLE_MOST_LAYERS, count);
    for (uint32_t i = 0; i < count; i++)
        if (children[i]->kind->id != f->shape.params[SCALABLE_INNER])
            return tms_fail(TAMIS_E_CORRUPT,
                            "layer %u is of kind %u, but the filter's layers "
                            "are of kind %" PRIu64,
                            i, children[i]->kind->id, f->shape.params[SCALABLE_INNER]);
    s->inner = children[0]->kind;
    for (uint32_t i = 0; i < count; i++) {
        s->layers[i] = children[i];
        s->layers[i]->is_child = true;
    }
    atomic_store_explicit(&s->count, count, memory_order_release);
    return TAMIS_OK;
}

static uint32_t scalable_child_count(const tamis_filter *f)
{
    return scalable_count(scalable_of(f));
}

static tamis_filter *scalable_child(const tamis_filter *f, uint32_t index)
{
    return scalable_of(f)->layers[index];
}

/* Drops the layers from `keep` on. */
static void scalable_shorten(scalable_filter *s, uint32_t keep)
{
    uint32_t count = scalable_count(s);
    atomic_store_explicit(&s->count, keep, memory_order_release);
    for (uint32_t i = keep; i < count; i++) tms_filter_drop(s->layers[i]);
}

static void scalable_reset(tamis_filter *f)
{
    scalable_filter *s = scalable_of(f);
    scalable_shorten(s, 1);
    tamis_filter *first = s->layers[0];
    tms_zero_body(&first->alloc, first->body, first->shape.body_bytes);
    tms_counter_set(&first->added, 0);
    first->damaged_bytes = 0;
}

static void scalable_release(tamis_filter *f)
{
    scalable_shorten(scalable_of(f), 0);
    pthread_mutex_destroy(&scalable_of(f)->growing);
}

const tms_kind tms_scalable_kind = {
    .id = TAMIS_KIND_SCALABLE,
    .name = "scalable",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_GROW | TAMIS_CAN_CONCURRENT | TAMIS_CAN_DIGESTS,
    .damage_rule = TMS_DAMAGE_READS_AS_ONES,
    .handle_bytes = sizeof(scalable_filter),
    .plan = scalable_plan,
    .check = scalable_check,
    .describe = scalable_describe,
    .rate = scalable_rate,
    .attach = scalable_attach,
    .measure = scalable_measure,
    .may_contain_around = scalable_may_contain_around,
    .start = scalable_start,
    .adopt = scalable_adopt,
    .child_count = scalable_child_count,
    .child = scalable_child,
    .reset = scalable_reset,
    .release = scalable_release,
};
