/* search.h - turning points of questions and valleys of rates.
 *
 * Sizes and capacities are both turning points: "do this many bits suffice?"
 * turns from no to yes once, "do this many keys fit?" from yes to no once. The
 * search starts at a guess, walks away from it in doubling steps and halves the
 * rest, so a good guess costs about 2 log2(error) questions and a bad one at
 * most about 128. The best number of hashes is the floor of a valley. Neither
 * knows anything of filters.                                                 */
#ifndef TMS_MATH_SEARCH_H
#define TMS_MATH_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

typedef bool (*tms_search_fits)(const void *question, uint64_t value);
typedef double (*tms_search_rate)(const void *question, uint32_t hashes);

/* The smallest value in 1..limit that fits, for a question that is false up to
 * some value and true from there on. False when not even `limit` fits. */
bool tms_search_smallest(tms_search_fits fits, const void *question, uint64_t guess, uint64_t limit,
                         uint64_t *value);

/* The largest value in 0..limit that fits, for a question that is true up to
 * some value and false from there on; 0 is taken to fit without asking. */
uint64_t tms_search_largest(tms_search_fits fits, const void *question, uint64_t guess,
                            uint64_t limit);

/* The number of hashes in 1..limit with the lowest rate, and that rate, for a
 * rate that falls to one valley and rises again. Walks from `guess` and moves
 * only to a strictly lower rate, so level ground ends the walk. */
uint32_t tms_search_valley(tms_search_rate rate, const void *question, double guess, uint32_t limit,
                           double *lowest);

#endif
