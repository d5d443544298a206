/* The worker's half of the pool: takes chunks from shared memory, sends frames into its pipe. */
#ifndef SWEEP_WORKER_H
#define SWEEP_WORKER_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

#include "sweep/pool.h"

enum { SWEEP_EXIT_MEMORY = 3, SWEEP_EXIT_PIPE = 4 };

/* what a worker is doing, readable by the parent after its death; positions count the units of the
 * job from 0. Each has a cache line to itself: it is written twice a unit. */
typedef struct sweep_slot {
  _Alignas(64) atomic_size_t next; /* first position of its chunk whose result has not been sent */
  atomic_size_t end;               /* end of its chunk */
  atomic_size_t busy;              /* position + 1 of the unit that is running, 0 between units */
  atomic_int through;              /* all its work is done: the process may end */
} sweep_slot;

typedef struct sweep_shared {
  atomic_size_t taken; /* positions handed out so far */
  atomic_int stop;     /* finish the unit, send, and end */
  size_t n;            /* positions in all */
  size_t workers;
  sweep_slot slots[];
} sweep_shared;

/* in front of each result in the pipe */
typedef struct sweep_frame {
  size_t position, size;
} sweep_frame;

/* the unit at a position, and how many positions a job has */
static inline size_t sweep_unit_at(const sweep_job *job, size_t position) {
  return job->first + position * (job->stride ? job->stride : 1);
}

static inline size_t sweep_positions(const sweep_job *job) {
  size_t stride = job->stride ? job->stride : 1;
  return job->first < job->n ? (job->n - job->first + stride - 1) / stride : 0;
}

_Noreturn void sweep_worker_main(const sweep_job *job, sweep_shared *shared, sweep_slot *slot,
                                 int fd, pid_t parent);

#endif
