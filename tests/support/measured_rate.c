/* measured_rate.c - see measured_rate.h.                                    */
#include "support/measured_rate.h"

#include <math.h>

#include "support/check.h"
#include "support/splitmix.h"

enum { SLICE = 4096 };

void add_random(tamis_filter *f, uint64_t keys, uint64_t seed)
{
    uint64_t digests[SLICE];
    splitmix random = {seed};
    for (uint64_t done = 0; done < keys; done += SLICE) {
        const size_t some = keys - done < SLICE ? (size_t)(keys - done) : SLICE;
        const tamis_keys batch = tamis_keys_digests(digests, some);
        splitmix_fill(&random, digests, some);
        CHECK_OK(tamis_add_many(f, &batch, NULL));
    }
}

uint64_t count_maybes(const tamis_filter *f, uint64_t questions, uint64_t seed)
{
    uint64_t digests[SLICE], maybes = 0;
    splitmix random = {seed};
    for (uint64_t done = 0; done < questions; done += SLICE) {
        const size_t some = questions - done < SLICE ? (size_t)(questions - done) : SLICE;
        const tamis_keys batch = tamis_keys_digests(digests, some);
        splitmix_fill(&random, digests, some);
        maybes += tamis_may_contain_many(f, &batch, NULL);
    }
    return maybes;
}

/* Filters differ, small ones a lot: the error of the mean comes from how far
 * they do. For a few large ones it is that of the questions alone. */
static double rate_error(const measured_rate *m, double squares, unsigned filters)
{
    const double n = (double)m->asked, binomial = sqrt(m->rate * (1 - m->rate) / n);
    if (filters < 30) return binomial;
    const double variance = squares / filters - m->rate * m->rate;
    return fmax(binomial, sqrt(fmax(variance, 0) / filters));
}

measured_rate measure_rate(const tamis_spec *spec, uint64_t keys, unsigned filters,
                           uint64_t questions, uint64_t seed)
{
    measured_rate m = {.asked = filters * questions};
    tamis_filter *f = NULL;
    tamis_sizing sizing;
    double squares = 0;
    CHECK_OK(tamis_plan(spec, &sizing));
    CHECK_OK(tamis_create(spec, &f));
    for (unsigned i = 0; i < filters; i++) {
        const uint64_t own = seed + i * UINT64_C(0x100000001);
        if (i) CHECK_OK(tamis_clear(f));
        add_random(f, keys, own * 2 + 1);
        const uint64_t maybes = count_maybes(f, questions, ~own * 2);
        const double rate = (double)maybes / (double)questions;
        m.maybes += maybes;
        squares += rate * rate;
    }
    tamis_free(f);
    m.planned = sizing.fpr;
    m.rate = (double)m.maybes / (double)m.asked;
    m.sigma = rate_error(&m, squares, filters);
    return m;
}
