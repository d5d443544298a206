/* Back onto the constraints: rounding and truncation let closed contacts drift.
 *
 *   positions:  q += rates(Y_n x),  W_nn x = -gap, until nothing moves
 *   speeds:     u += Y x,           W x = -v in the rows that are held, after A u = 0;
 *               with friction x_t = -mu x_n s where a point slides along s, else x_t = 0
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "sim/motion.h"

static void shift(const sim_motion *f, const sim_space *space, const double *x, double *by) {
  int rows = space->setup.problem.rows;
  memset(by, 0, (size_t)f->nu * sizeof *by);
  for (int r = 0; r < rows; r++)
    for (int i = 0; i < f->nu; i++) by[i] += space->setup.Y[r * f->nu + i] * x[r];
}

static double largest_gap(sim_motion *f, const sim_closed *c, const double *q, double *b,
                          core_status *status) {
  double largest = 0;
  *status = f->m->type->gap(f->m, q, f->gap);
  memset(b, 0, (size_t)sim_closed_rows(f, c) * sizeof *b);
  for (int i = 0, end = 0; i < c->n; i++) {
    double g = f->gap[c->ids[i]];
    end += sim_rows_of(f, c->ids[i]);
    b[end - 1] = g;
    largest = fmax(largest, fabs(g) / f->scale.per[c->ids[i]]);
  }
  return largest;
}

typedef struct work {
  double *b, *x, *du, *dq;
  int *mode;
  sim_rule rule; /* without friction */
} work;

static core_status take(sim_motion *f, const sim_closed *c, work *w) {
  int rows = sim_closed_rows(f, c);
  double *block = core_scratch_doubles(f->s, (size_t)(2 * rows + f->nu + f->nq + f->nc));
  w->mode = core_scratch_ints(f->s, (size_t)c->n);
  if (!block || !w->mode) return CORE_NO_MEMORY;
  w->b = block;
  w->x = w->b + rows;
  w->du = w->x + rows;
  w->dq = w->du + f->nu;
  double *none = w->dq + f->nq;
  memset(none, 0, (size_t)f->nc * sizeof *none);
  w->rule = (sim_rule){none, 1};
  return CORE_OK;
}

static core_status positions(sim_motion *f, const sim_closed *closed, work *w, double *q,
                             const double *u) {
  core_status status;
  sim_closed c = *closed; /* by their normals alone */
  for (int i = 0; i < c.n; i++) w->mode[i] = SIM_MODE_SLIP;
  c.mode = w->mode;
  for (int round = 0; round < SIM_PROJECTIONS; round++) {
    if (largest_gap(f, &c, q, w->b, &status) <= SIM_ON_SURFACE * DBL_EPSILON * f->scale.length ||
        status)
      return status;
    sim_space space;
    core_mark mark = core_scratch_mark(f->s);
    status = impact_assemble(f->m, q, u, c.n, c.ids, f->s, &space.setup, f->err);
    if (!status) status = sim_balance(f, &space, &c, w->rule, w->b, w->x);
    if (!status) {
      shift(f, &space, w->x, w->du);
      status = model_rates(f->m, q, w->du, w->dq);
    }
    core_scratch_release(f->s, mark);
    for (int i = 0; i < f->nq && !status; i++) q[i] += w->dq[i];
    if (status) return status;
  }
  return CORE_OK;
}

/* what the impulses x take from points that slide with v, then with v + W x [J] */
static double taken(const sim_closed *c, const impact_problem *pr, const double *x) {
  double sum = 0;
  for (int i = 0; i < pr->nc; i++)
    for (int r = impact_first(pr, i); r < impact_normal(pr, i) && !sim_stands(c->mode[i]); r++) {
      double v = pr->v[r];
      for (int j = 0; j < pr->rows; j++) v += pr->W[j * pr->rows + r] * x[j] / 2;
      sum -= x[r] * v;
    }
  return sum;
}

static core_status speeds(sim_motion *f, const sim_closed *c, sim_rule rule, work *w,
                          const double *q, double *u, double *friction) {
  sim_space space;
  core_status status = impact_assemble(f->m, q, u, c->n, c->ids, f->s, &space.setup, f->err);
  if (!status) status = sim_balance(f, &space, c, rule, space.setup.problem.v, w->x);
  if (status) return status;
  if (friction) *friction = taken(c, &space.setup.problem, w->x);
  shift(f, &space, w->x, w->du);
  for (int i = 0; i < f->nu; i++) u[i] += w->du[i];
  return CORE_OK;
}

/* speeds onto the standing constraints A u = 0, by the model's own way or by [M A^T; A 0] [du; x] =
 * [0; -A u] */
core_status sim_close(const model *m, core_scratch *s, double *q, double *u) {
  if (m->type->close) return m->type->close(m, q, u);
  int nu = m->shape.nu, n = nu + m->shape.na;
  double *K = core_scratch_doubles(s, (size_t)(n * n)), *x = core_scratch_doubles(s, (size_t)n);
  if (!K || !x) return CORE_NO_MEMORY;
  core_status status = model_block(m, q, s, K);
  if (status) return status;
  memset(x, 0, (size_t)n * sizeof *x);
  for (int j = 0; j < nu; j++)
    for (int i = nu; i < n; i++) x[i] -= K[j * n + i] * u[j];
  status = core_lin_solve_symmetric(n, K, 1, x, s, NULL);
  for (int i = 0; i < nu && !status; i++) u[i] += x[i];
  return status;
}

core_status sim_project(sim_motion *f, const sim_closed *c, const double *mu, double *y,
                        double *friction) {
  if (friction) *friction = 0;
  if (f->m->type->normalise) f->m->type->normalise(f->m, y);
  if (c->n == 0 && f->m->shape.na == 0) return CORE_OK;
  core_mark mark = core_scratch_mark(f->s);
  work w;
  core_status status = f->m->shape.na ? sim_close(f->m, f->s, y, y + f->nq) : CORE_OK;
  if (!status) status = take(f, c, &w);
  if (!status && c->n) status = positions(f, c, &w, y, y + f->nq);
  if (!status && c->n)
    status = speeds(f, c, mu ? (sim_rule){mu, 1} : w.rule, &w, y, y + f->nq, friction);
  core_scratch_release(f->s, mark);
  return status;
}

/* those of `n` contacts, whose gaps f->gap has, that are inside of what they touch by less than
 * `touch`: more is no rounding, but a gap that jumps */
static int list_inside(const sim_motion *f, int n, const int *ids, int *inside) {
  double least = SIM_ON_SURFACE * DBL_EPSILON * f->scale.length;
  int k = 0;
  for (int i = 0; i < n; i++)
    if (f->gap[ids[i]] < -least * f->scale.per[ids[i]] && f->gap[ids[i]] >= -sim_touch(f, ids[i]))
      inside[k++] = ids[i];
  return k;
}

core_status sim_lift(sim_motion *f, int n, const int *ids, double *y, double *raised) {
  core_mark mark = core_scratch_mark(f->s);
  sim_closed c = {0};
  work w;
  double k0, p0, k1, p1;
  *raised = 0;
  c.ids = core_scratch_ints(f->s, (size_t)n);
  core_status status = c.ids ? CORE_OK : CORE_NO_MEMORY;
  c.n = status ? 0 : list_inside(f, n, ids, c.ids);
  if (c.n) status = sim_energy(f->m, y, y + f->nq, f->s, &k0, &p0);
  if (c.n && !status) status = take(f, &c, &w);
  if (c.n && !status) status = positions(f, &c, &w, y, y + f->nq);
  if (c.n && !status) status = sim_energy(f->m, y, y + f->nq, f->s, &k1, &p1);
  if (c.n && !status) *raised = k1 + p1 - k0 - p0;
  core_scratch_release(f->s, mark);
  return status;
}
