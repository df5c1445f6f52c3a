/* plan_charts.h - the two drawings of tamis plan, as numbers.               */
#ifndef CLI_PLAN_CHARTS_H
#define CLI_PLAN_CHARTS_H

#include "chart.h"
#include "command.h"

/* Rate against bits per key, a curve a kind, at this number of keys; `asked`
 * is the row that is recommended. */
void cli_chart_of_rates(const tamis_spec *spec, const tamis_sizing *asked, cli_chart *out);

/* Size against keys for the recommended kind, a curve a rate. */
void cli_chart_of_sizes(const tamis_spec *spec, const tamis_sizing *asked, cli_chart *out);

#endif
