/* test_format_files.c - files that are replaced whole or not at all, and files
 * to read from.
 *
 * Each test works in a folder of its own below the temporary folder. What only
 * a dying, an unprivileged or a limited process can show happens in a child. */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "format/atomic_file.h"
#include "format/map.h"
#include "support/sample_encoding.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { PIECE = 1000, PIECES = 20, PATH = 5000 };

/* ---- a folder to work in ------------------------------------------------ */

static char folder[PATH];

static int enter_folder(void **state)
{
    (void)state;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/tamis-test-XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) && chmod(folder, 0755) == 0 && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
    (void)state;
    char command[PATH + 20];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

/* Entries of the folder, without "." and "..". */
static unsigned entries(void)
{
    unsigned count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    while (readdir(d)) count++;
    closedir(d);
    return count - 2;
}

/* A file of `size` bytes, all of them `fill`. */
static void put(const char *path, int fill, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    for (size_t i = 0; i < size; i++) fputc(fill, f);
    fclose(f);
}

/* The byte that all of a file's bytes are, and their number; -1: no file, or
 * the bytes differ. */
static int look(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f) return -1;
    int fill = fgetc(f), c = fill;
    for (*size = 0; c != EOF; (*size)++) {
        if (c != fill) fill = -1;
        c = fgetc(f);
    }
    fclose(f);
    return fill;
}

static void assert_file(const char *path, int fill, size_t size)
{
    size_t found = 0;
    assert_int_equal(look(path, &found), fill);
    assert_int_equal(found, size);
}

/* Replaces `path` by PIECES pieces full of `fill`. */
static tamis_status replace(const char *path, int fill)
{
    uint8_t piece[PIECE];
    memset(piece, fill, sizeof piece);
    tms_atomic_file *f;
    tamis_status status = tms_atomic_file_begin(path, NULL, &f);
    if (status != TAMIS_OK) return status;
    for (int i = 0; i < PIECES && status == TAMIS_OK; i++)
        status = tms_atomic_file_sink(f, piece, sizeof piece);
    if (status == TAMIS_OK) return tms_atomic_file_commit(f);
    tms_atomic_file_abort(f);
    return status;
}

/* Runs `work` in a child, and gives back how it ended. */
static int in_child(void (*work)(const void *), const void *ctx)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        work(ctx);
        _exit(0);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    return ended;
}

/* ---- replacing ---------------------------------------------------------- */

static void test_new_and_old(void **state)
{
    (void)state;
    assert_int_equal(replace("f", 'a'), TAMIS_OK);
    assert_file("f", 'a', PIECE * PIECES);
    put("f", 'o', 7);
    assert_int_equal(replace("f", 'b'), TAMIS_OK);
    assert_file("f", 'b', PIECE * PIECES);
    char absolute[PATH + 10];
    snprintf(absolute, sizeof absolute, "%s/f", folder);
    assert_int_equal(replace(absolute, 'c'), TAMIS_OK);
    assert_file("f", 'c', PIECE * PIECES);
    assert_int_equal(entries(), 1);
}

static void test_abort(void **state)
{
    (void)state;
    put("f", 'o', 7);
    tms_atomic_file *f;
    assert_int_equal(tms_atomic_file_begin("f", NULL, &f), TAMIS_OK);
    assert_int_equal(tms_atomic_file_sink(f, "new", 3), TAMIS_OK);
    assert_int_equal(entries(), 2);
    tms_atomic_file_abort(f);
    tms_atomic_file_abort(NULL);
    assert_file("f", 'o', 7);
    assert_int_equal(entries(), 1);
}

static mode_t mode_of(const char *path)
{
    struct stat facts;
    assert_int_equal(lstat(path, &facts), 0);
    return facts.st_mode & 07777;
}

static void test_permissions(void **state)
{
    (void)state;
    const mode_t before = umask(027);
    assert_int_equal(replace("f", 'a'), TAMIS_OK);
    assert_int_equal(mode_of("f"), 0640);
    assert_int_equal(chmod("f", 0604), 0);
    assert_int_equal(replace("f", 'b'), TAMIS_OK);
    assert_int_equal(mode_of("f"), 0604);
    umask(before);
}

/* A map of the old file keeps the old contents. */
static void test_maps_live_on(void **state)
{
    (void)state;
    put("f", 'o', 70000);
    tms_map map;
    assert_int_equal(tms_map_open("f", &map), TAMIS_OK);
    assert_int_equal(replace("f", 'n'), TAMIS_OK);
    for (uint64_t i = 0; i < map.size; i++) assert_int_equal(map.bytes[i], 'o');
    tms_map_close(&map);
}

static void test_links(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    put("d/f", 'o', 7);
    assert_int_equal(symlink("d/f", "relative"), 0);
    assert_int_equal(symlink("../relative", "d/chain"), 0);
    assert_int_equal(symlink("d/new", "dangling"), 0);
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(replace("relative", 'a'), TAMIS_OK);
    assert_file("d/f", 'a', PIECE * PIECES);
    assert_int_equal(replace("d/chain", 'b'), TAMIS_OK);
    assert_file("d/f", 'b', PIECE * PIECES);
    assert_int_equal(replace("dangling", 'c'), TAMIS_OK);
    assert_file("d/new", 'c', PIECE * PIECES);
    assert_int_equal(replace("loop", 'd'), TAMIS_E_IO);
    assert_int_equal(entries(), 4);
    char target[10];
    assert_int_equal(readlink("relative", target, sizeof target), 3);
}

static void test_paths_that_fail(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(mkfifo("fifo", 0666), 0);
    put("f", 'o', 7);
    char name256[257], path5000[PATH];
    memset(name256, 'n', 256);
    name256[256] = '\0';
    memset(path5000, 'p', sizeof path5000 - 1);
    path5000[sizeof path5000 - 1] = '\0';
    const struct {
        const char *why, *path, *says;
    } rows[] = {
        {"nothing", "", "empty path"},
        {"a folder", "d", "Is a directory"},
        {"a folder with a slash", "d/", "Is a directory"},
        {"this folder", ".", "Is a directory"},
        {"a missing folder", "e/f", "No such file"},
        {"a file as folder", "f/g", "Not a directory"},
        {"a pipe", "fifo", "no regular file"},
        {"a device", "/dev/null", "no regular file"},
        {"a name too long", name256, "too long"},
        {"a path too long", path5000, "too many"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tms_atomic_file *f;
        const tamis_status status = tms_atomic_file_begin(rows[i].path, NULL, &f);
        if (status != TAMIS_E_IO || f || !strstr(tamis_explain(), rows[i].says))
            fail_msg("%s: status %d, %s", rows[i].why, (int)status, tamis_explain());
    }
    assert_int_equal(entries(), 3);
}

static void test_longest_name(void **state)
{
    (void)state;
    char name255[256];
    memset(name255, 'n', 255);
    name255[255] = '\0';
    assert_int_equal(replace(name255, 'a'), TAMIS_OK);
    assert_int_equal(replace(name255, 'b'), TAMIS_OK);
    assert_file(name255, 'b', PIECE * PIECES);
}

/* What stands in the way only at the end: the path has become a folder. */
static void test_commit_that_fails(void **state)
{
    (void)state;
    tms_atomic_file *f;
    assert_int_equal(tms_atomic_file_begin("f", NULL, &f), TAMIS_OK);
    assert_int_equal(mkdir("f", 0755), 0);
    assert_int_equal(tms_atomic_file_commit(f), TAMIS_E_IO);
    assert_int_equal(entries(), 1);
}

static void test_memory_refused(void **state)
{
    (void)state;
    ledger l = {.fail_at = 1};
    const tamis_alloc alloc = ledger_allocator(&l);
    tms_atomic_file *f;
    assert_int_equal(tms_atomic_file_begin("f", &alloc, &f), TAMIS_E_NOMEM);
    assert_null(f);
    assert_int_equal(tms_atomic_file_begin("f", &alloc, &f), TAMIS_OK);
    tms_atomic_file_abort(f);
    assert_int_equal(l.held, 0);
    assert_int_equal(entries(), 0);
}

static void replace_as_nobody(const void *path)
{
    if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(3);
    _exit(replace(path, 'n') == TAMIS_E_IO && strstr(tamis_explain(), "denied") ? 0 : 1);
}

static void test_unwritable_folder(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    put("d/f", 'o', 7);
    assert_int_equal(chmod("d", 0555), 0);
    assert_int_equal(in_child(replace_as_nobody, "d/f"), 0);
    assert_int_equal(in_child(replace_as_nobody, "d/new"), 0);
    assert_int_equal(chmod("d", 0755), 0);
    assert_file("d/f", 'o', 7);
}

/* A limit on the size of files stands for a disk that is full. */
static void replace_on_full_disk(const void *pieces)
{
    const rlim_t most = (rlim_t) * (const int *)pieces * PIECE + PIECE / 2;
    const struct rlimit limit = {most, most};
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(3);
    _exit(replace("f", 'n') == TAMIS_E_IO && strstr(tamis_explain(), "too large") ? 0 : 1);
}

static void test_full_disk(void **state)
{
    (void)state;
    put("f", 'o', 7);
    for (int pieces = 0; pieces < PIECES; pieces += 6) {
        assert_int_equal(in_child(replace_on_full_disk, &pieces), 0);
        assert_file("f", 'o', 7);
        assert_int_equal(entries(), 1);
    }
}

/* ---- killed ------------------------------------------------------------- */

/* Dies after so many pieces. */
static void replace_and_die(const void *pieces)
{
    uint8_t piece[PIECE];
    memset(piece, 'n', sizeof piece);
    tms_atomic_file *f;
    if (tms_atomic_file_begin("f", NULL, &f) != TAMIS_OK) _exit(3);
    for (int i = 0; i < *(const int *)pieces; i++) tms_atomic_file_sink(f, piece, sizeof piece);
    kill(getpid(), SIGKILL);
}

static void test_killed_while_writing(void **state)
{
    (void)state;
    put("f", 'o', 7);
    for (int pieces = 0; pieces <= PIECES; pieces += 4) {
        const int ended = in_child(replace_and_die, &pieces);
        assert_true(WIFSIGNALED(ended) && WTERMSIG(ended) == SIGKILL);
        assert_file("f", 'o', 7);
    }
    assert_int_equal(replace("f", 'n'), TAMIS_OK);
    assert_file("f", 'n', PIECE * PIECES);
}

static void replace_for_ever(void)
{
    for (int fill = 'a';; fill = fill == 'y' ? 'a' : fill + 1) replace("f", fill);
}

/* Killed at moments that nobody chose: one file or the other, always whole. */
static void test_killed_at_any_moment(void **state)
{
    (void)state;
    put("f", 'z', PIECE * PIECES);
    for (long n = 0; n < 40; n++) {
        fflush(NULL);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) replace_for_ever();
        nanosleep(&(struct timespec){0, n * 97000}, NULL);
        assert_int_equal(kill(child, SIGKILL), 0);
        int ended;
        assert_int_equal(waitpid(child, &ended, 0), child);
        size_t size = 0;
        const int fill = look("f", &size);
        assert_true(fill >= 'a' && fill <= 'z');
        assert_int_equal(size, PIECE * PIECES);
    }
}

/* ---- reading ------------------------------------------------------------ */

static void test_map(void **state)
{
    (void)state;
    tms_map map;
    put("f", 'm', 10000);
    assert_int_equal(tms_map_open("f", &map), TAMIS_OK);
    assert_int_equal(map.size, 10000);
    tms_map_warm(&map);
    assert_int_equal(map.bytes[9999], 'm');
    tms_map_close(&map);
    assert_null(map.bytes);
    tms_map_close(&map);
    tms_map_warm(&map);
}

static void test_maps_that_fail(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(mkfifo("fifo", 0666), 0);
    put("empty", 'x', 0);
    static const struct {
        const char *why, *path, *says;
        tamis_status status;
    } rows[] = {
        {"missing", "missing", "No such file", TAMIS_E_IO},
        {"no path", "", "No such file", TAMIS_E_IO},
        {"a folder", "d", "Is a directory", TAMIS_E_IO},
        {"empty", "empty", "is empty", TAMIS_E_TRUNCATED},
        {"a pipe, without waiting for its writer", "fifo", "no regular file", TAMIS_E_IO},
        {"a device", "/dev/zero", "no regular file", TAMIS_E_IO},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tms_map map;
        const tamis_status status = tms_map_open(rows[i].path, &map);
        if (status != rows[i].status || map.bytes || !strstr(tamis_explain(), rows[i].says))
            fail_msg("%s: status %d, %s", rows[i].why, (int)status, tamis_explain());
    }
}

static void test_source(void **state)
{
    (void)state;
    int fd;
    uint64_t size;
    uint8_t bytes[100];
    size_t got = 0;
    put("f", 's', 150);
    assert_int_equal(tms_file_source_open("f", &fd, &size), TAMIS_OK);
    assert_int_equal(size, 150);
    assert_int_equal(tms_file_source(&fd, bytes, sizeof bytes, &got), TAMIS_OK);
    assert_int_equal(got, 100);
    assert_int_equal(tms_file_source(&fd, bytes, sizeof bytes, &got), TAMIS_OK);
    assert_int_equal(got, 50);
    assert_int_equal(tms_file_source(&fd, bytes, sizeof bytes, &got), TAMIS_OK);
    assert_int_equal(got, 0);
    close(fd);
    assert_int_equal(tms_file_source(&fd, bytes, sizeof bytes, &got), TAMIS_E_IO);

    assert_int_equal(tms_file_source_open("/dev/null", &fd, &size), TAMIS_OK);
    assert_int_equal(size, 0);
    close(fd);
    assert_int_equal(mkdir("d", 0755), 0);
    assert_int_equal(tms_file_source_open("d", &fd, &size), TAMIS_E_IO);
    assert_int_equal(tms_file_source_open("missing", &fd, &size), TAMIS_E_IO);
}

/* The whole way through a file: packed, replaced, opened, read. */
static void through_file(uint32_t transport)
{
    sample s;
    sample_make(&s);
    const buffer bytes = sample_encode(&s, transport);
    tms_atomic_file *f;
    assert_int_equal(tms_atomic_file_begin("f", NULL, &f), TAMIS_OK);
    assert_int_equal(tms_atomic_file_sink(f, bytes.bytes, bytes.size), TAMIS_OK);
    assert_int_equal(tms_atomic_file_commit(f), TAMIS_OK);
    tms_map map;
    assert_int_equal(tms_map_open("f", &map), TAMIS_OK);
    assert_int_equal(sample_read_bytes(map.bytes, (size_t)map.size, &s), TAMIS_OK);
    tms_map_close(&map);
    free(bytes.bytes);
    sample_free(&s);
}

static void test_through_file(void **state)
{
    (void)state;
    sample_each_transport(through_file);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(test_new_and_old),
        IN_FOLDER(test_abort),
        IN_FOLDER(test_permissions),
        IN_FOLDER(test_maps_live_on),
        IN_FOLDER(test_links),
        IN_FOLDER(test_paths_that_fail),
        IN_FOLDER(test_longest_name),
        IN_FOLDER(test_commit_that_fails),
        IN_FOLDER(test_memory_refused),
        IN_FOLDER(test_unwritable_folder),
        IN_FOLDER(test_full_disk),
        IN_FOLDER(test_killed_while_writing),
        IN_FOLDER(test_killed_at_any_moment),
        IN_FOLDER(test_map),
        IN_FOLDER(test_maps_that_fail),
        IN_FOLDER(test_source),
        IN_FOLDER(test_through_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
