/* rdb_scan.c - what is in an RDB file: a walk over all keys that understands just
 * enough of every type to step over it, and names the types of modules.     */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "foreign/rdb_bytes.h"
#include "foreign/redisbloom_chain.h"
#include "format/map.h"

enum { SCAN_HEAD = 9 };

enum {
    SCAN_SLOT_INFO = 244,
    SCAN_FUNCTION = 245,
    SCAN_FUNCTION_OLD = 246,
    SCAN_MODULE_AUX = 247,
    SCAN_IDLE = 248,
    SCAN_FREQUENCY = 249,
    SCAN_AUX = 250,
    SCAN_RESIZE = 251,
    SCAN_EXPIRE_MS = 252,
    SCAN_EXPIRE = 253,
    SCAN_SELECT = 254,
    SCAN_END = 255
};

typedef tms_rdb_reader scan_reader;

/* ---- steps -------------------------------------------------------------- */

static tamis_status scan_bytes(scan_reader *r, uint64_t size)
{
    const uint8_t *unused = NULL;
    return tms_rdb_skip(r, size, &unused);
}

static tamis_status scan_lengths(scan_reader *r, unsigned count)
{
    uint64_t unused;
    for (unsigned i = 0; i < count; i++) TMS_TRY(tms_rdb_length(r, &unused, NULL));
    return TAMIS_OK;
}

static tamis_status scan_strings(scan_reader *r, uint64_t count)
{
    tms_rdb_string unused;
    for (uint64_t i = 0; i < count; i++) TMS_TRY(tms_rdb_string_at(r, &unused));
    return TAMIS_OK;
}

/* `each` of as many elements as a length says; an element has a byte at least. */
static tamis_status scan_list(scan_reader *r, tamis_status (*each)(scan_reader *))
{
    uint64_t count = 0;
    TMS_TRY(tms_rdb_length(r, &count, NULL));
    for (uint64_t i = 0; i < count; i++) TMS_TRY(each(r));
    return TAMIS_OK;
}

static tamis_status scan_one(scan_reader *r)
{
    return scan_strings(r, 1);
}

static tamis_status scan_pair(scan_reader *r)
{
    return scan_strings(r, 2);
}

/* A score as text: its length in a byte, of which the last three are names. */
static tamis_status scan_old_score(scan_reader *r)
{
    uint8_t size = 0;
    TMS_TRY(scan_one(r));
    TMS_TRY(tms_rdb_byte(r, &size));
    return size < 253 ? scan_bytes(r, size) : TAMIS_OK;
}

static tamis_status scan_score(scan_reader *r)
{
    TMS_TRY(scan_one(r));
    return scan_bytes(r, 8);
}

static tamis_status scan_quick_node(scan_reader *r)
{
    TMS_TRY(scan_lengths(r, 1));
    return scan_one(r);
}

static tamis_status scan_expiring_field(scan_reader *r)
{
    TMS_TRY(scan_lengths(r, 1));
    return scan_pair(r);
}

/* ---- streams ------------------------------------------------------------ */

static tamis_status scan_pending(scan_reader *r)
{
    TMS_TRY(scan_bytes(r, 16 + 8));
    return scan_lengths(r, 1);
}

static tamis_status scan_stream_id(scan_reader *r)
{
    return scan_bytes(r, 16);
}

static tamis_status scan_consumers(scan_reader *r, unsigned version)
{
    uint64_t count = 0;
    TMS_TRY(tms_rdb_length(r, &count, NULL));
    for (uint64_t i = 0; i < count; i++) {
        TMS_TRY(scan_one(r));
        TMS_TRY(scan_bytes(r, version >= 3 ? 16 : 8));
        TMS_TRY(scan_list(r, scan_stream_id));
    }
    return TAMIS_OK;
}

static tamis_status scan_stream(scan_reader *r, unsigned version)
{
    uint64_t groups = 0;
    TMS_TRY(scan_list(r, scan_pair));
    TMS_TRY(scan_lengths(r, version >= 2 ? 8 : 3));
    TMS_TRY(tms_rdb_length(r, &groups, NULL));
    for (uint64_t i = 0; i < groups; i++) {
        TMS_TRY(scan_one(r));
        TMS_TRY(scan_lengths(r, version >= 2 ? 3 : 2));
        TMS_TRY(scan_list(r, scan_pending));
        TMS_TRY(scan_consumers(r, version));
    }
    return TAMIS_OK;
}

/* ---- modules ------------------------------------------------------------ */

static tamis_status scan_fields(scan_reader *r)
{
    for (;;) {
        uint64_t opcode = 0;
        TMS_TRY(tms_rdb_length(r, &opcode, NULL));
        switch (opcode) {
        case TMS_RDB_MODULE_END: return TAMIS_OK;
        case TMS_RDB_MODULE_SIGNED:
        case TMS_RDB_MODULE_UNSIGNED: TMS_TRY(scan_lengths(r, 1)); break;
        case TMS_RDB_MODULE_FLOAT: TMS_TRY(scan_bytes(r, 4)); break;
        case TMS_RDB_MODULE_DOUBLE: TMS_TRY(scan_bytes(r, 8)); break;
        case TMS_RDB_MODULE_STRING: TMS_TRY(scan_one(r)); break;
        default:
            return tms_fail(TAMIS_E_CORRUPT, "a module's field of type %" PRIu64 " at %zu", opcode,
                            r->at);
        }
    }
}

static tamis_rdb_type *scan_row(tamis_rdb_report *report, uint64_t id)
{
    char name[10];
    uint32_t encver = tms_rdb_module_encver(id);
    tms_rdb_module_name(id, name);
    for (uint32_t i = 0; i < report->type_count; i++)
        if (strcmp(report->types[i].name, name) == 0 && report->types[i].encver == encver)
            return &report->types[i];
    if (report->type_count == TAMIS_RDB_TYPES_MOST) return NULL;
    tamis_rdb_type *row = &report->types[report->type_count++];
    bool ours = strcmp(name, "MBbloom--") == 0 || strcmp(name, "MBbloomCF") == 0;
    memcpy(row->name, name, sizeof row->name);
    row->encver = encver;
    row->loads = ours && encver <= TAMIS_REDISBLOOM_ENCVER;
    return row;
}

static tamis_status scan_module(scan_reader *r, tamis_rdb_report *report)
{
    const tms_rb_place place = {0};
    uint64_t id = 0;
    TMS_TRY(tms_rdb_length(r, &id, NULL));
    scan_reader again = *r;
    TMS_TRY(scan_fields(r));
    tamis_rdb_type *row = scan_row(report, id);
    report->module_keys++;
    if (row) row->keys++;
    if (!row || !row->loads) return TAMIS_OK;
    tamis_filter *f = NULL;
    if (tms_rb_value_at(&again, id, &place, &f) != TAMIS_OK) report->broken++;
    tms_filter_drop(f);
    return TAMIS_OK;
}

/* What a module keeps beside its keys; a server without it does not load the file. */
static tamis_status scan_module_aux(scan_reader *r, tamis_rdb_report *report)
{
    uint64_t id = 0;
    TMS_TRY(tms_rdb_length(r, &id, NULL));
    (void)scan_row(report, id);
    TMS_TRY(scan_lengths(r, 2)); /* an opcode and when it is to be loaded */
    return scan_fields(r);
}

/* ---- keys --------------------------------------------------------------- */

static tamis_status scan_unknown(const scan_reader *r, const char *what, unsigned number)
{
    return tms_fail(TAMIS_E_UNSUPPORTED, "%s %u at byte %zu is not known", what, number, r->at);
}

static tamis_status scan_value(scan_reader *r, uint8_t type, tamis_rdb_report *report)
{
    switch (type) {
    case 0: /* string */
    case 9:
    case 10:
    case 11:
    case 12:
    case 13: /* packed into one string */
    case 16:
    case 17:
    case 20: return scan_one(r);
    case 1:
    case 2:
    case 14: return scan_list(r, scan_one);
    case 3: return scan_list(r, scan_old_score);
    case 4: return scan_list(r, scan_pair);
    case 5: return scan_list(r, scan_score);
    case TMS_RDB_TYPE_MODULE_2: return scan_module(r, report);
    case 15: return scan_stream(r, 1);
    case 18: return scan_list(r, scan_quick_node);
    case 19: return scan_stream(r, 2);
    case 21: return scan_stream(r, 3);
    case 24: TMS_TRY(scan_bytes(r, 8)); return scan_list(r, scan_expiring_field);
    case 25: TMS_TRY(scan_bytes(r, 8)); return scan_one(r);
    default: return scan_unknown(r, "a value of type", type);
    }
}

static tamis_status scan_step(scan_reader *r, uint8_t opcode, tamis_rdb_report *report)
{
    switch (opcode) {
    case SCAN_SLOT_INFO: return scan_lengths(r, 3);
    case SCAN_FUNCTION:
    case SCAN_FUNCTION_OLD: return scan_one(r);
    case SCAN_MODULE_AUX: return scan_module_aux(r, report);
    case SCAN_IDLE:
    case SCAN_SELECT: return scan_lengths(r, 1);
    case SCAN_FREQUENCY: return scan_bytes(r, 1);
    case SCAN_AUX: return scan_pair(r);
    case SCAN_RESIZE: return scan_lengths(r, 2);
    case SCAN_EXPIRE_MS: return scan_bytes(r, 8);
    case SCAN_EXPIRE: return scan_bytes(r, 4);
    default: break;
    }
    if (opcode > 200) return scan_unknown(r, "the opcode", opcode);
    TMS_TRY(scan_one(r)); /* the key */
    TMS_TRY(scan_value(r, opcode, report));
    report->keys++;
    return TAMIS_OK;
}

bool tamis_rdb_detect(const void *bytes, size_t size)
{
    const char *text = bytes;
    if (size < SCAN_HEAD || memcmp(text, "REDIS", 5) != 0) return false;
    for (int i = 5; i < SCAN_HEAD; i++)
        if (text[i] < '0' || text[i] > '9') return false;
    return true;
}

static tamis_status scan_all(scan_reader *r, tamis_rdb_report *report)
{
    uint8_t opcode = 0;
    if (!tamis_rdb_detect(r->bytes, r->size))
        return tms_fail(TAMIS_E_CORRUPT, "this is no RDB file: it does not begin with REDIS");
    for (int i = 5; i < SCAN_HEAD; i++)
        report->rdb_version = 10 * report->rdb_version + (uint32_t)(r->bytes[i] - '0');
    for (r->at = SCAN_HEAD;;) {
        TMS_TRY(tms_rdb_byte(r, &opcode));
        if (opcode == SCAN_END) return TAMIS_OK;
        TMS_TRY(scan_step(r, opcode, report));
    }
}

tamis_status tms_rdb_scan_bytes(const uint8_t *bytes, size_t size, tamis_rdb_report *report)
{
    scan_reader r = {bytes, size, 0};
    memset(report, 0, sizeof *report);
    tamis_status status = scan_all(&r, report);
    report->complete = status == TAMIS_OK;
    if (status == TAMIS_E_UNSUPPORTED) { /* what was seen is worth telling */
        snprintf(report->stopped_at, sizeof report->stopped_at, "%.159s", tamis_explain());
        status = TAMIS_OK;
    }
    return status;
}

tamis_status tamis_rdb_scan(const char *path, tamis_rdb_report *report)
{
    tms_map map;
    memset(report, 0, sizeof *report);
    TMS_TRY(tms_map_open(path, &map));
    tamis_status status = tms_rdb_scan_bytes(map.bytes, (size_t)map.size, report);
    tms_map_close(&map);
    return status;
}
