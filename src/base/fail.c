/* fail.c - the thread's last sentence, and the words for every status.      */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char fail_sentence[512];

tamis_status tms_fail(tamis_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fail_sentence, sizeof fail_sentence, format, arguments);
    va_end(arguments);
    return status;
}

tamis_status tms_fail_memory(const char *what, unsigned long long bytes)
{
    return tms_fail(TAMIS_E_NOMEM,
                    "no memory for %s (%llu bytes); free some, or plan a smaller filter", what,
                    bytes);
}

const char *tamis_explain(void)
{
    return fail_sentence;
}

const char *tamis_strerror(tamis_status status)
{
    switch (status) {
    case TAMIS_OK: return "success";
    case TAMIS_E_NOMEM: return "out of memory";
    case TAMIS_E_LIMIT: return "a memory or size limit would be passed";
    case TAMIS_E_SPEC: return "an argument is outside its range";
    case TAMIS_E_UNREACHABLE: return "the rate cannot be reached";
    case TAMIS_E_MISMATCH: return "the filters do not fit together";
    case TAMIS_E_SECRET: return "the secret is missing or is another one";
    case TAMIS_E_FULL: return "the filter is full";
    case TAMIS_E_READONLY: return "the filter is read-only";
    case TAMIS_E_ABSENT: return "the key is certainly not in the filter";
    case TAMIS_E_REMOVED: return "the key was removed and cannot come back";
    case TAMIS_E_UNSUPPORTED: return "this kind of filter cannot do that";
    case TAMIS_E_UNAVAILABLE: return "the library was built without it";
    case TAMIS_E_TRUNCATED: return "the input ends too early";
    case TAMIS_E_CORRUPT: return "the input is damaged or is no filter";
    case TAMIS_E_VERSION: return "the input was written by a newer version";
    case TAMIS_E_IO: return "reading or writing failed";
    }
    return "unknown status";
}
