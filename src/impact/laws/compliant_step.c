/* Walks through one phase: the same modes from its start to its first events. */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/poly.h"
#include "impact/laws/compliant.h"

enum { N = COMPLIANT_ORDER, LENGTH = COMPLIANT_LENGTH };

/* Gauss-Legendre with 12 points on [-1, 1] */
static const struct {
  double x, weight;
} gauss[6] = {{0.1252334085114689154724, 0.2491470458134027850006},
              {0.3678314989981801937527, 0.2334925365383548087608},
              {0.5873179542866174472967, 0.2031674267230659217491},
              {0.7699026741943046870369, 0.1600783285433462263347},
              {0.9041172563704748566785, 0.1069393259953184309603},
              {0.9815606342467192506905, 0.0471753363865118271946}};

/* all rows of a series at s */
static void rows_at(int rows, const double *c, double s, double *out) {
  memcpy(out, c + N * rows, (size_t)rows * sizeof *out);
  for (int j = N - 1; j >= 0; j--) {
    const double *cj = c + j * rows;
    for (int r = 0; r < rows; r++) out[r] = out[r] * s + cj[r];
  }
}

/* sum c[j] s^(j+1) / (j+1) */
static double integral_at(const double *c, double s) {
  double sum = 0;
  for (int j = N; j >= 0; j--) sum = (sum + c[j] * compliant_inverse[j]) * s;
  return sum;
}

/* power of friction mu F_n (v.d - rho') at s, per unit of s */
static double friction_power(const compliant *z, int i, double s) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *q = &z->series;
  double force, speed = 0, mu = compliant_slip_mu(k);
  double pace = q->h * (q->uneven ? core_poly_at(N, q->pace, 1, s) : 1);
  for (int t = 0; t < k->tangents; t++)
    speed += core_poly_at(N, q->v + k->t + t, z->rows, s) *
             (k->turning ? core_poly_at(N, q->d + (2 * i + t) * LENGTH, 1, s) : k->d[t]);
  if (k->touch == PRESSED) {
    force = -k->k * core_poly_at(N, q->y + k->n, z->rows, s);
    speed += mu * k->k / k->kt * core_poly_at(N, q->v + k->n, z->rows, s);
    return mu * force * speed * pace;
  }
  force = core_poly_at(N, q->held + i, z->nc, s);
  double rate = 0; /* d force / ds */
  for (int j = N; j > 0; j--) rate = rate * s + j * q->held[j * z->nc + i];
  return mu * force * (speed * pace - mu / k->kt * rate);
}

/* Friction takes mu F_n times the slip speed: integrated for its own sake (Gauss, 12 points, exact
 * to rounding on a step), not taken as what is missing from the energy. */
static double friction_loss(const compliant *z, double s) {
  double total = 0;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch == OPEN || k->grip != SLIP) continue;
    for (int g = 0; g < 6; g++)
      total += gauss[g].weight * (friction_power(z, i, s * (1 - gauss[g].x) / 2) +
                                  friction_power(z, i, s * (1 + gauss[g].x) / 2));
  }
  return total * s / 2;
}

/* what does not follow from y' = v: deflections of contacts that do not stick */
static void slave_deflections(compliant *z, double s) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    double *x = z->y + k->t;
    if (k->touch == HELD) z->y[k->n] = 0;
    if (k->touch != OPEN && k->grip == STICK) continue;
    double rho = 0;
    if (k->touch != OPEN && k->grip == SLIP) {
      if (k->turning) compliant_turn_direction(z, i, s);
      rho = k->touch == HELD ? core_poly_at(N, z->series.held + i, z->nc, s) : -k->k * z->y[k->n];
      rho *= compliant_slip_mu(k) / k->kt;
    }
    for (int t = 0; t < k->tangents; t++) x[t] = rho * k->d[t];
  }
}

/* the state at s of the series, in place */
void compliant_advance(compliant *z, double s) {
  const compliant_series *q = &z->series;
  z->lost_friction += friction_loss(z, s);
  if (q->turning)
    compliant_turn_impulse(z, s, z->p);
  else
    compliant_linear_impulse(z, s, z->p);
  z->time += q->uneven ? q->h * integral_at(q->pace, s) : q->h * s;
  rows_at(z->rows, q->y, s, z->y);
  rows_at(z->rows, q->v, s, z->v);
  slave_deflections(z, s);
}

void compliant_make_series(compliant *z) {
  if (z->turning)
    compliant_turn_series(z);
  else
    compliant_linear_series(z);
}

static void leave_start(compliant *z) {
  for (int i = 0; i < z->nc; i++) z->c[i].fresh = z->c[i].edge = 0;
}

/* Contacts that cannot part from each other press each other for ever, without loss once all are in
 * restitution. Turning slip takes many steps where eta is small. */
static core_status too_long(compliant *z, double since, long steps) {
  if ((z->time - since) * z->omega > COMPLIANT_QUIET)
    return core_fail(z->err, CORE_LIMIT,
                     "law.compliant: contacts press each other without end: nothing new from t = "
                     "%.6g to %.6g s",
                     since * z->unit, z->time * z->unit);
  if (steps > COMPLIANT_MAX_STEPS)
    return core_fail(
        z->err, CORE_LIMIT,
        "law.compliant: stopped after %ld steps of slip that turns: eta is very small, "
        "take law.stronge",
        steps);
  return CORE_OK;
}

/* From the start of a phase, whose first series is made, to its first events in z->hits. */
core_status compliant_run_phase(compliant *z) {
  core_status status = CORE_OK;
  double since = z->time;
  for (long steps = 0; !status; steps++) {
    if (core_interrupted()) return core_fail(z->err, CORE_INTERRUPTED, "%s", "");
    if (steps) {
      status = compliant_freeze(z);
      if (status) return status;
      compliant_make_series(z);
    }
    double s = compliant_watch_step(z, steps == 0);
    compliant_advance(z, s);
    leave_start(z);
    if (z->nhits) return CORE_OK;
    status = too_long(z, since, steps);
  }
  return status;
}
