/* splitmix.h - random numbers that are the same on every machine: splitmix64
 * (Steele, Lea and Flood, 2014). A test names its seed and is repeatable.   */
#ifndef TESTS_SPLITMIX_H
#define TESTS_SPLITMIX_H

#include <stddef.h>
#include <stdint.h>

typedef struct splitmix {
    uint64_t state;
} splitmix;

static inline uint64_t splitmix_next(splitmix *s)
{
    uint64_t x = s->state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

/* Uniform below `limit`, to one part in 2^32; limit below 2^32. */
static inline uint64_t splitmix_below(splitmix *s, uint64_t limit)
{
    return (splitmix_next(s) >> 32) * limit >> 32;
}

static inline void splitmix_fill(splitmix *s, uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) values[i] = splitmix_next(s);
}

#endif
