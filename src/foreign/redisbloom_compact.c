/* redisbloom_compact.c - emptying the newer sub-filters of a cuckoo chain into
 * free slots of the older ones, in slices.
 *
 * Sub-filters from the newest down to the second; in each, slots in order; each
 * fingerprint goes to the first free slot of its two buckets in the oldest
 * sub-filter that has one. The bucket where it lies stands for its hash, whose
 * higher bits an older and smaller sub-filter does not need. Stopping between
 * two slots changes nothing of the outcome, as long as nothing else is changed
 * meanwhile.                                                                */
#include "base/fail.h"
#include "foreign/redisbloom_chain.h"

void tms_rb_compact_begin(tms_rb_chain *c, bool goes_on)
{
    c->compaction =
        (tms_rb_compaction){.pending = true, .goes_on = goes_on, .source = c->count - 1};
}

static bool compact_move(const tms_rb_chain *c, uint32_t source, uint64_t bucket, uint8_t print)
{
    for (uint32_t i = 0; i < source; i++) {
        uint8_t *slot = tms_rb_cuckoo_free_slot(c, &c->layers[i], bucket, print);
        if (slot) {
            *slot = print;
            return true;
        }
    }
    return false;
}

/* Moves what lies in slots [slot, end) of the source. */
static void compact_slots(tms_rb_chain *c, uint64_t end)
{
    tms_rb_compaction *state = &c->compaction;
    uint8_t *array = c->layers[state->source].array;
    for (; state->slot < end; state->slot++) {
        uint8_t print = array[state->slot];
        if (print == 0) continue;
        if (compact_move(c, state->source, state->slot / c->bucket_size, print))
            array[state->slot] = 0;
        else
            state->stuck = true;
    }
}

/* After the last slot of a source: drops it, and goes on or ends. */
static void compact_turn(tms_rb_chain *c)
{
    tms_rb_compaction *state = &c->compaction;
    bool emptied = !state->stuck;
    if (emptied && state->source == c->count - 1) {
        tms_rb_drop_newest(c);
        tms_rb_cuckoo_settle(c);
    }
    state->source--;
    state->slot = 0;
    state->stuck = false;
    if (!emptied && !state->goes_on) state->source = 0;
}

void tms_rb_compact_some(tms_rb_chain *c, uint64_t slots)
{
    tms_rb_compaction *state = &c->compaction;
    while (state->pending && slots) {
        if (state->source == 0) { /* the oldest stays */
            state->pending = false;
            c->deletes = 0;
            return;
        }
        uint64_t left = c->layers[state->source].bytes - state->slot;
        uint64_t now = left < slots ? left : slots;
        compact_slots(c, state->slot + now);
        slots -= now;
        if (now == left) compact_turn(c);
    }
}

static tamis_status compact_check(const tamis_filter *f)
{
    if (tms_rb_is_cuckoo(f)) return TAMIS_OK;
    return tms_fail(TAMIS_E_UNSUPPORTED, "a %s filter has nothing to compact", f->kind->name);
}

tamis_status tamis_redisbloom_compact_begin(tamis_filter *f)
{
    TMS_TRY(compact_check(f));
    tms_rb_compact_finish(tms_rb_of(f));
    tms_rb_compact_begin(tms_rb_of(f), true);
    return TAMIS_OK;
}

tamis_status tamis_redisbloom_compact_some(tamis_filter *f, uint64_t slots, bool *pending)
{
    TMS_TRY(compact_check(f));
    tms_rb_compact_some(tms_rb_of(f), slots);
    *pending = tms_rb_of(f)->compaction.pending;
    return TAMIS_OK;
}
