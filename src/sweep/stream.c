#include "sweep/stream.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/interrupt.h"
#include "sweep/journal.h"

typedef struct source {
  sweep_place *place; /* per unit */
  size_t units;
  int *fds; /* per journal */
} source;

static core_status open_all(sweep_stream *s, source *from, core_error *err) {
  core_status status = CORE_OK;
  for (int k = 0; k < s->n && !status; k++)
    status = sweep_journal_index(s->paths[k], k + 1, s->lock, from->units, from->place,
                                 &from->fds[k], err);
  for (size_t i = 0; i < from->units && !status; i++)
    if (!from->place[i].journal) /* NOLINT: units places, made by the caller */
      s->missing += i + 1 < from->units ? s->block : s->axes->samples - i * s->block;
  if (!status && s->missing)
    status = core_fail(err, CORE_BAD_INPUT,
                       "sweep: %zu of %zu samples are missing: run their shards with --resume",
                       s->missing, s->axes->samples);
  return status;
}

/* one unit from its journal into the rows of the table, and these into the file */
static core_status copy_unit(sweep_stream *s, const source *from, size_t i, sweep_bytes *bytes,
                             record_stream *out, core_error *err) {
  record_table *t = s->columns->table;
  const sweep_place *place = &from->place[i];
  size_t first = i * s->block, left = s->axes->samples - first, failed;
  size_t count = left < s->block ? left : s->block;
  int fd = from->fds[place->journal - 1]; /* NOLINT: one for each journal, made by the caller */
  core_status status = sweep_journal_fetch(fd, place, bytes, err);
  if (status) return status;
  if (record_resize(t, 0) || record_resize(t, count) || sweep_axes_fill(s->axes, first, t))
    return core_no_memory(err);
  status = sweep_row_store(s->columns, 0, count, bytes->at, bytes->n, &failed, err);
  if (!status) status = record_stream_rows(out, t, err);
  if (!status && core_interrupted()) status = core_fail(err, CORE_INTERRUPTED, "%s", "");
  return status;
}

static core_status copy_all(sweep_stream *s, const source *from, const char *file,
                            core_error *err) {
  record_stream *out;
  sweep_bytes bytes = {0};
  core_status status = record_stream_open(&out, s->columns->table, s->axes->samples, file, err);
  if (status) return status;
  for (size_t i = 0; i < from->units && !status; i++)
    status = copy_unit(s, from, i, &bytes, out, err);
  sweep_bytes_free(&bytes);
  if (status)
    record_stream_abandon(out);
  else
    status = record_stream_close(out, err);
  return status;
}

core_status sweep_stream_write(sweep_stream *s, const char *file, core_error *err) {
  source from = {.units = (s->axes->samples + s->block - 1) / s->block};
  from.place = calloc(from.units + 1, sizeof *from.place);
  from.fds = calloc((size_t)s->n + 1, sizeof *from.fds);
  for (int k = 0; k < s->n && from.fds; k++) from.fds[k] = -1;
  s->missing = 0;
  core_status status = CORE_OK;
  if (!from.place || !from.fds) status = core_no_memory(err);
  if (!status) status = open_all(s, &from, err);
  if (!status) status = copy_all(s, &from, file, err);
  for (int k = 0; k < s->n && from.fds; k++)
    if (from.fds[k] >= 0) close(from.fds[k]);
  free(from.place);
  free(from.fds);
  return status;
}
