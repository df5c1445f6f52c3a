/* dedup_window.c - see dedup_window.h.                                      */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* clock_gettime */
#endif
#include "dedup_window.h"

#include <string.h>
#include <time.h>

#include "show.h"
#include "spec.h"
#include "words.h"

/* ---- the flags ---------------------------------------------------------- */

static int pace_refuse_other(const char *state, const tamis_window *window)
{
    char shown[CLI_SHOWN];
    if (window->span)
        cli_show_time(window->span, shown, sizeof shown);
    else
        cli_show_whole(window->keys, shown);
    return cli_complain("%s remembers the last %s%s, which --window cannot change; leave it out, "
                        "or begin another state",
                        state, shown, window->span ? "" : " keys");
}

static int pace_check(const cli_settings *settings, const tamis_window *window, const char *state)
{
    const cli_window *asked = &settings->window;
    const bool same =
        asked->milliseconds == window->span && (window->span || asked->keys == window->keys);
    if (cli_has_window(settings) && !same) return pace_refuse_other(state, window);
    if (settings->time && !window->span)
        return cli_complain("--time is for a window of time, such as --window 1h; one of keys "
                            "needs none");
    return CLI_YES;
}

int cli_pace_begin(cli_pace *pace, const cli_settings *settings, tamis_filter *filter,
                   const char *state)
{
    tamis_window window = {0};
    const bool forgets = tamis_window_of(filter, &window) == TAMIS_OK;
    if (!forgets && cli_has_window(settings))
        return cli_complain("%s is no window: it forgets nothing; leave --window out, or begin "
                            "another state",
                            state);
    if (!forgets && settings->time)
        return cli_complain("--time is for --window, for example --window 1h");
    *pace = (cli_pace){.filter = filter,
                       .timed = window.span != 0,
                       .by_lines = settings->time != NULL,
                       .now = window.now};
    return forgets ? pace_check(settings, &window, state) : CLI_YES;
}

/* ---- the lines ---------------------------------------------------------- */

/* Lines that go to one generation, which has had its share at `turns`: from there
 * on time must be told. Returns where they end. */
static size_t pace_run(cli_pace *pace, const uint64_t *times, size_t from, size_t count,
                       uint64_t turns)
{
    size_t i = from;
    for (; i < count && times[i] < turns; i++) {
        if (times[i] < pace->now)
            pace->late++;
        else
            pace->now = times[i];
    }
    return i;
}

/* To the time of the next line, or of now. */
static tamis_status pace_advance(cli_pace *pace, uint64_t time, uint64_t *turns)
{
    tamis_window window;
    if (time > pace->now) pace->now = time;
    tamis_status status = tamis_window_advance(pace->filter, pace->now);
    if (status == TAMIS_OK) status = tamis_window_of(pace->filter, &window);
    if (status == TAMIS_OK) *turns = window.turns;
    return status;
}

static uint64_t pace_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return 1000 * (uint64_t)now.tv_sec + (uint64_t)now.tv_nsec / 1000000;
}

static tamis_status pace_add_lines(cli_pace *pace, cli_key_block *block, const tamis_keys *keys,
                                   size_t *added)
{
    uint64_t turns = 0;
    if (block->count == 0) return TAMIS_OK;
    for (size_t from = 0; from < block->count;) {
        const bool late = block->times[from] < pace->now;
        size_t taken = 0;
        tamis_status status = pace_advance(pace, block->times[from], &turns);
        if (status != TAMIS_OK) return status;
        pace->late += late;
        const size_t end = pace_run(pace, block->times, from + 1, block->count, turns);
        const tamis_keys part = cli_keys_part(keys, from, end - from);
        status = tamis_add_new_many(pace->filter, &part, block->answers + from, &taken);
        *added = from + taken;
        if (status != TAMIS_OK) return status;
        from = end;
    }
    return pace_advance(pace, pace->now, &turns);
}

tamis_status cli_pace_add(cli_pace *pace, cli_key_block *block, const tamis_keys *keys,
                          size_t *added)
{
    uint64_t turns;
    *added = 0;
    if (pace->timed && pace->by_lines) return pace_add_lines(pace, block, keys, added);
    if (pace->timed) {
        const uint64_t clock = pace_clock();
        if (clock < pace->now) pace->late += block->count; /* the file has seen later ones */
        tamis_status status = pace_advance(pace, clock, &turns);
        if (status != TAMIS_OK) return status;
    }
    return tamis_add_new_many(pace->filter, keys, block->answers, added);
}

void cli_pace_remark(const cli_pace *pace)
{
    char late[CLI_SHOWN];
    cli_show_whole(pace->late, late);
    if (pace->late)
        cli_remark("%s line%s older than one before, and %s taken at its time", late,
                   pace->late == 1 ? " was" : "s were", pace->late == 1 ? "was" : "were");
}
