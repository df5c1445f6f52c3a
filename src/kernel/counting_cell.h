/* counting_cell.h - one counter in a byte: up, down and sticky.             */
#ifndef TMS_KERNEL_COUNTING_CELL_H
#define TMS_KERNEL_COUNTING_CELL_H

#include <stdbool.h>
#include <stdint.h>

/* What counting down met. */
typedef enum counting_step {
    COUNTING_EMPTY, /* at 0: nothing changed */
    COUNTING_TAKEN, /* one less */
    COUNTING_STUCK  /* sticky: nothing changed */
} counting_step;

static inline unsigned counting_value(unsigned byte, unsigned shift, unsigned most)
{
    return byte >> shift & most;
}

/* `shift` is where in the byte the counter begins, `most` its largest value: a
 * constant in every inlined copy. Up is true when the counter was 0. */
static inline bool counting_up_plain(uint8_t *byte, unsigned shift, unsigned most)
{
    unsigned value = counting_value(*byte, shift, most);
    *byte = (uint8_t)(*byte + ((unsigned)(value < most) << shift));
    return value == 0;
}

static inline counting_step counting_down_plain(uint8_t *byte, unsigned shift, unsigned most)
{
    unsigned value = counting_value(*byte, shift, most);
    if (value == 0) return COUNTING_EMPTY;
    if (value == most) return COUNTING_STUCK;
    *byte = (uint8_t)(*byte - (1u << shift));
    return COUNTING_TAKEN;
}

static inline unsigned counting_read_plain(const uint8_t *byte, unsigned shift, unsigned most)
{
    return counting_value(*byte, shift, most);
}

/* For many threads: a byte is replaced whole or not at all. Relaxed order is
 * enough, as for bits (blocked_shared.c): a counter's value is the sum of what
 * was done to it in whatever order, and the caller's own happens-before says
 * what a query must see. */
static inline unsigned counting_read_shared(const uint8_t *byte, unsigned shift, unsigned most)
{
    return counting_value(__atomic_load_n(byte, __ATOMIC_RELAXED), shift, most);
}

static inline bool counting_up_shared(uint8_t *byte, unsigned shift, unsigned most)
{
    uint8_t seen = __atomic_load_n(byte, __ATOMIC_RELAXED);
    do {
        if (counting_value(seen, shift, most) == most) return false;
    } while (!__atomic_compare_exchange_n(byte, &seen, (uint8_t)(seen + (1u << shift)), true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return counting_value(seen, shift, most) == 0;
}

static inline counting_step counting_down_shared(uint8_t *byte, unsigned shift, unsigned most)
{
    uint8_t seen = __atomic_load_n(byte, __ATOMIC_RELAXED);
    do {
        unsigned value = counting_value(seen, shift, most);
        if (value == 0) return COUNTING_EMPTY;
        if (value == most) return COUNTING_STUCK;
    } while (!__atomic_compare_exchange_n(byte, &seen, (uint8_t)(seen - (1u << shift)), true,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return COUNTING_TAKEN;
}

#endif
