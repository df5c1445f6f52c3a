/* compaction.h - compacting a cuckoo filter without anybody waiting for it.
 *
 * A small compaction is done at once. The rest of a larger one goes on in
 * slices, from a timer, between the commands of other clients. Questions are
 * answered meanwhile (a fingerprint is in one place or the other at all times);
 * what changes the filter, saves it or tells its numbers first finishes it, so
 * that the bytes are the peer's at every moment they can be seen.           */
#ifndef TAMIS_REDIS_COMPACTION_H
#define TAMIS_REDIS_COMPACTION_H

#include "open_key.h"

/** Goes on with a compaction that a command has left pending in `k`, which is
 *  open for writing.                                                        */
void compaction_continue(open_key *k);

#endif
