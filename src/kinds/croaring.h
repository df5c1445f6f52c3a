/* croaring.h - sets of 32-bit integers by the Roaring library, behind one table.
 *
 * The table is NULL where the library is built without it, or on a big-endian
 * machine, which it does not serve. A set belongs to whoever made it. Sets come
 * from libc's heap, which the Roaring library asks itself: the one exception to
 * the rule that every byte comes from the filter's allocator.               */
#ifndef TMS_KINDS_CROARING_H
#define TMS_KINDS_CROARING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tms_set32 tms_set32;

typedef struct tms_set32_ops {
    tms_set32 *(*make)(void); /* empty; NULL: no memory, as for all that make one */
    tms_set32 *(*copy)(const tms_set32 *);
    void (*drop)(tms_set32 *);

    bool (*add)(tms_set32 *, uint32_t value);    /* true: was not there */
    bool (*remove)(tms_set32 *, uint32_t value); /* true: was there */
    bool (*contains)(const tms_set32 *, uint32_t value);
    void (*add_range)(tms_set32 *, uint32_t first, uint32_t last);
    void (*remove_range)(tms_set32 *, uint32_t first, uint32_t last);
    void (*add_many)(tms_set32 *, const uint32_t *values, size_t count);

    bool (*is_empty)(const tms_set32 *);
    uint64_t (*count)(const tms_set32 *);
    uint64_t (*count_range)(const tms_set32 *, uint32_t first, uint32_t last);
    uint32_t (*largest)(const tms_set32 *); /* of a set that is not empty */
    /* The values from `from` on, at most `room`; returns how many. */
    uint32_t (*read)(const tms_set32 *, uint32_t from, uint32_t *values, uint32_t room);

    tms_set32 *(*unite)(const tms_set32 *, const tms_set32 *);
    tms_set32 *(*overlap)(const tms_set32 *, const tms_set32 *);

    /* Portable bytes, of the form that the set happens to have (portable.h);
     * `read_bytes` trusts them. */
    size_t (*size_in_bytes)(const tms_set32 *);
    void (*write_bytes)(const tms_set32 *, uint8_t *out);
    tms_set32 *(*read_bytes)(const uint8_t *bytes, size_t size);

    uint64_t (*memory)(const tms_set32 *); /* about */
} tms_set32_ops;

extern const tms_set32_ops *const tms_set32s;

#endif
