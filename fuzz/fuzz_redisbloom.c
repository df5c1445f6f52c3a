/* fuzz_redisbloom.c - any bytes through the readers of RedisBloom's forms.
 *
 * The first byte chooses the form: a DUMP payload whose checksum is repaired
 * (0), the header of a Bloom or a cuckoo chain with a chunk behind it (1, 2), a
 * file of any form (3), an RDB file (4). Whatever is accepted must answer, take
 * keys, compact, and survive being written and read again; and memory stays
 * within the cap.                                                           */
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "base/endian.h"
#include "foreign/rdb_bytes.h"
#include "foreign/redisbloom_forms.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_CAP = 1 << 20 };

static uint64_t fuzz_held;

static void fuzz_require(bool held)
{
    if (!held) abort();
}

static void *fuzz_zeroed(void *ctx, size_t size)
{
    (void)ctx;
    fuzz_held += size;
    return calloc(1, size ? size : 1);
}

static void fuzz_free(void *ctx, void *memory, size_t size)
{
    (void)ctx;
    fuzz_held -= size;
    free(memory);
}

static const tamis_redisbloom_host fuzz_host = {
    .zeroed = fuzz_zeroed, .free = fuzz_free, .memory = FUZZ_CAP, .max_filters = 64};

typedef struct fuzz_heap {
    uint8_t *bytes;
    size_t size;
} fuzz_heap;

static tamis_status fuzz_sink(void *ctx, const void *bytes, size_t size)
{
    fuzz_heap *heap = ctx;
    heap->bytes = realloc(heap->bytes, heap->size + size + 1);
    fuzz_require(heap->bytes != NULL);
    if (size) memcpy(heap->bytes + heap->size, bytes, size);
    heap->size += size;
    return TAMIS_OK;
}

static void fuzz_round_trip(const tamis_filter *f)
{
    fuzz_heap heap = {0};
    tamis_filter *again = NULL, *copy = NULL;
    fuzz_require(tamis_redisbloom_dump(f, 10, fuzz_sink, &heap) == TAMIS_OK);
    fuzz_require(tamis_redisbloom_restore(heap.bytes, heap.size, NULL, &again, NULL) == TAMIS_OK);
    fuzz_require(tamis_clone(f, &copy) == TAMIS_OK);
    fuzz_require(tamis_redisbloom_digest(f) == tamis_redisbloom_digest(again));
    fuzz_require(tamis_redisbloom_digest(f) == tamis_redisbloom_digest(copy));
    tamis_free(again);
    tamis_free(copy);
    free(heap.bytes);
}

static void fuzz_use(tamis_filter *f, const uint8_t *data, size_t size)
{
    tamis_facts facts;
    const tamis_span spans[3] = {{data, size / 2}, {data, size}, {"key", 3}};
    const tamis_keys keys = tamis_keys_spans(spans, 3);
    int8_t results[3];
    bool answers[3], pending;
    fuzz_require(tamis_redisbloom_add_each(f, &keys, false, results, NULL) == TAMIS_OK);
    (void)tamis_may_contain_many(f, &keys, answers);
    for (int i = 0; i < 3; i++) {
        fuzz_require(results[i] < 0 || answers[i]);
        fuzz_require(answers[i] == tamis_may_contain(f, spans[i].data, spans[i].size));
    }
    fuzz_require(tamis_info(f, &facts) == TAMIS_OK);
    (void)tamis_remove(f, "key", 3);
    if (tamis_redisbloom_compact_begin(f) == TAMIS_OK)
        for (pending = true; pending;)
            fuzz_require(tamis_redisbloom_compact_some(f, 1000, &pending) == TAMIS_OK);
    fuzz_round_trip(f);
}

static tamis_filter *fuzz_payload(uint8_t *bytes, size_t size)
{
    tamis_filter *f = NULL;
    if (size >= 8) tms_store64(bytes + size - 8, tms_rdb_crc(0, bytes, size - 8));
    (void)tamis_redisbloom_restore(bytes, size, &fuzz_host, &f, NULL);
    return f;
}

static tamis_filter *fuzz_header(uint32_t kind, const uint8_t *bytes, size_t size)
{
    tamis_filter *f = NULL;
    size_t used;
    uint64_t arrays;
    if (tms_rb_header_measure(kind, bytes, size, &used, &arrays) != TAMIS_OK) return NULL;
    if (tamis_redisbloom_from_header(kind, bytes, used, &fuzz_host, &f) == TAMIS_OK)
        (void)tamis_redisbloom_put_chunk(f, (int64_t)(size - used) + 1, bytes + used, size - used);
    return f;
}

static tamis_filter *fuzz_form(const uint8_t *bytes, size_t size)
{
    const tms_rb_place place = {.host = &fuzz_host};
    tamis_filter *f = NULL;
    uint16_t version;
    tms_rb_form form = tms_rb_recognise(bytes, size);
    if (form != TMS_RB_NO_FORM) (void)tms_rb_form_read(form, bytes, size, &place, &f, &version);
    return f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tamis_rdb_report report;
    tamis_filter *f = NULL;
    if (size < 1) return 0;
    size_t length = size - 1;
    uint8_t *bytes = malloc(length + 1);
    fuzz_require(bytes != NULL);
    memcpy(bytes, data + 1, length);
    switch (data[0] % 5) {
    case 0: f = fuzz_payload(bytes, length); break;
    case 1: f = fuzz_header(TAMIS_KIND_REDISBLOOM, bytes, length); break;
    case 2: f = fuzz_header(TAMIS_KIND_REDISBLOOM_CUCKOO, bytes, length); break;
    case 3: f = fuzz_form(bytes, length); break;
    default: (void)tms_rdb_scan_bytes(bytes, length, &report);
    }
    if (f) fuzz_use(f, bytes, length);
    tamis_free(f);
    fuzz_require(fuzz_held == 0);
    free(bytes);
    return 0;
}
