/* chart.h - a drawing as numbers: axes, curves, a mark, and where their names
 * can stand. plot.c puts it on a terminal, svg.c on a slide.
 *
 * Places are in the unit square of the chart, y upwards; names may stand to
 * the right of it, in the margin.                                           */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_CHART_POINTS = 80, CLI_CHART_CURVES = 8, CLI_CHART_TICKS = 12, CLI_CHART_WORDS = 96 };

typedef struct cli_tick {
    double value;
    char words[16];
} cli_tick;

/* An axis from `low` to `high`, which may be the larger or the smaller one. */
typedef struct cli_axis {
    const char *label; /* with its unit */
    double low, high;
    bool log;
    cli_tick ticks[CLI_CHART_TICKS];
    size_t tick_count;
} cli_axis;

typedef struct cli_place {
    double x, y;
} cli_place;

typedef enum cli_stroke { CLI_THIN, CLI_THICK, CLI_DOTTED, CLI_DASHED } cli_stroke;

typedef struct cli_curve {
    char name[32];
    unsigned hue; /* curves of one kind share a hue; 0 is grey */
    cli_stroke stroke;
    cli_place points[CLI_CHART_POINTS]; /* in the units of the axes */
    size_t count;
} cli_curve;

typedef struct cli_chart {
    char title[CLI_CHART_WORDS];
    cli_axis x, y;
    cli_curve curves[CLI_CHART_CURVES];
    size_t curve_count;
    bool marked; /* what was asked for */
    cli_place mark;
    char mark_name[CLI_CHART_WORDS];
    unsigned mark_hue;
    const char *note;            /* what a stroke means, or NULL */
    char order[CLI_CHART_WORDS]; /* which line is which, where there is no colour; or "" */
} cli_chart;

void cli_axis_tick(cli_axis *axis, double value, const char *words);

/* Starts a curve with room for points; NULL when there are too many. */
cli_curve *cli_chart_curve(cli_chart *chart, const char *name, unsigned hue, cli_stroke stroke);
void cli_curve_point(cli_curve *curve, double x, double y);

/* A value's place on its axis: 0 at `low`, 1 at `high`. */
double cli_axis_place(const cli_axis *axis, double value);
cli_place cli_chart_place(const cli_chart *chart, cli_place value);

/* Where a name stands: `at` is the middle of its left edge. */
typedef struct cli_name {
    bool placed;
    cli_place at;
} cli_name;

/* Finds room for the name of the mark, and of every curve that has one, where no
 * line and no other name is. Curves that leave on the right have theirs in the
 * margin, in the order in which they leave; others nearer to themselves than to
 * any other, or none. A letter takes `letter` by `line` of the square; names in
 * the margin may stand `above` it. The name of the mark is the last. */
void cli_chart_names(const cli_chart *chart, double letter, double line, double above,
                     cli_name names[CLI_CHART_CURVES + 1]);

#endif
