/* fail.h - a status together with the sentence that explains it.
 *
 * Every failure path of the library goes through tms_fail, so that
 * tamis_explain() always has the sentence that belongs to the status.       */
#ifndef TMS_BASE_FAIL_H
#define TMS_BASE_FAIL_H

#include <tamis/status.h>

/* Stores the sentence for this thread and returns `status`. */
tamis_status tms_fail(tamis_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* The common case: memory for `what` was refused. */
tamis_status tms_fail_memory(const char *what, unsigned long long bytes);

#define TMS_TRY(call)                          \
    do {                                       \
        tamis_status tms_s_ = (call);          \
        if (tms_s_ != TAMIS_OK) return tms_s_; \
    } while (0)

#endif
