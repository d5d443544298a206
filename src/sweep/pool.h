/* A pool of forked workers that share out numbered samples.
 *
 * Workers are copies of this process (closures and all), so nothing has to be sent to them but
 * which samples to run; chunks are handed out through shared memory, results come back through a
 * pipe each. A worker that dies is replaced. The sample it was busy with is tried once more; when
 * that kills a worker too it is given up and named. Results that were computed but not yet sent are
 * computed again, so a death costs nothing else. When the parent dies, its workers die with it.
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
void sweep_bytes_free(sweep_bytes *out);

typedef struct sweep_job {
  size_t n;            /* samples to run */
  const size_t *index; /* their numbers, in the order to run them */
  int jobs;            /* workers; 0: as many as there are cores */
  void *self;          /* handed to the functions below */

  /* in a worker */
  void (*start)(void *self);                                 /* once; may be NULL */
  void (*sample)(void *self, size_t i, sweep_bytes *result); /* appends the result of sample i */

  /* in the parent, in the order of arrival; a status that is not CORE_OK ends the sweep */
  core_status (*deliver)(void *self, size_t i, const char *bytes, size_t n, core_error *err);
  core_status (*lost)(void *self, size_t i, int signal, core_error *err);
  void (*progress)(void *self, size_t done); /* about ten times a second; may be NULL */
} sweep_job;

/* CORE_INTERRUPTED after Ctrl-C or SIGTERM: what was delivered is done, the rest is not */
core_status sweep_pool_run(const sweep_job *job, core_error *err);

int sweep_cores(void); /* cores this process may use */

#endif
