/* key_stream.c - see key_stream.h.
 *
 * A gate lets blocks pass by their numbers. A block that ends the job closes
 * each gate when its own turn comes, so that all blocks before it get through
 * and none after it does.                                                   */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* sched_getaffinity */
#endif
#include "key_stream.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "words.h"

enum { STREAM_MOST_THREADS = 256 };

typedef struct stream_gate {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    uint64_t next; /* block whose turn it is */
    bool closed;
} stream_gate;

typedef struct stream_team {
    cli_input *input;
    const cli_stream_job *job;
    cli_progress *progress;
    pthread_mutex_t reading;
    stream_gate commit, deliver;
    uint64_t line; /* before the block that delivers, in its file */
    int status;
} stream_team;

/* ---- gates -------------------------------------------------------------- */

static void stream_gate_make(stream_gate *gate)
{
    *gate = (stream_gate){.next = 0};
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->moved, NULL);
}

static void stream_gate_unmake(stream_gate *gate)
{
    pthread_cond_destroy(&gate->moved);
    pthread_mutex_destroy(&gate->lock);
}

/* Waits for the turn of a block. False: the job has ended before it. */
static bool stream_gate_enter(stream_gate *gate, uint64_t number)
{
    pthread_mutex_lock(&gate->lock);
    while (gate->next != number && !gate->closed) pthread_cond_wait(&gate->moved, &gate->lock);
    bool open = !gate->closed;
    pthread_mutex_unlock(&gate->lock);
    return open;
}

static void stream_gate_leave(stream_gate *gate, bool goes_on)
{
    pthread_mutex_lock(&gate->lock);
    gate->next++;
    gate->closed = !goes_on;
    pthread_cond_broadcast(&gate->moved);
    pthread_mutex_unlock(&gate->lock);
}

/* ---- one block ---------------------------------------------------------- */

static bool stream_step(const stream_team *team, cli_step step, cli_key_block *block)
{
    return !step || (step(team->job->ctx, block) && !block->fault.set);
}

static bool stream_read(stream_team *team, cli_key_block *block)
{
    pthread_mutex_lock(&team->reading);
    bool more = cli_input_fill(team->input, block);
    pthread_mutex_unlock(&team->reading);
    return more;
}

static bool stream_work(const stream_team *team, cli_key_block *block)
{
    if (block->fault.set) return false;
    if (team->job->count_only)
        cli_block_count(block, team->input->format);
    else
        cli_block_split(block, team->input->format);
    return stream_step(team, team->job->work, block) && !block->fault.set;
}

static void stream_complain(stream_team *team, const cli_key_block *block)
{
    cli_progress_end(team->progress);
    if (block->fault.line)
        team->status = cli_complain("%s, line %" PRIu64 ": %s", block->file,
                                    team->line + block->fault.line, block->fault.why);
    else
        team->status = cli_complain("%s: %s", block->file, block->fault.why);
}

/* At its turn a block is printed, or what is wrong with it. */
static bool stream_deliver(stream_team *team, cli_key_block *block, bool goes_on)
{
    if (block->starts_file) team->line = 0;
    if (!block->fault.set) goes_on = stream_step(team, team->job->deliver, block) && goes_on;
    if (block->fault.set) {
        stream_complain(team, block);
        return false;
    }
    team->line += block->lines;
    cli_progress_step(team->progress, block->count, block->size);
    return goes_on;
}

/* All that is done with one block. False: the job has ended. */
static bool stream_block(stream_team *team, cli_key_block *block)
{
    bool goes_on = stream_work(team, block);
    if (!stream_gate_enter(&team->commit, block->number)) return false;
    goes_on = !block->fault.set && stream_step(team, team->job->commit, block) && goes_on;
    stream_gate_leave(&team->commit, goes_on);
    if (!block->fault.set) goes_on = stream_step(team, team->job->finish, block) && goes_on;
    if (!stream_gate_enter(&team->deliver, block->number)) return false;
    goes_on = stream_deliver(team, block, goes_on);
    stream_gate_leave(&team->deliver, goes_on);
    return goes_on;
}

static void *stream_thread(void *ctx)
{
    stream_team *team = ctx;
    cli_key_block block = {0};
    while (stream_read(team, &block)) {
        if (stream_block(team, &block)) continue;
        cli_input_stop(team->input); /* another thread may be waiting for a pipe */
        break;
    }
    cli_block_free(&block);
    return NULL;
}

/* ---- the job ------------------------------------------------------------ */

unsigned cli_stream_threads(const cli_settings *settings)
{
    cpu_set_t allowed;
    uint64_t threads = settings->jobs;
    if (threads == 0 && sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        threads = (uint64_t)CPU_COUNT(&allowed);
    if (threads == 0) return 1;
    return threads < STREAM_MOST_THREADS ? (unsigned)threads : STREAM_MOST_THREADS;
}

/* Threads that cannot be started are not needed: the others do their blocks. */
static void stream_run_team(stream_team *team, unsigned threads)
{
    pthread_t others[STREAM_MOST_THREADS];
    unsigned started = 0;
    while (started + 1 < threads &&
           pthread_create(&others[started], NULL, stream_thread, team) == 0)
        started++;
    stream_thread(team);
    while (started > 0) pthread_join(others[--started], NULL);
}

int cli_stream_run(cli_input *input, const cli_stream_job *job, unsigned threads,
                   cli_progress *progress)
{
    stream_team team = {.input = input, .job = job, .progress = progress, .status = CLI_YES};
    pthread_mutex_init(&team.reading, NULL);
    stream_gate_make(&team.commit);
    stream_gate_make(&team.deliver);
    stream_run_team(&team, threads);
    stream_gate_unmake(&team.deliver);
    stream_gate_unmake(&team.commit);
    pthread_mutex_destroy(&team.reading);
    cli_progress_end(progress);
    return team.status;
}

/* ---- all keys of a call ------------------------------------------------- */

static int stream_words(const cli_settings *settings, const cli_stream_job *job)
{
    const cli_step steps[] = {job->work, job->commit, job->finish, job->deliver};
    cli_key_block block = {0};
    int status = CLI_YES;
    if (settings->keys.count == 0) return CLI_YES;
    bool good = cli_block_take_words(&block, settings);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && good; i++)
        good = !steps[i] || steps[i](job->ctx, &block);
    if (block.fault.set) status = cli_complain("--key: %s", block.fault.why);
    cli_block_free(&block);
    return status;
}

int cli_stream_keys(const cli_settings *settings, char *const *files, size_t count,
                    const cli_stream_job *job, const char *what, bool prints)
{
    cli_key_format format;
    cli_input input;
    cli_progress progress;
    int status = stream_words(settings, job);
    if (status != CLI_YES || (settings->keys.count && count == 0)) return status;
    if (cli_read_key_format(settings, &format) != CLI_YES) return CLI_ERROR;
    if (cli_input_open(&input, &format, files, count) != CLI_YES) return CLI_ERROR;
    cli_progress_begin(&progress, settings, what, input.total_bytes, prints);
    status = cli_stream_run(&input, job, cli_stream_threads(settings), &progress);
    cli_input_close(&input);
    return status;
}

/* ---- counting ----------------------------------------------------------- */

static bool stream_add_count(void *ctx, cli_key_block *block)
{
    *(uint64_t *)ctx += block->count;
    return true;
}

int cli_stream_count(cli_input *input, const cli_settings *settings, uint64_t *count)
{
    cli_progress progress;
    const cli_stream_job job = {.ctx = count, .count_only = true, .commit = stream_add_count};
    *count = 0;
    cli_progress_begin(&progress, settings, "counting", input->total_bytes, false);
    int status = cli_stream_run(input, &job, cli_stream_threads(settings), &progress);
    cli_input_rewind(input);
    return status;
}
