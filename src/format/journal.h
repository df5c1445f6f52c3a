/* journal.h - keys appended to a file, so that ten keys need not rewrite a
 * gigabyte (docs/format.md, section 4.1).
 *
 * Behind the trailer of a plain file may follow records, each a list of
 * digests under a checksum of its own. How many of their bytes count is told
 * by the seed of table_sum: so a record is first appended whole, and then made
 * to count by rewriting these 8 bytes, which no kill can halve. A file that was
 * cut within what counts does not pass; what lies beyond was never finished,
 * zeros that a loss of power left included, and is as if it were not there. What the digests do to a filter is for the
 * facade.                                                                   */
#ifndef TMS_FORMAT_JOURNAL_H
#define TMS_FORMAT_JOURNAL_H

#include "format/envelope.h"

/* Bytes of a record of `count` digests. */
uint64_t tms_journal_record_bytes(uint64_t count);

/* Writes a record that is to stand at byte `offset` of the journal. */
void tms_journal_record_write(const tms_envelope *e, uint64_t offset, const uint64_t *digests,
                              uint64_t count, uint8_t *record);

/* Finds how many of the `size` bytes at `tail`, which follow the file_bytes of
 * an encoding with this trailer, are a journal that counts, and verifies them:
 * sets e->journal_bytes. TAMIS_E_CORRUPT when they are no journal or damaged. */
tamis_status tms_journal_find(tms_envelope *e, const uint8_t *trailer, const uint8_t *tail,
                              uint64_t size);

/* The record at byte `*at` of a verified journal: `*count` little-endian digests
 * at `*digests`; moves `*at` on. False at the end. */
bool tms_journal_next(const tms_envelope *e, const uint8_t *tail, uint64_t *at,
                      const uint8_t **digests, uint64_t *count);

#endif
