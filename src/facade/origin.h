/* origin.h - the map, view or buffer that a filter's body lies in, and what is
 * known of the soundness of its chunks.
 *
 * A filter in memory of its own, read and verified, has no origin. One whose
 * chunks are to be verified at first touch, or some of whose chunks are known
 * to be damaged, gets operations that look at the chunks a query reads before
 * they trust the answer: where one is damaged, the answer is "maybe".       */
#ifndef TMS_FACADE_ORIGIN_H
#define TMS_FACADE_ORIGIN_H

#include <tamis/file.h>

#include "format/envelope.h"
#include "format/map.h"
#include "kinds/kind.h"

typedef enum tms_chunk_state {
    TMS_CHUNK_UNKNOWN,
    TMS_CHUNK_SOUND,
    TMS_CHUNK_DAMAGED,
    TMS_CHUNK_AMENDED /* was sound; keys of the journal have been added since */
} tms_chunk_state;

typedef struct tms_origin {
    tms_map map;             /* bytes NULL: not mapped by us */
    uint8_t *buffer;         /* of tamis_create_in, otherwise NULL */
    const uint8_t *area;     /* the bodies, one after another */
    const uint8_t *trailer;  /* their checksums; NULL: nothing to verify against */
    tms_envelope envelope;   /* its derived sizes; it has no nodes and no metadata */
    uint64_t table_sum;      /* as it was when opened: appending changes it in the file */
    _Atomic uint8_t *states; /* tms_chunk_state a chunk; NULL: nothing is known of them */
    const tms_ops *ops;      /* the kind's own, behind the watching ones; NULL: not watched */
} tms_origin;

/* Gives `f` an origin, all zero, which is dropped with it. */
tamis_status tms_origin_make(tamis_filter *f);

/* TAMIS_OK, or TAMIS_E_READONLY with the reason. */
tamis_status tms_origin_writable(const tamis_filter *f);

/* Lets f, whose pages are this process's own, be changed. */
void tms_origin_allow_changes(tamis_filter *f);

/* From now on f's queries look at the chunks they touch. */
tamis_status tms_origin_watch(tamis_filter *f);

/* To be called before a digest is added to a body that lies in the origin's
 * private pages: the chunks it will change are verified while they still can
 * be. TAMIS_E_CORRUPT when one is damaged and f is not watched. */
tamis_status tms_origin_amend(tamis_filter *f, uint64_t digest);

/* In place of adding a digest to a watched filter whose damage cannot be written:
 * what a query for it reads counts as lost, so the answer is "maybe". */
void tms_origin_lose(tamis_filter *f, uint64_t digest);

/* Before a filter is emptied: damage noted in a body of its own has no meaning any
 * more. Other filters stay as they are. */
void tms_origin_forget(tamis_filter *f);

/* Verifies every chunk. Without `damage` the first damaged one is the error. */
tamis_status tms_origin_verify(const tms_origin *origin, tamis_damage *damage);

/* Gives a stretch of f's own body up, by the rule of its kind. */
tamis_status tms_origin_give_up(tamis_filter *f, uint64_t offset, uint64_t size);

/* Before a body is written or combined: looks whether it can be trusted as it
 * lies. If parts are damaged, `*copy` is a sound copy in which they were given
 * up, to be freed by the caller, or the status says what is damaged if nobody
 * asked for tolerance; otherwise it is NULL. */
tamis_status tms_origin_settle(const tamis_filter *f, tamis_filter **copy);

/* Makes damage of f's chunks known to `copy`, whose bodies are equal. */
tamis_status tms_origin_carry_damage(const tamis_filter *f, tamis_filter *copy);

/* Bytes of f's body known to be damaged. */
uint64_t tms_origin_damaged_bytes(const tamis_filter *f);

#endif
