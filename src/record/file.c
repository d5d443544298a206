/* Files of tables: which writer and reader, by the ending of the name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/hdf5.h"
#include "record/out.h"
#include "record/table.h"

typedef struct format {
  const char *ending;
  void (*begin)(const record_table *t, record_out *out); /* what stands in front of the rows */
  void (*rows)(const record_table *t, record_out *out);
  core_status (*read)(char *text, const char *path, record_table *t, core_error *err);
} format;

static const format formats[] = {
    {".csv", record_begin_csv, record_rows_csv, record_read_csv},
    {".jsonl", record_begin_jsonl, record_rows_jsonl, record_read_jsonl},
    {".ndjson", record_begin_jsonl, record_rows_jsonl, record_read_jsonl},
};

static const format *format_of(const char *path) {
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
    if (!strcmp(dot, formats[i].ending)) return &formats[i];
  return &formats[0]; /* devices and names without an ending are CSV */
}

static int is_hdf5(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (!strcmp(dot, ".h5") || !strcmp(dot, ".hdf5"));
}

core_status record_check_name(const char *path, core_error *err) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  if (!dot || (slash && dot < slash) || format_of(path) != formats || is_hdf5(path) ||
      !strcmp(dot, ".csv") || !strcmp(dot, ".txt"))
    return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "'%s': a table is written to .csv, .jsonl or .h5, not %s",
                   path, dot);
}

/* either an HDF5 file or a text */
struct record_stream {
  record_h5 *h5; /* or NULL */
  const format *format;
  record_out out;
};

static core_status open_text(record_stream *s, const record_table *columns, const char *path,
                             core_error *err) {
  s->format = format_of(path);
  core_status status = record_out_open(&s->out, path, err);
  if (!status) s->format->begin(columns, &s->out);
  return status;
}

core_status record_stream_open(record_stream **s, const record_table *columns, size_t rows,
                               const char *path, core_error *err) {
  *s = NULL;
  core_status status = record_check_name(path, err);
  if (status) return status;
  record_stream *new = calloc(1, sizeof *new);
  if (!new) return core_no_memory(err);
  status = is_hdf5(path) ? record_h5_open(&new->h5, columns, rows, path, err)
                         : open_text(new, columns, path, err);
  if (status)
    free(new);
  else
    *s = new;
  return status;
}

core_status record_stream_rows(record_stream *s, const record_table *t, core_error *err) {
  if (s->h5) return record_h5_rows(s->h5, t, err);
  s->format->rows(t, &s->out);
  return record_out_check(&s->out, err);
}

void record_stream_abandon(record_stream *s) {
  if (s->h5)
    record_h5_abandon(s->h5);
  else
    record_out_abandon(&s->out);
  free(s);
}

core_status record_stream_close(record_stream *s, core_error *err) {
  core_status status = s->h5 ? record_h5_close(s->h5, err) : record_out_close(&s->out, err);
  free(s);
  return status;
}

core_status record_write(const record_table *t, const char *path, core_error *err) {
  record_stream *s;
  core_status status = record_stream_open(&s, t, t->rows, path, err);
  if (status) return status;
  status = record_stream_rows(s, t, err); /* NOLINT: s was made when status is 0 */
  if (!status) return record_stream_close(s, err);
  record_stream_abandon(s);
  return status;
}

core_status record_read(const char *path, record_table *t, core_error *err) {
  if (is_hdf5(path)) return record_read_h5(path, t, err);
  char *text;
  size_t size;
  record_table_init(t);
  core_status status = record_slurp(path, &text, &size, err);
  if (status) return status;
  if (strlen(text) != size)
    status = core_fail(err, CORE_BAD_INPUT, "'%s' is not a text table: it holds a zero byte", path);
  if (!status) status = format_of(path)->read(text, path, t, err);
  free(text);
  if (status) record_table_free(t);
  return status;
}

enum { HEAD = 1 << 22 }; /* bytes of a file that its description fits into */

/* the text up to the first row: the lines of comments and the names, or the first line of JSON */
static void cut_rows(char *text, int lines_of_comment) {
  char *at = text;
  while (lines_of_comment && *at == '#') at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n');
  at += strcspn(at, "\n");
  if (*at) at[1] = '\0';
}

core_status record_read_columns(const char *path, record_table *t, core_error *err) {
  if (is_hdf5(path)) {
    core_status status = record_read_h5(path, t, err);
    return status ? status : record_resize(t, 0);
  }
  char *text = malloc(HEAD + 1);
  FILE *f = text ? fopen(path, "re") : NULL;
  record_table_init(t);
  if (!f) {
    core_status status = text ? CORE_IO : CORE_NO_MEMORY;
    core_fail(err, status, text ? "cannot read '%s': %s" : "", path, strerror(errno));
    free(text);
    return status;
  }
  text[fread(text, 1, HEAD, f)] = '\0';
  fclose(f);
  const format *kind = format_of(path);
  cut_rows(text, kind == formats);
  core_status status = kind->read(text, path, t, err);
  free(text);
  if (status) record_table_free(t);
  return status;
}
