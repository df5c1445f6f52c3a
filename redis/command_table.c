/* command_table.c - every command as a row: what the server checks before it
 * calls us, what an ACL can allow, what COMMAND INFO and COMMAND DOCS tell.  */
#include <string.h>

#include "commands.h"

enum {
    READS = KEYSPEC_RO | KEYSPEC_ACCESS,
    SCANS = KEYSPEC_RW | KEYSPEC_ACCESS,
    MAKES = KEYSPEC_RW | KEYSPEC_INSERT,
    ADDS = KEYSPEC_RW | KEYSPEC_INSERT | KEYSPEC_ACCESS,
    CHANGES = KEYSPEC_RW | KEYSPEC_UPDATE | KEYSPEC_ACCESS,
    TAKES = KEYSPEC_RW | KEYSPEC_DELETE | KEYSPEC_ACCESS,
};

typedef struct command {
    const char *name;
    RedisModuleCmdFunc run;
    int arity; /* negative: at least */
    const char *flags;
    const char *categories; /* for ACLs */
    uint64_t key;
    const char *tips;
    const char *since;
    const char *summary;
    const char *complexity;
} command;

#define WRITES "write deny-oom"
#define LOOKS "readonly fast"
#define UNCACHED "dont_cache"
#define K_PROBES "O(k), where k is the number of probes per layer"
#define N_PROBES "O(n*k), where n is the number of items and k the number of probes per layer"
#define ONE_SLOT "O(n), where n is the number of sub-filters"
#define N_SLOTS "O(n*m), where n is the number of items and m the number of sub-filters"

static const command table[] = {
    {"BF.RESERVE", bf_reserve, -4, WRITES, "write fast bloom", MAKES, NULL, "1.0.0",
     "Makes an empty Bloom filter for a number of items and an error rate", "O(1)"},
    {"BF.ADD", bf_add, 3, WRITES, "write bloom", ADDS, NULL, "1.0.0",
     "Adds an item to a Bloom filter, which is made when it is missing", K_PROBES},
    {"BF.MADD", bf_madd, -3, WRITES, "write bloom", ADDS, NULL, "1.0.0",
     "Adds several items to a Bloom filter, which is made when it is missing", N_PROBES},
    {"BF.INSERT", bf_insert, -4, WRITES, "write bloom", ADDS, NULL, "1.0.0",
     "Adds items to a Bloom filter, with the parameters to make it when it is missing", N_PROBES},
    {"BF.EXISTS", bf_exists, 3, LOOKS, "read bloom", READS, NULL, "1.0.0",
     "Tells whether an item may be in a Bloom filter", K_PROBES},
    {"BF.MEXISTS", bf_mexists, -3, LOOKS, "read bloom", READS, NULL, "1.0.0",
     "Tells for each of several items whether it may be in a Bloom filter", N_PROBES},
    {"BF.INFO", bf_info, -2, LOOKS, "read fast bloom", READS, UNCACHED, "1.0.0",
     "Tells the parameters and the size of a Bloom filter", "O(1)"},
    {"BF.CARD", bf_card, 2, LOOKS, "read fast bloom", READS, NULL, "2.4.4",
     "Tells how many items were added to a Bloom filter and were new", "O(1)"},
    {"BF.DEBUG", bf_debug, 2, LOOKS, "read bloom", READS, UNCACHED, "1.0.0",
     "Tells about every layer of a Bloom filter", "O(n), where n is the number of layers"},
    {"BF.SCANDUMP", bf_scandump, 3, LOOKS, "read bloom", SCANS, UNCACHED, "1.0.0",
     "Gives a Bloom filter piece by piece", "O(n), where n is the size of the piece"},
    {"BF.LOADCHUNK", bf_loadchunk, 4, WRITES, "write bloom", CHANGES, NULL, "1.0.0",
     "Takes a piece of a Bloom filter", "O(n), where n is the size of the piece"},
    {"CF.RESERVE", cf_reserve, -3, WRITES, "write fast cuckoo", MAKES, NULL, "1.0.0",
     "Makes an empty cuckoo filter for a number of items", "O(1)"},
    {"CF.ADD", cf_add, 3, WRITES, "write cuckoo", ADDS, NULL, "1.0.0",
     "Adds an item to a cuckoo filter, which is made when it is missing", ONE_SLOT},
    {"CF.ADDNX", cf_addnx, 3, WRITES, "write cuckoo", ADDS, NULL, "1.0.0",
     "Adds an item to a cuckoo filter unless it may be there already", ONE_SLOT},
    {"CF.INSERT", cf_insert, -4, WRITES, "write cuckoo", ADDS, NULL, "1.0.0",
     "Adds items to a cuckoo filter, with the capacity to make it when it is missing", N_SLOTS},
    {"CF.INSERTNX", cf_insertnx, -4, WRITES, "write cuckoo", ADDS, NULL, "1.0.0",
     "Adds those of the items to a cuckoo filter that are certainly not there", N_SLOTS},
    {"CF.EXISTS", cf_exists, 3, LOOKS, "read cuckoo", READS, NULL, "1.0.0",
     "Tells whether an item may be in a cuckoo filter", ONE_SLOT},
    {"CF.MEXISTS", cf_mexists, -3, LOOKS, "read cuckoo", READS, NULL, "1.0.0",
     "Tells for each of several items whether it may be in a cuckoo filter", N_SLOTS},
    {"CF.COUNT", cf_count, 3, LOOKS, "read cuckoo", READS, NULL, "1.0.0",
     "Tells how often an item may have been added to a cuckoo filter", ONE_SLOT},
    {"CF.DEL", cf_del, 3, "write fast", "write cuckoo", TAKES, NULL, "1.0.0",
     "Takes one occurrence of an item out of a cuckoo filter", ONE_SLOT},
    {"CF.COMPACT", cf_compact, 2, LOOKS, "read cuckoo", CHANGES, NULL, "1.0.0",
     "Moves items into older sub-filters and drops those that become empty",
     "O(n), where n is the number of slots"},
    {"CF.SCANDUMP", cf_scandump, 3, LOOKS, "read cuckoo", SCANS, UNCACHED, "1.0.0",
     "Gives a cuckoo filter piece by piece", "O(n), where n is the size of the piece"},
    {"CF.LOADCHUNK", cf_loadchunk, 4, WRITES, "write cuckoo", CHANGES, NULL, "1.0.0",
     "Takes a piece of a cuckoo filter", "O(n), where n is the size of the piece"},
    {"CF.INFO", cf_info, 2, LOOKS, "read fast cuckoo", READS, UNCACHED, "1.0.0",
     "Tells the parameters and the size of a cuckoo filter", "O(1)"},
    {"CF.DEBUG", cf_debug, 2, LOOKS, "read cuckoo", READS, UNCACHED, "1.0.0",
     "Tells about the inside of a cuckoo filter", "O(1)"},
};

static int command_describe(RedisModuleCommand *handle, const command *c)
{
    static const RedisModuleCommandInfoVersion version = {1, sizeof(RedisModuleCommandHistoryEntry),
                                                          sizeof(RedisModuleCommandKeySpec),
                                                          sizeof(RedisModuleCommandArg)};
    RedisModuleCommandKeySpec keys[2] = {{
        .flags = c->key,
        .begin_search_type = KEYSPEC_BEGIN_INDEX,
        .bs.index.pos = 1,
        .find_keys_type = KEYSPEC_FIND_RANGE,
        .fk.range = {.lastkey = 0, .keystep = 1, .limit = 0},
    }};
    RedisModuleCommandInfo info = {
        .version = &version,
        .summary = c->summary,
        .complexity = c->complexity,
        .since = c->since,
        .tips = c->tips,
        .arity = c->arity,
        .key_specs = keys,
    };
    return server.SetCommandInfo(handle, &info);
}

static int command_register(RedisModuleCtx *ctx, const command *c)
{
    if (server.CreateCommand(ctx, c->name, c->run, c->flags, 1, 1, 1) != API_OK) return API_ERR;
    if (!server.GetCommand) return API_OK;
    RedisModuleCommand *handle = server.GetCommand(ctx, c->name);
    if (server.SetCommandInfo && command_describe(handle, c) != API_OK) return API_ERR;
    if (server.AddACLCategory && server.SetCommandACLCategories)
        return server.SetCommandACLCategories(handle, c->categories);
    return API_OK;
}

int commands_register(RedisModuleCtx *ctx)
{
    if (server.AddACLCategory && (server.AddACLCategory(ctx, "bloom") != API_OK ||
                                  server.AddACLCategory(ctx, "cuckoo") != API_OK))
        return API_ERR;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (command_register(ctx, &table[i]) != API_OK) return API_ERR;
    return API_OK;
}
