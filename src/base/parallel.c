/* parallel.c - see parallel.h. Threads are few and live for one call: no
 * pool, no state between calls, nothing that outlives a fork.               */
#include "base/parallel.h"

#include <pthread.h>
#include <stdbool.h>

enum { PARALLEL_MOST = 256 };

struct tms_team {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned members; /* fixed once `started` */
    unsigned waiting;
    unsigned round;
    bool started;
    tms_team_work work;
    void *ctx;
};

typedef struct parallel_member {
    tms_team *team;
    unsigned self;
} parallel_member;

/* Members wait until it is known how many threads the system granted. */
static unsigned parallel_await_start(tms_team *team)
{
    pthread_mutex_lock(&team->lock);
    while (!team->started) pthread_cond_wait(&team->changed, &team->lock);
    unsigned members = team->members;
    pthread_mutex_unlock(&team->lock);
    return members;
}

static void *parallel_member_main(void *argument)
{
    parallel_member *member = argument;
    unsigned members = parallel_await_start(member->team);
    member->team->work(member->team, member->self, members, member->team->ctx);
    return NULL;
}

void tms_team_meet(tms_team *team)
{
    pthread_mutex_lock(&team->lock);
    unsigned round = team->round;
    if (++team->waiting == team->members) {
        team->waiting = 0;
        team->round++;
        pthread_cond_broadcast(&team->changed);
    } else {
        while (team->round == round) pthread_cond_wait(&team->changed, &team->lock);
    }
    pthread_mutex_unlock(&team->lock);
}

static void parallel_start(tms_team *team, unsigned members)
{
    pthread_mutex_lock(&team->lock);
    team->members = members;
    team->started = true;
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

void tms_team_run(unsigned members, tms_team_work work, void *ctx)
{
    tms_team team = {.lock = PTHREAD_MUTEX_INITIALIZER,
                     .changed = PTHREAD_COND_INITIALIZER,
                     .work = work,
                     .ctx = ctx};
    pthread_t threads[PARALLEL_MOST];
    parallel_member seats[PARALLEL_MOST];
    if (members > PARALLEL_MOST) members = PARALLEL_MOST;
    unsigned running = 1;
    while (running < members) {
        seats[running] = (parallel_member){.team = &team, .self = running};
        if (pthread_create(&threads[running], NULL, parallel_member_main, &seats[running]) != 0)
            break;
        running++;
    }
    parallel_start(&team, running);
    work(&team, 0, running, ctx);
    for (unsigned i = 1; i < running; i++) pthread_join(threads[i], NULL);
    pthread_cond_destroy(&team.changed);
    pthread_mutex_destroy(&team.lock);
}
