/* What the sink gets: events with the state after them, and samples between them.
 *
 * Samples are wanted at equal times of a phase whose length is known only at its end. So the phase
 * is walked a second time from its start, the same steps again, and each sample is the series of
 * its step at its time. */
#include <math.h>
#include <string.h>

#include "core/poly.h"
#include "impact/laws/compliant/state.h"

enum { LENGTH = COMPLIANT_LENGTH };

double compliant_strain(const compliant *z) {
  double sum = 0;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch == OPEN) continue;
    const double *y = z->y;
    sum += k->k * y[k->n] * y[k->n] / 2;
    for (int t = 0; t < k->tangents; t++) sum += k->kt * y[k->t + t] * y[k->t + t] / 2;
  }
  return sum;
}

/* F_n v_n integrates to minus the energy of the normal springs, with what they lost */
static double normal_work(const compliant *z) {
  double sum = z->lost_restitution;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch == PRESSED) sum += k->k * z->y[k->n] * z->y[k->n] / 2;
  }
  return -sum;
}

static int mode_of(const compliant_contact *k) {
  if (k->touch == OPEN) return IMPACT_MODE_OPEN;
  return k->grip == STICK ? IMPACT_MODE_STICK : IMPACT_MODE_SLIP;
}

/* the normal force of a held contact is what D says of all the springs */
static double held_force(const compliant *z, int i) {
  double sum = 0;
  for (int j = 0; j < z->m; j++) sum -= z->G[j * z->nc + i] * z->stiff[j] * z->y[z->row[j]];
  return sum;
}

static void contact_rows(compliant *z, int i, double *x, double *force) {
  const compliant_contact *k = &z->c[i];
  double T = z->unit;
  z->mode[i] = mode_of(k);
  z->restituting[i] = k->restituting;
  x[k->n] = z->y[k->n] * T;
  force[k->n] = k->touch == PRESSED              ? -k->k * z->y[k->n] / T
                : k->touch == HELD && z->pressed ? held_force(z, i) / T
                                                 : 0;
  for (int t = 0; t < k->tangents; t++) {
    x[k->t + t] = z->y[k->t + t] * T;
    force[k->t + t] = k->touch == OPEN ? 0 : -k->kt * z->y[k->t + t] / T;
  }
}

/* absorbed and returned work up to now */
static void work_now(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    double energy = k->touch == PRESSED ? k->k * z->y[k->n] * z->y[k->n] / 2 : 0;
    double gain = energy - k->from;
    z->work_out[i] = k->absorbed + core_max(gain, 0);
    z->work_out[z->nc + i] = k->returned + core_max(-gain, 0);
  }
}

static impact_sample sample_now(compliant *z) {
  int rows = z->rows;
  double *x = z->out, *force = x + rows;
  for (int i = 0; i < z->nc; i++) contact_rows(z, i, x, force);
  work_now(z);
  return (impact_sample){z->time * z->unit,
                         z->p,
                         z->v,
                         x,
                         force,
                         z->mode,
                         z->restituting,
                         compliant_strain(z),
                         z->lost_restitution,
                         z->lost_friction,
                         normal_work(z),
                         z->work_out,
                         z->work_out + z->nc};
}

static void sample(compliant *z) {
  impact_sample s = sample_now(z);
  if (z->sink->sample) z->sink->sample(z->sink->self, &s);
}

void compliant_emit(compliant *z, impact_event_kind kind, int contact) {
  z->events++;
  if (!z->sink || !z->sink->event) return;
  impact_event e = {kind, contact, sample_now(z)};
  z->sink->event(z->sink->self, &e);
}

/* what has changed since the last phase, contact by contact */
void compliant_report(compliant *z) {
  int start = z->time == 0;
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    int was_closed = k->touch_before != OPEN, is_closed = k->touch != OPEN;
    int again = k->just_closed && !k->rested;
    if (k->ended) compliant_emit(z, IMPACT_COMPRESSION_END, i);
    if (was_closed && (!is_closed || again)) compliant_emit(z, IMPACT_OPEN, i);
    if (!start && is_closed && (!was_closed || again)) compliant_emit(z, IMPACT_CLOSE, i);
    if (was_closed && is_closed && !again && k->grip != k->grip_before)
      compliant_emit(z, k->grip == SLIP ? IMPACT_SLIP : IMPACT_STICK, i);
    k->ended = k->rested = 0;
    k->touch_before = k->touch;
    k->grip_before = k->grip;
  }
}

/* ---- walking a phase again ---------------------------------------------------------------- */

static void copy_state(compliant *z, int slot, int back) {
  size_t rows = (size_t)z->rows * sizeof *z->p, contacts = (size_t)z->nc * sizeof *z->c;
  double *kept = z->kept + slot * 3 * z->rows;
  double *live[3] = {z->p, z->v, z->y};
  for (int i = 0; i < 3; i++) {
    double *put = kept + i * z->rows;
    memcpy(back ? live[i] : put, back ? put : live[i], rows);
  }
  compliant_contact *c = z->kept_contacts + slot * z->nc;
  memcpy(back ? z->c : c, back ? c : z->c, contacts);
  double *numbers = z->kept_numbers + COMPLIANT_NUMBERS * slot;
  double *number[COMPLIANT_NUMBERS] = {&z->time, &z->lost_friction, &z->stride, &z->max_fixed_step,
                                       &z->patience};
  for (int i = 0; i < COMPLIANT_NUMBERS; i++) {
    if (back)
      *number[i] = numbers[i];
    else
      numbers[i] = *number[i];
  }
}

void compliant_keep(compliant *z, int slot) {
  copy_state(z, slot, 0);
}

/* s of the step in hand at which its time is t */
static double when(const compliant *z, double t) {
  const compliant_series *q = &z->series;
  if (!q->uneven) return t / q->h;
  double c[LENGTH + 1], s;
  c[0] = t;
  for (int j = 0; j < q->order; j++) c[j + 1] = -q->h * q->pace[j] * compliant_inverse[j];
  return core_poly_first_root(q->order, c, q->reach, &s) ? s : q->reach;
}

/* samples number *next and on that lie in the step in hand, which covers `span` */
static void sample_step(compliant *z, double start, double length, double span, int *next) {
  int count = z->sink->per_phase;
  double here = z->time;
  for (; *next <= count; ++*next) {
    double t = start + length * *next / (count + 1) - here;
    if (t > span) return;
    compliant_keep(z, 2);
    compliant_advance(z, when(z, t));
    sample(z);
    copy_state(z, 2, 1);
  }
}

static double step_span(const compliant *z) {
  const compliant_series *q = &z->series;
  if (!q->uneven) return q->h * q->reach;
  double sum = 0;
  for (int j = q->order; j >= 0; j--) sum = (sum + q->pace[j] * compliant_inverse[j]) * q->reach;
  return sum * q->h;
}

/* samples of a phase that lasted, each by its modes from the start */
static void replay_modes(compliant *z, double length) {
  int count = z->sink->per_phase;
  for (int i = 1; i <= count; i++) {
    copy_state(z, 0, 1);
    compliant_move_modes(z, length * i / (count + 1));
    sample(z);
  }
}

/* From the state in slot 0 to the one reached now; that one is sampled last, before its events. */
core_status compliant_replay(compliant *z) {
  double end = z->time, start = z->kept_numbers[0];
  int next = 1;
  compliant_keep(z, 1);
  copy_state(z, 0, 1);
  core_status status = compliant_build(z);
  compliant_find_turning(z);
  if (compliant_lasting(z)) {
    replay_modes(z, end - start);
    next = z->sink->per_phase + 1;
  }
  while (!status && next <= z->sink->per_phase && z->time < end) {
    compliant_make_series(z);
    double span = step_span(z);
    sample_step(z, start, end - start, core_min(span, end - z->time), &next);
    if (z->time + span >= end) break;
    compliant_advance(z, z->series.reach);
    for (int i = 0; i < z->nc; i++)
      z->c[i].just_closed = z->c[i].stopped = z->c[i].stick_slip_tie = 0;
    status = compliant_fix_directions(z);
  }
  copy_state(z, 1, 1);
  sample(z);
  return status;
}

void compliant_sample_start(compliant *z) {
  if (z->sink && z->sink->per_phase > 0) sample(z);
}

void compliant_sample_flight(compliant *z, double duration) {
  if (!z->sink || z->sink->per_phase <= 0) return;
  double start = z->time;
  compliant_keep(z, 0);
  for (int i = 1; i <= z->sink->per_phase; i++) {
    double dt = duration * i / (z->sink->per_phase + 1);
    z->time = start + dt;
    for (int c = 0; c < z->nc; c++) z->y[z->c[c].n] += z->v[z->c[c].n] * dt;
    sample(z);
    copy_state(z, 0, 1);
  }
}
