/* load.c - reading a filter into memory of its own, from a stream, from bytes
 * or from a file.                                                           */
#include <inttypes.h>
#include <string.h>
#include <tamis/file.h>
#include <unistd.h>

#include "base/endian.h"
#include "base/fail.h"
#include "base/memory.h"
#include "facade/add_key.h"
#include "facade/foreign_files.h"
#include "facade/load.h"
#include "facade/origin.h"
#include "facade/tree.h"
#include "format/append.h"
#include "format/journal.h"
#include "format/map.h"
#include "format/stream.h"

static const tamis_open_options load_defaults = {0};

/* ---- the journal -------------------------------------------------------- */

tamis_status tms_input_split(const uint8_t *bytes, uint64_t size, const tamis_alloc *alloc,
                             tms_input *out)
{
    tms_envelope e = {0};
    *out = (tms_input){.size = size, .tail = bytes + size};
    tamis_status status = tms_envelope_read(bytes, (size_t)size, alloc, &e);
    if (status != TAMIS_OK) return status == TAMIS_E_NOMEM ? status : TAMIS_OK;
    if (size >= e.file_bytes) { /* also without a tail: table_sum tells whether one is missing */
        out->tail = bytes + e.file_bytes;
        status = tms_journal_find(&e, out->tail - e.trailer_bytes, out->tail, size - e.file_bytes);
        out->size = e.file_bytes;
        out->tail_bytes = size - e.file_bytes;
    }
    out->sizes = e;
    out->sizes.nodes = NULL; /* freed now */
    out->sizes.metadata = NULL;
    tms_envelope_free(alloc, &e);
    return status;
}

static tamis_status load_amend(tamis_filter *f, uint64_t digest)
{
    bool was_new;
    TMS_TRY(tms_origin_amend(f, digest));
    const tms_ops *ops = f->origin->ops ? f->origin->ops : f->ops;
    return ops->add(f, digest, &was_new);
}

/* Nothing can be added where damage was noted instead of written into the body. */
static bool load_bears_losses(const tamis_filter *f)
{
    return f->kind->damage_rule == TMS_DAMAGE_ANSWERS_MAYBE && f->origin && f->origin->ops;
}

tamis_status tms_input_replay(const tms_input *input, bool in_place, tamis_filter *f)
{
    const uint8_t *digests;
    uint64_t at = 0, count;
    bool was_new;
    while (tms_journal_next(&input->sizes, input->tail, &at, &digests, &count)) {
        for (uint64_t i = 0; i < count; i++) {
            uint64_t digest = tms_load64(digests + 8 * i);
            if (load_bears_losses(f))
                tms_origin_lose(f, digest);
            else
                TMS_TRY(in_place ? load_amend(f, digest) : f->ops->add(f, digest, &was_new));
        }
        if (!tms_counts_itself(f)) tms_filter_count(f, count);
    }
    return TAMIS_OK;
}

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
    uint64_t bytes, whole;
    tamis_status status;
} load_losses;

static tamis_status load_make_room(load_losses *losses)
{
    load_stretch *longer =
        tms_lengthen(losses->alloc, losses->stretches, sizeof *longer, &losses->room);
    if (!longer) return tms_fail_memory("the list of damage", 2 * losses->room * sizeof *longer);
    losses->stretches = longer;
    return TAMIS_OK;
}

static void load_damaged(void *ctx, uint64_t offset, uint64_t size)
{
    load_losses *losses = ctx;
    if (offset == 0 && size == losses->whole) { /* all is lost, what was reported before too */
        losses->count = 0;
        losses->bytes = 0;
    }
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
    for (uint32_t i = 0; i < tms_child_count(f); i++)
        TMS_TRY(load_give_up(f->kind->child(f, i), lost, at));
    return TAMIS_OK;
}

static tamis_status load_is_worth_it(uint64_t lost, const tms_envelope *e, tamis_status status)
{
    if (lost <= LOAD_LOST_FREELY || lost <= e->body_bytes / 2) return TAMIS_OK;
    return tms_fail(status,
                    "%" PRIu64 " of %" PRIu64
                    " bytes are lost: too few are left to be worth salvaging; rebuild the filter",
                    lost, e->body_bytes);
}

static tamis_status load_salvage(const load_losses *losses, const tms_envelope *e, tamis_filter *f)
{
    TMS_TRY(losses->status);
    TMS_TRY(load_is_worth_it(losses->bytes, e, TAMIS_E_CORRUPT));
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
    load_losses losses = {.alloc = &f->alloc, .whole = e->body_bytes};
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

/* Before memory is asked for: whether the input can hold what it announces. In
 * one that ends early all is lost, though it may be salvaged. */
static tamis_status load_fits(const tms_envelope *e, uint64_t size, bool salvage)
{
    tamis_status status = tms_envelope_fits(e, size);
    if (!salvage || status != TAMIS_E_TRUNCATED) return status;
    return load_is_worth_it(e->body_bytes, e, TAMIS_E_TRUNCATED);
}

/* Where an input's length is known: input->size; otherwise UINT64_MAX. */
static tamis_status load_tree(tms_reader *reader, const tms_input *input,
                              const tamis_open_options *options, tms_envelope *e,
                              tamis_filter **out)
{
    uint64_t size = input->size;
    bool salvage = (options->flags & TAMIS_OPEN_SALVAGE) != 0;
    TMS_TRY(tms_reader_header(reader, e));
    if (size != UINT64_MAX && tms_reader_transport(reader) == TAMIS_PLAIN)
        TMS_TRY(load_fits(e, size, salvage));
    TMS_TRY(tms_tree_make(e, options, NULL, out));
    e->journal_bytes = input->sizes.journal_bytes;
    TMS_TRY(load_bodies(reader, e, salvage, *out));
    TMS_TRY(tms_tree_unpack(*out));
    bool ends_here = size != UINT64_MAX && !salvage && input->tail_bytes == 0;
    if (ends_here) TMS_TRY(tms_reader_end(reader));
    return tms_input_replay(input, false, *out);
}

static tamis_status load_source(tamis_source source, void *ctx, const tms_input *input,
                                const tamis_open_options *options, tamis_filter **out)
{
    tms_reader *reader = NULL;
    tms_envelope envelope = {0};
    tamis_filter *f = NULL;
    TMS_TRY(tms_reader_open(source, ctx, options->alloc, &reader));
    tamis_status status = load_tree(reader, input, options, &envelope, &f);
    tms_envelope_free(options->alloc, &envelope);
    tms_reader_close(reader);
    if (status == TAMIS_OK)
        *out = f;
    else
        tamis_free(f);
    return status;
}

/* The caller's source; it cannot leave a sentence, so it gets one. */
typedef struct load_callers {
    tamis_source source;
    void *ctx;
    uint64_t given;
} load_callers;

static tamis_status load_callers_source(void *ctx, void *bytes, size_t room, size_t *size)
{
    load_callers *callers = ctx;
    tamis_status status = callers->source(callers->ctx, bytes, room, size);
    if (status != TAMIS_OK)
        return tms_fail(status, "the source failed after %" PRIu64 " bytes (%s)", callers->given,
                        tamis_strerror(status));
    callers->given += *size;
    return TAMIS_OK;
}

tamis_status tamis_load_from(tamis_source source, void *ctx, const tamis_open_options *options,
                             tamis_filter **out)
{
    const tms_input input = {.size = UINT64_MAX};
    load_callers callers = {.source = source, .ctx = ctx};
    *out = NULL;
    return load_source(load_callers_source, &callers, &input, options ? options : &load_defaults,
                       out);
}

tamis_status tamis_load(const void *bytes, size_t size, const tamis_open_options *options,
                        tamis_filter **out)
{
    tms_bytes from = {.bytes = bytes, .size = size};
    tms_input input;
    if (!options) options = &load_defaults;
    *out = NULL;
    TMS_TRY(tms_input_split(bytes, size, options->alloc, &input));
    return load_source(tms_bytes_source, &from, &input, options, out);
}

/* A regular file is looked at through a map for its journal; only its ends are
 * touched by that. */
tamis_status tms_load_file(const char *path, const tamis_open_options *options, tamis_filter **out)
{
    int file = -1;
    uint64_t size = 0;
    tms_map map = {0};
    tms_input input = {.size = UINT64_MAX};
    TMS_TRY(tms_file_source_open(path, &file, &size));
    tamis_status status = size ? tms_map_descriptor(file, path, &map) : TAMIS_OK;
    if (status == TAMIS_OK && size)
        status = tms_input_split(map.bytes, map.size, options->alloc, &input);
    if (status == TAMIS_OK) status = load_source(tms_file_source, &file, &input, options, out);
    tms_map_close(&map);
    close(file);
    return status;
}

tamis_status tamis_open(const char *path, const tamis_open_options *options, tamis_filter **out)
{
    tms_append quiet; /* nobody appends while the file is read, or mapped */
    if (!options) options = &load_defaults;
    *out = NULL;
    tms_append_hold_off(path, &quiet);
    tamis_status status = tms_foreign_is(path)              ? tms_foreign_open(path, options, out)
                          : options->flags & TAMIS_OPEN_MAP ? tms_load_map(path, options, out)
                                                            : tms_load_file(path, options, out);
    tms_append_close(&quiet);
    return status;
}
