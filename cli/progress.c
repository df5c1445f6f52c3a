/* progress.c - see progress.h.                                              */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* clock_gettime */
#endif
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "number.h"

static const double progress_first = 0.5, progress_pause = 0.1; /* seconds */

static double progress_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_begin(cli_progress *progress, const cli_settings *settings, const char *what,
                        uint64_t total_bytes, bool prints)
{
    *progress = (cli_progress){.what = what, .total_bytes = total_bytes, .begun = progress_now()};
    progress->shown = !settings->quiet && !settings->no_progress && isatty(STDERR_FILENO) == 1 &&
                      !(prints && isatty(STDOUT_FILENO) == 1);
}

/* "2 min 5 s" */
static void progress_show_time(double seconds, char *out, size_t room)
{
    unsigned long whole = seconds < 1e9 ? (unsigned long)(seconds + 0.5) : 1000000000ul;
    if (whole >= 3600)
        snprintf(out, room, "%lu h %lu min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        snprintf(out, room, "%lu min %lu s", whole / 60, whole % 60);
    else
        snprintf(out, room, "%lu s", whole);
}

/* ", 45 %, 3 s left", where the end is known. */
static void progress_show_end(const cli_progress *progress, double seconds, char *out, size_t room)
{
    char left[40];
    out[0] = '\0';
    if (progress->bytes == 0 || progress->total_bytes < progress->bytes) return;
    double share = (double)progress->bytes / (double)progress->total_bytes;
    progress_show_time(seconds / share - seconds, left, sizeof left);
    snprintf(out, room, ", %.0f %%, %s left", 100 * share, left);
}

void cli_progress_say(cli_progress *progress, const char *words)
{
    if (!progress->shown) return;
    int width = fprintf(stderr, "\r%-*s", progress->width, words) - 1;
    fflush(stderr);
    progress->width = width > 0 ? width : 0;
}

static void progress_draw(cli_progress *progress, double seconds)
{
    char lines[40], rate[40], end[80], text[240];
    cli_show_count((double)progress->lines, lines, sizeof lines);
    cli_show_count((double)progress->lines / seconds, rate, sizeof rate);
    progress_show_end(progress, seconds, end, sizeof end);
    snprintf(text, sizeof text, "%s: %s lines, %s a second%s", progress->what, lines, rate, end);
    cli_progress_say(progress, text);
}

void cli_progress_step(cli_progress *progress, uint64_t lines, uint64_t bytes)
{
    progress->lines += lines;
    progress->bytes += bytes;
    if (!progress->shown) return;
    double now = progress_now(), seconds = now - progress->begun;
    if (seconds < progress_first || now - progress->drawn < progress_pause) return;
    progress->drawn = now;
    progress_draw(progress, seconds);
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->width > 0) fprintf(stderr, "\r%*s\r", progress->width, "");
    fflush(stderr);
    progress->width = 0;
    progress->shown = false;
}

double cli_progress_seconds(const cli_progress *progress)
{
    return progress_now() - progress->begun;
}
