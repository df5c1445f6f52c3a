/* key_batch.h - keys for tests, in every layout that a batch can have.
 *
 * A batch owns its keys: each as a span, all one after another with offsets,
 * and, for 8-byte keys, as integers and rows too. Different seeds make sets
 * without a common key, so a set of another seed is absent.                 */
#ifndef TESTS_KEY_BATCH_H
#define TESTS_KEY_BATCH_H

#include <stdbool.h>
#include <tamis/filter.h>

typedef struct key_batch {
    size_t count;
    uint8_t *bytes; /* all keys, one after another */
    size_t byte_count;
    tamis_span *spans;
    int32_t *offsets32;
    int64_t *offsets64;
    uint64_t *integers; /* NULL unless every key has 8 bytes */
} key_batch;

/* 64-bit integers, as their 8 little-endian bytes. */
key_batch key_batch_integers(uint64_t seed, size_t count);

/* Text of 0 to 60 bytes: names, paths and addresses; some hold a NUL. */
key_batch key_batch_text(uint64_t seed, size_t count);

/* Keys on which hashes and layouts trip: empty (with and without an address),
 * every single byte, sequences, values 2^32 apart, embedded NULs, a long
 * common beginning, 1 MiB, and all of the small ones a second time. */
key_batch key_batch_awkward(void);

/* Keys [from, from + count) of a batch, borrowed: free only the whole. */
key_batch key_batch_part(const key_batch *whole, size_t from, size_t count);

void key_batch_free(key_batch *batch);

/* Every layout there is, in the order of their numbers. */
enum { KEY_LAYOUTS = 6 };
const char *key_layout_name(tamis_layout layout);

/* Whether these keys can lie so. */
bool key_batch_has(const key_batch *batch, tamis_layout layout);

/* The batch in a layout; `digests` is needed for TAMIS_LAYOUT_DIGESTS only. */
tamis_keys key_batch_as(const key_batch *batch, tamis_layout layout, const uint64_t *digests);

/* Digests of all keys under f's hash, one call per key; free() them. */
uint64_t *key_batch_digests(const key_batch *batch, const tamis_filter *f);

#endif
