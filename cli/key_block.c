/* key_block.c - the memory of a block, its faults and what it prints; see
 * key_block.h. Splitting is in key_split.c.                                 */
#include "key_block.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cli_block_fail(cli_key_block *block, const char *why)
{
    if (block->fault.set) return false;
    block->fault.set = true;
    block->fault.line = 0;
    snprintf(block->fault.why, sizeof block->fault.why, "%s", why);
    return false;
}

bool cli_block_fail_at(cli_key_block *block, char separator, size_t offset, const char *why)
{
    if (block->fault.set) return false;
    cli_block_fail(block, why);
    block->fault.line = 1;
    for (size_t i = 0; i < offset; i++) block->fault.line += block->bytes[i] == separator;
    return false;
}

static bool block_resize(cli_key_block *block, char **bytes, size_t *room, size_t wanted)
{
    char *moved = realloc(*bytes, wanted);
    if (!moved) return cli_block_fail(block, "no memory for a block of the input");
    *bytes = moved;
    *room = wanted;
    return true;
}

bool cli_block_reserve(cli_key_block *block, size_t room)
{
    return room <= block->room || block_resize(block, &block->bytes, &block->room, room);
}

void cli_block_free(cli_key_block *block)
{
    free(block->bytes);
    free(block->records);
    free(block->spans);
    free(block->values);
    free(block->times);
    free(block->digests);
    free(block->answers);
    free(block->joined);
    free(block->out);
    *block = (cli_key_block){0};
}

bool cli_block_print(cli_key_block *block, const void *bytes, size_t size)
{
    if (size > block->out_room - block->out_size) {
        size_t wanted = 2 * block->out_room + size + CLI_BLOCK_BYTES;
        if (!block_resize(block, &block->out, &block->out_room, wanted)) return false;
    }
    memcpy(block->out + block->out_size, bytes, size);
    block->out_size += size;
    return true;
}

bool cli_block_print_records(cli_key_block *block, bool wanted)
{
    const cli_record *records = block->records;
    for (size_t i = 0; i < block->count;) {
        size_t begin = records[i].begin, end = begin;
        for (; i < block->count && block->answers[i] == wanted && records[i].begin == end; i++)
            end = records[i].end;
        if (end > begin && !cli_block_print(block, block->bytes + begin, end - begin)) return false;
        i += end == begin; /* this one is not wanted */
    }
    return true;
}

static bool block_gather_words(cli_key_block *block, const cli_list *words)
{
    for (size_t i = 0; i < words->count; i++) {
        const size_t size = strlen(words->items[i]) + 1;
        if (!cli_block_reserve(block, block->size + size)) return false;
        memcpy(block->bytes + block->size, words->items[i], size);
        block->size += size;
    }
    return true;
}

bool cli_block_take_words(cli_key_block *block, const cli_settings *settings)
{
    const cli_key_format format = {.shape = CLI_WHOLE_LINES, .u64 = settings->u64};
    if (block_gather_words(block, &settings->keys)) cli_block_split(block, &format);
    for (size_t i = 0; !settings->nul && i < block->count; i++) /* for printing */
        block->bytes[block->records[i].end - 1] = '\n';
    return !block->fault.set;
}

tamis_keys cli_keys_part(const tamis_keys *keys, size_t from, size_t count)
{
    tamis_keys part = *keys;
    part.count = count;
    if (keys->layout == TAMIS_LAYOUT_SPANS)
        part.data = (const tamis_span *)keys->data + from;
    else
        part.data = (const uint64_t *)keys->data + from;
    return part;
}

static size_t block_without_line_end(const char *text, size_t size)
{
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == '\r')) size--;
    return size;
}

bool cli_block_head(cli_key_block *block, cli_head *head, bool *fresh)
{
    const size_t size = block_without_line_end(block->bytes, block->head);
    *fresh = block->head > 0 && !head->text;
    if (block->head == 0) return true;
    if (!head->text) {
        head->text = malloc(size + 1);
        if (!head->text) return cli_block_fail(block, "no memory for the header");
        memcpy(head->text, block->bytes, size);
        head->size = size;
    }
    if (size == head->size && memcmp(head->text, block->bytes, size) == 0) return true;
    return cli_block_fail_at(block, '\n', 0,
                             "another header than that of the first file: their records do not "
                             "make one table; give the files one by one");
}
