/* atomic_file.h - replacing a file whole or not at all.
 *
 * The new contents go to a temporary file in the same folder, which is flushed
 * and renamed over the old one; then the folder is flushed. Killed at any
 * moment, the path names the old file or the new one, and maps of the old one
 * keep it. A kill may leave a temporary file behind, ".tamis-" and 16 hex
 * digits and ".tmp", which nothing reads. The calls know nothing of what they
 * write.                                                                    */
#ifndef TMS_FORMAT_ATOMIC_FILE_H
#define TMS_FORMAT_ATOMIC_FILE_H

#include <stddef.h>
#include <tamis/alloc.h>
#include <tamis/status.h>

typedef struct tms_atomic_file tms_atomic_file;

/* Begins to replace or create `path`. The new file gets the permissions and,
 * where the system allows it, the owner of the old one; without an old one,
 * 0666 less the umask. A symbolic link at `path` stays, and its target is
 * replaced. What is there must be a regular file. TAMIS_E_IO with the system's
 * reason, TAMIS_E_NOMEM. */
tamis_status tms_atomic_file_begin(const char *path, const tamis_alloc *alloc,
                                   tms_atomic_file **out);

/* A tamis_sink. */
tamis_status tms_atomic_file_sink(void *file, const void *bytes, size_t size);

/* Flushes, puts the new file in place, and frees `file`. On failure the
 * temporary file is gone and `path` untouched; the one exception is a folder
 * that cannot be flushed, which is found after the rename and said so. */
tamis_status tms_atomic_file_commit(tms_atomic_file *file);

/* Removes the temporary file and frees `file`; NULL does nothing. */
void tms_atomic_file_abort(tms_atomic_file *file);

#endif
