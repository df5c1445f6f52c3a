/* key_block.h - a stretch of the input: whole records, and the keys in them.
 *
 * The input fills a block with bytes up to the end of a record; splitting finds
 * the records and their keys; a command hashes, asks or adds them and collects
 * what it will print. Each thread has one block and uses it again and again, so
 * the memory of a job is a few blocks, whatever the size of its input.      */
#ifndef CLI_KEY_BLOCK_H
#define CLI_KEY_BLOCK_H

#include <tamis/keys.h>

#include "key_format.h"

enum {
    CLI_BLOCK_BYTES = 1 << 18,  /* read at once: with its keys it fits the second cache */
    CLI_RECORD_MOST = 64 << 20, /* bytes of one record; more is no list of keys */
    CLI_FAULT_WHY = CLI_WHY + 400
};

/* What stopped the job, if anything. */
typedef struct cli_fault {
    bool set;
    uint64_t line; /* of the block, from 1; 0: of no line in particular */
    char why[CLI_FAULT_WHY];
} cli_fault;

/* A record lies at bytes[begin .. end), its line end included. */
typedef struct cli_record {
    uint32_t begin, end;
} cli_record;

typedef struct cli_key_block {
    /* from the input */
    char *bytes;
    size_t size, room;
    uint64_t number;     /* in the order of the input */
    const char *file;    /* for sentences */
    bool starts_file;    /* lines count from 1 again */
    bool stalls;         /* nothing more was there to read: print what there is */
    size_t head;         /* bytes of a CSV header at the front */
    cli_columns columns; /* of this file */
    /* from splitting */
    size_t count; /* records, keys, digests, answers */
    uint64_t lines;
    cli_record *records;
    tamis_span *spans;
    uint64_t *values; /* of --u64 */
    uint64_t *times;  /* of --time, in milliseconds */
    tamis_keys keys;  /* spans or values */
    char *joined;     /* keys that do not lie in the bytes as they are */
    size_t joined_room, joined_size;
    size_t slots; /* room of the arrays */
    /* for the command */
    union {
        uint64_t *digests;
        uint64_t *counts; /* of the keys; a command has use for one of the two */
    };
    bool *answers;
    size_t hits;                  /* answers that are true, where the command counts them */
    size_t routes[CLI_LIST_MOST]; /* and of each of several filters */
    char *out;                    /* to be printed */
    size_t out_size, out_room;
    cli_fault fault;
} cli_key_block;

/* Makes room for `room` bytes and keeps what is there. False: no memory, and
 * the block's fault says so. */
bool cli_block_reserve(cli_key_block *block, size_t room);
void cli_block_free(cli_key_block *block);

/* Finds records and keys. A fault is left in the block, which then has the
 * records before it. */
void cli_block_split(cli_key_block *block, const cli_key_format *format);

/* Takes the keys of --key as the block's records, as if each were a line (a word
 * cannot have a NUL inside). False: the fault says why. */
bool cli_block_take_words(cli_key_block *block, const cli_settings *settings);

/* Keys [from, from + count) of a batch of spans, numbers or digests. */
tamis_keys cli_keys_part(const tamis_keys *keys, size_t from, size_t count);

/* Counts the records only: count and lines. */
void cli_block_count(cli_key_block *block, const cli_key_format *format);

/* Appends to what will be printed. False: no memory, and the fault says so. */
bool cli_block_print(cli_key_block *block, const void *bytes, size_t size);

/* Appends the records whose answer is `wanted`; neighbours go as one piece. */
bool cli_block_print_records(cli_key_block *block, bool wanted);

/* The header of the first CSV, which stands before the records of all. */
typedef struct cli_head {
    char *text;
    size_t size;
} cli_head;

/* Keeps the header of the first block that has one; `*fresh` says that it was
 * this. False: another file has another one, so that their records make no one
 * table; the fault says so. Blocks must come in order. Free head->text. */
bool cli_block_head(cli_key_block *block, cli_head *head, bool *fresh);

/* Leaves a fault, unless there is one: about the line at bytes[offset], or about
 * none. Returns false. */
bool cli_block_fail_at(cli_key_block *block, char separator, size_t offset, const char *why);
bool cli_block_fail(cli_key_block *block, const char *why);

#endif
