/* redisbloom_dump.c - DUMP payloads: a value of redisbloom_value.c in the framing
 * that servers put around the values of modules.
 *
 *      07  id of type and encver  (opcode field)*  00  u16 version  u64 CRC-64
 *
 * The checksum covers everything before it.                                 */
#include <inttypes.h>
#include <string.h>

#include "base/endian.h"
#include "base/fail.h"
#include "foreign/rdb_bytes.h"
#include "foreign/redisbloom_chain.h"

enum { DUMP_VERSION = 2, DUMP_FOOT = 10 };

static const char dump_bloom[] = "MBbloom--", dump_cuckoo[] = "MBbloomCF";

/* ---- writing ------------------------------------------------------------ */

typedef struct dump_output {
    tamis_sink sink;
    void *ctx;
    uint64_t crc;
} dump_output;

static tamis_status dump_bytes(dump_output *out, const void *bytes, size_t size)
{
    out->crc = tms_rdb_crc(out->crc, bytes, size);
    return out->sink(out->ctx, bytes, size);
}

static tamis_status dump_length(dump_output *out, uint64_t value)
{
    uint8_t bytes[TMS_RDB_LENGTH_MOST];
    return dump_bytes(out, bytes, tms_rdb_put_length(value, bytes));
}

static tamis_status dump_put_unsigned(void *ctx, uint64_t value)
{
    TMS_TRY(dump_length(ctx, TMS_RDB_MODULE_UNSIGNED));
    return dump_length(ctx, value);
}

static tamis_status dump_put_double(void *ctx, double value)
{
    uint8_t bytes[8];
    tms_store64(bytes, tms_double_bits(value));
    TMS_TRY(dump_length(ctx, TMS_RDB_MODULE_DOUBLE));
    return dump_bytes(ctx, bytes, sizeof bytes);
}

static tamis_status dump_put_bytes(void *ctx, const void *bytes, size_t size)
{
    TMS_TRY(dump_length(ctx, TMS_RDB_MODULE_STRING));
    TMS_TRY(dump_length(ctx, size));
    return size ? dump_bytes(ctx, bytes, size) : TAMIS_OK;
}

/* What stands before the fields. */
static tamis_status dump_begin(dump_output *out, bool cuckoo)
{
    const uint8_t type = TMS_RDB_TYPE_MODULE_2;
    const char *name = cuckoo ? dump_cuckoo : dump_bloom;
    TMS_TRY(dump_bytes(out, &type, 1));
    return dump_length(out, tms_rdb_module_id(name, TAMIS_REDISBLOOM_ENCVER));
}

/* And what stands behind them. */
static tamis_status dump_end(dump_output *out, uint16_t rdb_version)
{
    uint8_t version[DUMP_VERSION], sum[8];
    TMS_TRY(dump_length(out, TMS_RDB_MODULE_END));
    tms_store16(version, rdb_version);
    TMS_TRY(dump_bytes(out, version, sizeof version));
    tms_store64(sum, out->crc);
    return out->sink(out->ctx, sum, sizeof sum);
}

static tamis_redisbloom_writer dump_writer(dump_output *out)
{
    return (tamis_redisbloom_writer){out, dump_put_unsigned, dump_put_double, dump_put_bytes};
}

tamis_status tamis_redisbloom_dump(const tamis_filter *f, uint16_t rdb_version, tamis_sink sink,
                                   void *ctx)
{
    dump_output out = {.sink = sink, .ctx = ctx};
    const tamis_redisbloom_writer writer = dump_writer(&out);
    TMS_TRY(tms_rb_check_kind(f));
    TMS_TRY(dump_begin(&out, tms_rb_is_cuckoo(f)));
    TMS_TRY(tamis_redisbloom_save(f, &writer));
    return dump_end(&out, rdb_version);
}

tamis_status tamis_redisbloom_quarantine_dump(const tamis_redisbloom_quarantine *q,
                                              uint16_t rdb_version, tamis_sink sink, void *ctx)
{
    dump_output out = {.sink = sink, .ctx = ctx};
    const tamis_redisbloom_writer writer = dump_writer(&out);
    TMS_TRY(dump_begin(&out, tms_rb_quarantine_kind(q) == TAMIS_KIND_REDISBLOOM_CUCKOO));
    TMS_TRY(tamis_redisbloom_quarantine_save(q, &writer));
    return dump_end(&out, rdb_version);
}

/* ---- reading ------------------------------------------------------------ */

typedef struct dump_input {
    tms_rdb_reader reader;
    const tms_rb_place *place;
    uint64_t taken; /* bytes of arrays so far: the cap is for all of them */
} dump_input;

static tamis_status dump_expect(tms_rdb_reader *r, uint64_t opcode)
{
    uint64_t found = 0;
    TMS_TRY(tms_rdb_length(r, &found, NULL));
    if (found == opcode) return TAMIS_OK;
    return tms_fail(TAMIS_E_CORRUPT,
                    "a field of type %" PRIu64 " ends at byte %zu where one of type %" PRIu64
                    " belongs",
                    found, r->at, opcode);
}

static tamis_status dump_get_unsigned(void *ctx, uint64_t *value)
{
    dump_input *in = ctx;
    TMS_TRY(dump_expect(&in->reader, TMS_RDB_MODULE_UNSIGNED));
    return tms_rdb_length(&in->reader, value, NULL);
}

static tamis_status dump_get_double(void *ctx, double *value)
{
    dump_input *in = ctx;
    const uint8_t *bytes = NULL;
    TMS_TRY(dump_expect(&in->reader, TMS_RDB_MODULE_DOUBLE));
    TMS_TRY(tms_rdb_skip(&in->reader, 8, &bytes));
    *value = tms_bits_double(tms_load64(bytes));
    return TAMIS_OK;
}

static tamis_status dump_get_bytes(void *ctx, void **bytes, size_t *size)
{
    dump_input *in = ctx;
    tms_rdb_string string;
    TMS_TRY(dump_expect(&in->reader, TMS_RDB_MODULE_STRING));
    TMS_TRY(tms_rdb_string_at(&in->reader, &string));
    *bytes = NULL;
    *size = (size_t)string.raw;
    if (string.raw == 0) return TAMIS_OK;
    TMS_TRY(tms_rb_allows(in->place, in->taken + string.raw));
    uint8_t *array = tms_rb_take(in->place, string.raw);
    if (!array) return tms_fail_memory("a layer", string.raw);
    in->taken += string.raw;
    tamis_status status = tms_rdb_unpack(&string, array);
    if (status == TAMIS_OK)
        *bytes = array;
    else
        tms_rb_give(in->place, array, string.raw);
    return status;
}

static tamis_status dump_head(tms_rdb_reader *r, uint64_t *id)
{
    uint8_t type = 0;
    TMS_TRY(tms_rdb_byte(r, &type));
    if (type != TMS_RDB_TYPE_MODULE_2)
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "the payload holds a value of type %u, which is no module's", type);
    return tms_rdb_length(r, id, NULL);
}

/* Type and version, before anything is believed. */
static tamis_status dump_kind(uint64_t id, uint32_t *kind, int *encver)
{
    char name[10];
    tms_rdb_module_name(id, name);
    *encver = (int)tms_rdb_module_encver(id);
    *kind = strcmp(name, dump_cuckoo) == 0  ? TAMIS_KIND_REDISBLOOM_CUCKOO
            : strcmp(name, dump_bloom) == 0 ? TAMIS_KIND_REDISBLOOM
                                            : TAMIS_KIND_ANY;
    if (*kind == TAMIS_KIND_ANY)
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "the payload holds a value of the module type %s; only %s and %s are "
                        "filters of RedisBloom",
                        name, dump_bloom, dump_cuckoo);
    if (*encver > TAMIS_REDISBLOOM_ENCVER)
        return tms_fail(TAMIS_E_VERSION, "encoding version %d of %s is newer than %d", *encver,
                        name, TAMIS_REDISBLOOM_ENCVER);
    return TAMIS_OK;
}

tamis_status tms_rb_value_at(tms_rdb_reader *r, uint64_t id, const tms_rb_place *place,
                             tamis_filter **out)
{
    uint32_t kind = TAMIS_KIND_ANY;
    int encver = 0;
    tamis_filter *f = NULL;
    dump_input in = {.reader = *r, .place = place};
    const tamis_redisbloom_reader reader = {&in, dump_get_unsigned, dump_get_double,
                                            dump_get_bytes};
    TMS_TRY(dump_kind(id, &kind, &encver));
    TMS_TRY(tms_rb_value_read(kind, encver, &reader, NULL, place, &f, NULL));
    tamis_status status = dump_expect(&in.reader, TMS_RDB_MODULE_END);
    *r = in.reader;
    if (status == TAMIS_OK)
        *out = f;
    else
        tms_filter_drop(f);
    return status;
}

static tamis_status dump_foot(const uint8_t *bytes, size_t size, uint16_t *rdb_version)
{
    if (size < DUMP_FOOT + 2)
        return tms_fail(TAMIS_E_TRUNCATED, "%zu bytes are too few for a DUMP payload", size);
    if (tms_rdb_crc(0, bytes, size - 8) != tms_load64(bytes + size - 8))
        return tms_fail(TAMIS_E_CORRUPT, "the checksum of the DUMP payload does not fit");
    if (rdb_version) *rdb_version = tms_load16(bytes + size - DUMP_FOOT);
    return TAMIS_OK;
}

tamis_status tms_rb_restore(const uint8_t *bytes, size_t size, const tms_rb_place *place,
                            tamis_filter **out, uint16_t *rdb_version)
{
    uint64_t id = 0;
    TMS_TRY(dump_foot(bytes, size, rdb_version));
    tms_rdb_reader reader = {bytes, size - DUMP_FOOT, 0};
    TMS_TRY(dump_head(&reader, &id));
    TMS_TRY(tms_rb_value_at(&reader, id, place, out));
    if (reader.at == reader.size) return TAMIS_OK;
    tms_filter_drop(*out);
    *out = NULL;
    return tms_fail(TAMIS_E_CORRUPT, "%zu bytes follow the value", reader.size - reader.at);
}

tamis_status tamis_redisbloom_restore(const void *bytes, size_t size,
                                      const tamis_redisbloom_host *host, tamis_filter **out,
                                      uint16_t *rdb_version)
{
    const tms_rb_place place = {.host = host};
    *out = NULL;
    return tms_rb_restore(bytes, size, &place, out, rdb_version);
}
