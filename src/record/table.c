#include "record/table.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "record/texts.h"
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
  record_texts_free(c);
  free(c->whole);
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

/* bytes of n values, 0 when that is more than memory could be */
static size_t bytes_of(size_t n, size_t size) {
  return n < SIZE_MAX / 16 / size ? n * size : 0;
}

/* makes room for `room` rows; rows from `from` on become missing */
static core_status grow_column(record_column *c, size_t from, size_t room) {
  if (c->kind == RECORD_STRING) return record_texts_grow(c, from, room);
  size_t width = (size_t)c->width, rows = bytes_of(room + 1, width);
  size_t bytes = rows ? bytes_of(rows, sizeof *c->x) : 0;
  double *x = bytes ? realloc(c->x, bytes) : NULL;
  if (!x) return CORE_NO_MEMORY;
  c->x = x;
  for (size_t i = from * width; i < room * width; i++) x[i] = NAN;
  if (c->whole) {
    int64_t *whole = realloc(c->whole, bytes);
    if (!whole) return CORE_NO_MEMORY;
    c->whole = whole;
  }
  c->room = room;
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

void record_remove(record_table *t, int at) {
  free_column(&t->columns[at]);
  t->n--;
  memmove(t->columns + at, t->columns + at + 1, (size_t)(t->n - at) * sizeof *t->columns);
}

record_column *record_find(const record_table *t, const char *name) {
  for (int i = 0; i < t->n; i++)
    if (!strcmp(t->columns[i].name, name)) return &t->columns[i];
  return NULL;
}

/* rows that fall away become missing */
static void clear_rows(record_column *c, size_t from, size_t to) {
  if (c->kind == RECORD_STRING) record_set_word(c, from, to - from, NULL); /* needs no memory */
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

/* ---- values ---- */

static int fits_double(int64_t i) {
  return i >= -((int64_t)1 << 53) && i <= (int64_t)1 << 53;
}

core_status record_keep_whole(record_column *c) {
  c->whole = malloc((c->room + 1) * (size_t)c->width * sizeof *c->whole);
  if (!c->whole) return CORE_NO_MEMORY;
  for (size_t i = 0; i < c->room * (size_t)c->width; i++)
    c->whole[i] = isnan(c->x[i]) ? 0 : (int64_t)c->x[i]; /* so far they were exact */
  return CORE_OK;
}

core_status record_set_integer(record_column *c, size_t row, int64_t i) {
  if (!c->whole && !fits_double(i) && record_keep_whole(c)) return CORE_NO_MEMORY;
  if (c->whole) c->whole[row] = i;
  c->x[row] = (double)i;
  return CORE_OK;
}

/* values that came as doubles are limited to what 64 bits hold */
int64_t record_integer(const record_column *c, size_t row) {
  double x = c->x[row];
  if (c->whole) return c->whole[row];
  return x >= 0x1p63 ? INT64_MAX : x < -0x1p63 ? INT64_MIN : (int64_t)x;
}

core_status record_copy(record_column *to, size_t row, const record_column *from, size_t i) {
  size_t width = (size_t)from->width;
  if (from->kind == RECORD_STRING) {
    const char *text = record_text(from, i);
    return text ? record_set_string(to, row, text, strlen(text))
                : record_set_word(to, row, 1, NULL);
  }
  if (from->whole && !isnan(from->x[i])) return record_set_integer(to, row, from->whole[i]);
  memcpy(to->x + row * width, from->x + i * width, width * sizeof *to->x);
  if (to->whole) to->whole[row] = isnan(from->x[i]) ? 0 : (int64_t)from->x[i];
  return CORE_OK;
}

const char *record_bad_name(const char *name) {
  size_t n = strlen(name);
  return n == 0 ? "it is empty" : n > 200 ? "it is longer than 200 bytes" : NULL;
}

void record_move(record_table *t, size_t to, size_t from, size_t n) {
  for (int k = 0; k < t->n && to != from; k++) {
    record_column *c = &t->columns[k];
    size_t width = (size_t)c->width;
    if (c->kind == RECORD_STRING) record_texts_move(c, to, from, n);
    if (c->whole) memmove(c->whole + to, c->whole + from, n * sizeof *c->whole);
    if (c->x) memmove(c->x + to * width, c->x + from * width, n * width * sizeof *c->x);
  }
}

core_status record_set_string(record_column *c, size_t row, const char *text, size_t length) {
  const char *word = record_word(c, text, length);
  return word ? record_set_word(c, row, 1, word) : CORE_NO_MEMORY;
}
