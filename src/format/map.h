/* map.h - files to read from: as pages shared between processes, or as a
 * stream.
 *
 * A map is read-only and shows the file as it is; a file that somebody
 * truncates meanwhile costs whoever touches the missing pages a SIGBUS, which
 * is why files are replaced and never changed (atomic_file.h). Errors name the
 * path and carry the system's reason.                                       */
#ifndef TMS_FORMAT_MAP_H
#define TMS_FORMAT_MAP_H

#include <stddef.h>
#include <stdint.h>
#include <tamis/status.h>

typedef struct tms_map {
    const uint8_t *bytes; /* aligned to a page; NULL when there is no map */
    uint64_t size;
} tms_map;

/* Maps a regular file. TAMIS_E_IO (missing, a directory, not regular, the
 * system refused), TAMIS_E_TRUNCATED (empty), TAMIS_E_LIMIT (larger than the
 * address space). */
tamis_status tms_map_open(const char *path, tms_map *out);

/* The same, with pages that may be written to: the first write to a page makes
 * a copy of it for this process alone, and never reaches the file. */
tamis_status tms_map_open_private(const char *path, tms_map *out);

/* The same of a file that is open; `path` is for sentences. */
tamis_status tms_map_descriptor(int fd, const char *path, tms_map *out);

/* Reads every page in, so that no query waits for the disk. Advice: where the
 * system cannot, nothing happens. */
void tms_map_warm(const tms_map *map);

/* Unmaps and clears; an empty map is allowed. */
void tms_map_close(tms_map *map);

/* Opens a file, or a pipe or device, to read from its start to its end. `*size`
 * is 0 when it is not a regular file. The caller closes `*fd`. TAMIS_E_IO. */
tamis_status tms_file_source_open(const char *path, int *fd, uint64_t *size);

/* A tamis_source; its context is the int that holds the descriptor. */
tamis_status tms_file_source(void *fd, void *bytes, size_t room, size_t *size);

#endif
