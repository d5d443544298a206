/* A second look at a result, by other routes than the laws take: the full mass matrix instead of
 * the waist, J u+ instead of v- + W p, kinetic energies instead of work. */
#include <math.h>
#include <string.h>

#include "core/lin.h"
#include "impact/assemble.h"

/* the larger one; a NaN wins, so that it is never hidden */
static double worse(double a, double b) {
  return isnan(a) || a > b ? a : b;
}

static double largest(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = worse(most, fabs(x[i]));
  return most;
}

/* error relative to the size of what was compared; nothing compared with nothing is fine */
static double relative(double error, double size) {
  return size > 0 ? error / size : error;
}

/* ---- cone, pull, penetration ---- */

static void audit_contacts(const impact_problem *pr, const law *l, const impact_result *r,
                           impact_audit *audit) {
  double p_size = largest(pr->rows, r->p), v_size = largest(pr->rows, pr->v);
  for (int c = 0; c < pr->nc; c++) {
    int n = impact_normal(pr, c);
    double pn = r->p[n], mu = law_friction_limit(l, c), pt = 0;
    for (int i = impact_first(pr, c); i < n; i++) pt = hypot(pt, r->p[i]);
    if (isfinite(mu)) audit->cone = worse(audit->cone, relative(pt - mu * fmax(pn, 0), p_size));
    audit->pull = worse(audit->pull, relative(-pn, p_size));
    if (!pr->gap || pr->gap[c] <= 0)
      audit->penetration = worse(audit->penetration, relative(-r->v[n], v_size));
  }
}

/* ---- momentum ---- */

/* residual of M du = J^T p + A^T lambda with the lambda that fits best */
static core_status without_reactions(const model *m, const double *q, core_scratch *s, double *r) {
  int nu = m->shape.nu, na = m->shape.na, rank;
  double *A = core_scratch_doubles(s, (size_t)(na * nu)),
         *At = core_scratch_doubles(s, (size_t)(na * nu));
  double *lambda = core_scratch_doubles(s, (size_t)na);
  if (!A || !At || !lambda) return CORE_NO_MEMORY;
  core_status status = m->type->constraints(m, q, A);
  if (status) return status;
  for (int j = 0; j < nu; j++)
    for (int i = 0; i < na; i++) At[i * nu + j] = A[j * na + i];
  status = core_lin_least_squares(nu, na, At, 1, r, -1, s, lambda, &rank);
  if (!status) core_lin_multiply('N', 'N', nu, 1, na, -1, At, nu, lambda, na, 1, r, nu);
  return status;
}

/* relative to the largest momentum there is: before, after or given */
static core_status audit_momentum(const model *m, const double *q, const double *M, const double *u,
                                  const double *u_after, const impact_setup *setup,
                                  const impact_result *r, core_scratch *s, impact_audit *audit) {
  int nu = m->shape.nu, rows = setup->problem.rows;
  double *before = core_scratch_doubles(s, (size_t)nu * 3);
  if (!before) return CORE_NO_MEMORY;
  double *gained = before + nu, *given = gained + nu;
  core_lin_multiply('N', 'N', nu, 1, nu, 1, M, nu, u, nu, 0, before, nu);
  core_lin_multiply('N', 'N', nu, 1, nu, 1, M, nu, u_after, nu, 0, gained, nu);
  core_lin_multiply('T', 'N', nu, 1, rows, 1, setup->J, rows, r->p, rows, 0, given, nu);
  double size = worse(worse(largest(nu, before), largest(nu, gained)), largest(nu, given));
  for (int i = 0; i < nu; i++) gained[i] -= before[i] + given[i];
  core_status status = m->shape.na ? without_reactions(m, q, s, gained) : CORE_OK;
  audit->momentum = relative(largest(nu, gained), size);
  return status;
}

/* ---- energy, velocity ---- */

static double kinetic(int nu, const double *M, const double *u) {
  double twice = 0;
  for (int j = 0; j < nu; j++)
    for (int i = 0; i < nu; i++) twice += u[i] * M[j * nu + i] * u[j];
  return twice / 2;
}

static void audit_energy(double before, double after, const impact_problem *pr,
                         const impact_result *r, impact_audit *audit) {
  double work = 0, size = worse(before, after);
  for (int i = 0; i < pr->rows; i++) work += r->p[i] * (pr->v[i] + r->v[i]) / 2;
  audit->energy = relative(fabs(after - before - work), size);
  audit->ledger =
      relative(fabs(before - after - r->lost_restitution - r->lost_friction - r->stored), size);
}

/* relative to the terms that J u- and J u+ add up */
static void audit_velocity(const impact_setup *setup, const double *u, const double *u_after,
                           const impact_result *r, impact_audit *audit) {
  int rows = setup->problem.rows;
  for (int i = 0; i < rows; i++) {
    double v = 0, size = fabs(r->v[i]);
    for (int j = 0; j < setup->nu; j++) {
      double term = setup->J[j * rows + i] * u_after[j];
      v += term;
      size = worse(size, worse(fabs(term), fabs(setup->J[j * rows + i] * u[j])));
    }
    audit->velocity = worse(audit->velocity, relative(fabs(v - r->v[i]), size));
  }
}

static core_status audit_all(const model *m, const double *q, const double *u,
                             const double *u_after, const impact_setup *setup, const law *l,
                             const impact_result *r, core_scratch *s, impact_audit *audit) {
  int nu = m->shape.nu;
  double *M = core_scratch_doubles(s, (size_t)nu * (size_t)nu);
  if (!M) return CORE_NO_MEMORY;
  core_status status = m->type->mass(m, q, M);
  if (status) return status;
  audit_velocity(setup, u, u_after, r, audit);
  audit_energy(kinetic(nu, M, u), kinetic(nu, M, u_after), &setup->problem, r, audit);
  audit_contacts(&setup->problem, l, r, audit);
  return audit_momentum(m, q, M, u, u_after, setup, r, s, audit);
}

core_status impact_audit_hit(const model *m, const double *q, const double *u,
                             const double *u_after, const impact_setup *setup, const law *l,
                             const impact_result *r, core_scratch *s, impact_audit *audit) {
  memset(audit, 0, sizeof *audit);
  core_mark mark = core_scratch_mark(s);
  core_status status = audit_all(m, q, u, u_after, setup, l, r, s, audit);
  core_scratch_release(s, mark);
  return status;
}
