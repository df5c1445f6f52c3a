/* module_api.h - the calls of the server's module interface that we use.
 *
 * Redis and Valkey offer modules their calls by name. This is the list of the
 * ones this module knows, with the types of the documented interface, and no
 * more: a call a server is too old for stays NULL. Those of the first list are
 * there since Redis 6.2; whoever uses one of the second tests it first, and
 * reply.h, settings.c and memory.c are the places that replace a missing one.
 *
 *      server.ReplyWithLongLong(ctx, 1);
 *
 * Written from the interface's documentation, so that building needs no header
 * of the server.                                                            */
#ifndef TAMIS_REDIS_MODULE_API_H
#define TAMIS_REDIS_MODULE_API_H

#include <stddef.h>
#include <stdint.h>

enum { API_OK = 0, API_ERR = 1, API_VERSION = 1 };

/* ---- what the server hands out, opaque ---------------------------------- */

typedef struct RedisModuleCtx RedisModuleCtx;
typedef struct RedisModuleString RedisModuleString;
typedef struct RedisModuleKey RedisModuleKey;
typedef struct RedisModuleIO RedisModuleIO;
typedef struct RedisModuleType RedisModuleType;
typedef struct RedisModuleDigest RedisModuleDigest;
typedef struct RedisModuleCommand RedisModuleCommand;
typedef struct RedisModuleInfoCtx RedisModuleInfoCtx;
typedef struct RedisModuleDefragCtx RedisModuleDefragCtx;
typedef struct RedisModuleServerInfoData RedisModuleServerInfoData;
typedef struct RedisModuleBlockedClient RedisModuleBlockedClient;

/* ---- numbers of the interface ------------------------------------------- */

enum { KEY_READ = 1 << 0, KEY_WRITE = 1 << 1 };
enum { KEYTYPE_EMPTY = 0, KEYTYPE_MODULE = 6 };

enum { /* GetContextFlags: the circumstances of a call */
       CONTEXT_LUA = 1 << 0,
       CONTEXT_MULTI = 1 << 1,
       CONTEXT_REPLICA = 1 << 3,
       CONTEXT_READONLY = 1 << 4,
       CONTEXT_CLUSTER = 1 << 5,
       CONTEXT_MAXMEMORY = 1 << 8,
       CONTEXT_EVICT = 1 << 9,
       CONTEXT_OOM = 1 << 10,
       CONTEXT_REPLICATED = 1 << 12,
       CONTEXT_LOADING = 1 << 13,
       CONTEXT_ACTIVE_CHILD = 1 << 18,
       CONTEXT_DENY_BLOCKING = 1 << 21,
       CONTEXT_RESP3 = 1 << 22,
       CONTEXT_ASYNC_LOADING = 1 << 23,
};

enum {
    OPTION_HANDLE_IO_ERRORS = 1 << 0,       /* a broken stream is an error, not an abort */
    OPTION_NO_IMPLICIT_SIGNAL = 1 << 1,     /* WATCH sees what we say has changed */
    OPTION_HANDLE_REPL_ASYNC_LOAD = 1 << 2, /* a replica may load beside the old data */
};
enum { NOTIFY_GENERIC = 1 << 2 };
enum { CONFIG_DEFAULT = 0, CONFIG_UNPREFIXED = 1 << 9 };

enum { /* what a command does with its key */
       KEYSPEC_RO = 1 << 0,
       KEYSPEC_RW = 1 << 1,
       KEYSPEC_ACCESS = 1 << 4,
       KEYSPEC_UPDATE = 1 << 5,
       KEYSPEC_INSERT = 1 << 6,
       KEYSPEC_DELETE = 1 << 7,
};
enum { KEYSPEC_BEGIN_INDEX = 2, KEYSPEC_FIND_RANGE = 2 };

#define WRONGTYPE "WRONGTYPE Operation against a key holding the wrong kind of value"

/* ---- functions of ours that the server calls ---------------------------- */

typedef int (*RedisModuleCmdFunc)(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);
typedef void (*RedisModuleInfoFunc)(RedisModuleInfoCtx *ctx, int for_crash_report);
typedef void (*RedisModuleTimerProc)(RedisModuleCtx *ctx, void *data);
typedef RedisModuleString *(*RedisModuleConfigGetStringFunc)(const char *name, void *privdata);
typedef int (*RedisModuleConfigSetStringFunc)(const char *name, RedisModuleString *value,
                                              void *privdata, RedisModuleString **error);
typedef int (*RedisModuleConfigApplyFunc)(RedisModuleCtx *ctx, void *privdata,
                                          RedisModuleString **error);

/* What a data type can do: version 3 of the struct, the newest that Redis 6.2
 * knows and one that every later server takes. */
enum { TYPE_METHODS_VERSION = 3 };
typedef struct RedisModuleTypeMethods {
    uint64_t version;
    void *(*rdb_load)(RedisModuleIO *io, int encver);
    void (*rdb_save)(RedisModuleIO *io, void *value);
    void (*aof_rewrite)(RedisModuleIO *aof, RedisModuleString *key, void *value);
    size_t (*mem_usage)(const void *value);
    void (*digest)(RedisModuleDigest *digest, void *value);
    void (*free)(void *value);
    int (*aux_load)(RedisModuleIO *io, int encver, int when);
    void (*aux_save)(RedisModuleIO *io, int when);
    int aux_save_triggers;
    size_t (*free_effort)(RedisModuleString *key, const void *value);
    void (*unlink)(RedisModuleString *key, const void *value);
    void *(*copy)(RedisModuleString *from, RedisModuleString *to, const void *value);
    int (*defrag)(RedisModuleDefragCtx *ctx, RedisModuleString *key, void **value);
} RedisModuleTypeMethods;

/* ---- what COMMAND INFO and COMMAND DOCS tell (since Redis 7.0) ----------- */

typedef struct RedisModuleCommandKeySpec {
    const char *notes;
    uint64_t flags;
    int begin_search_type;
    union {
        struct {
            int pos;
        } index;
        struct {
            const char *keyword;
            int startfrom;
        } keyword;
    } bs;
    int find_keys_type;
    union {
        struct {
            int lastkey;
            int keystep;
            int limit;
        } range;
        struct {
            int keynumidx;
            int firstkey;
            int keystep;
        } keynum;
    } fk;
} RedisModuleCommandKeySpec;

typedef struct RedisModuleCommandHistoryEntry {
    const char *since;
    const char *changes;
} RedisModuleCommandHistoryEntry;

typedef struct RedisModuleCommandArg {
    const char *name;
    int type;
    int key_spec_index;
    const char *token;
    const char *summary;
    const char *since;
    int flags;
    const char *deprecated_since;
    struct RedisModuleCommandArg *subargs;
    const char *display_text;
} RedisModuleCommandArg;

typedef struct RedisModuleCommandInfoVersion {
    int version;
    size_t sizeof_historyentry;
    size_t sizeof_keyspec;
    size_t sizeof_arg;
} RedisModuleCommandInfoVersion;

typedef struct RedisModuleCommandInfo {
    const RedisModuleCommandInfoVersion *version;
    const char *summary;
    const char *complexity;
    const char *since;
    RedisModuleCommandHistoryEntry *history;
    const char *tips;
    int arity;
    RedisModuleCommandKeySpec *key_specs;
    RedisModuleCommandArg *args;
} RedisModuleCommandInfo;

/* ---- the calls ----------------------------------------------------------- */

/* Every server from Redis 6.2 on has these: CALL(result, name, arguments). */
#define API_ALWAYS(CALL)                                                                         \
    CALL(void *, Alloc, (size_t bytes))                                                          \
    CALL(void *, Calloc, (size_t count, size_t size))                                            \
    CALL(void *, Realloc, (void *memory, size_t bytes))                                          \
    CALL(void, Free, (void *memory))                                                             \
    CALL(void, SetModuleAttribs, (RedisModuleCtx *, const char *name, int version, int api))     \
    CALL(int, IsModuleNameBusy, (const char *name))                                              \
    CALL(void, SetModuleOptions, (RedisModuleCtx *, int options))                                \
    CALL(int, CreateCommand,                                                                     \
         (RedisModuleCtx *, const char *name, RedisModuleCmdFunc, const char *flags, int first,  \
          int last, int step))                                                                   \
    CALL(RedisModuleType *, CreateDataType,                                                      \
         (RedisModuleCtx *, const char *name, int encver, RedisModuleTypeMethods *))             \
    CALL(void, Log, (RedisModuleCtx *, const char *level, const char *format, ...))              \
    CALL(void, LogIOError, (RedisModuleIO *, const char *level, const char *format, ...))        \
    CALL(int, WrongArity, (RedisModuleCtx *))                                                    \
    CALL(int, ReplyWithLongLong, (RedisModuleCtx *, long long))                                  \
    CALL(int, ReplyWithError, (RedisModuleCtx *, const char *text))                              \
    CALL(int, ReplyWithSimpleString, (RedisModuleCtx *, const char *text))                       \
    CALL(int, ReplyWithArray, (RedisModuleCtx *, long count))                                    \
    CALL(int, ReplyWithStringBuffer, (RedisModuleCtx *, const char *bytes, size_t size))         \
    CALL(int, ReplyWithNull, (RedisModuleCtx *))                                                 \
    CALL(RedisModuleString *, CreateString, (RedisModuleCtx *, const char *bytes, size_t size))  \
    CALL(RedisModuleString *, CreateStringPrintf, (RedisModuleCtx *, const char *format, ...))   \
    CALL(RedisModuleString *, CreateStringFromString,                                            \
         (RedisModuleCtx *, const RedisModuleString *))                                          \
    CALL(void, FreeString, (RedisModuleCtx *, RedisModuleString *))                              \
    CALL(const char *, StringPtrLen, (const RedisModuleString *, size_t *size))                  \
    CALL(int, StringToLongLong, (const RedisModuleString *, long long *))                        \
    CALL(int, StringToDouble, (const RedisModuleString *, double *))                             \
    CALL(RedisModuleKey *, OpenKey, (RedisModuleCtx *, RedisModuleString * name, int mode))      \
    CALL(void, CloseKey, (RedisModuleKey *))                                                     \
    CALL(int, KeyType, (RedisModuleKey *))                                                       \
    CALL(RedisModuleType *, ModuleTypeGetType, (RedisModuleKey *))                               \
    CALL(void *, ModuleTypeGetValue, (RedisModuleKey *))                                         \
    CALL(int, ModuleTypeSetValue, (RedisModuleKey *, RedisModuleType *, void *value))            \
    CALL(int, SignalModifiedKey, (RedisModuleCtx *, RedisModuleString * name))                   \
    CALL(int, GetSelectedDb, (RedisModuleCtx *))                                                 \
    CALL(int, SelectDb, (RedisModuleCtx *, int db))                                              \
    CALL(int, GetContextFlags, (RedisModuleCtx *))                                               \
    CALL(int, Replicate, (RedisModuleCtx *, const char *command, const char *format, ...))       \
    CALL(int, ReplicateVerbatim, (RedisModuleCtx *))                                             \
    CALL(int, NotifyKeyspaceEvent,                                                               \
         (RedisModuleCtx *, int class, const char *event, RedisModuleString *key))               \
    CALL(uint64_t, CreateTimer,                                                                  \
         (RedisModuleCtx *, long long milliseconds, RedisModuleTimerProc, void *data))           \
    CALL(RedisModuleBlockedClient *, BlockClient,                                                \
         (RedisModuleCtx *, RedisModuleCmdFunc reply, RedisModuleCmdFunc timeout,                \
          void (*free)(RedisModuleCtx *, void *), long long milliseconds))                       \
    CALL(int, UnblockClient, (RedisModuleBlockedClient *, void *data))                           \
    CALL(int, IsBlockedReplyRequest, (RedisModuleCtx *))                                         \
    CALL(int, StringCompare, (const RedisModuleString *, const RedisModuleString *))             \
    CALL(void, SaveUnsigned, (RedisModuleIO *, uint64_t))                                        \
    CALL(uint64_t, LoadUnsigned, (RedisModuleIO *))                                              \
    CALL(void, SaveDouble, (RedisModuleIO *, double))                                            \
    CALL(double, LoadDouble, (RedisModuleIO *))                                                  \
    CALL(void, SaveStringBuffer, (RedisModuleIO *, const char *bytes, size_t size))              \
    CALL(char *, LoadStringBuffer, (RedisModuleIO *, size_t * size))                             \
    CALL(int, IsIOError, (RedisModuleIO *))                                                      \
    CALL(RedisModuleCtx *, GetContextFromIO, (RedisModuleIO *))                                  \
    CALL(const RedisModuleString *, GetKeyNameFromIO, (RedisModuleIO *))                         \
    CALL(void, EmitAOF, (RedisModuleIO *, const char *command, const char *format, ...))         \
    CALL(void, DigestAddStringBuffer, (RedisModuleDigest *, const char *bytes, size_t size))     \
    CALL(void, DigestAddLongLong, (RedisModuleDigest *, long long))                              \
    CALL(void, DigestEndSequence, (RedisModuleDigest *))                                         \
    CALL(int, RegisterInfoFunc, (RedisModuleCtx *, RedisModuleInfoFunc))                         \
    CALL(int, InfoAddSection, (RedisModuleInfoCtx *, const char *name))                          \
    CALL(int, InfoAddFieldULongLong,                                                             \
         (RedisModuleInfoCtx *, const char *field, unsigned long long))                          \
    CALL(int, InfoAddFieldCString, (RedisModuleInfoCtx *, const char *field, const char *value)) \
    CALL(RedisModuleServerInfoData *, GetServerInfo, (RedisModuleCtx *, const char *section))    \
    CALL(void, FreeServerInfo, (RedisModuleCtx *, RedisModuleServerInfoData *))                  \
    CALL(unsigned long long, ServerInfoGetFieldUnsigned,                                         \
         (RedisModuleServerInfoData *, const char *field, int *error))                           \
    CALL(void *, DefragAlloc, (RedisModuleDefragCtx *, void *memory))                            \
    CALL(int, DefragShouldStop, (RedisModuleDefragCtx *))                                        \
    CALL(int, DefragCursorSet, (RedisModuleDefragCtx *, unsigned long cursor))                   \
    CALL(int, DefragCursorGet, (RedisModuleDefragCtx *, unsigned long *cursor))

/* Only some have these: test before use. */
#define API_SOMETIMES(CALL)                                                                   \
    CALL(void *, TryCalloc, (size_t count, size_t size)) /* Redis 7.4, Valkey 8 */            \
    CALL(int, GetServerVersion, (void))                  /* Redis 6.2 patch releases on */    \
    CALL(int, ReplyWithBool, (RedisModuleCtx *, int))    /* Redis 7.0, as those below */      \
    CALL(int, ReplyWithMap, (RedisModuleCtx *, long count))                                   \
    CALL(RedisModuleCommand *, GetCommand, (RedisModuleCtx *, const char *name))              \
    CALL(int, SetCommandInfo, (RedisModuleCommand *, const RedisModuleCommandInfo *))         \
    CALL(int, RegisterStringConfig,                                                           \
         (RedisModuleCtx *, const char *name, const char *value, unsigned flags,              \
          RedisModuleConfigGetStringFunc, RedisModuleConfigSetStringFunc,                     \
          RedisModuleConfigApplyFunc, void *data))                                            \
    CALL(int, LoadConfigs, (RedisModuleCtx *))                                                \
    CALL(int, AddACLCategory, (RedisModuleCtx *, const char *name)) /* Redis 7.4, Valkey 8 */ \
    CALL(int, SetCommandACLCategories, (RedisModuleCommand *, const char *names))

struct module_api {
#define API_FIELD(result, name, arguments) result(*name) arguments;
    API_ALWAYS(API_FIELD)
    API_SOMETIMES(API_FIELD)
#undef API_FIELD
    int is_valkey;
};

/* Hidden, because a server's program has a symbol of this name too. */
extern struct module_api server __attribute__((visibility("hidden")));

/** Looks all calls up. False: one of the first list is missing, which means a
 *  server older than 6.2; `*missing` names it.                              */
int module_api_look_up(RedisModuleCtx *ctx, const char **missing);

#endif
