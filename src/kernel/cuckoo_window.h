/* cuckoo_window.h - a bucket's bits in memory: reading and writing a stretch of
 * up to 64 or 128 bits at any bit, in one thread or in many.
 *
 * Alone, a window is the 8 or 16 bytes from the byte in which the stretch
 * begins. A stretch of W bits begins at a multiple of W, so it stands at most
 * 8 - (the lowest bit of W) bits into its first byte; tms_cuckoo_window_is_narrow
 * says whether 8 bytes always hold it.
 *
 * Among threads the same bits are read and written as aligned words by atomic
 * operations. Loads acquire and stores release: with the versions of
 * cuckoo_locks.h around them a reader never takes a half-done move for an
 * absent key.                                                               */
#ifndef TMS_KERNEL_CUCKOO_WINDOW_H
#define TMS_KERNEL_CUCKOO_WINDOW_H

#include "base/bits.h"
#include "base/endian.h"

static inline bool tms_cuckoo_window_is_narrow(uint32_t bits)
{
    uint32_t step = (uint32_t)tms_low_bit(bits); /* beginnings are multiples of it */
    return bits + (step < 8 ? 8 - step : 0) <= 64;
}

static inline tms_u128 cuckoo_low_bits(unsigned bits)
{
    return bits >= 128 ? ~(tms_u128)0 : ((tms_u128)1 << bits) - 1;
}

/* ---- alone -------------------------------------------------------------- */

static inline uint64_t cuckoo_get64(const uint8_t *bytes, uint64_t bit)
{
    return tms_load64(bytes + (bit >> 3)) >> (bit & 7);
}

static inline void cuckoo_flip64(uint8_t *bytes, uint64_t bit, uint64_t flips)
{
    uint8_t *at = bytes + (bit >> 3);
    tms_store64(at, tms_load64(at) ^ flips << (bit & 7));
}

static inline tms_u128 cuckoo_load128(const uint8_t *at)
{
    return (tms_u128)tms_load64(at + 8) << 64 | tms_load64(at);
}

static inline tms_u128 cuckoo_get128(const uint8_t *bytes, uint64_t bit)
{
    return cuckoo_load128(bytes + (bit >> 3)) >> (bit & 7);
}

static inline void cuckoo_flip128(uint8_t *bytes, uint64_t bit, tms_u128 flips)
{
    uint8_t *at = bytes + (bit >> 3);
    const tms_u128 w = cuckoo_load128(at) ^ flips << (bit & 7);
    tms_store64(at, (uint64_t)w);
    tms_store64(at + 8, (uint64_t)(w >> 64));
}

/* ---- among threads ------------------------------------------------------ */

typedef uint64_t __attribute__((may_alias)) cuckoo_cell;

static inline uint64_t cuckoo_cell_load(const uint8_t *bytes, uint64_t index)
{
    const cuckoo_cell *cell = (const cuckoo_cell *)(const void *)(bytes + 8 * index);
    return tms_le64(__atomic_load_n(cell, __ATOMIC_ACQUIRE));
}

static inline void cuckoo_cell_store(uint8_t *bytes, uint64_t index, uint64_t word)
{
    cuckoo_cell *cell = (cuckoo_cell *)(void *)(bytes + 8 * index);
    __atomic_store_n(cell, tms_le64(word), __ATOMIC_RELEASE);
}

/* `width` bits from `bit` on: they lie in one, two or three words. */
static inline tms_u128 cuckoo_get_shared(const uint8_t *bytes, uint64_t bit, unsigned width)
{
    uint64_t index = bit >> 6;
    unsigned shift = bit & 63, got = 64 - shift;
    tms_u128 value = cuckoo_cell_load(bytes, index) >> shift;
    for (; got < width; got += 64) value |= (tms_u128)cuckoo_cell_load(bytes, ++index) << got;
    return value & cuckoo_low_bits(width);
}

/* Only the holder of the chunk's lock writes, so what was read is still there. */
static inline void cuckoo_set_shared(uint8_t *bytes, uint64_t bit, unsigned width, tms_u128 value)
{
    while (width > 0) {
        uint64_t index = bit >> 6;
        unsigned shift = bit & 63, some = 64 - shift < width ? 64 - shift : width;
        uint64_t mask = (uint64_t)cuckoo_low_bits(some) << shift;
        uint64_t old = cuckoo_cell_load(bytes, index);
        uint64_t now = (old & ~mask) | ((uint64_t)value << shift & mask);
        if (now != old) cuckoo_cell_store(bytes, index, now);
        value >>= some;
        bit += some;
        width -= some;
    }
}

#endif
