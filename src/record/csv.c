/* CSV that reads back bit for bit:
 *
 *   # knock table 1
 *   # script: fig14.lua                      (provenance, one line each)
 *   # column vx: number [m/s]
 *   # column v: number*3 [m/s]
 *   vx,v.1,v.2,v.3                           (one plain header row)
 *   -15,0.25,0,2.5
 *
 * A missing value is an empty field, an empty string is "". Foreign files without the # block are
 * read too: a column of numbers is a column of numbers, everything else is strings.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/out.h"
#include "record/table.h"

/* ---- writing ------------------------------------------------------------------------------------
 */

static void write_comments(const record_table *t, record_out *out) {
  record_out_text(out, "# knock table 1\n");
  for (const char *line = t->provenance; line && *line;) {
    size_t n = strcspn(line, "\n");
    record_out_text(out, "# ");
    record_out_bytes(out, line, n);
    record_out_text(out, "\n");
    line += n + (line[n] == '\n');
  }
  for (int i = 0; i < t->n; i++) {
    const record_column *c = &t->columns[i];
    record_out_format(out, "# column %s: %s", c->name, record_kind_word(c->kind));
    if (c->width != 1) record_out_format(out, "*%d", c->width);
    record_out_format(out, " [%s]\n", c->unit);
  }
}

static void write_header(const record_table *t, record_out *out) {
  for (int i = 0; i < t->n; i++) {
    const record_column *c = &t->columns[i];
    for (int j = 0; j < c->width; j++) {
      if (i || j) record_out_text(out, ",");
      record_out_text(out, c->name);
      if (c->width > 1) record_out_format(out, ".%d", j + 1);
    }
  }
  record_out_text(out, "\n");
}

static void write_string(const char *s, record_out *out) {
  if (!s) return;
  if (*s && !strpbrk(s, ",\"\n\r#") && *s != ' ') {
    record_out_text(out, s);
    return;
  }
  record_out_text(out, "\"");
  for (; *s; s++) {
    if (*s == '"') record_out_text(out, "\"");
    record_out_bytes(out, s, 1);
  }
  record_out_text(out, "\"");
}

static void write_value(const record_column *c, size_t row, int j, record_out *out) {
  if (c->kind == RECORD_STRING) {
    write_string(c->s[row], out);
    return;
  }
  double x = c->x[row * (size_t)c->width + (size_t)j];
  char text[32];
  if (c->kind == RECORD_NUMBER)
    record_out_bytes(out, text, (size_t)record_number_text(x, text));
  else if (isnan(x))
    return; /* missing */
  else if (c->kind == RECORD_BOOLEAN)
    record_out_text(out, x ? "true" : "false");
  else
    record_out_bytes(out, text, (size_t)record_number_text(x, text));
}

void record_begin_csv(const record_table *t, record_out *out) {
  write_comments(t, out);
  write_header(t, out);
}

void record_rows_csv(const record_table *t, record_out *out) {
  for (size_t row = 0; row < t->rows && !out->failed; row++) {
    for (int i = 0; i < t->n; i++)
      for (int j = 0; j < t->columns[i].width; j++) {
        if (i || j) record_out_text(out, ",");
        write_value(&t->columns[i], row, j, out);
      }
    record_out_text(out, "\n");
  }
}

/* ---- reading ------------------------------------------------------------------------------------
 */

typedef struct reader {
  char *at;         /* where we are in the text */
  int line;         /* from 1 */
  const char *path; /* where it is read from, for messages */
  record_table *t;
  core_error *err;
} reader;

static core_status bad(reader *r, const char *why) {
  return core_fail(r->err, CORE_BAD_INPUT, "'%s' line %d: %s", r->path, r->line, why);
}

static core_status no_memory(reader *r) {
  return core_fail(r->err, CORE_NO_MEMORY, "%s", "");
}

/* "column vx: number*3 [m/s]" */
static core_status read_column_line(reader *r, char *text) {
  char *colon = strstr(text, ": "), *open = strrchr(text, '['), *close = strrchr(text, ']');
  if (!colon || !open || !close || close < open) return bad(r, "not a column description");
  *colon = *close = '\0';
  char *kind = colon + 2, *star;
  kind[strcspn(kind, " [")] = '\0';
  star = strchr(kind, '*');
  int width = star ? atoi(star + 1) : 1;
  if (star) *star = '\0';
  int k = record_kind_find(kind);
  if (k < 0 || width < 1) return bad(r, "not a column description");
  return record_add(r->t, text, open + 1, (record_kind)k, width) ? CORE_OK : no_memory(r);
}

static core_status append_provenance(reader *r, const char *line) {
  size_t old = r->t->provenance ? strlen(r->t->provenance) : 0, n = strlen(line);
  char *text = realloc(r->t->provenance, old + n + 2);
  if (!text) return no_memory(r);
  r->t->provenance = text;
  memcpy(text + old, line, n);
  memcpy(text + old + n, "\n", 2);
  return CORE_OK;
}

/* cuts off the line at r->at and moves on */
static char *take_line(reader *r) {
  char *line = r->at;
  size_t n = strcspn(line, "\n");
  r->at += n + (line[n] == '\n');
  if (n && line[n - 1] == '\r') line[n - 1] = '\0';
  line[n] = '\0';
  r->line++;
  return line;
}

static core_status read_comments(reader *r) {
  core_status status = CORE_OK;
  while (*r->at == '#' && !status) {
    char *line = take_line(r) + 1;
    line += *line == ' ';
    if (!strncmp(line, "column ", 7))
      status = read_column_line(r, line + 7);
    else if (strncmp(line, "knock table", 11))
      status = append_provenance(r, line);
  }
  return status;
}

/* one field; *last tells whether the row ends here, *quoted whether it was in quotes */
static char *take_field(reader *r, int *last, int *quoted) {
  char *from = r->at, *to = from, *field = from;
  *quoted = *from == '"';
  if (*quoted) {
    for (from++; *from && !(*from == '"' && from[1] != '"'); *to++ = *from++) {
      r->line += *from == '\n';
      from += *from == '"';
    }
    from += *from == '"';
  } else {
    from += strcspn(from, ",\n");
    to = from;
  }
  char end = *from;
  *last = end != ',';
  r->at = from + (end != '\0');
  if (!*quoted && to > field && to[-1] == '\r') to--;
  *to = '\0';
  return field;
}

static core_status set_value(reader *r, record_column *c, size_t row, int j, const char *field,
                             int quoted) {
  if (c->kind == RECORD_STRING) {
    if (!*field && !quoted) return CORE_OK;
    return record_set_string(c, row, field, strlen(field)) ? no_memory(r) : CORE_OK;
  }
  if (!*field) return CORE_OK; /* missing stays missing */
  double *x = &c->x[row * (size_t)c->width + (size_t)j];
  char *end = NULL;
  if (c->kind == RECORD_BOOLEAN) {
    *x = !strcmp(field, "true");
    return *x || !strcmp(field, "false") ? CORE_OK : bad(r, "expected true or false");
  }
  *x = strtod(field, &end);
  return *end ? bad(r, "expected a number") : CORE_OK;
}

static core_status read_row(reader *r, size_t row) {
  int last = 0, quoted;
  core_status status = record_resize(r->t, row + 1) ? no_memory(r) : CORE_OK;
  for (int i = 0; i < r->t->n && !status; i++)
    for (int j = 0; j < r->t->columns[i].width && !status; j++) {
      if (last) return bad(r, "too few fields");
      const char *field = take_field(r, &last, &quoted);
      status = set_value(r, &r->t->columns[i], row, j, field, quoted);
    }
  if (!status && !last) return bad(r, "too many fields");
  r->line++;
  return status;
}

/* a foreign file: every header name is a column of strings for now */
static core_status read_header(reader *r) {
  int described = r->t->n, last = 0, quoted;
  if (!*r->at) return bad(r, "no header row");
  while (!last) {
    const char *name = take_field(r, &last, &quoted);
    if (!described && !record_add(r->t, name, "", RECORD_STRING, 1)) return no_memory(r);
  }
  r->line++;
  return CORE_OK;
}

static int is_number(const char *s) {
  char *end;
  if (!s || !*s) return 0;
  strtod(s, &end);
  return *end == '\0';
}

/* turns a column of strings that are all numbers (or missing) into numbers */
static core_status guess_kind(reader *r, record_column *c) {
  size_t numbers = 0, given = 0;
  for (size_t i = 0; i < r->t->rows; i++) {
    given += c->s[i] != NULL;
    numbers += is_number(c->s[i]);
  }
  if (!numbers || numbers < given) return CORE_OK;
  c->x = malloc((r->t->room + 1) * sizeof *c->x);
  if (!c->x) return no_memory(r);
  for (size_t i = 0; i < r->t->room; i++)
    c->x[i] = i < r->t->rows && c->s[i] ? strtod(c->s[i], NULL) : NAN;
  free(c->s);
  c->s = NULL;
  c->kind = RECORD_NUMBER;
  return CORE_OK;
}

core_status record_read_csv(char *text, const char *path, record_table *t, core_error *err) {
  reader r = {text, 1, path, t, err};
  core_status status = read_comments(&r);
  int foreign = t->n == 0;
  if (!status) status = read_header(&r);
  for (size_t row = 0; *r.at && !status; row++) status = read_row(&r, row);
  for (int i = 0; i < t->n && foreign && !status; i++) status = guess_kind(&r, &t->columns[i]);
  return status;
}
