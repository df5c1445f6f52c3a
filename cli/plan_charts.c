/* plan_charts.c - see plan_charts.h. Every point is a plan of the library's:
 * the curves are what would be built, not what a textbook says.             */
#include "plan_charts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "show.h"

enum { CHARTS_KINDS = 16, CHARTS_PER_DECADE = 10 };

/* A count in few letters: 200M, 1.5G; thousands as people type them. */
static void charts_count(double count, char *out, size_t room)
{
    static const char units[] = " kMGTP";
    size_t unit = 0;
    while (count >= 999.5 && units[unit + 1]) {
        count /= 1000;
        unit++;
    }
    snprintf(out, room, unit ? "%.3g%c" : "%.3g", count, units[unit]);
}

/* 10^-power as a rate. */
static void charts_rate(int power, char *out, size_t room)
{
    if (power <= 6)
        snprintf(out, room, "%.3g %%", pow(10, 2 - power));
    else
        snprintf(out, room, "1e-%d", power);
}

/* Every kind has its own, in both charts. */
static unsigned charts_hue(uint32_t kind)
{
    uint32_t kinds[CHARTS_KINDS];
    size_t count = tamis_kind_list(kinds, CHARTS_KINDS);
    for (size_t i = 0; i < count && i < CHARTS_KINDS; i++)
        if (kinds[i] == kind) return (unsigned)i + 1;
    return 0;
}

/* ---- rate against bits per key ------------------------------------------ */

static double charts_lowest(double asked)
{
    double lowest = 1e-6;
    while (asked > 0 && asked < 3 * lowest && lowest > 1e-15) lowest /= 10;
    return lowest;
}

static void charts_rate_axis(cli_axis *axis, double lowest)
{
    char words[16];
    axis->label = "false-positive rate (log scale)";
    axis->log = true;
    axis->low = lowest;
    axis->high = 1;
    int decades = (int)round(-log10(lowest)), step = decades > 8 ? 2 : 1;
    for (int i = 0; i <= decades; i += step) {
        charts_rate(i, words, sizeof words);
        cli_axis_tick(axis, pow(10, -i), words);
    }
}

static void charts_bits_axis(cli_axis *axis, double most)
{
    static const double steps[] = {5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000};
    char words[16];
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof steps[0] && most > 6 * steps[i]) i++;
    double step = steps[i];
    axis->label = "bits per key";
    axis->low = 0;
    axis->high = step / 2 * ceil(2 * most / step);
    for (double at = 0; at <= axis->high; at += step) {
        snprintf(words, sizeof words, "%.0f", at);
        cli_axis_tick(axis, at, words);
    }
}

/* A kind's curve, and what it shows at the moment. */
typedef struct charts_pen {
    cli_chart *chart;
    cli_curve *curve;
    uint32_t kind, lines;
    unsigned hue;
    double most; /* bits per key */
} charts_pen;

/* A kind that changes the number of its lines on the way begins a new curve
 * there, without a name. One that grows is made of another kind's layers, and
 * what they do is not its own. */
static void charts_begin(charts_pen *pen, uint32_t lines)
{
    bool goes_on = pen->curve != NULL, grows = tamis_kind_abilities(pen->kind) & TAMIS_CAN_GROW;
    const char *name = goes_on ? "" : tamis_kind_name(pen->kind);
    cli_stroke stroke = goes_on && !grows ? CLI_DASHED : CLI_THICK;
    pen->curve = cli_chart_curve(pen->chart, name, pen->hue, stroke);
    pen->lines = lines;
    if (stroke == CLI_DASHED) pen->chart->note = "dashed: two cache lines a key";
}

/* A kind that grows promises its rate for all layers; the plan is of the first. */
static void charts_draw(charts_pen *pen, const tamis_sizing *s)
{
    bool grows = tamis_kind_abilities(pen->kind) & TAMIS_CAN_GROW;
    if (!pen->curve || s->lines_per_key != pen->lines) charts_begin(pen, s->lines_per_key);
    cli_curve_point(pen->curve, s->bits_per_key, grows ? s->fpr_asked : s->fpr);
    pen->most = fmax(pen->most, s->bits_per_key);
}

/* One kind, from high rates to low ones. */
static double charts_kind(const tamis_spec *spec, uint32_t kind, double lowest, cli_chart *chart)
{
    charts_pen pen = {.chart = chart, .kind = kind, .hue = charts_hue(kind)};
    tamis_spec at = *spec;
    tamis_sizing s;
    int steps = (int)round(-log10(lowest) * CHARTS_PER_DECADE);
    int stride = 1 + (steps - 1) / (CLI_CHART_POINTS - 2);
    at.kind = kind;
    at.memory = 0;
    for (int i = stride; i <= steps; i += stride) {
        at.fpr = pow(10, -(double)i / CHARTS_PER_DECADE);
        if (tamis_plan(&at, &s) == TAMIS_OK) charts_draw(&pen, &s);
    }
    return pen.most;
}

/* log2(1 / rate): no filter that can be added to needs less. */
static void charts_limit(cli_chart *chart, double lowest)
{
    cli_curve *curve = cli_chart_curve(chart, "limit of theory", 0, CLI_DOTTED);
    for (int i = 0; i <= 24; i++) {
        double rate = pow(lowest, i / 24.0);
        cli_curve_point(curve, -log2(rate), rate);
    }
}

/* The curve with a name that begins next to the right of `passed`. */
static const cli_curve *charts_next(const cli_chart *chart, double passed)
{
    const cli_curve *next = NULL;
    for (size_t i = 0; i < chart->curve_count; i++) {
        const cli_curve *c = &chart->curves[i];
        if (!c->count || !c->name[0] || c->points[0].x <= passed) continue;
        if (!next || c->points[0].x < next->points[0].x) next = c;
    }
    return next;
}

static void charts_order(cli_chart *chart)
{
    size_t used = (size_t)snprintf(chart->order, sizeof chart->order, "from left to right:");
    const cli_curve *next;
    double passed = -1;
    while ((next = charts_next(chart, passed)) && used < sizeof chart->order) {
        int more = snprintf(chart->order + used, sizeof chart->order - used, "%s %s",
                            passed < 0 ? "" : ",", next->name);
        used += more > 0 ? (size_t)more : 0;
        passed = next->points[0].x;
    }
}

void cli_chart_of_rates(const tamis_spec *spec, const tamis_sizing *asked, cli_chart *out)
{
    uint32_t kinds[CHARTS_KINDS];
    char keys[16];
    double lowest = charts_lowest(asked->fpr), most = 0;
    tamis_spec all = *spec;
    all.capacity = asked->capacity;
    memset(out, 0, sizeof *out);
    charts_count((double)asked->capacity, keys, sizeof keys);
    snprintf(out->title, sizeof out->title, "Rate against bits per key, for %s keys", keys);
    size_t count = tamis_kind_list(kinds, CHARTS_KINDS);
    charts_limit(out, lowest);
    for (size_t i = 0; i < count && i < CHARTS_KINDS; i++)
        if (!(tamis_kind_abilities(kinds[i]) & TAMIS_IS_EXACT)) /* which has no rate */
            most = fmax(most, charts_kind(&all, kinds[i], lowest, out));
    charts_rate_axis(&out->y, lowest);
    charts_bits_axis(&out->x, most);
    charts_order(out);
    out->marked = true;
    out->mark_hue = charts_hue(asked->kind);
    out->mark = (cli_place){asked->bits_per_key, asked->fpr};
    snprintf(out->mark_name, sizeof out->mark_name, "%.*g", asked->bits_per_key < 1000 ? 3 : 4,
             asked->bits_per_key);
}

/* ---- size against keys -------------------------------------------------- */

static void charts_keys_axis(cli_axis *axis, double keys)
{
    char words[16];
    int middle = (int)floor(log10(keys)), first = middle >= 2 ? middle - 2 : 0;
    axis->label = "keys (log scale)";
    axis->log = true;
    axis->low = pow(10, first);
    axis->high = pow(10, first + 5);
    for (int i = first; i <= first + 5; i++) {
        charts_count(pow(10, i), words, sizeof words);
        cli_axis_tick(axis, pow(10, i), words);
    }
}

/* Ticks at powers of two, so far apart that they meet the units. */
static int charts_doublings(int all)
{
    static const int steps[] = {1, 2, 5, 10};
    size_t i = 0;
    while (i < 3 && all / steps[i] > 6) i++;
    return steps[i];
}

static void charts_bytes_axis(cli_axis *axis, double least, double most)
{
    char words[16];
    int first = (int)floor(log2(0.99 * least)), last = (int)ceil(log2(most));
    axis->label = "size of the filter (log scale)";
    axis->log = true;
    axis->low = exp2(first);
    axis->high = exp2(last);
    int step = charts_doublings(last - first);
    for (int i = (first + step - 1) / step * step; i <= last && i < 63; i += step) {
        cli_show_bytes((uint64_t)1 << i, words, sizeof words);
        char *point = strstr(words, ".0");
        if (point) memmove(point, point + 2, strlen(point + 2) + 1);
        cli_axis_tick(axis, exp2(i), words);
    }
}

static void charts_size_curve(const tamis_spec *spec, double rate, bool asked, cli_chart *chart)
{
    unsigned hue = asked ? charts_hue(spec->kind) : 0;
    char name[CLI_SHOWN];
    cli_show_percent(rate, 2, name);
    cli_curve *curve = cli_chart_curve(chart, name, hue, asked ? CLI_THICK : CLI_THIN);
    for (int i = 0; i <= 40; i++) {
        tamis_spec at = *spec;
        tamis_sizing s;
        at.memory = 0;
        at.fpr = rate;
        at.capacity = (uint64_t)llround(chart->x.low * pow(chart->x.high / chart->x.low, i / 40.0));
        if (tamis_plan(&at, &s) == TAMIS_OK)
            cli_curve_point(curve, (double)at.capacity, (double)s.bytes);
    }
    if (curve && curve->count < 2) chart->curve_count--;
}

static void charts_span(const cli_chart *chart, double *least, double *most)
{
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < chart->curve_count; i++) {
        const cli_curve *c = &chart->curves[i];
        *least = fmin(*least, c->points[0].y);
        *most = fmax(*most, c->points[c->count - 1].y);
    }
}

void cli_chart_of_sizes(const tamis_spec *spec, const tamis_sizing *asked, cli_chart *out)
{
    static const double factors[] = {0.01, 0.1, 1, 10};
    char keys[16], size[16];
    double least, most, rate = asked->fpr_asked > 0 ? asked->fpr_asked : asked->fpr;
    tamis_spec one = *spec;
    one.kind = asked->kind;
    memset(out, 0, sizeof *out);
    snprintf(out->title, sizeof out->title, "Size against keys, kind %s",
             tamis_kind_name(asked->kind));
    charts_keys_axis(&out->x, (double)asked->capacity);
    for (size_t i = 0; i < 4; i++)
        if (rate * factors[i] < 0.5)
            charts_size_curve(&one, rate * factors[i], factors[i] == 1, out);
    charts_span(out, &least, &most);
    charts_bytes_axis(&out->y, least, most);
    charts_count((double)asked->capacity, keys, sizeof keys);
    cli_show_bytes(asked->bytes, size, sizeof size);
    out->marked = true;
    out->mark_hue = charts_hue(asked->kind);
    out->mark = (cli_place){(double)asked->capacity, (double)asked->bytes};
    snprintf(out->mark_name, sizeof out->mark_name, "%s keys: %s", keys, size);
}
