/* words.c - see words.h.                                                    */
#include "words.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "command.h"

static bool words_quiet;

/* One call of the system a sentence, so that those of several processes on one
 * terminal do not mix. */
static void words_say(const char *format, va_list arguments)
{
    char sentence[2048];
    int length = vsnprintf(sentence, sizeof sentence, format, arguments);
    if (length < 0) return;
    fprintf(stderr, "tamis: %s\n", sentence);
    fflush(stderr);
}

int cli_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    words_say(format, arguments);
    va_end(arguments);
    return CLI_ERROR;
}

/* The library names the file itself when the system refused it. */
int cli_complain_about(const char *file, const char *sentence)
{
    char quoted[320];
    snprintf(quoted, sizeof quoted, "'%.300s'", file);
    if (strstr(sentence, quoted)) return cli_complain("%s", sentence);
    return cli_complain("%s: %s", file, sentence);
}

int cli_complain_of(const char *file)
{
    return cli_complain_about(file, tamis_explain());
}

void cli_remark(const char *format, ...)
{
    va_list arguments;
    if (words_quiet) return;
    va_start(arguments, format);
    words_say(format, arguments);
    va_end(arguments);
}

void cli_be_quiet(void)
{
    words_quiet = true;
}
