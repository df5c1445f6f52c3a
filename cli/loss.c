/* loss.c - see loss.h.                                                      */
#include "loss.h"

#include <math.h>

enum { LOSS_STEPS = 128, LOSS_LAYERS = 64 };

static const double loss_hopeless = 0.9; /* above this rate the bits tell nothing */

typedef struct loss_layer {
    tamis_facts facts;
    double planned; /* the planner's rate for the keys in it; 0: it does not know */
    double passes;  /* share of new keys that the layers before it let through */
} loss_layer;

/* The planner's rate for a filter of this shape with other keys in it. */
static double loss_plan(const tamis_facts *facts, double keys)
{
    const uint32_t lines = facts->lines_per_key ? facts->lines_per_key : 1;
    const tamis_spec spec = {.kind = facts->kind,
                             .hash = facts->hash,
                             .capacity = keys < 1 ? 1 : (uint64_t)keys,
                             .memory = facts->bits / 8,
                             .hashes = facts->hashes / lines,
                             .lines_per_key = facts->lines_per_key};
    tamis_sizing sizing;
    return tamis_plan(&spec, &sizing) == TAMIS_OK ? sizing.fpr : 0;
}

/* The rate of a layer when it had fewer keys; where nobody knows, that of now. */
static double loss_rate(const loss_layer *layer, double keys)
{
    const double now = layer->facts.fpr_now;
    if (!(layer->planned > 0)) return now;
    return fmin(now, now * loss_plan(&layer->facts, keys) / layer->planned);
}

/* Fills in the layers, oldest first; a filter without layers is one. Returns
 * their number. */
static size_t loss_look(const tamis_filter *filter, loss_layer layers[LOSS_LAYERS])
{
    const tamis_filter *view = tamis_layer_view(filter, 0);
    const bool layered = view != NULL;
    double passes = 1;
    size_t count = 0;
    if (!layered) view = filter;
    for (; view && count < LOSS_LAYERS; count++) {
        loss_layer *layer = &layers[count];
        tamis_info(view, &layer->facts);
        layer->planned = loss_plan(&layer->facts, layer->facts.keys);
        layer->passes = passes;
        passes *= 1 - layer->facts.fpr_now;
        view = layered ? tamis_layer_view(filter, (uint32_t)count + 1) : NULL;
    }
    return count;
}

/* Takes keys back out of a layer, a step at a time, until `*left` of them were
 * told new; returns what was lost meanwhile. For each key that came to this
 * layer 1 / passes came to the filter. */
static double loss_of_layer(const loss_layer *layer, double *left)
{
    const double step = layer->facts.keys / LOSS_STEPS;
    double lost = 0;
    for (int i = LOSS_STEPS; i-- > 0 && *left > 0;) {
        double rate = loss_rate(layer, (i + 0.5) * step), told = step * (1 - rate);
        double share = told > *left ? *left / told : 1;
        lost += share * step * (1 / layer->passes - 1 + rate);
        *left -= share * told;
    }
    return lost;
}

/* Keys that a window has told new and forgotten since met about the rate of now. */
static double loss_of_forgotten(const tamis_filter *filter, double left)
{
    tamis_facts facts;
    if (!(tamis_abilities(filter) & TAMIS_CAN_FORGET) || !(left > 0)) return 0;
    tamis_info(filter, &facts);
    return left * facts.fpr_now / (1 - facts.fpr_now);
}

double cli_expected_losses(const tamis_filter *filter, uint64_t fresh)
{
    loss_layer layers[LOSS_LAYERS];
    double left = (double)fresh, lost = 0;
    for (size_t i = loss_look(filter, layers); i-- > 0 && left > 0;) {
        if (!(layers[i].passes * (1 - layers[i].facts.fpr_now) > 1 - loss_hopeless))
            return INFINITY;
        lost += loss_of_layer(&layers[i], &left);
    }
    return lost + loss_of_forgotten(filter, left);
}
