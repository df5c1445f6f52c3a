/* handle.c - making and dropping the head that all filters share.           */
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinds/kind.h"

enum { HANDLE_STRIPES = TMS_COUNTER_STRIPES * sizeof(tms_stripe) };

tamis_status tms_handle_make(const tms_kind *kind, const tms_shape *shape, tms_family family,
                             tamis_filter **out)
{
    tamis_filter *f = tms_alloc(family.alloc, kind->handle_bytes);
    if (!f) return tms_fail_memory("the filter's handle", kind->handle_bytes);
    f->kind = kind;
    f->shape = *shape;
    f->hasher = *family.hasher;
    if (family.alloc) f->alloc = *family.alloc;
    f->owner = TMS_BODY_BORROWED;
    f->damage_rule = kind->damage_rule;
    if (shape->flags & TAMIS_CONCURRENT) {
        f->added.stripes = tms_alloc(family.alloc, HANDLE_STRIPES);
        if (!f->added.stripes) {
            tms_free(family.alloc, f, kind->handle_bytes);
            return tms_fail_memory("the filter's counter", HANDLE_STRIPES);
        }
    }
    *out = f;
    return TAMIS_OK;
}

tamis_status tms_filter_make(const tms_kind *kind, const tms_shape *shape, tms_family family,
                             tamis_filter **out)
{
    tamis_filter *f = NULL;
    TMS_TRY(tms_handle_make(kind, shape, family, &f));
    if (shape->body_bytes) f->body = tms_alloc_body(family.alloc, shape->body_bytes);
    if (shape->body_bytes && !f->body) {
        tms_filter_drop(f);
        return tms_fail_memory("the filter's body", shape->body_bytes);
    }
    f->owner = TMS_BODY_OWNED;
    kind->attach(f);
    *out = f;
    return TAMIS_OK;
}

void tms_filter_drop(tamis_filter *f)
{
    if (!f) return;
    tamis_alloc alloc = f->alloc;
    size_t handle_bytes = f->kind->handle_bytes;
    if (f->kind->release) f->kind->release(f);
    if (f->owner == TMS_BODY_OWNED) tms_free_body(&alloc, f->body, f->shape.body_bytes);
    tms_free(&alloc, f->added.stripes, HANDLE_STRIPES);
    tms_free(&alloc, f->metadata, f->metadata_bytes);
    if (f->origin) f->drop_origin(f->origin, &alloc);
    tms_wipe(&f->hasher, sizeof f->hasher); /* it may hold a secret */
    tms_free(&alloc, f, handle_bytes);
}

uint32_t tms_filter_abilities(const tamis_filter *f)
{
    const tms_composing *composing = f->kind->composing;
    return composing ? composing->abilities(tms_filter_abilities(f->kind->child(f, 0)))
                     : f->kind->abilities;
}

void tms_filter_empty(tamis_filter *f)
{
    if (f->kind->reset)
        f->kind->reset(f);
    else if (f->owner == TMS_BODY_OWNED)
        tms_zero_body(&f->alloc, f->body, f->shape.body_bytes);
    else
        memset(f->body, 0, (size_t)f->shape.body_bytes);
    tms_counter_set(&f->added, 0);
    f->count_is_estimate = false;
    f->damaged_bytes = 0;
}
