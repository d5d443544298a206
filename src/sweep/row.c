#include "sweep/row.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

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

void sweep_row_gone(sweep_bytes *out, int signal) {
  int32_t word = signal;
  sweep_put(out, "L", 1);
  sweep_put(out, &word, sizeof word);
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

/* all 64 bits, where a double would round */
void sweep_row_integer(sweep_bytes *out, const char *name, int64_t i) {
  put_head(out, name, RECORD_INTEGER, 1);
  sweep_put(out, &i, sizeof i);
}

void sweep_row_string(sweep_bytes *out, const char *name, const char *text, size_t n) {
  put_head(out, name, RECORD_STRING, 1);
  put_text(out, text, n);
}

/* in front of a block: 16 bytes, so that the numbers are aligned in the journal's memory */
typedef struct block_head {
  char tag[4];
  uint32_t count, width, failures;
} block_head;

void *sweep_row_block(sweep_bytes *out, size_t count, int width) {
  block_head head = {"N", (uint32_t)count, (uint32_t)width, 0};
  size_t size = count * (size_t)width * sizeof(double);
  sweep_put(out, &head, sizeof head);
  return sweep_reserve(out, size);
}

/* start: where the block begins in out */
void sweep_row_block_failed(sweep_bytes *out, size_t start, size_t row, core_status status,
                            const char *message) {
  uint32_t place[2] = {(uint32_t)row, (uint32_t)status};
  block_head head;
  sweep_put(out, place, sizeof place);
  put_text(out, message, strlen(message));
  if (out->failed) return;
  memcpy(&head, out->at + start, sizeof head);
  head.failures++;
  memcpy(out->at + start, &head, sizeof head);
}

/* ---- reading ---- */

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

/* ---- storing ---- */

static core_status no_memory(core_error *err) {
  return core_no_memory(err);
}

core_status sweep_columns_init(sweep_columns *c, record_table *table) {
  *c = (sweep_columns){table, table->n, table->n + 1, -1, 0};
  return record_add(table, "status", "", RECORD_STRING, 1) ? CORE_OK : CORE_NO_MEMORY;
}

core_status sweep_columns_lane(sweep_columns *c, record_table *table, int first) {
  *c = (sweep_columns){table, table->n, first, table->n - first, 1};
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

/* a column that has become one of numbers takes whole numbers too */
static core_status store_integer(record_column *col, const field *f, size_t i) {
  int64_t whole;
  memcpy(&whole, f->data, sizeof whole);
  if (col->kind == RECORD_INTEGER) return record_set_integer(col, i, whole);
  col->x[i] = (double)whole;
  return CORE_OK;
}

static core_status store_field(sweep_columns *c, const field *f, int first_time, size_t i,
                               core_error *err) {
  record_column *col = record_find(c->table, f->name);
  const char *why = first_time ? record_bad_name(f->name) : NULL;
  if (why) return core_fail(err, CORE_BAD_INPUT, "sweep: the name of a result: %s", why);
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
  if (f->kind == RECORD_INTEGER) return store_integer(col, f, i) ? no_memory(err) : CORE_OK;
  memcpy(col->x + i * (size_t)col->width, f->data, f->length);
  return CORE_OK;
}

static core_status store_fields(sweep_columns *c, size_t i, reader *r, core_error *err) {
  int n = get_u16(r), first_time = c->fields < 0;
  core_status status = CORE_OK;
  if (!n)
    return core_fail(err, CORE_BAD_INPUT,
                     "sweep: the function returned nothing for sample %zu: it must return a table "
                     "of named fields, or a value",
                     i + 1);
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

static core_status failed_row(sweep_columns *c, size_t i, const char *word, const char *message,
                              size_t n, core_error *err) {
  if (set_message(c, i, message, n) || set_word(c, c->status, i, word)) return no_memory(err);
  return CORE_OK;
}

static core_status torn(core_error *err) {
  return core_fail(err, CORE_IO, "sweep: a torn result");
}

static core_status store_failure(sweep_columns *c, size_t i, reader *r, core_error *err) {
  char code;
  size_t n;
  get(r, &code, 1);
  const char *message = get_text(r, &n);
  if (r->bad || code < 0 || code >= CORE_STATUS_COUNT) return torn(err);
  return failed_row(c, i, core_status_word((core_status)code), message, n, err);
}

/* the numbers of a block, column by column */
static core_status store_numbers(sweep_columns *c, size_t first, const block_head *head,
                                 const char *numbers, core_error *err) {
  size_t at = 0, all = head->width;
  for (int k = c->first; k < c->status; k++) {
    record_column *col = &c->table->columns[k];
    size_t width = (size_t)col->width;
    if (at + width > all) return torn(err);
    for (size_t i = 0; i < head->count;
         i++) /* the block holds count * all numbers: it was checked */
      memcpy(col->x + (first + i) * width, numbers + (i * all + at) * sizeof(double), /* NOLINT */
             width * sizeof(double));
    at += width;
  }
  record_column *status = &c->table->columns[c->status];
  const char *ok = record_word(status, "ok", 2);
  if (!ok || record_set_word(status, first, head->count, ok)) return no_memory(err);
  return at == all ? CORE_OK : torn(err);
}

/* checks the head of a block; r stands behind its numbers afterwards */
static core_status read_block(reader *r, size_t count, block_head *head, const char **numbers,
                              core_error *err) {
  get(r, head, sizeof *head);
  size_t size = (size_t)head->count * head->width * sizeof(double);
  if (r->bad || head->count != count || head->width > 1 << 20 || r->left < size ||
      head->failures > count)
    return torn(err);
  *numbers = r->at;
  r->at += size;
  r->left -= size;
  return CORE_OK;
}

static core_status store_block(sweep_columns *c, size_t first, size_t count, reader *r,
                               size_t *failed, core_error *err) {
  block_head head;
  const char *numbers = NULL;
  if (!c->lane) return torn(err);
  core_status status = read_block(r, count, &head, &numbers, err);
  if (!status) status = store_numbers(c, first, &head, numbers, err);
  for (uint32_t k = 0; k < head.failures && !status; k++) {
    uint32_t place[2];
    size_t n;
    get(r, place, sizeof place);
    const char *message = get_text(r, &n);
    if (r->bad || place[0] >= count || place[1] >= CORE_STATUS_COUNT) return torn(err);
    status =
        failed_row(c, first + place[0], core_status_word((core_status)place[1]), message, n, err);
  }
  *failed = head.failures;
  return status;
}

core_status sweep_row_store(sweep_columns *c, size_t first, size_t count, const char *bytes,
                            size_t n, size_t *failed, core_error *err) {
  reader r = {bytes, n, 0};
  char tag = n ? *bytes : 0;
  if (first >= c->table->rows || count > c->table->rows - first)
    return core_fail(err, CORE_IO, "sweep: a result for sample %zu", first + 1);
  if (tag == 'N') return store_block(c, first, count, &r, failed, err);
  get(&r, &tag, 1);
  if (tag == 'L') {
    int32_t signal;
    get(&r, &signal, sizeof signal);
    *failed = count;
    return r.bad ? torn(err) : sweep_row_lost(c, first, count, signal, err);
  }
  *failed = tag == 'F';
  if (tag == 'F') return store_failure(c, first, &r, err);
  if (tag != 'R' || c->lane) return torn(err);
  core_status status = store_fields(c, first, &r, err);
  if (status) return status;
  return set_word(c, c->status, first, "ok") ? no_memory(err) : CORE_OK;
}

core_status sweep_row_check(size_t count, const char *bytes, size_t n, size_t *failed,
                            core_error *err) {
  reader r = {bytes, n, 0};
  block_head head;
  const char *numbers = NULL;
  *failed = n && *bytes == 'L' ? count : n && *bytes == 'F';
  if (n && *bytes == 'L') return CORE_OK;
  if (n && (*bytes == 'F' || *bytes == 'R') && count == 1) return CORE_OK;
  if (!n || *bytes != 'N') return torn(err);
  core_status status = read_block(&r, count, &head, &numbers, err);
  *failed = status ? 0 : head.failures;
  return status;
}

core_status sweep_row_lost(sweep_columns *c, size_t first, size_t count, int signal,
                           core_error *err) {
  char text[80];
  core_status status = CORE_OK;
  snprintf(text, sizeof text, "the worker died twice at this sample (%s)",
           signal ? strsignal(signal) : "it exited");
  for (size_t i = first; i < first + count && !status; i++)
    status = failed_row(c, i, "lost", text, strlen(text), err);
  return status;
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
