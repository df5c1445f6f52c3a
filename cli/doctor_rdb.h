/* doctor_rdb.h - tamis doctor dump.rdb: which keys a server without the module
 * that wrote them cannot load.                                              */
#ifndef CLI_DOCTOR_RDB_H
#define CLI_DOCTOR_RDB_H

#include "command.h"

/* True for a file that begins like an RDB file. */
bool cli_is_rdb(const char *file);

/* Prints what was found. Returns CLI_YES (everything loads), CLI_NO or CLI_ERROR. */
int cli_doctor_rdb(const cli_settings *settings, const char *file);

#endif
