/* bitmap.h - what only exact sets of 64-bit integers can do.
 *
 * A filter of kind TAMIS_KIND_BITMAP holds integers themselves, in a Roaring
 * bitmap, so it gives no wrong answer, and it can be walked in order. It is
 * created, added to, asked, merged, intersected, saved and opened as every other
 * filter (filter.h, combine.h, file.h); its keys are integers (tamis_add_u64,
 * tamis_keys_u64), that is, keys of exactly 8 little-endian bytes. A key of any
 * other size is refused by adding (TAMIS_E_SPEC), and is certainly not there
 * when asked for. It is a set: an integer that was added twice is removed by one
 * tamis_remove_u64. It needs neither capacity nor rate.
 *
 *      tamis_spec spec = { .kind = TAMIS_KIND_BITMAP };
 *      tamis_create(&spec, &ids);
 *      tamis_bitmap_add_range(ids, 1000, 1999);
 *      tamis_remove_u64(ids, 1234);
 *      tamis_bitmap_count(ids, 0, UINT64_MAX);         999
 *
 * Ranges are given by their first and last integer, both included; a range whose
 * first is above its last is empty.
 *
 * Every call gives TAMIS_E_UNSUPPORTED, 0 or false for a filter of another kind;
 * calls that change give TAMIS_E_READONLY for maps and views. Threads: any number
 * may ask, count, read and encode at once; changing needs the filter to itself.
 *
 * Memory: the Roaring library asks libc's heap for the sets, whatever allocator
 * the filter has, and does not survive that heap's refusal: cap what you load
 * (tamis_open_options.memory; a set takes up to ten times its bytes).       */
#ifndef TAMIS_BITMAP_H
#define TAMIS_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/export.h>
#include <tamis/filter.h>

TAMIS_BEGIN

/* ---- ranges ------------------------------------------------------------- */

/** Adds every integer from `first` to `last`. Errors: TAMIS_E_LIMIT (more than
 *  2^36 integers at once), TAMIS_E_FULL (strict), TAMIS_E_NOMEM,
 *  TAMIS_E_READONLY; nothing is added then.
 *  Cost: about 0.1 us and 60 bytes for every 65,536 integers.               */
TAMIS_API tamis_status tamis_bitmap_add_range(tamis_filter *f, uint64_t first, uint64_t last);

/** Removes every integer from `first` to `last`; `*gone`, when not NULL, gets how
 *  many of them were there. Ranges of any length. Errors: TAMIS_E_READONLY.
 *  Cost: what was there.                                                    */
TAMIS_API tamis_status tamis_bitmap_remove_range(tamis_filter *f, uint64_t first, uint64_t last,
                                                 uint64_t *gone);

/** How many integers from `first` to `last` there are; (0, UINT64_MAX) counts
 *  all. Cost: a few nanoseconds for every 65,536 integers that lie there.   */
TAMIS_API uint64_t tamis_bitmap_count(const tamis_filter *f, uint64_t first, uint64_t last);

/** Writes the integers from `from` on, ascending, at most `room` of them, and
 *  returns how many were written: fewer than `room` at the end. To read all, go
 *  on from the last one plus 1. Cost: a search, then 1 to 2 ns an integer.  */
TAMIS_API size_t tamis_bitmap_read(const tamis_filter *f, uint64_t from, uint64_t *values,
                                   size_t room);

/* ---- Roaring bytes of other languages ----------------------------------- */

/* The portable serialisation of 64-bit Roaring bitmaps (the 64-bit extension of
 * RoaringFormatSpec), which C++, Java, Go, Rust and Python read and write. Equal
 * sets give equal bytes. The body of a saved bitmap is the same.            */

/** Bytes that tamis_bitmap_encode writes. 0: no memory to tell, or no bitmap.
 *  Cost: a pass over the set.                                               */
TAMIS_API uint64_t tamis_bitmap_encoded_size(const tamis_filter *f);

/** Writes the portable bytes into a buffer of at least tamis_bitmap_encoded_size
 *  bytes. Errors: TAMIS_E_SPEC (room too small), TAMIS_E_NOMEM,
 *  TAMIS_E_UNSUPPORTED. Cost: two passes over the set; memory: a copy of the
 *  integers of one high word.                                               */
TAMIS_API tamis_status tamis_bitmap_encode(const tamis_filter *f, void *bytes, size_t room);

/** Builds a bitmap from exactly `size` untrusted portable bytes, which are copied.
 *  `spec` may be NULL; its kind is ignored, its capacity, flags, seed, secret and
 *  allocator are the filter's. Bytes are judged before anything is built: any
 *  chunk form and empty parts are taken, whatever is not a set in ascending order
 *  is refused. Errors: TAMIS_E_TRUNCATED, TAMIS_E_CORRUPT, TAMIS_E_FULL (strict),
 *  TAMIS_E_NOMEM, TAMIS_E_UNAVAILABLE, those of tamis_plan; `*out` is NULL then.
 *  Free with tamis_free. Cost: two passes. Any thread.                      */
TAMIS_API tamis_status tamis_bitmap_decode(const void *bytes, size_t size, const tamis_spec *spec,
                                           tamis_filter **out);

/* ---- strings of bits ---------------------------------------------------- */

/* The layout of Redis's SETBIT: bit 0 is the most significant bit of byte 0. Bit
 * i of the string is the integer base + i.                                  */

/** Bytes of the shortest string, from base 0, that holds every integer; 0 when
 *  there is none. Cost: none.                                               */
TAMIS_API uint64_t tamis_bitmap_dense_size(const tamis_filter *f);

/** Adds the integers of all bits that are set. Errors: TAMIS_E_SPEC (base + bits
 *  pass 2^64), TAMIS_E_FULL (strict), TAMIS_E_NOMEM, TAMIS_E_READONLY; nothing is
 *  added then. Cost: a pass over the bytes and a few ns a bit that is set.  */
TAMIS_API tamis_status tamis_bitmap_add_dense(tamis_filter *f, uint64_t base, const void *bytes,
                                              size_t size);

/** Fills `size` bytes with the integers from `base` to base + 8 size - 1; those
 *  outside this window are left out. Errors: TAMIS_E_SPEC (base + bits pass 2^64),
 *  TAMIS_E_UNSUPPORTED. Cost: clearing the bytes and 2 ns an integer.       */
TAMIS_API tamis_status tamis_bitmap_write_dense(const tamis_filter *f, uint64_t base, void *bytes,
                                                size_t size);

TAMIS_END

#endif
