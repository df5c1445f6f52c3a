/* compaction.c - see compaction.h.                                          */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "compaction.h"

#include <time.h>

/* A slice is this long: short against the millisecond that other clients may be
 * made to wait, long against the price of a timer. */
enum { SLICE_NANOSECONDS = 250000, SLICE_SLOTS = 512, SLICE_PAUSE_MILLISECONDS = 1 };

typedef struct task {
    RedisModuleString *name;
    int db;
} task;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* True when something is left to do. */
static bool compaction_slice(key_value *v)
{
    bool pending = false;
    int64_t end = now() + SLICE_NANOSECONDS;
    do {
        if (tamis_redisbloom_compact_some(v->filter, SLICE_SLOTS, &pending) != TAMIS_OK) break;
    } while (pending && now() < end);
    if (!pending) value_recount(v, 0, true);
    return pending;
}

static void task_free(task *t)
{
    server.FreeString(NULL, t->name);
    server.Free(t);
}

/* The key may be gone, or another, since the last slice: it is looked up anew. */
static void compaction_tick(RedisModuleCtx *ctx, void *data)
{
    task *t = data;
    open_key k;
    bool pending = false;
    server.SelectDb(ctx, t->db);
    if (key_open(ctx, t->name, KEY_READ, &cuckoo_family, &k) == KEY_FOUND)
        pending = compaction_slice(k.value);
    key_close(&k);
    if (pending)
        server.CreateTimer(ctx, SLICE_PAUSE_MILLISECONDS, compaction_tick, t);
    else
        task_free(t);
}

void compaction_continue(open_key *k)
{
    tamis_redisbloom_facts facts;
    tamis_redisbloom_facts_of(k->value->filter, &facts);
    if (!facts.compaction_pending || !compaction_slice(k->value)) return;
    task *t = server.Alloc(sizeof *t);
    t->name = server.CreateStringFromString(NULL, k->name);
    t->db = server.GetSelectedDb(k->ctx);
    server.CreateTimer(k->ctx, SLICE_PAUSE_MILLISECONDS, compaction_tick, t);
}
