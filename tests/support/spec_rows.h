/* spec_rows.h - requests for every registered kind: the rows over which the
 * property tests run. A kind that is added to the registry gets its rows here
 * without a change, from what it says it can do. Kinds without digests take only
 * some keys, and hash none: test_exact.c tries the same properties with those. */
#ifndef TESTS_SPEC_ROWS_H
#define TESTS_SPEC_ROWS_H

#include <stdbool.h>
#include <tamis/tamis.h>

typedef struct spec_row {
    char why[160];   /* kind and peculiarity                                   */
    tamis_spec spec; /* .secret points to SPEC_SECRET where the row has one    */
    uint64_t keys;   /* to add: about as many as asked for, and all are taken  */
    bool grows;      /* the filter is a scaling one                            */
    bool bounded;    /* of a bounded kind, and not scaling                     */
    uint32_t parts;  /* of a filter made of filters, else 1                    */
} spec_row;

extern const uint8_t SPEC_SECRET[16];

/* Row `index` for a test that adds about `keys` keys; false past the last. */
bool spec_row_number(size_t index, uint64_t keys, spec_row *row);

/* The plain rows only: each kind at 1 %, and each fixed kind scaling. */
bool spec_row_plain(size_t index, uint64_t keys, spec_row *row);

/* `lines_per_key` for kinds in which it has a meaning, 0 for the others. */
uint32_t spec_lines(uint32_t kind, uint32_t lines_per_key);

/* Whether filters of the kind are tables of places, which are full soon past
 * their capacity and refuse keys, where bits would only answer "maybe" more
 * often. They have no hashes to insist on and cannot be folded. */
bool spec_kind_bounded(uint32_t kind);

/* Whether keys can be removed from the row's filter. Such filters hold every
 * occurrence of a key, also of one they know. */
bool spec_row_removes(const spec_row *row);

/* For tests that add the keys several times, or more than so many: a filter that
 * would refuse them is planned for as many; other rows stay as they are. */
void spec_row_make_room(spec_row *row, unsigned times);

/* The registered kinds that such rows are for; as tamis_kind_list. */
size_t spec_kinds(uint32_t *kinds, size_t room);

/* Whether threads may share the row's filter: TAMIS_CONCURRENT, or 0. */
uint32_t spec_row_shares(const spec_row *row);

/* The parts that a plain filter of this kind has; 1 for a flat kind. */
uint32_t spec_kind_parts(uint32_t kind);

/* A filter for the row; it must succeed. */
tamis_filter *spec_row_make(const spec_row *row);

#endif
