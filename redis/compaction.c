/* compaction.c - see compaction.h.                                          */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "compaction.h"

#include <time.h>

/* A slice is this long: short against the millisecond that other clients may be
 * made to wait, long against the price of a timer. */
enum { SLICE_NANOSECONDS = 250000, SLICE_SLOTS = 512, SLICE_PAUSE_MILLISECONDS = 1 };

typedef struct waiting {
    struct waiting *next;
    RedisModuleBlockedClient *client;
} waiting;

/* A key that is being compacted, and who waits for it, first come first. */
typedef struct task {
    struct task *next;
    RedisModuleString *name;
    int db;
    waiting *first, **last;
} task;

static task *tasks;

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

/* ---- tasks --------------------------------------------------------------- */

static task *task_find(int db, const RedisModuleString *name)
{
    for (task *t = tasks; t; t = t->next)
        if (t->db == db && server.StringCompare(t->name, name) == 0) return t;
    return NULL;
}

static task *task_add(int db, const RedisModuleString *name)
{
    task *t = server.Calloc(1, sizeof *t);
    t->name = server.CreateStringFromString(NULL, name);
    t->db = db;
    t->last = &t->first;
    t->next = tasks;
    tasks = t;
    return t;
}

static void task_end(task *t)
{
    task **link = &tasks;
    while (*link != t) link = &(*link)->next;
    *link = t->next;
    while (t->first) {
        waiting *w = t->first;
        t->first = w->next;
        server.UnblockClient(w->client, NULL);
        server.Free(w);
    }
    server.FreeString(NULL, t->name);
    server.Free(t);
}

/* The key may be gone, or another, since the last slice: it is looked up anew. */
static void task_tick(RedisModuleCtx *ctx, void *data)
{
    task *t = data;
    open_key k;
    bool pending = false;
    server.SelectDb(ctx, t->db);
    if (key_open(ctx, t->name, KEY_READ, &cuckoo_family, &k) == KEY_FOUND)
        pending = compaction_slice(k.value);
    key_close(&k);
    if (pending)
        server.CreateTimer(ctx, SLICE_PAUSE_MILLISECONDS, task_tick, t);
    else
        task_end(t);
}

void compaction_continue(open_key *k)
{
    tamis_redisbloom_facts facts;
    tamis_redisbloom_facts_of(k->value->filter, &facts);
    if (!facts.compaction_pending || !compaction_slice(k->value)) return;
    int db = server.GetSelectedDb(k->ctx);
    if (task_find(db, k->name)) return;
    server.CreateTimer(k->ctx, SLICE_PAUSE_MILLISECONDS, task_tick, task_add(db, k->name));
}

/* ---- waiting ------------------------------------------------------------- */

/* Before 7.0 a command that is called again cannot tell replicas what it did. */
static bool may_wait(RedisModuleCtx *ctx)
{
    const int never =
        CONTEXT_LUA | CONTEXT_MULTI | CONTEXT_REPLICATED | CONTEXT_LOADING | CONTEXT_DENY_BLOCKING;
    return server.GetServerVersion && server.GetServerVersion() >= 0x070000 &&
           !server.IsBlockedReplyRequest(ctx) && !(server.GetContextFlags(ctx) & never);
}

bool compaction_wait(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                     RedisModuleCmdFunc command)
{
    if (!tasks || argc < 2) return false;
    task *t = task_find(server.GetSelectedDb(ctx), argv[1]);
    if (!t || !may_wait(ctx)) return false;
    waiting *w = server.Calloc(1, sizeof *w);
    w->client = server.BlockClient(ctx, command, NULL, NULL, 0);
    *t->last = w;
    t->last = &w->next;
    return true;
}
