/* k.model{...}: a model written in Lua, from its definition to an instance. */
#include <lauxlib.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bind/lua_model.h"
#include "bind/object.h"
#include "bind/param.h"
#include "model/check.h"

typedef struct state {
  core_list q, u;
} state;

static const char *const extra[] = {"q", "u", NULL};

bind_lua_definition *bind_lua_definition_of(const model *m) {
  return (bind_lua_definition *)((char *)(uintptr_t)m->type - offsetof(bind_lua_definition, type));
}

/* ---- building ---- */

static core_status start(const model *m, double *q, double *u, core_error *err) {
  const state *s = m->params;
  int n = m->shape.nq;
  for (int k = 0; k < 2; k++) {
    const core_list *l = k ? &s->u : &s->q;
    double *x = k ? u : q;
    if (l->n && l->n != n)
      return core_fail(err, CORE_BAD_INPUT, "%s: %s must be a list of %d numbers, got %d",
                       m->type->schema.owner, k ? "u" : "q", n, l->n);
    for (int i = 0; i < n; i++) x[i] = l->n ? core_list_data(l)[i] : 0;
  }
  return CORE_OK;
}

/* the definition says how many rows each contact has: one for each gap, as many as the jacobian */
static core_status use_list(model *m, const double *q, core_error *err) {
  bind_lua_definition *d = bind_lua_definition_of(m);
  int rows = d->first[d->listed], cols, uniform = 1;
  if (d->listed != m->shape.nc)
    return core_fail(err, CORE_BAD_INPUT,
                     "%s: dim must have one number for each of the %d gaps, got %d",
                     m->type->schema.owner, m->shape.nc, d->listed);
  m->shape.dim = 0, m->shape.first = d->first;
  for (int c = 0; c < d->listed; c++) {
    uniform &= model_rows_of(&m->shape, c) == d->first[1];
    m->shape.dim =
        model_rows_of(&m->shape, c) > m->shape.dim ? model_rows_of(&m->shape, c) : m->shape.dim;
  }
  if (uniform) m->shape.first = NULL;
  if (!d->has_jacobian) return CORE_OK;
  core_status status = bind_lua_measure(m, "jacobian", q, &rows, &cols);
  if (status) return core_fail(err, status, "%s", "");
  if (rows * cols == d->first[d->listed] * m->shape.nu) return CORE_OK;
  return core_fail(err, CORE_BAD_INPUT, "%s: jacobian must give the %d rows of dim, got %d x %d",
                   m->type->schema.owner, d->first[d->listed], rows, cols);
}

/* rows per contact from `dim`, the jacobian, the position, or 1 */
static core_status find_dim(model *m, const double *q, core_error *err) {
  bind_lua_definition *d = bind_lua_definition_of(m);
  int rows, cols, nc = m->shape.nc;
  if (d->listed) return use_list(m, q, err);
  m->shape.dim = 1;
  if (!d->has_jacobian && !d->has_position) return CORE_OK;
  core_status status =
      bind_lua_measure(m, d->has_jacobian ? "jacobian" : "position", q, &rows, &cols);
  if (status) return core_fail(err, status, "%s", "");
  if (d->has_jacobian && rows * cols == m->shape.nu) rows = 1; /* a flat list is one row */
  int dim = d->has_jacobian ? rows / nc : rows * cols / nc;
  if (dim < 1 || dim > 3 || (d->has_jacobian && rows != nc * dim))
    return core_fail(err, CORE_BAD_INPUT,
                     "%s: %s must give 1, 2 or 3 rows for each of the %d contacts, got %d x %d",
                     m->type->schema.owner, d->has_jacobian ? "jacobian" : "position", nc, rows,
                     cols);
  m->shape.dim = dim;
  return CORE_OK;
}

static core_status find_sizes(model *m, const double *q, core_error *err) {
  bind_lua_definition *d = bind_lua_definition_of(m);
  int rows, cols;
  core_status status = bind_lua_measure(m, "gap", q, &rows, &cols);
  if (status) return core_fail(err, status, "%s", "");
  m->shape.nc = rows * cols;
  status = find_dim(m, q, err);
  if (status || !d->type.constraints) return status;
  status = bind_lua_measure(m, "constraints", q, &rows, &cols);
  if (!status) m->shape.na = rows * cols / m->shape.nu;
  return status;
}

static core_status build(model *m, core_error *err) {
  bind_lua_definition *d = bind_lua_definition_of(m);
  if (d->sized) {
    m->shape = d->shape;
    return CORE_OK;
  }
  m->shape = d->shape; /* nq and nu */
  core_scratch *s = &d->spec.state->scratch;
  core_mark mark = core_scratch_mark(s);
  int n = m->shape.nq;
  double *q = core_scratch_doubles(s, 2 * (size_t)n);
  core_status status = q ? start(m, q, q + n, err) : CORE_NO_MEMORY;
  if (!status) status = find_sizes(m, q, err);
  core_scratch_release(s, mark);
  if (status) return status;
  d->shape = m->shape;
  d->sized = 1;
  return CORE_OK;
}

/* ---- the definition ---- */

static const bind_spec_key keys[] = {
    {"name", "string", "a word", 0},
    {"doc", "string", "a text", 0},
    {"coordinates", "table", "a list of names, as in {\"x\", \"z\"}", 1},
    {"q", "table|matrix|number", "a list of numbers: where it starts", 0},
    {"u", "table|matrix|number", "a list of numbers: how fast it starts", 0},
    {"mass", "function|number|table|matrix",
     "a function of q that gives the mass matrix (or its diagonal), or that matrix itself", 1},
    {"gap", "function", "a function of q that gives the gap of each contact [m]", 1},
    {"jacobian", "function|table|matrix",
     "a function of q that gives J (rows t1, t2, n of each contact), or J itself", 0},
    {"dim", "table",
     "a list with the rows of each contact (1, 2 or 3), when they differ, as in {2, 1}", 0},
    {"position", "function",
     "a function of q that gives each contact point along t1, t2, n [m], for rows t by differences",
     0},
    {"forces", "function", "a function of q, u, t that gives f in M u' = f", 0},
    {"potential", "function", "a function of q that gives the potential energy [J]", 0},
    {"constraints", "function|table|matrix", "a function of q that gives A in A u = 0", 0},
    {"power", "function",
     "a function of q, u, t that gives the power of forces that are not in the potential [W]", 0},
    {"check", "boolean",
     "false to leave out the checks of jacobian, mass and forces against each other, or true", 0},
    {"parameters", "table", "a table of numbers, handed to each function as its last argument", 0},
    {"units", "table", "a table of units by name", 0},
    {0},
};

static int there(lua_State *L, int index, const char *name) {
  int type = lua_getfield(L, index, name);
  lua_pop(L, 1);
  return type == LUA_TFUNCTION ? 2 : type != LUA_TNIL;
}

/* names of the coordinates: their number and one text */
static int read_coordinates(lua_State *L, int index, bind_lua_definition *d) {
  lua_getfield(L, index, "coordinates");
  int n = (int)lua_rawlen(L, -1);
  if (n < 1) bind_error(L, "model: coordinates must be a list of names, as in {\"x\", \"z\"}");
  for (int i = 1; i <= n; i++) {
    if (lua_rawgeti(L, -1, i) != LUA_TSTRING)
      bind_error(L, "model: coordinates[%d] must be a name", i);
    for (int j = 1; j < i; j++) {
      lua_rawgeti(L, -2, j);
      if (lua_rawequal(L, -1, -2))
        bind_error(L, "model: coordinates[%d] and [%d] are both called '%s'", j, i,
                   lua_tostring(L, -1));
      lua_pop(L, 1);
    }
    size_t used = strlen(d->coordinates);
    snprintf(d->coordinates + used, sizeof d->coordinates - used, "%s%s", i > 1 ? ", " : "",
             lua_tostring(L, -1));
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return n;
}

/* dim = {2, 1}: kept as offsets in the second user value of the definition, which is at 2 */
static void read_dim(lua_State *L, int index, bind_lua_definition *d) {
  if (lua_getfield(L, index, "dim") == LUA_TTABLE) {
    int n = (int)lua_rawlen(L, -1);
    if (n < 1) bind_error(L, "model: dim must be a list with the rows of each contact");
    int *first = lua_newuserdatauv(L, ((size_t)n + 1) * sizeof *first, 0);
    first[0] = 0;
    for (int c = 0; c < n; c++) {
      lua_rawgeti(L, -2, c + 1);
      int ok, rows = (int)lua_tointegerx(L, -1, &ok);
      if (!ok || rows < 1 || rows > 3) bind_error(L, "model: dim[%d] must be 1, 2 or 3", c + 1);
      first[c + 1] = first[c] + rows;
      lua_pop(L, 1);
    }
    lua_setiuservalue(L, 2, 2);
    d->first = first, d->listed = n;
  }
  lua_pop(L, 1);
}

static void write_note(bind_lua_definition *d) {
  const char *jacobian_from = d->has_jacobian   ? ""
                              : d->has_position ? "jacobian by differences of gap and position"
                                                : "jacobian by differences of gap";
  const char *forces_from = d->has_forces || !(d->has_mass_function || d->has_potential) ? ""
                            : d->has_mass_function && d->has_potential
                                ? "forces by differences of mass and potential"
                            : d->has_potential ? "forces by differences of the potential"
                                               : "forces by differences of the mass";
  snprintf(d->note, sizeof d->note, "%s%s%s", jacobian_from,
           *jacobian_from && *forces_from ? ", " : "", forces_from);
}

static void fill_type(lua_State *L, int index, bind_lua_definition *d) {
  d->has_jacobian = there(L, index, "jacobian");
  d->has_position = there(L, index, "position");
  d->has_forces = there(L, index, "forces");
  d->has_potential = there(L, index, "potential");
  d->has_mass_function = there(L, index, "mass") == 2;
  lua_getfield(L, index, "check");
  d->checked = lua_isnil(L, -1) || lua_toboolean(L, -1);
  lua_pop(L, 1);
  d->groups[0] = (model_group){"coordinates", "", 'q', 0, -1, d->coordinates};
  d->groups[1] = (model_group){"rates", "", 'u', 0, -1, "their rates"};
  d->type = (model_type){.schema = d->spec.schema,
                         .doc = "A model written in Lua.",
                         .paper = "",
                         .example = "",
                         .groups = d->groups,
                         .build = build,
                         .start = start};
  d->type.wants_tangents = d->checked && d->shape.nu > 1; /* one speed has one direction */
  bind_lua_hooks(d, there(L, index, "constraints"), there(L, index, "power"));
  write_note(d);
}

static core_status make(const void *type, const void *params, void *to, core_error *err) {
  return model_create(type, params, to, err);
}

void bind_lua_model_how(const model *m, model_check_how *how) {
  if (m->type->build != build) return;
  const bind_lua_definition *d = bind_lua_definition_of(m);
  *how = (model_check_how){d->has_position ? bind_lua_position : NULL,
                           d->has_forces && d->has_potential};
}

/* what the parts say of each other, when the model is made */
static void check(lua_State *L, const model *m) {
  model_check_how how = {NULL, 1};
  bind_lua_model_how(m, &how);
  core_error err = {0};
  core_scratch *s = bind_scratch(L);
  core_mark mark = core_scratch_mark(s);
  core_status status = model_check(m, &how, s, &err);
  core_scratch_release(s, mark);
  bind_raise_if(L, status, &err);
}

int bind_lua_model(lua_State *L) {
  bind_check_table(L, 1, "model");
  bind_lua_definition *d =
      (bind_lua_definition *)bind_spec_new(L, 1, sizeof *d, "model", "", keys, extra); /* 2 */
  int n = read_coordinates(L, 1, d);
  d->shape = (model_shape){.nq = n, .nu = n};
  read_dim(L, 1, d);
  fill_type(L, 1, d);
  bind_spec_values(L, 1, extra);     /* 3 */
  bind_model *b = bind_model_new(L); /* 4 */
  lua_pushvalue(L, 2);
  lua_setiuservalue(L, 4, 1);
  core_error err = {0};
  bind_raise_if(L, bind_object_make(L, 3, 4, &d->type.schema, NULL, make, &d->type, &b->m, &err),
                &err);
  if (d->checked) check(L, b->m);
  return 1;
}

const char *bind_lua_model_note(const model *m) {
  return m->type->build == build && bind_lua_definition_of(m)->note[0]
             ? bind_lua_definition_of(m)->note
             : NULL;
}
