/* Forces at closed contacts, with the modes given.
 *
 *   a = a_free + W f,   a_free = J u'_free + J' u
 *   stick: a = 0 in all rows;   slip: a_n = 0 and f_t = -mu f_n s;   open: f = 0
 *
 * With one column of D per unknown (a unit row for stick, n - mu s for slip) and one row of E per
 * equation this is (E W D) x = -E a_free, f = D x, which balance.c solves.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "sim/balance.h"
#include "sim/motion.h"

/* eps max_r sum_j |J_rj u_j|, some of them: how well velocities of n contacts are known [m/s] */
static double noise_of(const sim_motion *f, const impact_setup *setup, const double *u, int n,
                       const int *ids) {
  int rows = setup->problem.rows;
  double largest = 0;
  for (int i = 0, r = 0; i < n; i++)
    for (int end = r + impact_rows_of(&setup->problem, i); r < end; r++) {
      double sum = 0;
      for (int j = 0; j < setup->nu; j++) sum += fabs(setup->J[j * rows + r] * u[j]);
      largest = fmax(largest, sum / f->scale.per[ids[i]]);
    }
  return SIM_V_ROUNDING * DBL_EPSILON * largest;
}

core_status sim_space_at(sim_motion *f, const double *q, const double *u, const double *udot, int n,
                         const int *ids, sim_space *space) {
  core_status status = impact_assemble(f->m, q, u, n, ids, f->s, &space->setup, f->err);
  if (status) return status;
  const impact_problem *pr = &space->setup.problem;
  int rows = pr->rows;
  space->a_free = core_scratch_doubles(f->s, (size_t)rows + 1);
  if (!space->a_free) return CORE_NO_MEMORY;
  status = model_drift(f->m, q, u, f->s, f->all_rows);
  if (status) return status;
  for (int i = 0; i < n; i++)
    memcpy(space->a_free + impact_first(pr, i), f->all_rows + model_first(&f->m->shape, ids[i]),
           (size_t)impact_rows_of(pr, i) * sizeof *f->all_rows);
  for (int j = 0; j < f->nu; j++)
    for (int r = 0; r < rows; r++) space->a_free[r] += space->setup.J[j * rows + r] * udot[j];
  if (f->dim == 3) f->v_rounding = fmax(f->v_rounding, noise_of(f, &space->setup, u, n, ids));
  return CORE_OK;
}

/* Unit direction of sliding: that of v_t = along kept + across kept'. `across` below rounding is
 * none, so that straight sliding stays straight, also through a stop inside a trial step. Sliding
 * that turns must not go through one: CORE_NOT_FINITE makes the step shorter (events may look). */
static core_status slip_direction(const sim_motion *f, const sim_closed *c, int i, const double *v,
                                  int beyond, double *s) {
  const double *kept = c->slip + 2 * i;
  s[0] = kept[0];
  s[1] = kept[1];
  if (sim_rows_of(f, c->ids[i]) < 3 || c->mode[i] != SIM_MODE_SLIP) return CORE_OK;
  double along = v[0] * kept[0] + v[1] * kept[1], across = v[1] * kept[0] - v[0] * kept[1];
  if (fabs(across) <= f->v_rounding) return CORE_OK;
  if (along <= 0 && !beyond) return CORE_NOT_FINITE;
  double speed = hypot(along, across), x = fabs(along) / speed, y = across / speed;
  s[0] = x * kept[0] - y * kept[1];
  s[1] = x * kept[1] + y * kept[0];
  return CORE_OK;
}

static core_status list_unknowns(const sim_motion *f, const sim_space *space, const sim_closed *c,
                                 sim_rule rule, sim_unknown *x, int *n) {
  core_status status = CORE_OK;
  const impact_problem *pr = &space->setup.problem;
  int k = 0;
  for (int i = 0; i < c->n && !status; i++) {
    int first = impact_first(pr, i), rows = impact_rows_of(pr, i);
    if (c->mode[i] == SIM_MODE_OPEN) continue;
    if (sim_stands(c->mode[i])) {
      for (int r = 0; r < rows; r++) {
        x[k] = (sim_unknown){first + r, first, rows, i, {0, 0, 0}};
        x[k++].force[r] = 1;
      }
      continue;
    }
    double s[2] = {0, 0}, mu = rule.mu[c->ids[i]];
    if (mu > 0 && rows > 1) status = slip_direction(f, c, i, pr->v + first, rule.beyond, s);
    x[k] = (sim_unknown){first + rows - 1, first, rows, i, {-mu * s[0], -mu * s[1], 0}};
    x[k++].force[rows - 1] = 1;
  }
  *n = k;
  return status;
}

/* K = E W D */
static void reduce(const sim_space *space, int k, const sim_unknown *x, double *K) {
  int rows = space->setup.problem.rows;
  const double *W = space->setup.problem.W;
  for (int j = 0; j < k; j++)
    for (int i = 0; i < k; i++) {
      double sum = 0;
      for (int r = 0; r < x[j].rows; r++)
        sum += W[(x[j].first + r) * rows + x[i].row] * x[j].force[r];
      K[j * k + i] = sum;
    }
}

/* What a unit of force j does to its own row while all others keep theirs at rest:
 * K_jj - K_jT K_TT^-1 K_Tj, T: the others */
static core_status held_by_others(core_scratch *s, int k, const double *K, int j, double *own) {
  int n = k - 1, rank;
  double *A = core_scratch_doubles(s, (size_t)(n * n + 2 * n + 1)), *b = A + n * n, *x = b + n;
  if (!A) return CORE_NO_MEMORY;
  for (int l = 0; l < n; l++) {
    int from = l + (l >= j);
    for (int i = 0; i < n; i++) A[l * n + i] = K[from * k + i + (i >= j)];
    b[l] = K[j * k + from];
  }
  core_status status = core_lin_least_squares(n, n, A, 1, b, SIM_DEPENDENT, s, x, &rank);
  *own = K[j * k + j];
  for (int l = 0; l < n && !status; l++) *own -= K[(l + (l >= j)) * k + j] * x[l];
  return status;
}

/* A sliding contact whose force drives it further in cannot be held, unless by the others. Nor can
 * one that is about to: forces grow beyond all bounds there, and rounding rules below the part
 * given here. */
static core_status check_held(core_scratch *s, const sim_space *space, const sim_closed *c, int k,
                              const sim_unknown *x, const double *K) {
  int rows = space->setup.problem.rows;
  for (int j = 0; j < k; j++) {
    double own = K[j * k + j], whole = space->setup.problem.W[x[j].row * (rows + 1)];
    if (sim_stands(c->mode[x[j].at]) || own > SIM_HELD * whole) continue;
    core_status status = k > 1 ? held_by_others(s, k, K, j, &own) : CORE_OK;
    if (status) return status;
    if (!(own > SIM_HELD * whole)) return CORE_NO_SOLUTION;
  }
  return CORE_OK;
}

/* Sliding contacts that hold each other up fail together: forces that cancel but for a part in 1e6
 * of what they do. */
static core_status check_bounded(const sim_space *space, const sim_closed *c, sim_rule rule, int k,
                                 const sim_unknown *x, const double *z, const double *b) {
  int rows = space->setup.problem.rows, slides = 0;
  double most = 0, size = 0;
  for (int j = 0; j < k; j++) {
    int i = x[j].at, r = x[j].row;
    slides |= !sim_stands(c->mode[i]) && rule.mu[c->ids[i]] > 0;
    most = fmax(most, fabs(z[j]) * space->setup.problem.W[r * rows + r]);
    size = fmax(size, fabs(b[r]));
  }
  return slides && k > 1 && most > SIM_BOUNDED * size ? CORE_NO_SOLUTION : CORE_OK;
}

core_status sim_balance(sim_motion *f, const sim_space *space, const sim_closed *c, sim_rule rule,
                        const double *b, double *out) {
  f->redundant = 0;
  if (c->n == 0) return CORE_OK;
  int rows = space->setup.problem.rows;
  memset(out, 0, (size_t)rows * sizeof *out);
  core_mark mark = core_scratch_mark(f->s);
  sim_unknown *x = core_scratch_bytes(f->s, (size_t)rows * sizeof *x);
  double *K = core_scratch_doubles(f->s, (size_t)(rows * rows + rows)), *z = K + rows * rows;
  core_status status = x && K ? CORE_OK : CORE_NO_MEMORY;
  int k = 0;
  if (!status) status = list_unknowns(f, space, c, rule, x, &k);
  if (!status && k > 0) {
    reduce(space, k, x, K);
    for (int i = 0; i < k; i++) z[i] = -b[x[i].row];
    status = check_held(f->s, space, c, k, x, K);
    if (!status) status = sim_balance_solve(f, c, k, x, K, z);
    if (!status) status = check_bounded(space, c, rule, k, x, z, b);
  }
  for (int j = 0; j < k && !status; j++)
    for (int r = 0; r < x[j].rows; r++) out[x[j].first + r] += x[j].force[r] * z[j];
  core_scratch_release(f->s, mark);
  return status;
}

core_status sim_contact_forces(sim_motion *f, double t, const double *q, const double *u,
                               const double *udot, const sim_closed *c, int beyond,
                               sim_space *space, double *force) {
  sim_rule rule = {f->mu, beyond};
  core_status status = sim_space_at(f, q, u, udot, c->n, c->ids, space);
  sim_closed turned = *c;
  for (int i = 0; i < c->n && !status && turned.slip == c->slip; i++) {
    if (c->mode[i] != SIM_MODE_CREEP) continue;
    turned.slip = f->creep;
    memcpy(turned.slip, c->slip, 2 * (size_t)c->n * sizeof *c->slip);
    status = sim_creep(f, t, q, u, udot, space, rule, &turned);
  }
  if (!status) status = sim_balance(f, space, &turned, rule, space->a_free, force);
  if (status == CORE_NO_SOLUTION)
    core_fail(f->err, status,
              "no contact force satisfies the laws at t = %.10g s: a sliding contact cannot be "
              "held (Painleve)",
              t);
  return status;
}
