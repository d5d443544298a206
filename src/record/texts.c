/* Which word stands in which row of a column of texts.
 *
 * A million rows that say "ok" need no pointer each: rows hold the number of their word, 0 for
 * missing ones, in 1, 2, 4 or 8 bits as there are more words. Beyond 255 words rows hold pointers.
 */
#include <stdlib.h>
#include <string.h>

#include "record/texts.h"

enum { FEW = 255, WIDEST = 8 };

static unsigned get(const record_column *c, size_t row) {
  size_t per = 8 / (size_t)c->bits;
  return c->code[row / per] >> row % per * (unsigned)c->bits & ((1u << c->bits) - 1);
}

static void put(record_column *c, size_t row, unsigned code) {
  size_t per = 8 / (size_t)c->bits, shift = row % per * (size_t)c->bits;
  unsigned mask = ((1u << c->bits) - 1) << shift;
  c->code[row / per] = (unsigned char)((c->code[row / per] & ~mask) | code << shift);
}

/* a byte of rows that all have this code */
static unsigned full_byte(const record_column *c, unsigned code) {
  unsigned byte = 0;
  for (int k = 0; k < 8; k += c->bits) byte = byte << c->bits | code;
  return byte;
}

/* rows `from` to `to` - 1 */
static void fill(record_column *c, size_t from, size_t to, unsigned code) {
  size_t per = 8 / (size_t)c->bits;
  unsigned byte = full_byte(c, code);
  for (; from < to && from % per; from++) put(c, from, code); /* NOLINT: bits are 1 to 8 */
  if (from < to) memset(c->code + from / per, (int)byte, (to - from) / per);
  for (from += from < to ? (to - from) / per * per : 0; from < to; from++) put(c, from, code);
}

static size_t bytes_of(const record_column *c, size_t rows) {
  return rows * (size_t)c->bits / 8 + 1;
}

/* twice the bits for each row */
static core_status widen(record_column *c) {
  record_column wide = *c;
  wide.bits *= 2;
  wide.code = calloc(bytes_of(&wide, c->room), 1);
  if (!wide.code) return CORE_NO_MEMORY;
  for (size_t i = 0; i < c->room; i++) put(&wide, i, get(c, i));
  free(c->code);
  *c = wide;
  return CORE_OK;
}

core_status record_texts_point(record_column *c) {
  if (c->s) return CORE_OK;
  const char **s = malloc((c->room + 1) * sizeof *s);
  if (!s) return CORE_NO_MEMORY;
  for (size_t i = 0; i < c->room; i++) s[i] = record_text(c, i);
  free(c->code);
  c->code = NULL;
  c->s = s;
  return CORE_OK;
}

core_status record_texts_grow(record_column *c, size_t from, size_t room) {
  if (room >= (size_t)-1 / 16 / sizeof *c->s) return CORE_NO_MEMORY;
  if (!c->bits) c->bits = 1;
  void *at = c->s ? realloc(c->s, (room + 1) * sizeof *c->s) : realloc(c->code, bytes_of(c, room));
  if (!at) return CORE_NO_MEMORY;
  if (c->s)
    c->s = at;
  else
    c->code = at;
  c->room = room;
  if (c->s)
    for (size_t i = from; i < room; i++) c->s[i] = NULL;
  else
    fill(c, from, room, 0);
  return CORE_OK;
}

/* the number of a word; widens the column when it is a new one. 0 with c->s: pointers from now on
 */
static core_status number_of(record_column *c, const char *word, unsigned *code) {
  *code = 0;
  for (int k = c->n_few; word && k-- > 0;)
    if (c->few[k] == word) return *code = (unsigned)k + 1, CORE_OK;
  if (!word) return CORE_OK;
  if (!c->few && !(c->few = malloc(FEW * sizeof *c->few))) return CORE_NO_MEMORY;
  if (c->n_few == FEW) return record_texts_point(c);
  if (c->n_few + 1 == 1 << c->bits && c->bits < WIDEST && widen(c)) return CORE_NO_MEMORY;
  c->few[c->n_few++] = word; /* NOLINT: made above, and widen leaves it */
  *code = (unsigned)c->n_few;
  return CORE_OK;
}

core_status record_set_word(record_column *c, size_t row, size_t n, const char *word) {
  unsigned code = 0;
  if (!c->s && number_of(c, word, &code)) return CORE_NO_MEMORY;
  if (c->s)
    for (size_t i = row; i < row + n; i++) c->s[i] = word;
  else
    fill(c, row, row + n, code);
  return CORE_OK;
}

const char *record_text(const record_column *c, size_t row) {
  if (c->s) return c->s[row];
  unsigned code = get(c, row);
  return code ? c->few[code - 1] : NULL;
}

size_t record_texts_run(const record_column *c, size_t row, size_t end) {
  size_t at = row + 1;
  if (c->s) {
    while (at < end && c->s[at] == c->s[row]) at++;
    return at - row;
  }
  size_t per = 8 / (size_t)c->bits;
  unsigned code = get(c, row), byte = full_byte(c, code);
  while (at < end && at % per && get(c, at) == code) at++;
  if (at % per == 0)
    while (at + per <= end && c->code[at / per] == byte) at += per;
  while (at < end && get(c, at) == code) at++;
  return at - row;
}

void record_texts_move(record_column *c, size_t to, size_t from, size_t n) {
  if (c->s) memmove(c->s + to, c->s + from, n * sizeof *c->s);
  for (size_t i = 0; i < n && !c->s; i++) put(c, to + i, get(c, from + i));
}

void record_texts_free(record_column *c) {
  free(c->s);
  free(c->code);
  free(c->few);
  c->s = c->few = NULL;
  c->code = NULL;
  c->bits = c->n_few = 0;
}
