/* CSV that reads back bit for bit:
 *
 *   # knock table 1
 *   # script: fig14.lua                      (provenance, one line each)
 *   # column vx: number [m/s]
 *   # column v: number*3 [m/s]
 *   # column "a, b": number ["1\\u000a"]     (names and units that are no plain words are quoted)
 *   vx,v.1,v.2,v.3,"a, b"                    (one plain header row)
 *   -15,0.25,0,2.5,7
 *
 * A missing value is an empty field, an empty string is "".
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/out.h"
#include "record/quote.h"
#include "record/table.h"

/* ---- writing ---- */

/* as it is, or in quotes when it holds control characters or one of `special` */
static void write_word(record_out *out, const char *word, const char *special) {
  int plain = !strpbrk(word, special);
  for (const char *at = word; *at; at++) plain &= (unsigned char)*at >= 0x20 && *at != 0x7f;
  if (plain)
    record_out_text(out, word);
  else
    record_quote(out, word);
}

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
    record_out_text(out, "# column ");
    write_word(out, c->name, ":,#[]\"\\' ");
    record_out_format(out, ": %s", record_kind_word(c->kind));
    if (c->width != 1) record_out_format(out, "*%d", c->width);
    record_out_text(out, " [");
    write_word(out, c->unit, "[]\"\\");
    record_out_text(out, "]\n");
  }
}

static void write_string(const char *s, record_out *out) {
  if (!s) return;
  size_t n = strcspn(s, ",\"\n\r#");
  if (*s && !s[n] && *s != ' ') {
    record_out_bytes(out, s, n);
    return;
  }
  record_out_bytes(out, "\"", 1);
  for (; *s; s += n) {
    n = strcspn(s, "\"") + (s[strcspn(s, "\"")] == '"');
    record_out_bytes(out, s, n);
    if (s[n - 1] == '"') record_out_bytes(out, "\"", 1);
  }
  record_out_bytes(out, "\"", 1);
}

static void write_header(const record_table *t, record_out *out) {
  char name[256];
  for (int i = 0; i < t->n; i++) {
    const record_column *c = &t->columns[i];
    for (int j = 0; j < c->width; j++) {
      if (i || j) record_out_text(out, ",");
      snprintf(name, sizeof name, c->width > 1 ? "%s.%d" : "%s", c->name, j + 1);
      write_string(name, out);
    }
  }
  record_out_text(out, "\n");
}

static void write_value(const record_column *c, size_t row, int j, record_out *out) {
  if (c->kind == RECORD_STRING) {
    write_string(record_text(c, row), out);
    return;
  }
  double x = c->x[row * (size_t)c->width + (size_t)j];
  char *to = record_out_room(out, 40);
  if (c->kind == RECORD_NUMBER)
    out->used += (size_t)record_number_text(x, to);
  else if (isnan(x))
    return; /* missing */
  else if (c->kind == RECORD_BOOLEAN)
    record_out_text(out, x ? "true" : "false");
  else
    out->used += (size_t)record_integer_text(record_integer(c, row), to);
}

static inline void write_byte(record_out *out, char c) {
  *record_out_room(out, 1) = c;
  out->used++;
}

void record_begin_csv(const record_table *t, record_out *out) {
  write_comments(t, out);
  write_header(t, out);
}

void record_rows_csv(const record_table *t, record_out *out) {
  for (size_t row = 0; row < t->rows && !out->failed; row++) {
    for (int i = 0; i < t->n; i++)
      for (int j = 0; j < t->columns[i].width; j++) {
        if (i || j) write_byte(out, ',');
        write_value(&t->columns[i], row, j, out);
      }
    write_byte(out, '\n');
  }
}
