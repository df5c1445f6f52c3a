/* hiredis_client.c PORT - what a C program does with the commands, over hiredis. */
#include <hiredis/hiredis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void expect(const char *why, int holds)
{
    if (holds) return;
    failed = 1;
    fprintf(stderr, "hiredis: %s\n", why);
}

static void expect_integer(redisContext *c, const char *command, long long wanted)
{
    redisReply *r = redisCommand(c, command);
    expect(command, r && r->type == REDIS_REPLY_INTEGER && r->integer == wanted);
    freeReplyObject(r);
}

/* A pipeline: replies come in the order of the commands. */
static void use_pipeline(redisContext *c)
{
    enum { ITEMS = 1000 };
    for (int i = 0; i < ITEMS; i++) redisAppendCommand(c, "BF.ADD piped item%d", i);
    for (int i = 0; i < ITEMS; i++) {
        redisReply *r = NULL;
        expect("pipeline", redisGetReply(c, (void **)&r) == REDIS_OK && r->integer >= 0);
        freeReplyObject(r);
    }
    expect_integer(c, "BF.EXISTS piped item999", 1);
}

/* Binary items and chunks: %b takes bytes with a length. */
static void use_bytes(redisContext *c)
{
    const char item[] = "a\0b";
    redisReply *r = redisCommand(c, "BF.ADD bytes %b", item, sizeof item - 1);
    expect("an item with a zero", r && r->integer == 1);
    freeReplyObject(r);
    r = redisCommand(c, "BF.SCANDUMP bytes 0");
    expect("a header", r && r->type == REDIS_REPLY_ARRAY && r->element[1]->len == 73);
    redisReply *loaded =
        redisCommand(c, "BF.LOADCHUNK other 1 %b", r->element[1]->str, r->element[1]->len);
    expect("it loads", loaded && loaded->type == REDIS_REPLY_STATUS);
    freeReplyObject(loaded);
    freeReplyObject(r);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    redisContext *c = redisConnect("127.0.0.1", atoi(argv[1]));
    if (!c || c->err) return 2;
    expect_integer(c, "BF.ADD h x", 1);
    expect_integer(c, "BF.ADD h x", 0);
    expect_integer(c, "BF.CARD h", 1);
    expect_integer(c, "CF.ADD hc x", 1);
    expect_integer(c, "CF.COUNT hc x", 1);
    expect_integer(c, "CF.DEL hc x", 1);
    redisReply *r = redisCommand(c, "BF.INFO none");
    expect("an error", r && r->type == REDIS_REPLY_ERROR && !strcmp(r->str, "ERR not found"));
    freeReplyObject(r);
    use_pipeline(c);
    use_bytes(c);
    redisFree(c);
    return failed;
}
