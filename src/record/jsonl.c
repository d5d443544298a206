/* JSON Lines: the first line describes the table, then one object per row.
 *
 *   {"knock":{"columns":[{"name":"vx","unit":"m/s","kind":"number","width":1}],"provenance":"..."}}
 *   {"vx":-15,"v":[0.25,0,2.5],"status":"ok"}
 *
 * JSON has no NaN and no infinity: they are the strings "nan", "inf", "-inf"; missing is null.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/out.h"
#include "record/quote.h"
#include "record/table.h"

/* ---- writing ---- */

static void write_number(record_out *out, double x) {
  if (!isfinite(x)) record_out_text(out, "\"");
  out->used += (size_t)record_number_text(x, record_out_room(out, 40));
  if (!isfinite(x)) record_out_text(out, "\"");
}

static void write_integer(record_out *out, const record_column *c, size_t row) {
  char text[32];
  record_out_bytes(out, text, (size_t)record_integer_text(record_integer(c, row), text));
}

static void write_value(record_out *out, const record_column *c, size_t row) {
  if (c->kind == RECORD_STRING) {
    const char *text = record_text(c, row);
    if (text)
      record_quote(out, text);
    else
      record_out_text(out, "null");
    return;
  }
  const double *x = c->x + row * (size_t)c->width;
  if (c->width > 1) record_out_text(out, "[");
  for (int j = 0; j < c->width; j++) {
    if (j) record_out_text(out, ",");
    if (c->kind == RECORD_NUMBER)
      write_number(out, x[j]);
    else if (isnan(x[j]))
      record_out_text(out, "null");
    else if (c->kind == RECORD_BOOLEAN)
      record_out_text(out, x[j] ? "true" : "false");
    else
      write_integer(out, c, row + (size_t)j);
  }
  if (c->width > 1) record_out_text(out, "]");
}

void record_begin_jsonl(const record_table *t, record_out *out) {
  record_out_text(out, "{\"knock\":{\"columns\":[");
  for (int i = 0; i < t->n; i++) {
    const record_column *c = &t->columns[i];
    record_out_text(out, i ? ",{\"name\":" : "{\"name\":");
    record_quote(out, c->name);
    record_out_text(out, ",\"unit\":");
    record_quote(out, c->unit);
    record_out_format(out, ",\"kind\":\"%s\",\"width\":%d}", record_kind_word(c->kind), c->width);
  }
  record_out_text(out, "],\"provenance\":");
  record_quote(out, t->provenance ? t->provenance : "");
  record_out_text(out, "}}\n");
}

void record_rows_jsonl(const record_table *t, record_out *out) {
  for (size_t row = 0; row < t->rows && !out->failed; row++) {
    for (int i = 0; i < t->n; i++) {
      record_out_text(out, i ? "," : "{");
      record_quote(out, t->columns[i].name);
      record_out_text(out, ":");
      write_value(out, &t->columns[i], row);
    }
    record_out_text(out, t->n ? "}\n" : "{}\n");
  }
}

/* ---- reading: just enough JSON for what we write ---- */

typedef struct reader {
  char *at;
  int line;
  const char *path;
  record_table *t;
  core_error *err;
} reader;

static core_status bad(reader *r, const char *why) {
  return core_fail(r->err, CORE_BAD_INPUT, "'%s' line %d: %s", r->path, r->line, why);
}

static void skip_blanks(reader *r) {
  while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r') r->at++;
}

static int take(reader *r, char c) {
  skip_blanks(r);
  if (*r->at != c) return 0;
  r->at++;
  return 1;
}

static int take_word(reader *r, const char *word) {
  skip_blanks(r);
  size_t n = strlen(word);
  if (strncmp(r->at, word, n)) return 0;
  r->at += n;
  return 1;
}

/* a string, unescaped in place; NULL when there is none */
static char *take_string(reader *r) {
  skip_blanks(r);
  return record_unquote(&r->at);
}

/* number, "nan", true, false or null (NaN) */
static core_status take_number(reader *r, double *x) {
  char *end;
  if (take_word(r, "null")) {
    *x = NAN;
  } else if (take_word(r, "true")) {
    *x = 1;
  } else if (take_word(r, "false")) {
    *x = 0;
  } else {
    skip_blanks(r);
    char *text = *r->at == '"' ? take_string(r) : r->at;
    if (!text) return bad(r, "unfinished string");
    *x = record_number_read(text, &end);
    if (end == text) return bad(r, "expected a number");
    if (text == r->at) r->at = end;
  }
  return CORE_OK;
}

static core_status read_value(reader *r, record_column *c, size_t row) {
  if (c->kind == RECORD_STRING) {
    if (take_word(r, "null")) return CORE_OK;
    const char *s = take_string(r);
    if (!s) return bad(r, "expected a string");
    return record_set_string(c, row, s, strlen(s)) ? core_no_memory(r->err) : CORE_OK;
  }
  double *x = c->x + row * (size_t)c->width;
  const char *digits = r->at + strspn(r->at, " \t");
  if (c->width == 1) {
    core_status status = take_number(r, x);
    if (!status && c->kind == RECORD_INTEGER && (c->whole || fabs(*x) >= 0x1p53) && !isnan(*x) &&
        record_set_integer(c, row, strtoll(digits, NULL, 10)))
      status = core_no_memory(r->err);
    return status;
  }
  if (!take(r, '[')) return bad(r, "expected a list of numbers");
  for (int j = 0; j < c->width; j++) {
    if (j && !take(r, ',')) return bad(r, "the list is too short");
    core_status status = take_number(r, x + j);
    if (status) return status;
  }
  return take(r, ']') ? CORE_OK : bad(r, "the list is too long");
}

static core_status read_row(reader *r, size_t row) {
  if (record_resize(r->t, row + 1)) return core_no_memory(r->err);
  if (!take(r, '{')) return bad(r, "expected an object");
  while (!take(r, '}')) {
    const char *name = take_string(r);
    if (!name || !take(r, ':')) return bad(r, "expected \"name\": value");
    record_column *c = record_find(r->t, name);
    if (!c) return bad(r, "a name that the first line does not describe");
    core_status status = read_value(r, c, row);
    if (status) return status;
    take(r, ',');
  }
  skip_blanks(r);
  if (*r->at && *r->at != '\n') return bad(r, "text after the object");
  r->at += *r->at == '\n';
  r->line++;
  return CORE_OK;
}

static core_status read_column(reader *r) {
  const char *name, *unit, *kind;
  double width = 1;
  if (!take(r, '{') || !take_word(r, "\"name\":") || !(name = take_string(r)) ||
      !take_word(r, ",\"unit\":") || !(unit = take_string(r)) || !take_word(r, ",\"kind\":") ||
      !(kind = take_string(r)) || !take_word(r, ",\"width\":") || take_number(r, &width) ||
      !take(r, '}') || record_kind_find(kind) < 0 || !(width >= 1 && width < 1e6))
    return bad(r, "the first line does not describe a knock table");
  record_kind k = (record_kind)record_kind_find(kind);
  if (record_bad_name(name) || record_find(r->t, name) || (k == RECORD_STRING && width != 1))
    return bad(r, "the first line does not describe a knock table");
  return record_add(r->t, name, unit, k, (int)width) ? CORE_OK : core_no_memory(r->err);
}

static core_status read_description(reader *r) {
  if (!take_word(r, "{\"knock\":{\"columns\":[")) return bad(r, "not a knock table");
  while (!take(r, ']')) {
    core_status status = read_column(r);
    if (status) return status;
    take(r, ',');
  }
  const char *text = take_word(r, ",\"provenance\":") ? take_string(r) : NULL;
  if (!text || !take_word(r, "}}\n")) return bad(r, "not a knock table");
  r->line++;
  r->t->provenance = strdup(text);
  return r->t->provenance ? CORE_OK : core_no_memory(r->err);
}

core_status record_read_jsonl(char *text, const char *path, record_table *t, core_error *err) {
  reader r = {text, 1, path, t, err};
  core_status status = read_description(&r);
  for (size_t row = 0; *r.at && !status; row++) {
    status = read_row(&r, row);
    if (!status && record_unwanted()) status = core_fail(err, CORE_INTERRUPTED, "%s", "");
  }
  return status;
}
