/* build_parts.c - a large batch added part by part.
 *
 * A key's lines lie in one part of the body, which fits the second-level cache.
 * A round of digests is put in the order of parts, each part keeping the order of
 * the batch, and then added part by part: the lines of a part come once, and
 * keys that must be moved are moved inside the cache. Parts share nothing, so
 * threads take them as they come, and the bytes are those of one by one.
 *
 * A round has two arrays of digests: as they come, and in order.             */
#include "facade/build_parts.h"

#include <stdatomic.h>
#include <string.h>

#include "base/bits.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "facade/roll.h"

/* Digests of a round: 32 MiB an array. With fewer each part would come and go more
 * often; with more the build would take more memory than the filter saves. */
enum { PARTS_ROUND = 1 << 22 };
enum { PARTS_WORTH = 1 << 16 };       /* smaller batches gain nothing */
enum { PARTS_MOST_MEMBERS = 256 };    /* threads */
enum { PARTS_MOST_GROUPS = 1 << 11 }; /* more streams than the caches keep open */

/* Neighbouring parts make a group, where there are very many. */
typedef struct parts_group {
    size_t first, count; /* in `sorted` */
    size_t taken;        /* of them */
} parts_group;

typedef struct parts_job {
    tamis_filter *filter;
    const tamis_keys *keys;
    uint64_t parts;
    unsigned shift; /* group = part >> shift */
    uint32_t groups;
    unsigned members;        /* counters were made for so many */
    const uint64_t *digests; /* of this round */
    uint64_t *room, *sorted;
    size_t *cursors; /* a member's own for each group: first a count, then a place */
    parts_group *group;
    _Atomic uint32_t next; /* group that nobody has taken */
    size_t round, added;
    _Atomic bool refused;
} parts_job;

bool tms_parts_serve(const tamis_filter *f, size_t count)
{
    if (!f->kind->part_count || f->shape.flags & (TAMIS_STRICT | TAMIS_CONCURRENT)) return false;
    uint64_t added = tms_counter_sum(&f->added); /* past capacity keys are likely refused */
    return count >= PARTS_WORTH && f->kind->part_count(f) > 1 && added <= f->shape.capacity &&
           count <= f->shape.capacity - added;
}

static uint32_t parts_group_of(const parts_job *job, uint64_t digest)
{
    return (uint32_t)(tms_mulhi(digest, job->parts) >> job->shift);
}

/* ---- into the order of parts -------------------------------------------- */

typedef struct parts_share {
    size_t first, last;
    size_t *cursors;
} parts_share;

static parts_share parts_share_of(const parts_job *job, unsigned self, unsigned members)
{
    return (parts_share){.first = job->round * self / members,
                         .last = job->round * (self + 1) / members,
                         .cursors = job->cursors + (size_t)self * job->groups};
}

static void parts_count(const parts_job *job, const parts_share *mine)
{
    memset(mine->cursors, 0, job->groups * sizeof *mine->cursors);
    for (size_t i = mine->first; i < mine->last; i++)
        mine->cursors[parts_group_of(job, job->digests[i])]++;
}

/* Counts become places: group by group, and in each the members' keys in order. */
static void parts_place(parts_job *job, unsigned members)
{
    size_t place = 0;
    for (uint32_t g = 0; g < job->groups; g++) {
        job->group[g] = (parts_group){.first = place};
        for (unsigned m = 0; m < members; m++) {
            size_t *cursor = &job->cursors[(size_t)m * job->groups + g], count = *cursor;
            *cursor = place;
            place += count;
        }
        job->group[g].count = place - job->group[g].first;
    }
}

static void parts_scatter(const parts_job *job, const parts_share *mine)
{
    for (size_t i = mine->first; i < mine->last; i++) {
        uint64_t digest = job->digests[i];
        job->sorted[mine->cursors[parts_group_of(job, digest)]++] = digest;
    }
}

/* ---- adding ------------------------------------------------------------- */

static void parts_add_group(parts_job *job, parts_group *group)
{
    tamis_filter *f = job->filter;
    group->taken = f->kind->add_part(f, job->sorted + group->first, group->count);
    if (group->taken < group->count)
        atomic_store_explicit(&job->refused, true, memory_order_relaxed);
}

static void parts_add_groups(parts_job *job)
{
    for (;;) {
        uint32_t g = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (g >= job->groups) return;
        parts_add_group(job, &job->group[g]);
    }
}

/* ---- when a key was refused --------------------------------------------- */

/* How many of the round's keys, in their own order, come before the first that was
 * refused, and in `keep` how many of those each group has. */
static size_t parts_before_refusal(const parts_job *job, size_t *keep)
{
    memset(keep, 0, job->groups * sizeof *keep);
    for (size_t i = 0; i < job->round; i++) {
        uint32_t g = parts_group_of(job, job->digests[i]);
        if (keep[g] == job->group[g].taken) return i;
        keep[g]++;
    }
    return job->round;
}

/* Takes back what came after the first refused key, and returns the refusal. A key
 * that was just added is surely there, so taking it away harms no other. */
static tamis_status parts_take_back(parts_job *job)
{
    tamis_filter *f = job->filter;
    size_t *keep = job->cursors; /* no longer needed as such */
    bool was_new;
    size_t before = parts_before_refusal(job, keep);
    for (uint32_t g = 0; g < job->groups; g++)
        for (size_t i = keep[g]; i < job->group[g].taken; i++)
            (void)f->ops->remove(f, job->sorted[job->group[g].first + i]);
    job->added += before;
    return f->ops->add(f, job->digests[before], &was_new); /* its sentence, in this thread */
}

/* ---- the rounds --------------------------------------------------------- */

static void parts_hash(parts_job *job, size_t from, const parts_share *mine)
{
    const uint64_t *made = tms_batch_digests(job->filter, job->keys, from + mine->first,
                                             mine->last - mine->first, job->room + mine->first);
    if (made != job->room + mine->first)
        memcpy(job->room + mine->first, made, (mine->last - mine->first) * sizeof *made);
}

static void parts_work(tms_team *team, unsigned self, unsigned members, void *ctx)
{
    parts_job *job = ctx;
    const bool given = job->keys->layout == TAMIS_LAYOUT_DIGESTS;
    for (size_t from = 0; from < job->keys->count; from += PARTS_ROUND) {
        size_t left = job->keys->count - from;
        if (self == 0) {
            job->round = left < PARTS_ROUND ? left : PARTS_ROUND;
            job->digests = given ? (const uint64_t *)job->keys->data + from : job->room;
            atomic_store_explicit(&job->next, 0, memory_order_relaxed);
        }
        tms_team_meet(team);
        const parts_share mine = parts_share_of(job, self, members);
        if (!given) parts_hash(job, from, &mine);
        parts_count(job, &mine);
        tms_team_meet(team);
        if (self == 0) parts_place(job, members);
        tms_team_meet(team);
        parts_scatter(job, &mine);
        tms_team_meet(team);
        parts_add_groups(job);
        tms_team_meet(team);
        if (atomic_load_explicit(&job->refused, memory_order_relaxed)) return;
        if (self == 0) job->added += job->round;
    }
}

/* One allocation: the arrays of a round, the cursors and the groups. */
static size_t parts_layout(parts_job *job, uint8_t *memory)
{
    size_t most = job->keys->count < PARTS_ROUND ? job->keys->count : PARTS_ROUND;
    size_t rooms = job->keys->layout == TAMIS_LAYOUT_DIGESTS ? 0 : most * sizeof *job->room;
    size_t sorted = most * sizeof *job->sorted;
    size_t cursors = (size_t)job->members * job->groups * sizeof *job->cursors;
    if (memory) {
        job->room = (uint64_t *)(void *)memory;
        job->sorted = (uint64_t *)(void *)(memory + rooms);
        job->cursors = (size_t *)(void *)(memory + rooms + sorted);
        job->group = (parts_group *)(void *)(memory + rooms + sorted + cursors);
    }
    return rooms + sorted + cursors + job->groups * sizeof *job->group;
}

tamis_status tms_parts_add(tamis_filter *f, const tamis_keys *keys, unsigned threads, size_t *added)
{
    parts_job job = {.filter = f,
                     .keys = keys,
                     .parts = f->kind->part_count(f),
                     .members = threads < PARTS_MOST_MEMBERS ? threads : PARTS_MOST_MEMBERS};
    while (job.parts >> job.shift > PARTS_MOST_GROUPS) job.shift++;
    job.groups = (uint32_t)((job.parts - 1) >> job.shift) + 1;
    size_t size = parts_layout(&job, NULL);
    uint8_t *memory = tms_alloc_body(&f->alloc, size);
    if (!memory) return tms_fail_memory("a batch in the order of parts", size);
    (void)parts_layout(&job, memory);
    tms_team_run(job.members, parts_work, &job);
    tamis_status status = job.refused ? parts_take_back(&job) : TAMIS_OK;
    tms_filter_count(f, job.added);
    tms_free_body(&f->alloc, memory, size);
    *added = job.added;
    return status;
}
