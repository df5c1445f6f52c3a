/* redisbloom_forms.h - the forms that a filter of RedisBloom has on a disk
 * (docs/formats/redisbloom.md): a DUMP payload, all chunks in one file, or a
 * folder with a file for each chunk.                                        */
#ifndef TMS_FOREIGN_REDISBLOOM_FORMS_H
#define TMS_FOREIGN_REDISBLOOM_FORMS_H

#include "foreign/redisbloom_chain.h"

typedef enum tms_rb_form {
    TMS_RB_NO_FORM,
    TMS_RB_DUMP,
    TMS_RB_BLOOM_CHUNKS,
    TMS_RB_CUCKOO_CHUNKS
} tms_rb_form;

/* By content. A payload is known by its type, chunks by a header in which
 * everything agrees; whether the rest is there and sound is for the reading.
 * The sentence of an earlier failure may be lost. */
tms_rb_form tms_rb_recognise(const uint8_t *bytes, size_t size);

/* `*rdb_version` is that of a payload. */
tamis_status tms_rb_form_read(tms_rb_form form, const uint8_t *bytes, size_t size,
                              const tms_rb_place *place, tamis_filter **out, uint16_t *rdb_version);
tamis_status tms_rb_form_write(tms_rb_form form, const tamis_filter *f, uint16_t rdb_version,
                               tamis_sink sink, void *ctx);

/* ---- folders (redisbloom_folder.c) --------------------------------------- */

bool tms_rb_is_folder(const char *path);

/* Reads the chunks in the order of the numbers in their names. */
tamis_status tms_rb_folder_read(const char *path, const tms_rb_place *place, tamis_filter **out);

/* Puts a new folder in the place of the old one, in one step where the system
 * can exchange two names; files that are no chunks are kept. */
tamis_status tms_rb_folder_write(const char *path, const tamis_filter *f);

#endif
