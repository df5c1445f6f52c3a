/* test_redisbloom.c - filters of RedisBloom against what real servers wrote and
 * answered: built from keys they have the same bytes, loaded from the bytes they
 * give the same answers, and written again they are the same file.          */
#include "redisbloom_golden.h"

/* ---- building ----------------------------------------------------------- */

static void add_one(tamis_filter *f, const redisbloom_case *c, uint32_t number)
{
    golden_key key = golden_name(c->keys, number);
    bool was_new = false;
    tamis_status status = tamis_add_new(f, key.text, key.size, &was_new);
    if (golden_listed(c->refused, c->refused_count, number)) {
        CHECK(status == TAMIS_E_FULL, "%s must be refused, status %d", key.text, status);
        return;
    }
    CHECK(status == TAMIS_OK, "%s: %s", key.text, tamis_explain());
    bool known = golden_listed(c->known, c->known_count, number);
    if (c->kind == TAMIS_KIND_REDISBLOOM) CHECK(was_new == !known, "%s", key.text);
}

static tamis_filter *build_singly(const redisbloom_case *c)
{
    tamis_filter *f = golden_empty(c);
    for (uint32_t i = 0; i < c->added; i++) add_one(f, c, i);
    for (uint32_t i = 0; c->evens_again && i < c->added; i += 2) add_one(f, c, i);
    for (uint32_t i = 0; i < c->deleted; i++) {
        golden_key key = golden_name(c->keys, i * c->delete_step);
        CHECK_OK(tamis_remove(f, key.text, key.size));
    }
    return f;
}

static void check_chunks(const tamis_filter *f, const redisbloom_case *c)
{
    size_t size = 0;
    uint8_t *golden = golden_file(c->name, ".chunks", &size);
    bytes_heap heap = golden_chunks(f);
    if (golden) {
        CHECK(heap.size == size, "%zu bytes of chunks, the server has %zu", heap.size, size);
        CHECK(memcmp(heap.bytes, golden, size) == 0, "chunks differ");
    }
    tamis_redisbloom_chunk chunk = {.next = 1};
    CHECK(c->chunks_count == 0 || tamis_redisbloom_header_size(f) == c->chunks[0], "header");
    for (size_t i = 1; i < c->chunks_count; i++) {
        int64_t at = chunk.next;
        tamis_redisbloom_chunk_at(f, at, &chunk);
        CHECK(chunk.size == c->chunks[i], "chunk %zu has %zu bytes", i, chunk.size);
        CHECK(chunk.next == at + (int64_t)chunk.size, "its iterator");
    }
    free(golden);
    free(heap.bytes);
}

static void check_dump(const tamis_filter *f, const redisbloom_case *c)
{
    size_t size = 0;
    uint8_t *golden = c->dump ? golden_file(c->dump, "", &size) : NULL;
    if (!golden) return;
    bytes_heap heap = golden_dump(f, c->rdb_version);
    CHECK(heap.size == size && memcmp(heap.bytes, golden, size) == 0, "the payload differs");
    free(golden);
    free(heap.bytes);
}

static void check_facts(const tamis_filter *f, const redisbloom_case *c)
{
    tamis_redisbloom_facts facts;
    CHECK_OK(tamis_redisbloom_facts_of(f, &facts));
    CHECK(facts.kind == c->kind, "kind %u", facts.kind);
    CHECK(facts.items == c->facts.items, "%" PRIu64 " items", facts.items);
    CHECK(facts.size == c->facts.size, "size %" PRIu64, facts.size);
    CHECK(facts.filters == c->facts.filters, "%u filters", facts.filters);
    if (c->kind == TAMIS_KIND_REDISBLOOM) {
        CHECK(facts.capacity == c->facts.capacity, "capacity %" PRIu64, facts.capacity);
    } else {
        CHECK(facts.buckets == c->facts.buckets, "%" PRIu64 " buckets", facts.buckets);
        CHECK(facts.deletes == c->facts.deletes, "%" PRIu64 " deletes", facts.deletes);
    }
}

/* One by one and many at once: the answers must be the server's. */
static void check_answers(const tamis_filter *f, const redisbloom_case *c)
{
    golden_key *keys = calloc(c->asked, sizeof *keys);
    tamis_span *spans = calloc(c->asked, sizeof *spans);
    bool *answers = calloc(c->asked, sizeof *answers);
    CHECK(keys && spans && answers, "memory");
    for (uint32_t i = 0; i < c->asked; i++) {
        keys[i] = golden_name(c->absent, i);
        spans[i] = (tamis_span){keys[i].text, keys[i].size};
    }
    const tamis_keys batch = tamis_keys_spans(spans, c->asked);
    size_t hits = tamis_may_contain_many(f, &batch, answers);
    CHECK(hits == c->maybe_all, "%zu of the absent keys get \"maybe\"", hits);
    for (uint32_t i = 0, listed = 0; i < c->asked; i++) {
        CHECK(answers[i] == tamis_may_contain(f, keys[i].text, keys[i].size), "%s", keys[i].text);
        if (answers[i] && listed < c->maybe_count)
            CHECK(c->maybe[listed++] == i, "%s is no false positive there", keys[i].text);
    }
    for (uint32_t i = 0; i < c->counts_count; i++) {
        golden_key key = golden_name(c->keys, i);
        CHECK(tamis_estimate_count(f, key.text, key.size) == c->counts[i], "count of %s", key.text);
    }
    free(keys);
    free(spans);
    free(answers);
}

static void check_all(const tamis_filter *f, const redisbloom_case *c)
{
    check_facts(f, c);
    check_chunks(f, c);
    check_dump(f, c);
    check_answers(f, c);
}

static void keys_make_the_servers_bytes(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOLDEN_CASES; i++) {
        check_about("%s", redisbloom_cases[i].name);
        tamis_filter *f = build_singly(&redisbloom_cases[i]);
        check_all(f, &redisbloom_cases[i]);
        tamis_free(f);
    }
}

/* ---- batches ------------------------------------------------------------ */

static void add_batch(tamis_filter *f, const redisbloom_case *c, uint32_t step, size_t at_once)
{
    golden_key keys[300];
    tamis_span spans[300];
    int8_t results[300];
    size_t changed, count = 0;
    for (uint32_t i = 0; i < c->added; i += step) {
        keys[count] = golden_name(c->keys, i);
        spans[count] = (tamis_span){keys[count].text, keys[count].size};
        if (++count < at_once && i + step < c->added) continue;
        const tamis_keys batch = tamis_keys_spans(spans, count);
        CHECK_OK(tamis_redisbloom_add_each(f, &batch, false, results, &changed));
        size_t ones = 0;
        for (size_t k = 0; k < count; k++) {
            uint32_t number = (uint32_t)(i - (count - 1 - k) * step);
            int8_t wanted = golden_listed(c->refused, c->refused_count, number) ? -1
                            : golden_listed(c->known, c->known_count, number)   ? 0
                                                                                : 1;
            CHECK(results[k] == wanted, "%s gives %d", keys[k].text, results[k]);
            ones += results[k] == 1;
        }
        CHECK(ones == changed, "%zu changes", changed);
        count = 0;
    }
}

static void batches_make_the_same_bytes(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 3, 64, 127, 128, 129, 300};
    for (size_t i = 0; i < GOLDEN_CASES; i++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            const redisbloom_case *c = &redisbloom_cases[i];
            check_about("%s, %zu at once", c->name, sizes[s]);
            tamis_filter *f = golden_empty(c);
            add_batch(f, c, 1, sizes[s]);
            if (c->evens_again) add_batch(f, c, 2, sizes[s]);
            for (uint32_t d = 0; d < c->deleted; d++) {
                golden_key key = golden_name(c->keys, d * c->delete_step);
                CHECK_OK(tamis_remove(f, key.text, key.size));
            }
            check_facts(f, c);
            check_chunks(f, c);
            tamis_free(f);
        }
}

/* ---- loading ------------------------------------------------------------ */

static void chunks_load_and_go_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOLDEN_CASES; i++) {
        const redisbloom_case *c = &redisbloom_cases[i];
        size_t size = 0;
        uint8_t *bytes = golden_file(c->name, ".chunks", &size);
        tamis_filter *f = NULL;
        if (!bytes) continue;
        check_about("%s", c->name);
        CHECK_OK(tamis_redisbloom_from_header(c->kind, bytes, c->chunks[0], NULL, &f));
        int64_t iter = 1;
        size_t at = c->chunks[0];
        for (size_t k = 1; k < c->chunks_count; at += c->chunks[k++]) {
            iter += c->chunks[k];
            CHECK_OK(tamis_redisbloom_put_chunk(f, iter, bytes + at, c->chunks[k]));
        }
        CHECK(at == size, "%zu bytes", size);
        check_all(f, c);
        tamis_free(f);
        free(bytes);
    }
}

static void check_payload(const redisbloom_case *c, const char *file)
{
    size_t size = 0;
    uint8_t *bytes = file ? golden_file(file, "", &size) : NULL;
    tamis_filter *f = NULL, *copy = NULL;
    uint16_t version = 0;
    if (!bytes) return;
    check_about("%s", file);
    CHECK_OK(tamis_redisbloom_restore(bytes, size, NULL, &f, &version));
    CHECK(version == 10, "RDB version %u", version);
    check_all(f, c);
    CHECK_OK(tamis_clone(f, &copy));
    check_all(copy, c);
    CHECK(tamis_redisbloom_digest(f) == tamis_redisbloom_digest(copy), "digests");
    tamis_free(copy);
    tamis_free(f);
    free(bytes);
}

static void payloads_load_and_go_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOLDEN_CASES; i++) {
        check_payload(&redisbloom_cases[i], redisbloom_cases[i].dump);
        check_payload(&redisbloom_cases[i], redisbloom_cases[i].dump_lzf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_make_the_servers_bytes),
        cmocka_unit_test(batches_make_the_same_bytes),
        cmocka_unit_test(chunks_load_and_go_back),
        cmocka_unit_test(payloads_load_and_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
