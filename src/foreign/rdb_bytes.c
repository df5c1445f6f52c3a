/* rdb_bytes.c - see rdb_bytes.h.                                            */
#include "foreign/rdb_bytes.h"

#include <inttypes.h>
#include <string.h>

#include "base/endian.h"
#include "base/fail.h"

tamis_status tms_rdb_skip(tms_rdb_reader *r, uint64_t size, const uint8_t **bytes)
{
    if (size > r->size - r->at)
        return tms_fail(TAMIS_E_TRUNCATED,
                        "%" PRIu64 " bytes are announced at %zu, where %zu are left", size, r->at,
                        r->size - r->at);
    *bytes = r->bytes + r->at;
    r->at += (size_t)size;
    return TAMIS_OK;
}

tamis_status tms_rdb_byte(tms_rdb_reader *r, uint8_t *byte)
{
    const uint8_t *at = NULL;
    TMS_TRY(tms_rdb_skip(r, 1, &at));
    *byte = *at;
    return TAMIS_OK;
}

static uint64_t rdb_big_endian(const uint8_t *at, unsigned count)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++) value = value << 8 | at[i];
    return value;
}

tamis_status tms_rdb_length(tms_rdb_reader *r, uint64_t *value, bool *special)
{
    uint8_t first = 0;
    const uint8_t *at = NULL;
    if (special) *special = false;
    TMS_TRY(tms_rdb_byte(r, &first));
    if (first >> 6 == 0) {
        *value = first & 63;
    } else if (first >> 6 == 1) {
        TMS_TRY(tms_rdb_skip(r, 1, &at));
        *value = (uint64_t)(first & 63) << 8 | *at;
    } else if (first == 0x80 || first == 0x81) {
        unsigned count = first == 0x80 ? 4 : 8;
        TMS_TRY(tms_rdb_skip(r, count, &at));
        *value = rdb_big_endian(at, count);
    } else if (first >> 6 == 3 && special) {
        *special = true;
        *value = first & 63;
    } else {
        return tms_fail(TAMIS_E_CORRUPT, "byte 0x%02x at %zu begins no length", first, r->at - 1);
    }
    return TAMIS_OK;
}

/* ---- strings ------------------------------------------------------------ */

enum { RDB_INT8, RDB_INT16, RDB_INT32, RDB_LZF };

/* Three bytes of LZF become at most 264. */
#define RDB_LZF_MOST UINT64_C(264)

static tamis_status rdb_packed(tms_rdb_reader *r, tms_rdb_string *out)
{
    uint64_t size = 0;
    TMS_TRY(tms_rdb_length(r, &size, NULL));
    TMS_TRY(tms_rdb_length(r, &out->raw, NULL));
    TMS_TRY(tms_rdb_skip(r, size, &out->bytes));
    out->size = (size_t)size;
    out->packed = true;
    if (out->raw / RDB_LZF_MOST > size)
        return tms_fail(TAMIS_E_CORRUPT,
                        "a string of %" PRIu64 " bytes claims to unpack to %" PRIu64, size,
                        out->raw);
    return TAMIS_OK;
}

tamis_status tms_rdb_string_at(tms_rdb_reader *r, tms_rdb_string *out)
{
    uint64_t size = 0;
    bool special;
    *out = (tms_rdb_string){0};
    TMS_TRY(tms_rdb_length(r, &size, &special));
    if (!special) {
        TMS_TRY(tms_rdb_skip(r, size, &out->bytes));
        out->size = (size_t)size;
        out->raw = size;
        return TAMIS_OK;
    }
    if (size == RDB_LZF) return rdb_packed(r, out);
    if (size <= RDB_INT32) return tms_rdb_skip(r, UINT64_C(1) << size, &out->bytes);
    return tms_fail(TAMIS_E_CORRUPT, "a string has the unknown encoding %" PRIu64, size);
}

static tamis_status rdb_bad_lzf(void)
{
    return tms_fail(TAMIS_E_CORRUPT, "a compressed string does not unpack to what it claims");
}

/* One reference back into what has been unpacked. */
static bool rdb_copy_back(uint8_t *out, uint64_t *done, uint64_t room, uint64_t back, uint64_t size)
{
    if (back > *done || size > room - *done) return false;
    for (uint64_t i = 0; i < size; i++, ++*done) out[*done] = out[*done - back];
    return true;
}

tamis_status tms_rdb_unpack(const tms_rdb_string *string, uint8_t *out)
{
    const uint8_t *p = string->bytes, *end = p ? p + string->size : p;
    uint64_t done = 0, room = string->raw;
    if (!string->packed) {
        if (room) memcpy(out, p, (size_t)room);
        return TAMIS_OK;
    }
    while (p < end) {
        unsigned control = *p++;
        if (control < 32) { /* so many bytes as they are, and one */
            uint64_t size = control + 1;
            if (size > (uint64_t)(end - p) || size > room - done) return rdb_bad_lzf();
            memcpy(out + done, p, (size_t)size);
            p += size;
            done += size;
            continue;
        }
        uint64_t size = control >> 5;
        if (size == 7 && p < end) size += *p++;
        if (p == end) return rdb_bad_lzf();
        uint64_t back = ((uint64_t)(control & 31) << 8) + *p++ + 1;
        if (!rdb_copy_back(out, &done, room, back, size + 2)) return rdb_bad_lzf();
    }
    return done == room ? TAMIS_OK : rdb_bad_lzf();
}

/* ---- writing, names, sums ----------------------------------------------- */

size_t tms_rdb_put_length(uint64_t value, uint8_t *out)
{
    if (value < 64) {
        out[0] = (uint8_t)value;
        return 1;
    }
    if (value < 16384) {
        out[0] = (uint8_t)(0x40 | value >> 8);
        out[1] = (uint8_t)(value & 255);
        return 2;
    }
    unsigned count = value <= UINT32_MAX ? 4 : 8;
    out[0] = count == 4 ? 0x80 : 0x81;
    for (unsigned i = 0; i < count; i++)
        out[1 + i] = (uint8_t)(value >> (8 * (count - 1 - i)) & 255);
    return 1 + count;
}

static const char rdb_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

void tms_rdb_module_name(uint64_t id, char name[10])
{
    for (unsigned i = 0; i < 9; i++) name[i] = rdb_letters[id >> (58 - 6 * i) & 63];
    name[9] = '\0';
}

uint64_t tms_rdb_module_id(const char *name, unsigned encver)
{
    uint64_t id = 0;
    for (unsigned i = 0; i < 9; i++)
        id = id << 6 | (uint64_t)(strchr(rdb_letters, name[i]) - rdb_letters);
    return id << 10 | encver;
}

/* Four bits at a time: the reflected polynomial 0x95ac9329ac4bc9b5. */
static const uint64_t rdb_crc_table[16] = {
    UINT64_C(0x0000000000000000), UINT64_C(0x7d08ff3b88be6f81), UINT64_C(0xfa11fe77117cdf02),
    UINT64_C(0x8719014c99c2b083), UINT64_C(0xdf7adabd7a6e2d6f), UINT64_C(0xa2722586f2d042ee),
    UINT64_C(0x256b24ca6b12f26d), UINT64_C(0x5863dbf1e3ac9dec), UINT64_C(0x95ac9329ac4bc9b5),
    UINT64_C(0xe8a46c1224f5a634), UINT64_C(0x6fbd6d5ebd3716b7), UINT64_C(0x12b5926535897936),
    UINT64_C(0x4ad64994d625e4da), UINT64_C(0x37deb6af5e9b8b5b), UINT64_C(0xb0c7b7e3c7593bd8),
    UINT64_C(0xcdcf48d84fe75459)};

uint64_t tms_rdb_crc(uint64_t crc, const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    for (size_t i = 0; i < size; i++) {
        crc ^= p[i];
        crc = crc >> 4 ^ rdb_crc_table[crc & 15];
        crc = crc >> 4 ^ rdb_crc_table[crc & 15];
    }
    return crc;
}
