/* check.c - see check.h.                                                    */
#include "support/check.h"

#include <stdio.h>
#include <string.h>

static char check_note[512];

void check_about(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(check_note, sizeof check_note, format, arguments);
    va_end(arguments);
}

void check_failed(const char *file, int line, const char *condition, const char *format, ...)
{
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    print_error("trying:  %s\nfailed:  %s\nbecause: %s\n", check_note, condition, words);
    _fail(file, line);
}

void check_status(tamis_status got, tamis_status wanted, const char *call, const char *file,
                  int line)
{
    if (got == wanted && (got == TAMIS_OK || strlen(tamis_explain()) > 10)) return;
    if (got == wanted)
        check_failed(file, line, call, "%s has no sentence", tamis_strerror(got));
    else
        check_failed(file, line, call, "status %d (%s), not %d (%s): %s", (int)got,
                     tamis_strerror(got), (int)wanted, tamis_strerror(wanted),
                     got == TAMIS_OK ? "" : tamis_explain());
}
