/* fuzz_use.c - any sequence of calls on two filters, against a model: a list
 * of the keys each must hold. No key of the model is ever denied.           */
#include <stdlib.h>
#include <string.h>
#include <tamis/tamis.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { USE_FILTERS = 2, USE_KEYS = 512 };

typedef struct use_side {
    tamis_filter *filter;
    uint64_t keys[USE_KEYS];
    size_t count;
} use_side;

static void use_require(bool held)
{
    if (!held) abort();
}

static void use_remember(use_side *side, uint64_t key)
{
    if (side->count < USE_KEYS) side->keys[side->count++] = key;
}

static void use_check(const use_side *side)
{
    const tamis_keys keys = tamis_keys_u64(side->keys, side->count);
    use_require(tamis_may_contain_many(side->filter, &keys, NULL) == side->count);
}

static void use_add(use_side *side, uint8_t argument)
{
    bool was_new;
    uint64_t key = argument * UINT64_C(0x100000001b3);
    if (tamis_add_new_u64(side->filter, key, &was_new) == TAMIS_OK) use_remember(side, key);
}

static void use_add_many(use_side *side, uint8_t argument)
{
    uint64_t keys[64];
    size_t added, count = argument & 63;
    for (size_t i = 0; i < count; i++) keys[i] = argument * UINT64_C(1000003) + i;
    const tamis_keys batch = tamis_keys_u64(keys, count);
    (void)tamis_add_many(side->filter, &batch, &added);
    for (size_t i = 0; i < added; i++) use_remember(side, keys[i]);
}

static void use_merge(use_side *dst, const use_side *src)
{
    tamis_union result;
    if (tamis_merge(dst->filter, src->filter, &result) != TAMIS_OK) return;
    for (size_t i = 0; i < src->count; i++) use_remember(dst, src->keys[i]);
}

static void use_clear(use_side *side)
{
    use_require(tamis_clear(side->filter) == TAMIS_OK);
    side->count = 0;
}

static void use_replace(use_side *side, tamis_filter *by)
{
    tamis_free(side->filter);
    side->filter = by;
}

static void use_clone(use_side *side)
{
    tamis_filter *copy;
    use_require(tamis_clone(side->filter, &copy) == TAMIS_OK);
    use_replace(side, copy);
}

static void use_reload(use_side *side)
{
    tamis_filter *copy;
    size_t size = (size_t)tamis_encoded_size(side->filter);
    void *bytes = malloc(size);
    use_require(bytes && tamis_encode(side->filter, bytes, size) == TAMIS_OK);
    use_require(tamis_load(bytes, size, NULL, &copy) == TAMIS_OK);
    free(bytes);
    use_replace(side, copy);
}

static void use_step(use_side *sides, uint8_t verb, uint8_t argument)
{
    use_side *side = &sides[verb & 1], *other = &sides[~verb & 1];
    switch (verb >> 1 & 7) {
    case 0: use_add(side, argument); break;
    case 1: use_add_many(side, argument); break;
    case 2: use_merge(side, other); break;
    case 3: (void)tamis_fold(side->filter, argument & 15); break;
    case 4: use_clear(side); break;
    case 5: use_clone(side); break;
    case 6: use_reload(side); break;
    case 7: use_check(side); break;
    }
}

static bool use_create(use_side *side, const uint8_t *setting)
{
    static const uint32_t kinds[] = {0, TAMIS_KIND_CLASSIC, TAMIS_KIND_BLOCKED,
                                     TAMIS_KIND_SCALABLE};
    static const uint32_t more[] = {0, TAMIS_KIND_COUNTING, TAMIS_KIND_COUNTING, TAMIS_KIND_DLEFT};
    static const double rates[] = {0.3, 0.01, 1e-3, 1e-5};
    tamis_spec spec = {.kind = kinds[setting[0] & 3],
                       .fpr = rates[setting[0] >> 2 & 3],
                       .flags = setting[0] >> 4 & 3,
                       .capacity = 1u + setting[1] * 4u};
    const uint8_t other = setting[0] >> 6; /* 0: one of the kinds above */
    if (other) spec.kind = more[other];
    if (other == 2) spec.lines_per_key = 1;
    return tamis_create(&spec, &side->filter) == TAMIS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static use_side sides[USE_FILTERS];
    if (size < 4) return 0;
    memset(sides, 0, sizeof sides);
    bool made = use_create(&sides[0], data) && use_create(&sides[1], data + 2);
    for (size_t i = 4; made && i + 1 < size && i < 400; i += 2)
        use_step(sides, data[i], data[i + 1]);
    for (size_t i = 0; i < USE_FILTERS; i++) {
        if (made) use_check(&sides[i]);
        tamis_free(sides[i].filter);
    }
    return 0;
}
