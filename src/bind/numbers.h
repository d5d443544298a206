/* Numbers from what scripts write: a number, a list, a list of lists, a vector, a matrix, or rows
 * A[i] of one. Nothing here raises a Lua error. */
#ifndef BIND_NUMBERS_H
#define BIND_NUMBERS_H

#include <lua.h>

#include "core/scratch.h"

/* Shape of the numbers at `index`: a number is 1 x 1, a list n x 1, a list of lists (or vectors) is
 * its rows. Returns 0 and describes the culprit in `got` when it is something else. */
int bind_numbers_shape(lua_State *L, int index, int *rows, int *cols, char *got, size_t size);

/* The numbers themselves, column by column, into x, which has room for that shape. Returns 0 and
 * describes the culprit: "[2][1] = a string ('x')". */
int bind_numbers_fill(lua_State *L, int index, int rows, int cols, double *x, char *got,
                      size_t size);

/* Both at once: *x is scratch memory, or the matrix at `index` itself. An empty list is refused. */
int bind_numbers(lua_State *L, int index, core_scratch *s, int *rows, int *cols, double **x,
                 char *got, size_t size);

#endif
