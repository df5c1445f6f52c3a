/* memory.c - see memory.h.                                                  */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* MAP_ANONYMOUS and madvise */
#endif
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Bodies from this size on are mapped: below, a page-aligned map wastes more
 * than lazy zeroing saves. */
#define MEMORY_MAP_FROM ((uint64_t)1 << 20)
#define MEMORY_HUGE ((uint64_t)2 << 20)

static void *memory_from_caller(const tamis_alloc *alloc, size_t size, size_t align)
{
    void *p = alloc->alloc(alloc->ctx, size, align);
    if (p) memset(p, 0, size);
    return p;
}

void *tms_alloc(const tamis_alloc *alloc, size_t size)
{
    if (alloc && alloc->alloc) return memory_from_caller(alloc, size, 64);
    if (size > SIZE_MAX - 63) return NULL;
    void *p = aligned_alloc(64, (size + 63) & ~(size_t)63);
    if (p) memset(p, 0, size);
    return p;
}

void tms_free(const tamis_alloc *alloc, void *memory, size_t size)
{
    if (!memory) return;
    if (!alloc || !alloc->alloc)
        free(memory);
    else if (alloc->free)
        alloc->free(alloc->ctx, memory, size);
}

void *tms_lengthen(const tamis_alloc *alloc, void *list, size_t item, size_t *room)
{
    size_t more = *room ? 2 * *room : 16;
    void *longer = tms_alloc(alloc, more * item);
    if (!longer) return NULL;
    if (*room) memcpy(longer, list, *room * item);
    tms_free(alloc, list, *room * item);
    *room = more;
    return longer;
}

void tms_wipe(void *memory, size_t size)
{
    memset(memory, 0, size);
    __asm__ volatile("" : : "r"(memory) : "memory"); /* or the compiler leaves it out */
}

/* Rounded up to whole pages; less than `size` when there is no such number. */
static uint64_t memory_pages(uint64_t size)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

/* Maps `size` bytes at a multiple of 2 MiB, by mapping more and giving back
 * the two ends; the kernel can back only aligned spans with huge pages. */
static void *memory_map(uint64_t size)
{
    uint64_t want = memory_pages(size);
    if (want < size || want > SIZE_MAX - MEMORY_HUGE) return NULL;
    uint8_t *raw = mmap(NULL, (size_t)(want + MEMORY_HUGE), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return NULL;
    uint64_t head = (MEMORY_HUGE - (uintptr_t)raw % MEMORY_HUGE) % MEMORY_HUGE;
    uint64_t tail = MEMORY_HUGE - head;
    if (head) munmap(raw, (size_t)head);
    if (tail) munmap(raw + head + want, (size_t)tail);
#ifdef MADV_HUGEPAGE
    (void)madvise(raw + head, (size_t)want, MADV_HUGEPAGE); /* advice: may be refused */
#endif
    return raw + head;
}

static bool memory_is_mapped(const tamis_alloc *alloc, uint64_t size)
{
    return !(alloc && alloc->alloc) && size >= MEMORY_MAP_FROM;
}

void *tms_alloc_body(const tamis_alloc *alloc, uint64_t size)
{
    if (size > SIZE_MAX) return NULL;
    if (memory_is_mapped(alloc, size)) return memory_map(size);
    return tms_alloc(alloc, (size_t)size);
}

void tms_free_body(const tamis_alloc *alloc, void *body, uint64_t size)
{
    if (!body) return;
    if (memory_is_mapped(alloc, size))
        munmap(body, (size_t)memory_pages(size));
    else
        tms_free(alloc, body, (size_t)size);
}

void tms_zero_body(const tamis_alloc *alloc, void *body, uint64_t size)
{
#ifdef __linux__
    if (memory_is_mapped(alloc, size) && madvise(body, (size_t)size, MADV_DONTNEED) == 0) return;
#endif
    memset(body, 0, (size_t)size);
}
