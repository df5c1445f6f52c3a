/* high_map.h - from the high words of 64-bit integers to the sets of their low
 * words, in ascending order.
 *
 * A B-tree of two levels: leaves of up to 256 words, and one sorted table of
 * leaves. A set of integers below 2^32 is one leaf with one word; ten million
 * scattered integers are as many words, and are still added in any order
 * without moving more than a leaf and, once in 128 adds, the table.         */
#ifndef TMS_KINDS_HIGH_MAP_H
#define TMS_KINDS_HIGH_MAP_H

#include <tamis/alloc.h>
#include <tamis/status.h>

#include "kinds/croaring.h"

enum { TMS_HIGH_LEAF = 256 };

typedef struct tms_high {
    uint32_t word;
    tms_set32 *set;
} tms_high;

typedef struct tms_high_leaf {
    uint32_t count; /* at least 1 */
    tms_high highs[TMS_HIGH_LEAF];
} tms_high_leaf;

typedef struct tms_high_map {
    tms_high_leaf **leaves;
    size_t count, room;
} tms_high_map;

/* A place in the map; valid until the map changes. */
typedef struct tms_high_place {
    size_t leaf;
    uint32_t index;
} tms_high_place;

/* The first place whose word is at least `word`. */
tms_high_place tms_high_seek(const tms_high_map *map, uint32_t word);

/* What stands at a place, or NULL at the end. */
tms_high *tms_high_at(const tms_high_map *map, tms_high_place place);

/* The place after one that is not the end. */
tms_high_place tms_high_after(const tms_high_map *map, tms_high_place place);

/* The word's entry, or NULL. */
tms_high *tms_high_find(const tms_high_map *map, uint32_t word);

/* Puts a word in that is not there; the set then belongs to the map.
 * TAMIS_E_NOMEM leaves everything as it was. */
tamis_status tms_high_insert(tms_high_map *map, const tamis_alloc *alloc, uint32_t word,
                             tms_set32 *set);

/* Takes an entry out; its set belongs to the caller. */
void tms_high_erase(tms_high_map *map, const tamis_alloc *alloc, tms_high_place place);

/* Frees the tables, not the sets. */
void tms_high_free(tms_high_map *map, const tamis_alloc *alloc);

/* Bytes of the tables. */
uint64_t tms_high_memory(const tms_high_map *map);

#endif
