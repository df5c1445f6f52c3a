/* map.c - see map.h.                                                        */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* madvise and O_CLOEXEC */
#endif
#include "format/map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

/* Paths are cut in sentences, so that the reason after them stays. */
static tamis_status map_fail(const char *path, const char *doing, int error)
{
    return tms_fail(TAMIS_E_IO, "%s '%.300s' failed: %s", doing, path, strerror(error));
}

/* Opens and looks; a folder is refused. */
static tamis_status map_open_fd(const char *path, int flags, int *fd, struct stat *facts)
{
    do *fd = open(path, O_RDONLY | O_CLOEXEC | flags);
    while (*fd < 0 && errno == EINTR);
    if (*fd < 0) return map_fail(path, "opening", errno);
    tamis_status status = TAMIS_OK;
    if (fstat(*fd, facts) != 0)
        status = map_fail(path, "looking at", errno);
    else if (S_ISDIR(facts->st_mode))
        status = map_fail(path, "reading", EISDIR);
    if (status != TAMIS_OK) close(*fd);
    return status;
}

static tamis_status map_judge(const char *path, const struct stat *facts)
{
    if (!S_ISREG(facts->st_mode))
        return tms_fail(TAMIS_E_IO, "'%.300s' is no regular file and cannot be mapped; read it",
                        path);
    if (facts->st_size == 0) return tms_fail(TAMIS_E_TRUNCATED, "'%.300s' is empty", path);
    if ((uint64_t)facts->st_size > SIZE_MAX)
        return tms_fail(TAMIS_E_LIMIT, "'%.300s' has %llu bytes, more than can be mapped here",
                        path, (unsigned long long)facts->st_size);
    return TAMIS_OK;
}

static tamis_status map_pages(const char *path, int fd, const struct stat *facts, bool own,
                              tms_map *out)
{
    TMS_TRY(map_judge(path, facts));
    void *bytes = mmap(NULL, (size_t)facts->st_size, own ? PROT_READ | PROT_WRITE : PROT_READ,
                       own ? MAP_PRIVATE : MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) return map_fail(path, "mapping", errno);
    out->bytes = bytes;
    out->size = (uint64_t)facts->st_size;
    return TAMIS_OK;
}

static tamis_status map_open(const char *path, bool own, tms_map *out)
{
    memset(out, 0, sizeof *out);
    int fd;
    struct stat facts = {0};
    /* Without O_NONBLOCK, opening a pipe waits for somebody to write to it. */
    TMS_TRY(map_open_fd(path, O_NONBLOCK, &fd, &facts));
    const tamis_status status = map_pages(path, fd, &facts, own, out);
    close(fd); /* the map keeps the file */
    return status;
}

tamis_status tms_map_open(const char *path, tms_map *out)
{
    return map_open(path, false, out);
}

tamis_status tms_map_open_private(const char *path, tms_map *out)
{
    return map_open(path, true, out);
}

tamis_status tms_map_descriptor(int fd, const char *path, tms_map *out)
{
    struct stat facts = {0};
    memset(out, 0, sizeof *out);
    if (fstat(fd, &facts) != 0) return map_fail(path, "looking at", errno);
    return map_pages(path, fd, &facts, false, out);
}

static void map_touch(const tms_map *map)
{
    const uint64_t page = 4096; /* the smallest there is */
    const volatile uint8_t *bytes = map->bytes;
    for (uint64_t at = 0; at < map->size; at += page) (void)bytes[at];
}

/* The system's own call reports a truncated file where touching it would
 * raise a signal; EINVAL says that the kernel does not have it. */
void tms_map_warm(const tms_map *map)
{
    if (map->size == 0) return;
#ifdef MADV_POPULATE_READ
    void *pages = (void *)(uintptr_t)map->bytes;
    if (madvise(pages, (size_t)map->size, MADV_POPULATE_READ) == 0 || errno != EINVAL) return;
#endif
    map_touch(map);
}

void tms_map_close(tms_map *map)
{
    if (map->bytes) munmap((void *)(uintptr_t)map->bytes, (size_t)map->size);
    memset(map, 0, sizeof *map);
}

tamis_status tms_file_source_open(const char *path, int *fd, uint64_t *size)
{
    *size = 0;
    struct stat facts = {0};
    TMS_TRY(map_open_fd(path, 0, fd, &facts));
    if (!S_ISREG(facts.st_mode)) return TAMIS_OK;
    *size = (uint64_t)facts.st_size;
#ifdef POSIX_FADV_SEQUENTIAL
    (void)posix_fadvise(*fd, 0, 0, POSIX_FADV_SEQUENTIAL); /* advice: may be refused */
#endif
    return TAMIS_OK;
}

tamis_status tms_file_source(void *fd, void *bytes, size_t room, size_t *size)
{
    ssize_t got;
    do got = read(*(const int *)fd, bytes, room);
    while (got < 0 && errno == EINTR);
    if (got < 0) return tms_fail(TAMIS_E_IO, "reading failed: %s", strerror(errno));
    *size = (size_t)got;
    return TAMIS_OK;
}
