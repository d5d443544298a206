/* The worker's half of the pool: takes chunks from shared memory, sends frames into its pipe. */
#ifndef SWEEP_WORKER_H
#define SWEEP_WORKER_H

#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

#include "sweep/pool.h"

enum { SWEEP_EXIT_MEMORY = 3, SWEEP_EXIT_PIPE = 4 };

/* what a worker is doing, readable by the parent after its death; positions count from 0. Each has
 * a cache line to itself: it is written twice a sample. */
typedef struct sweep_slot {
  _Alignas(64) atomic_size_t next; /* first position of its chunk whose result has not been sent */
  atomic_size_t end;               /* end of its chunk */
  atomic_size_t busy; /* position + 1 of the sample that is running, 0 between samples */
  atomic_size_t skip; /* position + 1 of a sample that is given up, or 0 */
} sweep_slot;

typedef struct sweep_shared {
  atomic_size_t taken; /* positions handed out so far */
  size_t n;
  size_t workers;
  sweep_slot slots[];
} sweep_shared;

/* in front of each result in the pipe */
typedef struct sweep_frame {
  size_t position, size;
} sweep_frame;

_Noreturn void sweep_worker_main(const sweep_job *job, sweep_shared *shared, sweep_slot *slot,
                                 int fd, pid_t parent);

#endif
