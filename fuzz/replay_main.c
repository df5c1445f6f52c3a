/* replay_main.c - runs a fuzz target over files, without a fuzzer.
 *
 * Arguments are files, or folders whose files are run; the number of inputs is
 * printed. No input at all is a failure: a target without a corpus proves
 * nothing. Sub-folders are not entered.                                     */
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 /* scandir */
#endif
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay_die(const char *path)
{
    perror(path);
    exit(2);
}

static long replay_size(const char *path, FILE *file)
{
    if (fseek(file, 0, SEEK_END) != 0) replay_die(path);
    long size = ftell(file);
    if (size < 0 || fseek(file, 0, SEEK_SET) != 0) replay_die(path);
    return size;
}

/* The name comes first: it is what one needs when the target crashes. The input
 * is an allocation of exactly its size, so that the address sanitizer sees a
 * read of one byte past its end. */
static void replay_file(const char *path)
{
    fprintf(stderr, "%s\n", path);
    FILE *file = fopen(path, "rb");
    if (!file) replay_die(path);
    size_t size = (size_t)replay_size(path, file);
    uint8_t *data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, file) != size) replay_die(path);
    fclose(file);
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
}

static int replay_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static size_t replay_folder(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, replay_visible, alphasort);
    if (n < 0) replay_die(folder);
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        replay_file(path);
        free(entries[i]);
    }
    free(entries);
    return (size_t)n;
}

int main(int argc, char **argv)
{
    size_t inputs = 0;
    for (int i = 1; i < argc; i++) {
        struct stat status;
        if (stat(argv[i], &status) != 0) replay_die(argv[i]);
        if (S_ISDIR(status.st_mode)) {
            inputs += replay_folder(argv[i]);
        } else {
            replay_file(argv[i]);
            inputs++;
        }
    }
    printf("%zu inputs replayed\n", inputs);
    return inputs ? 0 : 1;
}
