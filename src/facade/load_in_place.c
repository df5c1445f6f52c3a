/* load_in_place.c - filters used where they lie: in a caller's bytes, or in the
 * pages of a file.                                                          */
#include <string.h>
#include <tamis/file.h>

#include "base/endian.h"
#include "base/fail.h"
#include "facade/load.h"
#include "facade/origin.h"
#include "facade/tree.h"
#include "format/transport.h"

/* Verifies and watches as the flags ask. Maps that ask for nothing are checked
 * by tamis_verify, when the caller likes. */
static tamis_status in_place_trust(tamis_filter *f, uint32_t flags)
{
    tamis_damage damage;
    if (flags & TAMIS_OPEN_LAZY) return tms_origin_watch(f);
    if (flags & TAMIS_OPEN_MAP && !(flags & TAMIS_OPEN_SALVAGE)) return TAMIS_OK;
    tamis_status status = tms_origin_verify(f->origin, &damage);
    if (status == TAMIS_OK || !(flags & TAMIS_OPEN_SALVAGE)) return status;
    TMS_TRY(tms_origin_watch(f));
    (void)tms_origin_verify(f->origin, &damage); /* now the chunks are remembered */
    return TAMIS_OK;
}

static tamis_status in_place_over(const uint8_t *bytes, const tms_envelope *e,
                                  const tamis_open_options *options, tamis_filter **out)
{
    const uint8_t *area = bytes + e->header_bytes;
    tamis_filter *f = NULL;
    TMS_TRY(tms_tree_make(e, options, area, &f));
    tamis_status status = tms_origin_make(f);
    if (status == TAMIS_OK) {
        f->origin->area = area;
        f->origin->trailer = area + e->body_bytes;
        f->origin->envelope = *e;
        f->origin->envelope.nodes = NULL; /* the caller's, and soon gone */
        f->origin->envelope.metadata = NULL;
        f->origin->table_sum = tms_load64(f->origin->trailer + 8 * e->chunk_count);
        status = in_place_trust(f, options->flags);
    }
    if (status == TAMIS_OK)
        *out = f;
    else
        tamis_free(f);
    return status;
}

/* A filter of a loose kind is a copy, though as read-only as others. */
static tamis_status in_place_copy(const uint8_t *bytes, const tms_input *input,
                                  const tamis_open_options *options, tamis_filter **out)
{
    TMS_TRY(tamis_load(bytes, (size_t)input->size, options, out));
    (*out)->read_only = true;
    return TAMIS_OK;
}

/* An input that was salvaged though it ends early is copied: nothing may touch
 * its missing end. */
static tamis_status in_place_open(const uint8_t *bytes, const tms_input *input,
                                  const tamis_open_options *options, tamis_filter **out)
{
    tms_envelope e = {0};
    TMS_TRY(tms_envelope_read(bytes, (size_t)input->size, options->alloc, &e));
    e.journal_bytes = input->sizes.journal_bytes;
    tamis_status status = tms_envelope_fits(&e, input->size);
    if (!tms_tree_lies_in_place(&e))
        status = in_place_copy(bytes, input, options, out);
    else if (status == TAMIS_OK)
        status = in_place_over(bytes, &e, options, out);
    else if (status == TAMIS_E_TRUNCATED && options->flags & TAMIS_OPEN_SALVAGE)
        status = tamis_load(bytes, (size_t)input->size, options, out);
    tms_envelope_free(options->alloc, &e);
    return status;
}

static tamis_status in_place_split(const uint8_t *bytes, uint64_t size,
                                   const tamis_open_options *options, tms_input *input)
{
    if (tms_transport_recognise(bytes, size < 8 ? (size_t)size : 8) != TAMIS_PLAIN)
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "a compressed filter cannot be used in place; load it instead");
    return tms_input_split(bytes, size, options->alloc, input);
}

tamis_status tamis_view(const void *bytes, size_t size, const tamis_open_options *options,
                        tamis_filter **out)
{
    tamis_open_options view = {0};
    tms_input input;
    if (options) view = *options;
    *out = NULL;
    view.flags &= ~(uint32_t)TAMIS_OPEN_MAP;
    TMS_TRY(in_place_split(bytes, size, &view, &input));
    if (input.sizes.journal_bytes)
        return tms_fail(TAMIS_E_UNSUPPORTED, "keys were appended to the filter, which a view "
                                             "cannot take in; load it, or save it anew first");
    return in_place_open(bytes, &input, &view, out);
}

/* ---- files -------------------------------------------------------------- */

/* Hands the map over to the filter, or closes it. */
static tamis_status in_place_keep(tamis_status status, tms_map *map, tamis_filter *f)
{
    if (status == TAMIS_OK && f->origin && f->origin->trailer)
        f->origin->map = *map;
    else
        tms_map_close(map);
    return status;
}

tamis_status tms_load_private(const char *path, const tamis_open_options *options,
                              tamis_filter **out)
{
    tms_map map;
    tms_input input = {0};
    tamis_filter *f = NULL;
    TMS_TRY(tms_map_open_private(path, &map));
    tamis_status status = in_place_split(map.bytes, map.size, options, &input);
    if (status == TAMIS_OK) status = in_place_open(map.bytes, &input, options, &f);
    status = in_place_keep(status, &map, f);
    bool moves = status == TAMIS_OK && f->kind->hold; /* keys, behind the back of the checksums */
    if (status == TAMIS_OK && (f->kind->child_count || f->kind->loose || moves))
        status =
            tms_fail(TAMIS_E_UNSUPPORTED, "a %s filter cannot be amended in place", f->kind->name);
    if (status == TAMIS_OK) status = tms_input_replay(&input, true, f);
    if (status == TAMIS_OK)
        *out = f;
    else
        tamis_free(f);
    return status;
}

/* Keys that were appended are set in pages of this process's own; a filter that
 * would have to grow for that is read instead. */
static tamis_status in_place_amended(const char *path, const tamis_open_options *options,
                                     tamis_filter **out)
{
    tamis_status status = tms_load_private(path, options, out);
    return status == TAMIS_E_UNSUPPORTED ? tms_load_file(path, options, out) : status;
}

tamis_status tms_load_map(const char *path, const tamis_open_options *options, tamis_filter **out)
{
    tms_map map;
    tms_input input = {0};
    TMS_TRY(tms_map_open(path, &map));
    if (options->flags & TAMIS_OPEN_WARM) tms_map_warm(&map);
    tamis_status status = in_place_split(map.bytes, map.size, options, &input);
    if (status == TAMIS_OK && input.sizes.journal_bytes) {
        tms_map_close(&map);
        return in_place_amended(path, options, out);
    }
    if (status == TAMIS_OK) status = in_place_open(map.bytes, &input, options, out);
    return in_place_keep(status, &map, *out);
}
