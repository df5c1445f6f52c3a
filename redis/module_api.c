/* module_api.c - finds the server's calls by their names.                   */
#include "module_api.h"

#include <string.h>

struct module_api server;

typedef int (*api_get)(const char *name, void *where);

/* The first word of a context is the call that finds all others. */
static api_get api_getter(RedisModuleCtx *ctx)
{
    api_get get;
    memcpy(&get, ctx, sizeof get);
    return get;
}

int module_api_look_up(RedisModuleCtx *ctx, const char **missing)
{
    api_get get = api_getter(ctx);
    *missing = NULL;
#define API_FIND(name) (get("RedisModule_" #name, (void *)&server.name) == API_OK)
#define API_NEED(result, name, arguments) \
    if (!API_FIND(name)) *missing = #name;
#define API_WANT(result, name, arguments) \
    if (!API_FIND(name)) server.name = NULL;
    API_ALWAYS(API_NEED)
    API_SOMETIMES(API_WANT)
#undef API_FIND
#undef API_NEED
#undef API_WANT
    void *own_name; /* Valkey knows every call by a name of its own too */
    server.is_valkey = get("ValkeyModule_Alloc", (void *)&own_name) == API_OK;
    return *missing == NULL;
}
