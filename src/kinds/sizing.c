/* sizing.c - see sizing.h.                                                  */
#include "kinds/sizing.h"

#include <inttypes.h>

#include "base/checked.h"
#include "base/fail.h"
#include "math/search.h"

/* The smallest multiple of `asked` that the power of two `usual` divides. */
static uint64_t sizing_common(uint64_t asked, uint64_t usual)
{
    uint64_t common = asked;
    while (common % usual != 0) common += asked;
    return common;
}

/* The factor that every size of this request must divide by: the one asked for
 * and, as far as it costs little beside that, the usual power of two. */
static uint64_t sizing_fold(const tms_sizer *sizer, const tamis_spec *spec, uint64_t units)
{
    uint64_t parts = sizer->lines_per_key == 2 ? 2 : 1; /* each half folds by itself */
    uint64_t usual = sizer->usual_fold(sizer, units);
    uint64_t asked = spec->fold ? spec->fold : 1;
    while (usual > 1 && asked > 1 && sizing_common(asked, usual) > units / 64 + 1 + asked)
        usual /= 2;
    return sizing_common(asked, usual) * parts;
}

static tamis_status sizing_too_large(const tms_sizer *sizer, const tamis_spec *spec)
{
    return tms_fail(TAMIS_E_LIMIT,
                    "%" PRIu64 " keys at a rate of %g need more than %" PRIu64
                    " %s, the largest size there is; plan fewer keys or a higher rate",
                    spec->capacity, spec->fpr, sizer->most_units, sizer->unit);
}

/* Of keys and units one is given, and the other is asked for. */
typedef struct sizing_question {
    const tms_sizer *sizer;
    double keys, fpr;
    uint32_t hashes;
    uint64_t units;
} sizing_question;

static bool sizing_suffices(const void *question, uint64_t units)
{
    const sizing_question *q = question;
    return q->sizer->rate(q->sizer, units, q->hashes, q->keys) <= q->fpr;
}

/* Keys and rate are known. */
static tamis_status sizing_find_units(const tms_sizer *sizer, const tamis_spec *spec, tms_size *out)
{
    bool never = (spec->flags & TAMIS_NEVER_EXCEED) != 0;
    double keys = (double)spec->capacity;
    out->hashes = spec->hashes;
    if (spec->hashes) {
        sizing_question q = {
            .sizer = sizer, .keys = keys, .fpr = spec->fpr, .hashes = spec->hashes};
        uint64_t guess = spec->capacity < sizer->most_units ? spec->capacity : sizer->most_units;
        if (!tms_search_smallest(sizing_suffices, &q, guess, sizer->most_units, &out->units))
            return sizing_too_large(sizer, spec);
    } else if (!sizer->size(sizer, keys, spec->fpr, never, &out->units, &out->hashes)) {
        return sizing_too_large(sizer, spec);
    }
    uint64_t fold = sizing_fold(sizer, spec, out->units);
    if (!tms_round_up(out->units, fold, &out->units) || out->units > sizer->most_units)
        return sizing_too_large(sizer, spec);
    return TAMIS_OK;
}

/* The largest size within the memory that folds as asked. */
static tamis_status sizing_from_memory(const tms_sizer *sizer, const tamis_spec *spec,
                                       uint64_t *units)
{
    uint64_t whole = spec->memory / 64 * 64; /* bodies are whole lines */
    uint64_t most = sizer->most_units / 8 * sizer->unit_bits;
    uint64_t room = (whole < most ? whole : most) * 8 / sizer->unit_bits;
    uint64_t fold = sizing_fold(sizer, spec, room);
    if (room < fold && spec->fold <= 1) fold = sizer->lines_per_key == 2 ? 2 : 1; /* no usual one */
    *units = room / fold * fold;
    if (*units == 0)
        return tms_fail(TAMIS_E_LIMIT,
                        "%" PRIu64 " bytes of memory hold no filter; the smallest takes %" PRIu64,
                        spec->memory, tms_div_up(fold * sizer->unit_bits, 512) * 64);
    return TAMIS_OK;
}

static bool sizing_holds(const void *question, uint64_t keys)
{
    const sizing_question *q = question;
    return q->sizer->rate(q->sizer, q->units, q->hashes, (double)keys) <= q->fpr;
}

/* The keys that fit when the number of hashes is given. */
static double sizing_insisted_capacity(const tms_sizer *sizer, const tamis_spec *spec,
                                       uint64_t units)
{
    const uint64_t most = UINT64_C(1) << 56;
    sizing_question q = {.sizer = sizer, .fpr = spec->fpr, .hashes = spec->hashes, .units = units};
    return (double)tms_search_largest(sizing_holds, &q, units < most ? units : most, most);
}

/* Rate and memory are known. */
static tamis_status sizing_find_capacity(const tms_sizer *sizer, const tamis_spec *spec,
                                         tms_size *out)
{
    TMS_TRY(sizing_from_memory(sizer, spec, &out->units));
    bool never = (spec->flags & TAMIS_NEVER_EXCEED) != 0;
    out->hashes = spec->hashes;
    double keys = spec->hashes ? sizing_insisted_capacity(sizer, spec, out->units)
                               : sizer->capacity(sizer, out->units, spec->fpr, never, &out->hashes);
    if (!(keys >= 1))
        return tms_fail(TAMIS_E_LIMIT,
                        "%" PRIu64 " bytes hold not even one key at a rate of %g; give more memory",
                        spec->memory, spec->fpr);
    out->capacity = (uint64_t)keys;
    return TAMIS_OK;
}

/* Keys and memory are known. */
static tamis_status sizing_find_rate(const tms_sizer *sizer, const tamis_spec *spec, tms_size *out)
{
    TMS_TRY(sizing_from_memory(sizer, spec, &out->units));
    double keys = (double)spec->capacity;
    out->hashes = spec->hashes ? spec->hashes : sizer->best_hashes(sizer, out->units, keys);
    out->fpr = sizer->rate(sizer, out->units, out->hashes, keys);
    if (!(out->fpr < 1))
        return tms_fail(TAMIS_E_LIMIT,
                        "%" PRIu64 " keys in %" PRIu64
                        " bytes would answer \"maybe\" to everything; give more memory",
                        spec->capacity, spec->memory);
    return TAMIS_OK;
}

static tamis_status sizing_within_cap(const tms_sizer *sizer, const tamis_spec *spec,
                                      const tms_size *size)
{
    uint64_t bytes = tms_div_up(size->units, 512 / sizer->unit_bits) * 64;
    if (bytes <= spec->memory) return TAMIS_OK;
    tms_size within = {0};
    tamis_spec other = *spec;
    other.fpr = 0;
    if (sizing_find_rate(sizer, &other, &within) != TAMIS_OK) within.fpr = 1;
    return tms_fail(TAMIS_E_LIMIT,
                    "%" PRIu64 " keys at a rate of %g take %" PRIu64
                    " bytes, above the cap of %" PRIu64 "; within it the rate would be %.3g",
                    spec->capacity, spec->fpr, bytes, spec->memory, within.fpr);
}

tamis_status tms_size_for(const tms_sizer *sizer, const tamis_spec *spec, tms_size *out)
{
    if (spec->hashes > sizer->most_hashes)
        return tms_fail(TAMIS_E_SPEC, "%u hashes are outside 1 to %u; 0 chooses the best",
                        spec->hashes, sizer->most_hashes);
    if (spec->fold > (UINT64_C(1) << 32))
        return tms_fail(TAMIS_E_SPEC, "a fold factor of %" PRIu64 " is above 2^32", spec->fold);
    *out = (tms_size){.capacity = spec->capacity, .fpr = spec->fpr};
    if (spec->capacity && spec->fpr > 0) {
        TMS_TRY(sizing_find_units(sizer, spec, out));
        return spec->memory ? sizing_within_cap(sizer, spec, out) : TAMIS_OK;
    }
    if (spec->memory && spec->fpr > 0) return sizing_find_capacity(sizer, spec, out);
    if (spec->memory && spec->capacity) return sizing_find_rate(sizer, spec, out);
    return tms_fail(TAMIS_E_SPEC, "give two of capacity, rate and memory; the third follows");
}
