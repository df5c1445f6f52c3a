/* convert.c - the same set as a filter of another kind, without the keys.   */
#include <tamis/combine.h>
#include <tamis/file.h>

#include "base/fail.h"
#include "facade/origin.h"
#include "facade/registry.h"

static tamis_status convert_find(const tamis_filter *f, uint32_t id, const tms_kind **kind,
                                 tms_shape *shape)
{
    *kind = tms_kind_by_id(id);
    if (!*kind) return tms_fail(TAMIS_E_SPEC, "there is no filter of kind %u", id);
    if (!f->kind->convert_shape)
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "a %s filter cannot become a %s filter without its keys; build it anew",
                        f->kind->name, (*kind)->name);
    TMS_TRY(f->kind->convert_shape(&f->shape, id, shape));
    return (*kind)->check(shape);
}

static tamis_status convert_make(const tamis_filter *f, uint32_t id, tamis_filter **out)
{
    const tms_kind *kind;
    tms_shape shape;
    tms_family family = {.hasher = &f->hasher, .alloc = &f->alloc};
    TMS_TRY(convert_find(f, id, &kind, &shape));
    TMS_TRY(tms_filter_make(kind, &shape, family, out));
    f->kind->convert(f, (*out)->body);
    tms_counter_set(&(*out)->added, tms_counter_sum(&f->added));
    (*out)->count_is_estimate = f->count_is_estimate;
    (*out)->damaged_bytes = f->damaged_bytes;
    tamis_status status = TAMIS_OK;
    if (f->metadata_bytes) status = tamis_set_metadata(*out, f->metadata, f->metadata_bytes);
    if (status == TAMIS_OK) return TAMIS_OK;
    tms_filter_drop(*out);
    *out = NULL;
    return status;
}

tamis_status tamis_convert(const tamis_filter *f, uint32_t kind, tamis_filter **out)
{
    tamis_filter *copy = NULL;
    *out = NULL;
    if (kind == f->kind->id) return tamis_clone(f, out);
    TMS_TRY(tms_origin_settle(f, &copy));
    tamis_status status = convert_make(copy ? copy : f, kind, out);
    tamis_free(copy);
    return status;
}
