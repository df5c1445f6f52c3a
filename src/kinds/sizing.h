/* sizing.h - from a request to a size, for kinds that are one table of equal
 * units (bits, lines) with k bits a key.
 *
 * Any two of keys, rate and memory give the third. A kind brings its
 * mathematics as a tms_sizer; the cases, the rounding to fold factors and the
 * refusals stand here once.                                                 */
#ifndef TMS_KINDS_SIZING_H
#define TMS_KINDS_SIZING_H

#include <stdbool.h>
#include <stdint.h>
#include <tamis/spec.h>

typedef struct tms_sizer {
    const char *unit;       /* "bits", "lines": for sentences */
    uint32_t unit_bits;     /* 1, the width of a counter, or 512 */
    uint32_t most_hashes;   /* k is 1 .. this */
    uint32_t lines_per_key; /* handed to the functions; 0 where it has no meaning */
    uint32_t lane_places;   /* of lines, likewise */
    uint64_t most_units;
    /* Fold factors that a size divides by without being asked; given the size. */
    uint64_t (*usual_fold)(const struct tms_sizer *, uint64_t units);
    double (*rate)(const struct tms_sizer *, uint64_t units, uint32_t hashes, double keys);
    uint32_t (*best_hashes)(const struct tms_sizer *, uint64_t units, double keys);
    bool (*size)(const struct tms_sizer *, double keys, double fpr, bool never_exceed,
                 uint64_t *units, uint32_t *hashes);
    double (*capacity)(const struct tms_sizer *, uint64_t units, double fpr, bool never_exceed,
                       uint32_t *hashes);
} tms_sizer;

typedef struct tms_size {
    uint64_t units;
    uint32_t hashes;
    uint64_t capacity;
    double fpr; /* asked for, or expected when it was the unknown */
} tms_size;

/* Errors: TAMIS_E_SPEC, TAMIS_E_LIMIT, with sentences. */
tamis_status tms_size_for(const tms_sizer *sizer, const tamis_spec *spec, tms_size *out);

#endif
