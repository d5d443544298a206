#include "sweep/row.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing
 * ------------------------------------------------------------------------------------- */

static void put_u16(sweep_bytes *out, int x) {
  uint16_t small = (uint16_t)x;
  sweep_put(out, &small, sizeof small);
}

static void put_text(sweep_bytes *out, const char *text, size_t n) {
  uint32_t length = (uint32_t)n;
  sweep_put(out, &length, sizeof length);
  sweep_put(out, text, n);
}

void sweep_row_failed(sweep_bytes *out, core_status status, const char *message) {
  char head[2] = {'F', (char)status};
  sweep_put(out, head, 2);
  put_text(out, message, strlen(message));
}

void sweep_row_begin(sweep_bytes *out, int fields) {
  sweep_put(out, "R", 1);
  put_u16(out, fields);
}

static void put_head(sweep_bytes *out, const char *name, record_kind kind, int width) {
  put_text(out, name, strlen(name));
  put_u16(out, (int)kind);
  put_u16(out, width);
}

void sweep_row_numbers(sweep_bytes *out, const char *name, record_kind kind, int width,
                       const double *x) {
  put_head(out, name, kind, width);
  sweep_put(out, x, (size_t)width * sizeof *x);
}

void sweep_row_string(sweep_bytes *out, const char *name, const char *text, size_t n) {
  put_head(out, name, RECORD_STRING, 1);
  put_text(out, text, n);
}

/* ---- reading
 * ------------------------------------------------------------------------------------- */

typedef struct reader {
  const char *at;
  size_t left;
  int bad; /* the bytes ended too early */
} reader;

static void get(reader *r, void *to, size_t n) {
  if (r->left < n) {
    r->bad = 1;
    memset(to, 0, n);
    return;
  }
  memcpy(to, r->at, n);
  r->at += n;
  r->left -= n;
}

static int get_u16(reader *r) {
  uint16_t x;
  get(r, &x, sizeof x);
  return x;
}

static const char *get_text(reader *r, size_t *n) {
  uint32_t length;
  get(r, &length, sizeof length);
  if (r->left < length) {
    r->bad = 1;
    length = 0;
  }
  const char *text = r->at;
  r->at += length;
  r->left -= length;
  *n = length;
  return text;
}

/* one field of a row, pointing into the bytes */
typedef struct field {
  char name[256];
  record_kind kind;
  int width;
  const char *data; /* width doubles, or the text */
  size_t length;    /* of the text */
} field;

static void get_field(reader *r, field *f) {
  size_t n;
  const char *name = get_text(r, &n);
  snprintf(f->name, sizeof f->name, "%.*s", (int)(n < 255 ? n : 255), name);
  f->kind = (record_kind)get_u16(r);
  f->width = get_u16(r);
  if (f->kind == RECORD_STRING) {
    f->data = get_text(r, &f->length);
    return;
  }
  f->data = r->at;
  f->length = (size_t)f->width * sizeof(double);
  if (r->left < f->length) r->bad = 1;
  r->at += r->bad ? 0 : f->length;
  r->left -= r->bad ? 0 : f->length;
}

/* ---- storing
 * ------------------------------------------------------------------------------------- */

static core_status no_memory(core_error *err) {
  return core_fail(err, CORE_NO_MEMORY, "%s", "");
}

core_status sweep_columns_init(sweep_columns *c, record_table *table) {
  *c = (sweep_columns){table, table->n, table->n + 1, -1, 0, 0};
  return record_add(table, "status", "", RECORD_STRING, 1) ? CORE_OK : CORE_NO_MEMORY;
}

static core_status set_word(sweep_columns *c, int column, size_t i, const char *text) {
  return record_set_string(&c->table->columns[column], i, text, strlen(text));
}

/* the message column exists only when something failed; it is the last one */
static core_status set_message(sweep_columns *c, size_t i, const char *text, size_t n) {
  record_column *m = record_find(c->table, "message");
  if (!m) m = record_add(c->table, "message", "", RECORD_STRING, 1);
  return m ? record_set_string(m, i, text, n) : CORE_NO_MEMORY;
}

static int same_kind(record_column *c, const field *f) {
  int number = f->kind == RECORD_NUMBER || f->kind == RECORD_INTEGER;
  if (c->width != f->width) return 0;
  if (c->kind == f->kind) return 1;
  if (c->kind == RECORD_INTEGER && number) {
    c->kind = RECORD_NUMBER;
    return 1;
  }
  return c->kind == RECORD_NUMBER && number;
}

static core_status differs(const field *f, size_t i, const char *how, core_error *err) {
  return core_fail(err, CORE_BAD_INPUT, "sweep: sample %zu %s '%s'%s", i + 1, how, f->name,
                   ": every sample must return the same fields");
}

static core_status store_field(sweep_columns *c, const field *f, int first_time, size_t i,
                               core_error *err) {
  record_column *col = record_find(c->table, f->name);
  if (!strcmp(f->name, "status") || !strcmp(f->name, "message"))
    return core_fail(err, CORE_BAD_INPUT, "sweep: a result cannot be called '%s'", f->name);
  if (col && (first_time || col - c->table->columns < c->first))
    return core_fail(err, CORE_BAD_INPUT, "sweep: '%s' is both an axis and a result", f->name);
  if (!col && !first_time) return differs(f, i, "also returned", err);
  if (!col) col = record_add(c->table, f->name, "", f->kind, f->width);
  if (!col) return no_memory(err);
  if (!same_kind(col, f)) return differs(f, i, "returned another kind or length of", err);
  if (f->kind == RECORD_STRING)
    return record_set_string(col, i, f->data, f->length) ? no_memory(err) : CORE_OK;
  memcpy(col->x + i * (size_t)col->width, f->data, f->length);
  return CORE_OK;
}

static core_status store_fields(sweep_columns *c, size_t i, reader *r, core_error *err) {
  int n = get_u16(r), first_time = c->fields < 0;
  core_status status = CORE_OK;
  if (!first_time && n != c->fields)
    return core_fail(err, CORE_BAD_INPUT,
                     "sweep: sample %zu returned %d fields, an earlier one %d: every sample must "
                     "return the same fields",
                     i + 1, n, c->fields);
  for (int k = 0; k < n && !status; k++) {
    field f;
    get_field(r, &f);
    if (r->bad || f.kind >= RECORD_KINDS) return core_fail(err, CORE_IO, "sweep: a torn result");
    status = store_field(c, &f, first_time, i, err);
  }
  c->fields = n;
  return status;
}

static core_status store_failure(sweep_columns *c, size_t i, reader *r, core_error *err) {
  char code;
  size_t n;
  get(r, &code, 1);
  const char *message = get_text(r, &n);
  c->failed++;
  if (set_message(c, i, message, n)) return no_memory(err);
  return set_word(c, c->status, i, core_status_word((core_status)code)) ? no_memory(err) : CORE_OK;
}

core_status sweep_row_store(sweep_columns *c, size_t i, const char *bytes, size_t n,
                            core_error *err) {
  reader r = {bytes, n, 0};
  char tag;
  get(&r, &tag, 1);
  if (i >= c->table->rows) return core_fail(err, CORE_IO, "sweep: a result for sample %zu", i + 1);
  c->done++;
  if (tag == 'F') return store_failure(c, i, &r, err);
  core_status status = store_fields(c, i, &r, err);
  if (status) return status;
  return set_word(c, c->status, i, "ok") ? no_memory(err) : CORE_OK;
}

core_status sweep_row_lost(sweep_columns *c, size_t i, int signal, core_error *err) {
  char text[80];
  snprintf(text, sizeof text, "the worker died twice at this sample (%s)",
           signal ? strsignal(signal) : "it exited");
  c->done++;
  c->failed++;
  if (set_message(c, i, text, strlen(text)) || set_word(c, c->status, i, "lost"))
    return no_memory(err);
  return CORE_OK;
}

/* 0 for the samples' own fields, then status, then message */
static int place(const record_column *c) {
  return !strcmp(c->name, "status") ? 1 : !strcmp(c->name, "message") ? 2 : 0;
}

static int by_place_and_name(const void *a, const void *b) {
  const record_column *x = a, *y = b;
  int d = place(x) - place(y);
  return d ? d : strcmp(x->name, y->name);
}

void sweep_columns_sort(sweep_columns *c) {
  record_table *t = c->table;
  qsort(t->columns + c->status, (size_t)(t->n - c->status), sizeof *t->columns, by_place_and_name);
}
