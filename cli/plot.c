/* plot.c - see plot.h.                                                      */
#include "plot.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "paper.h"

enum {
    PLOT_ROWS = 16,
    PLOT_MOST = 100, /* columns; wider is no clearer */
    PLOT_LEFT = 10,  /* for the words of the y axis */
    PLOT_MARGIN = 12 /* for names on the right */
};

/* One character: dots, or a letter over them. */
typedef struct plot_cell {
    uint8_t dots;
    uint32_t letter; /* Unicode; 0: the dots */
    unsigned hue;    /* 0: the terminal's own colour */
} plot_cell;

typedef struct plot_canvas {
    const cli_chart *chart;
    unsigned columns; /* of the square */
    plot_cell cells[PLOT_ROWS][PLOT_MOST];
} plot_canvas;

/* ---- ink ---------------------------------------------------------------- */

/* Dot (x, y) counted from the lower left. The bits of a braille character go
 * down the left column, then the right one, and the lowest two were added last. */
static void plot_dot(plot_canvas *c, int x, int y, unsigned hue)
{
    static const uint8_t bits[4][2] = {{0x40, 0x80}, {0x04, 0x20}, {0x02, 0x10}, {0x01, 0x08}};
    if (x < 0 || y < 0 || x >= 2 * (int)c->columns || y >= 4 * PLOT_ROWS) return;
    plot_cell *cell = &c->cells[PLOT_ROWS - 1 - y / 4][x / 2];
    cell->dots |= bits[y % 4][x % 2];
    if (hue) cell->hue = hue;
}

static void plot_letter(plot_canvas *c, int column, int row, uint32_t letter, unsigned hue)
{
    if (column < 0 || row < 0 || column >= PLOT_MOST || row >= PLOT_ROWS) return;
    c->cells[row][column].letter = letter;
    c->cells[row][column].hue = hue;
}

static int plot_row(double y)
{
    int row = (int)ceil((1 - y) * PLOT_ROWS) - 1;
    return row < 0 ? 0 : row >= PLOT_ROWS ? PLOT_ROWS - 1 : row;
}

static void plot_words(plot_canvas *c, cli_place at, const char *words, unsigned hue)
{
    int column = (int)ceil(at.x * c->columns - 0.01);
    for (int i = 0; words[i]; i++)
        plot_letter(c, column + i, plot_row(at.y), (unsigned char)words[i], hue);
}

/* A straight line, dot by dot; `*walked` counts them, for dots and dashes. */
static void plot_line(plot_canvas *c, cli_place a, cli_place b, const cli_curve *curve,
                      unsigned *walked)
{
    double across = 2.0 * c->columns - 1, up = 4.0 * PLOT_ROWS - 1;
    double dx = (b.x - a.x) * across, dy = (b.y - a.y) * up;
    int steps = (int)ceil(fmax(fabs(dx), fabs(dy)));
    for (int i = 0; i <= steps; i++) {
        double t = steps ? (double)i / steps : 0;
        unsigned at = (*walked)++;
        if (curve->stroke == CLI_DOTTED && at % 4 != 0) continue;
        if (curve->stroke == CLI_DASHED && at % 6 > 3) continue;
        plot_dot(c, (int)lround(a.x * across + t * dx), (int)lround(a.y * up + t * dy), curve->hue);
    }
}

static void plot_curve(plot_canvas *c, const cli_curve *curve)
{
    unsigned walked = 0;
    for (size_t i = 0; i + 1 < curve->count; i++)
        plot_line(c, cli_chart_place(c->chart, curve->points[i]),
                  cli_chart_place(c->chart, curve->points[i + 1]), curve, &walked);
}

static void plot_names(plot_canvas *c)
{
    cli_name names[CLI_CHART_CURVES + 1];
    const cli_chart *chart = c->chart;
    cli_chart_names(chart, 1.0 / c->columns, 1.0 / PLOT_ROWS, 0, names);
    for (size_t i = 0; i < chart->curve_count; i++)
        if (names[i].placed)
            plot_words(c, names[i].at, chart->curves[i].name, chart->curves[i].hue);
    if (!chart->marked) return;
    cli_place at = cli_chart_place(chart, chart->mark);
    plot_letter(c, (int)floor(at.x * c->columns), plot_row(at.y), 0x25cf, chart->mark_hue);
    if (names[CLI_CHART_CURVES].placed)
        plot_words(c, names[CLI_CHART_CURVES].at, chart->mark_name, chart->mark_hue);
}

/* ---- printing ----------------------------------------------------------- */

static void plot_utf8(uint32_t letter)
{
    char bytes[4];
    size_t size = 1;
    bytes[0] = (char)letter;
    if (letter >= 0x800) {
        bytes[0] = (char)(0xe0 | letter >> 12);
        bytes[1] = (char)(0x80 | (letter >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (letter & 0x3f));
        size = 3;
    }
    cli_paper_write(bytes, size);
}

static void plot_colour(unsigned hue)
{
    static const char *const colours[] = {"\033[0m",  "\033[34m", "\033[31m",
                                          "\033[32m", "\033[35m", "\033[36m"};
    cli_paper_text(colours[hue == 0 ? 0 : 1 + (hue - 1) % 5]);
}

static void plot_print_cells(const plot_canvas *c, int row, bool colour)
{
    unsigned last = PLOT_MOST;
    while (last > 0 && !c->cells[row][last - 1].dots && !c->cells[row][last - 1].letter) last--;
    unsigned hue = 0;
    for (unsigned i = 0; i < last; i++) {
        const plot_cell *cell = &c->cells[row][i];
        if (colour && cell->hue != hue) plot_colour(hue = cell->hue);
        if (cell->letter)
            plot_utf8(cell->letter);
        else if (cell->dots)
            plot_utf8(0x2800u + cell->dots);
        else
            cli_paper_text(" ");
    }
    if (hue) plot_colour(0);
}

/* The word of the tick that falls on this row, or "". */
static const char *plot_tick_of(const cli_axis *axis, int row)
{
    for (size_t i = 0; i < axis->tick_count; i++)
        if (plot_row(cli_axis_place(axis, axis->ticks[i].value)) == row)
            return axis->ticks[i].words;
    return "";
}

static void plot_print_rows(const plot_canvas *c)
{
    bool colour = cli_paper_has_colour();
    for (int row = 0; row < PLOT_ROWS; row++) {
        const char *words = plot_tick_of(&c->chart->y, row);
        cli_paper_print("%*s %s", PLOT_LEFT - 2, words, *words ? "┤" : "│");
        plot_print_cells(c, row, colour);
        cli_paper_text("\n");
    }
}

static int plot_tick_column(const plot_canvas *c, const cli_tick *tick)
{
    int column = (int)floor(cli_axis_place(&c->chart->x, tick->value) * c->columns);
    return column < (int)c->columns ? column : (int)c->columns - 1;
}

/* The x axis, its words and its unit. */
static void plot_print_foot(const plot_canvas *c)
{
    char words[PLOT_LEFT + PLOT_MOST + 32];
    const cli_axis *x = &c->chart->x;
    cli_paper_print("%*s└", PLOT_LEFT - 1, "");
    for (unsigned i = 0; i < c->columns; i++) {
        bool tick = false;
        for (size_t j = 0; j < x->tick_count; j++)
            tick |= plot_tick_column(c, &x->ticks[j]) == (int)i;
        cli_paper_text(tick ? "┬" : "─");
    }
    memset(words, ' ', sizeof words);
    size_t used = 1;
    for (size_t j = 0; j < x->tick_count; j++) {
        size_t length = strlen(x->ticks[j].words);
        size_t at = (size_t)(PLOT_LEFT + plot_tick_column(c, &x->ticks[j])) - length / 2;
        if (at < used || at + length > sizeof words) continue;
        memcpy(words + at, x->ticks[j].words, length);
        used = at + length + 1;
    }
    int middle = (int)(PLOT_LEFT + (c->columns - strlen(x->label)) / 2);
    cli_paper_print("\n%.*s\n%*s%s\n", (int)used - 1, words, middle, "", x->label);
}

/* Words below the chart, on as many lines as they need. */
static void plot_print_note(const char *text, unsigned columns)
{
    while (*text) {
        size_t length = strlen(text), room = columns - PLOT_LEFT;
        if (length > room)
            for (length = room; length > 1 && text[length] != ' ';) length--;
        cli_paper_print("%*s%.*s\n", PLOT_LEFT, "", (int)length, text);
        text += length + (text[length] == ' ');
    }
}

void cli_plot(const cli_chart *chart, unsigned columns)
{
    static plot_canvas canvas;
    memset(&canvas, 0, sizeof canvas);
    canvas.chart = chart;
    if (columns > PLOT_MOST) columns = PLOT_MOST;
    canvas.columns = columns - PLOT_LEFT - PLOT_MARGIN;
    for (size_t i = 0; i < chart->curve_count; i++) plot_curve(&canvas, &chart->curves[i]);
    plot_names(&canvas);
    cli_paper_print("%*s%s\n%*s %s\n", PLOT_LEFT, "", chart->title, PLOT_LEFT - 2, "",
                    chart->y.label);
    plot_print_rows(&canvas);
    plot_print_foot(&canvas);
    plot_print_note(chart->order, columns);
    if (chart->note) plot_print_note(chart->note, columns);
}
