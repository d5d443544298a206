/* One engine for every sweep: units of samples, a pool, a journal, a table and the progress.
 *
 * A unit is `block` samples that are computed and delivered together: one for functions of a
 * script, many for the fast lane. What runs a unit is the body; the engine knows nothing of it.
 */
#ifndef SWEEP_ENGINE_H
#define SWEEP_ENGINE_H

#include "sweep/claim.h"
#include "sweep/journal.h"
#include "sweep/pool.h"
#include "sweep/progress.h"
#include "sweep/row.h"

typedef struct sweep_body {
  void *self;
  void (*start)(void *self);                               /* in a worker, once; may be NULL */
  void (*unit)(void *self, size_t i, sweep_bytes *result); /* appends the result of unit i */
  void (*leave)(void *self); /* in a worker, at its end; may be NULL */
  core_status (*watch)(void *self, size_t done, core_error *err); /* in the parent; may be NULL */
} sweep_body;

typedef struct sweep_engine {
  size_t samples, block; /* block: samples per unit, the last one may be shorter */
  int jobs, here;        /* workers (0: one per core); here: none */
  size_t shard, shards;  /* this part of the units, from 0 */
  sweep_body body;
  sweep_columns columns; /* columns.table is NULL when results go to the journal alone */

  int terminated;       /* SIGTERM came */
  int deaths;           /* of workers */
  sweep_claims *claims; /* chunks are claimed: leases are renewed, what is lost is journalled */
  size_t units;
  unsigned char *states;     /* of the units */
  size_t done, failed, lost; /* samples */
  size_t others;             /* samples that other workers of a join have done, as last seen */
  size_t mine;               /* samples of this part */
  sweep_journal journal;     /* fd < 0: none */
  sweep_progress progress;
} sweep_engine;

/* Fills in the rest from samples, block, shards, body and columns; opens the journal unless path is
 * NULL: a new one, or with resume one whose results are taken over. */
core_status sweep_engine_open(sweep_engine *e, const char *path, const char *header, int resume,
                              core_error *err);

/* takes over what a further journal holds */
core_status sweep_engine_replay(sweep_engine *e, const char *path, core_error *err);

core_status sweep_engine_peek(sweep_engine *e, const char *path, core_error *err); /* unlocked */

/* CORE_INTERRUPTED: what is done is kept */
core_status sweep_engine_run(sweep_engine *e, core_error *err);
/* units from ... to - 1 alone; the journal stays open, and is on the disk */
core_status sweep_engine_range(sweep_engine *e, size_t from, size_t to, core_error *err);
void sweep_engine_close(sweep_engine *e);

/* samples of a unit */
size_t sweep_engine_count(const sweep_engine *e, size_t unit);

/* takes the rows of samples that are not done out of the table */
void sweep_engine_compact(sweep_engine *e);

#endif
