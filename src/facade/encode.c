/* encode.c - writing: to memory, to a sink, to a file.                      */
#include "facade/encode.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tamis/file.h>

#include "base/fail.h"
#include "base/memory.h"
#include "facade/origin.h"
#include "format/atomic_file.h"
#include "format/stream.h"
#include "format/transport.h"
#include "kinds/body.h"

/* ---- the tree as nodes -------------------------------------------------- */

static uint32_t encode_count(const tamis_filter *f)
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < tms_child_count(f); i++) count += encode_count(f->kind->child(f, i));
    return count;
}

/* Appends `f` and its children; *fits is false when the arrays are too short.
 * Whether threads share a filter is this process's business, not the file's. */
static tamis_status encode_node(const tamis_filter *f, tms_packing *packing, bool *fits)
{
    *fits = packing->envelope.node_count < packing->room;
    if (!*fits) return TAMIS_OK;
    uint32_t index = packing->envelope.node_count++;
    tms_node *node = &packing->envelope.nodes[index];
    node->shape = f->shape;
    if (f->kind->loose) TMS_TRY(f->kind->loose->pack_shape(f, &node->shape));
    node->shape.flags &= ~(uint32_t)TAMIS_CONCURRENT;
    node->children = tms_child_count(f);
    node->count_is_estimate = f->count_is_estimate;
    node->added = tms_counter_sum(&f->added);
    packing->filters[index] = f;
    packing->bodies[index] = f->shape.body_bytes ? f->body : NULL;
    for (uint32_t i = 0; i < node->children && *fits; i++)
        TMS_TRY(encode_node(f->kind->child(f, i), packing, fits));
    return TAMIS_OK;
}

static tamis_status encode_tree(const tamis_filter *f, tms_packing *out)
{
    out->room = encode_count(f);
    out->envelope.node_count = 0;
    out->envelope.nodes = tms_alloc(&f->alloc, out->room * sizeof *out->envelope.nodes);
    out->filters = tms_alloc(&f->alloc, out->room * sizeof *out->filters);
    out->bodies = tms_alloc(&f->alloc, out->room * sizeof *out->bodies);
    if (!out->envelope.nodes || !out->filters || !out->bodies)
        return tms_fail_memory("the table of nodes", out->room * sizeof *out->envelope.nodes);
    bool fits;
    TMS_TRY(encode_node(f, out, &fits));
    if (fits) return TAMIS_OK;
    tms_packing_free(f, out); /* a concurrent filter has grown meanwhile: count again */
    return encode_tree(f, out);
}

tamis_status tms_packing_make(const tamis_filter *f, tms_packing *out)
{
    memset(out, 0, sizeof *out);
    tamis_status status = encode_tree(f, out);
    tms_envelope *e = &out->envelope;
    if (status == TAMIS_OK) {
        e->hash = f->hasher.id;
        e->seed = f->hasher.seed;
        e->fingerprint = f->hasher.fingerprint;
        snprintf(e->hash_name, sizeof e->hash_name, "%s", tamis_hash_name(f->hasher.id));
        e->metadata = f->metadata;
        e->metadata_bytes = (uint32_t)f->metadata_bytes;
        status = tms_envelope_layout(e);
    }
    if (status != TAMIS_OK) tms_packing_free(f, out);
    return status;
}

tamis_status tms_packing_fill(const tamis_filter *f, tms_packing *packing)
{
    for (uint32_t i = 0; i < packing->envelope.node_count; i++) {
        const tms_loose *loose = packing->filters[i]->kind->loose;
        uint64_t size = packing->envelope.nodes[i].shape.body_bytes;
        if (!loose) continue;
        uint8_t *body = tms_alloc_body(&f->alloc, size);
        if (!body) return tms_fail_memory("the body to be written", size);
        packing->bodies[i] = body;
        TMS_TRY(loose->pack(packing->filters[i], body));
    }
    return TAMIS_OK;
}

/* Bodies of loose kinds are the packing's own. */
static void encode_free_bodies(const tamis_filter *f, tms_packing *packing)
{
    for (uint32_t i = 0; packing->bodies && i < packing->envelope.node_count; i++)
        if (packing->filters[i] && packing->filters[i]->kind->loose)
            tms_free_body(&f->alloc, (void *)(uintptr_t)packing->bodies[i],
                          packing->envelope.nodes[i].shape.body_bytes);
}

void tms_packing_free(const tamis_filter *f, tms_packing *packing)
{
    encode_free_bodies(f, packing);
    tms_free(&f->alloc, packing->filters, packing->room * sizeof *packing->filters);
    tms_free(&f->alloc, packing->envelope.nodes, packing->room * sizeof *packing->envelope.nodes);
    tms_free(&f->alloc, packing->bodies, packing->room * sizeof *packing->bodies);
    memset(packing, 0, sizeof *packing);
}

/* ---- the doors ---------------------------------------------------------- */

/* Stops, or lets go, the writers of the first `left` nodes, where they would move
 * keys behind the back of whoever copies. */
static void encode_hold(const tamis_filter *f, bool held, uint32_t *left)
{
    if (*left == 0) return;
    --*left;
    if (f->kind->hold) f->kind->hold(f, held);
    for (uint32_t i = 0; i < tms_child_count(f); i++) encode_hold(f->kind->child(f, i), held, left);
}

static tamis_status encode_plain(const tamis_filter *f, tamis_sink sink, void *ctx)
{
    tms_packing packing;
    TMS_TRY(tms_packing_make(f, &packing));
    uint32_t held = packing.envelope.node_count, let_go = held;
    encode_hold(f, true, &held);
    tamis_status status = tms_packing_fill(f, &packing);
    if (status == TAMIS_OK)
        status = tms_stream_write(&packing.envelope, packing.bodies, tms_body_copy, &f->alloc, sink,
                                  ctx);
    encode_hold(f, false, &let_go);
    tms_packing_free(f, &packing);
    return status;
}

static tamis_status encode_packed(const tamis_filter *f, const tamis_save_options *options,
                                  tamis_sink sink, void *ctx)
{
    tms_packer *packer = NULL;
    TMS_TRY(tms_packer_open(options->transport, options->level, &f->alloc, sink, ctx, &packer));
    tamis_status status = encode_plain(f, tms_packer_sink, packer);
    if (status == TAMIS_OK) status = tms_packer_finish(packer);
    tms_packer_close(packer);
    return status;
}

/* The doors that write a filter which has no native file; NULL: it has. */
static const char *encode_home(const tamis_filter *f)
{
    return f->kind->loose ? f->kind->loose->home : NULL;
}

static tamis_status encode_check(const tamis_filter *f, const tamis_save_options *options)
{
    uint64_t reserved = 0;
    for (size_t i = 0; i < sizeof options->reserved / sizeof options->reserved[0]; i++)
        reserved |= options->reserved[i];
    if (reserved) return tms_fail(TAMIS_E_SPEC, "reserved fields of the options are not 0");
    if (encode_home(f))
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "a %s filter has no file of this library's; it is written by %s",
                        f->kind->name, encode_home(f));
    if (f->is_child)
        return tms_fail(TAMIS_E_UNSUPPORTED, "a layer is saved with its filter, not by itself");
    return TAMIS_OK;
}

/* Of a kind in which no bytes say "maybe", lost parts cannot be written. */
static tamis_status encode_check_losses(const tamis_filter *f)
{
    for (uint32_t i = 0; i < tms_child_count(f); i++)
        TMS_TRY(encode_check_losses(f->kind->child(f, i)));
    if (f->kind->damage_rule != TMS_DAMAGE_ANSWERS_MAYBE || !tms_origin_damaged_bytes(f))
        return TAMIS_OK;
    return tms_fail(TAMIS_E_CORRUPT,
                    "parts of the filter are lost, and the bytes of a %s filter cannot say "
                    "\"maybe\" in their place: rebuild it from its keys",
                    f->kind->name);
}

/* To a sink that leaves its sentence. */
static tamis_status encode_to(const tamis_filter *f, const tamis_save_options *options,
                              tamis_sink sink, void *ctx)
{
    const tamis_save_options plain = {0};
    if (!options) options = &plain;
    TMS_TRY(encode_check(f, options));
    tamis_filter *copy = NULL;
    TMS_TRY(tms_origin_settle(f, &copy)); /* damage must not get checksums that hide it */
    const tamis_filter *from = copy ? copy : f;
    tamis_status status = encode_check_losses(from);
    if (status == TAMIS_OK)
        status = options->transport == TAMIS_PLAIN ? encode_plain(from, sink, ctx)
                                                   : encode_packed(from, options, sink, ctx);
    tamis_free(copy);
    return status;
}

/* The caller's sink; it cannot leave a sentence, so it gets one. */
typedef struct encode_callers {
    tamis_sink sink;
    void *ctx;
    uint64_t taken;
} encode_callers;

static tamis_status encode_callers_sink(void *ctx, const void *bytes, size_t size)
{
    encode_callers *callers = ctx;
    tamis_status status = callers->sink(callers->ctx, bytes, size);
    if (status != TAMIS_OK)
        return tms_fail(status, "the sink failed after %" PRIu64 " bytes (%s)", callers->taken,
                        tamis_strerror(status));
    callers->taken += size;
    return TAMIS_OK;
}

tamis_status tamis_encode_to(const tamis_filter *f, const tamis_save_options *options,
                             tamis_sink sink, void *ctx)
{
    encode_callers callers = {.sink = sink, .ctx = ctx};
    return encode_to(f, options, encode_callers_sink, &callers);
}

uint64_t tamis_encoded_size(const tamis_filter *f)
{
    tms_packing packing;
    if (encode_home(f) || tms_packing_make(f, &packing) != TAMIS_OK) return 0;
    uint64_t size = packing.envelope.file_bytes;
    tms_packing_free(f, &packing);
    return size;
}

tamis_status tamis_encode(const tamis_filter *f, void *bytes, size_t room)
{
    const tamis_save_options plain = {0};
    tms_room space = {.bytes = bytes, .size = room};
    TMS_TRY(encode_check(f, &plain));
    uint64_t size = tamis_encoded_size(f);
    if (size > room)
        return tms_fail(TAMIS_E_SPEC, "the buffer has %zu bytes, the filter needs %" PRIu64, room,
                        size);
    return encode_to(f, NULL, tms_room_sink, &space);
}

tamis_status tamis_save(const tamis_filter *f, const char *path, const tamis_save_options *options)
{
    tms_atomic_file *file = NULL;
    TMS_TRY(tms_transport_check(options ? options->transport : TAMIS_PLAIN));
    TMS_TRY(tms_atomic_file_begin(path, &f->alloc, &file));
    tamis_status status = encode_to(f, options, tms_atomic_file_sink, file);
    if (status == TAMIS_OK) return tms_atomic_file_commit(file);
    tms_atomic_file_abort(file);
    return status;
}
