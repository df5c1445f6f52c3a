/* plot.h - a chart on a terminal, in braille: each character is 2 by 4 dots. */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "chart.h"

/* Prints the chart on standard output, `columns` wide at most. */
void cli_plot(const cli_chart *chart, unsigned columns);

#endif
