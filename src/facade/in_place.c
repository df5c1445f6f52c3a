/* in_place.c - filters built inside a caller's buffer, and the user's own
 * bytes that travel with a filter.
 *
 * The buffer has the layout of a file from the start: the header's place, the
 * body, the trailer's place. Sealing fills the two places in.               */
#include <inttypes.h>
#include <string.h>
#include <tamis/file.h>

#include "base/fail.h"
#include "base/memory.h"
#include "facade/encode.h"
#include "facade/origin.h"
#include "facade/planner.h"
#include "format/chunks.h"

static tamis_status in_place_plan(const tamis_spec *spec, tms_plan *plan, tms_node *node,
                                  tms_envelope *e)
{
    TMS_TRY(tms_plan_for(spec, plan));
    const tms_level *whole = &plan->levels[0];
    if (!(whole->kind->abilities & TAMIS_CAN_BORROW))
        return tms_fail(TAMIS_E_UNSUPPORTED, "a %s filter cannot live in a buffer",
                        whole->kind->name);
    *node = (tms_node){.shape = whole->shape};
    *e = (tms_envelope){.nodes = node, .node_count = 1};
    return tms_envelope_layout(e);
}

tamis_status tamis_create_in_size(const tamis_spec *spec, uint64_t *size)
{
    tms_plan plan;
    tms_node node;
    tms_envelope e;
    TMS_TRY(in_place_plan(spec, &plan, &node, &e));
    *size = e.file_bytes;
    return TAMIS_OK;
}

static tamis_status in_place_fits(const tms_envelope *e, const tamis_spec *spec, const void *buffer,
                                  size_t size)
{
    if (size < e->file_bytes)
        return tms_fail(TAMIS_E_SPEC, "the buffer has %zu bytes, the filter needs %" PRIu64, size,
                        e->file_bytes);
    if (spec->flags & TAMIS_CONCURRENT && (uintptr_t)buffer % 8 != 0)
        return tms_fail(TAMIS_E_SPEC, "a concurrent filter needs a buffer aligned to 8 bytes");
    return TAMIS_OK;
}

tamis_status tamis_create_in(const tamis_spec *spec, void *buffer, size_t size, tamis_filter **out)
{
    tms_hasher hasher;
    tms_plan plan;
    tms_node node;
    tms_envelope e;
    tamis_filter *f = NULL;
    *out = NULL;
    TMS_TRY(tms_hasher_init(&hasher, spec->hash, spec->seed, spec->secret));
    TMS_TRY(in_place_plan(spec, &plan, &node, &e));
    TMS_TRY(in_place_fits(&e, spec, buffer, size));
    tms_family family = {.hasher = &hasher, .alloc = spec->alloc};
    TMS_TRY(tms_handle_make(plan.levels[0].kind, &plan.levels[0].shape, family, &f));
    tamis_status status = tms_origin_make(f);
    if (status != TAMIS_OK) {
        tms_filter_drop(f);
        return status;
    }
    memset(buffer, 0, (size_t)e.file_bytes);
    f->body = (uint8_t *)buffer + e.header_bytes;
    f->origin->buffer = buffer;
    f->kind->attach(f);
    *out = f;
    return TAMIS_OK;
}

tamis_status tamis_seal(tamis_filter *f)
{
    tms_packing packing;
    if (!f->origin || !f->origin->buffer)
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "only a filter made by tamis_create_in is sealed; use tamis_encode");
    TMS_TRY(tms_packing_make(f, &packing));
    tms_envelope_write(&packing.envelope, f->origin->buffer);
    tms_trailer_fill(&packing.envelope, f->body, f->body + packing.envelope.body_bytes);
    tms_packing_free(f, &packing);
    return TAMIS_OK;
}

/* ---- metadata ----------------------------------------------------------- */

tamis_status tamis_set_metadata(tamis_filter *f, const void *bytes, size_t size)
{
    TMS_TRY(tms_origin_writable(f));
    if (f->origin && f->origin->buffer)
        return tms_fail(TAMIS_E_UNSUPPORTED, "a filter in a buffer has no room for metadata");
    if (size > TMS_METADATA_MOST)
        return tms_fail(TAMIS_E_LIMIT, "%zu bytes of metadata are above %d", size,
                        TMS_METADATA_MOST);
    uint8_t *copy = NULL;
    if (size) {
        copy = tms_alloc(&f->alloc, size);
        if (!copy) return tms_fail_memory("the metadata", size);
        memcpy(copy, bytes, size);
    }
    tms_free(&f->alloc, f->metadata, f->metadata_bytes);
    f->metadata = copy;
    f->metadata_bytes = size;
    return TAMIS_OK;
}

const void *tamis_metadata(const tamis_filter *f, size_t *size)
{
    *size = f->metadata_bytes;
    return f->metadata;
}
