/* foreign_files.h - filters of other systems in files: recognised by content, in
 * this one place.                                                           */
#ifndef TMS_FACADE_FOREIGN_FILES_H
#define TMS_FACADE_FOREIGN_FILES_H

#include <tamis/file.h>

/* True for a folder, and for a regular file that is no native encoding and is
 * recognised. A native file costs a read of 8 bytes, and no sentence is lost. */
bool tms_foreign_is(const char *path);

/* tamis_open, tamis_file_add_many and tamis_file_change of such a path. */
tamis_status tms_foreign_open(const char *path, const tamis_open_options *options,
                              tamis_filter **out);
tamis_status tms_foreign_add(const char *path, const tamis_keys *keys,
                             const tamis_open_options *options, tamis_file_added *result);
tamis_status tms_foreign_change(const char *path, const tamis_open_options *options,
                                tamis_change change, void *ctx);

#endif
