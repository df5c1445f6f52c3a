/* redisbloom_forms.c - see redisbloom_forms.h.                              */
#include "foreign/redisbloom_forms.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "foreign/rdb_bytes.h"

/* ---- recognising -------------------------------------------------------- */

/* The id of a module's type in the bytes after the type byte; its last ten bits
 * are the version. */
static bool forms_is_dump(const uint8_t *bytes, size_t size)
{
    tms_rdb_reader r = {bytes, size, 1};
    uint64_t id;
    if (size < 10 || bytes[0] != TMS_RDB_TYPE_MODULE_2 || tms_rdb_length(&r, &id, NULL) != TAMIS_OK)
        return false;
    return id >> 10 == tms_rdb_module_id("MBbloom--", 0) >> 10 ||
           id >> 10 == tms_rdb_module_id("MBbloomCF", 0) >> 10;
}

static bool forms_is_header(uint32_t kind, const uint8_t *bytes, size_t size)
{
    size_t used;
    uint64_t arrays;
    return tms_rb_header_measure(kind, bytes, size, &used, &arrays) == TAMIS_OK;
}

tms_rb_form tms_rb_recognise(const uint8_t *bytes, size_t size)
{
    if (forms_is_dump(bytes, size)) return TMS_RB_DUMP;
    if (forms_is_header(TAMIS_KIND_REDISBLOOM, bytes, size)) return TMS_RB_BLOOM_CHUNKS;
    if (forms_is_header(TAMIS_KIND_REDISBLOOM_CUCKOO, bytes, size)) return TMS_RB_CUCKOO_CHUNKS;
    return TMS_RB_NO_FORM;
}

/* ---- reading ------------------------------------------------------------ */

/* The arrays follow the header without a gap. */
static tamis_status forms_read_chunks(uint32_t kind, const uint8_t *bytes, size_t size,
                                      const tms_rb_place *place, tamis_filter **out)
{
    size_t used;
    uint64_t arrays;
    TMS_TRY(tms_rb_header_measure(kind, bytes, size, &used, &arrays));
    if (size - used != arrays) /* before memory is asked for */
        return tms_fail(size - used < arrays ? TAMIS_E_TRUNCATED : TAMIS_E_CORRUPT,
                        "%zu bytes of chunks follow the header, which speaks of %" PRIu64,
                        size - used, arrays);
    TMS_TRY(tms_rb_header_read(kind, bytes, size, place, &used, out));
    const tms_rb_chain *c = tms_rb_of(*out);
    const uint8_t *at = bytes + used;
    for (uint32_t i = 0; i < c->count; at += c->layers[i++].bytes)
        memcpy(c->layers[i].array, at, (size_t)c->layers[i].bytes);
    return TAMIS_OK;
}

tamis_status tms_rb_form_read(tms_rb_form form, const uint8_t *bytes, size_t size,
                              const tms_rb_place *place, tamis_filter **out, uint16_t *rdb_version)
{
    *rdb_version = 0;
    if (form == TMS_RB_DUMP) return tms_rb_restore(bytes, size, place, out, rdb_version);
    return forms_read_chunks(form == TMS_RB_CUCKOO_CHUNKS ? TAMIS_KIND_REDISBLOOM_CUCKOO
                                                          : TAMIS_KIND_REDISBLOOM,
                             bytes, size, place, out);
}

/* ---- writing ------------------------------------------------------------ */

static tamis_status forms_write_header(const tamis_filter *f, tamis_sink sink, void *ctx)
{
    size_t size = tamis_redisbloom_header_size(f);
    uint8_t *header = tms_alloc(&f->alloc, size);
    if (!header) return tms_fail_memory("the header", size);
    tamis_redisbloom_header(f, header);
    tamis_status status = sink(ctx, header, size);
    tms_free(&f->alloc, header, size);
    return status;
}

tamis_status tms_rb_form_write(tms_rb_form form, const tamis_filter *f, uint16_t rdb_version,
                               tamis_sink sink, void *ctx)
{
    const tms_rb_chain *c = tms_rb_of(f);
    if (form == TMS_RB_DUMP) return tamis_redisbloom_dump(f, rdb_version, sink, ctx);
    TMS_TRY(forms_write_header(f, sink, ctx));
    for (uint32_t i = 0; i < c->count; i++)
        TMS_TRY(sink(ctx, c->layers[i].array, (size_t)c->layers[i].bytes));
    return TAMIS_OK;
}
