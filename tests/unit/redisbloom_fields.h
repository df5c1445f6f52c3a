/* redisbloom_fields.h - the fields of an RDB value in a list: what a server's
 * stream is to the module, for tests. Arrays are from malloc.               */
#ifndef TESTS_REDISBLOOM_FIELDS_H
#define TESTS_REDISBLOOM_FIELDS_H

#include <stdlib.h>
#include <string.h>
#include <tamis/redisbloom.h>

enum { FIELDS_MOST = 256 };

typedef struct field {
    char type; /* 'u', 'd' or 's' */
    uint64_t number;
    double real;
    uint8_t *bytes;
    size_t size;
} field;

typedef struct field_list {
    field fields[FIELDS_MOST];
    size_t count, at;
} field_list;

static inline tamis_status fields_put_unsigned(void *ctx, uint64_t value)
{
    field_list *list = ctx;
    if (list->count == FIELDS_MOST) return TAMIS_E_IO;
    list->fields[list->count++] = (field){.type = 'u', .number = value};
    return TAMIS_OK;
}

static inline tamis_status fields_put_double(void *ctx, double value)
{
    field_list *list = ctx;
    if (list->count == FIELDS_MOST) return TAMIS_E_IO;
    list->fields[list->count++] = (field){.type = 'd', .real = value};
    return TAMIS_OK;
}

static inline tamis_status fields_put_bytes(void *ctx, const void *bytes, size_t size)
{
    field_list *list = ctx;
    if (list->count == FIELDS_MOST) return TAMIS_E_IO;
    field *f = &list->fields[list->count++];
    *f = (field){.type = 's', .bytes = malloc(size + 1), .size = size};
    if (size) memcpy(f->bytes, bytes, size);
    return TAMIS_OK;
}

static inline field *fields_next(field_list *list, char type)
{
    if (list->at == list->count || list->fields[list->at].type != type) return NULL;
    return &list->fields[list->at++];
}

static inline tamis_status fields_get_unsigned(void *ctx, uint64_t *value)
{
    const field *f = fields_next(ctx, 'u');
    if (!f) return TAMIS_E_TRUNCATED;
    *value = f->number;
    return TAMIS_OK;
}

static inline tamis_status fields_get_double(void *ctx, double *value)
{
    const field *f = fields_next(ctx, 'd');
    if (!f) return TAMIS_E_TRUNCATED;
    *value = f->real;
    return TAMIS_OK;
}

static inline tamis_status fields_get_bytes(void *ctx, void **bytes, size_t *size)
{
    const field *f = fields_next(ctx, 's');
    if (!f) return TAMIS_E_TRUNCATED;
    *bytes = malloc(f->size + 1);
    *size = f->size;
    if (f->size) memcpy(*bytes, f->bytes, f->size);
    return TAMIS_OK;
}

static inline tamis_redisbloom_writer fields_writer(field_list *list)
{
    return (tamis_redisbloom_writer){list, fields_put_unsigned, fields_put_double,
                                     fields_put_bytes};
}

static inline tamis_redisbloom_reader fields_reader(field_list *list)
{
    list->at = 0;
    return (tamis_redisbloom_reader){list, fields_get_unsigned, fields_get_double,
                                     fields_get_bytes};
}

static inline void fields_free(field_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->fields[i].bytes);
    list->count = list->at = 0;
}

/* Takes fields [from, from + count) out. */
static inline void fields_drop(field_list *list, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++) free(list->fields[i].bytes);
    memmove(list->fields + from, list->fields + from + count,
            (list->count - from - count) * sizeof list->fields[0]);
    list->count -= count;
}

static inline int fields_same(const field_list *a, const field_list *b)
{
    if (a->count != b->count) return 0;
    for (size_t i = 0; i < a->count; i++) {
        const field *x = &a->fields[i], *y = &b->fields[i];
        if (x->type != y->type || x->number != y->number || x->size != y->size ||
            memcmp(&x->real, &y->real, sizeof x->real) != 0 ||
            (x->size && memcmp(x->bytes, y->bytes, x->size) != 0))
            return 0;
    }
    return 1;
}

#endif
