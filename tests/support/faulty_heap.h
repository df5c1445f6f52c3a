/* faulty_heap.h - an allocator that refuses when told to and watches the rest.
 *
 * It hands out memory full of rubbish, keeps the size beside every block, and
 * counts as a fault: a block freed with another size than it was asked for, a
 * write past its end, an alignment that is no power of two up to 64. What is
 * still held can be asked at any time. Any thread may use it.               */
#ifndef TESTS_FAULTY_HEAP_H
#define TESTS_FAULTY_HEAP_H

#include <pthread.h>
#include <stddef.h>
#include <tamis/alloc.h>

typedef struct faulty_heap {
    pthread_mutex_t lock;
    size_t calls;       /* of alloc so far                                */
    size_t fail_at;     /* the call that is refused, 0: none              */
    size_t fail_after;  /* every call after so many is refused, 0: none   */
    size_t blocks;      /* held                                           */
    size_t bytes, peak; /* held, and the most that ever was               */
    size_t faults;      /* of the library, see above                      */
    tamis_alloc alloc;  /* give its address to specs and options          */
} faulty_heap;

void faulty_heap_init(faulty_heap *heap);

/* Refuses call `n` from here on (1: the next); 0 refuses none. */
void faulty_heap_fail(faulty_heap *heap, size_t n);

#endif
