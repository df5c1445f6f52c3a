/* open_key.c - see open_key.h.                                              */
#include "open_key.h"

#include "memory.h"

#define QUARANTINED                                                                             \
    "ERR this filter is quarantined: its saved value is damaged (see the log); DEL or restore " \
    "the key"

/* The server looks whether a slot is its own before a command, not when one that
 * has waited (compaction.h) goes on: a missing key may be elsewhere by now. */
static key_state key_missing(const open_key *k)
{
    bool moved =
        server.IsBlockedReplyRequest(k->ctx) && (server.GetContextFlags(k->ctx) & CONTEXT_CLUSTER);
    return moved ? KEY_MOVED : KEY_MISSING;
}

static key_state key_look(open_key *k, family *f)
{
    if (!k->key || server.KeyType(k->key) == KEYTYPE_EMPTY) return key_missing(k);
    if (server.ModuleTypeGetType(k->key) != f->type) return KEY_OTHER_TYPE;
    k->value = server.ModuleTypeGetValue(k->key);
    return k->value->filter ? KEY_FOUND : KEY_QUARANTINED;
}

key_state key_open(RedisModuleCtx *ctx, RedisModuleString *name, int mode, family *f, open_key *out)
{
    *out = (open_key){.ctx = ctx, .name = name};
    out->key = server.OpenKey(ctx, name, mode);
    key_state state = key_look(out, f);
    if (mode & KEY_WRITE) {
        if (state == KEY_FOUND) value_settle(out->value);
        memory_on_behalf_of(ctx, out->value ? out->value->bytes : 0);
        out->grants = memory_grants;
    }
    return state;
}

void key_close(open_key *k)
{
    if (k->key) server.CloseKey(k->key);
    k->key = NULL;
    memory_on_behalf_of(NULL, 0);
}

int key_refuse(open_key *k, key_state state)
{
    static const char *const words[] = {
        [KEY_FOUND] = "ERR item exists", /* for those that wanted an empty key */
        [KEY_MISSING] = "ERR not found",
        [KEY_OTHER_TYPE] = WRONGTYPE,
        [KEY_QUARANTINED] = QUARANTINED,
        [KEY_MOVED] = "TRYAGAIN the key went away while the command waited",
    };
    key_close(k);
    return server.ReplyWithError(k->ctx, words[state]);
}

void key_fill(open_key *k, family *f, tamis_filter *filter)
{
    k->value = value_make(f, filter, NULL);
    server.ModuleTypeSetValue(k->key, f->type, k->value);
}

void key_changed(open_key *k, const char *event, int64_t items)
{
    value_recount(k->value, items, memory_grants != k->grants);
    server.SignalModifiedKey(k->ctx, k->name);
    server.NotifyKeyspaceEvent(k->ctx, NOTIFY_GENERIC, event, k->name);
}
