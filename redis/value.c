/* value.c - the life of a key's value, and the metrics over all of them.    */
#include "value.h"

#include <stdatomic.h>

/* ---- metrics ------------------------------------------------------------- */

/* Unsigned sums wrap, so a difference may be added as it is. */
static struct {
    atomic_uint_fast64_t objects, items, bytes, layers, quarantined;
} totals;

static void total_add(atomic_uint_fast64_t *total, uint64_t change)
{
    if (change) atomic_fetch_add_explicit(total, change, memory_order_relaxed);
}

static uint64_t total_of(atomic_uint_fast64_t *total)
{
    return atomic_load_explicit(total, memory_order_relaxed);
}

metrics value_metrics(void)
{
    return (metrics){total_of(&totals.objects), total_of(&totals.items), total_of(&totals.bytes),
                     total_of(&totals.layers), total_of(&totals.quarantined)};
}

static void value_count(key_value *v, uint64_t items, uint64_t bytes, uint32_t layers)
{
    total_add(&totals.items, items - v->items);
    total_add(&totals.bytes, bytes - v->bytes);
    total_add(&totals.layers, (uint64_t)layers - v->layers);
    v->items = items;
    v->bytes = bytes;
    v->layers = layers;
}

void value_recount(key_value *v, int64_t change, bool grown)
{
    tamis_redisbloom_facts facts;
    if (grown && tamis_redisbloom_facts_of(v->filter, &facts) == TAMIS_OK)
        value_count(v, facts.items, facts.size, facts.filters);
    else
        value_count(v, v->items + (uint64_t)change, v->bytes, v->layers);
}

/* ---- life ---------------------------------------------------------------- */

key_value *value_make(family *f, tamis_filter *filter, tamis_redisbloom_quarantine *kept)
{
    key_value *v = server.Calloc(1, sizeof *v);
    v->family = f;
    v->filter = filter;
    v->kept = kept;
    total_add(&totals.objects, 1);
    if (filter)
        value_recount(v, 0, true);
    else
        value_count(v, 0, tamis_redisbloom_quarantine_memory(kept), 0);
    if (kept) total_add(&totals.quarantined, 1);
    return v;
}

void value_free(void *data)
{
    key_value *v = data;
    value_count(v, 0, 0, 0);
    total_add(&totals.objects, (uint64_t)-1);
    if (v->kept) total_add(&totals.quarantined, (uint64_t)-1);
    if (v->filter) tamis_free(v->filter);
    if (v->kept) tamis_redisbloom_quarantine_free(v->kept);
    server.Free(v);
}

void value_settle(key_value *v)
{
    tamis_redisbloom_facts facts;
    bool pending;
    if (!v->filter || v->family->kind != TAMIS_KIND_REDISBLOOM_CUCKOO) return;
    if (tamis_redisbloom_facts_of(v->filter, &facts) != TAMIS_OK) return;
    if (!facts.compaction_pending) return;
    (void)tamis_redisbloom_compact_some(v->filter, UINT64_MAX, &pending);
    value_recount(v, 0, true);
}
