/* memory.h - every byte of the library comes from here.
 *
 * A NULL allocator means libc for small things and, for bodies, pages from
 * the system: zeroed when first touched, aligned to 2 MiB and offered huge
 * pages, because with 4 KiB pages a random read in a gigabyte costs a page
 * walk on top of the line (three times slower, measured in bench/).         */
#ifndef TMS_BASE_MEMORY_H
#define TMS_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <tamis/alloc.h>

enum { TMS_LINE = 64 }; /* bytes of a cache line: the unit of bodies */

/* Zeroed memory for structs and tables, or NULL. Free with tms_free and the same size. */
void *tms_alloc(const tamis_alloc *alloc, size_t size);
void tms_free(const tamis_alloc *alloc, void *memory, size_t size);

/* A list of twice the room (16 items at first) in place of `list`, with the same
 * contents; `*room` counts items of `item` bytes. NULL: refused, and all is as it
 * was. */
void *tms_lengthen(const tamis_alloc *alloc, void *list, size_t item, size_t *room);

/* Clears what was secret, also where nobody reads it afterwards. */
void tms_wipe(void *memory, size_t size);

/* A zeroed body aligned to at least 64 bytes, or NULL. Free with tms_free_body. */
void *tms_alloc_body(const tamis_alloc *alloc, uint64_t size);
void tms_free_body(const tamis_alloc *alloc, void *body, uint64_t size);

/* Makes a body all zero again; large ones by giving the pages back. */
void tms_zero_body(const tamis_alloc *alloc, void *body, uint64_t size);

#endif
