/* key_collect.c - see key_collect.h.                                        */
#include "key_collect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter_files.h"
#include "key_stream.h"
#include "utf8.h"
#include "words.h"

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

/* ---- reading ------------------------------------------------------------ */

static int collect_words(cli_collected *keys)
{
    cli_key_block block = {0};
    int status = CLI_YES;
    if (keys->settings->keys.count == 0) return CLI_YES;
    if (cli_block_take_words(&block, keys->settings) && collect_hash(keys, &block))
        collect_take(keys, &block);
    if (block.fault.set) status = cli_complain("--key: %s", block.fault.why);
    cli_block_free(&block);
    return status;
}

static int collect_files(cli_collected *keys, char *const *files, size_t count)
{
    const cli_stream_job stream = {.ctx = keys, .work = collect_hash, .commit = collect_take};
    cli_key_format format;
    cli_input input;
    cli_progress progress;
    if (keys->settings->keys.count && count == 0) return CLI_YES;
    if (cli_read_key_format(keys->settings, &format) != CLI_YES) return CLI_ERROR;
    if (cli_input_open(&input, &format, files, count) != CLI_YES) return CLI_ERROR;
    cli_progress_begin(&progress, keys->settings, "reading", input.total_bytes, false);
    int status = cli_stream_run(&input, &stream, cli_stream_threads(keys->settings), &progress);
    cli_input_close(&input);
    return status;
}

int cli_collect(cli_collected *keys, char *const *files, size_t count)
{
    keys->by_key = !cli_takes_digests(keys->filter);
    int status = collect_words(keys);
    return status == CLI_YES ? collect_files(keys, files, count) : status;
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
