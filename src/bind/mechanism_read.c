/* The declaration of core.mechanisms.build(spec, values), read from Lua.
 *
 * `spec` is the declaration in plain order, as lua/knock/mechanism.lua writes it (its checks come
 * first, so that this file only reads):
 *
 *   { name =, plane =, lenient =,
 *     bodies = {{name =, parent = 0 (world) or place, joint = "hinge", stops = 0..3, torque = f}},
 *     parts = {{name =, body =, shape = "point"}}, contacts = {{a, b}},
 *     springs = {{name =, a, b}}, loops = {{a, b}} }      places count from 1
 *
 * and `values` the numbers by parameter: { ["leg.mass"] = 1, ... }.
 */
#include <lauxlib.h>
#include <string.h>

#include "bind/mechanism.h"

/* scripts can reach build() too: what is no declaration ends here, not in a crash */
static void expect(lua_State *L, int good, const char *what) {
  if (!good) luaL_error(L, "mechanism: '%s' is not as k.mechanism{} writes it", what);
}

/* pushes a list of the declaration; returns its length */
static int push_list(lua_State *L, const char *list) {
  expect(L, lua_getfield(L, 1, list) == LUA_TTABLE, list);
  lua_Unsigned n = lua_rawlen(L, -1);
  expect(L, n < 1000000, list);
  return (int)n;
}

static int length(lua_State *L, const char *list) {
  int n = push_list(L, list);
  lua_pop(L, 1);
  return n;
}

/* pushes item i, from 0, of the list on top */
static void push_item(lua_State *L, int i, const char *list) {
  expect(L, lua_rawgeti(L, -1, i + 1) == LUA_TTABLE, list);
}

/* a whole number from low to high */
static int integer(lua_State *L, const char *key, int low, int high) {
  int whole;
  lua_getfield(L, -1, key);
  lua_Integer n = lua_tointegerx(L, -1, &whole);
  expect(L, whole && n >= low && n <= high, key);
  lua_pop(L, 1);
  return (int)n;
}

/* the text stays alive with the declaration */
static const char *text(lua_State *L, const char *key) {
  expect(L, lua_getfield(L, -1, key) == LUA_TSTRING, key);
  const char *word = lua_tostring(L, -1);
  expect(L, strlen(word) < 100, key);
  lua_pop(L, 1);
  return word;
}

static int choice(const char *word, const char *const *words) {
  for (int i = 0; words[i]; i++)
    if (!strcmp(word, words[i])) return i;
  return 0;
}

static const char *const joints[] = {"fixed", "hinge", "slide", "ball", "free", NULL};
static const char *const shapes[] = {"point", "sphere", "capsule", "box", "plane", NULL};

static void *room(lua_State *L, int n, size_t size) {
  void *x = lua_newuserdatauv(L, (size_t)n * size + 1, 0);
  memset(x, 0, (size_t)n * size + 1);
  return x;
}

static const mechanism_body *read_bodies(lua_State *L, int n) {
  mechanism_body *b = room(L, n, sizeof *b);
  push_list(L, "bodies");
  for (int i = 0; i < n; i++) {
    push_item(L, i, "bodies");
    b[i] = (mechanism_body){text(L, "name"), integer(L, "parent", 0, i) - 1,
                            (mechanism_joint)choice(text(L, "joint"), joints),
                            integer(L, "stops", 0, 3), 0};
    lua_getfield(L, -1, "torque");
    b[i].drive = lua_isfunction(L, -1);
    lua_pop(L, 2);
  }
  lua_pop(L, 1);
  return b;
}

static const mechanism_part *read_parts(lua_State *L, int n, int bodies) {
  mechanism_part *p = room(L, n, sizeof *p);
  push_list(L, "parts");
  for (int i = 0; i < n; i++) {
    push_item(L, i, "parts");
    p[i] = (mechanism_part){text(L, "name"), integer(L, "body", 0, bodies) - 1,
                            (mechanism_shape)choice(text(L, "shape"), shapes)};
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return p;
}

static const mechanism_link *read_links(lua_State *L, const char *list, int n, int parts) {
  int named = !strcmp(list, "springs");
  mechanism_link *k = room(L, n, sizeof *k);
  push_list(L, list);
  for (int i = 0; i < n; i++) {
    push_item(L, i, list);
    k[i] = (mechanism_link){named ? text(L, "name") : "", integer(L, "a", 1, parts) - 1,
                            integer(L, "b", 1, parts) - 1};
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return k;
}

mechanism_spec bind_mechanism_read(lua_State *L) {
  mechanism_spec s = {.bodies = length(L, "bodies"),
                      .parts = length(L, "parts"),
                      .contacts = length(L, "contacts"),
                      .springs = length(L, "springs"),
                      .loops = length(L, "loops")};
  lua_pushvalue(L, 1);
  s.name = text(L, "name");
  lua_getfield(L, -1, "plane");
  s.plane = lua_toboolean(L, -1);
  lua_getfield(L, -2, "lenient");
  s.lenient = lua_toboolean(L, -1);
  lua_pop(L, 3);
  s.body = read_bodies(L, s.bodies);
  s.part = read_parts(L, s.parts, s.bodies);
  s.contact = read_links(L, "contacts", s.contacts, s.parts);
  s.spring = read_links(L, "springs", s.springs, s.parts);
  s.loop = read_links(L, "loops", s.loops, s.parts);
  return s;
}
