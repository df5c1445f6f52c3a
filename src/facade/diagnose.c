/* diagnose.c - what is wrong with a filter, and what to do about it.
 *
 * Each suspicion is a function that looks at the facts and, if it is right,
 * writes one finding. The list at the end is their order within a severity. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <tamis/info.h>

#include "kinds/kind.h"
#include "math/estimate.h"

typedef struct diagnose_case {
    const tamis_filter *filter;
    tamis_facts facts;
    tms_measure measure;
} diagnose_case;

static void diagnose_write(char *text, size_t room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void diagnose_write(char *text, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, room, format, arguments);
    va_end(arguments);
}

#define DIAGNOSE_SENTENCE(out, ...) \
    diagnose_write((out)->sentence, sizeof(out)->sentence, __VA_ARGS__)
#define DIAGNOSE_ADVICE(out, ...) diagnose_write((out)->advice, sizeof(out)->advice, __VA_ARGS__)

static void diagnose_set(tamis_finding *out, tamis_finding_code code, tamis_severity severity,
                         double value, double expected)
{
    out->code = code;
    out->severity = severity;
    out->value = value;
    out->expected = expected;
}

/* A number to plan with: two digits, rounded up. */
static double diagnose_about(double keys)
{
    double unit = pow(10, floor(log10(fmax(keys, 1))) - 1);
    return unit > 1 ? ceil(keys / unit) * unit : ceil(keys);
}

/* ---- suspicions --------------------------------------------------------- */

static bool diagnose_damaged(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    if (!f->damaged_bytes) return false;
    diagnose_set(out, TAMIS_FINDING_DAMAGED, TAMIS_PROBLEM, (double)f->damaged_bytes, 0);
    DIAGNOSE_SENTENCE(out, "%llu bytes of the body are lost; keys that fall there get \"maybe\".",
                      (unsigned long long)f->damaged_bytes);
    DIAGNOSE_ADVICE(out, "No key is wrongly called absent. Rebuild the filter from its keys, and "
                         "look at the disk or the transfer that damaged the file.");
    return true;
}

static bool diagnose_saturated(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    if (!(f->fpr_now > 0.5 && f->fpr_now > 2 * f->fpr_asked)) return false;
    diagnose_set(out, TAMIS_FINDING_SATURATED, TAMIS_PROBLEM, f->fpr_now, f->fpr_asked);
    DIAGNOSE_SENTENCE(out,
                      "%.1f %% of the bits are set: %.1f %% of absent keys get \"maybe\", "
                      "where %.3g %% were planned.",
                      100 * f->fill, 100 * f->fpr_now, 100 * f->fpr_asked);
    DIAGNOSE_ADVICE(out,
                    "It filters almost nothing. Rebuild it for at least %.0f keys, or as one "
                    "that scales.",
                    diagnose_about(fmax(f->keys_low, (double)f->added)));
    return true;
}

/* A window holds keys that are past it, too: how many are too many, the rate tells. */
static bool diagnose_crowded_window(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    if (f->fpr_now <= 1.05 * fmax(f->fpr_asked, f->fpr_at_capacity)) return false;
    diagnose_set(out, TAMIS_FINDING_OVER_CAPACITY, TAMIS_PROBLEM, f->fpr_now, f->fpr_asked);
    DIAGNOSE_SENTENCE(out,
                      "More than the planned %llu keys came within a window: the rate is %.3g %% "
                      "instead of %.3g %%.",
                      (unsigned long long)f->capacity, 100 * f->fpr_now, 100 * f->fpr_asked);
    DIAGNOSE_ADVICE(out, "Begin anew with a capacity for the keys of the busiest window.");
    return true;
}

static bool diagnose_over_capacity(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    bool grows = (tms_filter_abilities(c->filter) & TAMIS_CAN_GROW) != 0;
    if (f->abilities & TAMIS_CAN_FORGET) return diagnose_crowded_window(c, out);
    if (grows || f->keys_low <= 1.01 * (double)f->capacity) return false;
    diagnose_set(out, TAMIS_FINDING_OVER_CAPACITY,
                 f->fpr_now > 1.05 * f->fpr_asked ? TAMIS_PROBLEM : TAMIS_WARNING, f->keys,
                 (double)f->capacity);
    DIAGNOSE_SENTENCE(out,
                      "It holds about %.0f keys and was planned for %llu: the rate is %.3g %% "
                      "instead of %.3g %%.",
                      f->keys, (unsigned long long)f->capacity, 100 * f->fpr_now,
                      100 * f->fpr_asked);
    DIAGNOSE_ADVICE(out,
                    "Rebuild it with a capacity of %.0f, or let it scale; if the higher rate "
                    "is acceptable, plan with that rate.",
                    diagnose_about(1.5 * f->keys));
    return true;
}

/* A table of places refuses keys from 97 % on, where buckets have four of them;
 * smaller buckets do at 88 %. */
static bool diagnose_nearly_full(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    const unsigned long long refused = c->measure.refused;
    const double limit = f->bucket_keys == 2 ? 0.87 : 0.965;
    if (!refused && c->measure.fullest < limit) return false;
    diagnose_set(out, TAMIS_FINDING_NEARLY_FULL, refused ? TAMIS_PROBLEM : TAMIS_WARNING,
                 c->measure.fullest, limit);
    DIAGNOSE_SENTENCE(out,
                      "%.1f %% of the places are taken, %.1f %% in the fullest part, and %llu "
                      "adds were refused since the filter was made or read.",
                      100 * f->fill, 100 * c->measure.fullest, refused);
    DIAGNOSE_ADVICE(out,
                    "Rebuild it with a capacity of %.0f; if one key was added very often, that "
                    "alone may have been refused.",
                    diagnose_about(1.5 * fmax(f->keys, (double)f->capacity)));
    return true;
}

static bool diagnose_poor_hash(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    if (c->measure.crowding >= 1e-9 || f->damaged_bytes) return false;
    diagnose_set(out, TAMIS_FINDING_POOR_HASH, TAMIS_PROBLEM, c->measure.crowding, 1);
    DIAGNOSE_SENTENCE(out,
                      "The keys crowd in some places: a fair hash spreads them this unevenly "
                      "with a probability of %.1g.",
                      c->measure.crowding);
    DIAGNOSE_ADVICE(out,
                    "If digests were given directly, mix them first (consecutive numbers are "
                    "no digests); otherwise use another hash than %s.",
                    f->hash_name);
    return true;
}

static bool diagnose_narrow_hash(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    uint32_t width = c->filter->hasher.width;
    double collisions = tms_collision_rate(fmax(f->keys, (double)f->capacity), width);
    bool hashed = !(c->filter->kind->abilities & TAMIS_IS_EXACT);
    if (!hashed || width >= 64 || collisions < 0.25 * f->fpr_asked) return false;
    diagnose_set(out, TAMIS_FINDING_NARROW_HASH,
                 collisions > f->fpr_asked ? TAMIS_PROBLEM : TAMIS_WARNING, collisions,
                 f->fpr_asked);
    DIAGNOSE_SENTENCE(out,
                      "The hash %s has %u bits: at capacity its collisions alone are %.3g %%, "
                      "of the %.3g %% that were planned.",
                      f->hash_name, width, 100 * collisions, 100 * f->fpr_asked);
    DIAGNOSE_ADVICE(out, "Rebuild with a 64-bit hash (xxh3); no size of filter can help.");
    return true;
}

static bool diagnose_oversized(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    if (f->added == 0 || f->keys_high > 0.25 * (double)f->capacity || f->bits < 1 << 16)
        return false;
    diagnose_set(out, TAMIS_FINDING_OVERSIZED, TAMIS_WARNING, f->keys, (double)f->capacity);
    DIAGNOSE_SENTENCE(out, "It holds about %.0f keys in the space for %llu.", f->keys,
                      (unsigned long long)f->capacity);
    double factor = exp2(floor(log2((double)f->capacity / fmax(f->keys_high, 1))));
    if (f->fold >= 2)
        DIAGNOSE_ADVICE(out,
                        "Unless more keys are to come, fold it by %.0f: the memory shrinks by "
                        "that factor, without the keys, and the rate stays within its plan.",
                        fmin(factor, (double)f->fold));
    else
        DIAGNOSE_ADVICE(out, "Unless more keys are to come, rebuild it for %.0f keys.",
                        diagnose_about(f->keys));
    return true;
}

static bool diagnose_repeats(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    if (f->count_is_estimate || f->added < 1000 || isinf(f->keys_high) ||
        f->keys_high > 0.5 * (double)f->added)
        return false;
    diagnose_set(out, TAMIS_FINDING_REPEATS, TAMIS_NOTE, f->keys, (double)f->added);
    DIAGNOSE_SENTENCE(out, "%llu keys were added, of which about %.0f are distinct.",
                      (unsigned long long)f->added, f->keys);
    DIAGNOSE_ADVICE(out, "Plan with the number of distinct keys. If you expected no repeats, look "
                         "at how the keys are made.");
    return true;
}

static bool diagnose_many_layers(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    bool grows = (c->filter->kind->abilities & TAMIS_CAN_GROW) != 0;
    if (!grows || f->layers < 6) return false;
    diagnose_set(out, TAMIS_FINDING_MANY_LAYERS, TAMIS_WARNING, f->layers, 1);
    DIAGNOSE_SENTENCE(out, "It has grown to %u layers, and an absent key is looked up in each.",
                      f->layers);
    DIAGNOSE_ADVICE(out, "Rebuild it with a first capacity of %.0f to have one.",
                    diagnose_about(1.2 * f->keys));
    return true;
}

/* A few are no harm: a key goes when one of its counters does. */
static bool diagnose_sticky(const diagnose_case *c, tamis_finding *out)
{
    const tms_measure *m = &c->measure;
    if (!m->sticky || c->facts.damaged_bytes) return false;
    double share = (double)m->sticky / (double)m->counters;
    diagnose_set(out, TAMIS_FINDING_STICKY, share > 0.01 ? TAMIS_WARNING : TAMIS_NOTE,
                 (double)m->sticky, 0);
    DIAGNOSE_SENTENCE(out,
                      "%llu of %llu counters have reached their most and stay there: keys that "
                      "have only such counters can no longer be removed.",
                      (unsigned long long)m->sticky, (unsigned long long)m->counters);
    DIAGNOSE_ADVICE(out, "Keys added again and again do this. Add a key only once, or rebuild with "
                         "counters of 8 bits, which count to 255.");
    return true;
}

static bool diagnose_lost_keys(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    if (f->fnr_now <= 0.5 * f->fpr_asked) return false;
    diagnose_set(out, TAMIS_FINDING_LOST_KEYS,
                 f->fnr_now > 1.05 * f->fpr_asked ? TAMIS_PROBLEM : TAMIS_WARNING, f->fnr_now,
                 f->fpr_asked);
    DIAGNOSE_SENTENCE(out, "So many keys were removed that %.3g %% of those added get \"no\".",
                      100 * f->fnr_now);
    DIAGNOSE_ADVICE(out, "Rebuild it from the keys that are left; for many removals take a kind "
                         "that removes, such as counting or dleft.");
    return true;
}

static bool diagnose_never_filled(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    if (f->ones) return false;
    diagnose_set(out, TAMIS_FINDING_NEVER_FILLED, TAMIS_WARNING, 0, (double)f->capacity);
    DIAGNOSE_SENTENCE(out, "No key has ever been added: every answer is \"certainly not\".");
    DIAGNOSE_ADVICE(out, "Fill it before it is asked; a guard in front of a database would "
                         "otherwise refuse every request.");
    return true;
}

static void diagnose_healthy(const diagnose_case *c, tamis_finding *out)
{
    const tamis_facts *f = &c->facts;
    diagnose_set(out, TAMIS_FINDING_HEALTHY, TAMIS_NOTE, f->fpr_now, f->fpr_asked);
    DIAGNOSE_ADVICE(out, "Nothing to do.");
    if (f->abilities & TAMIS_IS_EXACT) {
        DIAGNOSE_SENTENCE(out, "Exactly %.0f keys: every answer is the truth.", f->keys);
        return;
    }
    if (f->abilities & TAMIS_CAN_FORGET) {
        DIAGNOSE_SENTENCE(
            out,
            "About %.0f keys, where %llu a window were planned; a rate of %.3g %% now "
            "and %.3g %% planned.",
            f->keys, (unsigned long long)f->capacity, 100 * f->fpr_now, 100 * f->fpr_asked);
        return;
    }
    DIAGNOSE_SENTENCE(out, "About %.0f of %llu keys, a rate of %.3g %% now and %.3g %% planned.",
                      f->keys, (unsigned long long)f->capacity, 100 * f->fpr_now,
                      100 * f->fpr_asked);
}

/* ---- the round ---------------------------------------------------------- */

typedef bool (*diagnose_suspicion)(const diagnose_case *, tamis_finding *);

static const diagnose_suspicion diagnose_suspicions[] = {
    diagnose_damaged,   diagnose_saturated,   diagnose_over_capacity, diagnose_nearly_full,
    diagnose_poor_hash, diagnose_narrow_hash, diagnose_oversized,     diagnose_many_layers,
    diagnose_repeats,   diagnose_sticky,      diagnose_lost_keys,     diagnose_never_filled,
};

enum { DIAGNOSE_COUNT = sizeof diagnose_suspicions / sizeof diagnose_suspicions[0] };

/* Worst first; equal ones in the order of the list. */
static size_t diagnose_sorted(const tamis_finding *found, size_t count, tamis_finding *out,
                              size_t room)
{
    size_t written = 0;
    for (int severity = TAMIS_PROBLEM; severity >= TAMIS_NOTE; severity--)
        for (size_t i = 0; i < count; i++)
            if ((int)found[i].severity == severity && written < room) out[written++] = found[i];
    return written;
}

size_t tamis_diagnose(const tamis_filter *f, tamis_finding *findings, size_t room)
{
    diagnose_case c = {.filter = f}; /* the measure too is zero */
    tamis_finding found[DIAGNOSE_COUNT];
    size_t count = 0;
    memset(found, 0, sizeof found);
    if (tamis_info(f, &c.facts) != TAMIS_OK) return 0;
    f->kind->measure(f, &c.measure);
    for (size_t i = 0; i < DIAGNOSE_COUNT; i++)
        if (diagnose_suspicions[i](&c, &found[count])) count++;
    if (count == 0) diagnose_healthy(&c, &found[count++]);
    (void)diagnose_sorted(found, count, findings, room);
    return count;
}

#undef DIAGNOSE_SENTENCE
#undef DIAGNOSE_ADVICE
