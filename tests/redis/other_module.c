/* other_module.c - a module that has taken something which ours wants: by its
 * argument the command BF.MADD, or the data type MBbloomCF.                 */
#include <string.h>

#include "module_api.h"

#define DOOR __attribute__((visibility("default")))
DOOR int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

static int answer(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    (void)argv;
    (void)argc;
    return server.ReplyWithSimpleString(ctx, "other");
}

static void no_free(void *value)
{
    (void)value;
}

int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const char *missing;
    size_t size;
    if (!module_api_look_up(ctx, &missing) || argc != 1) return API_ERR;
    server.SetModuleAttribs(ctx, "other", 1, API_VERSION);
    if (strcmp(server.StringPtrLen(argv[0], &size), "command") == 0)
        return server.CreateCommand(ctx, "BF.MADD", answer, "readonly", 1, 1, 1);
    RedisModuleTypeMethods methods = {.version = TYPE_METHODS_VERSION, .free = no_free};
    return server.CreateDataType(ctx, "MBbloomCF", 0, &methods) ? API_OK : API_ERR;
}
