/* lib_keys.c - see lib_keys.h.                                              */
#include "lib_keys.h"

#include <string.h>

#include "base/bits.h"
#include "hash/hasher.h"
#include "lib_memory.h"

const char *const keys_form_names[KEYS_FORMS] = {"digests", "u64", "strings"};
const char *const keys_set_names[KEYS_SETS] = {"hit", "miss", "mix"};

enum { KEYS_SHORTEST = 20, KEYS_LONGEST = 60 };

void keys_integers(uint64_t first, size_t count, uint64_t *out)
{
    for (size_t i = 0; i < count; i++) out[i] = tms_mix64(first + i + 1);
}

void keys_digests(uint64_t first, size_t count, uint64_t *out)
{
    tms_hasher hasher;
    if (tms_hasher_init(&hasher, 0, 0, NULL) != TAMIS_OK) bench_die("%s", tamis_explain());
    keys_integers(first, count, out);
    tms_hasher_digest_u64s(&hasher, out, count, out);
}

/* Sixteen digits that no other number has, then letters. */
static size_t keys_string(uint64_t number, char *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-_/.:=";
    uint64_t random = tms_mix64(number + 1), more = random;
    size_t length = KEYS_SHORTEST + random % (KEYS_LONGEST - KEYS_SHORTEST + 1);
    for (size_t i = 0; i < 16; i++) out[i] = "0123456789abcdef"[random >> 4 * i & 15];
    for (size_t i = 16; i < length; i++) {
        if (i % 8 == 0) more = tms_mix64(more + i);
        out[i] = letters[more >> (i % 8 * 8) & 31];
    }
    return length;
}

/* Strings lie one after another, as they would in a column. */
static size_t keys_string_set(uint64_t first, size_t count, char *text, tamis_span *spans)
{
    char *at = text;
    for (size_t i = 0; i < count; i++) {
        spans[i] = (tamis_span){at, keys_string(first + i, at)};
        at += spans[i].size;
    }
    return (size_t)(at - text);
}

static bool keys_coin(size_t i)
{
    return tms_mix64(i * 2 + 1) & 1;
}

static size_t keys_word_bytes(const keys_store *store)
{
    return (store->count + MEMORY_AHEAD) * sizeof(uint64_t);
}

static void keys_make_words(keys_store *store)
{
    size_t all = store->count + MEMORY_AHEAD;
    for (unsigned set = 0; set < KEYS_SETS; set++) {
        store->integers[set] = bench_buffer(keys_word_bytes(store), true);
        store->digests[set] = bench_buffer(keys_word_bytes(store), true);
    }
    keys_integers(0, all, store->integers[KEYS_HIT]);
    keys_digests(0, all, store->digests[KEYS_HIT]);
    keys_integers(KEYS_ABSENT, all, store->integers[KEYS_MISS]);
    keys_digests(KEYS_ABSENT, all, store->digests[KEYS_MISS]);
    for (size_t i = 0; i < all; i++) {
        keys_set from = keys_coin(i) ? KEYS_HIT : KEYS_MISS;
        store->integers[KEYS_MIX][i] = store->integers[from][i];
        store->digests[KEYS_MIX][i] = store->digests[from][i];
    }
}

/* The mixed strings are copies in a text of their own, so that no set is read
 * more regularly than another. */
static void keys_mix_strings(keys_store *store, char *at)
{
    for (size_t i = 0; i < store->string_count; i++) {
        tamis_span from = store->strings[keys_coin(i) ? KEYS_HIT : KEYS_MISS][i];
        memcpy(at, from.data, from.size);
        store->strings[KEYS_MIX][i] = (tamis_span){at, from.size};
        at += from.size;
    }
}

static void keys_make_strings(keys_store *store)
{
    size_t count = store->string_count;
    store->text_bytes = KEYS_SETS * KEYS_LONGEST * count;
    store->text = bench_buffer(store->text_bytes, true);
    for (unsigned set = 0; set < KEYS_SETS; set++)
        store->strings[set] = bench_buffer(count * sizeof(tamis_span), true);
    char *at = store->text;
    at += keys_string_set(0, count, at, store->strings[KEYS_HIT]);
    at += keys_string_set(KEYS_ABSENT, count, at, store->strings[KEYS_MISS]);
    keys_mix_strings(store, at);
}

void keys_make(keys_store *store, size_t count, size_t string_count)
{
    *store = (keys_store){.count = count, .string_count = string_count};
    keys_make_words(store);
    keys_make_strings(store);
}

void keys_free(keys_store *store)
{
    for (unsigned set = 0; set < KEYS_SETS; set++) {
        bench_buffer_free(store->integers[set], keys_word_bytes(store));
        bench_buffer_free(store->digests[set], keys_word_bytes(store));
        bench_buffer_free(store->strings[set], store->string_count * sizeof(tamis_span));
    }
    bench_buffer_free(store->text, store->text_bytes);
}

size_t keys_count(const keys_store *store, keys_form form)
{
    return form == KEYS_STRINGS ? store->string_count : store->count;
}

tamis_keys keys_slice(const keys_store *store, keys_form form, keys_set set, size_t from,
                      size_t count)
{
    switch (form) {
    case KEYS_INTEGERS: return tamis_keys_u64(store->integers[set] + from, count);
    case KEYS_STRINGS: return tamis_keys_spans(store->strings[set] + from, count);
    default: return tamis_keys_digests(store->digests[set] + from, count);
    }
}
