#include "record/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/hdf5.h"
#include "record/out.h"

#define WORD(name, word) word,
static const char *const words[] = {RECORD_KIND_LIST(WORD)};

const char *record_kind_word(record_kind kind) {
  return words[kind];
}

int record_kind_find(const char *word) {
  for (int i = 0; i < RECORD_KINDS; i++)
    if (!strcmp(words[i], word)) return i;
  return -1;
}

void record_table_init(record_table *t) {
  memset(t, 0, sizeof *t);
}

static void free_column(record_column *c, size_t rows) {
  for (size_t i = 0; c->s && i < rows; i++) free(c->s[i]);
  free(c->s);
  free(c->x);
  free(c->name);
  free(c->unit);
}

void record_table_free(record_table *t) {
  for (int i = 0; i < t->n; i++) free_column(&t->columns[i], t->rows);
  free(t->columns);
  free(t->provenance);
  record_table_init(t);
}

/* makes room for `room` rows; rows from `from` on become missing */
static core_status grow_column(record_column *c, size_t from, size_t room) {
  if (c->kind == RECORD_STRING) {
    char **s = realloc(c->s, (room ? room : 1) * sizeof *s);
    if (!s) return CORE_NO_MEMORY;
    c->s = s;
    for (size_t i = from; i < room; i++) s[i] = NULL;
    return CORE_OK;
  }
  size_t width = (size_t)c->width;
  double *x = realloc(c->x, (room * width + 1) * sizeof *x);
  if (!x) return CORE_NO_MEMORY;
  c->x = x;
  for (size_t i = from * width; i < room * width; i++) x[i] = NAN;
  return CORE_OK;
}

record_column *record_add(record_table *t, const char *name, const char *unit, record_kind kind,
                          int width) {
  record_column *columns = realloc(t->columns, (size_t)(t->n + 1) * sizeof *columns);
  if (!columns) return NULL;
  t->columns = columns;
  record_column c = {strdup(name), strdup(unit ? unit : ""), kind, width, NULL, NULL};
  if (!c.name || !c.unit || grow_column(&c, 0, t->room)) {
    free_column(&c, 0);
    return NULL;
  }
  columns[t->n] = c;
  return &columns[t->n++];
}

record_column *record_find(const record_table *t, const char *name) {
  for (int i = 0; i < t->n; i++)
    if (!strcmp(t->columns[i].name, name)) return &t->columns[i];
  return NULL;
}

/* rows that fall away give their strings back and become missing */
static void clear_rows(record_column *c, size_t from, size_t to) {
  for (size_t i = from; c->s && i < to; i++) {
    free(c->s[i]);
    c->s[i] = NULL;
  }
  size_t width = (size_t)c->width;
  for (size_t i = from * width; c->x && i < to * width; i++) c->x[i] = NAN;
}

core_status record_resize(record_table *t, size_t rows) {
  for (int i = 0; i < t->n && rows < t->rows; i++) clear_rows(&t->columns[i], rows, t->rows);
  if (rows > t->room) {
    size_t room = rows > 2 * t->room ? rows : 2 * t->room;
    for (int i = 0; i < t->n; i++)
      if (grow_column(&t->columns[i], t->room, room)) return CORE_NO_MEMORY;
    t->room = room;
  }
  t->rows = rows;
  return CORE_OK;
}

core_status record_set_string(record_column *c, size_t row, const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (!copy) return CORE_NO_MEMORY;
  memcpy(copy, text, length);
  copy[length] = '\0';
  free(c->s[row]);
  c->s[row] = copy;
  return CORE_OK;
}

/* ---- files by their ending ---------------------------------------------------------------------
 */

typedef struct format {
  const char *ending;
  core_status (*write)(const record_table *t, record_out *out);
  core_status (*read)(char *text, const char *path, record_table *t, core_error *err);
} format;

static const format formats[] = {
    {".csv", record_write_csv, record_read_csv},
    {".jsonl", record_write_jsonl, record_read_jsonl},
    {".ndjson", record_write_jsonl, record_read_jsonl},
};

static const format *format_of(const char *path) {
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
    if (!strcmp(dot, formats[i].ending)) return &formats[i];
  return &formats[0]; /* devices and names without an ending are CSV */
}

static core_status check_ending(const char *path, core_error *err) {
  const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
  if (!dot || (slash && dot < slash) || format_of(path) != formats || !strcmp(dot, ".csv") ||
      !strcmp(dot, ".txt"))
    return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "'%s': a table is written to .csv, .jsonl or .h5, not %s",
                   path, dot);
}

static int is_hdf5(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (!strcmp(dot, ".h5") || !strcmp(dot, ".hdf5"));
}

core_status record_write(const record_table *t, const char *path, core_error *err) {
  if (is_hdf5(path)) return record_write_h5(t, path, err);
  core_status status = check_ending(path, err);
  if (status) return status;
  record_out *out = malloc(sizeof *out);
  if (!out) return core_fail(err, CORE_NO_MEMORY, "%s", "");
  status = record_out_open(out, path, err);
  if (!status) {
    status = format_of(path)->write(t, out);
    if (status)
      record_out_abandon(out);
    else
      status = record_out_close(out, err);
  }
  free(out);
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
