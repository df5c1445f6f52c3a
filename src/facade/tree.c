/* tree.c - builds the filters that a header describes: each shape judged by
 * its kind, the hash found, the secret compared.                            */
#include <inttypes.h>
#include <string.h>
#include <tamis/version.h>

#include "base/fail.h"
#include "base/memory.h"
#include "facade/tree.h"
#include "facade/registry.h"

/* ---- the hash ----------------------------------------------------------- */

static tamis_status tree_check_hash(const tms_envelope *e)
{
    const char *name = tamis_hash_name(e->hash);
    if (!name)
        return tms_fail(TAMIS_E_UNAVAILABLE,
                        "the filter's hash is \"%s\" (number %u), which is unknown here; register "
                        "it with tamis_register_hash first",
                        e->hash_name, e->hash);
    if (strcmp(name, e->hash_name) != 0)
        return tms_fail(TAMIS_E_UNAVAILABLE,
                        "the filter's hash %u is called \"%s\", but here that number is \"%s\"",
                        e->hash, e->hash_name, name);
    if ((e->hash == TAMIS_HASH_SIPHASH) != (e->fingerprint != 0))
        return tms_fail(TAMIS_E_CORRUPT,
                        "the hash %s and the fingerprint %" PRIx64
                        " of a secret do not go together",
                        name, e->fingerprint);
    return TAMIS_OK;
}

static tamis_status tree_check_secret(const tms_envelope *e, const uint8_t *secret)
{
    if (e->fingerprint && !secret)
        return tms_fail(TAMIS_E_SECRET, "the filter was made with a secret; give that secret");
    if (!e->fingerprint && secret)
        return tms_fail(TAMIS_E_SECRET,
                        "the filter was made without a secret, but one was given; open it without");
    return TAMIS_OK;
}

static tamis_status tree_hasher(const tms_envelope *e, const uint8_t *secret, tms_hasher *hasher)
{
    TMS_TRY(tree_check_hash(e));
    TMS_TRY(tree_check_secret(e, secret));
    TMS_TRY(tms_hasher_init(hasher, e->hash, e->seed, secret));
    if (hasher->fingerprint != e->fingerprint)
        return tms_fail(TAMIS_E_SECRET,
                        "the filter was made with another secret (the fingerprints differ)");
    return TAMIS_OK;
}

/* ---- nodes -------------------------------------------------------------- */

typedef struct tree_builder {
    const tms_envelope *envelope;
    const uint8_t *area; /* NULL: allocate the bodies */
    tms_family family;
    uint32_t behaviour; /* TAMIS_CONCURRENT or 0 */
    uint32_t next;      /* node */
} tree_builder;

static tamis_status tree_check_shape(const tms_kind *kind, tms_shape *shape)
{
    uint64_t body_bytes = shape->body_bytes;
    TMS_TRY(kind->check(shape));
    bool exact = (kind->abilities & TAMIS_IS_EXACT) != 0;
    if (exact != (shape->fpr == 0))
        return tms_fail(TAMIS_E_CORRUPT, "a %s filter %s a rate, but the header says %g",
                        kind->name, exact ? "does not have" : "has", shape->fpr);
    if (shape->body_bytes != body_bytes)
        return tms_fail(TAMIS_E_CORRUPT,
                        "a %s filter with these parameters has %" PRIu64 " bytes, not the %" PRIu64
                        " of the header",
                        kind->name, shape->body_bytes, body_bytes);
    return TAMIS_OK;
}

static tamis_status tree_node(tree_builder *b, tamis_filter **out);

static tamis_status tree_children(tree_builder *b, uint32_t count, tamis_filter *parent)
{
    tamis_filter **children = tms_alloc(b->family.alloc, (count + 1) * sizeof *children);
    if (!children) return tms_fail_memory("the layers", (count + 1) * sizeof *children);
    uint32_t made = 0;
    tamis_status status = TAMIS_OK;
    while (made < count && status == TAMIS_OK) {
        status = tree_node(b, &children[made]);
        if (status == TAMIS_OK) made++;
    }
    if (status == TAMIS_OK) status = parent->kind->adopt(parent, children, count);
    while (status != TAMIS_OK && made > 0) tms_filter_drop(children[--made]);
    tms_free(b->family.alloc, children, (count + 1) * sizeof *children);
    return status;
}

/* A flat filter: over the area, or with an empty body of its own. */
static tamis_status tree_flat(tree_builder *b, const tms_kind *kind, const tms_shape *shape,
                              uint64_t offset, tamis_filter **out)
{
    if (!b->area) return tms_filter_make(kind, shape, b->family, out);
    TMS_TRY(tms_handle_make(kind, shape, b->family, out));
    (*out)->body = (uint8_t *)(uintptr_t)(b->area + offset); /* read_only guards it */
    (*out)->read_only = true;
    kind->attach(*out);
    return TAMIS_OK;
}

static tamis_status tree_composed(tree_builder *b, const tms_kind *kind, const tms_shape *shape,
                                  uint32_t children, tamis_filter **out)
{
    tamis_filter *f = NULL;
    TMS_TRY(tms_handle_make(kind, shape, b->family, &f));
    f->read_only = b->area != NULL;
    kind->attach(f);
    tamis_status status = tree_children(b, children, f);
    if (status == TAMIS_OK)
        *out = f;
    else
        tms_filter_drop(f);
    return status;
}

static tamis_status tree_node(tree_builder *b, tamis_filter **out)
{
    const tms_node *node = &b->envelope->nodes[b->next++];
    const tms_kind *kind = tms_kind_by_id(node->shape.kind);
    tms_shape shape = node->shape;
    if (!kind)
        return tms_fail(TAMIS_E_VERSION,
                        "the file holds a filter of kind %u, which version %s does not know",
                        shape.kind, tamis_version());
    TMS_TRY(tree_check_shape(kind, &shape));
    if (!kind->adopt && node->children)
        return tms_fail(TAMIS_E_CORRUPT, "a %s filter has no parts, but %u follow", kind->name,
                        node->children);
    if (b->behaviour & TAMIS_CONCURRENT && !(kind->abilities & TAMIS_CAN_CONCURRENT))
        return tms_fail(TAMIS_E_UNSUPPORTED, "a %s filter cannot be opened for concurrent use",
                        kind->name);
    shape.flags |= b->behaviour;
    TMS_TRY(kind->adopt ? tree_composed(b, kind, &shape, node->children, out)
                        : tree_flat(b, kind, &shape, node->body_offset, out));
    tms_counter_set(&(*out)->added, node->added);
    (*out)->count_is_estimate = node->count_is_estimate;
    return TAMIS_OK;
}

/* ---- the door ----------------------------------------------------------- */

static tamis_status tree_check_options(const tms_envelope *e, const tamis_open_options *options)
{
    const uint32_t known = TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY | TAMIS_OPEN_SALVAGE | TAMIS_OPEN_WARM;
    uint64_t reserved = 0;
    for (size_t i = 0; i < sizeof options->reserved / sizeof options->reserved[0]; i++)
        reserved |= options->reserved[i];
    if (options->flags & ~known || options->behaviour & ~(uint32_t)TAMIS_CONCURRENT || reserved)
        return tms_fail(TAMIS_E_SPEC,
                        "the open options hold flags 0x%x, behaviour 0x%x or "
                        "reserved fields that mean nothing",
                        options->flags, options->behaviour);
    if (options->memory && e->body_bytes > options->memory)
        return tms_fail(TAMIS_E_LIMIT,
                        "the filter has %" PRIu64 " bytes, above the cap of %" PRIu64,
                        e->body_bytes, options->memory);
    return TAMIS_OK;
}

static tamis_status tree_copy_metadata(const tms_envelope *e, tamis_filter *f)
{
    if (!e->metadata_bytes) return TAMIS_OK;
    f->metadata = tms_alloc(&f->alloc, e->metadata_bytes);
    if (!f->metadata) return tms_fail_memory("the metadata", e->metadata_bytes);
    f->metadata_bytes = e->metadata_bytes;
    memcpy(f->metadata, e->metadata, e->metadata_bytes);
    return TAMIS_OK;
}

tamis_status tms_tree_make(const tms_envelope *e, const tamis_open_options *options,
                           const uint8_t *area, tamis_filter **out)
{
    tms_hasher hasher;
    tamis_filter *f = NULL;
    TMS_TRY(tree_check_options(e, options));
    TMS_TRY(tree_hasher(e, options->secret, &hasher));
    tree_builder builder = {.envelope = e,
                            .area = area,
                            .family = {.hasher = &hasher, .alloc = options->alloc},
                            .behaviour = options->behaviour};
    TMS_TRY(tree_node(&builder, &f));
    tamis_status status = tree_copy_metadata(e, f);
    if (status == TAMIS_OK)
        *out = f;
    else
        tms_filter_drop(f);
    return status;
}

tamis_status tms_tree_unpack(tamis_filter *f)
{
    if (f->kind->loose) return f->kind->loose->unpack(f);
    uint32_t children = f->kind->child_count ? f->kind->child_count(f) : 0;
    for (uint32_t i = 0; i < children; i++) TMS_TRY(tms_tree_unpack(f->kind->child(f, i)));
    return TAMIS_OK;
}

bool tms_tree_lies_in_place(const tms_envelope *e)
{
    for (uint32_t i = 0; i < e->node_count; i++) {
        const tms_kind *kind = tms_kind_by_id(e->nodes[i].shape.kind);
        if (kind && kind->loose) return false;
    }
    return true;
}

static size_t tree_fill_bodies(const tamis_filter *f, uint8_t **bodies)
{
    size_t filled = 1;
    bodies[0] = f->shape.body_bytes ? f->body : NULL;
    for (uint32_t i = 0; i < tms_child_count(f); i++)
        filled += tree_fill_bodies(f->kind->child(f, i), bodies + filled);
    return filled;
}

void tms_tree_bodies(const tamis_filter *f, uint8_t **bodies)
{
    (void)tree_fill_bodies(f, bodies);
}
