/* envelope.c - see envelope.h; the layout is docs/format.md, section 2.     */
#include "format/envelope.h"

#include <assert.h>
#include <math.h>
#include <string.h>
#include <tamis/spec.h>
#include <tamis/version.h>

#include "base/checked.h"
#include "base/endian.h"
#include "base/fail.h"
#include "base/memory.h"
#include "hash/hasher.h"

static const uint8_t envelope_magic[8] = {0x89, 'T', 'A', 'M', 'I', 'S', 0x0a, 0x1a};

/* Offsets in the header. */
enum {
    ENVELOPE_AT_VERSION = 8,
    ENVELOPE_AT_HEADER_BYTES = 12,
    ENVELOPE_AT_FILE_BYTES = 16,
    ENVELOPE_AT_HASH = 24,
    ENVELOPE_AT_FLAGS = 28,
    ENVELOPE_AT_SEED = 32,
    ENVELOPE_AT_FINGERPRINT = 40,
    ENVELOPE_AT_HASH_NAME = 48,
    ENVELOPE_AT_NODE_COUNT = 96,
    ENVELOPE_AT_CHUNK_LOG2 = 100,
    ENVELOPE_AT_BODY_BYTES = 104,
    ENVELOPE_AT_METADATA_BYTES = 112,
    ENVELOPE_AT_RESERVED = 116,
    ENVELOPE_AT_NODES = 120
};

/* Offsets in a node. */
enum {
    ENVELOPE_NODE_KIND = 0,
    ENVELOPE_NODE_CHILDREN = 4,
    ENVELOPE_NODE_BEHAVIOUR = 8,
    ENVELOPE_NODE_STATE = 12,
    ENVELOPE_NODE_CAPACITY = 16,
    ENVELOPE_NODE_FPR = 24,
    ENVELOPE_NODE_ADDED = 32,
    ENVELOPE_NODE_BODY_BYTES = 40,
    ENVELOPE_NODE_PARAM_COUNT = 48,
    ENVELOPE_NODE_RESERVED32 = 52,
    ENVELOPE_NODE_RESERVED64 = 56,
    ENVELOPE_NODE_PARAMS = 64,
    ENVELOPE_NODE_BYTES = 128
};

enum {
    ENVELOPE_SUM_BYTES = 8,
    ENVELOPE_STATE_ESTIMATE = 1,
    ENVELOPE_BEHAVIOUR_KNOWN = TAMIS_STRICT | TAMIS_CONCURRENT | TAMIS_NEVER_EXCEED
};

/* ---- what must hold, written or read ------------------------------------ */

/* `bad` is the status of a violation: TAMIS_E_LIMIT while writing, where a
 * caller asked for too much, and TAMIS_E_CORRUPT while reading. */

static tamis_status envelope_judge_counts(const tms_envelope *e, tamis_status bad)
{
    if (e->node_count < 1 || e->node_count > TMS_NODES_MOST)
        return tms_fail(bad, "the header has %u nodes; 1 to %d are possible",
                        (unsigned)e->node_count, (int)TMS_NODES_MOST);
    if (e->metadata_bytes > TMS_METADATA_MOST)
        return tms_fail(bad, "the header has %u bytes of metadata; 0 to %d are possible",
                        (unsigned)e->metadata_bytes, (int)TMS_METADATA_MOST);
    return TAMIS_OK;
}

/* Names reach error texts, so they hold nothing a terminal would obey. */
static tamis_status envelope_judge_hash(const tms_envelope *e, tamis_status bad)
{
    if (e->hash == 0) return tms_fail(bad, "the header has hash 0; hashes begin at 1");
    size_t length = 0;
    while (length < TMS_HASH_NAME_BYTES && e->hash_name[length] > ' ' &&
           e->hash_name[length] <= '~')
        length++;
    for (size_t i = length; i < TMS_HASH_NAME_BYTES; i++)
        if (e->hash_name[i] != 0) length = 0;
    if (length < 1 || length == TMS_HASH_NAME_BYTES)
        return tms_fail(bad,
                        "the header's name of hash %u is not 1 to %d printable characters "
                        "without spaces",
                        (unsigned)e->hash, (int)TMS_HASH_NAME_BYTES - 1);
    return TAMIS_OK;
}

static tamis_status envelope_judge_params(const tms_shape *s, unsigned node, tamis_status bad)
{
    if (s->param_count > TMS_PARAMS_MOST)
        return tms_fail(bad, "node %u has %u parameters; 0 to %d are possible", node,
                        (unsigned)s->param_count, (int)TMS_PARAMS_MOST);
    for (uint32_t i = s->param_count; i < TMS_PARAMS_MOST; i++)
        if (s->params[i] != 0)
            return tms_fail(bad, "parameter %u of node %u is unused and must be 0, but is %llu",
                            (unsigned)i, node, (unsigned long long)s->params[i]);
    return TAMIS_OK;
}

static tamis_status envelope_judge_node(const tms_shape *s, unsigned node, tamis_status bad)
{
    if (s->kind == 0) return tms_fail(bad, "node %u has kind 0; kinds begin at 1", node);
    if (s->flags & ~(uint32_t)ENVELOPE_BEHAVIOUR_KNOWN)
        return tms_fail(TAMIS_E_VERSION,
                        "node %u asks for behaviour 0x%x, and this library knows 0x%x; use a newer "
                        "library",
                        node, (unsigned)s->flags, (unsigned)ENVELOPE_BEHAVIOUR_KNOWN);
    if (s->capacity == 0)
        return tms_fail(bad, "node %u has capacity 0; at least 1 is needed", node);
    if (!(s->fpr >= 0 && s->fpr < 1) || signbit(s->fpr)) /* 0 is for kinds without a rate */
        return tms_fail(bad, "node %u has the rate %g; a rate lies between 0 and 1", node, s->fpr);
    if (s->body_bytes % TMS_LINE != 0)
        return tms_fail(bad, "node %u has a body of %llu bytes, which is no multiple of %d", node,
                        (unsigned long long)s->body_bytes, (int)TMS_LINE);
    return envelope_judge_params(s, node, bad);
}

/* Walks the pre-order with one number for each level that is open: how many
 * children are still to come there. */
static tamis_status envelope_judge_tree(const tms_envelope *e, tamis_status bad)
{
    uint32_t awaited[TMS_DEPTH_MOST];
    unsigned depth = 0;
    for (uint32_t i = 0; i < e->node_count; i++) {
        if (i > 0 && depth == 0)
            return tms_fail(bad, "the tree is complete after %u of %u nodes", (unsigned)i,
                            (unsigned)e->node_count);
        if (depth == TMS_DEPTH_MOST)
            return tms_fail(bad, "node %u lies deeper than the %d levels that are possible",
                            (unsigned)i, (int)TMS_DEPTH_MOST);
        if (depth > 0) awaited[depth - 1]--;
        if (e->nodes[i].children > 0) awaited[depth++] = e->nodes[i].children;
        while (depth > 0 && awaited[depth - 1] == 0) depth--;
    }
    if (depth > 0)
        return tms_fail(bad, "the tree misses nodes after all %u of them", (unsigned)e->node_count);
    return TAMIS_OK;
}

/* Gives every body its place and adds them up. */
static tamis_status envelope_place_bodies(tms_envelope *e, tamis_status bad)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < e->node_count; i++) {
        e->nodes[i].body_offset = total;
        if (!tms_add_u64(total, e->nodes[i].shape.body_bytes, &total) || total > TMS_BODY_MOST)
            return tms_fail(bad, "the bodies up to node %u take more than 2^56 bytes", (unsigned)i);
    }
    e->body_bytes = total;
    return TAMIS_OK;
}

static tamis_status envelope_judge_nodes(tms_envelope *e, tamis_status bad)
{
    for (uint32_t i = 0; i < e->node_count; i++)
        TMS_TRY(envelope_judge_node(&e->nodes[i].shape, (unsigned)i, bad));
    TMS_TRY(envelope_judge_tree(e, bad));
    return envelope_place_bodies(e, bad);
}

/* ---- sizes -------------------------------------------------------------- */

static uint64_t envelope_header_bytes(uint64_t node_count, uint64_t metadata_bytes)
{
    const uint64_t used =
        ENVELOPE_AT_NODES + ENVELOPE_NODE_BYTES * node_count + metadata_bytes + ENVELOPE_SUM_BYTES;
    return tms_div_up(used, TMS_LINE) * TMS_LINE;
}

/* Small chunks are found and read quickly; large filters take larger ones, so
 * that the memory for the checksums stays small while writing. */
static uint64_t envelope_choose_chunk(uint64_t body_bytes)
{
    uint64_t chunk = TMS_CHUNK_FIRST;
    while (chunk < TMS_CHUNK_MOST && tms_div_up(body_bytes, chunk) > TMS_CHUNKS_WANTED) chunk *= 2;
    return chunk;
}

/* From node_count, metadata_bytes, body_bytes and chunk_bytes, all within
 * their limits, so that nothing here overflows. */
static void envelope_measure(tms_envelope *e)
{
    e->header_bytes = envelope_header_bytes(e->node_count, e->metadata_bytes);
    e->chunk_count = tms_div_up(e->body_bytes, e->chunk_bytes);
    e->trailer_bytes = 8 * e->chunk_count + 8;
    e->file_bytes = e->header_bytes + e->body_bytes + e->trailer_bytes;
}

tamis_status tms_envelope_layout(tms_envelope *e)
{
    TMS_TRY(envelope_judge_counts(e, TAMIS_E_LIMIT));
    TMS_TRY(envelope_judge_nodes(e, TAMIS_E_LIMIT));
    if (e->chunk_bytes == 0) e->chunk_bytes = envelope_choose_chunk(e->body_bytes);
    assert(e->chunk_bytes >= TMS_CHUNK_LEAST && e->chunk_bytes <= TMS_CHUNK_MOST);
    assert((e->chunk_bytes & (e->chunk_bytes - 1)) == 0);
    envelope_measure(e);
    return TAMIS_OK;
}

tamis_status tms_envelope_fits(const tms_envelope *e, uint64_t file_bytes)
{
    if (file_bytes < e->file_bytes)
        return tms_fail(TAMIS_E_TRUNCATED,
                        "there are %llu bytes, but the header announces %llu: the end is missing",
                        (unsigned long long)file_bytes, (unsigned long long)e->file_bytes);
    if (file_bytes > e->file_bytes)
        return tms_fail(TAMIS_E_CORRUPT,
                        "there are %llu bytes, but the header announces %llu: something follows "
                        "the filter",
                        (unsigned long long)file_bytes, (unsigned long long)e->file_bytes);
    return TAMIS_OK;
}

/* ---- writing ------------------------------------------------------------ */

static uint32_t envelope_log2(uint64_t power_of_two)
{
    return (uint32_t)__builtin_ctzll(power_of_two);
}

static void envelope_write_node(const tms_node *node, uint8_t *at)
{
    const tms_shape *s = &node->shape;
    tms_store32(at + ENVELOPE_NODE_KIND, s->kind);
    tms_store32(at + ENVELOPE_NODE_CHILDREN, node->children);
    tms_store32(at + ENVELOPE_NODE_BEHAVIOUR, s->flags);
    tms_store32(at + ENVELOPE_NODE_STATE, node->count_is_estimate ? ENVELOPE_STATE_ESTIMATE : 0);
    tms_store64(at + ENVELOPE_NODE_CAPACITY, s->capacity);
    tms_store64(at + ENVELOPE_NODE_FPR, tms_double_bits(s->fpr));
    tms_store64(at + ENVELOPE_NODE_ADDED, node->added);
    tms_store64(at + ENVELOPE_NODE_BODY_BYTES, s->body_bytes);
    tms_store32(at + ENVELOPE_NODE_PARAM_COUNT, s->param_count);
    for (size_t i = 0; i < TMS_PARAMS_MOST; i++)
        tms_store64(at + ENVELOPE_NODE_PARAMS + 8 * i, s->params[i]);
}

static void envelope_write_fixed(const tms_envelope *e, uint8_t *header)
{
    memcpy(header, envelope_magic, sizeof envelope_magic);
    tms_store32(header + ENVELOPE_AT_VERSION, TAMIS_FORMAT_VERSION);
    tms_store32(header + ENVELOPE_AT_HEADER_BYTES, (uint32_t)e->header_bytes);
    tms_store64(header + ENVELOPE_AT_FILE_BYTES, e->file_bytes);
    tms_store32(header + ENVELOPE_AT_HASH, e->hash);
    tms_store64(header + ENVELOPE_AT_SEED, e->seed);
    tms_store64(header + ENVELOPE_AT_FINGERPRINT, e->fingerprint);
    memcpy(header + ENVELOPE_AT_HASH_NAME, e->hash_name, TMS_HASH_NAME_BYTES);
    tms_store32(header + ENVELOPE_AT_NODE_COUNT, e->node_count);
    tms_store32(header + ENVELOPE_AT_CHUNK_LOG2, envelope_log2(e->chunk_bytes));
    tms_store64(header + ENVELOPE_AT_BODY_BYTES, e->body_bytes);
    tms_store32(header + ENVELOPE_AT_METADATA_BYTES, e->metadata_bytes);
}

uint64_t tms_envelope_seal(uint8_t *header, size_t header_bytes)
{
    const size_t covered = header_bytes - ENVELOPE_SUM_BYTES;
    const uint64_t sum = tms_checksum(header, covered, 0);
    tms_store64(header + covered, sum);
    return sum;
}

void tms_envelope_write(tms_envelope *e, uint8_t *header)
{
    assert(envelope_judge_hash(e, TAMIS_E_LIMIT) == TAMIS_OK);
    memset(header, 0, (size_t)e->header_bytes);
    envelope_write_fixed(e, header);
    uint8_t *at = header + ENVELOPE_AT_NODES;
    for (uint32_t i = 0; i < e->node_count; i++, at += ENVELOPE_NODE_BYTES)
        envelope_write_node(&e->nodes[i], at);
    if (e->metadata_bytes > 0) memcpy(at, e->metadata, e->metadata_bytes);
    e->header_sum = tms_envelope_seal(header, (size_t)e->header_bytes);
}

/* ---- reading ------------------------------------------------------------ */

static tamis_status envelope_peek_magic(const uint8_t *first, size_t size)
{
    if (size == 0) return tms_fail(TAMIS_E_TRUNCATED, "the input is empty");
    const size_t compared = size < sizeof envelope_magic ? size : sizeof envelope_magic;
    if (memcmp(first, envelope_magic, compared) != 0)
        return tms_fail(TAMIS_E_CORRUPT,
                        "this is no Tamis filter: it does not begin with 89 54 41 4d 49 53 0a 1a");
    if (size < TMS_HEADER_FIRST)
        return tms_fail(TAMIS_E_TRUNCATED, "the input ends after %zu bytes, inside the header",
                        size);
    return TAMIS_OK;
}

tamis_status tms_envelope_peek(const uint8_t *first, size_t size, uint64_t *header_bytes)
{
    TMS_TRY(envelope_peek_magic(first, size));
    const uint32_t version = tms_load32(first + ENVELOPE_AT_VERSION);
    if (version == 0)
        return tms_fail(TAMIS_E_CORRUPT, "the header has format version 0; versions begin at 1");
    if (version > TAMIS_FORMAT_VERSION)
        return tms_fail(TAMIS_E_VERSION,
                        "the input has format version %u, and this library reads up to %d; use a "
                        "newer library",
                        (unsigned)version, TAMIS_FORMAT_VERSION);
    const uint32_t bytes = tms_load32(first + ENVELOPE_AT_HEADER_BYTES);
    if (bytes < TMS_HEADER_LEAST || bytes > TMS_HEADER_MOST || bytes % TMS_LINE != 0)
        return tms_fail(TAMIS_E_CORRUPT,
                        "the header claims %u bytes; a multiple of %d from %d to %d is possible",
                        (unsigned)bytes, (int)TMS_LINE, (int)TMS_HEADER_LEAST,
                        (int)TMS_HEADER_MOST);
    *header_bytes = bytes;
    return TAMIS_OK;
}

static tamis_status envelope_check_sum(const uint8_t *header, tms_envelope *e)
{
    const size_t covered = (size_t)e->header_bytes - ENVELOPE_SUM_BYTES;
    e->header_sum = tms_load64(header + covered);
    if (tms_checksum(header, covered, 0) != e->header_sum)
        return tms_fail(TAMIS_E_CORRUPT,
                        "the header is damaged: its %llu bytes do not match their checksum",
                        (unsigned long long)e->header_bytes);
    return TAMIS_OK;
}

static tamis_status envelope_read_chunk(const uint8_t *header, tms_envelope *e)
{
    const uint32_t log2 = tms_load32(header + ENVELOPE_AT_CHUNK_LOG2);
    if (log2 < envelope_log2(TMS_CHUNK_LEAST) || log2 > envelope_log2(TMS_CHUNK_MOST))
        return tms_fail(TAMIS_E_CORRUPT, "the header has chunks of 2^%u bytes; 2^%u to 2^%u serve",
                        (unsigned)log2, (unsigned)envelope_log2(TMS_CHUNK_LEAST),
                        (unsigned)envelope_log2(TMS_CHUNK_MOST));
    e->chunk_bytes = UINT64_C(1) << log2;
    return TAMIS_OK;
}

/* The fixed part; afterwards node_count and metadata_bytes are within limits
 * and fill the header exactly. */
static tamis_status envelope_read_fixed(const uint8_t *header, tms_envelope *e)
{
    const uint32_t flags = tms_load32(header + ENVELOPE_AT_FLAGS);
    if (flags != 0)
        return tms_fail(TAMIS_E_VERSION,
                        "the header needs the features 0x%x, and this library knows none; use a "
                        "newer library",
                        (unsigned)flags);
    if (tms_load32(header + ENVELOPE_AT_RESERVED) != 0)
        return tms_fail(TAMIS_E_CORRUPT, "a reserved field of the header is not 0");
    e->hash = tms_load32(header + ENVELOPE_AT_HASH);
    memcpy(e->hash_name, header + ENVELOPE_AT_HASH_NAME, TMS_HASH_NAME_BYTES);
    e->seed = tms_load64(header + ENVELOPE_AT_SEED);
    e->fingerprint = tms_load64(header + ENVELOPE_AT_FINGERPRINT);
    e->node_count = tms_load32(header + ENVELOPE_AT_NODE_COUNT);
    e->metadata_bytes = tms_load32(header + ENVELOPE_AT_METADATA_BYTES);
    TMS_TRY(envelope_judge_counts(e, TAMIS_E_CORRUPT));
    TMS_TRY(envelope_judge_hash(e, TAMIS_E_CORRUPT));
    TMS_TRY(envelope_read_chunk(header, e));
    if (envelope_header_bytes(e->node_count, e->metadata_bytes) != e->header_bytes)
        return tms_fail(TAMIS_E_CORRUPT,
                        "the header claims %llu bytes, which %u nodes and %u bytes of metadata do "
                        "not fill",
                        (unsigned long long)e->header_bytes, (unsigned)e->node_count,
                        (unsigned)e->metadata_bytes);
    return TAMIS_OK;
}

static tamis_status envelope_read_node(const uint8_t *at, unsigned index, tms_node *node)
{
    const uint32_t state = tms_load32(at + ENVELOPE_NODE_STATE);
    if ((state & ~(uint32_t)ENVELOPE_STATE_ESTIMATE) != 0 ||
        tms_load32(at + ENVELOPE_NODE_RESERVED32) != 0 ||
        tms_load64(at + ENVELOPE_NODE_RESERVED64) != 0)
        return tms_fail(TAMIS_E_CORRUPT, "a reserved field of node %u is not 0", index);
    tms_shape *s = &node->shape;
    s->kind = tms_load32(at + ENVELOPE_NODE_KIND);
    s->flags = tms_load32(at + ENVELOPE_NODE_BEHAVIOUR);
    s->capacity = tms_load64(at + ENVELOPE_NODE_CAPACITY);
    s->fpr = tms_bits_double(tms_load64(at + ENVELOPE_NODE_FPR));
    s->body_bytes = tms_load64(at + ENVELOPE_NODE_BODY_BYTES);
    s->param_count = tms_load32(at + ENVELOPE_NODE_PARAM_COUNT);
    for (size_t i = 0; i < TMS_PARAMS_MOST; i++)
        s->params[i] = tms_load64(at + ENVELOPE_NODE_PARAMS + 8 * i);
    node->children = tms_load32(at + ENVELOPE_NODE_CHILDREN);
    node->count_is_estimate = (state & ENVELOPE_STATE_ESTIMATE) != 0;
    node->added = tms_load64(at + ENVELOPE_NODE_ADDED);
    return TAMIS_OK;
}

static tamis_status envelope_read_nodes(const uint8_t *header, const tamis_alloc *alloc,
                                        tms_envelope *e)
{
    const size_t bytes = e->node_count * sizeof *e->nodes;
    e->nodes = tms_alloc(alloc, bytes);
    if (!e->nodes) return tms_fail_memory("the nodes of a header", bytes);
    for (uint32_t i = 0; i < e->node_count; i++)
        TMS_TRY(envelope_read_node(header + ENVELOPE_AT_NODES + ENVELOPE_NODE_BYTES * (size_t)i,
                                   (unsigned)i, &e->nodes[i]));
    return envelope_judge_nodes(e, TAMIS_E_CORRUPT);
}

/* The sums of the nodes against what the header says of itself. */
static tamis_status envelope_check_sizes(const uint8_t *header, tms_envelope *e)
{
    const uint64_t body_bytes = tms_load64(header + ENVELOPE_AT_BODY_BYTES);
    if (body_bytes != e->body_bytes)
        return tms_fail(TAMIS_E_CORRUPT,
                        "the header claims %llu bytes of body, but its nodes have %llu",
                        (unsigned long long)body_bytes, (unsigned long long)e->body_bytes);
    envelope_measure(e);
    const uint64_t file_bytes = tms_load64(header + ENVELOPE_AT_FILE_BYTES);
    if (file_bytes != e->file_bytes)
        return tms_fail(TAMIS_E_CORRUPT,
                        "the header claims %llu bytes in all, but its parts make %llu",
                        (unsigned long long)file_bytes, (unsigned long long)e->file_bytes);
    return TAMIS_OK;
}

static tamis_status envelope_check_padding(const uint8_t *from, const uint8_t *to)
{
    for (; from < to; from++)
        if (*from != 0) return tms_fail(TAMIS_E_CORRUPT, "the padding of the header is not 0");
    return TAMIS_OK;
}

static tamis_status envelope_read_metadata(const uint8_t *from, const tamis_alloc *alloc,
                                           tms_envelope *e)
{
    if (e->metadata_bytes == 0) return TAMIS_OK;
    uint8_t *copy = tms_alloc(alloc, e->metadata_bytes);
    if (!copy) return tms_fail_memory("metadata", e->metadata_bytes);
    memcpy(copy, from, e->metadata_bytes);
    e->metadata = copy;
    return TAMIS_OK;
}

static tamis_status envelope_read_sealed(const uint8_t *header, const tamis_alloc *alloc,
                                         tms_envelope *e)
{
    TMS_TRY(envelope_check_sum(header, e));
    TMS_TRY(envelope_read_fixed(header, e));
    TMS_TRY(envelope_read_nodes(header, alloc, e));
    TMS_TRY(envelope_check_sizes(header, e));
    const uint8_t *metadata =
        header + ENVELOPE_AT_NODES + ENVELOPE_NODE_BYTES * (size_t)e->node_count;
    TMS_TRY(envelope_check_padding(metadata + e->metadata_bytes,
                                   header + e->header_bytes - ENVELOPE_SUM_BYTES));
    return envelope_read_metadata(metadata, alloc, e);
}

tamis_status tms_envelope_read(const uint8_t *bytes, size_t size, const tamis_alloc *alloc,
                               tms_envelope *out)
{
    memset(out, 0, sizeof *out);
    uint64_t header_bytes = 0;
    TMS_TRY(tms_envelope_peek(bytes, size, &header_bytes));
    if (size < header_bytes)
        return tms_fail(TAMIS_E_TRUNCATED,
                        "the input ends after %zu bytes, inside its header of %llu", size,
                        (unsigned long long)header_bytes);
    out->header_bytes = header_bytes;
    const tamis_status status = envelope_read_sealed(bytes, alloc, out);
    if (status != TAMIS_OK) tms_envelope_free(alloc, out);
    return status;
}

void tms_envelope_free(const tamis_alloc *alloc, tms_envelope *e)
{
    tms_free(alloc, e->nodes, e->node_count * sizeof *e->nodes);
    if (e->metadata) tms_free(alloc, (void *)(uintptr_t)e->metadata, e->metadata_bytes);
    memset(e, 0, sizeof *e);
}
