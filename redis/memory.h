/* memory.h - where the filters' memory comes from and how it goes back.
 *
 * All of it is the server's own (RedisModule_Calloc), so that maxmemory,
 * INFO memory and eviction see every byte. The server's allocators take large
 * blocks from the system, which zeroes a page when it is first touched: 4 GiB
 * cost microseconds to make, and nobody waits. Giving back is what takes time,
 * the system frees page after page, so a large block goes to a thread of our own,
 * which does it in slices, with pauses, behind everything else that wants to run.
 *
 * Before a block is asked for, it is held against the cap of a filter, a large one
 * also against maxmemory and against what the system would give; a refusal is an
 * error reply, never the end of the server. Commands that arrive from a primary
 * or from the append-only file are not judged again: their fate was decided
 * where they were first run, and a replica must not differ.                  */
#ifndef TAMIS_REDIS_MEMORY_H
#define TAMIS_REDIS_MEMORY_H

#include <stdbool.h>
#include <tamis/redisbloom.h>

#include "module_api.h"

/** The library's door to this memory; one for all filters. Its limits may be set
 *  for a call, and are 0 between calls.                                     */
extern tamis_redisbloom_host memory_host;

/** Says for whom memory is asked from now on: a command's context (NULL: the
 *  server is loading, nothing is refused) and the bytes its filter has. To be
 *  called by whatever may create or grow a filter. Main thread.             */
void memory_on_behalf_of(RedisModuleCtx *ctx, uint64_t held);

/** The same for a copy of a filter, which the server makes without a context. */
void memory_on_behalf_of_copy(void);

/** Whether the one for whom memory is asked is to be judged: neither a primary,
 *  nor the append-only file or an RDB file.                                 */
bool memory_is_judged(void);

/** How often memory was given out: if it has not moved, no filter has grown. */
extern uint64_t memory_grants;

/** Requests that were refused since the start, for INFO.                    */
extern uint64_t memory_refusals;

/** Bytes of blocks that wait for that thread, for INFO.                     */
uint64_t memory_waiting(void);

/** To be called once, on the main thread.                                   */
void memory_begin(void);

#endif
