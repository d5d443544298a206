/* What a model looks like: gnuplot.outline(model[, q]) -> {{kind =, part =, x =, y =, r =}, ...}
 *
 * The outline draws into C memory; Lua sees it only when it is complete.
 */
#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/object.h"

typedef struct shape {
  char kind; /* 'l' line, 'c' circle, 'p' point */
  int n;     /* points of a line */
  char part[24];
  size_t at; /* first of its numbers */
} shape;

typedef struct picture {
  shape *shapes;
  double *numbers;
  size_t n_shapes, n_numbers, shape_room, number_room;
  int failed; /* memory is out */
} picture;

static int reserve(void **block, size_t *room, size_t wanted, size_t size) {
  if (wanted <= *room) return 1;
  size_t more = 2 * wanted + 32;
  void *fresh = realloc(*block, more * size);
  if (!fresh) return 0;
  *block = fresh;
  *room = more;
  return 1;
}

static void add(picture *p, char kind, int n, const double *x, size_t count, const char *part) {
  if (p->failed ||
      !reserve((void **)&p->shapes, &p->shape_room, p->n_shapes + 1, sizeof *p->shapes) ||
      !reserve((void **)&p->numbers, &p->number_room, p->n_numbers + count, sizeof *p->numbers)) {
    p->failed = 1;
    return;
  }
  shape *s = &p->shapes[p->n_shapes++];
  *s = (shape){.kind = kind, .n = n, .at = p->n_numbers};
  strncpy(s->part, part, sizeof s->part - 1);
  memcpy(p->numbers + p->n_numbers, x, count * sizeof *x);
  p->n_numbers += count;
}

static void line(void *self, int n, const double *xz, const char *part) {
  add(self, 'l', n, xz, 2 * (size_t)n, part);
}

static void circle(void *self, double x, double z, double r, const char *part) {
  add(self, 'c', 1, (double[]){x, z, r}, 3, part);
}

static void point(void *self, double x, double z, const char *part) {
  add(self, 'p', 1, (double[]){x, z}, 2, part);
}

static int collect(lua_State *L) {
  picture *p = lua_touserdata(L, 1);
  free(p->shapes);
  free(p->numbers);
  *p = (picture){0};
  return 0;
}

/* a picture that is collected with its userdata */
static picture *new_picture(lua_State *L) {
  picture *p = lua_newuserdatauv(L, sizeof *p, 0);
  *p = (picture){0};
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, collect);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  return p;
}

static void push_numbers(lua_State *L, const double *x, int n, const char *name) {
  lua_createtable(L, n, 0);
  for (int i = 0; i < n; i++) {
    lua_pushnumber(L, x[2 * i]);
    lua_rawseti(L, -2, i + 1);
  }
  lua_setfield(L, -2, name);
}

static void push_shape(lua_State *L, const picture *p, const shape *s) {
  const double *x = p->numbers + s->at;
  lua_createtable(L, 0, 5);
  lua_pushstring(L, s->kind == 'l' ? "line" : s->kind == 'c' ? "circle" : "point");
  lua_setfield(L, -2, "kind");
  lua_pushstring(L, s->part);
  lua_setfield(L, -2, "part");
  push_numbers(L, x, s->n, "x");
  push_numbers(L, x + 1, s->n, "y");
  if (s->kind != 'c') return;
  lua_pushnumber(L, x[2]);
  lua_setfield(L, -2, "r");
}

static int outline(lua_State *L) {
  const model *m = bind_model_check(L, 1, "outline");
  const bind_matrix *q = lua_isnoneornil(L, 2) ? NULL : bind_matrix_test(L, 2);
  if (q && q->rows * q->cols != m->shape.nq)
    return luaL_error(L, "outline: q must have %d numbers", m->shape.nq);
  if (!m->type->outline) return 0;
  picture *p = new_picture(L);
  model_pen pen = {p, line, circle, point};
  m->type->outline(m, q ? q->x : m->q, &pen);
  if (p->failed) return luaL_error(L, "out of memory");
  lua_createtable(L, (int)p->n_shapes, 0);
  for (size_t i = 0; i < p->n_shapes; i++) {
    push_shape(L, p, &p->shapes[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

void bind_open_outline(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, -1, "knock.gnuplot");
  lua_pushcfunction(L, outline);
  lua_setfield(L, -2, "outline");
  lua_pop(L, 2);
}
