/* file_change.c - changing a filter in a file in ways that no journal knows:
 * read, changed and written anew, while others wait.                        */
#include <tamis/file.h>

#include "base/fail.h"
#include "facade/foreign_files.h"
#include "facade/load.h"
#include "format/append.h"
#include "format/transport.h"

/* The file stays compressed as it was. */
static tamis_transport file_change_transport(const tms_append *file)
{
    uint8_t first[TMS_RECOGNISE_BYTES];
    return tms_transport_recognise(first, tms_append_peek(file, first, sizeof first));
}

static tamis_status file_change_locked(const tms_append *file, const tamis_open_options *options,
                                       tamis_change change, void *ctx)
{
    tamis_open_options read = {0};
    tamis_filter *f = NULL;
    if (options) read = *options;
    read.flags = 0; /* a map could not be changed, and damage is not to be kept silently */
    TMS_TRY(tms_load_file(file->path, &read, &f));
    const tamis_save_options save = {.transport = file_change_transport(file)};
    tamis_status status = change(f, ctx);
    if (status == TAMIS_OK) status = tamis_save(f, file->path, &save);
    tamis_free(f);
    return status;
}

tamis_status tamis_file_change(const char *path, const tamis_open_options *options,
                               tamis_change change, void *ctx)
{
    tms_append file;
    if (tms_foreign_is(path)) return tms_foreign_change(path, options, change, ctx);
    TMS_TRY(tms_append_open(path, &file));
    tamis_status status = file_change_locked(&file, options, change, ctx);
    tms_append_close(&file);
    return status;
}
