/* math_check.h - what the tests of the mathematics share: comparisons that name
 * their row, a random sequence, and the blocked layout in a few lines, written
 * from its definition and not from the kernels.                              */
#ifndef TMS_TESTS_MATH_CHECK_H
#define TMS_TESTS_MATH_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/bits.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define COUNT(rows) (sizeof(rows) / sizeof(rows)[0])

static inline void check(const char *why, bool holds, double got, double want)
{
    if (holds) return;
    fail_msg("%s: got %.12g, want %.12g", why, got, want);
}

static inline void check_near(const char *why, double got, double want, double relative)
{
    check(why, fabs(got - want) <= relative * fabs(want), got, want);
}

static inline uint64_t math_random(uint64_t *state)
{
    return tms_mix64(*state += UINT64_C(0x9e3779b97f4a7c15));
}

/* ---- the blocked layout in small, for simulations ---- */

enum { SIM_LINES = 600 };

typedef struct sim_table {
    uint64_t lane[SIM_LINES][8];
    uint32_t lines, hashes;
} sim_table;

static inline void sim_add(sim_table *t, uint64_t digest)
{
    const uint64_t pattern = digest * UINT64_C(0x9e3779b97f4a7c15);
    uint64_t *line = t->lane[tms_mulhi(digest, t->lines)];

    for (uint32_t i = 0; i < t->hashes; i++) {
        const uint32_t lane = (uint32_t)((pattern >> 61) + i) % 8;
        line[lane] |= UINT64_C(1) << ((pattern >> (7 * lane)) & 63);
    }
}

static inline void sim_fill(sim_table *t, uint32_t lines, uint32_t hashes, uint32_t keys,
                            uint64_t *seed)
{
    memset(t, 0, sizeof *t);
    t->lines = lines;
    t->hashes = hashes;
    for (uint32_t i = 0; i < keys; i++) sim_add(t, math_random(seed));
}

#endif
