/* One phase: the same modes from its start to its first events.
 *
 *   its first series is made where the modes are settled; then step by step
 *     skip what its modes say cannot change (modes.c), or
 *     make the series of a step (series.c), look for the first event on it (events.c), go there
 */

#include <string.h>

#include "core/interrupt.h"
#include "impact/laws/compliant/fast/fast.h"
#include "impact/laws/compliant/series_turn.h"

/* ---- a step ---- */

/* energy in the tangential springs of slipping contacts */
static double slip_strain(const compliant *z) {
  double sum = 0;
  for (int i = 0; i < z->nc; i++)
    if (slips(&z->c[i])) sum += tangential_energy(z, &z->c[i]);
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

static void note_direction(compliant *z, int i, double s) {
  int n = z->series.order;
  double d1 = core_poly_at(n, compliant_direction(z, i, 0), BESIDE, s);
  double d2 = core_poly_at(n, compliant_direction(z, i, 1), BESIDE, s);
  double size = sqrt(d1 * d1 + d2 * d2);
  z->c[i].d[0] = d1 / size;
  z->c[i].d[1] = d2 / size;
}

/* what does not follow from y' = v: deflections of contacts that do not stick */
void compliant_slave_deflections(compliant *z, double s) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    if (k->touch == HELD) z->y[k->n] = 0;
    if (k->touch != OPEN && k->grip == STICK) continue;
    double rho = 0;
    if (slips(k)) {
      if (k->turning) note_direction(z, i, s);
      if (k->touch == HELD) note_force(z, i, s);
      rho = compliant_normal_force(z, k) * slip_mu(k) / k->kt;
    }
    for (int t = 0; t < k->tangents; t++) z->y[k->t + t] = rho * k->d[t];
  }
}

/* z->push: integral of the forces up to s */
static void find_push(compliant *z, double s) {
  const compliant_series *q = &z->series;
  const compliant_phase *f = &z->phase;
  double *sum = z->row_work;
  compliant_rows_up_to(z, q->turning ? q->f : q->y, s, sum);
  memset(z->push, 0, (size_t)z->rows * sizeof *z->push);
  for (int r = 0; q->turning && r < z->rows; r++) z->push[r] = q->h * sum[r];
  for (int i = 0; !q->turning && i < f->m; i++) {
    double force = sum[f->row[i]] * q->h * -f->stiff[i];
    const double *d = f->D + i * z->rows;
    for (int r = f->reach_D[i].from; r < f->reach_D[i].to; r++) z->push[r] += d[r] * force;
  }
}

static void add(int n, const double *more, double *sum) {
  for (int i = 0; i < n; i++) sum[i] += more[i];
}

/* time from the start of the step to s */
static double time_at(const compliant_series *q, double s) {
  return q->h * (q->uneven ? core_taylor_integral(q->order, q->pace, 1, s) : s);
}

/* what y, v and p change by up to s, without what they are */
static void add_up(const compliant *z, double s) {
  const compliant_series *q = &z->series;
  const double *from[2] = {q->y, q->v};
  int rows = z->rows;
  for (int i = 0; i < 2; i++) {
    compliant_rows_at(z, q->order - 1, from[i] + rows, s, z->row_work);
    for (int r = 0; r < rows; r++) z->gone[i * rows + r] += s * z->row_work[r];
  }
  add(rows, z->push, z->gone + 2 * rows);
}

/* The state at s of the series, in place. v moves by W push and not by its own series, which has
 * one order less: in thousands of steps it would fall behind p, and work with it (ledgers open by
 * 1.5e-12). */
static void advance(compliant *z, double s) {
  const compliant_series *q = &z->series;
  z->lost_friction += compliant_slip_work(z, s) + slip_strain(z);
  find_push(z, s);
  if (z->gone) add_up(z, s);
  add(z->rows, z->push, z->p);
  z->time += time_at(q, s);
  compliant_rows_at(z, q->order, q->y, s, z->y);
  compliant_multiply(z, 1, z->push, z->v);
  compliant_slave_deflections(z, s);
  z->lost_friction -= slip_strain(z);
}

/* s at a time t from the start of the step */
static double s_at(const compliant_series *q, double t) {
  if (!q->uneven) return t / q->h;
  double c[LENGTH + 1] = {t}, s;
  for (int j = 0; j < q->order; j++) c[j + 1] = -q->h * q->pace[j] * core_taylor_inverse[j];
  return core_poly_first_root(q->order, c, q->reach, &s) ? s : q->reach;
}

static void advance_by(compliant *z, double t) {
  advance(z, s_at(&z->series, t));
}

static void limit_reach(compliant *z) {
  compliant_series *q = &z->series;
  for (int i = 0; i < z->nc; i++)
    if (compliant_at_rest(z, &z->c[i]))
      q->reach = core_max(compliant_emerges(z, &z->c[i]), TOL_LATE_STEP * q->reach);
  if (z->max_fixed_step < q->h * q->reach) q->reach = z->max_fixed_step / q->h;
}

void compliant_make_series(compliant *z, double time) {
  z->series.turning = z->phase.turning;
  (z->series.turning ? compliant_stride_series : compliant_linear_series)(z, time);
  limit_reach(z);
}

static double first_events(compliant *z, int first) {
  double s = compliant_watch(z, first);
  while (fast_lengthen(z)) {
    limit_reach(z);
    s = compliant_watch(z, first);
  }
  fast_note_step(z, s);
  return s;
}

/* ---- the walk ---- */

/* what was zero at the start of the phase by definition is so no more */
static void leave_start(compliant *z) {
  for (int i = 0; i < z->nc; i++)
    z->c[i].just_closed = z->c[i].stopped = z->c[i].stick_slip_tie = 0;
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
  double slowest = fast_slowest(z) > 0 ? fast_slowest(z) : z->phase.omega;
  if (z->gone && z->time > z->patience) return CORE_LIMIT;
  if (steps > (z->fast ? LIMIT_STEPS : LIMIT_STEPS_PLAIN))
    return core_fail(
        z->err, CORE_LIMIT,
        "law.compliant: stopped after %ld steps of slip that turns: eta is very small, "
        "take its limit, law.lzb with exponent = 1",
        steps);
  if (!((z->time - since) * slowest > LIMIT_QUIET)) return CORE_OK;
  if (least_e(z) < TOL_STIFF_E)
    return core_fail(z->err, CORE_LIMIT,
                     "law.compliant: a contact with e = %g that others keep pressing vibrates "
                     "without end: take e = 0, which holds it",
                     least_e(z));
  return core_fail(z->err, CORE_LIMIT,
                   "law.compliant: nothing new from t = %.6g to %.6g s: contacts press each other "
                   "without end%s",
                   since * z->unit, z->time * z->unit,
                   fast_slowest(z) > 0 ? ""
                                       : ", or time scales are too far apart for slip: take a "
                                         "larger eta, e or tolerance");
}

core_status compliant_run_phase(compliant *z) {
  core_status status = CORE_OK;
  double since = z->time;
  fast_begin_phase(z);
  for (long steps = 0; !status; steps++) {
    if (core_interrupted()) return core_fail(z->err, CORE_INTERRUPTED, "%s", "");
    if (!fast_skip(z, steps)) {
      if (steps) {
        status = compliant_fix_directions(z);
        if (status) return status;
        compliant_make_series(z, fast_time_ahead(z));
      }
      double s = first_events(z, steps == 0);
      compliant_book_reloads(z, s);
      compliant_sample_ahead(z, time_at(&z->series, s), advance_by);
      advance(z, s);
      if (s > 0) leave_start(z);
      if (z->n_found) return compliant_check_squeeze(z);
    }
    status = too_long(z, since, steps);
    if (!status) status = compliant_check_squeeze(z);
    if (z->way.most_steps && z->steps > z->way.most_steps) return CORE_LIMIT;
  }
  return status;
}
