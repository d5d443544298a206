#include "record/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "record/words.h"

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

static void free_column(record_column *c) {
  record_words_free(c->words);
  free(c->s);
  free(c->x);
  free(c->name);
  free(c->unit);
}

void record_table_free(record_table *t) {
  for (int i = 0; i < t->n; i++) free_column(&t->columns[i]);
  free(t->columns);
  free(t->provenance);
  record_table_init(t);
}

/* makes room for `room` rows; rows from `from` on become missing */
static core_status grow_column(record_column *c, size_t from, size_t room) {
  if (c->kind == RECORD_STRING) {
    const char **s = realloc(c->s, (room ? room : 1) * sizeof *s);
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
  record_column c = {.name = strdup(name), .unit = strdup(unit ? unit : ""), .kind = kind};
  c.width = width;
  if (!c.name || !c.unit || grow_column(&c, 0, t->room)) {
    free_column(&c);
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

/* rows that fall away become missing */
static void clear_rows(record_column *c, size_t from, size_t to) {
  for (size_t i = from; c->s && i < to; i++) c->s[i] = NULL;
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

void record_move(record_table *t, size_t to, size_t from, size_t n) {
  for (int k = 0; k < t->n && to != from; k++) {
    record_column *c = &t->columns[k];
    size_t width = (size_t)c->width;
    if (c->s) memmove(c->s + to, c->s + from, n * sizeof *c->s);
    if (c->x) memmove(c->x + to * width, c->x + from * width, n * width * sizeof *c->x);
  }
}

core_status record_set_string(record_column *c, size_t row, const char *text, size_t length) {
  const char *word = record_word(c, text, length);
  if (!word) return CORE_NO_MEMORY;
  c->s[row] = word;
  return CORE_OK;
}
