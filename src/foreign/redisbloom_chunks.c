/* redisbloom_chunks.c - SCANDUMP and LOADCHUNK: the header, and stretches of the
 * arrays as if they lay one after another.
 *
 * The headers are the peer's structs, packed, little-endian (docs/formats). An
 * iterator is 1 + the number of array bytes before it.                      */
#include <inttypes.h>
#include <string.h>

#include "base/checked.h"
#include "base/endian.h"
#include "base/fail.h"
#include "foreign/redisbloom_chain.h"

enum { CHUNKS_BLOOM_HEAD = 20, CHUNKS_BLOOM_LINK = 53, CHUNKS_CUCKOO_HEAD = 38 };

/* ---- writing headers ---------------------------------------------------- */

static void chunks_write_link(const tms_rb_layer *layer, uint8_t *at)
{
    tms_store64(at, layer->bytes);
    tms_store64(at + 8, layer->bits);
    tms_store64(at + 16, layer->items);
    tms_store64(at + 24, tms_double_bits(layer->error));
    tms_store64(at + 32, tms_double_bits(layer->bits_per_entry));
    tms_store32(at + 40, layer->hashes);
    tms_store64(at + 44, layer->capacity);
    at[52] = (uint8_t)layer->n2;
}

static void chunks_write_bloom_head(const tms_rb_chain *c, uint8_t *at)
{
    tms_store64(at, c->items);
    tms_store32(at + 8, c->count);
    tms_store32(at + 12, c->options);
    tms_store32(at + 16, c->expansion);
}

static void chunks_write_cuckoo(const tms_rb_chain *c, uint8_t *at)
{
    tms_store64(at, c->items);
    tms_store64(at + 8, c->layers[0].buckets);
    tms_store64(at + 16, c->deletes);
    tms_store64(at + 24, c->count);
    tms_store16(at + 32, c->bucket_size);
    tms_store16(at + 34, c->max_iterations);
    tms_store16(at + 36, (uint16_t)c->expansion);
}

size_t tamis_redisbloom_header_size(const tamis_filter *f)
{
    if (tms_rb_check_kind(f) != TAMIS_OK) return 0;
    if (tms_rb_is_cuckoo(f)) return CHUNKS_CUCKOO_HEAD;
    return CHUNKS_BLOOM_HEAD + (size_t)CHUNKS_BLOOM_LINK * tms_rb_of(f)->count;
}

void tamis_redisbloom_header(const tamis_filter *f, void *bytes)
{
    const tms_rb_chain *c = tms_rb_of(f);
    uint8_t *at = bytes;
    if (tms_rb_check_kind(f) != TAMIS_OK) return;
    if (tms_rb_is_cuckoo(f)) {
        chunks_write_cuckoo(c, at);
        return;
    }
    chunks_write_bloom_head(c, at);
    at += CHUNKS_BLOOM_HEAD;
    for (uint32_t i = 0; i < c->count; i++, at += CHUNKS_BLOOM_LINK)
        chunks_write_link(&c->layers[i], at);
}

uint64_t tamis_redisbloom_digest(const tamis_filter *f)
{
    const tms_rb_chain *c = tms_rb_of(f);
    uint8_t row[CHUNKS_BLOOM_LINK] = {0};
    if (tms_rb_check_kind(f) != TAMIS_OK) return 0;
    bool cuckoo = tms_rb_is_cuckoo(f);
    if (cuckoo)
        chunks_write_cuckoo(c, row);
    else
        chunks_write_bloom_head(c, row);
    uint64_t sum = tms_checksum(row, sizeof row, f->kind->id);
    for (uint32_t i = 0; i < c->count; i++) {
        if (!cuckoo) chunks_write_link(&c->layers[i], row);
        if (!cuckoo) sum = tms_checksum(row, sizeof row, sum);
        sum = tms_checksum(c->layers[i].array, (size_t)c->layers[i].bytes, sum);
    }
    return sum;
}

/* ---- reading headers ---------------------------------------------------- */

static tamis_status chunks_short(size_t size, size_t need)
{
    return tms_fail(TAMIS_E_TRUNCATED, "the header has %zu bytes where %zu are needed", size, need);
}

static tamis_status chunks_read_link(const uint8_t *at, uint32_t index, tms_rb_layer *layer)
{
    *layer = (tms_rb_layer){.bytes = tms_load64(at),
                            .bits = tms_load64(at + 8),
                            .items = tms_load64(at + 16),
                            .error = tms_bits_double(tms_load64(at + 24)),
                            .bits_per_entry = tms_bits_double(tms_load64(at + 32)),
                            .hashes = tms_load32(at + 40),
                            .capacity = tms_load64(at + 44),
                            .n2 = at[52]};
    TMS_TRY(tms_rb_bloom_judge(layer, index));
    if (layer->bits != 8 * layer->bytes)
        return tms_fail(TAMIS_E_CORRUPT,
                        "layer %" PRIu32 " has %" PRIu64 " bits in %" PRIu64 " bytes", index,
                        layer->bits, layer->bytes);
    return TAMIS_OK;
}

/* A parsed header: the chain's own fields in `head`, its layers still in bytes. */
typedef struct chunks_header {
    tms_rb_chain head;
    uint64_t filters, buckets;
    const uint8_t *links;
    size_t used;
    uint64_t arrays; /* bytes of all arrays */
} chunks_header;

static tamis_status chunks_judge_links(chunks_header *h)
{
    uint64_t items = 0;
    tms_rb_layer layer;
    for (uint32_t i = 0; i < h->filters; i++) {
        TMS_TRY(chunks_read_link(h->links + (size_t)i * CHUNKS_BLOOM_LINK, i, &layer));
        items += layer.items;
        if (!tms_add_u64(h->arrays, layer.bytes, &h->arrays) || h->arrays > TMS_RB_BYTES_MOST)
            return tms_fail(TAMIS_E_CORRUPT, "the header claims more than 2^56 bytes");
    }
    if (items != h->head.items)
        return tms_fail(TAMIS_E_CORRUPT, "the header counts %" PRIu64 " keys, its layers %" PRIu64,
                        h->head.items, items);
    return TAMIS_OK;
}

static tamis_status chunks_parse_bloom(const uint8_t *bytes, size_t size, chunks_header *h)
{
    if (size < CHUNKS_BLOOM_HEAD) return chunks_short(size, CHUNKS_BLOOM_HEAD);
    h->head.items = tms_load64(bytes);
    h->filters = tms_load32(bytes + 8);
    h->head.options = tms_load32(bytes + 12);
    h->head.expansion = tms_load32(bytes + 16);
    if (h->filters == 0) return tms_fail(TAMIS_E_CORRUPT, "the header has no layers");
    if (h->head.options & ~(uint32_t)TMS_RB_OPTIONS)
        return tms_fail(TAMIS_E_CORRUPT, "options 0x%" PRIx32 " hold bits that mean nothing",
                        h->head.options);
    h->used = CHUNKS_BLOOM_HEAD + (size_t)h->filters * CHUNKS_BLOOM_LINK;
    if (size < h->used) return chunks_short(size, h->used);
    h->links = bytes + CHUNKS_BLOOM_HEAD;
    return chunks_judge_links(h);
}

static tamis_status chunks_parse_cuckoo(const uint8_t *bytes, size_t size, chunks_header *h)
{
    if (size < CHUNKS_CUCKOO_HEAD) return chunks_short(size, CHUNKS_CUCKOO_HEAD);
    h->head.items = tms_load64(bytes);
    h->buckets = tms_load64(bytes + 8);
    h->head.deletes = tms_load64(bytes + 16);
    h->filters = tms_load64(bytes + 24);
    h->head.bucket_size = tms_load16(bytes + 32);
    h->head.max_iterations = tms_load16(bytes + 34);
    h->head.expansion = tms_load16(bytes + 36);
    h->used = CHUNKS_CUCKOO_HEAD;
    return tms_rb_cuckoo_judge(&h->head, h->buckets, h->filters, &h->arrays);
}

static tamis_status chunks_parse(uint32_t kind, const uint8_t *bytes, size_t size, chunks_header *h)
{
    memset(h, 0, sizeof *h);
    return kind == TAMIS_KIND_REDISBLOOM_CUCKOO ? chunks_parse_cuckoo(bytes, size, h)
                                                : chunks_parse_bloom(bytes, size, h);
}

static tamis_status chunks_fill(tms_rb_chain *c, const chunks_header *h)
{
    tms_rb_layer layer;
    for (uint32_t i = 0; i < h->filters; i++) {
        if (h->links) {
            TMS_TRY(chunks_read_link(h->links + (size_t)i * CHUNKS_BLOOM_LINK, i, &layer));
            TMS_TRY(tms_rb_append(c, &layer));
        } else {
            TMS_TRY(tms_rb_cuckoo_append(c, h->buckets, NULL));
        }
    }
    if (h->links)
        tms_rb_bloom_settle(c);
    else
        tms_rb_cuckoo_settle(c);
    return TAMIS_OK;
}

tamis_status tms_rb_header_measure(uint32_t kind, const uint8_t *bytes, size_t size, size_t *used,
                                   uint64_t *arrays)
{
    chunks_header h;
    TMS_TRY(chunks_parse(kind, bytes, size, &h));
    *used = h.used;
    *arrays = h.arrays;
    return TAMIS_OK;
}

/* What a header claims is not there yet: the host's limits come first. */
static tamis_status chunks_allow(const tms_rb_place *place, const chunks_header *h)
{
    uint32_t most = place->host ? place->host->max_filters : 0;
    if (most && h->filters > most)
        return tms_fail(TAMIS_E_LIMIT,
                        "the header names %" PRIu64 " sub-filters, above the most of %" PRIu32
                        "; raise that",
                        h->filters, most);
    return tms_rb_allows(place, h->arrays);
}

tamis_status tms_rb_header_read(uint32_t kind, const uint8_t *bytes, size_t size,
                                const tms_rb_place *place, size_t *used, tamis_filter **out)
{
    chunks_header h;
    tms_rb_chain *c = NULL;
    TMS_TRY(chunks_parse(kind, bytes, size, &h));
    TMS_TRY(chunks_allow(place, &h));
    TMS_TRY(tms_rb_chain_make(kind == TAMIS_KIND_REDISBLOOM_CUCKOO ? &tms_rb_cuckoo_kind
                                                                   : &tms_rb_bloom_kind,
                              place, &c));
    c->items = h.head.items;
    c->options = h.head.options;
    c->expansion = h.head.expansion;
    c->deletes = h.head.deletes;
    c->bucket_size = h.head.bucket_size;
    c->max_iterations = h.head.max_iterations;
    tamis_status status = chunks_fill(c, &h);
    *used = h.used;
    if (status == TAMIS_OK)
        *out = &c->base;
    else
        tms_filter_drop(&c->base);
    return status;
}

tamis_status tamis_redisbloom_from_header(uint32_t kind, const void *bytes, size_t size,
                                          const tamis_redisbloom_host *host, tamis_filter **out)
{
    const tms_rb_place place = {.host = host};
    size_t used;
    uint64_t arrays;
    *out = NULL;
    if (kind != TAMIS_KIND_REDISBLOOM && kind != TAMIS_KIND_REDISBLOOM_CUCKOO)
        return tms_fail(TAMIS_E_SPEC, "kind %" PRIu32 " is none of RedisBloom", kind);
    TMS_TRY(tms_rb_header_measure(kind, bytes, size, &used, &arrays));
    if (used != size)
        return tms_fail(TAMIS_E_CORRUPT, "the header has %zu bytes, of which it explains %zu", size,
                        used);
    return tms_rb_header_read(kind, bytes, size, &place, &used, out);
}

/* ---- data --------------------------------------------------------------- */

/* The layer in which byte `offset` of all arrays lies, or NULL; `*within`: where. */
static tms_rb_layer *chunks_layer(const tms_rb_chain *c, uint64_t offset, uint64_t *within)
{
    for (uint32_t i = 0; i < c->count; i++) {
        if (offset < c->layers[i].bytes) {
            *within = offset;
            return &c->layers[i];
        }
        offset -= c->layers[i].bytes;
    }
    return NULL;
}

void tamis_redisbloom_chunk_at(const tamis_filter *f, int64_t iter, tamis_redisbloom_chunk *chunk)
{
    uint64_t within = 0;
    *chunk = (tamis_redisbloom_chunk){0};
    if (iter < 1 || tms_rb_check_kind(f) != TAMIS_OK) return;
    const tms_rb_layer *layer = chunks_layer(tms_rb_of(f), (uint64_t)iter - 1, &within);
    if (!layer) return;
    uint64_t left = layer->bytes - within;
    chunk->size = left < TAMIS_REDISBLOOM_CHUNK ? (size_t)left : TAMIS_REDISBLOOM_CHUNK;
    chunk->bytes = layer->array + within;
    chunk->next = iter + (int64_t)chunk->size;
}

tamis_status tamis_redisbloom_put_chunk(tamis_filter *f, int64_t iter, const void *bytes,
                                        size_t size)
{
    uint64_t within = 0;
    TMS_TRY(tms_rb_check_kind(f));
    tms_rb_compact_finish(tms_rb_of(f));
    bool before = iter < 1 || (uint64_t)iter - 1 < size;
    tms_rb_layer *layer =
        before ? NULL : chunks_layer(tms_rb_of(f), (uint64_t)iter - 1 - size, &within);
    if (!layer)
        return tms_fail(TAMIS_E_SPEC, "%zu bytes that end at %" PRId64 " lie in no layer", size,
                        iter);
    if (layer->bytes - within < size)
        return tms_fail(TAMIS_E_MISMATCH,
                        "%zu bytes that end at %" PRId64 " pass the end of their layer", size,
                        iter);
    if (size) memcpy(layer->array + within, bytes, size);
    return TAMIS_OK;
}
