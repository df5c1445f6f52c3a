/* redisbloom_folder.c - a folder with a file for each chunk.
 *
 * A chunk file is named STEM.N or N, with .bin or .chunk behind it or nothing:
 * N orders the files, the first is the header. N may count (0, 1, 2) or be the
 * iterator of the chunk; a folder is written as it was found.               */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* renameat2, O_DIRECTORY */
#endif
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "foreign/redisbloom_forms.h"
#include "format/atomic_file.h"
#include "format/map.h"

enum { FOLDER_NAME = 256, FOLDER_PATH = PATH_MAX + FOLDER_NAME };

typedef struct folder_file {
    uint64_t number;
    char name[FOLDER_NAME];
} folder_file;

typedef struct folder_list {
    tamis_alloc alloc;
    folder_file *files;
    size_t count, room;
    size_t stem;              /* characters before the number, the same in all */
    char suffix[FOLDER_NAME]; /* after it */
} folder_list;

static tamis_status folder_fail(const char *path, const char *doing)
{
    return tms_fail(TAMIS_E_IO, "%s '%.300s' failed: %s", doing, path, strerror(errno));
}

bool tms_rb_is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* ---- listing ------------------------------------------------------------ */

/* Parts a name into stem, number and suffix; false when it is no chunk's. */
static bool folder_parse(const char *name, size_t *stem, uint64_t *number, const char **suffix)
{
    size_t end = strlen(name);
    for (const char *const *s = (const char *const[]){".bin", ".chunk", NULL}; *s; s++)
        if (end > strlen(*s) && strcmp(name + end - strlen(*s), *s) == 0) {
            end -= strlen(*s);
            break;
        }
    size_t begin = end;
    while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') begin--;
    if (begin == end || end - begin > 18 || (begin && name[begin - 1] != '.') || name[0] == '.')
        return false;
    *stem = begin;
    *suffix = name + end;
    *number = strtoull(name + begin, NULL, 10);
    return true;
}

static tamis_status folder_push(folder_list *list, const char *name, uint64_t number)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        folder_file *larger = tms_alloc(&list->alloc, room * sizeof *larger);
        if (!larger) return tms_fail_memory("the list of chunks", room * sizeof *larger);
        if (list->count) memcpy(larger, list->files, list->count * sizeof *larger);
        tms_free(&list->alloc, list->files, list->room * sizeof *larger);
        list->files = larger;
        list->room = room;
    }
    folder_file *file = &list->files[list->count++];
    file->number = number;
    snprintf(file->name, sizeof file->name, "%s", name);
    return TAMIS_OK;
}

static tamis_status folder_take(folder_list *list, const char *path, const char *name)
{
    const char *suffix;
    uint64_t number;
    size_t stem;
    if (!folder_parse(name, &stem, &number, &suffix)) return TAMIS_OK;
    if (list->count == 0) {
        list->stem = stem;
        snprintf(list->suffix, sizeof list->suffix, "%s", suffix);
    } else if (stem != list->stem || strcmp(suffix, list->suffix) != 0 ||
               strncmp(name, list->files[0].name, stem) != 0) {
        return tms_fail(TAMIS_E_CORRUPT,
                        "'%.200s' holds chunks of more than one filter: '%.60s' and '%.60s'; give "
                        "each a folder of its own",
                        path, list->files[0].name, name);
    }
    return folder_push(list, name, number);
}

static int folder_order(const void *a, const void *b)
{
    uint64_t x = ((const folder_file *)a)->number, y = ((const folder_file *)b)->number;
    return (x > y) - (x < y);
}

static void folder_free(folder_list *list)
{
    tms_free(&list->alloc, list->files, list->room * sizeof *list->files);
}

static tamis_status folder_list_of(const char *path, const tamis_alloc *alloc, folder_list *list)
{
    const struct dirent *entry;
    tamis_status status = TAMIS_OK;
    *list = (folder_list){0};
    if (alloc) list->alloc = *alloc;
    DIR *folder = opendir(path);
    if (!folder) return folder_fail(path, "opening");
    while (status == TAMIS_OK && (entry = readdir(folder)) != NULL)
        status = folder_take(list, path, entry->d_name);
    closedir(folder);
    if (status == TAMIS_OK && list->count == 0)
        status = tms_fail(TAMIS_E_IO,
                          "'%.300s' is a folder, and without chunks of SCANDUMP in it (0.bin, "
                          "1.bin, ...); give a filter file",
                          path);
    if (status == TAMIS_OK) qsort(list->files, list->count, sizeof *list->files, folder_order);
    if (status != TAMIS_OK) folder_free(list);
    return status;
}

/* ---- reading ------------------------------------------------------------ */

static tamis_status folder_map(const char *path, const folder_file *file, tms_map *map)
{
    char name[FOLDER_PATH];
    snprintf(name, sizeof name, "%s/%s", path, file->name);
    return tms_map_open(name, map);
}

static tamis_status folder_header(const char *path, const folder_list *list,
                                  const tms_rb_place *place, tamis_filter **out)
{
    tms_map map;
    size_t used = 0;
    TMS_TRY(folder_map(path, &list->files[0], &map));
    tms_rb_form form = tms_rb_recognise(map.bytes, (size_t)map.size);
    uint32_t kind =
        form == TMS_RB_BLOOM_CHUNKS ? TAMIS_KIND_REDISBLOOM : TAMIS_KIND_REDISBLOOM_CUCKOO;
    tamis_status status =
        form == TMS_RB_BLOOM_CHUNKS || form == TMS_RB_CUCKOO_CHUNKS
            ? tms_rb_header_read(kind, map.bytes, (size_t)map.size, place, &used, out)
            : tms_fail(TAMIS_E_CORRUPT,
                       "'%.60s', the first file of '%.200s', is no header of "
                       "BF.SCANDUMP or CF.SCANDUMP",
                       list->files[0].name, path);
    if (status == TAMIS_OK && used != map.size)
        status =
            tms_fail(TAMIS_E_CORRUPT, "'%.60s' has more in it than a header", list->files[0].name);
    tms_map_close(&map);
    return status;
}

static tamis_status folder_chunk(const char *path, const folder_file *file, int64_t *iter,
                                 tamis_filter *f)
{
    tms_map map;
    TMS_TRY(folder_map(path, file, &map));
    *iter += (int64_t)map.size;
    tamis_status status = tamis_redisbloom_put_chunk(f, *iter, map.bytes, (size_t)map.size);
    tms_map_close(&map);
    if (status == TAMIS_OK) return TAMIS_OK;
    return tms_fail(TAMIS_E_CORRUPT, "'%.60s' of '%.200s' does not fit behind the chunks before it",
                    file->name, path);
}

/* What the files may hold at most, so that a header cannot ask for more. */
static uint64_t folder_bytes(const char *path, const folder_list *list)
{
    char name[FOLDER_PATH];
    struct stat facts;
    uint64_t sum = 0;
    for (size_t i = 1; i < list->count; i++) {
        snprintf(name, sizeof name, "%s/%s", path, list->files[i].name);
        if (stat(name, &facts) == 0) sum += (uint64_t)facts.st_size;
    }
    return sum;
}

static tamis_status folder_read(const char *path, const folder_list *list,
                                const tms_rb_place *place, tamis_filter **out)
{
    tms_rb_place justified = *place;
    int64_t iter = 1;
    uint64_t there = folder_bytes(path, list);
    if (!justified.memory || there < justified.memory) justified.memory = there ? there : 1;
    tamis_status status = folder_header(path, list, &justified, out);
    if (status == TAMIS_E_LIMIT && justified.memory != place->memory)
        return tms_fail(TAMIS_E_TRUNCATED,
                        "the header in '%.200s' speaks of more than the %" PRIu64
                        " bytes that the other chunks have",
                        path, there);
    TMS_TRY(status);
    for (size_t i = 1; i < list->count; i++)
        TMS_TRY(folder_chunk(path, &list->files[i], &iter, *out));
    if ((uint64_t)iter - 1 == tms_rb_of(*out)->bytes) return TAMIS_OK;
    return tms_fail(TAMIS_E_TRUNCATED, "'%.200s' has %" PRId64 " of %" PRIu64 " bytes of chunks",
                    path, iter - 1, tms_rb_of(*out)->bytes);
}

tamis_status tms_rb_folder_read(const char *path, const tms_rb_place *place, tamis_filter **out)
{
    folder_list list;
    tamis_filter *f = NULL;
    TMS_TRY(folder_list_of(path, place->alloc, &list));
    tamis_status status = folder_read(path, &list, place, &f);
    folder_free(&list);
    if (status == TAMIS_OK)
        *out = f;
    else
        tms_filter_drop(f);
    return status;
}

/* ---- writing ------------------------------------------------------------ */

typedef struct folder_output {
    const char *path; /* of the new folder */
    const folder_list *old;
    const tamis_filter *filter;
    bool by_iterator;
    uint64_t written; /* chunks */
} folder_output;

/* The file of the next chunk; `iter` is what LOADCHUNK takes with it. */
static tamis_status folder_put(folder_output *out, int64_t iter, const void *bytes, size_t size)
{
    char name[FOLDER_PATH];
    tms_atomic_file *file = NULL;
    const folder_file *first = &out->old->files[0];
    uint64_t number = out->by_iterator ? (uint64_t)iter : first->number + out->written;
    snprintf(name, sizeof name, "%s/%.*s%" PRIu64 "%s", out->path, (int)out->old->stem, first->name,
             number, out->old->suffix);
    TMS_TRY(tms_atomic_file_begin(name, &out->filter->alloc, &file));
    tamis_status status = tms_atomic_file_sink(file, bytes, size);
    out->written++;
    if (status == TAMIS_OK) return tms_atomic_file_commit(file);
    tms_atomic_file_abort(file);
    return status;
}

static tamis_status folder_put_header(void *ctx, const void *bytes, size_t size)
{
    return folder_put(ctx, 1, bytes, size);
}

static tamis_status folder_put_all(folder_output *out)
{
    const tamis_filter *f = out->filter;
    tamis_redisbloom_chunk chunk;
    size_t size = tamis_redisbloom_header_size(f);
    uint8_t *header = tms_alloc(&f->alloc, size);
    if (!header) return tms_fail_memory("the header", size);
    tamis_redisbloom_header(f, header);
    tamis_status status = folder_put_header(out, header, size);
    tms_free(&f->alloc, header, size);
    for (tamis_redisbloom_chunk_at(f, 1, &chunk); chunk.next && status == TAMIS_OK;
         tamis_redisbloom_chunk_at(f, chunk.next, &chunk))
        status = folder_put(out, chunk.next, chunk.bytes, chunk.size);
    return status;
}

/* Does `act` for every entry of a folder but . and .. */
static tamis_status folder_each(const char *path, const char *other,
                                tamis_status (*act)(const char *from, const char *other,
                                                    const char *name))
{
    const struct dirent *entry;
    tamis_status status = TAMIS_OK;
    DIR *folder = opendir(path);
    if (!folder) return folder_fail(path, "opening");
    while (status == TAMIS_OK && (entry = readdir(folder)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = act(path, other, entry->d_name);
    closedir(folder);
    return status;
}

/* What is no chunk belongs to somebody: it comes along. */
static tamis_status folder_keep(const char *from, const char *to, const char *name)
{
    char old[FOLDER_PATH], new[FOLDER_PATH];
    const char *suffix;
    uint64_t number;
    size_t stem;
    if (folder_parse(name, &stem, &number, &suffix)) return TAMIS_OK;
    snprintf(old, sizeof old, "%s/%s", from, name);
    snprintf(new, sizeof new, "%s/%s", to, name);
    return link(old, new) == 0 ? TAMIS_OK : folder_fail(old, "keeping");
}

static tamis_status folder_remove_one(const char *from, const char *unused, const char *name)
{
    char path[FOLDER_PATH];
    (void)unused;
    snprintf(path, sizeof path, "%s/%s", from, name);
    return unlink(path) == 0 ? TAMIS_OK : folder_fail(path, "removing");
}

static void folder_remove(const char *path)
{
    (void)folder_each(path, NULL, folder_remove_one);
    (void)rmdir(path);
}

/* Exchanges the two names; where the system cannot, there is a moment between
 * two renames in which `path` names nothing. */
static tamis_status folder_exchange(const char *path, const char *made)
{
    char aside[FOLDER_PATH];
#ifdef RENAME_EXCHANGE
    if (renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_EXCHANGE) == 0) return TAMIS_OK;
    if (errno != EINVAL && errno != ENOSYS) return folder_fail(path, "replacing");
#endif
    snprintf(aside, sizeof aside, "%.*s.old", PATH_MAX, made);
    if (rename(path, aside) != 0) return folder_fail(path, "replacing");
    if (rename(made, path) != 0) {
        (void)rename(aside, path);
        return folder_fail(path, "replacing");
    }
    return rename(aside, made) == 0 ? TAMIS_OK : folder_fail(path, "replacing");
}

static void folder_flush(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return;
    (void)fsync(fd);
    close(fd);
}

static bool folder_names_iterators(const folder_list *list)
{
    return list->count > 1 && list->files[0].number == 1 && list->files[1].number > 2;
}

static tamis_status folder_replace(const char *path, const char *made, const folder_list *old,
                                   const tamis_filter *f)
{
    folder_output out = {
        .path = made, .old = old, .filter = f, .by_iterator = folder_names_iterators(old)};
    struct stat facts;
    if (stat(path, &facts) != 0 || mkdir(made, facts.st_mode & 07777) != 0)
        return folder_fail(made, "making");
    tamis_status status = folder_put_all(&out);
    if (status == TAMIS_OK) status = folder_each(path, made, folder_keep);
    if (status == TAMIS_OK) {
        folder_flush(made);
        status = folder_exchange(path, made);
    }
    folder_remove(made); /* the new one, or by now the old one */
    return status;
}

tamis_status tms_rb_folder_write(const char *path, const tamis_filter *f)
{
    char place[PATH_MAX], made[PATH_MAX];
    folder_list old;
    if (!realpath(path, place)) return folder_fail(path, "finding");
    int length = snprintf(made, sizeof made, "%s.tamis-%ld.tmp", place, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof made)
        return tms_fail(TAMIS_E_IO, "the path '%.300s' is too long", path);
    TMS_TRY(folder_list_of(place, &f->alloc, &old));
    tamis_status status = folder_replace(place, made, &old, f);
    folder_free(&old);
    char *slash = strrchr(place, '/');
    if (slash && slash != place) *slash = '\0';
    if (status == TAMIS_OK) folder_flush(place);
    return status;
}
