/* tour.c - the library in one sitting: plan a filter for a million keys,
 * build it, ask it, save it, map it, and let it say how it feels.
 *
 * The tests run it; the tool does the same with files (./dev demo).         */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>
#include <time.h>
#include <unistd.h>

enum { TOUR_KEYS = 1000000, TOUR_KEY_ROOM = 96 };

static double tour_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void tour_check(tamis_status status, const char *what)
{
    if (status == TAMIS_OK) return;
    fprintf(stderr, "tour: %s: %s (%s)\n", what, tamis_explain(), tamis_strerror(status));
    exit(2);
}

/* Half URLs, half names in four scripts; `world` 0 is added, 1 is not. */
static size_t tour_write_key(char *at, uint64_t i, int world)
{
    static const char *const names[] = {"Zo\u00eb", "\u041b\u0435\u0432", "\u674e\u96f7",
                                        "Jos\u00e9"};
    int n = i % 2 ? snprintf(at, TOUR_KEY_ROOM, "https://shop.example/%s/item/%" PRIu64,
                             world ? "old" : "new", i * 7919)
                  : snprintf(at, TOUR_KEY_ROOM, "%s %s %" PRIu64, names[i / 2 % 4],
                             world ? "Martin" : "Rossi", i);
    return (size_t)n;
}

/* Keys as one block of bytes with offsets, the layout of an Arrow column. */
typedef struct tour_column {
    char *bytes;
    int64_t *offsets;
} tour_column;

static tour_column tour_make_column(int world)
{
    tour_column c = {malloc((size_t)TOUR_KEYS * TOUR_KEY_ROOM),
                     malloc((TOUR_KEYS + 1) * sizeof(int64_t))};
    int64_t at = 0;
    if (!c.bytes || !c.offsets) tour_check(TAMIS_E_NOMEM, "keys");
    for (uint64_t i = 0; i < TOUR_KEYS; i++) {
        c.offsets[i] = at;
        at += (int64_t)tour_write_key(c.bytes + at, i, world);
    }
    c.offsets[TOUR_KEYS] = at;
    return c;
}

static void tour_plan(const tamis_spec *spec)
{
    tamis_sizing rows[16];
    size_t count = tamis_plan_all(spec, rows, 16);
    printf("1. Plan: %d keys, at most 1 %% of absent keys may get \"maybe\"\n", TOUR_KEYS);
    printf("   %-10s %12s %9s %7s %9s %6s\n", "kind", "bytes", "bits/key", "hashes", "rate",
           "reads");
    for (size_t i = 0; i < count && i < 16; i++) {
        const tamis_sizing *r = &rows[i];
        if (r->status != TAMIS_OK) continue;
        printf("   %-10s %12" PRIu64 " %9.2f %7u %8.4f%% %6u%s\n", tamis_kind_name(r->kind),
               r->bytes, r->bits_per_key, r->hashes, 100 * r->fpr, r->reads,
               r->recommended ? "   <- recommended" : "");
    }
}

static tamis_filter *tour_build(const tamis_spec *spec, const tamis_keys *keys)
{
    tamis_filter *f;
    tour_check(tamis_create(spec, &f), "create");
    double start = tour_seconds();
    tour_check(tamis_add_many(f, keys, NULL), "add");
    double spent = tour_seconds() - start;
    printf("2. Build: %d URLs and names added in %.0f ms, %.1f million a second\n", TOUR_KEYS,
           1e3 * spent, TOUR_KEYS / spent / 1e6);
    return f;
}

static void tour_ask(const tamis_filter *f, const tamis_keys *present, const tamis_keys *absent)
{
    double start = tour_seconds();
    size_t found = tamis_may_contain_many(f, present, NULL);
    size_t wrong = tamis_may_contain_many(f, absent, NULL);
    double spent = tour_seconds() - start;
    printf("3. Ask: %zu of %d added keys found, %zu of %d others got \"maybe\" (%.3f %%),\n"
           "   %.1f million questions a second\n",
           found, TOUR_KEYS, wrong, TOUR_KEYS, 100.0 * (double)wrong / TOUR_KEYS,
           2 * TOUR_KEYS / spent / 1e6);
    if (found != TOUR_KEYS) exit(1);
}

static void tour_dedup(const tamis_keys *keys)
{
    tamis_spec spec = {.fpr = 0.001, .growth = TAMIS_GROWTH_SCALE}; /* no capacity to guess */
    bool *was_new = malloc(TOUR_KEYS * sizeof *was_new);
    tamis_filter *f;
    size_t first = 0, again = 0;
    tour_check(tamis_create(&spec, &f), "create");
    tour_check(was_new ? TAMIS_OK : TAMIS_E_NOMEM, "answers");
    tour_check(tamis_add_new_many(f, keys, was_new, NULL), "add");
    for (size_t i = 0; i < TOUR_KEYS; i++) first += was_new[i];
    tour_check(tamis_add_new_many(f, keys, was_new, NULL), "add");
    for (size_t i = 0; i < TOUR_KEYS; i++) again += was_new[i];
    printf("4. De-duplicate, size unknown: %zu keys new the first time, %zu the second\n", first,
           again);
    free(was_new);
    tamis_free(f);
}

static void tour_save_and_map(const tamis_filter *f, const tamis_keys *keys)
{
    char path[] = "/tmp/tamis-tour-XXXXXX";
    int fd = mkstemp(path);
    const tamis_open_options map = {.flags = TAMIS_OPEN_MAP};
    tamis_filter *mapped;
    if (fd < 0) tour_check(TAMIS_E_IO, "temporary file");
    close(fd);
    tour_check(tamis_save(f, path, NULL), "save");
    double start = tour_seconds();
    tour_check(tamis_open(path, &map, &mapped), "map");
    double spent = tour_seconds() - start;
    tour_check(tamis_verify(mapped, NULL), "verify");
    printf("5. Save and map: %" PRIu64 " bytes, mapped in %.0f us, sound, %zu keys found in it\n",
           tamis_encoded_size(f), 1e6 * spent, tamis_may_contain_many(mapped, keys, NULL));
    tamis_free(mapped);
    unlink(path);
}

static void tour_diagnose(const tamis_filter *f)
{
    tamis_finding findings[8];
    size_t count = tamis_diagnose(f, findings, 8);
    for (size_t i = 0; i < count && i < 8; i++)
        printf("%s %s %s\n", i ? "  " : "6. Diagnose:", findings[i].sentence, findings[i].advice);
}

int main(void)
{
    const tamis_spec spec = {.capacity = TOUR_KEYS, .fpr = 0.01};
    tour_column present = tour_make_column(0), absent = tour_make_column(1);
    tamis_keys in = tamis_keys_offsets64(present.bytes, present.offsets, TOUR_KEYS);
    tamis_keys out = tamis_keys_offsets64(absent.bytes, absent.offsets, TOUR_KEYS);
    printf("Tamis %s\n", tamis_version());
    tour_plan(&spec);
    tamis_filter *f = tour_build(&spec, &in);
    tour_ask(f, &in, &out);
    tour_dedup(&in);
    tour_save_and_map(f, &in);
    tour_diagnose(f);
    tamis_free(f);
    free(present.bytes);
    free(present.offsets);
    free(absent.bytes);
    free(absent.offsets);
    return 0;
}
