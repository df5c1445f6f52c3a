/* sharded_runs.c - batches to a sharded filter, and one thread's share of a
 * parallel build.
 *
 * The digests of a run are put in the order of their shards, so that each shard
 * takes a run of its own and fetches its own lines ahead.                   */
#include <string.h>

#include "compose/sharded_parts.h"
#include "base/fail.h"
#include "kernel/tuning.h"

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
        answers[i] = tms_sharded_may_contain(f, run->now[i]);
        hits += answers[i];
    }
    return hits;
}

size_t tms_sharded_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
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
        TMS_TRY(tms_sharded_add(f, run->now[*added], &fresh));
        if (was_new) was_new[*added] = fresh;
    }
    return TAMIS_OK;
}

tamis_status tms_sharded_add_many(tamis_filter *f, const tms_run *run, bool *was_new, size_t *added)
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

void tms_sharded_add_slice(tamis_filter *f, const uint64_t *digests, size_t count, unsigned slice,
                           unsigned slices)
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
