/* promise.h - how far a plan may stray from the rate that was asked for.
 *
 * Two bars hold for every kind. The true rate at capacity is at most 1.05 times
 * the target. The space is within 3 % of the smallest that meets that bar. A
 * kind plans with a tighter factor of its own (its margin against the first
 * bar) and gives space back where that margin alone would break the second,
 * which happens for targets above about 0.2: there a few per cent of the rate
 * are more than 3 % of the space.                                            */
#ifndef TMS_MATH_PROMISE_H
#define TMS_MATH_PROMISE_H

#include <math.h>
#include <stdbool.h>

static const double tms_promise_rate_bar = 1.05;
static const double tms_promise_space_bar = 1.03;

/* A rate that is never to be exceeded is compared at nine significant digits.
 * Finer than that the model itself is not true: a position taken from 64 bits is
 * uniform over m bits to m / 2^64 only, and single filters scatter far more. */
static const double tms_promise_never = 1.0 + 5e-9;

/* The largest true rate that `factor` allows for the target `fpr`. Never more
 * than half of the way to 1: a filter that lets everything pass keeps no
 * promise, not even one of 0.96 (this bites above a target of 10/11). */
static inline double tms_promise_limit(double fpr, double factor)
{
    return fmin(fpr * factor, 0.5 + 0.5 * fpr);
}

/* Whether keys and rate are numbers a size exists for. Zero keys are planned as
 * one; comparisons are written so that a NaN fails. */
static inline bool tms_promise_sensible(double keys, double fpr)
{
    return keys >= 0.0 && keys < 0x1p62 && fpr > 0.0 && fpr < 1.0;
}

#endif
