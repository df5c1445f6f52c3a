/* settings.c - the table of settings; see settings.h.                       */
#include "settings.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct settings settings = {
    .bf_error_rate = 0.01,
    .bf_initial_size = 100,
    .bf_expansion_factor = 2,
    .cf_bucket_size = 2,
    .cf_initial_size = 1024,
    .cf_max_iterations = 20,
    .cf_expansion_factor = 1,
    .cf_max_expansions = 32,
    .max_filter_bytes = 0,
    .huge_pages_from = 0,
};

enum setting_form { FORM_RATE, FORM_INTEGER, FORM_BYTES };

typedef struct setting {
    const char *name;
    const char *legacy; /* the module argument of older releases, or NULL */
    enum setting_form form;
    void *value;
    long long least, most;
    RedisModuleString *shown; /* what CONFIG GET was last given: it borrows */
} setting;

static setting table[] = {
    {"bf-error-rate", "ERROR_RATE", FORM_RATE, &settings.bf_error_rate, 0, 1, NULL},
    {"bf-initial-size", "INITIAL_SIZE", FORM_INTEGER, &settings.bf_initial_size, 1, CAPACITY_MOST,
     NULL},
    {"bf-expansion-factor", NULL, FORM_INTEGER, &settings.bf_expansion_factor, 0, EXPANSION_MOST,
     NULL},
    {"cf-bucket-size", NULL, FORM_INTEGER, &settings.cf_bucket_size, 1, 255, NULL},
    {"cf-initial-size", NULL, FORM_INTEGER, &settings.cf_initial_size, 2, CAPACITY_MOST, NULL},
    {"cf-max-iterations", NULL, FORM_INTEGER, &settings.cf_max_iterations, 1, 65535, NULL},
    {"cf-expansion-factor", NULL, FORM_INTEGER, &settings.cf_expansion_factor, 0, EXPANSION_MOST,
     NULL},
    {"cf-max-expansions", "CF_MAX_EXPANSIONS", FORM_INTEGER, &settings.cf_max_expansions, 1, 65536,
     NULL},
    {"tamis-max-filter-bytes", NULL, FORM_BYTES, &settings.max_filter_bytes, 0, INT64_MAX, NULL},
    {"tamis-huge-pages-from", NULL, FORM_BYTES, &settings.huge_pages_from, 0, INT64_MAX, NULL},
};

enum { SETTINGS = sizeof table / sizeof table[0] };

/* ---- reading a value ----------------------------------------------------- */

/* A bucket must fit twice into the first filter, whichever of the two changes. */
static long long setting_least(const setting *s)
{
    if (s->value == &settings.cf_initial_size) return 2 * settings.cf_bucket_size;
    return s->least;
}

static long long setting_most(const setting *s)
{
    if (s->value != &settings.cf_bucket_size) return s->most;
    long long half = settings.cf_initial_size / 2;
    return half < s->most ? half : s->most;
}

int settings_parse_bytes(const char *text, long long *bytes)
{
    static const struct {
        const char *word;
        long long factor;
    } units[] = {{"", 1},           {"b", 1},          {"kb", 1LL << 10},
                 {"mb", 1LL << 20}, {"gb", 1LL << 30}, {"tb", 1LL << 40}};
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || end == text || number < 0 || isspace((unsigned char)*text)) return API_ERR;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcasecmp(end, units[i].word) != 0) continue;
        if (number > INT64_MAX / units[i].factor) return API_ERR;
        *bytes = number * units[i].factor;
        return API_OK;
    }
    return API_ERR;
}

static int parse_integer(const setting *s, const char *text, long long *number)
{
    char *end;
    if (s->form == FORM_BYTES) return settings_parse_bytes(text, number);
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno || end == text || *end || isspace((unsigned char)*text) ? API_ERR : API_OK;
}

/* Takes over `text`. False: `unreadable` tells whether it was no number at all,
 * and `range` the words for what is allowed. */
static bool setting_take(const setting *s, const char *text, bool *unreadable, char range[64])
{
    *unreadable = true;
    if (s->form == FORM_RATE) {
        char *end;
        double rate = strtod(text, &end);
        if (end == text || *end || isnan(rate)) return false;
        *unreadable = false;
        snprintf(range, 64, "(%f, %f)", (double)s->least, (double)s->most);
        if (rate <= (double)s->least || rate >= (double)s->most) return false;
        *(double *)s->value = rate > ERROR_RATE_MOST ? ERROR_RATE_MOST : rate;
        return true;
    }
    long long number;
    if (parse_integer(s, text, &number) != API_OK) return false;
    *unreadable = false;
    snprintf(range, 64, "[%lld, %lld]", setting_least(s), setting_most(s));
    if (number < setting_least(s) || number > setting_most(s)) return false;
    *(long long *)s->value = number;
    return true;
}

static void setting_print(const setting *s, char text[32])
{
    if (s->form == FORM_RATE)
        snprintf(text, 32, "%.15g", *(double *)s->value);
    else
        snprintf(text, 32, "%lld", *(long long *)s->value);
}

/* ---- module arguments ---------------------------------------------------- */

static setting *setting_named(const char *name)
{
    for (int i = 0; i < SETTINGS; i++) {
        if (strcasecmp(table[i].name, name) == 0) return &table[i];
        if (table[i].legacy && strcasecmp(table[i].legacy, name) == 0) return &table[i];
    }
    return NULL;
}

static int setting_from_argument(RedisModuleCtx *ctx, const char *name, const char *text)
{
    setting *s = setting_named(name);
    bool unreadable;
    char range[64];
    if (!s) {
        server.Log(ctx, "warning", "Unrecognized option: %s", name);
        return API_ERR;
    }
    if (setting_take(s, text, &unreadable, range)) return API_OK;
    if (unreadable)
        server.Log(ctx, "warning", "Invalid argument for '%s': %s", name, text);
    else
        server.Log(ctx, "warning", "'%s' must be in the range %s", name, range);
    return API_ERR;
}

int settings_from_arguments(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    size_t size;
    if (argc == 1 && (server.StringPtrLen(argv[0], &size), size == 0)) return API_OK;
    if (argc % 2) {
        server.Log(ctx, "warning", "Invalid number of arguments passed");
        return API_ERR;
    }
    for (int i = 0; i < argc; i += 2) {
        const char *name = server.StringPtrLen(argv[i], &size);
        const char *text = server.StringPtrLen(argv[i + 1], &size);
        if (setting_from_argument(ctx, name, text) != API_OK) return API_ERR;
    }
    return API_OK;
}

/* ---- CONFIG -------------------------------------------------------------- */

static RedisModuleString *setting_get(const char *name, void *data)
{
    setting *s = data;
    char text[32];
    (void)name;
    setting_print(s, text);
    if (s->shown) server.FreeString(NULL, s->shown);
    s->shown = server.CreateString(NULL, text, strlen(text));
    return s->shown;
}

static int setting_set(const char *name, RedisModuleString *value, void *data,
                       RedisModuleString **error)
{
    setting *s = data;
    size_t size;
    bool unreadable;
    char range[64];
    (void)name;
    if (setting_take(s, server.StringPtrLen(value, &size), &unreadable, range)) return API_OK;
    if (unreadable)
        *error = server.CreateStringPrintf(NULL, "Invalid value for `%s`", s->name);
    else
        *error = server.CreateStringPrintf(NULL, "Value for `%s` must be in the range %s", s->name,
                                           range);
    return API_ERR;
}

/* Redis 8 can do without the module's name in front, as the peer there does. */
static unsigned setting_flags(void)
{
    int version = server.GetServerVersion ? server.GetServerVersion() : 0;
    return !server.is_valkey && version >= 0x080000 ? CONFIG_UNPREFIXED : CONFIG_DEFAULT;
}

int settings_register(RedisModuleCtx *ctx)
{
    if (!server.RegisterStringConfig || !server.LoadConfigs) return API_OK;
    for (int i = 0; i < SETTINGS; i++) {
        char text[32];
        setting_print(&table[i], text); /* an argument's value is the default now */
        if (server.RegisterStringConfig(ctx, table[i].name, text, setting_flags(), setting_get,
                                        setting_set, NULL, &table[i]) != API_OK)
            return API_ERR;
    }
    return server.LoadConfigs(ctx);
}
