/* version.h - three numbers that change for three different reasons.
 *
 * The library version follows semantic versioning. The ABI number is the
 * SONAME: it changes when a program must be compiled anew. The format number
 * is written into every file: it changes when an older reader would misread
 * a newer file (docs/format.md).                                            */
#ifndef TAMIS_VERSION_H
#define TAMIS_VERSION_H

#include <stdint.h>
#include <tamis/export.h>

#define TAMIS_VERSION_MAJOR 0
#define TAMIS_VERSION_MINOR 1
#define TAMIS_VERSION_PATCH 0
#define TAMIS_VERSION_STRING "0.1.0"
#define TAMIS_VERSION_NUMBER \
    (TAMIS_VERSION_MAJOR * 10000 + TAMIS_VERSION_MINOR * 100 + TAMIS_VERSION_PATCH)
#define TAMIS_ABI_VERSION 0
#define TAMIS_FORMAT_VERSION 1

TAMIS_BEGIN

/** The version of the library that is linked, which may be newer than the
 *  headers a program was compiled with. Cost: none. Any thread.             */
TAMIS_API uint32_t tamis_version_number(void);

/** The same as text, "major.minor.patch". Static; never freed.              */
TAMIS_API const char *tamis_version(void);

TAMIS_END

#endif
