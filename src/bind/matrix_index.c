/* A[i][j], v[i], A(i, j): entries read and written; rows, columns and blocks.
 *
 * Places count from 1; negative ones count from the end. Reading one past the end gives nil, so
 * that ipairs stops; every other place outside is an error.
 */
#include <string.h>

#include "bind/matrix_part.h"
#include "bind/object.h"
#include "core/param.h"

/* ---- places ---- */

static int outside(lua_State *L, lua_Integer i, int n, const char *what) {
  if (n == 0) return matrix_fail(L, "no %s %lld: there is none", what, (long long)i);
  return matrix_fail(L, "no %s %lld: they go from 1 to %d", what, (long long)i, n);
}

int matrix_place(lua_State *L, int index, int n, const char *what) {
  int is_integer;
  lua_Integer i = lua_tointegerx(L, index, &is_integer);
  if (!is_integer || lua_type(L, index) != LUA_TNUMBER)
    return matrix_fail(L, "%s must be an integer, got %s", what, matrix_got(L, index));
  if (i < 0) i += n + 1;
  if (i < 1 || i > n) return outside(L, lua_tointeger(L, index), n, what);
  return (int)i - 1;
}

int matrix_size_arg(lua_State *L, int index, const char *what) {
  int is_integer;
  lua_Integer n = lua_tointegerx(L, index, &is_integer);
  if (!is_integer || lua_type(L, index) != LUA_TNUMBER || n < 0)
    matrix_fail(L, "%s must be a non-negative integer, got %s", what, matrix_got(L, index));
  if (n > MATRIX_MOST)
    matrix_fail(L, "%s can be %d at most, got %s", what, MATRIX_MOST, matrix_got(L, index));
  return (int)n;
}

static double *at(const bind_matrix *A, int row, int col) {
  return (double *)&A->x[(size_t)row + (size_t)col * (size_t)A->rows];
}

static const char *row_name(const bind_matrix *A) {
  return A->cols == 1 ? "entry" : "row";
}

static double number_arg(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TNUMBER)
    matrix_fail(L, "an entry must be a number, got %s", luaL_typename(L, index));
  return lua_tonumber(L, index);
}

/* ---- A[i] and A.name ---- */

/* the method nearest to a misspelt name, or NULL */
static const char *nearest(lua_State *L, const char *name, int methods) {
  const char *best = NULL;
  int limit = bind_guess(name);
  for (lua_pushnil(L); lua_next(L, methods); lua_pop(L, 1)) {
    const char *other = lua_tostring(L, -2);
    int d = core_distance(name, other, limit);
    if (d > limit || (best && d == limit && strcmp(best, other) < 0)) continue;
    best = other;
    limit = d;
  }
  return best;
}

/* a method (from the upvalue), the shape, or an error; stack: object, key */
static int named(lua_State *L, int rows, int cols) {
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL) return 1;
  if (lua_type(L, 2) != LUA_TSTRING)
    return matrix_fail(L, "cannot be indexed by a %s", luaL_typename(L, 2));
  const char *name = lua_tostring(L, 2);
  if (!strcmp(name, "rows")) return lua_pushinteger(L, rows), 1;
  if (!strcmp(name, "cols")) return lua_pushinteger(L, cols), 1;
  const char *best = nearest(L, name, lua_upvalueindex(1));
  if (best) return matrix_fail(L, "no field or method '%s' (did you mean '%s'?)", name, best);
  return matrix_fail(L, "no field or method '%s'", name);
}

/* x.leg: the entry, or the entries, that a vector with names has under this one; 0: none */
static int named_entry(lua_State *L, const bind_matrix *A) {
  if (lua_getiuservalue(L, 1, 1) != LUA_TTABLE) return 0;
  lua_pushvalue(L, 2);
  int type = lua_rawget(L, -2);
  if (type == LUA_TNUMBER) {
    lua_pushnumber(L, A->x[lua_tointeger(L, -1) - 1]);
    return 1;
  }
  if (type != LUA_TTABLE) return 0;
  lua_rawgeti(L, -1, 1);
  lua_rawgeti(L, -2, 2);
  bind_vector_push(L, (int)lua_tointeger(L, -1), A->x + lua_tointeger(L, -2) - 1);
  return 1;
}

/* q.lag of a vector with names: says the nearest of them; other vectors, methods and the shape pass
 */
static void refuse_name(lua_State *L) {
  const char *name = lua_tostring(L, 2);
  lua_pushvalue(L, 2);
  int known = lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL || !strcmp(name, "rows") ||
              !strcmp(name, "cols");
  if (!known && lua_getiuservalue(L, 1, 1) == LUA_TTABLE) {
    const char *best = nearest(L, name, lua_gettop(L));
    if (best) matrix_fail(L, "no entry is called '%s' (did you mean '%s'?)", name, best);
    matrix_fail(L, "no entry is called '%s'", name);
  }
  lua_settop(L, 2);
}

int matrix_index(lua_State *L) {
  const bind_matrix *A = lua_touserdata(L, 1);
  int type = lua_type(L, 2);
  if (type != LUA_TNUMBER) {
    if (type == LUA_TSTRING && named_entry(L, A)) return 1;
    lua_settop(L, 2);
    if (type == LUA_TSTRING) refuse_name(L);
    return named(L, A->rows, A->cols);
  }
  lua_Integer i = lua_tointeger(L, 2); /* 0 when it is not one */
  if (i < 1 || i > A->rows) {
    if (i == A->rows + 1) return 0;
    i = matrix_place(L, 2, A->rows, row_name(A)) + 1;
  }
  if (A->cols == 1)
    lua_pushnumber(L, A->x[i - 1]);
  else
    matrix_push_row(L, 1, (int)i - 1);
  return 1;
}

/* row i becomes the numbers of the matrix at `index`, which is a vector of cols numbers */
static void write_row(lua_State *L, bind_matrix *A, int row, int index) {
  const bind_matrix *B = matrix_arg(L, index);
  if (!matrix_is_vector(B) || matrix_count(B) != (size_t)A->cols)
    matrix_fail(L, "cannot make %dx%d a row of %dx%d", B->rows, B->cols, A->rows, A->cols);
  for (int j = 0; j < A->cols; j++) *at(A, row, j) = B->x[j];
}

int matrix_newindex(lua_State *L) {
  bind_matrix *A = lua_touserdata(L, 1);
  if (lua_type(L, 2) == LUA_TSTRING)
    return matrix_fail(L, "cannot set field '%s'", lua_tostring(L, 2));
  int i = matrix_place(L, 2, A->rows, row_name(A));
  if (A->cols == 1)
    A->x[i] = number_arg(L, 3);
  else
    write_row(L, A, i, 3);
  return 0;
}

/* A(i, j), or v(i) */
int matrix_call(lua_State *L) {
  const bind_matrix *A = lua_touserdata(L, 1);
  int i = matrix_place(L, 2, A->rows, "row");
  int j = lua_isnoneornil(L, 3) && A->cols == 1 ? 0 : matrix_place(L, 3, A->cols, "column");
  lua_pushnumber(L, *at(A, i, j));
  return 1;
}

/* ---- A[i][j] ---- */

int matrix_row_index(lua_State *L) {
  const matrix_row *r = lua_touserdata(L, 1);
  if (lua_type(L, 2) != LUA_TNUMBER) return named(L, 1, r->A->cols);
  if (lua_tointeger(L, 2) == r->A->cols + 1) return 0;
  lua_pushnumber(L, *at(r->A, r->row, matrix_place(L, 2, r->A->cols, "column")));
  return 1;
}

int matrix_row_newindex(lua_State *L) {
  const matrix_row *r = lua_touserdata(L, 1);
  int j = matrix_place(L, 2, r->A->cols, "column");
  *at(r->A, r->row, j) = number_arg(L, 3);
  return 0;
}

int matrix_row_length(lua_State *L) {
  lua_pushinteger(L, ((const matrix_row *)lua_touserdata(L, 1))->A->cols);
  return 1;
}

/* ---- parts ---- */

/* pushes rows r .. r + rows - 1 and columns c .. c + cols - 1 */
static int push_block(lua_State *L, const bind_matrix *A, int r, int rows, int c, int cols) {
  bind_matrix *B = bind_matrix_new(L, rows, cols);
  for (int j = 0; j < cols && rows; j++)
    memcpy(at(B, 0, j), at(A, r, c + j), (size_t)rows * sizeof(double));
  return 1;
}

static int row(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  return push_block(L, A, matrix_place(L, 2, A->rows, "row"), 1, 0, A->cols);
}

static int col(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  return push_block(L, A, 0, A->rows, matrix_place(L, 2, A->cols, "column"), 1);
}

/* one end of a range, not yet checked; negative ones count from the end */
static lua_Integer range_end(lua_State *L, int index, int n, lua_Integer otherwise,
                             const char *what) {
  if (lua_isnil(L, index)) return otherwise;
  int is_integer;
  lua_Integer i = lua_tointegerx(L, index, &is_integer);
  if (!is_integer) matrix_fail(L, "%s must be an integer, got %s", what, matrix_got(L, index));
  return i < 0 ? i + n + 1 : i;
}

/* Arguments `index` and index + 1 as a range of 1..n, by default all of it: how many, and `from`
 * counting from 0. first = last + 1 is the empty range. */
static int range(lua_State *L, int index, int n, const char *what, int *from) {
  lua_Integer first = range_end(L, index, n, 1, what), last = range_end(L, index + 1, n, n, what);
  if (first < 1 || first > n + 1) outside(L, lua_tointeger(L, index), n, what);
  if (last < 0 || last > n) outside(L, lua_tointeger(L, index + 1), n, what);
  if (last < first - 1) matrix_fail(L, "%ss %d to %d run backwards", what, (int)first, (int)last);
  *from = (int)first - 1;
  return (int)(last - first + 1);
}

static int slice(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  lua_settop(L, 5);
  int r, c, rows = range(L, 2, A->rows, "row", &r), cols = range(L, 4, A->cols, "column", &c);
  return push_block(L, A, r, rows, c, cols);
}

static int set_block(lua_State *L, bind_matrix *A, int i, int j, int index) {
  const bind_matrix *B = matrix_arg(L, index);
  if (i + B->rows > A->rows || j + B->cols > A->cols)
    return matrix_fail(L, "%dx%d at (%d, %d) does not fit into %dx%d", B->rows, B->cols, i + 1,
                       j + 1, A->rows, A->cols);
  for (int k = 0; k < B->cols && B->rows; k++)
    memmove(at(A, i, j + k), at(B, 0, k), (size_t)B->rows * sizeof(double));
  return 0;
}

static int set(lua_State *L) {
  bind_matrix *A = bind_matrix_test(L, 1);
  if (!A) return matrix_fail(L, "set needs a matrix, got %s", luaL_typename(L, 1));
  int i = matrix_place(L, 2, A->rows, "row"), j = matrix_place(L, 3, A->cols, "column");
  if (lua_type(L, 4) == LUA_TNUMBER)
    *at(A, i, j) = lua_tonumber(L, 4);
  else
    set_block(L, A, i, j, 4);
  lua_settop(L, 1);
  return 1;
}

static int diag(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  int n = A->rows < A->cols ? A->rows : A->cols;
  bind_matrix *d = bind_matrix_new(L, n, 1);
  for (int i = 0; i < n; i++) d->x[i] = *at(A, i, i);
  return 1;
}

static int copy(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  bind_matrix_push(L, A->rows, A->cols, A->x);
  return 1;
}

/* a vector gives a flat list, a matrix a list of rows */
static int totable(lua_State *L) {
  const bind_matrix *A = matrix_arg(L, 1);
  lua_createtable(L, A->rows, 0);
  for (int i = 0; i < A->rows; i++) {
    if (A->cols == 1) {
      lua_pushnumber(L, A->x[i]);
    } else {
      lua_createtable(L, A->cols, 0);
      for (int j = 0; j < A->cols; j++) {
        lua_pushnumber(L, *at(A, i, j));
        lua_rawseti(L, -2, j + 1);
      }
    }
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

void matrix_add_parts(lua_State *L) {
  static const bind_function methods[] = {
      {"row", row, "A:row(i) -> 1 x n matrix",
       "A copy of row i; A[i] is the row itself, to read and write. Negative i counts from the "
       "end.",
       "local A = k.matrix{{1, 2}, {3, 4}}\nprint(A:row(-1)) --> {{3, 4}}"},
      {"col", col, "A:col(j) -> vector", "A copy of column j. Negative j counts from the end.",
       "local A = k.matrix{{1, 2}, {3, 4}}\nprint(A:col(1)) --> {1, 3}"},
      {"slice", slice, "A:slice(row1, row2, col1, col2) -> matrix",
       "A copy of rows row1 to row2 and columns col1 to col2, both included. Negative places count "
       "from the end; nil means the first or the last. v:slice(2, 3) takes part of a vector.",
       "local A = k.matrix{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}\n"
       "print(A:slice(1, 2, -2, -1))\n--> {{2, 3},\n-->  {5, 6}}"},
      {"set", set, "A:set(i, j, x) -> A",
       "Writes the number x at row i and column j, or the matrix x with its first entry there.",
       "print(k.zeros(2, 3):set(1, 2, k.eye(2)))\n--> {{0, 1, 0},\n-->  {0, 0, 1}}"},
      {"diag", diag, "A:diag() -> vector", "The diagonal. k.diag makes a matrix from one.",
       "print(k.matrix{{1, 2}, {3, 4}}:diag()) --> {1, 4}"},
      {"copy", copy, "A:copy() -> matrix", "A new matrix with the same numbers.",
       "local v = k.matrix{1, 2}\nlocal w = v:copy()\nw[1] = 5\nprint(v, w) --> {1, 2}\t{5, 2}"},
      {"totable", totable, "A:totable() -> table",
       "A plain Lua table: a list of numbers for a vector, a list of rows for a matrix.",
       "print(#k.eye(3):totable()[1]) --> 3"},
  };
  bind_register(L, "matrix", methods, COUNT(methods));
}
