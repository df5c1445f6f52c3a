/* registry.c - the one list of kinds. Whoever adds a kind adds a line here and
 * nowhere else above its own file.                                          */
#include "facade/registry.h"

#include <string.h>

#include "compose/scalable.h"
#include "compose/sharded.h"
#include "compose/twin.h"
#include "compose/window.h"
#include "foreign/redisbloom_chain.h"
#include "kinds/bitmap.h"
#include "kinds/blocked.h"
#include "kinds/classic.h"
#include "kinds/counting.h"
#include "kinds/cuckoo.h"
#include "kinds/dleft.h"

static const tms_kind *const registry_kinds[] = {
    &tms_classic_kind, &tms_blocked_kind,  &tms_counting_kind, &tms_cuckoo_kind, &tms_dleft_kind,
    &tms_bitmap_kind,  &tms_scalable_kind, &tms_twin_kind,     &tms_window_kind, &tms_sharded_kind,
};

/* Kinds of other systems: known by name and number, made only by doors of their
 * own, so neither planned nor found in native files. */
static const tms_kind *const registry_foreign[] = {
    &tms_rb_bloom_kind,
    &tms_rb_cuckoo_kind,
};

enum { REGISTRY_FOREIGN = sizeof registry_foreign / sizeof registry_foreign[0] };
enum { REGISTRY_COUNT = sizeof registry_kinds / sizeof registry_kinds[0] };

const tms_kind *tms_kind_number(size_t index)
{
    return index < REGISTRY_COUNT ? registry_kinds[index] : NULL;
}

const tms_kind *tms_kind_by_id(uint64_t id)
{
    for (size_t i = 0; i < REGISTRY_COUNT; i++)
        if (registry_kinds[i]->id == id) return registry_kinds[i];
    return NULL;
}

const tms_kind *tms_kind_foreign(uint64_t id)
{
    for (size_t i = 0; i < REGISTRY_FOREIGN; i++)
        if (registry_foreign[i]->id == id) return registry_foreign[i];
    return NULL;
}

static const tms_kind *registry_any(uint64_t id)
{
    const tms_kind *k = tms_kind_by_id(id);
    return k ? k : tms_kind_foreign(id);
}

size_t tamis_kind_list(uint32_t *kinds, size_t room)
{
    for (size_t i = 0; i < REGISTRY_COUNT && i < room; i++) kinds[i] = registry_kinds[i]->id;
    return REGISTRY_COUNT;
}

const char *tamis_kind_name(uint32_t kind)
{
    const tms_kind *k = registry_any(kind);
    return k ? k->name : NULL;
}

uint32_t tamis_kind_id(const char *name)
{
    for (size_t i = 0; name && i < REGISTRY_COUNT; i++)
        if (strcmp(registry_kinds[i]->name, name) == 0) return registry_kinds[i]->id;
    for (size_t i = 0; name && i < REGISTRY_FOREIGN; i++)
        if (strcmp(registry_foreign[i]->name, name) == 0) return registry_foreign[i]->id;
    return TAMIS_KIND_ANY;
}

uint32_t tamis_kind_abilities(uint32_t kind)
{
    const tms_kind *k = registry_any(kind);
    return k ? k->abilities : 0;
}
