/* window.c - g + 1 generations of another kind; the oldest is emptied and
 * becomes the newest when that has had its share of keys or of time.
 *
 * A key is added to the newest generation unless it is there already. It is
 * dropped with its generation, after g more have had their share: so it is kept
 * for at least a window and for at most 1 + 1/g of one. Nothing is allocated on
 * the way. One writer at a time.
 *
 * All g + 1 can be full at once, so they share the rate. Where keys are counted,
 * each is planned for a g-th of them. Where time is, all keys of a window may come
 * in one moment, and come again in every generation: each is planned for all.
 *
 * The state is among the parameters, so it is saved as they are; the newest
 * generation is always the last child.
 *
 * params: [0] inner kind  [1] g  [2] the window in units of time, 0: in keys
 *         [3] the time  [4] when the newest generation began  [5] 1 when a time
 *         has ever been told                                                */
#include "compose/window.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "compose/parts.h"
#include "kernel/tuning.h"

enum {
    WINDOW_INNER,
    WINDOW_GENERATIONS,
    WINDOW_SPAN,
    WINDOW_NOW,
    WINDOW_BEGAN,
    WINDOW_STARTED,
    WINDOW_PARAMS
};
enum { WINDOW_MOST = 63 };

static const uint32_t window_usual = 4, window_usual_of_time = 2;
static const uint64_t window_longest = UINT64_C(1) << 62;

typedef struct window_filter {
    tamis_filter base;
    uint32_t count;                      /* g + 1 */
    tms_ask_any *any;                    /* of all generations */
    tamis_filter *ages[WINDOW_MOST + 1]; /* oldest first */
} window_filter;

static window_filter *window_of(const tamis_filter *f)
{
    return (window_filter *)(uintptr_t)f;
}

static tamis_filter *window_newest(const window_filter *w)
{
    return w->ages[w->count - 1];
}

/* Generations that the keys of a window are divided among, for certain. */
static uint64_t window_divisor(const tms_shape *shape)
{
    return shape->params[WINDOW_SPAN] ? 1 : shape->params[WINDOW_GENERATIONS];
}

/* Keys, or units of time, of one generation. */
static uint64_t window_share(const tms_shape *shape)
{
    uint64_t span = shape->params[WINDOW_SPAN];
    return tms_div_up(span ? span : shape->capacity, shape->params[WINDOW_GENERATIONS]);
}

/* ---- parameters --------------------------------------------------------- */

static tamis_status window_plan(const tamis_spec *spec, tms_shape *shape)
{
    const uint32_t usual = spec->window ? window_usual_of_time : window_usual;
    const uint32_t generations = spec->parts ? spec->parts : usual;
    TMS_TRY(tms_parts_check_fixed("window", spec));
    if (generations > WINDOW_MOST)
        return tms_fail(TAMIS_E_SPEC, "%u generations are outside 1 to %d", generations,
                        WINDOW_MOST);
    if (spec->window && (spec->window < generations || spec->window > window_longest))
        return tms_fail(TAMIS_E_SPEC,
                        "a window of %" PRIu64 " units of time is shorter than its %u generations "
                        "or above 2^62; take a finer unit or fewer parts",
                        spec->window, generations);
    if (spec->flags & TAMIS_STRICT)
        return tms_fail(TAMIS_E_SPEC, "a window forgets old keys and refuses none: not strict");
    *shape = (tms_shape){.kind = TAMIS_KIND_WINDOW,
                         .flags = spec->flags,
                         .capacity = spec->capacity,
                         .fpr = spec->fpr,
                         .param_count = WINDOW_PARAMS,
                         .params = {spec->inner, generations, spec->window}};
    return TAMIS_OK;
}

static tamis_status window_check(tms_shape *shape)
{
    const uint64_t *p = shape->params;
    if (shape->param_count != WINDOW_PARAMS)
        return tms_fail(TAMIS_E_CORRUPT, "a window has %d parameters, not %u", WINDOW_PARAMS,
                        shape->param_count);
    if (p[WINDOW_GENERATIONS] < 1 || p[WINDOW_GENERATIONS] > WINDOW_MOST)
        return tms_fail(TAMIS_E_CORRUPT, "%" PRIu64 " generations are outside 1 to %d",
                        p[WINDOW_GENERATIONS], WINDOW_MOST);
    bool timed = p[WINDOW_SPAN] != 0, started = p[WINDOW_STARTED] != 0;
    bool sound = p[WINDOW_SPAN] <= window_longest && p[WINDOW_STARTED] <= 1 &&
                 (timed || !started) && p[WINDOW_BEGAN] <= p[WINDOW_NOW] &&
                 (started || p[WINDOW_NOW] == 0);
    if (!sound)
        return tms_fail(TAMIS_E_CORRUPT,
                        "a window of %" PRIu64 " whose generation began at %" PRIu64
                        " cannot have the time %" PRIu64,
                        p[WINDOW_SPAN], p[WINDOW_BEGAN], p[WINDOW_NOW]);
    shape->body_bytes = 0;
    return TAMIS_OK;
}

static void window_describe(const tms_shape *shape, tamis_sizing *out)
{
    out->reads *= (uint32_t)shape->params[WINDOW_GENERATIONS] + 1;
    out->fold = 1;
}

/* ---- time --------------------------------------------------------------- */

static void window_turn(window_filter *w)
{
    tamis_filter *oldest = w->ages[0];
    memmove(w->ages, w->ages + 1, (w->count - 1) * sizeof *w->ages);
    w->ages[w->count - 1] = oldest;
    tms_filter_empty(oldest);
}

tamis_status tms_window_advance(tamis_filter *f, uint64_t now)
{
    uint64_t *p = f->shape.params, share = window_share(&f->shape);
    if (!p[WINDOW_SPAN])
        return tms_fail(TAMIS_E_UNSUPPORTED, "this window counts keys; spec.window gives one that "
                                             "goes by time");
    if (p[WINDOW_STARTED] && now < p[WINDOW_NOW])
        return tms_fail(TAMIS_E_SPEC, "time runs backwards, from %" PRIu64 " to %" PRIu64,
                        p[WINDOW_NOW], now);
    if (!p[WINDOW_STARTED]) p[WINDOW_BEGAN] = now;
    uint64_t over = (now - p[WINDOW_BEGAN]) / share;
    for (uint64_t i = 0; i < over && i < window_of(f)->count; i++) window_turn(window_of(f));
    p[WINDOW_BEGAN] += over * share;
    p[WINDOW_NOW] = now;
    p[WINDOW_STARTED] = 1;
    return TAMIS_OK;
}

static uint64_t window_turns_at(const tms_shape *shape)
{
    const uint64_t *p = shape->params, share = window_share(shape);
    if (!p[WINDOW_STARTED]) return 0;
    return share < UINT64_MAX - p[WINDOW_BEGAN] ? p[WINDOW_BEGAN] + share : UINT64_MAX;
}

void tms_window_tell(const tamis_filter *f, tamis_window *out)
{
    const uint64_t *p = f->shape.params;
    *out = (tamis_window){.generations = (uint32_t)p[WINDOW_GENERATIONS],
                          .span = p[WINDOW_SPAN],
                          .keys = f->shape.capacity,
                          .share = window_share(&f->shape),
                          .now = p[WINDOW_NOW],
                          .started = p[WINDOW_STARTED] != 0,
                          .turns = window_turns_at(&f->shape)};
}

/* ---- asking and adding -------------------------------------------------- */

static bool window_known(const window_filter *w, uint32_t ages, uint64_t digest)
{
    return w->any(w->ages, ages, digest);
}

static bool window_may_contain(const tamis_filter *f, uint64_t digest)
{
    return window_known(window_of(f), window_of(f)->count, digest);
}

static size_t window_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers)
{
    const window_filter *w = window_of(f);
    return tms_parts_ask(w->ages, w->count, run, answers);
}

/* The newest generation has taken its share of keys. */
static bool window_is_over(const window_filter *w)
{
    const tms_shape *shape = &w->base.shape;
    return !shape->params[WINDOW_SPAN] &&
           tms_counter_sum(&window_newest(w)->added) >= window_share(shape);
}

static tamis_status window_add(tamis_filter *f, uint64_t digest, bool *was_new)
{
    window_filter *w = window_of(f);
    bool fresh;
    if (window_newest(w)->ops->may_contain(window_newest(w), digest)) {
        *was_new = false;
        return TAMIS_OK;
    }
    bool turns = window_is_over(w);
    if (turns) window_turn(w);
    bool known = window_known(w, w->count - 1, digest);
    TMS_TRY(window_newest(w)->ops->add(window_newest(w), digest, &fresh));
    tms_filter_count(window_newest(w), 1);
    *was_new = !known;
    return TAMIS_OK;
}

/* Key by key, because a generation may be over in the middle of the run. */
static tamis_status window_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                    size_t *added)
{
    const tms_run fetch = {.ahead = run->ahead, .ahead_count = run->ahead_count};
    bool fresh = false, none[TMS_RUN];
    (void)tms_parts_ask(window_of(f)->ages, window_of(f)->count, &fetch, none);
    for (*added = 0; *added < run->count; ++*added) {
        TMS_TRY(window_add(f, run->now[*added], &fresh));
        if (was_new) was_new[*added] = fresh;
    }
    return TAMIS_OK;
}

static const tms_ops window_ops = {.may_contain = window_may_contain,
                                   .add = window_add,
                                   .may_contain_many = window_may_contain_many,
                                   .add_many = window_add_many};

static bool window_may_contain_around(const tamis_filter *f, uint64_t digest,
                                      bool (*lost)(void *, const uint8_t *), void *ctx)
{
    const window_filter *w = window_of(f);
    bool answer = false;
    for (uint32_t i = w->count; i-- > 0;)
        answer |= w->ages[i]->kind->may_contain_around(w->ages[i], digest, lost, ctx);
    return answer;
}

/* Keys are those of all generations: one that was refreshed counts in each. */
static void window_measure(const tamis_filter *f, tms_measure *out)
{
    const window_filter *w = window_of(f);
    double passes = 1, below = 0, above = 0;
    *out = (tms_measure){.crowding = 1};
    for (uint32_t i = 0; i < w->count; i++) {
        tms_measure one = {0};
        w->ages[i]->kind->measure(w->ages[i], &one);
        out->bits += one.bits;
        out->ones += one.ones;
        out->counters += one.counters;
        out->sticky += one.sticky;
        out->keys += one.keys;
        below += (one.keys - one.keys_low) * (one.keys - one.keys_low);
        above += (one.keys_high - one.keys) * (one.keys_high - one.keys);
        passes *= 1 - one.rate;
        out->crowding = fmin(out->crowding, one.crowding * w->count);
    }
    out->keys_low = out->keys - sqrt(below);
    out->keys_high = out->keys + sqrt(above);
    out->rate = 1 - passes;
}

/* ---- composing ---------------------------------------------------------- */

static uint32_t window_abilities(uint32_t inner)
{
    (void)inner;
    return TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS | TAMIS_CAN_FORGET;
}

static tamis_status window_accepts(const tms_kind *inner)
{
    const uint32_t needs = TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS;
    if (!inner->composing && !(needs & ~inner->abilities)) return TAMIS_OK;
    return tms_fail(TAMIS_E_SPEC,
                    "a window cannot have generations of kind %s: they are flat, and take digests "
                    "one by one",
                    inner->name);
}

static uint32_t window_first_count(const tms_shape *shape)
{
    return (uint32_t)shape->params[WINDOW_GENERATIONS] + 1;
}

static void window_child_spec(const tms_shape *shape, const tms_kind *inner, uint32_t index,
                              tamis_spec *spec)
{
    const uint64_t generations = shape->params[WINDOW_GENERATIONS];
    (void)inner;
    (void)index;
    tms_parts_trim(spec);
    spec->window = 0;
    spec->capacity = tms_div_up(spec->capacity, window_divisor(shape));
    if (spec->fpr > 0) /* 1 - (1 - rate)^(1 / (g + 1)) */
        spec->fpr = -expm1(log1p(-spec->fpr) / (double)(generations + 1));
    spec->memory /= generations + 1;
}

static double window_whole_rate(const tms_shape *shape, double part_rate);

static void window_settle(tms_shape *shape, const tms_shape *generation)
{
    if (!shape->capacity) shape->capacity = generation->capacity * window_divisor(shape);
    if (!(shape->fpr > 0)) shape->fpr = window_whole_rate(shape, generation->fpr);
}

static double window_part_keys(const tms_shape *shape, double keys)
{
    return ceil(keys / (double)window_divisor(shape)); /* as shares are */
}

/* All generations full, as they may be just before the oldest is emptied. */
static double window_whole_rate(const tms_shape *shape, double part_rate)
{
    double passes = 1;
    for (uint64_t i = 0; i <= shape->params[WINDOW_GENERATIONS]; i++) passes *= 1 - part_rate;
    return 1 - passes;
}

static void window_tell(const tms_shape *shape, const tms_kind *inner, char *note, size_t room)
{
    snprintf(note, room, "%" PRIu64 " generations of kind %s; forgets after %.3g windows",
             shape->params[WINDOW_GENERATIONS] + 1, inner->name,
             1 + 1 / (double)shape->params[WINDOW_GENERATIONS]);
}

static const tms_composing window_composing = {
    .abilities = window_abilities,
    .accepts = window_accepts,
    .first_count = window_first_count,
    .child_spec = window_child_spec,
    .settle = window_settle,
    .part_keys = window_part_keys,
    .whole_rate = window_whole_rate,
    .tell = window_tell,
};

/* ---- life --------------------------------------------------------------- */

static void window_attach(tamis_filter *f)
{
    f->ops = &window_ops;
}

static tamis_status window_adopt(tamis_filter *f, tamis_filter **children, uint32_t count)
{
    window_filter *w = window_of(f);
    if (count != window_first_count(&f->shape))
        return tms_fail(TAMIS_E_CORRUPT, "a window has %u generations, not %u",
                        window_first_count(&f->shape), count);
    TMS_TRY(tms_parts_take(f, children, count));
    memcpy(w->ages, children, count * sizeof *children);
    w->any = tms_parts_any(children, count);
    w->count = count;
    return TAMIS_OK;
}

static uint32_t window_child_count(const tamis_filter *f)
{
    return window_of(f)->count;
}

static tamis_filter *window_child(const tamis_filter *f, uint32_t index)
{
    return window_of(f)->ages[index];
}

static void window_reset(tamis_filter *f)
{
    for (uint32_t i = 0; i < window_of(f)->count; i++) tms_filter_empty(window_of(f)->ages[i]);
}

static void window_release(tamis_filter *f)
{
    for (uint32_t i = 0; i < window_of(f)->count; i++) tms_filter_drop(window_of(f)->ages[i]);
}

const tms_kind tms_window_kind = {
    .id = TAMIS_KIND_WINDOW,
    .name = "window",
    .abilities = TAMIS_CAN_ADD | TAMIS_CAN_DIGESTS | TAMIS_CAN_FORGET,
    .damage_rule = TMS_DAMAGE_READS_AS_ONES,
    .handle_bytes = sizeof(window_filter),
    .plan = window_plan,
    .check = window_check,
    .describe = window_describe,
    .attach = window_attach,
    .measure = window_measure,
    .may_contain_around = window_may_contain_around,
    .composing = &window_composing,
    .adopt = window_adopt,
    .child_count = window_child_count,
    .child = window_child,
    .reset = window_reset,
    .release = window_release,
};
