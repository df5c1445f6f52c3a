/* file_add.c - adding a few keys to a filter in a file.
 *
 * The filter is opened in pages of this process's own, the keys are added
 * there, which tells which of them are new, and the digests of those go to the
 * journal behind the file: first the record, then, in one write that cannot be
 * halved, the 8 bytes that make it count (src/format/journal.h). A filter that
 * works from the keys themselves has no use for digests: it is read, added to
 * and written anew.                                                         */
#include <string.h>
#include <tamis/file.h>

#include "base/endian.h"
#include "base/fail.h"
#include "base/memory.h"
#include "facade/add_key.h"
#include "facade/batch.h"
#include "facade/foreign_files.h"
#include "facade/roll.h"
#include "facade/load.h"
#include "facade/origin.h"
#include "format/append.h"
#include "format/chunks.h"
#include "format/journal.h"
#include "format/map.h"
#include "kernel/tuning.h"

/* The journal is taken into the file when it passes both: reading it is then
 * no longer cheap beside reading the filter. */
#define FILE_ADD_JOURNAL_LEAST ((uint64_t)1 << 20)
enum { FILE_ADD_JOURNAL_SHARE = 512 }; /* a digest a page: each makes a private copy of one */

/* The digests to append, growing: those that were new, and of filters that can
 * remove all. NULL where the filter works from keys, and new ones are only
 * counted. */
typedef struct file_add_list {
    const tamis_alloc *alloc;
    uint64_t *digests;
    size_t count, room;
    size_t fresh; /* keys that were new */
} file_add_list;

static tamis_status file_add_push(file_add_list *list, uint64_t digest)
{
    if (list->count == list->room) {
        uint64_t *longer = tms_lengthen(list->alloc, list->digests, sizeof *longer, &list->room);
        if (!longer) return tms_fail_memory("the new digests", 2 * list->room * sizeof *longer);
        list->digests = longer;
    }
    list->digests[list->count++] = digest;
    return TAMIS_OK;
}

/* ---- adding in memory --------------------------------------------------- */

static tamis_status file_add_digest(tamis_filter *f, uint64_t digest, file_add_list *list)
{
    bool was_new = false;
    if (f->origin) TMS_TRY(tms_origin_amend(f, digest));
    TMS_TRY(tms_add_digest(f, digest, &was_new));
    list->fresh += was_new;
    bool counts = was_new || tms_holds_occurrences(f);             /* each occurrence is one */
    bool refreshed = (f->kind->abilities & TAMIS_CAN_FORGET) != 0; /* a known key too is younger */
    return counts || refreshed ? file_add_push(list, digest) : TAMIS_OK;
}

/* Into a filter that works from the keys. */
static tamis_status file_add_themselves(tamis_filter *f, const tamis_keys *keys,
                                        file_add_list *list)
{
    for (size_t i = 0; i < keys->count; i++) {
        uint64_t little;
        bool was_new = false;
        tamis_span key = tms_batch_key(keys, i, &little);
        TMS_TRY(tms_add_key(f, key.data, key.size, &was_new));
        list->fresh += was_new;
        list->count += was_new;
    }
    return TAMIS_OK;
}

static tamis_status file_add_keys(tamis_filter *f, const tamis_keys *keys, file_add_list *list)
{
    uint64_t room[TMS_RUN];
    if (f->ops->add_keys && keys->layout != TAMIS_LAYOUT_DIGESTS)
        return file_add_themselves(f, keys, list);
    for (size_t from = 0; from < keys->count; from += TMS_RUN) {
        size_t count = keys->count - from < TMS_RUN ? keys->count - from : TMS_RUN;
        const uint64_t *digests = tms_batch_digests(f, keys, from, count, room);
        for (size_t i = 0; i < count; i++) TMS_TRY(file_add_digest(f, digests[i], list));
    }
    return TAMIS_OK;
}

/* A filter whose changes stay in this process: in private pages, or read, which
 * one that will be written anew must be. */
static tamis_status file_add_open(const char *path, const tamis_open_options *options,
                                  tamis_filter **out)
{
    tamis_open_options plain = *options;
    plain.flags = TAMIS_OPEN_MAP;
    plain.behaviour = 0;
    tamis_status status = tms_load_private(path, &plain, out);
    plain.flags = 0;
    if (status == TAMIS_OK && (*out)->ops->add_keys) {
        tamis_free(*out);
        *out = NULL;
        status = TAMIS_E_UNSUPPORTED;
    }
    if (status == TAMIS_E_UNSUPPORTED) status = tms_load_file(path, &plain, out);
    if (status == TAMIS_OK) tms_origin_allow_changes(*out);
    return status;
}

/* ---- writing ------------------------------------------------------------ */

/* The record, then the 8 bytes that make it count. */
static tamis_status file_add_append(const tms_append *file, const tms_input *input,
                                    const file_add_list *list)
{
    tms_envelope e = input->sizes;
    uint64_t size = tms_journal_record_bytes(list->count), offset = e.journal_bytes;
    uint8_t *record = tms_alloc(list->alloc, (size_t)size), sum[8];
    if (!record) return tms_fail_memory("the journal's record", size);
    tms_journal_record_write(&e, offset, list->digests, list->count, record);
    tamis_status status = tms_append_cut(file, e.file_bytes + offset);
    if (status == TAMIS_OK)
        status = tms_append_write(file, record, (size_t)size, e.file_bytes + offset);
    tms_free(list->alloc, record, (size_t)size);
    if (status != TAMIS_OK) (void)tms_append_cut(file, e.file_bytes + offset);
    TMS_TRY(status);
    e.journal_bytes = offset + size;
    tms_store64(sum, tms_trailer_sum(&e, input->tail - e.trailer_bytes));
    return tms_append_write(file, sum, sizeof sum, e.file_bytes - sizeof sum);
}

static bool file_add_is_long(const tms_envelope *e, const file_add_list *list)
{
    uint64_t journal = e->journal_bytes + tms_journal_record_bytes(list->count);
    return journal > FILE_ADD_JOURNAL_LEAST && journal > e->body_bytes / FILE_ADD_JOURNAL_SHARE;
}

static uint64_t file_add_appended(const tms_input *input)
{
    const uint8_t *digests;
    uint64_t at = 0, count, sum = 0;
    while (tms_journal_next(&input->sizes, input->tail, &at, &digests, &count)) sum += count;
    return sum;
}

static tamis_status file_add_store(const tms_append *file, const tamis_filter *f,
                                   const file_add_list *list, tamis_file_added *result)
{
    tms_map map;
    tms_input input;
    TMS_TRY(tms_map_open(file->path, &map));
    tamis_status status = tms_input_split(map.bytes, map.size, list->alloc, &input);
    if (status == TAMIS_OK && input.sizes.file_bytes == 0)
        status = tms_fail(TAMIS_E_UNSUPPORTED, "keys cannot be appended to a compressed file; "
                                               "unpack it first (gunzip, zstd -d)");
    if (status == TAMIS_OK && list->count) {
        result->rewritten = !list->digests || file_add_is_long(&input.sizes, list);
        status = result->rewritten ? tamis_save(f, file->path, NULL)
                                   : file_add_append(file, &input, list);
    }
    if (status == TAMIS_OK && !result->rewritten)
        result->appended = file_add_appended(&input) + list->count;
    tms_map_close(&map);
    return status;
}

static tamis_status file_add_locked(const tms_append *file, const tamis_keys *keys,
                                    const tamis_open_options *options, tamis_file_added *result)
{
    tamis_filter *f = NULL;
    file_add_list list = {.alloc = options->alloc};
    tamis_status status = file_add_open(file->path, options, &f);
    if (status == TAMIS_OK) status = file_add_keys(f, keys, &list);
    if (status == TAMIS_OK) status = file_add_store(file, f, &list, result);
    result->added = list.fresh;
    result->known = keys->count - list.fresh;
    tms_free(options->alloc, list.digests, list.room * sizeof *list.digests);
    tamis_free(f);
    return status;
}

static tamis_status file_add_foreign(const char *path, const tamis_keys *keys,
                                     const tamis_open_options *options, tamis_file_added *result)
{
    tamis_status status = tms_foreign_add(path, keys, options, result);
    if (status != TAMIS_OK) memset(result, 0, sizeof *result);
    return status;
}

tamis_status tamis_file_add_many(const char *path, const tamis_keys *keys,
                                 const tamis_open_options *options, tamis_file_added *result)
{
    const tamis_open_options none = {0};
    tamis_file_added unwanted;
    tms_append file;
    if (!result) result = &unwanted;
    memset(result, 0, sizeof *result);
    if (!options) options = &none;
    TMS_TRY(tms_batch_check(keys));
    if (tms_foreign_is(path)) return file_add_foreign(path, keys, options, result);
    TMS_TRY(tms_append_open(path, &file));
    tamis_status status = file_add_locked(&file, keys, options, result);
    tms_append_close(&file);
    if (status != TAMIS_OK) memset(result, 0, sizeof *result);
    return status;
}
