/* atomic_file.c - see atomic_file.h.                                        */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* the *at calls and O_CLOEXEC */
#endif
#include "format/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/fail.h"
#include "base/memory.h"

enum {
    ATOMIC_LINKS_MOST = 40, /* as the kernel follows */
    ATOMIC_TRIES_MOST = 100,
    ATOMIC_TEMPORARY = 32 /* room for the temporary name */
};

struct tms_atomic_file {
    tamis_alloc alloc;
    int folder, fd;
    uint64_t written;
    const char *name;                 /* of the file in its folder, inside `path` */
    char temporary[ATOMIC_TEMPORARY]; /* its name until commit, or "" */
    char path[PATH_MAX];              /* with links followed */
};

/* Paths are cut in sentences, so that the reason after them stays. */
static tamis_status atomic_fail(const tms_atomic_file *f, const char *doing, int error)
{
    return tms_fail(TAMIS_E_IO, "%s '%.300s' failed: %s", doing, f->path, strerror(error));
}

/* Closes, removes and frees what there is. */
static void atomic_release(tms_atomic_file *f)
{
    if (f->fd >= 0) close(f->fd);
    if (f->temporary[0] != '\0') unlinkat(f->folder, f->temporary, 0);
    if (f->folder >= 0) close(f->folder);
    const tamis_alloc alloc = f->alloc;
    tms_free(&alloc, f, sizeof *f);
}

/* ---- where the file is -------------------------------------------------- */

/* Length of the folder part of a path, with its last slash; 0 for none. */
static size_t atomic_folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static tamis_status atomic_set_path(tms_atomic_file *f, const char *path)
{
    const size_t length = strlen(path);
    if (length == 0) return tms_fail(TAMIS_E_IO, "an empty path names no file");
    if (length >= sizeof f->path)
        return tms_fail(TAMIS_E_IO, "'%.300s...' has %zu bytes, too many for a path", path, length);
    memcpy(f->path, path, length + 1);
    return TAMIS_OK;
}

/* Replaces a path that is a link by what it points to, seen from its folder. */
static tamis_status atomic_follow(tms_atomic_file *f, bool *was_link)
{
    char target[PATH_MAX];
    const ssize_t length = readlink(f->path, target, sizeof target);
    *was_link = length >= 0;
    if (!*was_link) return TAMIS_OK;
    const size_t folder = target[0] == '/' ? 0 : atomic_folder_length(f->path);
    if (folder + (size_t)length >= sizeof f->path)
        return atomic_fail(f, "following the link", ENAMETOOLONG);
    memcpy(f->path + folder, target, (size_t)length);
    f->path[folder + (size_t)length] = '\0';
    return TAMIS_OK;
}

static tamis_status atomic_follow_all(tms_atomic_file *f)
{
    bool was_link = true;
    for (int i = 0; i < ATOMIC_LINKS_MOST && was_link; i++) TMS_TRY(atomic_follow(f, &was_link));
    return was_link ? atomic_fail(f, "following the link", ELOOP) : TAMIS_OK;
}

static tamis_status atomic_open_folder(tms_atomic_file *f)
{
    const size_t length = atomic_folder_length(f->path);
    f->name = f->path + length;
    char folder[PATH_MAX] = ".";
    if (length > 0) {
        memcpy(folder, f->path, length);
        folder[length] = '\0';
    }
    f->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return f->folder < 0 ? atomic_fail(f, "opening the folder of", errno) : TAMIS_OK;
}

/* ---- the temporary file ------------------------------------------------- */

/* Looks at what is to be replaced; `*exists` and `*old` tell. */
static tamis_status atomic_look(const tms_atomic_file *f, bool *exists, struct stat *old)
{
    if (f->name[0] == '\0') return atomic_fail(f, "writing", EISDIR);
    *exists = fstatat(f->folder, f->name, old, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*exists) return errno == ENOENT ? TAMIS_OK : atomic_fail(f, "looking at", errno);
    if (S_ISDIR(old->st_mode)) return atomic_fail(f, "writing", EISDIR);
    if (!S_ISREG(old->st_mode))
        return tms_fail(TAMIS_E_IO,
                        "'%.300s' is no regular file and cannot be replaced; use tamis_encode_to "
                        "to write into a device or a pipe",
                        f->path);
    return TAMIS_OK;
}

/* Names need not be secret, only new: O_EXCL refuses one that is taken. */
static void atomic_name_temporary(tms_atomic_file *f, int attempt)
{
    struct timespec now = {0, 0};
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t place = (uint64_t)(uintptr_t)f ^ (uint64_t)getpid() << 40;
    const uint64_t moment = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    const uint64_t word = tms_mix64(place + tms_mix64(moment + (uint64_t)attempt));
    snprintf(f->temporary, sizeof f->temporary, ".tamis-%016llx.tmp", (unsigned long long)word);
}

static tamis_status atomic_open_temporary(tms_atomic_file *f, mode_t mode)
{
    for (int i = 0; i < ATOMIC_TRIES_MOST && f->fd < 0; i++) {
        atomic_name_temporary(f, i);
        f->fd = openat(f->folder, f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (f->fd < 0 && errno != EEXIST && errno != EINTR) break;
    }
    if (f->fd >= 0) return TAMIS_OK;
    f->temporary[0] = '\0';
    return atomic_fail(f, "making a temporary file beside", errno);
}

/* The owner is a courtesy: only root may give files away. The mode is not,
 * since it may be what keeps others from reading. */
static tamis_status atomic_take_after(const tms_atomic_file *f, const struct stat *old)
{
    const int refused = fchown(f->fd, old->st_uid, old->st_gid);
    (void)refused;
    if (fchmod(f->fd, old->st_mode & 0777) != 0)
        return atomic_fail(f, "setting the permissions of", errno);
    return TAMIS_OK;
}

static tamis_status atomic_begin_in(tms_atomic_file *f, const char *path)
{
    TMS_TRY(atomic_set_path(f, path));
    TMS_TRY(atomic_follow_all(f));
    TMS_TRY(atomic_open_folder(f));
    bool exists = false;
    struct stat old;
    TMS_TRY(atomic_look(f, &exists, &old));
    TMS_TRY(atomic_open_temporary(f, exists ? 0600 : 0666));
    return exists ? atomic_take_after(f, &old) : TAMIS_OK;
}

/* ---- the calls ---------------------------------------------------------- */

tamis_status tms_atomic_file_begin(const char *path, const tamis_alloc *alloc,
                                   tms_atomic_file **out)
{
    *out = NULL;
    tms_atomic_file *f = tms_alloc(alloc, sizeof *f);
    if (!f) return tms_fail_memory("a file", sizeof *f);
    if (alloc) f->alloc = *alloc;
    f->folder = f->fd = -1;
    const tamis_status status = atomic_begin_in(f, path);
    if (status == TAMIS_OK)
        *out = f;
    else
        atomic_release(f);
    return status;
}

tamis_status tms_atomic_file_sink(void *file, const void *bytes, size_t size)
{
    tms_atomic_file *f = file;
    const uint8_t *at = bytes;
    while (size > 0) {
        const ssize_t written = write(f->fd, at, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0)
            return tms_fail(TAMIS_E_IO, "writing '%.300s' failed after %llu bytes: %s", f->path,
                            (unsigned long long)f->written, strerror(written < 0 ? errno : ENOSPC));
        at += written;
        size -= (size_t)written;
        f->written += (uint64_t)written;
    }
    return TAMIS_OK;
}

static int atomic_flush(int fd)
{
    int failed;
    do failed = fsync(fd);
    while (failed != 0 && errno == EINTR);
    return failed;
}

/* Data must be on disk before the name points to it. */
static tamis_status atomic_put_in_place(tms_atomic_file *f)
{
    if (atomic_flush(f->fd) != 0) return atomic_fail(f, "flushing", errno);
    const int closed = close(f->fd);
    f->fd = -1;
    if (closed != 0 && errno != EINTR) return atomic_fail(f, "closing", errno);
    if (renameat(f->folder, f->temporary, f->folder, f->name) != 0)
        return atomic_fail(f, "renaming a temporary file to", errno);
    f->temporary[0] = '\0';
    /* EINVAL: a file system whose folders need no flushing, or know none. */
    if (atomic_flush(f->folder) != 0 && errno != EINVAL)
        return tms_fail(TAMIS_E_IO,
                        "'%.300s' is complete and in place, but flushing its folder failed: %s",
                        f->path, strerror(errno));
    return TAMIS_OK;
}

tamis_status tms_atomic_file_commit(tms_atomic_file *f)
{
    const tamis_status status = atomic_put_in_place(f);
    atomic_release(f);
    return status;
}

void tms_atomic_file_abort(tms_atomic_file *f)
{
    if (f) atomic_release(f);
}
