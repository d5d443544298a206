/* Models as Lua values: k.ball{...}, m:with{...}, m:at(q, u), and what a model can be asked. */
#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/lua_model.h"
#include "bind/matrix.h"
#include "bind/mechanism.h"
#include "bind/model_field.h"
#include "bind/object.h"
#include "bind/param.h"

static const bind_kind key = {BIND_MODEL, BIND_MODEL_RESTS}; /* registry[&key] is the metatable */

bind_model *bind_model_test(lua_State *L, int index) {
  bind_model *b = bind_object_of(L, index, &key);
  return b && b->m ? b : NULL;
}

model *bind_model_check(lua_State *L, int index, const char *who) {
  bind_model *b = bind_model_test(L, index);
  if (b) return b->m;
  char got[96];
  bind_describe(L, index, got, sizeof got);
  bind_check_colon(L, index, who, "a model");
  bind_error(L, "%s: argument %d must be a model, as k.ball{} makes one, got %s", who, index, got);
  return NULL;
}

bind_model *bind_model_new(lua_State *L) {
  bind_model *b = lua_newuserdatauv(L, sizeof *b, 1);
  *b = (bind_model){0};
  bind_object_is(L, b, &key);
  return b;
}

static int collect(lua_State *L) {
  bind_model *b = lua_touserdata(L, 1);
  model_free(b->m);
  b->m = NULL;
  return 0;
}

/* ---- making ---- */

static core_status make(const void *type, const void *params, void *to, core_error *err) {
  return model_create(type, params, to, err);
}

/* k.ball{...}; upvalue: the model_type */
static int build(lua_State *L) {
  const model_type *type = lua_touserdata(L, lua_upvalueindex(1));
  core_error err = {0};
  bind_check_table(L, 1, type->schema.owner);
  bind_model *b = bind_model_new(L);
  bind_raise_if(L, bind_object_make(L, 1, 2, &type->schema, NULL, make, type, &b->m, &err), &err);
  return 1;
}

/* ---- a changed copy ---- */

static int named(lua_State *L, const char *name) {
  lua_pushstring(L, name);
  int there = lua_rawget(L, 2) != LUA_TNIL;
  lua_pop(L, 1);
  return there;
}

/* does the table at 2 name coordinate (or speed) i, by q, u or a group? */
static int state_named(lua_State *L, const model *m, char of, int i) {
  if (named(L, of == 'q' ? "q" : "u") || bind_mechanism_names(L, 2, m, of, i)) return 1;
  for (const model_group *g = m->type->groups; g && g->name; g++)
    if (g->of == of && i >= g->first && (g->n < 0 || i < g->first + g->n) && named(L, g->name))
      return 1;
  return 0;
}

/* A model that was moved by `at` stays where it is, except for what the table names and for what
 * the changed params start differently. */
static void keep_moved(lua_State *L, const model *old, const double *moved, const double *start,
                       char of, int n, double *x) {
  for (int i = 0; i < n; i++)
    if (x[i] == start[i] && !state_named(L, old, of, i)) x[i] = moved[i];
}

static core_status move_copy(lua_State *L, const model *old, model *made, core_error *err) {
  int nq = old->shape.nq, nu = old->shape.nu;
  if (nq != made->shape.nq || nu != made->shape.nu) return CORE_OK;
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  double *q = core_scratch_doubles(s, (size_t)(nq + nu)), *u = q + nq;
  core_status status = q ? old->type->start(old, q, u, err) : CORE_NO_MEMORY;
  if (!status) {
    keep_moved(L, old, old->q, q, 'q', nq, made->q);
    keep_moved(L, old, old->u, u, 'u', nu, made->u);
  }
  core_scratch_release(s, mark);
  return status;
}

/* the copy inside the userdata itself; NULL (and nothing pushed): it takes the long way */
static bind_model *with_in_one_piece(lua_State *L, const bind_model *from, core_error *err) {
  const model *m = from->m;
  const core_schema *schema = &m->type->schema;
  bind_model *b = lua_newuserdatauv(L, sizeof *b + from->size, from->anchors); /* 3 */
  *b = (bind_model){.size = from->size, .anchors = from->anchors};
  if (from->anchors) {
    lua_getiuservalue(L, 1, 1);
    lua_setiuservalue(L, 3, 1);
  }
  model *made = model_place(m, b->piece);
  unsigned flags;
  core_status status =
      bind_params_flags(L, 2, schema, made->params, 0, bind_scratch(L), &flags, err);
  if (!status)
    status = flags & CORE_SPEED ? model_restart(made, m, err) : model_settle(made, m, err);
  if (status) core_schema_free(schema, made->params);
  if (status == CORE_UNSUPPORTED) return lua_pop(L, 1), NULL;
  bind_raise_if(L, status, err);
  b->m = made;
  bind_object_rests(L, b, &key);
  return b;
}

/* how large a changed copy in one piece is, and whether it needs anchors; the model is at 1 */
static void look_at_piece(lua_State *L, bind_model *b) {
  b->size = bind_object_holds(&b->m->type->schema) ? 0 : model_piece(b->m);
  if (!b->size) b->size = 1;
  b->anchors = lua_getiuservalue(L, 1, 1) > LUA_TNIL;
  lua_pop(L, 1);
}

static int with(lua_State *L) {
  bind_model *from = bind_model_test(L, 1);
  const model *m = from ? from->m : bind_model_check(L, 1, "with"); /* which raises */
  core_error err;
  err.status = CORE_OK, err.text[0] = 0;
  bind_check_table(L, 2, m->type->schema.owner);
  if (!from->size) look_at_piece(L, from);
  bind_model *b = from->size > 1 ? with_in_one_piece(L, from, &err) : NULL;
  if (!b) {
    bind_mechanism_spread(L, 2, m->type); /* a mechanism is never in one piece */
    b = bind_model_new(L);
    core_status status =
        bind_object_make(L, 2, 3, &m->type->schema, m->params, make, m->type, &b->m, &err);
    bind_raise_if(L, status, &err);
  }
  b->moved = from->moved;
  if (b->moved) bind_raise_if(L, move_copy(L, m, b->m, &err), &err);
  return 1;
}

/* ---- another state ---- */

/* n numbers from the argument into x; nil leaves x alone */
static void read_state(lua_State *L, int index, const char *what, int n, double *x) {
  if (lua_isnoneornil(L, index)) return;
  char got[96];
  int rows = 0, cols = 0;
  double *from = NULL;
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  int ok = bind_numbers(L, index, s, &rows, &cols, &from, got, sizeof got);
  int finite = 1;
  if (ok && rows * cols == n)
    for (int i = 0; i < n; i++) finite &= isfinite(x[i] = from[i]) != 0;
  core_scratch_release(s, mark);
  if (!ok) bind_error(L, "at: %s must be a list of %d numbers, got %s", what, n, got);
  if (rows * cols != n)
    bind_error(L, "at: %s must be a list of %d numbers, got %d", what, n, rows * cols);
  if (!finite) bind_error(L, "at: %s holds a NaN or an infinity", what);
}

static int at(lua_State *L) {
  model *m = bind_model_check(L, 1, "at");
  lua_settop(L, 3);
  bind_model *b = bind_model_new(L);
  lua_getiuservalue(L, 1, 1);
  lua_setiuservalue(L, 4, 1);
  core_error err = {0};
  err.status = model_copy(m, &b->m);
  if (err.status) return bind_raise(L, &err);
  b->moved = 1;
  if (!bind_mechanism_named(L, 2, m, 'q', "at", b->m->q))
    read_state(L, 2, "q", m->shape.nq, b->m->q);
  if (!bind_mechanism_named(L, 3, m, 'u', "at", b->m->u))
    read_state(L, 3, "u", m->shape.nu, b->m->u);
  return 1;
}

/* ---- asking ---- */

static int parameters(lua_State *L) {
  model *m = bind_model_check(L, 1, "parameters");
  bind_object_params(L, 1, &m->type->schema, m->params);
  return 1;
}

static int describe(lua_State *L) {
  model *m = bind_model_check(L, 1, "describe");
  bind_object_describe(L, 1, &m->type->schema, m->params);
  return 1;
}

static const char *nearest(const model *m, const char *word) {
  for (const model_group *g = m->type->groups; g && g->name; g++)
    if (core_distance(word, g->name, 2) <= 2) return g->name;
  const char *near = core_schema_nearest(&m->type->schema, word);
  return near ? near : bind_nearest(word, bind_model_fields);
}

/* m.key: a named slice of the state, a field, a parameter, a method */
static int get_field(lua_State *L) {
  bind_model *b = lua_touserdata(L, 1);
  if (!b->m) return 0;
  if (bind_method(L)) return 1;
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  const char *word = lua_tostring(L, 2);
  if (bind_model_group(L, b->m, b->m->q, b->m->u, word)) return 1;
  if (bind_model_field(L, b->m, word)) return 1;
  if (bind_object_param(L, 1, &b->m->type->schema, b->m->params, word)) return 1;
  if (bind_late_method(L)) return 1;
  return bind_no_field(L, b->m->type->schema.owner, nearest(b->m, word));
}

static int refuse_write(lua_State *L) {
  return bind_error(L, "a model is never changed: m:with{%s = ...} gives a changed copy",
                    lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "mass");
}

static const bind_function methods[] = {
    {"with", with, "m:with{key = value, ...} -> model",
     "A copy with some parameters changed. A model that was moved by `at` keeps its state unless "
     "the table names it.",
     "local m = k.ball{ mass = 1 }:with{ mass = 2 } print(m.mass) --> 2.0"},
    {"at", at, "m:at([q[, u]]) -> model",
     "A copy that stands in another state; nil keeps the coordinates or the speeds.",
     "local m = k.ball{}:at(nil, {0, 0, -2, 0, 0, 0}) print(m.velocity[3]) --> -2.0"},
    {"parameters", parameters, "m:parameters() -> table", "All parameters by name.",
     "print(k.ball{ mass = 3 }:parameters().mass) --> 3.0"},
    {"describe", describe, "m:describe() -> list",
     "The parameters in order, each {key, unit, doc, value}.",
     "print(k.ball{}:describe()[1].key) --> mass"},
};

static const bind_function functions[] = {
    {"model", bind_lua_model, "k.model{ coordinates =, mass =, gap =, ... } -> model",
     "A model written in Lua. It works wherever those in C do; k.check(model) tries whether its "
     "parts agree.\n"
     "* coordinates: a list of names. q and u are the state: coordinates and speeds, u = q'.\n"
     "* mass(q): the mass matrix, or its diagonal; a constant may stand for the function.\n"
     "* gap(q): the gap of each contact [m].\n"
     "* jacobian(q): the rows t1, t2, n (t, n; n) of each contact, with v = J u. Without it J is "
     "made by differences of gap, and rows t by differences of position(q), the contact point "
     "along t1, t2, n.\n"
     "* forces(q, u, t): the right side f of M u' = f. Without it f is made by differences of mass "
     "and potential.\n"
     "* potential(q): the potential energy [J]; power(q, u, t): that of forces which it does not "
     "hold [W].\n"
     "* constraints(q): the A of standing constraints A u = 0.\n"
     "* parameters: a table of numbers that every function gets as its last argument, and that "
     "m:with{} changes.",
     "local m = k.model{ coordinates = {'x', 'z'}, mass = {2, 2}, u = {1, -3},\n"
     "  gap = function(q) return q[2] end,\n"
     "  potential = function(q) return 2 * 9.81 * q[2] end }\n"
     "print(k.impact(m, k.law.stronge{ e = 0.5 }).u[2]) --> 1.5"},
};

/* ---- opening ---- */

void bind_open_model(lua_State *L) {
  bind_model_document(L);
  static const luaL_Reg meta[] = {{"__gc", collect},
                                  {"__index", get_field},
                                  {"__newindex", refuse_write},
                                  {"__tostring", bind_page},
                                  {NULL, NULL}};
  bind_metatable(L, "model", meta, &key);
  bind_class_resting(L, &key);
  bind_methods(L, "model");
  bind_register(L, "model", methods, sizeof methods / sizeof *methods);
  lua_pop(L, 1);
  bind_register(L, "k", functions, sizeof functions / sizeof *functions);
  for (int i = 0; model_table[i]; i++) {
    lua_pushlightuserdata(L, (void *)model_table[i]);
    lua_pushcclosure(L, build, 1);
    lua_setfield(L, -2, model_table[i]->schema.owner);
  }
}
