/* doors.c - see doors.h.                                                    */
#include "support/doors.h"

#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/filter_bytes.h"

/* ---- in ----------------------------------------------------------------- */

static void add_single(const add_door *door, tamis_filter *f, const key_batch *keys)
{
    (void)door;
    for (size_t i = 0; i < keys->count; i++)
        CHECK_OK(tamis_add(f, keys->spans[i].data, keys->spans[i].size));
}

static void add_single_new(const add_door *door, tamis_filter *f, const key_batch *keys)
{
    (void)door;
    for (size_t i = 0; i < keys->count; i++) {
        bool was_new;
        CHECK_OK(tamis_add_new(f, keys->spans[i].data, keys->spans[i].size, &was_new));
    }
}

static void add_u64(const add_door *door, tamis_filter *f, const key_batch *keys)
{
    (void)door;
    for (size_t i = 0; i < keys->count; i++) CHECK_OK(tamis_add_u64(f, keys->integers[i]));
}

static void add_new_u64(const add_door *door, tamis_filter *f, const key_batch *keys)
{
    (void)door;
    for (size_t i = 0; i < keys->count; i++) {
        bool was_new;
        CHECK_OK(tamis_add_new_u64(f, keys->integers[i], &was_new));
    }
}

static void add_digest(const add_door *door, tamis_filter *f, const key_batch *keys)
{
    (void)door;
    for (size_t i = 0; i < keys->count; i++)
        CHECK_OK(tamis_add_hash(f, tamis_hash(f, keys->spans[i].data, keys->spans[i].size)));
}

static void add_new_digest(const add_door *door, tamis_filter *f, const key_batch *keys)
{
    (void)door;
    for (size_t i = 0; i < keys->count; i++) {
        bool was_new;
        const uint64_t digest = tamis_hash(f, keys->spans[i].data, keys->spans[i].size);
        CHECK_OK(tamis_add_new_hash(f, digest, &was_new));
    }
}

static void add_many(const add_door *door, tamis_filter *f, const key_batch *keys)
{
    uint64_t *digests = key_batch_digests(keys, f);
    const tamis_keys batch = key_batch_as(keys, door->layout, digests);
    size_t added = 0;
    CHECK_OK(tamis_add_many(f, &batch, &added));
    CHECK(added == keys->count, "%zu of %zu keys were added", added, keys->count);
    free(digests);
}

static void add_new_many(const add_door *door, tamis_filter *f, const key_batch *keys)
{
    uint64_t *digests = key_batch_digests(keys, f);
    bool *was_new = calloc(keys->count + 1, sizeof *was_new);
    const tamis_keys batch = key_batch_as(keys, door->layout, digests);
    size_t added = 0;
    CHECK_OK(tamis_add_new_many(f, &batch, was_new, &added));
    CHECK(added == keys->count, "%zu of %zu keys were added", added, keys->count);
    free(was_new);
    free(digests);
}

static void add_parallel(const add_door *door, tamis_filter *f, const key_batch *keys)
{
    uint64_t *digests = key_batch_digests(keys, f);
    const tamis_keys batch = key_batch_as(keys, door->layout, digests);
    size_t added = 0;
    CHECK_OK(tamis_add_many_parallel(f, &batch, door->threads, &added));
    CHECK(added == keys->count, "%zu of %zu keys were added", added, keys->count);
    free(digests);
}

static const add_door ADD_DOORS[] = {
    {"one by one", TAMIS_LAYOUT_SPANS, 0, add_single},
    {"one by one, add_new", TAMIS_LAYOUT_SPANS, 0, add_single_new},
    {"one by one, u64", TAMIS_LAYOUT_U64, 0, add_u64},
    {"one by one, add_new u64", TAMIS_LAYOUT_U64, 0, add_new_u64},
    {"one by one, digests", TAMIS_LAYOUT_DIGESTS, 0, add_digest},
    {"one by one, add_new digests", TAMIS_LAYOUT_DIGESTS, 0, add_new_digest},
    {"many spans", TAMIS_LAYOUT_SPANS, 0, add_many},
    {"many u64", TAMIS_LAYOUT_U64, 0, add_many},
    {"many rows", TAMIS_LAYOUT_ROWS, 0, add_many},
    {"many offsets32", TAMIS_LAYOUT_OFFSETS32, 0, add_many},
    {"many offsets64", TAMIS_LAYOUT_OFFSETS64, 0, add_many},
    {"many digests", TAMIS_LAYOUT_DIGESTS, 0, add_many},
    {"many new spans", TAMIS_LAYOUT_SPANS, 0, add_new_many},
    {"many new digests", TAMIS_LAYOUT_DIGESTS, 0, add_new_many},
    {"parallel, 1 thread", TAMIS_LAYOUT_SPANS, 1, add_parallel},
    {"parallel, 2 threads", TAMIS_LAYOUT_OFFSETS64, 2, add_parallel},
    {"parallel, 3 threads", TAMIS_LAYOUT_U64, 3, add_parallel},
    {"parallel, 7 threads", TAMIS_LAYOUT_DIGESTS, 7, add_parallel},
    {"parallel, all processors", TAMIS_LAYOUT_ROWS, 0, add_parallel},
};

const add_door *add_door_number(size_t index)
{
    return index < COUNT(ADD_DOORS) ? &ADD_DOORS[index] : NULL;
}

/* ---- asking ------------------------------------------------------------- */

static void ask_single(const tamis_filter *f, const key_batch *keys, const char *what)
{
    for (size_t i = 0; i < keys->count; i++) {
        const tamis_span key = keys->spans[i];
        CHECK(tamis_may_contain(f, key.data, key.size), "%s: key %zu is lost", what, i);
        CHECK(tamis_may_contain_hash(f, tamis_hash(f, key.data, key.size)),
              "%s: digest %zu is lost", what, i);
    }
    for (size_t i = 0; keys->integers && i < keys->count; i++)
        CHECK(tamis_may_contain_u64(f, keys->integers[i]), "%s: integer %zu is lost", what, i);
}

static void ask_many(const tamis_filter *f, const key_batch *keys, tamis_layout layout,
                     const uint64_t *digests, const char *what)
{
    bool *answers = calloc(keys->count + 1, sizeof *answers);
    const tamis_keys batch = key_batch_as(keys, layout, digests);
    const size_t hits = tamis_may_contain_many(f, &batch, answers);
    for (size_t i = 0; i < keys->count; i++)
        CHECK(answers[i], "%s: key %zu is lost to a batch of %s", what, i, key_layout_name(layout));
    CHECK(hits == keys->count, "%s: %zu hits of %zu, %s", what, hits, keys->count,
          key_layout_name(layout));
    CHECK(tamis_may_contain_many(f, &batch, NULL) == hits, "%s: answers change the count", what);
    free(answers);
}

void ask_check_all(const tamis_filter *f, const key_batch *keys, const char *what)
{
    uint64_t *digests = key_batch_digests(keys, f);
    ask_single(f, keys, what);
    for (tamis_layout layout = TAMIS_LAYOUT_SPANS; layout <= TAMIS_LAYOUT_DIGESTS; layout++)
        if (key_batch_has(keys, layout)) ask_many(f, keys, layout, digests, what);
    free(digests);
}

void ask_check_quickly(const tamis_filter *f, const key_batch *keys, const char *what)
{
    const tamis_keys batch = key_batch_as(keys, TAMIS_LAYOUT_SPANS, NULL);
    const size_t hits = tamis_may_contain_many(f, &batch, NULL);
    CHECK(hits == keys->count, "%s: %zu of %zu keys are lost", what, keys->count - hits,
          keys->count);
}

void ask_check_agree(const tamis_filter *a, const tamis_filter *b, const key_batch *keys,
                     const char *what)
{
    bool *one = calloc(keys->count + 1, sizeof *one), *two = calloc(keys->count + 1, sizeof *two);
    const tamis_keys batch = key_batch_as(keys, TAMIS_LAYOUT_SPANS, NULL);
    tamis_may_contain_many(a, &batch, one);
    tamis_may_contain_many(b, &batch, two);
    for (size_t i = 0; i < keys->count; i++)
        CHECK(one[i] == two[i], "%s: key %zu gets %d and %d", what, i, one[i], two[i]);
    free(one);
    free(two);
}

/* ---- travel ------------------------------------------------------------- */

static tamis_open_options journey_options(const journey *j, const luggage *l)
{
    return (tamis_open_options){.flags = j->flags, .secret = l->secret};
}

static tamis_filter *go_by_file(const journey *j, const tamis_filter *f, luggage *l)
{
    const char *path = scratch_path("journey");
    const tamis_save_options save = {.transport = j->transport};
    const tamis_open_options open = journey_options(j, l);
    tamis_filter *arrived = NULL;
    CHECK_OK(tamis_save(f, path, &save));
    CHECK_OK(tamis_open(path, &open, &arrived));
    return arrived;
}

static tamis_filter *go_by_load(const journey *j, const tamis_filter *f, luggage *l)
{
    const tamis_save_options save = {.transport = j->transport};
    const tamis_open_options open = journey_options(j, l);
    bytes_heap heap = {0};
    tamis_filter *arrived = NULL;
    CHECK_OK(tamis_encode_to(f, &save, bytes_sink, &heap));
    CHECK(heap.largest <= 1 << 20, "a piece of %zu bytes", heap.largest);
    CHECK_OK(tamis_load(heap.bytes, heap.size, &open, &arrived));
    free(heap.bytes);
    return arrived;
}

static tamis_filter *go_by_stream(const journey *j, const tamis_filter *f, luggage *l)
{
    const tamis_save_options save = {.transport = j->transport};
    const tamis_open_options open = journey_options(j, l);
    bytes_heap heap = {0};
    tamis_filter *arrived = NULL;
    CHECK_OK(tamis_encode_to(f, &save, bytes_sink, &heap));
    bytes_tap tap = {.bytes = heap.bytes, .size = heap.size, .step = 1013};
    CHECK_OK(tamis_load_from(bytes_source, &tap, &open, &arrived));
    CHECK(tap.size == 0, "%zu bytes were left in the stream", tap.size);
    free(heap.bytes);
    return arrived;
}

static tamis_filter *go_by_view(const journey *j, const tamis_filter *f, luggage *l)
{
    const tamis_open_options open = journey_options(j, l);
    const size_t size = (size_t)tamis_encoded_size(f);
    tamis_filter *arrived = NULL;
    l->bytes = aligned_alloc(64, (size + j->offset + 63) / 64 * 64);
    CHECK_OK(tamis_encode(f, l->bytes + j->offset, size));
    CHECK_OK(tamis_view(l->bytes + j->offset, size, &open, &arrived));
    return arrived;
}

static tamis_filter *go_by_clone(const journey *j, const tamis_filter *f, luggage *l)
{
    tamis_filter *arrived = NULL;
    (void)j;
    (void)l;
    CHECK_OK(tamis_clone(f, &arrived));
    return arrived;
}

static const journey JOURNEYS[] = {
    {.why = "saved and opened", .exact = true, .go = go_by_file},
    {.why = "saved and mapped", .flags = TAMIS_OPEN_MAP, .exact = true, .go = go_by_file},
    {.why = "saved and mapped warm",
     .flags = TAMIS_OPEN_MAP | TAMIS_OPEN_WARM,
     .exact = true,
     .go = go_by_file},
    {.why = "saved and mapped lazily",
     .flags = TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY,
     .exact = true,
     .go = go_by_file},
    {.why = "saved and mapped to salvage",
     .flags = TAMIS_OPEN_MAP | TAMIS_OPEN_SALVAGE,
     .exact = true,
     .go = go_by_file},
    {.why = "saved with zstd", .transport = TAMIS_ZSTD, .exact = true, .go = go_by_file},
    {.why = "saved with gzip", .transport = TAMIS_GZIP, .exact = true, .go = go_by_file},
    {.why = "loaded", .exact = true, .go = go_by_load},
    {.why = "loaded to salvage", .flags = TAMIS_OPEN_SALVAGE, .exact = true, .go = go_by_load},
    {.why = "loaded from zstd", .transport = TAMIS_ZSTD, .exact = true, .go = go_by_load},
    {.why = "loaded from gzip", .transport = TAMIS_GZIP, .exact = true, .go = go_by_load},
    {.why = "streamed", .exact = true, .go = go_by_stream},
    {.why = "streamed in zstd", .transport = TAMIS_ZSTD, .exact = true, .go = go_by_stream},
    {.why = "streamed in gzip", .transport = TAMIS_GZIP, .exact = true, .go = go_by_stream},
    {.why = "viewed", .exact = true, .go = go_by_view},
    {.why = "viewed lazily", .flags = TAMIS_OPEN_LAZY, .exact = true, .go = go_by_view},
    {.why = "viewed at an odd address", .offset = 13, .exact = true, .go = go_by_view},
    {.why = "cloned", .exact = true, .go = go_by_clone},
};

bool transport_built(uint32_t transport)
{
#if defined(TMS_HAVE_ZSTD)
    if (transport == TAMIS_ZSTD) return true;
#endif
#if defined(TMS_HAVE_ZLIB)
    if (transport == TAMIS_GZIP) return true;
#endif
    return transport == TAMIS_PLAIN;
}

const journey *journey_number(size_t index)
{
    for (size_t i = 0; i < COUNT(JOURNEYS); i++)
        if (transport_built(JOURNEYS[i].transport) && index-- == 0) return &JOURNEYS[i];
    return NULL;
}

void journey_end(tamis_filter *arrived, luggage *l)
{
    tamis_free(arrived);
    free(l->bytes);
    l->bytes = NULL;
}
