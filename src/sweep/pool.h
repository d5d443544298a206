/* A pool of forked workers that share out numbered units of work.
 *
 * Workers are copies of this process (closures and all), so nothing has to be sent to them but
 * which units to run; chunks are handed out through shared memory, results come back through a
 * pipe each. A worker that dies is replaced. The unit it was busy with is tried once more; when
 * that kills a worker too it is given up and named. Results that were computed but not yet sent are
 * computed again, so a death costs nothing else. Workers that die without being busy are replaced
 * only so often. When the parent dies, its workers die with it.
 *
 * A job is the units first, first + stride, ... below n whose state is SWEEP_PENDING.
 */
#ifndef SWEEP_POOL_H
#define SWEEP_POOL_H

#include <stddef.h>

#include "core/status.h"

/* bytes that grow; the pool owns them */
typedef struct sweep_bytes {
  char *at;
  size_t n, room;
  int failed; /* memory ran out */
} sweep_bytes;

void sweep_put(sweep_bytes *out, const void *bytes, size_t n);
void *sweep_reserve(sweep_bytes *out, size_t n); /* n bytes to be filled; NULL: no memory */
void sweep_bytes_free(sweep_bytes *out);

/* what is known of a unit */
enum {
  SWEEP_PENDING,
  SWEEP_SUSPECT, /* it killed a worker once */
  SWEEP_DONE,
  SWEEP_LOST, /* it killed two workers: given up */
  SWEEP_AWAY  /* not of this job */
};

/* n states, all pending, in memory that workers share; NULL when there is none */
unsigned char *sweep_states_new(size_t n);
void sweep_states_free(unsigned char *states, size_t n);

typedef struct sweep_job {
  size_t n;              /* units in all */
  size_t first, stride;  /* those of this job; a stride of 0 is 1 */
  unsigned char *states; /* of all units, from sweep_states_new */
  int jobs;              /* workers; 0: as many as there are cores */
  int here;              /* 1: no workers, everything runs in this process */
  void *self;            /* handed to the functions below */

  /* in a worker */
  void (*start)(void *self);                               /* once; may be NULL */
  void (*unit)(void *self, size_t i, sweep_bytes *result); /* appends the result of unit i */
  void (*leave)(void *self);                               /* before it ends; may be NULL */

  /* in the parent, in the order of arrival; a status that is not CORE_OK ends the sweep */
  core_status (*deliver)(void *self, size_t i, const char *bytes, size_t n, core_error *err);
  core_status (*lost)(void *self, size_t i, int signal, core_error *err);
  core_status (*progress)(void *self, core_error *err); /* ten times a second; may be NULL */

  int *terminated; /* out: SIGTERM came; may be NULL */
  int *deaths;     /* counts workers that died; may be NULL */
} sweep_job;

/* CORE_INTERRUPTED after Ctrl-C, or after SIGTERM when the units that were running are finished:
 * what was delivered is done, the rest is not */
core_status sweep_pool_run(const sweep_job *job, core_error *err);

int sweep_cores(void);     /* cores this process may use */
int sweep_is_worker(void); /* 1 in a worker: a sweep inside a sample runs here */

#endif
