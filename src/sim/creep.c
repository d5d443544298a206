/* Sliding in space that sets out from rest.
 *
 * With s = (cos phi, sin phi) and v_t = |v| s the direction obeys |v| phi' = a_across(phi): near
 * rest it follows the root phi* of a_across ever faster, and no explicit method can follow. So
 * while |v| is small the direction is computed, not integrated:
 *
 *   phi = phi* - |v| phi*'/K,   K = -d a_across/d phi at phi*
 *
 * which leaves out (|v|/K)^2. phi*' is a difference along the motion.
 */
#include <math.h>
#include <string.h>

#include "sim/motion.h"

/* forces and point accelerations in the modes and directions of c */
typedef struct probe {
  sim_motion *f;
  const sim_space *space;
  sim_closed *c;
  sim_rule rule;
  double *force; /* rows */
} probe;

static core_status across_at(probe *p, int i, double phi, double *across) {
  int rows = p->space->setup.problem.rows;
  const double *W = p->space->setup.problem.W;
  double *s = p->c->slip + 2 * i;
  s[0] = cos(phi);
  s[1] = sin(phi);
  core_status status = sim_balance(p->f, p->space, p->c, p->rule, p->space->a_free, p->force);
  if (status) return status;
  int first = impact_first(&p->space->setup.problem, i);
  double a[2];
  for (int r = 0; r < 2; r++) {
    a[r] = p->space->a_free[first + r];
    for (int j = 0; j < rows; j++) a[r] += W[j * rows + first + r] * p->force[j];
  }
  *across = s[0] * a[1] - s[1] * a[0];
  return CORE_OK;
}

/* Newton to phi* of contact i; K is the slope there */
static core_status find_root(probe *p, int i, double *phi, double *K) {
  const double step = SIM_CREEP_ANGLE;
  for (int round = 0; round < SIM_CREEP_ROUNDS; round++) {
    double here, plus, minus;
    core_status status = across_at(p, i, *phi + step, &plus);
    if (!status) status = across_at(p, i, *phi - step, &minus);
    if (!status) status = across_at(p, i, *phi, &here);
    if (status) return status;
    *K = -(plus - minus) / (2 * step);
    if (!(*K > 0)) return CORE_OK;
    double change = here / *K;
    *phi += fmin(fmax(change, -SIM_CREEP_TURN), SIM_CREEP_TURN);
    if (fabs(change) < SIM_CREEP_FOUND) break;
  }
  return CORE_OK;
}

/* phi* of all that creep, one after the other until they agree; phi and K have n numbers */
static core_status find_roots(probe *p, double *phi, double *K) {
  core_status status = CORE_OK;
  int creeping = 0;
  for (int i = 0; i < p->c->n; i++) creeping += p->c->mode[i] == SIM_MODE_CREEP;
  for (int round = 0; round < (creeping > 1 ? SIM_CREEP_PASSES : 1) && !status; round++)
    for (int i = 0; i < p->c->n && !status; i++) {
      if (p->c->mode[i] != SIM_MODE_CREEP) continue;
      phi[i] = atan2(p->c->slip[2 * i + 1], p->c->slip[2 * i]);
      status = find_root(p, i, &phi[i], &K[i]);
      p->c->slip[2 * i] = cos(phi[i]);
      p->c->slip[2 * i + 1] = sin(phi[i]);
    }
  return status;
}

/* the state a little later, moved by the forces at phi* */
static core_status move_on(probe *p, double dt, const double *q, const double *u,
                           const double *udot, double *q_then, double *u_then) {
  sim_motion *f = p->f;
  core_status status = sim_balance(f, p->space, p->c, p->rule, p->space->a_free, p->force);
  if (!status) status = model_rates(f->m, q, u, q_then);
  for (int i = 0; i < f->nq && !status; i++) q_then[i] = q[i] + dt * q_then[i];
  for (int i = 0; i < f->nu && !status; i++) {
    u_then[i] = udot[i];
    for (int r = 0; r < p->space->setup.problem.rows; r++)
      u_then[i] += p->space->setup.Y[r * f->nu + i] * p->force[r];
    u_then[i] = u[i] + dt * u_then[i];
  }
  return status;
}

typedef struct later {
  double *q, *u, *udot, *phi, *K;
} later;

static core_status roots_later(probe *p, double t, double dt, later *l) {
  sim_motion *f = p->f;
  double power;
  sim_space space;
  core_status status = sim_free_acceleration(f, t + dt, l->q, l->u, l->udot, &power);
  if (!status) status = sim_space_at(f, l->q, l->u, l->udot, p->c->n, p->c->ids, &space);
  probe then = {f, &space, p->c, {p->rule.mu, 1}, p->force}; /* others may have stopped by then */
  return status ? status : find_roots(&then, l->phi, l->K);
}

core_status sim_creep(sim_motion *f, double t, const double *q, const double *u, const double *udot,
                      const sim_space *space, sim_rule rule, sim_closed *c) {
  const double dt = f->direction * SIM_CREEP_STEP * f->scale.time;
  int n = c->n, rows = space->setup.problem.rows;
  double *block = core_scratch_doubles(f->s, (size_t)(rows + 4 * n + f->nq + 2 * f->nu));
  if (!block) return CORE_NO_MEMORY;
  double *phi = block + rows, *K = phi + n;
  later l = {K + 3 * n, K + 3 * n + f->nq, K + 3 * n + f->nq + f->nu, K + n, K + 2 * n};
  probe p = {f, space, c, rule, block};
  core_status status = find_roots(&p, phi, K);
  if (!status) status = move_on(&p, dt, q, u, udot, l.q, l.u);
  if (!status) status = roots_later(&p, t, dt, &l);
  for (int i = 0; i < n && !status; i++) {
    if (c->mode[i] != SIM_MODE_CREEP) continue;
    const double *v = space->setup.problem.v + impact_first(&space->setup.problem, i);
    double lag = K[i] > 0 ? hypot(v[0], v[1]) * (l.phi[i] - phi[i]) / (dt * K[i]) : 0;
    c->slip[2 * i] = cos(phi[i] - lag);
    c->slip[2 * i + 1] = sin(phi[i] - lag);
  }
  return status;
}
