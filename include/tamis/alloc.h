/* alloc.h - where a filter's memory comes from.
 *
 * Without an allocator of the caller's, small things come from libc and
 * bodies of 1 MiB and more from the system directly: zeroed lazily, on huge
 * pages where the system offers them, so that creating a filter of many
 * gigabytes takes microseconds.                                             */
#ifndef TAMIS_ALLOC_H
#define TAMIS_ALLOC_H

#include <stddef.h>
#include <tamis/export.h>

TAMIS_BEGIN

/** Every byte a filter owns is asked for and given back through this pair; only
 *  the sets inside a bitmap are the Roaring library's, which asks libc.
 *  `alloc` returns `size` bytes aligned to `align` (a power of two, at most
 *  64), or NULL; the contents do not matter, the library clears them. `free`
 *  gets the pointer and the size that was asked for, never NULL; where memory is
 *  given back as a whole (an arena) it may itself be NULL. Both may be called
 *  from any thread that uses the filter. A struct without `alloc` stands for
 *  the default. The struct is copied; `ctx` must outlive every filter made with
 *  it.                                                                      */
typedef struct tamis_alloc {
    void *ctx;
    void *(*alloc)(void *ctx, size_t size, size_t align);
    void (*free)(void *ctx, void *memory, size_t size);
} tamis_alloc;

TAMIS_END

#endif
