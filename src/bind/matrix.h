/* The `matrix` userdata: dense, column-major; a vector is an n x 1 matrix.
 *
 * These helpers are how every other binding takes and gives numbers.
 */
#ifndef BIND_MATRIX_H
#define BIND_MATRIX_H

#include <lua.h>

typedef struct bind_matrix {
  int rows, cols;
  double x[]; /* rows * cols numbers, column by column */
} bind_matrix;

bind_matrix *bind_matrix_new(lua_State *L, int rows, int cols);           /* pushes; x is not set */
bind_matrix *bind_matrix_test(lua_State *L, int index);                   /* NULL: not a matrix */
void bind_matrix_push(lua_State *L, int rows, int cols, const double *x); /* pushes a copy */
void bind_vector_push(lua_State *L, int n, const double *x);              /* n x 1 copy */

#endif
