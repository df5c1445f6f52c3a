/* filter_files.h - opening and saving filters by the names people type.
 *
 * Every failure is said on standard error, with the file's name, what is wrong
 * and what to try; the caller only passes CLI_ERROR on. Secrets come from
 * --secret-file or the variable TAMIS_SECRET, never from the command line,
 * where every user of the machine could read them.                          */
#ifndef CLI_FILTER_FILES_H
#define CLI_FILTER_FILES_H

#include "command.h"

/* The secret that was given. `*given` is false when there is none. Returns
 * CLI_YES or CLI_ERROR. */
int cli_read_secret(const cli_settings *settings, uint8_t secret[16], bool *given);

/* Opens a filter: mapped where it can be, read where it must (compressed files,
 * pipes, "-", --no-map, no TAMIS_OPEN_MAP in `flags`). `flags` are TAMIS_OPEN_*.
 * A mapped file that is truncated while in use ends the program with a
 * sentence. Returns CLI_YES or CLI_ERROR. */
int cli_open_filter(const cli_settings *settings, const char *path, uint32_t flags,
                    tamis_filter **out);

/* The same, silent about damage: TAMIS_E_CORRUPT and TAMIS_E_TRUNCATED are left
 * to the caller, and tamis_explain() has the reason. `*failed` is CLI_ERROR when
 * anything else went wrong and has been said. */
tamis_status cli_try_filter(const cli_settings *settings, const char *path, uint32_t flags,
                            int *failed, tamis_filter **out);

/* Opens for change: in memory of its own. */
int cli_load_filter(const cli_settings *settings, const char *path, tamis_filter **out);

/* Whether a result may be written to `path`: not there yet, or --force, and in
 * a folder that can be written to. To be asked before the work is done. Returns
 * CLI_YES or CLI_ERROR. */
int cli_check_output(const cli_settings *settings, const char *path);

/* Saves atomically, compressed if --compress asks for it. Returns CLI_YES or
 * CLI_ERROR. */
int cli_save_filter(const cli_settings *settings, const tamis_filter *filter, const char *path);

/* From now on, touching a mapped file that another process has cut short ends
 * the program with a sentence instead of a signal. `name` must stay valid. */
void cli_watch_map(const char *name);

/* Whether the filter takes digests; otherwise it is asked and added to by the
 * keys themselves. */
bool cli_takes_digests(const tamis_filter *filter);

/* Complains when the filter holds whole numbers and the keys are not read as such
 * (--u64): an 8-letter word must not pass for a number. */
int cli_check_integers(const cli_settings *settings, const tamis_filter *filter, const char *name);

#endif
