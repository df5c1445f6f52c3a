/* append.c - see append.h.                                                  */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* flock and O_CLOEXEC */
#endif
#include "format/append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"

static tamis_status append_fail(const char *path, const char *doing)
{
    return tms_fail(TAMIS_E_IO, "%s '%.300s' failed: %s", doing, path, strerror(errno));
}

static tamis_status append_take(tms_append *file, int access, int lock)
{
    enum { PATIENCE = 400 }; /* times 5 ms: for readers, who then go on without */
    const struct timespec pause = {.tv_nsec = 5000000};
    int failed;
    file->fd = open(file->path, access | O_CLOEXEC);
    if (file->fd < 0) return append_fail(file->path, "opening");
    for (int i = 0; (failed = flock(file->fd, lock)) != 0 && i < PATIENCE; i++) {
        if (errno == EWOULDBLOCK) nanosleep(&pause, NULL);
        if (errno != EWOULDBLOCK && errno != EINTR) break;
    }
    return failed ? append_fail(file->path, "locking") : TAMIS_OK;
}

/* Whether the path still leads to the file that was locked. */
static bool append_is_current(const tms_append *file)
{
    struct stat locked, named;
    return fstat(file->fd, &locked) == 0 && stat(file->path, &named) == 0 &&
           locked.st_ino == named.st_ino && locked.st_dev == named.st_dev;
}

static tamis_status append_lock_current(const char *path, int access, int lock, tms_append *out)
{
    enum { ATTEMPTS = 100 };
    *out = (tms_append){.path = path, .fd = -1};
    for (int i = 0; i < ATTEMPTS; i++) {
        tamis_status status = append_take(out, access, lock);
        if (status == TAMIS_OK && append_is_current(out)) return TAMIS_OK;
        tms_append_close(out);
        TMS_TRY(status);
    }
    return tms_fail(TAMIS_E_IO, "'%.300s' is replaced by others all the time", path);
}

tamis_status tms_append_open(const char *path, tms_append *out)
{
    return append_lock_current(path, O_RDWR, LOCK_EX, out);
}

tamis_status tms_append_lock(const char *path, tms_append *out)
{
    return append_lock_current(path, O_RDONLY, LOCK_EX, out);
}

void tms_append_hold_off(const char *path, tms_append *out)
{
    struct stat facts;
    *out = (tms_append){.path = path, .fd = -1};
    if (stat(path, &facts) != 0 || !(S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode))) return;
    if (append_lock_current(path, O_RDONLY, LOCK_SH | LOCK_NB, out) != TAMIS_OK)
        tms_append_close(out);
}

tamis_status tms_append_write(const tms_append *file, const void *bytes, size_t size,
                              uint64_t offset)
{
    const uint8_t *from = bytes;
    while (size > 0) {
        ssize_t written = pwrite(file->fd, from, size, (off_t)offset);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return append_fail(file->path, "writing to");
        from += written;
        size -= (size_t)written;
        offset += (uint64_t)written;
    }
    return fdatasync(file->fd) == 0 ? TAMIS_OK : append_fail(file->path, "flushing");
}

size_t tms_append_peek(const tms_append *file, void *bytes, size_t room)
{
    ssize_t size = pread(file->fd, bytes, room, 0);
    return size > 0 ? (size_t)size : 0;
}

tamis_status tms_append_cut(const tms_append *file, uint64_t size)
{
    return ftruncate(file->fd, (off_t)size) == 0 ? TAMIS_OK : append_fail(file->path, "cutting");
}

void tms_append_close(tms_append *file)
{
    if (file->fd >= 0) close(file->fd);
    file->fd = -1;
}
