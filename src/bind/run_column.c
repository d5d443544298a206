/* A run in columns: even times and all events; before and after each impact there is a row. */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/matrix.h"
#include "bind/run.h"
#include "bind/unit.h"
#include "model/mechanism.h"

/* ---- times ---- */

typedef struct row {
  double t;
  int before; /* the state before an event at that time */
} row;

typedef struct rows {
  size_t n;
  row *x;
} rows;

static void add(rows *to, double t, int before) {
  to->x[to->n++] = (row){t, before};
}

static int has_two_sides(const sim_event *e) {
  return sim_is_impact(e) || e->kind == SIM_USER;
}

/* the event's rows, unless they are there; several events at one time share them */
static void add_event(rows *to, const sim_event *e) {
  const row *last = to->n ? &to->x[to->n - 1] : NULL;
  int same = last && last->t == e->t;
  if (same && !last->before && (to->n < 2 || to->x[to->n - 2].t == e->t || !has_two_sides(e)))
    return;
  if (same && !last->before) to->n--; /* an even time fell on the event */
  if (has_two_sides(e)) add(to, e->t, 1);
  add(to, e->t, 0);
}

/* even times and events in the order of the run */
static void list_rows(const sim_run *r, int samples, rows *to) {
  double way = r->o.backward ? -1 : 1, span = r->t - r->o.t_start;
  size_t e = 0;
  for (int i = 0; i < samples; i++) {
    double t = samples > 1 && i == samples - 1 ? r->t : r->o.t_start + span * i / (samples - 1);
    if (samples == 1) t = r->o.t_start;
    while (e < r->n_events && way * r->events[e].t <= way * t) add_event(to, &r->events[e++]);
    if (to->n == 0 || to->x[to->n - 1].t != t) add(to, t, 0);
  }
  while (e < r->n_events) add_event(to, &r->events[e++]);
}

/* ---- columns ---- */

enum { T, KINETIC, POTENTIAL, ENERGY, WORK, SLIDING, LOST, RESET, SINGLES };
static const char *const single_names[] = {"t",    "kinetic", "potential", "energy",
                                           "work", "sliding", "lost",      "reset"};
static const char *const single_units[] = {"s", "J", "J", "J", "J", "J", "J", "J"};

typedef struct table {
  int n;                                   /* rows */
  bind_matrix *single[SINGLES];            /* n x 1 */
  bind_matrix *q, *u, *gap, *force, *mode; /* n x width */
} table;

static void spread(bind_matrix *to, int i, const double *x) {
  for (int j = 0; j < to->cols; j++) to->x[j * to->rows + i] = x[j];
}

static void set_row(table *t, int i, const sim_state *s) {
  double x[SINGLES] = {s->t,    s->kinetic, s->potential, s->kinetic + s->potential,
                       s->work, s->sliding, s->lost,      s->reset};
  for (int k = 0; k < SINGLES; k++) t->single[k]->x[i] = x[k];
  spread(t->q, i, s->q);
  spread(t->u, i, s->u);
  spread(t->gap, i, s->gap);
  spread(t->force, i, s->force);
  for (int j = 0; j < t->mode->cols; j++) t->mode->x[j * t->n + i] = s->mode[j];
}

static core_status fill(const sim_run *r, const rows *list, core_scratch *s, table *t,
                        core_error *err) {
  const model_shape *shape = &r->m->shape;
  size_t n = (size_t)(shape->nq + shape->nu + shape->nc + model_all_rows(shape));
  sim_state at = {.q = core_scratch_doubles(s, n)};
  at.mode = core_scratch_ints(s, (size_t)shape->nc);
  if (!at.q || !at.mode) return core_no_memory(err);
  at.u = at.q + shape->nq;
  at.gap = at.u + shape->nu;
  at.force = at.gap + shape->nc;
  core_status status = CORE_OK;
  for (size_t i = 0; i < list->n && !status; i++) {
    status = sim_at(r, list->x[i].t, list->x[i].before, s, &at, err);
    if (!status) set_row(t, (int)i, &at);
  }
  return status;
}

/* ---- names: the columns are at `to`, their names and units in the two tables above ---- */

static void set_unit(lua_State *L, int to, const char *name, const char *unit) {
  lua_pushstring(L, unit);
  lua_setfield(L, to + 2, name);
}

static void add_name(lua_State *L, int to, const char *name, const char *unit) {
  lua_pushstring(L, name);
  lua_rawseti(L, to + 1, (lua_Integer)lua_rawlen(L, to + 1) + 1);
  set_unit(L, to, name, unit);
}

/* one column of a matrix as table[name] */
static void add_part(lua_State *L, int to, const bind_matrix *from, int column, const char *name,
                     const char *unit) {
  bind_vector_push(L, from->rows, from->x + (size_t)column * (size_t)from->rows);
  lua_setfield(L, to, name);
  add_name(L, to, name, unit);
}

/* "gap" of one contact, "gap1" "gap2" of several */
static void add_numbered(lua_State *L, int to, const bind_matrix *from, const char *word,
                         const char *unit) {
  for (int j = 0; j < from->cols; j++) {
    char name[32];
    if (from->cols == 1)
      snprintf(name, sizeof name, "%s", word);
    else
      snprintf(name, sizeof name, "%s%d", word, j + 1);
    add_part(L, to, from, j, name, unit);
  }
}

/* q1, q2 ... or u1, u2 ... */
static void add_state(lua_State *L, int to, const bind_matrix *from, const model *m, char of) {
  for (int j = 0; j < from->cols; j++) {
    char name[16];
    snprintf(name, sizeof name, "%c%d", of, j + 1);
    add_part(L, to, from, j, name, bind_unit_of_state(m, of, j, 1));
  }
}

/* f_n, f_t ... of one contact, f1_n ... of several, as the columns of hit.path are called */
static void add_forces(lua_State *L, int to, const bind_matrix *from, const model_shape *shape) {
  static const char *const words[3][3] = {{"n"}, {"t", "n"}, {"t1", "t2", "n"}};
  for (int c = 0; c < shape->nc; c++)
    for (int i = 0, n = model_rows_of(shape, c); i < n; i++) {
      char name[32], which[12] = "";
      if (shape->nc > 1) snprintf(which, sizeof which, "%d", c + 1);
      snprintf(name, sizeof name, "f%s_%s", which, words[n - 1][i]);
      add_part(L, to, from, model_first(shape, c) + i, name, "N");
    }
}

/* ---- those of a mechanism: "leg", "leg.rate", "gap(leg.foot/floor)" ---- */

static void add_states(lua_State *L, int to, const model *m, const bind_matrix *q,
                       const bind_matrix *u) {
  for (const model_group *g = m->type->groups; g->name; g++)
    add_part(L, to, g->of == 'q' ? q : u, g->first, g->name, g->unit);
}

static void add_contacts(lua_State *L, int to, const model *m, const table *t) {
  static const char *const words[3][3] = {{"n"}, {"t", "n"}, {"t1", "t2", "n"}};
  const mechanism *d = mechanism_of(m);
  for (int c = 0; c < m->shape.nc; c++) {
    char name[128];
    int turns = mechanism_contact_turns(m, c), n = model_rows_of(&m->shape, c);
    snprintf(name, sizeof name, "gap(%s)", mechanism_contact(d, c));
    add_part(L, to, t->gap, c, name, turns ? "rad" : "m");
    for (int i = 0; i < n; i++) {
      snprintf(name, sizeof name, "f_%s(%s)", words[n - 1][i], mechanism_contact(d, c));
      add_part(L, to, t->force, model_first(&m->shape, c) + i, name, turns ? "N m" : "N");
    }
    snprintf(name, sizeof name, "mode(%s)", mechanism_contact(d, c));
    add_part(L, to, t->mode, c, name, "1");
  }
}

/* slices by the model's own words: "angle", "velocity1" ...; not listed in names */
static void add_groups(lua_State *L, int to, const model *m, const bind_matrix *q,
                       const bind_matrix *u) {
  for (const model_group *g = m->type->groups; g && g->name; g++) {
    const bind_matrix *from = g->of == 'q' ? q : u;
    int n = g->n < 0 ? from->cols - g->first : g->n;
    for (int i = 0; i < n; i++) {
      char name[64];
      snprintf(name, sizeof name, n == 1 ? "%s" : "%s%d", g->name, i + 1);
      bind_vector_push(L, from->rows, from->x + (size_t)(g->first + i) * (size_t)from->rows);
      lua_setfield(L, to, name);
      set_unit(L, to, name, g->unit);
    }
  }
}

/* ---- all together ---- */

/* also kept in the table below `to`: a part may take its name from it ("gap" of one contact, a body
 * called "q") */
static bind_matrix *new_matrix(lua_State *L, int to, const char *name, int n, int width) {
  bind_matrix *x = bind_matrix_new(L, n, width);
  memset(x->x, 0, (size_t)n * (size_t)width * sizeof *x->x);
  lua_pushvalue(L, -1);
  lua_rawseti(L, to - 1, (lua_Integer)lua_rawlen(L, to - 1) + 1);
  lua_setfield(L, to, name);
  return x;
}

static void make_columns(lua_State *L, int to, const sim_run *r, int n, table *t) {
  const model_shape *shape = &r->m->shape;
  t->n = n;
  for (int k = 0; k < SINGLES; k++) t->single[k] = new_matrix(L, to, single_names[k], n, 1);
  t->q = new_matrix(L, to, "q", n, shape->nq);
  t->u = new_matrix(L, to, "u", n, shape->nu);
  t->gap = new_matrix(L, to, "gap", n, shape->nc);
  t->force = new_matrix(L, to, "force", n, model_all_rows(shape));
  t->mode = new_matrix(L, to, "mode", n, shape->nc);
}

static void name_columns(lua_State *L, int to, const sim_run *r, const table *t) {
  int by_name = mechanism_of(r->m) != NULL;
  add_name(L, to, "t", "s");
  if (by_name) {
    add_states(L, to, r->m, t->q, t->u);
    add_contacts(L, to, r->m, t);
  } else {
    add_state(L, to, t->q, r->m, 'q');
    add_state(L, to, t->u, r->m, 'u');
    add_numbered(L, to, t->gap, "gap", "m");
    add_forces(L, to, t->force, &r->m->shape);
    add_numbered(L, to, t->mode, "mode", "1");
  }
  for (int k = KINETIC; k < SINGLES; k++) add_name(L, to, single_names[k], single_units[k]);
  if (!by_name) add_groups(L, to, r->m, t->q, t->u);
}

/* rows in a userdata, so that they are freed whatever happens; pushed */
static rows new_rows(lua_State *L, const sim_run *r, int samples) {
  size_t room = (size_t)samples + 2 * r->n_events + 1;
  rows list = {0, lua_newuserdatauv(L, room * sizeof(row), 0)};
  if (r->n_steps) list_rows(r, samples, &list);
  return list;
}

void bind_run_columns(lua_State *L, const bind_run *b, int samples) {
  const sim_run *r = b->r;
  core_error err = {0};
  table t;
  rows list = new_rows(L, r, samples);
  lua_newtable(L); /* keeps the matrices while they are taken apart */
  lua_newtable(L);
  int to = lua_gettop(L);
  lua_newtable(L);
  lua_newtable(L);
  make_columns(L, to, r, (int)list.n, &t);
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_status status = fill(r, &list, s, &t, &err);
  core_scratch_release(s, mark);
  err.status = status;
  if (status) bind_raise(L, &err);
  name_columns(L, to, r, &t);
  lua_setfield(L, to, "units");
  lua_setfield(L, to, "names");
  lua_pushinteger(L, (lua_Integer)list.n);
  lua_setfield(L, to, "n");
  lua_replace(L, to - 2);
  lua_settop(L, to - 2);
}
