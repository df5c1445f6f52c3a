/* svg.h - charts as a drawing that one would put on a slide.                */
#ifndef CLI_SVG_H
#define CLI_SVG_H

#include "chart.h"
#include "command.h"

/* Writes the charts side by side, under a title and a line below it, to the
 * file (atomically; --force replaces one) or to standard output for "-".
 * Returns CLI_YES or CLI_ERROR. */
int cli_svg_save(const cli_settings *settings, const char *path, const char *title,
                 const char *subtitle, const cli_chart *charts, size_t count);

#endif
