/* core.mechanisms.build(spec, values) -> model: a definition from the declaration
 * (mechanism_read.c), what belongs to it, and the torques that functions of the script give. */
#include "bind/mechanism.h"

#include <lauxlib.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/object.h"
#include "bind/param.h"

static const char
    infos; /* registry[&infos]: address of a definition -> its info; values are weak */

typedef struct definition {
  mechanism *d;
  bind_state *state;
} definition;

static int collect(lua_State *L) {
  definition *k = lua_touserdata(L, 1);
  mechanism_free(k->d);
  k->d = NULL;
  return 0;
}

int bind_mechanism_info(lua_State *L, const mechanism *d) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &infos);
  lua_rawgetp(L, -1, d);
  lua_remove(L, -2);
  if (!lua_isnil(L, -1)) return 1;
  lua_pop(L, 1);
  return 0;
}

void bind_mechanism_turns(lua_State *L, const model *m) {
  const mechanism *d = mechanism_of(m);
  if (!d || !bind_mechanism_info(L, d)) return;
  lua_getfield(L, -1, "turns");
  lua_pushnil(L);
  if (lua_next(L, -2)) {
    lua_pop(L, 2);
    lua_setfield(L, -3, "turns");
    lua_pop(L, 1);
  } else {
    lua_pop(L, 2);
  }
}

/* ---- torques by functions of the script ---- */

typedef struct call {
  const model *m;
  double t;
  const double *q, *u;
  double *tau;
  const char *body; /* the one that is being asked, for the message */
} call;

/* adds the number (or the numbers, of a ball or a free body) on top of the stack */
static void add_torque(lua_State *L, const mechanism_slot *slot, double *tau) {
  char got[96];
  int rows, cols;
  double x[6];
  if (!bind_numbers_shape(L, -1, &rows, &cols, got, sizeof got) || rows * cols != slot->nu ||
      !bind_numbers_fill(L, -1, rows, cols, x, got, sizeof got)) {
    bind_describe(L, -1, got, sizeof got);
    luaL_error(L, "torque of '%s' must return %d number%s, got %s", slot->name, slot->nu,
               slot->nu == 1 ? "" : "s", got);
  }
  for (int i = 0; i < slot->nu; i++) {
    if (x[i] - x[i] != 0) /* NOLINT: filled, or luaL_error has jumped */
      luaL_error(L, "torque of '%s' returned a NaN or an infinity", slot->name);
    tau[slot->u + i] += x[i];
  }
}

static int ask_torques(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  const mechanism *d = mechanism_of(c->m);
  const mechanism_spec *s = mechanism_spec_of(d);
  bind_mechanism_info(L, d);
  lua_getfield(L, -1, "torque");
  bind_state_push(L, c->m, 'q', c->q);
  bind_state_push(L, c->m, 'u', c->u);
  int torque = lua_gettop(L) - 2;
  for (int i = 0; i < s->bodies; i++) {
    if (!s->body[i].drive) continue;
    mechanism_slot slot = mechanism_body_at(d, i);
    lua_rawgeti(L, torque, i + 1);
    lua_pushnumber(L, c->t);
    lua_pushvalue(L, torque + 1);
    lua_pushvalue(L, torque + 2);
    lua_call(L, 3, 1);
    add_torque(L, &slot, c->tau);
    lua_pop(L, 1);
  }
  return 0;
}

static core_status drive(const model *m, double t, const double *q, const double *u, double *tau) {
  const definition *k = mechanism_driver(m);
  call c = {m, t, q, u, tau, NULL};
  return bind_protect(k->state, ask_torques, &c, m->type->schema.owner);
}

/* ---- what belongs to a definition ---- */

/* {leg = 4, hip = {1, 3}, ["hip.x"] = 1}: places of coordinates (or speeds) by name */
static void push_names(lua_State *L, const mechanism *d, char of) {
  lua_newtable(L);
  for (int i = 0; i < mechanism_bodies(d); i++) {
    mechanism_slot b = mechanism_body_at(d, i);
    int n = of == 'q' ? b.nq : b.nu, first = of == 'q' ? b.q : b.u;
    for (int j = 0; j < n; j++) {
      lua_pushinteger(L, first + j + 1);
      lua_setfield(L, -2,
                   of == 'q' ? mechanism_coordinate(d, first + j) : mechanism_speed(d, first + j));
    }
    if (n == 0) continue;
    if (n == 1) {
      lua_pushinteger(L, first + 1);
    } else {
      lua_createtable(L, 2, 0);
      lua_pushinteger(L, first + 1);
      lua_rawseti(L, -2, 1);
      lua_pushinteger(L, n);
      lua_rawseti(L, -2, 2);
    }
    lua_setfield(L, -2, b.name);
  }
}

static void push_torques(lua_State *L, int bodies) {
  lua_newtable(L);
  lua_getfield(L, 1, "bodies");
  for (int i = 1; i <= bodies; i++) {
    lua_rawgeti(L, -1, i);
    if (lua_getfield(L, -1, "torque") == LUA_TFUNCTION)
      lua_rawseti(L, -4, i);
    else
      lua_pop(L, 1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

static void push_contacts(lua_State *L, const mechanism *d) {
  lua_newtable(L);
  for (int i = 0; mechanism_contact(d, i); i++) {
    lua_pushstring(L, mechanism_contact(d, i));
    lua_rawseti(L, -2, i + 1);
  }
}

/* pushes the info, keeps it with the definition at `owner` and makes it findable */
static void keep_info(lua_State *L, const mechanism *d, int owner) {
  lua_newtable(L);
  lua_pushvalue(L, 1);
  lua_setfield(L, -2, "spec");
  push_names(L, d, 'q');
  lua_setfield(L, -2, "q");
  push_names(L, d, 'u');
  lua_setfield(L, -2, "u");
  push_torques(L, mechanism_bodies(d));
  lua_setfield(L, -2, "torque");
  push_contacts(L, d);
  lua_setfield(L, -2, "contacts");
  lua_newtable(L);
  lua_setfield(L, -2, "turns");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &infos);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, d);
  lua_pop(L, 1);
  lua_setiuservalue(L, owner, 1);
}

/* info.turns[c] = true for stops of hinges */
static void note_turning(lua_State *L, int owner, const model *m) {
  lua_getiuservalue(L, owner, 1);
  lua_getfield(L, -1, "turns");
  for (int c = 0; c < m->shape.nc; c++)
    if (mechanism_contact_turns(m, c)) {
      lua_pushboolean(L, 1);
      lua_rawseti(L, -2, c + 1);
    }
  lua_pop(L, 2);
}

/* ---- making ---- */

static core_status make(const void *type, const void *params, void *to, core_error *err) {
  return model_create(type, params, to, err);
}

static int build(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  definition *k = lua_newuserdatauv(L, sizeof *k, 1); /* 3 */
  *k = (definition){NULL, bind_state_of(L)};
  lua_rawgetp(L, LUA_REGISTRYINDEX, &collect);
  lua_setmetatable(L, 3);
  mechanism_spec spec = bind_mechanism_read(L);
  core_error err = {0};
  bind_raise_if(L, mechanism_define(&spec, &k->d, &err), &err);
  lua_settop(L, 3);
  keep_info(L, k->d, 3);
  int driven = 0;
  for (int i = 0; i < spec.bodies; i++) driven |= mechanism_spec_of(k->d)->body[i].drive;
  if (driven) mechanism_set_drive(k->d, drive, k);
  const model_type *type = mechanism_type(k->d);
  bind_mechanism_spread(L, 2, type);
  bind_model *b = bind_model_new(L); /* 4 */
  lua_pushvalue(L, 3);
  lua_setiuservalue(L, 4, 1);
  bind_raise_if(L, bind_object_make(L, 2, 4, &type->schema, NULL, make, type, &b->m, &err), &err);
  note_turning(L, 3, b->m);
  return 1;
}

/* core.mechanisms.info(model) -> the info of its definition, or nil */
static int info(lua_State *L) {
  const bind_model *b = bind_model_test(L, 1);
  const mechanism *d = b ? mechanism_of(b->m) : NULL;
  return d ? bind_mechanism_info(L, d) : 0;
}

/* core.mechanisms.odd_inertia{xx, xy, xz, yy, yz, zz} -> principal moments when no body has it */
static int odd_inertia(lua_State *L) {
  double I[6], p[3];
  luaL_checktype(L, 1, LUA_TTABLE);
  for (int i = 0; i < 6; i++) {
    lua_rawgeti(L, 1, i + 1);
    I[i] = luaL_checknumber(L, -1);
  }
  if (!mechanism_odd_inertia(I, p)) return 0;
  for (int i = 0; i < 3; i++) lua_pushnumber(L, p[i]);
  return 3;
}

/* core.mechanisms.names(law) -> its lists by the names of contacts, or nil; true when a law inside
 * has some */
static int names(lua_State *L) {
  const bind_law *b = bind_law_test(L, 1);
  if (!b || !b->named) return 0;
  if (lua_getiuservalue(L, 1, 2) != LUA_TTABLE) lua_pushboolean(L, 1);
  return 1;
}

/* core.mechanisms.labels(q) -> the names of a vector's entries, or nil */
static int labels(lua_State *L) {
  return bind_matrix_test(L, 1) && lua_getiuservalue(L, 1, 1) == LUA_TTABLE;
}

/* core.mechanisms.numbers("body") -> list of {key, unit, slide_unit, in_plane, in_space, doc} */
static int numbers(lua_State *L) {
  mechanism_number x;
  const char *of = luaL_checkstring(L, 1);
  lua_newtable(L);
  for (int i = 0; mechanism_numbers(of, i, &x); i++) {
    lua_createtable(L, 0, 6);
    lua_pushstring(L, x.key);
    lua_setfield(L, -2, "key");
    lua_pushstring(L, x.unit);
    lua_setfield(L, -2, "unit");
    lua_pushstring(L, x.slide_unit);
    lua_setfield(L, -2, "slide_unit");
    lua_pushinteger(L, x.in_plane);
    lua_setfield(L, -2, "in_plane");
    lua_pushinteger(L, x.in_space);
    lua_setfield(L, -2, "in_space");
    lua_pushstring(L, x.doc);
    lua_setfield(L, -2, "doc");
    lua_rawseti(L, -2, i + 1);
  }
  return 1;
}

void bind_open_mechanism(lua_State *L) {
  static const luaL_Reg functions[] = {{"build", build},     {"info", info},
                                       {"names", names},     {"labels", labels},
                                       {"numbers", numbers}, {"odd_inertia", odd_inertia},
                                       {NULL, NULL}};
  lua_newtable(L);
  lua_newtable(L);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &infos);
  lua_newtable(L);
  lua_pushcfunction(L, collect);
  lua_setfield(L, -2, "__gc");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &collect);
  luaL_newlib(L, functions);
  bind_open_xml(L);
  lua_setfield(L, -2, "mechanisms");
}
