/* rdb_bytes.h - the small change of RDB files: lengths, strings, checksums.
 *
 * A reader goes over bytes that are all there and never past their end. Every
 * failure says where.                                                       */
#ifndef TMS_FOREIGN_RDB_BYTES_H
#define TMS_FOREIGN_RDB_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tamis/redisbloom.h>

typedef struct tms_rdb_reader {
    const uint8_t *bytes;
    size_t size, at;
} tms_rdb_reader;

/* Opcodes of the fields of a module's value. */
enum {
    TMS_RDB_MODULE_END = 0,
    TMS_RDB_MODULE_SIGNED = 1,
    TMS_RDB_MODULE_UNSIGNED = 2,
    TMS_RDB_MODULE_FLOAT = 3,
    TMS_RDB_MODULE_DOUBLE = 4,
    TMS_RDB_MODULE_STRING = 5
};
enum { TMS_RDB_TYPE_MODULE_2 = 7 };

/* The bytes, as a place in the input, and past them. */
tamis_status tms_rdb_skip(tms_rdb_reader *r, uint64_t size, const uint8_t **bytes);
tamis_status tms_rdb_byte(tms_rdb_reader *r, uint8_t *byte);

/* A length or an unsigned number. `*special`, when not NULL, says that it is the
 * number of a string's encoding; NULL: that would be an error. */
tamis_status tms_rdb_length(tms_rdb_reader *r, uint64_t *value, bool *special);

/* A string as it lies there. `packed`: LZF, `raw` bytes when unpacked; integers
 * that stand for strings have `raw` 0 and no bytes. */
typedef struct tms_rdb_string {
    const uint8_t *bytes;
    size_t size;
    uint64_t raw;
    bool packed;
} tms_rdb_string;

/* An LZF string that claims to unpack to more than LZF can is refused. */
tamis_status tms_rdb_string_at(tms_rdb_reader *r, tms_rdb_string *out);

/* Unpacks into room for exactly string->raw bytes. */
tamis_status tms_rdb_unpack(const tms_rdb_string *string, uint8_t *out);

/* A length in at most 9 bytes; returns how many. */
enum { TMS_RDB_LENGTH_MOST = 9 };
size_t tms_rdb_put_length(uint64_t value, uint8_t *out);

/* The nine characters of a module's type and its encoding version. */
void tms_rdb_module_name(uint64_t id, char name[10]);
uint64_t tms_rdb_module_id(const char *name, unsigned encver);

static inline unsigned tms_rdb_module_encver(uint64_t id)
{
    return (unsigned)(id & 1023);
}

/* CRC-64 of Jones, continued from `crc` (0 at the start). */
uint64_t tms_rdb_crc(uint64_t crc, const void *bytes, size_t size);

/* tamis_rdb_scan of bytes (rdb_scan.c). */
tamis_status tms_rdb_scan_bytes(const uint8_t *bytes, size_t size, tamis_rdb_report *report);

#endif
