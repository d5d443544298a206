/* What the sink gets: events with the state after them, and samples between them.
 *
 * Samples are wanted at equal times of a phase whose length is known only at its end. So a phase is
 * walked twice, and each sample is what its step of the second walk (a series, modes or a flight)
 * says of its time. */
#include <string.h>

#include "impact/laws/compliant/fast/fast.h"

/* a state put aside */
typedef struct kept_state {
  double time, lost_friction, max_fixed_step;
  compliant_memory memory;
  double *rows; /* p, v, y */
  compliant_contact *c;
} kept_state;

struct compliant_record {
  int *mode, *restituting;     /* nc each */
  double *x, *force;           /* rows each, in the caller's units */
  double *absorbed, *returned; /* nc each [J] */
  kept_state start, step, end; /* of the phase, and of a step of it */
  double length;               /* of a phase that is walked again [T] */
  int next, count;             /* its next sample, of count; nothing to sample: count = 0 */
};

static int take_state(compliant *z, kept_state *k) {
  k->rows = core_scratch_doubles(z->scratch, 3 * (size_t)z->rows);
  k->c = core_scratch_bytes(z->scratch, (size_t)z->nc * sizeof *k->c);
  return k->rows && k->c;
}

core_status compliant_record_start(compliant *z) {
  size_t rows = (size_t)z->rows, nc = (size_t)z->nc;
  if (!z->sink) return CORE_OK;
  compliant_record *r = z->record = core_scratch_bytes(z->scratch, sizeof *r);
  double *x = core_scratch_doubles(z->scratch, 2 * rows + 2 * nc);
  int *ints = core_scratch_ints(z->scratch, 2 * nc);
  if (!r || !x || !ints) return CORE_NO_MEMORY;
  memset(r, 0, sizeof *r);
  r->mode = ints, r->restituting = ints + nc;
  r->x = x, r->force = x + rows;
  r->absorbed = x + 2 * rows, r->returned = r->absorbed + nc;
  int good = take_state(z, &r->start) && take_state(z, &r->step) && take_state(z, &r->end);
  return good ? CORE_OK : CORE_NO_MEMORY;
}

/* ---- a sample ---- */

double compliant_strain(const compliant *z) {
  double sum = 0;
  for (int i = 0; i < z->nc; i++) {
    const compliant_contact *k = &z->c[i];
    if (k->touch == OPEN) continue;
    sum += normal_energy(z, k) + tangential_energy(z, k);
  }
  return sum;
}

double compliant_energy(const compliant *z) {
  double sum = compliant_strain(z);
  for (int r = 0; r < z->rows; r++) sum += z->p[r] * (z->pr->v[r] + z->v[r]) / 2;
  return sum;
}

/* the normal force of a held contact is what G says of all the springs */
static double held_force(const compliant *z, int i) {
  const compliant_phase *f = &z->phase;
  double sum = 0;
  for (int j = 0; j < f->m; j++) sum -= f->G[j * z->nc + i] * f->stiff[j] * z->y[f->row[j]];
  return sum;
}

static void sample_contact(compliant *z, int i) {
  const compliant_contact *k = &z->c[i];
  compliant_record *o = z->record;
  double T = z->unit, gain = normal_energy(z, k) - k->from, force = 0;
  if (k->touch == PRESSED) force = -k->k * z->y[k->n];
  if (k->touch == HELD && z->phase.pressed) force = held_force(z, i);
  o->mode[i] = k->touch == OPEN   ? IMPACT_MODE_OPEN
               : k->grip == STICK ? IMPACT_MODE_STICK
                                  : IMPACT_MODE_SLIP;
  o->restituting[i] = k->restituting;
  o->absorbed[i] = k->absorbed + core_max(gain, 0);
  o->returned[i] = k->returned + core_max(-gain, 0);
  for (int r = k->t; r <= k->n; r++) o->x[r] = z->y[r] * T;
  for (int r = k->t; r < k->n; r++) o->force[r] = k->touch == OPEN ? 0 : -k->kt * z->y[r] / T;
  o->force[k->n] = force / T;
}

/* F_n v_n integrates to minus the energy of the normal springs, with what they lost */
static impact_sample sample_now(compliant *z) {
  const compliant_record *o = z->record;
  double work = z->lost_restitution;
  for (int i = 0; i < z->nc; i++) {
    sample_contact(z, i);
    work += normal_energy(z, &z->c[i]);
  }
  return (impact_sample){.t = z->time * z->unit,
                         .p = z->p,
                         .v = z->v,
                         .x = o->x,
                         .force = o->force,
                         .mode = o->mode,
                         .restituting = o->restituting,
                         .strain = compliant_strain(z),
                         .lost_restitution = z->lost_restitution,
                         .lost_friction = z->lost_friction,
                         .work_normal = -work,
                         .absorbed = o->absorbed,
                         .returned = o->returned};
}

static int wants_samples(const compliant *z) {
  return z->sink && z->sink->per_phase > 0;
}

static void sample(compliant *z) {
  impact_sample s = sample_now(z);
  if (z->sink->sample) z->sink->sample(z->sink->self, &s);
}

void compliant_sample_start(compliant *z) {
  if (wants_samples(z)) sample(z);
}

/* ---- events ---- */

void compliant_emit(compliant *z, impact_event_kind kind, int contact) {
  z->events++;
  if (!z->sink || !z->sink->event) return;
  impact_event e = {kind, contact, sample_now(z)};
  z->sink->event(z->sink->self, &e);
}

void compliant_note_modes(compliant *z) {
  for (int i = 0; i < z->nc; i++) {
    compliant_contact *k = &z->c[i];
    k->ended = k->rested = 0;
    k->touch_before = k->touch;
    k->grip_before = k->grip;
  }
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
  }
  compliant_note_modes(z);
}

/* ---- walking a phase again ---- */

static void copy_rows(const compliant *z, kept_state *k, int back) {
  double *live[3] = {z->p, z->v, z->y};
  for (int i = 0; i < 3; i++) {
    double *put = k->rows + i * z->rows;
    memcpy(back ? live[i] : put, back ? put : live[i], (size_t)z->rows * sizeof *put);
  }
  memcpy(back ? z->c : k->c, back ? k->c : z->c, (size_t)z->nc * sizeof *k->c);
}

static void keep(const compliant *z, kept_state *k) {
  k->time = z->time, k->lost_friction = z->lost_friction, k->max_fixed_step = z->max_fixed_step;
  k->memory = z->memory;
  copy_rows(z, k, 0);
}

static void take_back(compliant *z, kept_state *k) {
  z->time = k->time, z->lost_friction = k->lost_friction, z->max_fixed_step = k->max_fixed_step;
  z->memory = k->memory;
  copy_rows(z, k, 1);
}

/* samples of the next `length`; omega bounds the frequencies in it */
static void want(compliant *z, double length, double omega) {
  compliant_record *o = z->record;
  keep(z, &o->start);
  o->length = length;
  o->next = 1;
  o->count = impact_sink_samples(z->sink, z->rows, length * omega);
}

void compliant_sample_ahead(compliant *z, double span, void (*go)(compliant *, double)) {
  compliant_record *o = z->record;
  if (!o || !o->count) return;
  keep(z, &o->step);
  for (; o->next <= o->count; o->next++) {
    double t = o->start.time + o->length * o->next / (o->count + 1) - z->time;
    if (t > span) return;
    go(z, t);
    sample(z);
    take_back(z, &o->step);
  }
}

core_status compliant_walk(compliant *z) {
  if (!wants_samples(z)) return compliant_run_phase(z);
  compliant_record *o = z->record;
  keep(z, &o->start);
  core_status status = compliant_run_phase(z);
  if (status) return status;
  double length = z->time - o->start.time;
  keep(z, &o->end);
  take_back(z, &o->start);
  want(z, length, z->phase.omega);
  status = compliant_build(z);
  compliant_find_turning(z);
  compliant_make_series(z, fast_time_ahead(z));
  if (!status) status = compliant_run_phase(z);
  o->count = 0;
  if (!status) take_back(z, &o->end); /* its steps may round otherwise, the answer is the first */
  if (!status) sample(z);
  return status;
}

static void drift(compliant *z, double t) {
  z->time += t;
  for (int i = 0; i < z->nc; i++) z->y[z->c[i].n] += z->v[z->c[i].n] * t;
}

void compliant_fly(compliant *z, double duration) {
  if (wants_samples(z)) {
    want(z, duration, 0);
    compliant_sample_ahead(z, duration, drift);
    z->record->count = 0;
  }
  drift(z, duration);
}
