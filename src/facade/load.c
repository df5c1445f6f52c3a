/* load.c - reading: from a stream or memory into memory of its own, or in
 * place over a caller's bytes or a mapped file.                             */
#include <inttypes.h>
#include <string.h>
#include <tamis/file.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "facade/origin.h"
#include "facade/tree.h"
#include "format/chunks.h"
#include "format/map.h"
#include "format/stream.h"
#include "format/transport.h"

static const tamis_open_options load_defaults = {0};

/* ---- damage in bodies of their own -------------------------------------- */

/* A body up to this size may be lost whole and still be read, all "maybe"; of a
 * larger one half must be left, so that a short input with a large claim does
 * not fill the memory with ones. */
#define LOAD_LOST_FREELY ((uint64_t)1 << 24)

typedef struct load_stretch {
    uint64_t from, to; /* of the body area */
} load_stretch;

/* What was lost, neighbours joined: so the list is never longer than the input
 * that lies between. It is filled while reading and acted upon afterwards,
 * when it is known that enough is left to be worth memory. */
typedef struct load_losses {
    const tamis_alloc *alloc;
    load_stretch *stretches;
    size_t count, room;
    uint64_t bytes;
    tamis_status status;
} load_losses;

static tamis_status load_make_room(load_losses *losses)
{
    size_t room = losses->room ? 2 * losses->room : 16;
    load_stretch *larger = tms_alloc(losses->alloc, room * sizeof *larger);
    if (!larger) return tms_fail_memory("the list of damage", room * sizeof *larger);
    if (losses->count) memcpy(larger, losses->stretches, losses->count * sizeof *larger);
    tms_free(losses->alloc, losses->stretches, losses->room * sizeof *larger);
    losses->stretches = larger;
    losses->room = room;
    return TAMIS_OK;
}

static void load_damaged(void *ctx, uint64_t offset, uint64_t size)
{
    load_losses *losses = ctx;
    losses->bytes += size;
    if (losses->count && losses->stretches[losses->count - 1].to == offset) {
        losses->stretches[losses->count - 1].to += size;
        return;
    }
    if (losses->status == TAMIS_OK && losses->count == losses->room)
        losses->status = load_make_room(losses);
    if (losses->status == TAMIS_OK)
        losses->stretches[losses->count++] = (load_stretch){offset, offset + size};
}

/* Gives up the part of a stretch that lies in the bodies from `f` on; `*at` is
 * where f's body begins in the area. */
static tamis_status load_give_up(tamis_filter *f, load_stretch lost, uint64_t *at)
{
    uint64_t begin = *at, end = *at + f->shape.body_bytes;
    *at = end;
    if (lost.from < end && lost.to > begin) {
        uint64_t first = lost.from > begin ? lost.from : begin;
        uint64_t last = lost.to < end ? lost.to : end;
        TMS_TRY(tms_origin_give_up(f, first - begin, last - first));
    }
    uint32_t children = f->kind->child_count ? f->kind->child_count(f) : 0;
    for (uint32_t i = 0; i < children; i++) TMS_TRY(load_give_up(f->kind->child(f, i), lost, at));
    return TAMIS_OK;
}

static tamis_status load_salvage(const load_losses *losses, const tms_envelope *e, tamis_filter *f)
{
    TMS_TRY(losses->status);
    if (losses->bytes > LOAD_LOST_FREELY && losses->bytes > e->body_bytes / 2)
        return tms_fail(
            TAMIS_E_CORRUPT,
            "%" PRIu64 " of %" PRIu64
            " bytes are lost: too few are left to be worth salvaging; rebuild the filter",
            losses->bytes, e->body_bytes);
    for (size_t i = 0; i < losses->count; i++) {
        uint64_t at = 0;
        TMS_TRY(load_give_up(f, losses->stretches[i], &at));
    }
    return TAMIS_OK;
}

/* ---- into memory of its own --------------------------------------------- */

static tamis_status load_bodies(tms_reader *reader, const tms_envelope *e, bool salvage,
                                tamis_filter *f)
{
    load_losses losses = {.alloc = &f->alloc};
    size_t size = e->node_count * sizeof(uint8_t *);
    uint8_t **bodies = tms_alloc(&f->alloc, size);
    if (!bodies) return tms_fail_memory("the list of bodies", size);
    tms_tree_bodies(f, bodies);
    tamis_status status =
        tms_reader_bodies(reader, e, bodies, salvage, salvage ? load_damaged : NULL, &losses);
    if (status == TAMIS_OK) status = load_salvage(&losses, e, f);
    tms_free(&f->alloc, losses.stretches, losses.room * sizeof *losses.stretches);
    tms_free(&f->alloc, bodies, size);
    return status;
}

/* Where an input's length is known: `size`; otherwise UINT64_MAX. */
static tamis_status load_tree(tms_reader *reader, uint64_t size, const tamis_open_options *options,
                              tms_envelope *e, tamis_filter **out)
{
    bool salvage = (options->flags & TAMIS_OPEN_SALVAGE) != 0;
    TMS_TRY(tms_reader_header(reader, e));
    if (size != UINT64_MAX && tms_reader_transport(reader) == TAMIS_PLAIN) {
        tamis_status status = tms_envelope_fits(e, size); /* before memory is asked for */
        if (!(salvage && status == TAMIS_E_TRUNCATED)) TMS_TRY(status);
    }
    TMS_TRY(tms_tree_make(e, options, NULL, out));
    TMS_TRY(load_bodies(reader, e, salvage, *out));
    return size == UINT64_MAX || salvage ? TAMIS_OK : tms_reader_end(reader);
}

static tamis_status load_source(tamis_source source, void *ctx, uint64_t size,
                                const tamis_open_options *options, tamis_filter **out)
{
    tms_reader *reader = NULL;
    tms_envelope envelope = {0};
    tamis_filter *f = NULL;
    TMS_TRY(tms_reader_open(source, ctx, options->alloc, &reader));
    tamis_status status = load_tree(reader, size, options, &envelope, &f);
    tms_envelope_free(options->alloc, &envelope);
    tms_reader_close(reader);
    if (status == TAMIS_OK)
        *out = f;
    else
        tamis_free(f);
    return status;
}

tamis_status tamis_load_from(tamis_source source, void *ctx, const tamis_open_options *options,
                             tamis_filter **out)
{
    *out = NULL;
    return load_source(source, ctx, UINT64_MAX, options ? options : &load_defaults, out);
}

tamis_status tamis_load(const void *bytes, size_t size, const tamis_open_options *options,
                        tamis_filter **out)
{
    tms_bytes from = {.bytes = bytes, .size = size};
    *out = NULL;
    return load_source(tms_bytes_source, &from, size, options ? options : &load_defaults, out);
}

/* ---- in place ----------------------------------------------------------- */

/* Verifies and watches as the flags ask. Maps that ask for nothing are checked
 * by tamis_verify, when the caller likes. */
static tamis_status load_trust(tamis_filter *f, uint32_t flags)
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

static tamis_status load_over(const uint8_t *bytes, const tms_envelope *e,
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
        status = load_trust(f, options->flags);
    }
    if (status == TAMIS_OK)
        *out = f;
    else
        tamis_free(f);
    return status;
}

/* A salvaged input that ends early is copied: nothing may touch its missing end. */
static tamis_status load_in_place(const uint8_t *bytes, uint64_t size,
                                  const tamis_open_options *options, tamis_filter **out)
{
    tms_envelope e = {0};
    if (tms_transport_recognise(bytes, size < 8 ? (size_t)size : 8) != TAMIS_PLAIN)
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "a compressed filter cannot be used in place; load it instead");
    TMS_TRY(tms_envelope_read(bytes, (size_t)size, options->alloc, &e));
    tamis_status status = tms_envelope_fits(&e, size);
    if (status == TAMIS_OK)
        status = load_over(bytes, &e, options, out);
    else if (status == TAMIS_E_TRUNCATED && options->flags & TAMIS_OPEN_SALVAGE)
        status = tamis_load(bytes, (size_t)size, options, out);
    tms_envelope_free(options->alloc, &e);
    return status;
}

tamis_status tamis_view(const void *bytes, size_t size, const tamis_open_options *options,
                        tamis_filter **out)
{
    tamis_open_options view = options ? *options : load_defaults;
    *out = NULL;
    view.flags &= ~(uint32_t)TAMIS_OPEN_MAP;
    return load_in_place(bytes, size, &view, out);
}

/* ---- files -------------------------------------------------------------- */

static tamis_status load_map(const char *path, const tamis_open_options *options,
                             tamis_filter **out)
{
    tms_map map;
    TMS_TRY(tms_map_open(path, &map));
    if (options->flags & TAMIS_OPEN_WARM) tms_map_warm(&map);
    tamis_status status = load_in_place(map.bytes, map.size, options, out);
    if (status == TAMIS_OK && (*out)->origin && (*out)->origin->trailer)
        (*out)->origin->map = map;
    else
        tms_map_close(&map);
    return status;
}

static tamis_status load_file(const char *path, const tamis_open_options *options,
                              tamis_filter **out)
{
    int file = -1;
    uint64_t size = 0;
    TMS_TRY(tms_file_source_open(path, &file, &size));
    tamis_status status =
        load_source(tms_file_source, &file, size ? size : UINT64_MAX, options, out);
    close(file);
    return status;
}

tamis_status tamis_open(const char *path, const tamis_open_options *options, tamis_filter **out)
{
    if (!options) options = &load_defaults;
    *out = NULL;
    return options->flags & TAMIS_OPEN_MAP ? load_map(path, options, out)
                                           : load_file(path, options, out);
}
