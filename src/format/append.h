/* append.h - a file that is changed at its end, by one process at a time, and
 * by none while it is being read.                                           */
#ifndef TMS_FORMAT_APPEND_H
#define TMS_FORMAT_APPEND_H

#include <stddef.h>
#include <stdint.h>
#include <tamis/status.h>

/* An open file with its lock. */
typedef struct tms_append {
    const char *path; /* the caller's */
    int fd;
} tms_append;

/* Opens the file for reading and writing and waits for its lock; when the file
 * was replaced meanwhile, the new one is taken. */
tamis_status tms_append_open(const char *path, tms_append *out);

/* Waits for the lock of what is written anew as a whole, a file or a folder. */
tamis_status tms_append_lock(const char *path, tms_append *out);

/* Waits until nobody appends, and keeps others from it until closed, so that a
 * file or a folder is read as it is at one moment. After two seconds it goes on
 * without. Where there is nothing to lock (no such file, a pipe, no permission, a
 * system without locks), fd is -1. */
void tms_append_hold_off(const char *path, tms_append *out);

/* Writes at `offset`, all of it, and waits until it is on the disk. */
tamis_status tms_append_write(const tms_append *file, const void *bytes, size_t size,
                              uint64_t offset);

/* The first bytes of the file; returns how many there are, 0 if it cannot be read. */
size_t tms_append_peek(const tms_append *file, void *bytes, size_t room);

/* Cuts the file to `size` bytes: only ever what was never finished. */
tamis_status tms_append_cut(const tms_append *file, uint64_t size);

/* Gives the lock back. */
void tms_append_close(tms_append *file);

#endif
