/* tostring and A:format: vectors on one line, matrices with their decimal points in line.
 *
 *   {0.5440903432, 0, 2.5}      {{ 1,     2.5},
 *                                {-3.25, 10}}
 *
 * Both are Lua again. Vectors show up to 10 significant digits, matrices 6. Long ones show their
 * first and last entries, and their shape.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/matrix_part.h"

enum {
  VECTOR_DIGITS = 10,
  MATRIX_DIGITS = 6,
  LONG_VECTOR = 100, /* entries that are still shown in full */
  LONG_SIDE = 30,    /* rows or columns of a matrix */
  HEAD = 8,          /* shown of a longer one, before and after the gap */
  TAIL = 3,
  CELL = 40 /* bytes of one number as text */
};

/* whole numbers without exponent, no -0, nan without a sign */
static void number_text(double x, int digits, char *text) {
  if (isnan(x))
    snprintf(text, CELL, "nan");
  else if (isinf(x))
    snprintf(text, CELL, x > 0 ? "inf" : "-inf");
  else if (x == floor(x) && fabs(x) < 1e15)
    snprintf(text, CELL, "%.0f", x + 0.0);
  else
    snprintf(text, CELL, "%.*g", digits, x);
}

/* which of n entries position p shows, when at most `most` are shown in full; -1 is the gap */
static int shown(int p, int n, int most) {
  if (n <= most || p < HEAD) return p;
  return p == HEAD ? -1 : n - TAIL + (p - HEAD - 1);
}

static int positions(int n, int most) {
  return n <= most ? n : HEAD + 1 + TAIL;
}

static void cell_text(const bind_matrix *A, int i, int j, int digits, char *text) {
  if (i < 0 || j < 0)
    snprintf(text, CELL, "...");
  else
    number_text(A->x[(size_t)i + (size_t)j * (size_t)A->rows], digits, text);
}

/* characters before the decimal point (or where it would be) */
static int left_of_point(const char *text) {
  return (int)strcspn(text, ".e");
}

static void pad(luaL_Buffer *b, int n) {
  for (; n > 0; n--) luaL_addchar(b, ' ');
}

static void add_shape(luaL_Buffer *b, const bind_matrix *A) {
  char text[CELL];
  snprintf(text, sizeof text, " (%dx%d)", A->rows, A->cols);
  luaL_addstring(b, text);
}

static void vector_text(luaL_Buffer *b, const bind_matrix *v, int digits) {
  luaL_addchar(b, '{');
  for (int p = 0; p < positions(v->rows, LONG_VECTOR); p++) {
    char text[CELL];
    cell_text(v, shown(p, v->rows, LONG_VECTOR), 0, digits, text);
    if (p) luaL_addstring(b, ", ");
    luaL_addstring(b, text);
  }
  luaL_addchar(b, '}');
  if (v->rows > LONG_VECTOR) add_shape(b, v);
}

/* widths of a column on both sides of its decimal points */
static void column_width(const bind_matrix *A, int j, int digits, int *left, int *right) {
  *left = *right = 0;
  for (int p = 0; p < positions(A->rows, LONG_SIDE); p++) {
    char text[CELL];
    int i = shown(p, A->rows, LONG_SIDE);
    if (i < 0) continue;
    cell_text(A, i, j, digits, text);
    int l = left_of_point(text), r = (int)strlen(text) - l;
    if (l > *left) *left = l;
    if (r > *right) *right = r;
  }
}

/* { 1,     2.5} with column q taking left[q] + right[q] characters */
static void row_text(luaL_Buffer *b, const bind_matrix *A, int i, int digits, const int *left,
                     const int *right) {
  int columns = positions(A->cols, LONG_SIDE);
  luaL_addchar(b, '{');
  for (int q = 0; q < columns; q++) {
    char text[CELL];
    cell_text(A, i, shown(q, A->cols, LONG_SIDE), digits, text);
    int l = left_of_point(text), r = (int)strlen(text) - l;
    pad(b, left[q] - l);
    luaL_addstring(b, text);
    if (q + 1 == columns) break;
    luaL_addstring(b, ", ");
    pad(b, right[q] - r);
  }
  luaL_addchar(b, '}');
}

static void matrix_text(luaL_Buffer *b, const bind_matrix *A, int digits) {
  int left[LONG_SIDE], right[LONG_SIDE], lines = positions(A->rows, LONG_SIDE);
  for (int q = 0; q < positions(A->cols, LONG_SIDE); q++)
    column_width(A, shown(q, A->cols, LONG_SIDE), digits, &left[q], &right[q]);
  luaL_addchar(b, '{');
  for (int p = 0; p < lines; p++) {
    int i = shown(p, A->rows, LONG_SIDE);
    if (p) luaL_addstring(b, ",\n ");
    if (i < 0)
      luaL_addstring(b, "...");
    else
      row_text(b, A, i, digits, left, right);
  }
  luaL_addchar(b, '}');
  if (A->rows > LONG_SIDE || A->cols > LONG_SIDE || matrix_count(A) == 0) add_shape(b, A);
}

static int push_text(lua_State *L, const bind_matrix *A, int digits) {
  luaL_Buffer b;
  luaL_buffinit(L, &b);
  if (A->cols == 1)
    vector_text(&b, A, digits ? digits : VECTOR_DIGITS);
  else
    matrix_text(&b, A, digits ? digits : MATRIX_DIGITS);
  luaL_pushresult(&b);
  return 1;
}

int matrix_tostring(lua_State *L) {
  return push_text(L, matrix_arg(L, 1), 0);
}

static int format(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  int digits = lua_isnoneornil(L, 2) ? 0 : matrix_size_arg(L, 2, "the number of digits");
  if (digits > 17) return matrix_fail(L, "format: digits must be 1 to 17, got %d", digits);
  return push_text(L, A, digits);
}

void matrix_add_print(lua_State *L) {
  static const bind_function methods[] = {
      {"format", format, "A:format([digits]) -> string",
       "The text that print shows, with this many significant digits; by default 10 for vectors "
       "and "
       "6 for matrices.",
       "local A = k.matrix{{1, 2/3}, {-3.25, 10}}\nprint(A)\nprint(A:format(3))\n"
       "--> {{ 1,     0.666667},\n-->  {-3.25, 10}}\n--> {{ 1,     0.667},\n-->  {-3.25, 10}}"},
  };
  bind_register(L, "matrix", methods, COUNT(methods));
}
