/* Events and columns of a recorded path, as Lua tables. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/hit.h"
#include "bind/matrix.h"
#include "bind/mechanism.h"
#include "bind/object.h"
#include "bind/record.h"
#include "bind/unit.h"
#include "model/mechanism.h"

/* ---- events ---- */

/* of one unit: where a hinge's stop is hit beside a point there is no such sum (sum_unit) */
static double normal_sum(const impact_problem *pr, const double *p) {
  double sum = 0;
  for (int c = 0; c < pr->nc; c++) sum += p[impact_normal(pr, c)];
  return sum;
}

/* unit of the sum of the normal impulses of n contacts, "" where it has none */
static const char *sum_unit(const model *m, const int *contacts, int n) {
  return m ? bind_unit_of_contacts(m, contacts, n, "N s", "N m s") : "N s";
}

/* one event as a table; events of the whole concern the only contact when there is one, and have
 * the sum of the normal impulses where it `adds` up */
static void push_event(lua_State *L, const impact_path *path, const impact_path_event *e,
                       const impact_problem *pr, const int *contacts, int adds) {
  const double *line = impact_path_line(path, e->at);
  int c = e->contact < 0 && path->nc == 1 ? 0 : e->contact;
  const double *p = line + impact_path_column(path, 0), *v = line + impact_path_column(path, 1);
  int first = c >= 0 ? impact_first(pr, c) : 0, rows = c >= 0 ? impact_rows_of(pr, c) : path->rows;
  lua_createtable(L, 0, 6);
  lua_pushstring(L, impact_event_word(e->kind));
  lua_setfield(L, -2, "kind");
  if (c >= 0)
    lua_pushinteger(L, contacts ? contacts[c] + 1 : c + 1), lua_setfield(L, -2, "contact");
  if (c >= 0 || adds) {
    lua_pushnumber(L, c >= 0 ? p[impact_normal(pr, c)] : normal_sum(pr, p));
    lua_setfield(L, -2, "impulse");
  }
  bind_vector_push(L, rows, p + first);
  lua_setfield(L, -2, "p");
  bind_vector_push(L, rows, v + first);
  lua_setfield(L, -2, "velocity");
  if (!isnan(line[IMPACT_PATH_T])) {
    lua_pushnumber(L, line[IMPACT_PATH_T]);
    lua_setfield(L, -2, "t");
  }
}

void bind_path_events(lua_State *L, const impact_path *path, const impact_problem *pr,
                      const int *contacts, const model *m) {
  int adds = *sum_unit(m, contacts, path->nc) != 0;
  lua_createtable(L, path->n_events, 0);
  for (int i = 0; i < path->n_events; i++) {
    push_event(L, path, &path->events[i], pr, contacts, adds);
    if (m) bind_mechanism_turns(L, m);
    bind_shown(L, "hit_event");
    lua_rawseti(L, -2, i + 1);
  }
  bind_shown(L, "hit_events");
}

/* ---- columns ---- */

/* a table of columns that is being filled; it is on top of the stack */
typedef struct columns {
  lua_State *L;
  const impact_path *path;
  const impact_problem *pr;
  int shift; /* 1: the start comes before the first line */
  const bind_path_start *start;
  const bind_hit *hit; /* whose contacts they are, or NULL */
} columns;

/* table.<name> = the vector on top, and its name and unit in the lists of both */
static void name_column(lua_State *L, const char *name, const char *unit) {
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

/* the numbers at place `at` of all lines, behind `first` where there is a start */
static void add_column(const columns *to, int at, double first, const char *name,
                       const char *unit) {
  const impact_path *path = to->path;
  bind_matrix *x = bind_matrix_new(to->L, path->n + to->shift, 1);
  if (to->shift) x->x[0] = first;
  for (int i = 0; i < path->n; i++) x->x[i + to->shift] = impact_path_line(path, i)[at];
  name_column(to->L, name, unit);
}

/* row i of a contact at the start: velocities as they were, displacements count from the gap */
static double first_of(const columns *to, int which, int c, int i) {
  if (!to->shift) return 0;
  if (which == 1) return to->start->v[impact_first(to->pr, c) + i];
  return which == 2 && i == impact_rows_of(to->pr, c) - 1 ? to->start->gap[c] : 0;
}

/* unit of impulse, velocity, deflection or force at contact c: a hinge's stop has its own */
static const char *unit_of(const columns *to, int which, int c) {
  static const char *const units[4][2] = {
      {"N s", "N m s"}, {"m/s", "rad/s"}, {"m", "rad"}, {"N", "N m"}};
  return units[which][to->hit && mechanism_contact_turns(to->hit->m, to->hit->contacts[c])];
}

/* p_t1, p_t2, p_n of one contact; p1_n, p2_n ... when there are several */
static void add_rows(const columns *to, int which, const char *letter) {
  static const char *const rows[3][3] = {{"n"}, {"t", "n"}, {"t1", "t2", "n"}};
  const impact_path *path = to->path;
  for (int c = 0; c < path->nc; c++)
    for (int i = 0, n = impact_rows_of(to->pr, c); i < n; i++) {
      char name[32];
      if (path->nc == 1)
        snprintf(name, sizeof name, "%s_%s", letter, rows[n - 1][i]);
      else
        snprintf(name, sizeof name, "%s%d_%s", letter, c + 1, rows[n - 1][i]);
      add_column(to, impact_path_column(path, which) + impact_first(to->pr, c) + i,
                 first_of(to, which, c, i), name, unit_of(to, which, c));
    }
}

static void add_states(const columns *to, int which, const char *word) {
  const impact_path *path = to->path;
  for (int c = 0; c < path->nc; c++) {
    char name[32];
    if (path->nc == 1)
      snprintf(name, sizeof name, "%s", word);
    else
      snprintf(name, sizeof name, "%s%d", word, c + 1);
    add_column(to, impact_path_state(path, which) + c, 0, name, "1");
  }
}

/* normal impulse of all contacts: what laws count by. Where it has no unit there is none. */
static void add_impulse(const columns *to) {
  const impact_path *path = to->path;
  const char *unit =
      sum_unit(to->hit ? to->hit->m : NULL, to->hit ? to->hit->contacts : NULL, path->nc);
  if (!*unit) return;
  bind_matrix *x = bind_matrix_new(to->L, path->n + to->shift, 1);
  if (to->shift) x->x[0] = 0;
  for (int k = 0; k < path->n; k++)
    x->x[k + to->shift] =
        normal_sum(to->pr, impact_path_line(path, k) + impact_path_column(path, 0));
  name_column(to->L, "impulse", unit);
}

/* kinetic energy along the path: T = T0 + 1/2 sum p (v0 + v) */
static void add_kinetic(const columns *to) {
  const impact_path *path = to->path;
  bind_matrix *x = bind_matrix_new(to->L, path->n + to->shift, 1);
  if (to->shift) x->x[0] = to->start->kinetic;
  for (int k = 0; k < path->n; k++) {
    const double *p = impact_path_line(path, k) + impact_path_column(path, 0);
    const double *v = impact_path_line(path, k) + impact_path_column(path, 1);
    double sum = 0;
    for (int i = 0; i < path->rows; i++) sum += p[i] * (to->start->v[i] + v[i]);
    x->x[k + to->shift] = to->start->kinetic + sum / 2;
  }
  name_column(to->L, "kinetic", "J");
}

/* does the path itself begin before the impact: no impulse yet, velocities as they were? */
static int begins(const impact_path *path, const double *v) {
  if (!path->n) return 0;
  const double *line = impact_path_line(path, 0);
  for (int i = 0; i < path->rows; i++)
    if (line[impact_path_column(path, 0) + i] != 0 || line[impact_path_column(path, 1) + i] != v[i])
      return 0;
  return 1;
}

void bind_path_columns(lua_State *L, const impact_path *path, const impact_problem *pr,
                       const bind_path_start *start, const bind_hit *hit) {
  columns to = {L, path, pr, start && !begins(path, start->v), start, hit};
  lua_newtable(L);
  lua_newtable(L);
  lua_setfield(L, -2, "names");
  lua_newtable(L);
  lua_setfield(L, -2, "units");
  lua_pushinteger(L, path->n + to.shift);
  lua_setfield(L, -2, "n");
  if (path->has_time) add_column(&to, IMPACT_PATH_T, 0, "t", "s");
  add_rows(&to, 0, "p");
  add_rows(&to, 1, "v");
  if (path->has_deflection) add_rows(&to, 2, "x");
  if (path->has_force) add_rows(&to, 3, "F");
  add_column(&to, IMPACT_PATH_STRAIN, 0, "strain", "J");
  add_column(&to, IMPACT_PATH_RESTITUTION, 0, "restitution", "J");
  add_column(&to, IMPACT_PATH_FRICTION, 0, "friction", "J");
  add_column(&to, IMPACT_PATH_WORK, 0, "work", "J");
  add_states(&to, 0, "mode");
  add_states(&to, 1, "phase");
  if (!start) return;
  add_impulse(&to);
  add_kinetic(&to);
}

void bind_path_work(lua_State *L, const impact_path *path, int returned) {
  const double *x = path->n ? impact_path_line(path, path->n - 1) : NULL;
  if (x) x += impact_path_state(path, 2 + returned);
  if (!x || isnan(x[0]))
    lua_pushnil(L);
  else
    bind_vector_push(L, path->nc, x);
}

/* ---- of a hit ---- */

void bind_hit_work(lua_State *L, const bind_hit *hit, int returned) {
  bind_path_work(L, &bind_hit_recording(L, 1, hit, -1)->path, returned);
}

void bind_hit_events(lua_State *L, const bind_hit *hit) {
  const bind_record *rec = bind_hit_recording(L, 1, hit, -1);
  bind_path_events(L, &rec->path, &hit->pr, hit->contacts, hit->m);
}

/* path.events, each with `at`: where on the columns it is; the table is on top */
static void add_events(lua_State *L, const bind_hit *hit, const impact_path *path, int shift) {
  bind_path_events(L, path, &hit->pr, hit->contacts, hit->m);
  for (int i = 0; i < path->n_events; i++) {
    lua_rawgeti(L, -1, i + 1);
    lua_pushinteger(L, path->events[i].at + 1 + shift);
    lua_setfield(L, -2, "at");
    lua_pop(L, 1);
  }
  lua_setfield(L, -2, "events");
}

void bind_hit_path(lua_State *L, const bind_hit *hit, int per_phase) {
  const bind_record *rec = bind_hit_recording(L, 1, hit, per_phase);
  bind_path_columns(L, &rec->path, &hit->pr, NULL, hit);
  add_events(L, hit, &rec->path, 0);
}

void bind_hit_course(lua_State *L, const bind_hit *hit, int per_phase) {
  const bind_record *rec = bind_hit_recording(L, 1, hit, per_phase);
  bind_path_start start = {hit->pr.v, hit->pr.gap, 0};
  core_error err = {0};
  err.status = model_kinetic(hit->m, hit->m->q, hit->m->u, bind_scratch(L), &start.kinetic);
  if (err.status) bind_raise(L, &err);
  bind_path_columns(L, &rec->path, &hit->pr, &start, hit);
  add_events(L, hit, &rec->path, !begins(&rec->path, start.v));
}
