/* keys.c - see keys.h.                                              */
#include "measure/keys.h"

#include <string.h>

#include "measure/memory.h"

const char *const keys_form_names[KEYS_FORMS] = {"digests", "u64", "strings"};
const char *const keys_set_names[KEYS_SETS] = {"hit", "miss", "mix"};

enum { KEYS_SHORTEST = 20, KEYS_LONGEST = 60 };
enum { KEYS_RUN = 1024 }; /* integers hashed at once */

/* The finaliser of MurmurHash3: different numbers stay different. */
static uint64_t keys_mix(uint64_t x)
{
    x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
    x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ x >> 33;
}

void keys_integers(uint64_t first, size_t count, uint64_t *out)
{
    for (size_t i = 0; i < count; i++) out[i] = keys_mix(first + i + 1);
}

/* Any filter knows the default hash; this one is for nothing else. */
static const tamis_filter *keys_hasher(void)
{
    static tamis_filter *hasher;
    const tamis_spec smallest = {.capacity = 1, .fpr = 0.5};
    if (!hasher && tamis_create(&smallest, &hasher) != TAMIS_OK) bench_die("%s", tamis_explain());
    return hasher;
}

void keys_digests(uint64_t first, size_t count, uint64_t *out)
{
    uint64_t words[KEYS_RUN];
    for (size_t done = 0; done < count; done += KEYS_RUN) {
        const size_t run = count - done < KEYS_RUN ? count - done : KEYS_RUN;
        const tamis_keys keys = tamis_keys_u64(words, run);
        keys_integers(first + done, run, words);
        if (tamis_hash_many(keys_hasher(), &keys, out + done) != TAMIS_OK)
            bench_die("%s", tamis_explain());
    }
}

/* Sixteen digits that no other number has, then letters. */
static size_t keys_string(uint64_t number, char *out)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-_/.:=";
    uint64_t random = keys_mix(number + 1), more = random;
    size_t length = KEYS_SHORTEST + random % (KEYS_LONGEST - KEYS_SHORTEST + 1);
    for (size_t i = 0; i < 16; i++) out[i] = "0123456789abcdef"[random >> 4 * i & 15];
    for (size_t i = 16; i < length; i++) {
        if (i % 8 == 0) more = keys_mix(more + i);
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
    return keys_mix(i * 2 + 1) & 1;
}

keys_store keys_for(uint64_t keys)
{
    const uint64_t strings = keys / 4 < KEYS_STRINGS_MOST ? keys / 4 : KEYS_STRINGS_MOST;
    const uint64_t words = keys - strings < KEYS_WORDS_MOST ? keys - strings : KEYS_WORDS_MOST;
    return (keys_store){.count = (size_t)words, .string_count = (size_t)strings};
}

uint64_t keys_bytes(const keys_store *store)
{
    return KEYS_SETS * (2 * sizeof(uint64_t) * (uint64_t)(store->count + MEMORY_AHEAD) +
                        (KEYS_LONGEST + sizeof(tamis_span)) * (uint64_t)store->string_count);
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

void keys_make(keys_store *store)
{
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
