/* planner_parts.h - what the files of the planner share.                    */
#ifndef TMS_FACADE_PLANNER_PARTS_H
#define TMS_FACADE_PLANNER_PARTS_H

#include "facade/planner.h"
#include "kinds/blocked.h"

/* From this rate on one line a key serves; below, classic is smaller. */
static const double tms_planner_blocked_from = TMS_BLOCKED_ONE_LINE_FROM;

/* ---- sizing (planner_size.c) -------------------------------------------- */

bool tms_planner_is_exact(const tms_kind *kind);
bool tms_planner_is_scaling(const tms_kind *kind);
tamis_status tms_planner_find_kind(uint32_t id, const tms_kind **kind);

/* The flat kind for a rate: blocked while one line a key serves, classic below. */
const tms_kind *tms_planner_usual_kind(const tamis_spec *spec);

/* What is needed, by words or by flags; and the sentence for what is missing. */
uint32_t tms_planner_needs(const tamis_spec *spec);
tamis_status tms_planner_refuse(const tms_kind *kind, uint32_t missing);

/* Bits of the hash, and the rate that it has without any filter. */
uint32_t tms_planner_width(const tamis_spec *spec);
double tms_planner_floor(double keys, uint32_t width);

/* A plan for this kind; the spec's own is not looked at. */
tamis_status tms_planner_size(const tms_kind *kind, const tamis_spec *spec, tms_plan *out);

/* Of the whole: expected rate after so many keys, and bytes of all bodies. */
double tms_planner_rate(const tms_plan *plan, double keys);
uint64_t tms_planner_bytes(const tms_plan *plan);

/* ---- choosing (planner.c) ----------------------------------------------- */

/* Whether a scaling filter is asked for, in whichever way. */
bool tms_planner_scales(const tamis_spec *spec);
uint32_t tms_planner_abilities(const tms_plan *plan);

#endif
