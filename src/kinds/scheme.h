/* scheme.h - how key bytes become bit positions, and how bits lie in bytes.
 *
 * A classic Bloom filter is a bit array plus a scheme. The native scheme works
 * from digests and is in src/kernel/classic_kernel.h. The filters of other
 * systems hash the key their own way, several times or wider than 64 bits, and
 * may number their bits from the other end: each is a scheme, and a kind of
 * its own. Its table has classic's plan, check, describe, rate, measure, fits,
 * fold_size, unite and overlap, TMS_SCHEME_ABILITIES, no add_slice, and
 *
 *      static void guava_attach(tamis_filter *f) { tms_scheme_attach(f, &guava); }
 *
 * Positions are not spread as classic's are, so such a filter does not fold,
 * and `fold_size` only tells sizes apart.
 * So a foreign filter is a live filter: asked, added to, merged and written. */
#ifndef TMS_KINDS_SCHEME_H
#define TMS_KINDS_SCHEME_H

#include "kinds/kind.h"

enum { TMS_SCHEME_HASHES_MOST = 255 };

enum {
    TMS_SCHEME_ABILITIES = TAMIS_CAN_ADD | TAMIS_CAN_MERGE | TAMIS_CAN_INTERSECT |
                           TAMIS_CAN_CONCURRENT | TAMIS_CAN_BORROW
};

typedef struct tms_scheme {
    /* Writes the positions of a key, params[1] of them, each below params[0]
     * (bits and hashes, as in every classic shape). */
    void (*positions)(const tms_shape *, const void *key, size_t size, uint64_t *positions);
    /* Where bit i lies, as an index in least-significant-bit-first bytes; NULL:
     * at i itself. */
    uint64_t (*place)(uint64_t bit);
} tms_scheme;

/* Prepares a classic handle to work by `scheme`, in the mode of its flags. */
void tms_scheme_attach(tamis_filter *f, const tms_scheme *scheme);

/* The digest operations of filters that work from keys only: "maybe" to every
 * question, and adds are refused with a sentence. */
bool tms_keys_only_may_contain(const tamis_filter *f, uint64_t digest);
tamis_status tms_keys_only_add(tamis_filter *f, uint64_t digest, bool *was_new);
size_t tms_keys_only_may_contain_many(const tamis_filter *f, const tms_run *run, bool *answers);
tamis_status tms_keys_only_add_many(tamis_filter *f, const tms_run *run, bool *was_new,
                                    size_t *added);

#endif
