/* key_numbers.c - see key_numbers.h.                                        */
#include "key_numbers.h"

#include <inttypes.h>
#include <stdio.h>

#include "json.h"
#include "key_stream.h"
#include "paper.h"

static bool numbers_print_line(cli_key_block *block, size_t i)
{
    const cli_record record = block->records[i];
    char number[32];
    int size = block->counts[i] == UINT64_MAX
                   ? snprintf(number, sizeof number, "?\t")
                   : snprintf(number, sizeof number, "%" PRIu64 "\t", block->counts[i]);
    return cli_block_print(block, number, (size_t)size) &&
           cli_block_print(block, block->bytes + record.begin, record.end - record.begin);
}

static bool numbers_work(void *ctx, cli_key_block *block)
{
    const cli_numbers *numbers = ctx;
    bool good = numbers->find(numbers->ctx, block);
    for (size_t i = 0; i < block->count && good; i++) {
        block->hits += block->counts[i] != 0;
        if (!numbers->settings->json) good = numbers_print_line(block, i);
    }
    return good;
}

static void numbers_json(const char *word, const cli_key_block *block)
{
    for (size_t i = 0; i < block->count; i++) {
        cli_json_begin_object(NULL);
        cli_json_bytes("key", block->spans[i].data, block->spans[i].size);
        if (block->counts[i] == UINT64_MAX)
            cli_json_none(word);
        else
            cli_json_whole(word, block->counts[i]);
        cli_json_end_object();
    }
}

static bool numbers_deliver(void *ctx, cli_key_block *block)
{
    cli_numbers *numbers = ctx;
    numbers->found += block->hits;
    if (numbers->settings->json) numbers_json(numbers->word, block);
    cli_paper_write(block->out, block->out_size);
    if (block->stalls) cli_paper_flush();
    return !cli_paper_is_gone();
}

int cli_print_numbers(cli_numbers *numbers, char *const *files, size_t count)
{
    const cli_stream_job job = {.ctx = numbers, .work = numbers_work, .deliver = numbers_deliver};
    if (numbers->settings->json) cli_json_begin_array(NULL);
    int status = cli_stream_keys(numbers->settings, files, count, &job, numbers->doing, true);
    if (numbers->settings->json) cli_json_end_array();
    return status;
}
