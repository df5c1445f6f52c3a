/* load.h - the ways of reading, for each other and for those who append.    */
#ifndef TMS_FACADE_LOAD_H
#define TMS_FACADE_LOAD_H

#include <tamis/file.h>

#include "format/envelope.h"
#include "kinds/kind.h"

/* An encoding in memory, and the journal behind it. */
typedef struct tms_input {
    uint64_t size;       /* of the encoding proper; UINT64_MAX: not known */
    const uint8_t *tail; /* what follows it: a journal, or one in the making */
    uint64_t tail_bytes;
    tms_envelope sizes; /* derived sizes, journal_bytes among them; all zero when
                            the header cannot be read: whoever needs it will say why */
} tms_input;

/* Parts bytes into the encoding and its journal, which is verified. */
tamis_status tms_input_split(const uint8_t *bytes, uint64_t size, const tamis_alloc *alloc,
                             tms_input *out);

/* Adds the keys of the journal. `in_place`: f lies in private pages of a map. */
tamis_status tms_input_replay(const tms_input *input, bool in_place, tamis_filter *f);

/* tamis_open, by reading and by mapping. */
tamis_status tms_load_file(const char *path, const tamis_open_options *options, tamis_filter **out);
tamis_status tms_load_map(const char *path, const tamis_open_options *options, tamis_filter **out);

/* A map in private pages whose bits may be set by f->ops, though never in the
 * file. Flat kinds; TAMIS_E_UNSUPPORTED for others. */
tamis_status tms_load_private(const char *path, const tamis_open_options *options,
                              tamis_filter **out);

#endif
