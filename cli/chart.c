/* chart.c - see chart.h.                                                    */
#include "chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void cli_axis_tick(cli_axis *axis, double value, const char *words)
{
    if (axis->tick_count == CLI_CHART_TICKS) return;
    cli_tick *tick = &axis->ticks[axis->tick_count++];
    tick->value = value;
    snprintf(tick->words, sizeof tick->words, "%s", words);
}

cli_curve *cli_chart_curve(cli_chart *chart, const char *name, unsigned hue, cli_stroke stroke)
{
    if (chart->curve_count == CLI_CHART_CURVES) return NULL;
    cli_curve *curve = &chart->curves[chart->curve_count++];
    curve->hue = hue;
    curve->stroke = stroke;
    curve->count = 0;
    snprintf(curve->name, sizeof curve->name, "%s", name);
    return curve;
}

void cli_curve_point(cli_curve *curve, double x, double y)
{
    if (!curve || curve->count == CLI_CHART_POINTS) return;
    curve->points[curve->count++] = (cli_place){x, y};
}

double cli_axis_place(const cli_axis *axis, double value)
{
    if (!axis->log) return (value - axis->low) / (axis->high - axis->low);
    return log(value / axis->low) / log(axis->high / axis->low);
}

cli_place cli_chart_place(const cli_chart *chart, cli_place value)
{
    return (cli_place){cli_axis_place(&chart->x, value.x), cli_axis_place(&chart->y, value.y)};
}

/* ---- room for names ----------------------------------------------------- */

typedef struct chart_box {
    double left, right, bottom, top;
} chart_box;

typedef struct chart_search {
    const cli_chart *chart;
    double letter, line, above;
    double clear; /* letters between a name and the curves of others */
    chart_box taken[CLI_CHART_CURVES + 2];
    size_t taken_count;
} chart_search;

/* Shortens [*from, *to] of a segment to what lies on one side of an edge. */
static bool chart_clip(double start, double step, double edge, bool above, double *from, double *to)
{
    if (step == 0) return above ? start >= edge : start <= edge;
    double at = (edge - start) / step;
    if ((step > 0) == above) {
        if (at > *from) *from = at;
    } else if (at < *to) {
        *to = at;
    }
    return *from <= *to;
}

static bool chart_crosses(const chart_box *box, cli_place a, cli_place b)
{
    double from = 0, to = 1, dx = b.x - a.x, dy = b.y - a.y;
    return chart_clip(a.x, dx, box->left, true, &from, &to) &&
           chart_clip(a.x, dx, box->right, false, &from, &to) &&
           chart_clip(a.y, dy, box->bottom, true, &from, &to) &&
           chart_clip(a.y, dy, box->top, false, &from, &to);
}

/* Whether a curve other than those of `own` (or any, for NULL) runs through. */
static bool chart_meets_curve(const chart_search *s, const chart_box *box, const cli_curve *own)
{
    for (size_t i = 0; i < s->chart->curve_count; i++) {
        const cli_curve *curve = &s->chart->curves[i];
        if (own && curve->hue == own->hue) continue;
        for (size_t j = 0; j + 1 < curve->count; j++)
            if (chart_crosses(box, cli_chart_place(s->chart, curve->points[j]),
                              cli_chart_place(s->chart, curve->points[j + 1])))
                return true;
    }
    return false;
}

static bool chart_meets_name(const chart_search *s, const chart_box *box)
{
    for (size_t i = 0; i < s->taken_count; i++) {
        const chart_box *other = &s->taken[i];
        if (box->left < other->right && other->left < box->right && box->bottom < other->top &&
            other->bottom < box->top)
            return true;
    }
    return false;
}

static chart_box chart_around(const chart_box *box, double across, double up)
{
    return (chart_box){box->left - across, box->right + across, box->bottom - up, box->top + up};
}

/* Puts a name with the middle of its left edge at (x, y), if there is room. */
static bool chart_put(chart_search *s, const char *name, const cli_curve *own, double x, double y,
                      cli_name *out)
{
    double width = (double)strlen(name) * s->letter, half = s->line / 2;
    const chart_box text = {x, x + width, y - half, y + half};
    const chart_box box = chart_around(&text, s->letter, 0);
    const chart_box wide = chart_around(&text, s->clear * s->letter, s->line / 4);
    if (text.left < 0 || text.right > 1 || text.bottom < 0 || text.top > 1) return false;
    if (chart_meets_curve(s, &box, NULL) || chart_meets_name(s, &box)) return false;
    if (own && chart_meets_curve(s, &wide, own)) return false;
    s->taken[s->taken_count++] = box;
    *out = (cli_name){true, {x, y}};
    return true;
}

/* From a point of a curve to its name nothing else may lie between. */
static bool chart_put_near(chart_search *s, const char *name, const cli_curve *own, cli_place at,
                           cli_place left, cli_name *out)
{
    double width = (double)strlen(name) * s->letter;
    double edge = left.x > at.x ? left.x : left.x + width;
    const chart_box between = {fmin(at.x, edge), fmax(at.x, edge), fmin(at.y, left.y),
                               fmax(at.y, left.y)};
    if (own && chart_meets_curve(s, &between, own)) return false;
    return chart_put(s, name, own, left.x, left.y, out);
}

/* Beside a point: to its right or left, near or a little farther, level with it
 * or a line higher or lower. */
static bool chart_put_beside(chart_search *s, const char *name, const cli_curve *own, cli_place at,
                             cli_name *out)
{
    static const double rises[] = {0, 0.5, -0.5, 1, -1};
    double width = (double)strlen(name) * s->letter;
    for (int gap = 2; gap <= 4; gap++)
        for (size_t i = 0; i < sizeof rises / sizeof rises[0]; i++) {
            double x = gap * 0.75 * s->letter, y = at.y + rises[i] * s->line;
            const cli_place right = {at.x + x, y}, left = {at.x - x - width, y};
            if (chart_put_near(s, name, own, at, right, out)) return true;
            if (chart_put_near(s, name, own, at, left, out)) return true;
        }
    return false;
}

/* As near to the end as there is room, well clear of others if that can be. */
static void chart_name_curve(chart_search *s, const cli_curve *curve, cli_name *out)
{
    for (s->clear = 2.5; s->clear > 0 && !out->placed; s->clear -= 0.75)
        for (size_t i = curve->count; i-- > curve->count / 6 && !out->placed;)
            (void)chart_put_beside(s, curve->name, curve,
                                   cli_chart_place(s->chart, curve->points[i]), out);
}

/* ---- names in the margin ------------------------------------------------ */

static bool chart_leaves_right(const cli_chart *chart, const cli_curve *curve)
{
    return curve->count && cli_chart_place(chart, curve->points[curve->count - 1]).x > 0.99;
}

/* Moves neighbours that are too near apart, each by half, until none is. */
static void chart_spread(double *places, size_t count, double line, double highest)
{
    for (int round = 0; round < 100 && count; round++)
        for (size_t i = 0; i + 1 < count; i++) {
            if (places[0] > highest) places[0] = highest;
            double missing = 1.001 * line - (places[i] - places[i + 1]);
            if (missing <= 0) continue;
            places[i] += missing / 2;
            places[i + 1] -= missing / 2;
        }
}

/* From top to bottom, in the order of their ends. */
static void chart_name_margin(const chart_search *s, cli_name *names)
{
    size_t order[CLI_CHART_CURVES], count = 0;
    double places[CLI_CHART_CURVES];
    for (size_t i = 0; i < s->chart->curve_count; i++) {
        const cli_curve *curve = &s->chart->curves[i];
        if (!chart_leaves_right(s->chart, curve) || !curve->name[0]) continue;
        double y = cli_chart_place(s->chart, curve->points[curve->count - 1]).y;
        size_t at = count++;
        for (; at > 0 && places[at - 1] < y; at--) {
            places[at] = places[at - 1];
            order[at] = order[at - 1];
        }
        places[at] = y;
        order[at] = i;
    }
    chart_spread(places, count, s->line, 1 - s->line / 2 + s->above);
    for (size_t i = 0; i < count; i++)
        names[order[i]] = (cli_name){true, {1 + s->letter, places[i]}};
}

void cli_chart_names(const cli_chart *chart, double letter, double line, double above,
                     cli_name names[CLI_CHART_CURVES + 1])
{
    chart_search s = {.chart = chart, .letter = letter, .line = line, .above = above};
    memset(names, 0, (CLI_CHART_CURVES + 1) * sizeof *names);
    if (chart->marked) {
        cli_place at = cli_chart_place(chart, chart->mark);
        s.taken[s.taken_count++] =
            (chart_box){at.x - letter, at.x + letter, at.y - line / 2, at.y + line / 2};
        (void)chart_put_beside(&s, chart->mark_name, NULL, at, &names[CLI_CHART_CURVES]);
    }
    chart_name_margin(&s, names);
    for (size_t i = 0; i < chart->curve_count; i++) {
        const cli_curve *curve = &chart->curves[i];
        if (curve->name[0] && !chart_leaves_right(chart, curve))
            chart_name_curve(&s, curve, &names[i]);
    }
}
