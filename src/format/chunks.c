/* chunks.c - see chunks.h.                                                  */
#include "format/chunks.h"

#include "base/endian.h"
#include "base/fail.h"
#include "hash/hasher.h"

uint64_t tms_chunk_sum(const void *bytes, size_t size, uint64_t header_sum, uint64_t index)
{
    return tms_checksum(bytes, size, header_sum + index);
}

size_t tms_chunk_size(const tms_envelope *e, uint64_t index)
{
    const uint64_t left = e->body_bytes - index * e->chunk_bytes;
    return (size_t)(left < e->chunk_bytes ? left : e->chunk_bytes);
}

static uint64_t chunks_sum_in_place(const tms_envelope *e, const uint8_t *body_area, uint64_t index)
{
    return tms_chunk_sum(body_area + index * e->chunk_bytes, tms_chunk_size(e, index),
                         e->header_sum, index);
}

static size_t chunks_table_bytes(const tms_envelope *e)
{
    return (size_t)(8 * e->chunk_count);
}

uint64_t tms_trailer_sum(const tms_envelope *e, const uint8_t *table)
{
    return tms_checksum(table, chunks_table_bytes(e), e->header_sum + e->journal_bytes);
}

bool tms_chunk_is_sound(const tms_envelope *e, const uint8_t *trailer, const uint8_t *body_area,
                        uint64_t index)
{
    return tms_load64(trailer + 8 * index) == chunks_sum_in_place(e, body_area, index);
}

bool tms_trailer_is_sound(const tms_envelope *e, const uint8_t *trailer)
{
    const size_t size = chunks_table_bytes(e);
    return tms_load64(trailer + size) == tms_trailer_sum(e, trailer);
}

void tms_trailer_fill(const tms_envelope *e, const uint8_t *body_area, uint8_t *trailer)
{
    for (uint64_t i = 0; i < e->chunk_count; i++)
        tms_store64(trailer + 8 * i, chunks_sum_in_place(e, body_area, i));
    const size_t size = chunks_table_bytes(e);
    tms_store64(trailer + size, tms_trailer_sum(e, trailer));
}

tamis_status tms_chunk_fail(const tms_envelope *e, uint64_t index)
{
    const uint64_t offset = index * e->chunk_bytes;
    return tms_fail(TAMIS_E_CORRUPT,
                    "chunk %llu of %llu is damaged: the %zu bytes from offset %llu of the body "
                    "(%llu of the file) do not match their checksum",
                    (unsigned long long)index, (unsigned long long)e->chunk_count,
                    tms_chunk_size(e, index), (unsigned long long)offset,
                    (unsigned long long)(e->header_bytes + offset));
}

tamis_status tms_trailer_fail(const tms_envelope *e)
{
    return tms_fail(
        TAMIS_E_CORRUPT,
        "the table of checksums is damaged: the %llu bytes from offset %llu of the file "
        "do not match theirs",
        (unsigned long long)(8 * e->chunk_count),
        (unsigned long long)(e->header_bytes + e->body_bytes));
}
