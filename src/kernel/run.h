/* run.h - a stretch of a batch: the digests to work on, and those that come
 * after them, whose lines are fetched meanwhile.
 *
 * A batch is worked in runs of TMS_RUN digests, each naming the next as
 * `ahead`: so between the fetch of a line and its use lie always TMS_RUN other
 * keys, also where the digests are made on the fly from strings. A run with
 * no `now` fetches the first lines of a batch; one with no `ahead` fetches
 * nothing, which is what a filter that fits the cache wants.                */
#ifndef TMS_KERNEL_RUN_H
#define TMS_KERNEL_RUN_H

#include <stddef.h>
#include <stdint.h>

typedef struct tms_run {
    const uint64_t *now;
    size_t count;
    const uint64_t *ahead;
    size_t ahead_count;
} tms_run;

#endif
