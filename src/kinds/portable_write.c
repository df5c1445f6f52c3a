/* portable_write.c - a 32-bit bitmap in its smallest form; see portable.h.
 *
 * A chunk is runs where that is strictly smaller, otherwise sorted values up to
 * 4096 of them and bits above. That depends on the values alone.            */
#include "base/bits.h"
#include "kinds/portable_parts.h"

/* ---- counting runs ------------------------------------------------------ */

static uint32_t portable_runs_of_array(const portable_chunk *chunk)
{
    uint32_t runs = 1;
    for (uint32_t i = 1; i < chunk->cardinality; i++)
        runs += tms_load16(chunk->data + 2 * (size_t)i - 2) + 1u !=
                tms_load16(chunk->data + 2 * (size_t)i);
    return runs;
}

/* A run begins at every bit whose lower neighbour is not set. */
static uint32_t portable_runs_of_bits(const uint8_t *data)
{
    uint32_t runs = 0;
    uint64_t before = 0; /* the top bit of the word before */
    for (size_t i = 0; i < PORTABLE_WORDS; i++) {
        uint64_t word = tms_load64(data + 8 * i);
        runs += tms_popcount64(word & ~(word << 1 | before));
        before = word >> 63;
    }
    return runs;
}

/* Runs that touch are one. */
static uint32_t portable_runs_of_runs(const portable_chunk *chunk)
{
    uint32_t runs = 0, next = UINT32_MAX;
    for (uint32_t i = 0; i < chunk->runs; i++) {
        uint32_t first = tms_load16(chunk->data + 4 * (size_t)i);
        runs += first != next;
        next = first + tms_load16(chunk->data + 4 * (size_t)i + 2) + 1;
    }
    return runs;
}

typedef struct portable_choice {
    portable_form form;
    uint32_t runs, bytes;
} portable_choice;

static portable_choice portable_choose(const portable_chunk *chunk)
{
    portable_choice choice = {.form = portable_plain_form(chunk->cardinality)};
    choice.runs = chunk->form == PORTABLE_ARRAY  ? portable_runs_of_array(chunk)
                  : chunk->form == PORTABLE_BITS ? portable_runs_of_bits(chunk->data)
                                                 : portable_runs_of_runs(chunk);
    choice.bytes = portable_form_bytes(choice.form, chunk->cardinality, 0);
    uint32_t as_runs = portable_form_bytes(PORTABLE_RUNS, 0, choice.runs);
    if (as_runs >= choice.bytes) return choice;
    return (portable_choice){.form = PORTABLE_RUNS, .runs = choice.runs, .bytes = as_runs};
}

/* ---- by way of bits ----------------------------------------------------- */

static void portable_set_bits(uint8_t *bits, uint32_t first, uint32_t last)
{
    for (uint32_t value = first; value <= last; value++)
        bits[value / 8] = (uint8_t)(bits[value / 8] | 1u << value % 8);
}

static void portable_to_bits(const portable_chunk *chunk, uint8_t bits[PORTABLE_BITS_BYTES])
{
    memset(bits, 0, PORTABLE_BITS_BYTES);
    for (uint32_t i = 0; chunk->form == PORTABLE_ARRAY && i < chunk->cardinality; i++) {
        uint32_t value = tms_load16(chunk->data + 2 * (size_t)i);
        portable_set_bits(bits, value, value);
    }
    for (uint32_t i = 0; chunk->form == PORTABLE_RUNS && i < chunk->runs; i++) {
        uint32_t first = tms_load16(chunk->data + 4 * (size_t)i);
        portable_set_bits(bits, first, first + tms_load16(chunk->data + 4 * (size_t)i + 2));
    }
    if (chunk->form == PORTABLE_BITS) memcpy(bits, chunk->data, PORTABLE_BITS_BYTES);
}

static uint8_t *portable_put16(uint8_t *out, uint32_t x)
{
    tms_store16(out, (uint16_t)x);
    return out + 2;
}

static void portable_write_array(const uint8_t *bits, uint8_t *out)
{
    for (uint32_t i = 0; i < PORTABLE_WORDS; i++)
        for (uint64_t word = tms_load64(bits + 8 * (size_t)i); word; word &= word - 1)
            out = portable_put16(out, 64 * i + (uint32_t)__builtin_ctzll(word));
}

/* The next value from `value` on that is in the set, or is not; 65536: none. */
static uint32_t portable_seek(const uint8_t *bits, uint32_t value, bool present)
{
    const uint64_t flip = present ? 0 : UINT64_MAX;
    for (; value < 65536; value = (value / 64 + 1) * 64) {
        uint64_t word = (tms_load64(bits + value / 64 * 8) ^ flip) >> value % 64;
        if (word) return value + (uint32_t)__builtin_ctzll(word);
    }
    return value;
}

static void portable_write_runs(const uint8_t *bits, uint32_t runs, uint8_t *out)
{
    uint32_t end = 0;
    out = portable_put16(out, runs);
    for (uint32_t i = 0; i < runs; i++) {
        uint32_t first = portable_seek(bits, end, true);
        end = portable_seek(bits, first, false);
        out = portable_put16(out, first);
        out = portable_put16(out, end - first - 1);
    }
}

/* ---- writing ------------------------------------------------------------ */

static void portable_write_chunk(const portable_chunk *chunk, const portable_choice *choice,
                                 uint8_t *out)
{
    uint8_t bits[PORTABLE_BITS_BYTES];
    bool as_it_is = chunk->form == choice->form && chunk->runs <= choice->runs;
    if (as_it_is) {
        size_t count = choice->form == PORTABLE_RUNS ? 2 : 0;
        memcpy(out, chunk->data - count, choice->bytes);
        return;
    }
    portable_to_bits(chunk, bits);
    if (choice->form == PORTABLE_RUNS)
        portable_write_runs(bits, choice->runs, out);
    else if (choice->form == PORTABLE_ARRAY)
        portable_write_array(bits, out);
    else
        memcpy(out, bits, PORTABLE_BITS_BYTES);
}

/* Chunk `index`, which begins at `data`, and how it is best written. */
static const uint8_t *portable_judge(const portable_head *head, uint32_t index, const uint8_t *data,
                                     portable_chunk *chunk, portable_choice *choice)
{
    *chunk = portable_chunk_at(head, index, data);
    portable_chunk_read_runs(chunk);
    *choice = portable_choose(chunk);
    return data + portable_form_bytes(chunk->form, chunk->cardinality, chunk->runs);
}

typedef struct portable_size {
    uint64_t data; /* bytes of all chunks */
    bool has_runs;
} portable_size;

static portable_size portable_size_of(const portable_head *head, const uint8_t *data)
{
    portable_size size = {0};
    portable_chunk chunk;
    portable_choice choice;
    for (uint32_t i = 0; i < head->chunks; i++) {
        data = portable_judge(head, i, data, &chunk, &choice);
        size.data += choice.bytes;
        size.has_runs |= choice.form == PORTABLE_RUNS;
    }
    return size;
}

size_t tms_portable_measure(const uint8_t *bitmap)
{
    portable_head head;
    (void)tms_portable_read_head(bitmap, UINT64_MAX, &head);
    portable_size size = portable_size_of(&head, bitmap + head.bytes);
    return (size_t)(portable_head_bytes(head.chunks, size.has_runs) + size.data);
}

/* Cookie and, where there are runs, room for the flags; returns what follows. */
static uint8_t *portable_write_cookie(uint32_t chunks, bool has_runs, uint8_t *out)
{
    if (has_runs) {
        tms_store32(out, PORTABLE_COOKIE | (chunks - 1) << 16);
        memset(out + 4, 0, (chunks + 7) / 8);
        return out + 4 + (chunks + 7) / 8;
    }
    tms_store32(out, PORTABLE_COOKIE_PLAIN);
    tms_store32(out + 4, chunks);
    return out + 8;
}

size_t tms_portable_write(const uint8_t *bitmap, uint8_t *out)
{
    portable_head head;
    portable_chunk chunk;
    portable_choice choice;
    (void)tms_portable_read_head(bitmap, UINT64_MAX, &head);
    const uint8_t *data = bitmap + head.bytes;
    const portable_size size = portable_size_of(&head, data);
    const bool has_offsets = !size.has_runs || head.chunks >= PORTABLE_OFFSETS_FROM;
    uint8_t *keys = portable_write_cookie(head.chunks, size.has_runs, out);
    uint8_t *offsets = keys + 4 * (size_t)head.chunks;
    uint8_t *at = out + portable_head_bytes(head.chunks, size.has_runs);
    for (uint32_t i = 0; i < head.chunks; i++) {
        data = portable_judge(&head, i, data, &chunk, &choice);
        tms_store16(keys + 4 * (size_t)i, chunk.key);
        tms_store16(keys + 4 * (size_t)i + 2, (uint16_t)(chunk.cardinality - 1));
        if (choice.form == PORTABLE_RUNS) out[4 + i / 8] = (uint8_t)(out[4 + i / 8] | 1u << i % 8);
        if (has_offsets) tms_store32(offsets + 4 * (size_t)i, (uint32_t)(at - out));
        portable_write_chunk(&chunk, &choice, at);
        at += choice.bytes;
    }
    return (size_t)(at - out);
}
