#include "sweep/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/interrupt.h"

static int is_worker; /* set once, in a fork that never returns */

int sweep_is_worker(void) {
  return is_worker;
}

void *sweep_reserve(sweep_bytes *out, size_t n) {
  if (out->failed) return NULL;
  if (out->room - out->n < n) {
    size_t room = 2 * out->room + n + 256;
    char *at = realloc(out->at, room);
    out->failed = !at;
    if (!at) return NULL;
    out->at = at;
    out->room = room;
  }
  out->n += n;
  return out->at + out->n - n;
}

void sweep_put(sweep_bytes *out, const void *bytes, size_t n) {
  void *room = sweep_reserve(out, n);
  if (room && n) memcpy(room, bytes, n);
}

void sweep_bytes_free(sweep_bytes *out) {
  free(out->at);
  *out = (sweep_bytes){0};
}

typedef struct state {
  const sweep_job *job;
  sweep_slot *slot;
  int fd;
  sweep_bytes out; /* frames that have not been sent */
  double sent_at;  /* [s] */
} state;

static _Noreturn void leave(const sweep_job *job, int code) {
  if (job->leave) job->leave(job->self);
  fflush(NULL);
  _exit(code);
}

/* sends everything; only then do its units count as sent */
static void send_all(state *s, size_t next) {
  for (size_t at = 0; at < s->out.n;) {
    ssize_t n = write(s->fd, s->out.at + at, s->out.n - at);
    if (n < 0 && errno != EINTR) leave(s->job, SWEEP_EXIT_PIPE);
    if (n > 0) at += (size_t)n;
  }
  s->out.n = 0;
  s->sent_at = core_seconds();
  atomic_store(&s->slot->next, next);
}

static void run_unit(state *s, size_t position) {
  sweep_frame frame = {position, 0};
  size_t start = s->out.n;
  sweep_put(&s->out, &frame, sizeof frame);
  atomic_store(&s->slot->busy, position + 1);
  s->job->unit(s->job->self, sweep_unit_at(s->job, position), &s->out);
  atomic_store(&s->slot->busy, 0);
  if (s->out.failed) leave(s->job, SWEEP_EXIT_MEMORY);
  frame.size = s->out.n - start - sizeof frame;
  memcpy(s->out.at + start, &frame, sizeof frame);
  if (s->out.n > 1 << 15 || core_seconds() - s->sent_at > 0.02) send_all(s, position + 1);
}

/* the rest of the chunk in the slot: a predecessor may have died in its middle */
static void run_chunk(state *s, sweep_shared *shared) {
  size_t end = atomic_load(&s->slot->end), i = atomic_load(&s->slot->next);
  for (; i < end && !atomic_load(&shared->stop); i++)
    if (s->job->states[sweep_unit_at(s->job, i)] <= SWEEP_SUSPECT) run_unit(s, i);
  send_all(s, i > end ? end : i);
}

/* Takes the next chunk; 0 when there is none. A sixteenth of a worker's share of what is left:
 * large chunks first, single units last, so that the workers end together. */
static int take_chunk(sweep_shared *shared, size_t *begin, size_t *end) {
  size_t at = atomic_load(&shared->taken), size;
  do {
    if (at >= shared->n || atomic_load(&shared->stop)) return 0;
    size = (shared->n - at) / (16 * shared->workers);
    size = size < 1 ? 1 : size > 1024 ? 1024 : size;
  } while (!atomic_compare_exchange_weak(&shared->taken, &at, at + size));
  *begin = at;
  *end = at + size;
  return 1;
}

_Noreturn void sweep_worker_main(const sweep_job *job, sweep_shared *shared, sweep_slot *slot,
                                 int fd, pid_t parent) {
  is_worker = 1;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  signal(SIGINT, SIG_IGN); /* Ctrl-C reaches the whole group: the parent decides */
  if (core_interrupted()) core_interrupt_flag = CORE_INTERRUPT_NONE; /* it came before the fork */
  signal(SIGTERM, SIG_DFL);
  signal(SIGPIPE, SIG_IGN);
  state s = {job, slot, fd, {0}, core_seconds()};
  if (job->start) job->start(job->self);
  run_chunk(&s, shared);
  for (size_t begin, end; take_chunk(shared, &begin, &end); run_chunk(&s, shared)) {
    atomic_store(&slot->next,
                 SIZE_MAX); /* empty for a moment: the parent sweeps up after a death */
    atomic_store(&slot->end, end);
    atomic_store(&slot->next, begin);
  }
  atomic_store(&slot->through, 1);
  leave(job, 0);
}
