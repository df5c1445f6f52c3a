/* paper.c - see paper.h.                                                    */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* the size of a terminal */
#endif
#include "paper.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command.h"
#include "words.h"

enum { PAPER_ROOM = 1 << 17, PAPER_NARROWEST = 40, PAPER_WIDEST = 400 };

static char paper_buffer[PAPER_ROOM];
static size_t paper_used;
static int paper_error; /* errno of the first failure */

static void paper_give(const char *bytes, size_t size)
{
    while (size > 0 && !paper_error) {
        ssize_t written = write(STDOUT_FILENO, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            paper_error = written < 0 ? errno : ENOSPC;
            break;
        }
        bytes += written;
        size -= (size_t)written;
    }
}

void cli_paper_flush(void)
{
    paper_give(paper_buffer, paper_used);
    paper_used = 0;
}

void cli_paper_write(const void *bytes, size_t size)
{
    if (paper_error) return;
    if (size > PAPER_ROOM - paper_used) cli_paper_flush();
    if (size >= PAPER_ROOM) {
        paper_give(bytes, size);
    } else if (size > 0) {
        memcpy(paper_buffer + paper_used, bytes, size);
        paper_used += size;
    }
}

void cli_paper_text(const char *text)
{
    cli_paper_write(text, strlen(text));
}

void cli_paper_print(const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    size_t size = (size_t)length < sizeof text ? (size_t)length : sizeof text - 1;
    cli_paper_write(text, size);
}

bool cli_paper_is_gone(void)
{
    return paper_error != 0;
}

int cli_paper_close(int status)
{
    cli_paper_flush();
    if (!paper_error && close(STDOUT_FILENO) != 0 && errno != EBADF && errno != EINTR)
        paper_error = errno;
    if (!paper_error || status == CLI_ERROR) return status;
    if (paper_error == EPIPE) return CLI_YES;
    return cli_complain("writing to standard output failed: %s; what was printed is incomplete",
                        strerror(paper_error));
}

bool cli_paper_has_colour(void)
{
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if ((refused && *refused) || (terminal && strcmp(terminal, "dumb") == 0)) return false;
    return isatty(STDOUT_FILENO) == 1;
}

static unsigned paper_asked_columns(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && *columns) return (unsigned)strtoul(columns, NULL, 10);
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
    return 0;
}

unsigned cli_paper_columns(void)
{
    unsigned columns = paper_asked_columns();
    if (columns == 0) return 80;
    if (columns < PAPER_NARROWEST) return PAPER_NARROWEST;
    return columns > PAPER_WIDEST ? PAPER_WIDEST : columns;
}
