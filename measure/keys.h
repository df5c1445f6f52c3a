/* keys.h - the keys of a benchmark: the same for every kind of filter.
 *
 * Key number i is one integer, one digest (that integer under the default
 * hash) and, apart from these, one string. Keys below KEYS_ABSENT are added,
 * keys from there on never are. A store holds what is asked: present keys,
 * absent keys, and both in random order.                                    */
#ifndef TAMIS_MEASURE_KEYS_H
#define TAMIS_MEASURE_KEYS_H

#include <tamis/filter.h>

#include "measure/bench.h"

#define KEYS_ABSENT (UINT64_C(1) << 48)

typedef enum keys_form { KEYS_DIGESTS, KEYS_INTEGERS, KEYS_STRINGS, KEYS_FORMS } keys_form;
typedef enum keys_set { KEYS_HIT, KEYS_MISS, KEYS_MIX, KEYS_SETS } keys_set;

extern const char *const keys_form_names[KEYS_FORMS];
extern const char *const keys_set_names[KEYS_SETS];

typedef struct keys_store {
    size_t count, string_count; /* of each set */
    uint64_t *integers[KEYS_SETS], *digests[KEYS_SETS];
    tamis_span *strings[KEYS_SETS];
    char *text;
    size_t text_bytes;
} keys_store;

/* Their lines are more than a cache holds. */
enum { KEYS_WORDS_MOST = 1 << 23, KEYS_STRINGS_MOST = 1000000 };

/* An empty store of the counts that a filter of so many keys is asked for: a
 * quarter of them strings, none for fewer than four. */
keys_store keys_for(uint64_t keys);

/* Memory that the keys of such a store take. */
uint64_t keys_bytes(const keys_store *store);

/* Makes the keys. Those that are present are the integers 0 .. count-1 and the
 * strings 0 .. string_count-1. */
void keys_make(keys_store *store);
void keys_free(keys_store *store);

size_t keys_count(const keys_store *store, keys_form form);

/* Keys [from, from + count) of a set, as a batch. */
tamis_keys keys_slice(const keys_store *store, keys_form form, keys_set set, size_t from,
                      size_t count);

/* The integers, or the digests, of keys [first, first + count). */
void keys_integers(uint64_t first, size_t count, uint64_t *out);
void keys_digests(uint64_t first, size_t count, uint64_t *out);

#endif
