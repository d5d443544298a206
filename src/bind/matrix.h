/* The `matrix` userdata: dense, column-major; a vector is an n x 1 matrix.
 *
 * These helpers are how every other binding takes and gives numbers. Where a script may give a
 * matrix it may also give a table: a list of numbers is a vector, a list of lists is a matrix by
 * rows; numbers.h reads them without a jump. The matrix_*.c files implement the Lua side.
 */
#ifndef BIND_MATRIX_H
#define BIND_MATRIX_H

#include <lua.h>

typedef struct bind_matrix {
  const void *is; /* names the type, see bind_object_of */
  int rows, cols;
  double x[]; /* rows * cols numbers, column by column */
} bind_matrix;

/* pushes; x is not set; raises when it is too large */
bind_matrix *bind_matrix_new(lua_State *L, int rows, int cols);

/* NULL: not a matrix */
bind_matrix *bind_matrix_test(lua_State *L, int index);

/* pushes a copy of rows * cols numbers; of n x 1 numbers */
void bind_matrix_push(lua_State *L, int rows, int cols, const double *x);
void bind_vector_push(lua_State *L, int n, const double *x);

/* the same with names: x.leg is the entry (or, for {first, n}, the entries) that the table at
 * `names` gives the place of */
void bind_named_vector_push(lua_State *L, int n, const double *x, int names);

/* The matrix at `index`; a table or a row A[i] there is replaced by a new matrix. Raises
 * "<who>: ..." for anything else. */
bind_matrix *bind_matrix_check(lua_State *L, int index, const char *who);

#endif
