/* What the sink of law.lzb hears, in SI units. */
#include <math.h>
#include <string.h>

#include "impact/laws/lzb/state.h"

enum { PER_STEP = 4 }; /* samples of a step, when many are wanted */

int lzb_record_start(lzb *z) {
  size_t rows = (size_t)z->rows, nc = (size_t)z->nc;
  if (!z->sink) return 1;
  double *x = core_scratch_doubles(z->s, 4 * rows + 2 * nc);
  int *i = core_scratch_ints(z->s, 2 * nc);
  if (!x || !i) return 0;
  z->shown = (lzb_shown){x, x + rows, x + 2 * rows, x + 3 * rows, x + 4 * rows, x + 4 * rows + nc,
                         i, i + nc};
  return 1;
}

/* work that a contact has taken in and given back, with deflection x now */
static void work_of(const lzb *z, const lzb_contact *c, double x, double *in, double *out) {
  double held = lzb_touches(c) ? lzb_energy(z, c, x) : 0;
  *in = c->absorbed + (c->phase == LZB_PRESSED ? held - c->from : 0);
  *out = c->returned + (c->phase == LZB_EXPANDING ? c->e * c->e * (c->from - held) : 0);
}

double lzb_lost(const lzb *z, const lzb_state *y) {
  double lost = 0, in, out;
  for (int i = 0; i < z->nc; i++) {
    work_of(z, &z->c[i], y->x[i], &in, &out);
    lost += in - out - (lzb_touches(&z->c[i]) ? lzb_energy(z, &z->c[i], y->x[i]) : 0);
  }
  return lost;
}

static void show_contact(lzb *z, int i, double deflection) {
  const lzb_contact *c = &z->c[i];
  double energy = z->unit_v * z->unit_p, in, out;
  work_of(z, c, deflection, &in, &out);
  z->shown.absorbed[i] = energy * in;
  z->shown.returned[i] = energy * out;
  z->shown.mode[i] = z->f[c->n] <= 0        ? IMPACT_MODE_OPEN
                     : c->grip == LZB_STICK ? IMPACT_MODE_STICK
                                            : IMPACT_MODE_SLIP;
  z->shown.restituting[i] = c->phase == LZB_EXPANDING;
  for (int r = c->t; r < c->n; r++) z->shown.x[r] = 0;
  z->shown.x[c->n] = c->phase == LZB_OUT ? z->pr->gap[i] : -deflection * z->unit_v * z->unit_t;
}

static impact_sample sample_at(lzb *z, const lzb_state *y) {
  double energy = z->unit_v * z->unit_p, force = z->unit_p / z->unit_t;
  const lzb_shown *w = &z->shown;
  impact_sample s = {.t = y->time * z->unit_t, .p = w->p, .v = w->v, .x = w->x};
  lzb_forces(z, y->x, y->v);
  for (int r = 0; r < z->rows; r++) {
    w->p[r] = y->p[r] * z->unit_p;
    w->v[r] = y->v[r] * z->unit_v;
    w->force[r] = z->f[r] * force;
  }
  s.force = w->force, s.mode = w->mode, s.restituting = w->restituting;
  s.absorbed = w->absorbed, s.returned = w->returned;
  for (int i = 0; i < z->nc; i++) {
    show_contact(z, i, y->x[i]);
    if (lzb_touches(&z->c[i])) s.strain += energy * lzb_energy(z, &z->c[i], y->x[i]);
    s.work_normal += w->returned[i] - w->absorbed[i];
  }
  s.lost_restitution = energy * lzb_lost(z, y);
  s.lost_friction = energy * y->lost;
  return s;
}

void lzb_tell(lzb *z, impact_event_kind kind, int contact) {
  z->events += kind != IMPACT_END;
  if (!z->sink || !z->sink->event) return;
  impact_event e = {kind, contact, sample_at(z, &z->now)};
  z->sink->event(z->sink->self, &e);
}

void lzb_tell_state(lzb *z, const lzb_state *y) {
  if (!z->sink || !z->sink->sample || z->sink->per_phase <= 0) return;
  impact_sample s = sample_at(z, y);
  z->sink->sample(z->sink->self, &s);
}

void lzb_tell_step(lzb *z, double s) {
  if (!z->sink || !z->sink->sample || z->sink->per_phase <= 0) return;
  int inner = z->sink->per_phase > PER_STEP ? PER_STEP : 1;
  for (int k = 1; k < inner; k++) {
    lzb_at(z, s * k / inner, &z->at);
    lzb_tell_state(z, &z->at);
  }
}
