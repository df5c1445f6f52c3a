/* faulty_heap.c - see faulty_heap.h.                                        */
#include "support/faulty_heap.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAD = 64, TAIL = 16, RUBBISH = 0xa5, FENCE = 0x5e };

static void *faulty_alloc(void *ctx, size_t size, size_t align)
{
    faulty_heap *heap = ctx;
    pthread_mutex_lock(&heap->lock);
    const size_t call = ++heap->calls;
    const bool refused = call == heap->fail_at || (heap->fail_after && call > heap->fail_after);
    if (align == 0 || align > 64 || (align & (align - 1)) != 0) heap->faults++;
    uint8_t *block = refused || size > SIZE_MAX / 2
                         ? NULL
                         : aligned_alloc(64, (HEAD + size + TAIL + 63) / 64 * 64);
    if (block) {
        heap->blocks++;
        heap->bytes += size;
        if (heap->bytes > heap->peak) heap->peak = heap->bytes;
    }
    pthread_mutex_unlock(&heap->lock);
    if (!block) return NULL;
    memcpy(block, &size, sizeof size);
    memset(block + HEAD, RUBBISH, size);
    memset(block + HEAD + size, FENCE, TAIL);
    return block + HEAD;
}

static void faulty_free(void *ctx, void *memory, size_t size)
{
    faulty_heap *heap = ctx;
    uint8_t *block = (uint8_t *)memory - HEAD;
    size_t asked;
    memcpy(&asked, block, sizeof asked);
    size_t faults = asked != size;
    for (size_t i = 0; i < TAIL; i++) faults += block[HEAD + asked + i] != FENCE;
    pthread_mutex_lock(&heap->lock);
    heap->faults += faults;
    heap->blocks--;
    heap->bytes -= asked;
    pthread_mutex_unlock(&heap->lock);
    free(block);
}

void faulty_heap_init(faulty_heap *heap)
{
    memset(heap, 0, sizeof *heap);
    pthread_mutex_init(&heap->lock, NULL);
    heap->alloc = (tamis_alloc){.ctx = heap, .alloc = faulty_alloc, .free = faulty_free};
}

void faulty_heap_fail(faulty_heap *heap, size_t n)
{
    heap->fail_at = n ? heap->calls + n : 0;
}
