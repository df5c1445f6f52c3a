/* blocked_math.h - rate, size and capacity of a blocked Bloom filter.
 *
 * The layout: B lines of 8 lanes of 64 bits (or of fewer counters). A key goes to
 * one uniform line, and there sets one uniform bit in each of k lanes, the window of k lanes that
 * starts at a uniform rotation (cyclic). With two lines per key the table is two
 * halves, each a filter of its own, and a query must pass both.
 * The numbers are exact for this layout and a perfect digest; they count how
 * unevenly the keys fall on the lines, which the classic formula does not.
 * Derivation and checks: docs/math.md, section 3.                            */
#ifndef TMS_MATH_BLOCKED_MATH_H
#define TMS_MATH_BLOCKED_MATH_H

#include <stdbool.h>
#include <stdint.h>

#define TMS_BLOCKED_HASHES_MAX 8
#define TMS_BLOCKED_LINE_BITS 512

/* 2^51 lines are 2^60 bits, the same limit as for the classic filter. */
#define TMS_BLOCKED_LINES_MAX (UINT64_C(1) << 51)

/* A line of 8 lanes of so many places. Blocked filters have 64 bits a lane;
 * blocked counters 16 counters of 4 bits or 8 of 8. */
typedef struct tms_lined {
    uint32_t lane_places;
    uint32_t lines_per_key;
} tms_lined;

/* Expected false-positive rate after `keys` distinct adds to `lines` lines in
 * all, of which each key uses `lines_per_key`, with `hashes` places in each.
 * Relative accuracy 1e-6 or better at any rate. A fraction of a key is
 * interpolated. 0 keys give 0; too few lines, or hashes outside 1..8, give 1.
 * Cost: up to 12 us for rates above 1e-8 per line, up to 0.2 ms below. */
double tms_lined_rate(tms_lined layout, uint64_t lines, uint32_t hashes, double keys);

/* The k in 1..8 with the lowest tms_lined_rate. 1 for 0 keys. */
uint32_t tms_lined_best_hashes(tms_lined layout, uint64_t lines, double keys);

/* The smallest number of lines, a multiple of lines_per_key, whose rate with the
 * best k is at most 1.02 fpr, or fpr with `never_exceed`; less where 1.02 is 3 %
 * above what 1.05 needs (targets above 0.4). False, with the outputs untouched,
 * when the arguments make no sense or the size passes TMS_BLOCKED_LINES_MAX. */
bool tms_lined_size(tms_lined layout, double keys, double fpr, bool never_exceed, uint64_t *lines,
                    uint32_t *hashes);

/* The most keys that tms_lined_size would put into `lines` (a whole number; 0
 * when not even one fits), and the k for that many. Good to one key in 10^8: the
 * capacity of the size for n may be that much short of n. */
double tms_lined_capacity(tms_lined layout, uint64_t lines, double fpr, bool never_exceed,
                          uint32_t *hashes);

/* The chance that the pattern of a random absent key passes this very line:
 * the mean over the 8 rotations of the product of the fills of the window's
 * lanes. lane_ones[i] counts the ones of lane i, 0..lane_places. */
double tms_lined_rate_of_line(uint32_t lane_places, const uint8_t lane_ones[8], uint32_t hashes);

/* ---- the same for lines of bits ---- */

static inline double tms_blocked_rate(uint64_t lines, uint32_t hashes, uint32_t lines_per_key,
                                      double keys)
{
    return tms_lined_rate((tms_lined){64, lines_per_key}, lines, hashes, keys);
}

static inline uint32_t tms_blocked_best_hashes(uint64_t lines, uint32_t lines_per_key, double keys)
{
    return tms_lined_best_hashes((tms_lined){64, lines_per_key}, lines, keys);
}

static inline bool tms_blocked_size(double keys, double fpr, bool never_exceed,
                                    uint32_t lines_per_key, uint64_t *lines, uint32_t *hashes)
{
    return tms_lined_size((tms_lined){64, lines_per_key}, keys, fpr, never_exceed, lines, hashes);
}

static inline double tms_blocked_capacity(uint64_t lines, double fpr, bool never_exceed,
                                          uint32_t lines_per_key, uint32_t *hashes)
{
    return tms_lined_capacity((tms_lined){64, lines_per_key}, lines, fpr, never_exceed, hashes);
}

static inline double tms_blocked_rate_of_line(const uint8_t lane_ones[8], uint32_t hashes)
{
    return tms_lined_rate_of_line(64, lane_ones, hashes);
}

#endif
