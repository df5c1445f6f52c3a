/* input.c - see input.h.                                                    */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* memrchr, pipe2 */
#endif
#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "words.h"

static const char input_no_name[] = "standard input";

/* ---- looking ------------------------------------------------------------ */

static bool input_is_standard(const char *name)
{
    return strcmp(name, "-") == 0;
}

static int input_refuse(const char *file, int error)
{
    if (error == EISDIR)
        return cli_complain("%s is a folder; name files, or pipe the keys into tamis", file);
    return cli_complain("cannot read %s: %s", file, strerror(error));
}

/* Printing into a file that is being read would go on until the disk is full. */
static bool input_is_output(const struct stat *file)
{
    struct stat out;
    return S_ISREG(file->st_mode) && fstat(STDOUT_FILENO, &out) == 0 &&
           out.st_dev == file->st_dev && out.st_ino == file->st_ino;
}

static int input_look(cli_input *input, const char *name)
{
    struct stat file;
    const bool standard = input_is_standard(name);
    const char *shown = standard ? input_no_name : name;
    if ((standard ? fstat(STDIN_FILENO, &file) : stat(name, &file)) != 0)
        return input_refuse(shown, errno);
    if (S_ISDIR(file.st_mode)) return input_refuse(shown, EISDIR);
    if (!standard && access(name, R_OK) != 0) return input_refuse(shown, errno);
    if (input_is_output(&file))
        return cli_complain("%s is the input and the output; print to another file", shown);
    if (standard) input->start = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (!S_ISREG(file.st_mode) || (standard && input->start < 0))
        input->countable = false;
    else
        input->total_bytes += (uint64_t)file.st_size;
    return CLI_YES;
}

int cli_input_open(cli_input *input, const cli_key_format *format, char *const *names, size_t count)
{
    static char dash[] = "-";
    static char *const standard[] = {dash};
    *input = (cli_input){.format = format,
                         .names = count ? names : standard,
                         .name_count = count ? count : 1,
                         .countable = true,
                         .fd = -1,
                         .wake = {-1, -1}};
    for (size_t i = 0; i < input->name_count; i++)
        if (input_look(input, input->names[i]) != CLI_YES) return CLI_ERROR;
    if (!input->countable && pipe2(input->wake, O_CLOEXEC) != 0)
        return cli_complain("cannot wait for input: %s", strerror(errno));
    return CLI_YES;
}

/* ---- files -------------------------------------------------------------- */

static void input_leave_file(cli_input *input)
{
    if (input->fd > STDIN_FILENO) close(input->fd);
    input->fd = -1;
}

static bool input_fail(cli_key_block *block, const char *what, int error)
{
    char why[CLI_WHY];
    snprintf(why, sizeof why, "%s: %s", what, strerror(error));
    return cli_block_fail(block, why);
}

/* A folder can be opened, so it is only reading that fails. */
static bool input_next_file(cli_input *input, cli_key_block *block)
{
    struct stat file;
    const char *name = input->names[input->next_name++];
    const bool standard = input_is_standard(name);
    input->file = standard ? input_no_name : name;
    input->fd = standard ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (input->fd < 0) return input_fail(block, "cannot be opened", errno);
    input->regular = fstat(input->fd, &file) == 0 && S_ISREG(file.st_mode);
    input->starts_file = true;
    input->carry_size = 0;
    if (input->regular) (void)posix_fadvise(input->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return true;
}

void cli_input_rewind(cli_input *input)
{
    input_leave_file(input);
    for (size_t i = 0; i < input->name_count; i++)
        if (input_is_standard(input->names[i])) (void)lseek(STDIN_FILENO, input->start, SEEK_SET);
    input->next_name = 0;
    input->next_number = 0;
    input->ended = false;
}

void cli_input_close(cli_input *input)
{
    input_leave_file(input);
    free(input->carry);
    input->carry = NULL;
    input->carry_room = 0;
    for (int i = 0; i < 2; i++)
        if (input->wake[i] >= 0) close(input->wake[i]);
}

void cli_input_stop(cli_input *input)
{
    ssize_t written = input->wake[1] >= 0 ? write(input->wake[1], "", 1) : 0;
    (void)written; /* a full pipe wakes as well */
}

/* ---- reading ------------------------------------------------------------ */

/* Bytes of whole records at the front of the block. */
static size_t input_whole(const cli_input *input, const cli_key_block *block)
{
    if (input->format->shape == CLI_CSV) return cli_csv_whole(block->bytes, block->size);
    const char *last =
        block->size ? memrchr(block->bytes, input->format->separator, block->size) : NULL;
    return last ? (size_t)(last - block->bytes) + 1 : 0;
}

/* A pipe that has nothing more just now: whoever feeds it may be waiting for
 * an answer. */
static bool input_stalls(const cli_input *input)
{
    struct pollfd ask = {.fd = input->fd, .events = POLLIN};
    return !input->regular && poll(&ask, 1, 0) == 0;
}

/* Waits for a pipe to have something. False: nobody wants it any more. */
static bool input_wait(cli_input *input)
{
    struct pollfd ask[2] = {{.fd = input->fd, .events = POLLIN},
                            {.fd = input->wake[0], .events = POLLIN}};
    if (input->regular) return true;
    while (poll(ask, 2, -1) < 0 && errno == EINTR) {
    }
    input->ended |= ask[1].revents != 0;
    return !input->ended;
}

/* One read(2); `*got` is 0 at the end of the file. */
static bool input_read(cli_input *input, cli_key_block *block, size_t *got)
{
    ssize_t size;
    if (!input_wait(input)) return false;
    do {
        size = read(input->fd, block->bytes + block->size, block->room - block->size - 1);
    } while (size < 0 && errno == EINTR);
    if (size < 0) return input_fail(block, "cannot be read", errno);
    *got = (size_t)size;
    block->size += *got;
    return true;
}

/* The line end that the last line of a file may lack. */
static void input_end_file(cli_input *input, cli_key_block *block)
{
    const char separator = input->format->separator;
    if (block->size > 0 && block->bytes[block->size - 1] != separator)
        block->bytes[block->size++] = separator; /* a byte was left for it */
    input_leave_file(input);
}

/* Why no record ends in so many bytes: a misplaced quote can make a CSV look
 * like that. */
static bool input_refuse_long(cli_input *input, cli_key_block *block)
{
    cli_csv_cursor cursor = {block->bytes, block->bytes + block->size, input->format->delimiter};
    cli_csv_found found = CLI_CSV_LAST;
    while (input->format->shape == CLI_CSV && found == CLI_CSV_LAST && cursor.at < cursor.end)
        found = cli_csv_skip(&cursor);
    if (found != CLI_CSV_LAST)
        return cli_block_fail_at(block, '\n', (size_t)(cursor.at - block->bytes),
                                 cli_csv_reason(found));
    return cli_block_fail_at(block, input->format->separator, 0,
                             "a record of more than 64 MiB; is this a list of keys?");
}

/* No record ends in a block that is full: makes it larger. */
static bool input_enlarge(cli_input *input, cli_key_block *block)
{
    if (block->size >= CLI_RECORD_MOST) return input_refuse_long(input, block);
    return cli_block_reserve(block, 2 * block->room);
}

/* Reads until the block is full, the input stalls or the file ends, and at least
 * until a record is whole. `*whole` is 0 only after a fault or in an empty file. */
static bool input_gather(cli_input *input, cli_key_block *block, size_t *whole)
{
    size_t got = 0;
    for (;;) {
        bool full = block->size + 1 >= block->room;
        if (full && (*whole = input_whole(input, block)) > 0) return true;
        if (full && !input_enlarge(input, block)) return false;
        if (!input_read(input, block, &got)) return false;
        if (got == 0) {
            input_end_file(input, block);
            *whole = block->size;
            return true;
        }
        block->stalls = input_stalls(input);
        if (block->stalls && (*whole = input_whole(input, block)) > 0) return true;
    }
}

/* What is read beyond the last whole record belongs to the next block. */
static bool input_carry(cli_input *input, cli_key_block *block, size_t whole)
{
    const size_t rest = block->size - whole;
    if (rest > input->carry_room) {
        char *moved = realloc(input->carry, 2 * rest);
        if (!moved) return input_fail(block, "cannot be read", ENOMEM);
        input->carry = moved;
        input->carry_room = 2 * rest;
    }
    if (rest > 0) memcpy(input->carry, block->bytes + whole, rest);
    input->carry_size = rest;
    block->size = whole;
    return true;
}

static bool input_start_block(cli_input *input, cli_key_block *block)
{
    size_t room = CLI_BLOCK_BYTES;
    while (room < 2 * input->carry_size) room *= 2;
    if (!cli_block_reserve(block, room)) return false;
    if (input->carry_size > 0) memcpy(block->bytes, input->carry, input->carry_size);
    block->size = input->carry_size;
    return true;
}

/* ---- the first record of a CSV ------------------------------------------ */

/* A file of some spreadsheets begins with the mark of UTF-8, which is no text. */
static void input_drop_mark(cli_key_block *block)
{
    static const char mark[3] = {'\xEF', '\xBB', '\xBF'};
    if (block->size < sizeof mark || memcmp(block->bytes, mark, sizeof mark) != 0) return;
    block->size -= sizeof mark;
    memmove(block->bytes, block->bytes + sizeof mark, block->size);
}

static void input_read_header(cli_input *input, cli_key_block *block)
{
    char why[CLI_WHY];
    cli_csv_cursor cursor = {block->bytes, block->bytes + block->size, input->format->delimiter};
    if (cli_find_columns(input->format, &cursor, &input->columns, why)) {
        block->head = (size_t)(cursor.at - block->bytes);
        return;
    }
    cli_block_fail_at(block, '\n', (size_t)(cursor.at - block->bytes), why);
}

/* ---- blocks ------------------------------------------------------------- */

static void input_reset_block(const cli_input *input, cli_key_block *block)
{
    block->number = input->next_number;
    block->file = input->file;
    block->starts_file = input->starts_file;
    block->stalls = false;
    block->size = block->head = block->count = block->hits = block->out_size = 0;
    block->lines = 0;
}

/* The next records of the open file; none: the file has ended. */
static void input_fill_from_file(cli_input *input, cli_key_block *block)
{
    size_t whole = 0;
    if (!input_start_block(input, block) || !input_gather(input, block, &whole)) return;
    if (!input_carry(input, block, whole)) return;
    if (input->format->shape != CLI_CSV || block->size == 0) return;
    if (block->starts_file) input_drop_mark(block);
    if (block->starts_file && block->size > 0) input_read_header(input, block);
    block->columns = input->columns;
}

bool cli_input_fill(cli_input *input, cli_key_block *block)
{
    while (!input->ended) {
        if (input->fd < 0 && input->next_name == input->name_count) return false;
        bool open = input->fd >= 0 || input_next_file(input, block);
        input_reset_block(input, block);
        if (open) input_fill_from_file(input, block);
        if (input->ended) return false; /* stopped by another thread */
        input->ended = block->fault.set;
        if (block->size == 0 && !block->fault.set) continue;
        input->starts_file = false;
        input->next_number++;
        return true;
    }
    return false;
}
