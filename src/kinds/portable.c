/* portable.c - judging and walking portable Roaring bytes; see portable.h.  */
#include "kinds/portable.h"

#include <inttypes.h>

#include "base/bits.h"
#include "base/fail.h"
#include "kinds/portable_parts.h"

static tamis_status portable_ends_early(void)
{
    return tms_fail(TAMIS_E_TRUNCATED, "the Roaring bitmap ends before its header says it would");
}

/* ---- the head ----------------------------------------------------------- */

/* The number of chunks, and where the flags or the keys begin. */
static tamis_status portable_read_cookie(const uint8_t *bitmap, uint64_t size, portable_head *head,
                                         uint64_t *at)
{
    if (size < 4) return portable_ends_early();
    uint32_t cookie = tms_load32(bitmap);
    *head = (portable_head){0};
    *at = 4;
    if ((cookie & 0xffff) == PORTABLE_COOKIE) {
        head->chunks = (cookie >> 16) + 1;
        head->flags = bitmap + 4;
        *at += (head->chunks + 7) / 8;
        return TAMIS_OK;
    }
    if (cookie != PORTABLE_COOKIE_PLAIN)
        return tms_fail(TAMIS_E_CORRUPT, "a Roaring bitmap begins with 12346 or 12347, not %u",
                        cookie & 0xffff);
    if (size < 8) return portable_ends_early();
    head->chunks = tms_load32(bitmap + 4);
    *at = 8;
    if (head->chunks <= PORTABLE_CHUNKS_MOST) return TAMIS_OK;
    return tms_fail(TAMIS_E_CORRUPT, "a Roaring bitmap has at most 65536 chunks, not %u",
                    head->chunks);
}

tamis_status tms_portable_read_head(const uint8_t *bitmap, uint64_t size, portable_head *head)
{
    uint64_t at = 0;
    TMS_TRY(portable_read_cookie(bitmap, size, head, &at));
    head->bytes = portable_head_bytes(head->chunks, head->flags != NULL);
    if (head->bytes > size) return portable_ends_early();
    head->keys = bitmap + at;
    at += 4 * (uint64_t)head->chunks;
    if (at < head->bytes) head->offsets = bitmap + at;
    return TAMIS_OK;
}

/* Bits behind the last chunk's flag mean nothing, and must be 0. */
static tamis_status portable_check_flags(const portable_head *head)
{
    unsigned rest = head->chunks % 8;
    if (!head->flags || rest == 0 || head->flags[head->chunks / 8] >> rest == 0) return TAMIS_OK;
    return tms_fail(TAMIS_E_CORRUPT, "a Roaring bitmap of %u chunks has run flags beyond them",
                    head->chunks);
}

/* ---- one chunk ---------------------------------------------------------- */

static bool portable_array_ascends(const portable_chunk *chunk)
{
    for (uint32_t i = 1; i < chunk->cardinality; i++)
        if (tms_load16(chunk->data + 2 * (size_t)i - 2) >= tms_load16(chunk->data + 2 * (size_t)i))
            return false;
    return true;
}

static bool portable_bits_add_up(const portable_chunk *chunk)
{
    uint32_t ones = 0;
    for (size_t i = 0; i < PORTABLE_WORDS; i++)
        ones += tms_popcount64(tms_load64(chunk->data + 8 * i));
    return ones == chunk->cardinality;
}

/* Runs are a first value and how many follow it. */
static bool portable_runs_add_up(const portable_chunk *chunk)
{
    uint32_t values = 0, next = 0; /* `next`: the least value that may begin a run */
    for (uint32_t i = 0; i < chunk->runs; i++) {
        uint32_t first = tms_load16(chunk->data + 4 * (size_t)i);
        uint32_t more = tms_load16(chunk->data + 4 * (size_t)i + 2);
        if (first < next || first + more > 0xffff) return false;
        values += more + 1;
        next = first + more + 1;
    }
    return values == chunk->cardinality;
}

static bool portable_chunk_is_sound(const portable_chunk *chunk)
{
    if (chunk->form == PORTABLE_RUNS) return portable_runs_add_up(chunk);
    return chunk->form == PORTABLE_BITS ? portable_bits_add_up(chunk)
                                        : portable_array_ascends(chunk);
}

/* Judges chunk `index`, whose data is at `*at`, and steps behind it. */
static tamis_status portable_check_chunk(const uint8_t *bitmap, uint64_t size,
                                         const portable_head *head, uint32_t index, uint64_t *at)
{
    portable_chunk chunk = portable_chunk_at(head, index, bitmap + *at);
    if (index > 0 && chunk.key <= tms_load16(head->keys + 4 * (size_t)index - 4))
        return tms_fail(TAMIS_E_CORRUPT, "chunk %u of a Roaring bitmap does not ascend", index);
    if (head->offsets && tms_load32(head->offsets + 4 * (size_t)index) != (uint32_t)*at)
        return tms_fail(TAMIS_E_CORRUPT, "the offset of chunk %u of a Roaring bitmap is wrong",
                        index);
    if (chunk.form == PORTABLE_RUNS && size - *at < 2) return portable_ends_early();
    portable_chunk_read_runs(&chunk);
    uint64_t bytes = portable_form_bytes(chunk.form, chunk.cardinality, chunk.runs);
    if (size - *at < bytes) return portable_ends_early();
    *at += bytes;
    if (portable_chunk_is_sound(&chunk)) return TAMIS_OK;
    return tms_fail(TAMIS_E_CORRUPT,
                    "chunk %u of a Roaring bitmap does not hold the %u ascending values that its "
                    "header says",
                    index, chunk.cardinality);
}

static tamis_status portable_check_bitmap(const uint8_t *bitmap, uint64_t size,
                                          tms_portable_extent *extent)
{
    portable_head head;
    TMS_TRY(tms_portable_read_head(bitmap, size, &head));
    TMS_TRY(portable_check_flags(&head));
    *extent = (tms_portable_extent){.bytes = head.bytes};
    for (uint32_t i = 0; i < head.chunks; i++) {
        TMS_TRY(portable_check_chunk(bitmap, size, &head, i, &extent->bytes));
        extent->values += tms_load16(head.keys + 4 * (size_t)i + 2) + 1u;
    }
    return TAMIS_OK;
}

/* ---- high words --------------------------------------------------------- */

tamis_status tms_portable_check(const uint8_t *bytes, uint64_t size, tms_portable_extent *out)
{
    if (size < TMS_PORTABLE_HEAD) return portable_ends_early();
    uint64_t highs = tms_load64(bytes), least = 0; /* `least`: the smallest high word allowed */
    if (highs > UINT64_C(1) << 32)
        return tms_fail(TAMIS_E_CORRUPT,
                        "a 64-bit Roaring bitmap has at most 2^32 high words, "
                        "not %" PRIu64,
                        highs);
    *out = (tms_portable_extent){.bytes = TMS_PORTABLE_HEAD};
    for (uint64_t i = 0; i < highs; i++) {
        tms_portable_extent inner;
        if (size - out->bytes < TMS_PORTABLE_HIGH) return portable_ends_early();
        uint64_t high = tms_load32(bytes + out->bytes);
        if (high < least)
            return tms_fail(TAMIS_E_CORRUPT,
                            "high word %" PRIu64 " of a 64-bit Roaring bitmap does not ascend", i);
        least = high + 1;
        out->bytes += TMS_PORTABLE_HIGH;
        TMS_TRY(portable_check_bitmap(bytes + out->bytes, size - out->bytes, &inner));
        out->bytes += inner.bytes;
        out->values += inner.values;
    }
    return TAMIS_OK;
}

/* ---- walking ------------------------------------------------------------ */

tms_portable_walk tms_portable_begin(const uint8_t *bytes)
{
    return (tms_portable_walk){.at = bytes + TMS_PORTABLE_HEAD, .left = tms_load64(bytes)};
}

/* The end of the last chunk: by its offset where there is one, otherwise there
 * are at most three chunks to step over. */
static size_t portable_bitmap_bytes(const uint8_t *bitmap)
{
    portable_head head;
    (void)tms_portable_read_head(bitmap, UINT64_MAX, &head);
    uint64_t at = head.bytes;
    uint32_t index = 0;
    if (head.offsets && head.chunks) {
        index = head.chunks - 1;
        at = tms_load32(head.offsets + 4 * (size_t)index);
    }
    for (; index < head.chunks; index++) {
        portable_chunk chunk = portable_chunk_at(&head, index, bitmap + at);
        portable_chunk_read_runs(&chunk);
        at += portable_form_bytes(chunk.form, chunk.cardinality, chunk.runs);
    }
    return (size_t)at;
}

bool tms_portable_next(tms_portable_walk *walk)
{
    if (walk->left == 0) return false;
    walk->left--;
    walk->high = tms_load32(walk->at);
    walk->bitmap = walk->at + TMS_PORTABLE_HIGH;
    walk->bitmap_bytes = portable_bitmap_bytes(walk->bitmap);
    walk->at = walk->bitmap + walk->bitmap_bytes;
    return true;
}
