/* bench_bitmap - what an exact set of integers costs, by how dense they are.
 *
 *      bench_bitmap [KEYS]
 *
 * For each density: nanoseconds to add a key and to ask for one, in batches, in
 * random order but for the first row (the minimum over slices of 65,536 keys:
 * what the machine can do), bytes an integer in memory and in a file, and the
 * seconds to write and to read that file's bytes.                           */
#include <stdlib.h>
#include <tamis/tamis.h>

#include "base/bits.h"
#include "measure/bench.h"

typedef struct density {
    const char *name;
    unsigned shift; /* of 64 random bits; 64: one after another */
    uint64_t share; /* of the keys asked for on the command line */
} density;

static const density DENSITIES[] = {
    {"in a row", 64, 1},
    {"of 2^26", 38, 1},
    {"of 2^32", 32, 1},
    {"of 2^36, 16 high", 28, 1},
    {"of 2^44, 4096 high", 20, 1},
    {"of 2^64, scattered", 0, 10},
};

static uint64_t key_number(const density *d, uint64_t i)
{
    return d->shift == 64 ? i : tms_mix64(i + 1) >> d->shift;
}

typedef struct costs {
    bench_samples add, hit;
} costs;

static tamis_filter *build(const uint64_t *keys, uint64_t count, costs *cost)
{
    const tamis_spec spec = {.kind = TAMIS_KIND_BITMAP};
    tamis_filter *f;
    if (tamis_create(&spec, &f) != TAMIS_OK) bench_die("%s", tamis_explain());
    for (uint64_t from = 0; from + BENCH_SLICE <= count; from += BENCH_SLICE) {
        const tamis_keys slice = tamis_keys_u64(keys + from, BENCH_SLICE);
        uint64_t begin = bench_now();
        if (tamis_add_many(f, &slice, NULL) != TAMIS_OK) bench_die("%s", tamis_explain());
        bench_note(&cost->add, (double)(bench_now() - begin) / BENCH_SLICE);
    }
    for (uint64_t from = 0; from + BENCH_SLICE <= count; from += BENCH_SLICE) {
        const tamis_keys slice = tamis_keys_u64(keys + from, BENCH_SLICE);
        uint64_t begin = bench_now();
        bench_keep(tamis_may_contain_many(f, &slice, NULL));
        bench_note(&cost->hit, (double)(bench_now() - begin) / BENCH_SLICE);
    }
    return f;
}

/* Seconds to write the bytes and to read them. */
static void travel(const tamis_filter *f, uint64_t size, double *writing, double *reading)
{
    tamis_filter *again;
    void *bytes = bench_buffer((size_t)size, true);
    uint64_t begin = bench_now();
    if (tamis_encode(f, bytes, (size_t)size) != TAMIS_OK) bench_die("%s", tamis_explain());
    uint64_t middle = bench_now();
    if (tamis_load(bytes, (size_t)size, NULL, &again) != TAMIS_OK) bench_die("%s", tamis_explain());
    *writing = (double)(middle - begin) * 1e-9;
    *reading = (double)(bench_now() - middle) * 1e-9;
    tamis_free(again);
    bench_buffer_free(bytes, (size_t)size);
}

static void measure(const density *d, uint64_t count)
{
    static costs cost;
    uint64_t *keys = bench_buffer((size_t)count * sizeof *keys, true);
    double writing, reading;
    tamis_facts facts;
    cost.add.count = cost.hit.count = 0;
    for (uint64_t i = 0; i < count; i++) keys[i] = key_number(d, i);
    tamis_filter *f = build(keys, count, &cost);
    uint64_t size = tamis_encoded_size(f);
    tamis_info(f, &facts);
    travel(f, size, &writing, &reading);
    printf("%-20s %10.0f %8.1f %8.1f %9.2f %9.3f %8.2f %8.2f\n", d->name, facts.keys,
           bench_min(&cost.add), bench_min(&cost.hit), (double)facts.memory / facts.keys,
           (double)size / facts.keys, writing, reading);
    tamis_free(f);
    bench_buffer_free(keys, (size_t)count * sizeof *keys);
}

int main(int argc, char **argv)
{
    uint64_t count = argc > 1 ? bench_number(argv[1]) : 10000000;
    bench_machine machine;
    bench_describe(&machine);
    bench_print_machine(&machine, stdout);
    printf("\n%-20s %10s %8s %8s %9s %9s %8s %8s\n", "integers", "distinct", "add ns", "hit ns",
           "B memory", "B file", "write s", "read s");
    for (size_t i = 0; i < sizeof DENSITIES / sizeof DENSITIES[0]; i++)
        measure(&DENSITIES[i], count / DENSITIES[i].share);
    return 0;
}
