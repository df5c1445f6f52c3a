/* make_golden.c - writes the golden files of the native format and their
 * manifest, from the recipes in tests/support/golden_recipe.c.
 *
 * Run by hand when a format is released or a recipe is appended, never by a test:
 * README.md beside it says how. Uses the public headers only. A file that is
 * there already is kept as it is, and described from its bytes; so files of a
 * released format are never rewritten by accident.                           */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

#include "support/golden_recipe.h"

typedef struct manifest {
    FILE *json, *tsv;
    bool first;
} manifest;

static void stop_unless(tamis_status status, const char *what)
{
    if (status == TAMIS_OK) return;
    fprintf(stderr, "make_golden: %s: %s\n", what, tamis_explain());
    exit(1);
}

static FILE *create(const char *folder, const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file) return file;
    fprintf(stderr, "make_golden: cannot write %s\n", path);
    exit(1);
}

/* ---- facts -------------------------------------------------------------- */

static uint64_t xxh3(const void *bytes, size_t size)
{
    uint64_t digest = 0;
    stop_unless(tamis_hash_bytes(TAMIS_HASH_XXH3, 0, NULL, bytes, size, &digest), "xxh3");
    return digest;
}

/* Of the plain encoding, which is the promise; compressed bytes are none. */
static uint64_t plain_xxh3(const tamis_filter *f)
{
    const size_t size = (size_t)tamis_encoded_size(f);
    void *bytes = malloc(size);
    stop_unless(bytes ? tamis_encode(f, bytes, size) : TAMIS_E_NOMEM, "encode");
    const uint64_t digest = xxh3(bytes, size);
    free(bytes);
    return digest;
}

static void print_false_positives(FILE *out, const tamis_filter *f, const char *none)
{
    uint8_t key[GOLDEN_KEY_MAX];
    unsigned found = 0;
    for (unsigned i = 0; i < GOLDEN_ABSENT_COUNT; i++) {
        const size_t size = golden_absent(i, key);
        if (tamis_may_contain(f, key, size)) fprintf(out, "%s%u", found++ ? "," : "", i);
    }
    if (found == 0) fputs(none, out);
}

static void print_hex(FILE *out, const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) fprintf(out, "%02x", ((const uint8_t *)bytes)[i]);
}

/* ---- the manifest ------------------------------------------------------- */

static void json_number(FILE *out, const char *name, double value)
{
    if (value != 0) fprintf(out, ", \"%s\": %.17g", name, value);
}

static void json_integer(FILE *out, const char *name, uint64_t value)
{
    if (value != 0) fprintf(out, ", \"%s\": %" PRIu64, name, value);
}

/* What the spec leaves at zero is left out. */
static void json_spec(FILE *out, const tamis_spec *spec)
{
    fprintf(out, "     \"spec\": {\"kind\": \"%s\"", tamis_kind_name(spec->kind));
    if (spec->hash != 0) fprintf(out, ", \"hash\": \"%s\"", tamis_hash_name(spec->hash));
    if (spec->growth == TAMIS_GROWTH_SCALE) fputs(", \"growth\": \"scale\"", out);
    json_integer(out, "capacity", spec->capacity);
    json_number(out, "fpr", spec->fpr);
    json_integer(out, "memory", spec->memory);
    json_integer(out, "seed", spec->seed);
    json_integer(out, "flags", spec->flags);
    json_integer(out, "hashes", spec->hashes);
    json_integer(out, "lines_per_key", spec->lines_per_key);
    json_integer(out, "counter_bits", spec->counter_bits);
    json_integer(out, "fingerprint_bits", spec->fingerprint_bits);
    json_integer(out, "bucket_keys", spec->bucket_keys);
    json_number(out, "expansion", spec->expansion);
    json_number(out, "tightening", spec->tightening);
    json_integer(out, "fold", spec->fold);
    json_integer(out, "window", spec->window);
    json_integer(out, "inner", spec->inner);
    json_integer(out, "parts", spec->parts);
    if (spec->secret) {
        fputs(", \"secret\": \"", out);
        print_hex(out, spec->secret, sizeof golden_secret);
        fputs("\"", out);
    }
    fputs("},\n", out);
}

static void json_making(FILE *out, const golden_recipe *r)
{
    static const char *const with[] = {"", "merge", "intersect"};
    fprintf(out,
            "     \"keys\": {\"rule\": \"%s\", \"first\": %" PRIu64 ", \"count\": %" PRIu64 "}",
            golden_rule_names[r->rule], r->keys.first, r->keys.count);
    if (r->removed.count > 0)
        fprintf(out, ", \"removed\": {\"first\": %" PRIu64 ", \"count\": %" PRIu64 "}",
                r->removed.first, r->removed.count);
    if (r->fold > 0) fprintf(out, ", \"folded_by\": %" PRIu64, r->fold);
    if (r->with != GOLDEN_ALONE) {
        fprintf(out, ", \"%s\": {\"first\": %" PRIu64 ", \"count\": %" PRIu64, with[r->with],
                r->second_keys.first, r->second_keys.count);
        json_integer(out, "capacity", r->second_capacity);
        fputs("}", out);
    }
    const golden_range present = golden_present(r);
    fprintf(out, ",\n     \"present\": {\"first\": %" PRIu64 ", \"count\": %" PRIu64 "},\n",
            present.first, present.count);
}

static void json_entry(manifest *m, const golden_recipe *r, const tamis_filter *f,
                       const tamis_facts *facts)
{
    static const char *const transports[] = {"plain", "zstd", "gzip"};
    size_t metadata_bytes;
    const void *metadata = tamis_metadata(f, &metadata_bytes);
    FILE *out = m->json;
    fprintf(out, "%s    {\"file\": \"%s.tamis\", \"why\": \"%s\",\n", m->first ? "" : ",\n",
            r->name, r->why);
    json_spec(out, &r->spec);
    json_making(out, r);
    fprintf(out, "     \"transport\": \"%s\", \"hash\": \"%s\", \"layers\": %u, \"flags\": %u,\n",
            transports[r->transport], facts->hash_name, facts->layers, facts->flags);
    fprintf(out, "     \"added\": %" PRIu64 ", \"estimate\": %s, ", facts->added,
            facts->count_is_estimate ? "true" : "false");
    fprintf(out, "\"metadata_bytes\": %zu, \"metadata_xxh3\": \"%016" PRIx64 "\",\n",
            metadata_bytes, xxh3(metadata, metadata_bytes));
    fprintf(out, "     \"bytes\": %" PRIu64 ", \"xxh3\": \"%016" PRIx64 "\",\n",
            tamis_encoded_size(f), plain_xxh3(f));
    fputs("     \"false_positives\": [", out);
    print_false_positives(out, f, "");
    fputs("]}", out);
}

static void tsv_entry(manifest *m, const golden_recipe *r, const tamis_filter *f,
                      const tamis_facts *facts)
{
    size_t metadata_bytes;
    const void *metadata = tamis_metadata(f, &metadata_bytes);
    FILE *out = m->tsv;
    fprintf(out, "%s.tamis\t%s\t%s\t%u\t%u\t%" PRIu64 "\t%d\t", r->name, facts->kind_name,
            facts->hash_name, facts->layers, facts->flags, facts->added, facts->count_is_estimate);
    fprintf(out, "%zu\t%016" PRIx64 "\t%" PRIu64 "\t%016" PRIx64 "\t", metadata_bytes,
            xxh3(metadata, metadata_bytes), tamis_encoded_size(f), plain_xxh3(f));
    print_false_positives(out, f, "-");
    fputs("\n", out);
}

static void manifest_begin(manifest *m, const char *folder)
{
    m->json = create(folder, "manifest.json");
    m->tsv = create(folder, "manifest.tsv");
    m->first = true;
    fputs("{\"words\": [", m->json);
    for (size_t i = 0; i < GOLDEN_WORD_COUNT; i++) {
        fputs(i ? ", \"" : "\"", m->json);
        print_hex(m->json, golden_words[i].data, golden_words[i].size);
        fputs("\"", m->json);
    }
    fputs("],\n \"files\": [\n", m->json);
    fputs("# file\tkind\thash\tlayers\tflags\tadded\testimate\tmetadata_bytes\tmetadata_xxh3\t"
          "bytes\txxh3\tfalse_positives\n",
          m->tsv);
}

static void manifest_end(manifest *m)
{
    fputs("\n]}\n", m->json);
    fclose(m->json);
    fclose(m->tsv);
}

/* ---- files -------------------------------------------------------------- */

static void write_once(const golden_recipe *r, const char *path)
{
    FILE *there = fopen(path, "rb");
    if (there) {
        fclose(there);
        return;
    }
    const tamis_save_options how = {.transport = r->transport};
    tamis_filter *f = NULL;
    stop_unless(golden_build(r, &f), r->name);
    stop_unless(tamis_save(f, path, &how), r->name);
    tamis_free(f);
    printf("wrote %s\n", path);
}

static void describe(manifest *m, const golden_recipe *r, const char *path)
{
    const tamis_open_options how = {.secret = r->spec.secret};
    tamis_filter *f = NULL;
    tamis_facts facts;
    stop_unless(tamis_open(path, &how, &f), r->name);
    stop_unless(tamis_info(f, &facts), r->name);
    json_entry(m, r, f, &facts);
    tsv_entry(m, r, f, &facts);
    m->first = false;
    tamis_free(f);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_golden FOLDER\n");
        return 2;
    }
    manifest m;
    manifest_begin(&m, argv[1]);
    for (size_t i = 0; i < golden_recipe_count; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s.tamis", argv[1], golden_recipes[i].name);
        write_once(&golden_recipes[i], path);
        describe(&m, &golden_recipes[i], path);
    }
    manifest_end(&m);
    return 0;
}
