/* body.c - see body.h.                                                      */
#include "kinds/body.h"

static void body_put(uint8_t *at, uint64_t word)
{
    memcpy(at, &word, sizeof word);
}

void tms_body_or(uint8_t *dst, const uint8_t *src, uint64_t size)
{
    for (uint64_t i = 0; i < size; i += 8)
        body_put(dst + i, tms_body_word(dst + i) | tms_body_word(src + i));
}

void tms_body_unite(tamis_filter *dst, const uint8_t *body)
{
    tms_body_or(dst->body, body, dst->shape.body_bytes);
}

void tms_body_overlap(tamis_filter *dst, const uint8_t *body)
{
    for (uint64_t i = 0; i < dst->shape.body_bytes; i += 8)
        body_put(dst->body + i, tms_body_word(dst->body + i) & tms_body_word(body + i));
}

void tms_body_copy(void *dst, const void *src, size_t size)
{
    for (size_t i = 0; i < size; i += 8)
        body_put((uint8_t *)dst + i, tms_body_word((const uint8_t *)src + i));
}
