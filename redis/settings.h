/* settings.h - what an operator can choose, and how the choice arrives.
 *
 * A setting is a name, a range and a value. It comes as a module argument
 * (`loadmodule tamis-redis.so bf-initial-size 1000`, or the older names
 * ERROR_RATE, INITIAL_SIZE and CF_MAX_EXPANSIONS), and where the server keeps
 * module configurations (Redis 7.0 and later, Valkey) by CONFIG SET as well.
 * Redis 8 shows the plain name; others put the module's before it:
 * `bf.bf-initial-size`.                                                     */
#ifndef TAMIS_REDIS_SETTINGS_H
#define TAMIS_REDIS_SETTINGS_H

#include "module_api.h"

struct settings {
    double bf_error_rate;
    long long bf_initial_size;
    long long bf_expansion_factor;
    long long cf_bucket_size;
    long long cf_initial_size;
    long long cf_max_iterations;
    long long cf_expansion_factor;
    long long cf_max_expansions;
    long long max_filter_bytes; /* 0: as much as the machine has */
    long long huge_pages_from;  /* bytes of an array; 0: none is moved */
};

extern struct settings settings;

/* Limits of the peer's 8.x line; its commands use them as well. */
#define CAPACITY_MOST (1LL << 30)
#define EXPANSION_MOST 32768LL
#define ERROR_RATE_MOST 0.25 /* larger ones are lowered to this */

/** Takes the module arguments. API_ERR: one is wrong, and the log says which. */
int settings_from_arguments(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

/** Offers the settings to CONFIG, where the server can; their values stay what
 *  the arguments said unless the server's configuration says otherwise.     */
int settings_register(RedisModuleCtx *ctx);

/** A number with an optional unit: 100, 64mb, 2gb. API_ERR when it is none. */
int settings_parse_bytes(const char *text, long long *bytes);

#endif
