/* key_collect.c - see key_collect.h.                                        */
#include "key_collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter_files.h"
#include "key_stream.h"
#include "utf8.h"

/* ---- keeping ------------------------------------------------------------ */

static bool collect_reserve(cli_collected *keys, size_t more)
{
    more++; /* offsets end with one more */
    if (keys->room - keys->count >= more) return true;
    size_t room = 2 * keys->room > keys->count + more ? 2 * keys->room : keys->count + more;
    uint64_t *larger = realloc(keys->digests, room * sizeof *larger);
    if (!larger) return false;
    keys->digests = larger;
    keys->room = room;
    return true;
}

/* An integer as the 8 bytes that are its key. */
static uint64_t collect_little(uint64_t value)
{
    uint8_t bytes[8];
    uint64_t little;
    for (unsigned i = 0; i < 8; i++) bytes[i] = (uint8_t)(value >> (8 * i) & 255);
    memcpy(&little, bytes, sizeof little);
    return little;
}

static bool collect_keep(cli_collected *keys, const void *key, size_t size)
{
    cli_collected_text *text = &keys->text;
    if (text->room - text->size < size) {
        size_t room = 2 * text->room > text->size + size ? 2 * text->room : text->size + size;
        char *larger = realloc(text->bytes, room);
        if (!larger) return false;
        text->bytes = larger;
        text->room = room;
    }
    if (size) memcpy(text->bytes + text->size, key, size);
    text->size += size;
    keys->digests[keys->count++] = text->size - size; /* where it begins */
    return true;
}

static bool collect_keep_block(cli_collected *keys, const cli_key_block *block)
{
    const bool numbers = block->keys.layout == TAMIS_LAYOUT_U64;
    bool kept = true;
    for (size_t i = 0; i < block->count && kept; i++) {
        const uint64_t little = numbers ? collect_little(block->values[i]) : 0;
        kept = numbers ? collect_keep(keys, &little, sizeof little)
                       : collect_keep(keys, block->spans[i].data, block->spans[i].size);
    }
    return kept;
}

/* ---- the steps of a block ----------------------------------------------- */

static bool collect_hash(void *ctx, cli_key_block *block)
{
    const cli_collected *keys = ctx;
    if (keys->noting_absent)
        block->hits = tamis_may_contain_many(keys->filter, &block->keys, block->answers);
    if (keys->by_key) return true;
    return tamis_hash_many(keys->filter, &block->keys, block->digests) == TAMIS_OK;
}

/* The first absent key, as far as it is text. */
static void collect_note_absent(cli_collected *keys, const cli_key_block *block)
{
    const size_t absent = block->count - block->hits;
    if (!keys->noting_absent || absent == 0) return;
    size_t i = 0;
    while (block->answers[i]) i++;
    const tamis_span key = block->spans[i];
    if (keys->absent == 0 && key.size < sizeof keys->first && cli_utf8_is_plain(key.data, key.size))
        snprintf(keys->first, sizeof keys->first, "%.*s", (int)key.size, (const char *)key.data);
    keys->absent += absent;
}

static bool collect_take(void *ctx, cli_key_block *block)
{
    cli_collected *keys = ctx;
    if (!collect_reserve(keys, block->count))
        return cli_block_fail(block, "there is no memory for so many keys; build a new filter");
    collect_note_absent(keys, block);
    if (keys->by_key)
        return collect_keep_block(keys, block) || cli_block_fail(block, "there is no memory left");
    if (block->count)
        memcpy(keys->digests + keys->count, block->digests, block->count * sizeof *keys->digests);
    keys->count += block->count;
    return true;
}

/* ---- all of it ---------------------------------------------------------- */

int cli_collect(cli_collected *keys, char *const *files, size_t count)
{
    const cli_stream_job job = {.ctx = keys, .work = collect_hash, .commit = collect_take};
    keys->by_key = !cli_takes_digests(keys->filter);
    return cli_stream_keys(keys->settings, files, count, &job, "reading", false);
}

tamis_keys cli_collected_keys(const cli_collected *keys)
{
    if (!keys->by_key) return tamis_keys_digests(keys->digests, keys->count);
    if (keys->digests) keys->digests[keys->count] = keys->text.size; /* room was reserved */
    return tamis_keys_offsets64(keys->text.bytes, (const int64_t *)keys->digests, keys->count);
}

void cli_collected_free(cli_collected *keys)
{
    free(keys->digests);
    free(keys->text.bytes);
}
