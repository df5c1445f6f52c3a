/* check.h - cmocka with a memory: a failing check prints what was being tried.
 *
 * Property tests walk tables, so "line 40 failed" says little. check_about()
 * notes the row and the seed before a row is tried; every CHECK that fails
 * prints that note, its own words and the condition. Only the main thread may
 * use CHECK: other threads count their failures and let it check the count. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdbool.h>
#include <tamis/status.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* What is being tried, from now on: a row's `why`, a seed, a size. */
void check_about(const char *format, ...) __attribute__((format(printf, 1, 2)));

void check_failed(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Fails the test unless `condition`; the rest is a printf message. */
#define CHECK(condition, ...) \
    ((condition) ? (void)0 : check_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))

/* Fails the test unless the call is TAMIS_OK; prints the library's sentence. */
#define CHECK_OK(call) check_status((call), TAMIS_OK, #call, __FILE__, __LINE__)

/* Fails the test unless the call is this very status, with a sentence. */
#define CHECK_STATUS(call, status) check_status((call), (status), #call, __FILE__, __LINE__)

void check_status(tamis_status got, tamis_status wanted, const char *call, const char *file,
                  int line);

#endif
