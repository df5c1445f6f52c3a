/* doors.h - every way in which keys go into a filter, questions are asked of
 * it, and it travels. Tables, so that a property is tried through each.     */
#ifndef TESTS_DOORS_H
#define TESTS_DOORS_H

#include <stdbool.h>
#include <tamis/tamis.h>

#include "support/key_batch.h"
#include "support/spec_rows.h"

/* ---- in ----------------------------------------------------------------- */

typedef struct add_door {
    const char *why;
    tamis_layout layout; /* that it needs */
    unsigned threads;
    void (*add)(const struct add_door *, tamis_filter *, const key_batch *); /* checks success */
} add_door;

/* Door `index`, NULL past the last. */
const add_door *add_door_number(size_t index);

/* ---- asking ------------------------------------------------------------- */

/* Asks for every key of the batch through every door; all must be "maybe". */
void ask_check_all(const tamis_filter *f, const key_batch *keys, const char *what);

/* The same through the fastest door only. */
void ask_check_quickly(const tamis_filter *f, const key_batch *keys, const char *what);

/* Both answer the same for every key of the batch. */
void ask_check_agree(const tamis_filter *a, const tamis_filter *b, const key_batch *keys,
                     const char *what);

/* ---- travel ------------------------------------------------------------- */

/* Makes of a filter another one that must answer the same. What it stands on
 * (bytes, file) is in `luggage` until journey_end. */
typedef struct luggage {
    const uint8_t *secret;
    uint8_t *bytes;
} luggage;

typedef struct journey {
    const char *why;
    uint32_t flags;     /* TAMIS_OPEN_*          */
    uint32_t transport; /* TAMIS_PLAIN ...       */
    unsigned offset;    /* of a view from 64     */
    bool exact;         /* encodes to the same bytes as where it came from */
    tamis_filter *(*go)(const struct journey *, const tamis_filter *, luggage *);
} journey;

/* Journey `index`, NULL past the last. Those that this build cannot make (a
 * transport is missing) are left out. */
const journey *journey_number(size_t index);

void journey_end(tamis_filter *arrived, luggage *l);

/* Whether this library has the transport. */
bool transport_built(uint32_t transport);

#endif
