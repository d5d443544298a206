/* Events and the path of a hit: the law is asked again, with a recorder at its sink. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/hit.h"
#include "bind/matrix.h"
#include "bind/record.h"

static const char key; /* registry[&key]: metatable of recorders */

static int collect(lua_State *L) {
  impact_path_free(lua_touserdata(L, 1));
  return 0;
}

impact_path *bind_path_new(lua_State *L, const impact_problem *pr) {
  impact_path *path = lua_newuserdatauv(L, sizeof *path, 0);
  impact_path_init(path, pr);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &key) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 1);
    lua_pushcfunction(L, collect);
    lua_setfield(L, -2, "__gc");
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &key);
  }
  lua_setmetatable(L, -2);
  return path;
}

/* ---- events --------------------------------------------------------------------------------- */

static double normal_sum(const impact_path *path, int dim, const double *p) {
  double sum = 0;
  for (int c = 0; c < path->nc; c++) sum += p[c * dim + dim - 1];
  return sum;
}

/* one event as a table; events of the whole concern the only contact when there is one */
static void push_event(lua_State *L, const impact_path *path, const impact_path_event *e, int dim,
                       const int *contacts) {
  const double *line = impact_path_line(path, e->at);
  int c = e->contact < 0 && path->nc == 1 ? 0 : e->contact;
  const double *p = line + impact_path_column(path, 0), *v = line + impact_path_column(path, 1);
  lua_createtable(L, 0, 6);
  lua_pushstring(L, impact_event_word(e->kind));
  lua_setfield(L, -2, "kind");
  if (c >= 0)
    lua_pushinteger(L, contacts ? contacts[c] + 1 : c + 1), lua_setfield(L, -2, "contact");
  lua_pushnumber(L, c >= 0 ? p[c * dim + dim - 1] : normal_sum(path, dim, p));
  lua_setfield(L, -2, "impulse");
  bind_vector_push(L, c >= 0 ? dim : path->rows, c >= 0 ? p + c * dim : p);
  lua_setfield(L, -2, "p");
  bind_vector_push(L, c >= 0 ? dim : path->rows, c >= 0 ? v + c * dim : v);
  lua_setfield(L, -2, "velocity");
  if (!isnan(line[IMPACT_PATH_T])) {
    lua_pushnumber(L, line[IMPACT_PATH_T]);
    lua_setfield(L, -2, "t");
  }
}

void bind_path_events(lua_State *L, const impact_path *path, int dim, const int *contacts) {
  lua_createtable(L, path->n_events, 0);
  for (int i = 0; i < path->n_events; i++) {
    push_event(L, path, &path->events[i], dim, contacts);
    lua_rawseti(L, -2, i + 1);
  }
}

/* ---- columns -------------------------------------------------------------------------------- */

/* path.<name> = column, and its name and unit in the lists of both; the table is on top */
static void add_column(lua_State *L, const impact_path *path, int at, const char *name,
                       const char *unit) {
  bind_matrix *x = bind_matrix_new(L, path->n, 1);
  for (int i = 0; i < path->n; i++) x->x[i] = impact_path_line(path, i)[at];
  lua_setfield(L, -2, name);
  lua_getfield(L, -1, "names");
  lua_pushstring(L, name);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
  lua_pop(L, 1);
  lua_getfield(L, -1, "units");
  lua_pushstring(L, unit);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

/* p_t1, p_t2, p_n of one contact; p1_n, p2_n ... when there are several */
static void add_rows(lua_State *L, const impact_path *path, int dim, int which, const char *letter,
                     const char *unit) {
  static const char *const rows[3][3] = {{"n"}, {"t", "n"}, {"t1", "t2", "n"}};
  for (int c = 0; c < path->nc; c++)
    for (int i = 0; i < dim; i++) {
      char name[32];
      if (path->nc == 1)
        snprintf(name, sizeof name, "%s_%s", letter, rows[dim - 1][i]);
      else
        snprintf(name, sizeof name, "%s%d_%s", letter, c + 1, rows[dim - 1][i]);
      add_column(L, path, impact_path_column(path, which) + c * dim + i, name, unit);
    }
}

static void add_states(lua_State *L, const impact_path *path, int which, const char *word) {
  for (int c = 0; c < path->nc; c++) {
    char name[32];
    if (path->nc == 1)
      snprintf(name, sizeof name, "%s", word);
    else
      snprintf(name, sizeof name, "%s%d", word, c + 1);
    add_column(L, path, impact_path_state(path, which) + c, name, "1");
  }
}

void bind_path_columns(lua_State *L, const impact_path *path, int dim) {
  lua_newtable(L);
  lua_newtable(L);
  lua_setfield(L, -2, "names");
  lua_newtable(L);
  lua_setfield(L, -2, "units");
  lua_pushinteger(L, path->n);
  lua_setfield(L, -2, "n");
  if (path->has_time) add_column(L, path, IMPACT_PATH_T, "t", "s");
  add_rows(L, path, dim, 0, "p", "N s");
  add_rows(L, path, dim, 1, "v", "m/s");
  if (path->has_deflection) add_rows(L, path, dim, 2, "x", "m");
  if (path->has_force) add_rows(L, path, dim, 3, "F", "N");
  add_column(L, path, IMPACT_PATH_STRAIN, "strain", "J");
  add_column(L, path, IMPACT_PATH_RESTITUTION, "restitution", "J");
  add_column(L, path, IMPACT_PATH_FRICTION, "friction", "J");
  add_column(L, path, IMPACT_PATH_WORK, "work", "J");
  add_states(L, path, 0, "mode");
  add_states(L, path, 1, "phase");
}

/* ---- of a hit ------------------------------------------------------------------------------- */

/* pushes a recorder that holds the path of the hit */
static impact_path *record(lua_State *L, const bind_hit *hit, int per_phase) {
  int dim = hit->m->shape.dim;
  impact_problem shape = {.nc = hit->nc, .dim = dim, .rows = hit->rows};
  impact_path *path = bind_path_new(L, &shape);
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  impact_setup setup;
  impact_result r;
  impact_sink sink = impact_path_sink(path, per_phase);
  core_status status = bind_hit_again(hit, s, &sink, &setup, &r, &err);
  core_scratch_release(s, mark);
  if (status == hit->r.status) status = path->status; /* the same answer as before is no news */
  err.status = status;
  if (status) bind_raise(L, &err);
  return path;
}

void bind_hit_events(lua_State *L, const bind_hit *hit) {
  impact_path *path = record(L, hit, 0);
  bind_path_events(L, path, hit->m->shape.dim, hit->contacts);
  impact_path_free(path);
}

void bind_hit_path(lua_State *L, const bind_hit *hit, int per_phase) {
  impact_path *path = record(L, hit, per_phase);
  bind_path_columns(L, path, hit->m->shape.dim);
  bind_path_events(L, path, hit->m->shape.dim, hit->contacts);
  for (int i = 0; i < path->n_events; i++) { /* where on the path each event is */
    lua_rawgeti(L, -1, i + 1);
    lua_pushinteger(L, path->events[i].at + 1);
    lua_setfield(L, -2, "at");
    lua_pop(L, 1);
  }
  lua_setfield(L, -2, "events");
  impact_path_free(path);
}
