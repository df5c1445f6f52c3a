/* module.c - the two doors that the server opens: OnLoad and OnUnload.
 *
 * The module takes the name of the one it replaces, `bf`, its commands and its
 * types, all or nothing: when one of them is taken, the log says so and the
 * server goes on without us.                                                */
#include <tamis/version.h>

#include "commands.h"
#include "family.h"
#include "memory.h"
#include "pages.h"
#include "settings.h"
#include "value.h"

#define MODULE_NAME "bf"

/* Clients read the version of module `bf` to know what it can do: this is the
 * release of the peer whose commands we have, major * 10000 + minor * 100. */
enum { MODULE_VERSION = 80400 };

#define MODULE_DOOR __attribute__((visibility("default")))
MODULE_DOOR int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
MODULE_DOOR int RedisModule_OnUnload(RedisModuleCtx *ctx);

/* INFO bf_tamis. The server puts "bf_" before every name. */
static void module_info(RedisModuleInfoCtx *info, int for_crash_report)
{
    (void)for_crash_report;
    metrics m = value_metrics();
    if (server.InfoAddSection(info, "tamis") != API_OK) return;
    server.InfoAddFieldCString(info, "tamis_version", TAMIS_VERSION_STRING);
    server.InfoAddFieldULongLong(info, "objects", m.objects);
    server.InfoAddFieldULongLong(info, "bytes", m.bytes);
    server.InfoAddFieldULongLong(info, "keys", m.items);
    server.InfoAddFieldULongLong(info, "layers", m.layers);
    server.InfoAddFieldULongLong(info, "quarantined", m.quarantined);
    server.InfoAddFieldULongLong(info, "refusals", memory_refusals);
    server.InfoAddFieldULongLong(info, "bytes_being_freed", memory_waiting());
    server.InfoAddFieldULongLong(info, "bytes_on_huge_pages", pages_moved());
}

static int module_refuse(RedisModuleCtx *ctx, const char *why)
{
    server.Log(ctx, "warning", "tamis: not loaded: %s", why);
    return API_ERR;
}

static int module_register(RedisModuleCtx *ctx)
{
    if (family_register(ctx) != API_OK)
        return module_refuse(ctx, "another module has the type MBbloom-- or MBbloomCF");
    if (commands_register(ctx) != API_OK)
        return module_refuse(ctx, "another module has one of the BF.* and CF.* commands");
    if (settings_register(ctx) != API_OK)
        return module_refuse(ctx, "the server did not take the settings");
    return server.RegisterInfoFunc(ctx, module_info);
}

int RedisModule_OnLoad(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)
{
    const char *missing;
    if (!module_api_look_up(ctx, &missing)) return API_ERR; /* older than 6.2: no Log to rely on */
    if (server.IsModuleNameBusy(MODULE_NAME))
        return module_refuse(ctx,
                             "a module named bf (RedisBloom or valkey-bloom) is there already");
    server.SetModuleAttribs(ctx, MODULE_NAME, MODULE_VERSION, API_VERSION);
    server.SetModuleOptions(ctx, OPTION_HANDLE_IO_ERRORS | OPTION_NO_IMPLICIT_SIGNAL |
                                     OPTION_HANDLE_REPL_ASYNC_LOAD);
    if (settings_from_arguments(ctx, argv, argc) != API_OK) return API_ERR;
    memory_begin();
    if (module_register(ctx) != API_OK) return API_ERR;
    pages_begin(ctx);
    return API_OK;
}

/* The server itself refuses to unload a module that has data types. */
int RedisModule_OnUnload(RedisModuleCtx *ctx)
{
    (void)ctx;
    return API_OK;
}
