/* arguments.h - numbers and words of a command line.                        */
#ifndef TAMIS_REDIS_ARGUMENTS_H
#define TAMIS_REDIS_ARGUMENTS_H

#include <stdbool.h>
#include <tamis/keys.h>

#include "module_api.h"

/** True for an integer within [least, most].                                */
bool argument_integer(const RedisModuleString *argument, long long least, long long most,
                      long long *number);

/** True for a finite number.                                                */
bool argument_rate(const RedisModuleString *argument, double *number);

/** The place of `word`, in full and any case, at or after `from`; 0: nowhere. */
int argument_find(RedisModuleString **argv, int argc, int from, const char *word);

/** Character `at` of an argument in lower case; 0 past its end.             */
char argument_letter(const RedisModuleString *argument, size_t at);

/** An item, as the library takes it. Borrowed.                              */
tamis_span argument_span(const RedisModuleString *argument);

enum { ARGUMENT_RUN = 1024 }; /* items that are worked on at a time */

/** Fills spans with the first ARGUMENT_RUN of `count` items, or all of fewer,
 *  and returns how many those are.                                          */
size_t argument_run(RedisModuleString **items, size_t count, tamis_span spans[ARGUMENT_RUN]);

#endif
