/* compaction.h - compacting a cuckoo filter without the server waiting for it.
 *
 * A small compaction is done at once. The rest of a larger one goes on in
 * slices, from a timer, between the commands of other clients. Questions are
 * answered meanwhile: a fingerprint is in one place or the other at all times.
 * A command that changes the filter, or tells its numbers, must find it
 * finished, so that the bytes are the peer's at every moment they can be seen:
 * its client is made to wait, the server is not. Where a client may not be
 * made to wait (MULTI, scripts, the stream of a primary) the command finishes
 * the compaction itself.                                                    */
#ifndef TAMIS_REDIS_COMPACTION_H
#define TAMIS_REDIS_COMPACTION_H

#include "open_key.h"

/** Goes on with a compaction that a command has left pending in `k`, which is
 *  open for writing.                                                        */
void compaction_continue(open_key *k);

/** True: the key at argv[1] is being compacted, and `command` will be called
 *  again when that is done; the caller returns at once. To be called first by
 *  commands that need the filter settled.                                   */
bool compaction_wait(RedisModuleCtx *ctx, RedisModuleString **argv, int argc,
                     RedisModuleCmdFunc command);

#endif
