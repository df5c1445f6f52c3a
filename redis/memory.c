/* memory.c - the server's memory, with limits and a reaper; see memory.h.   */
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS, madvise */
#include "memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "pages.h"
#include "settings.h"

/* Below this a block is held against the filter's cap only and freed on the spot:
 * the server's own deny-oom test is enough, and freeing takes less than waking a
 * thread. */
#define MEMORY_LARGE ((uint64_t)1 << 20)
/* A slice of giving back: the system frees it in a small part of a millisecond,
 * and then whoever waits for its locks, or for this processor, has his turn. */
#define MEMORY_SLICE ((uintptr_t)2 << 20) /* and a huge page is not cut in two */
enum { SLICE_PAUSE_NANOSECONDS = 50000 };

uint64_t memory_grants;
uint64_t memory_refusals;

static struct {
    RedisModuleCtx *ctx; /* may be NULL: a copy, or loading */
    bool is_copy;
    uint64_t held;
} behalf;

void memory_on_behalf_of(RedisModuleCtx *ctx, uint64_t held)
{
    behalf.ctx = ctx;
    behalf.is_copy = false;
    behalf.held = held;
}

void memory_on_behalf_of_copy(void)
{
    memory_on_behalf_of(NULL, 0);
    behalf.is_copy = true;
}

/* Flags of the one for whom memory is asked. A copy has no context, so that it is
 * not known whether it was replicated: on a replica it is taken to be. */
static int behalf_flags(void)
{
    if (!behalf.ctx && !behalf.is_copy) return CONTEXT_LOADING;
    int flags = server.GetContextFlags(behalf.ctx);
    if (behalf.is_copy && flags & CONTEXT_REPLICA) flags |= CONTEXT_REPLICATED;
    return flags;
}

static bool flags_are_judged(int flags)
{
    return !(flags & (CONTEXT_REPLICATED | CONTEXT_LOADING));
}

bool memory_is_judged(void)
{
    return flags_are_judged(behalf_flags());
}

/* ---- limits -------------------------------------------------------------- */

static uint64_t machine_bytes = UINT64_MAX;

static bool memory_fits_cap(uint64_t size)
{
    uint64_t cap = settings.max_filter_bytes ? (uint64_t)settings.max_filter_bytes : machine_bytes;
    return behalf.held <= cap && size <= cap - behalf.held;
}

/* With a policy that evicts, room can be made: only what could never fit is
 * refused. Without one the block must fit into what is free now. */
static bool memory_fits_maxmemory(int flags, uint64_t size)
{
    if (!(flags & CONTEXT_MAXMEMORY)) return true;
    RedisModuleServerInfoData *info = server.GetServerInfo(NULL, "memory");
    if (!info) return true;
    int unknown = 0;
    uint64_t most = server.ServerInfoGetFieldUnsigned(info, "maxmemory", &unknown);
    uint64_t used = server.ServerInfoGetFieldUnsigned(info, "used_memory", &unknown);
    server.FreeServerInfo(NULL, info);
    if (unknown || !most) return true;
    if (flags & CONTEXT_EVICT) return size <= most;
    return used <= most && size <= most - used;
}

/* Older servers end themselves when the system refuses: ask it first. */
static bool memory_system_would_give(size_t size)
{
    if (server.TryCalloc) return true;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    munmap(p, size);
    return true;
}

static bool memory_allows(size_t size)
{
    bool fits = memory_fits_cap(size);
    if (fits && size < MEMORY_LARGE) return true;
    int flags = behalf_flags();
    if (flags_are_judged(flags) && (!fits || !memory_fits_maxmemory(flags, size))) return false;
    return memory_system_would_give(size);
}

/* ---- the reaper ---------------------------------------------------------- */

/* A block that waits to be freed holds its place in the queue itself: nobody
 * else needs its bytes any more. */
typedef struct dead_block {
    struct dead_block *next;
    size_t size;
} dead_block;

static struct {
    pthread_t main;
    pid_t process;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    dead_block *first;
    bool started;
    atomic_uint_fast64_t waiting;
} reaper = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

void memory_begin(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0) machine_bytes = (uint64_t)pages * (uint64_t)page;
    reaper.main = pthread_self();
    reaper.process = getpid();
}

uint64_t memory_waiting(void)
{
    return atomic_load_explicit(&reaper.waiting, memory_order_relaxed);
}

static void slice_pause(void)
{
    struct timespec pause = {0, SLICE_PAUSE_NANOSECONDS};
    (void)nanosleep(&pause, NULL);
}

/* The pages inside go back slice by slice before the block does: one call for all
 * of them would hold the lock of the address space, and with it every page fault
 * of the main thread, for as long as it takes. */
static void block_free_slowly(void *block, size_t size)
{
    uintptr_t page = 4096;
    uintptr_t at = ((uintptr_t)block + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)block + size) / page * page;
    while (at < end) {
        uintptr_t next = (at / MEMORY_SLICE + 1) * MEMORY_SLICE;
        if (next > end) next = end;
        (void)madvise((void *)at, next - at, MADV_DONTNEED); /* advice: may be refused */
        at = next;
        slice_pause();
    }
    server.Free(block);
}

/* On Linux a thread has a priority of its own. Below the server's: on a machine
 * whose processors are all busy, clients come first. */
static void reaper_step_back(void)
{
#ifdef __linux__
    (void)setpriority(PRIO_PROCESS, 0, 10);
#endif
}

static dead_block *reaper_take(void)
{
    pthread_mutex_lock(&reaper.lock);
    while (!reaper.first) pthread_cond_wait(&reaper.wake, &reaper.lock);
    dead_block *block = reaper.first;
    reaper.first = block->next;
    pthread_mutex_unlock(&reaper.lock);
    return block;
}

static void *reaper_run(void *unused)
{
    (void)unused;
    reaper_step_back();
    for (;;) {
        dead_block *block = reaper_take();
        size_t size = block->size;
        block_free_slowly(block, size);
        atomic_fetch_sub_explicit(&reaper.waiting, size, memory_order_relaxed);
    }
    return NULL;
}

static bool reaper_start(void)
{
    pthread_t thread;
    pthread_mutex_lock(&reaper.lock);
    if (!reaper.started && pthread_create(&thread, NULL, reaper_run, NULL) == 0) {
        pthread_detach(thread);
        reaper.started = true;
    }
    bool started = reaper.started;
    pthread_mutex_unlock(&reaper.lock);
    return started;
}

/* While the server evicts to get below maxmemory it measures what each deletion
 * brought: there the memory has to be gone when we return. Its own thread for
 * freeing (UNLINK, FLUSHALL ASYNC) is not measured. */
static bool server_evicts(void)
{
    const int evicts = CONTEXT_OOM | CONTEXT_EVICT;
    return pthread_equal(pthread_self(), reaper.main) &&
           (server.GetContextFlags(NULL) & evicts) == evicts;
}

/* Not for the child of a save, which has no reaper. */
static bool reaper_is_wanted(void)
{
    return getpid() == reaper.process && !server_evicts() && reaper_start();
}

static void reaper_give(void *memory, size_t size)
{
    dead_block *block = memory;
    block->size = size;
    atomic_fetch_add_explicit(&reaper.waiting, size, memory_order_relaxed);
    pthread_mutex_lock(&reaper.lock);
    block->next = reaper.first;
    reaper.first = block;
    pthread_cond_signal(&reaper.wake);
    pthread_mutex_unlock(&reaper.lock);
}

/* ---- the library's door -------------------------------------------------- */

static void *memory_zeroed(void *ctx, size_t size)
{
    (void)ctx;
    void *p = NULL;
    if (memory_allows(size))
        p = server.TryCalloc ? server.TryCalloc(1, size) : server.Calloc(1, size);
    if (p) {
        pages_watch(p, size);
        memory_grants++;
        behalf.held += size;
    } else {
        memory_refusals++;
    }
    return p;
}

static void memory_free(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    pages_forget(memory, size);
    if (size < MEMORY_LARGE)
        server.Free(memory);
    else if (reaper_is_wanted())
        reaper_give(memory, size);
    else
        server.Free(memory);
}

tamis_redisbloom_host memory_host = {
    .zeroed = memory_zeroed,
    .free = memory_free,
    .compact_later = true,
};
