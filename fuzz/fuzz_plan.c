/* fuzz_plan.c - any request: refused with a sentence, or planned within its
 * own promises and, when small, built and used.                             */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void plan_require(bool held)
{
    if (!held) abort();
}

static void plan_read(const uint8_t **data, size_t *size, void *out, size_t want)
{
    size_t have = *size < want ? *size : want;
    memcpy(out, *data, have);
    *data += have;
    *size -= have;
}

static void plan_use(const tamis_spec *spec)
{
    tamis_filter *f;
    if (tamis_create(spec, &f) != TAMIS_OK) return;
    for (uint64_t i = 0; i < 100; i++)
        if (tamis_add_u64(f, i) == TAMIS_OK) plan_require(tamis_may_contain_u64(f, i));
    tamis_free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tamis_spec spec = {0};
    tamis_sizing sizing, rows[8];
    uint8_t kinds[4] = {0};
    uint16_t fold = 0;
    plan_read(&data, &size, &spec.capacity, sizeof spec.capacity);
    plan_read(&data, &size, &spec.fpr, sizeof spec.fpr);
    plan_read(&data, &size, &spec.memory, sizeof spec.memory);
    plan_read(&data, &size, kinds, sizeof kinds);
    plan_read(&data, &size, &fold, sizeof fold);
    plan_read(&data, &size, &spec.expansion, sizeof spec.expansion);
    plan_read(&data, &size, &spec.tightening, sizeof spec.tightening);
    spec.kind = kinds[0];
    spec.hash = kinds[1] & 7;
    spec.flags = kinds[2];
    spec.growth = kinds[3] & 3;
    spec.hashes = kinds[3] >> 4;
    spec.lines_per_key = kinds[3] >> 2 & 3;
    spec.fold = fold;
    tamis_status status = tamis_plan(&spec, &sizing);
    plan_require(tamis_plan_all(&spec, rows, 8) >= 3);
    if (status != TAMIS_OK) {
        plan_require(tamis_explain()[0] != '\0' && sizing.note[0] != '\0');
        return 0;
    }
    plan_require(sizing.capacity >= 1 && sizing.bits >= 1 && sizing.hashes >= 1);
    plan_require(sizing.fpr >= 0 && sizing.fpr <= 1 && sizing.bytes * 8 >= sizing.bits);
    if (spec.memory) plan_require(sizing.bytes <= spec.memory);
    if (sizing.bytes <= 1 << 20) plan_use(&spec);
    return 0;
}
