/* combine.h - the steps of unions and folds, for each other.                */
#ifndef TMS_FACADE_COMBINE_H
#define TMS_FACADE_COMBINE_H

#include "kinds/kind.h"

/* Folds by a factor that divides the size; the body must be f's own. */
tamis_status tms_fold_by(tamis_filter *f, uint64_t factor);

/* After a union with src, when dst had taken `before` keys: what is known of their
 * number, made consistent with the bits. */
void tms_combine_count(tamis_filter *dst, const tamis_filter *src, uint64_t before,
                       double estimate);

/* How many keys an intersection holds only its bits can say. */
void tms_combine_estimate(tamis_filter *f, const tms_measure *m);

/* Lost bytes of both may lie apart; after folding they are neighbours of others,
 * so no more is known than that they are at most the body. */
void tms_combine_damage(tamis_filter *f, uint64_t more);

/* The union of two composed filters of one hash, or, with `meet`, the
 * intersection; *m is what the result says. */
tamis_status tms_combine_parts(tamis_filter *dst, const tamis_filter *src, bool meet,
                               tms_measure *m);

#endif
