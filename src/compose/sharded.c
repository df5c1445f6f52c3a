/* sharded.c - S independent filters of any kind, each with the keys of one
 * stretch of digests.
 *
 * The shard of a digest h is the high half of h * S. Inside the shard a kind
 * whose places ascend with the digest (attach_shard) takes the place from the
 * low half of h * S and its pattern from h: then the shards, one after another,
 * are bit for bit the one filter that has all keys, and dividing it is cutting
 * it up. Other kinds are given another mix of h, since within a shard the high
 * bits of h are all the same.
 *
 * A filter may have some shards only: it says "no" to keys of the others, and
 * refuses to take them. Single writer or concurrent as its parts; a parallel
 * build gives every thread shards of its own.
 *
 * params: [0] inner kind  [1] shards of the whole  [2] the first one here    */
#include "compose/sharded.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "compose/parts.h"
#include "kernel/tuning.h"

enum { SHARDED_INNER, SHARDED_SHARDS, SHARDED_FIRST, SHARDED_PARAMS };

/* Runs are sorted by shard up to so many; above, most of a run's shards have
 * one key, and it is worked key by key. */
enum { SHARDED_SORTED_MOST = 64 };

/* Scaling filters may become 64 layers, and a file has 4096 nodes. */
enum { SHARDED_COMPOSED_MOST = 32 };

static const uint32_t sharded_usual = 16;

typedef struct sharded_filter {
    tamis_filter base;
    tms_shards range;
    bool sliced; /* the shards are stretches of one filter */
    bool sorted; /* runs may be taken shard by shard: adding never fails */
    tamis_filter *shards[TMS_SHARDS_MOST];
} sharded_filter;

static sharded_filter *sharded_of(const tamis_filter *f)
{
    return (sharded_filter *)(uintptr_t)f;
}

tms_shards tms_sharded_range(const tamis_filter *f)
{
    return sharded_of(f)->range;
}

bool tms_sharded_is_sliced(const tamis_filter *f)
{
    return sharded_of(f)->sliced;
}

/* ---- parameters --------------------------------------------------------- */

void tms_sharded_shape(const tms_shape *part, tms_shards range, uint64_t capacity, tms_shape *out)
{
    *out = (tms_shape){.kind = TAMIS_KIND_SHARDED,
                       .flags = part->flags,
                       .capacity = capacity,
                       .fpr = part->fpr,
                       .param_count = SHARDED_PARAMS,
                       .params = {part->kind, range.shards, range.first}};
}

static tamis_status sharded_plan(const tamis_spec *spec, tms_shape *shape)
{
    const uint32_t shards = spec->parts ? spec->parts : sharded_usual;
    const uint32_t most =
        spec->inner >= TAMIS_KIND_SCALABLE ? SHARDED_COMPOSED_MOST : TMS_SHARDS_MOST;
    const tms_shape part = {.kind = spec->inner, .flags = spec->flags, .fpr = spec->fpr};
    if (spec->inner != TAMIS_KIND_SCALABLE) TMS_TRY(tms_parts_check_fixed("sharded", spec));
    if (shards > most) return tms_fail(TAMIS_E_SPEC, "%u shards are outside 1 to %u", shards, most);
    tms_sharded_shape(&part, (tms_shards){.shards = shards}, spec->capacity, shape);
    return TAMIS_OK;
}

static tamis_status sharded_check(tms_shape *shape)
{
    const uint64_t *p = shape->params;
    if (shape->param_count != SHARDED_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a sharded filter has %d parameters, not %u",
                        SHARDED_PARAMS, shape->param_count);
    if (p[SHARDED_SHARDS] < 1 || p[SHARDED_SHARDS] > TMS_SHARDS_MOST ||
        p[SHARDED_FIRST] >= p[SHARDED_SHARDS])
        return tms_fail(TAMIS_E_CORRUPT,
                        "shard %" PRIu64 " of %" PRIu64 " is outside 1 to %d shards",
                        p[SHARDED_FIRST], p[SHARDED_SHARDS], TMS_SHARDS_MOST);
    shape->body_bytes = 0;
    return TAMIS_OK;
}

static void sharded_describe(const tms_shape *shape, tamis_sizing *out)
{
    (void)shape;
    out->fold = 1;
}

/* ---- one key ------------------------------------------------------------ */

/* Where the shard of a digest is here; at or past range.count: elsewhere. */
static uint32_t sharded_index(const sharded_filter *s, uint64_t digest)
{
    return tms_shard_of(digest, s->range.shards) - s->range.first;
}

/* What the shard is given. */
static uint64_t sharded_digest(const sharded_filter *s, uint64_t digest)
{
    return s->sliced ? digest : (digest ^ (digest >> 32)) * UINT64_C(0xD6E8FEB86659FD93);
}

static tamis_status sharded_fail_foreign(const sharded_filter *s, uint64_t digest)
{
    return tms_fail(
        TAMIS_E_MISMATCH, "the key belongs to shard %u of %u, and this filter has %u from %u on",
        tms_shard_of(digest, s->range.shards), s->range.shards, s->range.count, s->range.first);
}

static bool sharded_may_contain(const tamis_filter *f, uint64_t digest)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t index = sharded_index(s, digest);
    if (index >= s->range.count) return false;
    const tamis_filter *shard = s->shards[index];
    return shard->ops->may_contain(shard, sharded_digest(s, digest));
}

static tamis_status sharded_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t index = sharded_index(s, digest);
    if (index >= s->range.count) return sharded_fail_foreign(s, digest);
    tamis_filter *shard = s->shards[index];
    TMS_TRY(shard->ops->add(shard, sharded_digest(s, digest), was_new));
    if (!(shard->kind->abilities & TAMIS_CAN_GROW)) tms_filter_count(shard, 1);
    return TAMIS_OK;
}

static tamis_status sharded_remove(tamis_filter *f, uint64_t digest)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t index = sharded_index(s, digest);
    if (index >= s->range.count) return TAMIS_E_ABSENT;
    tamis_filter *shard = s->shards[index];
    TMS_TRY(shard->ops->remove(shard, sharded_digest(s, digest)));
    if (!(shard->kind->abilities & TAMIS_CAN_GROW)) tms_filter_count(shard, UINT64_MAX);
    return TAMIS_OK;
}

static uint64_t sharded_count(const tamis_filter *f, uint64_t digest)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t index = sharded_index(s, digest);
    if (index >= s->range.count) return 0;
    const tamis_filter *shard = s->shards[index];
    uint64_t given = sharded_digest(s, digest);
    return shard->ops->count ? shard->ops->count(shard, given)
                             : shard->ops->may_contain(shard, given);
}

/* ---- runs --------------------------------------------------------------- */

/* The digests of a run by shard; those of other filters' shards come last. */
typedef struct sharded_sorting {
    uint64_t digests[TMS_RUN];
    uint8_t keys[TMS_RUN]; /* their places in the run */
    uint8_t starts[SHARDED_SORTED_MOST + 2];
} sharded_sorting;

static void sharded_sort(const sharded_filter *s, const uint64_t *digests, size_t count,
                         sharded_sorting *out)
{
    uint8_t of[TMS_RUN], next[SHARDED_SORTED_MOST + 2] = {0};
    const uint32_t groups = s->range.count;
    for (size_t i = 0; i < count; i++) {
        uint32_t index = sharded_index(s, digests[i]);
        of[i] = (uint8_t)(index < groups ? index : groups);
        next[of[i] + 1]++;
    }
    for (uint32_t g = 0; g <= groups; g++) next[g + 1] = (uint8_t)(next[g + 1] + next[g]);
    memcpy(out->starts, next, groups + 2);
    for (size_t i = 0; i < count; i++) {
        uint8_t at = next[of[i]]++;
        out->digests[at] = sharded_digest(s, digests[i]);
        out->keys[at] = (uint8_t)i;
    }
}

/* The run of one shard. */
static tms_run sharded_run(const sharded_sorting *now, const sharded_sorting *ahead, uint32_t group)
{
    return (tms_run){.now = now->digests + now->starts[group],
                     .count = (size_t)(now->starts[group + 1] - now->starts[group]),
                     .ahead = ahead->digests + ahead->starts[group],
                     .ahead_count = (size_t)(ahead->starts[group + 1] - ahead->starts[group])};
}

/* Fetches key by key. */
static void sharded_fetch(const sharded_filter *s, const tms_run *run)
{
    for (size_t i = 0; i < run->ahead_count; i++) {
        uint32_t index = sharded_index(s, run->ahead[i]);
        uint64_t given = sharded_digest(s, run->ahead[i]);
        const tms_run one = {.ahead = &given, .ahead_count = 1};
        if (index < s->range.count)
            s->shards[index]->ops->may_contain_many(s->shards[index], &one, &(bool){0});
    }
}

static size_t sharded_ask_singly(const tamis_filter *f, const tms_run *run, bool *answers)
{
    size_t hits = 0;
    sharded_fetch(sharded_of(f), run);
    for (size_t i = 0; i < run->count; i++) {
        answers[i] = sharded_may_contain(f, run->now[i]);
        hits += answers[i];
    }
    return hits;
}

static size_t sharded_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    const sharded_filter *s = sharded_of(f);
    sharded_sorting now, ahead;
    size_t hits = 0;
    if (s->range.count > SHARDED_SORTED_MOST) return sharded_ask_singly(f, run, answers);
    sharded_sort(s, run->now, run->count, &now);
    sharded_sort(s, run->ahead, run->ahead_count, &ahead);
    memset(answers, 0, run->count * sizeof *answers);
    for (uint32_t g = 0; g < s->range.count; g++) {
        bool here[TMS_RUN];
        const tms_run one = sharded_run(&now, &ahead, g);
        if (one.count + one.ahead_count == 0) continue;
        hits += s->shards[g]->ops->may_contain_many(s->shards[g], &one, here);
        for (size_t i = 0; i < one.count; i++) answers[now.keys[now.starts[g] + i]] = here[i];
    }
    return hits;
}

static tamis_status sharded_add_singly(tamis_filter *f, const tms_run *run, bool *was_new,
                                       size_t *added)
{
    bool fresh;
    sharded_fetch(sharded_of(f), run);
    for (*added = 0; *added < run->count; ++*added) {
        TMS_TRY(sharded_add(f, run->now[*added], &fresh));
        if (was_new) was_new[*added] = fresh;
    }
    return TAMIS_OK;
}

static tamis_status sharded_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                     size_t *added)
{
    const sharded_filter *s = sharded_of(f);
    sharded_sorting now, ahead;
    if (!s->sorted) return sharded_add_singly(f, run, was_new, added);
    sharded_sort(s, run->now, run->count, &now);
    sharded_sort(s, run->ahead, run->ahead_count, &ahead);
    for (uint32_t g = 0; g < s->range.count; g++) {
        bool news[TMS_RUN];
        size_t taken;
        const tms_run one = sharded_run(&now, &ahead, g);
        if (one.count + one.ahead_count == 0) continue;
        TMS_TRY(s->shards[g]->ops->add_many(s->shards[g], &one, was_new ? news : NULL, &taken));
        tms_filter_count(s->shards[g], taken);
        for (size_t i = 0; was_new && i < one.count; i++)
            was_new[now.keys[now.starts[g] + i]] = news[i];
    }
    *added = run->count;
    return TAMIS_OK;
}

static const tms_ops sharded_ops = {.may_contain = sharded_may_contain,
                                    .add = sharded_add,
                                    .may_contain_many = sharded_may_contain_many,
                                    .add_many = sharded_add_many};

static const tms_ops sharded_removing = {.may_contain = sharded_may_contain,
                                         .add = sharded_add,
                                         .may_contain_many = sharded_may_contain_many,
                                         .add_many = sharded_add_many,
                                         .remove = sharded_remove,
                                         .count = sharded_count};

/* ---- one slice of a parallel build -------------------------------------- */

/* Shards that a thread fills in one pass over the digests. */
enum { SHARDED_AT_ONCE = 16 };

typedef struct sharded_buckets {
    const sharded_filter *filter;
    uint32_t first, count;
    size_t held[SHARDED_AT_ONCE];
    uint64_t digests[SHARDED_AT_ONCE][TMS_RUN];
} sharded_buckets;

/* Kinds that are built in slices cannot refuse a key. */
static void sharded_flush(sharded_buckets *b, uint32_t bucket)
{
    tamis_filter *shard = b->filter->shards[b->first + bucket];
    const tms_run run = {
        .now = b->digests[bucket], .count = b->held[bucket], .ahead = b->digests[bucket]};
    size_t taken;
    (void)shard->ops->add_many(shard, &run, NULL, &taken);
    tms_filter_count(shard, taken);
    b->held[bucket] = 0;
}

static void sharded_fill(sharded_buckets *b, const uint64_t *digests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bucket = sharded_index(b->filter, digests[i]) - b->first;
        if (bucket >= b->count) continue;
        b->digests[bucket][b->held[bucket]++] = sharded_digest(b->filter, digests[i]);
        if (b->held[bucket] == TMS_RUN) sharded_flush(b, bucket);
    }
    for (uint32_t bucket = 0; bucket < b->count; bucket++) sharded_flush(b, bucket);
}

static void sharded_add_slice(tamis_filter *f, const uint64_t *digests, size_t count,
                              unsigned slice, unsigned slices)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t from = (uint32_t)((uint64_t)s->range.count * slice / slices);
    uint32_t to = (uint32_t)((uint64_t)s->range.count * (slice + 1) / slices);
    for (; from < to; from += SHARDED_AT_ONCE) {
        sharded_buckets b = {.filter = s, .first = from};
        b.count = to - from < SHARDED_AT_ONCE ? to - from : SHARDED_AT_ONCE;
        sharded_fill(&b, digests, count);
    }
}

/* ---- what the shards say ------------------------------------------------ */

static bool sharded_may_contain_around(const tamis_filter *f, uint64_t digest,
                                       bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const sharded_filter *s = sharded_of(f);
    uint32_t index = sharded_index(s, digest);
    if (index >= s->range.count) return false;
    const tamis_filter *shard = s->shards[index];
    return shard->kind->may_contain_around(shard, sharded_digest(s, digest), lost, ctx);
}

/* A key is looked up in one shard; errors of the counts are independent. */
static void sharded_measure(const tamis_filter *f, tms_measure *out)
{
    const sharded_filter *s = sharded_of(f);
    double below = 0, above = 0, shards = s->range.count;
    *out = (tms_measure){.crowding = 1};
    for (uint32_t i = 0; i < s->range.count; i++) {
        tms_measure one = {0};
        s->shards[i]->kind->measure(s->shards[i], &one);
        out->bits += one.bits;
        out->ones += one.ones;
        out->counters += one.counters;
        out->sticky += one.sticky;
        out->keys += one.keys;
        below += (one.keys - one.keys_low) * (one.keys - one.keys_low);
        above += (one.keys_high - one.keys) * (one.keys_high - one.keys);
        out->rate += one.rate / shards;
        out->missed += one.missed / shards;
        out->crowding = fmin(out->crowding, one.crowding * shards); /* the worst of so many */
    }
    out->keys_low = out->keys - sqrt(below);
    out->keys_high = out->keys + sqrt(above);
}

/* ---- composing ---------------------------------------------------------- */

static uint32_t sharded_abilities(uint32_t inner)
{
    return inner & (TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_INTERSECT | TAMIS_CAN_CONCURRENT |
                    TAMIS_CAN_PARALLEL | TAMIS_CAN_DIGESTS | TAMIS_CAN_GROW | TAMIS_CAN_REMOVE |
                    TAMIS_CAN_COUNT | TAMIS_STAYS_REMOVED);
}

static tamis_status sharded_accepts(const tms_kind *inner)
{
    const uint32_t needs = TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS;
    bool fits = inner->id != TAMIS_KIND_SHARDED && !(needs & ~inner->abilities) &&
                !(inner->abilities & TAMIS_CAN_FORGET);
    if (fits) return TAMIS_OK;
    return tms_fail(TAMIS_E_SPEC,
                    "shards cannot be %s filters: they take digests, forget nothing by themselves "
                    "and are not sharded again",
                    inner->name);
}

static uint32_t sharded_first_count(const tms_shape *shape)
{
    return (uint32_t)shape->params[SHARDED_SHARDS];
}

/* Shards get unequal numbers of keys. Where the whole is one filter cut up, that
 * is no more than lines of it do, and planned for; elsewhere a shard has room
 * for six standard deviations more, so that none of a thousand is too small. */
static void sharded_child_spec(const tms_shape *shape, const tms_kind *inner, uint32_t index,
                               tamis_spec *spec)
{
    double shards = (double)shape->params[SHARDED_SHARDS], keys = (double)spec->capacity / shards;
    (void)index;
    tms_parts_trim(spec);
    spec->memory /= shape->params[SHARDED_SHARDS];
    if (!spec->capacity) return;
    if (!inner->attach_shard && shards > 1) keys += 6 * sqrt(keys);
    spec->capacity = (uint64_t)ceil(keys);
}

static void sharded_settle(tms_shape *shape, const tms_shape *shard)
{
    if (!shape->capacity) shape->capacity = shard->capacity * shape->params[SHARDED_SHARDS];
    shape->fpr = shard->fpr;
}

static double sharded_part_keys(const tms_shape *shape, double keys)
{
    return keys / (double)shape->params[SHARDED_SHARDS];
}

static double sharded_whole_rate(const tms_shape *shape, double shard_rate)
{
    (void)shape;
    return shard_rate;
}

static void sharded_tell(const tms_shape *shape, const tms_kind *inner, char *note, size_t room)
{
    snprintf(note, room, "%" PRIu64 " %s filters; shard = high half of digest * %" PRIu64,
             shape->params[SHARDED_SHARDS], inner->name, shape->params[SHARDED_SHARDS]);
}

static const tms_composing sharded_composing = {
    .abilities = sharded_abilities,
    .accepts = sharded_accepts,
    .first_count = sharded_first_count,
    .child_spec = sharded_child_spec,
    .settle = sharded_settle,
    .part_keys = sharded_part_keys,
    .whole_rate = sharded_whole_rate,
    .tell = sharded_tell,
};

/* ---- life --------------------------------------------------------------- */

static void sharded_attach(tamis_filter *f)
{
    f->ops = &sharded_ops;
}

/* All shards are stretches of one filter, or none is. */
static bool sharded_slice(sharded_filter *s)
{
    const tms_kind *inner = s->shards[0]->kind;
    bool sliced = inner->attach_shard != NULL;
    for (uint32_t i = 0; sliced && i < s->range.count; i++)
        sliced = inner->attach_shard(s->shards[i], s->range.shards, s->range.first + i);
    for (uint32_t i = 0; inner->attach_shard && !sliced && i < s->range.count; i++)
        inner->attach(s->shards[i]);
    return sliced;
}

static tamis_status sharded_adopt(tamis_filter *f, tamis_filter **children, uint32_t count)
{
    sharded_filter *s = sharded_of(f);
    const tms_shards range = {.shards = (uint32_t)f->shape.params[SHARDED_SHARDS],
                              .first = (uint32_t)f->shape.params[SHARDED_FIRST],
                              .count = count};
    if (count < 1 || count > range.shards - range.first)
        return tms_fail(TAMIS_E_CORRUPT, "%u shards from %u on are not among %u", count,
                        range.first, range.shards);
    TMS_TRY(tms_parts_take(f, children, count));
    memcpy(s->shards, children, count * sizeof *children);
    s->range = range;
    s->sliced = sharded_slice(s);
    uint32_t can = tms_filter_abilities(children[0]);
    f->in_order = !(can & TAMIS_CAN_PARALLEL) || count < range.shards;
    s->sorted = !f->in_order && count <= SHARDED_SORTED_MOST;
    f->ops = can & TAMIS_CAN_REMOVE ? &sharded_removing : &sharded_ops;
    return TAMIS_OK;
}

static uint32_t sharded_child_count(const tamis_filter *f)
{
    return sharded_of(f)->range.count;
}

static tamis_filter *sharded_child(const tamis_filter *f, uint32_t index)
{
    return sharded_of(f)->shards[index];
}

static void sharded_reset(tamis_filter *f)
{
    for (uint32_t i = 0; i < sharded_of(f)->range.count; i++)
        tms_filter_empty(sharded_of(f)->shards[i]);
}

static void sharded_release(tamis_filter *f)
{
    for (uint32_t i = 0; i < sharded_of(f)->range.count; i++)
        tms_filter_drop(sharded_of(f)->shards[i]);
}

const tms_kind tms_sharded_kind = {
    .id = TAMIS_KIND_SHARDED,
    .name = "sharded",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_INTERSECT | TAMIS_CAN_CONCURRENT |
                 TAMIS_CAN_PARALLEL | TAMIS_CAN_DIGESTS,
    .damage_rule = TMS_DAMAGE_READS_AS_ONES,
    .handle_bytes = sizeof(sharded_filter),
    .plan = sharded_plan,
    .check = sharded_check,
    .describe = sharded_describe,
    .attach = sharded_attach,
    .measure = sharded_measure,
    .may_contain_around = sharded_may_contain_around,
    .add_slice = sharded_add_slice,
    .composing = &sharded_composing,
    .adopt = sharded_adopt,
    .child_count = sharded_child_count,
    .child = sharded_child,
    .reset = sharded_reset,
    .release = sharded_release,
};
