/* q and u of a mechanism by the names of its bodies.
 *
 *   m.q.leg, m.q.hip (a vector), m.q["hip.x"]
 *   m:with{ q = { leg = 0.3 } },  m:at({ leg = 0.3 }),  m:with{ ["leg.q"] = 0.3 }
 */
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/mechanism.h"
#include "bind/param.h"

void bind_state_push(lua_State *L, const model *m, char of, const double *x) {
  const mechanism *d = mechanism_of(m);
  int n = of == 'q' ? m->shape.nq : m->shape.nu;
  if (!d || !bind_mechanism_info(L, d)) {
    bind_vector_push(L, n, x);
    return;
  }
  lua_getfield(L, -1, of == 'q' ? "q" : "u");
  bind_named_vector_push(L, n, x, lua_gettop(L));
  lua_replace(L, -3);
  lua_pop(L, 1);
}

/* ---- tables of scripts ---- */

/* the body whose name is at `index`, or an error that says which there are */
static mechanism_slot body_named(lua_State *L, int index, const mechanism *d, const char *who,
                                 const char *what) {
  const char *word = lua_type(L, index) == LUA_TSTRING ? lua_tostring(L, index) : NULL;
  const char *near = NULL;
  int limit = 2;
  for (int i = 0; word && i < mechanism_bodies(d); i++) {
    mechanism_slot b = mechanism_body_at(d, i);
    int apart = core_distance(word, b.name, limit);
    if (apart == 0 && !strcmp(word, b.name)) {
      if (b.nu) return b;
      bind_error(L, "%s: %s: '%s' is fixed and has none", who, what, word);
    }
    if (apart <= limit) near = b.name, limit = apart > 1 ? apart - 1 : 1;
  }
  if (near)
    bind_error(L, "%s: %s: no body is called '%s' (did you mean '%s'?)", who, what, word, near);
  bind_error(L, "%s: %s: no body is called '%s'", who, what, word ? word : luaL_typename(L, index));
  return (mechanism_slot){0};
}

static int is_empty(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return 0;
  lua_pushnil(L);
  if (!lua_next(L, index)) return 1;
  lua_pop(L, 2);
  return 0;
}

static void set_key(lua_State *L, int to, const char *body, char of) {
  lua_pushfstring(L, "%s.%s", body, of == 'q' ? "q" : "u");
  lua_insert(L, -2);
  lua_rawset(L, to);
}

/* the numbers of the whole state at `from`, body by body into the table at `to` */
static void spread_list(lua_State *L, int from, int to, const mechanism *d, char of,
                        const char *owner) {
  int bodies = mechanism_bodies(d), rows = 0, cols = 0, wanted = 0;
  char got[96];
  double *x = NULL;
  for (int i = 0; i < bodies; i++) {
    mechanism_slot b = mechanism_body_at(d, i);
    wanted += of == 'q' ? b.nq : b.nu;
  }
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  int ok = bind_numbers(L, from, s, &rows, &cols, &x, got, sizeof got);
  if (ok && rows * cols == wanted)
    for (int i = 0; i < bodies; i++) {
      mechanism_slot b = mechanism_body_at(d, i);
      int n = of == 'q' ? b.nq : b.nu;
      if (!n) continue;
      const double *from_here = x + (of == 'q' ? b.q : b.u);
      if (n == 1)
        lua_pushnumber(L, *from_here);
      else
        bind_vector_push(L, n, from_here);
      set_key(L, to, b.name, of);
    }
  core_scratch_release(s, mark);
  if (!ok || rows * cols != wanted) {
    if (ok) snprintf(got, sizeof got, "%d numbers", rows * cols);
    bind_error(L, "%s: %c must be a table by body, as {%s = ...}, or a list of %d numbers, got %s",
               owner, of, bodies ? mechanism_body_at(d, 0).name : "leg", wanted, got);
  }
}

static void spread_state(lua_State *L, int to, const model_type *type, const mechanism *d,
                         char of) {
  const char key[2] = {of, 0};
  lua_pushstring(L, key);
  if (lua_rawget(L, to) == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  int from = lua_gettop(L);
  if (bind_by_name(L, from))
    for (lua_pushnil(L); lua_next(L, from);) {
      mechanism_slot b = body_named(L, lua_gettop(L) - 1, d, type->schema.owner, key);
      set_key(L, to, b.name, of);
    }
  else if (!is_empty(L, from))
    spread_list(L, from, to, d, of, type->schema.owner);
  lua_pushstring(L, key);
  lua_pushnil(L);
  lua_rawset(L, to);
  lua_settop(L, from - 1);
}

void bind_mechanism_spread(lua_State *L, int index, const model_type *type) {
  model of_type = {.type = type};
  const mechanism *d = mechanism_of(&of_type);
  if (!d) return;
  bind_push_copy(L, index);
  int to = lua_gettop(L);
  spread_state(L, to, type, d, 'q');
  spread_state(L, to, type, d, 'u');
  lua_replace(L, index);
}

/* ---- a state that is changed by name ---- */

int bind_mechanism_named(lua_State *L, int index, const model *m, char of, const char *who,
                         double *x) {
  const mechanism *d = mechanism_of(m);
  if (!d || !bind_by_name(L, index)) return 0;
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const char what[2] = {of, 0};
    mechanism_slot b = body_named(L, lua_gettop(L) - 1, d, who, what);
    char got[96];
    int rows, cols, n = of == 'q' ? b.nq : b.nu, value = lua_gettop(L);
    if (!bind_numbers_shape(L, value, &rows, &cols, got, sizeof got) || rows * cols != n ||
        !bind_numbers_fill(L, value, rows, cols, x + (of == 'q' ? b.q : b.u), got, sizeof got)) {
      bind_describe(L, value, got, sizeof got);
      bind_error(L, "%s: %c of '%s' must be %d number%s, got %s", who, of, b.name, n,
                 n == 1 ? "" : "s", got);
    }
  }
  return 1;
}

int bind_mechanism_names(lua_State *L, int index, const model *m, char of, int i) {
  const mechanism *d = mechanism_of(m);
  for (int k = 0; d && k < mechanism_bodies(d); k++) {
    mechanism_slot b = mechanism_body_at(d, k);
    int first = of == 'q' ? b.q : b.u, n = of == 'q' ? b.nq : b.nu;
    if (i < first || i >= first + n) continue;
    lua_pushfstring(L, "%s.%c", b.name, of);
    int there = lua_rawget(L, index) != LUA_TNIL;
    lua_pop(L, 1);
    return there;
  }
  return 0;
}
