/* combine.c - union, intersection and folding.
 *
 * Two filters of different sizes are folded to the greatest common divisor of
 * their sizes first. Whatever can fail is tried on a filter of its own, which
 * then takes the place of the old body: so every call is all or nothing.    */
#include "facade/combine.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <tamis/combine.h>

#include "base/fail.h"
#include "base/memory.h"
#include "facade/add_key.h"
#include "facade/origin.h"
#include "facade/planner.h"
#include "math/estimate.h"
#include "kinds/body.h"

/* A union that says "maybe" more often than this to absent keys is refused
 * when folding, not the keys, would be the reason. */
static const double combine_worst_fold = 0.5;

static tamis_status combine_can(const tamis_filter *f, uint32_t ability, const char *what)
{
    if (tms_filter_abilities(f) & ability) return TAMIS_OK;
    return tms_fail(TAMIS_E_UNSUPPORTED, "a %s filter cannot be %s", f->kind->name, what);
}

/* ---- do they fit? ------------------------------------------------------- */

static tamis_status combine_check_hash(const tms_hasher *a, const tms_hasher *b)
{
    if (a->id != b->id)
        return tms_fail(TAMIS_E_MISMATCH, "the filters hash with %s and %s", tamis_hash_name(a->id),
                        tamis_hash_name(b->id));
    if (a->seed != b->seed)
        return tms_fail(TAMIS_E_MISMATCH,
                        "the filters have the seeds %" PRIu64 " and %" PRIu64
                        "; build both with the same seed",
                        a->seed, b->seed);
    if (a->fingerprint != b->fingerprint)
        return tms_fail(TAMIS_E_SECRET, "the filters were made with different secrets");
    return TAMIS_OK;
}

static tamis_status combine_check(const tamis_filter *dst, const tamis_filter *src)
{
    if (dst->kind != src->kind)
        return tms_fail(TAMIS_E_MISMATCH, "a %s and a %s filter do not fit together",
                        dst->kind->name, src->kind->name);
    bool hashed = (dst->kind->abilities & TAMIS_CAN_DIGESTS) != 0; /* else any two keys agree */
    if (hashed) TMS_TRY(combine_check_hash(&dst->hasher, &src->hasher));
    return dst->kind->fits ? dst->kind->fits(&dst->shape, &src->shape) : TAMIS_OK;
}

static uint64_t combine_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

typedef struct combine_folds {
    uint64_t dst, src;
} combine_folds;

/* Sizes that share too small a divisor would fold into a filter of no use. */
static tamis_status combine_check_folds(const tamis_filter *dst, const tamis_filter *src,
                                        combine_folds folds)
{
    tms_shape folded;
    double keys = (double)tms_counter_sum(&dst->added) + (double)tms_counter_sum(&src->added);
    TMS_TRY(combine_can(dst, TAMIS_CAN_FOLD, "folded to the size of another"));
    dst->kind->fold_shape(&dst->shape, folds.dst, &folded);
    if (dst->kind->rate(&folded, keys) <= combine_worst_fold) return TAMIS_OK;
    return tms_fail(TAMIS_E_MISMATCH,
                    "the sizes %" PRIu64 " and %" PRIu64 " have only %" PRIu64
                    " in common: folded to that, the result would say "
                    "\"maybe\" to nearly everything; plan both with the same capacity and rate",
                    dst->kind->fold_size(&dst->shape), src->kind->fold_size(&src->shape),
                    dst->kind->fold_size(&folded));
}

static tamis_status combine_find_folds(const tamis_filter *dst, const tamis_filter *src,
                                       combine_folds *folds)
{
    uint64_t a = dst->kind->fold_size(&dst->shape), b = src->kind->fold_size(&src->shape);
    uint64_t common = combine_gcd(a, b);
    *folds = (combine_folds){.dst = a / common, .src = b / common};
    return folds->dst == 1 && folds->src == 1 ? TAMIS_OK : combine_check_folds(dst, src, *folds);
}

/* ---- folding ------------------------------------------------------------ */

static tamis_status combine_folded(const tamis_filter *f, uint64_t factor, tamis_filter **out)
{
    tms_shape shape;
    tms_family family = {.hasher = &f->hasher, .alloc = &f->alloc};
    f->kind->fold_shape(&f->shape, factor, &shape);
    shape.capacity = f->shape.capacity / factor ? f->shape.capacity / factor : 1;
    TMS_TRY(tms_filter_make(f->kind, &shape, family, out));
    if (factor == 1)
        tms_body_copy((*out)->body, f->body, (size_t)shape.body_bytes);
    else
        f->kind->fold(f, factor, (*out)->body);
    return TAMIS_OK;
}

/* Puts the shape and body of `made` in place of f's; `made` is used up. */
static void combine_take_over(tamis_filter *f, tamis_filter *made)
{
    if (f->owner == TMS_BODY_OWNED) {
        uint8_t *old = f->body;
        uint64_t old_bytes = f->shape.body_bytes;
        f->body = made->body;
        f->shape = made->shape;
        made->body = old;
        made->shape.body_bytes = old_bytes;
        f->kind->attach(f);
    } else { /* a caller's buffer: the size is the same */
        memcpy(f->body, made->body, (size_t)f->shape.body_bytes);
    }
    tms_filter_drop(made);
}

static tamis_status combine_check_resize(const tamis_filter *f, uint64_t factor)
{
    if (factor == 1 || f->owner == TMS_BODY_OWNED) return TAMIS_OK;
    return tms_fail(TAMIS_E_UNSUPPORTED, "a filter in a caller's buffer keeps its size");
}

void tms_combine_damage(tamis_filter *f, uint64_t more)
{
    f->damaged_bytes += more;
    if (f->damaged_bytes > f->shape.body_bytes) f->damaged_bytes = f->shape.body_bytes;
}

tamis_status tms_fold_by(tamis_filter *f, uint64_t factor)
{
    tamis_filter *folded = NULL;
    if (factor == 1) return TAMIS_OK;
    TMS_TRY(combine_folded(f, factor, &folded));
    combine_take_over(f, folded);
    tms_combine_damage(f, 0);
    return TAMIS_OK;
}

tamis_status tamis_fold(tamis_filter *f, uint64_t factor)
{
    TMS_TRY(tms_origin_writable(f));
    TMS_TRY(combine_can(f, TAMIS_CAN_FOLD, "folded"));
    uint64_t size = f->kind->fold_size(&f->shape);
    if (factor == 0 || size % factor != 0)
        return tms_fail(TAMIS_E_SPEC,
                        "a factor of %" PRIu64 " does not divide the size %" PRIu64
                        "; spec.fold asks for sizes that it divides",
                        factor, size);
    TMS_TRY(combine_check_resize(f, factor));
    return tms_fold_by(f, factor);
}

/* ---- union and intersection --------------------------------------------- */

typedef void (*combine_verb)(tamis_filter *dst, const uint8_t *body);

/* dst and src folded to one size and combined, as a filter of its own. */
static tamis_status combine_beside(const tamis_filter *dst, const tamis_filter *src,
                                   combine_folds folds, combine_verb verb, tamis_filter **out)
{
    tamis_filter *result = NULL, *other = NULL;
    TMS_TRY(combine_folded(dst, folds.dst, &result));
    tamis_status status = folds.src == 1 ? TAMIS_OK : combine_folded(src, folds.src, &other);
    if (status == TAMIS_OK) {
        verb(result, other ? other->body : src->body);
        *out = result;
    } else {
        tms_filter_drop(result);
    }
    tms_filter_drop(other);
    return status;
}

static tamis_status combine_prepare(tamis_filter *dst, const tamis_filter *src,
                                    combine_folds *folds)
{
    TMS_TRY(tms_origin_writable(dst));
    TMS_TRY(combine_check(dst, src));
    TMS_TRY(combine_find_folds(dst, src, folds));
    return combine_check_resize(dst, folds->dst);
}

void tms_combine_count(tamis_filter *dst, const tamis_filter *src, uint64_t before, double estimate)
{
    uint64_t other = tms_counter_sum(&src->added);
    if (tms_holds_occurrences(dst)) { /* which add up */
        tms_counter_set(&dst->added, before + other);
        dst->count_is_estimate |= src->count_is_estimate;
        return;
    }
    uint64_t least = before > other ? before : other;
    uint64_t keys = estimate < 0x1p63 ? (uint64_t)estimate : before + other;
    if (keys > before + other) keys = before + other;
    if (keys < least) keys = least;
    if (before && other) dst->count_is_estimate = true;
    tms_counter_set(&dst->added, keys);
}

static tamis_status combine_strict(const tamis_filter *f, const tms_measure *m)
{
    double rate = tms_kind_rate(f->kind, m->rate, m->keys, f->hasher.width);
    double planned = fmax(f->shape.fpr, f->kind->rate(&f->shape, (double)f->shape.capacity));
    if (rate <= 1.05 * planned) return TAMIS_OK;
    return tms_fail(TAMIS_E_FULL,
                    "the union would hold about %.0f keys at a rate of %.3g, above the %.3g "
                    "planned for this strict filter; merge into a larger one",
                    m->keys, rate, planned);
}

static void combine_report(const tamis_filter *f, const tms_measure *m, combine_folds folds,
                           tamis_union *out)
{
    *out = (tamis_union){.keys = m->keys,
                         .keys_low = m->keys_low,
                         .keys_high = m->keys_high,
                         .fpr = tms_kind_rate(f->kind, m->rate, m->keys, f->hasher.width),
                         .folded_dst = folds.dst,
                         .folded_src = folds.src};
}

void tms_combine_estimate(tamis_filter *f, const tms_measure *m)
{
    tms_counter_set(&f->added, m->keys < 0x1p63 ? (uint64_t)m->keys : 0);
    f->count_is_estimate = true;
}

/* Loose kinds have no size to fold to. */
static tamis_status combine_check_loose(const tamis_filter *dst, const tamis_filter *src)
{
    TMS_TRY(tms_origin_writable(dst));
    return combine_check(dst, src);
}

static tamis_status combine_merge_loose(tamis_filter *dst, const tamis_filter *src,
                                        tamis_union *result)
{
    tms_measure m = {0};
    TMS_TRY(combine_check_loose(dst, src));
    TMS_TRY(dst->kind->loose->unite(dst, src));
    dst->kind->measure(dst, &m);
    if (result) combine_report(dst, &m, (combine_folds){1, 1}, result);
    return TAMIS_OK;
}

static bool combine_is_same_size(combine_folds folds)
{
    return folds.dst == 1 && folds.src == 1;
}

/* The union beside dst, which takes its place when it may be. */
static tamis_status combine_try(tamis_filter *dst, const tamis_filter *src, combine_folds folds,
                                tms_measure *m)
{
    tamis_filter *made = NULL;
    TMS_TRY(combine_beside(dst, src, folds, dst->kind->unite, &made));
    dst->kind->measure(made, m);
    tamis_status status = dst->shape.flags & TAMIS_STRICT ? combine_strict(made, m) : TAMIS_OK;
    if (status == TAMIS_OK && !combine_is_same_size(folds)) {
        combine_take_over(dst, made);
        return TAMIS_OK;
    }
    tms_filter_drop(made);
    if (status == TAMIS_OK) dst->kind->unite(dst, src->body); /* views of dst stay valid */
    return status;
}

static tamis_status combine_merge(tamis_filter *dst, const tamis_filter *src, tamis_union *result)
{
    combine_folds folds;
    tms_measure m = {0};
    TMS_TRY(combine_can(dst, TAMIS_CAN_MERGE, "merged"));
    if (dst->kind->loose) return combine_merge_loose(dst, src, result);
    TMS_TRY(combine_prepare(dst, src, &folds));
    uint64_t before = tms_counter_sum(&dst->added);
    if (combine_is_same_size(folds) && !(dst->shape.flags & TAMIS_STRICT)) {
        dst->kind->unite(dst, src->body);
        dst->kind->measure(dst, &m);
    } else {
        TMS_TRY(combine_try(dst, src, folds, &m));
    }
    tms_combine_damage(dst, src->damaged_bytes);
    tms_combine_count(dst, src, before, m.keys);
    if (result) combine_report(dst, &m, folds, result);
    return TAMIS_OK;
}

/* A filter made of filters is combined part by part. */
static tamis_status combine_whole(tamis_filter *dst, const tamis_filter *src, bool meet,
                                  tamis_union *result)
{
    tms_measure m = {0};
    TMS_TRY(combine_can(dst, meet ? TAMIS_CAN_INTERSECT : TAMIS_CAN_MERGE,
                        meet ? "intersected" : "merged"));
    TMS_TRY(combine_check(dst, src));
    TMS_TRY(tms_combine_parts(dst, src, meet, &m));
    if (meet) tms_combine_estimate(dst, &m);
    if (result) combine_report(dst, &m, (combine_folds){1, 1}, result);
    return TAMIS_OK;
}

static tamis_status combine_intersect(tamis_filter *dst, const tamis_filter *src)
{
    combine_folds folds;
    tms_measure m = {0};
    TMS_TRY(combine_can(dst, TAMIS_CAN_INTERSECT, "intersected"));
    if (dst->kind->loose) {
        TMS_TRY(combine_check_loose(dst, src));
        return dst->kind->loose->overlap(dst, src);
    }
    TMS_TRY(combine_prepare(dst, src, &folds));
    if (combine_is_same_size(folds)) {
        dst->kind->overlap(dst, src->body);
    } else {
        tamis_filter *made = NULL;
        TMS_TRY(combine_beside(dst, src, folds, dst->kind->overlap, &made));
        combine_take_over(dst, made);
    }
    dst->kind->measure(dst, &m);
    tms_combine_estimate(dst, &m);
    tms_combine_damage(dst, src->damaged_bytes);
    return TAMIS_OK;
}

/* ---- the doors ---------------------------------------------------------- */

tamis_status tamis_merge(tamis_filter *dst, const tamis_filter *src, tamis_union *result)
{
    tamis_filter *copy = NULL;
    TMS_TRY(tms_origin_settle(src, &copy));
    tamis_status status = dst->kind->composing
                              ? combine_whole(dst, copy ? copy : src, false, result)
                              : combine_merge(dst, copy ? copy : src, result);
    tamis_free(copy);
    return status;
}

tamis_status tamis_intersect(tamis_filter *dst, const tamis_filter *src)
{
    tamis_filter *copy = NULL;
    TMS_TRY(tms_origin_settle(src, &copy));
    tamis_status status = dst->kind->composing ? combine_whole(dst, copy ? copy : src, true, NULL)
                                               : combine_intersect(dst, copy ? copy : src);
    tamis_free(copy);
    return status;
}
