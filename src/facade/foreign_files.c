/* foreign_files.c - see foreign_files.h.                                    */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* O_CLOEXEC */
#endif
#include "facade/foreign_files.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "foreign/redisbloom_forms.h"
#include "format/append.h"
#include "format/atomic_file.h"
#include "format/envelope.h"
#include "format/map.h"
#include "format/transport.h"

/* ---- recognising -------------------------------------------------------- */

/* Whether the first bytes are those of this library's files, packed or not. */
static bool foreign_is_native(const uint8_t *first, size_t size)
{
    static const uint8_t magic[] = {0x89, 'T', 'A', 'M', 'I', 'S'};
    if (size >= sizeof magic && memcmp(first, magic, sizeof magic) == 0) return true;
    return tms_transport_recognise(first, size) != TAMIS_PLAIN;
}

static bool foreign_looks_so(const char *path)
{
    uint8_t first[8];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t size = pread(fd, first, sizeof first, 0);
    close(fd);
    return size == sizeof first && !foreign_is_native(first, sizeof first);
}

bool tms_foreign_is(const char *path)
{
    struct stat facts;
    tms_map map;
    if (stat(path, &facts) != 0) return false;
    if (S_ISDIR(facts.st_mode)) return true;
    if (!S_ISREG(facts.st_mode) || !foreign_looks_so(path)) return false;
    if (tms_map_open(path, &map) != TAMIS_OK) return false;
    bool found = tms_rb_recognise(map.bytes, (size_t)map.size) != TMS_RB_NO_FORM;
    tms_map_close(&map);
    return found;
}

/* ---- reading ------------------------------------------------------------ */

/* A filter and how it lay there. */
typedef struct foreign_file {
    tms_rb_form form; /* TMS_RB_NO_FORM: a folder of chunks */
    uint16_t rdb_version;
    tamis_filter *filter;
} foreign_file;

static tamis_status foreign_read_file(const char *path, const tms_rb_place *place,
                                      foreign_file *file)
{
    tms_map map;
    TMS_TRY(tms_map_open(path, &map));
    file->form = tms_rb_recognise(map.bytes, (size_t)map.size);
    tamis_status status = file->form == TMS_RB_NO_FORM
                              ? tms_fail(TAMIS_E_CORRUPT, "'%.300s' is no filter", path)
                              : tms_rb_form_read(file->form, map.bytes, (size_t)map.size, place,
                                                 &file->filter, &file->rdb_version);
    tms_map_close(&map);
    return status;
}

static tamis_status foreign_read(const char *path, const tamis_open_options *options,
                                 foreign_file *file)
{
    const tms_rb_place place = {.alloc = options->alloc, .memory = options->memory};
    memset(file, 0, sizeof *file);
    if (options->behaviour)
        return tms_fail(TAMIS_E_UNSUPPORTED,
                        "a filter of RedisBloom cannot be shared by threads that add to it");
    if (tms_rb_is_folder(path)) return tms_rb_folder_read(path, &place, &file->filter);
    return foreign_read_file(path, &place, file);
}

tamis_status tms_foreign_open(const char *path, const tamis_open_options *options,
                              tamis_filter **out)
{
    foreign_file file;
    TMS_TRY(foreign_read(path, options, &file));
    *out = file.filter;
    return TAMIS_OK;
}

/* ---- adding ------------------------------------------------------------- */

static tamis_status foreign_write(const char *path, const foreign_file *file)
{
    tms_atomic_file *output = NULL;
    if (file->form == TMS_RB_NO_FORM) return tms_rb_folder_write(path, file->filter);
    TMS_TRY(tms_atomic_file_begin(path, &file->filter->alloc, &output));
    tamis_status status = tms_rb_form_write(file->form, file->filter, file->rdb_version,
                                            tms_atomic_file_sink, output);
    if (status == TAMIS_OK) return tms_atomic_file_commit(output);
    tms_atomic_file_abort(output);
    return status;
}

static tamis_status foreign_add_locked(const char *path, const tamis_keys *keys,
                                       const tamis_open_options *options, foreign_file *file,
                                       tamis_file_added *result)
{
    tamis_redisbloom_facts before, after;
    size_t taken;
    TMS_TRY(foreign_read(path, options, file));
    TMS_TRY(tamis_redisbloom_facts_of(file->filter, &before));
    TMS_TRY(tamis_add_many(file->filter, keys, &taken));
    TMS_TRY(tamis_redisbloom_facts_of(file->filter, &after));
    result->added = after.items - before.items;
    result->known = taken - result->added;
    if (result->added == 0) return TAMIS_OK;
    result->rewritten = true;
    return foreign_write(path, file);
}

tamis_status tms_foreign_add(const char *path, const tamis_keys *keys,
                             const tamis_open_options *options, tamis_file_added *result)
{
    foreign_file file = {0};
    tms_append lock;
    TMS_TRY(tms_append_lock(path, &lock));
    tamis_status status = foreign_add_locked(path, keys, options, &file, result);
    tms_append_close(&lock);
    tamis_free(file.filter);
    return status;
}

/* ---- changing ----------------------------------------------------------- */

static tamis_status foreign_change_locked(const char *path, const tamis_open_options *options,
                                          tamis_change change, void *ctx)
{
    const tamis_open_options none = {0};
    foreign_file file = {0};
    TMS_TRY(foreign_read(path, options ? options : &none, &file));
    tamis_status status = change(file.filter, ctx);
    if (status == TAMIS_OK) status = foreign_write(path, &file);
    tamis_free(file.filter);
    return status;
}

tamis_status tms_foreign_change(const char *path, const tamis_open_options *options,
                                tamis_change change, void *ctx)
{
    tms_append lock;
    TMS_TRY(tms_append_lock(path, &lock));
    tamis_status status = foreign_change_locked(path, options, change, ctx);
    tms_append_close(&lock);
    return status;
}
