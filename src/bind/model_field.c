#include "bind/model_field.h"

#include <math.h>
#include <string.h>

#include "bind/bind.h"
#include "bind/lua_law.h"
#include "bind/lua_model.h"
#include "bind/matrix.h"
#include "bind/mechanism.h"
#include "impact/assemble.h"

int bind_model_group(lua_State *L, const model *m, const double *q, const double *u,
                     const char *name) {
  for (const model_group *g = m->type->groups; g && g->name; g++) {
    if (g->name[0] != name[0] || strcmp(g->name, name)) continue;
    int all = g->of == 'q' ? m->shape.nq : m->shape.nu;
    int n = g->n < 0 ? all - g->first : g->n;
    const double *x = (g->of == 'q' ? q : u) + g->first;
    if (g->n == 1)
      lua_pushnumber(L, *x);
    else
      bind_vector_push(L, n, x);
    return 1;
  }
  return 0;
}

static void check(lua_State *L, const model *m, core_status status) {
  if (!status) return;
  core_error err = {0};
  core_fail(&err, status, "%s: %s", m->type->schema.owner, core_status_text(status));
  bind_raise(L, &err);
}

/* ---- matrices ---- */

static void push_M(lua_State *L, const model *m) {
  bind_matrix *M = bind_matrix_new(L, m->shape.nu, m->shape.nu);
  check(L, m, m->type->mass(m, m->q, M->x));
}

static void push_J(lua_State *L, const model *m) {
  bind_matrix *J = bind_matrix_new(L, model_all_rows(&m->shape), m->shape.nu);
  check(L, m, m->type->jacobian(m, m->q, J->x));
}

static void push_A(lua_State *L, const model *m) {
  bind_matrix *A = bind_matrix_new(L, m->shape.na, m->shape.nu);
  if (m->shape.na) check(L, m, m->type->constraints(m, m->q, A->x));
}

static void push_gap(lua_State *L, const model *m) {
  bind_matrix *gap = bind_matrix_new(L, m->shape.nc, 1);
  check(L, m, m->type->gap(m, m->q, gap->x));
}

static void push_forces(lua_State *L, const model *m) {
  bind_matrix *f = bind_matrix_new(L, m->shape.nu, 1);
  check(L, m, m->type->forces(m, 0, m->q, m->u, f->x));
}

static void push_rates(lua_State *L, const model *m) {
  bind_matrix *qdot = bind_matrix_new(L, m->shape.nq, 1);
  check(L, m, model_rates(m, m->q, m->u, qdot->x));
}

static void push_drift(lua_State *L, const model *m) {
  bind_matrix *a = bind_matrix_new(L, model_all_rows(&m->shape), 1);
  check(L, m, model_drift(m, m->q, m->u, bind_scratch(L), a->x));
}

static void push_power(lua_State *L, const model *m) {
  double power = m->type->power ? m->type->power(m, 0, m->q, m->u) : 0;
  check(L, m, isnan(power) ? CORE_CALLBACK : CORE_OK);
  lua_pushnumber(L, power);
}

/* W (rows x rows) or v = J u of all contacts, through the waist itself */
static void push_waist(lua_State *L, const model *m, int want_W) {
  int nc = m->shape.nc, rows = model_all_rows(&m->shape);
  bind_matrix *out = bind_matrix_new(L, rows, want_W ? rows : 1);
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_error err = {0};
  impact_setup setup;
  int *contacts = core_scratch_ints(s, (size_t)nc);
  core_status status = contacts ? CORE_OK : CORE_NO_MEMORY;
  for (int c = 0; c < nc && !status; c++) contacts[c] = c;
  if (!status) status = impact_assemble(m, m->q, m->u, nc, contacts, s, &setup, &err);
  if (!status)
    memcpy(out->x, want_W ? setup.problem.W : setup.problem.v,
           (size_t)rows * (size_t)out->cols * sizeof(double));
  core_scratch_release(s, mark);
  err.status = status;
  if (status) bind_raise(L, &err);
}

/* ---- energy, contacts ---- */

static void set_number(lua_State *L, const char *name, double x) {
  lua_pushnumber(L, x);
  lua_setfield(L, -2, name);
}

static void push_energy(lua_State *L, const model *m) {
  core_scratch *s = bind_scratch(L);
  double kinetic, potential = m->type->potential ? m->type->potential(m, m->q) : 0;
  check(L, m, isnan(potential) ? CORE_CALLBACK : CORE_OK);
  check(L, m, model_kinetic(m, m->q, m->u, s, &kinetic));
  lua_createtable(L, 0, 3);
  set_number(L, "kinetic", kinetic);
  set_number(L, "potential", potential);
  set_number(L, "total", kinetic + potential);
}

/* a list with, for each contact, its gap and its velocity (rows t1, t2, n) */
static void push_contacts(lua_State *L, const model *m) {
  push_gap(L, m);
  push_waist(L, m, 0);
  const bind_matrix *gap = lua_touserdata(L, -2), *v = lua_touserdata(L, -1);
  lua_createtable(L, m->shape.nc, 0);
  for (int c = 0; c < m->shape.nc; c++) {
    lua_createtable(L, 0, 2);
    set_number(L, "gap", gap->x[c]);
    bind_vector_push(L, model_rows_of(&m->shape, c), v->x + model_first(&m->shape, c));
    lua_setfield(L, -2, "velocity");
    lua_rawseti(L, -2, c + 1);
  }
}

/* a list of {name, unit, of, n, doc} of the slices of the state */
static void push_groups(lua_State *L, const model *m) {
  lua_newtable(L);
  int n = 0;
  for (const model_group *g = m->type->groups; g && g->name; g++) {
    lua_createtable(L, 0, 5);
    lua_pushinteger(L, g->n < 0 ? (g->of == 'q' ? m->shape.nq : m->shape.nu) - g->first : g->n);
    lua_setfield(L, -2, "n");
    lua_pushstring(L, g->name);
    lua_setfield(L, -2, "name");
    lua_pushstring(L, g->unit);
    lua_setfield(L, -2, "unit");
    lua_pushlstring(L, &g->of, 1);
    lua_setfield(L, -2, "of");
    lua_pushstring(L, g->doc);
    lua_setfield(L, -2, "doc");
    lua_rawseti(L, -2, ++n);
  }
}

const char *bind_model_differences(const model *m) {
  return bind_lua_model_note(m);
}

/* what was said of a file when a mechanism was read from it; 0: nothing */
static int push_file_notes(lua_State *L, const model *m) {
  const mechanism *d = mechanism_of(m);
  if (!d || !bind_mechanism_info(L, d)) return 0;
  lua_getfield(L, -1, "spec");
  int there = lua_getfield(L, -1, "notes") == LUA_TTABLE;
  lua_replace(L, -3);
  lua_pop(L, there ? 1 : 2);
  return there;
}

void bind_model_notes(lua_State *L, const model *m) {
  if (push_file_notes(L, m)) return;
  const char *note = bind_model_differences(m);
  lua_newtable(L);
  if (!note) return;
  lua_pushstring(L, note);
  lua_rawseti(L, -2, 1);
}

/* ---- by name ---- */

/* X(name, expression that pushes the value) */
#define FIELDS(X)                                                                                  \
  X(q, "", "coordinates", bind_state_push(L, m, 'q', m->q))                                        \
  X(u, "", "speeds", bind_state_push(L, m, 'u', m->u))                                             \
  X(M, "kg", "mass matrix", push_M(L, m))                                                          \
  X(J, "1", "jacobian of all contacts, rows (t1, t2, n), (t, n) or (n) each", push_J(L, m))        \
  X(W, "1/kg", "J M^-1 J^T of all contacts", push_waist(L, m, 1))                                  \
  X(v, "m/s", "J u: velocity of all contacts, row by row", push_waist(L, m, 0))                    \
  X(A, "1", "standing constraints A u = 0", push_A(L, m))                                          \
  X(gap, "m", "distance of each contact, a vector", push_gap(L, m))                                \
  X(forces, "N", "right-hand side f of M u' = f, at t = 0", push_forces(L, m))                     \
  X(qdot, "", "q': rates of the coordinates", push_rates(L, m))                                    \
  X(drift, "m/s^2", "J' u: contact accelerations at constant u, row by row", push_drift(L, m))     \
  X(power, "W", "of forces that the potential does not hold, at t = 0", push_power(L, m))          \
  X(energy, "J", "kinetic, potential, total", push_energy(L, m))                                   \
  X(contacts, "", "list of the contacts, each with its gap and velocity", push_contacts(L, m))     \
  X(groups, "", "how the model speaks: name, unit, size n and meaning of its parts",               \
    push_groups(L, m))                                                                             \
  X(notes, "", "what is worth saying of it", bind_model_notes(L, m))                               \
  X(dim, "1", "rows per contact, a list where they differ",                                        \
    bind_dim_push(L, m->shape.nc, m->shape.dim, m->shape.first))                                   \
  X(name, "", "name of the model", lua_pushstring(L, m->type->schema.owner))                       \
  X(doc, "", "what it is", lua_pushstring(L, m->type->doc))                                        \
  X(paper, "", "where it comes from", lua_pushstring(L, m->type->paper))

#define NAME(name, unit, doc, push) #name,
const char *const bind_model_fields[] = {FIELDS(NAME) "with", "at", NULL};

int bind_model_field(lua_State *L, const model *m, const char *name) {
#define MATCH(field, unit, doc, push)                                                              \
  if (!strcmp(name, #field)) {                                                                     \
    push;                                                                                          \
    return 1;                                                                                      \
  }
  FIELDS(MATCH)
#undef MATCH
  return 0;
}

void bind_model_document(lua_State *L) {
  static const bind_field docs[] = {FIELDS(BIND_FIELD_DOC)};
  bind_document(L, "model", docs, sizeof docs / sizeof *docs);
}
