/* pages.c - see pages.h.                                                    */
#define _GNU_SOURCE 1 /* madvise, mincore */
#include "pages.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "settings.h"

#if defined(__linux__) && !defined(MADV_COLLAPSE)
#define MADV_COLLAPSE 25 /* kernels know it before the C library's headers do */
#endif

enum {
    TURN_MILLISECONDS = 5000,
    TURN_REGIONS = 256, /* most that are moved in a turn: a second or two of work */
    PAUSE_NANOSECONDS = 2000000
};
#define REGION ((size_t)2 << 20)

/* An array, and which of its whole regions have moved. */
typedef struct watched {
    struct watched *next;
    const void *array;
    uint8_t *first; /* region */
    size_t regions;
    size_t at;      /* the next to look at in this turn */
    unsigned forks; /* that there were when `moved` was true */
    bool moved[];
} watched;

static struct {
    pid_t process;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    watched *list;
    bool due, started, useless;
    atomic_uint forks;
    atomic_uint_fast64_t moved; /* regions; changed under the lock, read at any time */
} pages = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

uint64_t pages_moved(void)
{
    return atomic_load_explicit(&pages.moved, memory_order_relaxed) * REGION;
}

/* ---- the list ------------------------------------------------------------ */

/* The child of a save has a copy of the lock, perhaps taken, and no thread. */
static bool pages_concern(size_t size)
{
    return size >= 2 * REGION && getpid() == pages.process;
}

static watched **pages_find(const void *array)
{
    watched **link = &pages.list;
    while (*link && (*link)->array != array) link = &(*link)->next;
    return link;
}

static void pages_drop(watched **link)
{
    watched *w = *link;
    for (size_t i = 0; i < w->regions; i++) pages.moved -= w->moved[i];
    *link = w->next;
    server.Free(w);
}

void pages_watch(void *array, size_t size)
{
    const uint64_t from = (uint64_t)settings.huge_pages_from;
    if (!from || size < from || !pages_concern(size)) return;
    uintptr_t begin = ((uintptr_t)array + REGION - 1) / REGION * REGION;
    size_t regions = ((uintptr_t)array + size - begin) / REGION;
    watched *w = server.Calloc(1, sizeof *w + regions * sizeof w->moved[0]);
    w->array = array;
    w->first = (uint8_t *)begin;
    w->regions = regions;
    pthread_mutex_lock(&pages.lock);
    watched **old = pages_find(array); /* of an array that the server has moved away */
    if (*old) pages_drop(old);
    w->next = pages.list;
    pages.list = w;
    pthread_mutex_unlock(&pages.lock);
}

void pages_forget(const void *array, size_t size)
{
    if (!pages_concern(size)) return;
    pthread_mutex_lock(&pages.lock);
    watched **link = pages_find(array);
    if (*link) pages_drop(link);
    pthread_mutex_unlock(&pages.lock);
}

/* ---- the thread ---------------------------------------------------------- */

/* A child shares the pages; what is written while it lives is no longer huge. */
static void pages_were_shared(void)
{
    atomic_fetch_add_explicit(&pages.forks, 1, memory_order_relaxed);
}

static void watched_begin_turn(watched *w)
{
    unsigned forks = atomic_load_explicit(&pages.forks, memory_order_relaxed);
    w->at = 0;
    if (w->forks == forks) return;
    for (size_t i = 0; i < w->regions; i++) pages.moved -= w->moved[i];
    memset(w->moved, 0, w->regions * sizeof w->moved[0]);
    w->forks = forks;
}

static void pages_await_turn(void)
{
    pthread_mutex_lock(&pages.lock);
    while (!pages.due) pthread_cond_wait(&pages.wake, &pages.lock);
    pages.due = false;
    for (watched *w = pages.list; w; w = w->next) watched_begin_turn(w);
    pthread_mutex_unlock(&pages.lock);
}

typedef struct region {
    const void *array;
    size_t index;
    uint8_t *begin;
} region;

/* The next region of this turn. False: there is none. */
static bool pages_next(region *r)
{
    bool found = false;
    pthread_mutex_lock(&pages.lock);
    for (watched *w = pages.list; w && !found; w = w->next)
        while (w->at < w->regions && !found) {
            *r = (region){w->array, w->at, w->first + w->at * REGION};
            found = !w->moved[w->at++];
        }
    pthread_mutex_unlock(&pages.lock);
    return found;
}

/* All but a few of its pages: those would be added, zeroed. */
static bool region_is_full(const region *r)
{
    unsigned char there[REGION / 4096];
    size_t page = (size_t)sysconf(_SC_PAGESIZE), count = REGION / page, full = 0;
    if (count > sizeof there || mincore(r->begin, REGION, there) != 0) return false;
    for (size_t i = 0; i < count; i++) full += there[i] & 1;
    return full >= count - count / 16;
}

/* The array may have been given back since the region was chosen. Then this moves
 * whatever is there now, or fails: contents are the same in any case. */
static void region_move(const region *r)
{
#ifdef MADV_COLLAPSE
    bool moved = madvise(r->begin, REGION, MADV_COLLAPSE) == 0;
    bool useless = !moved && errno == EINVAL;
#else
    bool moved = false, useless = true;
#endif
    pthread_mutex_lock(&pages.lock);
    watched *w = *pages_find(r->array);
    pages.useless |= useless;
    if (w && moved && r->index < w->regions) {
        pages.moved += !w->moved[r->index];
        w->moved[r->index] = true;
    }
    pthread_mutex_unlock(&pages.lock);
}

static void *pages_run(void *unused)
{
    const struct timespec pause = {0, PAUSE_NANOSECONDS};
    region r;
    (void)unused;
#ifdef __linux__
    (void)setpriority(PRIO_PROCESS, 0, 10); /* of this thread, there */
#endif
    for (;;) {
        pages_await_turn();
        for (size_t moves = 0; moves < TURN_REGIONS && pages_next(&r);) {
            if (!region_is_full(&r)) continue;
            region_move(&r);
            moves++;
            (void)nanosleep(&pause, NULL);
        }
    }
    return NULL;
}

/* ---- turns --------------------------------------------------------------- */

static bool system_allows_huge_pages(void)
{
    char words[64] = "";
    FILE *f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "re");
    if (!f) return false;
    const char *line = fgets(words, sizeof words, f);
    fclose(f);
    return line && !strstr(line, "[never]");
}

static bool pages_start(void)
{
    pthread_t thread;
    if (pages.started) return true;
    if (pthread_create(&thread, NULL, pages_run, NULL) != 0) return false;
    pthread_detach(thread);
    return pages.started = true;
}

/* Not while a child lives: what it shares would be copied. */
static void pages_turn(RedisModuleCtx *ctx, void *unused)
{
    bool child = server.GetContextFlags(ctx) & CONTEXT_ACTIVE_CHILD;
    (void)unused;
    pthread_mutex_lock(&pages.lock);
    bool goes_on = !pages.useless;
    if (goes_on && pages.list && !child && pages_start()) {
        pages.due = true;
        pthread_cond_signal(&pages.wake);
    }
    pthread_mutex_unlock(&pages.lock);
    if (goes_on) server.CreateTimer(ctx, TURN_MILLISECONDS, pages_turn, NULL);
}

void pages_begin(RedisModuleCtx *ctx)
{
    if (!system_allows_huge_pages()) return;
    if (pthread_atfork(NULL, pages_were_shared, NULL) != 0) return;
    pages.process = getpid(); /* from here on arrays are watched */
    server.CreateTimer(ctx, TURN_MILLISECONDS, pages_turn, NULL);
}
