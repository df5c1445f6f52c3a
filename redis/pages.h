/* pages.h - large arrays move to huge pages once they are full, where an operator
 * wants that (tamis-huge-pages-from).
 *
 * A random read in 100 MB of ordinary pages costs a walk through the page tables
 * besides the line, and takes twice as long. Asking for huge pages at once would
 * make every first touch zero 2 MiB while clients wait, and make a filter resident
 * before it is used. So an array begins on ordinary pages, and a thread behind
 * everything else moves those 2 MiB of it whose pages are all there, which takes no
 * more memory. Who asks for just these 2 MiB meanwhile waits for a millisecond or
 * some: that is why it is a choice.
 *
 * Linux from 6.1 on, unless the system's setting is `never` or the server has
 * forbidden itself huge pages (disable-thp, where the setting is `always`);
 * elsewhere nothing happens. After a fork a page that is written is copied alone,
 * and its neighbourhood moves again when the child is gone.                 */
#ifndef TAMIS_REDIS_PAGES_H
#define TAMIS_REDIS_PAGES_H

#include "module_api.h"

/** To be called once, on the main thread, as the last step of loading: from now on
 *  a timer lets the thread work.                                            */
void pages_begin(RedisModuleCtx *ctx);

/** Takes an array under watch if it is as large as the setting says. Main thread. */
void pages_watch(void *array, size_t size);

/** To be called before any array is given back. Any thread.                 */
void pages_forget(const void *array, size_t size);

/** Bytes that were moved, for INFO.                                         */
uint64_t pages_moved(void);

#endif
