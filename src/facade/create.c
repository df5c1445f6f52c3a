/* create.c - the life of a filter: making, copying, emptying, freeing.      */
#include <string.h>
#include <tamis/combine.h>
#include <tamis/file.h>
#include <tamis/filter.h>
#include <tamis/version.h>

#include "base/fail.h"
#include "base/memory.h"
#include "facade/origin.h"
#include "facade/planner.h"
#include "kinds/body.h"

uint32_t tamis_version_number(void)
{
    return TAMIS_VERSION_NUMBER;
}

const char *tamis_version(void)
{
    return TAMIS_VERSION_STRING;
}

static tamis_status create_level(const tms_level *level, tms_family family, tamis_filter **out);

/* The parts that a composed filter starts with. */
static tamis_status create_parts(const tms_level *level, tms_family family, tamis_filter *f)
{
    size_t size = level->children * sizeof(tamis_filter *);
    uint32_t made = 0;
    tamis_status status = TAMIS_OK;
    tamis_filter **parts = tms_alloc(family.alloc, size);
    if (!parts) return tms_fail_memory("the list of parts", size);
    while (made < level->children && status == TAMIS_OK) {
        status = create_level(level + 1, family, &parts[made]);
        if (status == TAMIS_OK) made++;
    }
    if (status == TAMIS_OK) status = f->kind->adopt(f, parts, made);
    while (status != TAMIS_OK && made > 0) tms_filter_drop(parts[--made]);
    tms_free(family.alloc, parts, size);
    return status;
}

static tamis_status create_level(const tms_level *level, tms_family family, tamis_filter **out)
{
    tamis_filter *f = NULL;
    if (!level->kind->composing) return tms_filter_make(level->kind, &level->shape, family, out);
    TMS_TRY(tms_handle_make(level->kind, &level->shape, family, &f));
    level->kind->attach(f);
    tamis_status status = create_parts(level, family, f);
    if (status == TAMIS_OK)
        *out = f;
    else
        tms_filter_drop(f);
    return status;
}

tamis_status tamis_create(const tamis_spec *spec, tamis_filter **out)
{
    tms_plan plan;
    tms_hasher hasher;
    *out = NULL;
    TMS_TRY(tms_hasher_init(&hasher, spec->hash, spec->seed, spec->secret));
    TMS_TRY(tms_plan_for(spec, &plan));
    tms_family family = {.hasher = &hasher, .alloc = spec->alloc};
    return create_level(plan.levels, family, out);
}

void tamis_free(tamis_filter *f)
{
    tms_filter_drop(f);
}

/* ---- cloning ------------------------------------------------------------ */

static tamis_status create_copy(const tamis_filter *f, tamis_filter **out);

static tamis_status create_copy_children(const tamis_filter *f, tamis_filter *copy)
{
    uint32_t count = f->kind->child_count(f), made = 0;
    tamis_filter **children = tms_alloc(&f->alloc, count * sizeof *children);
    if (!children) return tms_fail_memory("the copy's layers", count * sizeof *children);
    tamis_status status = TAMIS_OK;
    while (made < count && status == TAMIS_OK) {
        status = create_copy(f->kind->child(f, made), &children[made]);
        if (status == TAMIS_OK) made++;
    }
    if (status == TAMIS_OK) status = f->kind->adopt(copy, children, count);
    while (status != TAMIS_OK && made > 0) tms_filter_drop(children[--made]);
    tms_free(&f->alloc, children, count * sizeof *children);
    return status;
}

static tamis_status create_copy(const tamis_filter *f, tamis_filter **out)
{
    tms_family family = {.hasher = &f->hasher, .alloc = &f->alloc};
    tamis_filter *copy = NULL;
    if (f->kind->composing) {
        TMS_TRY(tms_handle_make(f->kind, &f->shape, family, &copy));
        f->kind->attach(copy);
        tamis_status status = create_copy_children(f, copy);
        if (status != TAMIS_OK) {
            tms_filter_drop(copy);
            return status;
        }
    } else if (f->kind->loose) {
        TMS_TRY(tms_filter_make(f->kind, &f->shape, family, &copy));
        tamis_status status = f->kind->loose->copy(f, copy);
        if (status != TAMIS_OK) {
            tms_filter_drop(copy);
            return status;
        }
    } else {
        TMS_TRY(tms_filter_make(f->kind, &f->shape, family, &copy));
        if (f->kind->hold) f->kind->hold(f, true);
        tms_body_copy(copy->body, f->body, (size_t)f->shape.body_bytes);
        if (f->kind->hold) f->kind->hold(f, false);
    }
    tms_counter_set(&copy->added, tms_counter_sum(&f->added));
    copy->count_is_estimate = f->count_is_estimate;
    copy->damaged_bytes = f->damaged_bytes;
    *out = copy;
    return TAMIS_OK;
}

tamis_status tamis_clone(const tamis_filter *f, tamis_filter **out)
{
    tamis_filter *copy = NULL;
    *out = NULL;
    bool unverified = f->origin && f->origin->trailer && !f->origin->ops;
    if (unverified) TMS_TRY(tms_origin_verify(f->origin, NULL));
    TMS_TRY(create_copy(f, &copy));
    copy->count_is_estimate = f->count_is_estimate;
    tamis_status status = tms_origin_carry_damage(f, copy);
    if (status == TAMIS_OK && f->metadata_bytes)
        status = tamis_set_metadata(copy, f->metadata, f->metadata_bytes);
    if (status != TAMIS_OK) {
        tms_filter_drop(copy);
        return status;
    }
    *out = copy;
    return TAMIS_OK;
}

static void create_forget_damage(tamis_filter *f)
{
    for (uint32_t i = 0; i < tms_child_count(f); i++) create_forget_damage(f->kind->child(f, i));
    tms_origin_forget(f);
}

tamis_status tamis_clear(tamis_filter *f)
{
    create_forget_damage(f);
    TMS_TRY(tms_origin_writable(f));
    tms_filter_empty(f);
    return TAMIS_OK;
}
