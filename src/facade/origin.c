/* origin.c - see origin.h.                                                  */
#include "facade/origin.h"

#include <stdatomic.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/memory.h"
#include "format/chunks.h"

static void origin_drop(tms_origin *origin, const tamis_alloc *alloc)
{
    if (origin->map.bytes) tms_map_close(&origin->map);
    tms_free(alloc, origin->states, (size_t)origin->envelope.chunk_count);
    tms_free(alloc, origin, sizeof *origin);
}

tamis_status tms_origin_make(tamis_filter *f)
{
    f->origin = tms_alloc(&f->alloc, sizeof *f->origin);
    if (!f->origin) return tms_fail_memory("the filter's origin", sizeof *f->origin);
    f->drop_origin = origin_drop;
    return TAMIS_OK;
}

tamis_status tms_origin_writable(const tamis_filter *f)
{
    if (f->is_child)
        return tms_fail(TAMIS_E_READONLY, "a layer belongs to its filter; change that one");
    if (f->read_only)
        return tms_fail(TAMIS_E_READONLY, "views, maps and filters with lost parts are read-only; "
                                          "tamis_clone gives a writable copy");
    return TAMIS_OK;
}

void tms_origin_allow_changes(tamis_filter *f)
{
    f->read_only = false;
}

/* ---- watching ----------------------------------------------------------- */

static uint8_t origin_state(const tms_origin *o, uint64_t chunk)
{
    return o->states ? atomic_load_explicit(&o->states[chunk], memory_order_relaxed)
                     : TMS_CHUNK_UNKNOWN;
}

static void origin_set_state(const tms_origin *o, uint64_t chunk, tms_chunk_state state)
{
    atomic_store_explicit(&o->states[chunk], (uint8_t)state, memory_order_relaxed);
}

/* What was amended was sound, and no longer matches its checksum. */
static bool origin_is_sound(const tms_origin *o, uint64_t chunk)
{
    return origin_state(o, chunk) == TMS_CHUNK_AMENDED ||
           tms_chunk_is_sound(&o->envelope, o->trailer, o->area, chunk);
}

static bool origin_is_damaged(const tms_origin *o, uint64_t chunk)
{
    if (origin_state(o, chunk) == TMS_CHUNK_UNKNOWN)
        origin_set_state(o, chunk, origin_is_sound(o, chunk) ? TMS_CHUNK_SOUND : TMS_CHUNK_DAMAGED);
    return origin_state(o, chunk) == TMS_CHUNK_DAMAGED;
}

static uint64_t origin_chunk_of(const tms_origin *o, const uint8_t *address)
{
    return (uint64_t)(address - o->area) / o->envelope.chunk_bytes;
}

static bool origin_is_lost(void *ctx, const uint8_t *address)
{
    const tms_origin *o = ctx;
    return origin_is_damaged(o, origin_chunk_of(o, address));
}

static bool origin_may_contain(const tamis_filter *f, uint64_t digest)
{
    return f->kind->may_contain_around(f, digest, origin_is_lost, f->origin);
}

static size_t origin_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    size_t hits = 0;
    for (size_t i = 0; i < run->count; i++) {
        answers[i] = origin_may_contain(f, run->now[i]);
        hits += answers[i];
    }
    return hits;
}

typedef struct origin_look {
    const tms_origin *origin;
    bool lost;
} origin_look;

static bool origin_look_at(void *ctx, const uint8_t *address)
{
    origin_look *look = ctx;
    bool lost = origin_is_damaged(look->origin, origin_chunk_of(look->origin, address));
    look->lost |= lost;
    return lost;
}

/* Where a part is lost nobody knows how often: the largest number is at least
 * the truth. */
static uint64_t origin_count(const tamis_filter *f, uint64_t digest)
{
    origin_look look = {.origin = f->origin};
    if (!f->kind->may_contain_around(f, digest, origin_look_at, &look)) return 0;
    if (!f->origin->ops->count) return 1;
    return look.lost ? UINT64_MAX : f->origin->ops->count(f, digest);
}

static tamis_status origin_remove(tamis_filter *f, uint64_t digest)
{
    (void)digest;
    return tms_origin_writable(f);
}

static tamis_status origin_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    (void)digest;
    (void)was_new;
    return tms_origin_writable(f);
}

static tamis_status origin_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                    size_t *added)
{
    (void)run;
    (void)was_new;
    *added = 0;
    return tms_origin_writable(f);
}

static const tms_ops origin_ops = {.may_contain = origin_may_contain,
                                   .add = origin_add,
                                   .may_contain_many = origin_may_contain_many,
                                   .add_many = origin_add_many,
                                   .remove = origin_remove,
                                   .count = origin_count};

/* The same for schemes that need the key. */
static size_t origin_may_contain_keys(const tamis_filter *f, const tamis_span *keys, size_t count,
                                      bool *answers)
{
    const tms_origin *o = f->origin;
    size_t hits = 0;
    for (size_t i = 0; i < count; i++) {
        answers[i] = o->ops->may_contain_key_around(f, keys[i], origin_is_lost, f->origin);
        hits += answers[i];
    }
    return hits;
}

static tamis_status origin_add_keys(tamis_filter *f, const tamis_span *keys, size_t count,
                                    bool *was_new, size_t *added)
{
    (void)keys;
    (void)count;
    (void)was_new;
    *added = 0;
    return tms_origin_writable(f);
}

/* Of a digest such a scheme can tell nothing, and reads nothing to say so. */
static bool origin_may_contain_unread(const tamis_filter *f, uint64_t digest)
{
    return f->origin->ops->may_contain(f, digest);
}

static size_t origin_may_contain_many_unread(const tamis_filter *f, const tms_run *run,
                                             bool *answers)
{
    return f->origin->ops->may_contain_many(f, run, answers);
}

static const tms_ops origin_key_ops = {.may_contain = origin_may_contain_unread,
                                       .add = origin_add,
                                       .may_contain_many = origin_may_contain_many_unread,
                                       .add_many = origin_add_many,
                                       .may_contain_keys = origin_may_contain_keys,
                                       .add_keys = origin_add_keys};

static tamis_status origin_make_states(tamis_filter *f)
{
    tms_origin *o = f->origin;
    if (o->states) return TAMIS_OK;
    size_t chunks = (size_t)o->envelope.chunk_count;
    o->states = tms_alloc(&f->alloc, chunks);
    return o->states ? TAMIS_OK : tms_fail_memory("the states of the chunks", chunks);
}

tamis_status tms_origin_watch(tamis_filter *f)
{
    tms_origin *o = f->origin;
    if (o->ops) return TAMIS_OK;
    TMS_TRY(origin_make_states(f));
    o->ops = f->ops;
    f->ops = o->ops->may_contain_keys ? &origin_key_ops : &origin_ops;
    f->read_only = true;
    return TAMIS_OK;
}

/* ---- amending ----------------------------------------------------------- */

typedef struct origin_amendment {
    const tms_origin *origin;
    tamis_status status;
} origin_amendment;

static bool origin_amend_chunk(void *ctx, const uint8_t *address)
{
    origin_amendment *amendment = ctx;
    const tms_origin *o = amendment->origin;
    uint64_t chunk = origin_chunk_of(o, address);
    if (origin_is_damaged(o, chunk)) amendment->status = tms_chunk_fail(&o->envelope, chunk);
    return true;
}

/* What is damaged stays so: it reads as ones, whatever is set in it. */
static bool origin_mark_amended(void *ctx, const uint8_t *address)
{
    const tms_origin *o = ctx;
    uint64_t chunk = origin_chunk_of(o, address);
    if (!origin_is_damaged(o, chunk)) origin_set_state(o, chunk, TMS_CHUNK_AMENDED);
    return true;
}

tamis_status tms_origin_amend(tamis_filter *f, uint64_t digest)
{
    origin_amendment amendment = {.origin = f->origin};
    TMS_TRY(origin_make_states(f));
    (void)f->kind->may_contain_around(f, digest, origin_amend_chunk, &amendment);
    if (!f->origin->ops) TMS_TRY(amendment.status); /* a watched filter bears damage */
    (void)f->kind->may_contain_around(f, digest, origin_mark_amended, f->origin);
    return TAMIS_OK;
}

static bool origin_lose_chunk(void *ctx, const uint8_t *address)
{
    const tms_origin *o = ctx;
    origin_set_state(o, origin_chunk_of(o, address), TMS_CHUNK_DAMAGED);
    return true;
}

void tms_origin_forget(tamis_filter *f)
{
    tms_origin *o = f->origin;
    if (!o || o->trailer || !o->ops) return;
    f->ops = o->ops;
    f->read_only = false;
    f->origin = NULL;
    origin_drop(o, &f->alloc);
}

void tms_origin_lose(tamis_filter *f, uint64_t digest)
{
    (void)f->kind->may_contain_around(f, digest, origin_lose_chunk, f->origin);
}

/* ---- verifying ---------------------------------------------------------- */

static void origin_note(const tms_origin *o, uint64_t chunk, tamis_damage *damage)
{
    if (damage->damaged++ == 0) damage->first_offset = chunk * o->envelope.chunk_bytes;
    damage->damaged_bytes += tms_chunk_size(&o->envelope, chunk);
}

tamis_status tms_origin_verify(const tms_origin *o, tamis_damage *damage)
{
    tamis_damage found = {.chunks = o->envelope.chunk_count,
                          .chunk_bytes = o->envelope.chunk_bytes};
    uint64_t first = 0;
    for (uint64_t i = 0; i < found.chunks; i++) {
        bool sound = origin_is_sound(o, i);
        if (o->states && origin_state(o, i) != TMS_CHUNK_AMENDED)
            origin_set_state(o, i, sound ? TMS_CHUNK_SOUND : TMS_CHUNK_DAMAGED);
        if (sound) continue;
        if (found.damaged == 0) first = i;
        origin_note(o, i, &found);
    }
    if (damage) *damage = found;
    if (found.damaged) return tms_chunk_fail(&o->envelope, first);
    return o->table_sum == tms_trailer_sum(&o->envelope, o->trailer)
               ? TAMIS_OK
               : tms_trailer_fail(&o->envelope);
}

uint64_t tms_origin_damaged_bytes(const tamis_filter *f)
{
    uint64_t bytes = f->damaged_bytes;
    const tms_origin *o = f->origin;
    for (uint64_t i = 0; o && o->states && i < o->envelope.chunk_count; i++)
        if (atomic_load_explicit(&o->states[i], memory_order_relaxed) == TMS_CHUNK_DAMAGED)
            bytes += tms_chunk_size(&o->envelope, i);
    return bytes;
}

tamis_status tamis_verify(const tamis_filter *f, tamis_damage *damage)
{
    if (damage) memset(damage, 0, sizeof *damage);
    if (!f->origin || !f->origin->trailer) return TAMIS_OK;
    return tms_origin_verify(f->origin, damage);
}

/* ---- giving up ---------------------------------------------------------- */

/* A map of the damage in the filter's own body, for kinds in which no bytes
 * read as "maybe". */
static tamis_status origin_mark(tamis_filter *f, uint64_t offset, uint64_t size)
{
    if (!f->origin) {
        TMS_TRY(tms_origin_make(f));
        tms_envelope *e = &f->origin->envelope;
        e->chunk_bytes = TMS_LINE; /* the body of a layer may begin inside a chunk */
        e->body_bytes = f->shape.body_bytes;
        e->chunk_count = tms_div_up(e->body_bytes, e->chunk_bytes);
        f->origin->area = f->body;
        TMS_TRY(tms_origin_watch(f));
        memset(f->origin->states, TMS_CHUNK_SOUND, (size_t)e->chunk_count);
    }
    uint64_t chunk = f->origin->envelope.chunk_bytes;
    for (uint64_t i = offset / chunk; i * chunk < offset + size; i++)
        atomic_store_explicit(&f->origin->states[i], TMS_CHUNK_DAMAGED, memory_order_relaxed);
    return TAMIS_OK;
}

tamis_status tms_origin_give_up(tamis_filter *f, uint64_t offset, uint64_t size)
{
    if (size == 0) return TAMIS_OK; /* nor need there be a body */
    if (f->damage_rule == TMS_DAMAGE_IS_FATAL)
        return tms_fail(TAMIS_E_CORRUPT,
                        "%llu bytes of the body are lost, and from what is left of a %s nothing "
                        "can be told; rebuild it",
                        (unsigned long long)size, f->kind->name);
    if (f->damage_rule == TMS_DAMAGE_ANSWERS_MAYBE) return origin_mark(f, offset, size);
    memset(f->body + offset, f->damage_rule == TMS_DAMAGE_READS_AS_ONES ? 0xff : 0, (size_t)size);
    f->damaged_bytes += size;
    return TAMIS_OK;
}

/* The part of one damaged chunk that lies in the body of `node`. */
static tamis_status origin_carry_chunk(const tms_origin *o, uint64_t chunk,
                                       const tamis_filter *node, tamis_filter *copy)
{
    const uint8_t *from = o->area + chunk * o->envelope.chunk_bytes;
    const uint8_t *to = from + tms_chunk_size(&o->envelope, chunk);
    const uint8_t *body = node->body, *end = node->body + node->shape.body_bytes;
    if (from < body) from = body;
    if (to > end) to = end;
    if (from >= to) return TAMIS_OK;
    return tms_origin_give_up(copy, (uint64_t)(from - body), (uint64_t)(to - from));
}

static tamis_status origin_carry_to(const tms_origin *o, uint64_t chunk, const tamis_filter *f,
                                    tamis_filter *copy)
{
    if (!f->kind->child_count) return origin_carry_chunk(o, chunk, f, copy);
    for (uint32_t i = 0; i < f->kind->child_count(f); i++)
        TMS_TRY(origin_carry_to(o, chunk, f->kind->child(f, i), copy->kind->child(copy, i)));
    return TAMIS_OK;
}

tamis_status tms_origin_settle(const tamis_filter *f, tamis_filter **copy)
{
    const tms_origin *o = f->origin;
    *copy = NULL;
    if (!o || (!o->trailer && !o->states)) return TAMIS_OK;
    tamis_status status = o->trailer ? tms_origin_verify(o, NULL) : TAMIS_OK;
    if (status != TAMIS_OK && !o->ops) return status;
    return tms_origin_damaged_bytes(f) ? tamis_clone(f, copy) : TAMIS_OK;
}

tamis_status tms_origin_carry_damage(const tamis_filter *f, tamis_filter *copy)
{
    const tms_origin *o = f->origin;
    for (uint64_t i = 0; o && o->states && i < o->envelope.chunk_count; i++)
        if (origin_is_damaged(o, i)) TMS_TRY(origin_carry_to(o, i, f, copy));
    for (uint32_t i = 0; i < tms_child_count(f);
         i++) /* layers may have their own notes of damage */
        TMS_TRY(tms_origin_carry_damage(f->kind->child(f, i), copy->kind->child(copy, i)));
    return TAMIS_OK;
}
