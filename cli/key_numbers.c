/* key_numbers.c - see key_numbers.h.                                        */
#include "key_numbers.h"

#include <inttypes.h>
#include <stdio.h>

#include "json.h"
#include "key_stream.h"
#include "paper.h"
#include "words.h"

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

static int numbers_words(cli_numbers *numbers)
{
    cli_key_block block = {0};
    int status = CLI_YES;
    if (numbers->settings->keys.count == 0) return CLI_YES;
    if (cli_block_take_words(&block, numbers->settings) && numbers_work(numbers, &block))
        numbers_deliver(numbers, &block);
    if (block.fault.set) status = cli_complain("--key: %s", block.fault.why);
    cli_block_free(&block);
    return status;
}

static int numbers_files(cli_numbers *numbers, char *const *files, size_t count)
{
    const cli_stream_job stream = {
        .ctx = numbers, .work = numbers_work, .deliver = numbers_deliver};
    cli_key_format format;
    cli_input input;
    cli_progress progress;
    if (numbers->settings->keys.count && count == 0) return CLI_YES;
    if (cli_read_key_format(numbers->settings, &format) != CLI_YES) return CLI_ERROR;
    if (cli_input_open(&input, &format, files, count) != CLI_YES) return CLI_ERROR;
    cli_progress_begin(&progress, numbers->settings, numbers->doing, input.total_bytes, true);
    int status = cli_stream_run(&input, &stream, cli_stream_threads(numbers->settings), &progress);
    cli_input_close(&input);
    return status;
}

int cli_print_numbers(cli_numbers *numbers, char *const *files, size_t count)
{
    if (numbers->settings->json) cli_json_begin_array(NULL);
    int status = numbers_words(numbers);
    if (status == CLI_YES) status = numbers_files(numbers, files, count);
    if (numbers->settings->json) cli_json_end_array();
    return status;
}
