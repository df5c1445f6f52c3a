/* redisbloom_value.c - the value of a key in an RDB file, field by field.
 *
 * Reading has two steps. First all fields are read, by the counts that the value
 * itself gives, and kept as they are; then they are judged and, if sound, made
 * into a chain that takes their arrays over. Fields that make no filter stay
 * behind as a quarantine, which can be written again: so one bad key does not
 * keep a server from loading all others.
 *
 * Bloom, encver 4: size, layers, options, growth; a layer: capacity, error,
 * hashes, bits per entry, bits, n2, array, size. Before 4 no growth (2), before
 * 2 no options (0), in 0 no bits and n2. Cuckoo, encver 4: filters, buckets,
 * items, deletes, bucket size, iterations, expansion; a sub-filter: buckets,
 * array. Before 4 the last four and the sub-filters' buckets are missing.   */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "foreign/redisbloom_chain.h"

enum { VALUE_SIZE, VALUE_LAYERS, VALUE_OPTIONS, VALUE_GROWTH, VALUE_BLOOM_HEADS };
enum {
    VALUE_FILTERS,
    VALUE_BUCKETS,
    VALUE_ITEMS,
    VALUE_DELETES,
    VALUE_BUCKET_SIZE,
    VALUE_ITERATIONS,
    VALUE_EXPANSION,
    VALUE_CUCKOO_HEADS
};
enum { VALUE_HEADS_OLD_CUCKOO = 3 };

typedef struct value_layer {
    uint64_t capacity, hashes, bits, n2, items; /* Bloom */
    double error, bits_per_entry;               /* Bloom */
    uint64_t buckets;                           /* cuckoo */
    void *array;
    size_t size;
} value_layer;

struct tamis_redisbloom_quarantine {
    tms_rb_place place;
    tamis_alloc alloc; /* what place.alloc points to */
    uint32_t kind;
    uint64_t heads[VALUE_CUCKOO_HEADS];
    value_layer *layers;
    uint64_t count, room;
};

typedef struct tamis_redisbloom_quarantine value_fields;

/* ---- holding fields ----------------------------------------------------- */

static value_fields *value_make(uint32_t kind, const tms_rb_place *place)
{
    value_fields *v = tms_rb_take(place, sizeof *v);
    if (!v) return NULL;
    v->kind = kind;
    v->place = *place;
    if (place->alloc) v->alloc = *place->alloc;
    v->place.alloc = &v->alloc;
    return v;
}

void tamis_redisbloom_quarantine_free(tamis_redisbloom_quarantine *q)
{
    if (!q) return;
    tamis_alloc alloc = q->alloc;
    tms_rb_place place = {.host = q->place.host, .alloc = &alloc};
    for (uint64_t i = 0; i < q->count; i++)
        tms_rb_give(&place, q->layers[i].array, q->layers[i].size);
    tms_rb_give(&place, q->layers, q->room * sizeof *q->layers);
    tms_rb_give(&place, q, sizeof *q);
}

static tamis_status value_push(value_fields *v, const value_layer *layer)
{
    if (v->count == v->room) {
        uint64_t room = v->room ? 2 * v->room : 2;
        value_layer *larger = tms_rb_take(&v->place, room * sizeof *larger);
        if (!larger) return tms_fail_memory("the value's fields", room * sizeof *larger);
        if (v->count) memcpy(larger, v->layers, v->count * sizeof *larger);
        tms_rb_give(&v->place, v->layers, v->room * sizeof *larger);
        v->layers = larger;
        v->room = room;
    }
    v->layers[v->count++] = *layer;
    return TAMIS_OK;
}

uint32_t tms_rb_quarantine_kind(const tamis_redisbloom_quarantine *q)
{
    return q->kind;
}

uint64_t tamis_redisbloom_quarantine_memory(const tamis_redisbloom_quarantine *q)
{
    uint64_t sum = sizeof *q + q->room * sizeof *q->layers;
    for (uint64_t i = 0; i < q->count; i++) sum += q->layers[i].size;
    return sum;
}

tamis_status tamis_redisbloom_quarantine_clone(const tamis_redisbloom_quarantine *q,
                                               tamis_redisbloom_quarantine **out)
{
    tamis_status status = TAMIS_OK;
    *out = NULL;
    value_fields *copy = value_make(q->kind, &q->place);
    if (!copy) return tms_fail_memory("the value's fields", sizeof *copy);
    memcpy(copy->heads, q->heads, sizeof copy->heads);
    for (uint64_t i = 0; i < q->count && status == TAMIS_OK; i++) {
        value_layer layer = q->layers[i];
        layer.array = layer.size ? tms_rb_take(&copy->place, layer.size) : NULL;
        if (layer.size && !layer.array) status = tms_fail_memory("an array", layer.size);
        if (layer.array) memcpy(layer.array, q->layers[i].array, layer.size);
        if (status == TAMIS_OK) status = value_push(copy, &layer);
        if (status != TAMIS_OK) tms_rb_give(&copy->place, layer.array, layer.size);
    }
    if (status == TAMIS_OK)
        *out = copy;
    else
        tamis_redisbloom_quarantine_free(copy);
    return status;
}

/* ---- reading ------------------------------------------------------------ */

static tamis_status value_read_bytes(const tamis_redisbloom_reader *r, value_layer *layer)
{
    return r->get_bytes(r->ctx, &layer->array, &layer->size);
}

static tamis_status value_read_link(const tamis_redisbloom_reader *r, int encver, value_layer *l)
{
    TMS_TRY(r->get_unsigned(r->ctx, &l->capacity));
    TMS_TRY(r->get_double(r->ctx, &l->error));
    TMS_TRY(r->get_unsigned(r->ctx, &l->hashes));
    TMS_TRY(r->get_double(r->ctx, &l->bits_per_entry));
    if (encver > 0) {
        TMS_TRY(r->get_unsigned(r->ctx, &l->bits));
        TMS_TRY(r->get_unsigned(r->ctx, &l->n2));
    } else {
        double bits = (double)l->capacity * l->bits_per_entry;
        l->bits = bits > 0 && bits < 0x1p63 ? (uint64_t)bits : 0;
    }
    TMS_TRY(value_read_bytes(r, l));
    return r->get_unsigned(r->ctx, &l->items);
}

static tamis_status value_read_sub_filter(const tamis_redisbloom_reader *r, int encver,
                                          uint64_t buckets, value_layer *l)
{
    l->buckets = buckets;
    if (encver >= 4) TMS_TRY(r->get_unsigned(r->ctx, &l->buckets));
    return value_read_bytes(r, l);
}

static tamis_status value_read_heads(const tamis_redisbloom_reader *r, int encver, value_fields *v)
{
    bool cuckoo = v->kind == TAMIS_KIND_REDISBLOOM_CUCKOO;
    size_t count = cuckoo ? VALUE_CUCKOO_HEADS : VALUE_BLOOM_HEADS;
    if (cuckoo && encver < 4) count = VALUE_HEADS_OLD_CUCKOO;
    if (!cuckoo && encver < 4) count = encver < 2 ? VALUE_OPTIONS : VALUE_GROWTH;
    for (size_t i = 0; i < count; i++) TMS_TRY(r->get_unsigned(r->ctx, &v->heads[i]));
    return TAMIS_OK;
}

/* What old values leave out. Their sub-filters are all of one size. */
static void value_complete(int encver, const tamis_redisbloom_old_cuckoo *old, value_fields *v)
{
    const tamis_redisbloom_old_cuckoo usual = {2, 20, 1};
    if (encver >= 4) return;
    if (v->kind == TAMIS_KIND_REDISBLOOM) {
        v->heads[VALUE_GROWTH] = 2;
        return;
    }
    if (!old) old = &usual;
    v->heads[VALUE_BUCKET_SIZE] = old->bucket_size;
    v->heads[VALUE_ITERATIONS] = old->max_iterations;
    v->heads[VALUE_EXPANSION] = v->heads[VALUE_FILTERS] > 1 ? 1 : old->expansion;
}

static tamis_status value_read(const tamis_redisbloom_reader *r, int encver, value_fields *v)
{
    bool cuckoo = v->kind == TAMIS_KIND_REDISBLOOM_CUCKOO;
    TMS_TRY(value_read_heads(r, encver, v));
    uint64_t layers = v->heads[cuckoo ? VALUE_FILTERS : VALUE_LAYERS];
    for (uint64_t i = 0; i < layers; i++) {
        value_layer layer = {0};
        tamis_status status =
            cuckoo ? value_read_sub_filter(r, encver, v->heads[VALUE_BUCKETS], &layer)
                   : value_read_link(r, encver, &layer);
        if (status == TAMIS_OK) status = value_push(v, &layer);
        if (status != TAMIS_OK) tms_rb_give(&v->place, layer.array, layer.size);
        TMS_TRY(status);
    }
    return TAMIS_OK;
}

/* ---- judging and making ------------------------------------------------- */

static tamis_status value_wrong(const char *what, uint64_t value)
{
    return tms_fail(TAMIS_E_CORRUPT, "the value's %s of %" PRIu64 " makes no filter", what, value);
}

static tamis_status value_link(const value_fields *v, uint32_t index, tms_rb_layer *layer)
{
    const value_layer *l = &v->layers[index];
    if (l->hashes > TMS_RB_HASHES_MOST) return value_wrong("hashes", l->hashes);
    if (l->n2 > 63) return value_wrong("n2", l->n2);
    *layer = (tms_rb_layer){.array = l->array,
                            .bytes = l->size,
                            .bits = l->bits,
                            .capacity = l->capacity,
                            .items = l->items,
                            .error = l->error,
                            .bits_per_entry = l->bits_per_entry,
                            .hashes = (uint32_t)l->hashes,
                            .n2 = (uint32_t)l->n2};
    return tms_rb_bloom_judge(layer, index);
}

static tamis_status value_judge_bloom(const value_fields *v, tms_rb_chain *c)
{
    const uint64_t *heads = v->heads;
    uint64_t items = 0;
    tms_rb_layer layer;
    if (v->count == 0 || v->count > UINT32_MAX / 2) return value_wrong("layers", v->count);
    if (heads[VALUE_OPTIONS] & ~(uint64_t)TMS_RB_OPTIONS)
        return value_wrong("options", heads[VALUE_OPTIONS]);
    if (heads[VALUE_GROWTH] > UINT32_MAX) return value_wrong("growth", heads[VALUE_GROWTH]);
    for (uint32_t i = 0; i < v->count; i++) {
        TMS_TRY(value_link(v, i, &layer));
        items += layer.items;
    }
    if (items != heads[VALUE_SIZE]) return value_wrong("size", heads[VALUE_SIZE]);
    c->items = items;
    c->options = (uint32_t)heads[VALUE_OPTIONS];
    c->expansion = (uint32_t)heads[VALUE_GROWTH];
    return TAMIS_OK;
}

static tamis_status value_judge_cuckoo(const value_fields *v, tms_rb_chain *c)
{
    const uint64_t *heads = v->heads;
    uint64_t bytes, buckets = heads[VALUE_BUCKETS];
    if (heads[VALUE_BUCKET_SIZE] > UINT16_MAX)
        return value_wrong("bucket size", heads[VALUE_BUCKET_SIZE]);
    if (heads[VALUE_ITERATIONS] > UINT16_MAX)
        return value_wrong("iterations", heads[VALUE_ITERATIONS]);
    if (heads[VALUE_EXPANSION] > UINT16_MAX)
        return value_wrong("expansion", heads[VALUE_EXPANSION]);
    c->items = heads[VALUE_ITEMS];
    c->deletes = heads[VALUE_DELETES];
    c->bucket_size = (uint16_t)heads[VALUE_BUCKET_SIZE];
    c->max_iterations = (uint16_t)heads[VALUE_ITERATIONS];
    c->expansion = (uint32_t)heads[VALUE_EXPANSION];
    TMS_TRY(tms_rb_cuckoo_judge(c, buckets, v->count, &bytes));
    for (uint64_t i = 0; i < v->count; i++, buckets *= c->expansion) {
        if (v->layers[i].buckets != buckets) return value_wrong("buckets", v->layers[i].buckets);
        if (v->layers[i].size != buckets * c->bucket_size)
            return value_wrong("array length", v->layers[i].size);
    }
    return TAMIS_OK;
}

/* Gives the arrays to the chain; those that it took are no longer the value's. */
static tamis_status value_fill(value_fields *v, tms_rb_chain *c)
{
    bool cuckoo = tms_rb_is_cuckoo(&c->base);
    tms_rb_layer layer;
    for (uint32_t i = 0; i < v->count; i++) {
        if (cuckoo) {
            TMS_TRY(tms_rb_cuckoo_append(c, v->heads[VALUE_BUCKETS], v->layers[i].array));
        } else {
            TMS_TRY(value_link(v, i, &layer));
            TMS_TRY(tms_rb_append(c, &layer));
        }
        v->layers[i].array = NULL;
    }
    if (cuckoo)
        tms_rb_cuckoo_settle(c);
    else
        tms_rb_bloom_settle(c);
    return TAMIS_OK;
}

static tamis_status value_build(value_fields *v, tamis_filter **out)
{
    bool cuckoo = v->kind == TAMIS_KIND_REDISBLOOM_CUCKOO;
    tms_rb_chain *c = NULL;
    TMS_TRY(tms_rb_chain_make(cuckoo ? &tms_rb_cuckoo_kind : &tms_rb_bloom_kind, &v->place, &c));
    tamis_status status = cuckoo ? value_judge_cuckoo(v, c) : value_judge_bloom(v, c);
    if (status == TAMIS_OK) status = value_fill(v, c);
    if (status == TAMIS_OK)
        *out = &c->base;
    else
        tms_filter_drop(&c->base);
    return status;
}

tamis_status tms_rb_value_read(uint32_t kind, int encver, const tamis_redisbloom_reader *reader,
                               const tamis_redisbloom_old_cuckoo *old, const tms_rb_place *place,
                               tamis_filter **out, tamis_redisbloom_quarantine **kept)
{
    value_fields *v = value_make(kind, place);
    if (!v) return tms_fail_memory("the value's fields", sizeof *v);
    tamis_status status = value_read(reader, encver, v);
    bool whole = status == TAMIS_OK;
    if (whole) {
        value_complete(encver, old, v);
        status = value_build(v, out);
    }
    if (whole && status == TAMIS_E_CORRUPT && kept)
        *kept = v;
    else
        tamis_redisbloom_quarantine_free(v);
    return status;
}

tamis_status tamis_redisbloom_load(uint32_t kind, int encver, const tamis_redisbloom_reader *reader,
                                   const tamis_redisbloom_old_cuckoo *old,
                                   const tamis_redisbloom_host *host, tamis_filter **out,
                                   tamis_redisbloom_quarantine **kept)
{
    const tms_rb_place place = {.host = host};
    *out = NULL;
    if (kept) *kept = NULL;
    if (kind != TAMIS_KIND_REDISBLOOM && kind != TAMIS_KIND_REDISBLOOM_CUCKOO)
        return tms_fail(TAMIS_E_SPEC, "kind %" PRIu32 " is none of RedisBloom", kind);
    if (encver < 0 || encver > TAMIS_REDISBLOOM_ENCVER)
        return tms_fail(TAMIS_E_VERSION, "encoding version %d is not one of 0 to %d", encver,
                        TAMIS_REDISBLOOM_ENCVER);
    return tms_rb_value_read(kind, encver, reader, old, &place, out, kept);
}

/* ---- writing ------------------------------------------------------------ */

static tamis_status value_write_link(const tamis_redisbloom_writer *w, const value_layer *l)
{
    TMS_TRY(w->put_unsigned(w->ctx, l->capacity));
    TMS_TRY(w->put_double(w->ctx, l->error));
    TMS_TRY(w->put_unsigned(w->ctx, l->hashes));
    TMS_TRY(w->put_double(w->ctx, l->bits_per_entry));
    TMS_TRY(w->put_unsigned(w->ctx, l->bits));
    TMS_TRY(w->put_unsigned(w->ctx, l->n2));
    TMS_TRY(w->put_bytes(w->ctx, l->array, l->size));
    return w->put_unsigned(w->ctx, l->items);
}

static tamis_status value_write_layer(const tamis_redisbloom_writer *w, uint32_t kind,
                                      const value_layer *l)
{
    if (kind == TAMIS_KIND_REDISBLOOM) return value_write_link(w, l);
    TMS_TRY(w->put_unsigned(w->ctx, l->buckets));
    return w->put_bytes(w->ctx, l->array, l->size);
}

static tamis_status value_write_heads(const tamis_redisbloom_writer *w, uint32_t kind,
                                      const uint64_t *heads)
{
    size_t count = kind == TAMIS_KIND_REDISBLOOM ? VALUE_BLOOM_HEADS : VALUE_CUCKOO_HEADS;
    for (size_t i = 0; i < count; i++) TMS_TRY(w->put_unsigned(w->ctx, heads[i]));
    return TAMIS_OK;
}

tamis_status tamis_redisbloom_quarantine_save(const tamis_redisbloom_quarantine *q,
                                              const tamis_redisbloom_writer *writer)
{
    TMS_TRY(value_write_heads(writer, q->kind, q->heads));
    for (uint64_t i = 0; i < q->count; i++)
        TMS_TRY(value_write_layer(writer, q->kind, &q->layers[i]));
    return TAMIS_OK;
}

tamis_status tamis_redisbloom_save(const tamis_filter *f, const tamis_redisbloom_writer *writer)
{
    const tms_rb_chain *c = tms_rb_of(f);
    TMS_TRY(tms_rb_check_kind(f));
    const uint64_t bloom[] = {c->items, c->count, c->options, c->expansion};
    const uint64_t cuckoo[] = {c->count,       c->layers[0].buckets, c->items,    c->deletes,
                               c->bucket_size, c->max_iterations,    c->expansion};
    TMS_TRY(value_write_heads(writer, f->kind->id, tms_rb_is_cuckoo(f) ? cuckoo : bloom));
    for (uint32_t i = 0; i < c->count; i++) {
        const tms_rb_layer *l = &c->layers[i];
        const value_layer layer = {.capacity = l->capacity,
                                   .hashes = l->hashes,
                                   .bits = l->bits,
                                   .n2 = l->n2,
                                   .items = l->items,
                                   .error = l->error,
                                   .bits_per_entry = l->bits_per_entry,
                                   .buckets = l->buckets,
                                   .array = l->array,
                                   .size = (size_t)l->bytes};
        TMS_TRY(value_write_layer(writer, f->kind->id, &layer));
    }
    return TAMIS_OK;
}
