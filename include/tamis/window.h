/* window.h - filters that forget: the last N keys, or the last T of time.
 *
 *      tamis_spec spec = { .kind = TAMIS_KIND_WINDOW, .capacity = 10000000, .fpr = 0.01 };
 *      spec.window = 3600;                      an hour, when time is in seconds
 *      tamis_create(&spec, &f);
 *      tamis_window_advance(f, now);            before the adds of that time
 *      tamis_add_new(f, key, size, &was_new);   false: seen within the window
 *
 * Keys lie in g + 1 generations (spec.parts is g), of which the oldest is emptied
 * when the newest has had its share. With spec.window = 0 the window is the last
 * `capacity` keys, where a key counts when it is new to the newest generation,
 * and a generation's share is capacity / g of them; otherwise it is spec.window
 * units of the time that the caller passes in, and a generation lasts a g-th.
 *
 * A key is never forgotten within the window, and is forgotten after at most
 * 1 + 1/g of it (shares are rounded up; g is 4 unless said, 2 of time). Adding it
 * again refreshes it. The rate stays within the promise as long as no more than
 * `capacity` different keys come within a window, also if they all come in one
 * moment. Beyond (only windows of time can), it rises, and tamis_diagnose says so.
 *
 * One thread at a time changes a window; any number ask it meanwhile nobody
 * does. The state, its time included, is saved with the filter.             */
#ifndef TAMIS_WINDOW_H
#define TAMIS_WINDOW_H

#include <tamis/export.h>
#include <tamis/filter.h>

TAMIS_BEGIN

/** Moves the filter's time to `now`, in units of the caller's, and empties the
 *  generations whose time is over. The first call starts the clock and forgets
 *  nothing. Time never runs backwards: an earlier `now` is TAMIS_E_SPEC, and
 *  nothing changes. Errors besides: TAMIS_E_UNSUPPORTED (no window, or one that
 *  counts keys), TAMIS_E_READONLY. Needs the filter to itself. Cost: nothing, or
 *  emptying a generation.                                                   */
TAMIS_API tamis_status tamis_window_advance(tamis_filter *f, uint64_t now);

/** What a window remembers.                                                 */
typedef struct tamis_window {
    uint32_t generations; /* g; there is one more of them */
    uint64_t span;        /* units of time; 0: keys are counted */
    uint64_t keys;        /* per window, of the plan */
    uint64_t share;       /* of one generation: time, or keys */
    uint64_t now;         /* as last told */
    bool started;         /* whether it has ever been told */
    uint64_t turns;       /* the time at which the newest generation has had its share: until
                             then adds need no tamis_window_advance; 0: keys are counted, or
                             no time was told */
} tamis_window;

/** Fills `window`. TAMIS_E_UNSUPPORTED when `f` is no window.               */
TAMIS_API tamis_status tamis_window_of(const tamis_filter *f, tamis_window *window);

TAMIS_END

#endif
