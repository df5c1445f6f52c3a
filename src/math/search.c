/* search.c - galloping from a guess, then halving; walking downhill. search.h
 * says what for.                                                             */
#include "math/search.h"

/* The smallest value in 1..limit+1 whose answer is `wanted`, where limit + 1
 * stands for "none". Holds throughout: `below` has the other answer (or is 0),
 * `found` has the wanted one (or is limit + 1). */
static uint64_t search_turn(tms_search_fits fits, const void *question, bool wanted, uint64_t guess,
                            uint64_t limit)
{
    uint64_t at = guess < 1 ? 1 : guess > limit ? limit : guess;
    uint64_t below = 0;
    uint64_t found = limit + 1;
    uint64_t step = at / 64 + 1;
    const bool down = fits(question, at) == wanted;

    if (down)
        found = at;
    else
        below = at;
    while (found - below > 1) {
        const uint64_t room = found - below;
        const bool bracketed = down ? below > 0 : found <= limit;
        if (bracketed || step >= room) {
            at = below + room / 2;
        } else {
            at = down ? found - step : below + step;
            step *= 2;
        }
        if (fits(question, at) == wanted)
            found = at;
        else
            below = at;
    }
    return found;
}

bool tms_search_smallest(tms_search_fits fits, const void *question, uint64_t guess, uint64_t limit,
                         uint64_t *value)
{
    *value = search_turn(fits, question, true, guess, limit);
    return *value <= limit;
}

uint64_t tms_search_largest(tms_search_fits fits, const void *question, uint64_t guess,
                            uint64_t limit)
{
    return search_turn(fits, question, false, guess, limit) - 1;
}

uint32_t tms_search_valley(tms_search_rate rate, const void *question, double guess, uint32_t limit,
                           double *lowest)
{
    uint32_t best = guess < 1.0 ? 1 : guess > (double)limit ? limit : (uint32_t)guess;
    bool up = true; /* until a step down has helped */

    *lowest = rate(question, best);
    while (best > 1) {
        const double next = rate(question, best - 1);
        if (!(next < *lowest)) break;
        *lowest = next;
        best--;
        up = false;
    }
    while (up && best < limit) {
        const double next = rate(question, best + 1);
        if (!(next < *lowest)) break;
        *lowest = next;
        best++;
    }
    return best;
}
