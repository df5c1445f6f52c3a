/* test_allocation.c - memory that is refused. Every call that allocates is
 * repeated with its first, second, third .. allocation failing until it
 * succeeds: each failure is TAMIS_E_NOMEM with a sentence, leaves the filter as
 * it was, produces nothing and leaks nothing. Blocks go back with the size they
 * were asked for, and no allocation bypasses the caller's allocator.        */
#include <stdlib.h>
#include <string.h>

#include "support/check.h"
#include "support/doors.h"
#include "support/faulty_heap.h"
#include "support/filter_bytes.h"

static const uint64_t SEED = 8086;

/* One kind of call. `prepare` makes what it needs, with the heap whole; `call`
 * is made with a faulty heap; `finish` frees everything. */
typedef struct trial {
    const spec_row *row;
    faulty_heap heap;
    tamis_spec spec;         /* the row's, on the heap           */
    tamis_open_options open; /* on the heap                      */
    tamis_filter *filter;    /* must be as it was when call fails */
    tamis_filter *other;
    tamis_filter *product;
    filter_bytes bytes; /* of `filter`, before  */
    bytes_heap out;
    key_batch keys;
    uint32_t transport;
} trial;

typedef tamis_status (*trial_call)(trial *);

/* ---- the frame ----------------------------------------------------------- */

static tamis_filter *trial_filter(trial *t, const tamis_spec *spec, size_t keys)
{
    tamis_filter *f = NULL;
    const key_batch part = key_batch_part(&t->keys, 0, keys < t->keys.count ? keys : t->keys.count);
    CHECK_OK(tamis_create(spec, &f));
    add_door_number(6)->add(add_door_number(6), f, &part);
    return f;
}

static void trial_begin(trial *t, const spec_row *row)
{
    memset(t, 0, sizeof *t);
    faulty_heap_init(&t->heap);
    t->row = row;
    t->spec = row->spec;
    t->spec.alloc = &t->heap.alloc;
    t->open = (tamis_open_options){.secret = row->spec.secret, .alloc = &t->heap.alloc};
    t->keys = key_batch_integers(SEED, (size_t)row->keys);
    t->filter = trial_filter(t, &t->spec, (size_t)row->keys);
    CHECK_OK(tamis_set_metadata(t->filter, "some metadata", 13));
    t->bytes = filter_bytes_of(t->filter);
}

static void trial_end(trial *t)
{
    tamis_free(t->product);
    tamis_free(t->filter);
    tamis_free(t->other);
    filter_bytes_free(&t->bytes);
    free(t->out.bytes);
    key_batch_free(&t->keys);
    CHECK(t->heap.blocks == 0 && t->heap.bytes == 0, "%zu blocks, %zu bytes are never freed",
          t->heap.blocks, t->heap.bytes);
    CHECK(t->heap.faults == 0, "%zu faults: wrong size, alignment or a write past the end",
          t->heap.faults);
}

/* Fails allocation 1, 2, .. of the call until the call succeeds. */
static void trial_run(trial *t, trial_call call, const char *what)
{
    enum { PATIENCE = 400 };
    const size_t blocks = t->heap.blocks;
    for (size_t n = 1;; n++) {
        CHECK(n < PATIENCE, "%s never succeeds", what);
        check_about("%s; %s; allocation %zu fails", t->row->why, what, n);
        faulty_heap_fail(&t->heap, n);
        const size_t refused = t->heap.fail_at;
        const tamis_status status = call(t);
        const bool reached = t->heap.calls >= refused;
        faulty_heap_fail(&t->heap, 0);
        if (!reached) {
            CHECK_OK(status);
            return;
        }
        if (status == TAMIS_OK && t->product) { /* it could do without that memory */
            ask_check_quickly(t->product, &t->keys, "in spite of a failure");
            tamis_free(t->product);
            t->product = NULL;
            continue;
        }
        CHECK_STATUS(status, TAMIS_E_NOMEM);
        CHECK(t->product == NULL, "a product of a failure");
        CHECK(t->heap.blocks == blocks, "%zu blocks leak", t->heap.blocks - blocks);
        if (t->filter) filter_check_unchanged(t->filter, &t->bytes, what);
    }
}

static void trial_try(const spec_row *row, trial_call call, const char *what)
{
    trial t;
    check_about("%s; %s", row->why, what);
    trial_begin(&t, row);
    trial_run(&t, call, what);
    trial_end(&t);
}

/* ---- calls --------------------------------------------------------------- */

static tamis_status call_create(trial *t)
{
    return tamis_create(&t->spec, &t->product);
}

static tamis_status call_clone(trial *t)
{
    return tamis_clone(t->filter, &t->product);
}

static tamis_status call_load(trial *t)
{
    return tamis_load(t->bytes.bytes, t->bytes.size, &t->open, &t->product);
}

static tamis_status call_stream(trial *t)
{
    bytes_tap tap = {.bytes = t->bytes.bytes, .size = t->bytes.size, .step = 777};
    return tamis_load_from(bytes_source, &tap, &t->open, &t->product);
}

static tamis_status call_salvage(trial *t)
{
    tamis_open_options salvage = t->open;
    salvage.flags |= TAMIS_OPEN_SALVAGE;
    t->bytes.body[0] ^= 1;
    const tamis_status status = tamis_load(t->bytes.bytes, t->bytes.size, &salvage, &t->product);
    t->bytes.body[0] ^= 1;
    return status;
}

static tamis_status call_view(trial *t)
{
    return tamis_view(t->bytes.bytes, t->bytes.size, &t->open, &t->product);
}

static tamis_status call_lazy_view(trial *t)
{
    tamis_open_options lazy = t->open;
    lazy.flags |= TAMIS_OPEN_LAZY;
    return tamis_view(t->bytes.bytes, t->bytes.size, &lazy, &t->product);
}

static tamis_status call_map(trial *t)
{
    tamis_open_options map = t->open;
    map.flags |= TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY;
    scratch_write(scratch_path("mapped"), t->bytes.bytes, t->bytes.size);
    return tamis_open(scratch_path("mapped"), &map, &t->product);
}

static tamis_status call_open(trial *t)
{
    scratch_write(scratch_path("opened"), t->bytes.bytes, t->bytes.size);
    return tamis_open(scratch_path("opened"), &t->open, &t->product);
}

static tamis_status call_encode_to(trial *t)
{
    const tamis_save_options save = {.transport = t->transport};
    t->out.size = 0;
    return tamis_encode_to(t->filter, &save, bytes_sink, &t->out);
}

static tamis_status call_zstd(trial *t)
{
    t->transport = TAMIS_ZSTD;
    return call_encode_to(t);
}

static tamis_status call_gzip(trial *t)
{
    t->transport = TAMIS_GZIP;
    return call_encode_to(t);
}

static tamis_status call_save(trial *t)
{
    return tamis_save(t->filter, scratch_path("saved"), NULL);
}

static tamis_status call_save_zstd(trial *t)
{
    const tamis_save_options save = {.transport = TAMIS_ZSTD};
    return tamis_save(t->filter, scratch_path("saved"), &save);
}

static tamis_status call_metadata(trial *t)
{
    return tamis_set_metadata(t->filter, "other metadata", 14);
}

/* ---- over every row ------------------------------------------------------ */

static const struct {
    const char *what;
    trial_call call;
    uint32_t transport;
} CALLS[] = {
    {"create", call_create, 0},
    {"clone", call_clone, 0},
    {"load", call_load, 0},
    {"stream", call_stream, 0},
    {"salvage", call_salvage, 0},
    {"view", call_view, 0},
    {"lazy view", call_lazy_view, 0},
    {"map", call_map, 0},
    {"open", call_open, 0},
    {"encode", call_encode_to, 0},
    {"encode with zstd", call_zstd, TAMIS_ZSTD},
    {"encode with gzip", call_gzip, TAMIS_GZIP},
    {"save", call_save, 0},
    {"save with zstd", call_save_zstd, TAMIS_ZSTD},
    {"metadata", call_metadata, 0},
};

static void every_call(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 300, &row); i++)
        for (size_t c = 0; c < COUNT(CALLS); c++)
            if (transport_built(CALLS[c].transport)) trial_try(&row, CALLS[c].call, CALLS[c].what);
}

/* Compressed bytes, read back. */
static tamis_status call_decompress(trial *t)
{
    return tamis_load(t->out.bytes, t->out.size, &t->open, &t->product);
}

static void decompressing(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 300, &row); i++)
        for (uint32_t transport = TAMIS_ZSTD; transport <= TAMIS_GZIP; transport++) {
            trial t;
            if (!transport_built(transport)) continue;
            trial_begin(&t, &row);
            t.transport = transport;
            CHECK_OK(call_encode_to(&t));
            trial_run(&t, call_decompress, transport == TAMIS_ZSTD ? "unzstd" : "gunzip");
            trial_end(&t);
        }
}

/* A failed save leaves the old file and nothing else. */
static void failed_saves_leave_the_old_file(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 300, &row); i++) {
        trial t;
        const char *path = scratch_path("old");
        trial_begin(&t, &row);
        scratch_write(path, "the old file", 12);
        for (size_t n = 1;; n++) {
            faulty_heap_fail(&t.heap, n);
            check_about("%s; save over a file; allocation %zu fails", row.why, n);
            const tamis_status status = tamis_save(t.filter, path, NULL);
            faulty_heap_fail(&t.heap, 0);
            if (status == TAMIS_OK) break;
            size_t size;
            uint8_t *bytes = scratch_read(path, &size);
            CHECK(size == 12 && memcmp(bytes, "the old file", 12) == 0, "the file has changed");
            free(bytes);
        }
        trial_end(&t);
    }
}

/* ---- files with a journal ------------------------------------------------ */

static tamis_status call_file_add(trial *t)
{
    const tamis_keys keys = tamis_keys_u64(t->keys.integers, t->keys.count);
    scratch_write(scratch_path("journal"), t->bytes.bytes, t->bytes.size);
    const tamis_status status = tamis_file_add_many(scratch_path("journal"), &keys, &t->open, NULL);
    size_t size;
    uint8_t *bytes = scratch_read(scratch_path("journal"), &size);
    CHECK(status == TAMIS_OK || (size == t->bytes.size && memcmp(bytes, t->bytes.bytes, size) == 0),
          "a failed call changed the file");
    free(bytes);
    return status;
}

static tamis_status call_open_journal(trial *t)
{
    return tamis_open(scratch_path("journal"), &t->open, &t->product);
}

static tamis_status call_map_journal(trial *t)
{
    tamis_open_options map = t->open;
    map.flags = TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY;
    return tamis_open(scratch_path("journal"), &map, &t->product);
}

/* The filter in the file is empty; all keys are in its journal. */
static void journals(void **state)
{
    (void)state;
    static const trial_call calls[] = {call_file_add, call_open_journal, call_map_journal};
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 300, &row); i++)
        for (size_t c = 0; c < COUNT(calls); c++) {
            trial t;
            trial_begin(&t, &row);
            CHECK_OK(tamis_clear(t.filter));
            filter_bytes_free(&t.bytes);
            t.bytes = filter_bytes_of(t.filter);
            if (c > 0) CHECK_OK(call_file_add(&t));
            trial_run(&t, calls[c], c == 0 ? "append" : c == 1 ? "open with a journal" : "map one");
            if (t.product) ask_check_quickly(t.product, &t.keys, "from the journal");
            trial_end(&t);
        }
}

/* ---- combining ----------------------------------------------------------- */

static tamis_status call_merge(trial *t)
{
    return tamis_merge(t->filter, t->other, NULL);
}

static tamis_status call_intersect(trial *t)
{
    return tamis_intersect(t->filter, t->other);
}

static tamis_status call_fold(trial *t)
{
    return tamis_fold(t->filter, 2);
}

static void combining(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        trial_call call;
        uint32_t can;
        uint64_t other; /* its size in units of 512 bytes */
        uint32_t flags;
    } rows[] = {
        {"fold", call_fold, TAMIS_CAN_FOLD, 0, 0},
        {"merge with a larger one", call_merge, TAMIS_CAN_MERGE, 64, 0},
        {"merge with a smaller one", call_merge, TAMIS_CAN_MERGE, 8, 0},
        {"merge of both folded", call_merge, TAMIS_CAN_MERGE, 24, 0},
        {"strict merge", call_merge, TAMIS_CAN_MERGE, 16, TAMIS_STRICT},
        {"intersect with a larger one", call_intersect, TAMIS_CAN_INTERSECT, 64, 0},
        {"intersect with a smaller one", call_intersect, TAMIS_CAN_INTERSECT, 8, 0},
    };
    uint32_t kinds[64];
    const size_t count = spec_kinds(kinds, COUNT(kinds));
    for (size_t k = 0; k < count; k++)
        for (size_t r = 0; r < COUNT(rows); r++) {
            const uint32_t can = tamis_kind_abilities(kinds[k]);
            const bool same_size = rows[r].other == 0 || rows[r].other == 16;
            if (!(can & rows[r].can) || !(same_size || can & TAMIS_CAN_FOLD)) continue;
            spec_row row = {.why = "sized", .keys = 1000};
            row.spec = (tamis_spec){.kind = kinds[k],
                                    .capacity = 2000,
                                    .memory = 16 * 512,
                                    .hashes = 4,
                                    .lines_per_key = spec_lines(kinds[k], 1),
                                    .flags = rows[r].flags};
            trial t;
            trial_begin(&t, &row);
            tamis_spec other = t.spec;
            other.memory = rows[r].other * 512;
            if (rows[r].other) t.other = trial_filter(&t, &other, 500);
            trial_run(&t, rows[r].call, rows[r].what);
            ask_check_quickly(t.other && rows[r].call == call_intersect ? t.other : t.filter,
                              &(key_batch){.count = 500, .spans = t.keys.spans}, "kept");
            trial_end(&t);
        }
}

/* ---- adding -------------------------------------------------------------- */

/* One key that needs a new layer. */
static void growth_one_by_one(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 2000, &row); i++) {
        if (!row.grows) continue;
        trial t;
        memset(&t, 0, sizeof t);
        faulty_heap_init(&t.heap);
        t.spec = row.spec;
        t.spec.alloc = &t.heap.alloc;
        tamis_filter *f = NULL;
        CHECK_OK(tamis_create(&t.spec, &f));
        uint64_t failures = 0;
        for (uint64_t key = 0; key < row.keys; key++) {
            tamis_status status;
            size_t n = 1;
            do {
                const bool knew = tamis_may_contain_u64(f, key);
                bool was_new = knew;
                faulty_heap_fail(&t.heap, n);
                const size_t refused = t.heap.fail_at;
                status = tamis_add_new_u64(f, key, &was_new);
                const bool reached = t.heap.calls >= refused;
                faulty_heap_fail(&t.heap, 0);
                check_about("%s; key %" PRIu64 ", allocation %zu fails", row.why, key, n);
                CHECK(status == (reached ? TAMIS_E_NOMEM : TAMIS_OK), "status %d", (int)status);
                CHECK(!reached || was_new == knew, "was_new was written on error");
                CHECK(tamis_may_contain_u64(f, key) == (knew || status == TAMIS_OK),
                      "a key that failed is there, or one that did not is not");
                failures += reached;
                n++;
            } while (status != TAMIS_OK);
        }
        for (uint64_t key = 0; key < row.keys; key++)
            CHECK(tamis_may_contain_u64(f, key), "key %" PRIu64 " is lost", key);
        CHECK(failures > 0 || tamis_layer_view(f, 1) == NULL, "growth took no memory");
        tamis_free(f);
        CHECK(t.heap.blocks == 0 && t.heap.faults == 0, "leaks or faults");
    }
}

/* A batch stops where a layer cannot be had; the rest can follow later. */
static void growth_in_a_batch(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_number(i, 2000, &row); i++) {
        if (!row.grows) continue;
        for (unsigned way = 0; way < 3; way++) {
            faulty_heap heap;
            faulty_heap_init(&heap);
            tamis_spec spec = row.spec;
            spec.alloc = &heap.alloc;
            tamis_filter *f = NULL, *expected = spec_row_make(&row);
            key_batch keys = key_batch_integers(SEED, (size_t)row.keys);
            bool *was_new = calloc(keys.count, sizeof *was_new);
            add_door_number(0)->add(add_door_number(0), expected, &keys);
            CHECK_OK(tamis_create(&spec, &f));
            size_t done = 0;
            for (unsigned round = 0; done < keys.count; round++) {
                const key_batch rest = key_batch_part(&keys, done, keys.count - done);
                const tamis_keys batch = key_batch_as(&rest, TAMIS_LAYOUT_SPANS, NULL);
                size_t added = 0;
                check_about("%s; way %u, from key %zu", row.why, way, done);
                faulty_heap_fail(&heap, 1 + round % 4);
                const tamis_status status =
                    way == 0   ? tamis_add_many(f, &batch, &added)
                    : way == 1 ? tamis_add_new_many(f, &batch, was_new + done, &added)
                               : tamis_add_many_parallel(f, &batch, 1, &added);
                faulty_heap_fail(&heap, 0);
                CHECK(status == TAMIS_OK || status == TAMIS_E_NOMEM, "status %d", (int)status);
                CHECK(status != TAMIS_OK || added == rest.count, "%zu of %zu", added, rest.count);
                const key_batch taken = key_batch_part(&keys, 0, done + added);
                ask_check_quickly(f, &taken, "taken");
                done += added;
                CHECK(round < 200 * row.parts, "no progress");
            }
            filters_check_same(f, expected, "in spite of failures, and without");
            tamis_free(f);
            CHECK(heap.blocks == 0 && heap.faults == 0, "leaks or faults");
            tamis_free(expected);
            free(was_new);
            key_batch_free(&keys);
        }
    }
}

/* ---- in a buffer --------------------------------------------------------- */

static void in_a_buffer(void **state)
{
    (void)state;
    spec_row row;
    for (size_t i = 0; spec_row_plain(i, 300, &row); i++) {
        if (row.grows || row.parts > 1) continue;
        faulty_heap heap;
        faulty_heap_init(&heap);
        row.spec.alloc = &heap.alloc;
        uint64_t size = 0;
        CHECK_OK(tamis_create_in_size(&row.spec, &size));
        uint8_t *buffer = malloc((size_t)size);
        tamis_filter *f = NULL;
        for (size_t n = 1; !f; n++) {
            check_about("%s; create_in, allocation %zu fails", row.why, n);
            faulty_heap_fail(&heap, n);
            const tamis_status status = tamis_create_in(&row.spec, buffer, (size_t)size, &f);
            CHECK(status == (f ? TAMIS_OK : TAMIS_E_NOMEM), "status %d", (int)status);
            CHECK(f || heap.blocks == 0, "%zu blocks leak", heap.blocks);
        }
        CHECK_OK(tamis_add_u64(f, 1));
        tamis_status status = TAMIS_E_NOMEM;
        for (size_t n = 1; status != TAMIS_OK; n++) {
            check_about("%s; seal, allocation %zu fails", row.why, n);
            faulty_heap_fail(&heap, n);
            status = tamis_seal(f);
            CHECK(status == TAMIS_OK || status == TAMIS_E_NOMEM, "status %d", (int)status);
        }
        faulty_heap_fail(&heap, 0);
        tamis_filter *view = NULL;
        CHECK_OK(tamis_view(buffer, (size_t)size, NULL, &view));
        CHECK(tamis_may_contain_u64(view, 1), "lost");
        tamis_free(view);
        tamis_free(f);
        CHECK(heap.blocks == 0 && heap.faults == 0, "leaks or faults");
        free(buffer);
    }
}

/* ---- all of it ----------------------------------------------------------- */

/* The promised bounds: 2 MiB to write, one copy and a little to read. */
static void memory_is_bounded(void **state)
{
    (void)state;
    const tamis_spec spec = {.kind = TAMIS_KIND_BLOCKED, .capacity = 8000000, .fpr = 0.01};
    faulty_heap heap;
    faulty_heap_init(&heap);
    tamis_spec own = spec;
    own.alloc = &heap.alloc;
    tamis_filter *f = NULL, *g = NULL;
    check_about("ten million bytes");
    CHECK_OK(tamis_create(&own, &f));
    const size_t held = heap.bytes;
    for (uint32_t transport = TAMIS_PLAIN; transport <= TAMIS_GZIP; transport++) {
        if (!transport_built(transport)) continue;
        const tamis_save_options save = {.transport = transport};
        bytes_heap out = {0};
        heap.peak = heap.bytes;
        CHECK_OK(tamis_encode_to(f, &save, bytes_sink, &out));
        CHECK(out.largest <= 1 << 20, "a piece of %zu bytes", out.largest);
        print_message("transport %u: %zu KiB to write\n", transport, (heap.peak - held) >> 10);
        CHECK(heap.peak - held <= 2 << 20, "%zu bytes to write", heap.peak - held);
        bytes_tap tap = {.bytes = out.bytes, .size = out.size};
        const tamis_open_options open = {.alloc = &heap.alloc};
        heap.peak = heap.bytes;
        CHECK_OK(tamis_load_from(bytes_source, &tap, &open, &g));
        print_message("transport %u: %zu KiB to read, beside the filter\n", transport,
                      (heap.peak - 2 * held) >> 10);
        tamis_free(g);
        free(out.bytes);
    }
    tamis_free(f);
}

/* ---- allocators of the caller's ------------------------------------------ */

/* An arena, which is given back as a whole. */
typedef struct arena {
    uint8_t *memory;
    size_t used, size;
} arena;

static void *arena_alloc(void *ctx, size_t size, size_t align)
{
    arena *a = ctx;
    a->used = (a->used + align - 1) / align * align;
    if (a->used + size > a->size) return NULL;
    a->used += size;
    return a->memory + a->used - size;
}

static bool arena_holds(const arena *a, const void *bytes, size_t size)
{
    for (size_t at = 0; at + size <= a->used; at++)
        if (memcmp(a->memory + at, bytes, size) == 0) return true;
    return false;
}

/* It needs no `free`; and what is left in it is no secret. */
static void arenas(void **state)
{
    (void)state;
    arena a = {.memory = aligned_alloc(64, 1 << 20), .size = 1 << 20};
    const tamis_alloc alloc = {.ctx = &a, .alloc = arena_alloc};
    const bool keyed = tamis_hash_available(TAMIS_HASH_SIPHASH);
    const tamis_spec spec = {.capacity = 1000,
                             .fpr = 0.01,
                             .alloc = &alloc,
                             .growth = TAMIS_GROWTH_SCALE,
                             .secret = keyed ? SPEC_SECRET : NULL};
    tamis_filter *f = NULL, *g = NULL;
    check_about("a filter in an arena");
    CHECK_OK(tamis_create(&spec, &f));
    for (uint64_t key = 0; key < 5000; key++) CHECK_OK(tamis_add_u64(f, key));
    CHECK_OK(tamis_clone(f, &g));
    CHECK(!keyed || arena_holds(&a, SPEC_SECRET, 16), "the secret lies elsewhere");
    tamis_free(f);
    tamis_free(g);
    CHECK(!arena_holds(&a, SPEC_SECRET, 16), "the secret is left behind");
    free(a.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call),
        cmocka_unit_test(decompressing),
        cmocka_unit_test(failed_saves_leave_the_old_file),
        cmocka_unit_test(journals),
        cmocka_unit_test(combining),
        cmocka_unit_test(growth_one_by_one),
        cmocka_unit_test(growth_in_a_batch),
        cmocka_unit_test(in_a_buffer),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(arenas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
