/* journal.c - see journal.h.                                                */
#include "format/journal.h"

#include <inttypes.h>
#include <string.h>

#include "base/endian.h"
#include "base/fail.h"
#include "format/chunks.h"
#include "hash/hasher.h"

static const uint8_t journal_magic[8] = {0x89, 'T', 'A', 'M', 'J', 'N', 0x0a, 0x1a};

enum { JOURNAL_AT_COUNT = 8, JOURNAL_AT_DIGESTS = 16, JOURNAL_SUM_BYTES = 8 };

/* Keeps the size of a record far from overflow. */
#define JOURNAL_COUNT_MOST (UINT64_C(1) << 40)

uint64_t tms_journal_record_bytes(uint64_t count)
{
    return JOURNAL_AT_DIGESTS + 8 * count + JOURNAL_SUM_BYTES;
}

/* Tied to the file and to the place in it. */
static uint64_t journal_sum(const tms_envelope *e, uint64_t offset, const uint8_t *record,
                            uint64_t size)
{
    return tms_checksum(record, (size_t)size, e->header_sum + offset);
}

void tms_journal_record_write(const tms_envelope *e, uint64_t offset, const uint64_t *digests,
                              uint64_t count, uint8_t *record)
{
    uint64_t summed = JOURNAL_AT_DIGESTS + 8 * count;
    memcpy(record, journal_magic, sizeof journal_magic);
    tms_store64(record + JOURNAL_AT_COUNT, count);
    for (uint64_t i = 0; i < count; i++)
        tms_store64(record + JOURNAL_AT_DIGESTS + 8 * i, digests[i]);
    tms_store64(record + summed, journal_sum(e, offset, record, summed));
}

/* Bytes of the whole and sound record at `offset`, or 0. */
static uint64_t journal_record_at(const tms_envelope *e, const uint8_t *tail, uint64_t size,
                                  uint64_t offset)
{
    const uint8_t *record = tail + offset;
    uint64_t left = size - offset;
    if (left < JOURNAL_AT_DIGESTS || memcmp(record, journal_magic, sizeof journal_magic) != 0)
        return 0;
    uint64_t count = tms_load64(record + JOURNAL_AT_COUNT);
    if (count == 0 || count > JOURNAL_COUNT_MOST || left < tms_journal_record_bytes(count))
        return 0;
    uint64_t summed = tms_journal_record_bytes(count) - JOURNAL_SUM_BYTES;
    if (tms_load64(record + summed) != journal_sum(e, offset, record, summed)) return 0;
    return summed + JOURNAL_SUM_BYTES;
}

/* What lies beyond the journal must at least begin like a record. A loss of
 * power may leave any of its pages unwritten, so a zero may stand for any byte. */
static bool journal_could_begin(const uint8_t *rest, uint64_t size)
{
    for (size_t i = 0; i < sizeof journal_magic && i < size; i++)
        if (rest[i] != journal_magic[i] && rest[i] != 0) return false;
    return true;
}

tamis_status tms_journal_find(tms_envelope *e, const uint8_t *trailer, const uint8_t *tail,
                              uint64_t size)
{
    uint64_t step = 1;
    for (e->journal_bytes = 0; step; e->journal_bytes += step) {
        if (tms_trailer_is_sound(e, trailer)) break;
        step = e->journal_bytes < size ? journal_record_at(e, tail, size, e->journal_bytes) : 0;
    }
    if (!step) {
        e->journal_bytes = 0;
        return tms_fail(TAMIS_E_CORRUPT,
                        "the table of the chunks' checksums is damaged, or a journal of appended "
                        "keys that belongs to it is damaged or missing; rebuild the filter");
    }
    if (!journal_could_begin(tail + e->journal_bytes, size - e->journal_bytes))
        return tms_fail(TAMIS_E_CORRUPT,
                        "%" PRIu64 " bytes that are no part of the filter follow its end",
                        size - e->journal_bytes);
    return TAMIS_OK;
}

bool tms_journal_next(const tms_envelope *e, const uint8_t *tail, uint64_t *at,
                      const uint8_t **digests, uint64_t *count)
{
    if (*at >= e->journal_bytes) return false;
    *count = tms_load64(tail + *at + JOURNAL_AT_COUNT);
    *digests = tail + *at + JOURNAL_AT_DIGESTS;
    *at += tms_journal_record_bytes(*count);
    return true;
}
