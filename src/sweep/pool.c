#define _GNU_SOURCE /* sched_getaffinity, pipe2 */
#include "sweep/pool.h"

#include <errno.h>
#include <fcntl.h>
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

#include "core/clock.h"
#include "core/interrupt.h"
#include "sweep/worker.h"

enum {
  MAX_JOBS = 256,
  MAX_RESTARTS = 20 /* deaths in a row without a unit that was done or given up */
};

/* what the parent knows of one worker */
typedef struct worker {
  pid_t pid;      /* 0: none */
  int fd;         /* our end of its pipe, which does not block */
  sweep_bytes in; /* bytes of a frame that is not complete yet */
} worker;

typedef struct pool {
  const sweep_job *job;
  sweep_shared *shared;
  size_t shared_size;
  worker workers[MAX_JOBS];
  int n;        /* workers at most */
  int restarts; /* since the last unit that was done or given up */
  core_error *err;
} pool;

int sweep_cores(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set)) return 1;
  int n = CPU_COUNT(&set);
  return n < 1 ? 1 : n > MAX_JOBS ? MAX_JOBS : n;
}

static void *map_shared(size_t size) {
  void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? NULL : at;
}

unsigned char *sweep_states_new(size_t n) {
  return map_shared(n + 1);
}

void sweep_states_free(unsigned char *states, size_t n) {
  if (states) munmap(states, n + 1);
}

/* ---- starting and replacing workers ---- */

static core_status cannot_start(pool *p) {
  return core_fail(p->err, CORE_IO, "cannot start a worker: %s", strerror(errno));
}

/* neither end survives an exec: what a sample leaves running must not hold the sweep */
static core_status start_worker(pool *p, int w) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return cannot_start(p);
  fflush(NULL);
  atomic_store(&p->shared->slots[w].through, 0);
  pid_t parent = getpid(), pid = fork();
  if (pid == 0) {
    for (int i = 0; i < p->n; i++)
      if (p->workers[i].pid) close(p->workers[i].fd);
    close(ends[0]);
    sweep_worker_main(p->job, p->shared, &p->shared->slots[w], ends[1], parent);
  }
  int code = errno;
  close(ends[1]);
  if (pid < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK)) {
    errno = pid < 0 ? code : errno;
    core_status status = cannot_start(p);
    close(ends[0]);
    return status;
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

static void settle(pool *p, size_t unit, int state) {
  p->job->states[unit] = (unsigned char)state;
  p->restarts = 0;
}

/* the unit a dead worker was busy with: once more, or given up the second time */
static core_status blame(pool *p, int w, int signal) {
  sweep_slot *slot = &p->shared->slots[w];
  size_t busy = atomic_exchange(&slot->busy, 0);
  if (!busy) return CORE_OK;
  size_t unit = sweep_unit_at(p->job, busy - 1);
  if (p->job->states[unit] == SWEEP_PENDING)
    p->job->states[unit] = SWEEP_SUSPECT;
  else if (p->job->states[unit] == SWEEP_SUSPECT) {
    settle(p, unit, SWEEP_LOST);
    return p->job->lost(p->job->self, unit, signal, p->err);
  }
  return CORE_OK;
}

static core_status too_many_deaths(pool *p, int status) {
  char how[80];
  if (WIFSIGNALED(status))
    snprintf(how, sizeof how, "%s", strsignal(WTERMSIG(status)));
  else
    snprintf(how, sizeof how, "exit code %d", WEXITSTATUS(status));
  return core_fail(p->err, CORE_IO, "sweep: %d workers died one after the other (%s)", MAX_RESTARTS,
                   how);
}

/* worker w is dead and reaped: unless its work was done, a new one takes its place */
static core_status worker_ended(pool *p, int w, int status) {
  close(p->workers[w].fd);
  p->workers[w].pid = 0;
  if (atomic_load(&p->shared->slots[w].through)) return CORE_OK;
  if (WIFEXITED(status) && WEXITSTATUS(status) == SWEEP_EXIT_MEMORY)
    return core_fail(p->err, CORE_NO_MEMORY, "a worker ran out of memory");
  p->restarts++;
  if (p->job->deaths) ++*p->job->deaths;
  core_status failed = blame(p, w, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  if (!failed && p->restarts > MAX_RESTARTS) failed = too_many_deaths(p, status);
  return failed ? failed : start_worker(p, w);
}

/* ---- results ---- */

static core_status deliver(pool *p, const sweep_frame *frame, const char *bytes) {
  size_t unit = sweep_unit_at(p->job, frame->position);
  if (unit >= p->job->n || p->job->states[unit] >= SWEEP_DONE) return CORE_OK; /* computed twice */
  core_status status = p->job->deliver(p->job->self, unit, bytes, frame->size, p->err);
  if (!status) settle(p, unit, SWEEP_DONE);
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
  if (at) memmove(in->at, in->at + at, in->n - at);
  in->n -= at;
  return status;
}

/* everything that has arrived by now, a megabyte at most; *end: the pipe is closed */
static core_status read_worker(pool *p, int w, int *end) {
  char buffer[1 << 16];
  *end = 0;
  for (int parts = 0; parts < 16; parts++) {
    ssize_t n = read(p->workers[w].fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return CORE_OK;
    if (n < 0) return core_fail(p->err, CORE_IO, "lost a worker's pipe: %s", strerror(errno));
    *end = n == 0;
    if (n == 0) return CORE_OK;
    sweep_put(&p->workers[w].in, buffer, (size_t)n);
    if (p->workers[w].in.failed) return core_no_memory(p->err);
    core_status status = take_frames(p, &p->workers[w].in);
    if (status) return status;
  }
  return CORE_OK;
}

/* ---- the loop ---- */

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

/* its pipe closed, or it is dead although somebody else still holds the pipe */
static core_status look_after(pool *p, int w, int ready) {
  int end = 0, status = 0;
  core_status failed = ready ? read_worker(p, w, &end) : CORE_OK;
  if (failed) return failed;
  pid_t gone;
  while ((gone = waitpid(p->workers[w].pid, &status, end ? 0 : WNOHANG)) < 0 && errno == EINTR)
    continue;
  if (!gone) return CORE_OK;
  for (int more = !end; more && !failed;) { /* what it sent before it died */
    size_t before = p->workers[w].in.n;
    failed = read_worker(p, w, &end);
    more = !end && p->workers[w].in.n != before;
  }
  return failed ? failed : worker_ended(p, w, status);
}

static core_status stop_wanted(core_error *err) {
  if (!core_interrupted() && !terminated) return CORE_OK;
  return core_fail(err, CORE_INTERRUPTED, "%s", "");
}

/* SIGTERM: workers finish their units, if that takes no longer than this */
enum { GRACE = 20 }; /* [s] */

static core_status end_wanted(pool *p, double *deadline) {
  if (core_interrupted()) return core_fail(p->err, CORE_INTERRUPTED, "%s", "");
  if (!terminated) return CORE_OK;
  if (!*deadline) *deadline = core_seconds() + GRACE;
  atomic_store(&p->shared->stop, 1);
  return core_seconds() < *deadline ? CORE_OK : core_fail(p->err, CORE_INTERRUPTED, "%s", "");
}

static core_status loop(pool *p) {
  struct pollfd fds[MAX_JOBS];
  int who[MAX_JOBS], n;
  core_status status = CORE_OK;
  double checked = core_seconds(), deadline = 0;
  while (!status && (n = alive(p, fds, who)) > 0) {
    status = end_wanted(p, &deadline);
    if (!status && poll(fds, (nfds_t)n, 100) < 0 && errno != EINTR)
      status = core_fail(p->err, CORE_IO, "sweep: %s", strerror(errno));
    int all = core_seconds() - checked > 0.1;
    for (int i = 0; i < n && !status; i++)
      if (fds[i].revents || all) status = look_after(p, who[i], fds[i].revents != 0);
    if (!all) continue;
    checked = core_seconds();
    if (!status && p->job->progress) status = p->job->progress(p->job->self, p->err);
  }
  return status ? status : stop_wanted(p->err);
}

/* kills what still runs, after taking what has arrived */
static void stop_all(pool *p, int keep_results) {
  for (int w = 0; w < p->n; w++) {
    if (!p->workers[w].pid) continue;
    kill(p->workers[w].pid, SIGKILL);
    while (waitpid(p->workers[w].pid, NULL, 0) < 0 && errno == EINTR) continue;
    int end = !keep_results;
    for (size_t before = SIZE_MAX; !end && p->workers[w].in.n != before;) {
      before = p->workers[w].in.n;
      if (read_worker(p, w, &end)) break;
    }
    close(p->workers[w].fd);
    p->workers[w].pid = 0;
  }
}

/* A worker that died between taking a chunk and writing that down leaves a hole: the first run of
 * positions that nobody delivered goes into slot 0. 0 when there is none. */
static int sweep_up(pool *p) {
  const sweep_job *job = p->job;
  size_t n = p->shared->n, a = 0, b;
  while (a < n && job->states[sweep_unit_at(job, a)] >= SWEEP_DONE) a++;
  for (b = a; b < n && job->states[sweep_unit_at(job, b)] < SWEEP_DONE; b++) continue;
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
  size_t n = sweep_positions(job);
  int jobs = job->jobs > 0 ? job->jobs : sweep_cores();
  if (jobs > MAX_JOBS) jobs = MAX_JOBS;
  if ((size_t)jobs > n) jobs = (int)n;
  p->job = job;
  p->err = err;
  p->n = jobs;
  p->shared_size = sizeof *p->shared + (size_t)jobs * sizeof(sweep_slot);
  p->shared = map_shared(p->shared_size);
  if (!p->shared) return core_no_memory(err);
  p->shared->n = n;
  p->shared->workers = (size_t)jobs;
  return CORE_OK;
}

static void close_pool(pool *p) {
  for (int w = 0; w < MAX_JOBS; w++) sweep_bytes_free(&p->workers[w].in);
  if (p->shared) munmap(p->shared, p->shared_size);
  free(p);
}

static core_status run_workers(const sweep_job *job, core_error *err) {
  pool *p = calloc(1, sizeof *p);
  if (!p) return core_no_memory(err);
  core_status status = open_pool(p, job, err);
  if (!status) status = run_to_the_end(p);
  core_error later = {0};
  p->err = &later; /* what goes wrong with the last results must not hide why it ended */
  stop_all(p, status == CORE_INTERRUPTED);
  close_pool(p);
  return status;
}

/* one unit after the other, in this process */
static core_status run_here(const sweep_job *job, core_error *err) {
  sweep_bytes out = {0};
  core_status status = CORE_OK;
  double shown = core_seconds();
  for (size_t k = 0, n = sweep_positions(job); k < n && !status; k++) {
    size_t unit = sweep_unit_at(job, k);
    if (job->states[unit] >= SWEEP_DONE) continue;
    if ((status = stop_wanted(err))) break;
    out.n = 0;
    job->unit(job->self, unit, &out);
    if (out.failed) status = core_no_memory(err);
    if (!status && (status = stop_wanted(err))) break; /* the unit may be unfinished */
    if (!status) status = job->deliver(job->self, unit, out.at, out.n, err);
    if (!status) job->states[unit] = SWEEP_DONE;
    if (status || !job->progress || core_seconds() - shown < 0.1) continue;
    shown = core_seconds();
    status = job->progress(job->self, err);
  }
  sweep_bytes_free(&out);
  return status;
}

core_status sweep_pool_run(const sweep_job *job, core_error *err) {
  struct sigaction act = {.sa_handler = on_terminate}, before;
  if (!sweep_positions(job)) return CORE_OK;
  terminated = 0;
  sigaction(SIGTERM, &act, &before);
  core_status status = job->here ? run_here(job, err) : run_workers(job, err);
  if (job->terminated) *job->terminated = terminated != 0;
  sigaction(SIGTERM, &before, NULL);
  return status;
}
