/* arguments.c - see arguments.h.                                            */
#include "arguments.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

bool argument_integer(const RedisModuleString *argument, long long least, long long most,
                      long long *number)
{
    if (server.StringToLongLong(argument, number) != API_OK) return false;
    return *number >= least && *number <= most;
}

bool argument_rate(const RedisModuleString *argument, double *number)
{
    return server.StringToDouble(argument, number) == API_OK && isfinite(*number);
}

int argument_find(RedisModuleString **argv, int argc, int from, const char *word)
{
    size_t size, wanted = strlen(word);
    for (int i = from; i < argc; i++) {
        const char *text = server.StringPtrLen(argv[i], &size);
        if (size == wanted && strncasecmp(text, word, size) == 0) return i;
    }
    return 0;
}

char argument_letter(const RedisModuleString *argument, size_t at)
{
    size_t size;
    const char *text = server.StringPtrLen(argument, &size);
    return at < size ? (char)tolower((unsigned char)text[at]) : 0;
}

tamis_span argument_span(const RedisModuleString *argument)
{
    tamis_span span;
    span.data = server.StringPtrLen(argument, &span.size);
    return span;
}

size_t argument_run(RedisModuleString **items, size_t count, tamis_span spans[ARGUMENT_RUN])
{
    size_t run = count < ARGUMENT_RUN ? count : ARGUMENT_RUN;
    for (size_t i = 0; i < run; i++) spans[i] = argument_span(items[i]);
    return run;
}
