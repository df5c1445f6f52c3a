/* cuckoo_locks.h - one writer a chunk, and readers who notice it.
 *
 * The version of a chunk counts the writers that have been there. Its lowest
 * bit says that one is at work, which only one can be; the next that writers are
 * held back, while somebody copies the body. A reader that saw the same version
 * before and after, and no writer, has seen no half of a move. A key that was
 * found needs no such proof: at worst it is "maybe".                        */
#ifndef TMS_KERNEL_CUCKOO_LOCKS_H
#define TMS_KERNEL_CUCKOO_LOCKS_H

#include <sched.h>

#include "kernel/cuckoo_kernel.h"

static inline _Atomic uint32_t *cuckoo_version_of(const tms_cuckoo_table *t, uint64_t chunk)
{
    return &t->locks[chunk % TMS_CUCKOO_LOCKS].version;
}

/* The holder is done within microseconds unless it was put to sleep. */
static inline void cuckoo_wait(unsigned *turns)
{
    if (++*turns % 64 == 0) sched_yield();
}

enum { CUCKOO_IS_WRITING = 1, CUCKOO_IS_HELD = 2, CUCKOO_NEXT = 4 };

/* Sets one of the two bits, once neither is set. */
static inline void cuckoo_raise(_Atomic uint32_t *version, uint32_t bit)
{
    for (unsigned turns = 0;; cuckoo_wait(&turns)) {
        uint32_t quiet = atomic_load_explicit(version, memory_order_relaxed);
        if (quiet & (CUCKOO_IS_WRITING | CUCKOO_IS_HELD)) continue;
        if (atomic_compare_exchange_weak_explicit(version, &quiet, quiet | bit,
                                                  memory_order_acquire, memory_order_relaxed))
            return;
    }
}

static inline void cuckoo_lock(const tms_cuckoo_table *t, uint64_t chunk)
{
    cuckoo_raise(cuckoo_version_of(t, chunk), CUCKOO_IS_WRITING);
}

static inline void cuckoo_unlock(const tms_cuckoo_table *t, uint64_t chunk)
{
    _Atomic uint32_t *version = cuckoo_version_of(t, chunk);
    uint32_t now = atomic_load_explicit(version, memory_order_relaxed); /* nobody else changes it */
    atomic_store_explicit(version, now - CUCKOO_IS_WRITING + CUCKOO_NEXT, memory_order_release);
}

/* The version, as soon as nobody is writing. */
static inline uint32_t cuckoo_version(const tms_cuckoo_table *t, uint64_t chunk)
{
    for (unsigned turns = 0;; cuckoo_wait(&turns)) {
        uint32_t version = atomic_load_explicit(cuckoo_version_of(t, chunk), memory_order_acquire);
        if (!(version & CUCKOO_IS_WRITING)) return version;
    }
}

/* Whether nobody has written since. What was read before stays before: those
 * loads acquire. */
static inline bool cuckoo_is_version(const tms_cuckoo_table *t, uint64_t chunk, uint32_t version)
{
    uint32_t now = atomic_load_explicit(cuckoo_version_of(t, chunk), memory_order_relaxed);
    return ((now ^ version) & ~(uint32_t)CUCKOO_IS_HELD) == 0;
}

#endif
