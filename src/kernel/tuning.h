/* tuning.h - the measured parameters of the memory machinery, in one place.
 *
 * Measured by bench_memory and bench_filters (bench/README.md has the
 * commands, bench/results/ the tables).
 *
 * TMS_RUN: keys between fetch and use. Random lines from memory take 100 to
 * 200 ns, a probe 2 ns: 64 keys ahead hide it, 128 still gain a little where
 * the line comes from afar, and 256 digests on the stack are still small.
 *
 * The hint: into the second-level cache. A fetch into the first level holds
 * one of its 10 to 16 miss buffers until the line arrives, which caps the rate
 * at latency / 16; the second level's queue is three times as long.
 *
 * No fetching below TMS_NO_FETCH_BELOW: there the line is near and the fetch
 * instruction costs more than it hides (10 to 30 %).
 *
 * From TMS_FETCH_WHILE_HASHING_FROM on, keys that take long to hash (strings)
 * have their lines fetched one by one as they are hashed, so that memory and
 * processor work at the same time; below, a call per key costs more. Cuckoo
 * tables fetch from there on at all: with two short looks a key the processor
 * overlaps enough of them by itself.                                         */
#ifndef TMS_KERNEL_TUNING_H
#define TMS_KERNEL_TUNING_H

#include <stdint.h>

enum { TMS_RUN = 128 };

#define TMS_NO_FETCH_BELOW ((uint64_t)1 << 20)
#define TMS_FETCH_WHILE_HASHING_FROM ((uint64_t)4 << 20)

/* Third argument: 2 is the second level. Second: 0 to read, also before a write:
 * asking for the line to write gains nothing. */
#define TMS_FETCH(address) __builtin_prefetch((address), 0, 2)

/* From the second level into the first. */
#define TMS_FETCH_NEAR(address) __builtin_prefetch((address), 0, 3)

#endif
