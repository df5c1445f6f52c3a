/* measured_rate.h - the false-positive rate of filters, by asking for keys that
 * were never added, with the error of the measurement.                      */
#ifndef TESTS_MEASURED_RATE_H
#define TESTS_MEASURED_RATE_H

#include <tamis/tamis.h>

typedef struct measured_rate {
    double rate;     /* mean over all filters and questions               */
    double sigma;    /* standard error of the mean                        */
    double planned;  /* tamis_sizing.fpr                                  */
    uint64_t asked;  /* questions in all                                  */
    uint64_t maybes; /* answers "maybe" among them                        */
} measured_rate;

/* Fills `filters` filters of this spec, one after the other, with `keys` random
 * digests each, and asks each of them `questions` times for other digests. */
measured_rate measure_rate(const tamis_spec *spec, uint64_t keys, unsigned filters,
                           uint64_t questions, uint64_t seed);

/* "Maybe" among `questions` random digests. */
uint64_t count_maybes(const tamis_filter *f, uint64_t questions, uint64_t seed);

/* Adds random digests, the same for the same seed. */
void add_random(tamis_filter *f, uint64_t keys, uint64_t seed);

#endif
