/* cuckoo_packed.h - a bucket whose places lie side by side in memory too.
 *
 * What is loaded has bits of the neighbour above the bucket's own: the loops look
 * at places only, and invert bits of these.                                 */
#ifndef TMS_KERNEL_CUCKOO_PACKED_H
#define TMS_KERNEL_CUCKOO_PACKED_H

#include "kernel/cuckoo_kernel.h"
#include "kernel/cuckoo_window.h"

static inline uint64_t cuckoo_bit(const tms_cuckoo_table *t, uint32_t bucket)
{
    return (uint64_t)bucket * t->bucket_bits;
}

static inline uint64_t cuckoo_load_narrow(const tms_cuckoo_table *t, const uint8_t *chunk,
                                          uint32_t bucket)
{
    return cuckoo_get64(chunk, cuckoo_bit(t, bucket));
}

static inline void cuckoo_flip_narrow(const tms_cuckoo_table *t, uint8_t *chunk, uint32_t bucket,
                                      uint64_t w, uint64_t flips)
{
    (void)w;
    cuckoo_flip64(chunk, cuckoo_bit(t, bucket), flips);
}

static inline tms_u128 cuckoo_load_wide(const tms_cuckoo_table *t, const uint8_t *chunk,
                                        uint32_t bucket)
{
    return cuckoo_get128(chunk, cuckoo_bit(t, bucket));
}

static inline void cuckoo_flip_wide(const tms_cuckoo_table *t, uint8_t *chunk, uint32_t bucket,
                                    tms_u128 w, tms_u128 flips)
{
    (void)w;
    cuckoo_flip128(chunk, cuckoo_bit(t, bucket), flips);
}

#endif
