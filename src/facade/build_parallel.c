/* build_parallel.c - one batch added by several threads.
 *
 * Keys are hashed in rounds, each thread its share, into one array of digests;
 * then every thread reads the whole round and adds what falls into its own
 * slice of the body. No two threads write the same byte, so there are no
 * atomics, and the bytes do not depend on the number of threads. Reading a
 * digest costs half a nanosecond, adding it a memory line: the repeated
 * reading is cheap. A batch of digests needs neither hashing nor rounds.
 *
 * To a concurrent filter, which others may be adding to at the same time, every
 * thread adds its share of the keys as any other thread would.              */
#include <tamis/filter.h>

#include "base/cpu.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "facade/batch.h"
#include "facade/build_parts.h"
#include "facade/roll.h"
#include "facade/origin.h"

/* Digests of a round: 2 MiB, near the processors, and one huge page to clear. */
enum { PARALLEL_ROUND = 1 << 18 };
enum { PARALLEL_WORTH = 1 << 14 }; /* smaller batches are done before threads start */

typedef struct parallel_job {
    tamis_filter *filter;
    const tamis_keys *keys;
    uint64_t *digests;
    size_t added; /* by threads that add their own keys */
    tamis_status status;
} parallel_job;

static void parallel_hash_share(const parallel_job *job, size_t from, size_t count, unsigned self,
                                unsigned members)
{
    size_t first = count * self / members, last = count * (self + 1) / members;
    tamis_keys keys = *job->keys;
    const uint64_t *made =
        tms_batch_digests(job->filter, &keys, from + first, last - first, job->digests + first);
    for (size_t i = first; made != job->digests + first && i < last; i++)
        job->digests[i] = made[i - first];
}

static bool parallel_has_slices(const tamis_filter *f)
{
    return f->kind->add_slice && !f->in_order;
}

/* A kind that cannot be split is fed in order by one member. */
static void parallel_add_round(parallel_job *job, size_t count, unsigned self, unsigned members)
{
    tamis_filter *f = job->filter;
    if (parallel_has_slices(f)) {
        f->kind->add_slice(f, job->digests, count, self, members);
    } else if (self == 0 && job->status == TAMIS_OK) {
        const tamis_keys keys = tamis_keys_digests(job->digests, count);
        size_t added = 0;
        job->status = tms_batch_add(f, &keys, 0, count, NULL, &added);
        job->added += added;
    }
}

static void parallel_work_digests(tms_team *team, unsigned self, unsigned members, void *ctx)
{
    const parallel_job *job = ctx;
    (void)team;
    job->filter->kind->add_slice(job->filter, job->keys->data, job->keys->count, self, members);
}

/* A kind that can be split sets bits, in whatever order: none can fail. */
static void parallel_work_shared(tms_team *team, unsigned self, unsigned members, void *ctx)
{
    const parallel_job *job = ctx;
    size_t count = job->keys->count, added;
    size_t first = count * self / members, last = count * (self + 1) / members;
    (void)team;
    (void)tms_batch_add(job->filter, job->keys, first, last - first, NULL, &added);
}

static void parallel_work(tms_team *team, unsigned self, unsigned members, void *ctx)
{
    parallel_job *job = ctx;
    for (size_t from = 0; from < job->keys->count; from += PARALLEL_ROUND) {
        size_t left = job->keys->count - from;
        size_t count = left < PARALLEL_ROUND ? left : PARALLEL_ROUND;
        parallel_hash_share(job, from, count, self, members);
        tms_team_meet(team);
        parallel_add_round(job, count, self, members);
        tms_team_meet(team);
        if (job->status != TAMIS_OK) return; /* set before they met: all see it */
    }
}

static tamis_status parallel_run_shared(parallel_job *job, unsigned threads, size_t *added)
{
    tms_team_run(threads, parallel_work_shared, job);
    *added = job->keys->count;
    return TAMIS_OK;
}

static tamis_status parallel_run_digests(parallel_job *job, unsigned threads, size_t *added)
{
    tms_team_run(threads, parallel_work_digests, job);
    tms_filter_count(job->filter, job->keys->count);
    *added = job->keys->count;
    return TAMIS_OK;
}

static tamis_status parallel_run(parallel_job *job, unsigned threads, size_t *added)
{
    tamis_filter *f = job->filter;
    size_t room = job->keys->count < PARALLEL_ROUND ? job->keys->count : PARALLEL_ROUND;
    job->digests = tms_alloc_body(&f->alloc, room * sizeof *job->digests);
    if (!job->digests) return tms_fail_memory("the digests of a round", room * sizeof(uint64_t));
    tms_team_run(threads, parallel_work, job);
    tms_free_body(&f->alloc, job->digests, room * sizeof *job->digests);
    if (parallel_has_slices(f)) {
        job->added = job->keys->count;
        tms_filter_count(f, job->added);
    }
    *added = job->added;
    return job->status;
}

tamis_status tamis_add_many_parallel(tamis_filter *f, const tamis_keys *keys, unsigned threads,
                                     size_t *added)
{
    size_t unwanted;
    parallel_job job = {.filter = f, .keys = keys};
    if (!added) added = &unwanted;
    *added = 0;
    TMS_TRY(tms_origin_writable(f));
    TMS_TRY(tms_batch_check(keys));
    if (threads == 0) threads = tms_cpu_count();
    bool shared = tms_filter_is_shared(f), splits = parallel_has_slices(f);
    bool alone = threads == 1 || keys->count < PARALLEL_WORTH || f->ops->add_keys ||
                 f->shape.flags & TAMIS_STRICT ||
                 (splits && !shared && f->shape.body_bytes < f->kind->slice_from);
    if (!alone && tms_parts_serve(f, keys->count)) {
        tamis_status status = tms_parts_add(f, keys, threads, added);
        if (status != TAMIS_E_NOMEM) return status;
    }
    if (alone) return tms_batch_add(f, keys, 0, keys->count, NULL, added);
    if (shared && splits) return parallel_run_shared(&job, threads, added);
    if (keys->layout == TAMIS_LAYOUT_DIGESTS && splits)
        return parallel_run_digests(&job, threads, added);
    return parallel_run(&job, threads, added);
}
