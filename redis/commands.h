/* commands.h - the functions behind the commands; command_table.c has the rest
 * of what the server wants to know about each.
 *
 * A function checks its arguments in the peer's order and replies with the
 * peer's words, because clients compare them.                               */
#ifndef TAMIS_REDIS_COMMANDS_H
#define TAMIS_REDIS_COMMANDS_H

#include "module_api.h"

#define COMMAND(name) int name(RedisModuleCtx *ctx, RedisModuleString **argv, int argc)

/* bloom_commands.c */
COMMAND(bf_reserve);
COMMAND(bf_add);
COMMAND(bf_madd);
COMMAND(bf_insert);

/* bloom_info.c */
COMMAND(bf_card);
COMMAND(bf_info);
COMMAND(bf_debug);

/* cuckoo_commands.c */
COMMAND(cf_reserve);
COMMAND(cf_add);
COMMAND(cf_addnx);
COMMAND(cf_insert);
COMMAND(cf_insertnx);
COMMAND(cf_del);
COMMAND(cf_compact);

/* cuckoo_info.c */
COMMAND(cf_info);
COMMAND(cf_debug);

/* ask_commands.c: reading one item or many, alike for both families */
COMMAND(bf_exists);
COMMAND(bf_mexists);
COMMAND(cf_exists);
COMMAND(cf_mexists);
COMMAND(cf_count);

/* chunk_commands.c: filters in pieces */
COMMAND(bf_scandump);
COMMAND(bf_loadchunk);
COMMAND(cf_scandump);
COMMAND(cf_loadchunk);

/** Makes every command known to the server. API_ERR: a name is taken.       */
int commands_register(RedisModuleCtx *ctx);

#endif
