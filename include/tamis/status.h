/* status.h - what can go wrong, as a number and as a sentence.
 *
 * A call that can fail returns tamis_status; a question returns bool. On
 * failure the arguments are as they were and products are NULL, unless the
 * call's own comment says what is left. The number is for programs, the
 * sentence of tamis_explain() for people: it names the value that was wrong,
 * what is allowed and what to try.                                          */
#ifndef TAMIS_STATUS_H
#define TAMIS_STATUS_H

#include <tamis/export.h>

TAMIS_BEGIN

/* Values are part of the ABI: append, never renumber. 0 is the only success. */
typedef enum tamis_status {
    TAMIS_OK = 0,
    TAMIS_E_NOMEM = 10,       /* the allocator said no */
    TAMIS_E_LIMIT = 11,       /* a memory cap or a size limit would be passed */
    TAMIS_E_SPEC = 20,        /* an argument is outside its stated range */
    TAMIS_E_UNREACHABLE = 21, /* no filter of this kind can keep the asked rate */
    TAMIS_E_MISMATCH = 22,    /* two filters that do not fit together */
    TAMIS_E_SECRET = 23,      /* the secret is missing or is another one */
    TAMIS_E_FULL = 30,        /* no room; the key was not added, nothing was lost */
    TAMIS_E_READONLY = 31,    /* a view or a map cannot be changed */
    TAMIS_E_ABSENT = 32,      /* the key is certainly not there: nothing to remove */
    TAMIS_E_REMOVED = 33,     /* the key was removed and stays so until a rebuild */
    TAMIS_E_UNSUPPORTED = 40, /* this kind cannot do that */
    TAMIS_E_UNAVAILABLE = 41, /* the library was built without it */
    TAMIS_E_TRUNCATED = 50,   /* the input ended before its header said it would */
    TAMIS_E_CORRUPT = 51,     /* magic, range or checksum disagree */
    TAMIS_E_VERSION = 52,     /* written by a newer version */
    TAMIS_E_IO = 60           /* the operating system refused a read or a write */
} tamis_status;

/** A few words for a status, for example "out of memory". Static text, never
 *  NULL, also for numbers that are no status. Any thread.                   */
TAMIS_API const char *tamis_strerror(tamis_status status);

/** The sentence behind the last failed call *of this thread*: which value,
 *  what is allowed, what to try. Empty when nothing has failed yet; a success
 *  does not clear it. Valid until the thread's next failing call.           */
TAMIS_API const char *tamis_explain(void);

TAMIS_END

#endif
