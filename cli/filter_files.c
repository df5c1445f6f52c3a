/* filter_files.c - see filter_files.h.                                      */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* sigaction, O_CLOEXEC */
#endif
#include "filter_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "number.h"
#include "paper.h"
#include "words.h"

enum { FILES_SECRET = TAMIS_HASH_SECRET_BYTES, FILES_PATH = 4096 };

/* ---- a file that shrinks under a map ------------------------------------ */

/* Names the map when there is only one; set before the signal can come. */
static const char *files_mapped;

static void files_say(const char *text)
{
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* there is nobody left to tell */
}

static void files_bus_error(int number)
{
    (void)number;
    files_say("tamis: ");
    files_say(files_mapped ? files_mapped : "a mapped file");
    files_say(" was cut short, or could not be read, while it was in use; "
              "replace filter files (rename a new one over them), or read them with --no-map\n");
    _exit(CLI_ERROR);
}

void cli_watch_map(const char *name)
{
    static bool watching;
    struct sigaction action;
    files_mapped = watching ? NULL : name;
    if (watching) return;
    watching = true;
    memset(&action, 0, sizeof action);
    action.sa_handler = files_bus_error;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

/* ---- secrets ------------------------------------------------------------ */

/* Reads at most `room` bytes of a file, which may be a pipe. */
static ssize_t files_read(const char *path, char *bytes, size_t room)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    size_t size = 0;
    if (file < 0) return -1;
    for (;;) {
        ssize_t got = read(file, bytes + size, room - size);
        if (got < 0 && errno == EINTR) continue;
        int error = errno;
        if (got > 0) size += (size_t)got;
        if (got > 0 && size < room) continue;
        close(file);
        errno = error;
        return got < 0 ? -1 : (ssize_t)size;
    }
}

/* 16 bytes, or 32 digits and a line's end. */
static int files_secret_from(const char *path, uint8_t secret[16])
{
    char bytes[2 * FILES_SECRET + 4], why[CLI_WHY];
    ssize_t size = files_read(path, bytes, sizeof bytes - 1);
    if (size < 0) return cli_complain("--secret-file %s: %s", path, strerror(errno));
    if (size == FILES_SECRET) {
        memcpy(secret, bytes, FILES_SECRET);
        return CLI_YES;
    }
    bytes[size] = '\0';
    bytes[strcspn(bytes, "\r\n")] = '\0';
    if (cli_parse_secret(bytes, secret, why)) return CLI_YES;
    return cli_complain("--secret-file %s: a secret file holds 16 bytes, or 32 hexadecimal digits; "
                        "make one: head -c 16 /dev/urandom > FILE",
                        path);
}

int cli_read_secret(const cli_settings *settings, uint8_t secret[16], bool *given)
{
    char why[CLI_WHY];
    const char *text = getenv("TAMIS_SECRET");
    *given = true;
    if (settings->secret_file) return files_secret_from(settings->secret_file, secret);
    *given = text && *text;
    if (!*given || cli_parse_secret(text, secret, why)) return CLI_YES;
    return cli_complain("TAMIS_SECRET: %s", why);
}

/* ---- opening ------------------------------------------------------------ */

static const char *files_path(const char *name)
{
    return strcmp(name, "-") == 0 ? "/dev/stdin" : name;
}

static bool files_can_map(const cli_settings *settings, const char *path)
{
    struct stat facts;
    return !settings->no_map && stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

/* Maps if it can be; a compressed file, which cannot, is read. */
static tamis_status files_open(const char *name, const tamis_open_options *options,
                               tamis_filter **out)
{
    const uint32_t of_maps = TAMIS_OPEN_MAP | TAMIS_OPEN_LAZY | TAMIS_OPEN_WARM;
    const char *path = files_path(name);
    tamis_status status = TAMIS_E_UNSUPPORTED;
    if (options->flags & TAMIS_OPEN_MAP) {
        cli_watch_map(name);
        status = tamis_open(path, options, out);
    }
    if (status != TAMIS_E_UNSUPPORTED) return status;
    tamis_open_options read = *options;
    read.flags &= ~of_maps;
    return tamis_open(path, &read, out);
}

/* A secret of the environment is for those filters that have one. */
static tamis_status files_open_with(const cli_settings *settings, const char *name,
                                    const tamis_open_options *options, tamis_filter **out)
{
    tamis_open_options without = *options;
    without.secret = NULL;
    tamis_status status = files_open(name, options, out);
    if (status != TAMIS_E_SECRET || settings->secret_file || !options->secret) return status;
    if (strcmp(name, "-") == 0) return status; /* it has been read and is gone */
    if (files_open(name, &without, out) == TAMIS_OK) return TAMIS_OK;
    return files_open(name, options, out); /* for its sentence */
}

static tamis_status files_try(const cli_settings *settings, const uint8_t *secret, const char *name,
                              uint32_t flags, tamis_filter **out)
{
    tamis_open_options options = {.flags = flags, .secret = secret};
    if (!files_can_map(settings, files_path(name))) options.flags &= ~(uint32_t)TAMIS_OPEN_MAP;
    return files_open_with(settings, name, &options, out);
}

/* What the system can say before the library is asked. */
static int files_look(const char *name)
{
    struct stat facts;
    if (stat(files_path(name), &facts) != 0 && errno == ENOENT)
        return cli_complain("%s: there is no such file (tamis build -o FILE makes a filter)", name);
    if (stat(files_path(name), &facts) != 0) return cli_complain("%s: %s", name, strerror(errno));
    return CLI_YES;
}

static int files_explain(const char *name, tamis_status status, bool secret_given)
{
    if (status == TAMIS_E_SECRET && !secret_given)
        return cli_complain("%s: %s (--secret-file FILE, or TAMIS_SECRET)", name, tamis_explain());
    return cli_complain_of(name);
}

tamis_status cli_try_filter(const cli_settings *settings, const char *path, uint32_t flags,
                            int *failed, tamis_filter **out)
{
    uint8_t secret[FILES_SECRET];
    bool given = false;
    *out = NULL;
    *failed = cli_read_secret(settings, secret, &given);
    if (*failed == CLI_YES) *failed = files_look(path);
    if (*failed != CLI_YES) return TAMIS_E_IO;
    tamis_status status = files_try(settings, given ? secret : NULL, path, flags, out);
    if (status == TAMIS_OK || status == TAMIS_E_CORRUPT || status == TAMIS_E_TRUNCATED)
        return status;
    *failed = files_explain(path, status, given);
    return status;
}

int cli_open_filter(const cli_settings *settings, const char *path, uint32_t flags,
                    tamis_filter **out)
{
    int failed;
    tamis_status status = cli_try_filter(settings, path, flags, &failed, out);
    if (failed == CLI_YES && status != TAMIS_OK) failed = cli_complain_of(path);
    return failed;
}

int cli_load_filter(const cli_settings *settings, const char *path, tamis_filter **out)
{
    return cli_open_filter(settings, path, 0, out);
}

/* ---- saving ------------------------------------------------------------- */

static int files_check_folder(const char *path)
{
    char folder[FILES_PATH] = ".";
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (slash) snprintf(folder, sizeof folder, "%.*s", length ? (int)length : 1, path);
    if (access(folder, W_OK | X_OK) == 0) return CLI_YES;
    if (errno == ENOENT)
        return cli_complain("%s: the folder %s does not exist; make it first", path, folder);
    return cli_complain("%s: the folder %s cannot be written to: %s", path, folder,
                        strerror(errno));
}

int cli_check_output(const cli_settings *settings, const char *path)
{
    struct stat facts;
    if (!path || !*path) return cli_complain("the name of the result is missing: -o FILE");
    if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO))
        return cli_complain("a filter is not for a terminal; give -o FILE, or a pipe");
    if (strcmp(path, "-") == 0 && settings->json)
        return cli_complain("-o - and --json both want standard output; give -o FILE");
    if (strcmp(path, "-") == 0) return CLI_YES;
    if (stat(path, &facts) != 0) return files_check_folder(path);
    if (S_ISDIR(facts.st_mode)) return cli_complain("%s is a folder; give a file", path);
    if (!S_ISREG(facts.st_mode)) return CLI_YES;
    if (!settings->force) return cli_complain("%s is there already; --force replaces it", path);
    return files_check_folder(path);
}

static uint32_t files_transport(const cli_settings *settings)
{
    if (!settings->compress) return TAMIS_PLAIN;
    return strcmp(settings->compress, "zstd") == 0 ? TAMIS_ZSTD : TAMIS_GZIP;
}

static tamis_status files_to_paper(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    cli_paper_write(bytes, size);
    return cli_paper_is_gone() ? TAMIS_E_IO : TAMIS_OK; /* the paper will say why */
}

/* Into a device or a pipe, which cannot be replaced by a new file. */
static tamis_status files_to_stream(void *ctx, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, ctx) == size ? TAMIS_OK : TAMIS_E_IO;
}

static int files_save_into(const tamis_filter *filter, const char *path,
                           const tamis_save_options *options)
{
    FILE *stream = fopen(path, "wb");
    if (!stream) return cli_complain("%s: %s", path, strerror(errno));
    errno = 0;
    tamis_status status = tamis_encode_to(filter, options, files_to_stream, stream);
    bool written = status == TAMIS_OK && fflush(stream) == 0;
    int error = errno;
    fclose(stream);
    if (written) return CLI_YES;
    if (status != TAMIS_OK && status != TAMIS_E_IO) return cli_complain_of(path);
    return cli_complain("writing to %s failed: %s", path, strerror(error));
}

int cli_save_filter(const cli_settings *settings, const tamis_filter *filter, const char *path)
{
    const tamis_save_options options = {.transport = files_transport(settings)};
    struct stat facts;
    if (strcmp(path, "-") == 0) {
        tamis_status status = tamis_encode_to(filter, &options, files_to_paper, NULL);
        return status == TAMIS_OK || status == TAMIS_E_IO ? CLI_YES : cli_complain_of(path);
    }
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))
        return files_save_into(filter, path, &options);
    if (tamis_save(filter, path, &options) == TAMIS_OK) return CLI_YES;
    return cli_complain_of(path);
}

/* ---- whole numbers ------------------------------------------------------ */

bool cli_takes_digests(const tamis_filter *filter)
{
    return (tamis_abilities(filter) & TAMIS_CAN_DIGESTS) != 0;
}

int cli_check_integers(const cli_settings *settings, const tamis_filter *filter, const char *name)
{
    const bool exact = (tamis_abilities(filter) & TAMIS_IS_EXACT) != 0;
    if (!exact || settings->u64) return CLI_YES;
    return cli_complain("%s: a bitmap holds whole numbers; say with --u64 that the keys are such",
                        name);
}
