/* build_parts.c - a large batch added part by part.
 *
 * A key's lines lie in one part of the body, which fits the second-level cache.
 * A round of digests is put in the order of parts, each part keeping the order of
 * the batch, and then added part by part: the lines of a part come once, and
 * keys that must be moved are moved inside the cache. Parts share nothing, so
 * threads take them as they come, and the bytes are those of one by one.
 *
 * A round has two arrays of digests: as they come, unless the caller has them so,
 * and in order. The second is written by whole lines, gathered for each group.  */
#include "facade/build_parts.h"

#include <stdatomic.h>
#include <string.h>

#include "base/bits.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/whole_lines.h"
#include "facade/roll.h"

/* Digests of a round: 32 MiB an array, or of a large filter half its size. With
 * fewer each part would come and go more often (2^22 instead of 2^23 digests cost 4 of
 * 30 ns a key in a filter of 158 MB); with more the build would take more memory than
 * the filter. */
enum { PARTS_LEAST_ROUND = 1 << 22, PARTS_ROUND_EACH = 1 << 14 };
enum { PARTS_WORTH = 1 << 16, PARTS_WORTH_EACH = 1 << 10 }; /* fewer gain nothing */
enum { PARTS_MOST_MEMBERS = 256 };                          /* threads */
enum { PARTS_MOST_GROUPS = 1 << 12 }; /* whose lines still fit beside a part */
enum { PARTS_LINE = TMS_LINE / sizeof(uint64_t) };

/* Neighbouring parts make a group, where there are very many. */
typedef struct parts_group {
    size_t first, count; /* in `sorted` */
    size_t taken;        /* of them */
} parts_group;

/* A member's own for each group: its stretch of `sorted`, and the line it is
 * filling. */
typedef struct parts_cursor {
    size_t first, next; /* `next` is a count at first */
} parts_cursor;

typedef struct parts_line {
    _Alignas(TMS_LINE) uint64_t digests[PARTS_LINE];
} parts_line;

/* Group = part >> shift; a copy of its own stays in registers. */
typedef struct parts_rule {
    uint64_t parts;
    unsigned shift;
} parts_rule;

typedef struct parts_job {
    tamis_filter *filter;
    const tamis_keys *keys;
    parts_rule rule;
    uint32_t groups;
    unsigned members;        /* counters were made for so many */
    const uint64_t *digests; /* of this round */
    uint64_t *room, *sorted;
    parts_cursor *cursors;
    parts_line *lines;
    parts_group *group;
    size_t *keep;          /* of each group, when a key was refused */
    _Atomic uint32_t next; /* group that nobody has taken */
    size_t most, round;    /* digests: of any round, of this one */
    size_t added;
    _Atomic bool refused;
} parts_job;

bool tms_parts_serve(const tamis_filter *f, size_t count)
{
    if (!f->kind->part_count || f->shape.flags & (TAMIS_STRICT | TAMIS_CONCURRENT)) return false;
    const uint64_t parts = f->kind->part_count(f);
    const uint64_t added = tms_counter_sum(&f->added); /* past capacity keys are likely refused */
    return parts > 1 && count >= PARTS_WORTH && count / PARTS_WORTH_EACH >= parts &&
           added <= f->shape.capacity && count <= f->shape.capacity - added;
}

static uint32_t parts_group_of(parts_rule rule, uint64_t digest)
{
    return (uint32_t)(tms_mulhi(digest, rule.parts) >> rule.shift);
}

/* ---- into the order of parts -------------------------------------------- */

typedef struct parts_share {
    size_t first, last;
    parts_cursor *cursors;
    parts_line *lines;
} parts_share;

static parts_share parts_share_of(const parts_job *job, unsigned self, unsigned members)
{
    return (parts_share){.first = job->round * self / members,
                         .last = job->round * (self + 1) / members,
                         .cursors = job->cursors + (size_t)self * job->groups,
                         .lines = job->lines + (size_t)self * job->groups};
}

static void parts_count(const parts_job *job, const parts_share *mine)
{
    const parts_rule rule = job->rule;
    const uint64_t *digests = job->digests;
    parts_cursor *cursors = mine->cursors;
    memset(cursors, 0, job->groups * sizeof *cursors);
    for (size_t i = mine->first; i < mine->last; i++)
        cursors[parts_group_of(rule, digests[i])].next++;
}

/* Counts become places: group by group, and in each the members' keys in order. */
static void parts_place(parts_job *job, unsigned members)
{
    size_t place = 0;
    for (uint32_t g = 0; g < job->groups; g++) {
        job->group[g] = (parts_group){.first = place};
        for (unsigned m = 0; m < members; m++) {
            parts_cursor *cursor = &job->cursors[(size_t)m * job->groups + g];
            const size_t count = cursor->next;
            *cursor = (parts_cursor){.first = place, .next = place};
            place += count;
        }
        job->group[g].count = place - job->group[g].first;
    }
}

/* Writes what of the line before `end` is the member's own. */
static void parts_write(uint64_t *sorted, const parts_cursor *cursor, const parts_line *line,
                        size_t end)
{
    size_t first = (end - 1) / PARTS_LINE * PARTS_LINE;
    if (first >= cursor->first && end == first + PARTS_LINE) {
        tms_line_write(sorted + first, line->digests);
        return;
    }
    if (first < cursor->first) first = cursor->first;
    for (size_t i = first; i < end; i++) sorted[i] = line->digests[i % PARTS_LINE];
}

static void parts_scatter(const parts_job *job, const parts_share *mine)
{
    const parts_rule rule = job->rule;
    const uint64_t *digests = job->digests;
    parts_cursor *cursors = mine->cursors;
    parts_line *lines = mine->lines;
    for (size_t i = mine->first; i < mine->last; i++) {
        const uint64_t digest = digests[i];
        const uint32_t g = parts_group_of(rule, digest);
        const size_t at = cursors[g].next++;
        lines[g].digests[at % PARTS_LINE] = digest;
        if (at % PARTS_LINE == PARTS_LINE - 1)
            parts_write(job->sorted, &cursors[g], &lines[g], at + 1);
    }
    for (uint32_t g = 0; g < job->groups; g++) {
        const parts_cursor *cursor = &cursors[g];
        if (cursor->next > cursor->first && cursor->next % PARTS_LINE)
            parts_write(job->sorted, cursor, &lines[g], cursor->next);
    }
    tms_lines_end();
}

/* ---- adding ------------------------------------------------------------- */

/* The next group's lines are fetched meanwhile; the last fetches its own. */
static void parts_add_group(parts_job *job, uint32_t g)
{
    tamis_filter *f = job->filter;
    parts_group *group = &job->group[g];
    const uint64_t *digests = job->sorted + group->first;
    if (group->count == 0) return;
    const bool last = group->first + group->count == job->round;
    const uint64_t coming = digests[last ? 0 : group->count];
    group->taken = f->kind->add_part(f, digests, group->count, coming);
    if (group->taken < group->count)
        atomic_store_explicit(&job->refused, true, memory_order_relaxed);
}

static void parts_add_groups(parts_job *job)
{
    for (;;) {
        uint32_t g = atomic_fetch_add_explicit(&job->next, 1, memory_order_relaxed);
        if (g >= job->groups) return;
        parts_add_group(job, g);
    }
}

/* ---- when a key was refused --------------------------------------------- */

/* How many of the round's keys, in their own order, come before the first that was
 * refused, and in `keep` how many of those each group has. */
static size_t parts_before_refusal(const parts_job *job)
{
    size_t *keep = job->keep;
    memset(keep, 0, job->groups * sizeof *keep);
    for (size_t i = 0; i < job->round; i++) {
        uint32_t g = parts_group_of(job->rule, job->digests[i]);
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
    bool was_new;
    size_t before = parts_before_refusal(job);
    for (uint32_t g = 0; g < job->groups; g++)
        for (size_t i = job->keep[g]; i < job->group[g].taken; i++)
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
    for (size_t from = 0; from < job->keys->count; from += job->most) {
        size_t left = job->keys->count - from;
        if (self == 0) {
            job->round = left < job->most ? left : job->most;
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

/* The next array of one allocation, on lines of its own; only measured where there is
 * no memory yet. */
static void *parts_array(uint8_t *memory, size_t *used, size_t count, size_t item)
{
    void *array = memory ? memory + *used : NULL;
    *used += (count * item + TMS_LINE - 1) / TMS_LINE * TMS_LINE;
    return array;
}

static size_t parts_layout(parts_job *job, uint8_t *memory)
{
    const bool given = job->keys->layout == TAMIS_LAYOUT_DIGESTS;
    const size_t each = (size_t)job->members * job->groups;
    size_t used = 0;
    job->room = parts_array(memory, &used, given ? 0 : job->most, sizeof *job->room);
    job->sorted = parts_array(memory, &used, job->most, sizeof *job->sorted);
    job->lines = parts_array(memory, &used, each, sizeof *job->lines);
    job->cursors = parts_array(memory, &used, each, sizeof *job->cursors);
    job->group = parts_array(memory, &used, job->groups, sizeof *job->group);
    job->keep = parts_array(memory, &used, job->groups, sizeof *job->keep);
    return used;
}

static size_t parts_most(const parts_job *job)
{
    uint64_t most = job->rule.parts * PARTS_ROUND_EACH;
    if (most < PARTS_LEAST_ROUND) most = PARTS_LEAST_ROUND;
    return most < job->keys->count ? (size_t)most : job->keys->count;
}

tamis_status tms_parts_add(tamis_filter *f, const tamis_keys *keys, unsigned threads, size_t *added)
{
    parts_job job = {.filter = f,
                     .keys = keys,
                     .rule = {.parts = f->kind->part_count(f)},
                     .members = threads < PARTS_MOST_MEMBERS ? threads : PARTS_MOST_MEMBERS};
    while (job.rule.parts >> job.rule.shift > PARTS_MOST_GROUPS) job.rule.shift++;
    job.groups = (uint32_t)((job.rule.parts - 1) >> job.rule.shift) + 1;
    job.most = parts_most(&job);
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
