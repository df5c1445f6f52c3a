/* test_redisbloom_rules.c - what redisbloom.h promises beyond the servers' bytes:
 * sizes, limits, refusals that change nothing, memory from a host, compaction in
 * slices, old and broken values, and that the ordinary doors work.          */
#include <math.h>

#include "redisbloom_fields.h"
#include "redisbloom_golden.h"

/* ---- a host that counts ------------------------------------------------- */

typedef struct test_host {
    tamis_redisbloom_host host;
    size_t calls, fail_at, blocks;
    uint64_t bytes, peak;
} test_host;

static void *host_zeroed(void *ctx, size_t size)
{
    test_host *h = ctx;
    if (++h->calls == h->fail_at) return NULL;
    void *memory = calloc(1, size ? size : 1);
    h->blocks++;
    h->bytes += size;
    if (h->bytes > h->peak) h->peak = h->bytes;
    return memory;
}

static void host_free(void *ctx, void *memory, size_t size)
{
    test_host *h = ctx;
    h->blocks--;
    h->bytes -= size;
    free(memory);
}

static void host_init(test_host *h)
{
    memset(h, 0, sizeof *h);
    h->host = (tamis_redisbloom_host){.ctx = h, .zeroed = host_zeroed, .free = host_free};
}

static tamis_filter *grown(const tamis_redisbloom_host *host, uint32_t kind, uint32_t keys)
{
    const tamis_redisbloom_bloom bloom = {.error_rate = 0.01, .capacity = 10, .expansion = 2};
    const tamis_redisbloom_cuckoo cuckoo = {
        .capacity = 32, .bucket_size = 2, .max_iterations = 20, .expansion = 2};
    tamis_filter *f = NULL;
    if (kind == TAMIS_KIND_REDISBLOOM)
        CHECK_OK(tamis_redisbloom_create_bloom(&bloom, host, &f));
    else
        CHECK_OK(tamis_redisbloom_create_cuckoo(&cuckoo, host, &f));
    for (uint32_t i = 0; i < keys; i++) {
        golden_key key = golden_name("k", i);
        CHECK_OK(tamis_add(f, key.text, key.size));
    }
    return f;
}

static const uint32_t both_kinds[] = {TAMIS_KIND_REDISBLOOM, TAMIS_KIND_REDISBLOOM_CUCKOO};

/* ---- sizes and refusals ------------------------------------------------- */

static void sizes_are_the_peers(void **state)
{
    (void)state;
    static const struct {
        tamis_redisbloom_bloom spec;
        uint64_t bytes;
        const char *why;
    } rows[] = {
        {{.error_rate = 0.01, .capacity = 100, .expansion = 2}, 240 - 96, "the default filter"},
        {{.error_rate = 0.001, .capacity = 100, .expansion = 2}, 296 - 96, "a tighter one"},
        {{.error_rate = 1e-6, .capacity = 300000000, .expansion = 2},
         1132420232 - 96,
         "a gigabyte"},
        {{.error_rate = 0.01, .capacity = 1000000, .expansion = 2}, 1378568 - 96, "a million"},
        {{.error_rate = 0.01, .capacity = 1000000, .expansion = 2, .nonscaling = true},
         1198232 - 96,
         "not halved when it does not scale"},
        {{.error_rate = 0.9, .capacity = 1, .expansion = 2, .nonscaling = true}, 8, "0.25 at most"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t bytes = 0;
        check_about("%s", rows[i].why);
        CHECK_OK(tamis_redisbloom_bloom_bytes(&rows[i].spec, &bytes));
        CHECK(bytes == rows[i].bytes, "%" PRIu64 " bytes", bytes);
    }
}

static void absurd_requests_are_refused_unallocated(void **state)
{
    (void)state;
    static const struct {
        tamis_redisbloom_bloom spec;
        tamis_status status;
        const char *why;
    } rows[] = {
        {{.error_rate = 0, .capacity = 1, .expansion = 2}, TAMIS_E_SPEC, "no rate"},
        {{.error_rate = 1, .capacity = 1, .expansion = 2}, TAMIS_E_SPEC, "a rate of one"},
        {{.error_rate = NAN, .capacity = 1, .expansion = 2}, TAMIS_E_SPEC, "no number"},
        {{.error_rate = 0.1, .capacity = 0, .expansion = 2}, TAMIS_E_SPEC, "no keys"},
        {{.error_rate = 0.1, .capacity = 1, .expansion = 2, .options = 16},
         TAMIS_E_SPEC,
         "options"},
        {{.error_rate = 0.1, .capacity = 1, .expansion = 2, .reserved = {1}},
         TAMIS_E_SPEC,
         "field"},
        {{.error_rate = 0.1, .capacity = UINT64_MAX, .expansion = 2}, TAMIS_E_LIMIT, "2^64 keys"},
        {{.error_rate = 0.1, .capacity = 1u << 30, .expansion = 2}, TAMIS_E_LIMIT, "above the cap"},
    };
    test_host h;
    host_init(&h);
    h.host.memory = 1 << 20;
    for (size_t i = 0; i < COUNT(rows); i++) {
        tamis_filter *f = NULL;
        check_about("%s", rows[i].why);
        CHECK_STATUS(tamis_redisbloom_create_bloom(&rows[i].spec, &h.host, &f), rows[i].status);
        CHECK(f == NULL && h.blocks == 0 && h.peak < 1 << 16, "%" PRIu64 " bytes", h.peak);
    }
    const tamis_redisbloom_cuckoo huge = {
        .capacity = UINT64_C(1) << 40, .bucket_size = 2, .max_iterations = 20, .expansion = 1};
    tamis_filter *f = NULL;
    CHECK_STATUS(tamis_redisbloom_create_cuckoo(&huge, &h.host, &f), TAMIS_E_LIMIT);
    CHECK(h.peak < 1 << 16, "nothing was asked for");
}

static void growth_stops_at_the_cap_and_goes_on_below(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(both_kinds); k++) {
        test_host h;
        host_init(&h);
        tamis_filter *f = grown(&h.host, both_kinds[k], 0);
        h.host.memory = 200;
        tamis_status status = TAMIS_OK;
        uint32_t added = 0;
        uint64_t digest = 0;
        while (status == TAMIS_OK && added < 10000) {
            golden_key key = golden_name("k", added++);
            digest = tamis_redisbloom_digest(f);
            status = tamis_add(f, key.text, key.size);
        }
        CHECK(status == TAMIS_E_LIMIT, "status %d after %u keys", status, added);
        CHECK(digest == tamis_redisbloom_digest(f), "the refusal changed something");
        h.host.memory = 0;
        golden_key key = golden_name("k", added - 1);
        CHECK_OK(tamis_add(f, key.text, key.size));
        h.host.max_filters = 1;
        golden_key one = golden_name("z", 1);
        const tamis_span span = {one.text, one.size};
        const tamis_keys keys = tamis_keys_spans(&span, 1);
        int8_t result = 9;
        CHECK_OK(tamis_redisbloom_add_each(f, &keys, true, &result, NULL));
        tamis_free(f);
        CHECK(h.blocks == 0 && h.bytes == 0, "%zu blocks are left", h.blocks);
    }
}

/* Every single refusal of memory: a status, the filter as it was, no block lost. */
static void refused_memory_changes_nothing(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(both_kinds); k++)
        for (size_t fail = 1; fail < 40; fail++) {
            test_host h;
            tamis_filter *f = NULL, *copy = NULL;
            host_init(&h);
            check_about("kind %u, call %zu", both_kinds[k], fail);
            h.fail_at = fail;
            const tamis_redisbloom_bloom bloom = {
                .error_rate = 0.01, .capacity = 3, .expansion = 1};
            const tamis_redisbloom_cuckoo cuckoo = {
                .capacity = 4, .bucket_size = 1, .max_iterations = 3, .expansion = 1};
            tamis_status status = k == 0 ? tamis_redisbloom_create_bloom(&bloom, &h.host, &f)
                                         : tamis_redisbloom_create_cuckoo(&cuckoo, &h.host, &f);
            CHECK(status == (f ? TAMIS_OK : TAMIS_E_NOMEM), "status %d", status);
            for (uint32_t i = 0; f && i < 60; i++) {
                golden_key key = golden_name("k", i);
                uint64_t before = tamis_redisbloom_digest(f);
                status = tamis_add(f, key.text, key.size);
                if (status == TAMIS_OK) continue;
                CHECK(status == TAMIS_E_NOMEM, "status %d", status);
                CHECK(before == tamis_redisbloom_digest(f), "something changed");
                CHECK_OK(tamis_add(f, key.text, key.size));
            }
            if (f) {
                h.fail_at = h.calls + 2;
                CHECK_STATUS(tamis_clone(f, &copy), TAMIS_E_NOMEM);
            }
            tamis_free(f);
            CHECK(h.blocks == 0 && h.bytes == 0, "%zu blocks are left", h.blocks);
        }
}

/* ---- batches out of the near caches, and old chains ----------------------- */

/* Layers above 1 MiB are asked in sweeps that fetch; old ones mask instead of
 * dividing. The answers must be those of single questions. */
static void large_and_old_layers_answer_alike(void **state)
{
    (void)state;
    static const struct {
        tamis_redisbloom_bloom spec;
        const char *why;
    } rows[] = {
        {{.error_rate = 0.001, .capacity = 1000000, .expansion = 2}, "fetched"},
        {{.error_rate = 1e-30, .capacity = 100000, .expansion = 2}, "more bits than a sweep"},
        {{.error_rate = 1e-300, .capacity = 200, .expansion = 1}, "hundreds of hashes"},
        {{.error_rate = 0.01, .capacity = 200000, .expansion = 2, .options = 4}, "power of two"},
        {{.error_rate = 0.01, .capacity = 1000, .expansion = 4, .options = 8}, "32-bit hash"},
        {{.error_rate = 0.01, .capacity = 500, .expansion = 4, .options = 1}, "32 bits, divided"},
    };
    enum { KEYS = 3000 };
    static golden_key names[2 * KEYS];
    static tamis_span spans[2 * KEYS];
    static bool answers[2 * KEYS];
    static int8_t results[2 * KEYS];
    for (uint32_t i = 0; i < 2 * KEYS; i++) {
        names[i] = golden_name("k", i);
        spans[i] = (tamis_span){names[i].text, names[i].size};
    }
    for (size_t r = 0; r < COUNT(rows); r++) {
        tamis_filter *one = NULL, *many = NULL;
        check_about("%s", rows[r].why);
        CHECK_OK(tamis_redisbloom_create_bloom(&rows[r].spec, NULL, &one));
        CHECK_OK(tamis_redisbloom_create_bloom(&rows[r].spec, NULL, &many));
        const tamis_keys half = tamis_keys_spans(spans, KEYS);
        const tamis_keys all = tamis_keys_spans(spans, 2 * KEYS);
        CHECK_OK(tamis_redisbloom_add_each(many, &half, false, results, NULL));
        for (uint32_t i = 0; i < KEYS; i++) {
            bool fresh = false;
            tamis_status status = tamis_add_new(one, names[i].text, names[i].size, &fresh);
            CHECK(results[i] == (status == TAMIS_OK ? fresh : -1), "key %u", i);
        }
        CHECK(tamis_redisbloom_digest(one) == tamis_redisbloom_digest(many), "bytes");
        (void)tamis_may_contain_many(many, &all, answers);
        for (uint32_t i = 0; i < 2 * KEYS; i++) {
            CHECK(answers[i] == tamis_may_contain(one, names[i].text, names[i].size), "key %u", i);
            CHECK(i >= KEYS || answers[i] || results[i] < 0, "key %u is lost", i);
        }
        tamis_free(one);
        tamis_free(many);
    }
}

/* ---- compaction --------------------------------------------------------- */

static void remove_keys(tamis_filter *f, uint32_t from, uint32_t to, uint64_t slice)
{
    for (uint32_t i = from; i < to; i++) {
        golden_key key = golden_name("k", i);
        bool pending = true;
        CHECK_OK(tamis_remove(f, key.text, key.size));
        while (slice && pending) {
            CHECK(tamis_may_contain(f, "k599", 4), "a wrong no in the middle");
            CHECK_OK(tamis_redisbloom_compact_some(f, slice, &pending));
        }
    }
}

static void compaction_in_slices_gives_the_same_bytes(void **state)
{
    (void)state;
    static const uint64_t slices[] = {1, 2, 3, 7, 64, 1000, UINT64_MAX};
    for (size_t s = 0; s < COUNT(slices); s++) {
        test_host h;
        host_init(&h);
        h.host.compact_later = true;
        tamis_filter *whole = grown(NULL, TAMIS_KIND_REDISBLOOM_CUCKOO, 600);
        tamis_filter *parts = grown(&h.host, TAMIS_KIND_REDISBLOOM_CUCKOO, 600);
        tamis_filter *idle = grown(&h.host, TAMIS_KIND_REDISBLOOM_CUCKOO, 600);
        check_about("slices of %" PRIu64, slices[s]);
        remove_keys(whole, 0, 400, 0);
        remove_keys(parts, 0, 400, slices[s]);
        remove_keys(idle, 0, 400, 0); /* each removal finishes what the last one left */
        bool pending = true;
        while (pending) CHECK_OK(tamis_redisbloom_compact_some(idle, 1, &pending));
        CHECK(tamis_redisbloom_digest(whole) == tamis_redisbloom_digest(parts), "slices");
        CHECK(tamis_redisbloom_digest(whole) == tamis_redisbloom_digest(idle), "left pending");
        CHECK_OK(tamis_redisbloom_compact_begin(whole));
        CHECK_OK(tamis_redisbloom_compact_begin(parts));
        CHECK_OK(tamis_redisbloom_compact_some(whole, UINT64_MAX, &pending));
        for (pending = true; pending;)
            CHECK_OK(tamis_redisbloom_compact_some(parts, slices[s], &pending));
        CHECK(tamis_redisbloom_digest(whole) == tamis_redisbloom_digest(parts), "CF.COMPACT");
        tamis_free(whole);
        tamis_free(parts);
        tamis_free(idle);
        CHECK(h.blocks == 0, "%zu blocks are left", h.blocks);
    }
}

/* ---- chunks ------------------------------------------------------------- */

static void chunks_out_of_place_are_refused(void **state)
{
    (void)state;
    tamis_filter *f = grown(NULL, TAMIS_KIND_REDISBLOOM, 25); /* arrays of 16 and 32 bytes */
    tamis_redisbloom_chunk chunk;
    uint8_t bytes[64] = {0};
    uint64_t before = tamis_redisbloom_digest(f);
    CHECK_STATUS(tamis_redisbloom_put_chunk(f, -5, bytes, 1), TAMIS_E_SPEC);
    CHECK_STATUS(tamis_redisbloom_put_chunk(f, 9, bytes, 16), TAMIS_E_SPEC);
    CHECK_STATUS(tamis_redisbloom_put_chunk(f, INT64_MAX, bytes, 16), TAMIS_E_SPEC);
    CHECK_STATUS(tamis_redisbloom_put_chunk(f, INT64_MIN, bytes, 16), TAMIS_E_SPEC);
    CHECK_STATUS(tamis_redisbloom_put_chunk(f, 25, bytes, 24), TAMIS_E_MISMATCH);
    CHECK(before == tamis_redisbloom_digest(f), "a refused chunk was written");
    static const int64_t outside[] = {0, -1, INT64_MIN, INT64_MAX, 50};
    for (size_t i = 0; i < COUNT(outside); i++) {
        tamis_redisbloom_chunk_at(f, outside[i], &chunk);
        CHECK(chunk.next == 0 && chunk.size == 0, "iterator %" PRId64, outside[i]);
    }
    tamis_redisbloom_chunk_at(f, 5, &chunk);
    CHECK(chunk.next == 17 && chunk.size == 12, "the rest of the first layer");
    tamis_free(f);
}

static void chunks_end_at_16_mib(void **state)
{
    (void)state;
    const tamis_redisbloom_cuckoo spec = {
        .capacity = 40 << 20, .bucket_size = 1, .max_iterations = 20, .expansion = 1};
    tamis_filter *f = NULL;
    tamis_redisbloom_chunk chunk;
    CHECK_OK(tamis_redisbloom_create_cuckoo(&spec, NULL, &f));
    tamis_redisbloom_chunk_at(f, 1, &chunk);
    CHECK(chunk.size == 16 << 20 && chunk.next == (16 << 20) + 1, "first");
    tamis_redisbloom_chunk_at(f, (64 << 20) - 9, &chunk);
    CHECK(chunk.size == 10 && chunk.next == (64 << 20) + 1, "last: %zu", chunk.size);
    tamis_free(f);
}

/* ---- values ------------------------------------------------------------- */

static tamis_status load_fields(field_list *list, uint32_t kind, int encver, tamis_filter **f,
                                tamis_redisbloom_quarantine **kept)
{
    static test_host h;
    host_init(&h);
    tamis_redisbloom_reader reader = fields_reader(list);
    return tamis_redisbloom_load(kind, encver, &reader, NULL, &h.host, f, kept);
}

/* What an older version leaves out of the fields of version 4. */
static void make_old(field_list *list, uint32_t kind, int encver)
{
    if (encver >= 4) return;
    if (kind == TAMIS_KIND_REDISBLOOM_CUCKOO) {
        fields_drop(list, 3, 4);
        for (size_t i = 3; i + 1 < list->count; i++)
            if (list->fields[i].type == 'u') fields_drop(list, i, 1);
        return;
    }
    fields_drop(list, encver < 2 ? 2 : 3, encver < 2 ? 2 : 1);
    if (encver > 0) return;
    for (size_t i = 0; i + 2 < list->count; i++)
        if (list->fields[i].type == 'u' && list->fields[i + 1].type == 'u' &&
            list->fields[i + 2].type == 's')
            fields_drop(list, i, 2);
}

static void old_values_load(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(both_kinds); k++)
        for (int encver = 0; encver <= 4; encver++) {
            bool narrow = both_kinds[k] == TAMIS_KIND_REDISBLOOM && encver < 2;
            const tamis_redisbloom_bloom bloom = {.error_rate = 0.01,
                                                  .capacity = 100,
                                                  .expansion = 2,
                                                  .options = narrow ? TAMIS_REDISBLOOM_NOROUND : 0};
            const tamis_redisbloom_cuckoo cuckoo = {
                .capacity = 64, .bucket_size = 2, .max_iterations = 20, .expansion = 1};
            static field_list list;
            tamis_redisbloom_writer writer = fields_writer(&list);
            tamis_filter *f = NULL, *back = NULL;
            check_about("kind %u, encver %d", both_kinds[k], encver);
            if (k == 0)
                CHECK_OK(tamis_redisbloom_create_bloom(&bloom, NULL, &f));
            else
                CHECK_OK(tamis_redisbloom_create_cuckoo(&cuckoo, NULL, &f));
            for (uint32_t i = 0; i < 90; i++) {
                golden_key key = golden_name("k", i);
                CHECK_OK(tamis_add(f, key.text, key.size));
            }
            CHECK_OK(tamis_redisbloom_save(f, &writer));
            make_old(&list, both_kinds[k], encver);
            CHECK_OK(load_fields(&list, both_kinds[k], encver, &back, NULL));
            CHECK(list.at == list.count, "fields are left over");
            /* In version 0 the bits are capacity * bits per entry, not rounded up. */
            for (uint32_t i = 0; i < 90 && !(narrow && encver == 0); i++) {
                golden_key key = golden_name("k", i);
                CHECK(tamis_may_contain(back, key.text, key.size), "%s is lost", key.text);
            }
            CHECK_OK(tamis_add(back, "one more", 8));
            CHECK(tamis_may_contain(back, "one more", 8), "added");
            tamis_free(back);
            tamis_free(f);
            fields_free(&list);
        }
    tamis_filter *f = NULL;
    static field_list none;
    CHECK_STATUS(load_fields(&none, TAMIS_KIND_REDISBLOOM, 5, &f, NULL), TAMIS_E_VERSION);
}

/* Each field changed to something that makes no filter: kept, and saved again as
 * it was. A stream that ends early is no such case. */
static void broken_values_are_kept(void **state)
{
    (void)state;
    static const struct {
        uint32_t kind;
        size_t field;
        uint64_t value;
        const char *why;
    } rows[] = {
        {TAMIS_KIND_REDISBLOOM, 0, 99, "the sum of keys"},
        {TAMIS_KIND_REDISBLOOM, 2, 16, "an option that is none"},
        {TAMIS_KIND_REDISBLOOM, 3, UINT64_MAX, "growth"},
        {TAMIS_KIND_REDISBLOOM, 4, 0, "a layer for no keys"},
        {TAMIS_KIND_REDISBLOOM, 6, 7, "hashes"},
        {TAMIS_KIND_REDISBLOOM, 6, UINT64_MAX, "hashes beyond 32 bits"},
        {TAMIS_KIND_REDISBLOOM, 8, 100000, "more bits than the array has"},
        {TAMIS_KIND_REDISBLOOM, 8, 0, "no bits"},
        {TAMIS_KIND_REDISBLOOM, 9, 63, "n2 beyond the array"},
        {TAMIS_KIND_REDISBLOOM, 9, 64, "n2 beyond all"},
        {TAMIS_KIND_REDISBLOOM_CUCKOO, 1, 17, "buckets that are no power of two"},
        {TAMIS_KIND_REDISBLOOM_CUCKOO, 1, 0, "no buckets"},
        {TAMIS_KIND_REDISBLOOM_CUCKOO, 1, UINT64_C(1) << 60, "more than any memory"},
        {TAMIS_KIND_REDISBLOOM_CUCKOO, 4, 0, "a bucket of nothing"},
        {TAMIS_KIND_REDISBLOOM_CUCKOO, 4, 65538, "a bucket size beyond 16 bits"},
        {TAMIS_KIND_REDISBLOOM_CUCKOO, 4, 3, "arrays of another length"},
        {TAMIS_KIND_REDISBLOOM_CUCKOO, 5, 0, "no iterations"},
        {TAMIS_KIND_REDISBLOOM_CUCKOO, 6, 3, "an expansion that is no power of two"},
        {TAMIS_KIND_REDISBLOOM_CUCKOO, 6, 0, "several sub-filters without expansion"},
        {TAMIS_KIND_REDISBLOOM_CUCKOO, 7, 64, "buckets of a sub-filter"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        static field_list list, again;
        tamis_redisbloom_writer writer = fields_writer(&list), second = fields_writer(&again);
        tamis_redisbloom_quarantine *kept = NULL, *copy = NULL;
        tamis_filter *f = grown(NULL, rows[i].kind, 40), *back = NULL;
        check_about("%s", rows[i].why);
        CHECK_OK(tamis_redisbloom_save(f, &writer));
        CHECK(list.fields[rows[i].field].type == 'u', "the row names a number");
        list.fields[rows[i].field].number = rows[i].value;
        CHECK_STATUS(load_fields(&list, rows[i].kind, 4, &back, &kept), TAMIS_E_CORRUPT);
        CHECK(back == NULL && kept != NULL, "kept");
        CHECK_OK(tamis_redisbloom_quarantine_clone(kept, &copy));
        CHECK(tamis_redisbloom_quarantine_memory(kept) > 0, "memory");
        tamis_redisbloom_quarantine_free(kept);
        CHECK_OK(tamis_redisbloom_quarantine_save(copy, &second));
        CHECK(fields_same(&list, &again), "saved otherwise");
        tamis_redisbloom_quarantine_free(copy);
        CHECK_STATUS(load_fields(&list, rows[i].kind, 4, &back, NULL), TAMIS_E_CORRUPT);
        list.count--;
        CHECK(load_fields(&list, rows[i].kind, 4, &back, &kept) == TAMIS_E_TRUNCATED, "cut");
        CHECK(back == NULL && kept == NULL, "nothing of a broken stream");
        list.count++;
        tamis_free(f);
        fields_free(&list);
        fields_free(&again);
    }
}

/* ---- the ordinary doors ------------------------------------------------- */

static void *move_block(void *ctx, void *memory, size_t size)
{
    ++*(size_t *)ctx;
    void *moved = malloc(size);
    memcpy(moved, memory, size);
    memset(memory, 0xee, size);
    free(memory);
    return moved;
}

static void arrays_can_be_moved(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(both_kinds); k++) {
        test_host h;
        size_t moves = 0;
        uint32_t index = 0;
        host_init(&h);
        tamis_filter *f = grown(&h.host, both_kinds[k], 300);
        uint64_t before = tamis_redisbloom_digest(f);
        while (tamis_redisbloom_defrag(f, index, move_block, &moves)) index++;
        CHECK(moves == index + 1, "%zu blocks", moves);
        CHECK(before == tamis_redisbloom_digest(f), "contents");
        CHECK_OK(tamis_add(f, "after", 5));
        tamis_free(f);
        CHECK(h.blocks == 0, "%zu blocks are left", h.blocks);
    }
}

static void ordinary_doors_work(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(both_kinds); k++) {
        tamis_filter *f = grown(NULL, both_kinds[k], 300), *copy = NULL;
        tamis_facts facts;
        tamis_finding findings[8];
        uint8_t bytes[64];
        check_about("kind %u", both_kinds[k]);
        CHECK(tamis_kind_name(both_kinds[k]) != NULL, "a name");
        CHECK(tamis_kind_id(tamis_kind_name(both_kinds[k])) == both_kinds[k], "and back");
        CHECK_OK(tamis_info(f, &facts));
        CHECK(facts.added > 290 && facts.layers > 3 && facts.fpr_now < 0.2, "facts");
        CHECK(fabs(facts.keys - 300) < 30, "about %g keys", facts.keys);
        CHECK(facts.memory == tamis_redisbloom_memory(f), "memory");
        CHECK(tamis_diagnose(f, findings, COUNT(findings)) >= 1, "findings");
        CHECK_STATUS(tamis_save(f, scratch_path("no"), NULL), TAMIS_E_UNSUPPORTED);
        CHECK(strstr(tamis_explain(), "redisbloom_dump") != NULL, "%s", tamis_explain());
        CHECK_STATUS(tamis_encode(f, bytes, sizeof bytes), TAMIS_E_UNSUPPORTED);
        CHECK(tamis_encoded_size(f) == 0, "no native size");
        CHECK_STATUS(tamis_fold(f, 2), TAMIS_E_UNSUPPORTED);
        CHECK_STATUS(tamis_seal(f), TAMIS_E_UNSUPPORTED);
        const tamis_spec spec = {.kind = both_kinds[k], .capacity = 10, .fpr = 0.1};
        CHECK_STATUS(tamis_create(&spec, &copy), TAMIS_E_SPEC);
        CHECK_OK(tamis_clone(f, &copy));
        CHECK_OK(tamis_clear(f));
        CHECK(!tamis_may_contain(f, "k1", 2) && tamis_may_contain(copy, "k1", 2), "cleared");
        CHECK_OK(tamis_add(f, "k1", 2));
        tamis_redisbloom_facts mine;
        CHECK_OK(tamis_redisbloom_facts_of(f, &mine));
        CHECK(mine.items == 1 && mine.filters == 1, "one layer, one key");
        tamis_free(copy);
        tamis_free(f);
    }
}

static void chains_of_one_geometry_merge(void **state)
{
    (void)state;
    tamis_filter *few = grown(NULL, TAMIS_KIND_REDISBLOOM, 5);
    tamis_filter *many = grown(NULL, TAMIS_KIND_REDISBLOOM, 200);
    tamis_filter *other = NULL, *cuckoo = grown(NULL, TAMIS_KIND_REDISBLOOM_CUCKOO, 5);
    const tamis_redisbloom_bloom spec = {.error_rate = 0.1, .capacity = 10, .expansion = 2};
    tamis_union result;
    CHECK_OK(tamis_redisbloom_create_bloom(&spec, NULL, &other));
    CHECK_OK(tamis_add(few, "only here", 9));
    CHECK_OK(tamis_merge(few, many, &result));
    CHECK(tamis_may_contain(few, "only here", 9), "a key of dst");
    for (uint32_t i = 0; i < 200; i++) {
        golden_key key = golden_name("k", i);
        CHECK(tamis_may_contain(few, key.text, key.size), "%s", key.text);
    }
    CHECK(fabs(result.keys - 201) < 25, "about %g keys", result.keys);
    CHECK_STATUS(tamis_merge(few, other, NULL), TAMIS_E_MISMATCH);
    CHECK_STATUS(tamis_merge(few, cuckoo, NULL), TAMIS_E_MISMATCH);
    CHECK_STATUS(tamis_merge(cuckoo, cuckoo, NULL), TAMIS_E_UNSUPPORTED);
    CHECK_STATUS(tamis_intersect(few, many), TAMIS_E_UNSUPPORTED);
    tamis_free(few);
    tamis_free(many);
    tamis_free(other);
    tamis_free(cuckoo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_the_peers),
        cmocka_unit_test(absurd_requests_are_refused_unallocated),
        cmocka_unit_test(growth_stops_at_the_cap_and_goes_on_below),
        cmocka_unit_test(refused_memory_changes_nothing),
        cmocka_unit_test(large_and_old_layers_answer_alike),
        cmocka_unit_test(compaction_in_slices_gives_the_same_bytes),
        cmocka_unit_test(chunks_out_of_place_are_refused),
        cmocka_unit_test(chunks_end_at_16_mib),
        cmocka_unit_test(old_values_load),
        cmocka_unit_test(broken_values_are_kept),
        cmocka_unit_test(arrays_can_be_moved),
        cmocka_unit_test(ordinary_doors_work),
        cmocka_unit_test(chains_of_one_geometry_merge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
