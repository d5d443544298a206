/* Reading CSV: our own, bit for bit, and files of others.
 *
 * Others have no lines of comments that describe the columns: a column of numbers is a column of
 * numbers, whole numbers that no double holds are whole numbers, everything else is strings. Byte
 * order marks, line ends of every kind, blank lines, blanks around names, semicolons or tabs
 * instead of commas, columns without a name or with the same one: as people expect. A quote that is
 * not closed, or text behind one, is told.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/out.h"
#include "record/quote.h"
#include "record/table.h"
#include "record/texts.h"

typedef struct reader {
  char *at;         /* where we are in the text */
  int line;         /* from 1 */
  char comma;       /* what stands between fields */
  int broken;       /* a quote was not closed, or text stood behind one */
  const char *path; /* for messages */
  record_table *t;
  core_error *err;
} reader;

static core_status bad(reader *r, const char *why) {
  return core_fail(r->err, CORE_BAD_INPUT, "'%s' line %d: %s", r->path, r->line, why);
}

static core_status no_memory(reader *r) {
  return core_no_memory(r->err);
}

/* a word up to `end`, or one in quotes; moves on behind `end`. NULL when it is neither. */
static char *take_word(char **at, char end) {
  char *word = *at, *stop;
  if (*word == '"') {
    word = record_unquote(at);
    stop = *at;
    if (!word || *stop != end) return NULL;
  } else {
    stop = strchr(word, end);
    if (!stop) return NULL;
  }
  *stop = '\0';
  *at = stop + 1;
  return word;
}

/* "column vx: number*3 [m/s]" */
static core_status read_column_line(reader *r, char *text) {
  char *name = take_word(&text, ':'), *kind = text + (*text == ' ');
  char *open = name ? strchr(kind, '[') : NULL;
  if (!open) return bad(r, "not a column description");
  char *after = open + 1, *unit = take_word(&after, ']'), *star;
  kind[strcspn(kind, " [")] = '\0';
  star = strchr(kind, '*');
  long width = star ? strtol(star + 1, NULL, 10) : 1;
  if (star) *star = '\0';
  int k = record_kind_find(kind);
  if (!unit || k < 0 || width < 1 || width > 1 << 20 || (k == RECORD_STRING && width > 1))
    return bad(r, "not a column description");
  if (record_bad_name(name)) return bad(r, "not the name of a column");
  if (record_find(r->t, name)) return bad(r, "two columns of one name");
  return record_add(r->t, name, unit, (record_kind)k, (int)width) ? CORE_OK : no_memory(r);
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

/* a field in quotes, its doubled quotes made single, in place; returns what stands behind it */
static char *take_quoted(reader *r, char *from, char **end) {
  char *to = from++;
  for (; *from && !(*from == '"' && from[1] != '"'); *to++ = *from++) {
    r->line += *from == '\n';
    from += *from == '"';
  }
  *end = to;
  if (*from != '"') r->broken = 1;
  return from + (*from == '"');
}

/* one field; *last tells whether the row ends here, *quoted whether it was in quotes */
static char *take_field(reader *r, int *last, int *quoted) {
  char stops[4] = {r->comma, '\n', '\0'}, *field = r->at, *from = field, *to;
  *quoted = *from == '"';
  if (*quoted) {
    from = take_quoted(r, from, &to);
    if (*from == '\r') from++;
    if (*from && *from != '\n' && *from != r->comma) r->broken = 1;
  } else {
    from += strcspn(from, stops);
    to = from;
  }
  char end = *from;
  *last = end != r->comma;
  r->at = from + (end != '\0');
  if (!*quoted && to > field && to[-1] == '\r') to--;
  *to = '\0';
  return field;
}

static core_status set_number(reader *r, record_column *c, size_t at, const char *field) {
  char *end;
  errno = 0;
  c->x[at] = record_number_read(field, &end);
  if (end == field || end[strspn(end, " \t")]) return bad(r, "expected a number");
  if (c->kind != RECORD_INTEGER || c->width > 1) return CORE_OK;
  if (fabs(c->x[at]) < 0x1p53)
    return record_set_integer(c, at, (int64_t)c->x[at]) ? no_memory(r) : CORE_OK;
  long long i = strtoll(field, &end, 10);
  if (*end || errno) return CORE_OK; /* not written as one: what the double says */
  return record_set_integer(c, at, i) ? no_memory(r) : CORE_OK;
}

static core_status set_value(reader *r, record_column *c, size_t row, int j, const char *field,
                             int quoted) {
  if (c->kind == RECORD_STRING) {
    if (!*field && !quoted) return CORE_OK;
    return record_set_string(c, row, field, strlen(field)) ? no_memory(r) : CORE_OK;
  }
  if (!*field) return CORE_OK; /* missing stays missing */
  size_t at = row * (size_t)c->width + (size_t)j;
  if (c->kind != RECORD_BOOLEAN) return set_number(r, c, at, field);
  c->x[at] = !strcmp(field, "true");
  return c->x[at] || !strcmp(field, "false") ? CORE_OK : bad(r, "expected true or false");
}

static core_status read_row(reader *r, size_t row) {
  int last = 0, quoted;
  core_status status = record_resize(r->t, row + 1) ? no_memory(r) : CORE_OK;
  for (int i = 0; i < r->t->n && !status; i++)
    for (int j = 0; j < r->t->columns[i].width && !status; j++) {
      if (last) return bad(r, "too few fields");
      const char *field = take_field(r, &last, &quoted);
      if (r->broken) return bad(r, "a quote is not closed, or text stands behind it");
      status = set_value(r, &r->t->columns[i], row, j, field, quoted);
    }
  if (!status && !last) return bad(r, "too many fields");
  r->line++;
  return status;
}

/* the name of a column of others: without blanks around it; a name of its own when it has none or
 * one that is taken */
static core_status add_foreign(reader *r, char *name, int quoted) {
  char own[232];
  if (!quoted) {
    name += strspn(name, " \t");
    for (size_t n = strlen(name); n && (name[n - 1] == ' ' || name[n - 1] == '\t'); n--)
      name[n - 1] = '\0';
  }
  snprintf(own, sizeof own, "%.200s", name);
  if (!*own) snprintf(own, sizeof own, "column%d", r->t->n + 1);
  for (int k = 2; record_find(r->t, own); k++)
    snprintf(own, sizeof own, "%.190s_%d", *name ? name : "column", k);
  return record_add(r->t, own, "", RECORD_STRING, 1) ? CORE_OK : no_memory(r);
}

/* of others every header name is a column of strings for now */
static core_status read_header(reader *r) {
  int described = r->t->n, last = 0, quoted;
  core_status status = CORE_OK;
  if (!*r->at) return bad(r, "no header row");
  while (!last && !status) {
    char *name = take_field(r, &last, &quoted);
    if (r->broken) return bad(r, "a quote is not closed, or text stands behind it");
    if (!described) status = add_foreign(r, name, quoted);
  }
  r->line++;
  return status;
}

enum { NO_NUMBER, MISSING, NUMBER, WHOLE };

/* what a text of others is */
static int look_of(const char *s) {
  char *end;
  if (!s || !*s || !strcmp(s, "NA") || !strcmp(s, "N/A")) return MISSING;
  errno = 0;
  strtoll(s, &end, 10);
  if (!end[strspn(end, " \t")] && !errno) return WHOLE;
  record_number_read(s, &end);
  return end == s || end[strspn(end, " \t")] ? NO_NUMBER : NUMBER;
}

/* whole numbers that no double holds: digits of identifiers, say */
static int is_large(const char *s) {
  long long i = look_of(s) == WHOLE ? strtoll(s, NULL, 10) : 0;
  return i > 1ll << 53 || i < -(1ll << 53);
}

static core_status turn_into_numbers(reader *r, record_column *c, record_kind kind) {
  record_column to = *c;
  to.kind = kind;
  to.x = malloc((c->room + 1) * sizeof *to.x);
  if (!to.x) return no_memory(r);
  core_status status = CORE_OK;
  for (size_t i = 0; i < c->room; i++) to.x[i] = NAN;
  for (size_t i = 0; i < r->t->rows && !status; i++) {
    const char *text = record_text(c, i);
    if (look_of(text) == MISSING) continue;
    if (kind == RECORD_INTEGER)
      status = record_set_integer(&to, i, strtoll(text, NULL, 10)) ? no_memory(r) : CORE_OK;
    else
      to.x[i] = record_number_read(text, NULL);
  }
  record_texts_free(&to);
  *c = to;
  return status;
}

/* turns a column of strings that are all numbers (or missing) into numbers */
static core_status guess_kind(reader *r, record_column *c) {
  size_t count[4] = {0}, large = 0;
  for (size_t i = 0; i < r->t->rows; i++) {
    const char *text = record_text(c, i);
    count[look_of(text)]++;
    large += is_large(text);
  }
  if (count[NO_NUMBER] || count[NUMBER] + count[WHOLE] == 0) return CORE_OK;
  return turn_into_numbers(r, c, large && !count[NUMBER] ? RECORD_INTEGER : RECORD_NUMBER);
}

/* line ends of old machines become ours; a mark of the byte order is no part of the text */
static char *prepare(char *text) {
  if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3;
  if (!strchr(text, '\n'))
    for (char *at = text; (at = strchr(at, '\r'));) *at = '\n';
  return text;
}

/* semicolons or tabs, when the header row has them and no commas */
static char guess_comma(const char *line) {
  size_t n = strcspn(line, "\n");
  if (memchr(line, ',', n) || memchr(line, '"', n)) return ',';
  return memchr(line, '\t', n) ? '\t' : memchr(line, ';', n) ? ';' : ',';
}

/* Blank lines are no rows, but in a file of ours with a single field they are a missing value. */
static void skip_blank_lines(reader *r, int foreign) {
  int single = r->t->n == 1 && r->t->columns[0].width == 1;
  if (single && !foreign) return;
  for (size_t n; (n = strspn(r->at, " \t\r")), r->at[n] == '\n' || (n && !r->at[n]);) {
    r->at += n + (r->at[n] == '\n');
    r->line++;
  }
}

core_status record_read_csv(char *text, const char *path, record_table *t, core_error *err) {
  reader r = {.at = prepare(text), .line = 1, .comma = ',', .path = path, .t = t, .err = err};
  core_status status = read_comments(&r);
  int foreign = t->n == 0;
  if (foreign && !status) {
    skip_blank_lines(&r, 1);
    r.comma = guess_comma(r.at);
  }
  if (!status) status = read_header(&r);
  for (size_t row = 0; !status; row++) {
    skip_blank_lines(&r, foreign);
    if (!*r.at) break;
    status = read_row(&r, row);
    if (!status && record_unwanted()) status = core_fail(err, CORE_INTERRUPTED, "%s", "");
  }
  for (int i = 0; i < t->n && foreign && !status; i++) status = guess_kind(&r, &t->columns[i]);
  return status;
}
