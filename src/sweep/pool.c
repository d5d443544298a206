#define _GNU_SOURCE /* sched_getaffinity */
#include "sweep/pool.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/interrupt.h"
#include "sweep/worker.h"

enum { MAX_JOBS = 256 };

/* what the parent knows of one worker */
typedef struct worker {
  pid_t pid;       /* 0: none */
  int fd;          /* our end of its pipe */
  sweep_bytes in;  /* bytes of a frame that is not complete yet */
  size_t suspects; /* position + 1 of the sample that killed its predecessor, or 0 */
} worker;

typedef struct pool {
  const sweep_job *job;
  sweep_shared *shared;
  size_t shared_size;
  worker workers[MAX_JOBS];
  int n;               /* workers at most */
  unsigned char *done; /* per position: delivered or given up */
  size_t done_count;
  core_error *err;
} pool;

int sweep_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return 1;
  int n = CPU_COUNT(&set);
  return n < 1 ? 1 : n > MAX_JOBS ? MAX_JOBS : n;
}

/* ---- starting and replacing workers
 * ---------------------------------------------------------------- */

static core_status start_worker(pool *p, int w) {
  int ends[2];
  if (pipe(ends)) return core_fail(p->err, CORE_IO, "cannot start a worker: %s", strerror(errno));
  fflush(NULL);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    for (int i = 0; i < p->n; i++)
      if (p->workers[i].pid) close(p->workers[i].fd);
    close(ends[0]);
    sweep_worker_main(p->job, p->shared, &p->shared->slots[w], ends[1], parent);
  }
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return core_fail(p->err, CORE_IO, "cannot start a worker: %s", strerror(errno));
  }
  p->workers[w].pid = pid;
  p->workers[w].fd = ends[0];
  p->workers[w].in.n = 0;
  return CORE_OK;
}

/* a first worker must start; further ones may fail, the sweep is then merely slower */
static core_status start_all(pool *p) {
  for (int w = 0; w < p->n; w++) {
    core_status status = start_worker(p, w);
    if (status && w == 0) return status;
    if (status) p->n = w;
  }
  return CORE_OK;
}

static void finish(pool *p, size_t position) {
  if (!p->done[position]) p->done_count++;
  p->done[position] = 1;
}

/* the sample a dead worker was busy with: once more, or given up the second time */
static core_status blame(pool *p, int w, int signal) {
  sweep_slot *slot = &p->shared->slots[w];
  size_t busy = atomic_load(&slot->busy);
  if (!busy) return CORE_OK;
  size_t position = busy - 1;
  atomic_store(&slot->busy, 0);
  if (p->workers[w].suspects != busy) {
    p->workers[w].suspects = busy;
    return CORE_OK;
  }
  atomic_store(&slot->skip, busy);
  if (p->done[position]) return CORE_OK;
  finish(p, position);
  return p->job->lost(p->job->self, p->job->index[position], signal, p->err);
}

/* reaps worker w; a death before its work was done brings a new one in its place */
static core_status worker_ended(pool *p, int w) {
  int status = 0;
  close(p->workers[w].fd);
  while (waitpid(p->workers[w].pid, &status, 0) < 0 && errno == EINTR) continue;
  p->workers[w].pid = 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CORE_OK;
  if (WIFEXITED(status) && WEXITSTATUS(status) == SWEEP_EXIT_MEMORY)
    return core_fail(p->err, CORE_NO_MEMORY, "a worker ran out of memory");
  core_status failed = blame(p, w, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return failed ? failed : start_worker(p, w);
}

/* ---- results
 * ------------------------------------------------------------------------------------- */

static core_status deliver(pool *p, const sweep_frame *frame, const char *bytes) {
  if (frame->position >= p->job->n || p->done[frame->position]) return CORE_OK; /* computed twice */
  core_status status =
      p->job->deliver(p->job->self, p->job->index[frame->position], bytes, frame->size, p->err);
  if (!status) finish(p, frame->position);
  return status;
}

/* all complete frames that have arrived from one worker */
static core_status take_frames(pool *p, sweep_bytes *in) {
  size_t at = 0;
  core_status status = CORE_OK;
  while (!status && in->n - at >= sizeof(sweep_frame)) {
    sweep_frame frame;
    memcpy(&frame, in->at + at, sizeof frame);
    if (in->n - at - sizeof frame < frame.size) break;
    status = deliver(p, &frame, in->at + at + sizeof frame);
    at += sizeof frame + frame.size;
  }
  memmove(in->at, in->at + at, in->n - at);
  in->n -= at;
  return status;
}

static core_status read_worker(pool *p, int w) {
  char buffer[1 << 16];
  ssize_t n = read(p->workers[w].fd, buffer, sizeof buffer);
  if (n < 0) return errno == EINTR ? CORE_OK : core_fail(p->err, CORE_IO, "lost a worker's pipe");
  if (n == 0) return worker_ended(p, w);
  sweep_put(&p->workers[w].in, buffer, (size_t)n);
  if (p->workers[w].in.failed) return core_fail(p->err, CORE_NO_MEMORY, "%s", "");
  return take_frames(p, &p->workers[w].in);
}

/* ---- the loop
 * -------------------------------------------------------------------------------------- */

static volatile sig_atomic_t terminated;

static void on_terminate(int sig) {
  (void)sig;
  terminated = 1;
}

static int alive(const pool *p, struct pollfd *fds, int *who) {
  int n = 0;
  for (int w = 0; w < p->n; w++) {
    if (!p->workers[w].pid) continue;
    fds[n] = (struct pollfd){p->workers[w].fd, POLLIN, 0};
    who[n++] = w;
  }
  return n;
}

static core_status loop(pool *p) {
  struct pollfd fds[MAX_JOBS];
  int who[MAX_JOBS], n;
  while ((n = alive(p, fds, who)) > 0) {
    if (core_interrupted() || terminated) return core_fail(p->err, CORE_INTERRUPTED, "%s", "");
    int ready = poll(fds, (nfds_t)n, 100);
    for (int i = 0; i < n && ready > 0; i++) {
      if (!fds[i].revents) continue;
      core_status status = read_worker(p, who[i]);
      if (status) return status;
    }
    if (p->job->progress) p->job->progress(p->job->self, p->done_count);
  }
  return CORE_OK;
}

/* kills what still runs, after taking what has arrived */
static void stop_all(pool *p, int keep_results) {
  for (int w = 0; w < p->n; w++) {
    if (!p->workers[w].pid) continue;
    kill(p->workers[w].pid, SIGKILL);
    char buffer[1 << 16];
    ssize_t n;
    while (keep_results && (n = read(p->workers[w].fd, buffer, sizeof buffer)) > 0) {
      sweep_put(&p->workers[w].in, buffer, (size_t)n);
      if (p->workers[w].in.failed || take_frames(p, &p->workers[w].in)) break;
    }
    close(p->workers[w].fd);
    while (waitpid(p->workers[w].pid, NULL, 0) < 0 && errno == EINTR) continue;
    p->workers[w].pid = 0;
  }
}

/* A worker that died between taking a chunk and writing that down leaves a hole: the first run of
 * positions that nobody delivered goes into slot 0. 0 when there is none. */
static int sweep_up(pool *p) {
  size_t a = 0, b;
  while (a < p->job->n && p->done[a]) a++;
  for (b = a; b < p->job->n && !p->done[b]; b++) continue;
  sweep_slot *slot = &p->shared->slots[0];
  atomic_store(&slot->next, a);
  atomic_store(&slot->end, b);
  return a < b;
}

static core_status run_to_the_end(pool *p) {
  core_status status = start_all(p);
  if (!status) status = loop(p);
  while (!status && sweep_up(p)) {
    status = start_worker(p, 0);
    if (!status) status = loop(p);
  }
  return status;
}

static core_status open_pool(pool *p, const sweep_job *job, core_error *err) {
  int jobs = job->jobs > 0 ? job->jobs : sweep_cores();
  if (jobs > MAX_JOBS) jobs = MAX_JOBS;
  if ((size_t)jobs > job->n) jobs = (int)job->n;
  p->job = job;
  p->err = err;
  p->n = jobs;
  p->done = calloc(job->n + 1, 1);
  p->shared_size = sizeof *p->shared + (size_t)jobs * sizeof(sweep_slot);
  p->shared = mmap(NULL, p->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p->shared == MAP_FAILED) p->shared = NULL;
  if (!p->done || !p->shared) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  p->shared->n = job->n;
  p->shared->workers = (size_t)jobs;
  return CORE_OK;
}

static void close_pool(pool *p) {
  for (int w = 0; w < MAX_JOBS; w++) sweep_bytes_free(&p->workers[w].in);
  if (p->shared) munmap(p->shared, p->shared_size);
  free(p->done);
  free(p);
}

core_status sweep_pool_run(const sweep_job *job, core_error *err) {
  pool *p = calloc(1, sizeof *p);
  if (!p) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  struct sigaction act = {.sa_handler = on_terminate}, before;
  terminated = 0;
  sigaction(SIGTERM, &act, &before);
  core_status status = open_pool(p, job, err);
  if (!status && job->n) status = run_to_the_end(p);
  stop_all(p, status == CORE_INTERRUPTED);
  sigaction(SIGTERM, &before, NULL);
  if (job->progress) job->progress(job->self, p->done_count);
  close_pool(p);
  return status;
}
