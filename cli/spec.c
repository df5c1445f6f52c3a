/* spec.c - see spec.h.                                                      */
#include "spec.h"

#include <string.h>

#include "words.h"

bool cli_has_window(const cli_settings *settings)
{
    return settings->window.keys || settings->window.milliseconds;
}

/* A window of keys is its capacity, and both make a filter of that kind. */
static int spec_read_window(const cli_settings *settings, tamis_spec *spec)
{
    if (!cli_has_window(settings)) return CLI_YES;
    if (spec->kind && spec->kind != TAMIS_KIND_WINDOW)
        return cli_complain("--window makes a filter of kind window; --inner %s says what it is "
                            "made of",
                            settings->kind);
    if (settings->window.keys && settings->capacity)
        return cli_complain("--window and --capacity both say how many keys there are; leave "
                            "--capacity out");
    if (settings->window.keys) spec->capacity = settings->window.keys;
    spec->kind = TAMIS_KIND_WINDOW;
    spec->window = settings->window.milliseconds;
    return CLI_YES;
}

int cli_read_spec(const cli_settings *settings, tamis_spec *spec)
{
    *spec = (tamis_spec){.capacity = settings->capacity,
                         .fpr = settings->fpr,
                         .memory = settings->memory,
                         .seed = settings->seed,
                         .lines_per_key = (uint32_t)settings->lines_per_key,
                         .parts = (uint32_t)settings->parts,
                         .counter_bits = (uint32_t)settings->counter_bits,
                         .fingerprint_bits = (uint32_t)settings->fingerprint_bits,
                         .bucket_keys = (uint32_t)settings->bucket_keys,
                         .expansion = settings->expansion,
                         .tightening = settings->tightening,
                         .fold = settings->fold};
    if (settings->kind) spec->kind = tamis_kind_id(settings->kind);
    if (settings->inner) spec->inner = tamis_kind_id(settings->inner);
    if (settings->hash) spec->hash = tamis_hash_id(settings->hash);
    if (settings->strict) spec->flags |= TAMIS_STRICT;
    if (settings->never_exceed) spec->flags |= TAMIS_NEVER_EXCEED;
    if (settings->dense) spec->flags |= TAMIS_DENSE;
    if (settings->scale || spec->kind == TAMIS_KIND_SCALABLE) spec->growth = TAMIS_GROWTH_SCALE;
    return spec_read_window(settings, spec);
}
