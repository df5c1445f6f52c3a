/* counter.h - a count that many threads raise without meeting in one cache
 * line: each thread has a stripe, and reading adds the stripes up. A count with
 * one writer has no stripes, and 16 bytes.                                  */
#ifndef TMS_BASE_COUNTER_H
#define TMS_BASE_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

enum { TMS_COUNTER_STRIPES = 8 };

typedef struct tms_stripe {
    _Alignas(64) _Atomic uint64_t count;
} tms_stripe;

typedef struct tms_counter {
    _Atomic uint64_t own;
    tms_stripe *stripes; /* TMS_COUNTER_STRIPES of them, the owner's to free; or NULL */
} tms_counter;

/* This thread's stripe. */
unsigned tms_counter_stripe(void);

static inline void tms_counter_add(tms_counter *c, uint64_t n)
{
    _Atomic uint64_t *count = c->stripes ? &c->stripes[tms_counter_stripe()].count : &c->own;
    atomic_fetch_add_explicit(count, n, memory_order_relaxed);
}

/* The same for a counter with one writer: no locked instruction. */
static inline void tms_counter_add_alone(tms_counter *c, uint64_t n)
{
    uint64_t old = atomic_load_explicit(&c->own, memory_order_relaxed);
    atomic_store_explicit(&c->own, old + n, memory_order_relaxed);
}

/* Not a moment's snapshot while others add, but never less than what
 * happened before the call. */
static inline uint64_t tms_counter_sum(const tms_counter *c)
{
    uint64_t sum = atomic_load_explicit(&c->own, memory_order_relaxed);
    for (unsigned i = 0; c->stripes && i < TMS_COUNTER_STRIPES; i++)
        sum += atomic_load_explicit(&c->stripes[i].count, memory_order_relaxed);
    return sum;
}

/* Needs the counter to itself. */
static inline void tms_counter_set(tms_counter *c, uint64_t n)
{
    atomic_store_explicit(&c->own, n, memory_order_relaxed);
    for (unsigned i = 0; c->stripes && i < TMS_COUNTER_STRIPES; i++)
        atomic_store_explicit(&c->stripes[i].count, 0, memory_order_relaxed);
}

#endif
