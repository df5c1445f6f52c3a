/* insert.c - see insert.h.                                                  */
#include "insert.h"

static void insert_run(insertion *in, tamis_filter *filter, size_t done, size_t run,
                       const tamis_span *spans, bool only_absent)
{
    tamis_keys keys = tamis_keys_spans(spans, run);
    size_t changed = 0;
    (void)tamis_redisbloom_add_each(filter, &keys, only_absent, in->results + done, &changed);
    in->added += changed;
    for (size_t i = done; i < done + run; i++) in->refused |= in->results[i] < 0;
}

void insert_begin(insertion *in, open_key *k, RedisModuleString **items, size_t count,
                  bool only_absent)
{
    tamis_span spans[ARGUMENT_RUN];
    in->items = items;
    in->count = count;
    in->results = count <= INSERT_ON_STACK ? in->room : server.Alloc(count);
    in->added = 0;
    in->refused = false;
    for (size_t done = 0; done < count;) {
        size_t run = argument_run(items + done, count - done, spans);
        insert_run(in, k->value->filter, done, run, spans, only_absent);
        done += run;
    }
}

void insert_end(insertion *in)
{
    if (in->results != in->room) server.Free(in->results);
}

RedisModuleString **insert_added(const insertion *in)
{
    RedisModuleString **added = server.Alloc((in->added + 1) * sizeof *added);
    size_t n = 0;
    for (size_t i = 0; i < in->count; i++)
        if (in->results[i] == TAMIS_REDISBLOOM_ADDED) added[n++] = in->items[i];
    return added;
}
