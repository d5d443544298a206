/* run:saltation(i) and run:monodromy(): what lua/knock/monodromy.lua makes its answers of. */
#include "bind/vary.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/model_field.h"
#include "bind/numbers.h"
#include "bind/object.h"
#include "bind/param.h"
#include "bind/run.h"
#include "core/lin.h"
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
  sim_vary_options o = {.fine = bind_model_differences(r->m) != NULL || r->m->shape.na > 0};
  if (!lua_istable(L, index)) return o;
  lua_getfield(L, index, "section");
  o.section = lua_toboolean(L, -1);
  lua_getfield(L, index, "on_touching");
  o.on_touching = lua_toboolean(L, -1);
  lua_getfield(L, index, "fine");
  if (lua_toboolean(L, -1)) o.fine = 1;
  lua_getfield(L, index, "with_error");
  o.with_error = lua_toboolean(L, -1);
  lua_pop(L, 4);
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
  if (v->flow_error > 0) set_number(L, "flow_error", v->flow_error);
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
  lua_Integer i = lua_tointeger(L, 2), n = (lua_Integer)b->r->n_events;
  char got[96];
  bind_describe(L, 2, got, sizeof got);
  if (i < 1 || i > n)
    bind_error(L, "saltation: event %s is not one of the %d events of the run", got, (int)n);
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

/* ---- states on contacts ---- */

/* model, q, u, contacts (from 1) and their modes as the script gives them */
typedef struct stand {
  int n, *ids, *sticks, *open;
  double *q, *u;
} stand;

/* n numbers at index into x; 0 when they are something else */
static int read_numbers(lua_State *L, int index, int n, core_scratch *s, double *x) {
  char got[96];
  double *from;
  int rows, cols, fine = bind_numbers(L, index, s, &rows, &cols, &from, got, sizeof got);
  if (fine && rows * cols == n) memcpy(x, from, (size_t)n * sizeof *x);
  return fine && rows * cols == n;
}

static core_status read_stand(lua_State *L, const model *m, core_scratch *s, stand *to,
                              core_error *err) {
  int nq = m->shape.nq, nu = m->shape.nu, n = (int)lua_rawlen(L, 4);
  to->n = n;
  to->ids = core_scratch_ints(s, 3 * (size_t)n + 1);
  to->q = core_scratch_doubles(s, (size_t)(nq + nu));
  if (!to->ids || !to->q) return CORE_NO_MEMORY;
  to->sticks = to->ids + n, to->open = to->sticks + n, to->u = to->q + nq;
  if (!read_numbers(L, 2, nq, s, to->q) || !read_numbers(L, 3, nu, s, to->u))
    return core_fail(err, CORE_BAD_INPUT,
                     "project_state: q and u must be lists of %d and %d numbers", nq, nu);
  for (int i = 0; i < n; i++) {
    lua_rawgeti(L, 4, i + 1);
    lua_rawgeti(L, 5, i + 1);
    const char *mode = lua_tostring(L, -1);
    to->ids[i] = (int)lua_tointeger(L, -2) - 1;
    if (to->ids[i] < 0 || to->ids[i] >= m->shape.nc || !mode)
      return core_fail(err, CORE_BAD_INPUT, "project_state: contact %d of %s is not there", i + 1,
                       m->type->schema.owner);
    to->sticks[i] = !strcmp(mode, "stick");
    to->open[i] = !strcmp(mode, "open");
    lua_pop(L, 2);
  }
  return CORE_OK;
}

/* -Y_r x with W_rr x = b on some rows, added to `by` */
static core_status push_rows(const impact_setup *setup, int m, const int *rows, const double *b,
                             core_scratch *s, double *by) {
  int all = setup->problem.rows, nu = setup->nu, rank;
  double *W = core_scratch_doubles(s, (size_t)(m * m + m) + 1), *x = W + m * m;
  if (!W) return CORE_NO_MEMORY;
  for (int j = 0; j < m; j++)
    for (int i = 0; i < m; i++) W[j * m + i] = setup->problem.W[rows[j] * all + rows[i]];
  core_status status = core_lin_least_squares(m, m, W, 1, b, 1e-9, s, x, &rank);
  for (int i = 0; i < nu; i++) by[i] = 0;
  for (int r = 0; r < m && !status; r++)
    for (int i = 0; i < nu; i++) by[i] -= setup->Y[rows[r] * nu + i] * x[r];
  return status;
}

/* one step of Newton's method on the gaps (speeds = 0), or the speeds of what stays onto zero */
static core_status correct(const model *m, const stand *at, int speeds, core_scratch *s,
                           core_error *err) {
  impact_setup setup;
  core_mark mark = core_scratch_mark(s);
  int nu = m->shape.nu, nq = m->shape.nq, k = 0,
      *rows = core_scratch_ints(s, 3 * (size_t)at->n + 1);
  double *b = core_scratch_doubles(s, (size_t)(3 * at->n + nu + nq + m->shape.nc) + 1);
  core_status status =
      rows && b ? impact_assemble(m, at->q, at->u, at->n, at->ids, s, &setup, err) : CORE_NO_MEMORY;
  double *by = b + 3 * at->n, *dq = by + nu, *gap = dq + nq;
  if (!status) status = m->type->gap(m, at->q, gap);
  for (int i = 0; i < at->n && !status; i++) {
    int n = impact_normal(&setup.problem, i), first = impact_first(&setup.problem, i);
    if (!speeds) rows[k] = n, b[k++] = gap[at->ids[i]];
    for (int r = first; r <= n && speeds && !at->open[i]; r++)
      if (r == n || at->sticks[i]) rows[k] = r, b[k++] = setup.problem.v[r];
  }
  if (!status && k) status = push_rows(&setup, k, rows, b, s, by);
  if (!status && k && !speeds) status = model_rates(m, at->q, by, dq);
  for (int i = 0; i < nq && !status && k && !speeds; i++) at->q[i] += dq[i];
  for (int i = 0; i < nu && !status && k && speeds; i++) at->u[i] += by[i];
  core_scratch_release(s, mark);
  return status;
}

static int project(lua_State *L) {
  const model *m = bind_model_check(L, 1, "project_state");
  luaL_checktype(L, 4, LUA_TTABLE);
  luaL_checktype(L, 5, LUA_TTABLE);
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  stand at;
  core_status status = read_stand(L, m, s, &at, &err);
  for (int round = 0; round < 6 && !status; round++) {
    if (m->shape.na) status = sim_close(m, s, at.q, at.u);
    if (status) break;
    status = correct(m, &at, 0, s, &err);
    if (!status && m->type->normalise) m->type->normalise(m, at.q);
  }
  if (!status) status = correct(m, &at, 1, s, &err);
  if (!status) {
    bind_vector_push(L, m->shape.nq, at.q);
    bind_vector_push(L, m->shape.nu, at.u);
  }
  core_scratch_release(s, mark);
  bind_raise_if(L, status, &err);
  return 2;
}

/* what the run stands on at its start: contacts that stay, and those that touch and leave */
static int stance(lua_State *L) {
  static const char *const words[] = {"open", "stick", "slip", "slip"};
  const bind_run *b = bind_run_check(L, 1, "stance");
  const sim_run *r = b->r;
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  int nc = r->m->shape.nc, n = 0;
  double *gap = core_scratch_doubles(s, (size_t)nc + 1);
  lua_newtable(L);
  lua_newtable(L);
  core_status status = gap ? r->m->type->gap(r->m, r->m->q, gap) : CORE_NO_MEMORY;
  for (int c = 0; c < nc && !status && r->n_steps; c++) {
    const sim_phase *p = &r->phases[r->steps[0].phase];
    int mode = SIM_MODE_OPEN;
    for (int i = 0; i < p->n; i++)
      if (r->integers[p->ids + (size_t)i] == c) mode = r->integers[p->ids + (size_t)(p->n + i)];
    if (mode == SIM_MODE_OPEN && gap[c] > r->o.touch) continue;
    lua_pushinteger(L, c + 1);
    lua_rawseti(L, -3, ++n);
    lua_pushstring(L, words[mode]);
    lua_rawseti(L, -2, n);
  }
  core_scratch_release(s, mark);
  return 2;
}

static int growth(lua_State *L) {
  const bind_run *b = bind_run_check(L, 1, "lyapunov");
  sim_vary_options o = read_options(L, 2, b->r);
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  int all = 2 * b->r->m->shape.nu;
  double *x = core_scratch_doubles(s, (size_t)all);
  core_status status = x ? sim_vary_growth(b->r, &o, s, x, &err) : CORE_NO_MEMORY;
  if (!status) {
    lua_createtable(L, all, 0);
    for (int i = 0; i < all; i++) {
      lua_pushnumber(L, x[i]);
      lua_rawseti(L, -2, i + 1);
    }
  }
  core_scratch_release(s, mark);
  bind_raise_if(L, status, &err);
  return 1;
}

static const bind_function functions[] = {
    {"vary_run", vary, "core.vary_run(run, options) -> table", "What run:monodromy is made of.",
     NULL},
    {"salt_run", salt, "core.salt_run(run, i) -> table", "What run:saltation is made of.", NULL},
    {"project_state", project, "core.project_state(model, q, u, contacts, modes) -> q, u",
     "A state back onto the contacts that it stands on, loops closed, rotations of unit length.",
     NULL},
    {"stance", stance, "core.stance(run) -> contacts, modes", "What a run stands on at its start.",
     NULL},
    {"growth_run", growth, "core.growth_run(run) -> exponents", "What k.lyapunov is made of.",
     NULL},
};

void bind_open_vary(lua_State *L) {
  bind_register(L, "records", functions, sizeof functions / sizeof *functions);
}
