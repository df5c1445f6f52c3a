/* body.h - whole-body operations on bit arrays, shared by the bit kinds.
 *
 * Bodies are multiples of 64 bytes. Aligned words are read by relaxed atomic
 * loads, so that a concurrent filter can be measured and saved while others
 * add to it; on every machine we know that is the same instruction as a plain
 * load. Unaligned ones lie in a caller's bytes, which nobody changes.       */
#ifndef TMS_KINDS_BODY_H
#define TMS_KINDS_BODY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "kinds/kind.h"

typedef uint64_t __attribute__((may_alias)) tms_body_cell;

/* The 8 bytes at `at`, in the machine's order: for counting and combining. */
static inline uint64_t tms_body_word(const uint8_t *at)
{
    if (((uintptr_t)at & 7) == 0)
        return __atomic_load_n((const tms_body_cell *)(const void *)at, __ATOMIC_RELAXED);
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

void tms_body_or(uint8_t *dst, const uint8_t *src, uint64_t size);

/* Union and intersection of a bit kind with a body of the same size. */
void tms_body_unite(tamis_filter *dst, const uint8_t *body);
void tms_body_overlap(tamis_filter *dst, const uint8_t *body);

/* Copies from a body that other threads may be adding to; size is a multiple of 8. */
void tms_body_copy(void *dst, const void *src, size_t size);

#endif
