#include "sweep/join.h"

#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/clock.h"
#include "core/interrupt.h"

size_t sweep_chunk_units(size_t units) {
  return units < 2048 ? 1 : units / 1024;
}

/* SIGTERM between two chunks */
static volatile sig_atomic_t terminated;

static void on_terminate(int sig) {
  (void)sig;
  terminated = 1;
}

/* others hold what is left: look again soon, and less often the longer it takes */
static void wait_a_little(int times) {
  long ms = times < 10 ? 20 : times < 100 ? 100 : 500;
  nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static int is_journal(const char *name) {
  size_t n = strlen(name);
  return n > 8 && !strcmp(name + n - 8, ".journal") && strncmp(name, "header", 6);
}

/* what others have done of a chunk that was theirs; journals may be growing while we read */
static core_status replay_others(sweep_engine *e, const sweep_claims *c, core_error *err) {
  char path[PATH_MAX];
  core_status status = CORE_OK;
  DIR *dir = opendir(c->folder);
  for (struct dirent *entry; dir && !status && (entry = readdir(dir));) {
    if (!is_journal(entry->d_name) || strstr(entry->d_name, c->name)) continue;
    snprintf(path, sizeof path, "%s/%s", c->folder, entry->d_name);
    core_error damaged = {0};
    status = sweep_engine_peek(e, path, &damaged);
    if (status == CORE_NO_MEMORY) *err = damaged;
    if (status != CORE_NO_MEMORY) status = CORE_OK; /* its units are computed again */
  }
  if (dir) closedir(dir);
  return status;
}

/* the units of the chunks that are held become pending unless they are done; the range they are in
 */
static void take_units(sweep_engine *e, const sweep_claims *c, size_t *from, size_t *to) {
  size_t size = sweep_chunk_units(e->units);
  *from = e->units;
  *to = 0;
  for (size_t k = 0; k < c->n_held; k++) {
    size_t first = c->held[k] * size, end = first + size < e->units ? first + size : e->units;
    for (size_t i = first; i < end; i++)
      if (e->states[i] == SWEEP_AWAY) e->states[i] = SWEEP_PENDING;
    *from = first < *from ? first : *from;
    *to = end > *to ? end : *to;
  }
}

/* computes what is held; the leases go when the results are on the disk */
static core_status run_held(sweep_engine *e, sweep_claims *c, core_error *err) {
  size_t from, to;
  core_status status = c->taken_over ? replay_others(e, c, err) : CORE_OK;
  take_units(e, c, &from, &to);
  if (!status) status = sweep_engine_range(e, from, to, err);
  core_error later = {0};
  if (sweep_claims_release(c, status == CORE_OK, &later) && !status) {
    *err = later;
    status = later.status;
  }
  return status;
}

static core_status stop_wanted(sweep_engine *e, core_error *err) {
  if (terminated) e->terminated = 1;
  if (!core_interrupted() && !e->terminated) return CORE_OK;
  return core_fail(err, CORE_INTERRUPTED, "%s", "");
}

enum {
  LONG_ENOUGH = 2
}; /* [s] that the work for one claim should take: claiming is then nothing */

/* samples of chunks that others have done, for the progress */
static size_t done_by_others(const sweep_engine *e, const sweep_claims *c) {
  size_t all = c->done * sweep_chunk_units(e->units) * e->block;
  if (all > e->samples) all = e->samples;
  return all > e->done ? all - e->done : 0;
}

static core_status run_all(sweep_engine *e, sweep_claims *c, core_error *err) {
  core_status status = CORE_OK;
  size_t want = 1;
  for (int idle = 0, all_done; !status && !(status = stop_wanted(e, err));) {
    status = sweep_claims_next(c, want, &all_done, err);
    if (status || all_done) break;
    e->others = done_by_others(e, c);
    if (!c->n_held) {
      wait_a_little(idle++);
      continue;
    }
    double start = core_seconds();
    status = run_held(e, c, err);
    if (core_seconds() - start < LONG_ENOUGH) want *= 2;
    idle = 0;
  }
  return status;
}

core_status sweep_join(sweep_engine *e, sweep_claims *c, const char *header, core_error *err) {
  char path[PATH_MAX];
  struct sigaction act = {.sa_handler = on_terminate}, before;
  snprintf(path, sizeof path, "%s/%s.journal", c->folder, c->name);
  core_status status = sweep_journal_create(&e->journal, path, header, err);
  if (status) return status;
  terminated = 0;
  memset(e->states, SWEEP_AWAY, e->units);
  e->claims = c;
  sigaction(SIGTERM, &act, &before);
  sweep_progress_start(&e->progress, e->samples, e->done);
  status = run_all(e, c, err);
  sweep_progress_end(&e->progress);
  sigaction(SIGTERM, &before, NULL);
  e->claims = NULL;
  core_error later = {0};
  if (sweep_journal_close(&e->journal, &later) && !status) {
    *err = later;
    status = later.status;
  }
  return status;
}

core_status sweep_join_wait(sweep_claims *c, int *ours, core_error *err) {
  *ours = 0;
  for (int idle = 0, done = 0; !done && !*ours; wait_a_little(idle++)) {
    if (core_interrupted()) return core_fail(err, CORE_INTERRUPTED, "%s", "");
    if (access(c->folder, F_OK)) return CORE_OK;
    core_status status = sweep_claims_next(c, 1, &done, err);
    if (status) return access(c->folder, F_OK) ? CORE_OK : status;
    *ours = c->n_held > 0;
  }
  return CORE_OK;
}
