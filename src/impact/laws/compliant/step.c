/* Walks through one phase: the same modes from its start to its first events. */
#include <math.h>
#include <string.h>

#include "core/interrupt.h"
#include "core/pair.h"
#include "core/poly.h"
#include "impact/laws/compliant/state.h"

const compliant_node compliant_gauss[5] = {{0.14887433898163121088, 0.29552422471475287017},
                                           {0.43339539412924719080, 0.26926671930999635509},
                                           {0.67940956829902440623, 0.21908636251598204400},
                                           {0.86506336668898451073, 0.14945134915058059315},
                                           {0.97390652851717172008, 0.06667134430868813759}};

/* all rows of a series at s */
static void rows_at(int order, int rows, const double *c, double s, double *out) {
  memcpy(out, c + order * rows, (size_t)rows * sizeof *out);
  for (int j = order - 1; j >= 0; j--) {
    const double *cj = c + j * rows;
    for (int r = 0; r < rows; r++) out[r] = out[r] * s + cj[r];
  }
}

/* sum c[j] s^(j+1) / (j+1) */
static double integral_at(int order, const double *c, double s) {
  double sum = 0;
  for (int j = order; j >= 0; j--) sum = (sum + c[j] * compliant_inverse[j]) * s;
  return sum;
}

/* a series with a stride at two places */
static inline core_pair both_at(int order, const double *c, int stride, core_pair s) {
  core_pair f = {c[order * stride], c[order * stride]};
  for (int j = order - 1; j >= 0; j--) f = f * s + c[j * stride];
  return f;
}

/* -F_t.v_t at two places, per unit of s: the power that goes into the tangential spring and
 * friction */
static core_pair tangential_power(const compliant *z, int i, core_pair s) {
  const compliant_contact *k = &z->c[i];
  const compliant_series *q = &z->series;
  core_pair power = {0}, force;
  if (k->turning) {
    for (int t = 0; t < 2; t++)
      power -= both_at(q->order, q->v + k->t + t, z->rows, s) *
               both_at(q->order, q->f + k->t + t, z->rows, s);
    return power * q->h;
  }
  for (int t = 0; t < k->tangents; t++)
    power += both_at(q->order, q->v + k->t + t, z->rows, s) * k->d[t];
  if (k->touch == HELD)
    force = both_at(q->order, q->held + i, z->nc, s);
  else
    force = -k->k * both_at(q->order, q->y + k->n, z->rows, s);
  if (q->uneven) force *= both_at(q->order, q->pace, 1, s);
  return compliant_slip_mu(k) * force * power * q->h;
}

/* The work against the tangential forces of slipping contacts, integrated (Gauss, 10 points, exact
 * to rounding on a step). What the springs do not keep of it, friction takes: that is not what is
 * missing from the energy as a whole, and the ledger checks it. */
static double slip_work(const compliant *z, double s) {
  core_pair total = {0};
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch == OPEN || k->grip != SLIP || k->mu == 0) continue;
    for (int g = 0; g < 5; g++) {
      core_pair at = {s * (1 - compliant_gauss[g].x) / 2, s * (1 + compliant_gauss[g].x) / 2};
      total += compliant_gauss[g].weight * tangential_power(z, i, at);
    }
  }
  return (total[0] + total[1]) * s / 2;
}

/* energy in the tangential springs of slipping contacts */
static double slip_strain(const compliant *z) {
  double sum = 0;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch == OPEN || k->grip != SLIP) continue;
    for (int t = 0; t < k->tangents; t++) sum += k->kt * z->y[k->t + t] * z->y[k->t + t] / 2;
  }
  return sum;
}

/* the force of a held contact and its rate at s */
static void note_force(compliant *z, int i, double s) {
  const compliant_series *q = &z->series;
  double force = 0, slope = 0; /* Horner, both at once */
  for (int j = q->order; j >= 0; j--) {
    slope = slope * s + force;
    force = force * s + q->held[j * z->nc + i];
  }
  z->c[i].hold = force;
  z->c[i].hold_rate = slope / (q->h * (q->uneven ? core_poly_at(q->order, q->pace, 1, s) : 1));
}

/* what does not follow from y' = v: deflections of contacts that do not stick */
void compliant_slave_deflections(compliant *z, double s) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    double *x = z->y + k->t;
    if (k->touch == HELD) z->y[k->n] = 0;
    if (k->touch != OPEN && k->grip == STICK) continue;
    double rho = 0;
    if (k->touch != OPEN && k->grip == SLIP) {
      if (k->turning) compliant_turn_direction(z, i, s);
      if (k->touch == HELD) note_force(z, i, s);
      rho = k->touch == HELD ? k->hold : -k->k * z->y[k->n];
      rho *= compliant_slip_mu(k) / k->kt;
    }
    for (int t = 0; t < k->tangents; t++) x[t] = rho * k->d[t];
  }
}

/* the state at s of the series, in place */
void compliant_advance(compliant *z, double s) {
  const compliant_series *q = &z->series;
  z->lost_friction += slip_work(z, s) + slip_strain(z);
  if (q->turning)
    compliant_turn_impulse(z, s, z->p);
  else
    compliant_linear_impulse(z, s, z->p);
  z->time += q->uneven ? q->h * integral_at(q->order, q->pace, s) : q->h * s;
  rows_at(q->order, z->rows, q->y, s, z->y);
  rows_at(q->order, z->rows, q->v, s, z->v);
  compliant_slave_deflections(z, s);
  z->lost_friction -= slip_strain(z);
}

void compliant_make_series(compliant *z) {
  if (z->turning)
    compliant_turn_series(z);
  else
    compliant_linear_series(z);
  if (z->late) z->series.reach = TOL_LATE_STEP;
  if (z->max_fixed_step < z->series.h * z->series.reach)
    z->series.reach = z->max_fixed_step / z->series.h;
}

/* After a tiny first step (of slip that turns fast elsewhere) what was zero at the start of the
 * phase, the margin of a contact that has just stopped say, is still no more than rounding. */
static void leave_start(compliant *z, double since) {
  int gone = (z->time - since) * z->omega > TOL_LEFT_START;
  for (int i = 0; i < z->nc; i++) {
    z->c[i].just_closed = z->c[i].stopped = 0;
    if (gone) z->c[i].stick_slip_tie = 0;
  }
}

/* the smallest e that a contact rebounds with now; 1 when none does */
static double least_e(const compliant *z) {
  double e = 1;
  for (int i = 0; i < z->nc; i++)
    if (z->c[i].touch == PRESSED && z->c[i].restituting) e = core_min(e, z->c[i].e);
  return e;
}

/* Contacts that cannot part from each other press each other for ever, without loss once all are in
 * restitution; with a tiny e that is also so stiff that a short while is an age. Turning slip takes
 * many steps where eta is small. */
static core_status too_long(compliant *z, double since, long steps) {
  double quiet = compliant_lasting(z) ? z->modes.slowest : z->omega;
  if ((z->time - since) * quiet > COMPLIANT_QUIET && least_e(z) < 1e-3)
    return core_fail(z->err, CORE_LIMIT,
                     "law.compliant: a contact with e = %g that others keep pressing vibrates "
                     "without end: take e = 0, which holds it",
                     least_e(z));
  if ((z->time - since) * quiet > COMPLIANT_QUIET && !compliant_lasting(z))
    return core_fail(
        z->err, CORE_LIMIT,
        "law.compliant: the fastest spring swings %.0f times and nothing happens from t "
        "= %.6g to %.6g s: time scales too far apart for slip, or contacts that press "
        "each other without end; take a larger eta or e",
        (z->time - since) * z->omega / (2 * M_PI), since * z->unit, z->time * z->unit);
  if ((z->time - since) * quiet > COMPLIANT_QUIET)
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

/* From the start of a phase, whose first series is made, to its first events in z->found. */
core_status compliant_run_phase(compliant *z) {
  core_status status = CORE_OK;
  double since = z->time;
  compliant_forget_modes(z);
  for (long steps = 0; !status; steps++) {
    if (core_interrupted()) return core_fail(z->err, CORE_INTERRUPTED, "%s", "");
    if (compliant_skip(z, steps)) {
      status = too_long(z, since, steps);
      continue;
    }
    if (steps) {
      status = compliant_fix_directions(z);
      if (status) return status;
      compliant_make_series(z);
    }
    double s = compliant_watch_step(z, steps == 0);
    compliant_book_reloads(z, s);
    compliant_advance(z, s);
    if (s > 0) leave_start(z, since);
    if (z->n_found) return CORE_OK;
    status = too_long(z, since, steps);
  }
  return status;
}
