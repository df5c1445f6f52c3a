/* svg.c - see svg.h. White ground, one sans-serif face, the palette of Okabe and
 * Ito (told apart also by colour-blind people), names beside their lines.   */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* open_memstream, fsync */
#endif
#include "svg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filter_files.h"
#include "paper.h"
#include "words.h"

/* In the drawing's own units; a slide of 16 to 9. */
enum {
    SVG_WIDTH = 1280,
    SVG_HEIGHT = 720,
    SVG_TOP = 190,
    SVG_BOTTOM = 620,
    SVG_LEFT = 110,
    SVG_MARGIN = 100, /* for names on the right of a chart */
    SVG_GAP = 100,    /* for the words of the next chart's axis */
    SVG_TEXT = 16
};

static const char *const svg_hues[] = {"#6b7280", "#0072b2", "#d55e00", "#009e73",
                                       "#cc79a7", "#e69f00", "#56b4e9"};

static const char *svg_hue(unsigned hue)
{
    return svg_hues[hue == 0 ? 0 : 1 + (hue - 1) % 6];
}

/* Where one chart lies. */
typedef struct svg_panel {
    FILE *out;
    const cli_chart *chart;
    double left, width;
} svg_panel;

static double svg_x(const svg_panel *p, double x)
{
    return p->left + x * p->width;
}

static double svg_y(double y)
{
    return SVG_BOTTOM - y * (SVG_BOTTOM - SVG_TOP);
}

/* ---- pieces ------------------------------------------------------------- */

static void svg_escape(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
    }
}

static void svg_text(FILE *out, double x, double y, const char *style, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    svg_escape(out, text);
    fputs("</text>\n", out);
}

static void svg_rule(FILE *out, const char *class, double x1, double y1, double x2, double y2)
{
    fprintf(out, "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", class,
            x1, y1, x2, y2);
}

static void svg_axes(const svg_panel *p)
{
    const cli_axis *x = &p->chart->x, *y = &p->chart->y;
    double right = p->left + p->width;
    for (size_t i = 0; i < y->tick_count; i++) {
        double at = svg_y(cli_axis_place(y, y->ticks[i].value));
        svg_rule(p->out, "grid", p->left, at, right, at);
        svg_text(p->out, p->left - 10, at + 5, "class=\"tick\" text-anchor=\"end\"",
                 y->ticks[i].words);
    }
    for (size_t i = 0; i < x->tick_count; i++) {
        double at = svg_x(p, cli_axis_place(x, x->ticks[i].value));
        svg_rule(p->out, "axis", at, SVG_BOTTOM, at, SVG_BOTTOM + 6);
        svg_text(p->out, at, SVG_BOTTOM + 26, "class=\"tick\" text-anchor=\"middle\"",
                 x->ticks[i].words);
    }
    svg_rule(p->out, "axis", p->left, SVG_BOTTOM, right, SVG_BOTTOM);
    svg_text(p->out, p->left + p->width / 2, SVG_BOTTOM + 56,
             "class=\"unit\" text-anchor=\"middle\"", x->label);
    svg_text(p->out, p->left - 70, SVG_TOP - 18, "class=\"unit\"", y->label);
}

static void svg_curve(const svg_panel *p, const cli_curve *curve)
{
    static const char *const strokes[] = {"stroke-width=\"2\" opacity=\"0.75\"",
                                          "stroke-width=\"3.5\"",
                                          "stroke-width=\"2\" stroke-dasharray=\"2 6\"",
                                          "stroke-width=\"3.5\" stroke-dasharray=\"10 6\""};
    fprintf(p->out, "<polyline class=\"curve\" stroke=\"%s\" %s points=\"", svg_hue(curve->hue),
            strokes[curve->stroke]);
    for (size_t i = 0; i < curve->count; i++) {
        cli_place at = cli_chart_place(p->chart, curve->points[i]);
        fprintf(p->out, "%s%.1f,%.1f", i ? " " : "", svg_x(p, at.x), svg_y(at.y));
    }
    fputs("\"/>\n", p->out);
}

static void svg_name(const svg_panel *p, const cli_name *name, const char *text, unsigned hue)
{
    char style[80];
    if (!name->placed) return;
    snprintf(style, sizeof style, "class=\"name\" fill=\"%s\"", svg_hue(hue));
    svg_text(p->out, svg_x(p, name->at.x), svg_y(name->at.y) + 5.5, style, text);
}

/* What was asked for: a dot, and where it lies on both axes. */
static void svg_mark(const svg_panel *p)
{
    cli_place at = cli_chart_place(p->chart, p->chart->mark);
    double x = svg_x(p, at.x), y = svg_y(at.y);
    svg_rule(p->out, "guide", p->left, y, x, y);
    svg_rule(p->out, "guide", x, y, x, SVG_BOTTOM);
    fprintf(p->out,
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"%s\" stroke=\"#ffffff\" "
            "stroke-width=\"2.5\"/>\n",
            x, y, svg_hue(p->chart->mark_hue));
}

/* A curve that has no room for its name beside it has it in the corner. */
static void svg_corner(const svg_panel *p, const cli_curve *curve, int row)
{
    char style[80];
    double right = p->left + p->width - 10, y = SVG_TOP + 24 * (row + 1);
    snprintf(style, sizeof style, "class=\"name\" text-anchor=\"end\" fill=\"%s\"",
             svg_hue(curve->hue));
    svg_text(p->out, right, y, style, curve->name);
    double length = 0.62 * SVG_TEXT * (double)strlen(curve->name);
    fprintf(p->out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"3.5\" stroke-linecap=\"round\"/>\n",
            right - length - 40, y - 5, right - length - 12, y - 5, svg_hue(curve->hue));
}

static void svg_names(const svg_panel *p)
{
    int corner = 0;
    cli_name names[CLI_CHART_CURVES + 1];
    const cli_chart *chart = p->chart;
    double letter = 0.6 * SVG_TEXT / p->width, line = 1.25 * SVG_TEXT / (SVG_BOTTOM - SVG_TOP);
    cli_chart_names(chart, letter, line, line, names);
    for (size_t i = 0; i < chart->curve_count; i++) {
        const cli_curve *curve = &chart->curves[i];
        if (names[i].placed)
            svg_name(p, &names[i], curve->name, curve->hue);
        else if (curve->name[0] && curve->count)
            svg_corner(p, curve, corner++);
    }
    if (chart->marked) svg_name(p, &names[CLI_CHART_CURVES], chart->mark_name, chart->mark_hue);
}

/* ---- the drawing -------------------------------------------------------- */

static void svg_head(FILE *out, const char *title, const char *subtitle)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
            "height=\"%d\" role=\"img\" font-family=\"Inter, 'Helvetica Neue', Helvetica, Arial, "
            "'DejaVu Sans', sans-serif\" font-size=\"%d\">\n<title>",
            SVG_WIDTH, SVG_HEIGHT, SVG_WIDTH, SVG_HEIGHT, SVG_TEXT);
    svg_escape(out, title);
    fputs("</title>\n<style>\n"
          ".grid { stroke: #e5e7eb; stroke-width: 1 }\n"
          ".axis { stroke: #374151; stroke-width: 1.5 }\n"
          ".guide { stroke: #9ca3af; stroke-width: 1.5; stroke-dasharray: 3 4 }\n"
          ".tick { fill: #374151; font-size: 15px }\n"
          ".unit { fill: #374151; font-size: 15px }\n"
          ".name { font-weight: 600; paint-order: stroke; stroke: #ffffff; stroke-width: 4px }\n"
          ".curve { fill: none; stroke-linejoin: round; stroke-linecap: round }\n"
          "</style>\n",
          out);
    fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n", SVG_WIDTH, SVG_HEIGHT);
    svg_text(out, SVG_LEFT - 70, 60, "font-size=\"30\" font-weight=\"700\" fill=\"#111827\"",
             title);
    svg_text(out, SVG_LEFT - 70, 92, "font-size=\"18\" fill=\"#4b5563\"", subtitle);
}

static void svg_draw(FILE *out, const char *title, const char *subtitle, const cli_chart *charts,
                     size_t count)
{
    double each = (double)(SVG_WIDTH - SVG_LEFT - SVG_MARGIN) / (double)count;
    svg_head(out, title, subtitle);
    for (size_t i = 0; i < count; i++) {
        svg_panel p = {.out = out, .chart = &charts[i]};
        p.left = SVG_LEFT + (double)i * (each + (double)SVG_GAP / (double)count);
        p.width = each - (double)SVG_GAP * (double)(count - 1) / (double)count;
        svg_text(out, p.left - 70, SVG_TOP - 48,
                 "font-size=\"19\" font-weight=\"600\" fill=\"#111827\"", charts[i].title);
        svg_axes(&p);
        for (size_t j = 0; j < charts[i].curve_count; j++) svg_curve(&p, &charts[i].curves[j]);
        if (charts[i].marked) svg_mark(&p);
        svg_names(&p);
        if (charts[i].note)
            svg_text(out, p.left + p.width, SVG_TOP - 18, "class=\"unit\" text-anchor=\"end\"",
                     charts[i].note);
    }
    fputs("</svg>\n", out);
}

/* ---- saving ------------------------------------------------------------- */

static bool svg_write(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool good = fwrite(text, 1, size, file) == size && fflush(file) == 0 &&
                (fsync(fileno(file)) == 0 || errno == EINVAL);
    int error = errno;
    good = fclose(file) == 0 && good;
    if (!good && error) errno = error;
    return good;
}

/* A new file beside the old one takes its place when it is complete. */
static int svg_replace(const char *path, const char *text, size_t size)
{
    char beside[4096];
    struct stat old;
    bool direct = stat(path, &old) == 0 && !S_ISREG(old.st_mode); /* a device or a pipe */
    snprintf(beside, sizeof beside, direct ? "%s" : "%s.%ld.tmp", path, (long)getpid());
    bool good = svg_write(beside, text, size);
    if (good && !direct) good = rename(beside, path) == 0;
    if (good) return CLI_YES;
    int error = errno;
    if (!direct) unlink(beside);
    return cli_complain("writing %s failed: %s", path, strerror(error));
}

int cli_svg_save(const cli_settings *settings, const char *path, const char *title,
                 const char *subtitle, const cli_chart *charts, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    int failed = strcmp(path, "-") ? cli_check_output(settings, path) : CLI_YES;
    if (failed) return failed;
    FILE *out = open_memstream(&text, &size);
    if (!out) return cli_complain("no memory for the drawing");
    svg_draw(out, title, subtitle, charts, count);
    if (fclose(out) != 0)
        failed = cli_complain("no memory for the drawing");
    else if (strcmp(path, "-") == 0)
        cli_paper_write(text, size);
    else
        failed = svg_replace(path, text, size);
    free(text);
    return failed;
}
