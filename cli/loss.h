/* loss.h - how many unseen lines a filter has called seen.                  */
#ifndef CLI_LOSS_H
#define CLI_LOSS_H

#include <tamis/tamis.h>

/* The expected number of new keys that were taken for known, while `fresh` keys
 * were told new; those are the last that went into the filter.
 *
 * A new key is taken for known with the rate r of that moment. It then leaves
 * the bits as they are, which is as if it had been added: so the bits tell how
 * many distinct keys came, and what was lost is the sum of r over them, taken
 * back from the present until `fresh` of them were told new. The rate at an
 * earlier number of keys is the planner's for this very shape, scaled to the
 * rate that the bits have now.
 *
 * What a window has forgotten is taken to have met the rate of now.
 *
 * INFINITY when the filter is so full that its bits tell nothing any more. Cost:
 * one pass over the filter. */
double cli_expected_losses(const tamis_filter *filter, uint64_t fresh);

#endif
