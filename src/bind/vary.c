/* run:saltation(i) and run:monodromy(): what lua/knock/monodromy.lua makes its answers of. */
#include "bind/vary.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/model_field.h"
#include "bind/object.h"
#include "bind/run.h"
#include "sim/vary.h"

static void set_flags(lua_State *L, unsigned flags) {
  static const char *const words[] = {"grazing", "order", "zeno", "law_tie"};
  lua_createtable(L, 0, 4);
  for (int i = 0; i < 4; i++) {
    lua_pushboolean(L, (flags >> i) & 1);
    lua_setfield(L, -2, words[i]);
  }
  lua_setfield(L, -2, "flags");
}

static void set_number(lua_State *L, const char *name, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, name);
}

static void set_matrix(lua_State *L, const char *name, int rows, int cols, const double *x) {
  bind_matrix_push(L, rows, cols, x);
  lua_setfield(L, -2, name);
}

/* options: a table with section and on_touching */
static sim_vary_options read_options(lua_State *L, int index, const sim_run *r) {
  sim_vary_options o = {.fine = bind_model_differences(r->m) != NULL};
  if (!lua_istable(L, index)) return o;
  lua_getfield(L, index, "section");
  o.section = lua_toboolean(L, -1);
  lua_getfield(L, index, "on_touching");
  o.on_touching = lua_toboolean(L, -1);
  lua_pop(L, 2);
  return o;
}

static void push_variation(lua_State *L, const sim_variation *v) {
  lua_createtable(L, 0, 10);
  set_matrix(L, "left", 2 * v->nu, v->rank, v->left);
  set_matrix(L, "right", v->rank, 2 * v->nu, v->right);
  set_matrix(L, "dt", 1, 2 * v->nu, v->dt);
  lua_pushinteger(L, v->rank);
  lua_setfield(L, -2, "rank");
  set_flags(L, v->flags);
  if (v->flags) set_number(L, "t_flag", v->t_flag);
  bind_derived_fields(L, &v->how);
}

static int vary(lua_State *L) {
  const bind_run *b = bind_run_check(L, 1, "monodromy");
  sim_vary_options o = read_options(L, 2, b->r);
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  sim_variation v;
  core_status status = sim_vary(b->r, &o, s, &v, &err);
  if (!status) push_variation(L, &v);
  core_scratch_release(s, mark);
  bind_raise_if(L, status, &err);
  return 1;
}

static void push_orders(lua_State *L, const sim_salt *x, int all) {
  lua_createtable(L, x->orders, 0);
  for (int o = 0; o < x->orders; o++) {
    lua_createtable(L, 0, 2);
    set_matrix(L, "matrix", all, all, x->by_order + o * all * all);
    lua_createtable(L, x->n, 0);
    for (int i = 0; i < x->n; i++) {
      lua_pushinteger(L, x->order[o * x->n + i] + 1);
      lua_rawseti(L, -2, i + 1);
    }
    lua_setfield(L, -2, "contacts");
    lua_rawseti(L, -2, o + 1);
  }
  lua_setfield(L, -2, "orders");
  set_number(L, "difference", x->difference);
}

static int salt(lua_State *L) {
  const bind_run *b = bind_run_check(L, 1, "saltation");
  lua_Integer i = luaL_checkinteger(L, 2), n = (lua_Integer)b->r->n_events;
  if (i < 1 || i > n)
    bind_error(L, "saltation: event %d is not one of the %d events of the run", (int)i, (int)n);
  sim_vary_options o = read_options(L, 3, b->r);
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  sim_salt x;
  int all = 2 * b->r->m->shape.nu;
  core_status status = sim_salt_at(b->r, (size_t)(i - 1), &o, s, &x, &err);
  if (!status) {
    lua_createtable(L, 0, 10);
    set_matrix(L, "matrix", all, all, x.X);
    set_flags(L, x.flags);
    lua_pushstring(L, sim_event_word(b->r->events[i - 1].kind));
    lua_setfield(L, -2, "kind");
    set_number(L, "t", b->r->events[i - 1].t);
    if (!isnan(x.rate)) set_number(L, "rate", x.rate);
    if (x.flags & SIM_VARY_GRAZING) set_number(L, "coefficient", x.coefficient);
    if (x.orders) push_orders(L, &x, all);
    bind_derived_fields(L, &x.how);
  }
  core_scratch_release(s, mark);
  bind_raise_if(L, status, &err);
  return 1;
}

/* n numbers of the list at index into x */
static void read_numbers(lua_State *L, int index, int n, double *x) {
  for (int i = 0; i < n; i++) {
    lua_geti(L, index, i + 1);
    x[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

static int start(lua_State *L) {
  const bind_run *b = bind_run_check(L, 1, "vary_start");
  const model_shape *shape = &b->r->m->shape;
  sim_vary_options o = read_options(L, 4, b->r);
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  double *y = core_scratch_doubles(s, (size_t)(shape->nq + shape->nu));
  core_status status = y ? CORE_OK : CORE_NO_MEMORY;
  if (!status) {
    read_numbers(L, 2, shape->nq, y);
    read_numbers(L, 3, shape->nu, y + shape->nq);
    status = sim_vary_start(b->r, &o, s, y, &err);
  }
  if (!status) {
    bind_vector_push(L, shape->nq, y);
    bind_vector_push(L, shape->nu, y + shape->nq);
  }
  core_scratch_release(s, mark);
  bind_raise_if(L, status, &err);
  return 2;
}

static const bind_function functions[] = {
    {"vary_run", vary, "core.vary_run(run, options) -> table", "What run:monodromy is made of.",
     NULL},
    {"salt_run", salt, "core.salt_run(run, i) -> table", "What run:saltation is made of.", NULL},
    {"vary_start", start, "core.vary_start(run, q, u, options) -> q, u",
     "A state back onto what the run stands on at its start.", NULL},
};

void bind_open_vary(lua_State *L) {
  bind_register(L, "records", functions, sizeof functions / sizeof *functions);
}
