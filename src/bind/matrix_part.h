/* What the matrix_*.c files share. */
#ifndef BIND_MATRIX_PART_H
#define BIND_MATRIX_PART_H

#include <lauxlib.h>

#include "bind/bind.h"
#include "bind/matrix.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

enum { MATRIX_MOST = 1 << 27 }; /* entries: 1 GB, and LAPACK's integers hold all sizes */

/* a row A[i]: reads and writes go through to A, which is its user value */
typedef struct matrix_row {
  const void *is; /* names the type, see bind_object_of */
  bind_matrix *A;
  int row; /* from 0 */
} matrix_row;

/* NULL: not a row */
matrix_row *matrix_row_test(lua_State *L, int index);

/* raises "matrix: ..." with the script's line; CORE_BAD_INPUT unless said */
int matrix_fail(lua_State *L, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* raises "matrix: cannot <verb> 2x3: <why>" */
int matrix_cannot(lua_State *L, const char *verb, const bind_matrix *A, core_status status);

/* what came as argument `index`, in words (bind_describe); pushes the text */
const char *matrix_got(lua_State *L, int index);

/* the matrix at `index` (as bind_matrix_check), with a check of its shape */
bind_matrix *matrix_arg(lua_State *L, int index);
bind_matrix *matrix_square(lua_State *L, int index, const char *verb);

static inline size_t matrix_count(const bind_matrix *A) {
  return (size_t)A->rows * (size_t)A->cols;
}

static inline int matrix_is_vector(const bind_matrix *A) {
  return A->rows == 1 || A->cols == 1;
}

static inline int matrix_same_shape(const bind_matrix *A, const bind_matrix *B) {
  return A->rows == B->rows && A->cols == B->cols;
}

/* how many rows or columns: a non-negative integer argument */
int matrix_size_arg(lua_State *L, int index, const char *what);

/* argument `index` as a place in 1..n, from 0; negative ones count from the end; raises */
int matrix_place(lua_State *L, int index, int n, const char *what);

/* each adds its methods to the table on top (the methods) ... */
void matrix_add_lapack(lua_State *L);
void matrix_add_methods(lua_State *L);
void matrix_add_parts(lua_State *L);
void matrix_add_print(lua_State *L);
void matrix_add_approx(lua_State *L);
/* ... its metamethods to the metatable on top (of matrices, of rows) ... */
void matrix_add_arithmetic(lua_State *L);
int matrix_tostring(lua_State *L);
int matrix_index(lua_State *L);    /* upvalue: methods */
int matrix_newindex(lua_State *L); /* A[i][j] = x, A[i] = {...} */
int matrix_call(lua_State *L);
int matrix_row_index(lua_State *L); /* upvalue: methods */
int matrix_row_newindex(lua_State *L);
int matrix_row_length(lua_State *L);
/* ... or its functions to the module's table on top */
void matrix_add_makers(lua_State *L);

/* pushes a row of the matrix at `index` */
void matrix_push_row(lua_State *L, int index, int row);

#endif
