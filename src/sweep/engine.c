#include "sweep/engine.h"

#include <string.h>
#include <unistd.h>

size_t sweep_engine_count(const sweep_engine *e, size_t unit) {
  size_t first = unit * e->block;
  return e->samples - first < e->block ? e->samples - first : e->block;
}

/* ---- results ---- */

static core_status store(sweep_engine *e, size_t i, const char *bytes, size_t n, core_error *err) {
  size_t count = sweep_engine_count(e, i), failed = 0;
  core_status status =
      e->columns.table ? sweep_row_store(&e->columns, i * e->block, count, bytes, n, &failed, err)
                       : sweep_row_check(count, bytes, n, &failed, err);
  if (status) return status;
  e->done += count;
  e->failed += failed;
  return CORE_OK;
}

/* a frame of a journal: results are keyed by unit, so doubles are harmless */
static core_status replay(void *self, size_t i, const char *bytes, size_t n, core_error *err) {
  sweep_engine *e = self;
  if (i >= e->units) return core_fail(err, CORE_IO, "sweep: a result for unit %zu", i + 1);
  if (e->states[i] == SWEEP_DONE) return CORE_OK;
  core_status status = store(e, i, bytes, n, err);
  if (!status) e->states[i] = SWEEP_DONE;
  return status;
}

static core_status deliver(void *self, size_t i, const char *bytes, size_t n, core_error *err) {
  sweep_engine *e = self;
  core_status status = store(e, i, bytes, n, err);
  if (!status && e->journal.fd >= 0) status = sweep_journal_append(&e->journal, i, bytes, n, err);
  return status;
}

/* Not journalled: resuming tries it again. Where chunks are claimed it is: nobody would come back.
 */
static core_status lost(void *self, size_t i, int signal, core_error *err) {
  sweep_engine *e = self;
  size_t count = sweep_engine_count(e, i);
  if (e->claims) {
    sweep_bytes bytes = {0};
    sweep_row_gone(&bytes, signal);
    core_status status =
        bytes.failed ? core_no_memory(err) : deliver(self, i, bytes.at, bytes.n, err);
    sweep_bytes_free(&bytes);
    return status;
  }
  e->done += count;
  e->failed += count;
  e->lost += count;
  if (!e->columns.table) return CORE_OK;
  return sweep_row_lost(&e->columns, i * e->block, count, signal, err);
}

static core_status progress(void *self, core_error *err) {
  sweep_engine *e = self;
  sweep_progress_show(&e->progress, e->done + e->others);
  core_status status = e->claims ? sweep_claims_renew(e->claims, err) : CORE_OK;
  if (status) return status;
  return e->body.watch ? e->body.watch(e->body.self, e->done, err) : CORE_OK;
}

/* ---- in a worker ---- */

static void start(void *self) {
  sweep_engine *e = self;
  if (e->journal.fd >= 0) close(e->journal.fd); /* the lock belongs to the parent alone */
  if (e->body.start) e->body.start(e->body.self);
}

static void unit(void *self, size_t i, sweep_bytes *out) {
  sweep_engine *e = self;
  e->body.unit(e->body.self, i, out);
}

static void leave(void *self) {
  sweep_engine *e = self;
  if (e->body.leave) e->body.leave(e->body.self);
}

/* ---- the whole ---- */

core_status sweep_engine_open(sweep_engine *e, const char *path, const char *header, int resume,
                              core_error *err) {
  e->units = (e->samples + e->block - 1) / e->block;
  e->journal.fd = -1;
  e->done = e->failed = e->lost = e->mine = e->others = 0;
  e->states = sweep_states_new(e->units);
  if (!e->states) return core_no_memory(err);
  for (size_t i = e->shard; i < e->units; i += e->shards) e->mine += sweep_engine_count(e, i);
  if (!path) return CORE_OK;
  if (resume) return sweep_journal_resume(&e->journal, path, replay, e, err);
  return sweep_journal_create(&e->journal, path, header, err);
}

core_status sweep_engine_replay(sweep_engine *e, const char *path, core_error *err) {
  return sweep_journal_resume(NULL, path, replay, e, err);
}

core_status sweep_engine_peek(sweep_engine *e, const char *path, core_error *err) {
  return sweep_journal_peek(path, replay, e, err);
}

static core_status run(sweep_engine *e, size_t from, size_t to, core_error *err) {
  sweep_job job = {.n = to,
                   .first = from + e->shard,
                   .stride = e->shards,
                   .states = e->states,
                   .jobs = e->jobs,
                   .here = e->here,
                   .self = e,
                   .start = start,
                   .unit = unit,
                   .leave = leave,
                   .deliver = deliver,
                   .lost = lost,
                   .progress = progress,
                   .terminated = &e->terminated,
                   .deaths = &e->deaths};
  return sweep_pool_run(&job, err);
}

core_status sweep_engine_range(sweep_engine *e, size_t from, size_t to, core_error *err) {
  core_status status = run(e, from, to, err);
  core_error later = {0};
  if (e->journal.fd >= 0 && sweep_journal_flush(&e->journal, &later) && !status) {
    *err = later;
    status = later.status;
  }
  return status;
}

core_status sweep_engine_run(sweep_engine *e, core_error *err) {
  sweep_progress_start(&e->progress, e->mine, e->done);
  core_status status = run(e, 0, e->units, err);
  if (!status && e->body.watch) status = e->body.watch(e->body.self, e->done, err);
  sweep_progress_end(&e->progress);
  core_error later = {0};
  if (e->journal.fd >= 0 && sweep_journal_close(&e->journal, &later) && !status) {
    *err = later;
    status = later.status;
  }
  return status;
}

void sweep_engine_close(sweep_engine *e) {
  if (e->states) sweep_states_free(e->states, e->units);
  e->states = NULL;
  if (e->journal.fd >= 0) sweep_journal_close(&e->journal, NULL);
}

void sweep_engine_compact(sweep_engine *e) {
  size_t to = 0;
  record_table *t = e->columns.table;
  for (size_t i = 0; i < e->units; i++) {
    size_t count = sweep_engine_count(e, i);
    if (e->states[i] < SWEEP_DONE) continue;
    record_move(t, to, i * e->block, count);
    to += count;
  }
  record_resize(t, to);
}
