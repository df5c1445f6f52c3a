/* chunks.h - the checksums of the body area (docs/format.md, sections 3 and 4).
 *
 * The area is checked in chunks, so that damage is found where it is and a map
 * can be verified piece by piece. Every sum is seeded with the header's own
 * checksum and the number of the chunk: a chunk from elsewhere does not pass,
 * and each entry of the table can be trusted without the others. These calls
 * work on an encoding that lies in memory as a whole; stream.h is for those
 * that do not.                                                              */
#ifndef TMS_FORMAT_CHUNKS_H
#define TMS_FORMAT_CHUNKS_H

#include "format/envelope.h"

/* The checksum of chunk `index`. */
uint64_t tms_chunk_sum(const void *bytes, size_t size, uint64_t header_sum, uint64_t index);

/* The checksum of the table of chunk sums, which also tells how much of a
 * journal counts. */
uint64_t tms_trailer_sum(const tms_envelope *e, const uint8_t *table);

/* Bytes of chunk `index` < chunk_count: chunk_bytes, or fewer for the last. */
size_t tms_chunk_size(const tms_envelope *e, uint64_t index);

/* True if the chunk matches its entry. Any number of threads at once. */
bool tms_chunk_is_sound(const tms_envelope *e, const uint8_t *trailer, const uint8_t *body_area,
                        uint64_t index);

/* True if the table of chunk sums matches its own sum. */
bool tms_trailer_is_sound(const tms_envelope *e, const uint8_t *trailer);

/* Writes the trailer_bytes bytes of the trailer; header_sum must be set. */
void tms_trailer_fill(const tms_envelope *e, const uint8_t *body_area, uint8_t *trailer);

/* TAMIS_E_CORRUPT with the sentence that names a damaged chunk and its place. */
tamis_status tms_chunk_fail(const tms_envelope *e, uint64_t index);

/* The same for the table of checksums itself. */
tamis_status tms_trailer_fail(const tms_envelope *e);

#endif
