/* parallel.h - one function run by several threads, and a place to meet.    */
#ifndef TMS_BASE_PARALLEL_H
#define TMS_BASE_PARALLEL_H

#include <tamis/status.h>

typedef struct tms_team tms_team;

/* What each member runs: `self` of 0 .. members-1. */
typedef void (*tms_team_work)(tms_team *team, unsigned self, unsigned members, void *ctx);

/* Runs `work` in `members` threads, the caller being number 0, and returns
 * when all are done. Fewer threads than asked for is not an error: what could
 * not be started is left out, and `members` tells the true number. */
void tms_team_run(unsigned members, tms_team_work work, void *ctx);

/* Waits until every member has come here. */
void tms_team_meet(tms_team *team);

#endif
