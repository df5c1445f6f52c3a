/* redisbloom_probe.c - Bloom chains at work: hashing, asking, adding.
 *
 * A key has two hashes, a and b, where b is seeded with a; its bit i in a layer
 * of m bits is (a + i b mod 2^64) mod m. So the hashes are made once for all
 * layers, and the modulo is a multiplication by the reciprocal.
 *
 * A run of keys is asked in sweeps: the first four bits of every key, then, of
 * those keys whose four are set, the others. In a filter that is half full
 * fifteen of sixteen absent keys end after the first sweep. In layers too large
 * for the near caches a sweep fetches all its lines before it reads one.    */
#include <string.h>

#include "base/fail.h"
#include "foreign/redisbloom_chain.h"
#include "hash/hash_raw.h"
#include "hash/murmur64a.h"
#include "kernel/tuning.h"

enum {
    PROBE_FIRST = 4,    /* bits of the first sweep */
    PROBE_WIDEST = 64,  /* of a later one */
    PROBE_PLACES = 1152 /* positions kept between fetch and use; enough for one key */
};

typedef struct probe_run {
    size_t count;
    uint64_t a[TMS_RUN], b[TMS_RUN];
} probe_run;

/* Keys of a run by their numbers. */
typedef struct probe_list {
    size_t count;
    uint8_t keys[TMS_RUN];
} probe_list;

/* ---- from keys to places ------------------------------------------------ */

static void probe_hash(const tms_rb_chain *c, const tamis_span *keys, size_t count, probe_run *run)
{
    run->count = count;
    if (c->options & TAMIS_REDISBLOOM_FORCE64) {
        for (size_t i = 0; i < count; i++)
            tms_murmur64a_pair(keys[i].data, keys[i].size, TMS_RB_BLOOM_SEED, &run->a[i],
                               &run->b[i]);
        return;
    }
    for (size_t i = 0; i < count; i++) { /* filters of old servers */
        run->a[i] = tms_murmur2_32(keys[i].data, keys[i].size, UINT32_C(0x9747b28c));
        run->b[i] = tms_murmur2_32(keys[i].data, keys[i].size, (uint32_t)run->a[i]);
    }
}

/* x mod modulus. The product's high half is the quotient or one less. */
static inline uint64_t probe_place(const tms_rb_layer *layer, uint64_t x)
{
    uint64_t rest = x - tms_mulhi(x, layer->inverse) * layer->modulus;
    return rest >= layer->modulus ? rest - layer->modulus : rest;
}

/* The bit at a place is the lowest; others stand above it. */
static inline uint32_t probe_bit(const uint8_t *array, uint64_t place)
{
    return (uint32_t)array[place >> 3] >> (place & 7);
}

/* Four at once: without a loop between them they overlap. */
static inline uint32_t probe_four(const tms_rb_layer *layer, uint64_t x, uint64_t b)
{
    const uint8_t *array = layer->array;
    return probe_bit(array, probe_place(layer, x)) & probe_bit(array, probe_place(layer, x + b)) &
           probe_bit(array, probe_place(layer, x + 2 * b)) &
           probe_bit(array, probe_place(layer, x + 3 * b));
}

/* True when bits [from, to) of a key are set. */
static inline bool probe_bits(const tms_rb_layer *layer, uint64_t a, uint64_t b, uint32_t from,
                              uint32_t to)
{
    uint32_t set = 1;
    uint64_t x = a + from * b;
    for (; to - from >= 4; from += 4, x += 4 * b) set &= probe_four(layer, x, b);
    for (; from < to; from++, x += b) set &= probe_bit(layer->array, probe_place(layer, x));
    return set;
}

static inline uint32_t probe_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static bool probe_layer_has(const tms_rb_layer *layer, uint64_t a, uint64_t b)
{
    uint32_t first = probe_least(PROBE_FIRST, layer->hashes);
    return probe_bits(layer, a, b, 0, first) && probe_bits(layer, a, b, first, layer->hashes);
}

static bool probe_is_far(const tms_rb_layer *layer)
{
    return layer->bytes >= TMS_NO_FETCH_BELOW;
}

/* ---- sweeps ------------------------------------------------------------- */

/* Keeps of `list` the keys whose bits [from, to) are set. */
static void probe_sweep_near(const tms_rb_layer *layer, const probe_run *run, probe_list *list,
                             uint32_t from, uint32_t to)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint8_t key = list->keys[i];
        list->keys[kept] = key;
        kept += probe_bits(layer, run->a[key], run->b[key], from, to);
    }
    list->count = kept;
}

static void probe_fetch(const tms_rb_layer *layer, uint64_t x, uint64_t step, uint32_t width,
                        uint64_t *places)
{
    for (uint32_t i = 0; i < width; i++, x += step) {
        places[i] = probe_place(layer, x);
        TMS_FETCH(layer->array + (places[i] >> 3));
    }
}

static bool probe_are_set(const uint8_t *array, const uint64_t *places, uint32_t width)
{
    uint32_t set = 1;
    for (uint32_t i = 0; i < width; i++) set &= probe_bit(array, places[i]);
    return set;
}

static void probe_sweep_far(const tms_rb_layer *layer, const probe_run *run, probe_list *list,
                            uint32_t from, uint32_t to)
{
    uint64_t places[PROBE_PLACES];
    const uint32_t width = to - from;
    const size_t block = PROBE_PLACES / width;
    size_t kept = 0;
    for (size_t at = 0; at < list->count; at += block) {
        size_t end = list->count - at < block ? list->count : at + block;
        for (size_t i = at; i < end; i++) {
            uint64_t step = run->b[list->keys[i]];
            probe_fetch(layer, run->a[list->keys[i]] + from * step, step, width,
                        places + (i - at) * width);
        }
        for (size_t i = at; i < end; i++) {
            uint8_t key = list->keys[i];
            list->keys[kept] = key;
            kept += probe_are_set(layer->array, places + (i - at) * width, width);
        }
    }
    list->count = kept;
}

/* Keeps of `list` the keys that the layer may hold. */
static void probe_sweep(const tms_rb_layer *layer, const probe_run *run, probe_list *list)
{
    bool far = probe_is_far(layer);
    uint32_t from = 0, to = probe_least(PROBE_FIRST, layer->hashes);
    while (from < layer->hashes && list->count) {
        if (far)
            probe_sweep_far(layer, run, list, from, to);
        else
            probe_sweep_near(layer, run, list, from, to);
        from = to;
        to = probe_least(from + PROBE_WIDEST, layer->hashes);
    }
}

/* Marks the keys [from, from + count) of a run that some layer below `layers`
 * may hold; newest first. Returns how many. */
static size_t probe_ask(const tms_rb_chain *c, uint32_t layers, const probe_run *run, size_t from,
                        size_t count, bool *answers)
{
    probe_list open, found;
    size_t hits = 0;
    open.count = count;
    for (size_t i = 0; i < count; i++) open.keys[i] = (uint8_t)(from + i);
    memset(answers + from, 0, count * sizeof *answers);
    while (layers-- > 0 && open.count) {
        memcpy(found.keys, open.keys, open.count);
        found.count = open.count;
        probe_sweep(&c->layers[layers], run, &found);
        if (found.count == 0) continue;
        for (size_t i = 0; i < found.count; i++) answers[found.keys[i]] = true;
        hits += found.count;
        size_t left = 0;
        for (size_t i = 0; i < open.count; i++) {
            open.keys[left] = open.keys[i];
            left += !answers[open.keys[i]];
        }
        open.count = left;
    }
    return hits;
}

static bool probe_ask_one(const tms_rb_chain *c, tamis_span key)
{
    probe_run run;
    probe_hash(c, &key, 1, &run);
    for (uint32_t i = c->count; i-- > 0;)
        if (probe_layer_has(&c->layers[i], run.a[0], run.b[0])) return true;
    return false;
}

size_t tms_rb_bloom_ask(const tamis_filter *f, const tamis_span *keys, size_t count, bool *answers)
{
    const tms_rb_chain *c = tms_rb_of(f);
    probe_run run;
    if (count == 1) return answers[0] = probe_ask_one(c, keys[0]);
    probe_hash(c, keys, count, &run);
    return probe_ask(c, c->count, &run, 0, count, answers);
}

/* ---- adding ------------------------------------------------------------- */

/* A stretch of a run, none of which makes the chain grow but perhaps the last. */
typedef struct probe_stretch {
    tms_rb_chain *chain;
    const probe_run *run;
    size_t from, end; /* keys of the run */
    bool *was_new;    /* of the run; says "in an older layer" before a key is worked */
} probe_stretch;

static void probe_places(const tms_rb_layer *layer, const probe_run *run, size_t key,
                         uint64_t *places)
{
    uint64_t x = run->a[key];
    for (uint32_t i = 0; i < layer->hashes; i++, x += run->b[key])
        places[i] = probe_place(layer, x);
}

static void probe_set(tms_rb_chain *c, const uint64_t *places)
{
    tms_rb_layer *newest = &c->layers[c->count - 1];
    for (uint32_t i = 0; i < newest->hashes; i++)
        newest->array[places[i] >> 3] |= (uint8_t)(1u << (places[i] & 7));
    newest->items++;
    c->items++;
}

/* Adds a key to a layer that is made for it. */
static tamis_status probe_grow_for(const probe_stretch *s, size_t key)
{
    uint64_t places[PROBE_PLACES];
    TMS_TRY(tms_rb_bloom_grow(s->chain));
    probe_places(&s->chain->layers[s->chain->count - 1], s->run, key, places);
    probe_set(s->chain, places);
    return TAMIS_OK;
}

/* Works a block of keys whose places fit; stops after growth. */
static tamis_status probe_add_block(const probe_stretch *s, size_t at, size_t end, size_t *done,
                                    bool *grew)
{
    uint64_t places[PROBE_PLACES];
    const tms_rb_layer *newest = &s->chain->layers[s->chain->count - 1];
    const uint32_t width = newest->hashes;
    bool far = probe_is_far(newest);
    for (size_t i = at; i < end; i++) {
        uint64_t *mine = places + (i - at) * width;
        if (far)
            probe_fetch(newest, s->run->a[i], s->run->b[i], width, mine);
        else
            probe_places(newest, s->run, i, mine);
    }
    for (size_t i = at; i < end && !*grew; i++) {
        const uint64_t *mine = places + (i - at) * width;
        bool known = s->was_new[i] || probe_are_set(newest->array, mine, width);
        *grew = !known && newest->items >= newest->capacity;
        if (*grew)
            TMS_TRY(probe_grow_for(s, i));
        else if (!known)
            probe_set(s->chain, mine);
        s->was_new[i] = !known;
        *done = i + 1;
    }
    return TAMIS_OK;
}

static tamis_status probe_add_stretch(const probe_stretch *s, size_t *done)
{
    const tms_rb_chain *c = s->chain;
    const size_t block = PROBE_PLACES / c->layers[c->count - 1].hashes;
    bool grew = false;
    (void)probe_ask(c, c->count - 1, s->run, s->from, s->end - s->from, s->was_new);
    for (size_t at = s->from; at < s->end && !grew; at += block)
        TMS_TRY(probe_add_block(s, at, s->end - at < block ? s->end : at + block, done, &grew));
    return TAMIS_OK;
}

/* Keys that the newest layer takes for certain, and one that may make it grow. */
static size_t probe_stretch_room(const tms_rb_chain *c)
{
    const tms_rb_layer *newest = &c->layers[c->count - 1];
    uint64_t room = newest->capacity > newest->items ? newest->capacity - newest->items : 0;
    return room < TMS_RUN ? (size_t)room + 1 : TMS_RUN;
}

tamis_status tms_rb_bloom_add(tamis_filter *f, const tamis_span *keys, size_t count, bool *was_new,
                              size_t *added)
{
    tms_rb_chain *c = tms_rb_of(f);
    probe_run run;
    probe_hash(c, keys, count, &run);
    *added = 0;
    while (*added < count) {
        size_t room = probe_stretch_room(c), left = count - *added;
        const probe_stretch s = {c, &run, *added, *added + (left < room ? left : room), was_new};
        TMS_TRY(probe_add_stretch(&s, added));
    }
    return TAMIS_OK;
}
