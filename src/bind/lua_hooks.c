/* The hooks of models written in Lua. They enter Lua by bind_protect, so that an error in a
 * function of the script comes out as a status and is raised by the binding that started it all.
 *
 * What is absent is made from what is there, and the model says so:
 *
 *   jacobian   rows n from gap, rows t from position, by five-point differences
 *   forces     Lagrange: f_i = 1/2 u^T dM/dq_i u - (dM/dt u)_i - dV/dq_i, by five-point differences
 */
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/lua_model.h"
#include "bind/matrix.h"
#include "bind/param.h"

/* ---- one call of a function of the definition ---- */

typedef struct call {
  const bind_lua_definition *d;
  const model *m;
  const char *name;    /* "gap" */
  const double *q, *u; /* u may be NULL: function of q alone */
  double t;
  double *out;    /* rows x cols */
  int rows, cols; /* wanted; when `measure` is set, what came */
  int measure;
} call;

static void push_arguments(lua_State *L, const call *c) {
  int n = c->m->shape.nq;
  bind_vector_push(L, n, c->q);
  if (c->u) {
    bind_vector_push(L, n, c->u);
    lua_pushnumber(L, c->t);
  }
  bind_spec_parameters(L, &c->d->spec, c->m->params, 2);
}

/* a list of n stands for the diagonal of a mass matrix */
static int is_diagonal(const call *c, int rows, int cols) {
  return !strcmp(c->name, "mass") && c->rows > 1 && rows == c->rows && cols == 1;
}

static void store(const call *c, int rows, int cols, const double *x) {
  int n = c->rows;
  if (!is_diagonal(c, rows, cols)) {
    memcpy(c->out, x, (size_t)(rows * cols) * sizeof *x);
    return;
  }
  memset(c->out, 0, (size_t)(n * n) * sizeof *c->out);
  for (int i = 0; i < n; i++) c->out[i * n + i] = x[i];
}

/* same shape, or a flat list where one side is 1 */
static int fits(const call *c, int rows, int cols) {
  if (rows == c->rows && cols == c->cols) return 1;
  int flat = rows == 1 || cols == 1, wanted_flat = c->rows == 1 || c->cols == 1;
  return (flat && wanted_flat && rows * cols == c->rows * c->cols) || is_diagonal(c, rows, cols);
}

/* the result on top of the stack */
static void read_result(lua_State *L, call *c) {
  char got[120];
  int rows, cols;
  double *x;
  if (!bind_numbers(L, -1, &c->d->spec.state->scratch, &rows, &cols, &x, got, sizeof got))
    luaL_error(L, "must return numbers, got %s", got);
  if (c->measure) {
    c->rows = rows;
    c->cols = cols;
    return;
  }
  if (!fits(c, rows, cols))
    luaL_error(L, "must return %d x %d numbers, got %d x %d", c->rows, c->cols, rows, cols);
  for (int i = 0; i < rows * cols; i++)
    if (!isfinite(x[i])) luaL_error(L, "returned a NaN or an infinity");
  store(c, rows, cols, x);
}

static int enter(lua_State *L) {
  call *c = lua_touserdata(L, 1);
  core_mark mark = core_scratch_mark(&c->d->spec.state->scratch);
  if (bind_spec_get(L, &c->d->spec, c->name) == LUA_TFUNCTION) {
    int top = lua_gettop(L);
    push_arguments(L, c);
    lua_call(L, lua_gettop(L) - top, 1);
  }
  read_result(L, c);
  core_scratch_release(&c->d->spec.state->scratch, mark);
  return 0;
}

static core_status run(call *c) {
  char what[96];
  snprintf(what, sizeof what, "%s: %s", c->d->spec.schema.owner, c->name);
  return bind_protect(c->d->spec.state, enter, c, what);
}

static core_status ask(const model *m, const char *name, const double *q, int rows, int cols,
                       double *out) {
  call c = {.d = bind_lua_definition_of(m),
            .m = m,
            .name = name,
            .q = q,
            .out = out,
            .rows = rows,
            .cols = cols};
  return run(&c);
}

core_status bind_lua_measure(const model *m, const char *name, const double *q, int *rows,
                             int *cols) {
  call c = {.d = bind_lua_definition_of(m), .m = m, .name = name, .q = q, .measure = 1};
  core_status status = run(&c);
  *rows = c.rows;
  *cols = c.cols;
  return status;
}

/* ---- differences ---- */

/* f'(x) ~ (f(x-2h) - 8 f(x-h) + 8 f(x+h) - f(x+2h)) / 12h; h balances h^4 and rounding. Added up in
 * pairs, so that a function which does not depend on x gives zero and not rounding. */
static const double at_step[4] = {-1, 1, -2, 2}, weight[4] = {-8, 8, 1, -1};

static double step_for(double x) {
  return ldexp(1, -10) * fmax(1, fabs(x)); /* about 1e-3 */
}

/* d(function)/dq_j, n numbers; q is changed on the way and restored */
static core_status differentiate(const model *m, const char *name, double *q, int j, int rows,
                                 int cols, double *work, double *out) {
  int n = rows * cols;
  double x = q[j], h = step_for(x);
  core_status status = CORE_OK;
  memset(out, 0, (size_t)n * sizeof *out);
  for (int k = 0; k < 4 && !status; k++) {
    q[j] = x + at_step[k] * h;
    status = ask(m, name, q, rows, cols, work);
    for (int i = 0; i < n && !status; i++) out[i] += weight[k] * work[i];
  }
  for (int i = 0; i < n; i++) out[i] /= 12 * h;
  q[j] = x;
  return status;
}

/* ---- hooks ---- */

static core_status mass(const model *m, const double *q, double *M) {
  return ask(m, "mass", q, m->shape.nu, m->shape.nu, M);
}

static core_status gap(const model *m, const double *q, double *out) {
  return ask(m, "gap", q, m->shape.nc, 1, out);
}

core_status bind_lua_position(const model *m, const double *q, double *x) {
  return ask(m, "position", q, m->shape.nc, m->shape.dim, x);
}

/* column j of J: rows t from position (nc x dim, of contacts with fewer rows the first columns),
 * row n from gap */
static core_status jacobian_column(const model *m, double *q, int j, double *work, double *d,
                                   double *J) {
  const model_shape *shape = &m->shape;
  int nc = shape->nc, dim = shape->dim, rows = model_all_rows(shape);
  core_status status = differentiate(m, "gap", q, j, nc, 1, work, d);
  for (int c = 0; c < nc && !status; c++) J[j * rows + model_normal(shape, c)] = d[c];
  if (status || dim == 1) return status;
  status = differentiate(m, "position", q, j, nc, dim, work, d);
  for (int c = 0; c < nc && !status; c++)
    for (int i = 0; i < model_rows_of(shape, c) - 1; i++)
      J[j * rows + model_first(shape, c) + i] = d[i * nc + c];
  return status;
}

static core_status jacobian(const model *m, const double *q, double *J) {
  const bind_lua_definition *d = bind_lua_definition_of(m);
  int all = m->shape.nc * m->shape.dim, nq = m->shape.nq;
  if (d->has_jacobian) return ask(m, "jacobian", q, model_all_rows(&m->shape), m->shape.nu, J);
  core_scratch *s = &d->spec.state->scratch;
  core_mark mark = core_scratch_mark(s);
  double *x = core_scratch_doubles(s, (size_t)nq + 2 * (size_t)all);
  core_status status = x ? CORE_OK : CORE_NO_MEMORY;
  if (!status) memcpy(x, q, (size_t)nq * sizeof *q);
  for (int j = 0; j < nq && !status; j++)
    status = jacobian_column(m, x, j, x + nq, x + nq + all, J);
  core_scratch_release(s, mark);
  return status;
}

/* adds 1/2 u^T dM/dq_k u to f_k and takes u_k dM/dq_k u from f */
static void add_inertial(int n, int k, const double *dM, const double *u, double *f) {
  for (int i = 0; i < n; i++) {
    double row = 0;
    for (int j = 0; j < n; j++) row += dM[j * n + i] * u[j];
    f[k] += u[i] * row / 2;
    f[i] -= u[k] * row;
  }
}

static core_status lagrange(const model *m, double *q, const double *u, double *work, double *dM,
                            double *f) {
  const bind_lua_definition *d = bind_lua_definition_of(m);
  int n = m->shape.nu;
  core_status status = CORE_OK;
  memset(f, 0, (size_t)n * sizeof *f);
  for (int k = 0; k < n && !status; k++) {
    double slope = 0, value;
    if (d->has_potential) status = differentiate(m, "potential", q, k, 1, 1, &value, &slope);
    f[k] -= slope;
    if (status || !d->has_mass_function) continue;
    status = differentiate(m, "mass", q, k, n, n, work, dM);
    if (!status) add_inertial(n, k, dM, u, f);
  }
  return status;
}

static core_status forces(const model *m, double t, const double *q, const double *u, double *f) {
  bind_lua_definition *d = bind_lua_definition_of(m);
  int n = m->shape.nu;
  if (d->has_forces) {
    call c = {
        .d = d, .m = m, .name = "forces", .q = q, .u = u, .t = t, .out = f, .rows = n, .cols = 1};
    return run(&c);
  }
  core_scratch *s = &d->spec.state->scratch;
  core_mark mark = core_scratch_mark(s);
  double *x = core_scratch_doubles(s, (size_t)n + 2 * (size_t)n * (size_t)n);
  core_status status = x ? CORE_OK : CORE_NO_MEMORY;
  if (!status) memcpy(x, q, (size_t)n * sizeof *q);
  if (!status) status = lagrange(m, x, u, x + n, x + n + n * n, f);
  core_scratch_release(s, mark);
  return status;
}

static double potential(const model *m, const double *q) {
  double V = 0;
  if (!bind_lua_definition_of(m)->has_potential) return 0;
  return ask(m, "potential", q, 1, 1, &V) ? NAN : V;
}

static core_status constraints(const model *m, const double *q, double *A) {
  return ask(m, "constraints", q, m->shape.na, m->shape.nu, A);
}

static double power(const model *m, double t, const double *q, const double *u) {
  bind_lua_definition *d = bind_lua_definition_of(m);
  double P = 0;
  call c = {
      .d = d, .m = m, .name = "power", .q = q, .u = u, .t = t, .out = &P, .rows = 1, .cols = 1};
  return run(&c) ? NAN : P;
}

void bind_lua_hooks(bind_lua_definition *d, int has_constraints, int has_power) {
  d->type.mass = mass;
  d->type.gap = gap;
  d->type.jacobian = jacobian;
  d->type.forces = forces;
  d->type.potential = potential;
  d->type.constraints = has_constraints ? constraints : NULL;
  d->type.power = has_power ? power : NULL;
}
