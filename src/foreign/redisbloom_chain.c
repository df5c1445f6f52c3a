/* redisbloom_chain.c - memory and layers of the chains of RedisBloom.       */
#include "foreign/redisbloom_chain.h"

#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"

/* ---- memory ------------------------------------------------------------- */

/* A handle comes from the host as it is: nothing in one is aligned to more than
 * the 8 bytes that a host gives. (What is, the stripes of a counter, belongs to
 * filters that threads share, which chains are not.) */
_Static_assert(_Alignof(tms_rb_chain) <= 8, "a host aligns to 8");

static void *rb_host_alloc(void *ctx, size_t size, size_t align)
{
    const tamis_redisbloom_host *host = ctx;
    (void)align;
    return host->zeroed(host->ctx, size);
}

static void rb_host_free(void *ctx, void *memory, size_t size)
{
    const tamis_redisbloom_host *host = ctx;
    host->free(host->ctx, memory, size);
}

void *tms_rb_take(const tms_rb_place *place, uint64_t bytes)
{
    if (bytes > SIZE_MAX) return NULL;
    if (place->host) return place->host->zeroed(place->host->ctx, (size_t)bytes);
    return tms_alloc_body(place->alloc, bytes);
}

void tms_rb_give(const tms_rb_place *place, void *memory, uint64_t bytes)
{
    if (!memory) return;
    if (place->host)
        place->host->free(place->host->ctx, memory, (size_t)bytes);
    else
        tms_free_body(place->alloc, memory, bytes);
}

tms_rb_place tms_rb_place_of(const tms_rb_chain *c)
{
    return (tms_rb_place){.host = c->host, .alloc = &c->base.alloc};
}

tamis_status tms_rb_allows(const tms_rb_place *place, uint64_t bytes)
{
    uint64_t cap = place->memory;
    uint64_t of_host = place->host ? place->host->memory : 0;
    if (of_host && (!cap || of_host < cap)) cap = of_host;
    if (!cap || cap > TMS_RB_BYTES_MOST) cap = TMS_RB_BYTES_MOST;
    if (bytes <= cap) return TAMIS_OK;
    return tms_fail(TAMIS_E_LIMIT,
                    "the filter would take %" PRIu64 " bytes, above the cap of %" PRIu64
                    "; reserve it smaller, or raise the cap",
                    bytes, cap);
}

/* ---- making and growing ------------------------------------------------- */

static tamis_status rb_check_host(const tamis_redisbloom_host *host)
{
    if (!host) return TAMIS_OK;
    uint64_t reserved = 0;
    for (size_t i = 0; i < sizeof host->reserved / sizeof host->reserved[0]; i++)
        reserved |= host->reserved[i];
    if (reserved || !host->zeroed || !host->free)
        return tms_fail(TAMIS_E_SPEC, "a host has `zeroed` and `free`, and reserved fields of 0");
    return TAMIS_OK;
}

tamis_status tms_rb_chain_make(const tms_kind *kind, const tms_rb_place *place, tms_rb_chain **out)
{
    const tamis_alloc of_host = {(void *)(uintptr_t)place->host, rb_host_alloc, rb_host_free};
    tms_shape shape = {.kind = kind->id, .capacity = 1, .fpr = 0.5, .param_count = 1};
    tms_hasher hasher;
    tamis_filter *f = NULL;
    TMS_TRY(rb_check_host(place->host));
    uint64_t seed = kind == &tms_rb_bloom_kind ? TMS_RB_BLOOM_SEED : 0;
    TMS_TRY(tms_hasher_init(&hasher, TAMIS_HASH_MURMUR64A, seed, NULL));
    const tms_family family = {.hasher = &hasher, .alloc = place->host ? &of_host : place->alloc};
    TMS_TRY(tms_handle_make(kind, &shape, family, &f));
    kind->attach(f);
    *out = tms_rb_of(f);
    (*out)->host = place->host;
    return TAMIS_OK;
}

/* Room for one more row of the table. */
static tamis_status rb_make_room(tms_rb_chain *c)
{
    if (c->count < c->room) return TAMIS_OK;
    const tms_rb_place place = tms_rb_place_of(c);
    uint32_t room = c->room ? 2 * c->room : 1;
    if (room < c->room) return tms_fail(TAMIS_E_LIMIT, "the filter has 2^31 layers");
    tms_rb_layer *larger = tms_rb_take(&place, room * sizeof *larger);
    if (!larger) return tms_fail_memory("the table of layers", room * sizeof *larger);
    if (c->count) memcpy(larger, c->layers, c->count * sizeof *larger);
    tms_rb_give(&place, c->layers, c->room * sizeof *larger);
    c->layers = larger;
    c->room = room;
    return TAMIS_OK;
}

tamis_status tms_rb_append(tms_rb_chain *c, const tms_rb_layer *layer)
{
    const tms_rb_place place = tms_rb_place_of(c);
    uint64_t bytes;
    if (!tms_add_u64(c->bytes, layer->bytes, &bytes)) bytes = UINT64_MAX;
    TMS_TRY(tms_rb_allows(&place, bytes));
    TMS_TRY(rb_make_room(c));
    uint8_t *array = layer->array ? layer->array : tms_rb_take(&place, layer->bytes);
    if (!array) return tms_fail_memory("a layer", layer->bytes);
    c->layers[c->count] = *layer;
    c->layers[c->count++].array = array;
    c->bytes = bytes;
    return TAMIS_OK;
}

void tms_rb_drop_newest(tms_rb_chain *c)
{
    const tms_rb_place place = tms_rb_place_of(c);
    tms_rb_layer *newest = &c->layers[--c->count];
    c->bytes -= newest->bytes;
    tms_rb_give(&place, newest->array, newest->bytes);
}

/* ---- the whole life ----------------------------------------------------- */

void tms_rb_release(tamis_filter *f)
{
    tms_rb_chain *c = tms_rb_of(f);
    const tms_rb_place place = tms_rb_place_of(c);
    while (c->count) tms_rb_drop_newest(c);
    tms_rb_give(&place, c->layers, c->room * sizeof *c->layers);
    c->layers = NULL;
    c->room = 0;
}

void tms_rb_reset(tamis_filter *f)
{
    tms_rb_chain *c = tms_rb_of(f);
    const tms_rb_place place = tms_rb_place_of(c);
    while (c->count > 1) tms_rb_drop_newest(c);
    tms_rb_layer *first = &c->layers[0];
    uint8_t *fresh = tms_rb_take(&place, first->bytes); /* zeroed lazily, which memset is not */
    if (fresh) {
        tms_rb_give(&place, first->array, first->bytes);
        first->array = fresh;
    } else {
        memset(first->array, 0, (size_t)first->bytes);
    }
    first->items = 0;
    c->deletes = 0;
    c->compaction = (tms_rb_compaction){0};
    c->items = 0;
    if (tms_rb_is_cuckoo(f))
        tms_rb_cuckoo_settle(c);
    else
        tms_rb_bloom_settle(c);
}

static tamis_status rb_copy_layers(const tms_rb_chain *from, tms_rb_chain *to)
{
    for (uint32_t i = 0; i < from->count; i++) {
        tms_rb_layer layer = from->layers[i];
        layer.array = NULL;
        TMS_TRY(tms_rb_append(to, &layer));
        memcpy(to->layers[i].array, from->layers[i].array, (size_t)layer.bytes);
    }
    return TAMIS_OK;
}

tamis_status tms_rb_copy(const tamis_filter *f, tamis_filter *copy)
{
    const tms_rb_chain *from = tms_rb_of(f);
    tms_rb_chain *to = tms_rb_of(copy);
    to->host = from->host;
    to->expansion = from->expansion;
    to->options = from->options;
    to->deletes = from->deletes;
    to->bucket_size = from->bucket_size;
    to->max_iterations = from->max_iterations;
    to->compaction = from->compaction;
    TMS_TRY(rb_copy_layers(from, to));
    to->items = from->items;
    return TAMIS_OK;
}

bool tamis_redisbloom_defrag(tamis_filter *f, uint32_t index,
                             void *(*move)(void *ctx, void *memory, size_t size), void *ctx)
{
    tms_rb_chain *c = tms_rb_of(f);
    if (tms_rb_check_kind(f) != TAMIS_OK || index > c->count) return false;
    if (index == c->count) {
        tms_rb_layer *table = move(ctx, c->layers, c->room * sizeof *c->layers);
        if (table) c->layers = table;
        return false;
    }
    tms_rb_layer *layer = &c->layers[index];
    uint8_t *array = move(ctx, layer->array, (size_t)layer->bytes);
    if (array) layer->array = array;
    return true;
}

/* ---- what it is --------------------------------------------------------- */

tamis_status tms_rb_check_kind(const tamis_filter *f)
{
    if (f->kind == &tms_rb_bloom_kind || f->kind == &tms_rb_cuckoo_kind) return TAMIS_OK;
    return tms_fail(TAMIS_E_UNSUPPORTED, "this is a %s filter; the call is for those of RedisBloom",
                    f->kind->name);
}

/* What the peer's structs take: the chain, and each layer in its table. */
static uint64_t rb_peer_size(const tms_rb_chain *c)
{
    if (tms_rb_is_cuckoo(&c->base)) return 40 + 16 * (uint64_t)c->count + c->bytes;
    return 32 + 64 * (uint64_t)c->count + c->bytes;
}

uint64_t tms_rb_capacity(const tms_rb_chain *c)
{
    uint64_t sum = 0;
    if (tms_rb_is_cuckoo(&c->base)) return c->bytes;
    for (uint32_t i = 0; i < c->count; i++)
        if (!tms_add_u64(sum, c->layers[i].capacity, &sum)) return UINT64_MAX;
    return sum;
}

tamis_status tamis_redisbloom_facts_of(const tamis_filter *f, tamis_redisbloom_facts *facts)
{
    const tms_rb_chain *c = tms_rb_of(f);
    TMS_TRY(tms_rb_check_kind(f));
    bool cuckoo = tms_rb_is_cuckoo(f);
    *facts = (tamis_redisbloom_facts){
        .kind = f->kind->id,
        .filters = c->count,
        .items = c->items,
        .capacity = tms_rb_capacity(c),
        .size = rb_peer_size(c),
        .bytes = c->bytes,
        .expansion = c->expansion,
        .scales = cuckoo ? c->expansion != 0 : !(c->options & TAMIS_REDISBLOOM_NO_SCALING),
        .options = c->options,
        .buckets = cuckoo ? c->layers[0].buckets : 0,
        .deletes = c->deletes,
        .bucket_size = c->bucket_size,
        .max_iterations = c->max_iterations,
        .compaction_pending = c->compaction.pending};
    return TAMIS_OK;
}

tamis_status tamis_redisbloom_layer_of(const tamis_filter *f, uint32_t index,
                                       tamis_redisbloom_layer *layer)
{
    const tms_rb_chain *c = tms_rb_of(f);
    TMS_TRY(tms_rb_check_kind(f));
    if (index >= c->count)
        return tms_fail(TAMIS_E_SPEC, "there is no layer %" PRIu32 "; the filter has %" PRIu32,
                        index, c->count);
    const tms_rb_layer *l = &c->layers[index];
    *layer = (tamis_redisbloom_layer){.bytes = l->bytes,
                                      .bits = l->bits,
                                      .capacity = l->capacity,
                                      .items = l->items,
                                      .error = l->error,
                                      .bits_per_entry = l->bits_per_entry,
                                      .hashes = l->hashes,
                                      .hash_width = c->options & TAMIS_REDISBLOOM_FORCE64 ? 64 : 32,
                                      .n2 = l->n2,
                                      .buckets = tms_rb_is_cuckoo(f) ? l->buckets : 0,
                                      .array = l->array};
    return TAMIS_OK;
}

uint64_t tms_rb_held(const tamis_filter *f)
{
    const tms_rb_chain *c = tms_rb_of(f);
    return c->room * sizeof *c->layers + c->bytes;
}

uint64_t tamis_redisbloom_memory(const tamis_filter *f)
{
    if (tms_rb_check_kind(f) != TAMIS_OK) return 0;
    return sizeof(tms_rb_chain) + tms_rb_held(f);
}

void tms_rb_report(const tamis_filter *f, tamis_facts *facts)
{
    const tms_rb_chain *c = tms_rb_of(f);
    facts->layers = c->count;
    facts->capacity = tms_rb_capacity(c);
    facts->added = c->items;
    facts->fold = 1;
}
