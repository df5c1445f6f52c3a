/* export.h - which names leave the library, and how C++ sees them.
 *
 * Define TAMIS_STATIC when linking the static library or the single-file
 * build on systems where it matters; elsewhere nothing needs to be set.     */
#ifndef TAMIS_EXPORT_H
#define TAMIS_EXPORT_H

#if defined(TAMIS_STATIC)
#define TAMIS_API
#elif defined(__GNUC__)
#define TAMIS_API __attribute__((visibility("default")))
#else
#define TAMIS_API
#endif

#ifdef __cplusplus
#define TAMIS_BEGIN extern "C" {
#define TAMIS_END }
#else
#define TAMIS_BEGIN
#define TAMIS_END
#endif

#endif
