/* checked.h - products and sums of sizes that say when they do not fit.     */
#ifndef TMS_BASE_CHECKED_H
#define TMS_BASE_CHECKED_H

#include <stdbool.h>
#include <stdint.h>

/* True and *out = a * b, or false when the product passes 64 bits. */
static inline bool tms_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool tms_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

/* a / b rounded up; b > 0. */
static inline uint64_t tms_div_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* `a` rounded up to a multiple of b > 0; false when that passes 64 bits. */
static inline bool tms_round_up(uint64_t a, uint64_t b, uint64_t *out)
{
    return tms_mul_u64(tms_div_up(a, b), b, out);
}

#endif
